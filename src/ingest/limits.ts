import { rateLimit, ipKeyGenerator, type RateLimitRequestHandler, type Store } from 'express-rate-limit'
import type { Request, Response } from 'express'
import type { RateLimit } from '../config.ts'
import { ApiError } from '../errors.ts'

/** Makes the counters of one limiter. */
export type CounterStore = (prefix: string) => Store

/** The vocabulary and the limits that a request counts against. */
export interface Counted {
  /** URI of the vocabulary. */
  voc: string
  /** The account's own limits; undefined: the general ones. */
  limits: readonly RateLimit[] | undefined
}

/** The most failed logins of an address in a minute. */
export const FAILED_LOGINS: RateLimit = { count: 10, windowMs: 60_000 }

/**
 * The most bodies of an address in a minute that are refused before the login. Each costs some milliseconds, so this is for
 * attacks alone, not for a client with mistakes.
 */
export const REFUSED_BODIES: RateLimit = { count: 300, windowMs: 60_000 }

const WINDOW_NAMES = new Map([
  [60_000, 'minute'],
  [3_600_000, 'hour'],
  [86_400_000, 'day'],
])

/**
 * The limits of ingest (spec, "Limits"): per vocabulary and per client address, each counted by itself in fixed
 * windows. An account with limits of its own is counted per vocabulary alone. Answers carry `RateLimit` and
 * `RateLimit-Policy` as in draft 8 of "RateLimit header fields for HTTP", which can name several limits.
 */
export class IngestLimits {
  readonly #general: readonly RateLimit[]
  readonly #store: CounterStore
  readonly #limiters = new Map<string, RateLimitRequestHandler>()
  readonly #failedLogins: RateLimitRequestHandler
  readonly #refusedBodies: RateLimitRequestHandler

  constructor(general: readonly RateLimit[], store: CounterStore) {
    this.#general = general
    this.#store = store
    this.#failedLogins = this.#limiter('login', FAILED_LOGINS)
    this.#refusedBodies = this.#limiter('body', REFUSED_BODIES)
  }

  /**
   * Counts a request that has logged in.
   *
   * @throws ApiError TooManyRequestsError if it is one too many.
   */
  async count(request: Request, response: Response, { voc, limits }: Counted): Promise<void> {
    const limiters = (per: 'vocabulary' | 'account' | 'address', all: readonly RateLimit[]) =>
      new Set(all.map((limit) => this.#limiter(per, limit)))
    const vocabulary = limits ? limiters('account', limits) : limiters('vocabulary', this.#general)
    const address = limiters('address', limits ? [] : this.#general)
    for (const limiter of vocabulary) await run(limiter, request, response, voc)
    for (const limiter of address) await run(limiter, request, response, addressKey(request))
  }

  /**
   * Counts a failed login. The failures of others behind the same address never refuse a right token; nobody can try
   * enough tokens of 256 random bits to find one.
   *
   * @throws ApiError TooManyRequestsError if it is one too many.
   */
  async countFailedLogin(request: Request, response: Response): Promise<void> {
    await run(this.#failedLogins, request, response, addressKey(request))
  }

  /**
   * Counts a body that was refused before the login.
   *
   * @throws ApiError TooManyRequestsError if it is one too many.
   */
  async countRefusedBody(request: Request, response: Response): Promise<void> {
    await run(this.#refusedBodies, request, response, addressKey(request))
  }

  #limiter(per: keyof typeof WHAT, limit: RateLimit): RateLimitRequestHandler {
    const window = WINDOW_NAMES.get(limit.windowMs) ?? `${limit.windowMs}ms`
    const name = `${per}-${limit.count}-${window}`
    const known = this.#limiters.get(name)
    if (known) return known
    const limiter = rateLimit({
      windowMs: limit.windowMs,
      limit: limit.count,
      identifier: `${per}-${window}`,
      standardHeaders: per === 'login' || per === 'body' ? false : 'draft-8',
      legacyHeaders: false,
      keyGenerator: (request) => keys.get(request)!,
      // Every limiter has counters of its own, so one request may be counted by several of them.
      validate: { keyGeneratorIpFallback: false, creationStack: false, trustProxy: false, xForwardedForHeader: false },
      store: this.#store(`ingest:${name}:`),
      handler: (request, _response, next) => {
        const info = (request as Request & { rateLimit?: { resetTime?: Date } }).rateLimit
        next(tooMany(WHAT[per], limit, info?.resetTime))
      },
    })
    this.#limiters.set(name, limiter)
    return limiter
  }
}

/** For the messages, by what is counted. */
const WHAT = {
  vocabulary: 'ingest requests for this vocabulary',
  account: 'ingest requests for this vocabulary',
  address: 'ingest requests for this address',
  login: 'failed logins',
  body: 'bodies that cannot be read',
}

/** The key of the request that a limiter counts next. */
const keys = new WeakMap<Request, string>()

async function run(limiter: RateLimitRequestHandler, request: Request, response: Response, key: string): Promise<void> {
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
 * The address of a client; for IPv6 its network, because a client has all addresses of it. Some proxies write a port after
 * the address, another one for each connection.
 */
function addressKey(request: Request): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(request.ip ?? '') ?? []
  return ipKeyGenerator(bracketed ?? plain ?? request.ip ?? 'unknown')
}

function tooMany(what: string, { count, windowMs }: RateLimit, resetTime: Date | undefined): ApiError {
  const retryAfter = Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now() + windowMs) - Date.now()) / 1000))
  const window = WINDOW_NAMES.get(windowMs)
  const each = window === undefined ? `in ${windowMs} ms` : `${window === 'hour' ? 'an' : 'a'} ${window}`
  return new ApiError(
    'TooManyRequestsError',
    `Too many ${what}: at most ${count} ${each}. Try again in ${retryAfter} s.`,
    {
      retryAfter,
    },
  )
}
