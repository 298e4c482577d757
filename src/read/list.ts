import type { JskosRecord } from '../jskos/record.ts'
import type { Page } from '../http/parameters.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { readRevisions } from '../memory/store-state.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { BoundSelect, BoundTemplate } from '../sparql/templates.ts'
import type { ReadDependencies } from './describe.ts'
import { changed, ofOneState, once } from './pieces.ts'

/** Words of a search text, each with the words that were looked for instead. */
export type ReplacedWords = ReadonlyMap<string, readonly string[]>

/** A list of records: its true length, and one page of it in pieces, in order. */
export interface RecordList {
  total: number
  /** The page, if it differs from the requested one. */
  page?: Page
  records: AsyncIterable<JskosRecord[]>
  /** A name for a file with the list. */
  name?: string | undefined
  /** If a search has forgiven typing errors: the words that no label has, each with those that it has looked for instead. */
  replaced?: ReplacedWords
}

/** Answers up to this length take one request to the store. */
export const ONE_REQUEST = 400

/** The service completes answers up to this length before it sends them, so that it can begin again. */
const WHOLE = 2000
const ATTEMPTS = 4

/** The parts of a long list. */
export interface LongList {
  /** The query for the concepts `?c` of the page, in order. */
  select: BoundTemplate
  /** The number of concepts, whatever the page. */
  count: () => Promise<number>
  /** The records of some concepts, in their order. */
  describe: (uris: readonly string[]) => AsyncIterable<JskosRecord[]>
}

/** A long page: first the URIs, then the records in pieces; the service fetches one piece while it writes another. */
export function longList(
  { client }: ReadDependencies,
  page: Page,
  signal: AbortSignal,
  { select, count, describe }: LongList,
): Promise<RecordList> {
  return listOfOneState(client, signal, async () => {
    const rows = await client.select(select, { signal })
    const uris = rows.flatMap((row) => row['c']?.value ?? [])
    const isEnd = uris.length < page.limit && (uris.length > 0 || page.offset === 0)
    const total = isEnd ? page.offset + uris.length : await count()
    return { total, shown: uris.length, records: describe(uris) }
  })
}

/**
 * A list that takes several requests to the store. If revisions show that the vocabularies have changed meanwhile, reading
 * begins again, or breaks off if a part of the list has been sent.
 *
 * @param read begins the list; `shown` is the number of its records.
 */
export async function listOfOneState(
  client: SparqlClient,
  signal: AbortSignal,
  read: () => Promise<RecordList & { shown: number }>,
): Promise<RecordList> {
  const state = () => readRevisions(client, signal)
  for (let attempt = 1; ; attempt++) {
    const before = await state()
    const { total, shown, records } = await read()
    if (shown > WHOLE) return { total, records: ofOneState(records, before, state) }

    const whole: JskosRecord[] = []
    for await (const piece of records) whole.push(...piece)
    if ((await state()) === before) return { total, records: once(whole) }
    if (attempt === ATTEMPTS) throw changed()
  }
}

/** An empty list. */
export function nothing(): RecordList {
  return { total: 0, records: once([]) }
}

/** The number of concepts of a selection; the service remembers it for a moment if it took long to find. */
export async function countConcepts(
  { client, counts }: ReadDependencies,
  select: BoundSelect,
  { isLong }: { isLong?: boolean },
  signal: AbortSignal | undefined,
): Promise<number> {
  const query = queryTemplate('describe/count').bind({ subselect: { slot: 'c', select } })
  const find = async () => {
    const [row] = await client.select(query, { signal })
    return Number(row?.['count']?.value ?? 0)
  }
  return isLong ? counts.get(query.text, find, signal) : find()
}
