import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../errors.ts'

/** How a long list is fetched. */
export interface Portion {
  /** Items that are fetched, made and written at a time: few enough to go on with other requests soon. */
  size: number
  /** Pieces that are fetched while one is being written. */
  ahead: number
}

/** What is there already, as a list in pieces. */
export async function* once<Record>(records: Record[]): AsyncGenerator<Record[]> {
  await Promise.resolve()
  if (records.length > 0) yield records
}

/** What `fetch` makes of items, piece by piece in their order; other requests go on in between. */
export async function* inPieces<Item, Piece>(
  items: readonly Item[],
  { size, ahead }: Portion,
  fetch: (items: readonly Item[]) => Promise<Piece>,
): AsyncGenerator<Piece> {
  const fetching: Promise<Piece>[] = []
  let start = 0
  const fetchAhead = () => {
    for (; start < items.length && fetching.length <= ahead; start += size) {
      const piece = fetch(items.slice(start, start + size))
      // A piece that nobody comes to read must not become an unhandled rejection.
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

/**
 * Breaks a list off, after its records and before its end, where what it was read from has changed meanwhile.
 *
 * @param state of the store, as it was `before` the first of the records was read and as it is now.
 */
export async function* ofOneState<Record, State>(
  records: AsyncIterable<Record>,
  before: State,
  readState: () => Promise<State>,
): AsyncGenerator<Record> {
  yield* records
  if ((await readState()) !== before) throw changed()
}

/** What was being read has changed. */
export function changed(): ApiError {
  return new ApiError('ServiceUnavailableError', 'What you ask for was being changed; please ask again.', {
    retryAfter: 1,
  })
}
