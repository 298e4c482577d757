import { randomUUID } from 'node:crypto'
import { FORMATS_GRAPH, REVISION } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { iri, literal, type SparqlTerm, triple } from '../../graph/sparql/terms.ts'
import { storedFormats } from './select.ts'
import { formatIri, formatTriples, type FormatRecord } from './record.ts'

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
