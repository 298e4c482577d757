import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAXIMA } from './maxima.ts'
import type { Socket } from 'node:net'
import type { RequestHandler } from 'express'

/** The limits for one client, in milliseconds and bytes. */
interface ServerLimits {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** Silence of a connection during a request or an answer. */
  silenceMs: number
  /** Silence between requests; longer than load balancers keep connections, so that they do not use a closed one. */
  keepAliveMs: number
  /** Interval of the checks of the first two. */
  checkMs: number
  headerBytes: number
  connections: number
}

/** A client that was refused may read the answer for this time, in milliseconds. */
const LAST_WORD_MS = 2000

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 20_000,
  // The largest body is 1 MiB, which needs 35 kB a second.
  requestMs: 30_000,
  silenceMs: 60_000,
  keepAliveMs: 75_000,
  checkMs: 1000,
  // Enough for a URL with a few hundred URIs.
  headerBytes: MAXIMA.head.most,
  connections: 10_000,
}

/**
 * An HTTP server that slow clients cannot hold up: it cuts off clients that do not send their request or do not read
 * their answer, and closes connections beyond the maximum at once.
 */
export function createHttpServer(listener: RequestListener, limits: Partial<ServerLimits>): Server {
  const { headersMs, requestMs, silenceMs, keepAliveMs, checkMs, headerBytes, connections } = {
    ...SERVER_LIMITS,
    ...limits,
  }
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkMs,
      // Node.js refuses what has as many.
      maxHeaderSize: headerBytes + 1,
    },
    listener,
  )
  server.timeout = silenceMs
  server.maxConnections = connections
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (request, response) => answers.set(request.socket, response))
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    const isAnswering = answer !== undefined && answer.headersSent && !answer.writableFinished
    if (!socket.writable || isAnswering) socket.destroy()
    else {
      socket.end(refusal(code, headerBytes))
      // The other end may go on sending for ever.
      const patience = setTimeout(() => socket.destroy(), LAST_WORD_MS)
      socket.once('close', () => clearTimeout(patience))
    }
  })
  return server
}

/** The whole answer to bytes that Node.js cannot read as a request, which therefore never reach the application. */
function refusal(code: string | undefined, headerBytes: number): string {
  const [status, reason, message] =
    code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', `path and headers: expected at most ${headerBytes} bytes`]
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'The request took too long to arrive.']
        : [400, 'Bad Request', 'expected HTTP with a known method and a percent-encoded path']
  const body = JSON.stringify({ error: 'MalformedRequestError', status, message })
  return [
    `HTTP/1.1 ${status} ${reason}`,
    'Access-Control-Allow-Origin: *',
    'Cache-Control: no-store',
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

/** Requests of one connection that may wait; one with more is closed. */
const MOST_WAITING = 1000

const waiting = new WeakMap<Socket, number>()

/**
 * Begins the requests of a connection one after the other, in the order of their answers (RFC 9112, section 9.3.2): the
 * next one when the answer to the one before has been sent. A client may send thousands before it reads an answer; if
 * it leaves, waiting requests never start.
 */
export const inTurn: RequestHandler = ({ socket }, response, next) => {
  // Node.js gives an answer its connection when it may be sent.
  if (response.socket) return next()
  const count = (waiting.get(socket) ?? 0) + 1
  if (count > MOST_WAITING) return void socket.destroy()
  waiting.set(socket, count)
  response.once('socket', () => {
    waiting.set(socket, waiting.get(socket)! - 1)
    // The answer is ready for use when the listeners of this event have returned.
    process.nextTick(() => {
      if (!socket.destroyed) next()
    })
  })
}
