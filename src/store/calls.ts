import type { ErrorName } from '../errors.ts'
import type { StoredGraph } from './contents.ts'
import type { Change, MemoryBound, Wear } from './dataset.ts'
import type { GraphFile } from './graph-files.ts'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'

/** The dataset that a thread starts with. */
export interface ThreadOptions {
  directory: string
  graphs: ReadonlyMap<string, StoredGraph>
  /** A graph that replaces one of these, or an additional one. Its client gets the error if its file has a mistake. */
  put?: { graph: string; file: GraphFile } | undefined
  memory: MemoryBound
}

/** The calls that a thread answers. */
export interface Calls {
  /** The first answer of every thread, unasked: the dataset is there. */
  open: { arguments: object; result: Wear }
  query: { arguments: { http: ProtocolRequest }; result: ProtocolAnswer }
  /**
   * Makes a change that is not on disk yet. Until `SETTLED` says that it is, the thread answers only further changes, so that no
   * reader sees data that a crash could undo. Gives the graphs that have gone.
   */
  make: { arguments: { change: Change }; result: { gone: string[]; wear: Wear } }
  /** Makes a change that is on disk. */
  follow: { arguments: { change: Change }; result: undefined }
  /** A graph as N-Triples; undefined if it has more triples than that. */
  dump: { arguments: { graph: string; mostTriples: number }; result: Uint8Array | undefined }
  /** Writes graphs into new files. */
  writeOut: { arguments: { graphs: string[] }; result: { files: GraphFile[]; wear: Wear } }
  /** Does nothing; its answer shows that all earlier calls are done. */
  reach: { arguments: object; result: undefined }
}

export type CallName = keyof Calls

/** A call as it is sent to a thread. */
export type CallMessage = {
  [Name in CallName]: {
    /** Unique within the process. */
    id: number
    name: Name
    arguments: Calls[Name]['arguments']
    /** Milliseconds since the epoch after which nobody waits for the answer. */
    deadline: number
  }
}[CallName]

/** Nobody waits for the answer of a call any more; the thread skips the call if it has not begun. */
export interface CancelMessage {
  cancel: number
}

/** All changes that were made are on disk. */
export const SETTLED = 'settled'

export type Message = CallMessage | CancelMessage | typeof SETTLED

/** The messages of a thread. After `fatal` it is unusable: a file is damaged, or the disk or WebAssembly failed. */
export type ReplyMessage =
  | { id: number; result: unknown }
  | { id: number; error: { name: ErrorName; message: string; cause: string } }
  | { id: number; fatal: 'damage'; file: string; place: string }
  | { id: number; fatal: 'disk' | 'crash'; message: string }
  | { id: number; expired: true }

/** Id of the answer to `open`. */
export const OPENING = 0
