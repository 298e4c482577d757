import PQueue from 'p-queue'

/** The owner of a value: a vocabulary with its revision; undefined if it has none. */
export interface VocabularyRevision {
  uri: string
  revision: string | undefined
}

export interface ByRevisionOptions<Value, Of extends VocabularyRevision> {
  /**
   * Reads the value of a vocabulary; undefined if it has none.
   *
   * @param reading tells whether somebody still wants the value (false as soon as a newer revision is to be read), and gives the
   *   value that serves meanwhile.
   */
  read: (vocabulary: Of, reading: { isWanted: () => boolean; before: Value | undefined }) => Promise<Value | undefined>
  /** Tells which vocabularies are in the store; absent: the values belong to no single vocabulary that could be removed. */
  registry?: { onRead(listener: (present: readonly VocabularyRevision[]) => void): void }
  /** Maximum age of a value, in case another program changes the vocabulary without a new revision. */
  maxAgeMs: number
  /** After a change, `present` waits this multiple of the last reading time before it reads again. */
  restAfterChange?: number
  /** The key of a value, if there are several for one vocabulary; by default the URI of the vocabulary. */
  keyOf?: (vocabulary: Of) => string
  /** Values to read at a time. */
  atOnce?: number
}

interface Entry<Value> {
  uri: string
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
const REST = 50

/**
 * Values that take long to read, for the present revision of each vocabulary. The first request for a value begins its reading
 * in the background, one vocabulary after the other. The values of removed vocabularies are forgotten.
 *
 * @example
 * const indexes = new ByRevision<LabelIndex>({ read: readLabels, registry, maxAgeMs: state.maxAgeMs })
 * const index = indexes.present(vocabulary) // or undefined until it has been read
 */
export class ByRevision<Value, Of extends VocabularyRevision = VocabularyRevision> {
  readonly #options: ByRevisionOptions<Value, Of>
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #queue: PQueue

  constructor(options: ByRevisionOptions<Value, Of>) {
    this.#options = options
    this.#queue = new PQueue({ concurrency: options.atOnce ?? 1 })
    options.registry?.onRead((present) => this.#keepOnly(present))
  }

  /** The value of a vocabulary if it has been read; otherwise undefined, and the reading begins. */
  present(vocabulary: Of): Value | undefined {
    const entry = this.#entries.get(this.#keyOf(vocabulary))
    if (entry && entry.revision !== vocabulary.revision && !this.#hasRested(entry)) return undefined
    return this.#current(vocabulary).value
  }

  /**
   * The value of a vocabulary, as soon as it has been read; `until` limits the waiting.
   *
   * @throws the errors of reading.
   */
  async of(vocabulary: Of): Promise<Value | undefined> {
    const entry = this.#current(vocabulary)
    return entry.isRead ? entry.value : entry.reading
  }

  /** The values that have been read, by their keys. */
  *values(): Generator<[key: string, value: Value]> {
    for (const [key, { value }] of this.#entries) if (value !== undefined) yield [key, value]
  }

  #keepOnly(vocabularies: readonly VocabularyRevision[]): void {
    const present = new Set(vocabularies.map(({ uri }) => uri))
    for (const [key, { uri }] of this.#entries) if (!present.has(uri)) this.#entries.delete(key)
  }

  #keyOf(vocabulary: Of): string {
    return this.#options.keyOf?.(vocabulary) ?? vocabulary.uri
  }

  #current(vocabulary: Of): Entry<Value> {
    const { revision } = vocabulary
    const entry = this.#entries.get(this.#keyOf(vocabulary))
    if (!entry || entry.revision !== revision) return this.#begin(vocabulary)
    // The old value serves meanwhile if there is a revision, because nothing shows then that it is out of date.
    return this.#isOld(entry) ? this.#begin(vocabulary, revision === undefined ? undefined : entry) : entry
  }

  #isOld({ revision, readAt, tookMs }: Entry<Value>): boolean {
    const maxAgeMs = revision === undefined ? 0 : this.#options.maxAgeMs
    return performance.now() - readAt > Math.max(maxAgeMs, REST * tookMs)
  }

  #hasRested({ readAt, tookMs }: Entry<Value>): boolean {
    const { restAfterChange = 0 } = this.#options
    return restAfterChange === 0 || performance.now() - readAt > restAfterChange * tookMs
  }

  #begin(vocabulary: Of, before?: Entry<Value>): Entry<Value> {
    const key = this.#keyOf(vocabulary)
    const { uri, revision } = vocabulary
    const { value, isRead = false } = before ?? {}
    const isWanted = () => this.#entries.get(key) === entry
    const read = async () => {
      if (!isWanted()) return
      const started = performance.now()
      entry.value = await this.#options.read(vocabulary, { isWanted, before: value })
      entry.isRead = true
      entry.readAt = performance.now()
      entry.tookMs = entry.readAt - started
    }
    // Not at once, because the entry is still to be added.
    const ended = Promise.resolve().then(() => this.#queue.add(read))
    // Those who wait for an older revision get the newer one.
    const reading = ended.then(() => (isWanted() ? entry.value : this.#entries.get(key)?.reading))
    const entry: Entry<Value> = { uri, revision, reading, value, isRead, readAt: Infinity, tookMs: 0 }
    this.#entries.set(key, entry)
    ended.catch(() => {
      if (!isWanted()) return
      // If the store fails, the next one who asks begins again; the old value goes on serving.
      if (before) this.#entries.set(key, before)
      else this.#entries.delete(key)
    })
    // There may be nobody who waits.
    reading.catch(() => undefined)
    return entry
  }
}
