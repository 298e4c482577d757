import type { Quad_Object, Quad_Subject } from '@rdfjs/types'
import { DataFactory } from 'n3'
import { InputError } from '../../base/files/input-error.ts'
import { BOOKKEEPING, SKOS } from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { writeNode } from '../../graph/sparql/statements.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { readProposals, type Proposal } from '../../graph/vocabularies/proposals.ts'
import { schemesOfConcepts } from '../source/hierarchy.ts'
import { type NormalisedVocabulary } from './normalise.ts'
import type { SourceGraph } from '../source/source-graph.ts'

/** The fate of the proposals in the store in a load of their vocabulary (docs/ingest.md, "Proposals"). */
export interface ProposalsOfLoad {
  /** The URIs of all proposals that were in the store. */
  stored: readonly string[]
  /** Accepted proposals before the load, and accepted proposals that the files do not have. */
  accepted: ReadonlySet<string>
  stayAccepted: readonly string[]
  /** Number of proposals that stay proposals. */
  kept: number
  /** Number of proposals that the files have as concepts, or that concepts of the files replace. */
  takenOver: number
  dropped: number
  /** Proposals that leave the graph, and the concepts of the files that replace them. */
  replacedBy: ReadonlyMap<string, readonly string[]>
  /** Resources that only the store describes. */
  carried: ReadonlySet<number>
}

/** A load without proposals. */
export function noProposals(): ProposalsOfLoad {
  return {
    stored: [],
    accepted: new Set(),
    stayAccepted: [],
    kept: 0,
    takenOver: 0,
    dropped: 0,
    replacedBy: new Map(),
    carried: new Set(),
  }
}

/** A vocabulary that files replace. */
interface ReplacedVocabulary {
  /** The scheme of the files. */
  scheme: number
  /** The graphs of this vocabulary in the store; several if a load was killed that changed its URI. */
  storedGraphs: readonly string[]
  /** The subsets of it in the files. */
  subsets: readonly number[]
}

/** A vocabulary after `addProposals` and normalising. */
interface NormalisedWithProposals {
  uri: string
  storedGraphs: readonly string[]
  proposals: ProposalsOfLoad
  normalised: NormalisedVocabulary
}

/** Concepts in one request to the store. */
const PIECE = 250

/**
 * Adds the proposals that the files lack to the files, with all statements of the store about them. If the files have a
 * proposal as a concept, the files count. A concept of the files with the URI of a proposal as identifier or exactMatch
 * takes the place of the proposal.
 *
 * @param drop true: adds none that is still open.
 * @param isStored true: the files are the graph of the store itself, and take over nothing.
 * @throws ApiError if the store fails.
 */
export async function addProposals(
  client: SparqlClient,
  source: SourceGraph,
  vocabulary: ReplacedVocabulary,
  { drop = false, isStored = false }: { drop?: boolean | undefined; isStored?: boolean | undefined },
): Promise<ProposalsOfLoad> {
  const present = await readAll(client, vocabulary.storedGraphs)
  if (present.size === 0) return noProposals()
  const stored = [...present.keys()]
  const accepted = acceptedOf(present)
  const nodeOf = (uri: string) => {
    const node = source.find(uri)
    return node !== undefined && source.isConcept(node) ? node : undefined
  }
  const inFiles = stored.flatMap((uri) => nodeOf(uri) ?? [])
  const replacedBy = replacements(
    source,
    vocabulary,
    stored.filter((uri) => nodeOf(uri) === undefined),
  )
  const missing = stored.filter((uri) => nodeOf(uri) === undefined && !replacedBy.has(uri))
  const staying = drop ? missing.filter((uri) => accepted.has(uri)) : missing
  const carried = await carry(client, source, vocabulary, staying)
  const isKept = (node: number) => source.isUnderDevelopment(node) || (isStored && accepted.has(source.iri(node)))
  const kept = inFiles.filter(isKept).length + staying.length
  const dropped = missing.length - staying.length
  const takenOver = stored.length - kept - dropped
  const stayAccepted = isStored ? [...accepted] : staying.filter((uri) => accepted.has(uri))
  return { stored, accepted, stayAccepted, kept, takenOver, dropped, replacedBy, carried }
}

/** The proposals in graphs by URI. */
async function readAll(client: SparqlClient, graphs: readonly string[]): Promise<Map<string, Proposal>> {
  const proposals = new Map<string, Proposal>()
  for (const graph of graphs) {
    for (const proposal of await readProposals(client, graph)) proposals.set(proposal.uri, proposal)
  }
  return proposals
}

function acceptedOf(proposals: ReadonlyMap<string, Proposal>): Set<string> {
  return new Set([...proposals.values()].filter(({ isAccepted }) => isAccepted).map(({ uri }) => uri))
}

/**
 * Adds to a file that only describes a subset what the subset in the store says about proposals of its vocabulary:
 * membership and notes.
 *
 * @param graphs of the vocabulary.
 * @throws ApiError if the store fails.
 */
export async function addMemberProposals(
  client: SparqlClient,
  source: SourceGraph,
  subset: string,
  graphs: readonly string[],
): Promise<void> {
  const uris = [...(await readAll(client, graphs)).keys()]
  for (const piece of await readConceptStatements(client, subset, uris))
    addGraph(source, piece, { isWanted: () => true })
}

/** The concepts of the vocabulary in the files that name proposals as the same, by proposal. */
function replacements(
  source: SourceGraph,
  { scheme, subsets }: ReplacedVocabulary,
  uris: readonly string[],
): Map<string, string[]> {
  const takersOf = new Map<string, string[]>()
  if (source.namesMinted.length === 0) return takersOf
  const naming = source.namesMinted.byTarget(source.size)
  const membership = schemesOfConcepts(source, [scheme], new Set(subsets)).bySource(source.size)
  for (const uri of uris) {
    const node = source.find(uri)
    const takers =
      node === undefined ? [] : [...naming.of(node)].filter((taker) => membership.of(taker).includes(scheme))
    if (takers.length > 0) takersOf.set(uri, [...new Set(takers.map((taker) => source.iri(taker)))].sort())
  }
  return takersOf
}

/** Adds proposals with all statements of the store about them. @returns the resources that the files lack. */
async function carry(
  client: SparqlClient,
  source: SourceGraph,
  { scheme, storedGraphs, subsets }: ReplacedVocabulary,
  uris: readonly string[],
): Promise<Set<number>> {
  const wanted = new Set(uris)
  const described = new Map<string, boolean>()
  const isDescribed = (subject: string) => {
    const present = described.get(subject)
    if (present !== undefined) return present
    const node = source.find(subject)
    const isIt = node !== undefined && source.describe(node).statements.length > 0
    described.set(subject, isIt)
    return isIt
  }
  /** Names of publishers and licences come from the files. A link stays only if its source is still in them. */
  const isWanted = (subject: string, object: ObjectTerm) =>
    wanted.has(subject) || subject.startsWith('_:') || isDescribed(subject) === wanted.has(object.value)
  const rename = (uri: string) => renamed(uri, storedGraphs, source.iri(scheme))

  for (const graph of storedGraphs) {
    for (const piece of await readConceptStatements(client, graph, uris)) {
      addGraph(source, piece, { isWanted, rename })
    }
  }
  for (const subset of subsets.map((node) => source.iri(node))) {
    for (const piece of await readConceptStatements(client, subset, uris)) {
      addGraph(source, piece, { isWanted: () => true, graph: subset })
    }
  }
  const carried = [...uris, ...[...described].flatMap(([uri, isIt]) => (isIt ? [] : uri))]
  return new Set(carried.flatMap((uri) => source.find(uri) ?? []))
}

/** The statements of a graph about concepts, in pieces, each of which has its own blank nodes. */
async function readConceptStatements(client: SparqlClient, graph: string, uris: readonly string[]): Promise<Graph[]> {
  const pieces: Graph[] = []
  for (let from = 0; from < uris.length; from += PIECE) {
    const terms = { graph: [iri(graph)], concept: uris.slice(from, from + PIECE).map(iri) }
    const query = queryTemplate('proposals/statements').bind({ terms })
    pieces.push(await client.construct(query, NO_DEADLINE))
  }
  return pieces
}

interface AddedStatements {
  isWanted: (subject: string, object: ObjectTerm) => boolean
  /** The URI of a resource from now on. */
  rename?: (uri: string) => string
  /** The named graph of the files for them. */
  graph?: string
}

/** Adds the statements of a graph to files, among which they do not count. */
function addGraph(
  source: SourceGraph,
  statements: Graph,
  { isWanted, rename = (uri) => uri, graph }: AddedStatements,
): void {
  const { read } = source
  const where = graph === undefined ? DataFactory.defaultGraph() : DataFactory.namedNode(graph)
  source.startFile()
  for (const [name, properties] of statements) {
    const subject = rename(name)
    const term = subject.startsWith('_:') ? blankNode(subject) : DataFactory.namedNode(subject)
    for (const [predicate, objects] of properties) {
      for (const object of objects) {
        if (!isWanted(subject, object)) continue
        source.add(DataFactory.quad(term, DataFactory.namedNode(predicate), toTerm(object, rename), where))
      }
    }
  }
  source.read = read
}

/** The URI of a vocabulary instead of its former URIs. */
function renamed(linked: string, storedGraphs: readonly string[], uri: string): string {
  return storedGraphs.includes(linked) ? uri : linked
}

function toTerm({ termType, value, language, datatype }: ObjectTerm, rename: (uri: string) => string): Quad_Object {
  if (termType === 'NamedNode') return DataFactory.namedNode(rename(value))
  if (termType === 'BlankNode') return blankNode(value)
  return DataFactory.literal(value, language || (datatype ? DataFactory.namedNode(datatype) : undefined))
}

function blankNode(label: string): Quad_Subject {
  return DataFactory.blankNode(label.slice('_:'.length))
}

/**
 * Adds proposals to a normalised vocabulary that came after `addProposals`. Call it while the graphs are held.
 *
 * @returns these proposals as N-Triples.
 * @throws InputError if somebody has decided about a proposal meanwhile; ApiError if the store fails.
 */
export async function addLateProposals(client: SparqlClient, vocabulary: NormalisedWithProposals): Promise<string[]> {
  return append(client, vocabulary, await lateProposals(client, vocabulary))
}

/**
 * The proposals that came after `addProposals`.
 *
 * @throws InputError if somebody has decided about a proposal meanwhile; ApiError if the store fails.
 */
export async function lateProposals(
  client: SparqlClient,
  { uri, storedGraphs, proposals }: Omit<NormalisedWithProposals, 'normalised'>,
): Promise<string[]> {
  const present = await readAll(client, storedGraphs)
  const isAsBefore = (proposal: string) => present.get(proposal)?.isAccepted === proposals.accepted.has(proposal)
  if (!proposals.stored.every(isAsBefore)) {
    throw new InputError(`the proposals of <${uri}> changed meanwhile, so nothing is written. Try again.`)
  }
  return [...present.keys()].filter((proposal) => !proposals.stored.includes(proposal))
}

/**
 * Adds proposals that came late to a normalised vocabulary that an update has written, so that they are in its graph
 * already.
 *
 * @returns these proposals as N-Triples.
 */
export async function addPresentProposals(
  client: SparqlClient,
  vocabulary: NormalisedWithProposals,
): Promise<string[]> {
  const { storedGraphs, proposals } = vocabulary
  const present = [...(await readAll(client, storedGraphs)).keys()]
  return append(
    client,
    vocabulary,
    present.filter((uri) => !proposals.stored.includes(uri)),
  )
}

async function append(
  client: SparqlClient,
  { uri, storedGraphs, normalised }: NormalisedWithProposals,
  late: readonly string[],
): Promise<string[]> {
  /** The statements about each of them and the nodes that it names. */
  const pieces = new Map<string, Graph>()
  for (const graph of storedGraphs) {
    for (const piece of await readConceptStatements(client, graph, late)) {
      for (const proposal of late) if (piece.has(proposal)) pieces.set(proposal, piece)
    }
  }
  const { triples } = normalised
  const rename = (object: ObjectTerm): ObjectTerm =>
    object.termType === 'NamedNode' ? { ...object, value: renamed(object.value, storedGraphs, uri) } : object
  let blankNodes = 0
  const texts: string[] = []
  for (const proposal of late) {
    const piece = pieces.get(proposal)!
    const properties: NodeProperties = new Map()
    let text = ''
    /** A publisher or a licence, which the concept has from its vocabulary; each concept gets a node of its own. */
    const copied = (node: ObjectTerm): ObjectTerm => {
      // Normalising makes labels of "b" and a number.
      const copy = { ...node, value: `_:late${++blankNodes}` }
      text += writeNode(copy.value, piece.get(node.value))
      return copy
    }
    for (const [predicate, objects] of piece.get(proposal)!) {
      if (predicate.startsWith(BOOKKEEPING)) continue
      properties.set(
        predicate,
        objects.map((object) => (object.termType === 'BlankNode' ? copied(object) : rename(object))),
      )
    }
    text += writeNode(proposal, properties)
    if (properties.has(`${SKOS}topConceptOf`)) text += `<${uri}> <${SKOS}hasTopConcept> <${proposal}> .\n`
    normalised.graphs.append(0, text)
    normalised.concepts++
    triples[0]! += text.split('\n').length - 1
    texts.push(text)
  }
  return texts
}
