import { type FileHandle, open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { ApiError } from '../errors.ts'
import type { StagedChange } from './calls.ts'
import type { GraphChange, Wear } from './dataset.ts'
import type { GraphName } from './files.ts'
import { Primary } from './primary.ts'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'
import { Replica } from './replica.ts'
import { StoreFiles } from './store-files.ts'
import type { StoreThread } from './thread.ts'

/** What decides how a change is made, and when the files are written anew. */
export interface StoreLimits {
  /** A graph of at most this size is loaded by the thread that readers wait for. In bytes. */
  inPlaceBytes: number
  /** A graph of at most this number of triples is sent from memory, a larger one from its file. */
  inMemoryTriples: number
  /** The files are written anew when executing the updates of the journals again takes longer than this, */
  replayMs: number
  /** or the journals are larger than this, */
  journalBytes: number
  /** or the files of replaced and deleted graphs are larger than this, */
  obsoleteBytes: number
  /** or the memory has grown by more than this, and by half. */
  memoryBytes: number
}

export const STORE_LIMITS: StoreLimits = {
  inPlaceBytes: 4 << 20,
  inMemoryTriples: 50_000,
  replayMs: 3000,
  journalBytes: 32 << 20,
  obsoleteBytes: 256 << 20,
  memoryBytes: 256 << 20,
}

/**
 * The share of the store's memory that a thread may use for queries. Those of the public happen one at a time, and an answer
 * is there three times for a moment: in WebAssembly, as a JavaScript string, and as bytes.
 */
const ROOM_SHARE = 0.25
/** When the store is closed anyway, it is worth while to write the files anew at this share of the limits. */
const SHARE_AT_CLOSE = 0.25
/** More than fit into the memory. */
const MOST_TRIPLES = 2 ** 31 - 1
/** After a failure to write the files anew it is not tried again for so long. */
const PAUSE_AFTER_FAILURE_MS = 60_000

export interface StoreThreadsOptions {
  directory: string
  queryTimeoutMs: number
  /** What the store may take beyond its data, in bytes; see `ROOM_SHARE`. */
  memoryBytes: number
  limits: StoreLimits
  onError: (error: unknown) => void
}

/** A graph to be sent to a client: from memory, or from a file that the receiver has to close. */
export type SentGraph = { contentType: string } & ({ text: Uint8Array } | { file: FileHandle } | { absent: true })

/**
 * The dataset in threads: the primary for the service and all changes, the replica for the public. What would keep the primary
 * busy for long is done in a third thread, which then takes its place: no reader waits for a large graph, or sees half of it.
 */
export class StoreThreads {
  readonly #options: StoreThreadsOptions
  readonly #files: StoreFiles
  readonly #primary: Primary
  readonly #replica: Replica
  /** Work with another thread is done one piece after the other: each thread takes as much memory as the whole store. */
  readonly #longWork = new PQueue({ concurrency: 1 })
  #wear: Wear | undefined
  #isOpen = false
  #noRenewalBefore = 0

  /**
   * Opens the store of a directory, or makes one.
   *
   * @throws StoreDamageError
   */
  static async open(options: StoreThreadsOptions): Promise<StoreThreads> {
    const threads = new StoreThreads(options)
    await threads.#primary.opened()
    threads.#isOpen = true
    threads.#renewIfWorn()
    return threads
  }

  private constructor(options: StoreThreadsOptions) {
    const { directory, queryTimeoutMs, memoryBytes, onError } = options
    this.#options = options
    this.#files = new StoreFiles(directory, queryTimeoutMs, memoryBytes * ROOM_SHARE)
    this.#primary = new Primary({
      files: this.#files,
      takeSpare: () => this.#replica.takeIdle(),
      onWrite: ({ wear }) => {
        this.#wear = wear
        this.#files.dataMemoryBytes = wear.memoryBytes
        this.#renewIfWorn()
      },
      onError,
    })
    this.#replica = new Replica({ files: this.#files, position: () => this.#primary.position, onError })
  }

  /** Whether nothing has ever been written to the store. */
  get isNew(): boolean {
    return this.#primary.sequence === 0
  }

  /**
   * Answers a query of the service.
   *
   * @param gone aborted when nobody waits for the answer any more
   */
  async query(http: ProtocolRequest, gone?: AbortSignal): Promise<ProtocolAnswer> {
    return this.#primary.call('query', { http }, this.#deadline(), gone)
  }

  /** Answers a query of the public, as of the last acknowledged write or later. */
  async publicQuery(http: ProtocolRequest, gone?: AbortSignal): Promise<ProtocolAnswer> {
    return this.#replica.query(http, this.#deadline(), gone)
  }

  /** Executes an update: when this is fulfilled it is on disk. */
  async update(http: ProtocolRequest): Promise<void> {
    await this.#primary.write('update', { http }, this.#deadline())
  }

  /**
   * Changes a graph as a whole: when this is fulfilled it is on disk. The file of a `put` or `add` has to be there before.
   *
   * @returns whether the graph existed before
   * @throws ApiError MalformedRequestError when the file is not RDF; only then the store has no use for the file
   */
  async changeGraph(change: GraphChange): Promise<boolean> {
    if (change.type !== 'delete' && change.source.bytes > this.#options.limits.inPlaceBytes) {
      return await this.#longWork.add(() => this.#changeByReplacement(change))
    }
    const report = await this.#primary.write('changeGraph', { change })
    return report?.existed ?? true
  }

  /** A graph in the media type that Accept asks for. */
  async readGraph(graph: GraphName, accept: string | undefined): Promise<SentGraph> {
    for (let tries = 0; ; tries++) {
      // A graph that changes faster than it is written out is sent from memory whatever its size.
      const mostTriples = tries < 3 ? this.#options.limits.inMemoryTriples : MOST_TRIPLES
      const reading = await this.#primary.call('readGraph', { graph, accept, mostTriples }, this.#deadline())
      const { contentType } = reading
      switch (reading.kind) {
        case 'absent':
          return { contentType, absent: true }
        case 'text':
          return { contentType, text: reading.text }
        case 'large':
          await this.#longWork.add(() => this.#writeAnew())
          break
        case 'file': {
          // It may have been replaced in the meantime.
          const file = await openFile(join(this.#options.directory, reading.file)).catch(() => undefined)
          if (file) return { contentType, file }
        }
      }
    }
  }

  /** Ends all threads when the writes under way are on disk. */
  async close(): Promise<void> {
    await this.#longWork.onIdle()
    await this.#primary.close(async (thread) => {
      if (!this.#isWorn(SHARE_AT_CLOSE)) return
      try {
        await thread.call('switchJournal', { position: this.#files.startJournal() })
        await this.#files.remove(await this.#writeOut(thread))
      } catch (error) {
        this.#options.onError(error)
      }
    })
    await this.#replica.close()
  }

  #deadline(): number {
    return Date.now() + this.#options.queryTimeoutMs
  }

  #renewIfWorn(): void {
    if (!this.#isOpen || !this.#isWorn(1) || this.#longWork.size > 0 || Date.now() < this.#noRenewalBefore) return
    void this.#longWork.add(async () => {
      if (!this.#isWorn(1)) return
      try {
        await this.#writeAnew()
      } catch (error) {
        this.#noRenewalBefore = Date.now() + PAUSE_AFTER_FAILURE_MS
        this.#options.onError(error)
      }
    })
  }

  #isWorn(share: number): boolean {
    if (!this.#wear) return false
    const { replayMs, journalBytes, obsoleteBytes, memoryBytes, freshMemoryBytes } = this.#wear
    const { limits } = this.#options
    const grown = memoryBytes - freshMemoryBytes
    return (
      replayMs > limits.replayMs * share ||
      journalBytes > limits.journalBytes * share ||
      obsoleteBytes > limits.obsoleteBytes * share ||
      (share === 1 && grown > limits.memoryBytes && grown > freshMemoryBytes / 2)
    )
  }

  /** Builds threads that have made the change, then journals it and lets them take over. */
  async #changeByReplacement(change: StagedChange): Promise<boolean> {
    return this.#primary.holding(change.source.graph, async ({ existed, position }) => {
      const thread = this.#files.build(position, change)
      const second = this.#replica.isStarted ? this.#files.build(position, change) : undefined
      try {
        await Promise.all([thread.opened, second?.opened])
      } catch (error) {
        await Promise.all([thread.close(), second?.close()])
        throw error instanceof ApiError ? error : tooLarge(error)
      }
      await this.#primary.withoutWrites(async () => {
        await this.#primary.replaceBy(thread, change)
        if (second) this.#replica.replaceBy(second)
      })
      return existed
    })
  }

  /**
   * Writes the graph files anew, as of the beginning of a new journal, and lets threads with fresh memory take over. The memory
   * of WebAssembly never shrinks, and what was deleted stays in it.
   */
  async #writeAnew(): Promise<void> {
    const start = await this.#primary.withoutWrites(async () => {
      const start = this.#files.startJournal()
      await this.#primary.switchJournal(start)
      return start
    })
    const thread = this.#files.build(start)
    let obsolete: string[]
    try {
      await thread.opened
      obsolete = await this.#writeOut(thread)
    } catch (error) {
      await thread.close()
      throw error
    }
    await this.#primary.withoutWrites(() => this.#primary.replaceBy(thread))
    if (this.#replica.isStarted) {
      const second = this.#files.build(this.#primary.position)
      await second.opened
      this.#replica.replaceBy(second)
    }
    await this.#files.remove(obsolete)
  }

  /** Lets a thread write out its graphs, which the store consists of then. Gives the files not needed any more. */
  async #writeOut(thread: StoreThread): Promise<string[]> {
    const { graphs, sequence, mentionedFiles } = await thread.call('writeOut', {})
    return this.#files.replaceGraphs(graphs, sequence, mentionedFiles)
  }
}

function tooLarge(cause: unknown): ApiError {
  return new ApiError('PayloadTooLargeError', 'The graph does not fit into the memory of the embedded store.', {
    cause,
  })
}
