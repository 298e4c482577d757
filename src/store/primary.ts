import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { CallName, Calls, StagedChange, WriteReport } from './calls.ts'
import type { GraphName } from './files.ts'
import type { JournalPosition } from './journal.ts'
import { before, unavailable } from './deadline.ts'
import type { StoreFiles } from './store-files.ts'
import { type StoreThread, ThreadLost } from './thread.ts'

const MOST_WAITING = 1000
const SUCCESSION_MS = 5
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000

export interface PrimaryOptions {
  files: StoreFiles
  /** A thread that is ready and has nothing to do, if there is one. */
  takeSpare: () => StoreThread | undefined
  onWrite: (report: WriteReport) => void
  onError: (error: unknown) => void
}

/**
 * The thread that answers the service and makes all changes; another one when it is lost. A call survives the loss of the thread
 * unless it was the reason for it.
 */
export class Primary {
  readonly #options: PrimaryOptions
  #thread: Promise<StoreThread>
  /** The thread whose loss matters. */
  #current: StoreThread | undefined
  #recovery: Promise<StoreThread> | undefined
  /** What replaces the thread is done one after the other. */
  readonly #replacements = new PQueue({ concurrency: 1 })
  /** Calls found in the journal though their answers were lost. */
  readonly #recovered = new Set<number>()
  #position: JournalPosition
  /** Before the first thread is ready, no request of this process can be in the journals. */
  #sequence = Infinity
  /** Set while no write may begin. */
  #writesAllowed: Promise<void> | undefined
  #writing = 0
  #onWritesEnded: (() => void) | undefined
  #held: { graph: { name: GraphName }; released: Promise<void> } | undefined
  #closed = false

  constructor(options: PrimaryOptions) {
    this.#options = options
    this.#position = options.files.start
    this.#thread = this.#first()
    this.#thread.catch(() => undefined)
  }

  /** Fulfilled when the first thread is ready. @throws StoreDamageError */
  async opened(): Promise<void> {
    await this.#thread
  }

  /** Where the journal stands after the last acknowledged write. */
  get position(): JournalPosition {
    return this.#position
  }

  /** Number of writes since the store was made, those that became durable together counted once. */
  get sequence(): number {
    return this.#sequence
  }

  /** Makes a call that changes nothing. */
  async call<Name extends CallName>(
    name: Name,
    callArguments: Calls[Name]['arguments'],
    deadline = Infinity,
    gone?: AbortSignal,
  ): Promise<Calls[Name]['result']> {
    for (;;) {
      const thread = await this.#ready(deadline)
      try {
        return await thread.call(name, callArguments, deadline, gone)
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error
      }
    }
  }

  /** Makes a change; undefined when it was made but its answer was lost with the thread. */
  async write<Name extends 'update' | 'changeGraph'>(
    name: Name,
    callArguments: Calls[Name]['arguments'],
    deadline = Infinity,
  ): Promise<Exclude<Calls[Name]['result'], 'held'> | undefined> {
    for (;;) {
      while (this.#writesAllowed) await before(deadline, this.#writesAllowed)
      this.#writing++
      try {
        const thread = await this.#ready(deadline)
        const report: Calls[Name]['result'] = await thread.call(name, callArguments, deadline)
        if (report !== 'held') {
          this.#note(report)
          return report as Exclude<Calls[Name]['result'], 'held'>
        }
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error
        await this.#ready(deadline)
        if (this.#recovered.delete(error.callId)) return undefined
      } finally {
        this.#writing--
        if (this.#writing === 0) this.#onWritesEnded?.()
      }
      if (this.#held) await before(deadline, this.#held.released)
    }
  }

  /**
   * Lets no write touch a graph while something is done: such writes wait.
   *
   * @param action is told whether the graph exists, and the place in the journal after which nothing touches it
   */
  async holding<T>(name: GraphName, action: (graph: Calls['hold']['result']) => Promise<T>): Promise<T> {
    let release!: () => void
    const graph = { name }
    this.#held = { graph, released: new Promise((resolve) => (release = resolve)) }
    try {
      return await action(await this.call('hold', { graph }))
    } finally {
      this.#held = undefined
      release()
      await this.call('hold', {}).catch(() => undefined)
    }
  }

  /** Does something while no write is under way and none begins. */
  async withoutWrites<T>(action: () => Promise<T>): Promise<T> {
    let allow!: () => void
    this.#writesAllowed = new Promise((resolve) => (allow = resolve))
    try {
      if (this.#writing > 0) await new Promise<void>((resolve) => (this.#onWritesEnded = resolve))
      return await this.#replacements.add(action)
    } finally {
      this.#onWritesEnded = undefined
      this.#writesAllowed = undefined
      allow()
    }
  }

  /** Goes on writing at the beginning of the last journal, which is new. To be called without writes. */
  async switchJournal(position: JournalPosition): Promise<void> {
    this.#position = position
    try {
      await this.#current!.call('switchJournal', { position })
    } catch (error) {
      // The thread that comes next begins with the last journal anyway.
      if (!(error instanceof ThreadLost)) throw error
    }
  }

  /**
   * Puts a thread in the place of the present one, which answers what it has been asked so far. To be called without writes.
   *
   * @param staged the change with which the thread is ahead of the journal
   */
  async replaceBy(thread: StoreThread, staged?: StagedChange): Promise<void> {
    const old = this.#current
    try {
      await this.#promote(thread)
      if (staged) this.#note(await thread.call('commitStaged', { change: staged }))
    } catch (error) {
      // What the journal holds now, only a thread built from it can say.
      const reason = new Error('a thread failed to take over')
      await thread.close(reason)
      await old?.close(reason)
      throw error
    }
    this.#thread = Promise.resolve(thread)
    old?.closeWhenIdle()
  }

  /** Does a last thing with the thread, if it is alive, and ends it. No call can be made any more. */
  async close(action: (thread: StoreThread) => Promise<void>): Promise<void> {
    await this.withoutWrites(async () => {
      this.#closed = true
      const thread = this.#current
      if (thread?.alive) await action(thread)
      await thread?.close()
    })
  }

  async #first(): Promise<StoreThread> {
    const { files } = this.#options
    const thread = files.build()
    try {
      await thread.opened
      files.removeStrayFiles(await this.#promote(thread))
    } catch (error) {
      this.#closed = true
      await thread.close()
      throw error
    }
    return thread
  }

  /** Another thread after the present one was lost; tried until it succeeds. */
  async #next(): Promise<StoreThread> {
    const { files, takeSpare, onError } = this.#options
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, LONGEST_RETRY_MS)) {
      const lost = this.#current
      if (this.#closed) return lost!
      const thread = takeSpare() ?? files.build(this.#position)
      try {
        await thread.opened
        const next = await this.#replacements.add(async () => {
          if (this.#closed || this.#current !== lost) return undefined
          await this.#promote(thread)
          return thread
        })
        if (next) return next
        // In the meantime another one has taken the place.
        await thread.close()
        if (this.#current?.alive) return this.#current
      } catch (error) {
        onError(error)
        await thread.close()
        await sleep(wait, undefined, { ref: false })
      }
    }
  }

  /** Makes a thread the one that writes. Gives the names of all graph files of the store. */
  async #promote(thread: StoreThread): Promise<string[]> {
    const { files, onError } = this.#options
    const found = await thread.call('becomeWriter', { journal: files.lastJournal, since: this.#sequence })
    this.#current = thread
    void thread.ended.then((reason) => {
      if (this.#closed || this.#current !== thread) return
      onError(reason)
      this.#thread = this.#recovery ??= this.#next().finally(() => (this.#recovery = undefined))
    })
    for (const id of found.requests) this.#recovered.add(id)
    if (found.torn > 0) onError(new Error(`the journal ended in ${found.torn} bytes of an unfinished write`))
    if (this.#held) await thread.call('hold', { graph: this.#held.graph })
    this.#note(found)
    return found.mentionedFiles
  }

  #note(report: WriteReport): void {
    this.#position = report.position
    this.#sequence = report.sequence
    this.#options.onWrite(report)
  }

  async #ready(deadline: number): Promise<StoreThread> {
    for (;;) {
      if (this.#closed) throw unavailable('The store is closing.')
      const thread = await before(deadline, this.#thread)
      // Its successor may not be known yet.
      if (!thread.alive) await Promise.all([thread.ended, sleep(SUCCESSION_MS)])
      else if (thread.pending < MOST_WAITING) return thread
      else throw unavailable('Too many requests are waiting for the store.')
    }
  }
}
