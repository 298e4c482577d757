/**
 * deploy/nginx/vocabulary-service.conf in a real nginx: in front of the service, and of instances that answer as the
 * test needs.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Agent, request } from 'undici'
import { CRAFTS, putDemo, type RunningApp } from '../app.ts'
import { concept, startIngest, type IngestService } from '../writing/ingest/service.ts'
import { closeServer, listen } from '../process.ts'
import { storeOf, type TestStore } from '../stores.ts'
import { nginxMissing, startNginx, type Nginx } from './nginx.ts'

const reason = nginxMissing()
const describeHere = reason === undefined ? describe : describe.skip
const skipped = reason === undefined ? '' : `, skipped: ${reason}`

/** Loopback addresses of clients, so many that both instances get some. */
const CLIENTS = Array.from({ length: 20 }, (_, at) => `127.0.0.${at + 2}`)

/** More than the buffers of two connections hold, and far less than nginx would write to a file. */
const MOST_HELD_BYTES = 256 << 20

interface Ask {
  /** The address that the client has. */
  from?: string
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Record<string, string>
  body?: string
}

/** A request and its answer, with the first words of Cache-Status. */
async function ask(url: string, { from = '127.0.0.1', ...options }: Ask = {}) {
  const dispatcher = new Agent({ localAddress: from, pipelining: 0 })
  try {
    const { statusCode: status, headers, body } = await request(url, { ...options, dispatcher })
    const text = await body.text()
    const cache = String(headers['cache-status'] ?? '').replace('nginx; ', '')
    return { status, headers, text, cache }
  } finally {
    await dispatcher.close()
  }
}

/** Repeats a question until its answer fits. */
async function until<T>(question: () => Promise<T>, fits: (answer: T) => boolean): Promise<T[]> {
  const answers: T[] = []
  for (const end = Date.now() + 30_000; ; await sleep(50)) {
    const answer = await question()
    answers.push(answer)
    if (fits(answer)) return answers
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(answer)}`)
  }
}

describeHere(`the service behind nginx${skipped}`, () => {
  let store: Awaited<ReturnType<TestStore['start']>>
  const pairs: Record<string, { instances: IngestService[]; nginx: Nginx }> = {}

  /** Two instances over one store, with nginx in front of them. */
  const startPair = async (cacheControl: string, prefix?: string) => {
    const env = {
      CACHE_CONTROL: cacheControl,
      TRUST_PROXY: '1',
      MAX_STALENESS_MS: '0',
      HISTORY: 'off',
      BASE_URL: `http://vocabularies.test${prefix ?? ''}/`,
    }
    const instances = [await startIngest(store.endpoint, env), await startIngest(store.endpoint, env)]
    const nginx = await startNginx({ instances: [instances[0]!.url, instances[1]!.url], ...(prefix ? { prefix } : {}) })
    return { instances, nginx }
  }

  beforeAll(async () => {
    store = await storeOf('embedded').start()
    pairs['lasting'] = await startPair('public, max-age=0, s-maxage=3600')
    pairs['brief'] = await startPair('public, max-age=0, s-maxage=1', '/at/vocabularies')
    await putDemo(pairs['lasting'].instances[0]!)
  })
  afterAll(async () => {
    for (const { nginx, instances } of Object.values(pairs)) {
      await nginx.stop()
      for (const instance of instances) await instance.close()
    }
    await store?.stop()
  })

  /** Replaces the vocabulary with one that has another name. */
  const load = async (app: RunningApp, name: string) => {
    await app.put(
      CRAFTS,
      `<${CRAFTS}> a <http://www.w3.org/2004/02/skos/core#ConceptScheme> ;
      <http://www.w3.org/2004/02/skos/core#prefLabel> "${name}"@de ; <http://www.w3.org/2004/02/skos/core#notation> "crafts" .`,
    )
    for (const { instances } of Object.values(pairs)) for (const { state } of instances) state.changed()
  }

  test('answers stay in the cache, one for each format, and go out unchanged', async () => {
    const { nginx, instances } = pairs['lasting']!
    for (const headers of [
      { accept: 'application/json' },
      { accept: 'text/turtle' },
      { accept: 'application/json', 'accept-encoding': 'gzip' },
    ]) {
      const path = '/voc/crafts/top?limit=3'
      const first = await ask(nginx.url + path, { headers })
      const second = await ask(nginx.url + path, { headers })
      expect([first.status, first.cache, second.cache]).toEqual([200, 'fwd=miss', 'hit'])
      expect(second.text).toBe(first.text)
      for (const name of ['content-type', 'content-encoding', 'etag', 'link', 'x-total-count', 'vary'])
        expect(second.headers[name]).toEqual(first.headers[name])
    }
    const plain = await instances[0]!.get('/voc/crafts/top?limit=3')
    expect((await ask(`${nginx.url}/voc/crafts/top?limit=3`, { headers: { accept: 'application/json' } })).text).toBe(
      plain.text,
    )
  })

  test('a client that has the answer gets 304 from the cache; HEAD has its own answer', async () => {
    const { nginx } = pairs['lasting']!
    const url = `${nginx.url}/voc/crafts`
    const { headers } = await ask(url)
    const again = await ask(url, { headers: { 'if-none-match': String(headers['etag']) } })
    expect([again.status, again.cache, again.text]).toEqual([304, 'hit', ''])
    const head = await ask(url, { method: 'HEAD' })
    expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', headers['etag']])
  })

  test('errors, ingests, downloads and requests about one instance do not stay in the cache', async () => {
    const { nginx } = pairs['lasting']!
    for (const [path, status, cache] of [
      ['/voc/nothing', 404, 'fwd=miss'],
      ['/narrower', 400, 'fwd=miss'],
      [`/voc/concepts?uri=${CRAFTS}&download=ndjson`, 200, 'fwd=bypass'],
      ['/voc/crafts/export?format=turtle', 200, 'fwd=bypass'],
      ['/healthz', 200, ''],
      ['/readyz', 200, ''],
      ['/status', 200, ''],
      ['/metrics', 404, ''],
      ['/metrics/?x', 404, ''],
    ] as const) {
      for (const turn of [1, 2]) {
        const answer = await ask(nginx.url + path)
        expect([path, turn, answer.status, answer.cache]).toEqual([path, turn, status, cache])
      }
    }
    expect((await ask(`${nginx.url}/metrics`)).text).not.toContain('nodejs_')
  })

  test('a concept can be read at once after its ingest; a client sees its own change in a list if it says no-cache', async () => {
    const { nginx, instances } = pairs['lasting']!
    const list = `${nginx.url}/voc/crafts/top?limit=1000&properties=uri`
    await ask(list)
    const account = await instances[0]!.account()
    const body = JSON.stringify([{ ...account, data: JSON.stringify([concept()]) }])
    // The first instance has the account in its file, so the client has to stay with it.
    const from = await clientOf(nginx, instances[0]!)
    const answer = await ask(`${nginx.url}/ingest`, { method: 'POST', body, from })
    expect([answer.status, answer.cache]).toEqual([201, ''])
    const [{ uri }] = JSON.parse(answer.text) as [{ uri: string }]
    expect((await ask(`${nginx.url}/data?uri=${encodeURIComponent(uri)}`, { from })).text).toContain('Silberlöten')
    const old = await ask(list, { from })
    expect([old.cache, old.text.includes(uri)]).toEqual(['hit', false])
    const bypassed = await ask(list, { from, headers: { 'cache-control': 'no-cache' } })
    expect([bypassed.cache, bypassed.text.includes(uri)]).toEqual(['fwd=bypass', true])
    const next = await ask(list, { from })
    expect([next.cache, next.text.includes(uri)]).toEqual(['hit', true])
  })

  /** A client that stays with an instance, as the log of the instance shows. */
  const clientOf = async (nginx: Nginx, { logged }: IngestService) => {
    for (const from of CLIENTS) {
      logged.length = 0
      const headers = { 'x-forwarded-for': '192.0.2.1' }
      const body = JSON.stringify([{ username: 'nobody', token: 'wrong', data: JSON.stringify([concept()]) }])
      const answer = await ask(`${nginx.url}/ingest`, { method: 'POST', body, headers, from })
      expect(answer.status).toBe(401)
      // The address that nginx saw counts, not the one that the client claims.
      if (logged.some((line) => line.includes('failed login') && line.includes(`"address":"${from}"`))) return from
    }
    throw new Error('no client of this instance')
  }

  test('the cache revalidates stale answers and replaces only changed ones', async () => {
    const { nginx, instances } = pairs['brief']!
    const url = `${nginx.url}/at/vocabularies/voc/crafts`
    const first = await ask(url)
    expect(first.status).toBe(200)
    // 304 from the instance, 200 for the client.
    const unchanged = await until(
      () => ask(url),
      ({ cache }) => cache === 'fwd=stale; fwd-status=304',
    )
    expect(unchanged.at(-1)).toMatchObject({ status: 200, text: first.text })
    await load(instances[0]!, 'Neue Gewerke')
    const answers = await until(
      () => ask(url),
      ({ text }) => text.includes('Neue Gewerke'),
    )
    // Only the cache has the old answers; the first that nginx renews is new.
    for (const answer of answers.slice(0, -1)) expect([answer.cache, answer.text]).toEqual(['hit', first.text])
    expect(answers.at(-1)!.cache).toBe('fwd=stale')
  })

  test('links are below BASE_URL, and lead through nginx to the instances', async () => {
    const { nginx } = pairs['brief']!
    const { headers } = await ask(`${nginx.url}/at/vocabularies/voc?limit=1`)
    const next = /<http:\/\/vocabularies\.test(\/at\/vocabularies\/voc[^>]*)>; rel="next"/.exec(
      String(headers['link']),
    )!
    expect((await ask(nginx.url + next[1])).status).toBe(200)
    const encoded = `${nginx.url}/at/vocabularies/entity?uri=${encodeURIComponent(`${CRAFTS}?ä/%2F`)}`
    expect((await ask(encoded)).status).toBe(404)
    expect((await ask(`${nginx.url}/at/vocabularies/metrics`)).status).toBe(404)
  })

  test('the state of an instance and ingests bypass the cache below BASE_URL, too', async () => {
    const { nginx } = pairs['brief']!
    for (const [path, status] of [
      ['healthz', 200],
      ['readyz', 200],
      ['status', 200],
      ['ingest', 405],
      ['ingest/', 405],
    ] as const) {
      const answer = await ask(`${nginx.url}/at/vocabularies/${path}`)
      expect([path, answer.status, answer.cache]).toEqual([path, status, ''])
    }
  })
})

describeHere(`instances that fail behind nginx${skipped}`, () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void
  interface Instance {
    name: string
    url: string
    /** Requests that came in, `METHOD path`. */
    received: string[]
    /** The answers that differ from those of the other instance, by path. */
    handlers: Record<string, Answer>
    close(): Promise<void>
  }

  const CACHEABLE = { 'cache-control': 'public, max-age=3600' }
  let instances: [Instance, Instance]
  let nginx: Nginx

  /** Lets nginx keep every answer. */
  const startInstance = async (name: string): Promise<Instance> => {
    const server = createServer((request, response) => {
      const path = request.url!.split('?')[0]!
      instance.received.push(`${request.method} ${path}`)
      const handler = instance.handlers[path]
      if (handler) return handler(request, response)
      const [, status] = /^\/status-(\d+)/.exec(path) ?? []
      const headers = { ...CACHEABLE, instance: name, ...(path === '/cookie' ? { 'set-cookie': 'a=b' } : {}) }
      response.writeHead(Number(status ?? 200), headers).end(`${name} ${JSON.stringify(request.headers)}`)
    })
    const instance: Instance = {
      name,
      url: await listen(server),
      received: [],
      handlers: {},
      close: async () => {
        if (server.listening) await closeServer(server)
      },
    }
    return instance
  }

  beforeAll(async () => {
    instances = [await startInstance('one'), await startInstance('two')]
    nginx = await startNginx({ instances: [instances[0].url, instances[1].url] })
  })
  afterAll(async () => {
    await nginx?.stop()
    for (const instance of instances ?? []) await instance.close()
  })

  let asked = 0
  /** The name of the instance that a client gets. */
  const home = async (from: string) => String((await ask(`${nginx.url}/home-${++asked}`, { from })).headers['instance'])
  const clientOf = async ({ name }: Instance) => {
    for (const from of CLIENTS) if ((await home(from)) === name) return from
    throw new Error(`no client of ${name}`)
  }

  test.each<[string, string, Ask]>([
    ['an answer to POST', '/post', { method: 'POST', body: 'a=b' }],
    ['an answer to a request with Authorization', '/private', { headers: { authorization: 'Bearer of-one' } }],
    ['an answer with Set-Cookie', '/cookie', {}],
    ['an ingest', '/ingest', { method: 'POST', body: '[]' }],
    ...[400, 401, 404, 409, 429, 500, 502, 503, 504].map((status): [string, string, Ask] => [
      `an answer with ${status}`,
      `/status-${status}`,
      {},
    ]),
  ])('%s does not stay in the cache, whatever its headers allow', async (_, path, options) => {
    const count = () => instances.flatMap(({ received }) => received).filter((line) => line.endsWith(` ${path}`)).length
    await ask(nginx.url + path, options)
    const once = count()
    const second = await ask(nginx.url + path, options)
    expect([count(), second.cache]).toEqual([2 * once, expect.not.stringContaining('hit')])
    // No other client gets it.
    if (options.method !== 'POST') {
      await ask(nginx.url + path)
      expect(count()).toBeGreaterThan(2 * once)
    }
  })

  test('an answer that breaks off does not stay in the cache', async () => {
    const half: Answer = (_request, response) => {
      response.writeHead(200, CACHEABLE)
      response.write('half of it', () => response.destroy())
    }
    for (const instance of instances) instance.handlers['/half'] = half
    await expect(ask(`${nginx.url}/half`)).rejects.toThrow()
    for (const instance of instances) delete instance.handlers['/half']
    expect((await ask(`${nginx.url}/half`)).cache).toBe('fwd=miss')
  })

  test('a client stays with one instance, and both have clients', async () => {
    const homes = new Map<string, string>()
    for (const from of CLIENTS) {
      const names = [await home(from), await home(from), await home(from)]
      expect(new Set(names).size).toBe(1)
      homes.set(from, names[0]!)
    }
    expect(new Set(homes.values())).toEqual(new Set(['one', 'two']))
  })

  test.each([`/history?uri=a`, '/voc/a/changes?format=atom', '/voc/a/activity', '/voc/a/activity/page/1'])(
    'all clients get %s from the first instance, whose log it is',
    async (path) => {
      const names = new Set<unknown>()
      for (const from of CLIENTS) {
        names.add((await ask(nginx.url + path, { from, headers: { 'cache-control': 'no-cache' } })).headers['instance'])
      }
      expect(names).toEqual(new Set(['one']))
    },
  )

  test('the instance learns the host, the protocol and the address of the client, after the address that the client claims', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1', host: 'vocabularies.example.org' }
    const { text } = await ask(`${nginx.url}/headers`, { from: '127.0.0.9', headers })
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      'x-forwarded-for': '192.0.2.1, 127.0.0.9',
      'x-forwarded-proto': 'http',
      host: 'vocabularies.example.org',
    })
  })

  test('simultaneous requests share one answer', async () => {
    let turn = 0
    const made = async () => {
      const path = `/slow-${++turn}`
      const waiting: ServerResponse[] = []
      for (const instance of instances) instance.handlers[path] = (_request, response) => void waiting.push(response)
      const answers = CLIENTS.slice(0, 5).map((from) => ask(nginx.url + path, { from }))
      while (waiting.length === 0) await sleep(10)
      // Time for the others to arrive; after more than a second nginx would let them go on.
      await sleep(300)
      const count = waiting.length
      const answer: Answer = (_request, response) => void response.writeHead(200, CACHEABLE).end('made once')
      for (const instance of instances) instance.handlers[path] = answer
      for (const response of waiting) response.writeHead(200, CACHEABLE).end('made once')
      for (const { text } of await Promise.all(answers)) expect(text).toBe('made once')
      return count
    }
    await until(made, (count) => count === 1)
  })

  test('a download goes as fast as its reader reads, and does not go to the disk', async () => {
    const [instance] = instances
    const client = await clientOf(instance)
    let [written, isHeld] = [0, false]
    const piece = Buffer.alloc(1 << 20, 'x')
    const more = (response: ServerResponse) => {
      while (!isHeld && !response.destroyed) {
        written += piece.length
        isHeld = !response.write(piece)
      }
      response.once('drain', () => {
        isHeld = false
        more(response)
      })
    }
    instance.handlers['/endless'] = (_request, response) => more(response.writeHead(200, CACHEABLE))
    const dispatcher = new Agent({ localAddress: client })
    const { body } = await request(`${nginx.url}/endless?download=ndjson`, { dispatcher })
    // Nobody reads, so the instance sends nothing more once the buffers of the system are full.
    let before = -1
    while (before !== written) {
      before = written
      await sleep(500)
    }
    expect([isHeld, written < MOST_HELD_BYTES]).toEqual([true, true])
    body.destroy()
    await dispatcher.destroy()
  })

  test('clients of an instance without its store go to the other; a slow instance gets no second request', async () => {
    const [first, second] = instances
    const from = await clientOf(first)
    const lost: Answer = (_request, response) => void response.writeHead(503).end()
    first.handlers['/lost'] = lost
    expect((await ask(`${nginx.url}/lost`, { from })).text).toMatch(/^two /)
    // Requests to its other paths go on as before.
    expect(await home(from)).toBe('one')
    first.handlers['/late'] = (_request, response) => void response.writeHead(504).end()
    expect((await ask(`${nginx.url}/late`, { from })).status).toBe(504)
    expect(second.received).not.toContain('GET /late')
  })

  test('if an instance dies during a GET, the other answers it; nginx never sends a POST twice', async () => {
    const [first, second] = instances
    const from = await clientOf(first)
    const die: Answer = ({ socket }) => socket.destroy()
    for (const path of ['/dies', '/ingest', '/data']) first.handlers[path] = die
    expect((await ask(`${nginx.url}/dies`, { from })).text).toMatch(/^two /)
    for (const path of ['/ingest', '/data']) {
      const before = second.received.length
      const answer = await ask(nginx.url + path, { method: 'POST', body: '[]', from })
      expect([answer.status, second.received.slice(before)]).toEqual([503, []])
    }
    first.handlers = {}
  })

  test('clients do not notice a dead instance', async () => {
    const [first, second] = instances
    const clients = [await clientOf(first), await clientOf(second)]
    await first.close()
    for (const from of clients) {
      for (const path of ['/gone-1', '/gone-2', '/readyz']) {
        const answer = await ask(nginx.url + path, { from })
        expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/^two /)])
      }
      // The dead instance got nothing.
      const posted = await ask(`${nginx.url}/ingest`, { method: 'POST', body: '[]', from })
      expect([posted.status, posted.text]).toEqual([200, expect.stringMatching(/^two /)])
    }
  })

  test('without any instance, nginx sends cached answers, otherwise an error like those of the service', async () => {
    const [, second] = instances
    second.handlers['/kept'] = (_request, response) =>
      void response.writeHead(200, { 'cache-control': 'max-age=1' }).end('kept')
    expect((await ask(`${nginx.url}/kept`)).text).toBe('kept')
    await second.close()
    const answers = await until(
      () => ask(`${nginx.url}/kept`),
      ({ cache }) => cache !== 'hit',
    )
    expect(answers.at(-1)).toMatchObject({ status: 200, text: 'kept', cache: 'hit; detail=instances-away' })
    const nothing = await ask(`${nginx.url}/unknown`)
    expect(nothing.status).toBe(503)
    expect(nothing.headers).toMatchObject({
      'retry-after': '5',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    })
    expect(JSON.parse(nothing.text)).toMatchObject({ error: 'ServiceUnavailableError', status: 503 })
  })
})
