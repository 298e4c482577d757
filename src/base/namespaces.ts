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
/** Terms of ISO 25964 beyond SKOS: groups and arrays. */
export const ISOTHES = 'http://purl.org/iso25964/skos-thes#'
/** The Asset Description Metadata Schema (W3C). */
export const ADMS = 'http://www.w3.org/ns/adms#'
export const FOAF = 'http://xmlns.com/foaf/0.1/'
/** schema.org, by the name that stands in data. */
export const SCHEMA = 'http://schema.org/'
/** The same with https, as some tables have it. */
export const SCHEMA_HTTPS = 'https://schema.org/'
/** The Provenance Ontology (W3C). */
export const PROV = 'http://www.w3.org/ns/prov#'
/** The Semantic Mapping Vocabulary, whose terms describe how a mapping came about. */
export const SEMAPV = 'https://w3id.org/semapv/vocab/'
/** The Simple Standard for Sharing Ontological Mappings. */
export const SSSOM = 'https://w3id.org/sssom/'
/** Checksums of files, as the Software Package Data Exchange has them. */
export const SPDX = 'http://spdx.org/rdf/terms#'
/** Issue trackers, as Description of a Project has them. */
export const DOAP = 'http://usefulinc.com/ns/doap#'
/** Discussions (Semantically-Interlinked Online Communities). */
export const SIOC = 'http://rdfs.org/sioc/ns#'
/** Templates of addresses. */
export const HYDRA = 'http://www.w3.org/ns/hydra/core#'
/** CSV on the Web (W3C). */
export const CSVW = 'http://www.w3.org/ns/csvw#'
/** Addresses (W3C). */
export const VCARD = 'http://www.w3.org/2006/vcard/ns#'
/** The ranks of statements of Wikibase. */
export const WIKIBASE = 'http://wikiba.se/ontology#'
/** A namespace of the answers of Skosmos. */
export const ONKI = 'http://schema.onki.fi/onki#'
export const XKOS = 'http://rdf-vocabulary.ddialliance.org/xkos#'
export const GEOSPARQL = 'http://www.opengis.net/ont/geosparql#'
/** Terms for identifiers of data sets; the Dataset Descriptions profile of the W3C (HCLS) uses its pattern. */
export const IDOT = 'http://identifiers.org/idot/'
/** Terms for collections, of the Dublin Core Collection Description Task Group. */
export const CLD = 'http://purl.org/cld/terms/'
export const DCAT = 'http://www.w3.org/ns/dcat#'
/** Names of file formats (W3C). */
export const W3C_FORMATS = 'http://www.w3.org/ns/formats/'
/** The Shapes Constraint Language, SHACL. */
export const SH = 'http://www.w3.org/ns/shacl#'
/** Activity Streams 2.0. */
export const AS = 'https://www.w3.org/ns/activitystreams#'
/** Entity Metadata Management 1.0. */
export const EMM = 'https://emm-spec.org/1.0/#'
/** Linked Data Event Streams. */
export const LDES = 'https://w3id.org/ldes#'
export const TREE = 'https://w3id.org/tree#'

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
/** The class of a container whose members are alternatives (RDF Schema 1.1, section 5.1.3). */
export const ALT = `${RDF}Alt`
export const CONCEPT = `${SKOS}Concept`
export const NOTATION = `${SKOS}notation`
/** The properties that a record names a linked thing with. */
export const NAMING: ReadonlySet<string> = new Set([`${SKOS}prefLabel`, NOTATION])
export const DEPRECATED = `${OWL}deprecated`
/** The labels of SKOS (section 5.1), by their local names. */
export const LABELS = ['prefLabel', 'altLabel', 'hiddenLabel'] as const
export const IN_SCHEME = `${SKOS}inScheme`
export const CONCEPT_SCHEME = `${SKOS}ConceptScheme`
export const COLLECTION = `${SKOS}Collection`
export const ORDERED_COLLECTION = `${SKOS}OrderedCollection`
/** A collection whose label names how its members divide a broader concept ("by material"). */
export const CONCEPT_GROUP = `${ISOTHES}ConceptGroup`
export const THESAURUS_ARRAY = `${ISOTHES}ThesaurusArray`
/** The concepts on one level of a classification. */
const CLASSIFICATION_LEVEL = `${XKOS}ClassificationLevel`
/** The classes of collections; data may have those of ISO 25964 and XKOS without the one of SKOS. */
export const COLLECTIONS = [COLLECTION, ORDERED_COLLECTION, CONCEPT_GROUP, THESAURUS_ARRAY, CLASSIFICATION_LEVEL]
/** The classes of resources with a record of their own. */
export const RECORD_CLASSES: readonly string[] = [CONCEPT, CONCEPT_SCHEME, ...COLLECTIONS] as const
/** The kinds of the hierarchical links of SKOS, which are sub-properties of them (ISO 25964), by their local names. */
export const KINDS_OF_LINKS = {
  broaderGeneric: `${ISOTHES}broaderGeneric`,
  broaderInstantial: `${ISOTHES}broaderInstantial`,
  broaderPartitive: `${ISOTHES}broaderPartitive`,
  narrowerGeneric: `${ISOTHES}narrowerGeneric`,
  narrowerInstantial: `${ISOTHES}narrowerInstantial`,
  narrowerPartitive: `${ISOTHES}narrowerPartitive`,
} as const
export type KindOfLink = keyof typeof KINDS_OF_LINKS
export const STATUS = `${ADMS}status`
/** The status of proposed concepts, from the status vocabulary of ADMS. */
export const UNDER_DEVELOPMENT = 'http://purl.org/adms/status/UnderDevelopment'

export const STRING = `${XSD}string`
/** The datatype of literals with a language (RDF 1.1 Concepts, section 3.3). */
export const LANG_STRING = `${RDF}langString`

/** The vocabulary in the workbook to fill in (src/graph/tables/template.ts): it stands for a URI of its author. */
export const TEMPLATE_SCHEME = 'http://example.org/vocabulary/'

/** Bookkeeping in the graph of a vocabulary, which is not part of the vocabulary itself; exports leave it out. */
export const BOOKKEEPING = 'urn:x-vocabulary-service:'
/** A new UUID with every write of the graph: results from another revision are out of date. */
export const REVISION = `${BOOKKEEPING}revision`
/** The UUID of the load that wrote the graph, with its time (`newLoadId`); an ingest does not change it. */
export const LOAD = `${BOOKKEEPING}load`
/** The number of triples that the last load wrote into the graph of a vocabulary. */
export const TRIPLES = `${BOOKKEEPING}triples`
/**
 * The UUID of a load and a digest of its files, its options and the version of the service: the same load again changes
 * nothing (src/writing/loading/unchanged.ts).
 */
export const INPUTS = `${BOOKKEEPING}inputs`
/**
 * The command that is replacing the graph at the moment; meanwhile nobody may ingest into it
 * (src/graph/vocabularies/graph-hold.ts).
 */
export const HOLD = `${BOOKKEEPING}hold`
/**
 * The form of the bookkeeping, which grows if earlier versions cannot read it (src/graph/vocabularies/graph-format.ts).
 */
export const GRAPH_FORMAT = `${BOOKKEEPING}format`
/** The ids of a vocabulary, which are also among its skos:notation values. */
export const ID = `${BOOKKEEPING}id`
/**
 * Datatypes (IRIs) and languages (literals) of the notations in a vocabulary, because a look-up has to name them.
 */
export const NOTATION_TYPE = `${BOOKKEEPING}notationType`
/**
 * False for a vocabulary without notes that are resources, because only a look-up of their values finds the texts of
 * such notes.
 */
export const RESOURCE_NOTES = `${BOOKKEEPING}resourceNotes`
/**
 * False for a vocabulary whose records have no objects with fields of their own, such as distributions and qualified
 * statements, because only a query of its own finds these.
 */
export const OBJECTS = `${BOOKKEEPING}objects`
/** The order that follows from the notations of a vocabulary; absent: `code-point`. */
export const ORDER = `${BOOKKEEPING}order`
/** The order that its operator has chosen. */
export const CHOSEN_ORDER = `${BOOKKEEPING}chosenOrder`

/** The revision that a vocabulary had before its last ingest, until the next load. */
export const PREVIOUS_REVISION = `${BOOKKEEPING}previousRevision`

/** The revision by which an ingest added a concept, until the next load. */
export const INGESTED = `${BOOKKEEPING}ingested`

/** The concepts of a vocabulary that were proposed and accepted, until a file has them. */
export const ACCEPTED = `${BOOKKEEPING}accepted`

/** The JSKOS text of a loaded mapping, to the letter (src/doors/mappings/). */
export const JSKOS_TEXT = `${BOOKKEEPING}jskos`
/** That of a concordance, in the graph of its mappings. */
export const CONCORDANCE_TEXT = `${BOOKKEEPING}concordance`

/**
 * The graphs of the service itself, and what is in them. Fuseki refuses to replace a graph whose name begins with
 * `urn:x-`.
 */
export const OWN = 'urn:vocabulary-service:'
/** The graph of all format records, which contains nothing else. */
export const FORMATS_GRAPH = `${OWN}formats`
/** The graph of all loaded mappings that belong to no concordance. */
export const MAPPINGS_GRAPH = `${OWN}mappings`

/** The graph of the hold of the load that is writing (src/graph/vocabularies/graph-hold.ts); it has nothing else. */
export const LOADS_GRAPH = `${OWN}loads`

/** Properties in answers of the store to queries of the service; no graph has them. */
export const HAS_NARROWER = `${BOOKKEEPING}hasNarrower`
export const LEADS_TO = `${BOOKKEEPING}leadsTo`
export const ABOVE = `${BOOKKEEPING}above`
export const ABOVE_TOP_OF = `${BOOKKEEPING}topConceptOf`
export const ABOVE_IN = `${BOOKKEEPING}inScheme`
export const DESCRIBED_IN = `${BOOKKEEPING}describedIn`
export const HAS_MEMBER = `${BOOKKEEPING}hasMember`
export const HAS_CONCEPT = `${BOOKKEEPING}hasConcept`
export const HAS_TOP_CONCEPT = `${BOOKKEEPING}hasTopConcept`
