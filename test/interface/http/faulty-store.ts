/** A store that fails in a certain way: before a real one, or by itself with answers that are made up. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { forward } from '../../writing/ingest/store-proxy.ts'
import { closeServer, listen } from '../../process.ts'

export type Fault =
  | 'none'
  | 'connection closed'
  | 'silence'
  | 'silence in the body'
  | 'status 500'
  | 'status 503'
  /** What Fuseki says if a query takes longer than its configuration allows. */
  | 'Query timed out'
  | 'status 403'
  | 'body cut, with its length'
  | 'body cut, in chunks'
  | 'body cut, without a length'
  | 'half a body as if it were whole'
  | 'HTML'
  | 'HTML as results'
  | 'nothing'

/** Stands in what the store says when it fails; no client may see it. */
export const SECRET = 'SecretOfTheStore'
export const FAKED_CONCEPT = 'http://example.org/faked/1'

const HTML = `<!DOCTYPE html><html><head><title>${SECRET}</title></head><body>404</body></html>`
const FAKED_TRIPLES = `<${FAKED_CONCEPT}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .
<${FAKED_CONCEPT}> <http://www.w3.org/2004/02/skos/core#prefLabel> "Faked concept with a long name"@en .
`

interface WholeAnswer {
  status: number
  type: string
  body: Buffer
}

export interface FaultyStore {
  endpoint: StoreEndpoint
  fault: Fault
  /** The real store; undefined: answers are made up. */
  target: StoreEndpoint | undefined
  /** Requests after which the fault begins. */
  faultAfter: number
  /** Answers that are still to fail. */
  faults: number
  /** Milliseconds before an answer. */
  delayMs: number
  /** Requests that have come, those that are there now, the most at once, and those whose sender went away. */
  requests: number
  present: number
  most: number
  abandoned: number
  /** Stops listening, so that connections are refused. */
  close(): Promise<void>
  /** Listens again on the same port. */
  listen(): Promise<void>
}

/** @param port where to listen; a free one unless given */
export async function startFaultyStore(target?: StoreEndpoint, port = 0): Promise<FaultyStore> {
  let server: Server
  let url = ''
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    store.requests++
    store.most = Math.max(store.most, ++store.present)
    let isAnswered = false
    response.once('finish', () => (isAnswered = true))
    response.once('close', () => {
      store.present--
      if (!isAnswered) store.abandoned++
    })
    answer(store, request, response).catch(() => request.socket.destroy())
  }
  const store: FaultyStore = {
    endpoint: { queryUrl: '', updateUrl: '', graphStoreUrl: '' },
    fault: 'none',
    target,
    faultAfter: 0,
    faults: Infinity,
    delayMs: 0,
    requests: 0,
    present: 0,
    most: 0,
    abandoned: 0,
    close: () => closeServer(server),
    listen: async () => {
      server = createServer(listener)
      url = await listen(server, url ? Number(new URL(url).port) : port)
    },
  }
  await store.listen()
  const { user, password } = target ?? {}
  store.endpoint = {
    queryUrl: `${url}/query`,
    updateUrl: `${url}/update`,
    graphStoreUrl: `${url}/data`,
    user,
    password,
  }
  return store
}

async function answer(store: FaultyStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const content = await buffer(request)
  if (store.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, store.delayMs))
  const fault = store.requests > store.faultAfter && store.faults > 0 ? store.fault : 'none'
  if (fault !== 'none') store.faults--
  if (fault === 'connection closed') return void request.socket.destroy()
  if (fault === 'silence') return
  const status = /^status (\d+)$/.exec(fault)?.[1]
  if (status) return void response.writeHead(Number(status)).end(`${SECRET} at Store.java:42`)
  if (fault === 'Query timed out') return void response.writeHead(503).end(`${fault}\n`)
  if (fault === 'HTML') return void response.writeHead(200, { 'content-type': 'text/html' }).end(HTML)
  if (fault === 'nothing') return void response.writeHead(200).end()

  const whole = store.target ? await ask(store.target, request, content) : makeUp(content)
  const half = whole.body.subarray(0, Math.floor(whole.body.length / 2))
  const head = { 'content-type': whole.type }
  switch (fault) {
    case 'HTML as results':
      return void response.writeHead(200, head).end(HTML)
    case 'half a body as if it were whole':
      return void response.writeHead(200, head).end(half)
    case 'silence in the body':
      return void response.writeHead(200, head).write(half)
    case 'body cut, with its length':
      response.writeHead(200, { ...head, 'content-length': whole.body.length })
      return void response.write(half, () => request.socket.destroy())
    case 'body cut, in chunks':
      response.writeHead(200, head)
      return void response.write(half, () => request.socket.destroy())
    case 'body cut, without a length': {
      // At the end of a line, so that the rest looks complete.
      const lines = half.subarray(0, half.lastIndexOf('\n') + 1)
      const start = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: ${whole.type}\r\n\r\n`
      return void request.socket.end(Buffer.concat([Buffer.from(start), lines.length > 0 ? lines : half]))
    }
    default:
      response.writeHead(whole.status, { ...head, 'content-length': whole.body.length }).end(whole.body)
  }
}

async function ask(target: StoreEndpoint, request: IncomingMessage, content: Buffer): Promise<WholeAnswer> {
  const urls = { '/query': target.queryUrl, '/update': target.updateUrl, '/data': target.graphStoreUrl }
  const [path, query] = request.url!.split('?')
  const url = urls[path as keyof typeof urls] + (query ? `?${query}` : '')
  const outgoing = forward(request, url, content.length, target).end(content)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const type = incoming.headers['content-type'] ?? 'application/octet-stream'
  return { status: incoming.statusCode!, type, body: await buffer(incoming) }
}

function makeUp(content: Buffer): WholeAnswer {
  const query = new URLSearchParams(content.toString()).get('query') ?? ''
  const json = (value: object) => ({
    status: 200,
    type: 'application/sparql-results+json',
    body: Buffer.from(JSON.stringify(value)),
  })
  if (/\bCONSTRUCT\b/.test(query)) {
    return { status: 200, type: 'application/n-triples', body: Buffer.from(FAKED_TRIPLES) }
  }
  if (/\bASK\b/.test(query)) return json({ head: {}, boolean: true })
  return json({ head: { vars: [] }, results: { bindings: [] } })
}
