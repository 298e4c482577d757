import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { extract } from 'tar'
import { z } from 'zod'
import type { Config } from '../../config.ts'
import { beginRestoring, endRestoring, FORMAT, isRestoring } from '../../data-folder.ts'
import { digestOfFile, makeFolder, readTextFile, replaceFile, syncFile, syncFolder } from '../../base/durable/files.ts'
import { lockFile } from '../../base/durable/file-lock.ts'
import { InputError } from '../../base/files/input-error.ts'
import { readText } from '../../base/files/text.ts'
import { LEDGER_LOCK } from '../ingest/ledger.ts'
import { isObject, parseJsonText } from '../../base/json.ts'
import { softwareVersion } from '../../base/root.ts'
import { indexFileIn, removeIndexFile } from '../../graph/index/index-file.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { readGraphs } from '../../graph/vocabularies/vocabulary.ts'
import { NO_BASE } from '../source/terms.ts'
import { parseTurtle } from '../source/turtle.ts'
import { BACKUP_FORMAT, CONTENTS_FILE, dataFiles, type BackupContents } from './backup-files.ts'
import { namesOfGraphs } from './backup.ts'

/** Within the data folder, so that its files move into their places without being copied. */
const UNPACKED = 'restoring'

/** Bytes of an archive to unpack at a time: each may become a thousand times as many, which are in memory together. */
const READ_BYTES = 1 << 14
/** Bytes of a file that is read as a whole. A list has some 200 for each graph. */
const MOST_TEXT_BYTES = 1 << 26

interface RestoreOptions {
  /** Replaces the present contents of the store and the data folder. */
  isReplacing?: boolean
  /** Gets the labels, so that searches answer as soon as the service starts. */
  index?: VocabularyIndex
}

/**
 * Restores the store and the data folder from a file of `backup`. Nothing changes before the file is unpacked and every
 * part of it agrees with its list. A restore that ends midway leaves a folder that the service refuses; another restore
 * takes it over.
 *
 * The store may differ from the store of the backup: graphs are N-Triples.
 *
 * @param client the store, whose service must not run.
 * @returns the list of the backup.
 * @throws InputError if the file is no backup, is damaged or of a later version, or if there is something that it would
 *   replace; LockedError if the service runs; ApiError if the store fails; the errors of the disk.
 */
export async function restore(
  client: SparqlClient,
  config: Config,
  file: string,
  { isReplacing = false, index }: RestoreOptions,
): Promise<BackupContents> {
  const { dataDir } = config
  const lock = await lockFile(join(dataDir, 'ingest', LEDGER_LOCK))
  const folder = join(dataDir, UNPACKED)
  try {
    const present = await namesOfGraphs(client)
    if (!isReplacing && !(await isRestoring(dataDir))) refuseToReplace(present, config)
    const contents = await unpack(file, folder)
    await checkGraphs(file, contents, folder, config.store === undefined)
    for (const { name, isDatabase } of dataFiles(config)) if (!isDatabase) await refuseLongText(file, name, folder)
    await beginRestoring(dataDir, file)
    await removeIndexFile(indexFileIn(dataDir))
    await putGraphs(client, contents, folder, present)
    await placeFiles(config, contents, folder)
    if (index) await indexGraphs(client, index, contents, folder)
    await endRestoring(dataDir)
    return contents
  } finally {
    await removeUnpacked(folder)
    await lock.release()
  }
}

function refuseToReplace(graphs: readonly string[], config: Config): void {
  const present = graphs.length > 0 ? `the store has <${graphs[0]}>` : undefined
  const file = dataFiles(config).find(({ path }) => existsSync(path))
  const reason = present ?? (file && `there is ${file.path}`)
  if (reason) throw new InputError(`${reason}; --replace removes what is there, and restores the backup.`)
}

/** A part of the archive may still be under way to the disk after the error of another one. */
function removeUnpacked(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** Unpacks an archive into a folder and checks it. @throws InputError if it is not what `backup` has written. */
async function unpack(file: string, folder: string): Promise<BackupContents> {
  await removeUnpacked(folder)
  await makeFolder(folder)
  const unpacked = new Set<string>()
  const filter = (path: string, entry: object) => {
    if (!('type' in entry) || entry.type !== 'File') return false
    unpacked.add(path)
    return true
  }
  await extract({ file, cwd: folder, strict: true, filter, maxReadSize: READ_BYTES }).catch(
    (cause: NodeJS.ErrnoException) => {
      const isOfDisk = cause.syscall !== undefined && cause.path !== undefined
      throw isOfDisk ? cause : new InputError(`${file}: it is no backup, or is damaged (${cause.message}).`)
    },
  )
  await refuseLongText(file, CONTENTS_FILE, folder)
  const contents = readContents(file, (await readTextFile(join(folder, CONTENTS_FILE))) ?? '')
  unpacked.delete(CONTENTS_FILE)
  for (const { file: name, bytes, sha256 } of [...contents.graphs, ...contents.files]) {
    if (!unpacked.delete(name)) throw new InputError(`${file}: ${name} is missing.`)
    const digest = await digestOfFile(join(folder, name))
    if (digest.bytes !== bytes || digest.sha256 !== sha256) {
      throw new InputError(`${file}: ${name} is not what was written, so the backup is damaged.`)
    }
  }
  const [unlisted] = unpacked
  if (unlisted !== undefined) throw new InputError(`${file}: ${unlisted} is not in its list.`)
  return contents
}

/** @throws InputError if a file that is read as a whole is too large. */
async function refuseLongText(file: string, name: string, folder: string): Promise<void> {
  const size = (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  if (size > MOST_TEXT_BYTES) {
    throw new InputError(`${file}: ${name} has ${size} bytes; expected at most ${MOST_TEXT_BYTES}.`)
  }
}

const LISTED_FILE = {
  file: z.string().min(1),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits'),
}
const CONTENTS = z.object({
  format: z.int(),
  dataFormat: z.int(),
  version: z.string(),
  created: z.string(),
  graphs: z.array(z.object({ graph: z.string().refine(isAbsoluteIri, 'expected an absolute IRI'), ...LISTED_FILE })),
  files: z.array(z.object(LISTED_FILE)),
}) satisfies z.ZodType<BackupContents>

/** @throws InputError */
function readContents(file: string, text: string): BackupContents {
  const value = parseJsonText(text)
  if (!isObject(value) || !Number.isSafeInteger(value['format'])) {
    throw new InputError(`${file}: it is no backup, because it has no ${CONTENTS_FILE}.`)
  }
  // A later version may list other things.
  if (Number(value['format']) > BACKUP_FORMAT || Number(value['dataFormat']) > FORMAT) {
    const { version } = value
    const maker = typeof version === 'string' ? `version ${version}` : 'a later version'
    throw new InputError(`${file}: ${maker} has made it; this is version ${softwareVersion()}, which cannot read it.`)
  }
  const { data, error } = CONTENTS.safeParse(value)
  if (!data) {
    const { path, message } = error.issues[0]!
    throw new InputError(`${file}: ${CONTENTS_FILE}, ${path.join('.')}: ${message}.`)
  }
  const graphs = new Set<string>()
  for (const { graph } of data.graphs) {
    if (graphs.has(graph)) throw new InputError(`${file}: ${CONTENTS_FILE} has the graph <${graph}> twice.`)
    graphs.add(graph)
  }
  return data
}

/**
 * Finds in advance a graph that is not N-Triples, which the store would refuse after other graphs are replaced.
 *
 * @param isStrict with the IRIs, which the embedded store checks, and other stores perhaps not.
 * @throws InputError naming the part of the archive, with line and column.
 */
async function checkGraphs(
  archive: string,
  { graphs }: BackupContents,
  folder: string,
  isStrict: boolean,
): Promise<void> {
  for (const { file, bytes } of graphs) {
    if (bytes === 0) continue
    try {
      for await (const quads of parseTurtle(readText(join(folder, file)), 'ntriples', file, NO_BASE)) {
        for (const quad of isStrict ? quads : []) {
          const wrong = [quad.subject, quad.predicate, quad.object].find(
            ({ termType, value }) => termType === 'NamedNode' && !isAbsoluteIri(value),
          )
          if (wrong) throw new InputError(`<${wrong.value}> is no absolute IRI.`, file)
        }
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      throw new InputError(`${archive}: ${error.message}`)
    }
  }
}

/** Replaces the graphs of the store by the graphs of a backup. */
async function putGraphs(
  client: SparqlClient,
  { graphs }: BackupContents,
  folder: string,
  present: readonly string[],
): Promise<void> {
  for (const { graph, file } of graphs) await client.putGraph(graph, createReadStream(join(folder, file)), NO_DEADLINE)
  const wanted = new Set(graphs.map(({ graph }) => graph))
  for (const graph of present) if (!wanted.has(graph)) await client.deleteGraph(graph, NO_DEADLINE)
}

/** Writes the restored vocabularies, subsets and concordances into the index. */
async function indexGraphs(
  client: SparqlClient,
  index: VocabularyIndex,
  { graphs }: BackupContents,
  folder: string,
): Promise<void> {
  const { vocabularies, concordances } = await readGraphs(client)
  const present = new Map([...vocabularies, ...concordances].map((resource) => [resource.uri, resource]))
  for (const { graph, file } of graphs) {
    const resource = present.get(graph)
    if (!resource) continue
    const { revision = '', lastLoad } = resource
    const pending = await index.write(graph, createReadStream(join(folder, file)))
    await pending.commit({ revision, load: lastLoad.id ?? '' })
  }
}

/** Replaces the files beside the store by the files of a backup. */
async function placeFiles(config: Config, { files }: BackupContents, folder: string): Promise<void> {
  const wanted = new Set(files.map(({ file }) => file))
  for (const { name, path, isDatabase } of dataFiles(config)) {
    // The journal of another database would be applied to the new one.
    const besides = isDatabase ? [`${path}-journal`, `${path}.made`] : []
    for (const old of [path, ...besides]) await rm(old, { force: true })
    if (!wanted.has(name)) continue
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const unpacked = join(folder, name)
    if (isDatabase) {
      await syncFile(unpacked)
      await rename(unpacked, path)
      await syncFolder(dirname(path))
    } else {
      await replaceFile(path, await readFile(unpacked, 'utf8'))
    }
  }
}
