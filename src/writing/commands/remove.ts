import { InputError } from '../../base/files/input-error.ts'
import { type History, replaceGraphs } from '../history/history.ts'
import { removal } from '../history/replacement.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { GraphHold } from '../../graph/vocabularies/graph-hold.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import {
  isSameVocabulary,
  readVocabularies,
  requireVocabulary,
  type Vocabulary,
} from '../../graph/vocabularies/vocabulary.ts'

/**
 * Removes a vocabulary with its subsets, or one subset, in one transaction, when this command has its turn to write.
 * Meanwhile nobody can ingest into it, so that the history has all concepts that were acknowledged.
 *
 * @param name id, subset notation or URI
 * @returns the removed vocabulary and subsets.
 * @throws InputError if the name is unknown, or if a hold was lost because this process had stopped.
 * @example const [vocabulary, ...subsets] = await removeVocabulary(client, 'stw')
 */
export async function removeVocabulary(
  client: SparqlClient,
  name: string,
  history?: History,
  index?: VocabularyIndex,
): Promise<Vocabulary[]> {
  const vocabularies = await readVocabularies(client)
  const chosen = requireVocabulary(vocabularies, name)
  const subsets = vocabularies.filter(
    ({ isSubset, partOf }) => isSubset && partOf.some((uri) => isSameVocabulary(uri, chosen.uri)),
  )
  const removed = [chosen, ...subsets]
  const template = queryTemplate('vocab/remove')
  const updates = removed.map(({ uri }) => template.bind({ terms: { graph: [iri(uri)] } }).text)
  const update = { name: template.name, text: updates.join(' ;\n') }
  const graphs = removed.map(({ uri }) => uri)
  const remove = async () => {
    const holds = [await GraphHold.takeTurn(client)]
    try {
      for (const graph of graphs) {
        const hold = await GraphHold.take(client, graph)
        if (hold) holds.push(hold)
      }
      // Nobody can ingest any more; the history gets the concepts that came late, and then their end.
      await history?.recordIngests()
      for (const hold of holds) await hold.check()
      await client.update(update, chosen.uri, NO_DEADLINE)
    } finally {
      // Holds of removed graphs have ended with the graphs; a hold that cannot be released ends by itself.
      await Promise.allSettled(holds.map((hold) => hold.release()))
    }
  }
  await replaceGraphs(history, graphs.map(removal), remove)
  await index?.remove(graphs)
  return removed
}

/**
 * Removes a subset.
 *
 * @param name its notation or URI
 * @throws InputError if the name is unknown.
 */
export async function removeSubset(
  client: SparqlClient,
  name: string,
  history?: History,
  index?: VocabularyIndex,
): Promise<Vocabulary> {
  const chosen = requireVocabulary(await readVocabularies(client), name)
  if (!chosen.isSubset) throw new InputError(`${name} is not a subset; "vocab remove" removes vocabularies.`)
  await removeVocabulary(client, chosen.uri, history, index)
  return chosen
}
