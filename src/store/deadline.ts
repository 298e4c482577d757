import { ApiError } from '../errors.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1
const RETRY_AFTER_S = 5

/** The result of a promise, if it comes before a deadline (milliseconds since the epoch). @throws ApiError ServiceUnavailableError */
export async function before<T>(deadline: number, promise: Promise<T>): Promise<T> {
  if (deadline === Infinity) return promise
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_resolve, reject) => {
    const milliseconds = Math.min(Math.max(deadline - Date.now(), 0), LONGEST_TIMER_MS)
    timer = setTimeout(() => reject(unavailable('The store is being prepared.')), milliseconds)
  })
  try {
    return await Promise.race([promise, overdue])
  } finally {
    clearTimeout(timer)
  }
}

/** The store cannot answer at the moment. */
export function unavailable(message: string, cause?: unknown, retryAfter = RETRY_AFTER_S): ApiError {
  return new ApiError('ServiceUnavailableError', message, { cause, retryAfter })
}
