import { COLLECTION, CONCEPT, CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { classes, fieldValue, schemeLink, schemeNotations, textsAndUris, type RecordOptions } from './field-values.ts'
import { FIELD, isSet, type FieldValues, type RecordKind } from './fields.ts'
import type { FramedResource } from './frame.ts'
import { unique } from './languages.ts'
import { itemUri, isSubsetNotation, type Item } from './names.ts'
import { compareCodePoints, type RecordOrder } from './order.ts'
import type { Properties } from './properties.ts'

/** The fields that every record has, unless a request leaves out `type` or `@context` by name. */
type Identity = { uri: string; type: string[]; '@context'?: string }

/** A concept or a class as the service sends it (JSKOS 0.7). */
export type Concept = FieldValues<'concept'> & Identity

/** A vocabulary or subset as the service sends it (JSKOS 0.7). */
export type ConceptScheme = FieldValues<'scheme'> & Identity

/** A collection as the service sends it: an item of JSKOS 0.7 with the members of a concept bundle. */
export type Collection = FieldValues<'collection'> & Identity

/** A record of any kind as the service sends it. */
export type JskosRecord = Concept & ConceptScheme & Collection

/** A record of any form: one that another program wrote, the version of a resource, the description of a format. */
export type AnyRecord = Record<string, unknown>

/**
 * A concept in JSKOS 0.7 from its framed node.
 *
 * @param hasNarrower true if there are children, for a record that does not list them.
 * @example
 * const framed = frameNodes(graph)
 * const record = conceptRecord(framed(uri)!, graph.get(uri)!.has(HAS_NARROWER), view)
 */
export function conceptRecord(node: FramedResource, hasNarrower: boolean, options: RecordOptions): Concept {
  const { properties } = options
  const record = itemRecord(node, 'concept', options)
  if (properties.has('narrower') && !properties.requested('narrower')) record.narrower = hasNarrower ? [null] : []
  if (properties.has('hasChildren')) record.hasChildren = hasNarrower
  // A composed concept has one of them, and others have none (JSKOS 0.7, Concept).
  for (const name of ['memberSet', 'memberChoice', 'memberList'] as const)
    if (record[name]?.length === 0) delete record[name]
  return record
}

/** Facts about a vocabulary that its framed node does not have. */
interface SchemeFacts {
  /** Its ids as noted by the loader; none if another program wrote the vocabulary. */
  ids: readonly string[]
  /** The order of its concepts. */
  order?: RecordOrder | undefined
  hasConcept: boolean
  hasTopConcept: boolean
}

/** A vocabulary or subset in JSKOS 0.7 from its framed node. */
export function schemeRecord(node: FramedResource, facts: SchemeFacts, options: RecordOptions): ConceptScheme {
  const { properties } = options
  const record = itemRecord(node, 'scheme', options)
  const { uri } = node
  if (properties.has('notation')) record.notation = schemeNotations(textsAndUris(node['notation']), facts.ids)
  if (properties.has('identifier')) {
    const otherForm = uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`
    record.identifier = unique([...textsAndUris(node['identifier']).sort(compareCodePoints), otherForm]).filter(
      (id) => id !== uri,
    )
  }
  // A vocabulary may be part of anything, such as a registry; only the whole of a subset is known to be a vocabulary.
  const isSubset = textsAndUris(node['notation']).some(isSubsetNotation)
  if (record.partOf && isSubset) record.partOf = record.partOf.map(schemeLink)
  if (properties.has('order') && facts.order !== undefined) record.order = facts.order
  if (properties.has('topConcepts')) record.topConcepts = facts.hasTopConcept ? [null] : []
  if (properties.has('concepts')) record.concepts = facts.hasConcept ? [null] : []
  return record
}

/** Facts about a collection that its framed node does not have. */
interface CollectionFacts {
  hasMember: boolean
  /** False: `[null]` stands for the members. */
  listsMembers: boolean
  /** True for a member that is a collection itself. */
  isCollection: (uri: string) => boolean
}

/** The fields with the members of a collection: those of a list come first. */
const MEMBERS = ['memberList', 'memberSet'].map((name) => FIELD.get(name)!)

/**
 * A collection as a record: JSKOS has no collections, so it is an item with the class of SKOS and the fields of a
 * concept bundle (JSKOS 0.7, Concept Bundles). `memberList` has the order of the source, and members that its list
 * lacks at the end; without a list, or if the record does not show it, the same members are the set `memberSet`.
 */
export function collectionRecord(
  node: FramedResource,
  { hasMember, listsMembers, isCollection }: CollectionFacts,
  options: RecordOptions,
): Collection {
  const { properties } = options
  const record = itemRecord(node, 'collection', options)
  const name = 'memberList' in node && properties.has('memberList') ? 'memberList' : 'memberSet'
  if (!properties.has(name)) return record
  delete record.memberSet
  delete record.memberList
  const all = MEMBERS.flatMap((field) => (fieldValue(field, node, options) ?? []) as Item[])
  const members = new Map(all.map((member) => [itemUri(member), member]))
  const typed = [...members.values()].map((member) =>
    member.uri !== undefined && isCollection(member.uri) ? { ...member, type: [COLLECTION] } : member,
  )
  record[name] = listsMembers ? typed : hasMember ? [null] : []
  return record
}

/** True for the record of a collection, and for a member of another one that is a collection. */
export function isCollection({ type }: { type?: readonly string[] | undefined }): boolean {
  return type?.[0] === COLLECTION
}

/** The members that the record of a collection shows, in their order. */
export function membersInOrder({ memberList, memberSet }: Pick<Collection, 'memberList' | 'memberSet'>): Item[] {
  return (memberList ?? memberSet ?? []).filter((member) => member !== null)
}

/** A collection as a record with the classes and the members that its graph states, whether as a list or not. */
export function storedCollection(node: FramedResource, options: RecordOptions): Collection {
  const classes = textsAndUris(node['type'])
  const { type, ...record } = itemRecord(node, 'collection', options)
  for (const name of ['memberSet', 'memberList', 'inScheme'] as const)
    if (record[name]?.length === 0) delete record[name]
  return { ...record, type: type.filter((name) => classes.includes(name)) }
}

const SKOS_CLASS: Readonly<Record<RecordKind, string>> = {
  concept: CONCEPT,
  scheme: CONCEPT_SCHEME,
  collection: COLLECTION,
}

/** The fields of a record, read from the graph by their kinds. */
function itemRecord(node: FramedResource, kind: RecordKind, options: RecordOptions): JskosRecord {
  const { properties, contextUrl } = options
  const skosClass = SKOS_CLASS[kind]
  const otherTypes = classes(node).filter((type) => type !== skosClass)
  const record: JskosRecord = {
    uri: node.uri,
    type: [skosClass, ...unique(otherTypes).sort(compareCodePoints)],
    '@context': contextUrl,
  }
  const values: AnyRecord = record
  for (const field of properties.fields(kind)) {
    const { name, closed } = field
    if (name === 'type' || field.kind === 'match') continue
    const value = fieldValue(field, node, options)
    if (value !== undefined) values[name] = value
    else if (closed === 'always' || (isSet(field) && properties.requested(name))) values[name] = []
  }
  return withoutIdentity(record, properties)
}

/** Takes `type` and `@context` out of a record if a request leaves them out by name. */
export function withoutIdentity<R extends JskosRecord>(record: R, properties: Properties): R {
  const values: AnyRecord = record
  for (const name of ['type', '@context']) if (!properties.has(name)) delete values[name]
  return record
}
