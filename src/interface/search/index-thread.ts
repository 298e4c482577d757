import { ApiError } from '../../base/errors.ts'
import { WorkerThread } from '../../base/threads/worker-thread.ts'
import type { IndexCallName, CallResult, IndexCalls, IndexThreadCalls, IndexThreadOptions } from './index-calls.ts'

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
