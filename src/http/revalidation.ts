import { createHash, randomUUID } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { LRUCache } from 'lru-cache'
import type { StoreState } from './store-state.ts'

/** What is remembered of an answer that was sent: enough to say that it is still the same. */
interface SentAnswer {
  etag: string
  /** The state of the store before the answer was read from it. */
  state: string
  /** When its reading had ended, in milliseconds. */
  at: number
}

/** One answer on its way. */
export interface Answering {
  /** The ETag of the answer that the client has already, where that is still the answer. */
  readonly unchanged: string | undefined
  /** The ETag of an answer by its bytes; remembered. */
  etagOf(body: Uint8Array): string
  /**
   * The ETag of an answer that is sent before it is there as a whole; remembered. That of the same answer a moment ago,
   * so that two readers do not take it from each other, else one that names this answer alone.
   */
  etagOfStream(): string
}

/** Memory for addresses and ETags, in characters. */
const MEMORY = 4_000_000

/**
 * Answers conditional requests (RFC 9110, section 13) by one small question to the store instead of the whole answer.
 *
 * An answer is unchanged when the state of the store is the one from before it was read. What writes past the service
 * does not move that state, so an answer that was read too long ago is read again and compared by its bytes.
 */
export class Revalidation {
  readonly #state: StoreState
  readonly #sent = new LRUCache<string, SentAnswer>({
    maxSize: MEMORY,
    sizeCalculation: (answer, key) => key.length + answer.etag.length + 100,
  })

  constructor(state: StoreState) {
    this.#state = state
  }

  /**
   * To be called before anything is read for the answer.
   *
   * @param representation media type of the answer.
   * @throws what `readState` throws: without the store nothing is known to be unchanged.
   */
  async begin(request: Request, representation: string, signal: AbortSignal): Promise<Answering> {
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
      unchanged: asked !== undefined && isCurrent && matches(asked, sent.etag) ? sent.etag : undefined,
      etagOf: (body) => remember(weakEtag(body)),
      etagOfStream: () => (isCurrent ? sent.etag : remember(weakEtag(randomUUID()))),
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
 * Makes conditional requests mean what RFC 9110 says where Express goes by older habits.
 *
 * - `Cache-Control: no-cache` beside If-None-Match: fetch adds it by itself; Express would take it for a wish not to be
 *   answered by 304.
 * - If-Modified-Since: dates of vocabularies are days, and a day cannot tell two versions apart. Only ETags count.
 */
export const conditionalRequests: RequestHandler = (request, _response, next) => {
  if (request.headers['if-none-match'] !== undefined) delete request.headers['cache-control']
  delete request.headers['if-modified-since']
  next()
}
