import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isAlive, isFresh, placeLockFile, readLockFile, removeStaleLockFile } from '../lock-file.ts'
import type { StoreEndpoint } from '../sparql/client.ts'

/** What the process that holds a directory says about itself. Only its user may read the file. */
interface Lock {
  process: number
  host: string
  /** Answers 204 to the credentials of the endpoint, and to them alone, as long as the lock is held. */
  presenceUrl: string
  endpoint: Required<StoreEndpoint>
}

const LOCK = 'lock'
const PRESENCE_TIMEOUT_MS = 2000

/** The directory is held by another process. The message says by which. */
export class StoreHeldError extends Error {
  override readonly name = 'StoreHeldError'
}

export interface HeldLock {
  release(): Promise<void>
}

/**
 * Makes this process the one that holds a directory. The endpoint has to answer already.
 *
 * @throws StoreHeldError when a living process holds it
 */
export async function holdDirectory(
  directory: string,
  presenceUrl: string,
  endpoint: Required<StoreEndpoint>,
): Promise<HeldLock> {
  const path = join(directory, LOCK)
  const content = JSON.stringify({ process: process.pid, host: hostname(), presenceUrl, endpoint } satisfies Lock)
  const stopHeartbeat = await placeLockFile(path, content, () => makeRoom(path))
  return {
    async release() {
      stopHeartbeat()
      if ((await readLockFile(path)) === content) await rm(path, { force: true })
    },
  }
}

/** The endpoint of the process that holds a directory; undefined when none does. */
export async function holderOf(directory: string): Promise<StoreEndpoint | undefined> {
  const path = join(directory, LOCK)
  const lock = parseLock(await readLockFile(path))
  return lock && (await isHeld(path, lock)) ? lock.endpoint : undefined
}

/** @throws StoreHeldError when a living process holds it */
async function makeRoom(path: string): Promise<void> {
  const content = await readLockFile(path)
  if (content === undefined) return
  const lock = parseLock(content)
  if (lock && (await isHeld(path, lock))) {
    throw new StoreHeldError(
      `${path}: the store is in use by process ${lock.process} on ${lock.host}; one process at a time can hold it`,
    )
  }
  await removeStaleLockFile(path, content)
}

async function isHeld(path: string, lock: Lock): Promise<boolean> {
  if (lock.host !== hostname()) return isFresh(path)
  if (!isAlive(lock.process)) return false
  // The process id may have been given to another program since.
  try {
    const { user, password } = lock.endpoint
    const response = await fetch(lock.presenceUrl, {
      headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      signal: AbortSignal.timeout(PRESENCE_TIMEOUT_MS),
    })
    return response.status === 204
  } catch (error) {
    // Nobody listens there: it is not the process that made the lock. It is, perhaps, when there is just no answer.
    return (error as Error).name === 'TimeoutError'
  }
}

function parseLock(content: string | undefined): Lock | undefined {
  try {
    const lock = JSON.parse(content ?? '') as Partial<Lock>
    return typeof lock.process === 'number' && lock.endpoint && lock.presenceUrl ? (lock as Lock) : undefined
  } catch {
    return undefined
  }
}
