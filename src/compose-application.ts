import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import { composeReading } from './compose.ts'
import { ConfigError, sortLanguage, type Config } from './config.ts'
import { openDataFolder, refuseUnfinishedRestore } from './data-folder.ts'
import { sizeOfFolder } from './base/durable/files.ts'
import { ApiError } from './base/errors.ts'
import { Dumps } from './doors/export/dumps.ts'
import { History } from './writing/history/history.ts'
import { ControlEndpoint } from './interface/http/control-endpoint.ts'
import { createMetrics } from './interface/http/metrics.ts'
import { addStoreRequest } from './interface/http/observe.ts'
import { composeIngest } from './writing/ingest/compose.ts'
import type { ReplicatedReading } from './interface/read/dependencies.ts'
import { IndexOfCommands } from './interface/search/index-of-commands.ts'
import type { SearchDependencies } from './interface/search/search.ts'
import type { StoreEndpoint } from './graph/sparql/client.ts'
import { loadQueries, checkTemplates } from './graph/sparql/templates.ts'
import type { EmbeddedStore } from './interface/store/embedded.ts'
import { READY_MS } from './doors/status/health.ts'
import { recordStore, refuseAnotherStore, testNamedStore } from './store-of-folder.ts'
import { refuseLaterGraphs } from './graph/vocabularies/graph-format.ts'

/** While a store does not answer at the start: milliseconds between tries, and how often a try is logged. */
const STORE_RETRY_MS = 1000
const LOGGED_TRY = 30
const DEMO_LOADED = 'the demo vocabularies are loaded'

/** Identifies the graph of the self-test; retries use it again. */
const SELF_TEST = randomUUID()

/** The application with all that it keeps open. */
interface RunningApplication {
  app: Express
  /** The kind of its store, for the log. */
  store: 'embedded' | 'SPARQL'
  /**
   * Begins what may go on beside requests: to wait for the store, and to read ahead. @param fail if the store is unfit.
   */
  begin: (fail: (error: unknown) => void) => void
  /** Stops what `begin` began, at once. */
  abort: () => void
  /** Closes all files and the embedded store. No request may be under way. */
  close: () => Promise<void>
}

/**
 * Opens the store and makes the application over it; nothing listens yet.
 *
 * @throws ConfigError if a setting is wrong or a later version has written the data, and the errors of the embedded
 *   store.
 */
export async function composeApplication(config: Config, log: Logger): Promise<RunningApplication> {
  const closers: Closer[] = []
  // In reverse order, because a part may need parts that were opened before it.
  const close = async () => {
    const failed: unknown[] = []
    for (const closePart of closers.splice(0).reverse()) {
      try {
        await closePart()
      } catch (error) {
        failed.push(error)
      }
    }
    if (failed.length > 0) throw failed[0]
  }
  try {
    return { ...(await open(config, log, closers)), close }
  } catch (error) {
    await close().catch((cause: unknown) => log.error({ err: cause }, 'could not close in order'))
    throw error
  }
}

type Closer = () => unknown

/** @param closers gets what closes each part as soon as it is open. */
async function open(config: Config, log: Logger, closers: Closer[]): Promise<Omit<RunningApplication, 'close'>> {
  await refuseUnfinishedRestore(config.dataDir)
  await refuseAnotherStore(config)
  await openDataFolder(config.dataDir)
  await checkTemplates(loadQueries().values())
  const control = await ControlEndpoint.listen((error) => log.error({ err: error }, 'control endpoint'))
  closers.push(() => control.close())
  const embedded = config.store ? undefined : await startStore(config, control, log)
  closers.push(() => embedded?.close())
  if (embedded) await recordStore(config)
  const endpoint = config.store ?? embedded!.endpoint
  const metrics = createMetrics({ ofProcess: true })
  const reading = composeReading(config, endpoint, {
    isEmbedded: embedded !== undefined,
    answerQuery: embedded?.answerQuery,
    onRequest: (report, answers) => {
      metrics.countStoreRequest(report)
      addStoreRequest(report, answers)
      // The line of the request already has its errors.
      log.debug(report, 'store request')
    },
    warn: (message, error) => log.warn({ err: error }, message),
  })
  // The ids, names and orders of vocabularies may change by a command.
  embedded?.onWrite(() => reading.registry.invalidate())
  closers.push(() => reading.index.close())
  reading.index.prepare()
  const dumps = await Dumps.open({ ...reading, config, warn: (message, error) => log.warn({ err: error }, message) })
  closers.push(() => dumps?.close())
  const history = config.history
    ? await History.open(config.dataDir, reading.primary.client, (error) =>
        log.warn({ err: error }, 'the history is behind'),
      )
    : undefined
  closers.push(() => history?.close())
  await warnOfFuture(history, log)
  if (embedded) {
    if (config.demo) await loadMissingDemo(reading, config, log, history)
    await history?.recover()
  }
  const isStoreThere = embedded !== undefined || (await greetStore(reading, config, log, history))
  const ingest = await composeIngest(config, reading, log, { control, history })
  closers.push(() => ingest.close())
  metrics.watch({
    searchIndex: async () => ({ ...reading.index.lag, bytes: await reading.index.bytes() }),
    outbox: () => ingest.outbox.size,
    ...(dumps && { dumpBytes: () => dumps.bytes }),
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
    sendFeedback: ingest.sendFeedback,
    editing: ingest.editing,
    dumps,
    history,
  })
  const stopping = new AbortController()
  closers.push(() => stopping.abort())
  return {
    app,
    store: embedded ? 'embedded' : 'SPARQL',
    begin: (fail) => {
      const { signal } = stopping
      if (isStoreThere) readAhead(reading, signal)
      else awaitStore(reading, config, log, history, signal).then(() => readAhead(reading, signal), fail)
    },
    abort: () => stopping.abort(),
  }
}

/**
 * Begins to read what takes the store long: labels that the index lacks.
 */
function readAhead(reading: SearchDependencies, signal: AbortSignal): void {
  if (signal.aborted) return
  reading.index.begin()
}

/** Names the vocabularies with changes from a clock that was ahead of the present one. */
async function warnOfFuture(history: History | undefined, log: Logger): Promise<void> {
  const graphs = (await history?.log.inFuture(new Date().toISOString())) ?? []
  if (graphs.length === 0) return
  const named = graphs.map(({ uri, time }) => `<${uri}> (${time})`).join(', ')
  log.warn(
    `the history has changes that lie in the future: ${named}; docs/operation.md, "A wrong clock", tells what to do`,
  )
}

async function loadMissingDemo(
  reading: ReplicatedReading,
  config: Config,
  log: Logger,
  history: History | undefined,
): Promise<void> {
  const demo = await import('./doors/demo/demo.ts')
  const { client } = reading.primary
  const index = new IndexOfCommands(
    config.dataDir,
    (error) => log.warn({ err: error }, 'the search index is behind'),
    sortLanguage(config),
  )
  try {
    if (!(await demo.loadDemo(client, config, { history, index }))) return
  } finally {
    await index.close()
  }
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
    await refuseLaterGraphs(reading.primary.client)
    await testNamedStore(reading.primary.client, SELF_TEST)
    await recordStore(config, true)
    if (config.demo) await loadMissingDemo(reading, config, log, history)
    await history?.recover()
    return true
  } catch (error) {
    if (error instanceof ConfigError) throw error
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
    const { fillWithDemo } = await import('./doors/demo/demo.ts')
    await fillWithDemo(endpoint, config)
    log.info(DEMO_LOADED)
  }
  // Imported only here, because the embedded store loads WebAssembly that other stores do not need.
  return import('./interface/store/embedded.ts').then(({ startEmbeddedStore }) =>
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
