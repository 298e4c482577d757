import { LRUCache } from 'lru-cache'
import type { StoreState } from './store-state.ts'

interface StoreCacheOptions<Value> {
  state: StoreState
  /** Memory for all values, in the unit of `sizeOf`. */
  maxSize: number
  /** The memory that a value takes together with its key. */
  sizeOf: (value: Value, key: string) => number
  /** `get` does not keep values that took fewer milliseconds to find. */
  worthMs?: number
  /**
   * Values stay if concepts are added to a vocabulary. The caller compares states to find out which are still true.
   */
  outliveAdditions?: boolean
}

interface CachedValue<Value> {
  value: Value
  state: string
  at: number
}

/**
 * A cache of values that were read from the store. A value counts while the store has the state that it had before the
 * value was read. Other programs may change the store without changing that state; such a change stays unnoticed for
 * `StoreState.maxAgeMs` at most, after the value was read or a look has proved that nobody has written.
 *
 * @example
 * const lists = new StoreCache<string[]>({ state, maxSize: 1000, sizeOf: () => 1 })
 * const uris = await lists.get(query, () => readList(query), signal)
 */
export class StoreCache<Value extends NonNullable<unknown>> {
  readonly #options: StoreCacheOptions<Value>
  readonly #entries: LRUCache<string, CachedValue<Value>>

  constructor(options: StoreCacheOptions<Value>) {
    const { state, maxSize, sizeOf, outliveAdditions = false } = options
    this.#options = options
    this.#entries = new LRUCache({ maxSize, sizeCalculation: ({ value }, key) => sizeOf(value, key) })
    state.onChange((isAddition) => {
      if (!(isAddition && outliveAdditions)) this.#entries.clear()
    })
  }

  /** The memory that all values take, in the unit of `sizeOf`. */
  get size(): number {
    return this.#entries.calculatedSize
  }

  /** True if there is a value that may be young enough; it still counts if the store has the same state. */
  mayHave(key: string): boolean {
    return this.#candidate(key) !== undefined
  }

  /** The value for a key if it was kept at one of the states of the store that are true now. */
  peek(key: string, ...states: readonly string[]): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && states.includes(entry.state) && this.#options.state.isYoung(entry.at) ? entry.value : undefined
  }

  /**
   * The value for a key if it still holds.
   *
   * @param look gives the state of the store; called only for a value that may be young enough. Undefined: the value is
   *    of no use.
   * @throws the errors of `look`.
   */
  async find(key: string, look: (value: Value) => Promise<string> | undefined): Promise<Value | undefined> {
    const entry = this.#candidate(key)
    if (!entry || (await look(entry.value)) !== entry.state) return undefined
    return this.#options.state.isYoung(entry.at) ? entry.value : undefined
  }

  /** @param state of the store before the value was read. */
  keep(key: string, value: Value, state: string): void {
    this.#entries.set(key, { value, state, at: performance.now() })
  }

  /**
   * The value for a key, or the result of `find`.
   *
   * @throws the errors of `find` and of the store.
   */
  async get(key: string, find: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const { state, worthMs = 0 } = this.#options
    const cached = await this.find(key, () => state.present(signal))
    if (cached !== undefined) return cached
    const before = await state.recent(signal)
    const started = performance.now()
    const value = await find()
    if (performance.now() - started >= worthMs) this.keep(key, value, before)
    return value
  }

  #candidate(key: string): CachedValue<Value> | undefined {
    const entry = this.#entries.get(key)
    const { state } = this.#options
    return entry && state.isYoung(entry.at) ? entry : undefined
  }
}
