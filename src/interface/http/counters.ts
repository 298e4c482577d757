import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.ts'

/** The number of keys that one limiter counts at a time; beyond it, the key that was idle for longest is forgotten. */
const MAX_KEYS = 10_000

/**
 * Counts in the memory of this process, in fixed windows. The store of express-rate-limit uses the clock of the
 * machine: if an operator sets it back by a day, clients at their limit stay refused for a day.
 */
export class MemoryCounters implements Store {
  readonly localKeys = true
  readonly #clock: Clock
  readonly #counts = new LRUCache<string, { hits: number; end: number }>({ max: MAX_KEYS })
  #windowMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  init({ windowMs }: Options): void {
    this.#windowMs = windowMs
  }

  increment(key: string): ClientRateLimitInfo {
    const now = this.#clock.elapsed()
    let count = this.#counts.get(key)
    if (!count || count.end <= now) this.#counts.set(key, (count = { hits: 0, end: now + this.#windowMs }))
    count.hits++
    return { totalHits: count.hits, resetTime: new Date(Date.now() + count.end - now) }
  }

  decrement(key: string): void {
    const count = this.#counts.get(key)
    if (count) count.hits--
  }

  resetKey(key: string): void {
    this.#counts.delete(key)
  }
}
