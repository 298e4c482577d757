import type { OutgoingHttpHeaders } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { REQUEST_ID_HEADER } from './observe.ts'
import type { StoreState } from './store-state.ts'

/** An answer as it was sent. */
export interface RememberedAnswer {
  headers: OutgoingHttpHeaders
  body: Buffer
  /** The pattern of its path, for log and figures. */
  route: unknown
  /** The state of the store before the answer was read from it. */
  state: string
  /** The time at which it was read (performance.now). */
  at: number
}

export interface RememberedAnswersOptions {
  state: StoreState
  /** Memory for all answers, in bytes; 0 keeps none. */
  maxBytes: number
}

/** The service does not keep larger answers. */
export const MAX_KEPT_BYTES = 1 << 20
/** Memory of an answer in addition to its body. */
const OVERHEAD_BYTES = 2048

/**
 * Remembers answers to GET as they were sent, to spare the store. The service sends an answer again while the store has the
 * state that it had before the answer was read. Other programs may change the store without changing that state; the
 * service overlooks such changes for `StoreState.maxAgeMs` at most.
 */
export class RememberedAnswers {
  readonly #state: StoreState
  readonly #answers: LRUCache<string, RememberedAnswer> | undefined
  /** Answers in the making; other requests for them wait. */
  readonly #making = new Map<string, Promise<void>>()
  #hits = 0
  #misses = 0

  constructor({ state, maxBytes }: RememberedAnswersOptions) {
    this.#state = state
    if (maxBytes === 0) return
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }, key) => body.length + key.length + OVERHEAD_BYTES,
    })
  }

  /** For /metrics. */
  get figures(): { hits: number; misses: number; bytes: number } {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#answers?.calculatedSize ?? 0 }
  }

  /** Forgets all answers, because this process has changed the store. */
  clear(): void {
    this.#answers?.clear()
    this.#state.forget()
  }

  /** Sends a remembered answer, before anything else is done for the request. */
  get handler(): RequestHandler {
    return async (request, response, next) => {
      const answer = await this.find(request)
      if (answer) this.send(request, response, answer)
      else next()
    }
  }

  /** The remembered answer, if it is still valid. If the store fails here, `join` throws the error. */
  async find(request: Request): Promise<RememberedAnswer | undefined> {
    if (request.method !== 'GET') return undefined
    const answer = this.#answers?.get(keyOf(request))
    if (!answer || performance.now() - answer.at >= this.#state.maxAgeMs) return undefined
    const isConditional = request.headers['if-none-match'] !== undefined
    try {
      const state = await (isConditional ? this.#state.present() : this.#state.now())
      return answer.state === state ? answer : undefined
    } catch (error) {
      failures.set(request, error)
      return undefined
    }
  }

  /** Sends a remembered answer; 304 if the client has it already. */
  send(request: Request, response: Response, { headers, body, route }: RememberedAnswer): void {
    this.#hits++
    request.route ??= { path: route }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value!)
    response.status(200)
    if (!request.fresh) {
      response.end(body)
      return
    }
    for (const name of ['Content-Type', 'Content-Length', 'Content-Encoding']) response.removeHeader(name)
    response.status(304).end()
  }

  /**
   * Waits for another request that makes the same answer, and returns that answer if it could be kept. Otherwise the
   * caller makes the answer, and later requests wait for it until `keep`, `release` or the end of the response.
   *
   * @throws the error of the store that `find` has met.
   */
  async join(request: Request, response: Response): Promise<RememberedAnswer | undefined> {
    if (failures.has(request)) throw failures.get(request)
    if (!this.#answers || request.method !== 'GET') return undefined
    const key = keyOf(request)
    const making = this.#making.get(key)
    if (making) {
      await making
      const answer = await this.find(request)
      // All requests that waited in vain go on at once, not one after the other.
      if (!answer) this.#misses++
      return answer
    }
    this.#misses++
    let release!: () => void
    const made = new Promise<void>((resolve) => (release = resolve))
    this.#making.set(key, made)
    releases.set(response, () => {
      if (this.#making.get(key) === made) this.#making.delete(key)
      release()
    })
    response.once('close', () => this.release(response))
    return undefined
  }

  /** Lets waiting requests go on, because this answer will not be kept. */
  release(response: Response): void {
    releases.get(response)?.()
    releases.delete(response)
  }

  /**
   * Keeps an answer with the headers that are set.
   *
   * @param body in the encoding in which it is sent.
   * @param state of the store before the answer was read.
   */
  keep(request: Request, response: Response, body: Buffer, state: string): void {
    if (request.method === 'GET' && body.length <= MAX_KEPT_BYTES) {
      const headers: OutgoingHttpHeaders = { ...response.getHeaders(), 'content-length': body.length }
      delete headers[REQUEST_ID_HEADER.toLowerCase()]
      const { path } = (request.route ?? {}) as { path?: unknown }
      this.#answers?.set(keyOf(request), { headers, body, route: path, state, at: performance.now() })
    }
    this.release(response)
  }
}

const releases = new WeakMap<Response, () => void>()
/** The errors of the store, kept until the headers of an answer are set. */
const failures = new WeakMap<Request, unknown>()

/** All parts of a request that an answer can depend on; the order of the parameters makes no difference. */
function keyOf({ originalUrl, headers }: Request): string {
  const { accept = '', 'accept-encoding': encoding = '', 'accept-language': language = '' } = headers
  const at = originalUrl.indexOf('?')
  const url =
    at < 0 || !originalUrl.includes('&', at)
      ? originalUrl
      : `${originalUrl.slice(0, at)}?${originalUrl
          .slice(at + 1)
          .split('&')
          .sort()
          .join('&')}`
  return [url, accept, encoding, language].join('\n')
}
