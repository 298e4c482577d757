import { afterAll, beforeAll, expect } from '@jest/globals'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'
import type { RunningApp } from './app.ts'
import type { TestStore } from './stores.ts'

/**
 * Runs an application over an empty store for the tests that stand beside the call. After the last of them it expects
 * that the application has reported no error, and ends both.
 *
 * @example let app: RunningApp; runOver(store, async (endpoint) => (app = await startDemo(endpoint)))
 */
export function runOver(store: TestStore, start: (endpoint: StoreEndpoint) => Promise<RunningApp>): void {
  let running: Awaited<ReturnType<TestStore['start']>> | undefined
  let app: RunningApp | undefined
  beforeAll(async () => {
    running = await store.start()
    app = await start(running.endpoint)
  })
  afterAll(async () => {
    expect(app?.reported).toEqual([])
    await app?.close()
    await running?.stop()
  })
}
