import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { ApiError } from '../errors.ts'
import { unavailable } from '../threads/deadline.ts'
import { SupervisedThread } from '../threads/supervised-thread.ts'
import { WorkerThread } from '../threads/worker-thread.ts'
import type { JskosOptions } from './jskos.ts'
import { FILE_NAME, TEXT_FORMATS, type TextFormat, type ValidationReport } from './report.ts'

/** A text to check. */
export interface ValidationTask extends JskosOptions {
  data: Uint8Array
  /** Undefined: the thread finds out from the text. */
  format?: TextFormat | undefined
}

/** The task as the thread gets it. */
export type ThreadTask = Omit<ValidationTask, 'data'> & { file: string }

/** The calls that the thread answers. */
export type ValidationCalls = {
  open: { arguments: object; result: undefined }
  check: { arguments: ThreadTask; result: ValidationReport }
}

export interface ValidationLimits {
  /** Milliseconds for one text. */
  timeoutMs: number
  /** Memory of the thread in MiB. */
  memoryMb: number
  /** Texts that may wait; the thread refuses more. */
  mostWaiting: number
}

const LIMITS: ValidationLimits = { timeoutMs: 10_000, memoryMb: 256, mostWaiting: 20 }

/** The thread gets this long to start, in milliseconds. */
const START_MS = 30_000

/**
 * Checks texts, one at a time, in a separate thread: a text can make a check endless, and only ending the thread stops it.
 * The thread starts with the first text. It keeps the process alive only while it checks a text.
 *
 * @example
 * const thread = new ValidationThread()
 * const { valid, results } = await thread.run({ data: Buffer.from('[]'), format: 'jskos' }, signal)
 */
export class ValidationThread {
  readonly #limits: ValidationLimits
  readonly #queue = new PQueue({ concurrency: 1 })
  readonly #thread: SupervisedThread<ValidationCalls>

  constructor(limits: Partial<ValidationLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    const { memoryMb } = this.#limits
    this.#thread = new SupervisedThread({
      what: 'The check of texts',
      build: () =>
        new WorkerThread<ValidationCalls>({
          module: 'validate/thread-main',
          resourceLimits: { maxOldGenerationSizeMb: memoryMb },
          isBackground: true,
          // A text that nobody waits for any more must not keep the others waiting.
          endsForNobody: true,
          errors: { late: tooLong, crashed: (reason) => (isOutOfMemory(reason) ? tooMuch(reason) : reason) },
        }),
      mostWaiting: Infinity,
      rest: { times: 0, unrestedMs: 0 },
      // The error that answers the text has the reason.
      onError: () => undefined,
    })
  }

  /**
   * @param signal aborted when nobody waits for the report any more.
   * @throws ApiError MalformedRequestError if the text is broken, PayloadTooLargeError if it takes too much memory,
   *   TimeoutError if it takes too long, ServiceUnavailableError if too many texts wait.
   */
  async run(task: ValidationTask, signal: AbortSignal): Promise<ValidationReport> {
    if (this.#queue.size >= this.#limits.mostWaiting) throw unavailable('Too many texts wait to be checked.')
    return this.#queue.add(() => {
      signal.throwIfAborted()
      return this.#validate(task, signal)
    })
  }

  async #validate({ data, ...task }: ValidationTask, signal: AbortSignal): Promise<ValidationReport> {
    const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
    try {
      const { extension } = task.format ? TEXT_FORMATS[task.format] : { extension: 'text' }
      const file = join(folder, `${FILE_NAME}.${extension}`)
      await writeFile(file, data)
      // The time of the text begins when the thread is there.
      await this.#thread.ready(Date.now() + START_MS)
      signal.throwIfAborted()
      return await this.#thread.call('check', { ...task, file }, Date.now() + this.#limits.timeoutMs, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

function tooLong(): ApiError {
  return new ApiError('TimeoutError', 'The check took too long. Send less at once.')
}

function tooMuch(cause: unknown): ApiError {
  return new ApiError('PayloadTooLargeError', 'The check takes too much memory. Send less at once.', { cause })
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
