import { isObject, parseJsonText, unlessEmpty } from '../../base/json.ts'
import { ALT, CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { extendedDate, latestDate } from './date.ts'
import {
  FIELDS,
  fieldsOf,
  linkedByKind,
  type Field,
  type FieldObject,
  type ObjectKind,
  type SkosMapping,
} from './fields.ts'
import { LABEL_RELATIONS, type FramedNode, type FramedResource, type FramedValue } from './frame.ts'
import { isFilled, languageMap, languageTags, prefLabel, unique, type LanguageOptions, asName } from './languages.ts'
import { statedMapping } from './mapping.ts'
import { memoize } from './memoize.ts'
import { isLink, itemUri, type Item, type Link, isSubsetNotation, isVocabularyId, vocabularyKey } from './names.ts'
import { BY_CODE_POINTS, compareCodePoints, itemsInOrder, smallest, type ListOrder } from './order.ts'
import type { Properties } from './properties.ts'

/** From the values of a framed node to the values of the fields of a record. */

/** The choices of a request for its records. */
export interface RecordOptions extends LanguageOptions {
  properties: Properties
  /** The order of the records, and of the concepts that they name. */
  order: ListOrder
  /**
   * The vocabularies of the service. They come first among the concept schemes of a concept, because clients take the
   * first one for its vocabulary.
   */
  vocabularies?: readonly { uri: string; identifiers: readonly string[] }[]
  /** Value of `@context`. */
  contextUrl: string
  /**
   * For a file that is to be loaded again: the graph that the statements about concepts and the objects within records
   * come from, and whose dates stay as they are. Undefined: all graphs.
   */
  graph?: string
}

/** The kinds of mappings. */
const MATCHES = FIELDS.filter(({ kind }) => kind === 'match')

/** The classes of a node, without the class that stands for `memberChoice`. */
export function classes(node: FramedNode): string[] {
  return textsAndUris(node['type']).filter((type) => type !== ALT && isAbsoluteIri(type))
}

/** The value of a field; undefined if there is nothing to show, also for an empty set. */
export function fieldValue({ name, kind, datatype, holds }: Field, node: FramedNode, options: RecordOptions): unknown {
  const value = MEMBERS.includes(name) ? membersAs(name, node) : node[name]
  // Mappings are made from other fields.
  if ((kind === 'mapping' || kind === 'mappings') && node.uri === undefined) return undefined
  if (kind === 'mapping') return unlessEmpty(mappingsOf(node as FramedResource))
  if (kind === 'mappings')
    return unlessEmpty(mappingsOf(node as FramedResource).map(({ type, from, to }) => statedMapping(from, type, to)))
  if (value === undefined) return undefined
  if (name === 'qualifiedLiterals') return qualifiedLiterals(value, node[LABEL_RELATIONS], options)
  switch (kind) {
    case 'label':
      return prefLabel(value, options)
    case 'labels':
    case 'note':
      return languageMap(value, options)
    case 'strings':
      return unlessEmpty(unique(textsAndUris(value)).filter(isFilled).sort(compareCodePoints))
    case 'languages':
      return unlessEmpty(languageTags(textsAndUris(value)))
    case 'text':
      return smallest(textsAndUris(value).filter(name === 'namespace' ? isAbsoluteIri : isFilled))
    case 'date':
      if (options.graph !== undefined) return writtenDate(textsAndUris(value))
      return datatype === undefined ? extendedDate(textsAndUris(value)) : latestDate(textsAndUris(value))
    case 'dates':
      return unlessEmpty(unique(literals(value).flatMap((text) => dateIn(text, options) ?? [])).sort(compareCodePoints))
    case 'boolean':
      return truth(textsAndUris(value))
    case 'number':
      return textsAndUris(value)
        .map(Number)
        .filter(Number.isFinite)
        .sort((a, b) => a - b)[0]
    case 'json':
      return geoJson(textsAndUris(value))
    case 'jsons':
      return unlessEmpty(textsAndUris(value).sort(compareCodePoints).map(parseJsonText).flat().filter(isObject))
    case 'url':
      return smallest(textsAndUris(value).filter(isWebAddress))
    case 'iri':
      return smallest(textsAndUris(value).filter(isAbsoluteIri))
    case 'iriOrText':
      return smallest(textsAndUris(value).filter(isFilled))
    case 'literal':
      return literalObjects(value)[0]
    case 'item':
      return items(value, node, options)[0]
    case 'object':
      return objects(value, holds!, options)[0]
    case 'objects':
      return unlessEmpty(objects(value, holds!, options))
    case 'roles':
      return rolesMap(value as Record<string, FramedValue[]>, node, options)
    case 'qualified':
      return qualifiedMap(value, holds!, options)
    case 'iris':
      return unlessEmpty(
        unique(name === 'type' ? classes(node) : textsAndUris(value))
          .filter(name === 'depiction' ? isWebAddress : isAbsoluteIri)
          .sort(compareCodePoints),
      )
    case 'items':
      return unlessEmpty(items(value, node, options))
    case 'concepts':
      return unlessEmpty(
        neighbours(name, value, node, options).filter(({ uri }) => uri === undefined || uri !== node.uri),
      )
    case 'list':
      return unlessEmpty(
        values(value)
          .flatMap((member) => neighbours(name, member, node, options))
          .sort((a, b) => depthOf(a) - depthOf(b)),
      )
    case 'schemes':
      return unlessEmpty(vocabulariesFirst(linked(value, node, options), options).map(memoizedSchemeLink))
  }
}

/**
 * The concept schemes of a concept; others than the vocabularies of the service may be parts of one. A vocabulary
 * appears once, by whatever forms of its URI and identifiers the concept names it, unless these are schemes themselves.
 * The order of concepts within a vocabulary is not the order of the vocabularies.
 */
function vocabulariesFirst(links: Link[], { vocabularies = [], graph }: RecordOptions): Link[] {
  if (links.length < 2) return links
  const schemes = itemsInOrder(links, [], BY_CODE_POINTS)
  const uris = new Set(schemes.map(({ uri }) => uri))
  const named = new Map(
    vocabularies.filter(({ uri }) => uris.has(uri)).map((vocabulary) => [vocabulary.uri, vocabulary]),
  )
  const keys = new Set([...named.values()].flatMap(({ uri, identifiers }) => [uri, ...identifiers]).map(vocabularyKey))
  const isOtherName = ({ uri, prefLabel, notation }: Link) =>
    graph === undefined && !prefLabel && !notation && keys.has(vocabularyKey(uri))
  const rest = schemes.filter((scheme) => !named.has(scheme.uri) && !isOtherName(scheme))
  return [...schemes.filter(({ uri }) => named.has(uri)), ...rest]
}

/** The level of a classification by which a list is ordered; the members of other lists have none. */
function depthOf({ depth = 0 }: Item & { depth?: number }): number {
  return depth
}

/** The names of the two fields with the members of a set. */
const MEMBERS: readonly string[] = ['memberSet', 'memberChoice']

/** The members of a node if they are a set or a choice, as the field wants; undefined for the other field. */
function membersAs(name: string, node: FramedNode): FramedNode[string] {
  const isChoice = textsAndUris(node['type']).includes(ALT)
  return isChoice === (name === 'memberChoice') ? node['memberSet'] : undefined
}

/** Concepts by their roles; undefined without any. */
function rolesMap(map: Record<string, FramedValue[]>, node: FramedNode, options: RecordOptions): unknown {
  const entries = Object.keys(map)
    .sort(compareCodePoints)
    .map((role) => [role, items(map[role], node, options)] as const)
    .filter(([, members]) => members.length > 0)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** The objects of a kind with their fields, in the order of their texts. Those without fields are left out. */
function objects(value: FramedNode[string], kind: ObjectKind, options: RecordOptions): FieldObject[] {
  const written = values(value)
    .filter(isObject)
    .map((node) => objectOf(node as FramedNode, kind, options))
    .filter((object) => Object.keys(object).length > 0)
  return written.length < 2 ? written : inOrderOfTexts(written)
}

function inOrderOfTexts(list: readonly FieldObject[]): FieldObject[] {
  const byText = new Map(list.map((object) => [JSON.stringify(object), object]))
  return [...byText.keys()].sort(compareCodePoints).map((text) => byText.get(text)!)
}

/** The values of qualified statements have no URI in JSKOS. */
const WITHOUT_URI: readonly (ObjectKind | 'concept')[] = ['relation', 'date', 'literal']

/** An object with the fields of its kind. */
function objectOf(node: FramedNode, kind: ObjectKind | 'concept', options: RecordOptions): FieldObject {
  const object: FieldObject = {}
  const uri = WITHOUT_URI.includes(kind) ? undefined : uriOf(node)
  if (uri !== undefined) object['uri'] = uri
  for (const field of fieldsOfObjects(kind)) {
    // Objects have their dates as they were written: the time of an occurrence says more than its day.
    const value = field.kind === 'date' ? writtenDate(textsAndUris(node[field.name])) : fieldValue(field, node, options)
    if (value !== undefined) object[field.name] = value
  }
  return object
}

/** A node as an item with all fields of items (JSKOS 0.7, Item). */
export function itemOf(node: FramedNode, options: RecordOptions): FieldObject {
  return objectOf(node, 'item', options)
}

/** A record may name concepts and any other items. */
const fieldsOfObjects = memoize(
  (kind: ObjectKind | 'concept') =>
    kind === 'concept' ? [...new Set([...fieldsOf('concept'), ...fieldsOf('item')])] : fieldsOf(kind),
  new Map(),
)

/** The date; undefined if the text is not a valid date. */
function dateIn(text: string, { graph }: RecordOptions): string | undefined {
  return graph === undefined ? extendedDate([text]) : writtenDate([text])
}

/** The latest valid date with its time of day; the latest time of that day. */
function writtenDate(texts: readonly string[]): string | undefined {
  const latest = extendedDate(texts)
  return texts
    .filter((text) => latest !== undefined && extendedDate([text]) === latest)
    .sort(compareCodePoints)
    .at(-1)
}

/** The values of qualified statements by their properties; undefined if there are none. */
function qualifiedMap(
  value: FramedNode[string],
  kind: ObjectKind,
  options: RecordOptions,
): Record<string, FieldObject[]> | undefined {
  const map = value as Record<string, FramedValue[]>
  const entries = Object.keys(map)
    .sort(compareCodePoints)
    .map((property) => [property, qualifiedStatements(property, map[property]!, kind, options)] as const)
    .filter(([, statements]) => statements.length > 0)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

const labelRelations = new WeakSet<object>()

/**
 * True for a qualified literal that stands for the relation of a label to another one. JSKOS has no place for it at the
 * label, and of the concept it would not be true as a statement in RDF.
 */
export function isLabelRelation(statement: object): boolean {
  return labelRelations.has(statement)
}

/**
 * Qualified literals, with the labels that they are related to by the properties of these relations. A file that is to
 * be loaded again does not have the relations.
 */
function qualifiedLiterals(
  value: FramedNode[string],
  relations: FramedNode[string],
  options: RecordOptions,
): Record<string, FieldObject[]> | undefined {
  const literals = qualifiedMap(value, 'literal', options)
  if (relations === undefined || options.graph !== undefined) return literals
  const merged = { ...literals }
  for (const [property, statements] of Object.entries(qualifiedMap(relations, 'literal', options) ?? {})) {
    for (const statement of statements) labelRelations.add(statement)
    merged[property] = [...(merged[property] ?? []), ...statements]
  }
  return merged
}

/**
 * The values of the qualified statements of a property. In a file that is to be loaded again, links with nothing but a
 * kind have no names: the hierarchical links that they imply have these, as the graph itself does.
 */
function qualifiedStatements(
  property: string,
  value: FramedValue[],
  kind: ObjectKind,
  options: RecordOptions,
): FieldObject[] {
  const statements = objects(value, kind, options)
  if (options.graph === undefined) return statements
  return statements.map((statement) => {
    const resource = linkedByKind(property, statement)
    return resource === undefined ? statement : { resource: { uri: resource['uri'] } }
  })
}

/** The texts of a qualified literal with their languages, those with the smallest text first. */
function literalObjects(value: FramedNode[string]): object[] {
  return (values(value) as { string: string; language: string }[])
    .map(({ string, language }) => (language === '' ? { string } : { string, language }))
    .sort((a, b) => compareCodePoints(JSON.stringify(a), JSON.stringify(b)))
}

/** The boolean in some texts by its lexical forms (XML Schema Part 2, section 3.3.2); undefined without one. */
function truth(texts: readonly string[]): boolean | undefined {
  if (texts.includes('true') || texts.includes('1')) return true
  return texts.includes('false') || texts.includes('0') ? false : undefined
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && isAbsoluteIri(text)
}

/** Mappings in the form of the specification; targets that are not IRIs are left out. */
function mappingsOf(node: FramedResource): SkosMapping[] {
  const { uri: from } = node
  return MATCHES.flatMap(({ name, property }) =>
    textsAndUris(node[name])
      .filter(isAbsoluteIri)
      .sort(compareCodePoints)
      .map((to) => ({ type: property!, from, to })),
  )
}

/** A vocabulary as records refer to it. */
export function schemeLink<Of extends Item & { type?: string[] }>(scheme: Of): Of {
  const { notation, type = [] } = scheme
  return {
    ...scheme,
    ...(notation ? { notation: schemeNotations(notation) } : {}),
    type: unique([CONCEPT_SCHEME, ...type]),
  }
}

const memoizedSchemeLink = memoize(schemeLink<Link>, new WeakMap())

/** The embedded nodes of a set, without duplicates, in the order of the vocabulary that the record is in. */
function items(value: FramedNode[string], node: FramedNode, options: RecordOptions): Item[] {
  const itemsByUri = new Map<string, Item>()
  for (const member of values(value)) {
    const item = typeof member === 'string' ? textItem(member) : nodeItem(member, options)
    const key = itemUri(item)
    // A text may be the URI of a node, which has a name.
    if (Object.keys(item).length > 0 && !(typeof member === 'string' && itemsByUri.has(key))) itemsByUri.set(key, item)
  }
  const { order } = options
  return itemsInOrder(itemsByUri.values(), order.isByCodePoints ? [] : iris(node['inScheme']), order)
}

/**
 * The concepts of a set. A record shows concepts that have no URI, but a name or a notation, if the request names the
 * field, or all fields, because most clients expect URIs.
 */
function neighbours(name: string, value: FramedNode[string], node: FramedNode, options: RecordOptions): Item[] {
  const showsAll = node.uri === undefined || options.properties.names(name)
  if (!showsAll) return linked(value, node, options)
  const nodes = values(value).filter((member) => typeof member !== 'string')
  const shown = items(nodes, node, options).filter((item) => isLink(item) || item.prefLabel || item.notation)
  return options.graph === undefined ? shown.map((item) => withoutDerived(item, name)) : shown
}

/** The links of a neighbour that may follow from what other records say of it, and from the list of top concepts. */
const DERIVED = ['broader', 'narrower', 'related', 'topConceptOf']
/** The links of a neighbour with a name that never lead back: a file may name the whole chain above or below. */
const CHAIN: Readonly<Record<string, string>> = { broader: 'broader', narrower: 'narrower' }

/**
 * A neighbour without links back. Loading states both directions of these links, so a concept without a record would
 * show what the records of others say: a neighbour without a name is its URI.
 */
function withoutDerived(item: Item, name: string): Item {
  const chain = item.prefLabel || item.notation ? CHAIN[name] : undefined
  const derived = DERIVED.filter((field) => field !== chain && field in item)
  if (derived.length === 0) return item
  return Object.fromEntries(Object.entries(item).filter(([field]) => !derived.includes(field)))
}

/** The members of a set that have a URI. */
function linked(value: FramedNode[string], node: FramedNode, options: RecordOptions): Link[] {
  const nodes = values(value).filter((member) => uriOf(member) !== undefined)
  return items(nodes, node, options).filter(isLink)
}

/** The IRIs of a set of nodes and texts. */
function iris(value: FramedNode[string]): string[] {
  return values(value).flatMap((member) => (typeof member === 'string' ? member : (uriOf(member) ?? [])))
}

/** A text instead of a node becomes its label. */
function textItem(text: string): Item {
  if (text.trim() === '') return {}
  return /^https?:/.test(text) && isAbsoluteIri(text) ? { uri: text } : { prefLabel: { und: text } }
}

/** The items of the nodes of a request. */
const itemsOf = memoize(
  (options: RecordOptions) => memoize((node: FramedValue & object) => toItem(node, options), new WeakMap()),
  new WeakMap(),
)

function nodeItem(node: FramedValue & object, options: RecordOptions): Item {
  return itemsOf(options)(node)
}

function toItem(node: FramedValue & object, options: RecordOptions): Item {
  const item: Item = {}
  const uri = uriOf(node)
  if (uri !== undefined) item.uri = uri
  const labels = prefLabel(node['prefLabel'], options)
  // Loading a file takes names from it for what has no record in it, as for what has no URI.
  if (labels) item.prefLabel = uri === undefined || options.graph !== undefined ? labels : asName(labels)
  const notations = unique(textsAndUris(node['notation'])).filter(isFilled)
  if (notations.length > 0) item.notation = notations.sort(compareCodePoints)
  // Only a graph of objects has more than the names of an item.
  return Object.keys(node).every((name) => NAMES.includes(name))
    ? item
    : { ...item, ...objectOf(node, 'concept', options), ...item }
}

const NAMES: readonly string[] = ['uri', 'prefLabel', 'notation']

/** The types of the geometries of GeoJSON that have coordinates (RFC 7946, section 1.4). */
const GEOMETRIES: readonly unknown[] = [
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
]

function geoJson(texts: string[]): unknown {
  return texts
    .sort(compareCodePoints)
    .map(parseJsonText)
    .find((value) => isObject(value) && GEOMETRIES.includes(value['type']) && Array.isArray(value['coordinates']))
}

function values(value: FramedNode[string]): FramedValue[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function uriOf(value: FramedValue): string | undefined {
  const uri = typeof value === 'string' ? undefined : value['uri']
  return typeof uri === 'string' ? uri : undefined
}

/** The texts and URIs of a set. */
export function textsAndUris(value: FramedNode[string]): string[] {
  return values(value).flatMap((member) => (typeof member === 'string' ? [member] : (uriOf(member) ?? [])))
}

function literals(value: FramedNode[string]): string[] {
  return values(value).filter((member) => typeof member === 'string')
}

/**
 * The notations of a vocabulary: first its ids, then the others (docs/specification.md, "Vocabularies and subsets").
 *
 * @param ids its ids, if they are known; otherwise the form of a notation decides.
 */
export function schemeNotations(notations: readonly string[], ids: readonly string[] = []): string[] {
  const isId = (notation: string) =>
    ids.length > 0 ? ids.includes(notation) : isVocabularyId(notation) || isSubsetNotation(notation)
  const sorted = unique(notations).sort(compareCodePoints)
  return [...sorted.filter(isId), ...sorted.filter((notation) => !isId(notation))]
}

/**
 * A concept as other records refer to it: URI, label and notation, regardless of `properties`; undefined for a blank
 * node.
 */
export function conceptLink(node: FramedNode, options: RecordOptions): Link | undefined {
  const item = nodeItem(node, options)
  return isLink(item) ? item : undefined
}
