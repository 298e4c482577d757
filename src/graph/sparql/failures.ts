import { ApiError, unavailable } from '../../base/errors.ts'
import { codeOf } from '../../base/thrown.ts'
import type { StoreResponse } from './http.ts'

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
