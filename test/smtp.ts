/** A real SMTP server for tests. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

interface ReceivedMail {
  recipients: string[]
  /** Header fields in lower case, unfolded, with their encoded words decoded. */
  headers: Record<string, string>
  /** The plain text, decoded. */
  text: string
  /** As it came. */
  source: string
}

export interface MailServer {
  url: string
  port: number
  /** In the order of their acceptance. */
  received: ReceivedMail[]
  /** Recipients that are refused, with the SMTP reply code. */
  refused: Map<string, number>
  /** Connections that were made. */
  connections: number
  /** Waits before a mail is accepted; rejects to refuse it. */
  onMail: () => Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when so many mails have been received. */
  until(count: number, timeoutMs?: number): Promise<void>
}

/** An SMTP server on a free port of the loopback interface that takes every mail. */
export async function startMailServer(options: object = {}): Promise<MailServer> {
  let smtp: SMTPServer | undefined
  const server: MailServer = {
    url: '',
    port: 0,
    received: [],
    refused: new Map(),
    connections: 0,
    onMail: () => Promise.resolve(),
    start: async () => {
      smtp = new SMTPServer({
        authOptional: true,
        disableReverseLookup: true,
        disabledCommands: ['STARTTLS'],
        onConnect: (_session, callback) => {
          server.connections++
          callback()
        },
        onRcptTo: ({ address }, _session, callback) => {
          const responseCode = server.refused.get(address)
          callback(responseCode ? Object.assign(new Error(`no such user ${address}`), { responseCode }) : undefined)
        },
        onData: (stream, session, callback) => {
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('end', () => {
            server.onMail().then(
              () => {
                const recipients = session.envelope.rcptTo.map(({ address }) => address)
                server.received.push({ recipients, ...parseMail(Buffer.concat(chunks).toString('utf8')) })
                callback()
              },
              (error: Error) => callback(error),
            )
          })
        },
        ...options,
      })
      // A client that goes away in the middle is part of the tests.
      smtp.on('error', () => undefined)
      smtp.listen(server.port, '127.0.0.1')
      await once(smtp.server, 'listening')
      server.port = (smtp.server.address() as AddressInfo).port
      server.url = `smtp://127.0.0.1:${server.port}`
    },
    stop: async () => {
      const running = smtp
      smtp = undefined
      if (!running) return
      await new Promise<void>((resolve) => {
        running.close(() => resolve())
        for (const connection of running.connections) connection.close()
      })
    },
    until: async (count, timeoutMs = 20_000) => {
      const deadline = Date.now() + timeoutMs
      while (server.received.length < count) {
        if (Date.now() > deadline) throw new Error(`${server.received.length} of ${count} mails received`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
  await server.start()
  return server
}

/** Enough of RFC 5322 and MIME for a mail of one part of plain text. */
function parseMail(source: string): Omit<ReceivedMail, 'recipients'> {
  const [head, ...rest] = source.split('\r\n\r\n')
  const headers: Record<string, string> = {}
  for (const line of head!.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    headers[name] = (headers[name] === undefined ? '' : `${headers[name]}\n`) + decodeWords(line.slice(at + 1).trim())
  }
  const body = rest.join('\r\n\r\n')
  const encoding = headers['content-transfer-encoding']
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? decodeQuoted(body.replace(/=\r\n/g, ''))
        : body
  return { headers, text: text.replaceAll('\r\n', '\n'), source }
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** Encoded words (RFC 2047). */
function decodeWords(text: string): string {
  return text.replace(/\?=\s+=\?/g, '?==?').replace(/(=\?utf-8\?[qb]\?[^?]*\?=)+/gi, (words) =>
    Buffer.concat(
      [...words.matchAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi)].map(([, encoding, content]) =>
        encoding!.toLowerCase() === 'b'
          ? Buffer.from(content!, 'base64')
          : Buffer.from(
              content!
                .replaceAll('_', ' ')
                .replace(/=([0-9A-F]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
              'latin1',
            ),
      ),
    ).toString('utf8'),
  )
}
