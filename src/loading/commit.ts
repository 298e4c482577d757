import { basename } from 'node:path'
import { ApiError } from '../errors.ts'
import { InputError } from '../files/input-error.ts'
import { removal, type History, type Replacement } from '../history/history.ts'
import type { Cause } from '../history/log/change.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { StoreAnswerError } from '../sparql/failures.ts'
import { GraphHold } from '../vocabularies/graph-hold.ts'
import type { IndexedDraft, VocabularyIndex } from '../vocabularies/vocabulary-index.ts'
import { isSameVocabulary, readVocabularies } from '../vocabularies/vocabulary.ts'
import { ChangeCounter, compareWithStore, refuseRemoval, toDifference, type Difference } from './compare.ts'
import { addLengths } from './normalise.ts'
import { refuseTakenIds, type LoadOptions, type PreparedGraph } from './prepare.ts'
import { addLateProposals } from './proposals.ts'
import type { LoadProgress, LoadStep } from './read-files.ts'

/** Reading and comparing a graph of so many triples takes a tenth of a second; of 700,000 it would take a fifth of the load. */
const MOST_COMPARED = 50_000

export interface CommitOptions {
  /** Records the differences; undefined: nothing does. */
  history?: Pick<History, 'prepare'> | undefined
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
 * @throws InputError if the vocabulary has changed since it was prepared; ApiError if the store fails. Then nothing has changed.
 */
export async function commitLoad(
  client: SparqlClient,
  prepared: PreparedGraph,
  files: readonly string[],
  options: LoadOptions & CommitOptions,
): Promise<Difference> {
  const { uri, existing, storedGraphs, subsets, normalised } = prepared
  const { history, index, forbidRemoval, onProgress } = options
  const { graphs, load } = normalised
  // The history compares anyway, but does not know what other programs have changed in the store since the last load.
  const isExact = forbidRemoval || !history || normalised.triples[0]! < MOST_COMPARED
  if (isExact) onProgress?.('compare', 0)
  const compared = isExact ? await compareWithStore(client, prepared) : undefined
  if (forbidRemoval) refuseRemoval(uri, compared!)
  const counter = new ChangeCounter()
  const before = existing?.uri ?? uri
  const obsolete = storedGraphs.filter((graph) => graph !== before && graph !== uri)
  const written = [uri, ...subsets.map((subset) => subset.uri)]
  const drafts: IndexedDraft[] = []
  const holds: GraphHold[] = []
  try {
    for (const [at, graph] of written.entries()) {
      if (index) drafts.push(await index.draft(graph, chunksOf(prepared, at, 'index', onProgress)))
    }
    const commitHistory = await history?.prepare(replacements(prepared, files, options, { before, obsolete, counter }))
    const late = await replaceHeld(client, prepared, holds, options)
    for (const graph of obsolete) await client.deleteGraph(graph, NO_DEADLINE)
    for (const [at, subset] of subsets.entries()) {
      await client.putGraph(subset.uri, graphs.chunks(1 + at), NO_DEADLINE)
    }
    await commitHistory?.()
    // Proposals that came late are at later places: whoever follows the vocabulary reads them from there.
    const revision = late.length === 0 ? load : ''
    const places = normalised.lengths.concepts ?? -1
    for (const [at, draft] of drafts.entries()) {
      if (at === 0) await draft.commit({ revision, load, places }, [before, ...obsolete], late)
      else await draft.commit({ revision: load, load, places: -1 })
    }
  } catch (error) {
    for (const draft of drafts) await draft.discard()
    throw error
  } finally {
    // A hold that cannot be released ends by itself.
    await Promise.allSettled(holds.map((hold) => hold.release()))
  }
  return toDifference(prepared, compared ?? counter.changed)
}

/** The replacements of a load as the history records them. */
function replacements(
  prepared: PreparedGraph,
  files: readonly string[],
  { by = 'load', onProgress }: LoadOptions & CommitOptions,
  { before, obsolete, counter }: { before: string; obsolete: readonly string[]; counter: ChangeCounter },
): Replacement[] {
  const { uri, subsets, proposals, normalised } = prepared
  const { load } = normalised
  const cause: Cause = by === 'load' ? { by, files: files.map((file) => basename(file)) } : { by }
  return [
    {
      graph: uri,
      before,
      load,
      chunks: () => chunksOf(prepared, 0, 'history', onProgress),
      cause,
      replacedBy: proposals.replacedBy,
      proposals: proposals.stored,
      onDifference: counter.add.bind(counter),
    },
    ...obsolete.map(removal),
    ...subsets.map((subset, at): Replacement => {
      return { graph: subset.uri, before: subset.uri, load, chunks: () => normalised.graphs.chunks(1 + at), cause }
    }),
  ]
}

/** The text of a part of a prepared vocabulary in chunks, whose share is the progress of a step. */
function* chunksOf(
  { normalised: { graphs } }: PreparedGraph,
  part: number,
  step: LoadStep,
  onProgress: LoadProgress | undefined,
): Generator<Buffer> {
  const size = graphs.size(part)
  let done = 0
  onProgress?.(step, 0)
  for (const chunk of graphs.chunks(part)) {
    yield chunk
    done += chunk.length
    onProgress?.(step, done / size)
  }
}

/** Writes the index in drafts before the store gets the graphs, and forgets the drafts if the store does not get them. */
export async function indexed(
  index: VocabularyIndex | undefined,
  graphs: readonly { graph: string; chunks: () => Iterable<Uint8Array> }[],
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
 * Replaces the graph of a vocabulary when it is the turn of this load. Meanwhile nobody can ingest into it, so that the new graph
 * has all proposals that were accepted. Everything that the store is asked for comes before the first byte of the graph: a store
 * that takes a graph may answer only afterwards, and ends a connection on which nothing comes.
 *
 * @param holds receives what is to be released at the end of the load.
 * @returns the proposals that came while the vocabulary was prepared, as N-Triples.
 */
async function replaceHeld(
  client: SparqlClient,
  prepared: PreparedGraph,
  holds: GraphHold[],
  { onProgress, beforeSending }: LoadOptions & CommitOptions,
): Promise<string[]> {
  const { uri, existing, proposals, normalised } = prepared
  holds.push(await GraphHold.takeTurn(client))
  const storedGraphs = await graphsNow(client, prepared)
  for (const graph of storedGraphs) {
    const hold = await GraphHold.take(client, graph)
    if (hold) holds.push(hold)
  }
  const late = await addLateProposals(client, { ...prepared, storedGraphs })
  proposals.kept += late.length
  normalised.concepts += late.length
  addLengths(normalised, uri)
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
    yield* chunksOf(prepared, 0, 'send', onProgress)
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
  // Those of the graphs have ended with them.
  for (const hold of holds.splice(1)) hold.end()
  return late
}

/**
 * The graphs that a load replaces, whether they are there or not: another load may have written the vocabulary since this one has
 * read what the store has.
 *
 * @throws InputError if an id is taken by now, or if the vocabulary has come under another URI.
 */
async function graphsNow(
  client: SparqlClient,
  { uri, ids, subsets, storedGraphs }: PreparedGraph,
): Promise<readonly string[]> {
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
