import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../files/input-error.ts'
import type { History } from '../history/history.ts'
import type { Cause } from '../history/log.ts'
import { replaceGraph } from '../history/replace.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { isSameVocabulary, readVocabularies, requireVocabulary } from '../vocabularies/vocabulary.ts'
import type { Changes, NormalisedVocabulary } from './normalise.ts'
import { prepareAllSchemes, prepareVocabulary, type LoadOptions, type PreparedGraph } from './prepare.ts'
import type { LoadProgress } from './read-files.ts'
import type { Finding } from './shacl.ts'
import type { SourceGraph } from './source-graph.ts'

export interface LoadReport {
  uri: string
  ids: string[]
  replaced: boolean
  /** Concepts in the vocabulary's graph. */
  concepts: number
  /** Triples in it. */
  triples: number
  /** Statements in the files, including duplicates. */
  read: number
  subsets: { uri: string; ids: string[]; members: number }[]
  changes: Changes
  /** Links to resources that are not concepts of the graph; they stay. */
  dangling: NormalisedVocabulary['dangling']
  /** The findings of the shapes. */
  warnings: Finding[]
  milliseconds: number
}

export interface WriteOptions {
  /** Records the differences; undefined: nothing does. */
  history?: History | undefined
  /** The command, for the history. */
  by?: Cause['by']
  /** Called after all checks and before any write; an error ends the load. */
  beforeWriting?: ((prepared: PreparedGraph) => Promise<void>) | undefined
}

/**
 * Loads a vocabulary from files, or replaces it as a whole if the store has it. It reads and checks everything before
 * it sends anything, and one request replaces the graph: readers see the old version or the new one.
 *
 * @throws InputError if a file or an option is wrong, ApiError if the store fails; then nothing has changed.
 * @example await loadVocabulary(client, ['stw.ttl.gz'], { ids: ['stw'] })
 */
export async function loadVocabulary(
  client: SparqlClient,
  files: readonly string[],
  options: LoadOptions & WriteOptions = {},
): Promise<LoadReport> {
  const started = performance.now()
  const prepared = await prepareVocabulary(files, options, await readVocabularies(client))
  try {
    await options.beforeWriting?.(prepared)
    await write(client, prepared, files, options)
    return report(prepared, prepared.source, prepared.warnings, started)
  } finally {
    prepared.close()
  }
}

/**
 * Loads every scheme of files as a separate vocabulary. It reads and checks all files before it sends anything, and one request
 * replaces each graph.
 *
 * @returns a report for each; the warnings about the files are in the first.
 * @throws InputError if a file is wrong; then nothing has changed. ApiError if the store fails; then the graphs before the
 *   failure are replaced.
 */
export async function loadAllSchemes(
  client: SparqlClient,
  files: readonly string[],
  options: Pick<LoadOptions, 'check' | 'strict' | 'onProgress'> & Pick<WriteOptions, 'history' | 'beforeWriting'> = {},
): Promise<LoadReport[]> {
  let started = performance.now()
  const prepared = await prepareAllSchemes(files, options, await readVocabularies(client))
  try {
    const reports: LoadReport[] = []
    for (const graph of prepared.graphs) {
      try {
        await options.beforeWriting?.(graph)
        await write(client, graph, files, options)
      } finally {
        graph.normalised.graphs.close()
      }
      reports.push(report(graph, prepared.source, reports.length === 0 ? prepared.warnings : [], started))
      started = performance.now()
    }
    return reports
  } finally {
    prepared.close()
  }
}

async function write(
  client: SparqlClient,
  { uri, existing, subsets, normalised }: PreparedGraph,
  files: readonly string[],
  { history, by = 'load', onProgress }: LoadOptions & WriteOptions,
): Promise<void> {
  const { graphs, load } = normalised
  const cause: Cause = by === 'load' ? { by, files: files.map((file) => basename(file)) } : { by }
  const before = existing?.uri ?? uri
  await replaceGraph(history, { graph: uri, before, load, chunks: () => graphs.chunks(0), cause }, async () => {
    await putGraph(client, uri, normalised, 0, onProgress)
    if (before !== uri) await client.deleteGraph(before, NO_DEADLINE)
  })
  for (const [at, subset] of subsets.entries()) {
    const chunks = () => graphs.chunks(1 + at)
    await replaceGraph(history, { graph: subset.uri, before: subset.uri, load, chunks, cause }, () =>
      putGraph(client, subset.uri, normalised, 1 + at),
    )
  }
}

function report(
  { uri, ids, existing, subsets, normalised }: PreparedGraph,
  { read }: SourceGraph,
  warnings: Finding[],
  started: number,
): LoadReport {
  const { concepts, triples, changes, dangling } = normalised
  const milliseconds = performance.now() - started
  const replaced = existing !== undefined
  return {
    uri,
    ids,
    replaced,
    concepts,
    triples: triples[0]!,
    read,
    subsets,
    changes,
    dangling,
    warnings,
    milliseconds,
  }
}

/**
 * Normalises a vocabulary that another program has written into the store, and records the changes in it and in its subsets in
 * the history. Fails if the vocabulary has changed between reading and writing, because those changes would be lost.
 *
 * @throws InputError if the id is unknown, or if the vocabulary has changed meanwhile.
 */
export async function normaliseStored(client: SparqlClient, id: string, history?: History): Promise<LoadReport> {
  const stored = await readVocabularies(client)
  const { uri, ids, isSubset } = requireVocabulary(stored, id)
  if (isSubset) throw new InputError(`${id} is a subset; only its vocabulary can be normalised.`)
  const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
  try {
    const file = join(folder, 'stored.nt')
    const before = await readState(client, uri)
    await pipeline(client.getGraph(uri, NO_DEADLINE), createWriteStream(file))
    const beforeWriting = async () => {
      if ((await readState(client, uri)) !== before) {
        throw new InputError(`${id} changed meanwhile, so nothing is written. Try again.`)
      }
    }
    const options = {
      scheme: uri,
      ids: ids.length > 0 ? ids : undefined,
      history,
      by: 'normalise',
      beforeWriting,
    } as const
    const report = await loadVocabulary(client, [file], options)
    const subsets = stored.filter(
      ({ isSubset, partOf }) => isSubset && partOf.some((one) => isSameVocabulary(one, uri)),
    )
    for (const subset of subsets) {
      const isKnown = (await history?.log.graph(subset.uri))?.isWhole
      await history?.recordStored(subset.uri, { by: isKnown ? 'normalise' : 'found' })
    }
    return report
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A text that changes with every load and ingest, and with most changes of other programs. */
async function readState(client: SparqlClient, uri: string): Promise<string> {
  const query = queryTemplate('vocab/state').bind({ terms: { graph: [iri(uri)] } })
  return JSON.stringify(await client.select(query, { ...NO_DEADLINE, template: 'vocab/state' }))
}

/** Sends one part of a normalised vocabulary as a graph; readers see it when it is complete. */
async function putGraph(
  client: SparqlClient,
  uri: string,
  { graphs }: NormalisedVocabulary,
  part: number,
  onProgress?: LoadProgress,
): Promise<void> {
  const size = graphs.size(part)
  let sent = 0
  function* body(): Generator<Uint8Array> {
    for (const chunk of graphs.chunks(part)) {
      yield chunk
      sent += chunk.length
      onProgress?.('write', sent / size)
    }
  }
  await client.putGraph(uri, body(), NO_DEADLINE)
}
