import { ApiError } from '../../base/errors.ts'
import { WorkerThread } from '../../base/threads/worker-thread.ts'
import { ALL_ON_DISK, type StoreCalls, type ThreadOptions } from './calls.ts'
import type { DatasetChange } from './dataset.ts'

/**
 * A call that had to wait for others still gets this share of the time limit, so that the thread does not end in vain.
 */
const LEAST_SHARE = 0.25

/** A thread that holds the dataset, seen from the process that started it. */
export class StoreThread extends WorkerThread<StoreCalls> {
  /** @param timeoutMs the time limit of a query */
  constructor(options: ThreadOptions, timeoutMs: number) {
    super({
      module: 'store/thread-main',
      options,
      leastMs: timeoutMs * LEAST_SHARE,
      writes: ['make'],
      errors: { late: timeout, crashed: crash },
    })
  }

  /** Lets the thread make changes that are on disk; if it cannot, it ends. A closing thread skips them. */
  follow(changes: readonly DatasetChange[]): void {
    if (this.isClosing) return
    for (const change of changes) this.call('follow', { change }).catch(() => undefined)
  }

  /** Resolves when all calls so far are done or cancelled. */
  async reach(): Promise<void> {
    if (!this.isClosing) await this.call('reach', {}).catch(() => undefined)
  }

  /** Confirms to the thread that all its changes are on disk. */
  confirmWritten(): void {
    this.send(ALL_ON_DISK)
  }
}

function timeout(): ApiError {
  return new ApiError('TimeoutError', 'The query exceeded its time limit and was cancelled.')
}

function crash(cause: Error): ApiError {
  return new ApiError('BackendError', 'The request needs more memory than the store has, or nests too deeply.', {
    cause,
  })
}
