import type { StoreEndpoint } from '../sparql/client.ts'
import type {
  Found,
  IndexFigures,
  IndexQuestion,
  LetterCount,
  LabelEntry,
  LabelMatch,
  LetterQuestion,
  MatchQuestion,
  ReconcileQuestion,
  NameMatches,
} from './index-reader.ts'
import type { FoundMappings, MappingQuestion, SchemeCount } from './mapping-reader.ts'
import type { Space } from './mapping-rows.ts'
import type { IndexedGraph } from './index-writer.ts'
import type { Statement } from './labelled-resources.ts'
import type { StoredGraph } from './store-labels.ts'

/** The options that a thread gets at its start. */
export interface IndexThreadOptions {
  file: string
  /** The store to read labels from. */
  endpoint: StoreEndpoint
  timeoutMs: number
  /** The memory of `OwnWrites` of the process. */
  ownWrites?: Int32Array<SharedArrayBuffer> | undefined
  cacheBytes: number
}

/** A graph of the store to read into the index. */
export interface GraphToRead extends StoredGraph {
  load: string
  /** The places that the index has; undefined: the whole graph is read. */
  after: number | undefined
}

/** The contents of the index. */
export interface IndexState {
  graphs: IndexedGraph[]
  /** True if every vocabulary of the store has been read at some time. */
  isComplete: boolean
}

/** The calls that a thread answers: reading ones and writing ones; each kind has a thread of its own. */
export interface IndexCalls {
  find: (question: IndexQuestion) => Found
  reconcile: (question: ReconcileQuestion) => NameMatches[]
  letters: (question: Omit<LetterQuestion, 'first' | 'without'>) => LetterCount[]
  entries: (question: LetterQuestion) => LabelEntry[]
  matches: (question: MatchQuestion) => LabelMatch[]
  figures: (question: Pick<LetterQuestion, 'of' | 'isSubset'>) => IndexFigures
  mappings: (question: MappingQuestion) => FoundMappings
  mappedSchemes: (question: MappingQuestion) => SchemeCount[]
  mappedNotations: (beginning: string, schemes: readonly string[] | undefined) => [notation: string, mappings: number][]
  concordanceSizes: () => [graph: string, mappings: number][]
  state: () => IndexState
  /** @returns false if the graph has changed during the reading, so that nothing was written. */
  read: (graph: GraphToRead) => boolean
  add: (graph: string, statements: readonly Statement[]) => void
  remove: (graphs: readonly string[]) => void
  complete: () => void
  /** Makes searches quicker after much was written. */
  compact: () => void
  /** Notes how the URIs of vocabularies begin. */
  assign: (spaces: readonly Space[]) => void
  /** Looks for damage in the whole file. */
  check: () => void
}

export type CallName = keyof IndexCalls

export interface CallMessage<Name extends CallName = CallName> {
  id: number
  name: Name
  values: Parameters<IndexCalls[Name]>
}

/** The answer to a call; `id` 0 says that the thread is ready, or why it is not. */
export type ReplyMessage = { id: number } & ({ value: unknown } | { error: PlainError })

/** An error on its way between threads. */
export interface PlainError {
  name: string
  message: string
  /** Of damage: the file and the place in it. */
  file?: string
  place?: string
}
