import { randomUUID } from 'node:crypto'
import jsonld, { type ContextDefinition, type JsonLdDocument } from 'jsonld'
import type { Quad } from '@rdfjs/types'
import { refuseRemoteDocuments } from '../jskos/frame.ts'
import { CONCEPT, SKOS } from '../namespaces.ts'
import { template, type ReadDependencies } from '../read/describe.ts'
import { isStrictIri } from '../sparql/grammar.ts'
import { iri, literal, tuple, type SparqlTerm } from '../sparql/terms.ts'
import type { CheckedConcept } from './concepts.ts'

/** A concept that is about to be written. */
export interface NewConcept {
  uri: string
  concept: CheckedConcept
}

/** The URI of a new concept: the vocabulary's URI and a UUID (contract, section 6). */
export function mintUri(scheme: string): string {
  return `${/[/#]$/.test(scheme) ? scheme : `${scheme}/`}${randomUUID()}`
}

/** The identifiers that name the same concept elsewhere: the absolute IRIs among them. */
export function matches(concept: CheckedConcept): string[] {
  return concept.identifier.filter(isStrictIri)
}

const HAS_TOP_CONCEPT = `${SKOS}hasTopConcept`

/**
 * New concepts as rows of subject, predicate and object: top concepts of their vocabulary, in both directions.
 *
 * @param context shapes/context.json.
 * @param date created and modified, YYYY-MM-DD.
 */
export async function toTriples(
  concepts: readonly NewConcept[],
  scheme: string,
  date: string,
  context: { '@context': ContextDefinition },
): Promise<SparqlTerm[]> {
  const records = concepts.map(({ uri, concept }) => ({
    ...concept,
    uri,
    type: [CONCEPT, ...concept.type.filter((type) => type !== CONCEPT)],
    inScheme: [{ uri: scheme }],
    topConceptOf: [{ uri: scheme }],
    exactMatch: matches(concept),
    created: date,
    modified: date,
  }))
  const document = { ...context, '@graph': records } as unknown as JsonLdDocument
  const quads = (await jsonld.toRDF(document, { documentLoader: refuseRemoteDocuments })) as unknown as Quad[]
  return [
    ...quads.map(({ subject, predicate, object }) =>
      tuple(iri(subject.value), iri(predicate.value), objectTerm(object)),
    ),
    ...concepts.map(({ uri }) => tuple(iri(scheme), iri(HAS_TOP_CONCEPT), iri(uri))),
  ]
}

function objectTerm(object: Quad['object']): SparqlTerm {
  if (object.termType !== 'Literal') return iri(object.value)
  const { value, language, datatype } = object
  if (language) return literal(value, { language })
  return datatype.value.endsWith('#string') ? literal(value) : literal(value, { datatype: datatype.value })
}

/**
 * Writes new concepts into the graph of their vocabulary: one request, one transaction. Where the vocabulary is not there
 * (any more) nothing is written, which is no error of this function.
 *
 * @throws ApiError where the store fails; it may have written everything even so, but never a part.
 */
export async function writeConcepts(
  dependencies: ReadDependencies,
  triples: SparqlTerm[],
  uris: readonly string[],
  scheme: string,
): Promise<void> {
  const update = template(dependencies, 'ingest').bind({
    terms: {
      graph: [iri(scheme)],
      scheme: [iri(scheme)],
      revision: [literal(randomUUID())],
      triple: triples,
      concept: uris.map(iri),
    },
  })
  await dependencies.client.update(update, { template: 'ingest' })
  dependencies.registry.invalidate()
}
