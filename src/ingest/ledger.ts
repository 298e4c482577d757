import { join } from 'node:path'
import { appendFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import type { JskosRecord } from '../jskos/record.ts'
import { holdLock } from '../lock.ts'
import { Journal } from './journal.ts'

/** An ingest from the moment its URIs are minted until nobody needs to know of it any more. */
export interface Entry {
  /** A UUID. */
  id: string
  /** When it was asked for, ISO 8601 in UTC. */
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
  /**
   * claimed: the store may or may not have the concepts; stored: it has them; absent: it does not, and nothing is under way
   * that could still write them.
   */
  state: 'claimed' | 'stored' | 'absent'
  /** Addresses that have not been told yet. */
  recipients: string[]
  /** When a mail was first tried, ISO 8601 in UTC. */
  firstAttempt?: string
}

/** How long an Idempotency-Key is kept (docs/interface.md, "Ingest"). */
export const KEY_LIFE_MS = 24 * 3_600_000

const MIN_LINES_TO_COMPACT = 1000

/**
 * What this instance has to remember of ingests, on disk: which URIs belong to which request, and who has to be told.
 *
 * An entry is written before the store is asked to write the concepts, so whatever the store has, this knows of; the rest
 * can be found out by asking the store. A line of the journal is an entry or a change of some of its members.
 */
export class Ledger {
  readonly #journal: Journal
  readonly #directory: string
  readonly #answers: string
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #byKey = new Map<string, Entry>()

  readonly #release: () => Promise<void>

  private constructor(journal: Journal, directory: string, release: () => Promise<void>, now: () => number) {
    this.#journal = journal
    this.#release = release
    this.#directory = directory
    this.#answers = join(directory, 'answers')
    this.#now = now
  }

  /**
   * @param directory for the files of ingests, one process at a time.
   * @param now milliseconds since the epoch.
   * @throws LockedError where another process has them, JournalDamageError.
   */
  static async open(directory: string, now: () => number): Promise<Ledger> {
    await mkdir(join(directory, 'answers'), { recursive: true, mode: 0o700 })
    const release = await holdLock(join(directory, 'lock'))
    try {
      const { journal, values } = await Journal.open(join(directory, 'journal.ndjson'))
      const ledger = new Ledger(journal, directory, release, now)
      for (const value of values as (Partial<Entry> & { id: string })[]) ledger.#apply(value)
      await ledger.#compact()
      return ledger
    } catch (error) {
      await release()
      throw error
    }
  }

  /** Entries whose mail has not gone out to everybody. */
  *open(): Generator<Entry> {
    for (const entry of this.#entries.values()) if (isOpen(entry)) yield entry
  }

  /** The entry of a key that an account has used in the last 24 hours. */
  findKey(username: string, key: string): Entry | undefined {
    const entry = this.#byKey.get(keyOf(username, key))
    return entry && !this.#isExpired(entry) ? entry : undefined
  }

  /** Remembers a new ingest; it is on disk when this resolves. */
  async claim(entry: Entry): Promise<void> {
    this.#apply(entry)
    try {
      await this.#journal.append(entry)
    } catch (error) {
      this.#forget(entry)
      throw error
    }
  }

  /** Changes members of an entry; they are on disk when this resolves. An entry that nobody needs any more is forgotten. */
  async change(entry: Entry, members: Partial<Entry>): Promise<void> {
    const change = { id: entry.id, ...members }
    this.#apply(change)
    if (!isOpen(entry) && entry.key === undefined) this.#forget(entry)
    await this.#journal.append(change)
    if (this.#journal.lines > MIN_LINES_TO_COMPACT + 4 * this.#entries.size) await this.#compact()
  }

  /** Notes an entry whose mail is given up, with the addresses it did not reach, in a file for the operator. */
  async setAside(entry: Entry): Promise<void> {
    await appendFile(join(this.#directory, 'undelivered.ndjson'), `${JSON.stringify(entry)}\n`, {
      mode: 0o600,
      flush: true,
    })
    await this.change(entry, { recipients: [] })
  }

  /** Keeps the answer to a request with an Idempotency-Key. It need not survive a crash: the store has the concepts. */
  async keepAnswer(entry: Entry, records: readonly JskosRecord[]): Promise<void> {
    const file = this.#answerFile(entry.id)
    await writeFile(`${file}.new`, JSON.stringify(records), { mode: 0o600 })
    await rename(`${file}.new`, file)
  }

  /** The answer that was kept, if it was. */
  async readAnswer(entry: Entry): Promise<JskosRecord[] | undefined> {
    try {
      return JSON.parse(await readFile(this.#answerFile(entry.id), 'utf8')) as JskosRecord[]
    } catch {
      return undefined
    }
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    await this.#journal.close()
    await this.#release()
  }

  #apply(change: Partial<Entry> & { id: string }): void {
    const known = this.#entries.get(change.id)
    if (known) Object.assign(known, change)
    else if (change.uris) this.#add(change as Entry)
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.id, entry)
    if (entry.key !== undefined) this.#byKey.set(keyOf(entry.username, entry.key), entry)
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.id)
    if (entry.key === undefined) return
    const key = keyOf(entry.username, entry.key)
    if (this.#byKey.get(key) === entry) this.#byKey.delete(key)
  }

  #isExpired({ time }: Entry): boolean {
    return this.#now() - Date.parse(time) > KEY_LIFE_MS
  }

  /** Leaves only what is needed still. */
  async #compact(): Promise<void> {
    for (const entry of this.#entries.values()) {
      if (!isOpen(entry) && (entry.key === undefined || this.#isExpired(entry))) this.#forget(entry)
    }
    await this.#journal.rewrite(() => [...this.#entries.values()])
    for (const name of await readdir(this.#answers)) {
      if (!this.#entries.has(name.split('.')[0]!)) await rm(join(this.#answers, name), { force: true })
    }
  }

  #answerFile(id: string): string {
    return join(this.#answers, `${id}.json`)
  }
}

function isOpen({ state, recipients }: Entry): boolean {
  return state !== 'absent' && recipients.length > 0
}

function keyOf(username: string, key: string): string {
  return JSON.stringify([username, key])
}
