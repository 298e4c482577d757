import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Quad } from '@rdfjs/types'
import { InputError } from '../files/input-error.ts'
import { locate } from '../files/text.ts'
import { isSubsetNotation, isVocabularyId } from '../jskos/vocabulary-id.ts'
import { SKOS } from '../namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { iri } from '../sparql/terms.ts'
import {
  findVocabulary,
  isSameVocabulary,
  readVocabularies,
  requireVocabulary,
  type Vocabulary,
} from '../vocabularies/vocabulary.ts'
import { SourceGraph, type Description } from './source-graph.ts'
import {
  derivePlainLabels,
  membersByScheme,
  normaliseSubset,
  normaliseVocabulary,
  type Changes,
  type NormalisedVocabulary,
} from './normalise.ts'
import { parseFile } from './parse.ts'
import { readRecord } from './metadata-record.ts'
import type { Finding, ShapeChecker } from './shacl.ts'
import { chooseScheme, findSubsets, idsOf, textsOf, type DescribedSubset } from './scheme.ts'

/** Called with the step of a load and its progress from 0 to 1. */
export type LoadProgress = (step: 'read' | 'check' | 'write', done: number) => void

export interface LoadOptions {
  /** The scheme that names the graph; needed if the files have none or several. */
  scheme?: string | undefined
  /** The ids; by default those that the vocabulary has already, its own notations, or a part of its URI. */
  ids?: readonly string[] | undefined
  /** A file with the metadata of the scheme. */
  record?: string | undefined
  /** False: the shapes are not checked, because the files are known to be right. */
  check?: boolean | undefined
  /** True: a violation of the shapes is an error instead of a warning. */
  strict?: boolean | undefined
  onProgress?: LoadProgress | undefined
}

export interface LoadReport {
  uri: string
  ids: string[]
  replaced: boolean
  concepts: number
  /** Triples in the vocabulary's graph. */
  triples: number
  /** Statements in the files, including doubles. */
  read: number
  subsets: { uri: string; ids: string[]; members: number }[]
  changes: Changes
  /** Links to resources that are not concepts of the graph; they stay. */
  dangling: NormalisedVocabulary['dangling']
  /** The findings of the shapes. */
  warnings: Finding[]
  milliseconds: number
}

/** A vocabulary, or a subset, that is ready to be written. */
export interface PreparedVocabulary {
  uri: string
  ids: string[]
  /** The vocabulary in the store with this URI or an equivalent one. */
  existing: Vocabulary | undefined
  source: SourceGraph
  subsets: { uri: string; ids: string[]; members: number }[]
  normalised: NormalisedVocabulary
  warnings: Finding[]
  close(): void
}

/**
 * Reads, checks and normalises a vocabulary. Writes nothing.
 *
 * @param stored the vocabularies and subsets in the store.
 * @throws InputError if a file or an option is wrong.
 */
export async function prepareVocabulary(
  files: readonly string[],
  options: LoadOptions = {},
  stored: readonly Vocabulary[] = [],
): Promise<PreparedVocabulary> {
  refuseIllegalIds(options.ids ?? [])
  if (options.scheme !== undefined) refuseRelativeUri(options.scheme)
  const source = await readSource(files, options.onProgress)
  try {
    const checker = options.check === false ? undefined : await newChecker(source)
    const found = findSubsets(source)
    const [only] = found
    options.onProgress?.('check', 0)
    const prepared =
      options.scheme === undefined && only && found.length === 1 && !describesSchemeBeside(source, only)
        ? prepareSubset(source, only, stored, checker)
        : await prepareScheme(source, found, options, stored, checker)
    let warnings: Finding[]
    try {
      warnings = checker ? await checker.findings() : []
      if (options.strict) refuseViolations(warnings)
    } catch (error) {
      prepared.normalised.graphs.close()
      throw error
    }
    return {
      ...prepared,
      source,
      warnings,
      close: () => {
        source.close()
        prepared.normalised.graphs.close()
      },
    }
  } catch (error) {
    source.close()
    throw error
  }
}

type Prepared = Omit<PreparedVocabulary, 'source' | 'warnings' | 'close'>

async function prepareScheme(
  source: SourceGraph,
  found: DescribedSubset[],
  options: LoadOptions,
  stored: readonly Vocabulary[],
  checker: ShapeChecker | undefined,
): Promise<Prepared> {
  const { scheme, preferredNames } = await joinRecord(source, found, options)
  const uri = source.iri(scheme)
  const existing = findVocabulary(
    stored.filter(({ isSubset }) => !isSubset),
    uri,
  )
  const known = existing && existing.ids.length > 0 ? existing.ids : undefined
  const ids = [...(options.ids ?? known ?? idsOf(uri, source.describe(scheme).statements))]
  refuseTakenIds(ids, uri, stored)
  const subsets = found.filter(({ vocabulary }) => isSameVocabulary(vocabulary, uri))
  for (const { node } of subsets) refuseTakenIds(subsetNotations(source, node), source.iri(node), stored)
  const nodes = subsets.map(({ node }) => node)
  const onDescription = checker && ((description: Description) => checker.add(description))
  const storedSubsets = stored.flatMap(({ isSubset, uri }) => (isSubset ? (source.find(uri) ?? []) : []))
  const normalised = normaliseVocabulary(source, {
    scheme,
    ids,
    preferredNames,
    subsets: nodes,
    storedSubsets,
    onDescription,
  })
  return { uri, ids, existing, subsets: nodes.map((node) => describeSubset(source, node)), normalised }
}

/** Prepares a file that describes a subset and no vocabulary for the graph of that subset. */
function prepareSubset(
  source: SourceGraph,
  { node, vocabulary }: DescribedSubset,
  stored: readonly Vocabulary[],
  checker: ShapeChecker | undefined,
): Prepared {
  const whole = findVocabulary(stored, vocabulary)
  if (whole === undefined) throw new InputError(`the subset is part of <${vocabulary}>, which is not loaded.`)
  const uri = source.iri(node)
  const ids = subsetNotations(source, node)
  refuseTakenIds(ids, uri, stored)
  const existing = stored.find((one) => one.uri === uri)
  const onDescription = checker && ((description: Description) => checker.add(description))
  const normalised = normaliseSubset(source, node, whole.uri, onDescription)
  return { uri, ids, existing, subsets: [], normalised }
}

/**
 * Loads a vocabulary from files, or replaces it as a whole if the store has it. It reads and checks everything before
 * it sends anything, and one request replaces the graph: readers see the old version or the new one.
 *
 * @throws InputError if a file or an option is wrong, ApiError if the store fails; nothing is changed then.
 * @example await loadVocabulary(client, ['stw.ttl.gz'], { ids: ['stw'] })
 */
export async function loadVocabulary(
  client: SparqlClient,
  files: readonly string[],
  options: LoadOptions = {},
  beforeWriting: () => Promise<void> = () => Promise.resolve(),
): Promise<LoadReport> {
  const started = performance.now()
  const prepared = await prepareVocabulary(files, options, await readVocabularies(client))
  const { uri, ids, existing, source, subsets, normalised, warnings } = prepared
  try {
    await beforeWriting()
    await putGraph(client, uri, normalised, 0, options.onProgress)
    if (existing && existing.uri !== uri) await client.deleteGraph(existing.uri, NO_DEADLINE)
    for (const [at, subset] of subsets.entries()) await putGraph(client, subset.uri, normalised, 1 + at)
    return {
      uri,
      ids,
      replaced: existing !== undefined,
      concepts: source.concepts,
      triples: normalised.triples[0]!,
      read: source.read,
      subsets,
      changes: normalised.changes,
      dangling: normalised.dangling,
      warnings,
      milliseconds: performance.now() - started,
    }
  } finally {
    prepared.close()
  }
}

/**
 * Normalises a vocabulary in the store that another program has written. Changes of others would be lost meanwhile, so
 * this is refused if the vocabulary has changed between reading and writing.
 *
 * @throws InputError if the id is unknown, or if the vocabulary has changed meanwhile.
 */
export async function normaliseStored(client: SparqlClient, id: string): Promise<LoadReport> {
  const { uri, ids, isSubset } = requireVocabulary(await readVocabularies(client), id)
  if (isSubset) throw new InputError(`${id} is a subset; only its vocabulary can be normalised.`)
  const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
  try {
    const file = join(folder, 'stored.nt')
    const before = await readState(client, uri)
    await pipeline(client.getGraph(uri, NO_DEADLINE), createWriteStream(file))
    const options = { scheme: uri, ids: ids.length > 0 ? ids : undefined }
    return await loadVocabulary(client, [file], options, async () => {
      if ((await readState(client, uri)) !== before) {
        throw new InputError(`${id} changed meanwhile, so nothing is written. Try again.`)
      }
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A text that changes with every load and ingest, and with most changes of other programs. */
async function readState(client: SparqlClient, uri: string): Promise<string> {
  const query = queryTemplate('vocab/state').bind({ terms: { graph: [iri(uri)] } })
  return JSON.stringify(await client.select(query, { ...NO_DEADLINE, template: 'vocab/state' }))
}

async function newChecker(source: SourceGraph): Promise<ShapeChecker> {
  const { ShapeChecker } = await import('./shacl.ts')
  return new ShapeChecker(source)
}

/** The findings of the shapes about a source. */
export async function checkSource(source: SourceGraph): Promise<Finding[]> {
  const checker = await newChecker(source)
  derivePlainLabels(source)
  for (const description of source.descriptions()) checker.add(description)
  return checker.findings()
}

/** @throws InputError with the rule and a focus node if there is a violation among the findings. */
function refuseViolations(findings: readonly Finding[]): void {
  const first = findings.find(({ severity }) => severity === 'violation')
  if (first === undefined) return
  const more = first.count > 1 ? ` and ${first.count - 1} more` : ''
  throw new InputError(`${first.rule}: ${first.message}: ${first.focusNodes[0]}${more}. "vocab check" lists all.`)
}

/**
 * Reads files that together are one vocabulary.
 *
 * @throws InputError if a file cannot be read or is broken.
 */
export async function readSource(files: readonly string[], onProgress?: LoadProgress): Promise<SourceGraph> {
  const source = new SourceGraph()
  try {
    await readFiles(source, files, onProgress)
    return source
  } catch (error) {
    source.close()
    throw error
  }
}

async function readFiles(source: SourceGraph, files: readonly string[], onProgress?: LoadProgress): Promise<void> {
  if (files.length === 0) throw new InputError('expected at least one file.')
  for (const [at, file] of files.entries()) {
    source.startFile()
    const before = source.read
    const progress = (read: number, size: number) => onProgress?.('read', (at + read / size) / files.length)
    for await (const quads of parseFile(file, progress)) {
      for (const quad of quads) {
        const refused = addWithPlace(source, quad, file)
        if (refused) await refused
      }
    }
    if (source.read === before) throw new InputError('found no RDF statement.', file)
  }
}

function addWithPlace(source: SourceGraph, quad: Quad, file: string): Promise<void> | void {
  try {
    source.add(quad)
  } catch (error) {
    if (error instanceof InputError) return refuseAtPlace(error, file)
    throw error
  }
}

async function refuseAtPlace(error: InputError, file: string): Promise<never> {
  const iri = /<(.*)>/.exec(error.message)?.[1]
  if (iri === undefined) throw new InputError(error.message, file)
  throw new InputError(error.message, file, (await locate(file, `<${iri}>`)) ?? (await locate(file, `"${iri}"`)))
}

/** Chooses the scheme, and adds the separate record to it if there is one. */
async function joinRecord(
  source: SourceGraph,
  subsets: DescribedSubset[],
  { scheme: wanted, record: file }: LoadOptions,
): Promise<{ scheme: number; preferredNames: ReadonlySet<string> }> {
  const record = file === undefined ? undefined : await readRecord(file)
  const scheme = chooseScheme(source, subsets, { wanted, record: record?.only })
  if (record === undefined) return { scheme, preferredNames: new Set() }
  const preferredNames = new Set<string>()
  source.startFile()
  for (const quad of record.about(source.iri(scheme))) source.add(quad)
  for (const name of record.names) preferredNames.add(name)
  return { scheme, preferredNames }
}

/** True if the files have a concept scheme that is not the subset. */
function describesSchemeBeside(source: SourceGraph, subset: DescribedSubset): boolean {
  for (const node of source.schemes()) if (node !== subset.node) return true
  return false
}

function describeSubset(source: SourceGraph, node: number) {
  const members = new Set([...membersByScheme(source, node)].map((member) => source.name(member)))
  for (const { predicate, object } of source.describe(node).statements) {
    if (predicate === `${SKOS}member`) members.add(object)
  }
  return { uri: source.iri(node), ids: subsetNotations(source, node), members: members.size }
}

/** @throws InputError if a notation of the subset is malformed. */
function subsetNotations(source: SourceGraph, node: number): string[] {
  const notations = textsOf(source.describe(node).statements, `${SKOS}notation`)
  const legal = notations.filter(isSubsetNotation)
  if (legal.length > 0) return legal.sort()
  throw new InputError(
    `"${notations[0]}" is not a notation of a subset: expected subset_ and then a-z, 0-9 and the minus sign.`,
  )
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

function refuseIllegalIds(ids: readonly string[]): void {
  const illegal = ids.find((id) => !isVocabularyId(id))
  if (illegal === undefined) return
  throw new InputError(
    `"${illegal}" cannot be an id: expected a-z, 0-9 and the minus sign, and none of top, concepts, search, suggest.`,
  )
}

function refuseRelativeUri(uri: string): void {
  if (!isAbsoluteIri(uri)) throw new InputError(`--scheme: expected an absolute URI, found "${uri}".`)
}

function refuseTakenIds(ids: readonly string[], uri: string, stored: readonly Vocabulary[]): void {
  for (const other of stored) {
    const taken = other.ids.find((id) => ids.includes(id))
    if (taken !== undefined && !isSameVocabulary(other.uri, uri)) {
      throw new InputError(`the id ${taken} is taken by <${other.uri}>; give another with --id.`)
    }
  }
}
