import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMetrics } from '../../../src/interface/http/metrics.ts'
import { RememberedAnswers } from '../../../src/interface/http/remembered-answers.ts'
import { readStoreState, StoreState } from '../../../src/graph/memory/store-state.ts'
import { REVISION, SKOS } from '../../../src/base/namespaces.ts'
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { CRAFTS, MATERIALS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { collectGarbage } from '../../garbage.ts'
import { testLong } from '../../long.ts'
import { nameOf } from '../../queries.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const STALE_MS = 500
/** Longer than many requests share one look at the state. */
const LOOK_MS = 80
const CONCEPT = `${CRAFTS}bookbinding`
const DATA = `/data?uri=${encodeURIComponent(CONCEPT)}`
const LONG = 'http://example.org/vocabulary/long/'

describeOver(EMBEDDED, 'Remembered answers', (store) => {
  let endpoint: StoreEndpoint
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  let count = 0

  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    endpoint = running.endpoint
    // Nothing becomes too old, however busy the machine is.
    app = await startApp(endpoint, { MAX_STALENESS_MS: '600000' })
    await putDemo(app)
    await load()
    // Without the index a list of a whole vocabulary is streamed, and the service keeps no body of a stream.
    await app.index.refresh([CRAFTS, MATERIALS])
    await app.index.caughtUp()
  })
  afterEach(() => {
    jest.restoreAllMocks()
    app.state.changed()
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  const label = () => `label ${++count}`
  /** Writes as a load by another process does: with a new revision. */
  const load = async () => {
    const text = label()
    await app.client.update(
      `DELETE { GRAPH <${CRAFTS}> { <${CONCEPT}> <${SKOS}altLabel> ?old . <${CRAFTS}> <${REVISION}> ?revision } }
       INSERT { GRAPH <${CRAFTS}> { <${CONCEPT}> <${SKOS}altLabel> "${text}"@en . <${CRAFTS}> <${REVISION}> "r${count}" } }
       WHERE { OPTIONAL { GRAPH <${CRAFTS}> { <${CONCEPT}> <${SKOS}altLabel> ?old } } OPTIONAL { GRAPH <${CRAFTS}> { <${CRAFTS}> <${REVISION}> ?revision } } }`,
      CRAFTS,
    )
    return text
  }
  /** Writes past the service: the revision stays. */
  const writeDirectly = async () => {
    const text = label()
    await app.client.update(
      `DELETE { GRAPH <${CRAFTS}> { <${CONCEPT}> <${SKOS}altLabel> ?old } }
       INSERT { GRAPH <${CRAFTS}> { <${CONCEPT}> <${SKOS}altLabel> "${text}"@en } }
       WHERE { OPTIONAL { GRAPH <${CRAFTS}> { <${CONCEPT}> <${SKOS}altLabel> ?old } } }`,
      CRAFTS,
    )
    return text
  }
  const watch = (watched = app) => ({
    select: jest.spyOn(watched.client, 'select'),
    construct: jest.spyOn(watched.client, 'construct'),
  })
  /** The looks at the state, which many requests share for a moment, are left out. */
  const asked = ({ select, construct }: ReturnType<typeof watch>) => ({
    select: select.mock.calls.map(([query]) => nameOf(query)).filter((name) => name !== 'revisions'),
    construct: construct.mock.calls.length,
  })
  const labelNow = async (asked = app) =>
    ((await asked.get(DATA)).body as { altLabel: { en: string[] } }[])[0]!.altLabel.en

  const PATHS = [
    ...[DATA, '/voc', '/voc&cache=1', '/voc/crafts/top', '/voc/crafts/concepts', `${DATA}&format=turtle`],
    ...['/search?query=book', '/suggest?search=Buch', '/search?query=blaudrck', '/suggest?search=blaudrck'],
  ]
  test.each(PATHS)('%s: sent again without a question to the store', async (path) => {
    const first = await app.get(path)
    const watched = watch()
    const before = app.answers.figures
    const second = await app.get(path)
    expect(asked(watched)).toEqual({ select: [], construct: 0 })
    expect(app.answers.figures).toEqual({ ...before, hits: before.hits + 1 })
    expect(second.status).toBe(200)
    expect(second.text).toBe(first.text)
    const headers = ({ headers: all }: typeof first) =>
      Object.fromEntries([...all].filter(([name]) => !['date', 'x-request-id', 'transfer-encoding'].includes(name)))
    expect(headers(second)).toEqual(headers(first))
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
  })

  test('the order of parameters makes no difference; their values and Accept do', async () => {
    await app.get(`${DATA}&languages=de&properties=prefLabel`)
    const watched = watch()
    await app.get(`/data?properties=prefLabel&uri=${encodeURIComponent(CONCEPT)}&languages=de`)
    expect(asked(watched).construct).toBe(0)
    const english = await app.get(`${DATA}&languages=en&properties=prefLabel`)
    expect(english.text).toContain('"en"')
    const turtle = await app.get(`${DATA}&languages=de&properties=prefLabel`, { headers: { accept: 'text/turtle' } })
    expect(turtle.headers.get('content-type')).toContain('text/turtle')
    expect(asked(watched).construct).toBe(2)
  })

  test('each encoding is remembered by itself', async () => {
    for (const encoding of ['gzip', 'identity', 'br', 'gzip', 'identity', 'br']) {
      const answer = await app.get('/voc/crafts/top', { headers: { 'accept-encoding': encoding } })
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding)
      expect(answer.body.length).toBeGreaterThan(1)
    }
  })

  test('a body that was not sent with 304 is compressed for the next one', async () => {
    const path = '/voc/crafts/top'
    const etag = (await app.get(path)).headers.get('etag')!
    app.state.changed()
    expect((await app.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await app.get(path)).headers.get('content-encoding')).toBe('gzip')
  })

  test('a load shows at the next check of the state', async () => {
    await app.get(DATA)
    const text = await load()
    await sleep(LOOK_MS)
    expect(await labelNow()).toContain(text)
  })

  test('a change by this process shows at once', async () => {
    await app.get(DATA)
    const text = await load()
    app.state.changed()
    expect(await labelNow()).toContain(text)
  })

  test('a change by another program shows after MAX_STALENESS_MS', async () => {
    const impatient = await startApp(endpoint, { MAX_STALENESS_MS: String(STALE_MS) })
    try {
      await impatient.get(DATA)
      const text = await writeDirectly()
      await sleep(STALE_MS + 50)
      expect(await labelNow(impatient)).toContain(text)
    } finally {
      await impatient.close()
      // The revision is as before.
      app.state.changed()
    }
  })

  test('in a store of its own an answer is remembered while the state stays the same, and no longer', async () => {
    const readState = () => readStoreState(app.client, undefined)
    const state = new StoreState({ readState, maxStalenessMs: STALE_MS, isExclusive: true })
    const answers = new RememberedAnswers({ state, maxBytes: 1_000_000 })
    const second = await startApp(endpoint, {}, { state, answers })
    try {
      const before = await labelNow(second)
      await sleep(STALE_MS + 50)
      expect(await labelNow(second)).toEqual(before)
      expect(answers.figures).toMatchObject({ hits: 1, misses: 1 })
      const text = await load()
      await sleep(LOOK_MS)
      expect(await labelNow(second)).toContain(text)
    } finally {
      await second.close()
    }
  })

  test('many requests for one answer make it once', async () => {
    const watched = watch()
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.get(DATA)))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(asked(watched).construct).toBe(1)
  })

  test('waiting requests get an answer if its maker goes away', async () => {
    const construct = app.client.construct.bind(app.client)
    const spy = jest.spyOn(app.client, 'construct')
    const begun = new Promise<void>((resolve) => {
      spy.mockImplementationOnce(async (...words) => {
        resolve()
        await sleep(150)
        return construct(...words)
      })
    })
    const leaving = new AbortController()
    const left = app.get(DATA, { signal: leaving.signal }).catch((error: Error) => error.name)
    await begun
    const waiting = [app.get(DATA), app.get(DATA)]
    await sleep(30)
    leaving.abort()
    expect(await left).toBe('AbortError')
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200)
  })

  test('304 comes from memory, too, after a look at the state', async () => {
    const etag = (await app.get(DATA)).headers.get('etag')!
    const watched = watch()
    const answer = await app.get(DATA, { headers: { 'if-none-match': etag } })
    expect(answer.status).toBe(304)
    expect(answer.headers.get('content-length')).toBeNull()
    expect(answer.headers.get('etag')).toBe(etag)
    expect(watched.select).toHaveBeenCalledTimes(1)
    expect(asked(watched)).toEqual({ select: [], construct: 0 })
    await load()
    expect((await app.get(DATA, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  test('errors are not remembered', async () => {
    for (const path of ['/data', '/voc/nothing', '/data?uri=x']) {
      const { status } = await app.get(path)
      expect(status).toBeGreaterThanOrEqual(400)
      expect((await app.get(path)).status).toBe(status)
    }
    expect(app.answers.figures.bytes).toBe(0)
  })

  test('a store that fails makes no remembered answer pass for a fresh one', async () => {
    await app.get(DATA)
    await sleep(LOOK_MS)
    const failing = () => Promise.reject(new Error('down'))
    jest.spyOn(app.client, 'select').mockImplementation(failing)
    jest.spyOn(app.client, 'construct').mockImplementation(failing)
    expect((await app.get(DATA)).status).toBeGreaterThanOrEqual(500)
  })

  test('POST and HEAD are not remembered', async () => {
    const { hits } = app.answers.figures
    const body = new URLSearchParams({ uri: CONCEPT })
    for (let times = 0; times < 2; times++) {
      expect((await app.get('/data', { method: 'POST', body })).body).toHaveLength(1)
      expect((await app.get(DATA, { method: 'HEAD' })).status).toBe(200)
    }
    expect(app.answers.figures.hits).toBe(hits)
    await app.get(DATA)
    await app.get(DATA)
    expect(app.answers.figures.hits).toBe(hits + 1)
  })

  test('memory is bounded, large answers are not kept, and 0 switches it off', async () => {
    const note = 'x'.repeat(4000)
    const concepts = Array.from(
      { length: 300 },
      (_, at) => `<${LONG}${at}> a skos:Concept ; skos:inScheme <${LONG}> ; skos:scopeNote "${note}${at}"@en .`,
    )
    await app.put(LONG, `@prefix skos: <${SKOS}> . <${LONG}> a skos:ConceptScheme . ${concepts.join('\n')}`)
    const list = `/voc/concepts?uri=${encodeURIComponent(LONG)}`
    const large = await app.get(list, { headers: { 'accept-encoding': 'identity' } })
    expect(large.text.length).toBeGreaterThan(1 << 20)
    // Its ETag is remembered.
    expect(app.answers.figures.bytes).toBeLessThan(10_000)

    for (const [bytes, most] of [
      ['20000', 20_000],
      ['0', 0],
    ] as const) {
      const small = await startApp(endpoint, { CACHE_BYTES: bytes })
      try {
        for (let at = 0; at < 12; at++) {
          expect((await small.get(`/data?uri=${encodeURIComponent(`${LONG}${at}`)}`)).body).toHaveLength(1)
          expect(small.answers.figures.bytes).toBeLessThanOrEqual(most)
        }
        expect(small.answers.figures.bytes > 0).toBe(most > 0)
        const last = `/data?uri=${encodeURIComponent(`${LONG}11`)}`
        const { headers } = await small.get(last)
        expect(small.answers.figures.hits).toBe(most > 0 ? 1 : 0)
        // A conditional request needs no body.
        const construct = jest.spyOn(small.client, 'construct')
        const again = await small.get(last, { headers: { 'if-none-match': headers.get('etag')! } })
        expect([again.status, construct.mock.calls]).toEqual([304, []])
      } finally {
        await small.close()
      }
    }
    await app.client.update(`DROP GRAPH <${LONG}>`, LONG)
  })

  testLong('compressed answers take no more memory than they count', async () => {
    const collected = async () => {
      // The memory of a buffer goes a while after the buffer.
      for (let time = 0; time < 3; time++) {
        collectGarbage()
        await sleep(50)
      }
      return process.memoryUsage().arrayBuffers
    }
    for (let at = 0; at < 80; at++) {
      const { headers } = await app.get(`/voc/crafts/top?language=x-${at}`)
      expect(headers.get('content-encoding')).toBe('gzip')
    }
    const { bytes } = app.answers.figures
    const held = await collected()
    app.state.changed()
    expect(app.answers.figures.bytes).toBe(0)
    expect(held - (await collected())).toBeLessThanOrEqual(1.2 * bytes)
  })

  test('/metrics has hits, misses and bytes, and the pattern of the path for both', async () => {
    const metrics = createMetrics()
    const counted = await startApp(endpoint, {}, { metrics })
    try {
      await counted.get(DATA)
      await counted.get(DATA)
      const { text } = await counted.get('/metrics')
      expect(text).toMatch(/^remembered_answers_hits_total 1$/m)
      expect(text).toMatch(/^remembered_answers_misses_total 1$/m)
      expect(text).toMatch(/^remembered_answers_bytes [1-9]\d+$/m)
      expect(text).toMatch(/^http_requests_total\{route="\/data",method="GET",status="200"\} 2$/m)
    } finally {
      await counted.close()
    }
  })
})
