import type { Logger } from 'pino'
import type { Clock } from '../../base/clock.ts'
import { UPDATE_LIFE_MS, type SparqlClient } from '../../graph/sparql/client.ts'
import type { Entry } from './ledger.ts'

/** The pause before the second look at the store; it doubles with each look. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

interface OpenIngestsOptions {
  client: SparqlClient
  /** True if the store has the concepts of an entry. */
  isStored: (entry: Entry) => Promise<boolean>
  clock: Clock
  log: Pick<Logger, 'info'>
}

/**
 * Finds the outcome of ingests that the store may have, but has not answered: the connection broke, or the service was
 * restarted.
 *
 * A store with one writer carries out updates in the order in which they come. So when it has carried out an update
 * that was sent later, the concepts are there or will never be. In another store they may come for an hour.
 */
export class OpenIngests {
  readonly #options: OpenIngestsOptions
  readonly #stopped = new AbortController()
  /** The task that follows each entry at present. */
  readonly #learners = new WeakMap<Entry, symbol>()

  constructor(options: OpenIngestsOptions) {
    this.#options = options
  }

  /**
   * True if the store has the concepts of an entry, false if it does not and never will. Takes as long as that is not
   * known, and never fails; undefined if the service stops before, or if a request has taken the entry meanwhile.
   */
  async learn(entry: Entry): Promise<boolean | undefined> {
    const { clock } = this.#options
    const { signal } = this.#stopped
    const since = clock.elapsed()
    const learner = Symbol()
    this.#learners.set(entry, learner)
    const isOurs = () => !signal.aborted && this.#learners.get(entry) === learner
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      let isStored = await this.#look(entry)
      if (!isStored) {
        await clock.sleep(pause, signal)
        isStored = (await this.#isOver(entry, since)) ? await this.#look(entry) : undefined
      }
      if (!isOurs()) return undefined
      if (isStored !== undefined) return isStored
    }
  }

  /** A request now writes the concepts of an entry itself: stops following it. */
  take(entry: Entry): void {
    this.#learners.delete(entry)
  }

  get isStopped(): boolean {
    return this.#stopped.signal.aborted
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** undefined if the store cannot be asked. */
  async #look(entry: Entry): Promise<boolean | undefined> {
    const { isStored, log } = this.#options
    try {
      return await isStored(entry)
    } catch (err) {
      log.info({ err, ingest: entry.id }, 'the end of an ingest is not known yet; the service will look again')
      return undefined
    }
  }

  /** True if no update that was sent before can still be under way. */
  async #isOver({ scheme }: Entry, since: number): Promise<boolean> {
    const { client, clock } = this.#options
    if (clock.elapsed() - since > UPDATE_LIFE_MS) return true
    try {
      if (!(await client.hasOneWriter())) return false
      await client.awaitWriter(scheme)
      return true
    } catch {
      // The next look logs a store that fails.
      return false
    }
  }
}
