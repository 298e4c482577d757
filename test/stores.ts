/** The stores that the contract tests run over. */
import { describe } from '@jest/globals'
import type { StoreEndpoint } from '../src/sparql/client.ts'
import { fusekiAvailable, startFuseki } from './fuseki.ts'

export interface TestStore {
  name: 'embedded' | 'fuseki'
  /** An empty store. */
  start(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }>
  /** Why this store cannot be tested here. */
  skip?: string
}

/** @throws Error where REQUIRE_FUSEKI=1 and there is no Fuseki */
export function stores(): TestStore[] {
  const fuseki = fusekiAvailable()
  return [{ name: 'fuseki', start: startFuseki, ...(fuseki.available ? {} : { skip: fuseki.reason }) }]
}

/**
 * describe() once per store; with the reason in its name where a store has to be skipped.
 *
 * @example describeStores('GET /narrower', (store) => { let running; beforeAll(async () => { running = await store.start() }) ... })
 */
export function describeStores(title: string, body: (store: TestStore) => void): void {
  for (const store of stores()) {
    if (store.skip) describe.skip(`${title}, ${store.name}, skipped: ${store.skip}`, () => body(store))
    else describe(`${title}, ${store.name}`, () => body(store))
  }
}
