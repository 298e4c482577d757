import { until } from '../until.ts'

/**
 * The result of a promise, if it comes before a deadline.
 *
 * @param deadline milliseconds since the epoch.
 * @param late gives the error to throw at the deadline.
 */
export function before<T>(deadline: number, promise: Promise<T>, late: () => Error): Promise<T> {
  return until(Math.max(deadline - Date.now(), 0), promise, late)
}
