import { createTransport } from 'nodemailer'
import type { Delivery, Send } from './outbox.ts'

const CONNECT_MS = 10_000
const GREETING_MS = 30_000
/** A server may take long over the end of a mail; who hangs up earlier gets it delivered twice (RFC 5321, section 4.5.3.2.6). */
const SILENCE_MS = 10 * 60_000

/** A mail is followed by the next on the same connection, which is given up when there is none. */
const IDLE_MS = 2000

/** Where mails are handed over. */
export interface SmtpSender {
  send: Send
  close(): void
}

/**
 * Sends mails over SMTP, one connection at a time.
 *
 * @param url `smtp://` (STARTTLS where the server has it) or `smtps://`, with `user:password@` for a login; options of
 *   nodemailer may follow as parameters.
 * @param from address of the sender.
 */
export function smtpSender(url: string, from: string): SmtpSender {
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    // A mail is never repeated behind the back of the outbox.
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
        // Objects, so that nothing in an address is taken for a list or a name.
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

/** What went wrong, without the server's text: that may name addresses. */
function describe(error: unknown): string {
  const { code, command, responseCode } = (error ?? {}) as SmtpError
  return [code ?? 'unknown', command, responseCode].filter((part) => part !== undefined).join(' ')
}

function hasReply(error: unknown): boolean {
  return typeof (error as SmtpError | undefined)?.responseCode === 'number'
}
