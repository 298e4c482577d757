import { setTimeout as wait, setImmediate } from 'node:timers/promises'
import { ApiError } from './errors.ts'

/** The time; tests replace it to let days pass. */
export interface Clock {
  /** Milliseconds since the epoch by the clock of the machine, which an operator may set at any moment. */
  now(): number
  /** Milliseconds since a moment in this process, by a clock that nobody can set. */
  elapsed(): number
  /** Resolves after some milliseconds, or when the signal is aborted. Never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
}

/** The longest time that a timer can wait (Node.js, "setTimeout"). */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Settles like the promise, or rejects as soon as the limit is reached. The promise keeps running.
 *
 * @param limit the signal that ends the waiting, or milliseconds, also Infinity.
 * @param leave gives the error to throw when the limit is reached.
 */
export function until<T>(limit: AbortSignal | number, promise: Promise<T>, leave: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(leave())
    if (typeof limit === 'number') {
      const timer = setTimeout(end, Math.min(limit, LONGEST_MS))
      promise.then(resolve, reject).finally(() => clearTimeout(timer))
      return
    }
    if (limit.aborted) end()
    limit.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => limit.removeEventListener('abort', end))
  })
}

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
