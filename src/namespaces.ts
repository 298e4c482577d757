/** IRIs that the service reads and writes, in full. */

export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
export const RDFS = 'http://www.w3.org/2000/01/rdf-schema#'
export const XSD = 'http://www.w3.org/2001/XMLSchema#'
export const OWL = 'http://www.w3.org/2002/07/owl#'
export const SKOS = 'http://www.w3.org/2004/02/skos/core#'
export const SKOSXL = 'http://www.w3.org/2008/05/skos-xl#'
export const VOID = 'http://rdfs.org/ns/void#'
export const VANN = 'http://purl.org/vocab/vann/'
export const DC = 'http://purl.org/dc/elements/1.1/'
export const DCT = 'http://purl.org/dc/terms/'

export const RDF_TYPE = `${RDF}type`
export const CONCEPT = `${SKOS}Concept`
export const CONCEPT_SCHEME = `${SKOS}ConceptScheme`
export const COLLECTION = `${SKOS}Collection`

/** Bookkeeping in the graph of a vocabulary, which is not part of the vocabulary itself; exports leave it out. */
export const BOOKKEEPING = 'urn:x-vocabulary-service:'
/** A new UUID with every write of the graph: results from another revision are out of date. */
export const REVISION = `${BOOKKEEPING}revision`
/** The UUID of the load that wrote the graph; an ingest does not change it. */
export const LOAD = `${BOOKKEEPING}load`
/** The ids of a vocabulary, which are also among its skos:notation values. */
export const ID = `${BOOKKEEPING}id`
/**
 * Datatypes (IRIs) and languages (literals) of the notations in a vocabulary, because a look-up has to name them.
 */
export const NOTATION_TYPE = `${BOOKKEEPING}notationType`

/**
 * The lists of a vocabulary, which pages come from: the position of each concept from 1 and, on the scheme, the length of the
 * list. Ingested concepts come at the end.
 */
export const LISTS = {
  concepts: { position: `${BOOKKEEPING}position`, length: `${BOOKKEEPING}concepts` },
  topConcepts: { position: `${BOOKKEEPING}topPosition`, length: `${BOOKKEEPING}topConcepts` },
} as const
