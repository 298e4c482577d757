/** The longest time that a timer can wait (Node.js, "setTimeout"). */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Settles like the promise, or rejects as soon as the limit is reached. The promise keeps running.
 *
 * @param limit the signal that ends the waiting, or milliseconds, also Infinity.
 * @param leave gives the error to throw when the limit is reached.
 */
export function until<T>(limit: AbortSignal | number, promise: Promise<T>, leave: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(leave())
    if (typeof limit === 'number') {
      const timer = setTimeout(end, Math.min(limit, LONGEST_MS))
      promise.then(resolve, reject).finally(() => clearTimeout(timer))
      return
    }
    if (limit.aborted) end()
    limit.addEventListener('abort', end, { once: true })
    promise.then(resolve, reject).finally(() => limit.removeEventListener('abort', end))
  })
}
