import { idFromUri, type IdFromUri } from './id-from-uri.ts'
import { checkSource } from './prepare.ts'
import { readSource, type LoadProgress, type TableDefaults } from './read-files.ts'
import { candidateSchemes, findSubsets } from './scheme.ts'
import type { Finding } from './finding.ts'

export interface CheckReport {
  concepts: number
  /** The id that a load would take from the URI of the only scheme, with a proposal from the name. */
  idFromUri?: IdFromUri | undefined
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
    const [scheme, ...others] = candidateSchemes(source, findSubsets(source))
    const id =
      scheme === undefined || others.length > 0
        ? undefined
        : idFromUri(source.iri(scheme), source.describe(scheme).statements)
    const findings = await checkSource(source)
    // The check leaves out concepts of other vocabularies.
    return { concepts: source.concepts, idFromUri: id, findings }
  } finally {
    source.close()
  }
}
