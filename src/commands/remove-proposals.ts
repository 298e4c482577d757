import { InputError } from '../files/input-error.ts'
import type { History } from '../history/history.ts'
import { CONCEPT_CLASS, HOLD, LISTS, LOAD, REVISION } from '../namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { BoundTemplate } from '../sparql/templates.ts'
import { count, iri, literal, tuple, UNDEF, type SparqlTerm } from '../sparql/terms.ts'
import { GraphHold } from '../vocabularies/graph-hold.ts'
import { newLoadId } from '../vocabularies/load-id.ts'
import { looksMinted, readProposals } from '../vocabularies/proposals.ts'
import type { VocabularyIndex } from '../vocabularies/vocabulary-index.ts'
import { readVocabularies } from '../vocabularies/vocabulary.ts'

/** A place that no list reaches. */
const BEYOND = 2 ** 31 - 1

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
    const found = (await readProposals(client, graph)).filter(({ uri }) => open.delete(uri))
    if (found.length > 0)
      byGraph.set(
        graph,
        found.map(({ uri }) => uri),
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
    const { links, places } = await readLinks(client, graph, uris)
    // Nobody can ingest meanwhile, so this revision is the last one before.
    const before = index && (await readVocabularies(client)).find(({ uri }) => uri === graph)
    const load = newLoadId()
    const update = removal(graph, uris, { load, places })
    const remove = () => client.update(update, graph, NO_DEADLINE)
    if (history) await history.removeProposals({ graph, uris, links, load }, remove)
    else await remove()
    const length = (before?.lengths.concepts ?? places.concepts.length) - places.concepts.length
    await index?.removeConcepts(graph, uris, before?.revision ?? '', { revision: load, load, places: length })
  } catch (error) {
    await hold?.release()
    throw error
  } finally {
    hold?.end()
  }
}

/** Places in the lists of the vocabulary. */
type Places = Record<keyof typeof LISTS, number[]>

/** The statements that name concepts, by subject, and the places of the concepts. */
async function readLinks(
  client: SparqlClient,
  graph: string,
  uris: readonly string[],
): Promise<{ links: Map<string, string[]>; places: Places }> {
  const query = queryTemplate('proposals/links').bind({ terms: { graph: [iri(graph)], concept: uris.map(iri) } })
  const links = new Map<string, string[]>()
  const places: Places = { concepts: [], topConcepts: [] }
  for (const row of await client.select(query, NO_DEADLINE)) {
    const { concept, subject, property, place } = row
    if (place) {
      const list = property!.value === LISTS.concepts.position ? 'concepts' : 'topConcepts'
      places[list].push(Number(place.value))
    } else if (!uris.includes(subject!.value)) {
      links.set(subject!.value, [...(links.get(subject!.value) ?? []), `<${property!.value}> <${concept!.value}>`])
    }
  }
  return { links, places }
}

function removal(
  graph: string,
  uris: readonly string[],
  { load, places }: { load: string; places: Places },
): BoundTemplate {
  const scheme = iri(graph)
  return queryTemplate('proposals/remove').bind({
    terms: {
      graph: [scheme],
      concept: uris.map(iri),
      places: ranges(places.concepts),
      topPlaces: ranges(places.topConcepts),
      list: [
        tuple(scheme, iri(LISTS.concepts.length), count(places.concepts.length)),
        tuple(scheme, iri(LISTS.topConcepts.length), count(places.topConcepts.length)),
      ],
      mark: [
        tuple(scheme, iri(REVISION), literal(load)),
        tuple(scheme, iri(LOAD), literal(load)),
        tuple(scheme, iri(HOLD), UNDEF),
        // A class may have lost its last concept: from now on the store tells the classes.
        tuple(scheme, iri(CONCEPT_CLASS), UNDEF),
      ],
    },
  })
}

/** The ranges between places that become free, and the number of free places before each. */
function ranges(places: readonly number[]): SparqlTerm[] {
  const sorted = [...places].sort((a, b) => a - b)
  return sorted.map((place, at) => tuple(count(place), count(sorted[at + 1] ?? BEYOND), count(at + 1)))
}
