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

/** The stores that the project comes with. */
const DEPLOYED = ['embedded', 'fuseki']

export interface TestStore {
  name: 'embedded' | 'fuseki' | 'oxigraph' | 'rdf4j'
  /** An empty store. */
  start(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }>
  /** Why this store cannot be tested here. */
  skip?: string
}

/**
 * The stores to test over: the embedded one and Fuseki. `TEST_STORES` is a list of those that are wanted: `embedded`
 * for a quick run while something is being written, `oxigraph` or `rdf4j` for everything over their servers.
 *
 * @throws Error if REQUIRE_FUSEKI=1 and there is no Fuseki.
 */
export function stores(): TestStore[] {
  return allStores().filter((store) => DEPLOYED.includes(store.name) || WANTED !== undefined)
}

function allStores(): TestStore[] {
  const all: [TestStore, missing: () => string | undefined][] = [
    [{ name: 'embedded', start: startEmbedded }, () => undefined],
    [{ name: 'fuseki', start: startFuseki }, fusekiMissing],
    [{ name: 'oxigraph', start: startOxigraph }, oxigraphMissing],
    [{ name: 'rdf4j', start: startRdf4j }, rdf4jMissing],
  ]
  return all.map(([store, missing]) => {
    const skip = isWanted(store) ? missing() : `TEST_STORES=${WANTED}`
    return skip === undefined ? store : { ...store, skip }
  })
}

const WANTED = process.env['TEST_STORES']

function isWanted({ name }: TestStore): boolean {
  return WANTED === undefined || WANTED.split(',').includes(name)
}

/**
 * describe() once per store; a skipped store has the reason in its name. Over Oxigraph's and RDF4J's servers only if
 * TEST_STORES asks for it.
 *
 * @example describeStores('GET /narrower', (store) => { let running; beforeAll(async () => { running = await
 *    store.start() }) ... })
 */
export function describeStores(title: string, body: (store: TestStore) => void): void {
  describeOver(stores(), title, body)
}

/** Like `describeStores`, and always over Oxigraph's and RDF4J's servers: for what every store must be able to do. */
export function describeAllStores(title: string, body: (store: TestStore) => void): void {
  describeOver(allStores(), title, body)
}

/** Like `describeStores`, and over all stores with TEST_LONG=1: for the core of the service. */
export function describeCore(title: string, body: (store: TestStore) => void): void {
  describeOver(
    allStores().filter((store) => DEPLOYED.includes(store.name) || isWhole(store)),
    title,
    body,
  )
}

/**
 * Like `describeStores`, over the embedded store alone by default, over the others with TEST_LONG=1 or if TEST_STORES
 * names them. Fuseki gets each template (templates.test.ts) and a request for each endpoint (document.slow.test.ts) by
 * default.
 */
export function describeEmbedded(title: string, body: (store: TestStore) => void): void {
  describeOver(stores().filter(isWhole), title, body)
}

/**
 * Like `describeStores`, for what the service does alike over every store, because no query or update of its own is at
 * stake: by default over the embedded store alone, over another one if TEST_STORES names it. With TEST_LONG=1, the last
 * part of `.ci/run` names Fuseki.
 */
export function describeFacade(title: string, body: (store: TestStore) => void): void {
  const chosen = stores().filter((store) => (WANTED === undefined ? store.name === 'embedded' : isWanted(store)))
  describeOver(chosen, title, body)
}

function describeOver(all: readonly TestStore[], title: string, body: (store: TestStore) => void): void {
  for (const store of all) {
    if (store.skip) describe.skip(`${title}, ${store.name}, skipped: ${store.skip}`, () => body(store))
    else describe(`${title}, ${store.name}`, () => body(store))
  }
}

/**
 * True if everything is tested over a store: by default over the embedded one alone. Over another some cases, enough
 * for each kind of request to meet it, unless they depend on the store; all with TEST_LONG=1 or if TEST_STORES names
 * the stores.
 */
export function isWhole({ name }: TestStore): boolean {
  return LONG || WANTED !== undefined || name === 'embedded'
}

/** `test` for cases that are left out over a store unless everything is tested over it. */
export const testOf = (store: TestStore) => (isWhole(store) ? test : test.skip)

/**
 * Of cases that do not depend on the store, those for one store: all of them, or the first of each kind, by default of
 * each four.
 *
 * @example test.each(casesFor(store, CASES, ([path]) => path))('%s', ...)
 */
export function casesFor<T>(
  store: TestStore,
  cases: readonly T[],
  kindOf: (testCase: T, at: number) => unknown = (_, at) => Math.floor(at / 4),
): readonly T[] {
  if (isWhole(store)) return cases
  const kinds = cases.map(kindOf)
  return cases.filter((_, at) => kinds.indexOf(kinds[at]) === at)
}

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
