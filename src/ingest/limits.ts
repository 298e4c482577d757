import type { Request, Response } from 'express'
import type { RateLimit } from '../config.ts'
import {
  addressKey,
  countRequest,
  createLimiter,
  windowName,
  type CounterStore,
  type Limiter,
} from '../http/rate-limits.ts'

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

/** The words of the message for what is counted. */
const COUNTED = {
  vocabulary: 'ingest requests for this vocabulary',
  account: 'ingest requests for this vocabulary',
  address: 'ingest requests for this address',
  login: 'failed logins',
  body: 'bodies that cannot be read',
}

/**
 * The limits of ingest (spec, "Limits"): per vocabulary and per client address, each counted by itself in fixed
 * windows. An account with limits of its own is counted per vocabulary alone. Answers carry `RateLimit` and
 * `RateLimit-Policy` as in draft 8 of "RateLimit header fields for HTTP", which can name several limits.
 */
export class IngestLimits {
  readonly #general: readonly RateLimit[]
  readonly #store: CounterStore
  readonly #limiters = new Map<string, Limiter>()
  readonly #failedLogins: Limiter
  readonly #refusedBodies: Limiter

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
    for (const limiter of vocabulary) await countRequest(limiter, request, response, voc)
    for (const limiter of address) await countRequest(limiter, request, response, addressKey(request))
  }

  /**
   * Counts a failed login. The failures of others behind the same address never refuse a right token; nobody can try
   * enough tokens of 256 random bits to find one.
   *
   * @throws ApiError TooManyRequestsError if it is one too many.
   */
  async countFailedLogin(request: Request, response: Response): Promise<void> {
    await countRequest(this.#failedLogins, request, response, addressKey(request))
  }

  /**
   * Counts a body that was refused before the login.
   *
   * @throws ApiError TooManyRequestsError if it is one too many.
   */
  async countRefusedBody(request: Request, response: Response): Promise<void> {
    await countRequest(this.#refusedBodies, request, response, addressKey(request))
  }

  #limiter(per: keyof typeof COUNTED, limit: RateLimit): Limiter {
    const window = windowName(limit)
    const name = `${per}-${limit.count}-${window}`
    const known = this.#limiters.get(name)
    if (known) return known
    const limiter = createLimiter(limit, {
      name: `ingest:${name}:`,
      what: COUNTED[per],
      policy: per === 'login' || per === 'body' ? undefined : `${per}-${window}`,
      store: this.#store,
    })
    this.#limiters.set(name, limiter)
    return limiter
  }
}
