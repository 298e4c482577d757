import { createWriteStream, existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from '../../base/durable/files.ts'
import { InputError } from '../../base/files/input-error.ts'
import { messageOf } from '../../base/thrown.ts'
import { isSubsetNotation } from '../../graph/jskos/names.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal } from '../../graph/sparql/terms.ts'
import type { History } from '../history/history.ts'
import { addTotals } from './normalise.ts'
import { prepareVocabulary, type LoadOptions, type PreparedVocabulary } from './prepare.ts'
import type { FilesReport } from './report.ts'
import { digestOfInputs } from './unchanged.ts'

/** The file with the graph, as N-Quads. */
const GRAPH_FILE = 'graph.nq'
/** The query that asks a store whether it already has the vocabulary. */
const PRESENT_FILE = 'present.rq'

/** The report of a load into files. */
export interface OfflineReport extends FilesReport {
  uri: string
  ids: string[]
  folder: string
  triples: number
  milliseconds: number
}

/**
 * Reads and checks a vocabulary that the store does not have, and writes its graph into a folder for the bulk loader,
 * which runs while the store is stopped. The history keeps it as a draft, as after a load that was killed before its
 * last steps. The draft counts once the store has the graph.
 *
 * @param folder is created; `present.rq` is written last, so a folder with it is complete.
 * @throws InputError if a file or an option is wrong, if the folder is there, or if the history has the vocabulary.
 */
export async function loadOffline(
  files: readonly string[],
  folder: string,
  options: LoadOptions & { history?: Pick<History, 'prepareFirst'> | undefined },
): Promise<OfflineReport> {
  const started = performance.now()
  if (existsSync(folder)) throw new InputError('--offline: expected a folder that is not there yet.', folder)
  const prepared = await prepareVocabulary(files, options)
  try {
    const { uri, ids, subsets, normalised, warnings, read } = prepared
    if (subsets.length > 0 || ids.some(isSubsetNotation)) {
      throw new InputError('--offline: the files have a subset; load it when the store runs.')
    }
    normalised.inputs = await digestOfInputs(files, options)
    addTotals(normalised, uri)
    await write(prepared, files, folder, options)
    const { concepts, changes, dangling, triples } = normalised
    const report = { uri, ids, folder, concepts, read, subsets, changes, dangling, warnings }
    return { ...report, triples: triples[0]!, milliseconds: performance.now() - started }
  } finally {
    prepared.close()
  }
}

async function write(
  { uri, ids, normalised }: PreparedVocabulary,
  files: readonly string[],
  folder: string,
  { history, onProgress }: LoadOptions & { history?: Pick<History, 'prepareFirst'> | undefined },
): Promise<void> {
  const { graphs, load } = normalised
  const cause = { by: 'load', files: files.map((file) => basename(file)) } as const
  try {
    await makeFolder(folder)
    onProgress?.('send', 0)
    const output = createWriteStream(join(folder, GRAPH_FILE), { flags: 'wx', flush: true })
    await pipeline(Readable.from(quadsOf(uri, graphs.chunks(0))), output)
    onProgress?.('history', 0)
    await history?.prepareFirst({
      graph: uri,
      before: uri,
      load,
      chunks: () => graphs.chunks(0),
      cause,
      onProgress: (share) => onProgress?.('history', share),
    })
    const terms = { graph: [iri(uri)], id: ids.map((id) => literal(id)) }
    const { text } = queryTemplate('vocab/present').bind({ terms })
    await writeFile(join(folder, PRESENT_FILE), text, { flag: 'wx', flush: true })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (error instanceof InputError) throw error
    throw new InputError(`--offline: cannot write: ${messageOf(error)}`, folder)
  }
}

/** The text of a graph with its name in every line. */
function* quadsOf(uri: string, nTriples: Iterable<Buffer>): Generator<string> {
  // A line break ends a statement; within a literal it is escaped.
  for (const chunk of nTriples) yield chunk.toString('utf8').replaceAll(' .\n', ` <${uri}> .\n`)
}
