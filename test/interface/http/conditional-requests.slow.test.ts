import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { REVISION, SKOS } from '../../../src/base/namespaces.ts'
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { freePort, listen } from '../../process.ts'
import { nameOf } from '../../queries.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const STALE_MS = 700
const CONCEPT = `${CRAFTS}bookbinding`
const DATA = `/data?uri=${encodeURIComponent(CONCEPT)}`
const MANY = 'http://example.org/vocabulary/many/'
const MANY_CONCEPTS = `/voc/concepts?uri=${encodeURIComponent(MANY)}&properties=altLabel`

/** More concepts than are put together before they are sent. */
function manyConcepts(): string {
  const concepts = Array.from(
    { length: 2_100 },
    (_, index) => `<${MANY}${index}> a skos:Concept ; skos:inScheme <${MANY}> .`,
  )
  return `@prefix skos: <${SKOS}> . <${MANY}> a skos:ConceptScheme ; skos:notation "many" ; <${REVISION}> "1" . ${concepts.join('\n')}`
}

describeOver(EMBEDDED, 'Conditional requests', (store) => {
  let endpoint: StoreEndpoint
  let app: RunningApp
  /** Nothing becomes too old in it, however busy the machine is. */
  let steady: RunningApp
  let stop: (() => Promise<void>) | undefined
  let label = 0

  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    endpoint = running.endpoint
    app = await startApp(endpoint, { MAX_STALENESS_MS: String(STALE_MS) })
    await putDemo(app)
    await app.put(MANY, manyConcepts())
    await ingest()
    steady = await startApp(endpoint, { MAX_STALENESS_MS: '600000' })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })
  afterAll(async () => {
    await app?.close()
    await steady?.close()
    await stop?.()
  })

  /** Writes a new label as something else than the service would: the revision stays. */
  const writeDirectly = (graph = CRAFTS, concept = CONCEPT) =>
    app.client.update(
      `DELETE { GRAPH <${graph}> { <${concept}> <${SKOS}altLabel> ?old } }
       INSERT { GRAPH <${graph}> { <${concept}> <${SKOS}altLabel> "direct ${++label}"@en } }
       WHERE { OPTIONAL { GRAPH <${graph}> { <${concept}> <${SKOS}altLabel> ?old } } }`,
      graph,
    )
  /** Writes a new label and, in the same transaction, a new revision, as a load and an ingest do. */
  const ingest = (graph = CRAFTS, concept = CONCEPT) =>
    app.client.update(
      `DELETE { GRAPH <${graph}> { <${concept}> <${SKOS}altLabel> ?old . <${graph}> <${REVISION}> ?revision } }
       INSERT { GRAPH <${graph}> { <${concept}> <${SKOS}altLabel> "ingested ${++label}"@en . <${graph}> <${REVISION}> "r${label}" } }
       WHERE { OPTIONAL { GRAPH <${graph}> { <${concept}> <${SKOS}altLabel> ?old } } OPTIONAL { GRAPH <${graph}> { <${graph}> <${REVISION}> ?revision } } }`,
      graph,
    )
  const conditional = (path: string, etag: string, init: RequestInit = {}, service = app) =>
    service.get(path, { ...init, headers: { ...init.headers, 'if-none-match': etag } })
  /**
   * A list comes from the index as soon as that has read the vocabulary; until then it is another state of the answer.
   */
  const readIndex = async (service: RunningApp) => {
    await service.get(MANY_CONCEPTS)
    await service.index.caughtUp()
    await service.state.present()
  }
  const etagOf = async (path: string, init?: RequestInit, service = app) =>
    (await service.get(path, init)).headers.get('etag')!

  const PATHS = [
    '/data?notation=B1',
    '/voc',
    '/voc/crafts',
    '/voc/crafts/top',
    '/types',
    '/concept-types/test',
    `${DATA}&format=turtle`,
  ]
  test.each(PATHS)('%s: 304 without a body, and one small question to the store', async (path) => {
    const etag = await etagOf(path, {}, steady)
    expect(etag).toMatch(/^W\/"[\w-]{20,}"$/)
    await conditional(path, etag, {}, steady)
    const select = jest.spyOn(steady.client, 'select')
    const construct = jest.spyOn(steady.client, 'construct')
    const answer = await conditional(path, etag, {}, steady)
    expect(answer.status).toBe(304)
    expect(answer.text).toBe('')
    expect(answer.headers.get('etag')).toBe(etag)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('vary')!.split(', ')).toEqual(expect.arrayContaining(['Accept', 'Accept-Encoding']))
    expect(construct).not.toHaveBeenCalled()
    expect(select.mock.calls.map(([query]) => nameOf(query))).toEqual(['revisions'])
    expect((await conditional(path, etag, { method: 'HEAD' }, steady)).status).toBe(304)
  })

  const CONDITIONS: [what: string, header: (etag: string) => string, status: number][] = [
    ['the same', (etag: string) => etag, 304],
    ['the strong form', (etag: string) => etag.replace('W/', ''), 304],
    ['one of a list', (etag: string) => `"x", W/"y,z" , ${etag}`, 304],
    ['any', () => '*', 304],
    ['another', () => 'W/"x"', 200],
    ['no ETag at all', (etag: string) => etag.replaceAll('"', ''), 200],
    ['nothing', () => '', 200],
  ]
  test.each(CONDITIONS)('If-None-Match: %s', async (_, header, status) => {
    const etag = await etagOf(DATA)
    expect((await conditional(DATA, header(etag))).status).toBe(status)
  })

  test('an ETag holds for one representation only', async () => {
    const etag = await etagOf(`${DATA}`)
    expect((await conditional(DATA, etag, { headers: { accept: 'text/turtle' } })).status).toBe(200)
    expect((await conditional(DATA, etag)).status).toBe(304)
    const turtle = await etagOf(DATA, { headers: { accept: 'text/turtle' } })
    expect(turtle).not.toBe(etag)
    expect((await conditional(DATA, turtle)).status).toBe(200)
  })

  test('loads and ingests show at once', async () => {
    for (let i = 0; i < 3; i++) {
      const before = await app.get(DATA)
      await ingest()
      const answer = await conditional(DATA, before.headers.get('etag')!)
      expect(answer.status).toBe(200)
      expect(answer.body[0].altLabel.en).toEqual([`ingested ${label}`])
      expect((await conditional(DATA, answer.headers.get('etag')!)).status).toBe(304)
    }
  })

  test('a change elsewhere in the store does not change an answer', async () => {
    const etag = await etagOf(DATA)
    await ingest(MANY, `${MANY}7`)
    expect((await conditional(DATA, etag)).status).toBe(304)
  })

  test('a change by another program shows after the time for it', async () => {
    const etag = await etagOf(DATA)
    await writeDirectly()
    await sleep(STALE_MS)
    const answer = await conditional(DATA, etag)
    expect(answer.status).toBe(200)
    expect(answer.body[0].altLabel.en).toEqual([`direct ${label}`])
  })

  test('a clock that is set back does not hide such a change', async () => {
    app.state.changed()
    const tomorrow = Date.now() + 86_400_000
    const clock = jest.spyOn(Date, 'now').mockReturnValue(tomorrow)
    const etags = new Map<string, string>()
    for (const path of [DATA, MANY_CONCEPTS]) etags.set(path, await etagOf(path))
    clock.mockRestore()
    await writeDirectly()
    await writeDirectly(MANY, `${MANY}7`)
    await sleep(STALE_MS)
    for (const [path, etag] of etags) expect([path, (await conditional(path, etag)).status]).toEqual([path, 200])
  })

  test('in a store of its own, answers of any length stay unchanged until it changes', async () => {
    const fresh = await startApp(endpoint, { MAX_STALENESS_MS: '200' }, { isEmbedded: true })
    try {
      for (const path of [DATA, MANY_CONCEPTS]) {
        await readIndex(fresh)
        const headers = { 'if-none-match': (await fresh.get(path)).headers.get('etag')! }
        await sleep(300)
        const construct = jest.spyOn(fresh.client, 'construct')
        expect([path, (await fresh.get(path, { headers })).status]).toEqual([path, 304])
        expect(construct).not.toHaveBeenCalled()
        await ingest(MANY, `${MANY}7`)
        expect([path, (await fresh.get(path, { headers })).status]).toEqual([path, path === DATA ? 304 : 200])
        expect(construct).toHaveBeenCalled()
        construct.mockRestore()
      }
    } finally {
      await fresh.close()
    }
  })

  test('an answer that was asked for again and again is read again all the same', async () => {
    const etag = await etagOf(DATA)
    await writeDirectly()
    let status = 304
    while (status === 304) status = (await conditional(DATA, etag)).status
    expect(status).toBe(200)
  })

  test('an answer that is the same after that time is 304 again', async () => {
    const etag = await etagOf(DATA)
    await sleep(STALE_MS)
    const construct = jest.spyOn(app.client, 'construct')
    expect((await conditional(DATA, etag)).status).toBe(304)
    expect(construct).toHaveBeenCalled()
    construct.mockClear()
    expect((await conditional(DATA, etag)).status).toBe(304)
    expect(construct).not.toHaveBeenCalled()
  })

  test('a long answer has an ETag of its own, which holds until the store may have changed', async () => {
    const again = (etag: string) => steady.get(MANY_CONCEPTS, { headers: { 'if-none-match': etag } })
    await readIndex(steady)
    const first = await steady.get(MANY_CONCEPTS)
    expect(first.body).toHaveLength(2_100)
    const firstEtag = first.headers.get('etag')!
    expect((await steady.get(MANY_CONCEPTS, { method: 'HEAD' })).headers.get('etag')).toBe(firstEtag)
    expect((await steady.get(MANY_CONCEPTS)).headers.get('etag')).toBe(firstEtag)
    expect((await again(firstEtag)).status).toBe(304)
    await ingest(MANY, `${MANY}1`)
    const second = await again(firstEtag)
    expect(second.status).toBe(200)
    expect(second.headers.get('etag')).not.toBe(firstEtag)
    await readIndex(steady)
    const unchanged = await again(await etagOf(MANY_CONCEPTS, {}, steady))
    expect([unchanged.status, unchanged.text, unchanged.headers.get('x-total-count')]).toEqual([304, '', '2100'])
    await readIndex(app)
    const etag = await etagOf(MANY_CONCEPTS)
    await sleep(STALE_MS)
    const other = await etagOf(MANY_CONCEPTS)
    expect(other).not.toBe(etag)
    await sleep(STALE_MS)
    await writeDirectly(MANY, `${MANY}1`)
    const changed = await conditional(MANY_CONCEPTS, etag)
    expect([changed.status, changed.text.includes(`direct ${label}`)]).toEqual([200, true])
  })

  test('errors and other methods are never 304', async () => {
    const missing = await app.get('/voc/none')
    expect(missing.headers.get('cache-control')).toBe('no-store')
    expect((await conditional('/voc/none', '*')).status).toBe(404)
    expect((await conditional('/data', '*')).status).toBe(400)
    const form = { method: 'POST', body: new URLSearchParams({ uri: CONCEPT }) }
    const etag = await etagOf('/data', form)
    expect((await conditional('/data', etag, form)).status).toBe(200)
  })

  test('a date does not make a request conditional: a day cannot tell two versions apart', async () => {
    const answer = await app.get('/data?notation=B1')
    const modified = answer.headers.get('last-modified')!
    expect(modified).toBe(new Date(answer.body[0].modified).toUTCString())
    const again = await app.get('/data?notation=B1', { headers: { 'if-modified-since': modified } })
    expect(again.status).toBe(200)
  })

  test('Last-Modified is there only if every record has a date', async () => {
    const modified = async (path: string) => (await app.get(path)).headers.get('last-modified')
    expect(await modified('/voc?notation=crafts')).not.toBeNull()
    expect(await modified('/types')).toBeNull()
    expect(await modified(`${DATA}&properties=prefLabel`)).toBeNull()
    expect(await modified('/data?notation=none')).toBeNull()
  })

  test('only answers that caches may store carry CACHE_CONTROL', async () => {
    const other = await startApp(endpoint, { CACHE_CONTROL: 'public, max-age=60' })
    try {
      const cacheControl = async (path: string) => (await other.get(path)).headers.get('cache-control')
      expect(await cacheControl(DATA)).toBe('public, max-age=60')
      expect(await cacheControl('/context.json')).toBe('public, max-age=60')
      for (const path of ['/status', '/healthz', '/readyz', '/data', '/none']) {
        expect([path, await cacheControl(path)]).toEqual([path, 'no-store'])
      }
    } finally {
      await other.close()
    }
  })

  const ENCODINGS = [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const
  test.each(ENCODINGS)('answers are sent as %s', async (encoding, decompress) => {
    for (const path of [
      '/voc/crafts/top',
      '/voc/crafts/top?format=nt',
      MANY_CONCEPTS,
      `${MANY_CONCEPTS}&format=ndjson`,
    ]) {
      const plain = await app.get(path, { headers: { 'accept-encoding': 'identity' } })
      const request = httpRequest(app.url + path, { headers: { 'accept-encoding': encoding } }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const body = await buffer(response)
      expect([path, response.headers['content-encoding']]).toEqual([path, encoding])
      expect(body.length).toBeLessThan(plain.text.length / 2)
      expect(decompress(body).toString()).toBe(plain.text)
      if (!path.startsWith(MANY_CONCEPTS)) expect(response.headers.etag).toBe(plain.headers.get('etag'))
    }
  })

  const ACCEPTED: [accepted: string, encoding: string | undefined][] = [
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br, gzip', 'gzip'],
    ['*', 'gzip'],
    ['br;q=0.9, gzip;q=0.2', 'br'],
    ['br', 'br'],
    ['gzip;q=0, *', 'br'],
    ['gzip;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['', undefined],
  ]
  test.each(ACCEPTED)('a small answer to Accept-Encoding "%s" is sent as %s', async (accepted, encoding) => {
    const request = httpRequest(`${app.url}/voc/crafts/top`, { headers: { 'accept-encoding': accepted } }).end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await buffer(response)
    expect(response.headers['content-encoding']).toBe(encoding)
  })

  test('nothing is unchanged while the store cannot be asked', async () => {
    const { hostname, port } = new URL(endpoint.queryUrl)
    const open = new Set<Socket>()
    const relay = createServer((socket) => {
      const target = connect(Number(port), hostname)
      open.add(socket).add(target)
      socket.pipe(target).pipe(socket)
      for (const end of [socket, target]) end.on('error', () => undefined)
    })
    const { host } = new URL(await listen(relay))
    const relayed = (url: string) => Object.assign(new URL(url), { host }).href
    const { queryUrl, updateUrl, graphStoreUrl } = endpoint
    const other = await startApp({
      ...endpoint,
      queryUrl: relayed(queryUrl),
      updateUrl: relayed(updateUrl),
      graphStoreUrl: relayed(graphStoreUrl),
    })
    try {
      const etag = (await other.get(DATA)).headers.get('etag')!
      const again = () => other.get(DATA, { headers: { 'if-none-match': etag } })
      expect((await again()).status).toBe(304)
      relay.close()
      for (const socket of open) socket.destroy()
      const answer = await again()
      expect(answer.status).toBe(502)
      expect(answer.body.error).toBe('BackendError')
    } finally {
      relay.close()
      await other.close()
    }
  })
})

describe('without a store', () => {
  test('a conditional request is an error like any other', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`
    const app = await startApp({ queryUrl: url, updateUrl: url, graphStoreUrl: url })
    try {
      expect((await app.get(DATA, { headers: { 'if-none-match': '*' } })).status).toBe(502)
      expect((await app.get('/context.json', { headers: { 'if-none-match': '*' } })).status).toBe(304)
    } finally {
      await app.close()
    }
  })
})
