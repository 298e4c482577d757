import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type GraphFile, StoreDamageError, replaceFileDurably, syncDirectory } from './files.ts'

/** What the store consists of: the graphs as of one moment, and the journals of what came after, oldest first. */
export interface Manifest {
  format: 1
  /** Sequence of the last journal frame whose changes are in the graph files. */
  sequence: number
  graphs: GraphFile[]
  journals: number[]
}

const MANIFEST = 'manifest.json'
const OWN_FILES = /^(graph|upload)-[\w-]+\.(nt|ttl)$|^journal-\d+\.log$|^manifest\.json\.new$/

/**
 * The manifest of a directory; undefined where there is no store yet.
 *
 * @throws StoreDamageError when it cannot be read, or is missing beside other files of a store
 */
export function readManifest(directory: string): Manifest | undefined {
  const path = join(directory, MANIFEST)
  if (!existsSync(path)) {
    // The first journal is made, empty, before the first manifest.
    const left = readdirSync(directory).find(
      (name) => /^(graph|journal)-/.test(name) && statSync(join(directory, name)).size > 0,
    )
    if (left) throw new StoreDamageError(`${path} is missing, though ${left} is there`)
    return undefined
  }
  let manifest: Manifest
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch {
    throw new StoreDamageError(`${path} is damaged: it is not JSON`)
  }
  if (manifest.format !== 1) throw new StoreDamageError(`${path} has a format that this version cannot read`)
  return manifest
}

/** Replaces the manifest; the files that it names have to be on disk before. */
export function writeManifest(directory: string, manifest: Manifest): void {
  replaceFileDurably(directory, MANIFEST, JSON.stringify(manifest, null, 2) + '\n')
}

/** Removes what a crash may have left behind: files of a store that it does not consist of. */
export function removeStrayFiles(directory: string, kept: ReadonlySet<string>): void {
  const stray = readdirSync(directory).filter((name) => OWN_FILES.test(name) && !kept.has(name))
  for (const name of stray) rmSync(join(directory, name), { force: true })
  if (stray.length > 0) syncDirectory(directory)
}
