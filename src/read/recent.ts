import { LRUCache } from 'lru-cache'
import type { StoreState } from '../http/store-state.ts'

export interface RecentOptions<Value> {
  state: StoreState
  /** The memory that a value takes, for instance in words. */
  sizeOf: (value: Value) => number
  /** `Recent` forgets values that took fewer milliseconds to find. */
  worthMs?: number
}

/** Memory for all values, as counted by `sizeOf`. */
const MEMORY = 300_000
const OVERHEAD = 100

/**
 * Remembers values that took long to find, for the next page and for other clients with the same question. A value stays
 * current for `StoreState.maxAgeMs`, unless the state of the store changes before.
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

  /** The remembered value for a query, or the result of `find`. */
  async get(query: string, find: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const { state: storeState, worthMs = 100 } = this.#options
    const known = this.#found.get(query)
    const isRecent = known !== undefined && performance.now() - known.at < storeState.maxAgeMs
    const state = await (isRecent ? storeState.present(signal) : storeState.recent(signal))
    if (isRecent && known.state === state) return known.value
    const at = performance.now()
    const value = await find()
    if (performance.now() - at >= worthMs) this.#found.set(query, { value, state, at })
    return value
  }
}
