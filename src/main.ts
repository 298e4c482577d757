import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import { createApp } from './app.ts'
import { composeReading } from './compose.ts'
import { ApiError } from './errors.ts'
import { ConfigError, EXIT_CONFIG, readConfig, type Config } from './config.ts'
import { makeFolder, sizeOfFolder } from './durable/files.ts'
import { ControlEndpoint } from './http/control-endpoint.ts'
import { createHttpServer, SERVER_LIMITS } from './http/server.ts'
import { History } from './history/history.ts'
import { noteStoreRequest } from './http/observe.ts'
import { composeIngest } from './ingest/compose.ts'
import { createMetrics } from './http/metrics.ts'
import { testStore, UnfitStoreError } from './store/self-test.ts'
import type { ReplicatedReading } from './read/dependencies.ts'
import { IndexOfCommands } from './search/index-of-commands.ts'
import type { SearchDependencies } from './search/search.ts'
import { StoreAnswerError, type StoreEndpoint } from './sparql/client.ts'
import { loadQueries } from './sparql/queries.ts'
import { checkTemplates } from './sparql/syntax.ts'
import type { EmbeddedStore } from './store/embedded.ts'
import type { Vocabulary } from './vocabularies/vocabulary.ts'

/** The time that requests under way get after SIGTERM, in milliseconds. */
const GRACE_MS = 10_000
/** How often idle connections are closed meanwhile. */
const IDLE_CHECK_MS = 100
/**
 * While a store does not answer at the start: milliseconds for an answer, milliseconds between tries, and how often a try
 * is logged.
 */
const READY_MS = 2000
const STORE_RETRY_MS = 1000
const LOGGED_TRY = 30
const DEMO_LOADED = 'the demo vocabularies are loaded'

/** Identifies the graph of the self-test; retries use it again. */
const SELF_TEST = randomUUID()

/** The process: configuration -> store -> application -> listen -> stop gracefully. The only file that listens. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel })
  await makeFolder(config.dataDir).catch((cause: unknown) => {
    throw new ConfigError('DATA_DIR: expected a folder that the service can make', { cause })
  })
  await checkTemplates(loadQueries().values())
  const control = await ControlEndpoint.listen((error) => log.error({ err: error }, 'control endpoint'))
  const embedded = config.store ? undefined : await startStore(config, control, log)
  const endpoint = config.store ?? embedded!.endpoint
  const metrics = createMetrics({ ofProcess: true })
  const reading = composeReading(config, endpoint, {
    isOwn: embedded !== undefined,
    onRequest: (report, signals) => {
      metrics.countStoreRequest(report)
      noteStoreRequest(report, signals)
      // The line of the request already has its errors.
      log.debug(report, 'store request')
    },
    note: (message, error) => log.warn({ err: error }, message),
  })
  reading.index.prepare()
  const stopping = new AbortController()
  const history = config.history
    ? await History.open(config.dataDir, (reading.primary ?? reading).client, (error) =>
        log.warn({ err: error }, 'the history is behind'),
      )
    : undefined
  if (embedded) {
    if (config.demo) await loadDemo(reading, config, log, history)
    await history?.recover()
  }
  const isStoreThere = embedded !== undefined || (await greetStore(reading, config, log, history))
  const ingest = await composeIngest(config, reading, log, { control, history })
  metrics.watch({
    searchIndex: async () => ({ ...reading.index.lag, bytes: await reading.index.bytes() }),
    outbox: () => ingest.outbox.size,
    ...(embedded && { storeBytes: () => sizeOfFolder(join(config.dataDir, 'store')) }),
    ...(history && { historyBytes: () => sizeOfFolder(join(config.dataDir, 'history')) }),
  })
  const app = createApp({
    config,
    log,
    metrics,
    ...reading,
    reportError: (error, request) => {
      const level = error instanceof ApiError && error.isCostly ? 'warn' : 'error'
      log[level]({ err: error, ...request }, 'request failed')
    },
    sparql: embedded?.publicQuery,
    askSparql: embedded?.askPublicly,
    ingest: ingest.endpoint,
    acceptIngest: ingest.acceptIngest,
    history,
  })
  // An answer may take at least as long as the store.
  const silenceMs = Math.max(SERVER_LIMITS.silenceMs, 2 * config.sparqlTimeoutMs)
  const server = createHttpServer(app, { silenceMs })
  await listen(server, config)
  const { port } = server.address() as AddressInfo
  log.info({ host: config.host, port, baseUrl: config.baseUrl, store: embedded ? 'embedded' : 'SPARQL' }, 'ready')

  if (isStoreThere) readAhead(reading)
  else awaitStore(reading, config, log, history, stopping.signal).then(() => readAhead(reading), fail)

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      stopping.abort()
      log.info({ signal }, 'stopping')
      void stop(server, ingest, reading, history, embedded, control).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'could not stop in order')
          process.exit(1)
        },
      )
    })
  }
}

/** Begins to read what takes the store long: labels that the index lacks, classes, and hierarchies of large vocabularies. */
function readAhead({ registry, classes, hierarchies, index }: SearchDependencies): void {
  index.begin()
  classes.begin()
  const begin = (all: readonly Vocabulary[]) => all.forEach((vocabulary) => hierarchies.of(vocabulary))
  // If the store fails, the first request that needs them begins.
  registry.list().then(begin, () => undefined)
}

async function loadDemo(
  reading: ReplicatedReading,
  config: Config,
  log: Logger,
  history: History | undefined,
): Promise<void> {
  const demo = await import('./demo/demo.ts')
  const { client } = reading.primary ?? reading
  const index = new IndexOfCommands(config.dataDir, (error) => log.warn({ err: error }, 'the search index is behind'))
  const isLoaded = await demo.loadDemo(client, config, { history, index }).finally(() => index.close())
  if (!isLoaded) return
  reading.state.changed()
  log.info(DEMO_LOADED)
}

/**
 * True if the SPARQL store answers; it then gets the demo if DEMO asks for it.
 *
 * @throws ConfigError if it does not do what the service needs.
 */
async function greetStore(
  reading: ReplicatedReading,
  config: Config,
  log: Logger,
  history: History | undefined,
  isLogged = true,
): Promise<boolean> {
  try {
    await reading.client.ask({ name: 'readyz', text: 'ASK {}' }, { timeoutMs: READY_MS })
    await testStore((reading.primary ?? reading).client, SELF_TEST)
    if (config.demo) await loadDemo(reading, config, log, history)
    await history?.recover()
    return true
  } catch (error) {
    if (error instanceof UnfitStoreError) {
      const status = error.cause instanceof StoreAnswerError ? error.cause.status : undefined
      const names = status === 401 || status === 403 ? 'SPARQL_USER, SPARQL_PASSWORD' : 'SPARQL_QUERY_URL'
      throw new ConfigError(`${names}: ${error.message}`, { cause: error })
    }
    if (isLogged) log.warn({ err: error }, 'the store does not answer yet; trying again')
    return false
  }
}

async function awaitStore(
  reading: ReplicatedReading,
  config: Config,
  log: Logger,
  history: History | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; !signal.aborted; tries++) {
    await sleep(STORE_RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    if (!signal.aborted && (await greetStore(reading, config, log, history, tries % LOGGED_TRY === 0))) {
      log.info('the store answers')
      return
    }
  }
}

/** Starts the embedded store, which gets the demo if it is new, unless DEMO forbids it. */
function startStore(config: Config, control: ControlEndpoint, log: Logger): Promise<EmbeddedStore> {
  const fill = async (endpoint: StoreEndpoint) => {
    const { fillWithDemo } = await import('./demo/demo.ts')
    await fillWithDemo(endpoint, config)
    log.info(DEMO_LOADED)
  }
  // Imported only here, because the embedded store loads WebAssembly that other stores do not need.
  return import('./store/embedded.ts').then(({ startEmbeddedStore }) =>
    startEmbeddedStore({
      directory: join(config.dataDir, 'store'),
      queryTimeoutMs: config.sparqlTimeoutMs,
      memoryBytes: config.storeMemoryBytes,
      fill: config.demo === false ? undefined : fill,
      control,
      onError: (error) => log.error({ err: error }, 'embedded store'),
    }),
  )
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(`HOST, PORT: cannot listen on ${host}, port ${port}: ${(cause as Error).message}`, { cause })
  }
}

/** Accepts no more requests, waits for those under way, and closes all files. */
async function stop(
  server: Server,
  ingest: { close(): Promise<void> },
  { index }: SearchDependencies,
  history: History | undefined,
  store: EmbeddedStore | undefined,
  control: ControlEndpoint,
): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Connections become idle as their answers end; Node.js itself looks every few seconds.
  const closing = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(closing)
  clearTimeout(cut)
  await ingest.close()
  await index.close()
  await history?.close()
  await store?.close()
  control.close()
}

/** Exits after a configuration error or an unexpected failure. */
function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1)
}

main().catch(fail)
