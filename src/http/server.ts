import { createServer, type RequestListener, type Server } from 'node:http'

/** What one client may cost, in milliseconds and bytes. */
export interface ServerLimits {
  /** From the first byte of a request to the end of its headers. */
  headersMs: number
  /** From the first byte of a request to the end of its body. */
  requestMs: number
  /** A connection on which nothing moves, although a request or an answer is under way. */
  silenceMs: number
  /** A connection without a request. Longer than load balancers keep theirs, lest they send into a closed one. */
  keepAliveMs: number
  /** How often the first two are looked at. */
  checkMs: number
  headerBytes: number
  connections: number
}

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 20_000,
  requestMs: 60_000,
  silenceMs: 60_000,
  keepAliveMs: 75_000,
  checkMs: 5000,
  // Room for a list of some hundred URIs in a URL.
  headerBytes: 65_536,
  connections: 10_000,
}

/**
 * An HTTP server that no client holds up by being slow: one that does not send its request, or does not read its answer,
 * is cut off, and beyond a number of connections a new one is closed at once.
 */
export function createHttpServer(listener: RequestListener, limits: Partial<ServerLimits> = {}): Server {
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
      maxHeaderSize: headerBytes,
    },
    listener,
  )
  server.timeout = silenceMs
  server.maxConnections = connections
  return server
}
