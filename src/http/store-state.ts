export interface StoreStateOptions {
  /** Reads the state of the store as a short text that changes with every load and every ingest. */
  readState: (signal: AbortSignal | undefined) => Promise<string>
  /** How long data count as current after reading, although other programs may write to the store. */
  maxStalenessMs: number
  /** Only this process can write to the store. */
  isOwn?: boolean
  /** Others write to the store at any time, and a read must never give older data than the read before. */
  isReplica?: boolean
  /** Called when the state has changed. */
  onChange?: () => void
}

/** Many requests at once share one look at the state. */
const NOW_MS = 50

/**
 * The state of the store, remembered. To label data with the state before they were read, any earlier state will do; only
 * the present state proves that nothing has changed.
 */
export class StoreState {
  readonly #options: StoreStateOptions
  #last: { state: string; at: number } | undefined
  #reading: { state: Promise<string>; at: number } | undefined
  /** States read before this time do not count. */
  #since = 0
  /** When something was last read from a replica. */
  #readAt = -Infinity

  constructor(options: StoreStateOptions) {
    this.#options = options
  }

  /** How long data count as current after reading, in milliseconds. */
  get maxStalenessMs(): number {
    return this.#options.maxStalenessMs
  }

  /** How long an answer stays valid while the state stays the same, in milliseconds. */
  get maxAgeMs(): number {
    return this.#options.isOwn ? Infinity : this.#options.maxStalenessMs
  }

  /** The present state of the store. */
  async present(signal?: AbortSignal): Promise<string> {
    const at = performance.now()
    const state = await this.#options.readState(signal)
    if (state !== this.#last?.state) this.#options.onChange?.()
    // A reading that ends after a later one does not count.
    if (at >= this.#since && at >= (this.#last?.at ?? at)) this.#last = { state, at }
    return state
  }

  /** The state of a moment ago. */
  async now(): Promise<string> {
    if (this.#isYounger(Math.min(NOW_MS, this.maxStalenessMs))) return this.#last!.state
    if (!this.#reading || this.#reading.at <= Math.max(this.#readAt, this.#last?.at ?? -Infinity)) {
      const at = performance.now()
      // Without the signal of a request, because others wait for it, too.
      const state = this.present().finally(() => {
        if (this.#reading?.state === state) this.#reading = undefined
      })
      this.#reading = { state, at }
    }
    return this.#reading.state
  }

  /** The state of a short time ago, or of now. */
  async recent(signal: AbortSignal | undefined): Promise<string> {
    return this.#isYounger(this.maxStalenessMs) ? this.#last!.state : this.present(signal)
  }

  /**
   * Call it after any other read from the store: a replica may have shown a later state than the known one, which makes
   * everything remembered with that one too old.
   */
  noteRead(): void {
    if (this.#options.isReplica) this.#readAt = performance.now()
  }

  /** Forgets the state, because this process has changed the store. */
  forget(): void {
    if (this.#last) this.#last.at = -Infinity
    this.#reading = undefined
    this.#since = performance.now()
    this.#options.onChange?.()
  }

  #isYounger(milliseconds: number): boolean {
    const { at = -Infinity } = this.#last ?? {}
    return at > this.#readAt && performance.now() - at < milliseconds
  }
}
