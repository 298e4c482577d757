import PQueue from 'p-queue'
import { ApiError, unavailable } from '../../base/errors.ts'
import { CONCEPT } from '../../base/namespaces.ts'
import type { ReadDependencies } from '../../interface/read/dependencies.ts'
import type { IndexFigures } from '../../interface/search/label-reader.ts'
import type { SearchIndex } from '../../interface/search/search-index.ts'
import { until } from '../../base/clock.ts'
import { REST } from '../../graph/memory/store-state.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** The figures of a vocabulary or subset, as the index has them. */
export interface Figures extends IndexFigures {
  concepts: number
  /** Concepts that should not be used any more. */
  deprecated: number
  /** Concepts by their distance from the top; undefined for subsets, and if there are too many to look at. */
  levels: number[] | undefined
}

/** A page waits this long for new figures; counting continues, so a later request gets them. */
const PATIENCE_MS = 2000
/** Results to find at a time: a slow one must not delay the pages of other vocabularies. */
const AT_ONCE = 4
/** The service does not look at the hierarchy of larger vocabularies. */
const MAX_CONCEPTS = 200_000

interface RememberedResult {
  /** The URI of the vocabulary. */
  uri: string
  revision: string | undefined
  finding: Promise<unknown>
  /** The result of the last finding that has ended for this revision. */
  result: { value: unknown } | undefined
  /** Infinity during a finding. */
  endedAt: number
  tookMs: number
}

/**
 * Results about vocabularies that pages need and that take long to find. Each counts for one revision, and is found in
 * the background; those of removed vocabularies are forgotten.
 */
export class Statistics {
  readonly #index: SearchIndex
  readonly #maxAgeMs: number
  readonly #entries = new Map<string, RememberedResult>()
  readonly #queue = new PQueue({ concurrency: AT_ONCE })

  constructor({
    registry,
    index,
    state,
  }: {
    registry: Pick<ReadDependencies['registry'], 'onRead'>
    index: SearchIndex
    state: Pick<ReadDependencies['state'], 'maxAgeMs'>
  }) {
    this.#index = index
    this.#maxAgeMs = state.maxAgeMs
    registry.onRead((vocabularies) => {
      const present = new Set(vocabularies.map(({ uri }) => uri))
      for (const [key, { uri }] of this.#entries) if (!present.has(uri)) this.#entries.delete(key)
    })
  }

  /** The number of concepts; undefined while the index does not have the vocabulary in its revision. */
  async concepts(vocabulary: Vocabulary): Promise<number | undefined> {
    const lengths = vocabulary.isSubset ? undefined : await this.#index.lengths(vocabulary)
    return lengths?.concepts ?? (await this.figures(vocabulary))?.concepts
  }

  /** All figures; undefined while the index does not have the vocabulary in its revision. */
  figures(vocabulary: Vocabulary): Promise<Figures | undefined> {
    return this.remember('figures', vocabulary, async (signal) => {
      // The index follows vocabularies without a revision as well as it can.
      if (vocabulary.revision !== undefined && !(await this.#index.lengths(vocabulary))) {
        throw unavailable('The index is still being read. Please try again soon.')
      }
      const [figures, levels] = await Promise.all([
        this.#index.figures(vocabulary, signal),
        vocabulary.isSubset ? undefined : this.#index.levels(vocabulary, MAX_CONCEPTS, signal),
      ])
      const [, concepts = 0, deprecated = 0] = figures.classes.find(([uri]) => uri === CONCEPT) ?? []
      return { ...figures, concepts, deprecated, levels: levels ?? undefined }
    })
  }

  /**
   * A slow result about a vocabulary; undefined if it takes too long, or fails.
   *
   * @param name of the result.
   * @param find gets a signal of its own and so continues if this reader leaves: the next reader needs the result, too.
   */
  async remember<Value>(
    name: string,
    vocabulary: Vocabulary,
    find: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value | undefined> {
    const { result, finding } = this.#current(`${name} ${vocabulary.uri}`, vocabulary, find)
    if (result) return result.value as Value
    const late = () => new Error(`no ${name} within ${PATIENCE_MS} ms`)
    return until(PATIENCE_MS, finding as Promise<Value | undefined>, late).catch(() => undefined)
  }

  #current(key: string, vocabulary: Vocabulary, find: (signal: AbortSignal) => Promise<unknown>): RememberedResult {
    const entry = this.#entries.get(key)
    if (!entry || entry.revision !== vocabulary.revision) return this.#begin(key, vocabulary, find)
    const maxAgeMs = entry.revision === undefined ? 0 : this.#maxAgeMs
    if (performance.now() - entry.endedAt <= Math.max(maxAgeMs, REST * entry.tookMs)) return entry
    // The old result serves meanwhile if there is a revision, because nothing shows then that it is out of date.
    return this.#begin(key, vocabulary, find, entry.revision === undefined ? undefined : entry)
  }

  #begin(
    key: string,
    { uri, revision }: Vocabulary,
    find: (signal: AbortSignal) => Promise<unknown>,
    before?: RememberedResult,
  ): RememberedResult {
    const isWanted = () => this.#entries.get(key) === entry
    const work = async () => {
      if (!isWanted()) return
      const started = performance.now()
      const value = await find(new AbortController().signal).catch((error: unknown) => {
        // A search that times out is repeated as seldom as a successful one.
        if (error instanceof ApiError && error.name === 'TimeoutError') return undefined
        throw error
      })
      entry.result = { value }
      entry.endedAt = performance.now()
      entry.tookMs = entry.endedAt - started
    }
    // Not at once, because the entry is still to be added.
    const ended = Promise.resolve().then(() => this.#queue.add(work))
    // Those who wait for an older revision get the newer one.
    const finding = ended.then(() => (isWanted() ? entry.result?.value : this.#entries.get(key)?.finding))
    const entry: RememberedResult = { uri, revision, finding, result: before?.result, endedAt: Infinity, tookMs: 0 }
    this.#entries.set(key, entry)
    ended.catch(() => {
      if (!isWanted()) return
      // If the finding fails, the next reader begins again; the old result continues to serve.
      if (before) this.#entries.set(key, before)
      else this.#entries.delete(key)
    })
    // There may be nobody who waits.
    finding.catch(() => undefined)
    return entry
  }
}
