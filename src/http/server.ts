import { createServer, type RequestListener, type Server } from 'node:http'

/** The limits for one client, in milliseconds and bytes. */
export interface ServerLimits {
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

export const SERVER_LIMITS: ServerLimits = {
  headersMs: 20_000,
  requestMs: 60_000,
  silenceMs: 60_000,
  keepAliveMs: 75_000,
  checkMs: 5000,
  // Enough for a URL with a few hundred URIs.
  headerBytes: 65_536,
  connections: 10_000,
}

/**
 * An HTTP server that slow clients cannot hold up: it cuts off clients that do not send their request or do not read their
 * answer, and closes connections beyond the maximum at once.
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
