import { ApiError } from '../../base/errors.ts'
import { WorkerThread } from '../../base/threads/worker-thread.ts'
import type { MappingReader } from '../../graph/index/mappings/mapping-reader.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'
import type { IndexReader } from './index-reader.ts'
import type { IndexWriter } from './index-writer.ts'
import type { LabelledGraph } from './store-labels.ts'

/**
 * A thread that reads or writes the index. Its calls have no deadline, because a late one would end the thread, and a
 * thread that ends with an open connection of libsql ends the process; each query is bounded.
 */
export class IndexThread extends WorkerThread<IndexThreadCalls> {
  constructor(options: IndexThreadOptions) {
    const unavailable = (reason?: Error) =>
      new ApiError('ServiceUnavailableError', 'The search index does not answer.', { cause: reason })
    super({
      module: 'search/thread-main',
      options,
      isBackground: true,
      errors: { late: unavailable, crashed: unavailable },
    })
  }

  /**
   * Makes a call as soon as the index is open.
   *
   * @param gone aborted when nobody waits for the answer any more; the thread ends the work before its next statement.
   * @throws DamageError, DiskError, LockedError and ApiError of the call or of opening the index; ThreadLost
   */
  async ask<Name extends IndexCallName>(
    name: Name,
    values: Parameters<IndexCalls[Name]>,
    gone?: AbortSignal,
  ): Promise<CallResult<Name>> {
    await this.opened
    return this.call(name, values, Infinity, gone)
  }

  /** Lets the thread end itself after the calls under way. */
  override async close(): Promise<void> {
    this.send('close')
    await this.ended
  }
}

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

/** The questions that `IndexReader` answers by messages; the others are for `MappingReader`. */
type ReadingCalls = Omit<IndexReader, 'reading' | 'identified' | 'notated'>

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
export type IndexCalls = ReadingCalls & MappingCalls & WritingCalls & { open: () => Promise<void> }
export type IndexCallName = keyof IndexCalls
export type CallResult<Name extends IndexCallName> = Awaited<ReturnType<IndexCalls[Name]>>

/** The same as messages. */
export type IndexThreadCalls = {
  [Name in IndexCallName]: { arguments: Parameters<IndexCalls[Name]>; result: CallResult<Name> }
}
