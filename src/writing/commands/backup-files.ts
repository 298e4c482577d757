import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { FileDigest } from '../../base/durable/files.ts'
import { HISTORY_FILE } from '../history/history.ts'
import { LEDGER_DATABASE } from '../ingest/ledger.ts'
import { NAMESPACES_FILE } from '../../graph/vocabularies/namespaces.ts'

/** The format of a backup. Raise it if earlier versions can no longer read backups. */
export const BACKUP_FORMAT = 1

/** The list of contents of a backup; the first file of the archive. */
export const CONTENTS_FILE = 'backup.json'

/** The content of `backup.json`. */
export interface BackupContents {
  /** `BACKUP_FORMAT` of the version that made it. */
  format: number
  /** The format of the data folder that it was made from. */
  dataFormat: number
  /** The version of the software that made it. */
  version: string
  /** The moment whose state the backup has (ISO 8601). */
  created: string
  /** The named graphs of the store, as N-Triples. */
  graphs: ({ graph: string; file: string } & FileDigest)[]
  /** The files that the service keeps beside the store. */
  files: ({ file: string } & FileDigest)[]
}

/** A file beside the store that a backup has. */
interface DataFile {
  /** Its name in the archive and in the data folder. */
  name: string
  /** Its place. */
  path: string
  /** True for a SQLite database, whose copies are made by SQLite. */
  isDatabase: boolean
}

/**
 * THE table of what the service keeps beside the store and cannot make again. It is without the embedded store, whose
 * graphs a backup has as N-Triples, without the search index, which the service reads from the store, and without files
 * that are only held.
 */
export function dataFiles({ dataDir, accountsFile }: Pick<Config, 'dataDir' | 'accountsFile'>): DataFile[] {
  const within = (name: string, isDatabase: boolean) => ({ name, path: join(dataDir, name), isDatabase })
  return [
    { name: 'accounts.json', path: accountsFile, isDatabase: false },
    within(NAMESPACES_FILE, false),
    within(HISTORY_FILE, true),
    within(join('ingest', LEDGER_DATABASE), true),
  ]
}
