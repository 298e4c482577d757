import type { ReadDependencies } from '../read/dependencies.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { SearchIndex } from './search-index.ts'

/** The store, and the index. */
type BelowDependencies = Pick<ReadDependencies, 'client' | 'registry'> & { index: SearchIndex }

/**
 * Restricts a question to the concepts below some others. If the index has the revision of every vocabulary, it finds
 * these concepts itself; otherwise the store finds them.
 *
 * @throws the errors of the store.
 */
export async function belowSome(
  dependencies: BelowDependencies,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<{ below: readonly string[] } | { only: readonly string[] }> {
  return (await isCurrent(dependencies)) ? { below: uris } : { only: await storedBelow(dependencies, uris, signal) }
}

/** The URIs of all concepts below the given ones, without these. @throws the errors of the store and of the index. */
export async function conceptsBelow(
  dependencies: BelowDependencies,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (await isCurrent(dependencies)) return dependencies.index.below(uris, signal)
  return storedBelow(dependencies, uris, signal)
}

async function storedBelow(
  { client }: BelowDependencies,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const query = queryTemplate('descendants').bind({ terms: { uri: uris.map(iri) } })
  return (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
}

/** True if the index has the revisions of all vocabularies; it also follows vocabularies without a revision. */
async function isCurrent({ registry, index }: BelowDependencies): Promise<boolean> {
  for (const vocabulary of await registry.list()) {
    if (vocabulary.revision !== undefined && !(await index.lengths(vocabulary))) return false
  }
  return true
}
