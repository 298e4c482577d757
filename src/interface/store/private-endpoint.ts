import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express, { type Request, type RequestHandler, type Response } from 'express'
import { DiskError } from '../../base/durable/errors.ts'
import { syncFolder } from '../../base/durable/files.ts'
import { ApiError } from '../../base/errors.ts'
import type { ControlEndpoint } from '../http/control-endpoint.ts'
import { methodNotAllowed } from '../http/errors.ts'
import { CHANGED_GRAPH, type StoreEndpoint } from '../../graph/sparql/client.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { isSystemError, messageOf } from '../../base/thrown.ts'
import { type GraphFile, newGraphFileName } from './graph-files.ts'
import { mediaType, updateText, type ProtocolAnswer, type ProtocolRequest } from './protocol.ts'
import { notWritten, type StoreThreads } from './threads.ts'

const PATHS = { update: '/update', graphStore: '/data' } as const

const MOST_QUERY_BYTES = 16 << 20
const MOST_UPDATE_BYTES = 64 << 20
const N_TRIPLES = 'application/n-triples'

interface PrivateEndpointOptions {
  threads: () => StoreThreads
  /** The directory for the bodies of graphs. */
  directory: string
  /** Called after every change, before its answer. */
  onWrite: () => void
}

/**
 * Serves the store to the service and its commands: the SPARQL 1.1 Protocol, in which a header of updates names the
 * graph that they change, and of the Graph Store HTTP Protocol GET, PUT and DELETE of named graphs (section 4.2) as
 * N-Triples. Changes and graphs need user and password; queries have a secret address.
 */
export function servePrivately(
  control: ControlEndpoint,
  { threads, directory, onWrite }: PrivateEndpointOptions,
): StoreEndpoint {
  const query: RequestHandler = async (request, response) => {
    sendAnswer(response, await threads().query(protocolRequest(request), untilClosed(response)))
  }
  const update: RequestHandler = async (request, response) => {
    await threads().update(updateText(protocolRequest(request)), changedGraphOf(request))
    onWrite()
    response.status(204).end()
  }
  const readGraph: RequestHandler = async (request, response) => {
    const graph = await threads().readGraph(requestedGraph(request))
    if (!graph) throw noSuchGraph()
    if (graph instanceof Uint8Array) {
      sendAnswer(response, { contentType: N_TRIPLES, body: graph })
      return
    }
    try {
      response.setHeader('Content-Type', N_TRIPLES)
      response.setHeader('Content-Length', (await graph.stat()).size)
      if (request.method === 'HEAD') response.end()
      else await pipeline(graph.createReadStream({ autoClose: false }), response)
    } finally {
      await graph.close()
    }
  }
  const putGraph: RequestHandler = async (request, response) => {
    const graph = requestedGraph(request)
    const file = await keepBody(directory, request)
    try {
      const isReplaced = await threads().putGraph(graph, file)
      onWrite()
      response.status(isReplaced ? 204 : 201).end()
    } catch (error) {
      await rm(join(directory, file.name), { force: true })
      throw error
    }
  }
  const deleteGraph: RequestHandler = async (request, response) => {
    if (!(await threads().deleteGraph(requestedGraph(request)))) throw noSuchGraph()
    onWrite()
    response.status(204).end()
  }

  const queries = express.Router()
  queries
    .route('/')
    .get(query)
    .post(readBody(MOST_QUERY_BYTES), query)
    .all(methodNotAllowed(['GET', 'HEAD', 'POST']))
  const router = express.Router()
  router
    .route(PATHS.update)
    .post(readBody(MOST_UPDATE_BYTES), update)
    .all(methodNotAllowed(['POST']))
  router
    .route(PATHS.graphStore)
    .get(readGraph)
    .put(putGraph)
    .delete(deleteGraph)
    .all(methodNotAllowed(['GET', 'HEAD', 'PUT', 'DELETE']))
  const { url, ...login } = control.serve('/store', router)
  return {
    queryUrl: control.serveAtSecretPath('/queries', queries),
    updateUrl: url + PATHS.update,
    graphStoreUrl: url + PATHS.graphStore,
    hasOneWriter: true,
    ...login,
  }
}

function requestedGraph(request: Request): string {
  const graphs = new URLSearchParams(searchOf(request)).getAll('graph')
  if (graphs.length !== 1 || !isAbsoluteIri(graphs[0]!)) {
    throw new ApiError('MalformedRequestError', 'graph: expected one absolute IRI')
  }
  return graphs[0]!
}

function changedGraphOf(request: Request): string {
  try {
    const graph = decodeURIComponent(request.get(CHANGED_GRAPH) ?? '')
    if (isAbsoluteIri(graph)) return graph
  } catch {
    // Not percent-encoded UTF-8.
  }
  throw new ApiError('MalformedRequestError', `${CHANGED_GRAPH}: expected an absolute IRI, percent-encoded`)
}

function noSuchGraph(): ApiError {
  return new ApiError('EntityNotFoundError', 'graph: there is no such graph')
}

/** Writes the body of a request to a new file as it arrives; it is on disk when this resolves. */
async function keepBody(directory: string, request: Request): Promise<GraphFile> {
  if (mediaType(request.headers['content-type']) !== N_TRIPLES) {
    throw new ApiError('MalformedRequestError', `Content-Type: expected ${N_TRIPLES}`)
  }
  const name = newGraphFileName()
  const path = join(directory, name)
  const hash = createHash('sha256')
  let bytes = 0
  const measure = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  try {
    // If the disk fails, the request stays open, because it needs an answer.
    const body = request.iterator({ destroyOnReturn: false })
    await pipeline(body, measure, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
    await syncFolder(directory)
  } catch (cause) {
    await rm(path, { force: true })
    // A request that was read to its end is destroyed, too.
    const isDiskFailure = isSystemError(cause) && (request.complete || !request.destroyed)
    throw isDiskFailure
      ? notWritten(new DiskError(`${path} cannot be written: ${messageOf(cause)}`, { cause }))
      : new ApiError('MalformedRequestError', 'body: broke off', { cause })
  }
  return { name, bytes, sha256: hash.digest('hex') }
}

/** Reads a body of any type. For both endpoints of the store, like what follows. */
export function readBody(mostBytes: number): RequestHandler {
  return express.raw({ type: () => true, limit: mostBytes })
}

/** A request of the SPARQL Protocol whose body was read. */
export function protocolRequest(request: Request): ProtocolRequest {
  const isPost = request.method === 'POST'
  const body = request.body as Uint8Array | undefined
  return {
    search: searchOf(request),
    accept: request.headers.accept,
    contentType: isPost ? (request.headers['content-type'] ?? '') : undefined,
    body: isPost && body ? body : new Uint8Array(),
  }
}

/** The query string of a request, without the question mark. */
function searchOf({ url }: Request): string {
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
}

/** Sends an answer, whose length is known. */
export function sendAnswer(response: Response, { contentType, body }: ProtocolAnswer): void {
  response.setHeader('Content-Type', contentType)
  response.setHeader('Content-Length', body.byteLength)
  response.vary('Accept')
  response.end(body)
}

/** Aborted when the client goes away. */
export function untilClosed(response: Response): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}
