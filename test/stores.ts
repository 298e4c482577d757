/** The stores that tests run over. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from '@jest/globals'
import type { StoreEndpoint } from '../src/sparql/client.ts'
import { startEmbeddedStore } from '../src/store/embedded.ts'
import { fusekiAvailable, startFuseki } from './fuseki.ts'

export interface TestStore {
  name: 'embedded' | 'fuseki'
  /** An empty store. */
  start(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }>
  /** Why this store cannot be tested here. */
  skip?: string
}

/**
 * The stores to test over; `TEST_STORES=embedded` leaves Fuseki out, for a quick run while something is being written.
 *
 * @throws Error if REQUIRE_FUSEKI=1 and there is no Fuseki.
 */
export function stores(): TestStore[] {
  const fuseki =
    process.env['TEST_STORES'] === 'embedded'
      ? { available: false as const, reason: 'TEST_STORES=embedded' }
      : fusekiAvailable()
  const embedded: TestStore = { name: 'embedded', start: startEmbedded }
  return [embedded, { name: 'fuseki', start: startFuseki, ...(fuseki.available ? {} : { skip: fuseki.reason }) }]
}

/**
 * describe() once per store; a skipped store has the reason in its name.
 *
 * @example describeStores('GET /narrower', (store) => { let running; beforeAll(async () => { running = await store.start() }) ... })
 */
export function describeStores(title: string, body: (store: TestStore) => void): void {
  for (const store of stores()) {
    if (store.skip) describe.skip(`${title}, ${store.name}, skipped: ${store.skip}`, () => body(store))
    else describe(`${title}, ${store.name}`, () => body(store))
  }
}

async function startEmbedded(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'vocabulary-service-store-'))
  const store = await startEmbeddedStore({ directory, queryTimeoutMs: 10_000 })
  return {
    endpoint: store.endpoint,
    async stop() {
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
