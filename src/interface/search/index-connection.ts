import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import PQueue from 'p-queue'
import { sizeOfFolder } from '../../base/durable/files.ts'
import { DamageError, DiskError, LockedError } from '../../base/durable/errors.ts'
import { unavailable, type ApiError } from '../../base/errors.ts'
import { IndexFile, indexFileIn, removeIndexFile } from '../../graph/index/index-file.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'
import { type IndexCallName, type CallResult, type IndexCalls, IndexThread } from './index-thread.ts'
import type { ListedGraph } from './index-reader.ts'

export interface IndexConnectionOptions {
  /** DATA_DIR. */
  dataDir: string
  /** The store whose labels the index has; if it is replicated, the primary, which shows writes at once. */
  endpoint: StoreEndpoint
  /** Milliseconds for a request to the store. */
  timeoutMs: number
  /** The language of the labels that order a vocabulary without notations for people. */
  language: string
  /** Receives what the operator should know. */
  warn?: ((message: string, error: unknown) => void) | undefined
}

/** The threads that read. Each gets one question at a time, so that a long one keeps no other waiting. */
const READERS = ['reader', 'second reader'] as const
type ThreadKind = (typeof READERS)[number] | 'writer'

/** Memory for pages of the file in a thread that searches, in the thread that writes, and to look for changes. */
const CACHE_BYTES = { reader: 16 << 20, 'second reader': 16 << 20, writer: 32 << 20, watch: 1 << 20 }
/** The thread that looks for changes also answers all requests, so it does not wait for locks. */
const WATCH_BUSY_MS = 100

/** The contents of the index at some number of changes. */
interface IndexState {
  changes: number
  graphs: ReadonlyMap<string, ListedGraph>
  isComplete: boolean
}

/** Hears of the file of the index. */
interface IndexFileListener {
  /** The file was closed. It may be another one when it is opened again. */
  onClosed: () => void
  /** A damaged file was removed, and a new one is open. */
  onReplaced: () => Promise<void>
}

/**
 * The file of the index and the threads that read and write it. The file is opened when it is first needed, and again
 * if another process replaces it. A damaged file is removed, and the listener fills the new one.
 */
export class IndexConnection {
  readonly file: string
  readonly #options: IndexConnectionOptions
  readonly #listener: IndexFileListener
  /** The index as this thread sees it, to notice changes by other processes. */
  #watch: IndexFile | undefined
  #opening: Promise<void> | undefined
  #threads: Partial<Record<ThreadKind, IndexThread>> = {}
  readonly #questions = new PQueue({ concurrency: READERS.length })
  /** Those that have nothing to do; the last is the next. */
  readonly #freeReaders: ThreadKind[] = READERS.toReversed()
  #versions: [version: number, changes: number] = [0, 0]
  #state: IndexState | undefined
  #recovering: Promise<void> | undefined
  #isClosed = false
  #wasMissing = false

  constructor(options: IndexConnectionOptions, listener: IndexFileListener) {
    this.#options = options
    this.#listener = listener
    this.file = indexFileIn(options.dataDir)
  }

  /** True if there was no index. */
  get wasMissing(): boolean {
    return this.#wasMissing
  }

  /** True once the index is open or being opened. */
  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  /** True once the service is ending. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Changes whenever searches may find something else. */
  get version(): number {
    return this.#lookAtVersions()[0]
  }

  /** The bytes of the files. */
  async bytes(): Promise<number> {
    return sizeOfFolder(dirname(this.file)).catch(() => 0)
  }

  open(): Promise<void> {
    if (this.#isClosed) return Promise.reject(stillReading())
    return (this.#opening ??= this.#openFile().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    }))
  }

  async #openFile(): Promise<void> {
    try {
      this.#watch = await IndexFile.open(this.file, CACHE_BYTES.watch, WATCH_BUSY_MS)
      this.#wasMissing ||= this.#watch.isNew
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      this.#logDamage(error)
      await removeIndexFile(this.file)
      this.#watch = await IndexFile.open(this.file, CACHE_BYTES.watch, WATCH_BUSY_MS)
    }
    await this.#watch.watchVersions()
    this.#state = undefined
  }

  async #closeFiles(): Promise<void> {
    // A file that is being opened has to be closed, too.
    await this.#opening?.catch(() => undefined)
    const [threads, watch] = [this.#threads, this.#watch]
    this.#threads = {}
    this.#watch = undefined
    this.#opening = undefined
    this.#listener.onClosed()
    await Promise.all(Object.values(threads).map((thread) => thread.close()))
    await watch?.close()
  }

  /** Refuses calls from now on. `close` ends those under way. */
  refuse(): void {
    this.#isClosed = true
  }

  async close(): Promise<void> {
    this.refuse()
    await this.#recovering
    await this.#closeFiles()
  }

  /**
   * Asks a thread that reads, as soon as one has nothing to do.
   *
   * @param signal aborted when nobody waits for the answer any more: the question is left out, or ended.
   * @throws as `IndexThread.ask`.
   */
  async read<Name extends IndexCallName>(
    signal: AbortSignal | undefined,
    name: Name,
    ...values: Parameters<IndexCalls[Name]>
  ): Promise<CallResult<Name>> {
    return this.#questions.add(async (): Promise<CallResult<Name>> => {
      signal?.throwIfAborted()
      const kind = this.#freeReaders.pop()!
      try {
        return await this.#ask(kind, name, values, signal)
      } finally {
        this.#freeReaders.push(kind)
      }
    })
  }

  /** Calls a function of the thread that writes. @throws as `IndexThread.ask`. */
  write<Name extends IndexCallName>(name: Name, ...values: Parameters<IndexCalls[Name]>): Promise<CallResult<Name>> {
    return this.#ask('writer', name, values)
  }

  async #ask<Name extends IndexCallName>(
    kind: ThreadKind,
    name: Name,
    values: Parameters<IndexCalls[Name]>,
    signal?: AbortSignal,
  ): Promise<CallResult<Name>> {
    const { endpoint, timeoutMs } = this.#options
    const current = this.#threads[kind]
    // A thread that has ended, or could not open the index, is replaced.
    const thread = current?.isAlive
      ? current
      : (this.#threads[kind] = new IndexThread({
          file: this.file,
          endpoint,
          timeoutMs,
          cacheBytes: CACHE_BYTES[kind],
          language: this.#options.language,
        }))
    return thread.ask(name, values, signal)
  }

  /** The graphs that the index has now. */
  async state(): Promise<IndexState> {
    const [, changes] = this.#lookAtVersions()
    if (this.#state?.changes === changes) return this.#state
    const { graphs, isComplete } = await this.read(undefined, 'state')
    const byUri = new Map(graphs.map((graph) => [graph.uri, graph]))
    return (this.#state = { changes, graphs: byUri, isComplete })
  }

  /** True if the index was complete when its state was last read. */
  get wasComplete(): boolean {
    return this.#state?.isComplete ?? false
  }

  #lookAtVersions(): [version: number, changes: number] {
    return (this.#versions = this.#watch?.versions ?? this.#versions)
  }

  /** Opens the index again if another process has removed it, or built it anew. */
  async reopenIfReplaced(): Promise<void> {
    const inode = this.#watch?.inode
    if (inode !== undefined && !this.#recovering) {
      const now = (await stat(this.file).catch(() => undefined))?.ino
      if (now !== inode && this.#watch?.inode === inode) await this.#closeFiles()
    }
    await this.open()
  }

  /** Builds a damaged index anew after an error; notes every other error. */
  async failed(error: unknown): Promise<void> {
    if (this.#isClosed) return
    if (!(error instanceof DamageError)) return this.logFailure(error)
    this.#recovering ??= this.#recover(error).finally(() => (this.#recovering = undefined))
    await this.#recovering.catch((failure: unknown) => this.logFailure(failure))
  }

  async #recover(error: DamageError): Promise<void> {
    this.#logDamage(error)
    await this.#closeFiles()
    await removeIndexFile(this.file)
    await this.#listener.onReplaced()
  }

  #logDamage({ file, place }: DamageError): void {
    this.#options.warn?.(`${file} cannot be used (${place}); it is built again from the store`, undefined)
  }

  logFailure(error: unknown): void {
    if (this.#isClosed) return
    const isOfDisk = error instanceof DiskError || error instanceof LockedError
    this.#options.warn?.(isOfDisk ? 'the search index cannot be written' : 'the search index is behind', error)
  }
}

/** The error of a search before the vocabularies are in the index. */
export function stillReading(): ApiError {
  return unavailable('The labels are still being read; please retry.')
}
