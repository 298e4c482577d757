import { basename } from 'node:path'
import { ApiError } from '../../base/errors.ts'
import { InputError } from '../../base/files/input-error.ts'
import type { History } from '../history/history.ts'
import type { Cause } from '../history/log/change.ts'
import { removal, type Replacement } from '../history/replacement.ts'
import { BOOKKEEPING } from '../../base/namespaces.ts'
import { additionOf, type IndexDifference } from '../../graph/index/difference.ts'
import { orderIn, statementsOf } from '../../graph/index/statements.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { StoreAnswerError } from '../../graph/sparql/http.ts'
import { readNTriples } from '../../graph/sparql/ntriples.ts'
import { GraphHold } from '../../graph/vocabularies/graph-hold.ts'
import type { PendingGraph, VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { isSameVocabulary, readVocabularies } from '../../graph/vocabularies/vocabulary.ts'
import { compareWithStore, refuseRemoval, toDifference, type VocabularyDifference } from './compare.ts'
import { Differences } from './differences.ts'
import { readGraphState, type GraphState } from './graph-state.ts'
import { addTotals, totalsOf } from './normalise.ts'
import { refuseTakenIds, type LoadOptions, type PreparedGraph } from './prepare.ts'
import { addLateProposals, addPresentProposals, lateProposals } from './proposals.ts'
import type { LoadProgress, LoadStep } from '../source/read-files.ts'

export interface LoadCommitOptions {
  /** Records the differences; undefined: nothing does. */
  history?: Pick<History, 'prepare' | 'hasLoad'> | undefined
  /** Makes searches find what is loaded; undefined: a running service reads it from the store. */
  index?: VocabularyIndex | undefined
  /** The command, for the history. */
  by?: Cause['by']
  /** True: refuses to load if URIs of concepts would vanish. */
  forbidRemoval?: boolean | undefined
  /** Called while nobody can ingest, directly before the graph is sent; an error ends the load. */
  beforeSending?: (() => Promise<void>) | undefined
}

/**
 * Carries out a load: the order of its durable steps, as ARCHITECTURE.md, "The order of durable steps", has them.
 *
 * @returns the changes to the graph.
 * @throws InputError if the vocabulary has changed since it was prepared; ApiError if the store fails. Then nothing has
 *   changed.
 */
export async function commitLoad(
  client: SparqlClient,
  prepared: PreparedGraph,
  files: readonly string[],
  options: LoadOptions & LoadCommitOptions,
): Promise<VocabularyDifference> {
  const { uri, existing, storedGraphs, subsets, proposals, normalised } = prepared
  const { history, index, forbidRemoval, onProgress } = options
  const { graphs, load } = normalised
  const compare = () => {
    onProgress?.('compare', 0)
    return compareWithStore(client, prepared, (share) => onProgress?.('compare', share))
  }
  let changed = forbidRemoval ? await compare() : undefined
  if (forbidRemoval) refuseRemoval(uri, changed!)
  const before = existing?.uri ?? uri
  const obsolete = storedGraphs.filter((graph) => graph !== before && graph !== uri)
  const { by = 'load' } = options
  const replaces = by !== 'load' || existing?.uri !== uri || obsolete.length > 0
  const differences = new Differences({ replaces })
  const written = [uri, ...subsets.map((subset) => subset.uri)].map((graph, at) => {
    return {
      graph,
      chunks: () => chunksOf(prepared, at, partOf('index', onProgress, 0, READ_SHARE)),
      onProgress: partOf('index', onProgress, READ_SHARE, 1),
    }
  })
  const holds: GraphHold[] = []
  try {
    const commitHistory = await history?.prepare(
      replacements(prepared, files, options, { before, obsolete, differences }),
    )
    const isUpdate = differences.areFew(uri)
    const [whole, ...parts] = written
    await indexed(index, async (write) => {
      const pendingParts: (PendingGraph | undefined)[] = []
      for (const part of parts) pendingParts.push(await write(part))
      const pendingWhole = isUpdate ? undefined : await write(whole!)
      holds.push(await GraphHold.takeTurn(client))
      const graphsNow = await readGraphsNow(client, prepared)
      const state = history && (await readGraphState(client, before))
      // An update of the differences changes nothing after this state; so a decision is here, or comes after the load.
      if (proposals.stored.length > 0) await lateProposals(client, prepared)
      // The history does not know what other programs have changed in the store.
      changed ??= differences.areThoseOf(state) ? differences.counter.changed : await compare()
      const update = isUpdate ? await changeGraph(client, prepared, differences, state, onProgress) : undefined
      const late = update?.late ?? (await replaceHeld(client, { ...prepared, storedGraphs: graphsNow }, holds, options))
      for (const graph of obsolete) await client.deleteGraph(graph, NO_DEADLINE)
      for (const [at, subset] of subsets.entries()) {
        await client.putGraph(subset.uri, graphs.chunks(1 + at), NO_DEADLINE)
      }
      await commitHistory?.()
      // After proposals that came late, the index compares once more.
      const revision = late.length === 0 ? load : ''
      const change = update && { before: state!.revision, after: revision, load, order: update.order }
      if (!change || !(await index?.change(uri, withLate(differences, late), change))) {
        const pending = pendingWhole ?? (await write(whole!))
        await pending?.commit({ revision, load }, [before, ...obsolete], late)
      }
      for (const pending of pendingParts) await pending?.commit({ revision: load, load })
    })
  } finally {
    // A hold that cannot be released ends by itself.
    await Promise.allSettled(holds.map((hold) => hold.release()))
  }
  return toDifference(prepared, changed!)
}

/** The replacements of a load as the history records them. */
function replacements(
  prepared: PreparedGraph,
  files: readonly string[],
  { by = 'load', onProgress }: LoadOptions & LoadCommitOptions,
  { before, obsolete, differences }: { before: string; obsolete: readonly string[]; differences: Differences },
): Replacement[] {
  const { uri, subsets, proposals, normalised } = prepared
  const { load } = normalised
  const cause: Cause = by === 'load' ? { by, files: files.map((file) => basename(file)) } : { by }
  return [
    {
      graph: uri,
      before,
      load,
      chunks: () => chunksOf(prepared, 0, partOf('history', onProgress, 0, READ_SHARE)),
      onProgress: partOf('history', onProgress, READ_SHARE, 1),
      cause,
      replacedBy: proposals.replacedBy,
      proposals: proposals.stored,
      onDifference: (change, lines) => differences.add(change, lines),
      onCompared: (summary, expected) => (differences.compared = { summary, expected }),
    },
    ...obsolete.map(removal),
    ...subsets.map((subset, at): Replacement => {
      return { graph: subset.uri, before: subset.uri, load, chunks: () => normalised.graphs.chunks(1 + at), cause }
    }),
  ]
}

/** The share of the time of index and history that reading the text takes. */
const READ_SHARE = 1 / 4

/** The progress of a part of a step, which begins and ends at shares of the step. */
function partOf(
  step: LoadStep,
  onProgress: LoadProgress | undefined,
  begin: number,
  end: number,
): (share: number) => void {
  return (share) => onProgress?.(step, begin + share * (end - begin))
}

/** The text of a part of a prepared vocabulary in chunks. @param onProgress receives the share that was given. */
function* chunksOf(
  { normalised: { graphs } }: PreparedGraph,
  part: number,
  onProgress: (share: number) => void,
): Generator<Buffer> {
  const size = graphs.size(part)
  let done = 0
  onProgress(0)
  for (const chunk of graphs.chunks(part)) {
    yield chunk
    done += chunk.length
    onProgress(done / size)
  }
}

/** A graph to write into the index. */
interface GraphToIndex {
  graph: string
  chunks: () => Iterable<Uint8Array>
  onProgress?: (share: number) => void
}

/**
 * Replaces graphs in the store and in the index.
 *
 * @param replace writes them into the index first: `write` gives a pending graph, or undefined without an index. If it
 *   fails, the index discards all pending graphs.
 */
export async function indexed(
  index: VocabularyIndex | undefined,
  replace: (write: (graph: GraphToIndex) => Promise<PendingGraph | undefined>) => Promise<void>,
): Promise<void> {
  const pendingGraphs: PendingGraph[] = []
  try {
    await replace(async ({ graph, chunks, onProgress }) => {
      const pending = await index?.write(graph, chunks(), onProgress)
      if (pending) pendingGraphs.push(pending)
      return pending
    })
  } catch (error) {
    for (const pending of pendingGraphs) await pending.discard()
    throw error
  }
}

/** The differences of a load for the index, with proposals that came late. @param late as N-Triples. */
function withLate({ ofIndex }: Differences, late: readonly string[]): IndexDifference {
  const { resources, linked } = additionOf(statementsOf(readNTriples(late.join(''))))
  return {
    resources: new Map([...ofIndex.resources, ...resources]),
    linked: [...ofIndex.linked, ...linked],
    unlinked: ofIndex.unlinked,
  }
}

/**
 * Makes the differences of a load in its graph by one update. Ingests need not wait for it: what they add meanwhile
 * stays.
 *
 * @param before the state of the graph.
 * @returns the proposals that came while the vocabulary was prepared, as N-Triples, and the order of the vocabulary;
 *   undefined: the graph has to be replaced, because the differences are not those of the graph in the store, to which
 *   another program or another load has written.
 */
async function changeGraph(
  client: SparqlClient,
  prepared: PreparedGraph,
  differences: Differences,
  before: GraphState | undefined,
  onProgress: LoadProgress | undefined,
): Promise<{ late: string[]; order: string } | undefined> {
  const { uri, proposals, normalised } = prepared
  const { update } = differences
  if (!before || before.load === '' || !differences.areThoseOf(before)) return undefined
  onProgress?.('send', 0)
  const totals = totalsOf(normalised, uri)
  const marks = [...marksOf(prepared), ...totals].join('')
  await client.update(update.update(uri, before.load, marks), uri, NO_DEADLINE)
  const after = await readGraphState(client, uri)
  if (after.load !== normalised.load) return undefined
  const late = await addPresentProposals(client, prepared)
  // If another program has changed statements that this load changes, the graph has neither version. An ingest changes
  // the number of triples, too.
  const hasGrown = after.revision !== normalised.load || late.length > 0
  const isMade = hasGrown || after.triples === before.triples + update.growth
  if (!isMade) return undefined
  onProgress?.('send', 1)
  normalised.triples[0]! += totals.length
  proposals.kept += late.length
  return { late, order: orderIn(statementsOf(readNTriples(marks))) }
}

/** The bookkeeping of a vocabulary, as lines of N-Triples. */
function* marksOf({ uri, normalised: { graphs } }: PreparedGraph): Generator<string> {
  const start = `<${uri}> <${BOOKKEEPING}`
  for (const chunk of graphs.chunks(0)) {
    for (let at = chunk.indexOf(start); at >= 0; at = chunk.indexOf(start, at + 1)) {
      // A literal may contain the same text.
      if (at === 0 || chunk[at - 1] === 0x0a) yield chunk.toString('utf8', at, chunk.indexOf(0x0a, at) + 1)
    }
  }
}

/**
 * Replaces the graph of a vocabulary. Meanwhile nobody can ingest into it, so that the new graph
 * has all proposals that were accepted. Everything that the store is asked for comes before the first byte of the
 * graph: a store that takes a graph may answer only afterwards, and ends a connection on which nothing comes.
 *
 * @param holds receives what is to be released at the end of the load.
 * @returns the proposals that came while the vocabulary was prepared, as N-Triples.
 */
async function replaceHeld(
  client: SparqlClient,
  prepared: PreparedGraph,
  holds: GraphHold[],
  { onProgress, beforeSending }: LoadOptions & LoadCommitOptions,
): Promise<string[]> {
  const { uri, existing, storedGraphs, proposals, normalised } = prepared
  for (const graph of storedGraphs) {
    const hold = await GraphHold.take(client, graph)
    if (hold) holds.push(hold)
  }
  const late = await addLateProposals(client, prepared)
  proposals.kept += late.length
  normalised.concepts += late.length
  addTotals(normalised, uri)
  await beforeSending?.()
  const isJena = await client.isJena(NO_DEADLINE)
  for (const hold of holds) if (isJena) await hold.rest()
  for (const hold of holds) await hold.check()
  const refuseLostHolds = () => {
    if (!holds.every(({ isFresh }) => isFresh)) throw changedMeanwhile(uri)
  }
  let isComplete = false
  const body = function* () {
    refuseLostHolds()
    yield* chunksOf(prepared, 0, partOf('send', onProgress, 0, 1))
    // From the first byte on, Jena writes nothing else.
    if (!isJena) refuseLostHolds()
    isComplete = true
  }
  try {
    await client.putGraph(uri, body(), NO_DEADLINE)
  } catch (error) {
    // Without an answer, the store may yet write the graph. Until then the holds end by themselves.
    const isRefused = error instanceof ApiError && error.cause instanceof StoreAnswerError
    if (isComplete && !isRefused) for (const hold of holds.splice(0)) hold.end()
    throw error
  }
  if (existing && existing.uri !== uri) await client.deleteGraph(existing.uri, NO_DEADLINE)
  // Holds of the graphs have ended with the graphs.
  for (const hold of holds.splice(1)) hold.end()
  return late
}

/**
 * The graphs that a load replaces, whether they are there or not: another load may have written the vocabulary since
 * this one has read what the store has.
 *
 * @throws InputError if an id is taken by now, or if the vocabulary has come under another URI.
 */
async function readGraphsNow(
  client: SparqlClient,
  { uri, ids, subsets, storedGraphs }: PreparedGraph,
): Promise<string[]> {
  const stored = await readVocabularies(client)
  for (const named of [{ uri, ids }, ...subsets]) refuseTakenIds(named.ids, named.uri, stored)
  const graphs = new Set([uri, ...storedGraphs])
  const hasCome = stored.some((now) => !now.isSubset && isSameVocabulary(now.uri, uri) && !graphs.has(now.uri))
  if (hasCome) throw changedMeanwhile(uri)
  return [...graphs]
}

function changedMeanwhile(uri: string): InputError {
  return new InputError(`<${uri}> changed meanwhile, so nothing is written. Try again.`)
}
