/** A store whose answers go astray: an HTTP proxy before a real one. */
import { once } from 'node:events'
import { createServer, request as send, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { basicAuthorization } from '../../../src/graph/sparql/http.ts'
import { closeServer, listen } from '../../process.ts'

export type Fault =
  /** Everything goes through. */
  | 'none'
  /** The connection ends before the store hears of the request. */
  | 'refused'
  /** The store carries the request out; the connection ends before its answer arrives. */
  | 'answer lost'
  /** The same, in the middle of the answer. */
  | 'answer cut'
  /** The store carries the request out; a gateway before it says 504. */
  | 'gateway late'
  /** The store hears the first half of the request, then the connection ends. */
  | 'cut'
  /** Requests get no answer and do not reach the store. */
  | 'silent'
  /** The store hears of the request after a second and a half. */
  | 'late'
  /** The store hears of the request when `release` is called. */
  | 'held'
  /** The store says 503. */
  | 'busy'
  /** The store says 500. */
  | 'failed'

export interface StoreProxy {
  endpoint: StoreEndpoint
  /** The real one: it may come back somewhere else. */
  store: StoreEndpoint
  /** The treatment of updates and of queries. */
  update: Fault
  query: Fault
  /** Only updates and queries with these texts in them are treated so. */
  updateWith: string
  queryWith: string
  /** Gives the treatment of each request instead, when it has come to that. */
  choose: ((kind: 'query' | 'update' | 'data') => Promise<Fault>) | undefined
  /** Updates with `updateWith` in them that have come so far. */
  updates: number
  /** Graphs that were put so far. */
  puts: number
  /** Requests that are held. */
  readonly held: number
  /** Lets the store hear of them. */
  release(): void
  /** Ends the connections of requests that get no answer. */
  hangUp(): void
  close(): Promise<void>
}

const LATE_MS = 1500

export async function startStoreProxy(store: StoreEndpoint): Promise<StoreProxy> {
  const waiting = new Set<ServerResponse>()
  let held: (() => void)[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request)
      const { queryUrl, updateUrl, graphStoreUrl } = proxy.store
      const targets = { query: queryUrl, update: updateUrl, data: graphStoreUrl }
      const kind = request.url!.slice(1).split('?')[0] as keyof typeof targets
      if (request.method === 'PUT') proxy.puts++
      const isMeant = kind !== 'data' && body.includes(kind === 'update' ? proxy.updateWith : proxy.queryWith)
      if (kind === 'update' && isMeant) proxy.updates++
      const fault = (await proxy.choose?.(kind)) ?? (isMeant ? proxy[kind] : 'none')
      const target = targets[kind] + (request.url!.includes('?') ? `?${request.url!.split('?')[1]}` : '')
      if (fault === 'refused') return request.socket.destroy()
      if (fault === 'busy') return response.writeHead(503).end()
      if (fault === 'failed') return response.writeHead(500).end()
      if (fault === 'silent') return waiting.add(response)
      if (fault === 'held') await new Promise<void>((resolve) => held.push(resolve))
      if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS))
      if (fault === 'cut') {
        const cut = forward(request, target, body.length, proxy.store)
        cut.on('error', () => undefined)
        cut.write(body.subarray(0, Math.floor(body.length / 2)), () => setTimeout(() => cut.destroy(), 100))
        await once(cut, 'close')
        return request.socket.destroy()
      }
      const outgoing = forward(request, target, body.length, proxy.store).end(body)
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
      const content = await buffer(answer)
      if (fault === 'answer lost') return request.socket.destroy()
      if (fault === 'answer cut') {
        const head = `HTTP/1.1 ${answer.statusCode} OK\r\nContent-Type: ${answer.headers['content-type'] ?? 'text/plain'}\r\n`
        const whole = Buffer.concat([Buffer.from(`${head}Content-Length: 1000000\r\n\r\n`), content])
        // An update may be answered without a body: its head is cut.
        const half = kind === 'update' ? 'HTTP/1.1 '.length : Math.ceil(whole.length / 2)
        return request.socket.end(whole.subarray(0, half))
      }
      if (fault === 'gateway late') return response.writeHead(504).end()
      response.writeHead(answer.statusCode!, answer.headers).end(content)
    })().catch(() => request.socket.destroy())
  })
  const url = await listen(server)
  const proxy: StoreProxy = {
    store,
    endpoint: { ...store, queryUrl: `${url}/query`, updateUrl: `${url}/update`, graphStoreUrl: `${url}/data` },
    update: 'none',
    query: 'none',
    updateWith: '',
    queryWith: '',
    choose: undefined,
    updates: 0,
    puts: 0,
    get held() {
      return held.length
    },
    release: () => {
      for (const resolve of held) resolve()
      held = []
    },
    hangUp: () => {
      for (const response of waiting) response.destroy()
      waiting.clear()
    },
    close: async () => {
      proxy.hangUp()
      await closeServer(server)
    },
  }
  return proxy
}

/**
 * A request to a store like the one that has come to a proxy before it; the caller sends its body.
 *
 * @param target the URL.
 * @param length of the body.
 */
export function forward(
  request: IncomingMessage,
  target: string,
  length: number,
  { user, password }: StoreEndpoint,
): ClientRequest {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'transfer-encoding'].includes(name)),
  )
  // A store that has come back may have another login.
  if (user && password) headers['authorization'] = basicAuthorization({ user, password })
  return send(target, { method: request.method!, headers: { ...headers, 'content-length': length }, agent: false })
}
