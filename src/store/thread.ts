import { Worker } from 'node:worker_threads'
import type { Change } from './dataset.ts'
import { DamageError } from '../durable/errors.ts'
import { ApiError } from '../errors.ts'
import { fromRoot } from '../root.ts'
import {
  type CallName,
  type Calls,
  type CancelMessage,
  OPENING,
  type ReplyMessage,
  SETTLED,
  type ThreadOptions,
} from './calls.ts'

/** A call got no answer because the thread ended for a reason unrelated to this call. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'

  constructor() {
    super('the thread ended')
  }
}

interface PendingCall {
  deadline: number
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  /** True if only the thread may end a late call, because otherwise its result would be unknown. */
  isWrite: boolean
  /** The caller has had an answer, but the thread may still be working on the call. */
  settled: boolean
}

const WATCH_INTERVAL_MS = 25
/** A call that had to wait for others still gets this share of the time limit, so that the thread does not end in vain. */
const LEAST_SHARE = 0.25
const KEPT_OUTPUT = 2000

let lastCallId = OPENING

/**
 * A thread that holds the dataset, seen from the process that started it.
 *
 * A call past its deadline fails with TimeoutError. If the thread is at work on it, this ends the thread, because nothing else
 * stops WebAssembly. The other calls fail with ThreadLost; another thread can repeat them.
 */
export class StoreThread {
  /** Resolves when the dataset is loaded. Rejects with DamageError, or with ApiError if the staged change is refused. */
  readonly opened: Promise<Calls['open']['result']>
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<Error>
  readonly #worker: Worker
  readonly #leastMs: number
  readonly #pending = new Map<number, PendingCall>()
  /** The current call of the thread: its id, and the time at which it began. */
  readonly #running = new BigInt64Array(new SharedArrayBuffer(16))
  #watch: NodeJS.Timeout | undefined
  #reason: Error | undefined
  /** True if the thread ended by itself. */
  #crashed = false
  #closesWhenIdle = false
  #output = ''

  /** @param timeoutMs the time limit of a query */
  constructor(options: ThreadOptions, timeoutMs: number) {
    this.#leastMs = timeoutMs * LEAST_SHARE
    this.#worker = new Worker(fromRoot('dist/store/thread-main.js'), {
      workerData: { options, running: this.#running },
      execArgv: [],
      stderr: true,
    })
    this.#worker.stderr.on('data', (text) => {
      this.#output = (this.#output + String(text)).slice(-KEPT_OUTPUT)
    })
    this.opened = new Promise((resolve, reject) => {
      this.#pending.set(OPENING, {
        deadline: Infinity,
        resolve: resolve as PendingCall['resolve'],
        reject,
        isWrite: false,
        settled: false,
      })
    })
    this.opened.catch(() => undefined)
    this.#worker.on('message', (reply: ReplyMessage) => this.#receive(reply))
    this.#worker.on('error', (error) => {
      this.#crashed = true
      this.#end(error)
    })
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#crashed ||= this.#reason === undefined
        this.#reason ??= new Error('the thread ended by itself')
        if (this.#output !== '') this.#reason.message += `; it had written: ${this.#output}`
        this.#abandon(this.#reason)
        resolve(this.#reason)
      })
    })
  }

  /** The number of unanswered calls. */
  get pending(): number {
    return this.#pending.size
  }

  get alive(): boolean {
    return this.#reason === undefined
  }

  /**
   * Makes a call; the thread performs calls in order.
   *
   * @param deadline milliseconds since the epoch
   * @param gone aborted when nobody waits for the answer any more; the thread skips the call if it has not begun
   * @throws ApiError the error that the thread answers; TimeoutError past the deadline; BackendError if the call made the thread crash
   * @throws ThreadLost
   */
  call<Name extends CallName>(
    name: Name,
    callArguments: Calls[Name]['arguments'],
    deadline = Infinity,
    gone?: AbortSignal,
  ): Promise<Calls[Name]['result']> {
    const id = ++lastCallId
    if (!this.alive) return Promise.reject(new ThreadLost())
    if (gone?.aborted) return Promise.reject(timeout())
    const cancel = () => {
      if (this.alive && this.#pending.has(id)) this.#worker.postMessage({ cancel: id } satisfies CancelMessage)
    }
    gone?.addEventListener('abort', cancel, { once: true })
    return new Promise((resolve, reject) => {
      const call = {
        deadline,
        resolve: resolve as PendingCall['resolve'],
        reject,
        isWrite: name === 'make',
        settled: false,
      }
      this.#pending.set(id, call)
      this.#worker.postMessage({ id, name, arguments: callArguments, deadline })
      this.#watch ??= setInterval(() => this.#endOverdue(), WATCH_INTERVAL_MS)
    })
  }

  /** Lets the thread make changes that are on disk; if it cannot, it ends. A closing thread skips them. */
  follow(changes: readonly Change[]): void {
    if (this.#closesWhenIdle) return
    for (const change of changes) this.call('follow', { change }).catch(() => undefined)
  }

  /** Resolves when all calls so far are done or cancelled. */
  async reach(): Promise<void> {
    if (!this.#closesWhenIdle) await this.call('reach', {}).catch(() => undefined)
  }

  /** Tells the thread that all its changes are on disk. */
  settle(): void {
    if (this.alive) this.#worker.postMessage(SETTLED)
  }

  /** Ends the thread, even in the middle of a call. */
  async close(reason = new Error('the thread was closed')): Promise<void> {
    this.#end(reason)
    await this.ended
  }

  /** Ends the thread when it has answered all calls made so far. */
  closeWhenIdle(): void {
    this.#closesWhenIdle = true
    if (this.#pending.size === 0) this.#end(new Error('the thread was closed'))
  }

  #receive(reply: ReplyMessage): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#stopWatching()
    if ('fatal' in reply) {
      const reason = reply.fatal === 'damage' ? new DamageError(reply.file, reply.place) : new Error(reply.message)
      this.#end(reason)
      call?.reject(reply.id === OPENING || reply.fatal !== 'crash' ? reason : crash(reason))
    } else if ('expired' in reply) call?.reject(timeout())
    else if ('error' in reply) {
      const { name, message, cause } = reply.error
      call?.reject(new ApiError(name, message, { cause }))
    } else call?.resolve(reply.result)
    if (this.#closesWhenIdle) this.closeWhenIdle()
  }

  #endOverdue(): void {
    const now = Date.now()
    const running = this.#pending.get(Number(Atomics.load(this.#running, 0)))
    const isEndless = running && now > running.deadline && now - Number(Atomics.load(this.#running, 1)) > this.#leastMs
    for (const call of this.#pending.values()) {
      if (call.settled || now <= call.deadline || (call.isWrite && !(isEndless && call === running))) continue
      call.settled = true
      call.reject(timeout())
    }
    if (isEndless) this.#end(new Error('a query ran past its deadline'))
  }

  #end(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    void this.#worker.terminate()
  }

  /** Fails the pending calls of an ended thread. All answers that it sent before its end have arrived. */
  #abandon(reason: Error): void {
    this.#stopWatching()
    const running = Number(Atomics.load(this.#running, 0))
    for (const [id, call] of this.#pending) {
      if (id === OPENING) call.reject(reason)
      else if (id === running && !call.settled && this.#crashed) call.reject(crash(reason))
      else call.reject(new ThreadLost())
    }
    this.#pending.clear()
  }

  #stopWatching(): void {
    clearInterval(this.#watch)
    this.#watch = undefined
  }
}

function timeout(): ApiError {
  return new ApiError('TimeoutError', 'The query took longer than it may and was ended.')
}

function crash(cause: Error): ApiError {
  return new ApiError('BackendError', 'The request needs more memory than the store has, or nests too deeply.', {
    cause,
  })
}
