import { createHash } from 'node:crypto'
import { DataFactory } from 'n3'
import type { BlankNode, NamedNode, Quad, Quad_Object, Quad_Subject } from '@rdfjs/types'
import { isObject } from '../../base/json.ts'
import { ALT, COLLECTIONS, CONCEPT, CONCEPT_SCHEME, RDF, SKOS, XSD } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { isLanguageTag } from '../sparql/terms.ts'
import { extendedDate } from './date.ts'
import {
  FIELD,
  fieldsOf,
  holdsLinks,
  isIri,
  isJson,
  isLanguageMap,
  isStructured,
  linkedByKind,
  type Field,
  type ObjectKind,
  type RecordKind,
} from './fields.ts'
import { memoize } from './memoize.ts'
import { isShortened } from './languages.ts'
import { isLabelRelation } from './field-values.ts'
import type { AnyRecord } from './record.ts'
import { addToList } from '../../base/groups.ts'

/** A node object (JSON-LD 1.1, section 9.2) in the terms of the context, without `@context`. */
export type LinkedNode = Record<string, unknown>

const DATE = `${XSD}date`
/**
 * The datatypes of dates without a month or a day, or with a time (XML Schema Definition Language 1.1 Part 2, section
 * 3.3).
 */
const OTHER_DATES: readonly [RegExp, string][] = [
  [/^-?\d{4,}$/, `${XSD}gYear`],
  [/^-?\d{4,}-\d\d$/, `${XSD}gYearMonth`],
  [/^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/, `${XSD}dateTime`],
]

/** Reports values that have no form in linked data, and decides which language tags stay. */
interface LossReporter {
  /** True for language tags whose texts stay. */
  keepsTag(tag: string): boolean
  /** Called for each value of a field that is left out, `null` and empty ones aside. */
  onDropped(field: string): void
  /** Called for each malformed qualified statement, with the path to the mistake and the URI of the record. */
  onWrongStatement(path: string, uri: unknown): void
}

const IGNORE_LOSSES: LossReporter = { keepsTag: isLanguageTag, onDropped: () => {}, onWrongStatement: () => {} }
/**
 * Fields that may be dropped silently: identifiers, fields that repeat other fields, and the order of a vocabulary: it
 * follows from its notations unless an operator chooses it.
 */
const SILENTLY_DROPPED = new Set(['uri', '@context', 'hasChildren', 'mapping', 'mappings', 'order'])

/**
 * A record as linked data: the same facts in the terms of the context.
 *
 * JSKOS writes `null` for unlisted members and has objects for mappings; this leaves out the first and turns the second
 * into SKOS properties. It drops values that are not IRIs although a resource is expected, and malformed language tags,
 * and gives a date without a day or with a time its own datatype.
 *
 * @returns undefined for a record whose `uri` is not an IRI.
 */
export function toLinkedData(record: AnyRecord, losses: LossReporter = IGNORE_LOSSES): LinkedNode | undefined {
  return typeof record['uri'] === 'string' && isAbsoluteIri(record['uri']) ? linkedNode(record, losses) : undefined
}

/** The same for an object that may have no URI, such as a concept with nothing but a notation. */
export function linkedNode(record: AnyRecord, losses: LossReporter = IGNORE_LOSSES): LinkedNode {
  const node: LinkedNode = {}
  for (const [name, value] of Object.entries('relatedDate' in record ? withRelatedDates(record) : record)) {
    if (name === 'uri') {
      if (typeof value === 'string' && isAbsoluteIri(value)) node['uri'] = value
      continue
    }
    const field = FIELD.get(name)
    const linked = field === undefined || value === null ? undefined : linkedField(field, value, record, losses)
    if (linked !== undefined) node[name] = linked
    // Each wrong statement is reported by itself.
    else if (field?.kind === 'qualified' && isObject(value)) continue
    else if (!SILENTLY_DROPPED.has(name) && !isEmpty(value)) losses.onDropped(name)
  }
  for (const [name, targets] of mappingTargets(record, losses)) {
    node[name] = [...new Set([...((node[name] ?? []) as string[]), ...targets])]
  }
  return withMembers(node)
}

/**
 * The same node with all members as `memberSet`: in RDF the class `rdf:Alt` marks a choice, and the properties of roles
 * lead to the members with these roles.
 */
function withMembers({ memberChoice, ...node }: LinkedNode): LinkedNode {
  const types = [...toArray(node['type']), ...(memberChoice === undefined ? [] : [ALT])]
  const inRoles = Object.values((node['memberRoles'] ?? {}) as Record<string, LinkedNode[]>).flat()
  const added = [...toArray(memberChoice), ...inRoles]
  if (added.length === 0) return node
  return { ...node, ...(types.length > 0 ? { type: types } : {}), memberSet: [...toArray(node['memberSet']), ...added] }
}

/** The same record with the dates of the former field `relatedDate` (JSKOS 0.6.0, Changelog). */
function withRelatedDates({ relatedDate, ...record }: AnyRecord): AnyRecord {
  return { ...record, relatedDates: [...new Set([...toArray(record['relatedDates']), relatedDate])] }
}

function linkedField(field: Field, value: unknown, { uri }: AnyRecord, losses: LossReporter): unknown {
  if (field.kind === 'qualified')
    return linkedStatements(field, value, (path) => losses.onWrongStatement(path, uri), losses)
  if (field.kind === 'roles') return linkedRoles(field, value, losses)
  return field.property === undefined || isShortened(value) ? undefined : linkedValue(field, value, losses)
}

/**
 * The qualified statements of a record by their properties (JSKOS 0.7, Qualified statements). A value that is no
 * qualified statement is left out.
 */
function linkedStatements(
  { name, holds }: Field,
  value: unknown,
  onWrong: (path: string) => void,
  losses: LossReporter,
): LinkedNode | undefined {
  if (!isObject(value)) return undefined
  const map: Record<string, LinkedNode[]> = {}
  for (const [property, statements] of Object.entries(value)) {
    const path = `${name}.${property}`
    if (!isAbsoluteIri(property) || !Array.isArray(statements)) {
      onWrong(path)
      continue
    }
    const nodes = statements.flatMap((statement: unknown, at): LinkedNode[] => {
      const wrong = wrongMember(statement, holds!)
      const record = statement as AnyRecord
      if (isObject(statement) && isLabelRelation(statement)) return []
      if (wrong === undefined) return [linkedNode(linkedByKind(property, record) ?? record, losses)]
      onWrong(`${path}[${at}]${wrong}`)
      return []
    })
    if (nodes.length > 0) map[property] = nodes
  }
  return Object.keys(map).length > 0 ? map : undefined
}

/** The members of a composed concept by their roles, each as one node. A role that is no IRI is left out. */
function linkedRoles({ name }: Field, value: unknown, losses: LossReporter): Record<string, LinkedNode[]> | undefined {
  if (!isObject(value)) return undefined
  const map: Record<string, LinkedNode[]> = {}
  for (const [role, given] of Object.entries(value)) {
    const nodes = toArray(given).flatMap((member) => {
      const node = isObject(member) && isAbsoluteIri(role) ? linkedNode(member, losses) : {}
      if (Object.keys(node).length > 0) return [node]
      if (!isEmpty(member)) losses.onDropped(name)
      return []
    })
    if (nodes.length > 0) map[role] = nodes
  }
  return Object.keys(map).length > 0 ? map : undefined
}

/** The end of the path to the mistake in a qualified statement; undefined if the statement is right. */
function wrongMember(statement: unknown, kind: ObjectKind): string | undefined {
  if (!isObject(statement)) return ''
  const { resource, date, literal } = statement
  if (kind === 'relation') return isObject(resource) && Object.keys(resource).length > 0 ? undefined : '.resource'
  if (kind === 'date') {
    return typeof date === 'string' && extendedDate([date]) !== undefined ? undefined : '.date'
  }
  if (!isObject(literal) || typeof literal['string'] !== 'string') return '.literal'
  const { language } = literal
  return language === undefined || (typeof language === 'string' && isLanguageTag(language))
    ? undefined
    : '.literal.language'
}

/** True for a value without content, such as `[null]`, which stands for unlisted members. */
function isEmpty(value: unknown): boolean {
  const values: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value]
  return values.every((member) => member === null || member === undefined || member === '')
}

function linkedValue(field: Field, value: unknown, losses: LossReporter): unknown {
  if (field.kind === 'json' || field.kind === 'literal') return value
  if (field.kind === 'jsons') {
    const objects = toArray(value).filter(isObject)
    if (objects.length === 0) return undefined
    if (objects.length < toArray(value).filter((item) => !isEmpty(item)).length) losses.onDropped(field.name)
    return objects
  }
  if (isLanguageMap(field) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).filter(([tag, texts]) => losses.keepsTag(tag) && texts !== null))
  }
  if (!Array.isArray(value)) return linkedItem(field, value, losses)
  const items = value.flatMap((item) => {
    const linked = item === null ? undefined : linkedItem(field, item, losses)
    if (linked === undefined && !isEmpty(item)) losses.onDropped(field.name)
    return linked ?? []
  })
  // A set with unlisted members is not empty.
  return items.length === 0 && value.includes(null) ? undefined : items
}

const memoizedNode = memoize(
  (losses: LossReporter) => memoize((record: AnyRecord) => linkedNode(record, losses), new WeakMap()),
  new WeakMap(),
)

function linkedItem(field: Field, value: unknown, losses: LossReporter): unknown {
  if (field.kind === 'number') return typeof value === 'number' && value >= 0 ? value : undefined
  if (isObject(value)) {
    const node = memoizedNode(losses)(value)
    return Object.keys(node).length > 0 ? node : undefined
  }
  if (isStructured(field)) return undefined
  const iri = typeof value === 'string' && isAbsoluteIri(value) ? value : undefined
  if (isIri(field)) return iri
  // Some writers give a link as its IRI instead of an object.
  if (iri !== undefined && (field.kind === 'iriOrText' || holdsLinks(field))) return { uri: iri }
  // Of the fields with links, those of items may have a name alone.
  if (holdsLinks(field) && field.kind !== 'items') return undefined
  if (typeof value !== 'string') return value
  if (field.datatype !== DATE) return value
  const other = OTHER_DATES.find(([form]) => form.test(value))
  return other ? { '@value': value, '@type': other[1] } : value
}

/**
 * The targets of the mappings of a record (JSKOS 0.7, Concept Mappings, and the form of `mapping`), by `exactMatch` and
 * the other fields. Only mappings from this one concept to one other count; a mapping without a type means that the two
 * are related.
 */
function mappingTargets({ uri, mapping, mappings }: AnyRecord, losses: LossReporter): Map<string, string[]> {
  const targetsByRelation = new Map<string, string[]>()
  for (const item of [...toArray(mapping), ...toArray(mappings)]) {
    if (!isObject(item)) continue
    const { type, from, to } = item
    const name = relationOfTypes(toArray(type))
    const [source] = members(from)
    const targets = members(to)
    const isOurs = source === undefined || source === uri
    if (name !== undefined && targets.length === 1 && isOurs && isAbsoluteIri(targets[0]!)) {
      addToList(targetsByRelation, name, targets[0]!)
    } else losses.onDropped('mappings')
  }
  return targetsByRelation
}

function relationOfTypes(types: readonly unknown[]): string | undefined {
  if (types.every((type) => type === `${SKOS}mappingRelation`)) return 'relatedMatch'
  return types
    .map((type) => (typeof type === 'string' && type.startsWith(SKOS) ? type.slice(SKOS.length) : ''))
    .find((name) => FIELD.get(name)?.kind === 'match')
}

function members(side: unknown): string[] {
  if (typeof side === 'string') return [side]
  const set = isObject(side) ? toArray(side['memberSet']) : []
  return set.flatMap((member) => (isObject(member) && typeof member['uri'] === 'string' ? [member['uri']] : []))
}

function toArray(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}

/** Fields of concept schemes that neither concepts nor collections have (JSKOS 0.7, Concept Schemes). */
const SHARED_FIELDS = [...fieldsOf('concept'), ...fieldsOf('collection')]
const SCHEME_FIELDS = fieldsOf('scheme').flatMap((field) => (SHARED_FIELDS.includes(field) ? [] : [field.name]))

const IS_COLLECTION: ReadonlySet<string> = new Set(COLLECTIONS)

/**
 * Adds its SKOS class to a record, because records of other programs may lack it. A collection may have a class of
 * another vocabulary alone.
 */
export function withSkosType(record: AnyRecord, untyped: RecordKind): AnyRecord {
  const types = toArray(record['type'])
  const isTyped = (type: unknown) => typeof type === 'string' && (type.startsWith(SKOS) || IS_COLLECTION.has(type))
  if (types.some(isTyped)) return record
  const isScheme =
    untyped === 'scheme' ||
    types.some((type) => typeof type === 'string' && type.includes('/nkostype#')) ||
    SCHEME_FIELDS.some((name) => name in record)
  return { ...record, type: [isScheme ? CONCEPT_SCHEME : CONCEPT, ...types] }
}

/** How to write triples. */
interface QuadOptions {
  /** True for a node within another one whose triples are there already; not called for blank nodes. */
  isWritten: (node: LinkedNode) => boolean
  /** A new blank node. */
  blankNode: () => BlankNode
}

/**
 * The triples of a node. They equal those of `jsonld.toRDF` with the context, at a fraction of the time.
 *
 * The triples about the node itself come first, then those about each node in it. By default, the labels of blank nodes
 * are unique in this process.
 */
export function toQuads(
  node: LinkedNode,
  { isWritten = () => false, blankNode = () => DataFactory.blankNode() }: Partial<QuadOptions> = {},
): Quad[] {
  const quads: Quad[] = []
  addNode(node, subjectOf(node, blankNode), quads, { isWritten, blankNode })
  return quads
}

/**
 * Makes the blank nodes of a record. Their labels follow from its URI: they are the same each time, and the nodes of
 * other records have others, also in other documents.
 */
export function blankNodesOf(record: LinkedNode): () => BlankNode {
  let digest: string | undefined
  let number = 0
  return () => {
    const seed = () => createHash('sha1').update((record['uri'] as string | undefined) ?? JSON.stringify(record))
    digest ??= seed().digest('hex').slice(0, 16)
    return DataFactory.blankNode(`b${digest}n${number++}`)
  }
}

function subjectOf(node: LinkedNode, blankNode: QuadOptions['blankNode']): Quad_Subject {
  return typeof node['uri'] === 'string' ? DataFactory.namedNode(node['uri']) : blankNode()
}

/** The properties as terms. */
const PROPERTIES: ReadonlyMap<string, { field: Field; property: NamedNode; datatype: NamedNode | undefined }> = new Map(
  [...FIELD].flatMap(([name, field]) => {
    if (!field.property) return []
    const datatype = field.datatype === undefined ? undefined : DataFactory.namedNode(field.datatype)
    return [[name, { field, property: DataFactory.namedNode(field.property), datatype }]]
  }),
)

function addNode(node: LinkedNode, subject: Quad_Subject, quads: Quad[], options: QuadOptions): void {
  const { isWritten, blankNode } = options
  // A node may stand in several fields, as a member and in its role.
  const inner = new Map<LinkedNode, Quad_Subject>()
  const innerSubject = (item: LinkedNode) => {
    const object = inner.get(item) ?? subjectOf(item, blankNode)
    inner.set(item, object)
    return object
  }
  for (const [name, value] of Object.entries(node)) {
    const entry = PROPERTIES.get(name)
    const { kind } = FIELD.get(name) ?? {}
    if (kind === 'qualified' || kind === 'roles') {
      for (const [predicate, items] of Object.entries(value as Record<string, LinkedNode[]>)) {
        for (const item of items)
          quads.push(DataFactory.quad(subject, DataFactory.namedNode(predicate), innerSubject(item)))
      }
    }
    if (!entry) continue
    const { field, property, datatype } = entry
    const add = (object: Quad_Object) => quads.push(DataFactory.quad(subject, property, object))
    if (isLanguageMap(field) && isObject(value)) {
      for (const [language, texts] of Object.entries(value)) {
        for (const text of toArray(texts)) if (typeof text === 'string') add(DataFactory.literal(text, language))
      }
    } else if (isJson(field)) {
      add(DataFactory.literal(canonicalJson(value), JSON_LITERAL))
    } else if (field.kind === 'literal') {
      const { string, language } = value as { string: string; language?: string }
      add(DataFactory.literal(string, language))
    } else {
      const items = toArray(value)
      const addItem = field.kind === 'list' ? listWriter(quads, subject, property, items.length, blankNode) : add
      for (const item of items) {
        if (!isObject(item)) {
          // Or a number or a boolean, to which n3 gives its datatype.
          const text = item as string
          addItem(isIri(field) ? DataFactory.namedNode(text) : DataFactory.literal(text, datatype))
        } else if ('@value' in item) {
          const { '@value': lexical, '@type': type } = item as { '@value': string; '@type': string }
          addItem(DataFactory.literal(lexical, DataFactory.namedNode(type)))
        } else {
          addItem(innerSubject(item))
        }
      }
    }
  }
  for (const [other, object] of inner) {
    if (object.termType === 'BlankNode' || !isWritten(other)) addNode(other, object, quads, options)
  }
}

const FIRST = DataFactory.namedNode(`${RDF}first`)
const REST = DataFactory.namedNode(`${RDF}rest`)
const NIL = DataFactory.namedNode(`${RDF}nil`)

/** Writes an RDF collection, one member with each call. */
function listWriter(
  quads: Quad[],
  subject: Quad_Subject,
  property: NamedNode,
  length: number,
  blankNode: QuadOptions['blankNode'],
): (object: Quad_Object) => void {
  let cell: Quad_Subject = length > 0 ? blankNode() : NIL
  quads.push(DataFactory.quad(subject, property, cell))
  let written = 0
  return (object) => {
    const next: Quad_Subject = ++written < length ? blankNode() : NIL
    quads.push(DataFactory.quad(cell, FIRST, object), DataFactory.quad(cell, REST, next))
    cell = next
  }
}

const JSON_LITERAL = DataFactory.namedNode(`${RDF}JSON`)

/** The canonical form of a JSON value, for JSON literals of RDF (RFC 8785: no spaces, members sorted by name). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}
