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

/**
 * The statements of JSKOS records: one object, an array, or one object per line.
 *
 * @param untyped the kind of a record without a type.
 * @param onDropped called for each value that RDF cannot say, with the name of its field.
 * @throws InputError if the JSON is broken, or a record is not an object, has no uri or a bad IRI.
 */
export async function* parseJskos(
  text: AsyncIterable<string>,
  file: string,
  untyped: RecordKind = 'concept',
  onDropped: (field: string) => void = () => {},
): AsyncGenerator<Quad[]> {
  // As in other formats, whoever takes the statements finds ill-formed tags; this one stands for further languages.
  const losses = { keepsTag: (tag: string) => tag !== '-', onDropped }
  let batch: Quad[] = []
  let records = 0
  for await (const { value, line } of readRecords(text, file)) {
    if (!isObject(value)) throw new InputError('expected a JSKOS record (a JSON object).', file, { line })
    if (typeof value['uri'] !== 'string') throw new InputError('expected a JSKOS record with a uri.', file, { line })
    check(value, file, { line })
    for (const record of withConcepts(withSkosType(value, untyped))) {
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

/**
 * Refuses values that would be dropped silently: a uri or type that is not an IRI, and texts of other types. In places, which are
 * GeoJSON, and in members that are no fields, these names may mean something else.
 */
function check(value: unknown, file: string, at: Position): void {
  if (Array.isArray(value)) for (const item of value) check(item, file, at)
  if (!isObject(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (member === null || name === '@context') continue
    for (const iri of name === 'uri' || name === 'type' ? [member].flat() : []) {
      if (iri !== null && (typeof iri !== 'string' || !isAbsoluteIri(iri))) {
        throw new InputError(`${name}: expected an absolute IRI, found ${JSON.stringify(iri)}.`, file, at)
      }
    }
    const field = FIELD.get(name)
    if (field && isLanguageMap(field) && isObject(member)) {
      for (const text of Object.values(member).flat()) {
        if (text === null || typeof text === 'string') continue
        throw new InputError(`${name}: expected texts by language, found ${JSON.stringify(text)}.`, file, at)
      }
    } else if (field ? field.kind !== 'json' : SIDES.includes(name)) check(member, file, at)
  }
}
