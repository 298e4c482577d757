/** What two kinds of locks have in common: a file stands for each, as long as its process lives. */
import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export const HEARTBEAT_MS = 5000
/** A process of another machine or container cannot be seen from here: it holds its lock while the file is younger than this. */
export const STALE_AFTER_MS = 4 * HEARTBEAT_MS
export const RETRY_MS = 50

/**
 * Makes the file, and keeps it young from then on.
 *
 * @param makeRoom is called, again and again, while there is such a file already; what it throws ends the attempt.
 * @returns a function that lets the file grow old; removing it is up to the caller.
 */
export async function placeLockFile(path: string, content: string, makeRoom: () => Promise<void>): Promise<() => void> {
  const beside = `${path}.${randomBytes(8).toString('hex')}`
  await writeFile(beside, content, { mode: 0o600, flag: 'wx' })
  try {
    while (!(await linked(beside, path))) await makeRoom()
  } finally {
    await rm(beside, { force: true })
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS)
  heartbeat.unref()
  return () => clearInterval(heartbeat)
}

/** Unlike a rename, a link never replaces a lock that somebody else has just made, and its content is there at once. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Takes away the file of a lock that nobody holds, or waits a moment while another process does so. One at a time: else
 * it could be the new lock of another that goes.
 *
 * @param content what the lock was told by: a file with another content stays.
 */
export async function removeStaleLockFile(path: string, content: string): Promise<void> {
  const guard = `${path}.takeover`
  try {
    await (await open(guard, 'wx', 0o600)).close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const { mtimeMs } = await stat(guard).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > STALE_AFTER_MS) await rm(guard, { force: true })
    await sleep(RETRY_MS)
    return
  }
  try {
    if ((await readLockFile(path)) === content) await rm(path, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}

/** What is in the file; undefined where there is none. */
export async function readLockFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Whether the file is there and its process has been heard of lately. */
export async function isFresh(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
  return Date.now() - mtimeMs < STALE_AFTER_MS
}

/** Whether there is a process with this number on this machine. */
export function isAlive(processId: number): boolean {
  try {
    return processId > 0 && process.kill(processId, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
