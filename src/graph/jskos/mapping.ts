import { createHash } from 'node:crypto'
import { mappingContent, mappingMembers } from 'jskos-tools'
import { SKOS } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { isObject, parseJsonText } from '../../base/json.ts'
import { compareCodePoints } from './order.ts'

/** The mapping properties of SKOS (SKOS Reference, section 10); the last one leaves the kind of mapping open. */
export const MAPPING_TYPES: readonly string[] = [
  `${SKOS}exactMatch`,
  `${SKOS}closeMatch`,
  `${SKOS}broadMatch`,
  `${SKOS}narrowMatch`,
  `${SKOS}relatedMatch`,
  `${SKOS}mappingRelation`,
]

/** The type of a mapping without a type (JSKOS, "Concept Mappings"). */
export const DEFAULT_MAPPING_TYPE = `${SKOS}mappingRelation`

/** A concept of a mapping. */
export interface MappedConcept {
  uri?: string
  notation?: string[]
  [field: string]: unknown
}

/** One side of a mapping (JSKOS, "Concept Bundles"). */
export interface ConceptBundle {
  memberSet?: (MappedConcept | null)[]
  memberList?: (MappedConcept | null)[]
  memberChoice?: (MappedConcept | null)[]
  /** By the URIs of their roles. */
  memberRoles?: Record<string, (MappedConcept | null)[]>
}

/** The vocabulary of one side. */
export interface MappedScheme {
  uri?: string
  notation?: string[]
  [field: string]: unknown
}

/** A mapping (JSKOS 0.7, "Concept Mappings"), with any further fields. */
export interface Mapping {
  uri?: string
  identifier?: (string | null)[]
  type?: string[]
  from: ConceptBundle
  to: ConceptBundle
  fromScheme?: MappedScheme | null
  toScheme?: MappedScheme | null
  partOf?: ({ uri?: string } | null)[]
  creator?: unknown[]
  created?: string
  modified?: string
  mappingRelevance?: number
  [field: string]: unknown
}

/** The concepts of one side. */
export function conceptsOf({ memberSet, memberList, memberChoice, memberRoles = {} }: ConceptBundle): MappedConcept[] {
  const members = memberSet ?? memberChoice ?? memberList ?? Object.values(memberRoles).flat()
  return members.filter((concept) => concept !== null)
}

/** The creators of a mapping or concordance, to compare with: URIs, and names in lower case. */
export function creatorsOf({ creator }: Pick<Mapping, 'creator'>): string[] {
  const creators = (Array.isArray(creator) ? creator : []).filter(isObject).flatMap(({ uri, prefLabel }) => {
    const names = isObject(prefLabel) ? Object.values(prefLabel) : []
    return [uri, ...names.map((name) => String(name).toLowerCase())].filter((name) => typeof name === 'string')
  })
  return [...new Set(creators)]
}

/** True if one of the creators has this URI, or this text in its name. @param creators as `creatorsOf` gives them. */
export function isCreator(creators: readonly string[], wantedCreator: string): boolean {
  if (isAbsoluteIri(wantedCreator)) return creators.includes(wantedCreator)
  return creators.some((candidate) => !isAbsoluteIri(candidate) && candidate.includes(wantedCreator.toLowerCase()))
}

/** A mapping as JSKOS text; undefined if another program wrote something else. */
export function parseMapping(text: string): Mapping | undefined {
  const value = parseJsonText(text)
  return isObject(value) && isObject(value['from']) && isObject(value['to']) ? (value as unknown as Mapping) : undefined
}

/** The first type of a mapping. */
export function typeOf({ type }: Pick<Mapping, 'type'>): string {
  return type?.[0] ?? DEFAULT_MAPPING_TYPE
}

/** A mapping that a vocabulary states with one of the mapping properties. */
export function statedMapping(source: string, type: string, target: string): Mapping {
  return { from: { memberSet: [{ uri: source }] }, to: { memberSet: [{ uri: target }] }, type: [type] }
}

/**
 * The identifiers of a mapping by its members and by its content, as jskos-tools makes them, without the identifiers
 * that it already has. The package would compute SHA-1 in JavaScript, which takes ten times as long.
 */
export function identifiersOf(mapping: Mapping): string[] {
  const members = `${JSON.stringify(mappingMembers(mapping))}\n`
  const content = `${JSON.stringify(mappingContent(mapping), CONTENT_FIELDS)}\n`
  const uris = (bundle: ConceptBundle) => conceptsOf(bundle).flatMap(({ uri }) => uri ?? [])
  const sides = [mapping.from, mapping.to].map((bundle) => uris(bundle).sort(compareCodePoints).join('|'))
  return [
    `mapping:${digest('sha256', [sides[0], typeOf(mapping), sides[1]].join(' '))}`,
    `urn:jskos:mapping:content:${digest('sha1', content)}`,
    `urn:jskos:mapping:members:${digest('sha1', members)}`,
  ]
}

const CONTENT_FIELDS = [
  'from',
  'fromScheme',
  'to',
  'toScheme',
  'type',
  'memberSet',
  'memberList',
  'memberChoice',
  'uri',
]

function digest(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest('hex')
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The id of a mapping in the path of its address: the UUID that its URI ends in, else one made of the URI (RFC 9562,
 * section 5.5).
 */
export function mappingId(uri: string): string {
  return UUID.exec(uri)?.[0].toLowerCase() ?? uuidOf(uri)
}

/** The id of a mapping that a vocabulary states. */
export function statedMappingId(graph: string, source: string, type: string, target: string): string {
  return uuidOf([graph, source, type, target].join(' '))
}

/** The same UUID for the same text. */
export function uuidOf(text: string): string {
  const bytes = createHash('sha1').update(text).digest().subarray(0, 16)
  bytes[6] = 0x50 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The facts about an annotation that questions use (Web Annotation Data Model, as jskos-server has it). */
export interface MappingAnnotation {
  motivation: string
  /** `bodyValue`. */
  value: string
  /** The URI and the name of its creator. */
  creators: string[]
}

/** The annotations of a mapping, each kind of them once, in the order of their texts. */
export function annotationsOf({ annotations }: Mapping): MappingAnnotation[] {
  if (!Array.isArray(annotations)) return []
  const texts = annotations.filter(isObject).map((annotation) => {
    const { motivation, bodyValue, creator } = annotation
    const creators = isObject(creator) ? [creator['id'], creator['uri'], creator['name']] : [creator]
    return JSON.stringify({
      motivation: stringOrEmpty(motivation),
      value: stringOrEmpty(bodyValue),
      creators: creators.filter((name) => typeof name === 'string'),
    } satisfies MappingAnnotation)
  })
  return [...new Set(texts)].sort(compareCodePoints).map((text) => JSON.parse(text) as MappingAnnotation)
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
