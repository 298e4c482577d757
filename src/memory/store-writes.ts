import type { OwnWrites, WriteCounters } from '../sparql/write-counters.ts'

export interface StoreWritesOptions {
  /** Reads the counters of the store. */
  readCounters: () => Promise<WriteCounters>
  own: OwnWrites
  /** The milliseconds without a look after one that has found no counters, because every answer would wait for it. */
  restMs?: number
}

const REST_MS = 10_000

/**
 * Tells whether others have written to a store, by the counters of its server: if these have not moved since something was read, but
 * for the requests of this process, it is still true.
 *
 * A look proves nothing while somebody writes, because the store may show the change before it counts the write as ended. A server
 * that has started anew counts as changed: its files may have been written to meanwhile.
 *
 * @example
 * const writes = new StoreWrites({ readCounters, own: client.ownWrites })
 * const count = await writes.look() // the same text as before: nobody has written anything
 */
export class StoreWrites {
  readonly #options: StoreWritesOptions
  #last: { startedAt: string; ofOthers: number } | undefined
  #provenAt = -Infinity
  #changes = 0
  #restsUntil = -Infinity

  constructor(options: StoreWritesOptions) {
    this.#options = options
  }

  /** A statement that was true when it was read in these `changes` is true at this time. */
  get provenAt(): number {
    return this.#provenAt
  }

  /** How often a look has shown that others may have written. */
  get changes(): number {
    return this.#changes
  }

  /** A text that changes with each write, by whomever; undefined if this look proves nothing. */
  async look(): Promise<string | undefined> {
    const { readCounters, own, restMs = REST_MS } = this.#options
    const at = performance.now()
    if (at < this.#restsUntil) return undefined
    const before = { pending: own.pending, counted: own.counted }
    // Without counters, everything is as it is over other stores.
    const counters = await readCounters().catch(() => undefined)
    if (!counters) this.#restsUntil = performance.now() + restMs
    const { pending, counted } = own
    const isQuiet = before.pending + pending === 0 && before.counted === counted
    if (!counters || counters.begun !== counters.ended || !isQuiet || at < this.#provenAt) return undefined
    const { startedAt, ended } = counters
    const ofOthers = ended - counted
    if (this.#last && (this.#last.startedAt !== startedAt || this.#last.ofOthers !== ofOthers)) this.#changes++
    this.#last = { startedAt, ofOthers }
    this.#provenAt = at
    return `${startedAt} ${ended}`
  }
}
