/**
 * The kinds of changes, in the words of Entity Metadata Management 1.0: `Add` is a resource that existed before the log
 * began.
 */
export const CHANGE_KINDS = ['Create', 'Update', 'Deprecate', 'Delete', 'Add'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The commands and requests that make changes. `found`: another program, whose result the service found. */
export const CHANGED_BY = ['load', 'ingest', 'normalise', 'remove', 'proposals', 'subset', 'found'] as const

/** The decisions about a proposal (docs/ingest.md, "Proposals"). */
export const DECISIONS = ['accepted', 'refused'] as const
export type Decision = (typeof DECISIONS)[number]

/** The command or request that made a change. */
export interface Cause {
  by: (typeof CHANGED_BY)[number]
  /** Names of the files of a load, without their folders. */
  files?: string[]
  /** The account of an ingest, or of a decision about proposals; absent: a command of the operator. */
  account?: string
  /** The decision about proposals that the changes carry out, and its reason. */
  decision?: Decision
  reason?: string
}

/** A vocabulary or subset whose changes are in the log. */
export interface LoggedGraph {
  id: number
  uri: string
  /** The UUID of the last load that the log knows (`LOAD` in the graph); empty if there was none. */
  load: string
  /** True if the log has every resource of the graph; false if it only knows some ingests. */
  isWhole: boolean
  /** The last changeset; 0 before the first one. */
  changeset: number
  /** Number of its listed changes since the log began, including changes that earlier versions have pruned. */
  changes: number
}

/** One change of one resource. */
export interface Change {
  uri: string
  kind: ChangeKind
  /** False for resources other than concepts, schemes and collections. */
  isListed: boolean
  /** The place among the listed changes of its graph, from 0; -1 if it has none. */
  position: number
  /** ISO 8601 in UTC. */
  time: string
  cause: Cause
  graph: string
  /** Hexadecimal digests of the statements; undefined if there are none. */
  before: string | undefined
  after: string | undefined
  /**
   * Statements as in `Resource`; undefined if they were too many to be kept. The end of a resource may add
   * `dct:isReplacedBy` for readers of the resource, although the graph does not have it.
   */
  removed: string[] | undefined
  added: string[] | undefined
}

/** A change to record. */
export interface NewChange {
  uri: string
  kind: ChangeKind
  isListed: boolean
  before: Buffer
  after: Buffer
  removed: readonly string[]
  added: readonly string[]
}

/** The last known state of a resource. */
export interface LoggedResource {
  id: number
  digest: Buffer
  isListed: boolean
}
