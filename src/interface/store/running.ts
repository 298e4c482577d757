import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockOwnerOf } from '../../base/durable/file-lock.ts'
import { unavailable } from '../../base/errors.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'

/** A process publishes its address when it has read the store, or has filled a new one. */
const PRESENTATION_MS = 10_000
const RETRY_MS = 50
/** The pause between two looks at the process that has the store. */
const WATCH_MS = 500

/** The file that a process locks while it uses the directory of a store. */
export function lockFileOf(directory: string): string {
  return join(directory, 'held')
}

/**
 * The store of the process that uses a directory; undefined if no process does, or if it takes too long to open the
 * store.
 */
export async function runningEmbeddedStore(directory: string): Promise<StoreEndpoint | undefined> {
  for (const end = Date.now() + PRESENTATION_MS; ; await sleep(RETRY_MS)) {
    const owner = await lockOwnerOf<StoreEndpoint>(lockFileOf(directory))
    if (!owner || owner.about || Date.now() > end) return owner?.about
  }
}

/**
 * Watches the process that has a store, for work that does not ask the store for a long time.
 *
 * @param endpoint of that process, from `runningEmbeddedStore`.
 * @param gone is aborted when the process has ended, with the error to throw (503).
 * @returns ends the watch.
 */
export function watchRunningStore(directory: string, { queryUrl }: StoreEndpoint, gone: AbortController): () => void {
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const look = async () => {
    const owner = await lockOwnerOf<StoreEndpoint>(lockFileOf(directory))
    // A process that has just locked the store has no address yet.
    const isGone = !owner || (owner.about !== undefined && owner.about.queryUrl !== queryUrl)
    if (isGone) gone.abort(unavailable('The service that had the store has ended. Start it, and try again.'))
    else lookLater()
  }
  const lookLater = () => {
    // A failed look proves nothing about the process.
    if (!isOver) timer = setTimeout(() => void look().catch(lookLater), WATCH_MS).unref()
  }
  lookLater()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
