import { LRUCache } from 'lru-cache'
import type { StoreState } from '../http/store-state.ts'

export interface RecentOptions<Value> {
  state: StoreState
  /** The memory that a value takes, in words or the like. */
  sizeOf: (value: Value) => number
  /** What takes less time to find than this many milliseconds is not worth remembering. */
  worthMs?: number
}

/** Memory for all values, as `sizeOf` counts. */
const MEMORY = 300_000
const OVERHEAD = 100

/**
 * Remembers what took long to find: for the next page, and for the many who ask the same. Like an answer, what was found is
 * current while the state of the store is the one from before, for a short time.
 */
export class Recent<Value> {
  readonly #options: RecentOptions<Value>
  readonly #found: LRUCache<string, { value: Value; state: string; at: number }>

  constructor(options: RecentOptions<Value>) {
    this.#options = options
    this.#found = new LRUCache({
      maxSize: MEMORY,
      sizeCalculation: ({ value }) => options.sizeOf(value) + OVERHEAD,
    })
  }

  /** What was found for a query, or what `find` finds now. */
  async get(query: string, find: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const { state: storeState, worthMs = 100 } = this.#options
    const known = this.#found.get(query)
    const isRecent = known !== undefined && performance.now() - known.at < storeState.maxStalenessMs
    const state = await (isRecent ? storeState.present(signal) : storeState.recent(signal))
    if (isRecent && known.state === state) return known.value
    const at = performance.now()
    const value = await find()
    if (performance.now() - at >= worthMs) this.#found.set(query, { value, state, at })
    return value
  }
}
