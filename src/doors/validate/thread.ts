import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import { ApiError, unavailable } from '../../base/errors.ts'
import { SupervisedThread } from '../../base/threads/supervised-thread.ts'
import { WorkerThread } from '../../base/threads/worker-thread.ts'
import { codeOf } from '../../base/thrown.ts'
import type { JskosOptions } from './jskos.ts'
import { FILE_NAME, TEXT_FORMATS, type TextFormat, type ValidationReport } from './report.ts'

/** A text to check. */
interface ValidationTask extends JskosOptions {
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

interface ValidationLimits {
  /** Milliseconds for one text. */
  timeoutMs: number
  /** Memory of the thread in MiB. */
  memoryMb: number
  /** Texts that may wait; the thread refuses more. */
  mostWaiting: number
  /** Texts of one address that may wait, beside the text that is being checked. */
  mostOfAddress: number
  /** Milliseconds of checking for one address in each window. */
  addressMs: number
  windowMs: number
}

const LIMITS: ValidationLimits = {
  timeoutMs: 10_000,
  memoryMb: 256,
  mostWaiting: 20,
  mostOfAddress: 4,
  addressMs: 20_000,
  windowMs: 60_000,
}
/** Addresses whose time the service counts; beyond them it forgets the address that was idle for the longest time. */
const MOST_ADDRESSES = 10_000

const RETRY_AFTER_S = 5
/** The thread gets this long to start, in milliseconds. */
const START_MS = 30_000

/**
 * Checks texts, one at a time, in a separate thread: a text can make a check endless, and only the end of the thread
 * stops it. The thread starts with the first text. It keeps the process alive only while it checks a text.
 *
 * The next text comes from the address with the fewest texts before it and the least time, so that slow texts of one
 * address delay other addresses by one text, not by all.
 *
 * @example
 * const thread = new ValidationThread()
 * const { valid, results } = await thread.run({ data: Buffer.from('[]'), format: 'jskos' }, '192.0.2.1', signal)
 */
export class ValidationThread {
  readonly #limits: ValidationLimits
  readonly #queue = new PQueue({ concurrency: 1 })
  readonly #thread: SupervisedThread<ValidationCalls>
  /** The texts that each address waits for. */
  readonly #unfinished = new Map<string, number>()
  /** The milliseconds that the texts of each address have taken in its window. */
  readonly #spent: LRUCache<string, number>

  constructor(limits: Partial<ValidationLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    const { memoryMb, windowMs } = this.#limits
    // The window of an address begins with its first text, and further ones do not move it.
    this.#spent = new LRUCache({ max: MOST_ADDRESSES, ttl: windowMs, noUpdateTTL: true })
    this.#thread = new SupervisedThread({
      what: 'The check of texts',
      build: () =>
        new WorkerThread<ValidationCalls>({
          module: 'validate/thread-main',
          resourceLimits: { maxOldGenerationSizeMb: memoryMb },
          isBackground: true,
          // A text whose client has gone away must not keep other texts waiting.
          endsForNobody: true,
          errors: {
            late: tooLong,
            crashed: (reason) => (codeOf(reason) === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(reason) : reason),
          },
        }),
      mostWaiting: Infinity,
      rest: { times: 0, unrestedMs: 0 },
      // The error that answers the text has the reason.
      onError: () => undefined,
    })
  }

  /**
   * @param address whose text it is, as `addressKey` gives it.
   * @param signal aborted when the client has gone away.
   * @throws ApiError MalformedRequestError if the text is broken, PayloadTooLargeError if it takes too much memory,
   *   TimeoutError if it takes too long, TooManyRequestsError if the address has taken its time or has too many texts
   *   waiting, ServiceUnavailableError if too many texts wait.
   */
  async run(task: ValidationTask, address: string, signal: AbortSignal): Promise<ValidationReport> {
    const { mostWaiting, mostOfAddress, timeoutMs } = this.#limits
    this.#refuseSpent(address)
    const before = this.#unfinished.get(address) ?? 0
    if (before > mostOfAddress) throw tooManyTexts(`${before} texts of this address wait already.`, RETRY_AFTER_S)
    if (this.#queue.size >= mostWaiting) throw unavailable('Too many texts wait to be checked.')
    this.#unfinished.set(address, before + 1)
    const priority = -((this.#spent.get(address) ?? 0) + before * timeoutMs)
    try {
      return await this.#queue.add(() => this.#validate(task, address, signal), { priority, signal })
    } finally {
      const remaining = this.#unfinished.get(address)! - 1
      if (remaining > 0) this.#unfinished.set(address, remaining)
      else this.#unfinished.delete(address)
    }
  }

  #refuseSpent(address: string): void {
    const { addressMs, windowMs } = this.#limits
    if ((this.#spent.get(address) ?? 0) < addressMs) return
    const retryAfter = Math.max(1, Math.ceil(this.#spent.getRemainingTTL(address) / 1000))
    const most = `${addressMs / 1000} s in ${windowMs / 1000} s`
    throw tooManyTexts(
      `The texts of this address have taken long: at most ${most}. Try again in ${retryAfter} s.`,
      retryAfter,
    )
  }

  async #validate({ data, ...task }: ValidationTask, address: string, signal: AbortSignal): Promise<ValidationReport> {
    // Texts of the address that were checked while this one waited may have taken the rest of its time.
    this.#refuseSpent(address)
    const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
    try {
      const { extension } = task.format ? TEXT_FORMATS[task.format] : { extension: 'text' }
      const file = join(folder, `${FILE_NAME}.${extension}`)
      await writeFile(file, data)
      // The time of the text begins when the thread is there, which another address may have ended.
      await this.#thread.ready(Date.now() + START_MS)
      signal.throwIfAborted()
      const began = performance.now()
      try {
        return await this.#thread.call('check', { ...task, file }, Date.now() + this.#limits.timeoutMs, signal)
      } finally {
        this.#spent.set(address, (this.#spent.get(address) ?? 0) + performance.now() - began)
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

function tooLong(): ApiError {
  return new ApiError('TimeoutError', 'The check took too long. Send less at once.', { isCostly: true })
}

function tooManyTexts(message: string, retryAfter: number): ApiError {
  return new ApiError('TooManyRequestsError', message, { retryAfter })
}

function tooMuch(cause: unknown): ApiError {
  return new ApiError('PayloadTooLargeError', 'The check takes too much memory. Send less at once.', { cause })
}
