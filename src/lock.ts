import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  HEARTBEAT_MS,
  isAlive,
  isFresh,
  placeLockFile,
  readLockFile,
  removeStaleLockFile,
  RETRY_MS,
  STALE_AFTER_MS,
} from './lock-file.ts'

/** What a lock protects is in use by another process; the message says by which. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
}

interface Lock {
  process: number
  host: string
  /** Tells apart two processes that had the same number. */
  id: string
}

/**
 * Holds a lock until it is released or the process ends, however it ends.
 *
 * @param path the file that stands for the lock.
 * @param patienceMs how long to wait for a living process of this machine.
 * @returns a function that releases the lock.
 * @throws LockedError
 */
export async function holdLock(path: string, patienceMs = 0): Promise<() => Promise<void>> {
  const own: Lock = { process: process.pid, host: hostname(), id: randomBytes(8).toString('hex') }
  const content = JSON.stringify(own)
  const started = Date.now()
  const makeRoom = async () => {
    const found = await readLockFile(path)
    if (found === undefined) return
    const other = parseLock(found)
    if (!(await isHeld(path, other))) return removeStaleLockFile(path, found)
    const patience = other.host === own.host ? patienceMs : Math.max(patienceMs, STALE_AFTER_MS + HEARTBEAT_MS)
    if (Date.now() - started >= patience) {
      throw new LockedError(`${path}: in use by process ${other.process} on ${other.host}`)
    }
    await sleep(RETRY_MS)
  }
  held.add(own.id)
  const stopHeartbeat = await placeLockFile(path, content, makeRoom).catch((error: unknown) => {
    held.delete(own.id)
    throw error
  })
  return async () => {
    stopHeartbeat()
    try {
      if ((await readLockFile(path)) === content) await rm(path, { force: true })
    } finally {
      // Not before: others would take the lock for one that was left, and this would remove theirs.
      held.delete(own.id)
    }
  }
}

/** Ids of the locks of this process: one that has its number and is not among them was left by a process before it. */
const held = new Set<string>()

async function isHeld(path: string, lock: Lock): Promise<boolean> {
  if (lock.host !== hostname()) return isFresh(path)
  return lock.process === process.pid ? held.has(lock.id) : isAlive(lock.process)
}

/** A lock file that a power failure has left empty: of nobody. */
const NOBODY: Lock = { process: -1, host: hostname(), id: '' }

function parseLock(content: string): Lock {
  try {
    const { process, host, id } = JSON.parse(content) as Partial<Lock>
    return process !== undefined && host !== undefined && id !== undefined ? { process, host, id } : NOBODY
  } catch {
    return NOBODY
  }
}
