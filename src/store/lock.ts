import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
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
const HEARTBEAT_MS = 5000
/** A lock of another machine, whose processes cannot be seen from here, is held while it is younger than this. */
const STALE_AFTER_MS = 4 * HEARTBEAT_MS
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
  const beside = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(beside, content, { mode: 0o600, flag: 'wx' })
  try {
    while (!(await linked(beside, path))) await removeStale(path)
  } finally {
    await rm(beside, { force: true })
  }
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS)
  heartbeat.unref()
  return {
    async release() {
      clearInterval(heartbeat)
      if ((await readText(path)) === content) await rm(path, { force: true })
    },
  }
}

/** The endpoint of the process that holds a directory; undefined when none does. */
export async function holderOf(directory: string): Promise<StoreEndpoint | undefined> {
  const path = join(directory, LOCK)
  const lock = parseLock(await readText(path))
  return lock && (await isHeld(path, lock)) ? lock.endpoint : undefined
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

async function removeStale(path: string): Promise<void> {
  const content = await readText(path)
  if (content === undefined) return
  const lock = parseLock(content)
  if (lock && (await isHeld(path, lock))) {
    throw new StoreHeldError(
      `${path}: the store is in use by process ${lock.process} on ${lock.host}; one process at a time can hold it`,
    )
  }
  const aside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Somebody else may have taken over between reading and renaming: then the lock is theirs again.
  if ((await readText(aside)) !== content) await linked(aside, path)
  await rm(aside, { force: true })
}

async function isHeld(path: string, lock: Lock): Promise<boolean> {
  if (lock.host !== hostname()) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
    return Date.now() - mtimeMs < STALE_AFTER_MS
  }
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

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
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
