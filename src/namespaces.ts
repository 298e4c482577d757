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
/** The Asset Description Metadata Schema (W3C). */
export const ADMS = 'http://www.w3.org/ns/adms#'

/** The prefixes of written Turtle and RDF/XML. */
export const PREFIXES = {
  rdf: RDF,
  rdfs: RDFS,
  owl: OWL,
  skos: SKOS,
  skosxl: SKOSXL,
  dct: DCT,
  void: VOID,
  xsd: XSD,
} as const

export const RDF_TYPE = `${RDF}type`
export const CONCEPT = `${SKOS}Concept`
export const CONCEPT_SCHEME = `${SKOS}ConceptScheme`
export const COLLECTION = `${SKOS}Collection`
export const STATUS = `${ADMS}status`
/** The status of proposed concepts, from the status vocabulary of ADMS. */
export const UNDER_DEVELOPMENT = 'http://purl.org/adms/status/UnderDevelopment'

/** Bookkeeping in the graph of a vocabulary, which is not part of the vocabulary itself; exports leave it out. */
export const BOOKKEEPING = 'urn:x-vocabulary-service:'
/** A new UUID with every write of the graph: results from another revision are out of date. */
export const REVISION = `${BOOKKEEPING}revision`
/** The UUID of the load that wrote the graph, with its time (src/vocabularies/load-id.ts); an ingest does not change it. */
export const LOAD = `${BOOKKEEPING}load`
/** The number of triples that the last load wrote into the graph of a vocabulary. */
export const TRIPLES = `${BOOKKEEPING}triples`
/** Whoever is replacing the graph at the moment; meanwhile nobody may ingest into it (src/vocabularies/graph-hold.ts). */
export const HOLD = `${BOOKKEEPING}hold`
/** The ids of a vocabulary, which are also among its skos:notation values. */
export const ID = `${BOOKKEEPING}id`
/**
 * Datatypes (IRIs) and languages (literals) of the notations in a vocabulary, because a look-up has to name them.
 */
export const NOTATION_TYPE = `${BOOKKEEPING}notationType`
/** False for a vocabulary without notes that are resources, because only a look-up of their values finds the texts of such notes. */
export const RESOURCE_NOTES = `${BOOKKEEPING}resourceNotes`

/**
 * The lists of a vocabulary, which pages come from: the position of each concept from 1 and, on the scheme, the length of the
 * list. Ingested concepts come at the end.
 */
export const LISTS = {
  concepts: { position: `${BOOKKEEPING}position`, length: `${BOOKKEEPING}concepts` },
  topConcepts: { position: `${BOOKKEEPING}topPosition`, length: `${BOOKKEEPING}topConcepts` },
} as const

/**
 * The list of the concepts of a vocabulary that no top concept reaches, in the form of `LISTS`. Only loading writes it, and only
 * if there are any; ingested concepts are top concepts.
 */
export const UNREACHED = { position: `${BOOKKEEPING}unreachedPosition`, length: `${BOOKKEEPING}unreached` } as const
