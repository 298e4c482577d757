import type { RequestHandler } from 'express'
import { queryOf, readChoice, readParameters } from '../../interface/http/parameters.ts'
import { beginAnswer, sendList } from '../../interface/http/send.ts'
import { conceptRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { recordsOfConcepts } from '../../interface/read/concepts.ts'
import { CONCEPTS_AT_A_TIME, inPieces } from '../../interface/read/pieces.ts'
import { listRequest, type ListRequest } from '../../interface/read/request.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../../interface/representations/representations.ts'
import type { FollowDependencies } from '../history/activity.ts'
import type { Decision } from '../history/log/change.ts'
import type { HistoryDependencies } from '../history/past.ts'
import { toNode } from '../history/versions.ts'
import { listProposals, PROPOSAL_STATES, type ListedProposal, type ProposalState } from './list.ts'

/** Records on a page unless the request says otherwise. */
const PAGE = 100
const PARAMETERS = ['status', 'limit', 'offset', 'format', 'properties', 'languages', 'language']

/** The record of a proposal, with the decision about it, and without names of accounts. */
type ProposedConcept = JskosRecord & {
  /** Absent while nobody has decided. */
  decision?: Decision
  /** ISO 8601 in UTC. */
  decisionTime?: string
  reason?: string
}

/** GET /voc/{vocid}/proposals: proposals and decisions about them (docs/ingest.md, "Proposals"). */
export function proposals(dependencies: FollowDependencies): RequestHandler {
  const { baseUrl } = dependencies.config
  return async (http, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(http), PARAMETERS)
    const representation = chooseRepresentation(REPRESENTATIONS, http, parameters)
    const answer = await beginAnswer(http, response, dependencies)
    if (!answer) return
    try {
      const { signal } = answer
      const vocid = String(http.params['vocid'])
      const request = await listRequest(dependencies, { parameters, vocid, signal }, { limit: PAGE })
      const { total, proposals: listed } = await findProposals(dependencies, request)
      const records = inPieces(
        listed,
        CONCEPTS_AT_A_TIME,
        (piece) => recordsOfProposals(dependencies, request, piece),
        signal,
      )
      if (parameters.has('language')) response.setHeader('Content-Language', request.view.preferred[0]!)
      await sendList(answer, { total, page: request.page, records, representation, baseUrl })
    } finally {
      answer.end()
    }
  }
}

/**
 * The proposals of a vocabulary on a page of the list of its `status`, and their number.
 *
 * @throws ApiError MalformedRequestError naming a wrong parameter, EntityNotFoundError if there is no such vocabulary;
 *   the errors of the store and of the log.
 */
export async function findProposals(
  { client, history, registry }: HistoryDependencies,
  { vocid = '', parameters, page }: ListRequest,
): Promise<{ total: number; state: ProposalState; proposals: ListedProposal[] }> {
  const state = readChoice(parameters, 'status', PROPOSAL_STATES) ?? 'open'
  const { uri, isSubset } = await registry.require(vocid)
  // Proposals are about whole vocabularies.
  const all = isSubset ? [] : await listProposals(client, history, uri, state)
  return { total: all.length, state, proposals: all.slice(page.offset, page.offset + page.limit) }
}

/** The records of proposals: refused ones as they were, the others from the store, unless it lacks them. */
async function recordsOfProposals(
  dependencies: HistoryDependencies,
  { view, signal }: Pick<ListRequest, 'view' | 'signal'>,
  listed: readonly ListedProposal[],
): Promise<ProposedConcept[]> {
  const present = listed.filter(({ state }) => state !== 'refused').map(({ uri }) => uri)
  const records = new Map<string, JskosRecord>()
  for await (const piece of recordsOfConcepts(dependencies, present, view, signal)) {
    for (const record of piece) records.set(record.uri, record)
  }
  return listed.flatMap((proposal) => {
    const { uri, state, statements, decision } = proposal
    const record = statements ? conceptRecord(toNode(uri, statements) ?? { uri }, false, view) : records.get(uri)
    if (!record) return []
    if (state === 'open' || !decision) return [state === 'open' ? record : { ...record, decision: state }]
    const { time, reason } = decision
    return [{ ...record, decision: state, decisionTime: time, ...(reason === undefined ? {} : { reason }) }]
  })
}
