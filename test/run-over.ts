import { afterAll, beforeAll, expect } from '@jest/globals'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'
import { startApp, type RunningApp } from './app.ts'
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

/** By the name of the store. */
const sharedApps = new Map<string, Promise<{ app: RunningApp; close: () => Promise<void> }>>()

afterAll(async () => {
  for (const shared of sharedApps.values()) await (await shared).close()
})

/**
 * Lends an application with the usual settings over an empty store to the tests that stand beside the call. The calls
 * of a test file share it, and in `.ci/run` those of a folder, because store, threads and index take a second to start.
 * After the last of the tests it expects that the application has reported no error, and empties the store.
 *
 * @param fill puts into the store what the tests need
 * @example let app: RunningApp; shareApp(store, async (shared) => { app = shared; await app.put(GRAPH, TURTLE) })
 */
export function shareApp(store: TestStore, fill: (app: RunningApp) => unknown): void {
  let app: RunningApp | undefined
  beforeAll(async () => {
    const shared = sharedApps.get(store.name) ?? startShared(store)
    sharedApps.set(store.name, shared)
    app = (await shared).app
    await fill(app)
  })
  afterAll(async () => {
    if (!app) return
    const { client, index, registry, reported, state } = app
    await client.update('DROP ALL', 'urn:all')
    state.changed()
    registry.invalidate()
    await index.caughtUp()
    expect(reported.splice(0)).toEqual([])
  })
}

async function startShared(store: TestStore): Promise<{ app: RunningApp; close: () => Promise<void> }> {
  const running = await store.start()
  const app = await startApp(running.endpoint)
  const close = async () => {
    await app.close()
    await running.stop()
  }
  return { app, close }
}
