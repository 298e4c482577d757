import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DamageError, HeldError } from './errors.ts'
import { makeFolder, replaceFile } from './files.ts'
import { Connection } from './sqlite.ts'

/** A process that holds a file. */
export interface Holder<T = unknown> {
  process: number
  host: string
  /** Information for other processes, such as its address. */
  about?: T
}

export interface Hold {
  /** Replaces the information for other processes. */
  announce: (about: unknown) => Promise<void>
  release: () => Promise<void>
}

const RETRY_MS = 20
/** A process that only looks up the holder locks the file for a moment. */
const LOOK_MS = 300

/** The locks of this process; without a reference the garbage collector would close them. */
const held = new Set<Connection>()

/**
 * Holds a file until it is released or the process ends in any way; only one process can hold it. The operating system
 * keeps the lock (that of SQLite, on an empty database), so nothing remains to clean up. This also works between
 * containers of one machine, and on network file systems with POSIX locks.
 *
 * No other code of this process may open the file, because closing it would release the lock (fcntl, POSIX.1).
 *
 * @param file is made, with its folder; `FILE.json` beside it describes the holder.
 * @param options.about JSON that `holderOf` gives to other processes.
 * @param options.patienceMs milliseconds to wait for another process.
 * @throws HeldError naming the process that holds it; DamageError if the file is something else.
 */
export async function hold(file: string, options: { about?: unknown; patienceMs?: number } = {}): Promise<Hold> {
  await makeFolder(dirname(file))
  const connection = new Connection(file, 0)
  const announce = async (about: unknown) => {
    const holder: Holder = { process: process.pid, host: hostname(), about }
    await replaceFile(noteOf(file), JSON.stringify(holder))
  }
  try {
    const end = performance.now() + Math.max(options.patienceMs ?? 0, LOOK_MS)
    // Waiting within SQLite would occupy one of its few threads, which a release may need.
    while (!(await lock(connection))) {
      if (performance.now() >= end) throw new HeldError(`${file}: in use by ${nameOf(await readHolder(file))}`)
      await sleep(RETRY_MS)
    }
    await rm(noteOf(file), { force: true })
    await announce(options.about)
  } catch (error) {
    await connection.close()
    throw error
  }
  held.add(connection)
  return {
    announce,
    release: async () => {
      await rm(noteOf(file), { force: true })
      await connection.close()
      held.delete(connection)
    },
  }
}

/**
 * The process that holds a file; undefined if none does. `process` is 0 if it has not described itself yet.
 */
export async function holderOf<T>(file: string): Promise<Holder<T> | undefined> {
  // SQLite would make the file.
  if (!existsSync(file) || (await isFree(file))) return undefined
  return ((await readHolder(file)) as Holder<T> | undefined) ?? { process: 0, host: hostname() }
}

/** Opens the transaction that is the lock. @returns false if another process has it. */
async function lock(connection: Connection): Promise<boolean> {
  try {
    // The lock writes nothing, so it needs no journal file.
    await connection.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof HeldError) return false
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
    if (error instanceof HeldError) return false
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

function noteOf(file: string): string {
  return `${file}.json`
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(noteOf(file), 'utf8')) as Partial<Holder> | null
    return typeof holder?.process === 'number' && typeof holder.host === 'string' ? (holder as Holder) : undefined
  } catch {
    return undefined
  }
}

function nameOf(holder: Holder | undefined): string {
  return holder ? `process ${holder.process} on ${holder.host}` : 'another process'
}
