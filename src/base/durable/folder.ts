import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../thrown.ts'
import { DamageError } from './errors.ts'

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
