import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work before other requests get a turn. */
const LONGEST_HOLD_MS = 10

/** Divides long work, so that other requests go on. */
export class Turn {
  #since = performance.now()

  /** True if the work should call `next` now. */
  get isOver(): boolean {
    return performance.now() - this.#since > LONGEST_HOLD_MS
  }

  /** Gives other requests a turn. */
  async next(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}
