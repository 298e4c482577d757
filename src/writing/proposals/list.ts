import { compareCodePoints } from '../../graph/jskos/order.ts'
import { looksMinted, readProposals } from '../../graph/vocabularies/proposals.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import type { History } from '../history/history.ts'
import { DECISIONS, type Change } from '../history/log/change.ts'
import { toFields } from '../history/versions.ts'

/** The states of a proposal; `open`: nobody has decided yet. */
export const PROPOSAL_STATES = ['open', ...DECISIONS] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** True for the name of a state. */
export function isProposalState(text: string): text is ProposalState {
  return PROPOSAL_STATES.some((state) => state === text)
}

/** A proposal, and the decision about it. */
export interface ListedProposal {
  uri: string
  state: ProposalState
  /** Names by language tag; of a refused one the last. */
  prefLabel: Record<string, string>
  /** The day of the ingest, YYYY-MM-DD. */
  created: string | undefined
  /** The account that has proposed it, if the history knows it. It is half of a login, so not for everybody. */
  account: string | undefined
  decision: MadeDecision | undefined
  /** The statements that a refused one had, as in `Resource`. */
  statements: readonly string[] | undefined
}

/** A decision about a proposal. */
export interface MadeDecision {
  /** ISO 8601 in UTC. */
  time: string
  reason: string | undefined
  /** The account of the editor; undefined for a command of the operator. Not for everybody. */
  account: string | undefined
}

/**
 * The proposals of a vocabulary in a state: open ones by age, others by the time of the decision, the last one first.
 * Accepted ones are proposals that no file has yet, refused ones proposals that have not come back. Only the history
 * has decisions; without it there are no refused ones.
 *
 * @param graph the URI of the vocabulary.
 * @throws ApiError if the store fails, the errors of the log.
 */
export async function listProposals(
  client: SparqlClient,
  history: History | undefined,
  graph: string,
  state: ProposalState,
): Promise<ListedProposal[]> {
  const present = state === 'refused' ? [] : await readProposals(client, graph)
  const proposals = present.filter(({ isAccepted }) => isAccepted === (state === 'accepted'))
  if (state !== 'refused' && proposals.length === 0) return []
  // Only the history has the accounts, because their names are secret.
  const logged = await history?.followGraph(graph)
  const accounts = logged ? await history!.log.accounts(logged) : new Map<string, string>()
  const decisions = state === 'open' || !logged ? [] : await history!.log.decisions(logged, state)
  if (state === 'refused') return decisions.map((change) => listedRefusal(change, accounts.get(change.uri)))
  const decided = new Map(decisions.map((change) => [change.uri, change]).reverse() as [string, Change][])
  const listed = proposals.map(({ uri, prefLabel, created }) => {
    const change = decided.get(uri)
    const decision = change && decisionOf(change)
    return { uri, state, prefLabel, created, account: accounts.get(uri), decision, statements: undefined }
  })
  if (state === 'open') {
    // The store has days alone. What the log does not have yet is the newest.
    const places = new Map([...accounts.keys()].map((uri, at) => [uri, at]))
    const placeOf = ({ uri }: ListedProposal) => places.get(uri) ?? places.size
    const day = ({ created = '' }: ListedProposal) => created
    return listed.sort((a, b) => compareCodePoints(day(a), day(b)) || placeOf(a) - placeOf(b))
  }
  const key = ({ decision }: ListedProposal) => decision?.time ?? ''
  return listed.sort((a, b) => compareCodePoints(key(b), key(a)))
}

/**
 * The decision by which a concept of the store was accepted; undefined if it is no accepted proposal. A concept that
 * has gone since and come back is none.
 *
 * @throws the errors of the log; ApiError if the store fails.
 */
export async function acceptanceOf(history: History, uri: string): Promise<MadeDecision | undefined> {
  // Most concepts come from files, and cost no request to the store.
  if (!looksMinted(uri)) return undefined
  if (!(await history.log.changesOf(uri)).some(({ cause }) => cause.by === 'ingest')) return undefined
  await history.follow(uri)
  const changes = await history.log.changesOf(uri)
  const last = changes.find(({ kind, cause }) => kind === 'Delete' || cause.decision !== undefined)
  return last?.cause.decision === 'accepted' ? decisionOf(last) : undefined
}

function listedRefusal(change: Change, account: string | undefined): ListedProposal {
  const { uri, removed = [] } = change
  const { prefLabel = {}, created } = toFields(uri, removed)
  return { uri, state: 'refused', prefLabel, created, account, decision: decisionOf(change), statements: removed }
}

/** The decision that a change carries out. */
function decisionOf({ time, cause }: Pick<Change, 'time' | 'cause'>): MadeDecision {
  return { time, reason: cause.reason, account: cause.account }
}
