import { isProposedRecord, looksMinted } from '../../graph/vocabularies/proposals.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import type { MadeDecision } from '../../writing/proposals/list.ts'
import { Day } from './format.tsx'
import { type PageRequest, useRequest } from './page-request.ts'

/**
 * Those of some concepts that are proposals. Only URIs that an ingest may have minted are looked up, so the lists of
 * most vocabularies cost no request.
 *
 * @throws the errors of the store.
 */
export async function proposalsAmong(request: PageRequest, uris: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await recordsByUri(request, uris.filter(looksMinted), { properties: 'status,inScheme' })
  return new Set([...records.values()].filter(isProposedRecord).map(({ uri }) => uri))
}

/** The mark of a proposal in a list. */
export function ProposedMark() {
  const { texts } = useRequest()
  return (
    <>
      {' '}
      <small class="tag">{texts.isProposed}</small>
    </>
  )
}

/** The decision by which a concept was accepted, without the account of the editor. */
export function Acceptance({ decision }: { decision: MadeDecision }) {
  const { texts } = useRequest()
  return (
    <div class="small">
      <p>
        {texts.acceptedSince} <Day date={decision.time.slice(0, 10)} />.
      </p>
      <Reason reason={decision.reason} />
    </div>
  )
}

/** The reason of a decision; nothing without one. */
export function Reason({ reason }: { reason: string | undefined }) {
  const { texts } = useRequest()
  return reason === undefined ? null : (
    <p>
      {texts.reason}: <bdi>{reason}</bdi>
    </p>
  )
}
