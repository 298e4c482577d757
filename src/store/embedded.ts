import { randomBytes } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RequestHandler } from 'express'
import { refuseForeignFolder } from '../durable/folder.ts'
import { type Hold, hold } from '../durable/hold.ts'
import type { StoreEndpoint } from '../sparql/client.ts'
import { unavailable } from '../threads/deadline.ts'
import { STORE_DATABASE, StoreContents } from './contents.ts'
import { PATHS, privateEndpoint } from './private-endpoint.ts'
import type { ProtocolAnswer } from './protocol.ts'
import { publicEndpoint } from './public-endpoint.ts'
import { holdOf } from './running.ts'
import { STORE_LIMITS, type StoreLimits, StoreThreads } from './threads.ts'

export interface EmbeddedStore {
  /**
   * The store for the service, on a loopback port: the SPARQL 1.1 Protocol and Graph Store HTTP Protocol. Update and graph store
   * need the user and password, which are new for each process; the query URL is open.
   */
  endpoint: StoreEndpoint
  /** The store for the public: only queries of the SPARQL 1.1 Protocol. These handlers read the body themselves. */
  publicQuery: RequestHandler[]
  /** Answers such a query in the format that `accept` asks for; throws the errors of the endpoint. */
  askPublicly: (query: string, accept: string, gone: AbortSignal) => Promise<ProtocolAnswer>
  /** Closes the store as soon as the changes under way are on disk, and releases the directory. */
  close(): Promise<void>
}

export interface EmbeddedStoreOptions {
  /** The directory of the store alone; made if it is missing. */
  directory: string
  /** Milliseconds after which the store ends a query, including waiting. */
  queryTimeoutMs: number
  /** Memory in addition to the data, in bytes: for queries, and for answers on their way. */
  memoryBytes?: number
  /**
   * Fills a new store before other processes can reach it. If the process ends meanwhile, the next one finds a new and empty
   * store.
   */
  fill?: ((endpoint: StoreEndpoint) => Promise<void>) | undefined
  /** Receives errors that no answer has reported, for the log. */
  onError?: (error: unknown) => void
  limits?: Partial<StoreLimits>
}

const LOOPBACK = '127.0.0.1'
const MEMORY_BYTES = 1 << 30
/** The share of the memory for answers that public clients have not read yet. */
const UNREAD_SHARE = 0.125
/** Longer than clients keep an idle connection, so that none closes during a request. */
const KEEP_ALIVE_MS = 65_000

/**
 * Starts an RDF store inside the process. Its files are in the directory; every acknowledged change is on disk.
 *
 * @throws HeldError if another process uses the directory
 * @throws DamageError if the files are not as they were written; DiskError; the errors of `fill`
 *
 * @example
 * const store = await startEmbeddedStore({ directory: 'data/store', queryTimeoutMs: 10_000 })
 * const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 10_000 })
 * app.get('/sparql', store.publicQuery)
 */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { directory, queryTimeoutMs, memoryBytes = MEMORY_BYTES, fill, onError = () => undefined } = options
  await refuseForeignFolder(directory, STORE_DATABASE)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)

  let openThreads: StoreThreads | undefined
  const threads = () => {
    if (!openThreads) throw unavailable('The store is not open.')
    return openThreads
  }
  const user = 'vocabulary-service'
  const password = randomBytes(24).toString('base64url')
  const server = createServer(privateEndpoint({ threads, directory, user, password, onError }))
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // Loading a large graph may take longer than Node.js allows a request.
  server.requestTimeout = 0
  const base = `http://${LOOPBACK}:${await listen(server)}`
  const endpoint = {
    queryUrl: base + PATHS.query,
    updateUrl: base + PATHS.update,
    graphStoreUrl: base + PATHS.graphStore,
    user,
    password,
  }

  let held: Hold | undefined
  let contents: StoreContents | undefined
  const close = async () => {
    const closing = openThreads
    openThreads = undefined
    await closing?.close()
    await contents?.close()
    await held?.release()
    server.close()
    server.closeAllConnections()
  }
  try {
    held = await hold(holdOf(directory))
    contents = await StoreContents.open(directory)
    const limits = { ...STORE_LIMITS, ...options.limits }
    openThreads = await StoreThreads.open({ contents, queryTimeoutMs, memoryBytes, limits, onError })
    if (contents.isNew && fill) await contents.fill(() => fill(endpoint))
    await held.announce(endpoint)
  } catch (error) {
    await close()
    throw error
  }
  return {
    endpoint,
    publicQuery: publicEndpoint(threads, memoryBytes * UNREAD_SHARE),
    askPublicly: (query, accept, gone) =>
      threads().publicQuery(
        { search: '', accept, contentType: 'application/sparql-query', body: new TextEncoder().encode(query) },
        gone,
      ),
    close,
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, LOOPBACK, resolve)
  })
  return (server.address() as AddressInfo).port
}
