import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { until } from './until.ts'

export interface ByRevisionOptions<Value> {
  /**
   * Reads the value of a vocabulary; undefined if it has none.
   *
   * @param isWanted false as soon as a newer revision is to be read.
   */
  read: (vocabulary: Vocabulary, isWanted: () => boolean) => Promise<Value | undefined>
  /** How long a value counts, although other programs may change the vocabulary without a new revision. */
  maxAgeMs: number
  /** After a change, `present` begins no reading until this many times the time that the last one took has passed. */
  restAfterChange: number
}

interface Entry<Value> {
  revision: string | undefined
  reading: Promise<Value | undefined>
  /** Undefined also during the first reading of a revision. */
  value: Value | undefined
  /** A reading of this revision has ended. */
  isRead: boolean
  /** Infinity during a reading. */
  readAt: number
  tookMs: number
}

/** If the revision stays the same, a value is read again only after this many times the time that reading took. */
const REST = 100

/**
 * Values that take long to read, one for the present revision of each vocabulary. The first request for a value begins its
 * reading; one vocabulary is read after the other.
 */
export class ByRevision<Value> {
  readonly #options: ByRevisionOptions<Value>
  readonly #entries = new Map<string, Entry<Value>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ByRevisionOptions<Value>) {
    this.#options = options
  }

  /** The value of a vocabulary if it has been read; otherwise undefined, and the reading begins. */
  present(vocabulary: Vocabulary): Value | undefined {
    const entry = this.#entries.get(vocabulary.uri)
    if (entry && entry.revision !== vocabulary.revision && !this.#hasRested(entry)) return undefined
    return this.#current(vocabulary).value
  }

  /**
   * The value of a vocabulary, as soon as it has been read.
   *
   * @param leave gives the error to throw if the signal is aborted before; the reading goes on for others.
   * @throws that error, and those of reading.
   */
  of(vocabulary: Vocabulary, signal: AbortSignal, leave: () => Error): Promise<Value | undefined> {
    const entry = this.#current(vocabulary)
    return until(signal, entry.isRead ? Promise.resolve(entry.value) : entry.reading, leave)
  }

  /** The values that have been read, by the URIs of their vocabularies. */
  *values(): Generator<[uri: string, value: Value]> {
    for (const [uri, { value }] of this.#entries) if (value !== undefined) yield [uri, value]
  }

  /** Forgets other vocabularies. */
  keepOnly(vocabularies: readonly Vocabulary[]): void {
    const present = new Set(vocabularies.map(({ uri }) => uri))
    for (const uri of this.#entries.keys()) if (!present.has(uri)) this.#entries.delete(uri)
  }

  #current(vocabulary: Vocabulary): Entry<Value> {
    const { uri, revision } = vocabulary
    const entry = this.#entries.get(uri)
    if (!entry || entry.revision !== revision) return this.#begin(vocabulary)
    // The old value serves meanwhile if there is a revision, because nothing shows then that it is out of date.
    return this.#isOld(entry) ? this.#begin(vocabulary, revision === undefined ? undefined : entry) : entry
  }

  #isOld({ revision, readAt, tookMs }: Entry<Value>): boolean {
    const maxAgeMs = revision === undefined ? 0 : this.#options.maxAgeMs
    return performance.now() - readAt > Math.max(maxAgeMs, REST * tookMs)
  }

  #hasRested({ readAt, tookMs }: Entry<Value>): boolean {
    const { restAfterChange } = this.#options
    return restAfterChange === 0 || performance.now() - readAt > restAfterChange * tookMs
  }

  #begin(vocabulary: Vocabulary, before?: Entry<Value>): Entry<Value> {
    const { uri, revision } = vocabulary
    const { value, isRead = false } = before ?? {}
    const isWanted = () => this.#entries.get(uri) === entry
    const read = async () => {
      if (!isWanted()) return
      const started = performance.now()
      entry.value = await this.#options.read(vocabulary, isWanted)
      entry.isRead = true
      entry.readAt = performance.now()
      entry.tookMs = entry.readAt - started
    }
    const ended = this.#last.then(read)
    // Those who wait for an older revision get the newer one.
    const reading = ended.then(() => (isWanted() ? entry.value : this.#entries.get(uri)?.reading))
    const entry: Entry<Value> = { revision, reading, value, isRead, readAt: Infinity, tookMs: 0 }
    this.#entries.set(uri, entry)
    // If the store fails, the next one who asks begins again; the old value goes on serving.
    this.#last = ended.catch(() => {
      if (!isWanted()) return
      if (before) this.#entries.set(uri, before)
      else this.#entries.delete(uri)
    })
    // There may be nobody who waits.
    reading.catch(() => undefined)
    return entry
  }
}
