import { BY_CODE_POINTS } from '../../graph/jskos/order.ts'
import { FIELDS } from '../../graph/jskos/fields.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import { CONCEPT_DEFAULT, readProperties } from '../../graph/jskos/properties.ts'
import { conceptRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { CHOSEN_ORDER, DCT, ORDER, PREVIOUS_REVISION, REVISION, SKOS } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import type { View } from '../../interface/read/request.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { EVERYTHING } from '../../graph/vocabularies/registry.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { matches, type NewConcept } from './write.ts'

/**
 * The fields of the answer to an ingest (docs/ingest.md, "Ingest"): the default ones, all that a request may give,
 * and the empty hierarchy.
 */
const PROPERTIES = readProperties(
  [
    ...FIELDS.filter(({ ingest }) => ingest).map(({ name }) => `+${name}`),
    'mapping',
    'mappings',
    'ancestors',
    'narrower',
  ].join(),
  CONCEPT_DEFAULT,
)

const viewOf = (contextUrl: string): View => ({
  scope: EVERYTHING,
  properties: PROPERTIES,
  languages: undefined,
  preferred: ['de', 'en'],
  order: BY_CODE_POINTS,
  contextUrl,
})

/** What the store returns about an ingest that it has taken. */
export interface StoredIngest {
  /** The first concept, and the names of what all of them link to. */
  graph: Graph
  /** The last two revisions of their vocabulary. */
  revision: string | undefined
  previousRevision: string | undefined
  /** The order of its records. */
  order: string
}

/**
 * Looks for the concepts of an ingest, which one transaction writes.
 *
 * @param scheme the URI of their vocabulary.
 * @returns undefined if the store lacks them.
 * @throws ApiError if the store fails.
 */
export async function readIngested(
  client: SparqlClient,
  [first]: readonly string[],
  scheme: string,
): Promise<StoredIngest | undefined> {
  const [concept, graphOfAll] = [iri(first!), iri(scheme)]
  const terms = { graph: [graphOfAll], c: [concept], first: [concept], scheme: [graphOfAll] }
  const graph = await client.construct(queryTemplate('ingested/concepts').bind({ terms }))
  if (!graph.get(first!)?.has(`${SKOS}inScheme`)) return undefined
  const markOf = (property: string) => graph.get(scheme)?.get(property)?.[0]?.value
  const order = markOf(CHOSEN_ORDER) ?? markOf(ORDER) ?? 'code-point'
  return { graph, order, revision: markOf(REVISION), previousRevision: markOf(PREVIOUS_REVISION) }
}

/** The result of writing an ingest. */
interface Written {
  concepts: readonly NewConcept[]
  vocabulary: Vocabulary
  /** Created and modified, YYYY-MM-DD. */
  date: string
}

/**
 * The records of new concepts. The names of the vocabulary, publisher and licence are those in the store. If it cannot
 * be read, publisher and licence are as the vocabulary had them a short time ago.
 *
 * @param stored what the store has of them; if it could not be read, only the names that a replica has, if any.
 */
export function writtenRecords(
  { concepts, vocabulary, date }: Written,
  contextUrl: string,
  stored: Pick<StoredIngest, 'graph'>,
): JskosRecord[] {
  const { uri, prefLabel, notations, values } = vocabulary
  const view = viewOf(contextUrl)
  const framed = frameNodes(stored.graph)
  const inScheme = [{ uri, prefLabel: toLists(prefLabel), notation: notations, ...framed.named(uri) }]
  const linked = (property: string) => (values.get(property) ?? []).map((target) => framed.named(target))
  const { publisher, license } = framed(concepts[0]!.uri) ?? {
    publisher: linked(`${DCT}publisher`),
    license: linked(`${DCT}license`),
  }
  const shared = { inScheme, topConceptOf: inScheme, created: date, modified: date, publisher, license }
  return concepts.map(({ uri, concept }) => {
    const { type, notation, identifier, texts } = concept
    const described = {
      uri,
      type,
      notation,
      identifier,
      prefLabel: toLists(concept.prefLabel),
      exactMatch: matches(concept),
    }
    return { ...conceptRecord({ ...described, ...texts, ...shared }, false, view), ancestors: [] }
  })
}

/** The names of a vocabulary, its publisher and its licence in a store. @throws ApiError if the store fails. */
export async function readVocabularyNames(client: SparqlClient, scheme: string): Promise<Graph> {
  const terms = { graph: [iri(scheme)], c: [], first: [iri(scheme)] }
  return client.construct(queryTemplate('ingested/concepts').bind({ terms }))
}

function toLists(labels: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(labels).map(([tag, label]) => [tag, [label]]))
}
