import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Entry, Ledger } from './ledger.ts'
import { composeMail, type Mail } from './mail.ts'

/** The result of handing a mail to an SMTP server. */
export interface Delivery {
  /** The recipients that the server refused. */
  refused: string[]
  /** The reason, without addresses; undefined if the server accepted the mail for all. */
  problem?: string
  /** True if the server did not answer at all, so that another mail would fail now as well. */
  unreachable?: boolean
}

/** Hands a mail to an SMTP server; an aborted signal ends the attempt. Never rejects. */
export type Send = (mail: Mail, recipients: readonly string[], signal: AbortSignal) => Promise<Delivery>

const FIRST_DELAY_MS = 5_000
const MAX_DELAY_MS = 15 * 60_000
const GIVE_UP_AFTER_MS = 5 * 24 * 3_600_000
/** The interval of attempts to write changes that the disk has refused. */
const SAVE_AGAIN_MS = 60_000
/** Timers reach some weeks at most. */
const MAX_SLEEP_MS = 24 * 3_600_000
/** A stopping outbox waits this long for the mail under way. */
const GRACE_MS = 5000
/** After this time no store is still working on an abandoned update. */
const UNDECIDED_MS = 3_600_000

export interface OutboxOptions {
  ledger: Ledger
  /** True if the store has the concepts of an entry. */
  isStored: (entry: Entry) => Promise<boolean>
  /** undefined without an SMTP server; mails wait. */
  send: Send | undefined
  /** Public address of the service. */
  baseUrl: string
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** The next attempt for an entry, the delay after it, and the first attempt, by the clock that nobody can set. */
interface Schedule {
  due: number
  delay: number
  since: number
}

/**
 * Sends editors one mail for each ingest, one after the other, and asks the store about interrupted ingests.
 *
 * The outbox tries a mail at once, then after 5 s, doubling up to 15 minutes, for 5 days; then it sets the mail aside. It
 * writes accepted recipients to disk before it does anything else. So a mail goes out twice only if the process ends between
 * acceptance and writing: at most one mail, with the same Message-ID.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #schedules = new Map<string, Schedule>()
  readonly #busy = new Set<string>()
  readonly #stopped = new AbortController()
  /** Breaks off the mail under way. */
  readonly #cut = new AbortController()
  #wake = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Resolves when the mail under way has ended, successfully or not, within a few seconds. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#wake.abort()
    const patience = setTimeout(() => this.#cut.abort(), GRACE_MS)
    await this.#running
    clearTimeout(patience)
  }

  /** Number of mails that some recipients have not got yet. */
  get size(): number {
    return [...this.#options.ledger.open()].length
  }

  /** Leaves an entry alone while its request is under way. */
  hold(entry: Entry): void {
    this.#busy.add(entry.id)
  }

  /** The request has ended: looks at the entry now. */
  release(entry: Entry): void {
    this.#busy.delete(entry.id)
    this.#schedules.delete(entry.id)
    this.#wake.abort()
  }

  async #run(): Promise<void> {
    const { clock, ledger } = this.#options
    while (!this.#stopped.signal.aborted) {
      this.#wake = new AbortController()
      const waiting = [...ledger.open()].filter((entry) => this.#isWorkable(entry))
      const now = clock.elapsed()
      const due = waiting.filter((entry) => this.#schedule(entry).due <= now)
      if (due.length > 0) await this.#work(due)
      else {
        const next = Math.min(...waiting.map((entry) => this.#schedule(entry).due))
        const longest = ledger.isBehind ? SAVE_AGAIN_MS : MAX_SLEEP_MS
        const pause = Math.min(Math.max(next - now, 1), longest)
        if (!this.#wake.signal.aborted && !this.#stopped.signal.aborted) await clock.sleep(pause, this.#wake.signal)
        // The log already has this error, and the outbox will try again.
        if (ledger.isBehind) await ledger.save().catch(() => undefined)
      }
    }
  }

  #isWorkable({ id, state }: Entry): boolean {
    return !this.#busy.has(id) && (state === 'claimed' || this.#options.send !== undefined)
  }

  #schedule({ id }: Entry): Schedule {
    let schedule = this.#schedules.get(id)
    if (!schedule)
      this.#schedules.set(id, (schedule = { due: 0, delay: FIRST_DELAY_MS, since: this.#options.clock.elapsed() }))
    return schedule
  }

  #postpone(entry: Entry): void {
    const { delay, since } = this.#schedule(entry)
    this.#schedules.set(entry.id, {
      due: this.#options.clock.elapsed() + delay,
      delay: Math.min(2 * delay, MAX_DELAY_MS),
      since,
    })
  }

  async #work(due: Entry[]): Promise<void> {
    let reachable = true
    for (const entry of due) {
      if (this.#stopped.signal.aborted) return
      if (this.#busy.has(entry.id)) continue
      try {
        if (entry.state === 'claimed') await this.#decide(entry)
        else if (reachable) reachable = await this.#deliver(entry)
        else await this.#failed(entry)
      } catch (error) {
        // The disk or the store failed; the entry stays as it is.
        this.#options.log.error(
          { err: error, ingest: entry.id },
          'an ingest could not be followed up; it will be tried again',
        )
        this.#postpone(entry)
      }
    }
  }

  /** Asks the store whether it has the concepts of an interrupted ingest. */
  async #decide(entry: Entry): Promise<void> {
    const { ledger, isStored, clock, log } = this.#options
    if (await isStored(entry)) {
      this.#schedules.delete(entry.id)
      await ledger.change(entry, { state: 'stored' })
    } else if (clock.elapsed() - this.#schedule(entry).since > UNDECIDED_MS) {
      log.info({ ingest: entry.id }, 'an ingest that was broken off has left nothing in the store')
      await ledger.change(entry, { state: 'absent' })
    } else this.#postpone(entry)
  }

  /** @returns true if the SMTP server answered. */
  async #deliver(entry: Entry): Promise<boolean> {
    const { ledger, send, baseUrl, log } = this.#options
    if (ledger.isBehind) await ledger.save()
    await this.#begin(entry)
    const { refused, problem, unreachable } = await send!(
      composeMail(entry, baseUrl),
      entry.recipients,
      this.#cut.signal,
    )
    const accepted = entry.recipients.length - refused.length
    if (accepted > 0) {
      await ledger.change(entry, { recipients: refused })
      log.info({ ingest: entry.id, recipients: accepted }, 'mail accepted by the SMTP server')
    }
    if (refused.length === 0) this.#schedules.delete(entry.id)
    else {
      log.warn({ ingest: entry.id, recipients: refused.length, problem }, 'mail not accepted by the SMTP server')
      await this.#failed(entry)
    }
    return unreachable !== true
  }

  async #begin(entry: Entry): Promise<void> {
    const { ledger, clock } = this.#options
    // A time in the future comes from a clock that was ahead.
    if (entry.firstAttempt === undefined || Date.parse(entry.firstAttempt) > clock.now()) {
      await ledger.change(entry, { firstAttempt: new Date(clock.now()).toISOString() })
    }
  }

  async #failed(entry: Entry): Promise<void> {
    const { ledger, clock, log } = this.#options
    // A mail that was due has waited for the server, too: its 5 days begin now.
    await this.#begin(entry)
    const since = Date.parse(entry.firstAttempt!)
    if (clock.now() - since < GIVE_UP_AFTER_MS) return this.#postpone(entry)
    const { id, time, voc, uris } = entry
    await ledger.setAside(entry)
    this.#schedules.delete(id)
    log.error(
      { ingest: id, time, voc, concepts: uris.length },
      'mail set aside: no SMTP server took it in 5 days (vocab mails)',
    )
  }
}
