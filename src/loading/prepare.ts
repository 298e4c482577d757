import { InputError } from '../files/input-error.ts'
import { isSubsetNotation, isVocabularyId } from '../jskos/vocabulary-id.ts'
import { SKOS } from '../namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { findVocabulary, isSameVocabulary, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { divide } from './divide.ts'
import { readRecord } from './metadata-record.ts'
import {
  derivePlainLabels,
  membersByScheme,
  normaliseSubset,
  normaliseVocabulary,
  type NormalisedVocabulary,
  type NormaliseOptions,
} from './normalise.ts'
import { readSource, type LoadProgress } from './read-files.ts'
import { candidateSchemes, chooseScheme, findSubsets, idsOf, textsOf, type DescribedSubset } from './scheme.ts'
import type { Finding, ShapeChecker } from './shacl.ts'
import type { Description, SourceGraph } from './source-graph.ts'

export interface LoadOptions {
  /** The scheme that names the graph; needed if the files have none or several. */
  scheme?: string | undefined
  /** The ids; by default those that the vocabulary has already, its own notations, or a part of its URI. */
  ids?: readonly string[] | undefined
  /** A file with the metadata of the scheme. */
  record?: string | undefined
  /** False: skips the shapes, because the files are known to be right. */
  check?: boolean | undefined
  /** True: a violation of the shapes is an error instead of a warning. */
  strict?: boolean | undefined
  onProgress?: LoadProgress | undefined
}

/** A vocabulary or a subset, ready for writing. */
export interface PreparedGraph {
  uri: string
  ids: string[]
  /** The vocabulary in the store with this URI or an equivalent one. */
  existing: Vocabulary | undefined
  subsets: { uri: string; ids: string[]; members: number }[]
  normalised: NormalisedVocabulary
}

/** Files after reading and checking. */
interface Checked {
  source: SourceGraph
  warnings: Finding[]
  close(): void
}

export type PreparedVocabulary = PreparedGraph & Checked

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
    const onDescription = checker && ((description: Description) => checker.add(description))
    const found = findSubsets(source)
    const [only] = found
    options.onProgress?.('check', 0)
    const prepared =
      options.scheme === undefined && only && found.length === 1 && !describesSchemeBeside(source, only)
        ? prepareSubset(source, only, stored, onDescription)
        : await prepareScheme(source, found, options, stored, onDescription)
    const close = () => {
      source.close()
      prepared.normalised.graphs.close()
    }
    try {
      const warnings = checker ? await checker.findings() : []
      if (options.strict) refuseViolations(warnings)
      return { ...prepared, source, warnings, close }
    } catch (error) {
      close()
      throw error
    }
  } catch (error) {
    source.close()
    throw error
  }
}

/** Several vocabularies; iterating normalises one after the other. */
export type PreparedSchemes = Checked & { graphs: Iterable<PreparedGraph> }

/**
 * Reads and checks files with several schemes, each of which becomes a vocabulary. Writes nothing.
 *
 * @param stored the vocabularies and subsets in the store.
 * @throws InputError if a file is wrong, or an id is taken.
 */
export async function prepareAllSchemes(
  files: readonly string[],
  { check, strict, onProgress }: Pick<LoadOptions, 'check' | 'strict' | 'onProgress'> = {},
  stored: readonly Vocabulary[] = [],
): Promise<PreparedSchemes> {
  const source = await readSource(files, onProgress)
  try {
    onProgress?.('check', 0)
    const found = findSubsets(source)
    const plans = candidateSchemes(source, found).map((scheme) => plan(source, scheme, found, stored))
    if (plans.length === 0) throw new InputError('the files have no concept scheme; give its URI with --scheme.')
    for (const [at, { ids, uri }] of plans.entries()) {
      const other = plans.slice(0, at).find((before) => before.ids.some((id) => ids.includes(id)))
      if (other) throw new InputError(`<${other.uri}> and <${uri}> have the same id; load each with --scheme and --id.`)
    }
    const warnings = check === false ? [] : await checkSource(source)
    if (strict) refuseViolations(warnings)
    const schemes = plans.map(({ scheme }) => scheme)
    const divided = divide(source, plans)
    const graphs = function* () {
      for (const [at, one] of plans.entries()) yield normalisePlan(source, one, { schemes, has: divided[at]! }, stored)
    }
    return { source, warnings, graphs: graphs(), close: () => source.close() }
  } catch (error) {
    source.close()
    throw error
  }
}

/** The names of a vocabulary of the files. */
interface Plan {
  scheme: number
  uri: string
  ids: string[]
  existing: Vocabulary | undefined
  subsets: number[]
}

function plan(
  source: SourceGraph,
  scheme: number,
  found: readonly DescribedSubset[],
  stored: readonly Vocabulary[],
  given?: readonly string[],
): Plan {
  const uri = source.iri(scheme)
  const whole = stored.filter(({ isSubset }) => !isSubset)
  const existing = findVocabulary(whole, uri)
  const known = existing && existing.ids.length > 0 ? existing.ids : undefined
  const ids = [...(given ?? known ?? idsOf(uri, source.describe(scheme).statements))]
  refuseTakenIds(ids, uri, stored)
  const subsets = found.filter(({ vocabulary }) => isSameVocabulary(vocabulary, uri)).map(({ node }) => node)
  for (const node of subsets) refuseTakenIds(subsetNotations(source, node), source.iri(node), stored)
  return { scheme, uri, ids, existing, subsets }
}

function normalisePlan(
  source: SourceGraph,
  { scheme, uri, ids, existing, subsets }: Plan,
  options: Partial<NormaliseOptions>,
  stored: readonly Vocabulary[],
): PreparedGraph {
  const storedSubsets = stored.flatMap((one) => (one.isSubset ? (source.find(one.uri) ?? []) : []))
  const normalised = normaliseVocabulary(source, { scheme, ids, subsets, storedSubsets, ...options })
  return { uri, ids, existing, subsets: subsets.map((node) => describeSubset(source, node)), normalised }
}

async function prepareScheme(
  source: SourceGraph,
  found: readonly DescribedSubset[],
  options: LoadOptions,
  stored: readonly Vocabulary[],
  onDescription: NormaliseOptions['onDescription'],
): Promise<PreparedGraph> {
  const { scheme, preferredNames } = await joinRecord(source, found, options)
  return normalisePlan(
    source,
    plan(source, scheme, found, stored, options.ids),
    { preferredNames, onDescription },
    stored,
  )
}

/** Prepares a file that describes a subset and no vocabulary for the graph of that subset. */
function prepareSubset(
  source: SourceGraph,
  { node, vocabulary }: DescribedSubset,
  stored: readonly Vocabulary[],
  onDescription: NormaliseOptions['onDescription'],
): PreparedGraph {
  const whole = findVocabulary(stored, vocabulary)
  if (whole === undefined) throw new InputError(`the subset is part of <${vocabulary}>, which is not loaded.`)
  const uri = source.iri(node)
  const ids = subsetNotations(source, node)
  refuseTakenIds(ids, uri, stored)
  const existing = stored.find((one) => one.uri === uri)
  const normalised = normaliseSubset(source, node, whole.uri, onDescription)
  return { uri, ids, existing, subsets: [], normalised }
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

/** Chooses the scheme, and adds the separate record to it if there is one. */
async function joinRecord(
  source: SourceGraph,
  subsets: readonly DescribedSubset[],
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
