import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Replaces or makes a small text file, which is on disk when this resolves. After a crash the file is the old one or
 * the new one as a whole. Only its owner can read it.
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
    throw error
  }
  await syncFolder(dirname(file))
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

/** The bytes of all files in a folder. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  // Files may go meanwhile.
  const entries = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return entries.reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0)
}

/** The text of a file; undefined if there is none. */
export async function readTextFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
