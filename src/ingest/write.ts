import { randomUUID } from 'node:crypto'
import type { CompiledContext } from '../jskos/linked-data.ts'
import { CONCEPT, XSD } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { ReadDependencies } from '../read/describe.ts'
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
 *
 * @param context shapes/context.json.
 */
export function toTriples(concepts: readonly NewConcept[], { properties }: CompiledContext): SparqlTerm[] {
  const known = new Map(
    [...properties].map(([name, { predicate, kind }]) => [name, { iri: iri(predicate.value), kind }]),
  )
  const rows: SparqlTerm[] = []
  for (const { uri, concept } of concepts) {
    const subject = iri(uri)
    const type = concept.type.filter((name) => name !== CONCEPT)
    const own = { ...concept, type, exactMatch: matches(concept) }
    for (const [name, value] of Object.entries(own)) {
      if (name === 'inScheme') continue
      const predicate = known.get(name)!
      for (const object of objects(predicate.kind, value)) rows.push(tuple(subject, predicate.iri, object))
    }
  }
  return rows
}

function objects(kind: string, value: string[] | Record<string, string | string[]>): SparqlTerm[] {
  if (Array.isArray(value)) return value.map((text) => (kind === 'iri' ? iri(text) : literal(text)))
  return Object.entries(value).flatMap(([language, texts]) => [texts].flat().map((text) => literal(text, { language })))
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
