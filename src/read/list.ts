import type { JskosRecord } from '../jskos/record.ts'
import type { Page } from '../http/parameters.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { readRevisions } from '../memory/store-state.ts'
import { changed, ofOneState, inOnePiece } from './pieces.ts'

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

    const whole = await recordsIn({ records })
    if ((await state()) === before) return { total, records: inOnePiece(whole) }
    if (attempt === ATTEMPTS) throw changed()
  }
}

/** All records of the page of a list. */
export async function recordsIn<Item = JskosRecord>({ records }: { records: AsyncIterable<Item[]> }): Promise<Item[]> {
  const all: Item[] = []
  for await (const piece of records) all.push(...piece)
  return all
}

/** An empty list. */
export function nothing(): RecordList {
  return { total: 0, records: inOnePiece([]) }
}
