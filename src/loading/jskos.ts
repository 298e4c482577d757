import { readFileSync } from 'node:fs'
import type { Quad, Term } from '@rdfjs/types'
import type { ContextDefinition, JsonLdDocument } from 'jsonld'
import { CONCEPT, CONCEPT_SCHEME, SKOS } from '../namespaces.ts'
import { fromRoot } from '../root.ts'
import { isAbsoluteIri } from '../sparql/terms.ts'
import { readRecords } from '../files/json-records.ts'
import { InputError, type Position } from '../files/input-error.ts'

/** What a record without a type is. */
export type UntypedRecord = 'concept' | 'scheme'

type JskosRecord = Record<string, unknown>

/** The JSON-LD context of JSKOS records, as `shapes/context.json` has it. */
export function jskosContext(): { '@context': ContextDefinition } {
  return JSON.parse(readFileSync(fromRoot('shapes/context.json'), 'utf8')) as {
    '@context': ContextDefinition
  }
}

/** Whether a context address is the published JSKOS context, for which ours stands in. */
export function isJskosContext(url: string): boolean {
  return /^https?:\/\/gbv\.github\.io\/jskos\/.*context\.json$/.test(url)
}

const RECORDS_AT_ONCE = 500

/**
 * The statements of JSKOS records: an object, an array of them, or one a line.
 *
 * @throws InputError where the JSON is broken, or a record is no object, has no uri or a bad IRI.
 */
export async function* parseJskos(
  text: AsyncIterable<string>,
  file: string,
  untyped: UntypedRecord = 'concept',
): AsyncGenerator<Quad[]> {
  const { default: jsonld } = await import('jsonld')
  const context = jskosContext()
  let batch: { record: JskosRecord; line: number }[] = []
  let batches = 0
  const documentLoader = (url: string): Promise<never> =>
    Promise.reject(new InputError(`the context ${url} would have to be fetched.`, file))
  const toRdf = async (records: JskosRecord[]) => {
    const document = { ...context, '@graph': records } as unknown as JsonLdDocument
    return (await jsonld.toRDF(document, { documentLoader })) as unknown as Quad[]
  }
  const convert = async () => {
    const converted = batch
    batch = []
    batches++
    try {
      return (await toRdf(converted.map(({ record }) => record))).map((quad) => ownBlankNodes(quad, batches))
    } catch (error) {
      // jsonld does not say where: the first record that it refuses by itself.
      for (const { record, line } of converted) {
        await toRdf([record]).catch((cause: Error) => {
          throw cause instanceof InputError ? cause : new InputError(cause.message, file, { line })
        })
      }
      throw error
    }
  }
  for await (const { value, line } of readRecords(text, file)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new InputError('expected a JSKOS record (a JSON object).', file, { line })
    }
    batch.push({ record: prepare(value as JskosRecord, untyped, file, { line }), line })
    if (batch.length >= RECORDS_AT_ONCE) yield await convert()
  }
  if (batch.length > 0) yield await convert()
}

/** jsonld numbers the blank nodes of every batch anew. */
function ownBlankNodes(quad: Quad, batch: number): Quad {
  const rename = <T extends Term>(term: T): T =>
    term.termType === 'BlankNode' ? { ...term, value: `${batch}${term.value}` } : term
  return { ...quad, subject: rename(quad.subject), object: rename(quad.object) }
}

/** Members with which only a concept scheme is described (JSKOS 0.7, Concept Schemes). */
const SCHEME_MEMBERS = ['topConcepts', 'namespace', 'uriPattern', 'notationPattern', 'concepts', 'types', 'languages']
const MAPPING_TYPE = /^http:\/\/www\.w3\.org\/2004\/02\/skos\/core#(exact|close|broad|narrow|related)Match$/

/** What JSON-LD would pass over in silence or misread: open-world marks, missing types, mappings, IRIs that are none. */
function prepare(source: JskosRecord, untyped: UntypedRecord, file: string, at: Position): JskosRecord {
  if (typeof source.uri !== 'string') throw new InputError('expected a JSKOS record with a uri.', file, at)
  const { mappings, mapping, ...members } = source
  const record = clean(members, file, at) as JskosRecord
  const types = toArray(record.type).filter((type): type is string => typeof type === 'string')
  if (!types.some((type) => type.startsWith(SKOS))) {
    const isScheme =
      untyped === 'scheme' ||
      types.some((type) => type.includes('/nkostype#')) ||
      SCHEME_MEMBERS.some((member) => member in record)
    record.type = [isScheme ? CONCEPT_SCHEME : CONCEPT, ...types]
  }
  for (const entry of [...toArray(mappings), ...toArray(mapping)]) addMapping(record, entry as JskosRecord)
  return record
}

/** A mapping record of one concept to one other becomes the SKOS relation that it stands for. */
function addMapping(record: JskosRecord, mapping: JskosRecord): void {
  const types = toArray(mapping?.type).filter((type): type is string => typeof type === 'string')
  const relation = types.map((type) => MAPPING_TYPE.exec(type)?.[1]).find((name) => name !== undefined) ?? 'related'
  const members = (side: unknown): string[] =>
    typeof side === 'string'
      ? [side]
      : toArray((side as JskosRecord | undefined)?.memberSet)
          .map((member) => (member as JskosRecord | null)?.uri)
          .filter((uri) => typeof uri === 'string')
  const [from] = members(mapping?.from)
  const to = members(mapping?.to)
  if (to.length !== 1 || (from !== undefined && from !== record.uri) || !isAbsoluteIri(to[0]!)) return
  const term = `${relation}Match`
  record[term] = [...toArray(record[term]), to[0]]
}

/** Drops nulls and the key `-` (both say "there is more"), contexts of its own, and refuses uri values that are no IRI. */
function clean(value: unknown, file: string, at: Position): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map((item) => clean(item, file, at))
  if (typeof value !== 'object' || value === null) return value
  const members: JskosRecord = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === null || name === '-' || name === '@context') continue
    for (const iri of name === 'uri' || name === 'type' ? toArray(member) : []) {
      if (typeof iri !== 'string' || !isAbsoluteIri(iri)) {
        throw new InputError(`${name}: expected an absolute IRI, found ${JSON.stringify(iri)}.`, file, at)
      }
    }
    members[name] = clean(member, file, at)
  }
  return members
}

function toArray(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
}
