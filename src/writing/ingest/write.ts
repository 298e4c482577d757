import { toQuads } from '../../graph/jskos/linked-data.ts'
import { CONCEPT, SKOS, XSD } from '../../base/namespaces.ts'
import type { RecordOrder } from '../../graph/jskos/order.ts'
import { queryTemplate } from '../../graph/sparql/queries.ts'
import type { BoundTemplate } from '../../graph/sparql/templates.ts'
import { statementsAbout, type Statement } from '../../graph/index/statements.ts'
import { isStrictIri, withoutDotSegments } from '../../graph/sparql/grammar.ts'
import { iri, literal, rdfTerm, tuple, type SparqlTerm } from '../../graph/sparql/terms.ts'
import type { CheckedConcept } from './concepts.ts'

/** A concept to write. */
export interface NewConcept {
  uri: string
  concept: CheckedConcept
}

/** The content of one update. */
export interface NewConcepts {
  /** The URI of their vocabulary. */
  scheme: string
  uris: readonly string[]
  /** The results of `conceptTriples`. */
  triples: SparqlTerm[]
  /** The order that follows from their notations; undefined: they have none. */
  order?: RecordOrder | undefined
  /** Created and modified, YYYY-MM-DD. */
  date: string
  /** The one that the vocabulary gets. */
  revision: string
}

/** IRI schemes that name things. Others run code (javascript), contain data (data) or belong to one machine (file). */
const NAMING = /^(https?|urn|info|doi|hdl|ark|tag|lsid):/i

/** The identifiers that name the same concept elsewhere. */
export function matches(concept: Pick<CheckedConcept, 'identifier'>): string[] {
  const iris = concept.identifier.filter((identifier) => NAMING.test(identifier) && isStrictIri(identifier))
  return [...new Set(iris.map(withoutDotSegments))]
}

/**
 * The statements about single concepts, as rows of subject, predicate and object. queries/ingest.ru adds those that all
 * concepts of a vocabulary share.
 */
export function conceptTriples(concepts: readonly NewConcept[]): SparqlTerm[] {
  return concepts.flatMap(({ uri, concept }) => {
    const { notation, identifier, prefLabel, texts } = concept
    const type = concept.type.filter((name) => name !== CONCEPT)
    const quads = toQuads({ uri, type, notation, identifier, prefLabel, ...texts, exactMatch: matches(concept) })
    return quads.map(({ subject, predicate, object }) => tuple(rdfTerm(subject), rdfTerm(predicate), rdfTerm(object)))
  })
}

/** The labels and notations by which searches find the concepts. */
export function labelStatements(concepts: readonly NewConcept[], scheme: string): Statement[] {
  return concepts.flatMap(({ uri, concept }) => {
    const { notation: notations, prefLabel, texts, type } = concept
    const classes = [...new Set([CONCEPT, ...type])]
    const mappings = matches(concept).map((to) => ({ type: `${SKOS}exactMatch`, to }))
    return statementsAbout(uri, { schemes: [scheme], classes, notations, labels: { ...texts, prefLabel }, mappings })
  })
}

/**
 * The update that adds new concepts to the graph of their vocabulary, in one transaction. It writes nothing if the
 * vocabulary does not exist (any more), if somebody holds its graph, or if the concepts are there.
 */
export function ingestUpdate({ scheme, uris, triples, date, revision, order }: NewConcepts): BoundTemplate {
  const [graph, day] = [iri(scheme), literal(date, { datatype: `${XSD}date` })]
  return queryTemplate('ingest').bind({
    terms: {
      graph: [graph],
      scheme: [graph],
      revision: [tuple(graph, literal(revision), iri(uris[0]!))],
      change: [literal(revision)],
      lasting: (order === undefined ? ['natural', 'label'] : [order]).map((name) => literal(name)),
      order: order === undefined || order === 'code-point' ? undefined : [literal(order)],
      triple: triples,
      concept: uris.map((uri) => tuple(iri(uri), day)),
    },
  })
}
