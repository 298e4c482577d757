import type { Request, Response } from 'express'
import type { RateLimitRequestHandler } from 'express-rate-limit'
import type { RateLimit } from '../../settings.ts'
import { ApiError } from '../../base/errors.ts'
import { addressKey, countRequest, createLimiter, type CounterStore } from '../../interface/http/rate-limits.ts'

/** The vocabulary and the limits that a request counts against. */
interface IngestQuota {
  /** URI of the vocabulary. */
  voc: string
  /** The account's own limits; undefined: the general ones. */
  limits: readonly RateLimit[] | undefined
}

/** Failed logins that an address may have per minute. */
const FAILED_LOGINS: RateLimit = { count: 10, window: 'minute' }

/**
 * Bodies of an address that the service may refuse before the login, per minute. Each costs some milliseconds, so this
 * limit is for attacks, not for clients with mistakes.
 */
export const REFUSED_BODIES: RateLimit = { count: 300, window: 'minute' }

/** The words for each limit in messages. */
const COUNTED = {
  vocabulary: 'ingest requests for this vocabulary',
  account: 'ingest requests for this vocabulary',
  address: 'ingest requests for this address',
  login: 'failed logins',
  body: 'bodies that cannot be read',
}

/**
 * The limits of ingest (docs/ingest.md, "Accounts and limits"): per vocabulary and per client address, each counted
 * separately in fixed windows. An account with its own limits counts per vocabulary only. Answers carry `RateLimit` and
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
   * Counts a request that has logged in against every limit, also if one of them refuses it.
   *
   * @throws ApiError TooManyRequestsError if it exceeds a limit; of several limits, the error names the last to end.
   */
  async count(request: Request, response: Response, { voc, limits }: IngestQuota): Promise<void> {
    const limiters = (per: 'vocabulary' | 'account' | 'address', all: readonly RateLimit[], key: string) =>
      [...new Set(all.map((limit) => this.#limiter(per, limit)))].map((limiter) => ({ limiter, key }))
    const counted = limits
      ? limiters('account', limits, voc)
      : [...limiters('vocabulary', this.#general, voc), ...limiters('address', this.#general, addressKey(request))]
    let refusal: ApiError | undefined
    for (const { limiter, key } of counted) {
      try {
        await countRequest(limiter, request, response, key)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (!refusal || error.retryAfter! > refusal.retryAfter!) refusal = error
      }
    }
    if (refusal) throw refusal
  }

  /**
   * Counts a failed login. A correct token always works, even if others behind the same address have failed; nobody can
   * guess a token of 256 random bits.
   *
   * @throws ApiError TooManyRequestsError if it exceeds the limit.
   */
  async countFailedLogin(request: Request, response: Response): Promise<void> {
    await countRequest(this.#failedLogins, request, response, addressKey(request))
  }

  /**
   * Counts a body that was refused before the login.
   *
   * @throws ApiError TooManyRequestsError if it exceeds the limit.
   */
  async countRefusedBody(request: Request, response: Response): Promise<void> {
    await countRequest(this.#refusedBodies, request, response, addressKey(request))
  }

  #limiter(per: keyof typeof COUNTED, limit: RateLimit): RateLimitRequestHandler {
    const name = `${per}-${limit.count}-${limit.window}`
    const present = this.#limiters.get(name)
    if (present) return present
    const limiter = createLimiter(limit, {
      name: `ingest:${name}:`,
      subject: COUNTED[per],
      policy: per === 'login' || per === 'body' ? undefined : `${per}-${limit.window}`,
      store: this.#store,
    })
    this.#limiters.set(name, limiter)
    return limiter
  }
}
