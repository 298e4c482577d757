import {
  CLD,
  CSVW,
  DCAT,
  DCT,
  DEPRECATED,
  DOAP,
  FOAF,
  GEOSPARQL,
  HYDRA,
  IDOT,
  KINDS_OF_LINKS,
  OWL,
  RDF,
  RDF_TYPE,
  RDFS,
  SCHEMA,
  SIOC,
  SKOS,
  SKOSXL,
  SPDX,
  SSSOM,
  STATUS,
  VCARD,
  VOID,
  WIKIBASE,
  XKOS,
  XSD,
} from '../../base/namespaces.ts'
import { isObject } from '../../base/json.ts'
import type { Item, Link } from './names.ts'

/** The kinds of records: concepts, concept schemes (vocabularies and subsets), and collections of concepts. */
export type RecordKind = 'concept' | 'scheme' | 'collection'

/**
 * The kinds of objects within records that have fields of their own (JSKOS 0.7, Object types and Qualified statements);
 * an item is a publisher or a licence, for example.
 */
export type ObjectKind =
  | 'item'
  | 'distribution'
  | 'service'
  | 'occurrence'
  | 'address'
  | 'checksum'
  | 'relation'
  | 'date'
  | 'literal'

/** The kinds of records and objects with fields. */
export type FieldOwner = RecordKind | ObjectKind

/** The kind of the values of a field. */
type FieldKind =
  /** One text for each language. */
  | 'label'
  /** Texts by language. */
  | 'labels'
  /** Texts by language; a resource stands for its `rdf:value`. */
  | 'note'
  /** A set of texts. */
  | 'strings'
  /** A set of language tags. */
  | 'languages'
  /** One text. */
  | 'text'
  /** A day, a month or a year; without a datatype also a date with the extensions of EDTF, level 1. */
  | 'date'
  /** A set of such dates: the literals of a property that also links to resources. */
  | 'dates'
  | 'boolean'
  | 'number'
  /** A JSON object. */
  | 'json'
  /** A list of JSON objects, in one literal. */
  | 'jsons'
  /** One address of a web page. */
  | 'url'
  | 'iri'
  /** An IRI or another text. */
  | 'iriOrText'
  /** A set of IRIs. */
  | 'iris'
  /** A set of objects with `uri`, `prefLabel` and `notation`. */
  | 'items'
  /** The same for concepts, without the concept itself. */
  | 'concepts'
  /** The same in an order of their own: an RDF collection. */
  | 'list'
  /** The same for vocabularies. */
  | 'schemes'
  /** IRIs of concepts elsewhere. Not a field of records, but the source of `mapping` and `mappings`. */
  | 'match'
  /** Mappings in the form of the specification (`mapping`) and of JSKOS (`mappings`). */
  | 'mapping'
  | 'mappings'
  /** One item. */
  | 'item'
  /** An object, or a set of objects, whose fields this table has (`holds`). */
  | 'object'
  | 'objects'
  /**
   * Qualified statements by their properties (JSKOS 0.7, Qualified statements): each property leads to a node with the
   * value and what qualifies it.
   */
  | 'qualified'
  /** Sets of concepts by their roles in a composed concept, which are properties (JSKOS 0.7, Concept Bundle). */
  | 'roles'
  /** A text and its language, as an object (JSKOS 0.7, Qualified literal). */
  | 'literal'

/** One field of JSKOS records. */
export interface Field {
  name: string
  kind: FieldKind
  /** The records and objects that have it; by default all records and all items, such as distributions. */
  of?: FieldOwner | readonly FieldOwner[]
  /** The kind of the objects that are its values. */
  holds?: ObjectKind
  /** The RDF property; a field without one is made from other fields. */
  property?: string
  /** The datatype of its literals, unless they are plain. */
  datatype?: string
  /** The kinds of records that show it by default. */
  default?: readonly RecordKind[]
  /** Shows the array even if it is empty: always, or only if requested by name or by `*`. */
  closed?: 'always' | 'asked'
  /** Shown only by name and not by `*`, because it is too large, or about the editing rather than the concept. */
  byNameOnly?: true
  /** True: `[null]` stands for members that the record does not list. */
  unlisted?: true
  /** A subset without a value inherits the value of its vocabulary. */
  inherited?: true
  /** A new concept may have it (POST /ingest). */
  ingest?: true
  /** A description for the OpenAPI document. */
  description: string
}

const CONCEPT: readonly RecordKind[] = ['concept']
const SCHEME: readonly RecordKind[] = ['scheme']
const COLLECTION: readonly RecordKind[] = ['collection']
const GROUPED = ['concept', 'collection'] as const satisfies readonly RecordKind[]
const ALL: readonly RecordKind[] = ['concept', 'scheme', 'collection']
const BUNDLES = ['concept', 'collection', 'occurrence'] as const satisfies readonly FieldOwner[]
const COMPOSED = ['concept', 'occurrence'] as const satisfies readonly FieldOwner[]
/** All that has the fields of an item (JSKOS 0.7, Item). */
const ITEMS = [
  'concept',
  'scheme',
  'collection',
  'item',
  'distribution',
  'service',
  'occurrence',
] as const satisfies readonly FieldOwner[]
/** Vocabularies, and items that may be other data, such as the database of an occurrence (JSKOS 0.7, Datasets). */
const DATASETS = ['scheme', 'item'] as const satisfies readonly FieldOwner[]
/** The values of qualified statements. */
const QUALIFIED = ['relation', 'date', 'literal'] as const satisfies readonly FieldOwner[]
const ITEMS_AND_QUALIFIED = [...ITEMS, ...QUALIFIED] as const
const DATE = `${XSD}date`

/**
 * THE table of the fields of JSKOS records (JSKOS 0.7, with `license` and `mapping` of the specification), in the order
 * of records. `uri` and `@context` are not properties, and every record has them.
 *
 * The JSON-LD context, the fetching and framing of concepts, the `properties` parameter, both directions between graph
 * and JSKOS, the types of records, the fields of an ingest and the schemas of the OpenAPI document follow from it.
 */
// oxfmt-ignore
const TABLE = [
  { name: 'type', kind: 'iris', of: [...ITEMS, 'literal'], property: RDF_TYPE, ingest: true, description: 'Class URIs, the SKOS class first' },
  { name: 'notation', kind: 'strings', property: `${SKOS}notation`, default: ALL, closed: 'asked', ingest: true, description: 'Notations' },
  { name: 'identifier', kind: 'strings', property: `${DCT}identifier`, default: ALL, closed: 'asked', ingest: true, description: 'Other identifiers' },
  { name: 'prefLabel', kind: 'label', property: `${SKOS}prefLabel`, default: ALL, inherited: true, ingest: true, description: 'Its name' },
  { name: 'altLabel', kind: 'labels', property: `${SKOS}altLabel`, default: ALL, ingest: true, description: 'Other names' },
  { name: 'hiddenLabel', kind: 'labels', property: `${SKOS}hiddenLabel`, ingest: true, description: 'Names for searching only' },
  { name: 'note', kind: 'note', property: `${SKOS}note`, ingest: true, description: 'Notes' },
  { name: 'scopeNote', kind: 'note', property: `${SKOS}scopeNote`, default: ALL, ingest: true, description: 'Advice for its use' },
  { name: 'definition', kind: 'note', property: `${SKOS}definition`, default: ALL, ingest: true, description: 'Its meaning' },
  { name: 'example', kind: 'note', property: `${SKOS}example`, ingest: true, description: 'Examples' },
  { name: 'historyNote', kind: 'note', property: `${SKOS}historyNote`, ingest: true, description: 'Its meaning in the past' },
  { name: 'editorialNote', kind: 'note', property: `${SKOS}editorialNote`, ingest: true, description: 'Notes of editors' },
  { name: 'changeNote', kind: 'note', property: `${SKOS}changeNote`, ingest: true, description: 'Notes about changes' },
  { name: 'created', kind: 'date', property: `${DCT}created`, datatype: DATE, default: ALL, description: 'Date of its creation' },
  { name: 'issued', kind: 'date', property: `${DCT}issued`, datatype: DATE, default: SCHEME, description: 'Date of its publication' },
  { name: 'modified', kind: 'date', property: `${DCT}modified`, datatype: DATE, default: ALL, description: 'Date of its last change' },
  { name: 'publisher', kind: 'items', property: `${DCT}publisher`, default: ALL, inherited: true, description: 'Its publishers' },
  { name: 'license', kind: 'items', property: `${DCT}license`, default: ALL, inherited: true, description: 'Its licences' },
  { name: 'creator', kind: 'items', property: `${DCT}creator`, default: SCHEME, inherited: true, description: 'Its creators' },
  { name: 'contributor', kind: 'items', property: `${DCT}contributor`, inherited: true, description: 'Its contributors' },
  { name: 'source', kind: 'items', of: ITEMS_AND_QUALIFIED, property: `${DCT}source`, inherited: true, description: 'Its sources' },
  { name: 'partOf', kind: 'items', property: `${DCT}isPartOf`, default: SCHEME, description: 'The whole that it is part of; for a subset its vocabulary' },
  { name: 'subject', kind: 'items', property: `${DCT}subject`, inherited: true, description: 'Its subjects' },
  { name: 'subjectOf', kind: 'items', property: `${SCHEMA}subjectOf`, description: 'What is about it, such as documentation' },
  { name: 'startDate', kind: 'date', of: ITEMS_AND_QUALIFIED, property: `${SCHEMA}startDate`, description: 'Date of its beginning' },
  { name: 'endDate', kind: 'date', of: ITEMS_AND_QUALIFIED, property: `${SCHEMA}endDate`, description: 'Date of its end' },
  { name: 'relatedDates', kind: 'dates', property: `${RDFS}seeAlso`, description: 'Other dates' },
  { name: 'startPlace', kind: 'items', property: `${SCHEMA}fromLocation`, description: 'Place of its beginning' },
  { name: 'endPlace', kind: 'items', property: `${SCHEMA}toLocation`, description: 'Place of its end' },
  { name: 'place', kind: 'items', property: `${SCHEMA}location`, description: 'Its places' },
  { name: 'location', kind: 'json', property: `${GEOSPARQL}asGeoJSON`, description: 'A GeoJSON geometry' },
  { name: 'address', kind: 'object', holds: 'address', property: `${SCHEMA}address`, description: 'Its postal address' },
  { name: 'url', kind: 'url', property: `${FOAF}page`, default: SCHEME, inherited: true, description: 'A web page about it' },
  { name: 'version', kind: 'text', property: `${OWL}versionInfo`, default: SCHEME, inherited: true, description: 'Version' },
  { name: 'versionOf', kind: 'items', property: `${DCT}isVersionOf`, description: 'What it is a version or an edition of' },
  { name: 'basedOn', kind: 'items', property: `${SCHEMA}isBasedOn`, description: 'What has led to it' },
  { name: 'status', kind: 'iris', property: STATUS, byNameOnly: true, description: 'The states of its editing (ADMS); a proposal has http://purl.org/adms/status/UnderDevelopment' },
  { name: 'depiction', kind: 'iris', property: `${FOAF}depiction`, description: 'Images' },
  { name: 'media', kind: 'jsons', property: `${FOAF}depiction`, description: 'Digital contents that represent it, as IIIF manifests' },
  { name: 'tool', kind: 'items', property: `${SSSOM}mapping_tool`, description: 'Tools that it was made or is kept with' },
  { name: 'issue', kind: 'items', property: `${SIOC}has_discussion`, description: 'Issues and discussions about it' },
  { name: 'issueTracker', kind: 'items', property: `${DOAP}bug-database`, description: 'Where to discuss it' },
  { name: 'guidelines', kind: 'items', property: `${DCT}conformsTo`, description: 'Standards and guidelines that it follows' },
  { name: 'replacedBy', kind: 'items', property: `${DCT}isReplacedBy`, description: 'What to use instead' },
  { name: 'rank', kind: 'text', of: ITEMS_AND_QUALIFIED, property: `${WIKIBASE}rank`, description: 'Its rank among others: preferred, normal or deprecated' },
  { name: 'qualifiedRelations', kind: 'qualified', holds: 'relation', description: 'Relations to other resources by their properties, with dates, sources and ranks' },
  { name: 'qualifiedDates', kind: 'qualified', holds: 'date', description: 'Dates of events by their properties' },
  { name: 'qualifiedLiterals', kind: 'qualified', holds: 'literal', description: 'Texts by their properties, such as labels of SKOS-XL' },

  { name: 'inScheme', kind: 'schemes', of: [...GROUPED, 'item'], property: `${SKOS}inScheme`, default: GROUPED, closed: 'always', ingest: true, description: 'The vocabulary' },
  { name: 'topConceptOf', kind: 'schemes', of: 'concept', property: `${SKOS}topConceptOf`, default: CONCEPT, closed: 'always', description: 'The vocabulary that it is a top concept of' },
  { name: 'broader', kind: 'concepts', of: 'concept', property: `${SKOS}broader`, default: CONCEPT, closed: 'always', description: 'Directly superordinate concepts' },
  { name: 'narrower', kind: 'concepts', of: 'concept', property: `${SKOS}narrower`, default: CONCEPT, closed: 'always', unlisted: true, description: 'Directly subordinate concepts' },
  { name: 'hasChildren', kind: 'boolean', of: 'concept', byNameOnly: true, description: 'True if it has narrower concepts' },
  { name: 'related', kind: 'concepts', of: 'concept', property: `${SKOS}related`, closed: 'asked', description: 'Related concepts' },
  { name: 'previous', kind: 'concepts', of: 'concept', property: `${XKOS}previous`, description: 'Concepts before it' },
  { name: 'next', kind: 'concepts', of: 'concept', property: `${XKOS}next`, description: 'Concepts after it' },
  { name: 'ancestors', kind: 'concepts', of: 'concept', property: `${SKOS}broaderTransitive`, closed: 'asked', description: 'One chain of superordinate concepts, nearest first' },
  { name: 'descendants', kind: 'concepts', of: 'concept', property: `${SKOS}narrowerTransitive`, byNameOnly: true, description: 'All subordinate concepts' },
  { name: 'occurrences', kind: 'objects', holds: 'occurrence', of: ['concept', 'item'], property: `${DCT}isReferencedBy`, description: 'How often it is used in databases, or the occurrences in a registry' },
  { name: 'annotations', kind: 'jsons', property: `${DCT}isReferencedBy`, description: 'Comments and reviews (Web Annotation Data Model)' },
  { name: 'deprecated', kind: 'boolean', of: GROUPED, property: DEPRECATED, default: GROUPED, description: 'True if it should not be used any more' },
  { name: 'exactMatch', kind: 'match', of: 'concept', property: `${SKOS}exactMatch`, description: 'The same concept elsewhere' },
  { name: 'closeMatch', kind: 'match', of: 'concept', property: `${SKOS}closeMatch`, description: 'Nearly the same concept elsewhere' },
  { name: 'broadMatch', kind: 'match', of: 'concept', property: `${SKOS}broadMatch`, description: 'Superordinate concepts elsewhere' },
  { name: 'narrowMatch', kind: 'match', of: 'concept', property: `${SKOS}narrowMatch`, description: 'Subordinate concepts elsewhere' },
  { name: 'relatedMatch', kind: 'match', of: 'concept', property: `${SKOS}relatedMatch`, description: 'Related concepts elsewhere' },
  { name: 'mapping', kind: 'mapping', of: 'concept', closed: 'asked', description: 'Mappings, each a property, from and to' },
  { name: 'mappings', kind: 'mappings', of: 'concept', closed: 'asked', description: 'The same as JSKOS mappings' },

  { name: 'memberOf', kind: 'concepts', of: GROUPED, byNameOnly: true, description: 'The collections that it is in' },
  { name: 'memberSet', kind: 'concepts', of: BUNDLES, property: `${SKOS}member`, default: COLLECTION, closed: 'asked', unlisted: true, description: 'Concepts and collections in it' },
  { name: 'memberChoice', kind: 'concepts', of: COMPOSED, property: `${SKOS}member`, description: 'Concepts to choose from: the members of a resource that has the class rdf:Alt, too' },
  { name: 'memberRoles', kind: 'roles', holds: 'item', of: COMPOSED, description: 'Concepts in it by their roles: each is a member and the value of the role' },
  { name: 'memberList', kind: 'list', of: BUNDLES, property: `${SKOS}memberList`, default: COLLECTION, closed: 'asked', unlisted: true, description: 'The same in their own order' },

  { name: 'languages', kind: 'languages', of: DATASETS, property: `${DCT}language`, default: SCHEME, inherited: true, description: 'Language tags of its texts' },
  { name: 'namespace', kind: 'text', of: DATASETS, property: `${VOID}uriSpace`, default: SCHEME, inherited: true, description: 'The common beginning of the URIs of its concepts' },
  { name: 'uriPattern', kind: 'text', of: DATASETS, property: `${VOID}uriRegexPattern`, default: SCHEME, inherited: true, description: 'A regular expression that the URIs of its concepts match' },
  { name: 'notationPattern', kind: 'text', of: DATASETS, property: `${IDOT}identifierPattern`, default: SCHEME, inherited: true, description: 'A regular expression that the notations of its concepts match' },
  { name: 'notationExamples', kind: 'strings', of: DATASETS, property: `${IDOT}exampleIdentifier`, description: 'Some notations of its concepts' },
  { name: 'types', kind: 'items', of: DATASETS, property: `${VOID}class`, description: 'The classes of its concepts' },
  { name: 'objectTypes', kind: 'iris', of: DATASETS, property: `${CLD}itemType`, description: 'The classes of the objects in it' },
  { name: 'distributions', kind: 'objects', holds: 'distribution', of: DATASETS, property: `${DCAT}distribution`, description: 'Files and other forms of its content' },
  { name: 'services', kind: 'objects', holds: 'service', of: [...DATASETS, 'distribution'], property: `${DCAT}service`, description: 'Services that give access to it' },
  { name: 'extent', kind: 'text', of: DATASETS, property: `${DCT}extent`, default: SCHEME, description: 'Its size, in words' },
  { name: 'topConcepts', kind: 'concepts', of: DATASETS, property: `${SKOS}hasTopConcept`, default: SCHEME, unlisted: true, description: 'Top concepts' },
  { name: 'levels', kind: 'list', of: 'scheme', property: `${XKOS}levels`, default: SCHEME, description: 'The levels of a classification with names and depths, from the top' },
  { name: 'depth', kind: 'number', of: ['concept', 'collection', 'item'], property: `${XKOS}depth`, datatype: `${XSD}positiveInteger`, description: 'Of the level of a classification: how far it is from the top, which is 1' },
  { name: 'order', kind: 'text', of: 'scheme', default: SCHEME, description: 'How its concepts are ordered, unless by the code points of their notations: `natural`, with numbers in notations as numbers, or `label`' },
  { name: 'concepts', kind: 'concepts', of: 'scheme', default: SCHEME, unlisted: true, description: 'Concepts' },
] as const satisfies readonly Field[]

/** The same for the fields that objects within records have alone. */
// oxfmt-ignore
const OBJECT_TABLE = [
  { name: 'download', kind: 'iri', of: 'distribution', property: `${DCAT}downloadURL`, description: 'The address of the file' },
  { name: 'accessURL', kind: 'iri', of: 'distribution', property: `${DCAT}accessURL`, description: 'The address of an interface or a page that leads to the content' },
  { name: 'format', kind: 'iri', of: 'distribution', property: `${DCT}format`, description: 'The data format' },
  { name: 'mimetype', kind: 'iriOrText', of: 'distribution', property: `${DCAT}mediaType`, description: 'The media type' },
  { name: 'compressFormat', kind: 'iri', of: 'distribution', property: `${DCAT}compressFormat`, description: 'The format of the compression' },
  { name: 'packageFormat', kind: 'iri', of: 'distribution', property: `${DCAT}packageFormat`, description: 'The format of the package with several files' },
  { name: 'size', kind: 'text', of: 'distribution', property: `${DCAT}byteSize`, description: 'The size of the file' },
  { name: 'checksum', kind: 'object', holds: 'checksum', of: 'distribution', property: `${SPDX}checksum`, description: 'The digest of the file' },
  { name: 'algorithm', kind: 'iri', of: 'checksum', property: `${SPDX}algorithm`, description: 'The algorithm' },
  { name: 'value', kind: 'text', of: 'checksum', property: `${SPDX}checksumValue`, description: 'The digest, in hexadecimal digits' },
  { name: 'api', kind: 'iri', of: 'service', property: `${DCT}type`, description: 'The type of the interface' },
  { name: 'endpoint', kind: 'iri', of: 'service', property: `${DCAT}endpointURL`, description: 'The address of the interface' },
  { name: 'serves', kind: 'items', of: 'service', property: `${DCAT}servesDataset`, description: 'What it gives access to' },

  { name: 'database', kind: 'item', of: 'occurrence', property: `${VOID}inDataset`, description: 'The database' },
  { name: 'count', kind: 'number', of: 'occurrence', property: `${VOID}entities`, description: 'The number of uses' },
  { name: 'frequency', kind: 'number', of: 'occurrence', property: `${RDF}value`, description: 'The share of all possible uses, from 0 to 1' },
  { name: 'relation', kind: 'iri', of: 'occurrence', property: `${VOID}property`, description: 'The relation between concepts and what they are used for' },
  { name: 'schemes', kind: 'items', of: ['occurrence', 'item'], property: `${VOID}vocabulary`, description: 'The vocabularies of the concepts, or of a registry' },
  { name: 'properties', kind: 'items', of: 'item', property: `${VOID}property`, description: 'The properties of qualified statements in a registry' },
  { name: 'registries', kind: 'items', of: 'item', property: `${DCAT}catalog`, description: 'The registries in a registry' },
  { name: 'template', kind: 'text', of: 'occurrence', property: `${HYDRA}template`, description: 'A template for the address of the uses (RFC 6570)' },
  { name: 'separator', kind: 'text', of: 'occurrence', property: `${CSVW}separator`, description: 'What separates several concepts in the template' },

  { name: 'street', kind: 'text', of: 'address', property: `${SCHEMA}streetAddress`, description: 'Street and number' },
  { name: 'ext', kind: 'text', of: 'address', property: `${VCARD}extended-address`, description: 'Building, floor or room' },
  { name: 'pobox', kind: 'text', of: 'address', property: `${SCHEMA}postOfficeBoxNumber`, description: 'Post office box' },
  { name: 'locality', kind: 'text', of: 'address', property: `${SCHEMA}addressLocality`, description: 'City or village' },
  { name: 'region', kind: 'text', of: 'address', property: `${SCHEMA}addressRegion`, description: 'State or province' },
  { name: 'code', kind: 'text', of: 'address', property: `${SCHEMA}postalCode`, description: 'Postal code' },
  { name: 'country', kind: 'text', of: 'address', property: `${SCHEMA}addressCountry`, description: 'Country' },

  { name: 'resource', kind: 'item', of: 'relation', property: `${RDF}object`, description: 'The other resource' },
  { name: 'date', kind: 'date', of: 'date', property: `${RDF}object`, description: 'The date of the event' },
  { name: 'literal', kind: 'literal', of: 'literal', property: `${SKOSXL}literalForm`, description: 'The text' },
] as const satisfies readonly Field[]

type Line = (typeof TABLE)[number]

/** The name of a field. */
export type FieldName = Line['name']

/** The names of fields with a list of texts for each language. */
export type NoteName = Extract<Line, { kind: 'note' }>['name']

/** The fields of records. */
export const FIELDS: readonly (Field & { name: FieldName })[] = TABLE

/** The fields of records and of the objects within them. */
export const ALL_FIELDS: readonly Field[] = [...TABLE, ...OBJECT_TABLE]

/** The values of fields in records, by kind. */
interface Values {
  label: Record<string, string>
  labels: Record<string, string[]>
  note: Record<string, string[]>
  strings: string[]
  languages: string[]
  text: string
  date: string
  dates: string[]
  boolean: boolean
  number: number
  json: object
  jsons: object[]
  url: string
  iri: string
  iriOrText: string
  iris: string[]
  items: Item[]
  concepts: Item[]
  list: Item[]
  schemes: Link[]
  match: never
  mapping: SkosMapping[]
  mappings: ConceptMapping[]
  item: Item
  object: FieldObject
  objects: FieldObject[]
  qualified: Record<string, FieldObject[]>
  roles: Record<string, Item[]>
  literal: { string: string; language?: string }
}

/** An object within a record, with the fields of its kind. */
export type FieldObject = Record<string, unknown>

/** A mapping in the form of the specification: a SKOS property and two concepts. */
export type SkosMapping = { type: string; from: string; to: string }

/**
 * A mapping of JSKOS (JSKOS 0.7, Concept Mappings) with one concept on each side, and the concordances that have it.
 */
export type ConceptMapping = {
  type: string[]
  from: SingleConceptBundle
  to: SingleConceptBundle
  partOf?: { uri: string }[]
}
type SingleConceptBundle = { memberSet: { uri: string }[] }

type LineOf<Kind extends FieldOwner> = Line extends infer One
  ? One extends { of: infer Of }
    ? Kind extends (Of extends readonly (infer Each)[] ? Each : Of)
      ? One
      : never
    : One
  : never
type ValueOf<One extends Line> = One extends { unlisted: true } ? (Item | null)[] : Values[One['kind']]

/** The fields of a new concept (POST /ingest). */
export type IngestValues = { [One in Extract<Line, { ingest: true }> as One['name']]?: ValueOf<One> }

/** The fields of a kind of records, from the table; a record has the fields that its request asks for. */
export type FieldValues<Kind extends FieldOwner> = {
  [One in Extract<LineOf<Kind>, Line> as One['name']]?: ValueOf<One>
}

/** The field with a name. */
export const FIELD: ReadonlyMap<string, Field> = new Map(ALL_FIELDS.map((field) => [field.name, field]))

/** The fields that records or objects of a kind have. */
export function fieldsOf(kind: FieldOwner): Field[] {
  return ALL_FIELDS.filter(({ of }) => [of ?? ITEMS].flat().includes(kind))
}

/**
 * True if the values of a field are objects that this table describes. Only a query of its own reads what the store has
 * about them.
 */
export function isStructured({ holds }: Field): boolean {
  return holds !== undefined
}

/** Kinds of fields whose values are arrays. */
const SETS: readonly FieldKind[] = [
  'strings',
  'languages',
  'dates',
  'iris',
  'items',
  'concepts',
  'list',
  'schemes',
  'match',
  'mapping',
  'mappings',
  'jsons',
  'objects',
]

/** True if the values of a field are an array. */
export function isSet({ kind }: Field): boolean {
  return SETS.includes(kind)
}

/** True if the values of a field are texts by language. */
export function isLanguageMap({ kind }: Field): boolean {
  return kind === 'label' || kind === 'labels' || kind === 'note'
}

/** The fields of notes. */
export const NOTE_NAMES: readonly NoteName[] = FIELDS.flatMap(({ kind, name }) =>
  kind === 'note' ? (name as NoteName) : [],
)

/** The properties of notes; the `rdf:value` of a note that is a resource takes its place. */
export const NOTES: ReadonlySet<string> = new Set(
  FIELDS.flatMap(({ kind, property }) => (kind === 'note' ? property! : [])),
)

/**
 * The properties of objects within records, and the properties that lead to nothing but such objects: a graph without
 * any of them has no objects but items.
 */
export const OBJECT_PROPERTIES: ReadonlySet<string> = new Set([
  ...ALL_FIELDS.flatMap((field) => (isStructured(field) && field.property !== undefined ? [field.property] : [])),
  `${RDF}object`,
  `${SKOSXL}literalForm`,
])

/** The properties of the fields of items, and of objects within records, that lead to further items and objects. */
export const NODE_PROPERTIES: ReadonlySet<string> = new Set(
  ALL_FIELDS.flatMap((field) =>
    field.property !== undefined && (holdsLinks(field) || isStructured(field) || field.kind === 'item')
      ? field.property
      : [],
  ),
)

/** The properties of the fields of concepts that lead to other concepts. */
export const CONCEPT_PROPERTIES: ReadonlySet<string> = new Set(
  fieldsOf('concept').flatMap(({ kind, property }) => (kind === 'concepts' && property !== undefined ? property : [])),
)

/** The properties of items besides their names in records. */
export const ITEM_PROPERTIES: ReadonlySet<string> = new Set(
  fieldsOf('item').flatMap(({ name, property }) =>
    property === undefined || name === 'prefLabel' || name === 'notation' ? [] : [property],
  ),
)

/** The properties that subsets share with their vocabulary. */
export const INHERITED: readonly string[] = FIELDS.flatMap(({ inherited, property }) => (inherited ? property! : []))

const KINDS: ReadonlySet<string> = new Set(Object.values(KINDS_OF_LINKS))

/**
 * The resource of a qualified relation that the graph has as a plain link: of a hierarchical link with a kind of ISO
 * 25964 and nothing that qualifies it further. Undefined for any other statement.
 */
export function linkedByKind(property: string, statement: FieldObject): FieldObject | undefined {
  const { resource } = statement
  const isPlain = KINDS.has(property) && Object.keys(statement).length === 1
  return isPlain && isObject(resource) && typeof resource['uri'] === 'string' ? resource : undefined
}

/** True if the values of a field are objects with a name and notations. */
export function holdsLinks({ kind }: Field): boolean {
  return kind === 'items' || kind === 'concepts' || kind === 'list' || kind === 'schemes'
}

/** True if the values of a field are IRIs, written as strings. */
export function isIri({ kind }: Field): boolean {
  return kind === 'iris' || kind === 'iri' || kind === 'url' || kind === 'match'
}

/** True if the values of a field are JSON. */
export function isJson({ kind }: Field): boolean {
  return kind === 'json' || kind === 'jsons'
}
