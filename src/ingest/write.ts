import { randomUUID } from 'node:crypto'
import { toQuads } from '../jskos/linked-data.ts'
import { CONCEPT, XSD } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { ReadDependencies } from '../read/describe.ts'
import { isStrictIri } from '../sparql/grammar.ts'
import { iri, literal, rdfTerm, tuple, type SparqlTerm } from '../sparql/terms.ts'
import type { CheckedConcept } from './concepts.ts'

/** A concept that is about to be written. */
export interface NewConcept {
  uri: string
  concept: CheckedConcept
}

/** What one update writes. */
export interface NewConcepts {
  /** The URI of their vocabulary. */
  scheme: string
  uris: readonly string[]
  /** What `toTriples` gives. */
  triples: SparqlTerm[]
  /** Created and modified, YYYY-MM-DD. */
  date: string
}

/** The URI of a new concept: the vocabulary's URI and a UUID (docs/interface.md, "Ingest"). */
export function mintUri(scheme: string): string {
  return `${/[/#]$/.test(scheme) ? scheme : `${scheme}/`}${randomUUID()}`
}

/** The identifiers that name the same concept elsewhere: the absolute IRIs among them. */
function matches(concept: Pick<CheckedConcept, 'identifier'>): string[] {
  return concept.identifier.filter(isStrictIri)
}

/**
 * What is said of new concepts one by one, as rows of subject, predicate and object. What is the same for all of a
 * vocabulary is in queries/ingest.ru.
 */
export function toTriples(concepts: readonly NewConcept[]): SparqlTerm[] {
  return concepts.flatMap(({ uri, concept }) => {
    const { notation, identifier, prefLabel, texts } = concept
    const type = concept.type.filter((name) => name !== CONCEPT)
    const quads = toQuads({ uri, type, notation, identifier, prefLabel, ...texts, exactMatch: matches(concept) })
    return quads.map(({ subject, predicate, object }) => tuple(rdfTerm(subject), rdfTerm(predicate), rdfTerm(object)))
  })
}

/**
 * Writes new concepts into the graph of their vocabulary: one request, one transaction. Where the vocabulary is not there
 * (any more) nothing is written, which is no error of this function.
 *
 * @throws ApiError where the store fails; it may have written everything even so, but never a part.
 */
export async function writeConcepts(
  { client }: Pick<ReadDependencies, 'client'>,
  { scheme, uris, triples, date }: NewConcepts,
): Promise<void> {
  const update = queryTemplate('ingest').bind({
    terms: {
      graph: [iri(scheme)],
      scheme: [iri(scheme)],
      revision: [literal(randomUUID())],
      triple: triples,
      date: [literal(date, { datatype: `${XSD}date` })],
      concept: uris.map(iri),
    },
  })
  await client.update(update, { template: 'ingest' })
}
