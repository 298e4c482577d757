import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import { until } from '../clock.ts'
import type { CallName, CallTypes } from './messages.ts'
import { CallMoves, ThreadLost, type WorkerThread } from './worker-thread.ts'

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000

interface SupervisedThreadOptions<Thread> {
  /** Gives a new thread, or one that is ready and has nothing to do. */
  build: () => Thread
  /** The work of the thread, as errors name it: `The store`. */
  what: string
  /** Calls that may wait; further ones are refused. */
  mostWaiting: number
  /**
   * If building a thread takes longer than `unrestedMs`, the next one begins only after `times` the excess. With
   * `rest`, the next call replaces a lost thread; undefined: it is replaced at once.
   */
  rest?: { times: number; unrestedMs: number }
  /** Receives the reason for the loss of a thread, or for a failure to build one. */
  onError: (error: unknown) => void
}

/** One thread that answers calls, replaced if it is lost. A call survives the loss unless it was the reason. */
export class SupervisedThread<Calls extends CallTypes, Thread extends WorkerThread<Calls> = WorkerThread<Calls>> {
  readonly #options: SupervisedThreadOptions<Thread>
  #thread: Promise<Thread> | undefined
  #current: Thread | undefined
  #noBuildBefore = 0
  /** Why the last attempt to build a thread failed. */
  #failure: unknown
  #isClosed = false

  constructor(options: SupervisedThreadOptions<Thread>) {
    this.#options = options
  }

  /** The thread whose loss matters; undefined while there is none. */
  get current(): Thread | undefined {
    return this.#current
  }

  /** True if the thread can begin a call now, or after short ones. */
  get isFree(): boolean {
    const thread = this.#current
    return thread !== undefined && thread.isAlive && !thread.isLong && thread.pending < this.#options.mostWaiting
  }

  /** True if there is a thread, or one is being built. */
  get isWanted(): boolean {
    return this.#thread !== undefined
  }

  /** Begins to build a thread if there is none and building one is possible now. */
  prepare(): void {
    if (this.#thread === undefined && !this.#isClosed && Date.now() >= this.#noBuildBefore) void this.#build(Infinity)
  }

  /** Builds the first thread. @throws DamageError; the error that kept the thread from starting */
  async start(): Promise<void> {
    const thread = this.#options.build()
    try {
      await thread.opened
    } catch (error) {
      await thread.close()
      throw error
    }
    this.#adopt(thread)
  }

  /**
   * Makes a call that another thread can repeat.
   *
   * @param deadline milliseconds since the epoch
   * @param gone aborted when nobody waits for the answer any more
   * @param moves gives true if another thread can begin the call, which would have to wait for a long one here
   * @throws ApiError; CallMoves; the errors of `WorkerThread.call`
   */
  async call<Name extends CallName<Calls>>(
    name: Name,
    callArguments: Calls[Name]['arguments'],
    deadline: number,
    gone?: AbortSignal,
    moves?: () => boolean,
  ): Promise<Calls[Name]['result']> {
    for (;;) {
      if (moves && !this.isFree && moves()) throw new CallMoves()
      const thread = await this.ready(deadline)
      try {
        return await thread.call(name, callArguments, deadline, gone, moves)
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error
        await thread.ended
      }
    }
  }

  /** The thread, as soon as there is one. @throws ApiError ServiceUnavailableError */
  async ready(deadline: number): Promise<Thread> {
    const { what, mostWaiting } = this.#options
    const late = () => unavailable(`${what} is being prepared.`, { cause: this.#failure })
    for (;;) {
      if (this.#isClosed) throw unavailable(`${what} is closing.`)
      const thread = await until(Math.max(deadline - Date.now(), 0), this.#thread ?? this.#build(deadline), late)
      if (!thread.isAlive) await thread.ended
      else if (thread.pending < mostWaiting) return thread
      else throw unavailable(`${what} has too many requests that wait.`)
    }
  }

  /** Replaces the present thread by one that is ready; the present one still answers its calls. */
  replaceBy(thread: Thread): void {
    const old = this.#current
    this.#adopt(thread)
    old?.closeWhenIdle()
  }

  /** Hands over the thread if it is ready and has nothing to do. */
  takeIdle(): Thread | undefined {
    const thread = this.#current
    if (!thread?.isAlive || thread.pending > 0) return undefined
    this.#current = undefined
    this.#thread = undefined
    return thread
  }

  /** Ends the thread and refuses further calls. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#current?.close()
  }

  #adopt(thread: Thread): void {
    this.#current = thread
    this.#thread = Promise.resolve(thread)
    void thread.ended.then((reason) => {
      if (this.#isClosed || this.#current !== thread) return
      this.#current = undefined
      this.#thread = undefined
      this.#options.onError(reason)
      if (this.#options.rest === undefined) void this.#build(Infinity)
    })
  }

  /** @throws ApiError ServiceUnavailableError if no thread may be built before the deadline */
  #build(deadline: number): Promise<Thread> {
    const restMs = this.#noBuildBefore - Date.now()
    if (Date.now() + restMs > deadline) {
      const retryAfter = Math.ceil(restMs / 1000)
      throw unavailable(`${this.#options.what} is resting after a query that was ended.`, { retryAfter })
    }
    return (this.#thread = this.#buildUntilReady(restMs))
  }

  async #buildUntilReady(restMs: number): Promise<Thread> {
    const { build, rest, onError } = this.#options
    if (restMs > 0) await sleep(restMs, undefined, { ref: false })
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      const started = Date.now()
      const thread = build()
      this.#failure = undefined
      await thread.opened.catch((error: unknown) => (this.#failure = error))
      const pauseMs = rest ? rest.times * Math.max(Date.now() - started - rest.unrestedMs, 0) : 0
      this.#noBuildBefore = Date.now() + pauseMs
      // Meanwhile this may have been closed, or another thread may have taken the place.
      if (this.#isClosed || this.#current) {
        await thread.close()
        return this.#current ?? thread
      }
      if (this.#failure === undefined) {
        this.#adopt(thread)
        return thread
      }
      onError(this.#failure)
      await thread.close()
      await sleep(Math.max(retryMs, pauseMs), undefined, { ref: false })
    }
  }
}
