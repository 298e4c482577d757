import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import { sizeOfFolder } from '../../base/durable/files.ts'
import { DamageError, DiskError, HeldError } from '../../base/durable/errors.ts'
import { ApiError, unavailable } from '../../base/errors.ts'
import type { ListIndex, ListLengths, ListPage, ListQuestion } from '../read/indexed-lists.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'
import { until } from '../../base/until.ts'
import { EVERYTHING, scopeOf, type Scope, type VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import { spacesOf, type Namespace } from '../../graph/vocabularies/namespaces.ts'
import { findVocabulary, type Concordance, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { CallName, CallResult, IndexCalls } from './index-calls.ts'
import { IndexFile, indexFileIn, removeIndexFile } from '../../graph/index/index-file.ts'
import type { Found, IndexQuestion } from './concept-reader.ts'
import type {
  IndexFigures,
  LabelEntry,
  LabelMatch,
  LetterCount,
  LetterQuestion,
  MatchQuestion,
} from './label-reader.ts'
import type { NameMatches, ReconcileQuestion } from './name-reader.ts'
import { IndexThread } from './index-thread.ts'
import type { IndexedGraph, RevisionChange } from './index-writer.ts'
import type { Statement } from '../../graph/index/statements.ts'
import type { IndexScope } from './places.ts'

export interface SearchIndexOptions {
  /** DATA_DIR. */
  dataDir: string
  /** The store whose labels the index has; of replicated stores the one that shows writes at once. */
  endpoint: StoreEndpoint
  /** Milliseconds for a request to the store. */
  timeoutMs: number
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
  /** Receives what the operator should know. */
  note?: ((message: string, error: unknown) => void) | undefined
}

/** A question about the vocabularies of a scope. */
type SearchQuestion = Omit<IndexQuestion, 'scope'> & { scope: Scope }

/** Memory for pages of the file in the thread that searches, in the thread that writes, and to look for changes. */
const CACHE_BYTES = { reader: 16 << 20, writer: 32 << 20, watch: 1 << 20 }
/** The thread that looks for changes is the one that answers all requests, so it does not wait for locks. */
const WATCH_BUSY_MS = 100
/** The thread gets at most this many questions at a time. Others wait; a question is dropped when its request ends. */
const AT_ONCE = 4
const WAIT_MS = 2000
/** An ingest waits at most this long for the index, which a command may be writing. */
const ADD_WAIT_MS = 500
/** A new revision is read after this time, because its writer may be about to write the index. */
const GRACE_MS = 1000
/** A graph without a revision is read again only after this many times the time that reading it took. */
const REST = 50
const LEAST_POLL_MS = 1000
const CHECK_AFTER_MS = 3000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000

/** The contents of the index at some number of changes. */
interface KnownState {
  changes: number
  graphs: ReadonlyMap<string, IndexedGraph & { lengths: ListLengths }>
  isComplete: boolean
}

/** A vocabulary, subset or concordance: what has a graph in the index. */
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
 * The index of labels, notations, classes and vocabularies: one file for every store, which threads of their own read
 * and write.
 *
 * Loads and ingests of this installation write the index in the same step. The service reads changes by other programs
 * in the background; until then the index answers with what it has. A vocabulary cannot be searched before it was read
 * once.
 */
export class SearchIndex implements ListIndex {
  readonly #options: SearchIndexOptions
  readonly #file: string
  /** The index as this thread sees it, to notice changes by other processes. */
  #watch: IndexFile | undefined
  #opening: Promise<void> | undefined
  #threads: Partial<Record<'reader' | 'writer', IndexThread>> = {}
  readonly #questions = new PQueue({ concurrency: AT_ONCE })
  #versions: [version: number, changes: number] = [0, 0]
  #state: KnownState | undefined
  readonly #behind = new Map<string, Behind>()
  /** When graphs without a revision were read, and how long it took. */
  readonly #readings = new Map<string, { at: number; tookMs: number }>()
  /** Vocabularies that do not fit the store although they have its revision, with what showed it. */
  readonly #doubts = new Map<string, { reason: string; isOpen: boolean }>()
  /** Since when the store does not list vocabularies that the index has. */
  readonly #absent = new Map<string, number>()
  /** Vocabularies to read, one after the other. */
  readonly #queue = new PQueue({ concurrency: 1 })
  readonly #queued = new Set<string>()
  /** True if something was read since the index was last compacted. */
  #hasRead = false
  #present: readonly IndexedResource[] = []
  /** The beginnings of URIs that the index was told. */
  #spaces = ''
  #vocabularies: readonly Vocabulary[] = []
  #recovering: Promise<void> | undefined
  #poll: NodeJS.Timeout | undefined
  #check: NodeJS.Timeout | undefined
  #isClosed = false
  /** True if there was no index. */
  #isMissing = false
  /** Questions that wait for a vocabulary to be read. */
  #waiting = new Set<() => void>()

  constructor(options: SearchIndexOptions) {
    this.#options = options
    this.#file = indexFileIn(options.dataDir)
    options.registry.onRead((vocabularies, concordances) => {
      this.#vocabularies = vocabularies
      this.#present = [...vocabularies, ...concordances]
      if (this.#opening) void this.#compare().catch((error: unknown) => this.#noteFailure(error))
    })
  }

  /** Changes whenever searches may find something else. */
  get version(): number {
    return this.#lookAtVersions()[0]
  }

  /** How many vocabularies the store has in another revision than the index, and since when, in seconds. */
  get lag(): { vocabularies: number; seconds: number } {
    const since = Math.min(...[...this.#behind.values()].map((behind) => behind.since))
    return {
      vocabularies: this.#behind.size,
      seconds: this.#behind.size === 0 ? 0 : (performance.now() - since) / 1000,
    }
  }

  /** True if searches answer: the index has all vocabularies that the store is known to have, in whatever revision. */
  async isReady(): Promise<boolean> {
    await this.#open()
    const present = await this.#options.registry.list()
    const { graphs } = await this.#readState()
    return present.every(({ uri }) => graphs.has(uri))
  }

  /** The bytes of the files. */
  async bytes(): Promise<number> {
    return sizeOfFolder(dirname(this.#file)).catch(() => 0)
  }

  /** Opens the index and starts its reading thread while the service starts, so that the first search does not wait. */
  prepare(): void {
    // The first call that needs the index reports its errors.
    this.#open()
      .then(() => this.#readState())
      .catch(() => undefined)
  }

  /**
   * Opens the index, looks for damage, and begins to follow the store. Never fails: searches report a missing index.
   */
  begin(): void {
    const begun = async () => {
      await this.#open()
      this.#checkLater()
      const vocabularies = await this.#options.registry.list()
      if (this.#isMissing && vocabularies.length > 0)
        this.#options.note?.(`${this.#file} was missing; it is built from the store`, undefined)
    }
    begun().catch((error: unknown) => this.#noteFailure(error))
    const { hearsOfWrites, maxStalenessMs, registry } = this.#options
    if (hearsOfWrites) return
    this.#poll ??= setInterval(
      () => void registry.list().catch(() => undefined),
      Math.max(LEAST_POLL_MS, maxStalenessMs),
    ).unref()
  }

  /** Looks for damage after a pause: the check reads the whole file, and searches during it take four times as long. */
  #checkLater(): void {
    if (this.#isClosed) return
    const check = () => this.#call('writer', 'check').catch((error: unknown) => this.#failed(error))
    this.#check ??= setTimeout(() => void check(), CHECK_AFTER_MS).unref()
  }

  /**
   * The concepts that match a text, one page of them.
   *
   * @throws ApiError ServiceUnavailableError if a vocabulary of the scope has not been read yet, or if the index cannot
   *   be used; TimeoutError.
   */
  find(question: SearchQuestion, signal: AbortSignal): Promise<Found> {
    return this.ask(question.scope, signal, (scope) => ['find', { ...question, scope }])
  }

  /** The concepts and labels that names may mean. @throws as `find`. */
  reconcile(
    question: Omit<ReconcileQuestion, 'scope'> & { scope: Scope },
    signal: AbortSignal,
  ): Promise<NameMatches[]> {
    return this.ask(question.scope, signal, (scope) => ['reconcile', { ...question, scope }])
  }

  /** The first characters of the labels of a vocabulary or subset. @throws as `find`. */
  letters(of: Vocabulary, languages: readonly string[], signal: AbortSignal): Promise<LetterCount[]> {
    return this.ask(scopeOf([of]), signal, () => ['letters', { of: of.uri, isSubset: of.isSubset, languages }])
  }

  /** The labels of a vocabulary or subset that begin with some characters. @throws as `find`. */
  entries(
    of: Vocabulary,
    question: Pick<LetterQuestion, 'languages' | 'first' | 'without'>,
    signal: AbortSignal,
  ): Promise<LabelEntry[]> {
    return this.ask(scopeOf([of]), signal, () => ['entries', { of: of.uri, isSubset: of.isSubset, ...question }])
  }

  /** The labels that a text with wildcards matches. @throws as `find`. */
  matches(question: Omit<MatchQuestion, 'scope'> & { scope: Scope }, signal: AbortSignal): Promise<LabelMatch[]> {
    return this.ask(question.scope, signal, (scope) => ['matches', { ...question, scope }])
  }

  /** How many labels and concepts a vocabulary or subset has. @throws as `find`. */
  figures(of: Vocabulary, signal: AbortSignal): Promise<IndexFigures> {
    return this.ask(scopeOf([of]), signal, () => ['figures', { of: of.uri, isSubset: of.isSubset }])
  }

  /**
   * The URIs of the classes of the concepts of a vocabulary or subset; undefined if the index cannot be used.
   *
   * @throws ApiError TimeoutError
   */
  classes({ uri, isSubset }: Vocabulary, signal: AbortSignal): Promise<string[] | undefined> {
    return this.#try(signal, () => this.#call('reader', 'classes', { of: uri, isSubset }))
  }

  /**
   * The numbers of the concepts of a vocabulary by their distance from the top.
   *
   * @returns undefined if it has more than `most` concepts.
   * @throws as `find`.
   */
  levels(of: Vocabulary, most: number, signal: AbortSignal): Promise<number[] | undefined> {
    return this.ask(scopeOf([of]), signal, () => ['levels', of.uri, most])
  }

  /**
   * A page of a list of a vocabulary in the order of records.
   *
   * @returns undefined if the index does not have the whole list in this revision, or cannot be used.
   * @throws ApiError TimeoutError
   */
  async page(question: ListQuestion, signal: AbortSignal): Promise<ListPage | undefined> {
    if (!(await this.lengths({ uri: question.of, revision: question.revision }))) return undefined
    return this.#try(signal, () => this.#call('reader', 'page', question))
  }

  /** The URIs of all concepts below some. @throws as `find`. */
  below(uris: readonly string[], signal: AbortSignal): Promise<string[]> {
    return this.ask(EVERYTHING, signal, () => ['below', uris])
  }

  /**
   * The number of concepts before a concept in the list of those that no top concept reaches; undefined if it is not
   * there.
   */
  async unreachedBefore(uri: string, of: Vocabulary, signal: AbortSignal): Promise<number | undefined> {
    return this.#try(signal, () => this.#call('reader', 'unreachedBefore', uri, of.uri))
  }

  /** The lengths of the lists of a vocabulary; undefined if the index cannot be used or has another revision. */
  async lengths({ uri, revision }: Pick<Vocabulary, 'uri' | 'revision'>): Promise<ListLengths | undefined> {
    if (revision === undefined) return undefined
    try {
      await this.#open()
      const graph = (await this.#readState()).graphs.get(uri)
      return graph?.revision === revision ? graph.lengths : undefined
    } catch (error) {
      void this.#failed(error)
      return undefined
    }
  }

  /**
   * Notes that a vocabulary differs from the store although it has its revision.
   *
   * @param sign the same sign counts once.
   */
  doubt({ uri, revision }: Vocabulary, sign: string): void {
    const reason = `${revision} ${sign}`
    if (this.#doubts.get(uri)?.reason === reason) return
    this.#doubts.set(uri, { reason, isOpen: true })
    void this.#compare().catch((error: unknown) => this.#noteFailure(error))
  }

  /**
   * Adds concepts that this installation has written to the store. Never fails: if the index cannot be written, it is
   * behind, and reads them from the store. Resolves when searches find them, or after half a second: then they do as
   * soon as a command that writes the index lets others write, too.
   *
   * @param change of the revision that the concepts have made, if it is known.
   */
  async add(graph: string, statements: readonly Statement[], change?: RevisionChange): Promise<void> {
    // Nothing follows the store yet. `begin` will read what is there then.
    if (!this.#opening) return
    const add = async () => {
      try {
        await this.#open()
        await this.#call('writer', 'add', graph, statements, change)
      } catch (error) {
        void this.#failed(error)
      }
    }
    await until(ADD_WAIT_MS, add(), tooLate).catch(() => undefined)
  }

  /**
   * Reads graphs that this process has written to the store, whatever their revision; removes those that the store
   * lacks.
   */
  async refresh(graphs: readonly string[]): Promise<void> {
    await this.#open()
    const { registry } = this.#options
    const present: IndexedResource[] = [...(await registry.fresh()), ...(await registry.concordances())]
    for (const uri of graphs) {
      const vocabulary = present.find((resource) => resource.uri === uri)
      if (vocabulary) await this.#call('writer', 'read', { ...graphOf(vocabulary), hasOnlyGrown: false })
      else await this.#call('writer', 'remove', [uri])
    }
  }

  /** Resolves when the index has all that the store is known to have. */
  async settled(): Promise<void> {
    await this.#open()
    await this.#options.registry.fresh()
    await this.#compare()
    await this.#queue.onIdle()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    clearTimeout(this.#check)
    this.#questions.clear()
    this.#queue.clear()
    await this.#recovering
    await this.#closeFiles()
  }

  /**
   * Asks the thread that reads the index, once it has the vocabularies of a scope.
   *
   * @param toCall the name and the values of the call, given the URIs of the scope.
   * @throws as `find`.
   */
  async ask<Name extends CallName>(
    scope: Scope,
    signal: AbortSignal,
    toCall: (scope: IndexScope) => [name: Name, ...values: Parameters<IndexCalls[Name]>],
  ): Promise<CallResult<Name>> {
    try {
      await until(signal, this.#options.registry.list(), tooLate)
      await until(signal, this.#whenRead(scope, signal), stillReading)
      const indexScope = {
        all: scope.all,
        schemes: scope.schemes.map(({ uri }) => uri),
        subsets: scope.subsets.map(({ uri }) => uri),
      }
      const [name, ...values] = toCall(indexScope)
      const call = () => this.#call('reader', name, ...values)
      return await until(signal, this.#questions.add(call, { signal }), tooLate)
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (signal.aborted) throw tooLate()
      void this.#failed(error)
      throw unavailable('The search index cannot be used at the moment.', { cause: error })
    }
  }

  /** The result of a question; undefined if the index cannot be used. @throws ApiError TimeoutError */
  async #try<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await until(signal, this.#questions.add(ask, { signal }), tooLate)
    } catch (error) {
      if (signal.aborted) throw tooLate()
      void this.#failed(error)
      return undefined
    }
  }

  /** Waits a moment if a vocabulary of the scope has never been read. @throws ApiError ServiceUnavailableError */
  async #whenRead(scope: Scope, signal: AbortSignal): Promise<void> {
    await this.#open()
    for (const end = performance.now() + (this.#options.waitMs ?? WAIT_MS); ;) {
      const present = await this.#options.registry.list()
      const { graphs, isComplete } = await this.#readState()
      const isUnread = ({ uri }: Vocabulary) => !graphs.has(uri)
      const named = [...scope.schemes, ...scope.subsets].flatMap((vocabulary) => [
        vocabulary,
        ...vocabulary.partOf.flatMap((uri) => (vocabulary.isSubset ? (findVocabulary(present, uri) ?? []) : [])),
      ])
      const unread = scope.all ? (isComplete ? [] : present.filter(isUnread)) : named.filter(isUnread)
      if (unread.length === 0) return
      await this.#compare()
      const restMs = end - performance.now()
      if (restMs <= 0 || signal.aborted) throw stillReading()
      const enough = new AbortController()
      const read = new Promise<void>((resolve) => this.#waiting.add(resolve))
      await Promise.race([read, sleep(restMs, undefined, { signal: enough.signal }).catch(() => undefined)])
      enough.abort()
    }
  }

  #open(): Promise<void> {
    if (this.#isClosed) return Promise.reject(stillReading())
    return (this.#opening ??= this.#openFile().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    }))
  }

  async #openFile(): Promise<void> {
    try {
      this.#watch = await IndexFile.open(this.#file, CACHE_BYTES.watch, WATCH_BUSY_MS)
      this.#isMissing ||= this.#watch.isNew
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      this.#noteDamage(error)
      await removeIndexFile(this.#file)
      this.#watch = await IndexFile.open(this.#file, CACHE_BYTES.watch, WATCH_BUSY_MS)
    }
    await this.#watch.watchVersions()
    this.#state = undefined
  }

  async #closeFiles(): Promise<void> {
    // What is being opened has to be closed, too.
    await this.#opening?.catch(() => undefined)
    const [threads, watch] = [this.#threads, this.#watch]
    this.#threads = {}
    this.#watch = undefined
    this.#opening = undefined
    this.#spaces = ''
    await Promise.all(Object.values(threads).map((thread) => thread.close()))
    await watch?.close()
  }

  async #call<Name extends CallName>(
    kind: 'reader' | 'writer',
    name: Name,
    ...values: Parameters<IndexCalls[Name]>
  ): Promise<CallResult<Name>> {
    const { endpoint, timeoutMs } = this.#options
    const current = this.#threads[kind]
    // A thread that has ended, or could not open the index, is replaced.
    const thread = current?.isAlive
      ? current
      : (this.#threads[kind] = new IndexThread({
          file: this.#file,
          endpoint,
          timeoutMs,
          cacheBytes: CACHE_BYTES[kind],
        }))
    return thread.ask(name, ...values)
  }

  async #readState(): Promise<KnownState> {
    const [, changes] = this.#lookAtVersions()
    if (this.#state?.changes === changes) return this.#state
    const { graphs, isComplete } = await this.#call('reader', 'state')
    const byUri = new Map(graphs.map((graph) => [graph.uri, graph]))
    return (this.#state = { changes, graphs: byUri, isComplete })
  }

  #lookAtVersions(): [version: number, changes: number] {
    return (this.#versions = this.#watch?.versions ?? this.#versions)
  }

  /** Compares the vocabularies of the store with those of the index. Reads what the index lacks, the smallest first. */
  async #compare(): Promise<void> {
    if (this.#isClosed || !this.#opening) return
    await this.#openAgainIfReplaced()
    await this.#open()
    const present = this.#present
    const { graphs } = await this.#readState()
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
    const spaces = spacesOf(this.#vocabularies, this.#options.namespaces)
    const text = JSON.stringify(spaces)
    if (text === this.#spaces) return
    this.#spaces = text
    const work = async () => {
      try {
        await this.#call('writer', 'assign', spaces)
        if (this.#queue.size === 0) await this.#noteComplete()
      } catch (error) {
        // The next comparison sends them again.
        this.#spaces = ''
        void this.#failed(error)
      }
    }
    void this.#queue.add(work)
  }

  #isBehind({ uri, revision }: IndexedResource, indexed: IndexedGraph | undefined): boolean {
    if (!indexed || this.#doubts.get(uri)?.isOpen) return true
    const { isExclusive, maxStalenessMs } = this.#options
    if (revision === undefined) {
      const { at, tookMs } = this.#readings.get(uri) ?? { at: -Infinity, tookMs: 0 }
      return (
        performance.now() - at > (isExclusive ? Infinity : Math.max(maxStalenessMs, REST * tookMs)) || at === -Infinity
      )
    }
    return revision !== indexed.revision
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
    if (gone.length > 0) await this.#call('writer', 'remove', gone)
  }

  /** @param uri undefined: there is nothing to read; only the end of the first pass is noted. */
  #enqueue(uri: string | undefined): void {
    if (uri !== undefined && this.#queued.has(uri)) return
    if (uri === undefined && (this.#state?.isComplete || this.#queue.size > 0)) return
    if (uri !== undefined) this.#queued.add(uri)
    const work = async () => {
      try {
        // If a vocabulary cannot be read, the rest of the index still becomes complete.
        if (uri !== undefined) await this.#read(uri).catch((error: unknown) => void this.#failed(error))
        if (this.#queue.size > 0) return
        await this.#noteComplete()
        if (this.#hasRead) void this.#queue.add(() => this.#compact())
      } catch (error) {
        void this.#failed(error)
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
    if (!behind || this.#isClosed) return
    const indexed = (await this.#readState()).graphs.get(uri)
    const restMs = indexed ? GRACE_MS - (performance.now() - behind.since) : 0
    if (restMs > 0) await sleep(restMs, undefined, { ref: false })
    const { vocabulary } = behind
    const present = (await this.#readState()).graphs.get(uri)
    if (present && !this.#isBehind(vocabulary, present)) {
      this.#behind.delete(uri)
      return
    }
    const graph = graphOf(vocabulary)
    const hasOnlyGrown = graph.load !== '' && present?.load === graph.load && present.revision !== graph.revision
    const started = performance.now()
    const doubt = this.#doubts.get(uri)
    if (doubt) doubt.isOpen = false
    try {
      const isRead = await this.#call('writer', 'read', { ...graph, hasOnlyGrown })
      this.#readings.set(uri, { at: performance.now(), tookMs: performance.now() - started })
      this.#hasRead ||= isRead
      if (isRead) this.#behind.delete(uri)
      else if (!this.#isClosed) await this.#options.registry.fresh()
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
      if (this.#behind.get(vocabulary.uri) === behind && !this.#isClosed) this.#enqueue(vocabulary.uri)
    }, pauseMs).unref()
  }

  async #compact(): Promise<void> {
    if (this.#isClosed) return
    this.#hasRead = false
    await this.#call('writer', 'compact').catch((error: unknown) => this.#failed(error))
  }

  /** Records that every vocabulary was read, except those the store failed to return. */
  async #noteComplete(): Promise<void> {
    const { graphs, isComplete } = await this.#readState()
    const isMissing = ({ uri }: IndexedResource) => !graphs.has(uri) && (this.#behind.get(uri)?.failures ?? 0) === 0
    if (isComplete || this.#present.some(isMissing)) return
    await this.#call('writer', 'complete')
  }

  /** Opens the index again if another process has removed it, or built it anew. */
  async #openAgainIfReplaced(): Promise<void> {
    const inode = this.#watch?.inode
    if (inode === undefined || this.#recovering) return
    const now = (await stat(this.#file).catch(() => undefined))?.ino
    if (now !== inode && this.#watch?.inode === inode) await this.#closeFiles()
  }

  /** After an error: builds a damaged index anew; notes all others. */
  async #failed(error: unknown): Promise<void> {
    if (this.#isClosed) return
    if (!(error instanceof DamageError)) return this.#noteFailure(error)
    this.#recovering ??= this.#recover(error).finally(() => (this.#recovering = undefined))
    await this.#recovering.catch((failure: unknown) => this.#noteFailure(failure))
  }

  async #recover(error: DamageError): Promise<void> {
    this.#noteDamage(error)
    await this.#closeFiles()
    await removeIndexFile(this.#file)
    this.#readings.clear()
    this.#behind.clear()
    await this.#open()
    await this.#compare()
  }

  #noteDamage({ file, place }: DamageError): void {
    this.#options.note?.(`${file} is damaged (${place}); it is built again from the store`, undefined)
  }

  #noteFailure(error: unknown): void {
    if (this.#isClosed) return
    const isOfDisk = error instanceof DiskError || error instanceof HeldError
    this.#options.note?.(isOfDisk ? 'the search index cannot be written' : 'the search index is behind', error)
  }
}

function graphOf({ uri, revision, lastLoad }: IndexedResource) {
  return { uri, revision, triples: lastLoad.triples, load: lastLoad.id ?? '' }
}

function stillReading(): ApiError {
  return unavailable('The labels are still being read; please retry.')
}

function tooLate(): ApiError {
  return new ApiError('TimeoutError', 'The search takes longer than a request may.')
}
