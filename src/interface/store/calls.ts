import type { CallName, CallMessage, CancelMessage } from '../../base/threads/messages.ts'
import type { GraphContents } from './contents.ts'
import type { DatasetChange, MemoryBound, Wear } from './dataset.ts'
import type { GraphFile } from './graph-files.ts'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'

/** The dataset that a thread starts with. */
export interface ThreadOptions {
  directory: string
  graphs: ReadonlyMap<string, GraphContents>
  /** A graph that replaces one of these, or an additional one. Its client gets the error if its file has a mistake. */
  put?: { graph: string; file: GraphFile } | undefined
  memory: MemoryBound
}

/** The calls that a thread of the store answers. */
export type StoreCalls = {
  open: { arguments: object; result: Wear }
  query: { arguments: { http: ProtocolRequest }; result: ProtocolAnswer }
  /**
   * Makes a change that is not on disk yet. Until it gets `ALL_ON_DISK`, the thread answers only further changes, so
   * that no reader sees data that a crash could undo; while it loads a graph, it answers readers from the previous
   * data. Returns the graphs that have gone.
   */
  make: { arguments: { change: DatasetChange }; result: { gone: string[]; wear: Wear } }
  /** Makes a change that is on disk. */
  follow: { arguments: { change: DatasetChange }; result: undefined }
  /** A graph as N-Triples; undefined if it has more triples than that. */
  dump: { arguments: { graph: string; mostTriples: number }; result: Uint8Array | undefined }
  /** Writes graphs into new files. */
  writeOut: { arguments: { graphs: string[] }; result: { files: GraphFile[]; wear: Wear } }
  /** Does nothing; its answer shows that all earlier calls are done. */
  reach: { arguments: object; result: undefined }
}

export type StoreCall = CallMessage<StoreCalls>
export type StoreCallName = CallName<StoreCalls>

/** All changes that were made are on disk. */
export const ALL_ON_DISK = 'settled'

export type StoreMessage = StoreCall | CancelMessage | typeof ALL_ON_DISK
