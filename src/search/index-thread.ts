import { Worker } from 'node:worker_threads'
import { DamageError, DiskError, HeldError } from '../durable/errors.ts'
import { ApiError } from '../errors.ts'
import { fromRoot } from '../root.ts'
import type { CallName, CallResult, IndexCalls, IndexThreadOptions, PlainError, ReplyMessage } from './index-calls.ts'

interface Pending {
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/**
 * A thread that reads or writes the index. It does not keep the process alive.
 *
 * It is no `WorkerThread`: that one ends a thread whose call is late, and to end a thread that has a connection of libsql open ends the
 * process. Here a call needs no end: each query is bounded.
 */
export class IndexThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  /** Resolves when the index is open. */
  readonly opened: Promise<void>
  readonly #ended: Promise<void>
  #last = 0
  #isAlive = true

  constructor(options: IndexThreadOptions) {
    this.#worker = new Worker(fromRoot('dist/search/thread-main.js'), { execArgv: [], workerData: options })
    this.#worker.unref()
    this.#ended = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.opened = new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }))
    this.opened.catch(() => (this.#isAlive = false))
    this.#worker.on('message', (message: ReplyMessage) => this.#take(message))
    this.#worker.on('error', (error) => this.#lose(error))
    this.#worker.on('exit', () => this.#lose(new Error('the thread of the search index has ended')))
  }

  /** False if it has ended, or could not open the index. */
  get isAlive(): boolean {
    return this.#isAlive
  }

  /**
   * @throws DamageError, DiskError, HeldError and ApiError of the call.
   */
  async call<Name extends CallName>(name: Name, ...values: Parameters<IndexCalls[Name]>): Promise<CallResult<Name>> {
    await this.opened
    const id = ++this.#last
    return new Promise<CallResult<Name>>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#worker.postMessage({ id, name, values })
    })
  }

  /** Ends the thread after the calls under way. */
  async close(): Promise<void> {
    await this.opened.catch(() => undefined)
    this.#worker.postMessage('close')
    await this.#ended
  }

  #take({ id, ...result }: ReplyMessage): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if ('error' in result) pending?.reject(toError(result.error))
    else pending?.resolve(result.value as never)
  }

  #lose(error: Error): void {
    this.#isAlive = false
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

function toError({ name, message, file = '', place = '' }: PlainError): Error {
  switch (name) {
    case 'DamageError':
      return new DamageError(file, place)
    case 'DiskError':
      return new DiskError(message)
    case 'HeldError':
      return new HeldError(message)
    case 'BackendError':
    case 'TimeoutError':
    case 'ServiceUnavailableError':
      return new ApiError(name, message)
    default:
      return new Error(message)
  }
}
