import { createWriteStream, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, readConfig, sortLanguage, type Config } from '../../config.ts'
import { openDataFolder, refuseUnfinishedRestore } from '../../data-folder.ts'
import { History } from '../../writing/history/history.ts'
import { IndexOfCommands } from '../../interface/search/index-of-commands.ts'
import { SparqlClient, type StoreEndpoint } from '../../graph/sparql/client.ts'
import { isUnanswered } from '../../graph/sparql/http.ts'
import { recordStore, refuseAnotherStore, testBeforeWriting } from '../../store-of-folder.ts'
import { messageOf } from '../../base/thrown.ts'
import { refuseLaterGraphs } from '../../graph/vocabularies/graph-format.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { InputError } from '../../base/files/input-error.ts'

/** The environment of commands: the configuration of the service, its store, and the output. */
export interface CliContext {
  config: Config
  /** For commands that read. They make no folder. */
  client: () => Promise<SparqlClient>
  /** For a command that foretells what another would write: without a store that is an empty one. */
  clientOfForecast: () => Promise<SparqlClient>
  /** For commands that write: a SPARQL store has passed the test of the service. */
  writingClient: () => Promise<SparqlClient>
  /** The embedded store of the service that runs, if it is another one since: the service has been started again. */
  renewedClient: () => Promise<SparqlClient | undefined>
  /** The same for the command that ends a restore, which others have to wait for. */
  clientOfRestore: () => Promise<SparqlClient>
  /** For the command that lets the data folder belong to the store of the settings. */
  clientOfChange: () => Promise<SparqlClient>
  /** The log of changes; undefined if it is switched off, or if a command that reads has met no data folder. */
  history: () => Promise<History | undefined>
  /** The same for a command that writes without a store: its drafts count once the store has their graphs. */
  offlineHistory: () => Promise<History | undefined>
  /**
   * Aborted when the service that had the embedded store has ended during a command that writes; its reason is the
   * error to throw.
   */
  storeGone: AbortSignal
  /** The error to show for the error of a command: after a request without an answer, the service may have ended. */
  reasonOf: (error: unknown) => Promise<unknown>
  /** The index of labels, which changes with the store. */
  index: () => VocabularyIndex
  /** The files of a command line, with a temporary file for standard input (`-`). */
  files: (given: readonly string[]) => Promise<string[]>
  /** Standard output. */
  write: (text: string) => void
  /** Writes the result of a command: with `--json` the value in one line, else lines of text. */
  print: (json: boolean | undefined, value: unknown, lines: string | readonly string[]) => void
  /** Standard error. */
  warn: (text: string) => void
  /** Closes everything that was opened. */
  close: () => Promise<void>
}

/**
 * The store is that of SPARQL_*_URL, and the primary rather than a replica. Without these variables it is the embedded
 * store: that of a running service, else one that the command opens itself. It opens when a command first needs it.
 *
 * @throws ConfigError if the configuration is wrong.
 */
export function openContext(env: NodeJS.ProcessEnv, { write, warn }: Pick<CliContext, 'write' | 'warn'>): CliContext {
  const config = readConfig(env)
  let opened: Promise<OpenedStore> | undefined
  let allowed: Promise<void> | undefined
  let client: SparqlClient | undefined
  let history: History | undefined
  let index: IndexOfCommands | undefined
  let endWatch: (() => void) | undefined
  const storeGone = new AbortController()
  const temporary = new TemporaryFiles()
  const open = () => (opened ??= openStore(config))
  const onHistoryError = (error: unknown) => warn(`warning: the history: ${messageOf(error)}\n`)
  const onIndexError = (error: unknown) => warn(`warning: the search index: ${messageOf(error)}\n`)
  const clientOf = (endpoint: StoreEndpoint) => new SparqlClient({ endpoint, timeoutMs: config.sparqlTimeoutMs })
  const connectUnchecked = async () => {
    if (client) return client
    const opened = clientOf((await open()).endpoint)
    // The embedded store belongs to a folder that has a version itself.
    if (config.store) await refuseLaterGraphs(opened)
    return (client ??= opened)
  }
  const connectForRestore = async () => {
    await (allowed ??= refuseAnotherStore(config))
    const connected = await connectUnchecked()
    endWatch ??= (await open()).watch?.(storeGone)
    await testBeforeWriting(connected, config)
    await recordStore(config)
    return connected
  }
  const refuseWrongFolder = async () => {
    await refuseUnfinishedRestore(config.dataDir)
    await (allowed ??= refuseAnotherStore(config))
  }
  const connect = async () => {
    await refuseWrongFolder()
    if (!client) refuseMissingStore(config)
    const connected = await connectUnchecked()
    // A command that only reads needs no folder that it can write to.
    if (existsSync(config.dataDir)) await recordStore(config).catch(() => undefined)
    return connected
  }
  return {
    config,
    client: connect,
    clientOfForecast: async () => {
      if (hasStore(config)) return connect()
      await refuseWrongFolder()
      const directory = join(await temporary.folder(), 'store')
      opened = startStore(config, directory)
      return (client = clientOf((await opened).endpoint))
    },
    writingClient: async () => {
      await refuseUnfinishedRestore(config.dataDir)
      return connectForRestore()
    },
    renewedClient: async () => {
      const endpoint = await (await opened)?.renew?.()
      if (!endpoint || !client || endpoint.queryUrl === client.endpoint.queryUrl) return undefined
      return (client = clientOf(endpoint))
    },
    clientOfRestore: connectForRestore,
    clientOfChange: async () => {
      await refuseUnfinishedRestore(config.dataDir)
      return connectUnchecked()
    },
    history: async () => {
      if (!config.history) return undefined
      const connected = await connect()
      if (!existsSync(config.dataDir)) return undefined
      return (history ??= await History.open(config.dataDir, connected, onHistoryError))
    },
    offlineHistory: async () => {
      if (!config.store) {
        throw new ConfigError(
          '--offline is for a store that SPARQL_QUERY_URL names; the embedded store needs none of it.',
        )
      }
      await refuseUnfinishedRestore(config.dataDir)
      await refuseAnotherStore(config)
      await recordStore(config)
      if (!config.history) return undefined
      const { primaryQueryUrl, ...store } = config.store
      const closed = clientOf({ ...store, queryUrl: primaryQueryUrl })
      return (history ??= await History.open(config.dataDir, closed, onHistoryError))
    },
    index: () => (index ??= new IndexOfCommands(config.dataDir, onIndexError, sortLanguage(config), storeGone.signal)),
    storeGone: storeGone.signal,
    reasonOf: async (error) => {
      if (!endWatch || !isUnanswered(error)) return error
      // The watch notices the end of the service at its next look.
      const { signal } = storeGone
      if (!signal.aborted) await sleep(LOOK_WITHIN_MS, undefined, { signal }).catch(() => undefined)
      return signal.aborted ? (signal.reason as unknown) : error
    },
    files: (given) => temporary.of(given),
    write,
    print: (json, value, lines) => {
      const text = json ? [JSON.stringify(value)] : [lines].flat()
      write(text.map((line) => `${line}\n`).join(''))
    },
    warn,
    close: async () => {
      endWatch?.()
      await history?.close()
      await index?.close()
      if (opened) await (await opened).close()
      await temporary.remove()
    },
  }
}

/** False if the embedded store is not there. */
function hasStore({ store, dataDir }: Config): boolean {
  return store !== undefined || existsSync(join(dataDir, 'store'))
}

/** @throws ConfigError if the embedded store is not there, most likely because the command runs in another folder. */
function refuseMissingStore(config: Config): void {
  if (hasStore(config)) return
  throw new ConfigError(
    `DATA_DIR: there is no store in ${resolve(config.dataDir)}. Nothing was made; name the folder of the service, or load a ` +
      'vocabulary first.',
  )
}

/** Milliseconds within which a command notices that the service has ended. */
const LOOK_WITHIN_MS = 2000

interface OpenedStore {
  endpoint: StoreEndpoint
  /** The embedded store of the process that has it now; undefined if none has. Absent unless another process had it. */
  renew?: () => Promise<StoreEndpoint | undefined>
  /** Watches that process; see `watchRunningStore`. */
  watch?: (gone: AbortController) => () => void
  close: () => Promise<void>
}

async function openStore(config: Config): Promise<OpenedStore> {
  if (config.store) {
    const { primaryQueryUrl, ...store } = config.store
    return { endpoint: { ...store, queryUrl: primaryQueryUrl }, close: () => Promise.resolve() }
  }
  const { runningEmbeddedStore, watchRunningStore } = await import('../../interface/store/running.ts')
  const directory = join(config.dataDir, 'store')
  const running = await runningEmbeddedStore(directory)
  const renew = () => runningEmbeddedStore(directory)
  if (running) {
    const watch = (gone: AbortController) => watchRunningStore(directory, running, gone)
    return { endpoint: running, renew, watch, close: () => Promise.resolve() }
  }
  await openDataFolder(config.dataDir)
  return startStore(config, directory)
}

async function startStore({ sparqlTimeoutMs, storeMemoryBytes }: Config, directory: string): Promise<OpenedStore> {
  // Imported only here, because reading the code of the store takes longer than many commands.
  const { startEmbeddedStore } = await import('../../interface/store/embedded.ts')
  return startEmbeddedStore({ directory, queryTimeoutMs: sparqlTimeoutMs, memoryBytes: storeMemoryBytes })
}

/** Stands for standard input in a list of files. */
const DASH = '-'
/** The name of its file in messages and in the history. Without an extension, the content determines the format. */
const NAME = 'standard input'

/** The files and folders that a command has for itself. */
class TemporaryFiles {
  #folder: string | undefined

  /**
   * The files of a command line. Standard input (`-`) becomes a temporary file, because some readers read their files
   * twice.
   *
   * @throws InputError if standard input is among them twice.
   */
  async of(files: readonly string[]): Promise<string[]> {
    const times = files.filter((file) => file === DASH).length
    if (times > 1) throw new InputError(`expected ${DASH} (standard input) only once.`)
    if (times === 0) return [...files]
    const path = join(await this.folder(), NAME)
    await pipeline(process.stdin, createWriteStream(path))
    return files.map((file) => (file === DASH ? path : file))
  }

  /** The folder of the temporary files, which is made once. */
  async folder(): Promise<string> {
    return (this.#folder ??= await mkdtemp(join(tmpdir(), 'vocabulary-')))
  }

  async remove(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true })
  }
}
