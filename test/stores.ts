/** The stores that tests run over. */
import { rm } from 'node:fs/promises'
import { describe, test } from '@jest/globals'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'
import { startEmbeddedStore } from '../src/interface/store/embedded.ts'
import { fusekiMissing, startFuseki } from './fuseki.ts'
import { LONG } from './long.ts'
import { oxigraphMissing, startOxigraph } from './oxigraph.ts'
import { newDirectory } from './process.ts'
import { rdf4jMissing, startRdf4j } from './rdf4j.ts'

type StoreName = 'embedded' | 'fuseki' | 'oxigraph' | 'rdf4j'

/** The stores that the project comes with, and those that it supports. */
export const DEPLOYED: readonly StoreName[] = ['embedded', 'fuseki']
export const EVERY: readonly StoreName[] = [...DEPLOYED, 'oxigraph', 'rdf4j']
/**
 * The embedded store, with TEST_LONG=1 Fuseki too: for what the service does alike over every store. Fuseki gets each
 * template (templates.slow.test.ts) and a request for each endpoint (document.slow.test.ts) in every run.
 */
export const EMBEDDED: readonly StoreName[] = LONG ? DEPLOYED : ['embedded']
/** As `EMBEDDED`, with TEST_LONG=1 every store: for the core of the service. */
export const CORE: readonly StoreName[] = LONG ? EVERY : ['embedded']

const WANTED = process.env['TEST_STORES']?.split(',') as StoreName[] | undefined

export interface TestStore {
  name: StoreName
  /** An empty store. */
  start(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }>
  /** Why this store cannot be tested here. */
  skip?: string
}

const START: Record<StoreName, Pick<TestStore, 'start'> & { missing?: () => string | undefined }> = {
  embedded: { start: startEmbedded },
  fuseki: { start: startFuseki, missing: fusekiMissing },
  oxigraph: { start: startOxigraph, missing: oxigraphMissing },
  rdf4j: { start: startRdf4j, missing: rdf4jMissing },
}

/** A store to test over. @throws Error if REQUIRE_FUSEKI=1 and there is no Fuseki */
export function storeOf(name: StoreName): TestStore {
  const { start, missing } = START[name]
  const skip = WANTED === undefined || WANTED.includes(name) ? missing?.() : `TEST_STORES=${WANTED.join()}`
  return { name, start, ...(skip !== undefined && { skip }) }
}

/**
 * describe() once for each store; one that is missing is skipped, with the reason in its name. `TEST_STORES` names
 * others: `embedded` for a quick run while something is being written, `oxigraph` or `rdf4j` for everything over them.
 *
 * @example describeOver(DEPLOYED, 'GET /narrower', (store) => { let running; beforeAll(async () => { running = await
 *    store.start() }) ... })
 */
export function describeOver(names: readonly StoreName[], title: string, body: (store: TestStore) => void): void {
  for (const name of WANTED ?? names) {
    const store = storeOf(name)
    if (store.skip) describe.skip(`${title}, ${name}, skipped: ${store.skip}`, () => body(store))
    else describe(`${title}, ${name}`, () => body(store))
  }
}

/**
 * True if a test runs over a store as a whole: over the embedded one, and over any store with TEST_LONG=1 or if
 * TEST_STORES is set. Otherwise what does not depend on the store is left out.
 */
export function isWhole({ name }: TestStore): boolean {
  return LONG || WANTED !== undefined || name === 'embedded'
}

/** `test` for what does not depend on the store. */
export const testOf = (store: TestStore) => (isWhole(store) ? test : test.skip)

async function startEmbedded(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }> {
  const directory = await newDirectory()
  const store = await startEmbeddedStore({ directory, queryTimeoutMs: 10_000 })
  return {
    endpoint: store.endpoint,
    async stop() {
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
