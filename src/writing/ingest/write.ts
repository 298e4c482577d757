import { toQuads } from '../../graph/jskos/linked-data.ts'
import { CONCEPT, DCT, INGESTED, ORDER, RDF_TYPE, REVISION, SKOS, XSD } from '../../base/namespaces.ts'
import type { RecordOrder } from '../../graph/jskos/order.ts'
import { readNTriples } from '../../graph/sparql/ntriples.ts'
import { queryTemplate, type BoundTemplate } from '../../graph/sparql/templates.ts'
import { statementsOf, type Statement } from '../../graph/index/statements.ts'
import { isStrictIri, withoutDotSegments } from '../../graph/sparql/grammar.ts'
import { iri, literal, rdfTerm, type SparqlTerm, triple } from '../../graph/sparql/terms.ts'
import type { CheckedConcept } from './concepts.ts'

/** Subject, predicate and object. */
type Triple = [SparqlTerm, SparqlTerm, SparqlTerm]

/** A concept to write. */
export interface NewConcept {
  uri: string
  concept: CheckedConcept
  /** Its own statements. queries/ingest.ru adds the statements that all concepts of a vocabulary share. */
  statements: readonly Triple[]
}

/** The content of one update. */
interface NewConcepts {
  /** The URI of their vocabulary. */
  scheme: string
  uris: readonly string[]
  /** For the template of an update, each with its full stop. */
  triples: SparqlTerm[]
  /** The order that follows from their notations; undefined: they have none. */
  order?: RecordOrder | undefined
  /** Created and modified, YYYY-MM-DD. */
  date: string
  /** The one that the vocabulary gets. */
  revision: string
}

/** IRI schemes that run code, contain data or belong to one machine. They name nothing elsewhere. */
const LOCAL = /^(javascript|vbscript|data|blob|file|about):/i

/** The identifiers that name the same concept elsewhere. */
export function matches(concept: Pick<CheckedConcept, 'identifier'>): string[] {
  const iris = concept.identifier.filter((identifier) => isStrictIri(identifier) && !LOCAL.test(identifier))
  return [...new Set(iris.map(withoutDotSegments))]
}

/** A concept with a new URI. */
export function newConcept(uri: string, concept: CheckedConcept): NewConcept {
  const { notation, identifier, prefLabel, texts } = concept
  const type = concept.type.filter((name) => name !== CONCEPT)
  const quads = toQuads({ uri, type, notation, identifier, prefLabel, ...texts, exactMatch: matches(concept) })
  const terms = quads.map(({ subject, predicate, object }) => [subject, predicate, object].map(rdfTerm))
  return { uri, concept, statements: terms as Triple[] }
}

/** What the search index needs of the concepts of a vocabulary. */
export function indexStatements(concepts: readonly NewConcept[], scheme: string): Statement[] {
  const shared = [
    [RDF_TYPE, CONCEPT],
    [`${SKOS}inScheme`, scheme],
    [`${SKOS}topConceptOf`, scheme],
  ].map((terms) => terms.map(iri))
  const lines = concepts.flatMap(({ uri, statements }) => [
    ...statements.map((terms) => triple(...terms)),
    ...shared.map(([predicate, object]) => triple(iri(uri), predicate!, object!)),
  ])
  return statementsOf(readNTriples(lines.join('\n')))
}

/**
 * The update that adds new concepts to the graph of their vocabulary, in one transaction. It writes nothing if the
 * vocabulary does not exist (any more), if somebody holds its graph, or if the concepts are there.
 */
export function ingestUpdate({ scheme, uris, triples, date, revision, order }: NewConcepts): BoundTemplate {
  const [graph, day] = [iri(scheme), literal(date, { datatype: `${XSD}date` })]
  const stamps = [
    [iri(`${DCT}created`), day],
    [iri(`${DCT}modified`), day],
    [iri(INGESTED), literal(revision)],
  ] as const
  return queryTemplate('ingest').bind({
    terms: {
      graph: [graph],
      scheme: [graph],
      revision: [triple(graph, iri(REVISION), literal(revision))],
      first: [iri(uris[0]!)],
      change: [literal(revision)],
      lasting: (order === undefined ? ['natural', 'label'] : [order]).map((name) => literal(name)),
      order: order === undefined || order === 'code-point' ? undefined : [triple(graph, iri(ORDER), literal(order))],
      triple: triples,
      concept: uris.flatMap((uri) => stamps.map(([property, value]) => triple(iri(uri), property, value))),
    },
  })
}
