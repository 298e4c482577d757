/** The store of versions before the database: `manifest.json`, `journal-*.log`, `lock`. Its graph files stay as they are. */
import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DamageError } from '../durable/errors.ts'
import { parseJsonText, readTextFile } from '../durable/files.ts'
import { refuseOldLock } from '../durable/old-lock.ts'
import type { ContentsChange } from './contents.ts'
import { GRAPH_FILE, type GraphFile } from './graph-files.ts'

/** A store in the old form, as changes of an empty one. */
export interface OldStore {
  /** True if nothing was ever written. */
  isNew: boolean
  changes: ContentsChange[]
}

interface OldFile {
  graph: string | null
  file: string
  mediaType: string
  bytes: number
  sha256: string
}

interface OldManifest {
  format: number
  /** Number of the last frame of the journals that is in the graph files. */
  sequence: number
  graphs: OldFile[]
  journals: number[]
}

interface OldFrame {
  sequence: number
  changes: ({ type: 'update'; update: string } | { type: 'put'; source: OldFile } | { type: 'delete'; graph: string })[]
}

const MANIFEST = 'manifest.json'
const LOCK = 'lock'
const JOURNAL = /^journal-\d+\.log$/
const DIGEST_CHARACTERS = 16

/** The manifest of a store in the old form; undefined if there is none. @throws DamageError if only its journals are there */
export async function readOldManifest(directory: string): Promise<string | undefined> {
  const manifest = await readTextFile(join(directory, MANIFEST))
  if (manifest !== undefined) return manifest
  const journal = (await readdir(directory)).find((name) => JOURNAL.test(name))
  if (journal !== undefined) throw new DamageError(join(directory, MANIFEST), `it is missing beside ${journal}`)
  return undefined
}

/**
 * Reads a store in the old form.
 *
 * @throws DamageError naming file and place; HeldError if a process of the old version uses it.
 */
export async function readOldStore(directory: string, manifestText: string): Promise<OldStore> {
  await refuseOldLock(join(directory, LOCK))
  const file = join(directory, MANIFEST)
  const manifest = parseJsonText(manifestText) as OldManifest | undefined
  if (manifest?.format !== 1 || !Array.isArray(manifest.graphs) || !Array.isArray(manifest.journals)) {
    throw new DamageError(file, 'expected a manifest as the version before wrote it')
  }
  const changes = manifest.graphs.map((source) => putOf(source, file))
  let { sequence } = manifest
  for (const journal of manifest.journals) {
    const path = journalPath(directory, journal)
    for (const frame of await readFrames(path, journal === manifest.journals.at(-1))) {
      if (frame.sequence !== ++sequence) throw new DamageError(path, `frame ${frame.sequence}, expected ${sequence}`)
      for (const change of frame.changes) {
        if (change.type === 'update') changes.push(updateOf(change.update))
        else if (change.type === 'put') changes.push(putOf(change.source, path))
        else changes.push({ type: 'delete', graphs: [change.graph] })
      }
    }
  }
  await refuseEmptiedJournal(directory, manifest.journals.at(-1)!, changes)
  return { isNew: sequence === 0, changes }
}

/** Removes the converted files, the manifest last, because it marks an old store. */
export async function forgetOldStore(directory: string): Promise<void> {
  const journals = (await readdir(directory)).filter((name) => JOURNAL.test(name))
  for (const name of [...journals, LOCK, `${MANIFEST}.new`, MANIFEST]) await rm(join(directory, name), { force: true })
}

function putOf({ graph, file, mediaType, bytes, sha256 }: OldFile, place: string): ContentsChange {
  if (graph === null || mediaType !== 'application/n-triples') {
    throw new DamageError(place, `${file} is not a graph that the service has written`)
  }
  return { type: 'put', graph, file: { name: file, bytes, sha256 } satisfies GraphFile }
}

/** The service wrote three kinds of updates: two that begin with their graph, and DROP of some graphs. */
function updateOf(update: string): ContentsChange {
  const text = update.replace(/^(\s*(#.*)?\n)+/, '')
  const graphs = [...text.matchAll(/\b(?:WITH|GRAPH)\s*<([^<>\s]*)>/g)].map(([, graph]) => graph!)
  if (/^\s*DROP\b/.test(text)) return { type: 'delete', graphs }
  return { type: 'update', graph: graphs[0]!, update }
}

/** An empty journal belongs to a store without any writes, unless there are graph files that it does not name. */
async function refuseEmptiedJournal(directory: string, journal: number, changes: ContentsChange[]): Promise<void> {
  const path = journalPath(directory, journal)
  if ((await readTextFile(path)) !== '') return
  const known = new Set(changes.map((change) => (change.type === 'put' ? change.file.name : '')))
  const unknown = (await readdir(directory)).find((name) => GRAPH_FILE.test(name) && !known.has(name))
  if (unknown !== undefined) {
    const advice = `Restore its folder from a backup, or if nothing was ever written remove ${unknown}.`
    throw new DamageError(path, `it is empty, though ${unknown} is there`, { advice })
  }
}

function journalPath(directory: string, journal: number): string {
  return join(directory, `journal-${String(journal).padStart(6, '0')}.log`)
}

/** A line is a digest, a space and a frame; a broken last one was never acknowledged. */
async function readFrames(path: string, isLast: boolean): Promise<OldFrame[]> {
  const text = await readTextFile(path)
  if (text === undefined) throw new DamageError(path, 'it is missing')
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.flatMap((line, at) => {
    const json = line.slice(DIGEST_CHARACTERS + 1)
    const digest = createHash('sha256').update(json).digest('hex').slice(0, DIGEST_CHARACTERS)
    const frame = line.startsWith(`${digest} `) ? (parseJsonText(json) as OldFrame) : undefined
    if (frame) return [frame]
    if (isLast && at === lines.length - 1 && at > 0) return []
    throw new DamageError(path, `line ${at + 1} is not what was written`)
  })
}
