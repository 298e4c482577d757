import { createTransport } from 'nodemailer'
import type { Delivery, Send } from './outbox.ts'

const CONNECT_MS = 10_000
const GREETING_MS = 30_000
/**
 * A server may take long at the end of a mail. A client that hangs up earlier sends it twice (RFC 5321, section
 * 4.5.3.2.6).
 */
const SILENCE_MS = 10 * 60_000

/** Milliseconds that a connection waits for the next mail. */
const IDLE_MS = 2000

/** Sends mails until it is closed. */
interface SmtpSender {
  send: Send
  close(): void
}

/**
 * Sends mails over SMTP, one connection at a time.
 *
 * @param url `smtp://` (STARTTLS if the server has it) or `smtps://`, with `user:password@` for a login; options of
 *   nodemailer may follow as parameters.
 * @param from address of the sender.
 */
export function smtpSender(url: string, from: string): SmtpSender {
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    // Only the outbox repeats a mail.
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    url,
  })
  const send: Send = async ({ messageId, subject, text }, recipients, signal): Promise<Delivery> => {
    try {
      const { rejected, rejectedErrors } = await transport.sendMail({
        from,
        // Objects, so that nothing in an address counts as a list or a name.
        to: recipients.map((address) => ({ name: '', address })),
        messageId,
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal,
      })
      // The domain may come back in another case.
      const refused = new Set(rejected.map((address) => address.toLowerCase()))
      return {
        refused: recipients.filter((recipient) => refused.has(recipient.toLowerCase())),
        ...(refused.size > 0 ? { problem: describe(rejectedErrors?.[0]) } : {}),
      }
    } catch (error) {
      return { refused: [...recipients], problem: describe(error), unreachable: !hasReply(error) }
    }
  }
  return { send, close: () => transport.close() }
}

interface SmtpError {
  code?: string
  command?: string
  responseCode?: number
}

/** The problem without the text of the server, which may contain addresses. */
function describe(error: unknown): string {
  const { code, command, responseCode } = (error ?? {}) as SmtpError
  return [code ?? 'unknown', command, responseCode].filter((part) => part !== undefined).join(' ')
}

function hasReply(error: unknown): boolean {
  return typeof (error as SmtpError | undefined)?.responseCode === 'number'
}
