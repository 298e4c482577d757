import { LRUCache } from 'lru-cache'
import { StoreState, type StoreStateOptions } from '../store-state.ts'
import type { Matches } from './matches.ts'

export interface RecentMatchesOptions extends StoreStateOptions {
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
  readonly #state: StoreState

  constructor(options: RecentMatchesOptions) {
    this.#options = options
    this.#state = new StoreState(options)
  }

  /** What was found for a query, or what `find` finds now. */
  async get(query: string, find: () => Promise<Matches>, signal: AbortSignal | undefined): Promise<Matches> {
    const { maxStalenessMs, worthMs = 100 } = this.#options
    const known = this.#found.get(query)
    const isRecent = known !== undefined && performance.now() - known.at < maxStalenessMs
    const state = await (isRecent ? this.#state.present(signal) : this.#state.recent(signal))
    if (isRecent && known.state === state) return known.matches
    const at = performance.now()
    const matches = await find()
    if (performance.now() - at >= worthMs) this.#found.set(query, { matches, state, at })
    return matches
  }
}
