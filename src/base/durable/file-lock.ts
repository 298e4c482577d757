import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DamageError, LockedError } from './errors.ts'
import { makeFolder, replaceFile } from './files.ts'
import { Connection } from './sqlite.ts'

/** The process that has locked a file. */
interface LockOwner<T = unknown> {
  process: number
  host: string
  /** Information for other processes, such as its address. */
  about?: T
}

export interface FileLock {
  /** Replaces the information for other processes. */
  publish: (about: unknown) => Promise<void>
  release: () => Promise<void>
}

const RETRY_MS = 20
/** A process that only looks up the owner locks the file for a moment. */
const LOOK_MS = 300

/** The locks of this process; without a reference the garbage collector would close them. */
const locks = new Set<Connection>()

/**
 * Locks a file until the lock is released or the process ends in any way; only one process can have it. The operating
 * system keeps the lock (that of SQLite, on an empty database), so nothing remains to clean up. This also works between
 * containers of one machine, and on network file systems with POSIX locks.
 *
 * No other code of this process may open the file, because closing it would release the lock (fcntl, POSIX.1).
 *
 * @param file is made, with its folder; `FILE.json` beside it describes the owner.
 * @param options.about JSON that `lockOwnerOf` gives to other processes.
 * @param options.patienceMs milliseconds to wait for another process.
 * @throws LockedError naming the process that has locked it; DamageError if the file is something else.
 */
export async function lockFile(
  file: string,
  options: { about?: unknown; patienceMs?: number } = {},
): Promise<FileLock> {
  await makeFolder(dirname(file))
  const connection = new Connection(file, 0)
  const publish = async (about: unknown) => {
    const owner: LockOwner = { process: process.pid, host: hostname(), about }
    await replaceFile(descriptionOf(file), JSON.stringify(owner))
  }
  try {
    const end = performance.now() + Math.max(options.patienceMs ?? 0, LOOK_MS)
    // Waiting within SQLite would occupy one of its few threads, which a release may need.
    while (!(await lock(connection))) {
      if (performance.now() >= end) throw new LockedError(`${file}: in use by ${ownerName(await readOwner(file))}`)
      await sleep(RETRY_MS)
    }
    await rm(descriptionOf(file), { force: true })
    await publish(options.about)
  } catch (error) {
    await connection.close()
    throw error
  }
  locks.add(connection)
  return {
    publish,
    release: async () => {
      await rm(descriptionOf(file), { force: true })
      await connection.close()
      locks.delete(connection)
    },
  }
}

/**
 * The process that has locked a file; undefined if none has. `process` is 0 if it has not described itself yet.
 */
export async function lockOwnerOf<T>(file: string): Promise<LockOwner<T> | undefined> {
  // SQLite would make the file.
  if (!existsSync(file) || (await isFree(file))) return undefined
  return ((await readOwner(file)) as LockOwner<T> | undefined) ?? { process: 0, host: hostname() }
}

/** Opens the transaction that is the lock. @returns false if another process has it. */
async function lock(connection: Connection): Promise<boolean> {
  try {
    // The lock writes nothing, so it needs no journal file.
    await connection.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof LockedError) return false
    throw notEmpty(error)
  }
}

/** True if no process has locked a file; several processes may check at once. */
async function isFree(file: string): Promise<boolean> {
  const connection = new Connection(file, 0)
  try {
    await connection.all('SELECT count(*) FROM sqlite_schema')
    return true
  } catch (error) {
    if (error instanceof LockedError) return false
    throw notEmpty(error)
  } finally {
    await connection.close()
  }
}

function notEmpty(error: unknown): unknown {
  if (!(error instanceof DamageError)) return error
  return new DamageError(error.file, 'expected an empty file', {
    advice: 'Remove it while no process of the service runs.',
    cause: error,
  })
}

function descriptionOf(file: string): string {
  return `${file}.json`
}

async function readOwner(file: string): Promise<LockOwner | undefined> {
  try {
    const owner = JSON.parse(await readFile(descriptionOf(file), 'utf8')) as Partial<LockOwner> | null
    return typeof owner?.process === 'number' && typeof owner.host === 'string' ? (owner as LockOwner) : undefined
  } catch {
    return undefined
  }
}

function ownerName(owner: LockOwner | undefined): string {
  return owner ? `process ${owner.process} on ${owner.host}` : 'another process'
}
