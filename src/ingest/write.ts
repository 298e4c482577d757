import { randomUUID } from 'node:crypto'
import type { Quad } from '@rdfjs/types'
import { toLinkedData, toQuads, type CompiledContext } from '../jskos/linked-data.ts'
import { CONCEPT, XSD } from '../namespaces.ts'
import { template, type ReadDependencies } from '../read/describe.ts'
import { isStrictIri } from '../sparql/grammar.ts'
import { iri, literal, tuple, type SparqlTerm } from '../sparql/terms.ts'
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

/** The URI of a new concept: the vocabulary's URI and a UUID (contract, section 6). */
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
 *
 * @param context shapes/context.json.
 */
export function toTriples(concepts: readonly NewConcept[], context: CompiledContext): SparqlTerm[] {
  return concepts.flatMap(({ uri, concept: { inScheme: _, ...concept } }) => {
    const type = concept.type.filter((type) => type !== CONCEPT)
    const quads = toQuads(context, toLinkedData(context, { ...concept, uri, type, exactMatch: matches(concept) })!)
    const subject = iri(uri)
    return quads.map(({ predicate, object }) => tuple(subject, iri(predicate.value), objectTerm(object)))
  })
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
  { scheme, uris, triples, date }: NewConcepts,
): Promise<void> {
  const update = template(dependencies, 'ingest').bind({
    terms: {
      graph: [iri(scheme)],
      scheme: [iri(scheme)],
      revision: [literal(randomUUID())],
      triple: triples,
      date: [literal(date, { datatype: `${XSD}date` })],
      concept: uris.map(iri),
    },
  })
  await dependencies.client.update(update, { template: 'ingest' })
  dependencies.registry.invalidate()
}
