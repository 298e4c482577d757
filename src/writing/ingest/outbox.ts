import type { Logger } from 'pino'
import type { Clock } from '../../base/clock.ts'
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
/** A mail whose 5 days are over is tried for another hour: the clock of the machine may be ahead for a moment. */
const LAST_TRIES_MS = 3_600_000
/** The interval of attempts to write changes that the disk has refused. */
const SAVE_AGAIN_MS = 60_000
/** Timers reach some weeks at most. */
const MAX_SLEEP_MS = 24 * 3_600_000
/** A stopping outbox waits this long for the mail under way. */
const GRACE_MS = 5000

interface OutboxOptions {
  ledger: Ledger
  /** undefined without an SMTP server; mails wait. */
  send: Send | undefined
  /** Public address of the service. */
  baseUrl: string
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/** The next attempt for an entry, by the clock that nobody can set, and the delay after it. */
interface Schedule {
  due: number
  delay: number
  /** The attempt since which its 5 days are over, by the same clock. */
  overdue?: number | undefined
}

/**
 * Sends editors one mail for each ingest that the store has, one after the other.
 *
 * The outbox tries a mail at once, then after 5 s, doubling up to 15 minutes, for 5 days and an hour; then it sets the
 * mail aside.
 * It writes accepted recipients to disk before it does anything else. So a mail goes out twice only if the process ends
 * between acceptance and writing: at most one mail, with the same Message-ID.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #schedules = new Map<string, Schedule>()
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

  /** Looks for mails that are due. */
  wake(): void {
    this.#wake.abort()
  }

  /** Tries the mail of an entry now. */
  retry(entry: Entry): void {
    this.#schedules.delete(entry.id)
    this.wake()
  }

  async #run(): Promise<void> {
    const { clock, ledger } = this.#options
    while (!this.#stopped.signal.aborted) {
      this.#wake = new AbortController()
      const waiting = this.#options.send === undefined ? [] : [...ledger.open()]
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

  #schedule({ id }: Entry): Schedule {
    let schedule = this.#schedules.get(id)
    if (!schedule) this.#schedules.set(id, (schedule = { due: 0, delay: FIRST_DELAY_MS }))
    return schedule
  }

  #postpone(entry: Entry): void {
    const { delay, overdue } = this.#schedule(entry)
    this.#schedules.set(entry.id, {
      overdue,
      due: this.#options.clock.elapsed() + delay,
      delay: Math.min(2 * delay, MAX_DELAY_MS),
    })
  }

  async #work(due: Entry[]): Promise<void> {
    let reachable = true
    for (const entry of due) {
      if (this.#stopped.signal.aborted) return
      try {
        if (reachable) reachable = await this.#deliver(entry)
        else await this.#failed(entry)
      } catch (error) {
        // The disk failed; the entry stays as it is.
        this.#options.log.error({ err: error, ingest: entry.id }, 'a mail could not be tried; it will be tried again')
        this.#postpone(entry)
      }
    }
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
    const isOver = clock.now() - Date.parse(entry.firstAttempt!) >= GIVE_UP_AFTER_MS
    const schedule = this.#schedule(entry)
    schedule.overdue = isOver ? (schedule.overdue ?? clock.elapsed()) : undefined
    const isLast = schedule.overdue !== undefined && clock.elapsed() - schedule.overdue >= LAST_TRIES_MS
    if (!isLast) return this.#postpone(entry)
    const { id, time, voc, uris } = entry
    await ledger.setAside(entry)
    this.#schedules.delete(id)
    log.error(
      { ingest: id, time, voc, concepts: uris.length },
      'mail set aside: no SMTP server took it in 5 days (vocab mails)',
    )
  }
}
