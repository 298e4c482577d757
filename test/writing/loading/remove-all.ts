import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import type { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'

/** Removes all vocabularies of a store, and their subsets with them. */
export async function removeAll(client: SparqlClient): Promise<void> {
  for (const { uri, isSubset } of await readVocabularies(client)) {
    if (!isSubset) await removeVocabulary(client, uri)
  }
}
