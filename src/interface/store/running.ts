import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockOwnerOf } from '../../base/durable/file-lock.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'

/** A process publishes its address when it has read the store, and filled a new one. */
const PRESENTATION_MS = 10_000
const RETRY_MS = 50

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
