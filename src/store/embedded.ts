import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiError } from '../errors.ts'
import type { StoreEndpoint } from '../sparql/client.ts'
import { unavailable } from './deadline.ts'
import { answerGraphStore } from './graph-store.ts'
import { answeringErrors, protocolRequest, requireMethod, send } from './http-messages.ts'
import { type HeldLock, holdDirectory, holderOf } from './lock.ts'
import { STORE_LIMITS, type StoreLimits, StoreThreads } from './threads.ts'

export interface EmbeddedStore {
  /**
   * The store for the service, on a loopback port: the SPARQL 1.1 Protocol and Graph Store HTTP Protocol. Update and graph store
   * need the user and password, which are new for each process; the query URL is open.
   */
  endpoint: StoreEndpoint
  /**
   * The store for the public: queries of the SPARQL 1.1 Protocol by GET and POST, nothing else. It reads the body itself, so it has
   * to come before any body parser. Accept chooses among all formats; one that offers none of them gets the default.
   */
  handlePublicQuery: (request: IncomingMessage, response: ServerResponse) => void
  /** Whether nothing has ever been written to the store. */
  isNew: boolean
  /** Ends the store when the writes under way are on disk, and gives the directory free. */
  close(): Promise<void>
}

export interface EmbeddedStoreOptions {
  /** The directory of the store and of nothing else; made when it is not there. */
  directory: string
  /** Milliseconds after which a query is ended, its waiting included. */
  queryTimeoutMs: number
  /** What the store may take beyond its data, in bytes: for queries, and for answers that are on their way. */
  memoryBytes?: number
  /** What happened inside that no request was told: for the log. */
  onError?: (error: unknown) => void
  limits?: Partial<StoreLimits>
}

const PATHS = { query: '/query', update: '/update', graphStore: '/data', presence: '/presence' } as const
const MEMORY_BYTES = 1 << 30
const LOOPBACK = '127.0.0.1'
const MOST_QUERY_BYTES = 16 << 20
const MOST_PUBLIC_QUERY_BYTES = 1 << 20
const MOST_UPDATE_BYTES = 64 << 20
/** Longer than clients keep an idle connection, so that it is never closed under a request. */
const KEEP_ALIVE_MS = 65_000

/**
 * Starts an RDF store inside the process. Its files are in the directory; what it has acknowledged is on disk.
 *
 * @throws StoreHeldError when another living process holds the directory
 * @throws StoreDamageError when the files are not what was written
 *
 * @example
 * const store = await startEmbeddedStore({ directory: 'data/store', queryTimeoutMs: 10_000 })
 * const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 10_000 })
 * app.all('/sparql', store.handlePublicQuery)
 */
export async function startEmbeddedStore(options: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const { directory, queryTimeoutMs, memoryBytes = MEMORY_BYTES, onError = () => undefined } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)

  let threads: StoreThreads | undefined
  const openThreads = () => {
    if (!threads) throw unavailable('The store is not open.')
    return threads
  }
  const user = 'vocabulary-service'
  const password = randomBytes(24).toString('base64url')
  const server = createServer(answeringErrors(privately(openThreads, directory, user, password), onError))
  server.keepAliveTimeout = KEEP_ALIVE_MS
  // The loading of a large graph may take longer than Node.js allows a request.
  server.requestTimeout = 0
  const base = `http://${LOOPBACK}:${await listen(server)}`
  const endpoint = {
    queryUrl: base + PATHS.query,
    updateUrl: base + PATHS.update,
    graphStoreUrl: base + PATHS.graphStore,
    user,
    password,
  }

  let lock: HeldLock | undefined
  const close = async () => {
    const closing = threads
    threads = undefined
    await closing?.close()
    // The listener answers for the lock until the last.
    await lock?.release()
    server.close()
    server.closeAllConnections()
  }
  try {
    lock = await holdDirectory(directory, base + PATHS.presence, endpoint)
    const limits = { ...STORE_LIMITS, ...options.limits }
    threads = await StoreThreads.open({ directory, queryTimeoutMs, memoryBytes, limits, onError })
  } catch (error) {
    await close()
    throw error
  }
  return {
    endpoint,
    handlePublicQuery: answeringErrors(publicly(openThreads), onError),
    isNew: threads.isNew,
    close,
  }
}

/** Where a process answers that holds the directory of an embedded store; undefined when none does. */
export async function runningEmbeddedStore(directory: string): Promise<StoreEndpoint | undefined> {
  return holderOf(directory)
}

function publicly(threads: () => StoreThreads) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    requireMethod(request, ['GET', 'HEAD', 'POST', 'OPTIONS'])
    if (request.method === 'OPTIONS') {
      response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST')
      response.setHeader('Access-Control-Allow-Headers', 'Accept, Content-Type')
      response.statusCode = 204
      response.end()
      return
    }
    const http = await protocolRequest(request, MOST_PUBLIC_QUERY_BYTES)
    const { contentType, body } = await threads().publicQuery(http, untilClosed(response))
    send(response, contentType, body)
  }
}

function privately(threads: () => StoreThreads, directory: string, user: string, password: string) {
  const expected = digest(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page in a browser can reach a loopback port under a name of its own.
    if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')) {
      throw new ApiError('ForbiddenAccessError', 'Host: expected the loopback address')
    }
    const path = request.url!.split('?')[0]!
    if (path !== PATHS.query && !timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      throw new ApiError('UnauthorizedError', 'Authorization: expected user and password of the store')
    }
    switch (path) {
      case PATHS.query: {
        requireMethod(request, ['GET', 'HEAD', 'POST'])
        const { contentType, body } = await threads().query(
          await protocolRequest(request, MOST_QUERY_BYTES),
          untilClosed(response),
        )
        send(response, contentType, body)
        return
      }
      case PATHS.update:
        requireMethod(request, ['POST'])
        await threads().update(await protocolRequest(request, MOST_UPDATE_BYTES))
        response.statusCode = 204
        response.end()
        return
      case PATHS.graphStore:
        await answerGraphStore(threads(), directory, request, response)
        return
      case PATHS.presence:
        response.statusCode = 204
        response.end()
        return
      default:
        throw new ApiError('EntityNotFoundError', `There is no ${path.slice(0, 200)} here.`)
    }
  }
}

/** Aborted when the client goes away. */
function untilClosed(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, LOOPBACK, resolve)
  })
  return (server.address() as AddressInfo).port
}
