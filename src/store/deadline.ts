import { ApiError } from '../errors.ts'
import { until } from '../until.ts'

const RETRY_AFTER_S = 5

/** The result of a promise, if it comes before a deadline (milliseconds since the epoch). @throws ApiError ServiceUnavailableError */
export function before<T>(deadline: number, promise: Promise<T>): Promise<T> {
  const overdue = () => unavailable('The store is being prepared.')
  return until(Math.max(deadline - Date.now(), 0), promise, overdue)
}

/** The store cannot answer at the moment. */
export function unavailable(message: string, cause?: unknown, retryAfter = RETRY_AFTER_S): ApiError {
  return new ApiError('ServiceUnavailableError', message, { cause, retryAfter })
}
