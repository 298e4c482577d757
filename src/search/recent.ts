import { LRUCache } from 'lru-cache'
import type { Matches } from './matches.ts'

export interface RecentMatchesOptions {
  /** The state of the store as a short text that changes with every load and every ingest. */
  readState: (signal: AbortSignal | undefined) => Promise<string>
  /** How long matches may be taken for current although something else than the service may have written. */
  maxStalenessMs: number
  /** What takes less time to find than this many milliseconds is not worth remembering. */
  worthMs?: number
}

/** Memory for matches, in URIs. */
const MEMORY = 300_000

/**
 * Remembers matches that took long to find: for the next page, and for the many who type the same first letters. Like
 * an answer, matches are current while the state of the store is the one from before they were found, for a short time.
 */
export class RecentMatches {
  readonly #options: RecentMatchesOptions
  readonly #found = new LRUCache<string, { matches: Matches; state: string; at: number }>({
    maxSize: MEMORY,
    sizeCalculation: ({ matches }) => matches.total + 100,
  })
  /** The state when it was last read: any state from before a search will do for what that search finds. */
  #state: string | undefined

  constructor(options: RecentMatchesOptions) {
    this.#options = options
  }

  /** What was found for a query, or what `find` finds now. */
  async get(query: string, find: () => Promise<Matches>, signal: AbortSignal | undefined): Promise<Matches> {
    const { readState, maxStalenessMs, worthMs = 100 } = this.#options
    const known = this.#found.get(query)
    const isRecent = known !== undefined && performance.now() - known.at < maxStalenessMs
    if (isRecent || this.#state === undefined) this.#state = await readState(signal)
    const state = this.#state
    if (isRecent && known.state === state) return known.matches
    const at = performance.now()
    const matches = await find()
    if (performance.now() - at >= worthMs) this.#found.set(query, { matches, state, at })
    return matches
  }
}
