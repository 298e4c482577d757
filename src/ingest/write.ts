import { randomUUID } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { toLinkedData, toQuads, type CompiledContext } from '../jskos/linked-data.ts'
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
 * @param date created and modified, YYYY-MM-DD.
 * @param context shapes/context.json.
 */
export function toTriples(
  concepts: readonly NewConcept[],
  scheme: string,
  date: string,
  context: CompiledContext,
): SparqlTerm[] {
  const quads = concepts.flatMap(({ uri, concept }) => {
    const record = {
      ...concept,
      uri,
      type: [CONCEPT, ...concept.type.filter((type) => type !== CONCEPT)],
      inScheme: [{ uri: scheme }],
      topConceptOf: [{ uri: scheme }],
      exactMatch: matches(concept),
      created: date,
      modified: date,
    }
    return toQuads(context, toLinkedData(context, record)!)
  })
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
