import type { ApiError } from '../../base/errors.ts'
import { storeIsLate } from './http.ts'

/** How a request to the store ends early. */
interface Ending {
  /** Aborted at the deadline and if the caller goes away; its reason is the error to throw. */
  signal: AbortSignal
  end: (reason: ApiError) => void
  /** Stops the clock until `resume`, which sets a new deadline. */
  pause: () => void
  resume: () => void
  /** From now on only the deadline counts. */
  stay: () => void
  clear: () => void
}

/**
 * The ending of a request that begins now.
 *
 * @param gone aborted when the caller goes away.
 * @param timeoutMs milliseconds until the deadline.
 */
export function endingOf(gone: AbortSignal | undefined, timeoutMs: number): Ending {
  // AbortSignal.timeout() and any() would leave a timer behind for every answer, thousands a second.
  const controller = new AbortController()
  const end = (reason: ApiError) => controller.abort(reason)
  const leave = () => end(storeIsLate())
  let deadline: NodeJS.Timeout
  const pause = () => clearTimeout(deadline)
  const resume = () => {
    // The connection keeps the process alive as long as it should be.
    deadline = setTimeout(leave, timeoutMs).unref()
  }
  resume()
  if (gone?.aborted) leave()
  gone?.addEventListener('abort', leave)
  const stay = () => gone?.removeEventListener('abort', leave)
  const clear = () => {
    pause()
    stay()
  }
  return { signal: controller.signal, end, pause, resume, stay, clear }
}
