import { join } from 'node:path'
import { Database, type Transaction } from '../../base/durable/database.ts'
import { DamageError } from '../../base/durable/errors.ts'
import { refuseForeignFolder } from '../../base/durable/files.ts'
import { lockFile, type FileLock } from '../../base/durable/file-lock.ts'
import type { ControlAddress } from '../../interface/http/control-endpoint.ts'
import type { Decision } from '../history/log/change.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { Clock } from '../../base/clock.ts'

/** The facts of an ingest, which never change. */
export interface IngestFacts {
  /** A UUID. */
  id: string
  /** The time of the request, ISO 8601 in UTC. */
  time: string
  username: string
  /** URI and id of the vocabulary. */
  scheme: string
  voc: string
  /** URIs of the new concepts, and their German names. */
  uris: string[]
  labels: string[]
  /** Idempotency-Key of the request, and a hash of its data. */
  key?: string
  fingerprint?: string
  /** A reader's report about something that is there, instead of an ingest. */
  feedback?: { message: string; contact: string }
  /** A decision about proposals, for the person who has proposed them, instead of an ingest. */
  decision?: { decision: Decision; reason?: string; changeset: number }
}

/** The progress of an ingest. */
interface IngestProgress {
  /**
   * claimed: the store may or may not have the concepts; stored: it has them; absent: it does not, and no update under
   * way could still write them.
   */
  state: 'claimed' | 'stored' | 'absent'
  /** Addresses that have not got the mail yet. */
  recipients: string[]
  /** The time of the first attempt to send the mail, ISO 8601 in UTC. */
  firstAttempt?: string
}

/** An ingest, from the minting of its URIs until nobody needs it any more. */
export type Entry = IngestFacts & IngestProgress

/** The life of an Idempotency-Key (docs/ingest.md, "Ingest"). */
export const KEY_LIFE_MS = 24 * 3_600_000

const PURGE_MS = 3_600_000

export const LEDGER_DATABASE = 'database.sqlite'
/** The name of the file that the process locks which uses a folder of ingests. */
export const LEDGER_LOCK = 'held'

/**
 * By the id of an ingest: its facts, its progress, its answer if it has a key, and the ingest again if its mail was
 * given up.
 */
export const LEDGER_TABLES = ['facts', 'progress', 'answer', 'undelivered'] as const

/**
 * The ingests that need an answer to a repeated request with an Idempotency-Key, or a mail to editors, in one database.
 * Of other ingests only the history has a record.
 *
 * The ledger writes an entry before the store writes the concepts, so no mail and no key is lost. A query shows whether
 * the store has the concepts.
 */
export class Ledger {
  readonly #database: Database
  readonly #clock: Clock
  readonly #lock: FileLock
  readonly #entries = new Map<string, Entry>()
  readonly #byKey = new Map<string, Entry>()
  /** The times of entries of this process, by a clock that nobody can set. */
  readonly #claimed = new WeakMap<Entry, number>()
  /** Entries whose progress is not on disk yet; the next write includes it. */
  readonly #unsaved = new Set<Entry>()
  #purged: number

  private constructor(database: Database, lock: FileLock, clock: Clock) {
    this.#database = database
    this.#lock = lock
    this.#clock = clock
    this.#purged = clock.elapsed()
  }

  /**
   * @param directory for the database, used by one process at a time.
   * @throws LockedError if another process has locked it; DamageError; DiskError.
   */
  static async open(directory: string, clock: Clock): Promise<Ledger> {
    await refuseForeignFolder(directory, LEDGER_DATABASE)
    const lock = await lockFile(join(directory, LEDGER_LOCK))
    try {
      const database = await Database.open(join(directory, LEDGER_DATABASE), { tables: LEDGER_TABLES })
      const ledger = new Ledger(database, lock, clock)
      ledger.#load()
      ledger.#purge()
      await ledger.save()
      return ledger
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  /** Publishes the address at which other processes can ask this one for mails that were set aside. */
  async publish(address: ControlAddress): Promise<void> {
    await this.#lock.publish(address)
  }

  /** Entries whose mail some recipients have not got yet. */
  *open(): Generator<Entry> {
    for (const entry of this.#entries.values()) if (entry.state === 'stored' && isOpen(entry)) yield entry
  }

  /** Entries with an unknown outcome: the store may or may not have their concepts. */
  *claimed(): Generator<Entry> {
    for (const entry of this.#entries.values()) if (entry.state === 'claimed') yield entry
  }

  /** True if a change has not reached the disk yet. */
  get isBehind(): boolean {
    return this.#unsaved.size > 0
  }

  /** The entry of a key that an account has used in the last 24 hours. */
  findKey(username: string, key: string): Entry | undefined {
    const entry = this.#byKey.get(keyOfAccount(username, key))
    return entry && !this.#isExpired(entry) ? entry : undefined
  }

  /** Remembers a new ingest from which something follows; it is on disk when this resolves. @throws DiskError */
  async claim(entry: Entry): Promise<void> {
    if (!isNeeded(entry)) return
    if (this.#clock.elapsed() - this.#purged > PURGE_MS) this.#purge()
    this.#add(entry)
    this.#claimed.set(entry, this.#clock.elapsed())
    try {
      await this.save((transaction) => {
        transaction.put('facts', entry.id, JSON.stringify(factsOf(entry)))
        transaction.put('progress', entry.id, JSON.stringify(progressOf(entry)))
      })
    } catch (error) {
      this.#forget(entry)
      throw error
    }
  }

  /**
   * Changes the progress of an entry; it is on disk when this resolves. Forgets an entry that nobody needs any more.
   *
   * @throws DiskError; the change counts anyway, and goes to disk with the next one that succeeds.
   */
  async change(entry: Entry, progress: Partial<IngestProgress>): Promise<void> {
    this.#change(entry, progress)
    if (this.isBehind) await this.save()
  }

  /**
   * Keeps the answer to a request with an Idempotency-Key.
   *
   * @param state stored if the store has shown the concepts.
   * @throws DiskError
   */
  async finish(entry: Entry, answer: readonly JskosRecord[], state: 'stored' | 'claimed'): Promise<void> {
    this.#change(entry, { state })
    if (!this.#entries.has(entry.id)) return
    await this.save((transaction) => {
      if (entry.key !== undefined) transaction.put('answer', entry.id, JSON.stringify(answer))
    })
  }

  /** Keeps an entry whose mail is given up, with the missed addresses, for the operator. @throws DiskError */
  async setAside(entry: Entry): Promise<void> {
    await this.save((transaction) => transaction.put('undelivered', entry.id, JSON.stringify(entry)))
    await this.change(entry, { recipients: [] })
  }

  /** Entries whose mail was given up. */
  *undelivered(): Generator<Entry> {
    for (const id of this.#database.keys('undelivered')) yield this.#read<Entry>('undelivered', id)
  }

  /**
   * The commands of the operator for mails that were given up.
   *
   * @param onRetry called with each entry whose mail is to be tried again.
   */
  setAsideMails(onRetry: (entry: Entry) => void = () => undefined) {
    const undeliveredOf = (ids: readonly string[]) => [...this.undelivered()].filter(({ id }) => ids.includes(id))
    return {
      list: () => Promise.resolve([...this.undelivered()]),
      retry: async (ids: readonly string[]): Promise<string[]> => {
        const entries = undeliveredOf(ids)
        for (const entry of entries) onRetry(await this.#retry(entry))
        return entries.map(({ id }) => id)
      },
      remove: async (ids: readonly string[]): Promise<string[]> => {
        const entries = undeliveredOf(ids)
        await this.save((transaction) => {
          for (const { id } of entries) transaction.delete('undelivered', id)
        })
        return entries.map(({ id }) => id)
      },
    }
  }

  /** Puts a mail that was given up back into the outbox. @throws DiskError, and then it stays given up. */
  async #retry({ firstAttempt: _before, ...given }: Entry): Promise<Entry> {
    await this.save((transaction) => {
      transaction.delete('undelivered', given.id)
      transaction.put('facts', given.id, JSON.stringify(factsOf(given)))
      transaction.put('progress', given.id, JSON.stringify(progressOf(given)))
    })
    // The ledger may still have an entry with an Idempotency-Key.
    const entry = this.#entries.get(given.id) ?? given
    Object.assign(entry, { recipients: given.recipients, firstAttempt: undefined })
    this.#add(entry)
    return entry
  }

  /** The answer to a request with an Idempotency-Key; undefined: ask the store again. */
  readAnswer(entry: Entry): JskosRecord[] | undefined {
    try {
      const answer = this.#database.get('answer', entry.id)
      return answer && (JSON.parse(answer.toString()) as JskosRecord[])
    } catch (error) {
      if (error instanceof DamageError) return undefined
      throw error
    }
  }

  /** Writes all pending changes and a new one to disk in one transaction. @throws DiskError */
  async save(change: (transaction: Transaction) => void = () => undefined): Promise<void> {
    let taken: Entry[] = []
    try {
      await this.#database.write((transaction) => {
        change(transaction)
        taken = [...this.#unsaved]
        this.#unsaved.clear()
        for (const entry of taken) this.#write(transaction, entry)
      })
    } catch (error) {
      for (const entry of taken) this.#unsaved.add(entry)
      throw error
    }
  }

  /** Resolves when everything is on disk. @throws DiskError if that fails; the directory is released anyway. */
  async close(): Promise<void> {
    try {
      if (this.isBehind) await this.save()
    } finally {
      await this.#database.close()
      await this.#lock.release()
    }
  }

  #load(): void {
    for (const id of this.#database.keys('facts')) {
      this.#add({ ...this.#read<IngestFacts>('facts', id), ...this.#read<IngestProgress>('progress', id) })
    }
  }

  #read<T>(table: (typeof LEDGER_TABLES)[number], id: string): T {
    const value = this.#database.get(table, id)
    if (!value) throw new DamageError(this.#database.file, `${table} "${id}" is missing`)
    return JSON.parse(value.toString()) as T
  }

  #write(transaction: Transaction, entry: Entry): void {
    if (this.#entries.get(entry.id) === entry) {
      transaction.put('progress', entry.id, JSON.stringify(progressOf(entry)))
    } else {
      for (const table of ['facts', 'progress', 'answer']) transaction.delete(table, entry.id)
    }
  }

  #change(entry: Entry, progress: Partial<IngestProgress>): void {
    Object.assign(entry, progress)
    if (!this.#entries.has(entry.id)) return
    if (!isOpen(entry) && entry.key === undefined) this.#forget(entry)
    this.#unsaved.add(entry)
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.id, entry)
    if (entry.key !== undefined) this.#byKey.set(keyOfAccount(entry.username, entry.key), entry)
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.id)
    if (entry.key === undefined) return
    const key = keyOfAccount(entry.username, entry.key)
    if (this.#byKey.get(key) === entry) this.#byKey.delete(key)
  }

  /** Forgets entries that nobody needs any more; the next change removes them on disk. */
  #purge(): void {
    this.#purged = this.#clock.elapsed()
    for (const entry of this.#entries.values()) {
      if (isOpen(entry) || (entry.key !== undefined && !this.#isExpired(entry))) continue
      this.#forget(entry)
      this.#unsaved.add(entry)
    }
  }

  /** Uses the clock of the machine only for entries from before the start, because an operator may set it. */
  #isExpired(entry: Entry): boolean {
    const claimed = this.#claimed.get(entry)
    const age = claimed === undefined ? this.#clock.now() - Date.parse(entry.time) : this.#clock.elapsed() - claimed
    return age > KEY_LIFE_MS
  }
}

/** True if an ingest needs a mail or the answer to a repeated request. */
function isNeeded({ key, recipients }: Entry): boolean {
  return key !== undefined || recipients.length > 0
}

/** True if the end of an entry is not known, or its mail has not gone out. */
function isOpen({ state, recipients }: Entry): boolean {
  return state === 'claimed' || (state === 'stored' && recipients.length > 0)
}

function keyOfAccount(username: string, key: string): string {
  return JSON.stringify([username, key])
}

function progressOf({ state, recipients, firstAttempt }: Entry): IngestProgress {
  return { state, recipients, ...(firstAttempt === undefined ? {} : { firstAttempt }) }
}

/** The part of an entry that never changes. */
export function factsOf({
  id,
  time,
  username,
  scheme,
  voc,
  uris,
  labels,
  key,
  fingerprint,
  feedback,
  decision,
}: Entry): IngestFacts {
  const once = key === undefined || fingerprint === undefined ? {} : { key, fingerprint }
  return {
    id,
    time,
    username,
    scheme,
    voc,
    uris,
    labels,
    ...once,
    ...(feedback && { feedback }),
    ...(decision && { decision }),
  }
}
