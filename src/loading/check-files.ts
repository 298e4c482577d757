import { checkSource } from './prepare.ts'
import { readSource, type LoadProgress, type TableDefaults } from './read-files.ts'
import type { Finding } from './finding.ts'

export interface CheckReport {
  concepts: number
  findings: Finding[]
}

/**
 * Checks files against the shapes and the conditions on the whole graph. Loads nothing.
 *
 * @throws InputError if a file cannot be read or is broken.
 */
export async function checkFiles(
  files: readonly string[],
  onProgress?: LoadProgress,
  tables?: TableDefaults,
): Promise<CheckReport> {
  const source = await readSource(files, onProgress, tables)
  try {
    onProgress?.('check', 0)
    const findings = await checkSource(source)
    // The check leaves out concepts of other vocabularies.
    return { concepts: source.concepts, findings }
  } finally {
    source.close()
  }
}
