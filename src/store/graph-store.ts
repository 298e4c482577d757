import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../errors.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { newGraphFile } from './dataset.ts'
import { type GraphFile, type GraphMediaType, type GraphName, isDiskFailure } from './files.ts'
import { requireMethod, searchOf, send } from './http-messages.ts'
import { mediaType } from './protocol.ts'
import type { StoreThreads } from './threads.ts'

const MEDIA_TYPES: readonly string[] = ['application/n-triples', 'text/turtle'] satisfies GraphMediaType[]

/**
 * Answers a request of the SPARQL 1.1 Graph Store HTTP Protocol with indirect graph identification (section 4.2): GET, HEAD, PUT,
 * POST and DELETE of `?graph={iri}` or `?default`.
 *
 * @param directory where the bodies are kept
 */
export async function answerGraphStore(
  threads: StoreThreads,
  directory: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  requireMethod(request, ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'])
  const graph = graphOf(request)
  switch (request.method) {
    case 'PUT':
    case 'POST': {
      const source = await keepBody(directory, graph, request)
      const type = request.method === 'PUT' ? 'put' : 'add'
      try {
        const existed = await threads.changeGraph({ type, source })
        response.statusCode = existed ? 204 : 201
      } catch (error) {
        if (error instanceof ApiError && error.status === 400) await rm(join(directory, source.file), { force: true })
        throw error
      }
      response.end()
      return
    }
    case 'DELETE': {
      if (!(await threads.changeGraph({ type: 'delete', graph }))) throw noSuchGraph()
      response.statusCode = 204
      response.end()
      return
    }
    default: {
      const reading = await threads.readGraph(graph, request.headers.accept)
      if ('absent' in reading) throw noSuchGraph()
      if ('text' in reading) send(response, reading.contentType, reading.text)
      else await sendFile(response, reading.contentType, reading.file)
    }
  }
}

function graphOf(request: IncomingMessage): GraphName {
  const parameters = new URLSearchParams(searchOf(request))
  const graphs = parameters.getAll('graph')
  if (graphs.length + parameters.getAll('default').length !== 1) {
    throw new ApiError('MalformedRequestError', 'graph, default: expected exactly one of them')
  }
  const graph = graphs[0] ?? null
  if (graph !== null && !isAbsoluteIri(graph)) {
    throw new ApiError('MalformedRequestError', 'graph: expected an absolute IRI')
  }
  return graph
}

function noSuchGraph(): ApiError {
  return new ApiError('EntityNotFoundError', 'graph: there is no such graph')
}

/** Writes the body of a request to a new file as it comes: on disk when this is fulfilled. */
async function keepBody(directory: string, graph: GraphName, request: IncomingMessage): Promise<GraphFile> {
  const type = mediaType(request.headers['content-type'])
  if (type === undefined || !MEDIA_TYPES.includes(type)) {
    throw new ApiError('MalformedRequestError', `Content-Type: expected ${MEDIA_TYPES.join(' or ')}`)
  }
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ApiError('MalformedRequestError', 'Content-Encoding: expected none')
  }
  const file = newGraphFile(type as GraphMediaType)
  const path = join(directory, file)
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
    // The request stays intact when the disk fails: an answer is due.
    const body = request.iterator({ destroyOnReturn: false })
    await pipeline(body, measure, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
    const handle = await open(directory)
    await handle.sync().finally(() => handle.close())
  } catch (cause) {
    await rm(path, { force: true })
    throw isDiskFailure(cause)
      ? new ApiError('ServiceUnavailableError', 'The store cannot write to its disk.', { cause, retryAfter: 60 })
      : new ApiError('MalformedRequestError', 'body: broke off', { cause })
  }
  return { graph, file, mediaType: type as GraphMediaType, bytes, sha256: hash.digest('hex') }
}

async function sendFile(response: ServerResponse, contentType: string, file: FileHandle): Promise<void> {
  try {
    response.setHeader('Content-Type', contentType)
    response.setHeader('Content-Length', (await file.stat()).size)
    response.setHeader('Vary', 'Accept')
    if (response.req.method === 'HEAD') response.end()
    else await pipeline(file.createReadStream({ autoClose: false }), response)
  } finally {
    await file.close()
  }
}
