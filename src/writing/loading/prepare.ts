import { InputError } from '../../base/files/input-error.ts'
import type { Message, MessageLanguage } from '../../base/message-languages.ts'
import { isSubsetNotation, isVocabularyId } from '../../graph/jskos/names.ts'
import { SKOS } from '../../base/namespaces.ts'
import type { ChosenOrder } from '../../graph/jskos/order.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import {
  findVocabulary,
  isSameVocabulary,
  vocabularyByName,
  type Vocabulary,
} from '../../graph/vocabularies/vocabulary.ts'
import { readRecord, withoutMembers } from '../source/metadata-record.ts'
import {
  membersByScheme,
  normaliseSubset,
  normaliseVocabulary,
  type NormalisedVocabulary,
  type NormaliseOptions,
} from './normalise.ts'
import { addMemberProposals, addProposals, noProposals, type ProposalsOfLoad } from './proposals.ts'
import { placeWrongIris, readSource, type LoadProgress } from '../source/read-files.ts'
import {
  chooseScheme,
  findSubsets,
  idsOf,
  namesScheme,
  nodesOf,
  resolveIdentifiers,
  textsOf,
  type DescribedSubset,
} from '../source/scheme.ts'
import { leaveOutMappingTargets } from '../source/mapping-targets.ts'
import { reportChecked } from '../checking/check-files.ts'
import { newChecker } from '../checking/checker.ts'
import { focusNodeWithCell, type Finding } from '../checking/finding.ts'
import { MORE } from '../checking/rules.ts'
import type { Description, SourceGraph } from '../source/source-graph.ts'

export interface LoadOptions {
  /** The scheme that names the graph; needed if the files have none or several. */
  scheme?: string | undefined
  /** The ids; by default the present ids of the vocabulary, its notations, or a part of its URI. */
  ids?: readonly string[] | undefined
  /** The order of its records; by default the order chosen before, else the order that follows from its notations. */
  order?: ChosenOrder | undefined
  /** The language of texts in tables without a language. */
  language?: string | undefined
  /** The language of findings; English by default. */
  messageLanguage?: MessageLanguage | undefined
  /** A file with the metadata of the scheme. */
  record?: string | undefined
  /** False: skips the check, because the files are known to be right. */
  check?: boolean | undefined
  /** True: a violation is an error instead of a warning. */
  strict?: boolean | undefined
  /** True: drops open proposals that the files lack. */
  dropProposals?: boolean | undefined
  /** True: the files are the graph of the store itself. */
  isStored?: boolean | undefined
  /** The statements that the store has room for. */
  mostStatements?: number | undefined
  onProgress?: LoadProgress | undefined
}

/** A vocabulary or a subset, ready for writing. */
export interface PreparedGraph {
  uri: string
  ids: string[]
  /** The vocabulary in the store with this URI or an equivalent one. */
  existing: Vocabulary | undefined
  /** All graphs in the store with such a URI: several if a load was killed that changed the URI. */
  storedGraphs: string[]
  /** The fate of its proposals. */
  proposals: ProposalsOfLoad
  subsets: { uri: string; ids: string[]; members: number }[]
  normalised: NormalisedVocabulary
}

/** A vocabulary or a subset with its files, after reading and checking. */
export interface PreparedVocabulary extends PreparedGraph {
  /** Statements in the files, including duplicates. */
  read: number
  warnings: Finding[]
  close(): void
}

/**
 * Reads, checks and normalises a vocabulary, with the proposals that stay. Writes nothing.
 *
 * @param stored the vocabularies and subsets in the store.
 * @param client reads their proposals; undefined: there are none.
 * @throws InputError if a file or an option is wrong, ApiError if the store fails.
 */
export async function prepareVocabulary(
  files: readonly string[],
  options: LoadOptions = {},
  stored: readonly Vocabulary[] = [],
  client?: SparqlClient,
): Promise<PreparedVocabulary> {
  refuseIllegalIds(options.ids ?? [])
  if (options.scheme !== undefined) refuseRelativeUri(options.scheme)
  const tables = {
    scheme: options.scheme ?? (options.record === undefined ? undefined : (await readRecord(options.record)).only),
    language: options.language,
  }
  const source = await readSource(files, options.onProgress, tables, options.mostStatements)
  try {
    const checker = options.check === false ? undefined : await newChecker(source, options.messageLanguage)
    const onDescription = (description: Description) => {
      reportChecked(source, description, options.onProgress)
      checker?.add(description)
    }
    const described = findSubsets(source)
    const [only] = described
    options.onProgress?.('check', 0)
    const prepared =
      options.scheme === undefined && only && described.length === 1 && !describesSchemeBeside(source, only)
        ? await prepareSubset(source, only, { stored, client }, onDescription)
        : await prepareScheme(source, described, options, { stored, client }, onDescription)
    const close = closing(prepared)
    try {
      const schemes = [source.find(prepared.uri)!]
      const vocabularies = { schemes, described: schemes, subsets: nodesOf(described) }
      const warnings = checker ? await checker.findings(vocabularies) : []
      if (options.strict) refuseViolations(warnings, options.messageLanguage)
      return { ...prepared, read: source.read, warnings, close }
    } catch (error) {
      close()
      throw error
    }
  } finally {
    // The next steps need the normalised graph alone, and the disk for index and history.
    source.close()
  }
}

/**
 * Closes the graphs of a prepared vocabulary. A function made in `prepareVocabulary` would keep the tables of the
 * source and of the checks in memory until the end of the load.
 */
function closing({ normalised: { graphs } }: PreparedGraph): () => void {
  return () => graphs.close()
}

/** The names of a vocabulary of the files. */
interface Plan {
  scheme: number
  uri: string
  ids: string[]
  existing: Vocabulary | undefined
  storedGraphs: string[]
  subsets: number[]
}

interface Store {
  stored: readonly Vocabulary[]
  client: SparqlClient | undefined
}

function plan(
  source: SourceGraph,
  scheme: number,
  described: readonly DescribedSubset[],
  stored: readonly Vocabulary[],
  given?: readonly string[],
): Plan {
  const uri = source.iri(scheme)
  refuseOtherKind(uri, stored, { isSubset: false })
  const whole = stored.filter(({ isSubset }) => !isSubset)
  const existing = findVocabulary(whole, uri)
  const equivalents = whole.filter((candidate) => candidate !== existing && isSameVocabulary(candidate.uri, uri))
  const storedGraphs = [...(existing ? [existing] : []), ...equivalents].map((vocabulary) => vocabulary.uri)
  const noted = existing && existing.ids.length > 0 ? existing.ids : undefined
  const { statements } = source.describe(scheme)
  const ids = [...(given ?? noted ?? idsOf(uri, statements))]
  refuseTakenIds(ids, uri, stored)
  const subsets = described.filter(({ vocabulary }) => namesScheme(source, vocabulary, scheme)).map(({ node }) => node)
  for (const node of subsets) {
    refuseOtherKind(source.iri(node), stored, { isSubset: true })
    refuseTakenIds(subsetNotations(source, node), source.iri(node), stored)
  }
  return { scheme, uri, ids, existing, storedGraphs, subsets }
}

async function proposalsOf(
  source: SourceGraph,
  plan: Plan,
  client: SparqlClient | undefined,
  { dropProposals: drop, isStored }: LoadOptions,
): Promise<ProposalsOfLoad> {
  return client && plan.storedGraphs.length > 0 ? addProposals(client, source, plan, { drop, isStored }) : noProposals()
}

function normalisePlan(
  source: SourceGraph,
  { scheme, uri, ids, existing, storedGraphs, subsets }: Plan,
  proposals: ProposalsOfLoad,
  options: Partial<NormaliseOptions>,
  stored: readonly Vocabulary[],
): PreparedGraph {
  const nodesOf = (vocabularies: readonly Vocabulary[]) => vocabularies.flatMap((other) => source.find(other.uri) ?? [])
  const storedSubsets = nodesOf(stored.filter(({ isSubset }) => isSubset))
  const isOther = (candidate: Vocabulary) => candidate.uri !== uri && !storedGraphs.includes(candidate.uri)
  const otherSchemes = nodesOf(stored.filter((candidate) => !candidate.isSubset && isOther(candidate)))
  const { carried, stayAccepted: accepted } = proposals
  const normalised = normaliseVocabulary(source, {
    scheme,
    ids,
    subsets,
    storedSubsets,
    otherSchemes,
    carried,
    accepted,
    ...options,
  })
  const described = subsets.map((node) => describeSubset(source, node))
  return { uri, ids, existing, storedGraphs, proposals, subsets: described, normalised }
}

async function prepareScheme(
  source: SourceGraph,
  described: readonly DescribedSubset[],
  options: LoadOptions,
  { stored, client }: Store,
  onDescription: NormaliseOptions['onDescription'],
): Promise<PreparedGraph> {
  const { scheme, preferredNames } = await joinRecord(source, described, options)
  leaveOutMappingTargets(source, [scheme], nodesOf(described))
  const planned = plan(source, scheme, described, stored, options.ids)
  const proposals = await proposalsOf(source, planned, client, options)
  // The check is about the files.
  const onDescribed = (description: Description) =>
    !proposals.carried.has(description.node) && onDescription?.(description)
  const order = options.order ?? planned.existing?.chosenOrder
  return normalisePlan(source, planned, proposals, { preferredNames, order, onDescription: onDescribed }, stored)
}

/** Prepares a file that describes a subset and no vocabulary for the graph of that subset. */
async function prepareSubset(
  source: SourceGraph,
  { node, vocabulary }: DescribedSubset,
  { stored, client }: Store,
  onDescription: NormaliseOptions['onDescription'],
): Promise<PreparedGraph> {
  const whole = vocabularyByName(stored, vocabulary)
  if (whole === undefined) throw new InputError(`the subset is part of <${vocabulary}>, which is not loaded.`)
  const uri = source.iri(node)
  refuseOtherKind(uri, stored, { isSubset: true })
  const ids = subsetNotations(source, node)
  refuseTakenIds(ids, uri, stored)
  const existing = stored.find((candidate) => candidate.uri === uri)
  if (client && existing) await addMemberProposals(client, source, uri, [whole.uri])
  const normalised = normaliseSubset(source, node, whole, onDescription)
  return { uri, ids, existing, storedGraphs: [], proposals: noProposals(), subsets: [], normalised }
}

const ALL: Message = { en: '"vocab check" lists all.', de: '"vocab check" nennt alle.' }

/** @throws InputError with the rule and a focus node if there is a violation among the findings. */
function refuseViolations(findings: readonly Finding[], language: MessageLanguage = 'en'): void {
  const first = findings.find(({ severity }) => severity === 'violation')
  if (first === undefined) return
  const more = first.count > 1 ? MORE[language](first.count - 1) : ''
  const node = focusNodeWithCell(first, first.focusNodes[0]!)
  throw new InputError(`${first.rule}: ${first.message}: ${node}${more}. ${ALL[language]}`)
}

/** Chooses the scheme, and adds the separate record to it if there is one. */
async function joinRecord(
  source: SourceGraph,
  subsets: readonly DescribedSubset[],
  { scheme: wanted, record: file }: LoadOptions,
): Promise<{ scheme: number; preferredNames: ReadonlySet<string> }> {
  const record = file === undefined ? undefined : await readRecord(file, source.jskosListener)
  const named = record?.only === undefined ? undefined : ([record.only, ...record.identifiers] as const)
  const scheme = chooseScheme(source, subsets, { wanted, record: named })
  if (record === undefined) return { scheme, preferredNames: new Set() }
  const preferredNames = new Set<string>()
  source.startFile()
  const isDescribed = (uri: string) => source.describes(uri)
  const isName = (uri: string) => namesScheme(source, uri, scheme)
  const quads = record.about(source.iri(scheme), { isDescribed, isName })
  for (const quad of withoutMembers(quads, source.iri(scheme), isDescribed)) source.add(quad)
  await placeWrongIris(source, file!)
  resolveIdentifiers(source, source.iri(scheme))
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

/** A graph has one name, so a subset would replace a vocabulary with the same URI, and the reverse. */
function refuseOtherKind(uri: string, stored: readonly Vocabulary[], { isSubset }: { isSubset: boolean }): void {
  const other = stored.find((candidate) => candidate.uri === uri && candidate.isSubset !== isSubset)
  if (other === undefined) return
  const [kind, wanted] = isSubset ? ['vocabulary', 'subset'] : ['subset', 'vocabulary']
  throw new InputError(`the ${wanted} <${uri}> has the URI of the ${kind} ${other.ids.join(', ')}; it needs its own.`)
}

/** @throws InputError if another vocabulary or subset in the store has one of the ids. */
export function refuseTakenIds(ids: readonly string[], uri: string, stored: readonly Vocabulary[]): void {
  for (const other of stored) {
    const taken = other.ids.find((id) => ids.includes(id))
    if (taken !== undefined && !isSameVocabulary(other.uri, uri)) {
      throw new InputError(`the id ${taken} is taken by <${other.uri}>; --id gives another.`)
    }
  }
}
