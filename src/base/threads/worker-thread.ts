import { Worker, type ResourceLimits } from 'node:worker_threads'
import { DamageError } from '../durable/errors.ts'
import { fromRoot } from '../root.ts'
import {
  toError,
  type CallMessage,
  type CallName,
  type CallTypes,
  type CancelMessage,
  OPENING,
  type ReplyMessage,
  RunningCall,
} from './messages.ts'

/** A call got no answer because the thread ended for a reason unrelated to this call. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'

  constructor() {
    super('the thread ended')
  }
}

/** A call was taken from a thread that is at work on a long one, because another thread can begin it. */
export class CallMoves extends Error {
  override readonly name = 'CallMoves'

  constructor() {
    super('another thread takes the call')
  }
}

interface WorkerThreadOptions<Calls extends CallTypes> {
  /** The module that answers the calls, below `src/` without its extension. */
  module: string
  /** The value that the module gets as `workerData.options`; `workerData.running` is the memory of `RunningCall`. */
  options?: unknown
  resourceLimits?: ResourceLimits
  /** True: the thread keeps the process alive only while it has calls to answer. */
  isBackground?: boolean
  /**
   * A call past its deadline ends the thread only if the thread has been at work on it for this long, in milliseconds.
   */
  leastMs?: number
  /** Calls that only the thread may end when they are late, because otherwise nobody would know their result. */
  writes?: readonly CallName<Calls>[]
  /** True: the thread ends if nobody waits any more for one of its calls. */
  endsForNobody?: boolean
  errors: {
    /** A call past its deadline. */
    late: () => Error
    /** A call that made the thread end. */
    crashed: (reason: Error) => Error
  }
}

interface PendingCall {
  deadline: number
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  /** True if only the thread may end a late call. */
  isWrite: boolean
  /** True if another thread can begin the call now; undefined if only this thread may answer it. */
  moves: (() => boolean) | undefined
  /** The caller has had an answer, but the thread may still be working on the call. */
  isSettled: boolean
}

/** A call is long if a thread has been at work on it for this time, in milliseconds. */
const LONG_MS = 1000
const WATCH_INTERVAL_MS = 25
const KEPT_OUTPUT = 2000

let lastCallId = OPENING

/**
 * A thread that answers calls, seen from the process that started it.
 *
 * A call past its deadline fails. If the thread is at work on it, this ends the thread, because nothing else stops a
 * computation. The other calls fail with ThreadLost; another thread can repeat them.
 *
 * @example
 * const thread = new WorkerThread<StoreCalls>({ module: 'store/thread-main', options, errors })
 * await thread.opened
 * const answer = await thread.call('query', { http }, Date.now() + 10_000)
 */
export class WorkerThread<Calls extends CallTypes> {
  /** Resolves when the thread is ready. Rejects with DamageError, or with the error of a thread that cannot begin. */
  readonly opened: Promise<Calls['open']['result']>
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<Error>
  readonly #options: WorkerThreadOptions<Calls>
  readonly #worker: Worker
  readonly #pending = new Map<number, PendingCall>()
  readonly #running = new RunningCall()
  #watch: NodeJS.Timeout | undefined
  #reason: Error | undefined
  /** True if the thread ended by itself. */
  #isCrashed = false
  #closesWhenIdle = false
  #output = ''

  constructor(options: WorkerThreadOptions<Calls>) {
    this.#options = options
    const { module, resourceLimits, isBackground = false } = options
    this.#worker = new Worker(fromRoot(`dist/${module}.js`), {
      workerData: { options: options.options, running: this.#running.memory },
      execArgv: [],
      // A process stays alive while it reads the output of a thread.
      stderr: !isBackground,
      ...(resourceLimits && { resourceLimits }),
    })
    if (!isBackground) {
      this.#worker.stderr.on('data', (text) => {
        this.#output = (this.#output + String(text)).slice(-KEPT_OUTPUT)
      })
    }
    this.opened = new Promise((resolve, reject) => {
      this.#expect(OPENING, { deadline: Infinity, resolve, reject, isWrite: false, moves: undefined })
    })
    this.opened.catch(() => undefined)
    this.#worker.on('message', (reply: ReplyMessage) => this.#receive(reply))
    this.#worker.on('error', (error) => {
      this.#isCrashed = true
      this.#end(error)
    })
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isCrashed ||= this.#reason === undefined
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

  get isAlive(): boolean {
    return this.#reason === undefined
  }

  /** True while the thread is at work on a call that is long. */
  get isLong(): boolean {
    return this.#pending.has(this.#running.id) && Date.now() - this.#running.since > LONG_MS
  }

  /** True after `closeWhenIdle`. */
  get isClosing(): boolean {
    return this.#closesWhenIdle
  }

  /**
   * Makes a call; the thread performs calls in order.
   *
   * @param deadline milliseconds since the epoch
   * @param gone aborted when nobody waits for the answer any more; the thread skips the call if it has not begun
   * @param moves gives true if another thread can begin the call, which waits here for a long one
   * @throws the error that the thread answers, such as ApiError; `errors.late` past the deadline; `errors.crashed` if
   *   the call made the thread end
   * @throws ThreadLost; CallMoves
   */
  call<Name extends CallName<Calls>>(
    name: Name,
    callArguments: Calls[Name]['arguments'],
    deadline = Infinity,
    gone?: AbortSignal,
    moves?: () => boolean,
  ): Promise<Calls[Name]['result']> {
    const { writes = [], errors } = this.#options
    const id = ++lastCallId
    if (!this.isAlive) return Promise.reject(new ThreadLost())
    if (gone?.aborted) return Promise.reject(errors.late())
    const cancel = () => this.#cancel(id, gone?.reason as Error)
    gone?.addEventListener('abort', cancel, { once: true })
    const answer = new Promise<Calls[Name]['result']>((resolve, reject) => {
      this.#expect(id, { deadline, resolve, reject, isWrite: writes.includes(name), moves })
      this.send({ id, name, arguments: callArguments, deadline } satisfies CallMessage<Calls>)
      if (deadline < Infinity) this.#watch ??= setInterval(() => this.#look(), WATCH_INTERVAL_MS)
    })
    return gone ? answer.finally(() => gone.removeEventListener('abort', cancel)) : answer
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

  /** Sends a message that gets no answer. */
  protected send(message: unknown): void {
    if (this.isAlive) this.#worker.postMessage(message)
  }

  #expect(id: number, call: Omit<PendingCall, 'resolve' | 'isSettled'> & { resolve: (result: never) => void }): void {
    this.#pending.set(id, { ...call, resolve: call.resolve as PendingCall['resolve'], isSettled: false })
    if (this.#options.isBackground) this.#worker.ref()
  }

  #cancel(id: number, reason: Error): void {
    const call = this.#pending.get(id)
    if (!call) return
    if (!this.#options.endsForNobody) {
      this.#running.cancel(id)
      this.send({ cancel: id } satisfies CancelMessage)
      return
    }
    call.isSettled = true
    call.reject(reason)
    this.#end(new Error('nobody waits for the call any more'))
  }

  #receive(reply: ReplyMessage): void {
    const call = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#rest()
    if ('fatal' in reply) {
      const reason = reply.fatal === 'damage' ? new DamageError(reply.file, reply.place) : new Error(reply.message)
      this.#end(reason)
      const isCrash = reply.id !== OPENING && reply.fatal === 'crash'
      call?.reject(isCrash ? this.#options.errors.crashed(reason) : reason)
    } else if ('expired' in reply) call?.reject(this.#options.errors.late())
    else if ('error' in reply) {
      const error = toError(reply.error)
      if (reply.id === OPENING) this.#end(error)
      call?.reject(error)
    } else call?.resolve(reply.result)
    if (this.#closesWhenIdle) this.closeWhenIdle()
  }

  #look(): void {
    this.#endOverdue()
    if (this.isAlive && this.isLong) this.#move()
  }

  /** Gives up the calls that wait for a long one, as long as another thread can begin them. */
  #move(): void {
    for (const [id, call] of this.#pending) {
      if (call.isSettled || id === this.#running.id || !call.moves?.()) continue
      // The thread may be about to begin the call, so its answer stays expected.
      call.isSettled = true
      call.reject(new CallMoves())
      this.send({ cancel: id } satisfies CancelMessage)
    }
  }

  #endOverdue(): void {
    const { leastMs = 0, errors } = this.#options
    const now = Date.now()
    const running = this.#pending.get(this.#running.id)
    const isEndless = running && now > running.deadline && now - this.#running.since > leastMs
    for (const call of this.#pending.values()) {
      if (call.isSettled || now <= call.deadline || (call.isWrite && !(isEndless && call === running))) continue
      call.isSettled = true
      call.reject(errors.late())
    }
    if (isEndless) this.#end(new Error('a call ran past its deadline'))
  }

  #end(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    void this.#worker.terminate()
  }

  /** Fails the pending calls of an ended thread. All answers that it sent before its end have arrived. */
  #abandon(reason: Error): void {
    this.#rest()
    for (const [id, call] of this.#pending) {
      if (id === OPENING) call.reject(reason)
      else if (id === this.#running.id && !call.isSettled && this.#isCrashed) {
        call.reject(this.#options.errors.crashed(reason))
      } else call.reject(new ThreadLost())
    }
    this.#pending.clear()
  }

  /** No call is under way. */
  #rest(): void {
    clearInterval(this.#watch)
    this.#watch = undefined
    if (this.#options.isBackground) this.#worker.unref()
  }
}
