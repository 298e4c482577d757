import { randomUUID } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create } from 'tar'
import type { Config } from '../../config.ts'
import { FORMAT } from '../../data-folder.ts'
import { digestOfFile, makeFolder, syncFile, syncFolder } from '../../base/durable/files.ts'
import { copyDatabase } from '../../base/durable/sqlite.ts'
import { InputError } from '../../base/files/input-error.ts'
import { HOLD, LOADS_GRAPH } from '../../base/namespaces.ts'
import { softwareVersion } from '../../base/root.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { linesOf, linesWhere } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { readRevisions } from '../../graph/memory/store-state.ts'
import { GraphHold } from '../../graph/vocabularies/graph-hold.ts'
import { BACKUP_FORMAT, CONTENTS_FILE, dataFiles, type BackupContents } from './backup-files.ts'

/** The place that an archive is written to. */
type BackupTarget = { file: string } | { stream: NodeJS.WritableStream }

/** Maximum attempts to copy everything without a change in between. */
const TRIES = 6
/** Attempts before the vocabularies are held, so that ingests and loads wait. */
const FREE_TRIES = 2

/** The hold of a graph is a statement in it, and ends with the backup. */
const HOLD_PREDICATE = `<${HOLD}>`

/** The copy of a graph, and the revision that the graph had before it was read. */
interface GraphCopy {
  file: string
  revision: string | undefined
}

/**
 * Writes everything that the service keeps into one archive (tar, gzip): all graphs of the store, and the files of
 * `dataFiles`. All of it is from one moment: between two equal looks at the revisions of the vocabularies, everything
 * is copied. If they keep changing, the vocabularies are held for the last tries, as for a load: readers notice
 * nothing, ingests wait.
 *
 * Programs that write to the store directly, without new revisions, are not noticed.
 *
 * @returns the list that the archive has.
 * @throws InputError if the vocabularies keep changing; ApiError if the store fails; DamageError; the errors of the
 *   disk.
 * @example const { graphs } = await backup(client, config, { file: 'backup.tar.gz' })
 */
export async function backup(client: SparqlClient, config: Config, target: BackupTarget): Promise<BackupContents> {
  const beside = 'file' in target ? resolve(target.file) : join(tmpdir(), 'backup')
  await makeFolder(dirname(beside))
  const folder = await mkdtemp(`${beside}.`)
  try {
    const contents = await copyContents(client, config, folder)
    await writeFile(join(folder, CONTENTS_FILE), `${JSON.stringify(contents, null, 2)}\n`, { mode: 0o600 })
    const names = [CONTENTS_FILE, ...contents.graphs.map(({ file }) => file), ...contents.files.map(({ file }) => file)]
    const archive = create({ gzip: true, cwd: folder, portable: true }, names)
    if ('stream' in target) await pipeline(archive, target.stream, { end: false })
    else await writeArchive(archive, join(folder, basename(beside)), beside)
    return contents
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes an archive as a whole or not at all; only its owner can read it. */
async function writeArchive(archive: AsyncIterable<Buffer>, temporary: string, file: string): Promise<void> {
  await pipeline(archive, createWriteStream(temporary, { mode: 0o600 }))
  await syncFile(temporary)
  await rename(temporary, file)
  await syncFolder(dirname(file))
}

/** Copies everything into a folder, as it is at one moment. */
async function copyContents(client: SparqlClient, config: Config, folder: string): Promise<BackupContents> {
  await mkdir(join(folder, 'graphs'))
  const copies = new Map<string, GraphCopy>()
  const holds: GraphHold[] = []
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries === FREE_TRIES) {
        for (const graph of copies.keys()) {
          const hold = await GraphHold.take(client, graph)
          if (hold) holds.push(hold)
        }
      }
      const created = new Date().toISOString()
      const revisions = await revisionsByGraph(client)
      await copyGraphs(client, revisions, copies, folder)
      const files = await copyFiles(config, folder)
      for (const hold of holds) await hold.check()
      if (!isEqual(revisions, await revisionsByGraph(client))) continue
      return { ...(await describe(folder, copies, files)), created }
    }
  } finally {
    for (const hold of holds) await hold.release()
  }
  throw new InputError('the vocabularies keep changing, so no backup is of one moment; try again.')
}

/** Copies the graphs that have changed since their copy, and forgets graphs that have gone. */
async function copyGraphs(
  client: SparqlClient,
  revisions: ReadonlyMap<string, string>,
  copies: Map<string, GraphCopy>,
  folder: string,
): Promise<void> {
  const present = new Set(await namesOfGraphs(client))
  for (const graph of copies.keys()) if (!present.has(graph)) copies.delete(graph)
  for (const graph of present) {
    const revision = revisions.get(graph)
    const copied = copies.get(graph)
    if (copied && copied.revision === revision) continue
    // Numbers would be reused, and a new graph would overwrite the file of another.
    const file = copied?.file ?? join('graphs', `${randomUUID()}.nt`)
    const lines = linesWithoutHolds(client.getGraph(graph, NO_DEADLINE))
    await pipeline(Readable.from(lines), createWriteStream(join(folder, file), { mode: 0o600 }))
    copies.set(graph, { file, revision })
  }
}

async function* linesWithoutHolds(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of linesOf(chunks)) {
    yield linesWhere(lines, ({ predicate }) => predicate !== HOLD_PREDICATE)
  }
}

/** @returns the names of the files that are there. */
async function copyFiles(config: Config, folder: string): Promise<string[]> {
  const present = dataFiles(config).filter(({ path }) => existsSync(path))
  for (const { name, path, isDatabase } of present) {
    const copy = join(folder, name)
    await makeFolder(dirname(copy))
    await rm(copy, { force: true })
    if (isDatabase) await copyDatabase(path, copy)
    else await copyFile(path, copy)
  }
  return present.map(({ name }) => name)
}

async function describe(
  folder: string,
  copies: ReadonlyMap<string, GraphCopy>,
  files: readonly string[],
): Promise<Omit<BackupContents, 'created'>> {
  const contents = {
    format: BACKUP_FORMAT,
    dataFormat: FORMAT,
    version: softwareVersion(),
    graphs: [] as BackupContents['graphs'],
    files: [] as BackupContents['files'],
  }
  for (const [graph, { file }] of copies) {
    contents.graphs.push({ graph, file, ...(await digestOfFile(join(folder, file))) })
  }
  for (const file of files) contents.files.push({ file, ...(await digestOfFile(join(folder, file))) })
  return contents
}

/** The named graphs of the store, but not that of the load that is writing. @throws ApiError */
export async function namesOfGraphs(client: SparqlClient): Promise<string[]> {
  const rows = await client.select(queryTemplate('graphs').bind(), NO_DEADLINE)
  return rows.map(({ graph }) => graph!.value).filter((graph) => graph !== LOADS_GRAPH)
}

/** The revisions of all graphs: a graph has the URI of its vocabulary, subset or concordance. @throws ApiError */
async function revisionsByGraph(client: SparqlClient): Promise<Map<string, string>> {
  return new Map((await readRevisions(client)).map(({ graph, revision }) => [graph, revision]))
}

function isEqual(first: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return first.size === other.size && [...first].every(([graph, revision]) => other.get(graph) === revision)
}
