/**
 * The result of a promise, unless a signal is aborted before it; the promise goes on for others.
 *
 * @param leave called if the signal is aborted; gives the error to throw.
 */
export function until<T>(signal: AbortSignal, promise: Promise<T>, leave: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(leave())
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
