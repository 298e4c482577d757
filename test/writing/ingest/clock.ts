import type { Clock } from '../../../src/base/clock.ts'

/** A clock that a test moves: hours pass in a moment, and sleepers wake up in order. */
export class TestClock implements Clock {
  /** Milliseconds that the clock of the machine is ahead of the time that has passed. */
  #start: number
  #elapsed = 0
  #sleepers: { at: number; wake: () => void }[] = []
  #sleeps = 0

  constructor(start = Date.parse('2026-03-01T08:00:00Z')) {
    this.#start = start
  }

  now(): number {
    return this.#start + this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  /** How often something has begun to sleep. */
  get sleeps(): number {
    return this.#sleeps
  }

  /** Sets the clock of the machine forward or, by a negative number, back. No time passes. */
  set(milliseconds: number): void {
    this.#start += milliseconds
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    this.#sleeps++
    return new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const sleeper = { at: this.#elapsed + milliseconds, wake: resolve }
      this.#sleepers.push(sleeper)
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((waiting) => waiting !== sleeper)
        resolve()
      })
    })
  }

  /** Moves on by some time; after each wake-up on the way it waits until all sleep again. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds
    await this.#quiet()
    for (;;) {
      const next = this.#sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#elapsed = Math.max(this.#elapsed, next.at)
      this.#sleepers = this.#sleepers.filter((waiting) => waiting !== next)
      next.wake()
      await this.#quiet()
    }
    this.#elapsed = end
  }

  /** Moves on until something is there. @returns it. */
  async passUntil<T>(there: Promise<T>): Promise<T> {
    let isThere = false
    const note = () => void (isThere = true)
    there.then(note, note)
    while (!isThere) {
      await this.pass(200)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return there
  }

  /** Moves on by some time at once, like a machine that was suspended: all sleepers whose time has come wake up now. */
  async leap(milliseconds: number): Promise<void> {
    await this.#quiet()
    this.#elapsed += milliseconds
    await this.pass(0)
  }

  /** Work that is done in between is real: it takes real time. */
  async #quiet(): Promise<void> {
    const deadline = Date.now() + 60_000
    do await new Promise((resolve) => setTimeout(resolve, 5))
    while (this.#sleepers.length === 0 && Date.now() < deadline)
  }
}
