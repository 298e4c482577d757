import { ApiError } from '../errors.ts'
import { until } from '../until.ts'

const RETRY_AFTER_S = 5

/**
 * The result of a promise, if it comes before a deadline.
 *
 * @param deadline milliseconds since the epoch.
 * @param late gives the error to throw at the deadline.
 */
export function before<T>(deadline: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return until(Math.max(deadline - Date.now(), 0), promise, late)
}

/** ServiceUnavailableError: a part of the service cannot answer at the moment. @param options.retryAfter seconds. */
export function unavailable(
  message: string,
  { retryAfter = RETRY_AFTER_S, cause }: { retryAfter?: number; cause?: unknown } = {},
): ApiError {
  return new ApiError('ServiceUnavailableError', message, { cause, retryAfter })
}
