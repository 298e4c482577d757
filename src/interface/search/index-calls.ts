import type { MappingReader } from '../../graph/index/mappings/mapping-reader.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'
import type { IndexReader } from './index-reader.ts'
import type { IndexWriter } from './index-writer.ts'
import type { LabelledGraph } from './store-labels.ts'

/** The options that a thread gets at its start. */
export interface IndexThreadOptions {
  file: string
  /** The store to read labels from. */
  endpoint: StoreEndpoint
  timeoutMs: number
  cacheBytes: number
  /** The language of the labels that order a vocabulary without notations for people. */
  language: string
}

/** A graph of the store to read into the index. */
export interface GraphToRead extends LabelledGraph {
  load: string
  /** True: since the state that the index has, ingests have added concepts, and nothing else has changed. */
  hasOnlyGrown: boolean
}

type ReadingCall =
  | 'find'
  | 'facets'
  | 'reconcile'
  | 'letters'
  | 'entries'
  | 'matches'
  | 'figures'
  | 'levels'
  | 'classes'
  | 'page'
  | 'uris'
  | 'below'
  | 'unreachedBefore'
  | 'state'

/** The calls for mappings. */
export type MappingCalls = Pick<MappingReader, 'mappings' | 'mappedSchemes' | 'mappedNotations' | 'concordanceSizes'>

/** The calls that write the index, and the check. */
export interface WritingCalls extends Pick<IndexWriter, 'change' | 'remove' | 'complete' | 'assign'> {
  /** @returns false if the graph has changed during the reading, so that nothing was written. */
  read: (graph: GraphToRead) => Promise<boolean>
  compact: () => Promise<void>
  /** Looks for damage in the whole file. */
  check: () => Promise<void>
}

/** The calls that a thread answers: reading ones and writing ones; each kind has a thread of its own. */
export type IndexCalls = Pick<IndexReader, ReadingCall> & MappingCalls & WritingCalls & { open: () => Promise<void> }
export type IndexCallName = keyof IndexCalls
export type CallResult<Name extends IndexCallName> = Awaited<ReturnType<IndexCalls[Name]>>

/** The same as messages. */
export type IndexThreadCalls = {
  [Name in IndexCallName]: { arguments: Parameters<IndexCalls[Name]>; result: CallResult<Name> }
}
