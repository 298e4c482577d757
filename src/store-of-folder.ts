import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ConfigError, type Config } from './config.ts'
import { checkDataFolder, openDataFolder, type FolderStore } from './data-folder.ts'
import { OWN } from './base/namespaces.ts'
import { softwareVersion } from './base/root.ts'
import { indexedLoads } from './graph/index/index-file.ts'
import { SparqlClient } from './graph/sparql/client.ts'
import { readRevisions } from './graph/memory/store-state.ts'
import { StoreAnswerError } from './graph/sparql/http.ts'
import { READY_MS } from './doors/status/health.ts'
import { hasGraphs } from './interface/store/contents.ts'
import { testStore, UnfitStoreError } from './self-test.ts'

/**
 * Refuses a start or a command whose settings name another store than the data folder belongs to: the history, the
 * accounts and the index in the folder are about one store. A folder without a store is refused only if it holds an
 * embedded store with graphs and the settings name a SPARQL store.
 *
 * @throws ConfigError naming both stores; the errors of the disk.
 */
export async function refuseAnotherStore(config: Config): Promise<void> {
  const { dataDir } = config
  const named = namedStore(config)
  const recorded = (await checkDataFolder(dataDir))?.store
  if (recorded === undefined) {
    if (named !== 'embedded' && (await hasGraphs(join(dataDir, 'store'))))
      throw anotherStore(dataDir, 'embedded', named)
    return
  }
  if (!isSameAddress(recorded, named) && !(await isSameStore(recorded, config)))
    throw anotherStore(dataDir, recorded, named)
}

/**
 * Notes in the data folder that it belongs to the store of the settings, which `refuseAnotherStore` has let pass.
 *
 * @param isTested true if the store has just passed the test.
 * @throws ConfigError if the folder cannot be written.
 */
export async function recordStore(config: Config, isTested = false): Promise<void> {
  const named = namedStore(config)
  if (named === 'embedded') return openDataFolder(config.dataDir, named)
  const tested = isTested || (await hasPassed(config)) ? { tested: softwareVersion() } : {}
  return openDataFolder(config.dataDir, { ...named, ...tested })
}

/**
 * Tests the SPARQL store of the settings before a command writes to it, as the service does at its start. A store that
 * has passed the test of this version is not tested again.
 *
 * @throws ConfigError naming the first thing that the store does not do; ApiError if it is away.
 */
export async function testBeforeWriting(client: SparqlClient, config: Config): Promise<void> {
  if (!config.store || (await hasPassed(config))) return
  await testNamedStore(client)
  await recordStore(config, true)
}

/**
 * Tests the SPARQL store of the settings.
 *
 * @param id of the test; another test with the same id replaces what an interrupted one has left.
 * @throws ConfigError naming the first thing that the store does not do; ApiError if it is away.
 */
export async function testNamedStore(client: SparqlClient, id?: string): Promise<void> {
  try {
    await testStore(client, id)
  } catch (error) {
    if (!(error instanceof UnfitStoreError)) throw error
    const status = error.cause instanceof StoreAnswerError ? error.cause.status : undefined
    const names = status === 401 || status === 403 ? 'SPARQL_USER, SPARQL_PASSWORD' : 'SPARQL_QUERY_URL'
    throw new ConfigError(`${names}: ${error.message}`, { cause: error })
  }
}

/**
 * The name of a store for the operator: without a login, and without the values of its parameters, which may be secret.
 */
export function nameOfStore(store: FolderStore): string {
  if (store === 'embedded') return 'the embedded store in it'
  const url = new URL(store.query)
  for (const name of url.searchParams.keys()) url.searchParams.set(name, '...')
  return `the store ${url.href}`
}

/** The store of the settings. */
export function namedStore({ store }: Pick<Config, 'store'>): FolderStore {
  if (!store) return 'embedded'
  const { primaryQueryUrl, updateUrl, graphStoreUrl } = store
  return {
    query: withoutLogin(primaryQueryUrl),
    update: withoutLogin(updateUrl),
    graphStore: withoutLogin(graphStoreUrl),
  }
}

/**
 * The graphs that the index in the data folder has with a load that the store does not have: the store is another one,
 * or lacks what was loaded last. Undefined if the folder knows no load.
 *
 * @throws ApiError if the store fails.
 */
export async function missingLoads(client: SparqlClient, dataDir: string): Promise<string[] | undefined> {
  const loads = await indexedLoads(dataDir)
  if (loads.size === 0) return undefined
  const present = new Map((await readRevisions(client)).map(({ graph, load }) => [graph, load]))
  return [...loads].flatMap(([graph, load]) => (present.get(graph) === load ? [] : [graph]))
}

function isSameAddress(store: FolderStore, other: FolderStore): boolean {
  if (store === 'embedded' || other === 'embedded') return store === other
  return store.query === other.query && store.update === other.update && store.graphStore === other.graphStore
}

/**
 * True if two addresses are those of one store: what is written at the new address can be read at the old one. If that
 * cannot be tried, for example because nobody answers at the old address any more, the store has to have the loads that
 * the folder knows.
 */
async function isSameStore(recorded: FolderStore, config: Config): Promise<boolean> {
  if (recorded === 'embedded' || !config.store) return false
  const { primaryQueryUrl, ...addresses } = config.store
  const named = new SparqlClient({
    endpoint: { ...addresses, queryUrl: primaryQueryUrl },
    timeoutMs: config.sparqlTimeoutMs,
  })
  const old = new SparqlClient({
    endpoint: {
      ...addresses,
      queryUrl: recorded.query,
      updateUrl: recorded.update,
      graphStoreUrl: recorded.graphStore,
    },
    timeoutMs: READY_MS,
  })
  const graph = `${OWN}same-store:${randomUUID()}`
  const shows = (client: SparqlClient) => client.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`)
  try {
    // Fails if nobody answers there; then nothing is written.
    await shows(old)
    try {
      await named.putGraph(graph, `<${graph}> <${graph}> <${graph}> .\n`)
      return await shows(old)
    } finally {
      await named.deleteGraph(graph).catch(() => undefined)
    }
  } catch {
    const missing = await missingLoads(named, config.dataDir).catch(() => undefined)
    return missing?.length === 0
  }
}

async function hasPassed(config: Config): Promise<boolean> {
  const recorded = (await checkDataFolder(config.dataDir))?.store
  if (recorded === undefined || recorded === 'embedded') return false
  return recorded.tested === softwareVersion() && isSameAddress(recorded, namedStore(config))
}

function withoutLogin(address: string): string {
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}

function anotherStore(dataDir: string, recorded: FolderStore, named: FolderStore): ConfigError {
  const other =
    named === 'embedded'
      ? 'without SPARQL_QUERY_URL the service and its commands use the embedded store in it'
      : `SPARQL_QUERY_URL names ${nameOfStore(named)}`
  return new ConfigError(
    `DATA_DIR: ${dataDir} belongs to ${nameOfStore(recorded)}, and ${other}. Nothing was changed; docs/operation.md, ` +
      '"Another store", tells how to move.',
  )
}
