import { ApiError } from '../../base/errors.ts'

/** The error of a request that the store did not answer in time. */
export function storeIsLate(cause?: unknown): ApiError {
  return new ApiError('TimeoutError', 'The store did not answer in time.', { cause })
}

/** The error of an answer that the store did not finish. */
export function storeBrokeOff(cause?: unknown): ApiError {
  return new ApiError('TimeoutError', 'The store broke off in the middle of its answer.', { cause })
}
