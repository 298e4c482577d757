import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { HeldError } from './errors.ts'

/**
 * Refuses to go on if a process of an earlier version holds a folder by its lock file.
 *
 * @param lock the file: JSON with `process` and `host`.
 * @throws HeldError
 */
export async function refuseOldLock(lock: string): Promise<void> {
  const text = await readFile(lock, 'utf8').catch(() => '')
  const { process: id, host } = parse(text)
  if (typeof id !== 'number' || id === process.pid || host !== hostname()) return
  try {
    process.kill(id, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
  }
  throw new HeldError(`${lock}: in use by process ${id}; stop it, or if it is another program, remove this file`)
}

function parse(text: string): { process?: unknown; host?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {}
  } catch {
    // A crash has left the file unfinished.
    return {}
  }
}
