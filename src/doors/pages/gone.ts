import { ApiError } from '../../base/errors.ts'
import { findGone } from '../../writing/history/versions.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import type { EndpointRequest } from '../../routes.ts'
import type { Item } from './records.ts'

/**
 * Refuses the URIs of deleted resources. Call it for URIs that the store does not have.
 *
 * @throws ApiError GoneError if one of them was deleted, with what replaces it.
 */
export async function refuseGone(endpointRequest: EndpointRequest, uris: readonly string[]): Promise<void> {
  const { history } = endpointRequest.dependencies
  const gone = history && (await findGone(history, uris))
  if (!gone) return
  const replacedBy = await withNames(endpointRequest, gone.replacedBy)
  const day = gone.date.slice(0, 10)
  const end = gone.decision === undefined ? `was deleted on ${day}` : `was proposed, and refused on ${day}`
  const reason = gone.reason === undefined ? '' : `: ${gone.reason}`
  throw new ApiError('GoneError', `uri: <${gone.uri}> ${end}${reason === '' ? '.' : reason}`, {
    gone: { ...gone, replacedBy },
  })
}

/** Adds labels and notations to those concepts that the store has. */
async function withNames(endpointRequest: EndpointRequest, items: readonly Item[]): Promise<Item[]> {
  const uris = items.flatMap(({ uri }) => uri ?? [])
  const records = await recordsByUri(endpointRequest, uris)
  return uris.map((uri) => {
    const { prefLabel, notation } = records.get(uri) ?? {}
    return { uri, ...(prefLabel ? { prefLabel } : {}), ...(notation?.length ? { notation } : {}) }
  })
}
