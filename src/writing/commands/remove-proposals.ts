import { InputError } from '../../base/files/input-error.ts'
import type { History } from '../history/history.ts'
import { HOLD, LOAD, ORDER, REVISION } from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/queries.ts'
import type { BoundTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal, tuple, UNDEF } from '../../graph/sparql/terms.ts'
import { GraphHold } from '../../graph/vocabularies/graph-hold.ts'
import { newLoadId } from '../../graph/vocabularies/load-id.ts'
import { looksMinted, readProposals } from '../../graph/vocabularies/proposals.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { readVocabularies, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/**
 * Removes proposals, those of one vocabulary in one transaction.
 *
 * @throws InputError if one of the URIs is no proposal; then nothing has changed. ApiError if the store fails.
 */
export async function removeProposals(
  client: SparqlClient,
  uris: readonly string[],
  history?: History,
  index?: VocabularyIndex,
): Promise<void> {
  const open = new Set(uris)
  const byGraph = new Map<string, string[]>()
  const vocabularies = [...open].some(looksMinted) ? await readVocabularies(client) : []
  for (const { uri: graph, isSubset } of vocabularies) {
    if (isSubset || open.size === 0) continue
    const proposals = (await readProposals(client, graph)).filter(({ uri }) => open.delete(uri))
    if (proposals.length > 0)
      byGraph.set(
        graph,
        proposals.map(({ uri }) => uri),
      )
  }
  for (const uri of open) throw new InputError(`<${uri}> is no proposal; "vocab proposals" lists all.`)
  for (const [graph, some] of byGraph) await removeHeld(client, graph, some, { history, index })
}

async function removeHeld(
  client: SparqlClient,
  graph: string,
  uris: readonly string[],
  { history, index }: { history: History | undefined; index: VocabularyIndex | undefined },
): Promise<void> {
  // A load under way has already read the proposals.
  const hold = await GraphHold.take(client, graph)
  try {
    const present = new Set((await readProposals(client, graph)).map(({ uri }) => uri))
    const gone = uris.find((uri) => !present.has(uri))
    if (gone !== undefined) throw new InputError(`<${gone}> changed meanwhile, so nothing is removed. Try again.`)
    const links = await readLinks(client, graph, uris)
    // Nobody can ingest meanwhile, so this revision is the last one before.
    const before = index && (await stateOf(client, graph))
    const load = newLoadId()
    const update = removal(graph, uris, load)
    const remove = () => client.update(update, graph, NO_DEADLINE)
    if (history) await history.removeProposals({ graph, uris, links, load }, remove)
    else await remove()
    // In another order, the index has to read the graph again.
    const isSameOrder = index && (await stateOf(client, graph))?.order === before?.order
    await index?.removeConcepts(graph, uris, (isSameOrder && before?.revision) || '', { revision: load, load })
  } catch (error) {
    await hold?.release()
    throw error
  } finally {
    hold?.end()
  }
}

async function stateOf(client: SparqlClient, graph: string): Promise<Vocabulary | undefined> {
  return (await readVocabularies(client)).find(({ uri }) => uri === graph)
}

/** The statements that name concepts, by subject. */
async function readLinks(client: SparqlClient, graph: string, uris: readonly string[]): Promise<Map<string, string[]>> {
  const query = queryTemplate('proposals/links').bind({ terms: { graph: [iri(graph)], concept: uris.map(iri) } })
  const links = new Map<string, string[]>()
  for (const { concept, subject, property } of await client.select(query, NO_DEADLINE)) {
    if (uris.includes(subject!.value)) continue
    links.set(subject!.value, [...(links.get(subject!.value) ?? []), `<${property!.value}> <${concept!.value}>`])
  }
  return links
}

function removal(graph: string, uris: readonly string[], load: string): BoundTemplate {
  const scheme = iri(graph)
  return queryTemplate('proposals/remove').bind({
    terms: {
      graph: [scheme],
      scheme: [scheme],
      concept: uris.map(iri),
      mark: [
        tuple(scheme, iri(REVISION), literal(load)),
        tuple(scheme, iri(LOAD), literal(load)),
        tuple(scheme, iri(HOLD), UNDEF),
        tuple(scheme, iri(ORDER), UNDEF),
      ],
    },
  })
}
