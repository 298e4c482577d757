import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import { REST } from '../../graph/memory/store-state.ts'
import type { Scope, VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import { spacesOf, type Namespace } from '../../graph/vocabularies/namespaces.ts'
import { findVocabulary, type Concordance, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { IndexConnection, stillReading, type IndexConnectionOptions } from './index-connection.ts'
import { orderingOf } from './stage.ts'
import type { IndexedGraph } from './index-writer.ts'

export interface SearchIndexOptions extends IndexConnectionOptions {
  registry: Pick<VocabularyRegistry, 'list' | 'fresh' | 'concordances' | 'onRead'>
  /** How the URIs of vocabularies that are not in the store begin. */
  namespaces?: readonly Namespace[] | undefined
  /** How often to look whether other programs have changed the store, in milliseconds. */
  maxStalenessMs: number
  /** Every write to the store changes a revision. */
  isExclusive: boolean
  /** All writes go through this process, so there is no need to look for those of others. */
  hearsOfWrites: boolean
  /** How long a search waits for the first reading of a vocabulary, in milliseconds; 2000 unless given. */
  waitMs?: number | undefined
}

const WAIT_MS = 2000
/** A new revision is read after this time, because its writer may be about to write the index. */
const GRACE_MS = 1000
const LEAST_POLL_MS = 1000
const CHECK_AFTER_MS = 3000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** A vocabulary, subset or concordance: each has a graph in the index. */
type IndexedResource = Vocabulary | Concordance

/** A vocabulary that the store has in another revision than the index. */
interface Behind {
  vocabulary: IndexedResource
  since: number
  failures: number
  /** The end of the pause after a failure. */
  restsUntil: number
}

/**
 * Keeps the index equal to the store: compares their vocabularies after every reading of the registry, and has those
 * read that the index lacks or has in another revision, one after the other.
 */
export class StoreFollower {
  protected readonly connection: IndexConnection
  protected readonly options: SearchIndexOptions
  readonly #behind = new Map<string, Behind>()
  /** When graphs without a revision were read, and how long it took. */
  readonly #readings = new Map<string, { at: number; tookMs: number }>()
  /** Vocabularies that do not fit the store although they have its revision, with the sign of it. */
  readonly #doubts = new Map<string, { reason: string; isOpen: boolean }>()
  /** Since when the store does not list vocabularies that the index has. */
  readonly #absent = new Map<string, number>()
  /** Vocabularies to read, one after the other. */
  readonly #queue = new PQueue({ concurrency: 1 })
  readonly #queued = new Set<string>()
  /** Graphs whose new revision no other writer is about to write. */
  readonly #urgent = new Set<string>()
  /** True if something was read since the index was last compacted. */
  #hasRead = false
  #present: readonly IndexedResource[] = []
  /** The beginnings of URIs that the index was sent. */
  #spaces = ''
  #vocabularies: readonly Vocabulary[] = []
  #poll: NodeJS.Timeout | undefined
  #check: NodeJS.Timeout | undefined
  /** Questions that wait for a vocabulary to be read. */
  #waiting = new Set<() => void>()

  constructor(options: SearchIndexOptions) {
    this.options = options
    this.connection = new IndexConnection(options, {
      onClosed: () => {
        this.#spaces = ''
      },
      onReplaced: async () => {
        this.#readings.clear()
        this.#behind.clear()
        await this.connection.open()
        await this.compare()
      },
    })
    options.registry.onRead((vocabularies, concordances) => {
      this.#vocabularies = vocabularies
      this.#present = [...vocabularies, ...concordances]
      if (this.connection.isOpen) void this.compare().catch((error: unknown) => this.connection.logFailure(error))
    })
  }

  /** How many vocabularies the store has in another revision than the index, and since when, in seconds. */
  get lag(): { vocabularies: number; seconds: number } {
    const since = Math.min(...[...this.#behind.values()].map((behind) => behind.since))
    return {
      vocabularies: this.#behind.size,
      seconds: this.#behind.size === 0 ? 0 : (performance.now() - since) / 1000,
    }
  }

  /**
   * Opens the index, looks for damage, and begins to follow the store. Never fails: searches report a missing index.
   */
  begin(): void {
    const begun = async () => {
      await this.connection.open()
      this.#checkLater()
      const vocabularies = await this.options.registry.list()
      if (this.connection.wasMissing && vocabularies.length > 0)
        this.options.warn?.(`${this.connection.file} is new; it is built from the store`, undefined)
    }
    begun().catch((error: unknown) => this.connection.logFailure(error))
    const { hearsOfWrites, maxStalenessMs, registry } = this.options
    if (hearsOfWrites) return
    this.#poll ??= setInterval(
      () => void registry.list().catch(() => undefined),
      Math.max(LEAST_POLL_MS, maxStalenessMs),
    ).unref()
  }

  /** Looks for damage after a pause: the check reads the whole file, and searches during it take four times as long. */
  #checkLater(): void {
    if (this.connection.isClosed) return
    const check = () => this.connection.write('check').catch((error: unknown) => this.connection.failed(error))
    this.#check ??= setTimeout(() => void check(), CHECK_AFTER_MS).unref()
  }

  /**
   * Has a vocabulary read again that differs from the store although it has its revision.
   *
   * @param sign the same sign counts once.
   */
  doubt({ uri, revision }: Vocabulary, sign: string): void {
    const reason = `${revision} ${sign}`
    if (this.#doubts.get(uri)?.reason === reason) return
    this.#doubts.set(uri, { reason, isOpen: true })
    void this.compare().catch((error: unknown) => this.connection.logFailure(error))
  }

  /**
   * Reads graphs that this process has written to the store, whatever their revision; removes graphs that the store
   * lacks.
   */
  async refresh(graphs: readonly string[]): Promise<void> {
    await this.connection.open()
    const { registry } = this.options
    const present: IndexedResource[] = [...(await registry.fresh()), ...(await registry.concordances())]
    for (const uri of graphs) {
      const vocabulary = present.find((resource) => resource.uri === uri)
      if (vocabulary) await this.connection.write('read', { ...graphState(vocabulary), hasOnlyGrown: false })
      else await this.connection.write('remove', [uri])
    }
  }

  /** Reads a graph that this process has changed, without the pause for another writer. */
  protected async readAtOnce(uri: string): Promise<void> {
    this.#urgent.add(uri)
    await this.caughtUp()
  }

  /** Resolves when the index has all that the store is known to have. */
  async caughtUp(): Promise<void> {
    await this.connection.open()
    await this.options.registry.fresh()
    // The first round may wait for a reading that began before the store had its present state.
    for (let round = 0; round < 2; round++) {
      await this.compare()
      await this.#queue.onIdle()
    }
  }

  async close(): Promise<void> {
    this.connection.refuse()
    clearInterval(this.#poll)
    clearTimeout(this.#check)
    this.#queue.clear()
    await this.connection.close()
  }

  /** Waits a moment if a vocabulary of the scope has never been read. @throws ApiError ServiceUnavailableError */
  protected async whenRead(scope: Scope, signal: AbortSignal): Promise<void> {
    await this.connection.open()
    for (const end = performance.now() + (this.options.waitMs ?? WAIT_MS); ;) {
      const present = await this.options.registry.list()
      const { graphs, isComplete } = await this.connection.state()
      const isUnread = ({ uri }: Vocabulary) => !graphs.has(uri)
      const named = [...scope.schemes, ...scope.subsets].flatMap((vocabulary) => [
        vocabulary,
        ...vocabulary.partOf.flatMap((uri) => (vocabulary.isSubset ? (findVocabulary(present, uri) ?? []) : [])),
      ])
      const unread = scope.all ? (isComplete ? [] : present.filter(isUnread)) : named.filter(isUnread)
      if (unread.length === 0) return
      await this.compare()
      const restMs = end - performance.now()
      if (restMs <= 0 || signal.aborted) throw stillReading()
      const enough = new AbortController()
      const read = new Promise<void>((resolve) => this.#waiting.add(resolve))
      await Promise.race([read, sleep(restMs, undefined, { signal: enough.signal }).catch(() => undefined)])
      enough.abort()
    }
  }

  /** Compares the vocabularies of the store with those of the index. Reads what the index lacks, the smallest first. */
  protected async compare(): Promise<void> {
    if (this.connection.isClosed || !this.connection.isOpen) return
    await this.connection.reopenIfReplaced()
    const present = this.#present
    const { graphs } = await this.connection.state()
    for (const vocabulary of present) {
      const { uri } = vocabulary
      if (!this.#isBehind(vocabulary, graphs.get(uri))) {
        this.#behind.delete(uri)
        continue
      }
      const behind = this.#behind.get(uri)
      if (behind) behind.vocabulary = vocabulary
      else this.#behind.set(uri, { vocabulary, since: performance.now(), failures: 0, restsUntil: -Infinity })
    }
    for (const uri of this.#behind.keys())
      if (!present.some((resource) => resource.uri === uri)) this.#behind.delete(uri)
    const size = ({ vocabulary: { lastLoad } }: Behind) => lastLoad.triples ?? 0
    const sorted = [...this.#behind.values()].sort((a, b) => size(a) - size(b))
    this.#assign()
    for (const { vocabulary, restsUntil } of sorted) {
      if (performance.now() >= restsUntil) this.#enqueue(vocabulary.uri)
    }
    await this.#removeAbsent(present, graphs)
    if (sorted.length === 0) this.#enqueue(undefined)
  }

  /** Sends the index the beginnings of the URIs of vocabularies, if they have changed. No search waits for it. */
  #assign(): void {
    const spaces = spacesOf(this.#vocabularies, this.options.namespaces)
    const text = JSON.stringify(spaces)
    if (text === this.#spaces) return
    this.#spaces = text
    const work = async () => {
      try {
        await this.connection.write('assign', spaces)
        if (this.#queue.size === 0) await this.#markComplete()
      } catch (error) {
        // The next comparison sends them again.
        this.#spaces = ''
        void this.connection.failed(error)
      }
    }
    void this.#queue.add(work)
  }

  #isBehind({ uri, revision }: IndexedResource, indexed: IndexedGraph | undefined): boolean {
    if (!indexed || this.#doubts.get(uri)?.isOpen) return true
    const { isExclusive, maxStalenessMs } = this.options
    if (revision === undefined) {
      const { at, tookMs } = this.#readings.get(uri) ?? { at: -Infinity, tookMs: 0 }
      return (
        performance.now() - at > (isExclusive ? Infinity : Math.max(maxStalenessMs, REST * tookMs)) || at === -Infinity
      )
    }
    return revision !== indexed.revision || !isOrderedIn(indexed, this.options.language)
  }

  /** Forgets vocabularies that the store does not list for a while: the list may be older than the index. */
  async #removeAbsent(present: readonly IndexedResource[], graphs: ReadonlyMap<string, IndexedGraph>): Promise<void> {
    const listed = new Set(present.map(({ uri }) => uri))
    for (const uri of this.#absent.keys()) if (listed.has(uri) || !graphs.has(uri)) this.#absent.delete(uri)
    const gone: string[] = []
    for (const uri of graphs.keys()) {
      if (listed.has(uri)) continue
      const since = this.#absent.get(uri) ?? performance.now()
      this.#absent.set(uri, since)
      if (performance.now() - since > GRACE_MS) gone.push(uri)
    }
    if (gone.length > 0) await this.connection.write('remove', gone)
  }

  /** @param uri undefined: there is nothing to read; only the end of the first pass is recorded. */
  #enqueue(uri: string | undefined): void {
    if (uri !== undefined && this.#queued.has(uri)) return
    if (uri === undefined && (this.connection.wasComplete || this.#queue.size > 0)) return
    if (uri !== undefined) this.#queued.add(uri)
    const work = async () => {
      try {
        // If a vocabulary cannot be read, the rest of the index still becomes complete.
        if (uri !== undefined) await this.#read(uri).catch((error: unknown) => void this.connection.failed(error))
        if (this.#queue.size > 0) return
        await this.#markComplete()
        if (this.#hasRead) void this.#queue.add(() => this.#compact())
      } catch (error) {
        void this.connection.failed(error)
      } finally {
        if (uri !== undefined) this.#queued.delete(uri)
        for (const resolve of this.#waiting) resolve()
        this.#waiting.clear()
      }
    }
    void this.#queue.add(work)
  }

  async #read(uri: string): Promise<void> {
    const behind = this.#behind.get(uri)
    if (!behind || this.connection.isClosed) return
    const indexed = (await this.connection.state()).graphs.get(uri)
    const isUrgent = this.#urgent.delete(uri)
    const restMs = indexed && !isUrgent ? GRACE_MS - (performance.now() - behind.since) : 0
    if (restMs > 0) await sleep(restMs, undefined, { ref: false })
    const { vocabulary } = behind
    const present = (await this.connection.state()).graphs.get(uri)
    if (present && !this.#isBehind(vocabulary, present)) {
      this.#behind.delete(uri)
      return
    }
    const graph = graphState(vocabulary)
    const hasOnlyGrown = graph.load !== '' && present?.load === graph.load && present.revision !== graph.revision
    const started = performance.now()
    const doubt = this.#doubts.get(uri)
    if (doubt) doubt.isOpen = false
    try {
      const isRead = await this.connection.write('read', { ...graph, hasOnlyGrown })
      this.#readings.set(uri, { at: performance.now(), tookMs: performance.now() - started })
      this.#hasRead ||= isRead
      if (isRead) this.#behind.delete(uri)
      else if (!this.connection.isClosed) await this.options.registry.fresh()
    } catch (error) {
      behind.failures++
      this.#readAgainLater(behind)
      throw error
    }
  }

  #readAgainLater(behind: Behind): void {
    const { failures, vocabulary } = behind
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
    behind.restsUntil = performance.now() + pauseMs
    setTimeout(() => {
      if (this.#behind.get(vocabulary.uri) === behind && !this.connection.isClosed) this.#enqueue(vocabulary.uri)
    }, pauseMs).unref()
  }

  async #compact(): Promise<void> {
    if (this.connection.isClosed) return
    this.#hasRead = false
    await this.connection.write('compact').catch((error: unknown) => this.connection.failed(error))
  }

  /** Records that every vocabulary was read, except those the store failed to return. */
  async #markComplete(): Promise<void> {
    const { graphs, isComplete } = await this.connection.state()
    const isMissing = ({ uri }: IndexedResource) => !graphs.has(uri) && (this.#behind.get(uri)?.failures ?? 0) === 0
    if (isComplete || this.#present.some(isMissing)) return
    await this.connection.write('complete')
  }
}

function graphState({ uri, revision, lastLoad }: IndexedResource) {
  return { uri, revision, triples: lastLoad.triples, load: lastLoad.id ?? '' }
}

/** True unless labels of another language order a graph. */
export function isOrderedIn({ ordering }: IndexedGraph, language: string): boolean {
  return !ordering.startsWith('label ') || ordering === orderingOf('label', language)
}
