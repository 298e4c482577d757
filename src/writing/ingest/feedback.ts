import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { unavailable } from '../../base/errors.ts'
import type { Ledger } from './ledger.ts'
import type { Outbox } from './outbox.ts'

/** A reader's report of a mistake. */
interface Feedback {
  /** The concept, collection or vocabulary. */
  uri: string
  /** Its name. */
  label: string
  message: string
  /** How the reader can be reached, in the reader's own words; the service sends nothing there. */
  contact: string
}

/** Puts a report into the outbox; it is on disk when this resolves. @throws ApiError ServiceUnavailableError */
export type SendFeedback = (feedback: Feedback) => Promise<void>

/** Mails that may wait: without a mail server, strangers must not fill the disk. */
const MOST_WAITING = 1000

/**
 * Sends reports by the outbox of ingest, to the operator alone.
 *
 * @param address of the operator.
 */
export function feedbackSender(
  { ledger, outbox, clock }: { ledger: Ledger; outbox: Outbox; clock: Clock },
  address: string,
): SendFeedback {
  return async ({ uri, label, message, contact }) => {
    if (outbox.size >= MOST_WAITING) {
      throw unavailable('Too many reports wait at the moment.', { retryAfter: 3600 })
    }
    const entry = {
      id: randomUUID(),
      time: new Date(clock.now()).toISOString(),
      username: '',
      scheme: '',
      voc: '',
      uris: [uri],
      labels: [label],
      feedback: { message, contact },
      state: 'stored' as const,
      recipients: [address],
    }
    try {
      await ledger.claim(entry)
    } catch (cause) {
      throw unavailable('The service cannot take reports at the moment.', { cause, retryAfter: 60 })
    }
    outbox.wake()
  }
}
