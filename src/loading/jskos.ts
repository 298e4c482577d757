import { setImmediate } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import { FIELD, FIELDS, isLanguageMap, type RecordKind } from '../jskos/fields.ts'
import { toLinkedData, toQuads, withSkosType } from '../jskos/linked-data.ts'
import { isObject } from '../json.ts'
import type { AnyRecord } from '../jskos/record.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { readRecords } from '../files/json-records.ts'
import { InputError, type Position } from '../files/input-error.ts'

const RECORDS_AT_ONCE = 500

interface JskosListener {
  onDropped?: ((field: string) => void) | undefined
  onWrongIri?: ((iri: string, about: string) => void) | undefined
}

/**
 * The statements of JSKOS records: one object, an array, or one object per line.
 *
 * @param untyped the kind of a record without a type.
 * @param listener called for each value that RDF cannot say, with the name of its field; and for each URI within a record that is no
 *   IRI, with the record.
 * @throws InputError if the JSON is broken, or a record is not an object or has no IRI.
 */
export async function* parseJskos(
  text: AsyncIterable<string>,
  file: string,
  untyped: RecordKind = 'concept',
  { onDropped = () => {}, onWrongIri = () => {} }: JskosListener = {},
): AsyncGenerator<Quad[]> {
  // As in other formats, whoever takes the statements finds ill-formed tags; this one stands for further languages.
  const losses = { keepsTag: (tag: string) => tag !== '-', onDropped }
  let batch: Quad[] = []
  let records = 0
  for await (const { value, line } of readRecords(text, file)) {
    if (!isObject(value)) throw new InputError('expected a JSKOS record (a JSON object).', file, { line })
    const { uri } = value
    if (typeof uri !== 'string') throw new InputError('expected a JSKOS record with a uri.', file, { line })
    if (!isAbsoluteIri(uri))
      throw new InputError(`uri: expected an absolute IRI, found ${JSON.stringify(uri)}.`, file, { line })
    checkTexts(value, file, { line })
    const linked = withoutWrongIris(value, (iri) => onWrongIri(iri, `<${uri}>`)) as AnyRecord
    for (const record of withConcepts(withSkosType(linked, untyped))) {
      for (const quad of toQuads(toLinkedData(namingSchemes(record), losses)!)) batch.push(quad)
    }
    if (++records % RECORDS_AT_ONCE > 0) continue
    yield batch
    batch = []
    await setImmediate()
  }
  if (batch.length > 0) yield batch
}

/**
 * A record and, for a vocabulary, the concepts that it contains (JSKOS 0.7, Concept Schemes, `concepts` and `topConcepts`). A top
 * concept with nothing but its URI is a link.
 */
function withConcepts(record: AnyRecord): AnyRecord[] {
  const { uri, concepts, topConcepts } = record
  const tops = resources(topConcepts).filter((one) => Object.keys(one).some((name) => name !== 'uri'))
  // The record itself has the other fields of its top concepts.
  const listed = [...resources(concepts), ...tops.map(({ uri, type }): AnyRecord => ({ uri, type }))]
  return [record, ...listed.map((concept) => withSkosType({ ...concept, inScheme: [{ uri }] }, 'concept'))]
}

function resources(value: unknown): AnyRecord[] {
  const members: unknown[] = Array.isArray(value) ? value : []
  return members.filter(isObject).filter(({ uri }) => typeof uri === 'string')
}

/** The fields of a record that name vocabularies. */
const SCHEMES = [...FIELDS.flatMap(({ name, kind }) => (kind === 'schemes' ? [name] : [])), 'partOf']

/**
 * A record whose vocabularies have no types: in JSKOS everything that names a vocabulary repeats its type, but a file only has the
 * vocabularies that it describes.
 */
function namingSchemes(record: AnyRecord): AnyRecord {
  const named = { ...record }
  for (const name of SCHEMES) {
    const schemes = record[name]
    if (!Array.isArray(schemes)) continue
    named[name] = schemes.map((scheme: unknown) => (isObject(scheme) ? { ...scheme, type: undefined } : scheme))
  }
  return named
}

/** Members without a field that have resources in them: the sides of mappings. */
const SIDES = ['from', 'to']

/** The members of a record that have resources in them; in places, which are GeoJSON, `uri` and `type` may mean something else. */
function hasResources(name: string): boolean {
  const field = FIELD.get(name)
  return field ? field.kind !== 'json' && !isLanguageMap(field) : SIDES.includes(name)
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
    } else if (hasResources(name)) checkTexts(member, file, at)
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
      return [name, hasResources(name) ? clean(member) : member]
    })
    return Object.fromEntries(entries.filter(([, member]) => member !== undefined))
  }
  return clean(value)
}
