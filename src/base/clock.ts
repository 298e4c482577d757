import { setTimeout as wait } from 'node:timers/promises'

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
