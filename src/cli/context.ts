import { join } from 'node:path'
import { readConfig, type Config } from '../config.ts'
import { SparqlClient, type StoreEndpoint } from '../sparql/client.ts'

/** What the commands work with: the configuration of the service, its store, and where they write. */
export interface CliContext {
  config: Config
  endpoint: () => Promise<StoreEndpoint>
  client: () => Promise<SparqlClient>
  /** Standard output. */
  write: (text: string) => void
  /** Standard error. */
  warn: (text: string) => void
  /** Gives back what was opened. */
  close: () => Promise<void>
}

/**
 * The store is the one of SPARQL_*_URL; without them the embedded store of a running service, and where none runs, the
 * embedded store itself for the time of the command. It is opened by the first command that needs it.
 *
 * @throws ConfigError where the configuration is wrong.
 */
export function openContext(env: NodeJS.ProcessEnv): CliContext {
  const config = readConfig(env)
  let opened: Promise<{ endpoint: StoreEndpoint; close: () => Promise<void> }> | undefined
  let client: SparqlClient | undefined
  const open = () => (opened ??= openStore(config))
  return {
    config,
    endpoint: async () => (await open()).endpoint,
    client: async () =>
      (client ??= new SparqlClient({ endpoint: (await open()).endpoint, timeoutMs: config.sparqlTimeoutMs })),
    write: (text) => void process.stdout.write(text),
    warn: (text) => void process.stderr.write(text),
    close: async () => {
      if (opened) await (await opened).close()
    },
  }
}

async function openStore(config: Config): Promise<{ endpoint: StoreEndpoint; close: () => Promise<void> }> {
  if (config.store) return { endpoint: config.store, close: () => Promise.resolve() }
  const { runningEmbeddedStore, startEmbeddedStore } = await import('../store/embedded.ts')
  const directory = join(config.dataDir, 'store')
  const running = await runningEmbeddedStore(directory)
  if (running) return { endpoint: running, close: () => Promise.resolve() }
  return startEmbeddedStore({
    directory,
    queryTimeoutMs: config.sparqlTimeoutMs,
    memoryBytes: config.storeMemoryBytes,
  })
}
