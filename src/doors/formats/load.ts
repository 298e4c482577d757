import { randomUUID } from 'node:crypto'
import { FORMATS_GRAPH, REVISION } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { iri, literal, type SparqlTerm, triple } from '../../graph/sparql/terms.ts'
import { storedFormats } from './select.ts'
import { formatIri, formatTriples, type FormatRecord } from './record.ts'
import { basename } from 'node:path'
import type { Violation } from '../../base/errors.ts'
import { fileNames, InputError } from '../../base/files/input-error.ts'
import { readRecords } from '../../base/files/json-records.ts'
import { readText } from '../../base/files/text.ts'
import { quoted } from '../../base/unicode.ts'
import { compileCheck } from './check.ts'
import type { FormatConstants } from './shapes.ts'

/** A link of a record to an id that has no record. */
interface UnknownLink {
  /** The id of the record. */
  id: string
  path: string
  target: string
}

interface LoadedFormats {
  added: number
  /** Records that replaced one with the same id. */
  replaced: number
  unknownLinks: UnknownLink[]
}

/**
 * Loads records in one transaction. Each replaces the record that has its id.
 *
 * @param records records that have passed the check.
 * @throws ApiError if the store fails.
 * @example
 * const records = await readFormatFiles(['formats.ndjson'], formatConstants(config))
 * const { added, replaced } = await loadFormats(client, records)
 */
export async function loadFormats(client: SparqlClient, records: readonly FormatRecord[]): Promise<LoadedFormats> {
  const ids = records.map(({ id }) => id)
  const links = records.flatMap(linksOf)
  const mentioned = new Set([...ids, ...links.map(({ target }) => target)])
  const storedIds = await storedFormats(client, [...mentioned], NO_DEADLINE)
  const triples = await formatTriples(records)
  if (records.length > 0) await change(client, ids, triples)
  const replaced = ids.filter((id) => storedIds.has(id)).length
  for (const id of ids) storedIds.add(id)
  return {
    added: records.length - replaced,
    replaced,
    unknownLinks: links.filter(({ target }) => !storedIds.has(target)),
  }
}

/**
 * Removes a record; links of other records to it stay.
 *
 * @returns true if there was one.
 * @throws ApiError if the store fails.
 */
export async function removeFormat(client: SparqlClient, id: string): Promise<boolean> {
  const isKnown = (await storedFormats(client, [id])).has(id)
  if (isKnown) await change(client, [id], [])
  return isKnown
}

async function change(client: SparqlClient, ids: readonly string[], triples: SparqlTerm[]): Promise<void> {
  const f = ids.map((id) => iri(formatIri(id)))
  const revision = [triple(iri(FORMATS_GRAPH), iri(REVISION), literal(randomUUID()))]
  const terms = { f, revision, ...(triples.length > 0 ? { triple: triples } : {}) }
  const update = queryTemplate('formats/change').bind({ terms, include: triples.length > 0 ? ['insert'] : [] })
  await client.update(update, FORMATS_GRAPH, NO_DEADLINE)
}

const LINKS = ['application', 'topConceptOf', 'broader', 'for', 'model', 'base', 'profiles', 'subsetof', 'element']

function linksOf(record: FormatRecord): UnknownLink[] {
  const links = LINKS.flatMap((name) => {
    const value = record[name] as string | string[] | undefined
    if (typeof value === 'string') return [{ id: record.id, path: name, target: value }]
    return (value ?? []).map((target, index) => ({ id: record.id, path: `${name}.${index}`, target }))
  })
  const schemas = (record['schemas'] ?? []) as { type: string }[]
  return [
    ...links,
    ...schemas.map(({ type }, index) => ({ id: record.id, path: `schemas.${index}.type`, target: type })),
  ]
}

/** A violation in a record of a file. */
interface FileViolation extends Violation {
  file: string
  /** Number of the record in the file, from 1. */
  record: number
  /** The line that the record begins in, from 1. */
  line: number
  /** The id of the record, if it has one. */
  id: string | undefined
}

/** Files with records that cannot be loaded. The message has one line for each violation, up to a limit. */
export class FormatsError extends Error {
  override readonly name = 'FormatsError'

  constructor(
    message: string,
    readonly violations: readonly FileViolation[] = [],
  ) {
    super(message)
  }
}

const MOST_LINES = 50

/**
 * Reads the records in files. Each file has one record, an array or NDJSON, also as .gz.
 *
 * @throws InputError naming line and column if a file cannot be read or is not JSON, or if there is no record at all.
 * @throws FormatsError with every violation in any of the files.
 */
export async function readFormatFiles(files: readonly string[], constants: FormatConstants): Promise<FormatRecord[]> {
  const values: unknown[] = []
  const places: { file: string; record: number; line: number }[] = []
  for (const file of files) {
    let record = 0
    for await (const { value, line } of readRecords(readText(file), file)) {
      values.push(value)
      places.push({ file: basename(file), record: ++record, line })
    }
  }
  if (values.length === 0) throw new InputError('found no records.', fileNames(files))
  const violations = compileCheck(constants)(values).map((violation) => ({
    ...violation,
    ...places[violation.record - 1]!,
  }))
  if (violations.length > 0) throw new FormatsError(describeViolations(violations), violations)
  return values as FormatRecord[]
}

function describeViolations(violations: readonly FileViolation[]): string {
  const lines = violations.slice(0, MOST_LINES).map(({ file, record, line, id, path, message }) => {
    const name = id === undefined ? '' : ` ${quoted(id)}`
    return `${file}, line ${line}, record ${record}${name}: ${path === '' ? '' : `${path}: `}${message}`
  })
  if (violations.length > MOST_LINES) lines.push(`... and ${violations.length - MOST_LINES} more`)
  return lines.join('\n')
}
