import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ConfigError } from './config.ts'
import { makeFolder, readTextFile, replaceFile, syncFolder } from './base/durable/files.ts'
import { isObject, parseJsonText } from './base/json.ts'
import { softwareVersion } from './base/root.ts'
import { codeOf, messageOf } from './base/thrown.ts'

/**
 * The form of what is in the folder. It grows if a version converts something so that earlier versions cannot read it.
 */
export const FORMAT = 1

const VERSION_FILE = 'version.json'

/** A restore keeps this file in the folder until everything is in its place. */
const RESTORING_FILE = 'restoring.json'

/**
 * The store that a folder belongs to: the embedded one within it, or a SPARQL store by its addresses, without logins.
 */
export type FolderStore = 'embedded' | SparqlAddresses

interface SparqlAddresses {
  /** If the store is replicated, the primary, which shows writes at once. */
  query: string
  update: string
  graphStore: string
  /** The version of the software whose test the store has passed (src/self-test.ts). */
  tested?: string | undefined
}

/** The form of a folder, the version of the software that opened it last, and its store. */
interface FolderVersion {
  /** A whole number from 1. */
  format: number
  /** The version of the software. */
  version: string
  /** Absent until the folder has met a store, and in folders of versions before 1.1.0. */
  store?: FolderStore | undefined
}

/**
 * Notes in the folder that a restore of a backup has begun: the service and its commands refuse it, so that nobody
 * works with a part.
 *
 * @param backup names the backup, for the message.
 */
export async function beginRestoring(dataDir: string, backup: string): Promise<void> {
  await replaceFile(join(dataDir, RESTORING_FILE), `${JSON.stringify({ backup })}\n`)
}

/** Call this when everything of a backup is in its place. */
export async function endRestoring(dataDir: string): Promise<void> {
  await rm(join(dataDir, RESTORING_FILE), { force: true })
  await syncFolder(dataDir)
}

/** True if a restore has begun and not ended. */
export async function isRestoring(dataDir: string): Promise<boolean> {
  return (await readTextFile(join(dataDir, RESTORING_FILE))) !== undefined
}

/** @throws ConfigError if a restore has begun and not ended. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if (!(await isRestoring(dataDir))) return
  throw new ConfigError(`DATA_DIR: the restore of a backup into ${dataDir} was not finished: run "vocab restore" again`)
}

/**
 * Makes the folder of the data, or takes over that of an earlier version, and records the version in it. Folders
 * from before 1.0.0 have no such record.
 *
 * @param store the store that the folder belongs to from now on; by default the store does not change.
 * @throws ConfigError if it cannot be made, or if a later version has written what this one cannot read; then nothing
 *   has changed.
 */
export async function openDataFolder(dataDir: string, store?: FolderStore): Promise<void> {
  await makeFolder(dataDir).catch((cause: unknown) => {
    throw new ConfigError(`DATA_DIR: expected a folder that the service can make (${messageOf(cause)})`, { cause })
  })
  const before = await checkDataFolder(dataDir)
  const version: FolderVersion = { format: FORMAT, version: softwareVersion(), store: store ?? before?.store }
  if (isDeepStrictEqual(before, version)) return
  await replaceFile(join(dataDir, VERSION_FILE), `${JSON.stringify(version)}\n`).catch((cause: unknown) => {
    throw new ConfigError(`DATA_DIR: expected a folder that the service can write to (${messageOf(cause)})`, {
      cause,
    })
  })
}

/**
 * Refuses a folder that a later version has converted. It changes nothing, and a folder need not be there.
 *
 * @returns the record of the folder, if it has one.
 * @throws ConfigError naming both versions.
 */
export async function checkDataFolder(dataDir: string): Promise<FolderVersion | undefined> {
  const file = join(dataDir, VERSION_FILE)
  const text = await readTextFile(file).catch((cause: unknown) => {
    throw new ConfigError(`DATA_DIR: ${file} cannot be read (${codeOf(cause)})`, { cause })
  })
  if (text === undefined) return undefined
  const version = readVersion(text)
  if (!version) throw new ConfigError(`DATA_DIR: ${file}: expected {"format":1,"version":"1.0.0"}, or no such file`)
  if (version.format > FORMAT) {
    throw new ConfigError(
      `DATA_DIR: version ${version.version} has converted ${dataDir} to format ${version.format}; this is version ` +
        `${softwareVersion()}, which reads formats up to ${FORMAT}. Nothing was changed.`,
    )
  }
  return version
}

function readVersion(text: string): FolderVersion | undefined {
  const value = parseJsonText(text)
  if (!isObject(value)) return undefined
  const { format, version, store } = value
  const isKnown = Number.isSafeInteger(format) && (format as number) > 0 && typeof version === 'string'
  if (!isKnown || !(store === undefined || store === 'embedded' || isAddresses(store))) return undefined
  return { format: format as number, version, store }
}

function isAddresses(value: unknown): value is SparqlAddresses {
  if (!isObject(value)) return false
  return ['query', 'update', 'graphStore'].every((name) => URL.canParse(String(value[name])))
}
