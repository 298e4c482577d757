import { CONCEPT, CONCEPT_SCHEME, SKOS } from '../namespaces.ts'
import type { FramedNode, FramedValue } from './frame.ts'
import { compareCodePoints, compareRecords, smallest } from './order.ts'
import type { Properties } from './properties.ts'
import { isSubsetNotation, isVocabularyId } from './vocabulary-id.ts'

/** A JSKOS object as it is sent. */
export type JskosRecord = Record<string, unknown>

/** What a request wants of every record. */
export interface RecordOptions {
  properties: Properties
  /** Tags to keep in language maps; undefined: all. */
  languages: readonly string[] | undefined
  /** Preferred tags, best first: which label is kept where none of `languages` is there. */
  preferred: readonly string[]
  /** Value of `@context`. */
  contextUrl: string
}

const MATCHES = ['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch']
const NOTES = ['altLabel', 'hiddenLabel', 'note', 'scopeNote', 'definition', 'example', 'historyNote', 'editorialNote']
const LANGUAGE_MAPS = [...NOTES, 'changeNote']
const DATES = ['created', 'issued', 'modified']
const STRING_SETS = ['notation', 'identifier']
/** Sets of concepts, which never contain the concept itself. */
const CONCEPT_SETS = ['broader', 'narrower', 'related', 'previous', 'next', 'replacedBy']
const ITEM_SETS = [
  'publisher',
  'license',
  'creator',
  'contributor',
  'source',
  'partOf',
  'subject',
  'startPlace',
  'endPlace',
]
const OTHER_ITEM_SETS = [...ITEM_SETS, 'place']

/** The fields that are arrays, so that one that was asked for is never left out. */
const SCHEME_ARRAYS = [...STRING_SETS, ...OTHER_ITEM_SETS, 'depiction']
const CONCEPT_ARRAYS = [...SCHEME_ARRAYS, ...CONCEPT_SETS, 'inScheme', 'topConceptOf']

/**
 * A concept in JSKOS 0.7 from its framed node.
 *
 * @param hasNarrower whether there are children, for a record that does not list them.
 */
export function conceptRecord(node: FramedNode, hasNarrower: boolean, options: RecordOptions): JskosRecord {
  const { properties } = options
  const uri = node['uri'] as string
  const record = itemRecord(node, CONCEPT, options)
  for (const name of ['inScheme', 'topConceptOf'] as const) {
    if (!properties.has(name)) continue
    record[name] = items(node[name], options).map(schemeLinkOnce)
  }
  for (const name of CONCEPT_SETS) {
    if (!properties.has(name)) continue
    const others = items(node[name], options).filter((other) => other['uri'] !== uri)
    if (others.length > 0 || name === 'broader') record[name] = others
  }
  if (properties.requested('narrower')) record['narrower'] ??= []
  else if (properties.has('narrower')) record['narrower'] = hasNarrower ? [null] : []
  if (properties.has('deprecated')) {
    const deprecated = strings(node['deprecated'])[0]
    if (deprecated !== undefined) record['deprecated'] = deprecated === 'true' || deprecated === '1'
  }
  const mapping = MATCHES.flatMap((match) =>
    strings(node[match])
      .sort(compareCodePoints)
      .map((to) => ({ type: SKOS + match, from: uri, to })),
  )
  if (properties.has('mapping') && (mapping.length > 0 || properties.requested('mapping'))) record['mapping'] = mapping
  if (properties.has('mappings') && (mapping.length > 0 || properties.requested('mappings'))) {
    record['mappings'] = mapping.map(({ type, from, to }) => ({
      type: [type],
      from: { memberSet: [{ uri: from }] },
      to: { memberSet: [{ uri: to }] },
    }))
  }
  return closeSets(record, properties, CONCEPT_ARRAYS)
}

/** A concept as others name it: uri, label and notation, whatever the records themselves show. */
export function conceptLink(node: FramedNode, options: RecordOptions): JskosRecord {
  return nodeItem(node, options)
}

/** What is known of a vocabulary beside its framed node. */
export interface SchemeFacts {
  /** Its ids as the loader marked them; none where something else wrote the vocabulary. */
  ids: readonly string[]
  hasConcept: boolean
  hasTopConcept: boolean
}

/** A vocabulary or subset in JSKOS 0.7 from its framed node. */
export function schemeRecord(node: FramedNode, facts: SchemeFacts, options: RecordOptions): JskosRecord {
  const { properties } = options
  const record = itemRecord(node, CONCEPT_SCHEME, options)
  const uri = node['uri'] as string
  if (properties.has('notation')) record['notation'] = schemeNotations(strings(node['notation']), facts.ids)
  if (properties.has('identifier')) {
    const twin = uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`
    record['identifier'] = unique([...strings(node['identifier']).sort(compareCodePoints), twin]).filter(
      (id) => id !== uri,
    )
  }
  if (properties.has('languages')) {
    const languages = values(node['languages']).map((value) => {
      const text = typeof value === 'string' ? value : uriOf(value)
      return text?.split(/[/#]/).at(-1)?.toLowerCase() ?? ''
    })
    const tags = unique(languages.filter((tag) => /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/.test(tag))).sort(compareCodePoints)
    if (tags.length > 0 || properties.requested('languages')) record['languages'] = tags
  }
  if (properties.has('partOf')) {
    const wholes = items(node['partOf'], options).map(schemeLink)
    if (wholes.length > 0) record['partOf'] = wholes
  }
  for (const name of ['namespace', 'extent']) {
    const text = strings(node[name])[0]
    if (properties.has(name) && text) record[name] = text
  }
  if (properties.has('topConcepts')) record['topConcepts'] = facts.hasTopConcept ? [null] : []
  if (properties.has('concepts')) record['concepts'] = facts.hasConcept ? [null] : []
  return closeSets(record, properties, SCHEME_ARRAYS)
}

/**
 * The notations of a vocabulary: its ids first, then those that are no ids (docs/interface.md, "Vocabularies and subsets").
 *
 * @param ids its ids, where they are known; else they are told by their form.
 */
export function schemeNotations(notations: readonly string[], ids: readonly string[] = []): string[] {
  const isId = (notation: string) =>
    ids.length > 0 ? ids.includes(notation) : isVocabularyId(notation) || isSubsetNotation(notation)
  const sorted = unique(notations).sort(compareCodePoints)
  return [...sorted.filter(isId), ...sorted.filter((notation) => !isId(notation))]
}

/** The fields that concepts and vocabularies have in common (JSKOS 0.7, Resource and Item). */
function itemRecord(node: FramedNode, type: string, options: RecordOptions): JskosRecord {
  const { properties } = options
  const types = strings(node['type']).filter((other) => other !== type)
  const record: JskosRecord = {
    uri: node['uri'],
    type: [type, ...unique(types).sort(compareCodePoints)],
    '@context': options.contextUrl,
  }
  for (const name of STRING_SETS) {
    if (!properties.has(name)) continue
    const texts = unique(strings(node[name])).filter((text) => text !== '')
    if (texts.length > 0) record[name] = texts.sort(compareCodePoints)
  }
  if (properties.has('prefLabel')) {
    const labels = prefLabel(node['prefLabel'], options)
    if (labels) record['prefLabel'] = labels
  }
  for (const name of LANGUAGE_MAPS) {
    if (!properties.has(name)) continue
    const map = languageMap(node[name], options)
    if (map) record[name] = map
  }
  for (const name of DATES) {
    const date = properties.has(name) ? latestDate(strings(node[name])) : undefined
    if (date) record[name] = date
  }
  for (const name of OTHER_ITEM_SETS) {
    if (!properties.has(name) || name === 'partOf') continue
    const set = items(node[name], options)
    if (set.length > 0) record[name] = set
  }
  for (const name of ['startDate', 'endDate']) {
    const date = strings(node[name]).find((text) => /^-?\d{4}(-[01]\d(-[0-3]\d)?)?$/.test(text))
    if (properties.has(name) && date) record[name] = date
  }
  const url = strings(node['url']).find((text) => /^https?:\/\//.test(text))
  if (properties.has('url') && url) record['url'] = url
  const version = strings(node['version'])[0]
  if (properties.has('version') && version) record['version'] = version
  const depictions = strings(node['depiction'])
  if (properties.has('depiction') && depictions.length > 0) record['depiction'] = depictions.sort(compareCodePoints)
  const location = properties.has('location') ? geoJson(strings(node['location'])) : undefined
  if (location) record['location'] = location
  return record
}

function closeSets(record: JskosRecord, properties: Properties, arrays: readonly string[]): JskosRecord {
  for (const name of arrays) if (properties.requested(name)) record[name] ??= []
  return record
}

function schemeLink(scheme: JskosRecord): JskosRecord {
  const notations = scheme['notation'] as string[] | undefined
  return {
    ...scheme,
    ...(notations ? { notation: schemeNotations(notations) } : {}),
    type: [CONCEPT_SCHEME],
  }
}

const schemeLinks = new WeakMap<JskosRecord, JskosRecord>()

/** As schemeLink; what many records name is one object in all of them. */
function schemeLinkOnce(scheme: JskosRecord): JskosRecord {
  let link = schemeLinks.get(scheme)
  if (!link) schemeLinks.set(scheme, (link = schemeLink(scheme)))
  return link
}

/** The embedded nodes of a set, without duplicates, in the order of records. */
function items(value: FramedNode[string], options: RecordOptions): JskosRecord[] {
  if (value === undefined) return []
  const found = new Map<string, JskosRecord>()
  for (const one of values(value)) {
    const item = typeof one === 'string' ? textItem(one) : nodeItem(one, options)
    if (Object.keys(item).length > 0) found.set(itemUri(item), item)
  }
  if (found.size < 2) return [...found.values()]
  const keyed = [...found].map(([uri, item]) => ({
    key: smallest(item['notation'] as string[] | undefined),
    uri,
    item,
  }))
  return keyed.sort(compareRecords).map(({ item }) => item)
}

function itemUri(item: JskosRecord): string {
  return (item['uri'] as string | undefined) ?? JSON.stringify(item)
}

/** A text in place of a node becomes its label. */
function textItem(text: string): JskosRecord {
  if (text.trim() === '') return {}
  return /^https?:\/\/\S+$/.test(text) ? { uri: text } : { prefLabel: { und: text } }
}

/** What nodes have become for a request: one that many records name is one object in all of them. */
const nodeItems = new WeakMap<RecordOptions, WeakMap<FramedValue & object, JskosRecord>>()

function nodeItem(node: FramedValue & object, options: RecordOptions): JskosRecord {
  let known = nodeItems.get(options)
  if (!known) nodeItems.set(options, (known = new WeakMap()))
  const before = known.get(node)
  if (before) return before
  const item: JskosRecord = {}
  const uri = uriOf(node)
  if (uri !== undefined) item['uri'] = uri
  const labels = prefLabel(node['prefLabel'], options)
  if (labels) item['prefLabel'] = labels
  const notations = unique(strings(node['notation'])).filter((text) => text !== '')
  if (notations.length > 0) item['notation'] = notations.sort(compareCodePoints)
  known.set(node, item)
  return item
}

function prefLabel(value: FramedNode[string], options: RecordOptions): Record<string, string> | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const map = value as Record<string, string[]>
  const all = Object.keys(map)
    .filter((tag) => map[tag]!.some((text) => text !== ''))
    .sort(compareCodePoints)
  if (all.length === 0) return undefined
  const kept = options.languages ? all.filter((tag) => options.languages!.includes(tag)) : all
  const tags = kept.length > 0 ? kept : [options.preferred.find((tag) => all.includes(tag)) ?? all[0]!]
  const labels: Record<string, string> = {}
  for (const tag of tags) labels[tag] = smallest(map[tag]!.filter((text) => text !== ''))!
  return labels
}

function languageMap(value: FramedNode[string], options: RecordOptions): Record<string, string[]> | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const map = value as Record<string, string[]>
  const entries = Object.keys(map)
    .filter((tag) => !options.languages || options.languages.includes(tag))
    .sort(compareCodePoints)
    .map((tag) => [tag, unique(map[tag]!.filter((text) => text !== '')).sort(compareCodePoints)] as const)
    .filter(([, texts]) => texts.length > 0)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** The latest valid date, as a day where the store has a time (JSKOS 0.7, section Date); others are left out. */
function latestDate(texts: string[]): string | undefined {
  const dates = texts.flatMap((text) => {
    const match = /^(-?(\d{4})(?:-(\d\d)(?:-(\d\d))?)?)(?:T.*)?(?:Z|[+-]\d\d:\d\d)?$/.exec(text.trim())
    if (!match) return []
    const [, date, year, month, day] = match
    if (month !== undefined && (Number(month) < 1 || Number(month) > 12)) return []
    if (day !== undefined && !isDay(Number(year), Number(month), Number(day))) return []
    return [date!]
  })
  return dates.sort(compareCodePoints).at(-1)
}

/** Whether there is such a day, in the calendar of ISO 8601. */
function isDay(year: number, month: number, day: number): boolean {
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return day >= 1 && day <= days
}

function geoJson(texts: string[]): unknown {
  for (const text of texts) {
    try {
      const value = JSON.parse(text) as unknown
      if (typeof value === 'object' && value !== null && 'type' in value && 'coordinates' in value) return value
    } catch {
      // Not GeoJSON: the record goes without.
    }
  }
  return undefined
}

function values(value: FramedNode[string]): FramedValue[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function uriOf(value: FramedValue): string | undefined {
  const uri = typeof value === 'string' ? undefined : value['uri']
  return typeof uri === 'string' ? uri : undefined
}

function strings(value: FramedNode[string]): string[] {
  if (value === undefined) return []
  return values(value).flatMap((one) => (typeof one === 'string' ? [one] : (uriOf(one) ?? [])))
}

function unique<T>(list: readonly T[]): T[] {
  return list.length < 2 ? [...list] : [...new Set(list)]
}
