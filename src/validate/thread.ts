import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { ApiError } from '../errors.ts'
import { fromRoot } from '../root.ts'
import type { JskosOptions } from './jskos.ts'
import { TEXT_FORMATS, type TextFormat, type ValidationReport } from './report.ts'

/** A text to check. */
export interface ValidationTask extends JskosOptions {
  data: Uint8Array
  /** Undefined: the thread finds out from the text. */
  format?: TextFormat | undefined
}

/** The task as the thread gets it. */
export type ThreadTask = Omit<ValidationTask, 'data'> & { file: string }

/** A report, the reason why the text gets none, or a defect of the service. */
export type ThreadReply = { ready: true } | { report: ValidationReport } | { refused: string } | { failure: string }

export interface ValidationLimits {
  /** Milliseconds for one text. */
  timeoutMs: number
  /** Memory of the thread in MiB. */
  memoryMb: number
  /** Texts that may wait; the thread refuses more. */
  mostWaiting: number
}

const LIMITS: ValidationLimits = { timeoutMs: 10_000, memoryMb: 256, mostWaiting: 20 }

/**
 * Checks texts, one at a time, in a separate thread: a text can make a check endless, and only ending the thread stops it.
 * The thread starts with the first text and does not keep the process alive.
 */
export class ValidationThread {
  readonly #limits: ValidationLimits
  readonly #queue = new PQueue({ concurrency: 1 })
  #worker: Promise<Worker> | undefined

  constructor(limits: Partial<ValidationLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * @param signal aborted when nobody waits for the report any more.
   * @throws ApiError MalformedRequestError if the text is broken, PayloadTooLargeError if it takes too much memory,
   *   TimeoutError if it takes too long, ServiceUnavailableError if too many texts wait.
   */
  async run(task: ValidationTask, signal: AbortSignal): Promise<ValidationReport> {
    if (this.#queue.size >= this.#limits.mostWaiting) {
      throw new ApiError('ServiceUnavailableError', 'Too many texts wait to be checked.', { retryAfter: 5 })
    }
    return this.#queue.add(() => {
      signal.throwIfAborted()
      return this.#validate(task, signal)
    })
  }

  async #validate({ data, ...task }: ValidationTask, signal: AbortSignal): Promise<ValidationReport> {
    const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
    try {
      const { extension } = task.format ? TEXT_FORMATS[task.format] : { extension: 'text' }
      const file = join(folder, `${NAME}.${extension}`)
      await writeFile(file, data)
      return await this.#ask({ ...task, file }, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async #ask(task: ThreadTask, signal: AbortSignal): Promise<ValidationReport> {
    const worker = await (this.#worker ??= this.#start())
    const enough = new AbortController()
    // A text that nobody waits for any more must not keep the others waiting.
    const isEnough = AbortSignal.any([signal, enough.signal])
    const reply = once(worker, 'message', { signal: isEnough }) as Promise<[ThreadReply]>
    worker.postMessage(task)
    try {
      const late = sleep(this.#limits.timeoutMs, undefined, { signal: enough.signal }).then(() =>
        Promise.reject(tooLong()),
      )
      const [answer] = await Promise.race([reply, late])
      if ('report' in answer) return answer.report
      if ('refused' in answer) throw new ApiError('MalformedRequestError', answer.refused.replace(NAME_BEFORE, ''))
      throw new Error('failure' in answer ? answer.failure : 'the thread answered twice')
    } catch (error) {
      if (error instanceof ApiError && error.name === 'MalformedRequestError') throw error
      // The state of the thread is unknown after an error.
      this.#worker = undefined
      await worker.terminate()
      throw isOutOfMemory(error) ? tooMuch(error) : error
    } finally {
      enough.abort()
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(fromRoot('dist/validate/thread-main.js'), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb },
    })
    worker.unref()
    // The waiting caller gets this error anyway; without this listener it would also end the process.
    worker.on('error', () => undefined)
    worker.once('exit', () => (this.#worker = undefined))
    try {
      await once(worker, 'message')
      return worker
    } catch (error) {
      this.#worker = undefined
      throw error
    }
  }
}

/** Stands for the file name in messages of the loader, because the client sent no file name. */
const NAME = 'text'
const NAME_BEFORE = new RegExp(`^${NAME}\\.\\w+(?:, |: )`)

function tooLong(): ApiError {
  return new ApiError('TimeoutError', 'The check took too long. Send less at once.')
}

function tooMuch(cause: unknown): ApiError {
  return new ApiError('PayloadTooLargeError', 'The check takes too much memory. Send less at once.', { cause })
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
