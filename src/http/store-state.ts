export interface StoreStateOptions {
  /** The state of the store as a short text that changes with every load and every ingest. */
  readState: (signal: AbortSignal | undefined) => Promise<string>
  /** How long what was read may be taken for current although something else than the service may have written. */
  maxStalenessMs: number
}

/**
 * The state of the store, remembered. Any state from before something is read from the store will do to be kept beside
 * it; only with the present one it will be known to be unchanged.
 */
export class StoreState {
  readonly #options: StoreStateOptions
  #last: { state: string; at: number } | undefined

  constructor(options: StoreStateOptions) {
    this.#options = options
  }

  /** How long what was read may be taken for current, in milliseconds. */
  get maxStalenessMs(): number {
    return this.#options.maxStalenessMs
  }

  /** What the store says now. */
  async present(signal: AbortSignal | undefined): Promise<string> {
    const at = performance.now()
    const state = await this.#options.readState(signal)
    this.#last = { state, at }
    return state
  }

  /** What the store said a short time ago, or says now. */
  async recent(signal: AbortSignal | undefined): Promise<string> {
    const isRecent = this.#last !== undefined && performance.now() - this.#last.at < this.#options.maxStalenessMs
    return isRecent ? this.#last!.state : this.present(signal)
  }
}
