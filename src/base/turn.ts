import { setImmediate } from 'node:timers/promises'
import { ApiError } from './errors.ts'

/** Milliseconds of work before other requests get a turn. */
const LONGEST_TURN_MS = 10

/** Divides long work, so that other requests go on. */
export class Turn {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  /** @param signal aborted at the deadline of the work. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** True if the work should call `next` now. */
  get isOver(): boolean {
    return performance.now() - this.#since > LONGEST_TURN_MS
  }

  /**
   * Gives other requests a turn.
   *
   * @throws ApiError TimeoutError after the deadline.
   */
  async next(): Promise<void> {
    await setImmediate()
    if (this.#signal?.aborted) {
      throw new ApiError('TimeoutError', 'The request takes longer than a request may.', { isCostly: true })
    }
    this.#since = performance.now()
  }
}
