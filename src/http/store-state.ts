export interface StoreStateOptions {
  /** The state of the store as a short text that changes with every load and every ingest. */
  readState: (signal: AbortSignal | undefined) => Promise<string>
  /** How long something that was read counts as current, although programs may write past the service. */
  maxStalenessMs: number
}

/**
 * The state of the store, remembered. To keep beside something that is read, any earlier state will do; to know that
 * nothing has changed, only the present one.
 */
export class StoreState {
  readonly #options: StoreStateOptions
  #last: { state: string; at: number } | undefined

  constructor(options: StoreStateOptions) {
    this.#options = options
  }

  /** How long something that was read counts as current, in milliseconds. */
  get maxStalenessMs(): number {
    return this.#options.maxStalenessMs
  }

  /** The state that the store has now. */
  async present(signal: AbortSignal | undefined): Promise<string> {
    const at = performance.now()
    const state = await this.#options.readState(signal)
    this.#last = { state, at }
    return state
  }

  /** The state of a short time ago, or of now. */
  async recent(signal: AbortSignal | undefined): Promise<string> {
    const isRecent = this.#last !== undefined && performance.now() - this.#last.at < this.#options.maxStalenessMs
    return isRecent ? this.#last!.state : this.present(signal)
  }
}
