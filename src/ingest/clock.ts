import { setTimeout as wait } from 'node:timers/promises'

/** The time, so that a test can let days pass. */
export interface Clock {
  /** Milliseconds since the epoch, by the clock of the machine, which may be set back or forward at any moment. */
  now(): number
  /** Milliseconds since some moment, by a clock that nobody sets: how much time has passed in this process. */
  elapsed(): number
  /** Resolves after some milliseconds, or when the signal is aborted; it never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
}
