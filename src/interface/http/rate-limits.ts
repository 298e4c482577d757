import {
  rateLimit,
  ipKeyGenerator,
  type RateLimitRequestHandler,
  type Store,
  type ClientRateLimitInfo,
  type Options,
} from 'express-rate-limit'
import type { Request, Response } from 'express'
import { SYSTEM_CLOCK, type Clock } from '../../base/clock.ts'
import type { RateLimit } from '../../settings.ts'
import { ApiError } from '../../base/errors.ts'
import { LRUCache } from 'lru-cache'

/** Makes the counters of one limiter; without it, the process keeps them in memory. */
export type CounterStore = (prefix: string) => Store

export interface LimiterOptions {
  /** Separates the counters of this limiter from those of others. */
  name: string
  /** The limited requests in the words of the message: `ingest requests for this vocabulary`. */
  subject: string
  /**
   * The name in `RateLimit` and `RateLimit-Policy` (draft 8 of "RateLimit header fields for HTTP"); undefined: no
   * headers.
   */
  policy?: string | undefined
  store?: CounterStore
}

const WINDOW_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

/** A limiter with separate counters: counts requests by keys, in fixed windows. */
export function createLimiter(
  limit: RateLimit,
  { name, subject, policy, store = () => new MemoryCounters(SYSTEM_CLOCK) }: LimiterOptions,
): RateLimitRequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS[limit.window],
    limit: limit.count,
    ...(policy === undefined ? {} : { identifier: policy }),
    standardHeaders: policy === undefined ? false : 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request) => keys.get(request)!,
    // Every limiter has separate counters, so several of them may count the same request.
    validate: { keyGeneratorIpFallback: false, creationStack: false, trustProxy: false, xForwardedForHeader: false },
    store: store(name),
    handler: (request, _response, next) => {
      const info = (request as Request & { rateLimit?: { resetTime?: Date } }).rateLimit
      next(tooManyRequests(subject, limit, info?.resetTime))
    },
  })
}

/** The key of the request that a limiter counts next. */
const keys = new WeakMap<Request, string>()

/**
 * Counts a request.
 *
 * @throws ApiError TooManyRequestsError if it exceeds the limit.
 */
export async function countRequest(
  limiter: RateLimitRequestHandler,
  request: Request,
  response: Response,
  key: string,
): Promise<void> {
  keys.set(request, key)
  await new Promise<void>((resolve, reject) => {
    const done = (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(error instanceof Error ? error : new Error('not counted', { cause: error }))
    }
    void limiter(request, response, done)
  })
}

/**
 * The address of a client; for IPv6 its network, because a client can use all addresses of its network. Drops the port
 * that some proxies write after the address, because it changes with each connection.
 */
export function addressKey(request: Request): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(request.ip ?? '') ?? []
  return ipKeyGenerator(bracketed ?? plain ?? request.ip ?? 'unknown')
}

function tooManyRequests(subject: string, { count, window }: RateLimit, resetTime: Date | undefined): ApiError {
  const restMs = resetTime ? resetTime.getTime() - Date.now() : WINDOW_MS[window]
  const retryAfter = Math.max(1, Math.ceil(restMs / 1000))
  const each = `${window === 'hour' ? 'an' : 'a'} ${window}`
  const message = `Too many ${subject}: at most ${count} ${each}. Try again in ${retryAfter} s.`
  return new ApiError('TooManyRequestsError', message, { retryAfter })
}

/** The number of keys that one limiter counts at a time; beyond it, the key that was idle for longest is forgotten. */
const MAX_KEYS = 10_000

/**
 * Counts in the memory of this process, in fixed windows. The store of express-rate-limit uses the clock of the
 * machine: if an operator sets it back by a day, clients at their limit stay refused for a day.
 */
export class MemoryCounters implements Store {
  readonly localKeys = true
  readonly #clock: Clock
  readonly #counts = new LRUCache<string, { hits: number; end: number }>({ max: MAX_KEYS })
  #windowMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  init({ windowMs }: Options): void {
    this.#windowMs = windowMs
  }

  increment(key: string): ClientRateLimitInfo {
    const now = this.#clock.elapsed()
    let count = this.#counts.get(key)
    if (!count || count.end <= now) this.#counts.set(key, (count = { hits: 0, end: now + this.#windowMs }))
    count.hits++
    return { totalHits: count.hits, resetTime: new Date(Date.now() + count.end - now) }
  }

  decrement(key: string): void {
    const count = this.#counts.get(key)
    if (count) count.hits--
  }

  resetKey(key: string): void {
    this.#counts.delete(key)
  }
}
