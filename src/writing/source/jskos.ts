import { setImmediate } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import { FIELD, isJson, isLanguageMap, type Field, type RecordKind } from '../../graph/jskos/fields.ts'
import { toLinkedData, toQuads, withSkosType } from '../../graph/jskos/linked-data.ts'
import { isObject, withoutUndefined } from '../../base/json.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { readRecords } from '../../base/files/json-records.ts'
import { InputError, type Position } from '../../base/files/input-error.ts'

const RECORDS_AT_ONCE = 500

/** A nested JSKOS object with a URI, which is a copy of a record that may be elsewhere in the files. */
export interface Reference {
  uri: string
  /** Its fields, with nothing but the URIs of other resources. */
  record: AnyRecord
  /** True for a member of `concepts`: the whole record of a concept, unless the files have a separate one. */
  isMember: boolean
}

/** Takes what records of JSKOS have beside their own statements. */
export interface JskosListener {
  /** Called for each value that RDF cannot express, with the name of its field. */
  onDropped: (field: string) => void
  /** Called for each malformed qualified statement, with its path, and the record in N-Triples. */
  onWrongStatement: (path: string, about: string) => void
  onReference: (reference: Reference) => void
  /** Called for each URI within a record that is no IRI, with the record in N-Triples. */
  onWrongIri: (iri: string, about: string) => void
}

/** Counts nothing. */
export const SILENT: JskosListener = {
  onDropped: () => {},
  onWrongStatement: () => {},
  onReference: () => {},
  onWrongIri: () => {},
}

/**
 * The statements of JSKOS records: one object, an array, or one object per line. The listener gets the objects within
 * them that have a URI: these count only where the files have no record of this URI (docs/loading.md, "Loading").
 *
 * @param untyped the kind of a record without a type.
 * @throws InputError if the JSON is broken, or a record is not an object or has no IRI.
 */
export async function* parseJskos(
  text: AsyncIterable<string>,
  file: string,
  untyped: RecordKind = 'concept',
  listener: JskosListener = SILENT,
): AsyncGenerator<Quad[]> {
  let batch: Quad[] = []
  let records = 0
  for await (const { value, line } of readRecords(text, file)) {
    if (!isObject(value)) throw new InputError('expected a JSKOS record (a JSON object).', file, { line })
    const { uri } = value
    if (typeof uri !== 'string') throw new InputError('expected a JSKOS record with a uri.', file, { line })
    if (!isAbsoluteIri(uri))
      throw new InputError(`uri: expected an absolute IRI, found ${JSON.stringify(uri)}.`, file, { line })
    checkTexts(value, file, { line })
    const linked = withoutWrongIris(value, (iri) => listener.onWrongIri(iri, `<${uri}>`)) as AnyRecord
    const { concepts, ...typed } = withSkosType(linked, untyped)
    for (const quad of recordQuads(withoutCopies(withTypedTops(typed), listener), listener)) batch.push(quad)
    for (const concept of resources(concepts)) addMember(concept, uri, listener)
    if (++records % RECORDS_AT_ONCE > 0) continue
    yield batch
    batch = []
    await setImmediate()
  }
  if (batch.length > 0) yield batch
}

/** The statements of a record, or of a reference. */
export function recordQuads(record: AnyRecord, listener: Losses): Quad[] {
  return toQuads(toLinkedData(record, lossesOf(listener))!)
}

type Losses = Pick<JskosListener, 'onDropped' | 'onWrongStatement'>

const lossesOf = memoize(({ onDropped, onWrongStatement }: Losses) => {
  // As in other formats, SourceGraph finds ill-formed tags; this one stands for further languages.
  return {
    keepsTag: (tag: string) => tag !== '-',
    onDropped,
    onWrongStatement: (path: string, uri: unknown) =>
      onWrongStatement(path, typeof uri === 'string' ? `<${uri}>` : '_:'),
  }
}, new WeakMap())

/** Tells of a member of `concepts` (JSKOS 0.7, Concept Schemes). A member with nothing but its URI is no record. */
function addMember(concept: AnyRecord, scheme: string, listener: JskosListener): void {
  const typed = withSkosType({ ...concept, inScheme: [{ uri: scheme }] }, 'concept')
  const isMember = hasMoreThanUri(concept)
  listener.onReference({ uri: concept['uri'] as string, record: withoutCopies(typed, listener), isMember })
}

/** A vocabulary whose top concepts (JSKOS 0.7, Concept Schemes) are typed. One with nothing but its URI is a link. */
function withTypedTops(record: AnyRecord): AnyRecord {
  const { uri, topConcepts } = record
  if (!Array.isArray(topConcepts)) return record
  const typed = topConcepts.map((topConcept: unknown) =>
    isObject(topConcept) && hasMoreThanUri(topConcept)
      ? withSkosType({ ...topConcept, inScheme: [{ uri }] }, 'concept')
      : topConcept,
  )
  return { ...record, topConcepts: typed }
}

function hasMoreThanUri(record: AnyRecord): boolean {
  return Object.keys(record).some((name) => name !== 'uri')
}

function resources(value: unknown): AnyRecord[] {
  const members: unknown[] = Array.isArray(value) ? value : []
  return members.filter(isObject).filter(({ uri }) => typeof uri === 'string')
}

/** A record with only the URIs of other resources. The listener gets everything else that it states about them. */
export function withoutCopies(record: AnyRecord, listener: Pick<JskosListener, 'onReference'>): AnyRecord {
  const reduced: AnyRecord = {}
  for (const [name, value] of Object.entries(record)) {
    const field = FIELD.get(name)
    const hasNodes = field?.property !== undefined && !isValue(field) && !(isLanguageMap(field) && isObject(value))
    if (field?.kind === 'qualified' && isObject(value))
      reduced[name] = eachStatement(value, (statement) =>
        isObject(statement) ? withoutCopies(statement, listener) : statement,
      )
    else if (field?.kind === 'roles' && isObject(value))
      reduced[name] = eachStatement(value, (member) => withoutCopy(member, listener))
    else if (!hasNodes || typeof value !== 'object' || value === null) reduced[name] = value
    else if (Array.isArray(value)) reduced[name] = value.map((item: unknown) => withoutCopy(item, listener))
    else reduced[name] = withoutCopy(value, listener)
  }
  return reduced
}

/** True for a field whose values are JSON or texts, in which `uri` and `type` mean something else. */
function isValue(field: Field): boolean {
  return isJson(field) || field.kind === 'literal'
}

/** True for a field whose values are lists by property. */
function isByProperty(field: Field | undefined): boolean {
  return field?.kind === 'qualified' || field?.kind === 'roles'
}

/** A qualified map with each of its statements changed; or the members by their roles. */
function eachStatement(map: AnyRecord, change: (statement: unknown) => unknown): AnyRecord {
  const entries = Object.entries(map).map(([property, statements]) => {
    return [property, Array.isArray(statements) ? statements.map(change) : statements]
  })
  return Object.fromEntries(entries) as AnyRecord
}

function withoutCopy(item: unknown, listener: Pick<JskosListener, 'onReference'>): unknown {
  if (!isObject(item)) return item
  const { uri } = item
  const record = withoutCopies(item, listener)
  if (typeof uri !== 'string') return record
  // In JSKOS, whatever names a vocabulary repeats its type, but a file only has the vocabularies that it describes.
  const types = [record['type'] ?? []].flat().filter((type) => type !== CONCEPT_SCHEME)
  if (types.length > 0) record['type'] = types
  else delete record['type']
  if (hasMoreThanUri(record)) listener.onReference({ uri, record, isMember: false })
  return { uri }
}

/** Members without a field that have resources in them: the sides of mappings. */
const SIDES = ['from', 'to']

/** The members of a record that have resources in them. */
function hasResources(name: string): boolean {
  const field = FIELD.get(name)
  return field ? !isValue(field) && !isLanguageMap(field) : SIDES.includes(name)
}

/** Refuses texts of other types, which would be dropped silently. */
function checkTexts(value: unknown, file: string, at: Position): void {
  if (Array.isArray(value)) for (const item of value) checkTexts(item, file, at)
  if (!isObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    const field = FIELD.get(name)
    if (field && isLanguageMap(field) && isObject(member)) {
      for (const text of Object.values(member).flat()) {
        if (text === null || typeof text === 'string') continue
        throw new InputError(`${name}: expected texts by language, found ${JSON.stringify(text)}.`, file, at)
      }
    } else if (isByProperty(field) && isObject(member)) checkTexts(Object.values(member), file, at)
    else if (hasResources(name)) checkTexts(member, file, at)
  }
}

/** A value without the resources whose URI is no IRI, and without such types. */
function withoutWrongIris(value: unknown, onWrong: (iri: string) => void): unknown {
  const isRight = (iri: unknown) => {
    if (iri === null || iri === undefined || (typeof iri === 'string' && isAbsoluteIri(iri))) return true
    onWrong(typeof iri === 'string' ? iri : JSON.stringify(iri))
    return false
  }
  const clean = (item: unknown): unknown => {
    if (Array.isArray(item))
      return item.map(clean).filter((member, at) => member !== undefined || item[at] === undefined)
    if (!isObject(item)) return item
    if (!isRight(item['uri'])) return undefined
    const entries = Object.entries(item).map(([name, member]): [string, unknown] => {
      if (name === 'type') return [name, [member].flat().filter(isRight)]
      if (isByProperty(FIELD.get(name)) && isObject(member)) {
        return [name, eachStatement(member, (statement) => clean(statement) ?? null)]
      }
      return [name, hasResources(name) ? clean(member) : member]
    })
    return withoutUndefined(Object.fromEntries(entries))
  }
  return clean(value)
}
