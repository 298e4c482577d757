import type { Endpoint } from '../../interface/http/endpoint.ts'
import { PAGE_PARAMETERS, operation } from '../../interface/openapi/operation.ts'
import { MALFORMED, NOT_FOUND, NOT_MODIFIED, STORE_ERRORS } from '../../interface/openapi/responses.ts'
import { records } from '../../interface/read/record-operations.ts'
import type { FollowDependencies } from '../history/activity.ts'
import { proposals } from './answer.ts'

/** The endpoints of proposals (docs/ingest.md, "Proposals"). */
export const PROPOSAL_ENDPOINTS: readonly Endpoint<FollowDependencies>[] = [
  {
    path: '/voc/:vocid/proposals',
    get: {
      handler: proposals,
      operation: operation('Vocabularies', {
        id: 'getProposals',
        summary: 'The proposed concepts of a vocabulary, and the decisions about them',
        description:
          'Open proposals, the oldest first; or accepted proposals that no file has yet, or refused proposals, the last decision first.',
        parameters: ['vocid', 'proposalStatus', 'properties', 'languages', 'language', ...PAGE_PARAMETERS, 'format'],
        responses: {
          200: records('ProposedConcept', 'The records; those of refused proposals are as they were'),
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...NOT_FOUND,
          ...STORE_ERRORS,
        },
      }),
    },
  },
]
