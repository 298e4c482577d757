import { setImmediate } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { ApiError } from '../../base/errors.ts'
import { codeOf } from '../../base/thrown.ts'

/** The used parts of a response, with the names of fetch. */
export interface StoreResponse {
  ok: boolean
  status: number
  /** The value of a header field, by its name in lower case. */
  header(name: string): string | undefined
  body: AsyncIterable<Uint8Array>
  text(): Promise<string>
  /** Call this if the body is not read. */
  cancel(): Promise<void>
}

interface StoreRequest {
  method: string
  headers: Record<string, string>
  body?: string | null
  signal: AbortSignal
  /** True if the request changes nothing, so that it can be sent again. */
  isQuery?: boolean
}

/** Keeps connections open. Callers set their own timeouts. */
const CONNECTIONS = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

/** Errors of a connection that the store has closed. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * Sends a request to a store. fetch would take three times as long, a third of the service's time for one concept.
 *
 * A store may close an idle connection at this moment, or may have done so while this thread was busy, so a query that
 * gets no answer is sent once more (RFC 9110, section 9.2.2).
 *
 * @throws Error if the store cannot be reached, and from the body if it is cut off; the reason of an aborted signal.
 */
export async function send(
  url: string | URL,
  { body: content = null, isQuery = false, ...options }: StoreRequest,
): Promise<StoreResponse> {
  const sent = () => request(url, { ...options, body: content, dispatcher: CONNECTIONS })
  const { statusCode, headers, body } = await sent().catch((error: unknown) => {
    if (isQuery && CLOSED.has(codeOf(error) ?? '')) return sent()
    throw error
  })
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    header: (name) => headers[name]?.toString(),
    body,
    text: () => body.text(),
    cancel: () => body.dump(),
  }
}

/** Sends the requests that sparql-http-client makes, which passes on their responses. */
export function fetchOf(signal: AbortSignal, isQuery = true): typeof fetch {
  const sent = (
    url: URL,
    { method, headers, body }: { method: string; headers: Headers; body: string | URLSearchParams },
  ) => send(url, { method, headers: Object.fromEntries(headers), body: String(body), signal, isQuery })
  return sent as unknown as typeof fetch
}

/** The response to a request of `fetchOf`. */
export function storeResponse(handedOn: Response): StoreResponse {
  return handedOn as unknown as StoreResponse
}

/**
 * A store within this process: answers a query (SPARQL 1.1 Protocol, section 2.1) in the format that `accept` asks for.
 *
 * @throws ApiError with the status that the store would answer over HTTP.
 */
export type AnswerQuery = (
  query: string,
  accept: string,
  gone: AbortSignal,
) => Promise<{ contentType: string; body: Uint8Array }>

/** The size of the pieces in which a long body is read, so that other requests have a turn in between. */
const PIECE_BYTES = 64 * 1024

/**
 * Lets a store within this process answer a query. Over HTTP the service would write, send, receive and read each
 * question and each answer, which takes as long as everything else that it does for a concept.
 *
 * @throws Error if the store fails; the reason of an aborted signal.
 */
export async function askHere(
  answer: AnswerQuery,
  query: string,
  { accept, signal }: { accept: string; signal: AbortSignal },
): Promise<StoreResponse> {
  try {
    const { contentType, body } = await answer(query, accept, signal)
    const headers: Record<string, string> = { 'content-type': contentType, 'content-length': String(body.length) }
    return responseOf(200, headers, body)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ApiError) return responseOf(error.status, {}, Buffer.from(error.message))
    throw error
  }
}

function responseOf(status: number, headers: Record<string, string>, body: Uint8Array): StoreResponse {
  return {
    ok: status === 200,
    status,
    header: (name) => headers[name],
    body: bodyPieces(body),
    text: () => Promise.resolve(new TextDecoder().decode(body)),
    cancel: () => Promise.resolve(),
  }
}

async function* bodyPieces(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    if (start > 0) await setImmediate()
    yield body.subarray(start, start + PIECE_BYTES)
  }
}

/** A user and the password, as HTTP has them. */
export interface Login {
  user: string
  password: string
}

/** The header `Authorization` of a login (RFC 7617). */
export function basicAuthorization({ user, password }: Login): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
