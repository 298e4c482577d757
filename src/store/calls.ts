import type { ErrorName } from '../errors.ts'
import type { GraphChange, GraphReading, MemoryBound, Wear } from './dataset.ts'
import type { GraphFile, GraphName } from './files.ts'
import type { JournalPosition } from './journal.ts'
import type { Manifest } from './manifest.ts'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'

/** A change that a thread makes ahead of the journal. */
export type StagedChange = Extract<GraphChange, { type: 'put' | 'add' }>

/** What a thread is started with: the dataset that it is to hold. */
export interface ThreadOptions {
  directory: string
  manifest: Manifest
  /** As far as the journals are to be executed at once; where there is none, to their end, but only when it becomes the writer. */
  position?: JournalPosition | undefined
  staged?: StagedChange | undefined
  memory: MemoryBound
}

/** Where the journal stands after a write. */
export interface WriteReport {
  position: JournalPosition
  sequence: number
  wear: Wear
}

/** What can be asked of a thread. A write answers `held` instead of waiting for the graph that is held. */
export interface Calls {
  /** The first answer of every thread, unasked: the dataset is there. */
  open: { arguments: object; result: undefined }
  query: { arguments: { http: ProtocolRequest; catchUpTo?: JournalPosition }; result: ProtocolAnswer }
  update: { arguments: { http: ProtocolRequest }; result: WriteReport | 'held' }
  changeGraph: { arguments: { change: GraphChange }; result: (WriteReport & { existed: boolean }) | 'held' }
  readGraph: {
    arguments: { graph: GraphName; accept: string | undefined; mostTriples: number }
    result: GraphReading & { contentType: string }
  }
  /** From now on no write touches a graph; without a graph, all writes do as they like again. */
  hold: { arguments: { graph?: { name: GraphName } }; result: { existed: boolean; position: JournalPosition } }
  catchUp: { arguments: { position: JournalPosition }; result: undefined }
  becomeWriter: {
    arguments: { journal: number; since: number }
    result: WriteReport & { requests: number[]; torn: number; mentionedFiles: string[] }
  }
  switchJournal: { arguments: { position: JournalPosition }; result: undefined }
  /** Journals the change that was staged; the thread has to be the writer. */
  commitStaged: { arguments: { change: StagedChange }; result: WriteReport }
  writeOut: { arguments: object; result: { sequence: number; graphs: GraphFile[]; mentionedFiles: string[] } }
}

export type CallName = keyof Calls

/** A call as it is sent to a thread. */
export type CallMessage = {
  [Name in CallName]: {
    /** Never used twice in a process. */
    id: number
    name: Name
    arguments: Calls[Name]['arguments']
    /** Milliseconds since the epoch after which nobody waits for the answer. */
    deadline: number
  }
}[CallName]

/** Nobody waits for the answer of a call any more: where it has not begun, it is left out. */
export interface CancelMessage {
  cancel: number
}

/** Why a thread cannot go on: the files are not what was written, the disk failed, or WebAssembly did. */
export type FatalKind = 'damage' | 'disk' | 'crash'

/** What a thread sends back. After `fatal` it is of no more use. */
export type ReplyMessage =
  | { id: number; result: unknown }
  | { id: number; error: { name: ErrorName; message: string; cause: string } }
  | { id: number; fatal: FatalKind; message: string }
  | { id: number; expired: true }

/** Id of the answer to `open`. */
export const OPENING = 0
