import { ApiError } from '../errors.ts'

/** The error of a request that the store did not answer in time. */
export function storeIsLate(cause?: unknown): ApiError {
  return new ApiError('TimeoutError', 'The store did not answer in time.', { cause })
}
