import type { Page } from '../../interface/http/parameters.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { queryTemplate, type Bindings } from '../../graph/sparql/templates.ts'
import { inPieces, ofOneState, inOnePiece } from '../../interface/read/pieces.ts'
import type { RequestOptions, SparqlClient } from '../../graph/sparql/client.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { iri, literal, type SparqlTerm } from '../../graph/sparql/terms.ts'
import { formatIri, toRecords, type FormatRecord } from './record.ts'
import type { FormatConstants } from './shapes.ts'

/** Properties that filter a list. */
export const FILTERS = ['application', 'model', 'base', 'for', 'profiles', 'type'] as const

/** The values by property, of which a record has one; a property without values filters nothing. */
export type FormatFilters = Partial<Record<(typeof FILTERS)[number], SparqlTerm[]>>

/** A list of format records: its true length, and one page of it in pieces, in the code point order of the ids. */
interface FormatList {
  total: number
  records: AsyncIterable<FormatRecord[]>
}

/** The store and the constants that reading needs. */
interface FormatReading {
  client: SparqlClient
  constants: FormatConstants
  /** Ends the requests to the store, for instance when the client has gone away. */
  signal?: AbortSignal | undefined
}

/** Records to fetch and write at a time: few, so that they do not hold up the event loop for long. */
const CHUNK = 400

/**
 * One page of the records that pass all filters. A long page is fetched in pieces, the next one while one is written;
 * all come from the same state of the records, or the list breaks off.
 *
 * @throws ApiError if the store fails; the list throws ServiceUnavailableError if records changed during the request.
 */
export async function listFormats(reading: FormatReading, filters: FormatFilters, page: Page): Promise<FormatList> {
  if (page.limit === 0) return { total: await countFormats(reading, filters), records: inOnePiece([]) }
  if (page.limit <= CHUNK) {
    const select = queryTemplate('formats/list').bindSubselect(selection(filters, page))
    const [records, total] = await Promise.all([
      describe(reading, { subselect: { slot: 'f', select } }),
      countFormats(reading, filters),
    ])
    return { total, records: inOnePiece(records) }
  }
  const revision = await readRevision(reading)
  const iris = await selectIris(reading, filters, page)
  const isEnd = iris.length < page.limit && (iris.length > 0 || page.offset === 0)
  const total = isEnd ? page.offset + iris.length : await countFormats(reading, filters)
  const records = inPieces(iris, { size: CHUNK, ahead: 1 }, (piece) =>
    describe(reading, { terms: { f: piece.map(iri) } }),
  )
  return { total, records: ofOneState(records, revision, () => readRevision(reading)) }
}

/** The records with these ids, in the order of the ids; unknown ids are left out. */
export async function findFormats(reading: FormatReading, ids: readonly string[]): Promise<FormatRecord[]> {
  // No record has an id that is too long for an IRI.
  const iris = ids.map(formatIri).filter(isAbsoluteIri)
  const records = await describe(reading, { terms: { f: iris.map(iri) } })
  return records.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/** Returns the ids that have a record. */
export async function storedFormats(
  client: SparqlClient,
  ids: readonly string[],
  options?: RequestOptions,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const query = queryTemplate('formats/known').bind({ terms: { id: ids.map((id) => literal(id)) } })
  const rows = await client.select(query, options)
  return new Set(rows.flatMap(({ id }) => id?.value ?? []))
}

function selection(filters: FormatFilters, page?: Page): Bindings {
  const terms = Object.fromEntries(Object.entries(filters).filter(([, values]) => values.length > 0))
  // DISTINCT takes half of the time, and a single value for each property finds nothing twice.
  const hasSeveralValues = Object.values(terms).some((values) => values.length > 1)
  const include = [...(hasSeveralValues ? ['several'] : []), ...(page ? ['order'] : [])]
  return { terms, include, ...(page ? { limit: page.limit, offset: page.offset } : {}) }
}

async function describe({ client, constants, signal }: FormatReading, bindings: Bindings): Promise<FormatRecord[]> {
  const query = queryTemplate('formats/describe').bind(bindings)
  return toRecords(await client.construct(query, { signal }), constants)
}

async function countFormats({ client, signal }: FormatReading, filters: FormatFilters): Promise<number> {
  const select = queryTemplate('formats/list').bindSubselect(selection(filters))
  const query = queryTemplate('formats/count').bind({ subselect: { slot: 'f', select } })
  const [row] = await client.select(query, { signal })
  return Number(row?.['count']?.value ?? 0)
}

async function selectIris({ client, signal }: FormatReading, filters: FormatFilters, page: Page): Promise<string[]> {
  const query = queryTemplate('formats/list').bind(selection(filters, page))
  const rows = await client.select(query, { signal })
  // Not every store orders by code points.
  rows.sort((a, b) => compareCodePoints(a['id']!.value, b['id']!.value))
  return rows.map(({ f }) => f!.value)
}

async function readRevision({ client, signal }: FormatReading): Promise<string | undefined> {
  const [row] = await client.select(queryTemplate('formats/revision').bind(), { signal })
  return row?.['revision']?.value
}
