import { setTimeout as sleep } from 'node:timers/promises'
import { before, unavailable } from './deadline.ts'
import type { JournalPosition } from './journal.ts'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'
import type { StoreFiles } from './store-files.ts'
import { type StoreThread, ThreadLost } from './thread.ts'

const MOST_WAITING = 64
const SUCCESSION_MS = 5

export interface ReplicaOptions {
  files: StoreFiles
  /** Where the journal stands after the last acknowledged write. */
  position: () => JournalPosition
  onError: (error: unknown) => void
}

/**
 * The thread that answers the public, so that no query of theirs holds up the service. It is started by the first query, follows
 * the journal, and is built again when it is lost.
 */
export class Replica {
  readonly #options: ReplicaOptions
  #thread: Promise<StoreThread> | undefined
  /** The thread whose loss matters; undefined until it is ready. */
  #current: StoreThread | undefined
  #closed = false

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  /** Whether there has been a query. */
  get isStarted(): boolean {
    return this.#thread !== undefined
  }

  /**
   * Answers a query as of the last acknowledged write or later.
   *
   * @param deadline milliseconds since the epoch
   * @throws ApiError
   */
  async query(http: ProtocolRequest, deadline: number, gone?: AbortSignal): Promise<ProtocolAnswer> {
    for (;;) {
      const thread = await this.#ready(deadline)
      try {
        return await thread.call('query', { http, catchUpTo: this.#options.position() }, deadline, gone)
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error
      }
    }
  }

  /** Gives away the thread, if it is ready and has nothing to do; another one is built. */
  takeIdle(): StoreThread | undefined {
    const thread = this.#current
    if (!thread?.alive || thread.pending > 0) return undefined
    void this.#renew()
    return thread
  }

  /** Puts a thread that is ready in the place of the present one, which answers what it has been asked so far. */
  replaceBy(thread: StoreThread): void {
    const old = this.#thread
    this.#adopt(thread)
    this.#thread = Promise.resolve(thread)
    void old?.then(
      (replaced) => replaced.closeWhenIdle(),
      () => undefined,
    )
  }

  async close(): Promise<void> {
    this.#closed = true
    const thread = await this.#thread?.catch(() => undefined)
    await thread?.close()
  }

  async #ready(deadline: number): Promise<StoreThread> {
    for (;;) {
      if (this.#closed) throw unavailable('The store is closing.')
      const thread = await before(deadline, this.#thread ?? this.#renew())
      // Its successor may not be known yet.
      if (!thread.alive) await Promise.all([thread.ended, sleep(SUCCESSION_MS)])
      else if (thread.pending < MOST_WAITING) return thread
      else throw unavailable('Too many queries are waiting.')
    }
  }

  #renew(): Promise<StoreThread> {
    this.#current = undefined
    const building = this.#build()
    this.#thread = building
    void building.catch((error: unknown) => {
      if (this.#thread === building) this.#thread = undefined
      this.#options.onError(error)
    })
    return building
  }

  async #build(): Promise<StoreThread> {
    const thread = this.#options.files.build(this.#options.position())
    try {
      await thread.opened
    } catch (cause) {
      await thread.close()
      throw unavailable('The store cannot be prepared for queries.', cause)
    }
    this.#adopt(thread)
    return thread
  }

  #adopt(thread: StoreThread): void {
    this.#current = thread
    void thread.ended.then((reason) => {
      if (this.#closed || this.#current !== thread) return
      this.#options.onError(reason)
      void this.#renew()
    })
  }
}
