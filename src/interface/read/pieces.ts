import { setImmediate, setTimeout } from 'node:timers/promises'
import { ApiError, unavailable } from '../../base/errors.ts'

/** The pieces of a long list. */
interface Portion {
  /** Items to fetch and write at a time: few, so that other requests get a turn soon. */
  size: number
  /** Pieces to fetch ahead while another is being written. */
  ahead: number
}

/** The most concepts to describe in one request to the store: few enough that other requests get a turn. */
export const LARGEST_PIECE = 250

/** Concepts to describe at a time; the next ones are read while these are written. */
export const CONCEPTS_AT_A_TIME: Portion = { size: LARGEST_PIECE, ahead: 1 }

/** Known records as a list in pieces. */
export async function* inOnePiece<Record>(records: Record[]): AsyncGenerator<Record[]> {
  await Promise.resolve()
  if (records.length > 0) yield records
}

/**
 * The results of `fetch`, piece by piece in the order of the items; other requests get a turn in between.
 *
 * @param patient the signal of a request that gets a stream: if the store fails, all pieces but the first are read
 *    `patiently`; for the first one, the error can still have its own status.
 */
export async function* inPieces<Item, Piece>(
  items: readonly Item[],
  { size, ahead }: Portion,
  fetch: (items: readonly Item[]) => Promise<Piece>,
  patient?: AbortSignal,
): AsyncGenerator<Piece> {
  const fetching: Promise<Piece>[] = []
  let start = 0
  const fetchAhead = () => {
    for (; start < items.length && fetching.length <= ahead; start += size) {
      const read = fetch.bind(undefined, items.slice(start, start + size))
      const piece = patient && start > 0 ? patiently(read, patient) : read()
      // A piece that nobody reads must not become an unhandled rejection.
      piece.catch(() => undefined)
      fetching.push(piece)
    }
  }
  fetchAhead()
  while (fetching.length > 0) {
    const piece = await fetching.shift()!
    fetchAhead()
    yield piece
    await setImmediate()
  }
}

/** Milliseconds before a read is repeated. */
const PAUSES = [500, 2000]

/**
 * Reads a piece again if the store fails (502 to 504), so that a download of half an hour survives a busy moment of the
 * store.
 *
 * @param signal of the request; if it is aborted, nobody waits for the piece.
 */
export async function patiently<Piece>(read: () => Promise<Piece>, signal: AbortSignal): Promise<Piece> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      const isPassing = error instanceof ApiError && error.status > 500 && !signal.aborted
      if (!isPassing || attempt === PAUSES.length) throw error
      await setTimeout(PAUSES[attempt], undefined, { signal })
    }
  }
}

/**
 * Breaks off a list after its records, before its end, if the data have changed meanwhile.
 *
 * @param state of the store, which was `before` when the first of the records was read.
 */
export async function* ofOneState<Record, State>(
  records: AsyncIterable<Record>,
  before: State,
  readState: () => Promise<State>,
): AsyncGenerator<Record> {
  yield* records
  if ((await readState()) !== before) throw changed()
}

/** The error for data that changed during reading. */
export function changed(): ApiError {
  return unavailable('The data changed during the request; please retry.', { retryAfter: 1 })
}
