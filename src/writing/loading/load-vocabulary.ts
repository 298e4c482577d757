import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../../base/files/input-error.ts'
import type { History } from '../history/history.ts'
import { isSubsetNotation } from '../../graph/jskos/names.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import {
  isSameVocabulary,
  readVocabularies,
  requireVocabulary,
  vocabulariesNamed,
  type Vocabulary,
} from '../../graph/vocabularies/vocabulary.ts'
import { messageOf } from '../../base/thrown.ts'
import { commitLoad, type LoadCommitOptions } from './commit.ts'
import { compareWithStore, toDifference, type VocabularyDifference } from './compare.ts'
import { readGraphState } from './graph-state.ts'
import { normaliseSubset, type NormalisingChange, type Changes } from './normalise.ts'
import { prepareVocabulary, type LoadOptions, type PreparedGraph, type PreparedVocabulary } from './prepare.ts'
import { noProposals } from './proposals.ts'
import { readSource } from '../source/read-files.ts'
import type { LoadForecast, LoadReport } from './report.ts'
import { digestOfInputs, unchangedReport } from './unchanged.ts'
import type { Finding } from '../checking/finding.ts'

/**
 * Loads a vocabulary from files, or replaces it as a whole if the store has it. It reads and checks everything before
 * it sends anything, and one request replaces the graph: readers see the old version or the new one.
 *
 * @param options.onlyChanged true: does nothing if the last load of the vocabulary had the same files and options, and
 *   its graph is as that load left it.
 * @throws InputError if a file or an option is wrong, ApiError if the store fails; then nothing has changed.
 * @example await loadVocabulary(client, ['stw.ttl.gz'], { ids: ['stw'] })
 */
export async function loadVocabulary(
  client: SparqlClient,
  files: readonly string[],
  options: LoadOptions & LoadCommitOptions & { onlyChanged?: boolean | undefined } = {},
): Promise<LoadReport> {
  const started = performance.now()
  const stored = await readVocabularies(client)
  // `prepareVocabulary` reports what is wrong with a file that cannot be read.
  const inputs = options.onlyChanged ? await digestOfInputs(files, options).catch(() => undefined) : undefined
  const unchanged = inputs && (await unchangedReport(client, stored, inputs, options.history))
  if (unchanged) return { ...unchanged, milliseconds: performance.now() - started }
  const prepared = await prepareVocabulary(files, options, stored, client)
  try {
    const { uri, ids, existing, subsets, normalised } = prepared
    // A subset has a graph and a state of its own.
    const hasSubset = subsets.length > 0 || ids.some(isSubsetNotation)
    if (!hasSubset && (existing?.uri ?? uri) === uri) normalised.inputs = inputs
    const difference = await commitLoad(client, prepared, files, options)
    await renameInSubsets(client, stored, prepared, options)
    const warnings = [...prepared.warnings, ...(await readersMiss(client, prepared))]
    const { triples } = prepared.normalised
    const milliseconds = performance.now() - started
    return { ...forecast(prepared, difference), triples: triples[0]!, warnings, milliseconds }
  } finally {
    prepared.close()
  }
}

/**
 * The report of what a load would do, with all findings of the check. Writes nothing.
 *
 * @throws InputError if a file or an option is wrong, ApiError if the store fails.
 */
export async function foretellLoad(
  client: SparqlClient,
  files: readonly string[],
  options: LoadOptions = {},
): Promise<LoadForecast> {
  const prepared = await prepareVocabulary(files, options, await readVocabularies(client), client)
  try {
    return forecast(prepared, toDifference(prepared, await compareWithStore(client, prepared)))
  } finally {
    prepared.close()
  }
}

function forecast(prepared: PreparedVocabulary, difference: VocabularyDifference): LoadForecast {
  const { normalised, subsets, warnings, read } = prepared
  const { concepts, changes, dangling } = normalised
  return { ...difference, concepts, read, subsets, changes, dangling, warnings }
}

/**
 * Asks the store as GET /voc/{vocid}/concepts does.
 *
 * @returns a warning if readers find another number of concepts than the graph has.
 */
async function readersMiss(client: SparqlClient, { uri, ids, normalised }: PreparedGraph): Promise<Finding[]> {
  // Readers find the members of a subset, whatever its file describes.
  if (ids.some(isSubsetNotation)) return []
  const { concepts } = normalised
  const warning = (message: string): Finding[] => {
    return [{ rule: 'readers', severity: 'warning', message, count: 1, focusNodes: [`<${uri}>`] }]
  }
  try {
    const select = queryTemplate('voc/concepts').bindSubselect({ terms: { of: [iri(uri)] } })
    const query = queryTemplate('describe/count').bind({ subselect: { slot: 'c', select } })
    const [row] = await client.select(query, NO_DEADLINE)
    const readable = Number(row?.['count']?.value ?? 0)
    if (readable === concepts) return []
    const message = `readers of this vocabulary find ${readable} of its ${concepts} concepts; see how the others name it`
    return warning(message)
  } catch (error) {
    // The store has the vocabulary.
    return warning(`it is not known how many concepts readers find: ${messageOf(error)}`)
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
  const vocabulary = requireVocabulary(stored, id)
  const { uri, ids, isSubset } = vocabulary
  if (isSubset) throw new InputError(`${id} is a subset; only its vocabulary can be normalised.`)
  if (ids.length === 0) throw new InputError(`<${uri}> has no id; give it a skos:notation that can be one.`)
  const taken = stored.find(
    (candidate) => !isSameVocabulary(candidate.uri, uri) && candidate.ids.some((other) => ids.includes(other)),
  )
  if (taken) {
    throw new InputError(`<${uri}> has an id of <${taken.uri}>, ${ids.join(', ')}; give it a skos:notation of its own.`)
  }
  const report = await withStored(client, { uri, id }, (file, beforeSending) => {
    const options = { scheme: uri, ids, history, index, by: 'normalise', isStored: true, beforeSending } as const
    return loadVocabulary(client, [file], options)
  })
  for (const subset of subsetsOf(stored, vocabulary)) {
    const changes = await normaliseStoredSubset(client, subset, vocabulary, { history, index })
    for (const [change, times] of Object.entries(changes) as [NormalisingChange, number][]) {
      report.changes[change] = (report.changes[change] ?? 0) + times
    }
  }
  // Some stores write tags in their own way again.
  delete report.changes['language tag in lower case']
  return report
}

function subsetsOf(stored: readonly Vocabulary[], whole: Pick<Vocabulary, 'uri' | 'identifiers'>): Vocabulary[] {
  return stored.filter(({ isSubset, partOf }) => isSubset && vocabulariesNamed([whole], partOf).length > 0)
}

/** Names a vocabulary by its new URI in the stored subsets that have it in another form. */
async function renameInSubsets(
  client: SparqlClient,
  stored: readonly Vocabulary[],
  { uri, existing, subsets }: PreparedGraph,
  options: LoadCommitOptions,
): Promise<void> {
  if (!existing || existing.uri === uri) return
  const whole = { uri, identifiers: existing.identifiers }
  for (const subset of subsetsOf(stored, whole)) {
    if (subsets.some((loaded) => loaded.uri === subset.uri)) continue
    await normaliseStoredSubset(client, subset, whole, options)
  }
}

/** @returns the changes to the graph of the subset. */
async function normaliseStoredSubset(
  client: SparqlClient,
  existing: Vocabulary,
  vocabulary: Pick<Vocabulary, 'uri' | 'identifiers'>,
  { history, index }: LoadCommitOptions,
): Promise<Changes> {
  const { uri, ids } = existing
  return withStored(client, { uri, id: ids[0]! }, async (file, beforeSending) => {
    const source = await readSource([file])
    try {
      const normalised = normaliseSubset(source, source.intern(uri), vocabulary)
      const graph = { uri, ids, existing, storedGraphs: [], proposals: noProposals(), subsets: [], normalised }
      const options = { history, index, by: 'normalise', beforeSending } as const
      await commitLoad(client, graph, [], options).finally(() => normalised.graphs.close())
      return normalised.changes
    } finally {
      source.close()
    }
  })
}

/**
 * Writes a graph of the store into a file, and gives it to `use` with a check for the moment before the graph is sent
 * anew.
 *
 * @throws InputError from the check if the graph has changed since.
 */
async function withStored<Result>(
  client: SparqlClient,
  { uri, id }: { uri: string; id: string },
  use: (file: string, beforeSending: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
  try {
    const file = join(folder, 'stored.nt')
    const before = await readGraphState(client, uri)
    await pipeline(client.getGraph(uri, NO_DEADLINE), createWriteStream(file))
    return await use(file, async () => {
      const { triples, revision } = await readGraphState(client, uri)
      if (triples === before.triples && revision === before.revision) return
      throw new InputError(`${id} changed meanwhile, so nothing is written. Try again.`)
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}
