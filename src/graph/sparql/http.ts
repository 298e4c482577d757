import { setImmediate } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { ApiError, unavailable } from '../../base/errors.ts'
import { codeOf } from '../../base/thrown.ts'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

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

/** The cause of a BackendError if the store has answered. */
export class StoreAnswerError extends Error {
  override readonly name = 'StoreAnswerError'

  constructor(
    message: string,
    /** Of HTTP; 200 if what came with it cannot be read. */
    readonly status: number,
  ) {
    super(message)
  }
}

/** Errors of updates with an unknown outcome: the store may have carried them out, or may do so later. */
const OPEN = new WeakSet<object>()

/** The codes of failed connection attempts, which have sent nothing. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
/** Answers of a gateway that does not know what the store does (RFC 9110, sections 15.6.3 and 15.6.5); 408 likewise. */
const FROM_GATEWAYS = new Set([408, 502, 504])

/** True if the store may have carried out an update that failed with this error, or may do so later. */
export function isEndOpen(error: unknown): boolean {
  return typeof error === 'object' && error !== null && OPEN.has(error)
}

/**
 * The same error, of an update that was sent. Unless the store has refused the update or could not be reached, its end
 * is open.
 *
 * @param isLeft true if the update is still under way.
 */
export function withOpenEnd<T>(error: T, isLeft = false): T {
  const { cause } = error as ApiError
  const isRefused = cause instanceof StoreAnswerError && !FROM_GATEWAYS.has(cause.status)
  const isUnsent = NOT_CONNECTED.has(codeOf(cause) ?? '')
  if (isLeft || !(isRefused || isUnsent)) OPEN.add(error as object)
  return error
}

/** The error of an answer that violates the protocol. */
export function brokenAnswer(cause: string): ApiError {
  return new ApiError('BackendError', 'The store sent an answer that the service cannot read.', {
    cause: new StoreAnswerError(cause, 200),
  })
}

/** @throws ApiError if the store has refused a request or has not carried it out in time. */
export async function refuseFailure(response: Pick<StoreResponse, 'ok' | 'status' | 'text'>): Promise<void> {
  if (response.ok) return
  const text = (await response.text()).slice(0, 500)
  const cause = new StoreAnswerError(`store answered ${response.status}: ${text}`, response.status)
  // Fuseki reports this by 503, although it is running.
  const isLate = [408, 504].includes(response.status) || (response.status === 503 && /^Query timed out/.test(text))
  if (isLate) throw storeIsLate(cause)
  if (response.status === 503) {
    throw unavailable('The store is not available at the moment.', { cause })
  }
  throw new ApiError('BackendError', 'The store refused the request.', { cause })
}

/** The failure of a store request as the error that a client may see. */
export function storeError(error: unknown, signal: AbortSignal): ApiError {
  if (error instanceof ApiError) return error
  if (signal.aborted && signal.reason instanceof ApiError) return signal.reason
  return new ApiError('BackendError', 'The service cannot reach the store.', { cause: error })
}

/** True for the error of a request that the store has not answered. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ApiError && error.name === 'BackendError' && !(error.cause instanceof StoreAnswerError)
}

/**
 * A body without a length ends with its connection (RFC 9112, section 6.3), so nobody can tell whether it is complete.
 * JSON shows by itself where it ends; N-Triples do not.
 */
export async function refuseOpenEnd(response: StoreResponse): Promise<void> {
  if (['content-length', 'transfer-encoding', 'content-encoding'].some((name) => response.header(name))) return
  await response.cancel()
  throw brokenAnswer('a body that may be incomplete: neither Content-Length nor chunked')
}

/** The error of an update that was not sent, because another one was under way for too long. */
export function storeIsBusy(): ApiError {
  return unavailable('The store is busy with another update, so nothing was written; please retry.')
}

/** The error of a request that was not sent, because too many wait. */
export function queueIsFull(): ApiError {
  return unavailable('Too many requests are waiting for the store.', { retryAfter: 1 })
}

/** The error of a request that the store did not answer in time. */
export function storeIsLate(cause?: unknown): ApiError {
  return new ApiError('TimeoutError', 'The store did not answer in time.', { cause })
}

/** The error of an answer that the store did not finish. */
export function storeBrokeOff(cause: unknown): ApiError {
  return new ApiError('TimeoutError', 'The store broke off in the middle of its answer.', { cause })
}

/** The address of a graph and its form. */
interface Upload {
  /** The address of the graph (Graph Store HTTP Protocol, section 4). */
  url: string
  authorization: string | undefined
  /** True: the triples are put into braces, as TriG. False: N-Triples. */
  inBraces: boolean
  signal: AbortSignal
}

/**
 * Replaces a graph by N-Triples of any size (Graph Store HTTP Protocol, PUT), however long it takes.
 *
 * Fuseki may accept a body that breaks off at the end of a line, even with a Content-Length, and replace the graph by
 * the part that has arrived. In braces such a body is a syntax error, because the last brace is missing.
 *
 * @returns status and beginning of the answer.
 * @throws Error if the store cannot be reached or breaks off.
 */
export async function uploadGraph(
  { url, authorization, inBraces, signal }: Upload,
  nTriples: string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ status: number; text: string }> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  const request = send(url, {
    method: 'PUT',
    agent: false,
    signal,
    headers: {
      'content-type': inBraces ? 'application/trig' : 'application/n-triples',
      ...(authorization ? { authorization } : {}),
    },
  })
  const answered = once(request, 'response').then(([response]) => readAnswer(response as IncomingMessage))
  // A refusal may come while the body is still being written. Then the store reads no more of it, and may close the
  // connection.
  let isAnswered = false
  const markAnswered = () => void (isAnswered = true)
  answered.then(markAnswered, markAnswered)
  request.on('error', () => undefined)
  try {
    // The opening brace leaves together with the head, so that a request that breaks off there is not an empty graph.
    // Without a base of another scheme, Fuseki would resolve IRIs such as <http:a> against its own address (RFC 3986,
    // section 5.2.2).
    if (inBraces) request.write('@base <x-none:/> .\n{\n')
    for await (const chunk of typeof nTriples === 'string' ? [nTriples] : nTriples) {
      if (isAnswered) break
      if (!request.write(chunk)) await Promise.race([once(request, 'drain'), answered])
    }
    if (!isAnswered) request.end(inBraces ? '\n}\n' : undefined)
    return await answered
  } finally {
    if (!request.writableFinished) request.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<{ status: number; text: string }> {
  let text = ''
  for await (const chunk of response) if (text.length < 500) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}
