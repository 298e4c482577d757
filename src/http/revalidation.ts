import { createHash, randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type { RememberedAnswer, RememberedAnswers } from './remembered.ts'
import type { StoreState } from './store-state.ts'

/** The part of a sent answer that shows whether it is still the same. */
interface SentAnswer {
  etag: string
  /** The state of the store before reading the answer. */
  state: string
  /** The end of its reading, in milliseconds since the epoch. */
  at: number
}

/** An answer in the making. */
export interface Answering {
  /** The ETag of the answer that the client has, if that is still valid. */
  readonly unchanged: string | undefined
  /** The answer that another request has just made. */
  readonly remembered: RememberedAnswer | undefined
  /** Makes the ETag of an answer from its bytes, and remembers it. */
  etagOf(body: Uint8Array): string
  /**
   * Makes the ETag of an answer that is sent before it is complete, and remembers it. If the same answer was sent a
   * moment ago, it gets the same ETag, so that two readers do not invalidate each other's; otherwise a new one.
   */
  etagOfStream(): string
  /** Keeps the answer, whose headers are set. */
  keep(response: Response, body: Buffer): void
}

/** Memory for addresses and ETags, in characters. */
const MEMORY = 4_000_000

/**
 * Answers conditional requests (RFC 9110, section 13) with one small query instead of the whole answer.
 *
 * An answer is unchanged if the store still has the state that it had before the answer was read. Programs that write
 * past the service do not change that state, so answers that were read too long ago are read again and compared by
 * their bytes.
 */
export class Revalidation {
  readonly #state: StoreState
  readonly #answers: RememberedAnswers
  readonly #sent = new LRUCache<string, SentAnswer>({
    maxSize: MEMORY,
    sizeCalculation: (answer, key) => key.length + answer.etag.length + 100,
  })

  constructor(state: StoreState, answers: RememberedAnswers) {
    this.#state = state
    this.#answers = answers
  }

  /**
   * Begins an answer; call it before anything is read for that answer.
   *
   * @param representation media type of the answer.
   * @throws whatever `readState` throws, because only the store knows what is unchanged.
   */
  async begin(request: Request, response: Response, representation: string, signal: AbortSignal): Promise<Answering> {
    const remembered = await this.#answers.join(request, response)
    const isSafe = request.method === 'GET' || request.method === 'HEAD'
    const key = `${representation} ${request.originalUrl}`
    const asked = isSafe ? request.get('if-none-match') : undefined
    const state = await (asked === undefined ? this.#state.recent(signal) : this.#state.present(signal))
    const sent = this.#sent.get(key)
    const isCurrent = sent?.state === state && Date.now() - sent.at < this.#state.maxStalenessMs
    const remember = (etag: string) => {
      if (isSafe) this.#sent.set(key, { etag, state, at: Date.now() })
      return etag
    }
    return {
      remembered,
      unchanged: asked !== undefined && isCurrent && matches(asked, sent.etag) ? sent.etag : undefined,
      etagOf: (body) => remember(weakEtag(body)),
      etagOfStream: () => {
        // A stream is not kept: others need not wait for its end.
        this.#answers.release(response)
        return isCurrent ? sent.etag : remember(weakEtag(randomUUID()))
      },
      keep: (response, body) => this.#answers.keep(request, response, body, state),
    }
  }
}

/** Weak, because the same answer is sent in several encodings (RFC 9110, section 8.8.1). */
function weakEtag(content: string | Uint8Array): string {
  return `W/"${createHash('sha1').update(content).digest('base64url')}"`
}

/** The weak comparison of If-None-Match (RFC 9110, section 13.1.2). */
function matches(asked: string, etag: string): boolean {
  const tags = asked.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag.replace(/^W\//, '') === etag.replace(/^W\//, ''))
}

/**
 * Makes conditional requests mean what RFC 9110 says; Express follows older habits.
 *
 * - `Cache-Control: no-cache` beside If-None-Match: fetch adds it by itself, but Express would never answer it with
 *   304.
 * - If-Modified-Since: vocabularies have days as dates, which cannot tell two versions apart. Only ETags count.
 */
export const conditionalRequests: RequestHandler = (request, _response, next) => {
  if (request.headers['if-none-match'] !== undefined) delete request.headers['cache-control']
  delete request.headers['if-modified-since']
  next()
}
