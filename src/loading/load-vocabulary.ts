import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../files/input-error.ts'
import { removal, type History, type Replacement } from '../history/history.ts'
import type { Cause } from '../history/log/change.ts'
import { replaceGraphs } from '../history/replace.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { GraphHold } from '../vocabularies/graph-hold.ts'
import type { IndexedDraft, VocabularyIndex } from '../vocabularies/vocabulary-index.ts'
import { isSameVocabulary, readVocabularies, requireVocabulary, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { ChangeCounter, compareWithStore, refuseRemoval, toDifference, type Difference } from './compare.ts'
import { addLengths, normaliseSubset, type Change, type Changes, type NormalisedVocabulary } from './normalise.ts'
import {
  prepareAllSchemes,
  prepareVocabulary,
  type AllSchemesOptions,
  type LoadOptions,
  type PreparedGraph,
} from './prepare.ts'
import { addLateProposals, noProposals } from './proposals.ts'
import { readSource, type LoadProgress } from './read-files.ts'
import type { Finding } from './finding.ts'
import type { SourceGraph } from './source-graph.ts'

export interface LoadReport extends Difference {
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
  /** The findings of the check. */
  warnings: Finding[]
  milliseconds: number
}

/** Reading and comparing a graph of so many triples takes a tenth of a second; of 700,000 it would take a fifth of the load. */
const MOST_COMPARED = 50_000

export interface WriteOptions {
  /** Records the differences; undefined: nothing does. */
  history?: Pick<History, 'replace'> | undefined
  /** Makes searches find what is loaded; undefined: a running service reads it from the store. */
  index?: VocabularyIndex | undefined
  /** The command, for the history. */
  by?: Cause['by']
  /** True: refuses to load if URIs of concepts would vanish. */
  forbidRemoval?: boolean | undefined
  /** Called after all checks and before any write; an error ends the load. */
  beforeWriting?: (() => Promise<void>) | undefined
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
  const stored = await readVocabularies(client)
  const prepared = await prepareVocabulary(files, options, stored, client)
  try {
    const difference = await write(client, prepared, files, options)
    await renameInSubsets(client, stored, prepared, options)
    return report(prepared, difference, prepared.source, prepared.warnings, started)
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
  options: AllSchemesOptions & Pick<WriteOptions, 'history' | 'index' | 'forbidRemoval'> = {},
): Promise<LoadReport[]> {
  let started = performance.now()
  const stored = await readVocabularies(client)
  const prepared = await prepareAllSchemes(files, options, stored, client)
  try {
    const reports: LoadReport[] = []
    for (const graph of prepared.graphs) {
      const difference = await write(client, graph, files, options).finally(() => graph.normalised.graphs.close())
      await renameInSubsets(client, stored, graph, options)
      reports.push(report(graph, difference, prepared.source, reports.length === 0 ? prepared.warnings : [], started))
      started = performance.now()
    }
    return reports
  } finally {
    prepared.close()
  }
}

/** @returns the changes to the graph. */
async function write(
  client: SparqlClient,
  prepared: PreparedGraph,
  files: readonly string[],
  options: LoadOptions & WriteOptions,
): Promise<Difference> {
  const { uri, existing, storedGraphs, subsets, proposals, normalised } = prepared
  const { history, index, by = 'load', forbidRemoval, beforeWriting, onProgress } = options
  const { graphs, load, lengths } = normalised
  // The history compares anyway, but does not know what other programs have changed in the store since the last load.
  const isExact = forbidRemoval || !history || normalised.triples[0]! < MOST_COMPARED
  const compared = isExact ? await compareWithStore(client, prepared) : undefined
  if (forbidRemoval) refuseRemoval(uri, compared!)
  await beforeWriting?.()
  const cause: Cause = by === 'load' ? { by, files: files.map((file) => basename(file)) } : { by }
  const before = existing?.uri ?? uri
  const counter = new ChangeCounter()
  const others = storedGraphs.filter((graph) => graph !== before && graph !== uri)
  const replacements: Replacement[] = [
    {
      graph: uri,
      before,
      load,
      chunks: () => graphs.chunks(0),
      cause,
      replacedBy: proposals.replacedBy,
      proposals: proposals.stored,
      onDifference: counter.add.bind(counter),
    },
    ...others.map(removal),
    ...subsets.map((subset, at): Replacement => {
      return { graph: subset.uri, before: subset.uri, load, chunks: () => graphs.chunks(1 + at), cause }
    }),
  ]
  const places = lengths.concepts ?? -1
  const written = [uri, ...subsets.map((subset) => subset.uri)].map((graph, at) => {
    return { graph, chunks: () => graphs.chunks(at) }
  })
  await indexed(index, written, async (drafts) => {
    let late: string[] = []
    await replaceGraphs(history, replacements, async () => {
      late = await replaceHeld(client, prepared, onProgress)
      for (const graph of others) await client.deleteGraph(graph, NO_DEADLINE)
      for (const [at, subset] of subsets.entries()) await putGraph(client, subset.uri, normalised, 1 + at)
    })
    // Proposals that came late are at later places: whoever follows the vocabulary reads them from there.
    const revision = late.length === 0 ? load : ''
    for (const [at, draft] of drafts.entries()) {
      if (at === 0) await draft.commit({ revision, load, places }, [before, ...others], late)
      else await draft.commit({ revision: load, load, places: -1 })
    }
  })
  return toDifference(prepared, compared ?? counter.changed)
}

/** A graph that is about to be written, as N-Triples. */
interface WrittenGraph {
  graph: string
  chunks: () => Iterable<Uint8Array>
}

/** Writes graphs into the index before the store gets them, and forgets them there if the store does not get them. */
export async function indexed(
  index: VocabularyIndex | undefined,
  graphs: readonly WrittenGraph[],
  replace: (drafts: readonly IndexedDraft[]) => Promise<void>,
): Promise<void> {
  const drafts: IndexedDraft[] = []
  try {
    if (index) for (const { graph, chunks } of graphs) drafts.push(await index.draft(graph, chunks()))
    await replace(drafts)
  } catch (error) {
    for (const draft of drafts) await draft.discard()
    throw error
  }
}

/**
 * Replaces the graph of a vocabulary. Meanwhile nobody can ingest into it, so that the new graph has all proposals that were
 * accepted.
 *
 * @returns those that came while the vocabulary was prepared, as N-Triples.
 */
async function replaceHeld(
  client: SparqlClient,
  prepared: PreparedGraph,
  onProgress?: LoadProgress,
): Promise<string[]> {
  const { uri, existing, storedGraphs, proposals, normalised } = prepared
  const holds: GraphHold[] = []
  let isSent = false
  try {
    for (const graph of storedGraphs) {
      const hold = await GraphHold.take(client, graph)
      if (hold) holds.push(hold)
    }
    const late = await addLateProposals(client, prepared)
    proposals.kept += late.length
    addLengths(normalised, uri)
    const isReady = async () => {
      for (const hold of holds) await hold.check()
      isSent = true
    }
    await putGraph(client, uri, normalised, 0, { onProgress, isReady })
    if (existing && existing.uri !== uri) await client.deleteGraph(existing.uri, NO_DEADLINE)
    return late
  } catch (error) {
    // The store may yet carry out what it has got as a whole; then the holds end with the graph or by themselves.
    if (!isSent) await Promise.allSettled(holds.map((hold) => hold.release()))
    throw error
  } finally {
    for (const hold of holds) hold.end()
  }
}

function report(
  { normalised, subsets }: PreparedGraph,
  difference: Difference,
  { read }: SourceGraph,
  warnings: Finding[],
  started: number,
): LoadReport {
  const { concepts, triples, changes, dangling } = normalised
  const milliseconds = performance.now() - started
  return {
    ...difference,
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
 * Normalises a vocabulary that another program has written into the store, with its subsets, and records the changes in
 * the history. Fails if the vocabulary has changed between reading and writing, because those changes would be lost.
 *
 * @throws InputError if the id is unknown or that of another vocabulary, or if the vocabulary has changed meanwhile.
 */
export async function normaliseStored(
  client: SparqlClient,
  id: string,
  history?: History,
  index?: VocabularyIndex,
): Promise<LoadReport> {
  const stored = await readVocabularies(client)
  const { uri, ids, isSubset } = requireVocabulary(stored, id)
  if (isSubset) throw new InputError(`${id} is a subset; only its vocabulary can be normalised.`)
  if (ids.length === 0) throw new InputError(`<${uri}> has no id; give it a skos:notation that can be one.`)
  const taken = stored.find((one) => !isSameVocabulary(one.uri, uri) && one.ids.some((other) => ids.includes(other)))
  if (taken) {
    throw new InputError(`<${uri}> has an id of <${taken.uri}>, ${ids.join(', ')}; give it a skos:notation of its own.`)
  }
  const report = await withStored(client, { uri, id }, (file, beforeWriting) => {
    const options = { scheme: uri, ids, history, index, by: 'normalise', beforeWriting } as const
    return loadVocabulary(client, [file], options)
  })
  for (const subset of subsetsOf(stored, uri)) {
    const changes = await normaliseStoredSubset(client, subset, uri, { history, index })
    for (const [change, times] of Object.entries(changes) as [Change, number][]) {
      report.changes[change] = (report.changes[change] ?? 0) + times
    }
  }
  // Some stores write tags in their own way again.
  delete report.changes['language tag in lower case']
  return report
}

function subsetsOf(stored: readonly Vocabulary[], uri: string): Vocabulary[] {
  return stored.filter(({ isSubset, partOf }) => isSubset && partOf.some((one) => isSameVocabulary(one, uri)))
}

/** Names a vocabulary by its new URI in the stored subsets that have it in another form. */
async function renameInSubsets(
  client: SparqlClient,
  stored: readonly Vocabulary[],
  { uri, existing, subsets }: PreparedGraph,
  options: WriteOptions,
): Promise<void> {
  if (!existing || existing.uri === uri) return
  for (const subset of subsetsOf(stored, uri)) {
    if (subsets.some((one) => one.uri === subset.uri)) continue
    await normaliseStoredSubset(client, subset, uri, options)
  }
}

/** @returns the changes to the graph of the subset. */
async function normaliseStoredSubset(
  client: SparqlClient,
  existing: Vocabulary,
  vocabulary: string,
  { history, index }: WriteOptions,
): Promise<Changes> {
  const { uri, ids } = existing
  return withStored(client, { uri, id: ids[0]! }, async (file, beforeWriting) => {
    const source = await readSource([file])
    try {
      const normalised = normaliseSubset(source, source.intern(uri), vocabulary)
      const graph = { uri, ids, existing, storedGraphs: [], proposals: noProposals(), subsets: [], normalised }
      await write(client, graph, [], { history, index, by: 'normalise', beforeWriting }).finally(() =>
        normalised.graphs.close(),
      )
      return normalised.changes
    } finally {
      source.close()
    }
  })
}

/**
 * Writes a graph of the store into a file, and gives it to `use` with a check for what comes before writing the graph anew.
 *
 * @throws InputError from the check if the graph has changed since.
 */
async function withStored<Result>(
  client: SparqlClient,
  { uri, id }: { uri: string; id: string },
  use: (file: string, beforeWriting: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
  try {
    const file = join(folder, 'stored.nt')
    const before = await readState(client, uri)
    await pipeline(client.getGraph(uri, NO_DEADLINE), createWriteStream(file))
    return await use(file, async () => {
      if ((await readState(client, uri)) === before) return
      throw new InputError(`${id} changed meanwhile, so nothing is written. Try again.`)
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A text that changes with every load and ingest, and with most changes of other programs. */
async function readState(client: SparqlClient, uri: string): Promise<string> {
  const query = queryTemplate('vocab/state').bind({ terms: { graph: [iri(uri)] } })
  return JSON.stringify(await client.select(query, NO_DEADLINE))
}

interface PutOptions {
  onProgress?: LoadProgress | undefined
  /** Called before the end of the graph is sent; an error leaves the graph as it was. */
  isReady?: () => Promise<void>
}

/** Sends one part of a normalised vocabulary as a graph; readers see it when it is complete. */
async function putGraph(
  client: SparqlClient,
  uri: string,
  { graphs }: NormalisedVocabulary,
  part: number,
  { onProgress, isReady }: PutOptions = {},
): Promise<void> {
  const size = graphs.size(part)
  let sent = 0
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const chunk of graphs.chunks(part)) {
      yield chunk
      sent += chunk.length
      onProgress?.('write', sent / size)
    }
    await isReady?.()
  }
  await client.putGraph(uri, body(), NO_DEADLINE)
}
