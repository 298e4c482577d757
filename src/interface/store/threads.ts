import { type FileHandle, open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { DamageError, DiskError } from '../../base/durable/errors.ts'
import { ApiError, unavailable } from '../../base/errors.ts'
import { SupervisedThread } from '../../base/threads/supervised-thread.ts'
import { CallMoves, ThreadLost } from '../../base/threads/worker-thread.ts'
import type { StoreCalls } from './calls.ts'
import type { ContentsChange, StoreContents } from './contents.ts'
import type { DatasetChange, Put, Wear } from './dataset.ts'
import type { GraphFile } from './graph-files.ts'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'
import { StoreThread } from './thread.ts'

/** Limits that decide how the store makes a change, and when it writes graphs into new files. */
export interface StoreLimits {
  /**
   * Memory in bytes for graphs that the threads of readers load; a graph that needs more is loaded by a new thread,
   * with all others.
   */
  reserveBytes: number
  /** The store sends graphs up to this number of triples from memory, larger ones from their files. */
  inMemoryTriples: number
  /** Graphs are written into new files when executing their updates again takes longer than this, */
  replayMs: number
  /** or the updates are longer than this, in characters, */
  updateLength: number
  /** or the memory has grown by more than this, and by half. */
  memoryBytes: number
  /** If building the public thread takes longer than this, it rests before it is built again. */
  unrestedMs: number
}

export const STORE_LIMITS: StoreLimits = {
  reserveBytes: 1 << 30,
  inMemoryTriples: 50_000,
  replayMs: 3000,
  updateLength: 32 << 20,
  memoryBytes: 256 << 20,
  unrestedMs: 2000,
}

/**
 * The share of the store's memory that a thread may use for queries. Public queries run one at a time, and an answer is
 * in memory three times for a moment: in WebAssembly, as a JavaScript string, and as bytes.
 */
const ROOM_SHARE = 0.25
/**
 * Memory that a graph takes at most while it is loaded, for each byte of N-Triples; graphs of very short statements
 * take more (measured).
 */
const LOADED_MEMORY_PER_BYTE = 6
/** A closing store writes new files if this share of the limits is reached. */
const SHARE_AT_CLOSE = 0.25
const MOST_TOGETHER = 256
const MOST_WAITING = 1000
const MOST_PUBLIC_WAITING = 64
/** With this rest, building the public thread again and again takes about a tenth of a processor. */
const PUBLIC_REST = 9
/** More triples than fit into the memory. */
const MOST_TRIPLES = 2 ** 31 - 1
/** The store waits this long after it has failed to write new files. */
const PAUSE_AFTER_FAILURE_MS = 60_000

interface StoreThreadsOptions {
  contents: StoreContents
  queryTimeoutMs: number
  /** Memory in addition to the data, in bytes; see `ROOM_SHARE`. */
  memoryBytes: number
  limits: StoreLimits
  onError: (error: unknown) => void
}

interface Write {
  change: DatasetChange
  deadline: number
  /** Withdraws the write at its deadline, until the write leaves the queue. */
  timer?: NodeJS.Timeout
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * The dataset in threads: the primary for the service and all changes, the replica for the public, and for the service
 * while the primary is at work on a long call. A third thread does work that would keep the primary busy for long, and
 * then takes its place: no reader waits for a large graph, or sees half of it.
 *
 * Changes that wait together become durable together: the primary makes them in memory and shows them to nobody, and
 * one transaction writes all of them. Then the store acknowledges them and tells the other threads.
 */
export class StoreThreads {
  readonly #options: StoreThreadsOptions
  readonly #contents: StoreContents
  readonly #primary: SupervisedThread<StoreCalls, StoreThread>
  readonly #replica: SupervisedThread<StoreCalls, StoreThread>
  /** All live threads. */
  readonly #threads = new Set<StoreThread>()
  #waiting: Write[] = []
  /** Changes, and work that must not happen during one. */
  readonly #changes = new PQueue({ concurrency: 1 })
  /**
   * Work with additional threads runs one piece at a time, because each thread takes as much memory as the whole store.
   */
  readonly #longWork = new PQueue({ concurrency: 1 })
  readonly #removals = new PQueue()
  /** A graph that another thread is loading; changes of it wait. */
  #replacedGraph: string | undefined
  #wear: Wear | undefined
  #noRenewalBefore = 0

  /** Loads the contents. @throws DamageError */
  static async open(options: StoreThreadsOptions): Promise<StoreThreads> {
    const threads = new StoreThreads(options)
    await threads.#primary.start()
    threads.#setWear(await threads.#primary.current!.opened)
    return threads
  }

  private constructor(options: StoreThreadsOptions) {
    const { contents, onError } = options
    this.#options = options
    this.#contents = contents
    this.#replica = new SupervisedThread({
      what: 'The store',
      build: () => this.#build(),
      mostWaiting: MOST_PUBLIC_WAITING,
      rest: { times: PUBLIC_REST, unrestedMs: options.limits.unrestedMs },
      onError,
    })
    this.#primary = new SupervisedThread({
      what: 'The store',
      build: () => this.#replica.takeIdle() ?? this.#build(),
      mostWaiting: MOST_WAITING,
      onError,
    })
  }

  /**
   * Answers a query of the service. While a thread is at work on a long call, the other answers the rest; both show all
   * acknowledged changes.
   *
   * @param gone aborted when nobody waits for the answer any more
   */
  async query(http: ProtocolRequest, gone: AbortSignal): Promise<ProtocolAnswer> {
    const deadline = this.#deadline()
    for (let [reader, other] = [this.#primary, this.#replica]; ; [reader, other] = [other, reader]) {
      const moves = () => {
        other.prepare()
        return other.isFree
      }
      try {
        return await reader.call('query', { http }, deadline, gone, moves)
      } catch (error) {
        if (!(error instanceof CallMoves)) throw error
      }
    }
  }

  /** Answers a public query, with the state after the last acknowledged change or a later one. */
  async publicQuery(http: ProtocolRequest, gone: AbortSignal): Promise<ProtocolAnswer> {
    return this.#replica.call('query', { http }, this.#deadline(), gone)
  }

  /** Executes an update; it is on disk when this resolves. */
  async update(update: string, graph: string): Promise<void> {
    await this.#make({ type: 'update', update, graph }, this.#deadline())
  }

  /**
   * Replaces a graph by a file, or adds it; it is on disk when this resolves.
   *
   * @returns true if the graph existed before
   * @throws ApiError MalformedRequestError if the file is not N-Triples
   */
  async putGraph(graph: string, file: GraphFile): Promise<boolean> {
    const existed = this.#contents.graphs.has(graph)
    const isMade = this.#hasRoom(file) && (await this.#putInPlace({ type: 'put', graph, file }))
    if (!isMade) await this.#longWork.add(() => this.#putByReplacement(graph, file))
    return existed
  }

  /** True if the primary has enough memory to load a graph itself. */
  #hasRoom({ bytes }: GraphFile): boolean {
    return bytes * LOADED_MEMORY_PER_BYTE <= (this.#wear?.reserveBytes ?? 0)
  }

  /** @returns false if the graph takes more memory than the primary has left. */
  async #putInPlace(put: Put): Promise<boolean> {
    try {
      await this.#make(put)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.name === 'BackendError') return false
      throw error
    }
  }

  /** Deletes a graph; the deletion is on disk when this resolves. @returns true if the graph existed before. */
  async deleteGraph(graph: string): Promise<boolean> {
    const existed = this.#contents.graphs.has(graph)
    await this.#make({ type: 'delete', graph })
    return existed
  }

  /** A graph as N-Triples: as bytes, or as a file that the receiver has to close; undefined if there is none. */
  async readGraph(graph: string): Promise<Uint8Array | FileHandle | undefined> {
    for (let tries = 0; ; tries++) {
      const stored = this.#contents.graphs.get(graph)
      if (!stored) return undefined
      if (stored.file && stored.updates.length === 0) {
        const { file } = stored
        try {
          return await openFile(join(this.#contents.directory, file.name))
        } catch (error) {
          // The graph may have been replaced meanwhile.
          if (this.#contents.graphs.get(graph)?.file === file) throw error
          continue
        }
      }
      // If a graph changes faster than it is written out, it is sent from memory regardless of its size.
      const mostTriples = tries < 3 ? this.#options.limits.inMemoryTriples : MOST_TRIPLES
      const text = await this.#primary.call('dump', { graph, mostTriples }, this.#deadline())
      if (text) return text
      await this.#longWork.add(() => this.#renew())
    }
  }

  /** Ends all threads when the changes under way are on disk. */
  async close(): Promise<void> {
    await this.#longWork.onIdle()
    await this.#changes.onIdle()
    const thread = this.#primary.current
    if (thread?.isAlive && this.#isWorn(SHARE_AT_CLOSE)) {
      await this.#writeOut(thread).catch(this.#options.onError)
    }
    await Promise.all([this.#primary.close(), this.#replica.close(), ...[...this.#threads].map((left) => left.close())])
    await this.#removals.onIdle()
  }

  #deadline(): number {
    return Date.now() + this.#options.queryTimeoutMs
  }

  /** Starts a thread with the present contents of the store, and sends it all later changes. */
  #build(put?: { graph: string; file: GraphFile }): StoreThread {
    const { memoryBytes, queryTimeoutMs, limits } = this.#options
    const { directory, graphs } = this.#contents
    const memory = { room: memoryBytes * ROOM_SHARE, reserve: limits.reserveBytes, data: this.#wear?.memoryBytes }
    const thread = new StoreThread({ directory, graphs, put, memory }, queryTimeoutMs)
    this.#threads.add(thread)
    void thread.ended.then(() => this.#threads.delete(thread))
    return thread
  }

  #make(change: DatasetChange, deadline = Infinity): Promise<void> {
    return new Promise((resolve, reject) => {
      const write: Write = { change, deadline, resolve, reject }
      if (deadline < Infinity) write.timer = setTimeout(() => this.#withdraw(write), deadline - Date.now())
      this.#waiting.push(write)
      this.#makeWaiting()
    })
  }

  #withdraw(write: Write): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== write)
    write.reject(unavailable('The store is loading a graph.'))
  }

  #makeWaiting(): void {
    void this.#changes.add(() => this.#makeTogether())
  }

  /** Makes changes that wait, writes them to disk in one transaction, and acknowledges them. */
  async #makeTogether(): Promise<void> {
    const writes = this.#takeWaiting()
    if (writes.length === 0) return
    const rejectAll = (error: unknown) => {
      for (const { reject } of writes) reject(error)
    }
    let thread: StoreThread
    try {
      thread = await this.#primary.ready(Math.max(...writes.map(({ deadline }) => deadline)))
    } catch (error) {
      rejectAll(error)
      return
    }
    const [{ change }] = writes as [Write]
    const replica = change.type === 'put' ? this.#loadInReplica(change) : undefined
    const made: { write: Write; gone: string[] }[] = []
    const lost: Write[] = []
    await Promise.all(
      writes.map(async (write) => {
        try {
          const { gone, wear } = await thread.call('make', { change: write.change }, write.deadline)
          made.push({ write, gone })
          this.#wear = wear
        } catch (error) {
          if (error instanceof ThreadLost) lost.push(write)
          else write.reject(error)
        }
      }),
    )
    if (!thread.isAlive) {
      // No reader has seen these changes.
      replica?.conclude(false)
      this.#waiting.unshift(...made.map(({ write }) => write), ...lost)
      this.#makeWaiting()
      return
    }
    try {
      const changes = made.map(({ write, gone }) => contentsChange(write.change, gone))
      const obsolete = await this.#contents.record(changes, () => {
        const changes = made.map(({ write }) => write.change)
        for (const other of this.#threads) if (other !== thread && other !== replica?.thread) other.follow(changes)
      })
      thread.confirmWritten()
      replica?.conclude(made.length > 0)
      for (const { write } of made) write.resolve()
      this.#remove(obsolete)
    } catch (error) {
      // The dataset in memory is ahead of the disk.
      replica?.conclude(false)
      await thread.close(error as Error)
      rejectAll(notWritten(error))
    }
    this.#setWear(this.#wear)
  }

  /**
   * Lets the replica load a graph at the same time as the primary, while readers of both continue. `conclude` reports
   * to it whether the graph is on disk; a replica with another state ends.
   */
  #loadInReplica(put: Put): { thread: StoreThread; conclude: (isOnDisk: boolean) => void } | undefined {
    const thread = this.#replica.current
    if (!thread) return undefined
    const withdrawn = new AbortController()
    const made = thread.call('make', { change: put }, Infinity, withdrawn.signal).then(
      () => true,
      () => false,
    )
    const conclude = async (isOnDisk: boolean) => {
      if (isOnDisk) thread.confirmWritten()
      else withdrawn.abort()
      if ((await made) !== isOnDisk) await thread.close()
    }
    return { thread, conclude: (isOnDisk) => void conclude(isOnDisk) }
  }

  /**
   * Takes the changes that are possible now: a graph to be loaded on its own, because readers go on only if all
   * changes are on disk.
   */
  #takeWaiting(): Write[] {
    const free = this.#waiting.filter(({ change }) => change.graph !== this.#replacedGraph)
    const put = free.findIndex(({ change }) => change.type === 'put')
    const taken = new Set(free.slice(0, put < 0 ? MOST_TOGETHER : Math.min(Math.max(put, 1), MOST_TOGETHER)))
    this.#waiting = this.#waiting.filter((write) => !taken.has(write))
    for (const { timer } of taken) clearTimeout(timer)
    if (free.length > taken.size) this.#makeWaiting()
    return [...taken]
  }

  /** Removes files once no thread can still read them. */
  #remove(files: readonly string[]): void {
    if (files.length === 0) return
    const reached = [...this.#threads].map((thread) => thread.reach())
    void this.#removals.add(async () => {
      await Promise.all(reached)
      await this.#contents.removeFiles(files).catch(this.#options.onError)
    })
  }

  /** Builds threads with the new graph, then records the graph on disk and lets the threads take over. */
  async #putByReplacement(graph: string, file: GraphFile): Promise<void> {
    try {
      const built = await this.#changes.add(() => {
        this.#replacedGraph = graph
        return [this.#build({ graph, file }), ...(this.#replica.isWanted ? [this.#build({ graph, file })] : [])]
      })
      const [thread, second] = built as [StoreThread, StoreThread?]
      try {
        const [wear] = await Promise.all([thread.opened, second?.opened])
        await this.#changes.add(async () => {
          const obsolete = await this.#contents.record([{ type: 'put', graph, file }], () => {
            this.#primary.replaceBy(thread)
            if (second) this.#replica.replaceBy(second)
            // A replica may have been begun meanwhile.
            const rest = [...this.#threads].filter((other) => other !== thread && other !== second)
            for (const other of rest) other.follow([{ type: 'put', graph, file }])
          })
          this.#remove(obsolete)
        })
        this.#setWear(wear)
      } catch (error) {
        await Promise.all([thread.close(), second?.close()])
        if (error instanceof ApiError || error instanceof DamageError) throw error
        throw error instanceof DiskError ? notWritten(error) : tooLarge(error)
      }
    } finally {
      this.#replacedGraph = undefined
      this.#makeWaiting()
    }
  }

  #setWear(wear: Wear | undefined): void {
    this.#wear = wear
    if (!this.#isWorn(1) || this.#longWork.size > 0 || Date.now() < this.#noRenewalBefore) return
    void this.#longWork.add(async () => {
      if (!this.#isWorn(1)) return
      try {
        await this.#renew()
      } catch (error) {
        this.#noRenewalBefore = Date.now() + PAUSE_AFTER_FAILURE_MS
        this.#options.onError(error)
      }
    })
  }

  #isWorn(share: number): boolean {
    if (!this.#wear) return false
    const { replayMs, memoryBytes, freshMemoryBytes } = this.#wear
    const { limits } = this.#options
    const grown = memoryBytes - freshMemoryBytes
    return (
      replayMs > limits.replayMs * share ||
      this.#contents.updateLength > limits.updateLength * share ||
      (share === 1 && grown > limits.memoryBytes && grown > freshMemoryBytes / 2)
    )
  }

  /**
   * Writes updated graphs into new files, and lets threads with fresh memory take over, because the memory of
   * WebAssembly never shrinks and keeps deleted data.
   */
  async #renew(): Promise<void> {
    const thread = this.#build()
    try {
      await thread.opened
      const wear = await this.#writeOut(thread)
      await this.#changes.add(() => this.#primary.replaceBy(thread))
      this.#wear = wear
    } catch (error) {
      await thread.close()
      throw error
    }
    if (!this.#replica.current) return
    const second = this.#build()
    await second.opened
    this.#replica.replaceBy(second)
  }

  /** Lets a thread write the updated graphs into new files, which replace their updates. */
  async #writeOut(thread: StoreThread): Promise<Wear> {
    const updated = [...this.#contents.graphs].filter(([, { updates }]) => updates.length > 0)
    const marks = updated.map(([name, graph]) => ({ name, graph, updates: graph.updates.length }))
    const { files, wear } = await thread.call('writeOut', { graphs: marks.map(({ name }) => name) })
    const written = marks.map((mark, at) => ({ ...mark, file: files[at]! }))
    const obsolete = await this.#changes.add(() => this.#contents.replaceUpdates(written))
    this.#remove(obsolete)
    return wear
  }
}

/** The record of a change, after which these graphs are gone. */
function contentsChange(change: DatasetChange, gone: readonly string[]): ContentsChange {
  return change.type === 'delete' || gone.length > 0 ? { type: 'delete', graphs: gone } : change
}

/**
 * The error for the service or a command if the disk fails, with the name of the file; other errors are returned as
 * they are.
 */
export function notWritten(cause: unknown): unknown {
  if (!(cause instanceof DiskError)) return cause
  return unavailable(`The store cannot write to its disk: ${cause.message}`, { cause, retryAfter: 60 })
}

function tooLarge(cause: unknown): ApiError {
  const message = 'The graph does not fit into the memory of the embedded store; use Apache Jena Fuseki for it.'
  return new ApiError('PayloadTooLargeError', message, { cause })
}
