import { OWL, XSD } from '../../base/namespaces.ts'
import type { ChangeKind, NewChange } from './log/change.ts'
import { isListedResource } from './listed-class.ts'
import type { ChangedResource } from './resources.ts'

const DEPRECATED = `<${OWL}deprecated> "true"^^<${XSD}boolean>`

/** A change without digests. */
export type ResourceDifference = Omit<NewChange, 'before' | 'after'>

/**
 * The change of a resource.
 *
 * @param resource has statements before, after, or both.
 */
export function differenceOf({ uri, before, after }: ChangedResource): ResourceDifference {
  const wasListed = before !== undefined && isListedResource(before)
  const isListedNow = after !== undefined && isListedResource(after)
  const { removed, added } = statementsChanged(before, after)
  const kind = !before ? 'Create' : !after ? 'Delete' : kindOfUpdate(added, { wasListed, isListedNow })
  return { uri, kind, isListed: wasListed || isListedNow, removed, added }
}

/**
 * The kind of a change to an existing resource. A concept ends when the graph no longer describes it, even if other
 * concepts still name it, because the hierarchy is written in both directions.
 */
export function kindOfUpdate(
  added: readonly string[],
  { wasListed, isListedNow }: { wasListed: boolean; isListedNow: boolean },
): ChangeKind {
  if (wasListed !== isListedNow) return wasListed ? 'Delete' : 'Create'
  return added.includes(DEPRECATED) ? 'Deprecate' : 'Update'
}

/** The statements by which two states of a resource differ. */
export function statementsChanged(
  before: readonly string[] = [],
  after: readonly string[] = [],
): { removed: string[]; added: string[] } {
  const [old, now] = [new Set(before), new Set(after)]
  return {
    removed: [...old].filter((statement) => !now.has(statement)),
    added: after.filter((statement) => !old.has(statement)),
  }
}
