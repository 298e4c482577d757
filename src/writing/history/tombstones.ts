import type { Gone } from '../../base/errors.ts'
import type { History } from './history.ts'
import { toFields } from './versions.ts'

/**
 * The first of these resources that was deleted, described by its last statements; undefined if the history knows of no
 * deletion. Call it for URIs that the store does not have.
 */
export async function findGone(history: History, uris: readonly string[]): Promise<Gone | undefined> {
  for (const uri of uris) {
    if ((await history.log.graphsOf(uri)).length === 0) continue
    await history.follow(uri)
    const changes = (await history.log.changesOf(uri)).filter(({ isListed }) => isListed)
    const isLast = ({ graph }: (typeof changes)[0], at: number) =>
      changes.findIndex((change) => change.graph === graph) === at
    const [last, ...further] = changes.filter(isLast)
    if (!last || [last, ...further].some(({ kind }) => kind !== 'Delete')) continue
    const statements = [...(last.removed ?? []), ...(last.added ?? [])]
    const { prefLabel, notation, replacedBy = [] } = toFields(uri, statements)
    const named = { ...(prefLabel ? { prefLabel } : {}), ...(notation ? { notation } : {}) }
    const { decision, reason } = last.cause
    const refused = decision === undefined ? {} : { decision, ...(reason === undefined ? {} : { reason }) }
    return { uri, date: last.time, ...named, replacedBy, ...refused }
  }
  return undefined
}
