import { chmod } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { makeFolder, refuseForeignFolder } from '../../base/durable/files.ts'
import { type FileLock, lockFile } from '../../base/durable/file-lock.ts'
import { unavailable } from '../../base/errors.ts'
import { ControlEndpoint } from '../http/control-endpoint.ts'
import type { StoreEndpoint } from '../../graph/sparql/client.ts'
import type { AnswerQuery } from '../../graph/sparql/http.ts'
import { STORE_DATABASE, StoreContents } from './contents.ts'
import { servePrivately, protocolRequest, readBody, sendAnswer, untilClosed } from './private-endpoint.ts'
import type { ProtocolRequest } from './protocol.ts'
import { lockFileOf } from './running.ts'
import { STORE_LIMITS, type StoreLimits, StoreThreads } from './threads.ts'
import { MAXIMA } from '../http/maxima.ts'

export interface EmbeddedStore {
  /**
   * The store for the service, on a loopback port: the SPARQL 1.1 Protocol and Graph Store HTTP Protocol. All need the
   * user and password, which are new for each process.
   */
  endpoint: StoreEndpoint
  /** Answers a query of the service like that address, without HTTP. */
  answerQuery: AnswerQuery
  /** The store for the public: only queries of the SPARQL 1.1 Protocol. These handlers read the body themselves. */
  publicQuery: RequestHandler[]
  /** Answers such a query in the format that `accept` asks for; throws the errors of the endpoint. */
  askPublicly: AnswerQuery
  /** Calls a function after every change, of this process or of a command, before its writer has the answer. */
  onWrite(listener: () => void): void
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
   * Fills a new store before other processes can reach it. If the process ends meanwhile, the next one finds a new and
   * empty store.
   */
  fill?: ((endpoint: StoreEndpoint) => Promise<void>) | undefined
  /** Serves the store to the service and to commands; a store without it opens an endpoint of its own. */
  control?: ControlEndpoint | undefined
  /** Receives errors that no answer has reported, for the log. */
  onError?: (error: unknown) => void
  limits?: Partial<StoreLimits>
}

const MEMORY_BYTES = 1 << 30
/** The share of the memory for answers that public clients have not read yet. */
const UNREAD_SHARE = 0.125

/**
 * Starts an RDF store inside the process. Its files are in the directory; every acknowledged change is on disk.
 *
 * @throws LockedError if another process uses the directory
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
  await makeFolder(directory)
  await chmod(directory, 0o700)

  let openThreads: StoreThreads | undefined
  const threads = () => {
    if (!openThreads) throw unavailable('The store is not open.')
    return openThreads
  }
  const control = options.control ?? (await ControlEndpoint.listen(onError))
  const listeners: (() => void)[] = []
  const onWrite = () => {
    for (const listener of listeners) listener()
  }
  const endpoint = servePrivately(control, { threads, directory, onWrite })

  let lock: FileLock | undefined
  let contents: StoreContents | undefined
  const close = async () => {
    const closing = openThreads
    openThreads = undefined
    await closing?.close()
    await contents?.close()
    await lock?.release()
    if (!options.control) control.close()
  }
  try {
    lock = await lockFile(lockFileOf(directory))
    contents = await StoreContents.open(directory)
    const limits = { ...STORE_LIMITS, ...options.limits }
    openThreads = await StoreThreads.open({ contents, queryTimeoutMs, memoryBytes, limits, onError })
    if (contents.isNew && fill) await contents.fill(() => fill(endpoint))
    await lock.publish(endpoint)
  } catch (error) {
    await close()
    throw error
  }
  return {
    endpoint,
    answerQuery: (query, accept, gone) => threads().query(queryRequest(query, accept), gone),
    publicQuery: publicEndpoint(threads, memoryBytes * UNREAD_SHARE),
    askPublicly: (query, accept, gone) => threads().publicQuery(queryRequest(query, accept), gone),
    onWrite: (listener) => void listeners.push(listener),
    close,
  }
}

/** A query sent directly by POST (SPARQL 1.1 Protocol, section 2.1.3). */
function queryRequest(query: string, accept: string): ProtocolRequest {
  return { search: '', accept, contentType: 'application/sparql-query', body: new TextEncoder().encode(query) }
}

const TOO_MANY_UNREAD = 'Too many answers have not been read by their clients yet.'

/**
 * The store for the public: only queries of the SPARQL 1.1 Protocol, by GET and POST. `Accept` chooses among all
 * formats; if it names none of them, the answer has the default format.
 *
 * @param mostUnreadBytes the maximum memory of all answers together that clients have not read yet
 * @throws ApiError ServiceUnavailableError while other answers take up this memory
 */
function publicEndpoint(threads: () => StoreThreads, mostUnreadBytes: number): RequestHandler[] {
  let unreadBytes = 0
  const answer: RequestHandler = async (request, response) => {
    if (unreadBytes >= mostUnreadBytes) throw unavailable(TOO_MANY_UNREAD)
    const { contentType, body } = await threads().publicQuery(protocolRequest(request), untilClosed(response))
    if (response.destroyed) return
    if (unreadBytes + body.byteLength > mostUnreadBytes) throw unavailable(TOO_MANY_UNREAD)
    unreadBytes += body.byteLength
    response.once('close', () => (unreadBytes -= body.byteLength))
    sendAnswer(response, { contentType, body })
  }
  return [readBody(MAXIMA.sparqlBody.most), answer]
}
