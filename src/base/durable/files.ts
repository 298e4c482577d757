import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, messageOf } from '../thrown.ts'
import { DiskError, DamageError } from './errors.ts'

/**
 * Replaces or makes a small text file, which is on disk when this resolves. After a crash the file is the old one or
 * the new one as a whole. Only its owner can read it.
 *
 * @throws DiskError naming the file: the system itself names none if the disk is full.
 */
export async function replaceFile(file: string, content: string): Promise<void> {
  const beside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(beside, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw new DiskError(`${file} cannot be written: ${messageOf(error)}`, { cause: error })
  }
  await syncFolder(dirname(file))
}

/**
 * Makes a folder, and those above it that are missing; only their owner can enter them. Node.js by itself never ends if
 * the system makes no folders in a place, such as /proc.
 *
 * @throws the error of the system.
 */
export async function makeFolder(folder: string): Promise<void> {
  const make = () =>
    mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  try {
    await make()
  } catch (error) {
    const above = dirname(folder)
    const isMissing = codeOf(error) === 'ENOENT'
    if (!isMissing || above === folder || (await stat(above).catch(() => undefined))) throw error
    await makeFolder(above)
    await make()
  }
}

/**
 * Makes an empty file with its folder, unless there is one; only its owner can read it. Nothing opens a file that is
 * there: closing it again would end all locks of this process on it (https://sqlite.org/howtocorrupt.html, section
 * 2.2).
 */
export async function makeFile(file: string): Promise<void> {
  await makeFolder(dirname(file))
  try {
    await (await open(file, 'wx', 0o600)).close()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    await chmod(file, 0o600)
  }
}

/** Makes the names of new, renamed and removed files of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The size of a file, and the SHA-256 of its content in hexadecimal. */
export interface FileDigest {
  bytes: number
  sha256: string
}

/** Reads a file to its end. @throws the error of the system. */
export async function digestOfFile(file: string): Promise<FileDigest> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Makes the content of a file durable. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The bytes of all files in a folder. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  // Files may go meanwhile.
  const entries = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return entries.reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0)
}

/** The text of a file; undefined if there is none, or if something in its path is no folder. */
export async function readTextFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** The files by which a process locks a folder, and files that programs of the desktop leave everywhere. */
const HARMLESS = /^(?:held(?:\..*)?|\..*)$/

/**
 * Refuses a folder with files but without its database: another form of the service has written it, or the database is
 * lost. Changes nothing, so call it before anything else touches the folder.
 *
 * @param folder of the service alone; it may be missing.
 * @param database the name of the file that the service makes first.
 * @throws DamageError naming the first of the other files.
 */
export async function refuseForeignFolder(folder: string, database: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  if (names.some((name) => name.startsWith(database))) return
  const foreign = names.sort().find((name) => !HARMLESS.test(name))
  if (foreign === undefined) return
  throw new DamageError(join(folder, database), `it is missing beside ${foreign}`, {
    advice:
      'This version of the service has not written the folder, or has lost its database. Restore it from a backup, or move it away to begin anew.',
  })
}
