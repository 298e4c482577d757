import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import pino from 'pino'
import { ConfigError, EXIT_CONFIG, readConfig, type Config } from './config.ts'
import { composeApplication } from './compose-application.ts'
import { textOf } from './doors/cli/error-line.ts'
import { createHttpServer, SERVER_LIMITS } from './interface/http/server.ts'
import { softwareVersion } from './base/root.ts'
import { messageOf } from './base/thrown.ts'

/** The time that requests under way get after SIGTERM, in milliseconds. */
const GRACE_MS = 10_000
/** How often idle connections are closed meanwhile. */
const IDLE_CHECK_MS = 100

/**
 * How much the heap may grow before V8 collects garbage, in percent of what is in use. By itself V8 lets it grow to
 * several times its size, and a busy service with 80 MB in use then takes 570 MB instead of 470. docs/performance.md,
 * "Memory", has the figures.
 *
 * The option --max-semi-space-size=32 of `npm start` belongs to this: with the 16 MB that V8 allows new objects by
 * itself, many of those of 64 requests at once become old ones, and collecting these then takes a tenth of the
 * processor time. Only the command line can set it.
 */
const HEAP_GROWING_PERCENT = 100

/**
 * The process: configuration -> application over its store -> listen -> stop gracefully. The only file that listens.
 */
async function main(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel })
  log.info({ version: softwareVersion() }, 'starting')
  const service = await composeApplication(config, log)
  // An answer may take at least as long as the store.
  const silenceMs = Math.max(SERVER_LIMITS.silenceMs, 2 * config.sparqlTimeoutMs)
  const server = createHttpServer(service.app, { silenceMs })
  try {
    await listen(server, config)
  } catch (error) {
    // A process that ends while its threads have files open may print lines of its own.
    await service.close().catch(() => undefined)
    throw error
  }
  // A program that waits for the line "ready" may send a signal at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.abort()
      log.info({ signal }, 'stopping')
      void stop(server)
        .then(() => service.close())
        .then(
          () => process.exit(0),
          (error: unknown) => {
            log.error({ err: error }, 'could not stop in order')
            process.exit(1)
          },
        )
    })
  }
  const { port } = server.address() as AddressInfo
  const { host, baseUrl } = config
  log.info({ host, port, baseUrl, store: service.store, version: softwareVersion() }, 'ready')
  service.begin(fail)
}

async function listen(server: Server, { host, port }: Config): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(`HOST, PORT: cannot listen on ${host}, port ${port}: ${messageOf(cause)}`, { cause })
  }
}

/** Accepts no more requests, and waits for those under way. */
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Connections become idle as their answers end; Node.js itself looks every few seconds.
  const closing = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(closing)
  clearTimeout(cut)
}

/** Exits after a configuration error or an unexpected failure. */
function fail(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`)
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1)
}

main().catch(fail)
