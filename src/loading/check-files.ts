import { checkSource } from './prepare.ts'
import { readSource, type LoadProgress } from './read-files.ts'
import type { Finding } from './shacl.ts'

export interface CheckReport {
  concepts: number
  findings: Finding[]
}

/**
 * Checks files against the shapes. Loads nothing.
 *
 * @throws InputError if a file cannot be read or is broken.
 */
export async function checkFiles(files: readonly string[], onProgress?: LoadProgress): Promise<CheckReport> {
  const source = await readSource(files, onProgress)
  try {
    onProgress?.('check', 0)
    return { concepts: source.concepts, findings: await checkSource(source) }
  } finally {
    source.close()
  }
}
