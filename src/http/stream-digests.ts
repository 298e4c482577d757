import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** A stream that was sent as a whole. */
interface SentStream {
  /** Digest of all its parts. */
  digest: string
  /** The last ETag with which it was sent. */
  etag: string
  /** The shortest time that it took. */
  milliseconds: number
}

interface Sent extends Omit<SentStream, 'etag'> {
  /** The ETags of a request, the last one at the end, each with the digest of what it was sent with. */
  etags: ReadonlyMap<string, string>
}

/** Instead of the digest of an ETag that names several contents: just after a change it may be sent with the new one, too. */
const SEVERAL = ''

/** Readers whose ETags count: each sending has another one. */
const MOST_ETAGS = 20
/** Memory of a stream in addition to its key. */
const OVERHEAD_BYTES = 2000
const MAX_BYTES = 4_000_000

/** The parts of an answer in order; if they cannot be had, they throw before the last. */
export type Parts = AsyncIterable<string | Uint8Array>

/**
 * Digests of streams, whose ETags are sent before their content is known. They say nothing about the store, so they outlive its
 * changes: the service reads the content again to see whether a client still has it.
 */
export class StreamDigests {
  readonly #sent = new LRUCache<string, Sent>({
    maxSize: MAX_BYTES,
    sizeCalculation: (_, key) => key.length + OVERHEAD_BYTES,
  })

  /** The stream that was sent last for a request, if that was with an ETag that `isAsked` knows. */
  find(key: string, isAsked: (etag: string) => boolean): SentStream | undefined {
    const sent = this.#sent.get(key)
    if (!sent) return undefined
    const { digest, milliseconds } = sent
    const etags = [...sent.etags].flatMap(([etag, named]) => (named === digest ? etag : []))
    return etags.some(isAsked) ? { digest, etag: etags.at(-1)!, milliseconds } : undefined
  }

  /** Passes the parts of a stream on, and notes their digest at its end. */
  async *note(key: string, etag: string, parts: Parts): Parts {
    const started = performance.now()
    const hash = createHash('sha1')
    for await (const part of parts) {
      // Text would become bytes twice: for the digest, and to be sent.
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      hash.update(bytes)
      yield bytes
    }
    const digest = hash.digest('base64url')
    const milliseconds = performance.now() - started
    const known = this.#sent.get(key)
    const etags = new Map(known?.etags)
    const named = etags.get(etag) ?? digest
    etags.delete(etag)
    etags.set(etag, named === digest ? digest : SEVERAL)
    const [oldest] = etags.keys()
    if (etags.size > MOST_ETAGS) etags.delete(oldest!)
    const least = known?.digest === digest ? Math.min(known.milliseconds, milliseconds) : milliseconds
    this.#sent.set(key, { digest, etags, milliseconds: least })
  }
}

/** The digest of the parts of a stream. @throws the errors of the stream. */
export async function digestOfStream(parts: Parts): Promise<string> {
  const hash = createHash('sha1')
  for await (const part of parts) hash.update(part)
  return hash.digest('base64url')
}
