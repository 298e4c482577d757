/** The log and the figures of requests, and the limits for browsers and slow clients, of the process as it is. */
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHttpServer, SERVER_LIMITS } from '../../../src/interface/http/server.ts'
import { loggedUrl } from '../../../src/interface/http/observe.ts'
import { startService, type ServiceProcess } from '../../process.ts'

const CONCEPT = 'http://example.org/vocabulary/crafts/bookbinding'
const TOKEN = 'a-token-that-nobody-may-see'
let service: ServiceProcess

beforeAll(async () => {
  service = await startService({ TRUST_PROXY: 'loopback', BASE_URL: 'https://vocabularies.example.org/' })
})
afterAll(() => service?.stop())

/** The line that the request with an id has left in the log. */
async function lineOf(id: string): Promise<Record<string, any>> {
  for (;;) {
    const line = service.log.find((entry) => entry['id'] === id && entry['msg'] === 'request')
    if (line) return line
    await sleep(20)
  }
}
const metrics = async () => (await fetch(`${service.url}/metrics`)).text()

describe('the log', () => {
  test('has one line a request, with its id, its templates and its times', async () => {
    const id = 'from-a-proxy.1:2'
    const path = `/narrower?uri=${encodeURIComponent(CONCEPT)}`
    const answer = await fetch(service.url + path, { headers: { 'x-request-id': id } })
    expect(answer.headers.get('x-request-id')).toBe(id)
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
    const line = await lineOf(id)
    expect(line).toMatchObject({
      method: 'GET',
      url: path,
      route: '/narrower',
      status: 200,
      templates: expect.arrayContaining(['describe/concept']),
    })
    expect(line['storeMs']).toBeGreaterThan(0)
    expect(line['ms']).toBeGreaterThanOrEqual(Math.floor(line['storeMs']))
    expect(service.log.filter((entry) => entry['id'] === id)).toHaveLength(1)
    expect(Object.keys(line)).not.toContain('req')
  })

  test('names the tools that an assistant called, but not what it asked', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_concepts', arguments: { query: 'a-private-question', vocabulary: 'no-such' } },
    }
    await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'x-request-id': 'assistant',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(call),
    })
    const line = await lineOf('assistant')
    expect(line).toMatchObject({ method: 'POST', route: '/mcp', status: 200, tools: ['search_concepts'] })
    expect(JSON.stringify(line)).not.toContain('a-private-question')
  })

  test.each(['two words', 'x'.repeat(129), '{"a":1}', ''])('gives a new id for %j', async (id) => {
    const answer = await fetch(`${service.url}/voc`, { headers: { 'x-request-id': id } })
    expect(answer.headers.get('x-request-id')).toMatch(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    )
  })

  test('has no token, wherever clients put it', async () => {
    const body = JSON.stringify([{ username: 'u', token: TOKEN, data: '[{"prefLabel":{}}]' }])
    await fetch(`${service.url}/ingest`, { method: 'POST', body })
    await fetch(`${service.url}/ingest?token=${TOKEN}`, { method: 'POST', body: `{"token":"${TOKEN}"` })
    await fetch(`${service.url}/voc?token=${TOKEN}&api_token=${TOKEN}`, { headers: { authorization: TOKEN } })
    await fetch(`${service.url}/${encodeURIComponent('a%')}?Password=${TOKEN}`)
    await fetch(`${service.url}/voc`, { headers: { 'x-request-id': 'the-last' } })
    await lineOf('the-last')
    expect(JSON.stringify(service.log)).toContain('[removed]')
    expect(JSON.stringify(service.log)).not.toContain(TOKEN)
    expect(loggedUrl('/a?b=c&token=d&e')).toBe('/a?b=c&token=[removed]&e')
  })

  test('believes only the proxies of TRUST_PROXY about addresses', async () => {
    const body = JSON.stringify([{ username: 'u', token: TOKEN, data: '[{"prefLabel":{}}]' }])
    const send = (to: ServiceProcess) =>
      fetch(`${to.url}/ingest`, { method: 'POST', body, headers: { 'x-forwarded-for': '203.0.113.9, 192.0.2.7' } })
    const other = await startService({ DEMO: 'false' })
    expect([(await send(service)).status, (await send(other)).status]).toEqual([401, 401])
    const addresses = ({ log }: ServiceProcess) =>
      log.filter(({ msg }) => String(msg).startsWith('failed login')).map(({ address }) => address)
    expect(addresses(service)).toContain('192.0.2.7')
    await other.stop()
    expect(addresses(other)).toEqual(['127.0.0.1'])
  })
})

describe('/metrics', () => {
  test('counts by pattern, status and template, and shows waiting requests', async () => {
    await fetch(`${service.url}/voc/crafts/top`)
    await fetch(`${service.url}/voc/nothing`)
    let text = await metrics()
    // The service may be reading something in the background.
    while (!/^store_requests_pending 0$/m.test(text)) text = await metrics()
    for (const expected of [
      /^http_requests_total\{route="\/voc\/:vocid\/top",method="GET",status="200"\} \d+$/m,
      /^http_requests_total\{route="\/voc\/:vocid",method="GET",status="404"\} \d+$/m,
      /^http_request_duration_seconds_bucket\{le="0.1",route="\/voc\/:vocid\/top"\} \d+$/m,
      /^store_request_duration_seconds_count\{template="voc",outcome="ok"\} \d+$/m,
      /^store_requests_pending 0$/m,
      /^store_requests_queued 0$/m,
      /^ingest_outbox_mails 0$/m,
      /^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m,
      /^process_resident_memory_bytes \d+$/m,
    ]) {
      expect(text).toMatch(expected)
    }
  })

  test('has no more lines whatever is asked for', async () => {
    const lines = async () => (await metrics()).split('\n').filter((line) => line.startsWith('http_')).length
    const ask = async (at: number) => {
      await fetch(`${service.url}/voc/v${at}/top`)
      await fetch(`${service.url}/nowhere/${at}`)
      await fetch(`${service.url}/formats/f${at}/g`)
      await fetch(`${service.url}/docs/${at}`)
      await fetch(`${service.url}/voc`, { method: ['PUT', 'PATCH', 'DELETE', 'LOCK'][at % 4]! })
    }
    await ask(0)
    await metrics()
    const before = await lines()
    for (let at = 1; at < 20; at++) await ask(at)
    expect(await lines()).toBe(before)
  })
})

describe('headers', () => {
  test.each(['/voc', '/nowhere', '/data', '/healthz', '/openapi.json', '/sparql?query=ASK%7B%7D', '/metrics'])(
    'of %s',
    async (path) => {
      const { headers } = await fetch(service.url + path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'strict-transport-security': 'max-age=31536000',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      })
      expect(headers.get('x-powered-by')).toBeNull()
    },
  )

  test('the viewer can load its files', async () => {
    const { headers } = await fetch(`${service.url}/docs`)
    expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  })
})

test.each([
  ['URL', `/voc?notation=${'a'.repeat(70_000)}`, {}],
  ['header', '/voc', { 'x-large': 'a'.repeat(70_000) }],
])('a %s of 70,000 characters is refused', async (_, path, headers) => {
  const answer = await fetch(service.url + path, { headers })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([431, '*'])
  expect(await answer.json()).toMatchObject({ error: 'MalformedRequestError', status: 431 })
})

test.each(['GET /voc?x=ä HTTP/1.1\r\nHost: a\r\n\r\n', 'FOO /voc HTTP/1.1\r\nHost: a\r\n\r\n', '\x16\x03\x01\x02'])(
  'bytes that are no HTTP request get an error in JSON: %j',
  async (bytes) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    // A request before them on the same connection has its answer.
    socket.write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`)
    let answer = String((await once(socket, 'data'))[0])
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\n{"ok":1}$/s)
    socket.write(bytes)
    answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    const body = answer.split('\r\n\r\n')[1]!
    expect(answer).toContain(`\r\nContent-Length: ${body.length}\r\n`)
    expect(JSON.parse(body)).toMatchObject({ error: 'MalformedRequestError', status: 400 })
  },
)

describe('a slow client is cut off', () => {
  const listener: RequestListener = (request, response) => {
    if (request.url === '/large') response.write(Buffer.alloc(50_000_000))
    else request.resume().on('end', () => response.end('done'))
  }
  const hasty = createHttpServer(listener, { headersMs: 300, requestMs: 600, checkMs: 50, silenceMs: 900 })
  const small = createHttpServer(listener, { connections: 3 })
  beforeAll(() => Promise.all([hasty, small].map((server) => once(server.listen(0, '127.0.0.1'), 'listening'))))
  afterAll(() => [hasty, small].forEach((server) => server.close()))
  const open = async (server: Server): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }

  test.each([
    ['in its headers', 'GET / HTTP/1.1\r\n', 'X-A: b\r\n'],
    ['in its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n', 'a'],
  ])('%s', async (_, beginning, drop) => {
    const socket = await open(hasty)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.write(beginning)
    const drip = setInterval(() => socket.write(drop), 50)
    await once(socket, 'close')
    clearInterval(drip)
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*"status":408/s)
  })

  test.each([
    ['half of a head', 'GET / HTTP/1.1\r\n', 'X-A: b\r\n'],
    ['half of a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n', 'a'],
    ['no HTTP', 'nothing\r\n\r\n', 'nothing\r\n\r\n'],
  ])('that sends %s, and goes on sending after the refusal', async (_, beginning, drop) => {
    const { port } = hasty.address() as AddressInfo
    const accepted = once(hasty, 'connection') as Promise<[Socket]>
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    const [served] = await accepted
    const closed = new Promise((resolve) => served.once('close', resolve))
    socket.write(beginning)
    const drip = setInterval(() => socket.write(drop), 50)
    await closed
    clearInterval(drip)
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 40[08] /)
  })

  test('by default within 30 s in all', () => {
    expect(SERVER_LIMITS.headersMs).toBeLessThanOrEqual(30_000)
    expect(SERVER_LIMITS.requestMs).toBeLessThanOrEqual(30_000)
    expect(SERVER_LIMITS.checkMs).toBeLessThanOrEqual(1000)
  })

  test('that does not read its answer', async () => {
    const asked = once(hasty, 'request') as Promise<[IncomingMessage]>
    const socket = await open(hasty)
    socket.pause()
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    const [request] = await asked
    const started = performance.now()
    await once(request.socket, 'close')
    // Not at once, because a short pause is allowed.
    expect(performance.now() - started).toBeGreaterThan(500)
    socket.destroy()
  })

  test('and beyond the most connections there are none', async () => {
    const sockets = [await open(small), await open(small), await open(small)]
    const late = await open(small)
    await once(late, 'close')
    for (const socket of sockets) {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      let answer = ''
      for await (const chunk of socket) answer += String(chunk)
      expect(answer).toContain('done')
    }
  })
})
