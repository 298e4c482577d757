import { FIELDS } from '../../graph/jskos/fields.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import { CONCEPT_DEFAULT, readProperties } from '../../graph/jskos/properties.ts'
import { conceptRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { CHOSEN_ORDER, DCT, ORDER, PREVIOUS_REVISION, REVISION, SKOS } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/queries.ts'
import type { ReadDependencies } from '../../interface/read/dependencies.ts'
import type { View } from '../../interface/read/request.ts'
import { recordsOfConcepts } from '../../interface/read/concepts.ts'
import { CONCEPTS_AT_A_TIME, inPieces } from '../../interface/read/pieces.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { EVERYTHING } from '../../graph/vocabularies/registry.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { matches, type NewConcept } from './write.ts'

/**
 * The fields of the answer to an ingest (docs/interface.md, "Ingest"): the default ones, all that a request may give,
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
  contextUrl,
})

/** The concepts of an ingest as the store has them. */
export interface StoredIngest {
  /** In the order of the URIs, without those that are missing. */
  records: JskosRecord[]
  /** The last two revisions of their vocabulary. */
  revision: string | undefined
  previousRevision: string | undefined
  /** The order of its records. */
  order: string
}

/**
 * The concepts of an ingest as the store has them now.
 *
 * @param scheme the URI of their vocabulary.
 * @throws ApiError if the store fails.
 */
export async function readBack(
  dependencies: ReadDependencies,
  uris: readonly string[],
  scheme: string,
  contextUrl: string,
): Promise<StoredIngest> {
  const { client } = dependencies
  const view = viewOf(contextUrl)
  const [first] = uris
  const graph: Graph = new Map()
  const asked = inPieces(uris, CONCEPTS_AT_A_TIME, async (chunk) => {
    const shared = chunk[0] === first ? { first: [iri(first!)], scheme: [iri(scheme)] } : {}
    const query = queryTemplate('ingested/concepts').bind({
      terms: { graph: [iri(scheme)], c: chunk.map(iri), ...shared },
    })
    await client.construct(query, {}, graph)
    return chunk
  })

  const records: JskosRecord[] = []
  const framed = frameNodes(graph)
  for await (const chunk of asked) {
    if (chunk.some((uri) => isPlaced(graph, uri))) {
      for await (const piece of recordsOfConcepts(dependencies, chunk, view, undefined)) records.push(...piece)
      continue
    }
    for (const uri of chunk) {
      if (!graph.get(uri)?.has(`${SKOS}inScheme`)) continue
      const record = conceptRecord(framed(uri)!, false, view)
      record.ancestors = []
      records.push(record)
    }
  }
  const markOf = (property: string) => graph.get(scheme)?.get(property)?.[0]?.value
  const order = markOf(CHOSEN_ORDER) ?? markOf(ORDER) ?? 'code-point'
  return { records, order, revision: markOf(REVISION), previousRevision: markOf(PREVIOUS_REVISION) }
}

/** The result of writing an ingest. */
export interface Written {
  concepts: readonly NewConcept[]
  vocabulary: Vocabulary
  /** Created and modified, YYYY-MM-DD. */
  date: string
}

/**
 * Concepts as sent to the store, for an answer if the store fails after it has written them. Publisher and licence are
 * those that the vocabulary had a short time ago.
 *
 * @param names has the names of publisher and licence if they are known.
 */
export function writtenRecords(
  { concepts, vocabulary, date }: Written,
  contextUrl: string,
  names: Graph,
): JskosRecord[] {
  const { uri, prefLabel, notations, values } = vocabulary
  const view = viewOf(contextUrl)
  const framed = frameNodes(names)
  const inScheme = [{ uri, prefLabel: toLists(prefLabel), notation: notations }]
  const linked = (property: string) => (values.get(property) ?? []).map((iriOf) => ({ ...framed(iriOf), uri: iriOf }))
  const shared = {
    inScheme,
    topConceptOf: inScheme,
    created: date,
    modified: date,
    publisher: linked(`${DCT}publisher`),
    license: linked(`${DCT}license`),
  }
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

/** The names of the publisher and the licence of a vocabulary in a store. @throws ApiError if the store fails. */
export async function readVocabularyNames(client: SparqlClient, scheme: string): Promise<Graph> {
  const terms = { graph: [iri(scheme)], c: [], first: [iri(scheme)] }
  return client.construct(queryTemplate('ingested/concepts').bind({ terms }))
}

function toLists(labels: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(labels).map(([tag, label]) => [tag, [label]]))
}

/** True if editors have placed a concept in the hierarchy, after an interrupted request and before its retry. */
function isPlaced(graph: Graph, uri: string): boolean {
  const properties = graph.get(uri)
  return properties !== undefined && ['broader', 'narrower'].some((name) => properties.has(SKOS + name))
}
