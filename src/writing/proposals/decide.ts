import { InputError } from '../../base/files/input-error.ts'
import type { History } from '../history/history.ts'
import type { Cause, Decision } from '../history/log/change.ts'
import { HOLD, LOAD, ORDER, REVISION, SKOS, STATUS, UNDER_DEVELOPMENT } from '../../base/namespaces.ts'
import { removalOf, type NarrowerLink } from '../../graph/index/difference.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate, type BoundTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal, triple } from '../../graph/sparql/terms.ts'
import { GraphHold } from '../../graph/vocabularies/graph-hold.ts'
import type { RecordOrder } from '../../graph/jskos/order.ts'
import { newLoadId, readVocabularies, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { looksMinted, readProposals, type Proposal } from '../../graph/vocabularies/proposals.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { addToList } from '../../base/groups.ts'

/** A person's decision about proposals (docs/ingest.md, "Proposals"). */
export interface NewDecision {
  decision: Decision
  /** For the proposer and for readers. */
  reason?: string | undefined
  /** The account of an editor; undefined: a command of the operator. */
  account?: string | undefined
}

/** The parts of the service that hear of a change to proposals. */
interface ChangeDependencies {
  client: SparqlClient
  history?: History | undefined
  index?: VocabularyIndex | undefined
}

/** The maximum number of characters of a reason. */
const MOST_REASON = 2000

/**
 * A reason without spaces at its ends; undefined if there is none.
 *
 * @throws InputError if it is too long.
 */
export function readReason(text = ''): string | undefined {
  const reason = text.normalize('NFC').trim()
  if (reason.length > MOST_REASON) {
    throw new InputError(`reason: expected at most ${MOST_REASON} characters, got ${reason.length}.`)
  }
  return reason === '' ? undefined : reason
}

/**
 * Accepts or refuses open proposals, those of one vocabulary in one transaction. Accepted ones lose their mark, refused
 * ones leave the graph. The decision is kept in the history, with the account and the reason.
 *
 * @param graph the URI of their vocabulary; undefined: any.
 * @throws InputError if one of the URIs is no open proposal, or if there is no history; then nothing has changed.
 *   ApiError if the store fails.
 */
export async function decideProposals(
  { client, history, index }: ChangeDependencies,
  uris: readonly string[],
  { decision, reason, account }: NewDecision,
  graph?: string,
): Promise<void> {
  if (!history) {
    throw new InputError(
      'the history keeps decisions, and HISTORY=off switches it off; "vocab proposals remove" removes proposals.',
    )
  }
  const cause: Cause = {
    by: 'proposals',
    decision,
    ...(reason === undefined ? {} : { reason }),
    ...(account === undefined ? {} : { account }),
  }
  const isOpen = ({ isAccepted }: Proposal) => !isAccepted
  const write = decision === 'accepted' ? acceptance : removalUpdate
  await change({ client, history, index }, uris, { kind: 'open proposal', isTaken: isOpen, cause, write, graph })
}

/**
 * Removes proposals, open and accepted ones, those of one vocabulary in one transaction.
 *
 * @throws InputError if one of the URIs is no proposal; then nothing has changed. ApiError if the store fails.
 */
export async function removeProposals(
  client: SparqlClient,
  uris: readonly string[],
  history?: History,
  index?: VocabularyIndex,
): Promise<void> {
  const cause: Cause = { by: 'proposals' }
  await change({ client, history, index }, uris, { kind: 'proposal', isTaken: () => true, cause, write: removalUpdate })
}

/** A change to some proposals. */
interface ProposalChange {
  /** In words, for the error about any other URI. */
  kind: string
  isTaken: (proposal: Proposal) => boolean
  cause: Cause
  write: typeof removalUpdate
  graph?: string | undefined
}

async function change(
  dependencies: ChangeDependencies,
  uris: readonly string[],
  proposalChange: ProposalChange,
): Promise<void> {
  const { client } = dependencies
  const { kind, isTaken, graph: only } = proposalChange
  const rest = new Set(uris)
  const byGraph = new Map<string, string[]>()
  const vocabularies = [...rest].some(looksMinted) ? await readVocabularies(client) : []
  for (const { uri: graph, isSubset } of vocabularies) {
    if (isSubset || rest.size === 0 || (only !== undefined && graph !== only)) continue
    const taken = (await readProposals(client, graph)).filter(
      (proposal) => isTaken(proposal) && rest.delete(proposal.uri),
    )
    if (taken.length > 0)
      byGraph.set(
        graph,
        taken.map(({ uri }) => uri),
      )
  }
  for (const uri of rest) throw new InputError(`<${uri}> is no ${kind}; "vocab proposals" lists all.`)
  for (const [graph, some] of byGraph) await changeHeld(dependencies, graph, some, proposalChange)
}

async function changeHeld(
  { client, history, index }: ChangeDependencies,
  graph: string,
  uris: readonly string[],
  { isTaken, cause, write }: ProposalChange,
): Promise<void> {
  // A load under way has already read the proposals.
  const hold = await GraphHold.take(client, graph)
  try {
    const present = new Set((await readProposals(client, graph)).filter(isTaken).map(({ uri }) => uri))
    const other = uris.find((uri) => !present.has(uri))
    if (other !== undefined) throw new InputError(`<${other}> changed meanwhile, so nothing is changed. Try again.`)
    const load = newLoadId()
    const { update, gone, removed } = await write(client, graph, uris, load)
    // Nobody can ingest meanwhile, so this revision is the last one before.
    const before = index && (await stateOf(client, graph))
    const send = () => client.update(update, graph, NO_DEADLINE)
    if (history) await history.changeProposals({ graph, gone, removed, load, cause }, send)
    else await send()
    const order = index && (await stateOf(client, graph))?.order
    if (order === undefined) return
    const difference = { ...removalOf(gone), unlinked: narrowerLinks(removed) }
    await index!.change(graph, difference, { before: before?.revision ?? '', after: load, load, order })
  } catch (error) {
    await hold?.release()
    throw error
  } finally {
    hold?.end()
  }
}

/** The links to narrower concepts among some statements. @param statements by their subject. */
function narrowerLinks(statements: ReadonlyMap<string, readonly string[]>): NarrowerLink[] {
  const beginning = `<${SKOS}narrower> <`
  return [...statements].flatMap(([parent, some]) =>
    some.flatMap((statement): NarrowerLink[] =>
      statement.startsWith(beginning) ? [[parent, statement.slice(beginning.length, -1)]] : [],
    ),
  )
}

async function stateOf(client: SparqlClient, graph: string): Promise<Vocabulary | undefined> {
  return (await readVocabularies(client)).find(({ uri }) => uri === graph)
}

/** An update of proposals, and its effect on the resources of the graph. */
interface ProposalUpdate {
  update: BoundTemplate
  /** The concepts that leave the graph. */
  gone: readonly string[]
  /** Statements of other resources that go, by resource. */
  removed: ReadonlyMap<string, readonly string[]>
}

async function removalUpdate(
  client: SparqlClient,
  graph: string,
  uris: readonly string[],
  load: string,
): Promise<ProposalUpdate> {
  const scheme = iri(graph)
  const { marks, former } = marksOf(graph, load)
  const order = (name: RecordOrder) => [triple(scheme, iri(ORDER), literal(name))]
  const update = queryTemplate('proposals/remove').bind({
    terms: {
      graph: [scheme],
      scheme: [scheme],
      concept: uris.map(iri),
      marks,
      former: [...former, iri(ORDER)],
      natural: order('natural'),
      label: order('label'),
    },
  })
  return { update, gone: uris, removed: await readLinks(client, graph, uris) }
}

function acceptance(
  _client: SparqlClient,
  graph: string,
  uris: readonly string[],
  load: string,
): Promise<ProposalUpdate> {
  const scheme = iri(graph)
  const update = queryTemplate('proposals/accept').bind({
    terms: { graph: [scheme], scheme: [scheme], concept: uris.map(iri), ...marksOf(graph, load) },
  })
  const marked = [`<${STATUS}> <${UNDER_DEVELOPMENT}>`]
  return Promise.resolve({ update, gone: [], removed: new Map(uris.map((uri) => [uri, marked])) })
}

/** The bookkeeping after a change: a new revision, by which readers know of it, and nobody's hold. */
function marksOf(graph: string, load: string) {
  const marks = [REVISION, LOAD].map((name) => triple(iri(graph), iri(name), literal(load)))
  return { marks, former: [REVISION, LOAD, HOLD].map(iri) }
}

/** The statements that name concepts, by subject. */
async function readLinks(client: SparqlClient, graph: string, uris: readonly string[]): Promise<Map<string, string[]>> {
  const query = queryTemplate('proposals/links').bind({ terms: { graph: [iri(graph)], concept: uris.map(iri) } })
  const links = new Map<string, string[]>()
  for (const { concept, subject, property } of await client.select(query, NO_DEADLINE)) {
    if (uris.includes(subject!.value)) continue
    addToList(links, subject!.value, `<${property!.value}> <${concept!.value}>`)
  }
  return links
}
