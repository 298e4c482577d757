import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { ProtocolRequest } from './protocol.ts'

export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const LONGEST_REST_MS = 1000

/**
 * A request listener whose errors become answers; those that are no ApiError are told to `onError`, but not that a client
 * has gone away before the end.
 */
export function answeringErrors(answer: Answer, onError: (error: unknown) => void): RequestListener {
  return (request, response) => {
    answer(request, response).catch(async (error: unknown) => {
      if (!(error instanceof ApiError) && !isGone(error)) onError(error)
      await restOf(request)
      const known = error instanceof ApiError ? error : new ApiError('BackendError', 'The store failed.')
      if (response.headersSent) response.destroy()
      else sendError(response, known)
    })
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** Most clients read an answer only after they have sent the whole request. */
async function restOf(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return
  const end = new Promise((resolve) => request.once('close', resolve).once('end', resolve).resume())
  await Promise.race([end, sleep(LONGEST_REST_MS, undefined, { ref: false })])
}

function sendError(response: ServerResponse, { name, status, message, retryAfter, allow }: ApiError): void {
  response.statusCode = status
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Cache-Control', 'no-store')
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter)
  if (allow) response.setHeader('Allow', allow.join(', '))
  if (status === 401) response.setHeader('WWW-Authenticate', 'Basic realm="store"')
  response.end(JSON.stringify({ error: name, status, message }))
}

/** Sends a whole body of known length. */
export function send(response: ServerResponse, contentType: string, body: Uint8Array): void {
  response.setHeader('Content-Type', contentType)
  response.setHeader('Content-Length', body.byteLength)
  response.setHeader('Vary', 'Accept')
  response.end(body)
}

/** The query string of a request, without the question mark. */
export function searchOf(request: IncomingMessage): string {
  const url = request.url!
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
}

/** @throws ApiError MethodNotAllowedError */
export function requireMethod(request: IncomingMessage, allow: string[]): void {
  if (allow.includes(request.method!)) return
  throw new ApiError('MethodNotAllowedError', `${request.method}: expected ${allow.join(', ')}`, { allow })
}

/**
 * A request of the SPARQL Protocol with its body read.
 *
 * @throws ApiError PayloadTooLargeError, MalformedRequestError
 */
export async function protocolRequest(request: IncomingMessage, mostBytes: number): Promise<ProtocolRequest> {
  const isPost = request.method === 'POST'
  return {
    search: searchOf(request),
    accept: request.headers.accept,
    contentType: isPost ? (request.headers['content-type'] ?? '') : undefined,
    body: isPost ? await bodyOf(request, mostBytes) : new Uint8Array(),
  }
}

function bodyOf(request: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    request.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes <= mostBytes) chunks.push(chunk)
      else reject(new ApiError('PayloadTooLargeError', `body: expected at most ${mostBytes} bytes`))
    })
    request.once('end', () => resolve(new Uint8Array(Buffer.concat(chunks, bytes))))
    request.once('error', (cause) => reject(new ApiError('MalformedRequestError', 'body: broke off', { cause })))
  })
}
