import { createHash, randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { StoreCache, type StoreState } from '../../graph/memory/store-state.ts'
import { REQUEST_ID_HEADER } from './observe.ts'

/** An answer as it was sent. */
interface RememberedAnswer {
  /** One of them is the ETag. */
  headers: OutgoingHttpHeaders
  /** Absent for answers that are large or streamed: their ETags alone are remembered. */
  body?: Buffer
  /** The pattern of its path, for log and figures. */
  route: unknown
}

/** An answer in the making. */
export interface PendingAnswer {
  /** Sets the ETag of an answer that is known as a whole, made from its bytes. */
  setEtag(body: Uint8Array): void
  /**
   * Sets the ETag of an answer that is sent before it is complete. If the same answer was sent a moment ago, it gets
   * the same ETag, so that two readers do not invalidate each other's; otherwise a new one.
   */
  setEtagOfStream(): void
  /** Keeps the answer, whose headers are set. @param body in the encoding in which it is sent. */
  keep(body: Buffer): void
  /** Lets waiting requests for the same answer continue. */
  end(): void
}

interface RememberedAnswersOptions {
  state: StoreState
  /** Memory for all answers, in bytes; 0 keeps no bodies. */
  maxBytes: number
}

/** The service does not keep larger bodies. */
export const MAX_KEPT_BYTES = 1 << 20
/** Memory of an answer in addition to its body. */
const OVERHEAD_BYTES = 1024
const REQUEST_ID = REQUEST_ID_HEADER.toLowerCase()
/** Memory for ETags if no bodies are kept. */
const ETAGS_BYTES = 4_000_000

/**
 * Remembers answers to GET and HEAD, to spare the store: answers as they were sent, or only the ETags of large ones.
 * The service sends an answer again, and 304 to a conditional request (RFC 9110, section 13), while the store has the
 * state that it had before the answer was read.
 */
export class RememberedAnswers {
  readonly #state: StoreState
  readonly #answers: StoreCache<RememberedAnswer>
  readonly #keepsBodies: boolean
  /** Answers in progress by key; other requests for the same answer wait. */
  readonly #pendingByKey = new Map<string, Promise<void>>()
  /** The errors of the store, kept until the headers of an answer are set. */
  readonly #failures = new WeakMap<Request, unknown>()
  #hits = 0
  #misses = 0

  constructor({ state, maxBytes }: RememberedAnswersOptions) {
    this.#state = state
    this.#keepsBodies = maxBytes > 0
    this.#answers = new StoreCache({
      state,
      maxSize: maxBytes || ETAGS_BYTES,
      sizeOf: ({ body }, key) => (body?.length ?? 0) + key.length + OVERHEAD_BYTES,
    })
  }

  /** For /metrics. */
  get figures(): { hits: number; misses: number; bytes: number } {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#keepsBodies ? this.#answers.size : 0 }
  }

  /** Sends a remembered answer, before anything else is done for the request. */
  get handler(): RequestHandler {
    return async (request, response, next) => {
      adaptConditions(request)
      // A closed response emits no second `close` for later listeners.
      if (!(await this.#sendRemembered(request, response)) && !response.destroyed) next()
    }
  }

  /**
   * Begins an answer; call it before anything is read for that answer, and `end` of the result afterwards. If another
   * request is making the same answer, this request waits for it. Later requests wait for this one until its answer is
   * kept, starts to stream, or has ended.
   *
   * @returns undefined if the answer of another request was sent instead.
   * @throws ApiError if the store does not give its state, because only the store knows what has changed.
   */
  async begin(request: Request, response: Response, signal: AbortSignal): Promise<PendingAnswer | undefined> {
    if (this.#failures.has(request)) throw this.#failures.get(request)
    const key = answerKey(request)
    const isShared = this.#keepsBodies && request.method === 'GET'
    const pending = isShared ? this.#pendingByKey.get(key) : undefined
    if (pending) {
      await pending
      if (await this.#sendRemembered(request, response)) return undefined
    }
    if (isShared) this.#misses++
    // If the awaited answer was of no use, all waiting requests continue at once, not one after the other.
    const end = isShared && !pending ? this.#pause(key) : () => undefined
    try {
      return await this.#pending(request, response, { key, signal, end })
    } catch (error) {
      end()
      throw error
    }
  }

  async #pending(
    request: Request,
    response: Response,
    { key, signal, end }: { key: string; signal: AbortSignal; end: () => void },
  ): Promise<PendingAnswer> {
    const state = await this.#state.recent(signal)
    const keep = (body?: Buffer) => {
      // Not by `delete`, after which V8 keeps an object as a hash table, five times as large.
      const entries = Object.entries(response.getHeaders()).filter(([name]) => name !== REQUEST_ID)
      const headers: OutgoingHttpHeaders = Object.fromEntries(entries)
      if (body) headers['content-length'] = body.length
      const { path } = (request.route ?? {}) as { path?: unknown }
      const isSmall = this.#keepsBodies && body && body.length <= MAX_KEPT_BYTES
      this.#answers.keep(key, { headers, route: path, ...(isSmall ? { body: copyOf(body) } : {}) }, state)
    }
    return {
      // Two media types may have the same bytes.
      setEtag: (body) => response.setHeader('ETag', weakEtag(body, response.getHeader('Content-Type'))),
      setEtagOfStream: () => {
        const previous = isSafe(request) ? this.#answers.peek(key, state) : undefined
        response.setHeader('ETag', previous ? etagOf(previous) : weakEtag(randomUUID()))
        if (isSafe(request) && !previous) keep()
        // The body of a stream is not kept, so other requests need not wait for its end.
        end()
      },
      keep: (body) => {
        // An answer is remembered without its status.
        if (request.method === 'GET' && response.statusCode === 200) keep(body)
        end()
      },
      end,
    }
  }

  /** True if a remembered answer still holds and has been sent. If the store fails here, `begin` throws the error. */
  async #sendRemembered(request: Request, response: Response): Promise<boolean> {
    const ifNoneMatch = isSafe(request) ? request.get('if-none-match') : undefined
    if (ifNoneMatch === undefined && request.method !== 'GET') return false
    const look = ({ body }: RememberedAnswer) => {
      if (ifNoneMatch !== undefined) return this.#state.present()
      return body && this.#state.now()
    }
    let answer: RememberedAnswer | undefined
    try {
      answer = await this.#answers.find(answerKey(request), look)
    } catch (error) {
      this.#failures.set(request, error)
    }
    if (!answer) return false
    const isUnchanged = ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etagOf(answer))
    if (!isUnchanged && (!answer.body || request.method !== 'GET')) return false
    this.#hits++
    request.route ??= { path: answer.route }
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value!)
    if (isUnchanged) sendUnchanged(response)
    else response.status(200).end(answer.body)
    return true
  }

  /** Makes other requests wait for an answer, and returns the function that lets them continue. */
  #pause(key: string): () => void {
    let end!: () => void
    const pending = new Promise<void>((resolve) => (end = resolve))
    this.#pendingByKey.set(key, pending)
    return () => {
      if (this.#pendingByKey.get(key) === pending) this.#pendingByKey.delete(key)
      end()
    }
  }
}

/** A copy of the bytes: zlib returns a view of a buffer of at least 16 kB, which would stay in memory as a whole. */
function copyOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
}

/** Headers that a 304 does not have. */
const OF_BODIES = ['content-type', 'content-length', 'content-encoding']

function sendUnchanged(response: Response): void {
  for (const name of OF_BODIES) response.removeHeader(name)
  response.status(304).end()
}

function isSafe({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

function etagOf({ headers }: RememberedAnswer): string {
  return headers['etag'] as string
}

/** Weak, because the same answer is sent in several encodings (RFC 9110, section 8.8.1). */
function weakEtag(content: string | Uint8Array, mediaType: unknown = ''): string {
  return `W/"${createHash('sha1').update(String(mediaType)).update(content).digest('base64url')}"`
}

/** The weak comparison of If-None-Match (RFC 9110, section 13.1.2). */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return ifNoneMatch.trim() === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag.replace(/^W\//, ''))
}

/** All parts of a request that an answer can depend on; the order of the parameters makes no difference. */
function answerKey({ target, headers }: Request): string {
  const { accept = '', 'accept-encoding': encoding = '', 'accept-language': language = '' } = headers
  const queryStart = target.indexOf('?')
  const url =
    queryStart < 0 || !target.includes('&', queryStart)
      ? target
      : `${target.slice(0, queryStart)}?${target
          .slice(queryStart + 1)
          .split('&')
          .sort()
          .join('&')}`
  return [url, accept, encoding, language].join('\n')
}

/**
 * Makes conditional requests mean what RFC 9110 says; Express follows older habits.
 *
 * - `Cache-Control: no-cache` beside If-None-Match: fetch adds it by itself, but Express would never answer it with
 *   304.
 * - If-Modified-Since: vocabularies have days as dates, which cannot tell two versions apart. Only ETags count.
 */
function adaptConditions({ headers }: Request): void {
  if (headers['if-none-match'] !== undefined) delete headers['cache-control']
  delete headers['if-modified-since']
}
