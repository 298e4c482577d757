import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino, { type Logger } from 'pino'
import { createApp } from './app.ts'
import { composeReading } from './compose.ts'
import { ConfigError, EXIT_CONFIG, readConfig, type Config } from './config.ts'
import { composeIngest } from './ingest/compose.ts'
import type { EmbeddedStore } from './store/embedded.ts'

/** How long requests that are under way may take to end after SIGTERM, in milliseconds. */
const GRACE_MS = 10_000

/** The process: configuration -> store -> application -> listen -> stop gracefully. The only file that listens. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel })
  const embedded = config.store ? undefined : await startStore(config, log)
  const endpoint = config.store ?? embedded!.endpoint
  const reading = await composeReading(config, endpoint, ({ outcome, ...report }) => {
    log[outcome === 'ok' ? 'debug' : 'warn']({ outcome, ...report }, 'store request')
  })
  if (config.demo ?? embedded?.isNew ?? false) {
    const { loadDemo } = await import('./demo.ts')
    await loadDemo(reading.client, config)
    reading.registry.invalidate()
    log.info('the demo vocabularies are loaded')
  }
  const ingest = await composeIngest(config, reading, log)
  const app = createApp({
    config,
    ...reading,
    reportError: (error, request) => log.error({ err: error, ...request }, 'request failed'),
    sparql: embedded && ((request, response) => embedded.handlePublicQuery(request, response)),
    ingest: ingest.endpoint,
  })
  const server = createServer({ maxHeaderSize: 65_536, requestTimeout: 60_000, headersTimeout: 20_000 }, app)
  await listen(server, config)
  const { port } = server.address() as AddressInfo
  log.info({ host: config.host, port, baseUrl: config.baseUrl, store: embedded ? 'embedded' : 'SPARQL' }, 'ready')

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping')
      void stop(server, ingest, embedded).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'could not stop in order')
          process.exit(1)
        },
      )
    })
  }
}

function startStore(config: Config, log: Logger): Promise<EmbeddedStore> {
  // The embedded store brings its WebAssembly along: who uses another store need not load it.
  return import('./store/embedded.ts').then(({ startEmbeddedStore }) =>
    startEmbeddedStore({
      directory: join(config.dataDir, 'store'),
      queryTimeoutMs: config.sparqlTimeoutMs,
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

/** Accepts nothing more, lets end what is under way, and closes what has files. */
async function stop(
  server: Server,
  ingest: { close(): Promise<void> },
  store: EmbeddedStore | undefined,
): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearTimeout(cut)
  await ingest.close()
  await store?.close()
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`)
    process.exit(EXIT_CONFIG)
  }
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
