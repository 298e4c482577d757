/** A store that fails, faked and real: what clients see, how soon, and that all is well as soon as the store is. */
import { createServer as createTlsServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fusekiMissing, startFuseki, type Fuseki } from '../../fuseki.ts'
import { CRAFTS, putDemo, startApp, type Answer, type RunningApp } from '../../app.ts'
import { closeServer, freePort, listen, newDirectory, startService, storeEnv } from '../../process.ts'
import { LONG } from '../../long.ts'
import { DEPLOYED, storeOf } from '../../stores.ts'
import { FAKED_CONCEPT, SECRET, startFaultyStore, type Fault, type FaultyStore } from './faulty-store.ts'
import { startEmbeddedStore } from '../../../src/interface/store/embedded.ts'

/** A certificate for tests that nobody has signed, and its key. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUPw2+5LStB8YvvrVqhdfuaKXAijgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA4MTYwMFoYDzIxMjYxMDI4
MDgxNjAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATdFXO6Us5n47k+K5w4hJRmUsj2efDuyFamV7ZcSdKQwVsRSTGLF4VE
SYAG9VLtJzHTKb70agAwM9OH5uzEDqeUo1MwUTAdBgNVHQ4EFgQUgWz+up3p9RLi
cLZOSk97QMBSaRwwHwYDVR0jBBgwFoAUgWz+up3p9RLicLZOSk97QMBSaRwwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAsM2MXauqOzqlHOg8YGTlt
HsCmwM85GiKDQvLy82ocvQIhAIqlEUDJAFWVFwJZFbIMtnjSlRtq6zcfdIbgwpiE
AcBU
-----END CERTIFICATE-----`

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZkfePqm0ZNnZTPwU
70FTiUwVz9pCRRRa/ObWVyFD9KmhRANCAATdFXO6Us5n47k+K5w4hJRmUsj2efDu
yFamV7ZcSdKQwVsRSTGLF4VESYAG9VLtJzHTKb70agAwM9OH5uzEDqeU
-----END PRIVATE KEY-----`

const DEADLINE_MS = 1500
/**
 * Between the requests of one client under load: an error comes at once, and the next must not take the processor from
 * a store that starts.
 */
const PAUSE_MS = 20
/** For what a real store has to do in earnest. */
const PATIENT_MS = 30_000
/** Time for everything but the waiting, on a busy machine. */
const SLACK_MS = 10_000

/** Every fault, with what a client may be told. */
const FAULTS: [Fault, number[]][] = [
  ['connection closed', [502]],
  ['silence', [504]],
  ['silence in the body', [504]],
  ['status 500', [502]],
  ['status 503', [503]],
  ['Query timed out', [504]],
  ['status 403', [502]],
  ['body cut, with its length', [502]],
  ['body cut, in chunks', [502]],
  ['body cut, without a length', [502, 504]],
  ['half a body as if it were whole', [504]],
  ['HTML', [502]],
  ['HTML as results', [504]],
  ['nothing', [502, 504]],
]

/** Over real stores these do by default: what is faked is the answer, whatever store is behind it. */
const SOME_FAULTS = new Set<Fault>(['connection closed', 'silence in the body', 'status 503', 'body cut, in chunks'])

const WIDE = 'http://example.org/wide/'
const WIDE_CONCEPTS = 2400
const wide = [
  `<${WIDE}> a <http://www.w3.org/2004/02/skos/core#ConceptScheme> ; <http://www.w3.org/2004/02/skos/core#notation> "wide" .`,
  ...Array.from(
    { length: WIDE_CONCEPTS },
    (_, i) =>
      `<${WIDE}${i}> a <http://www.w3.org/2004/02/skos/core#Concept> ; <http://www.w3.org/2004/02/skos/core#inScheme> <${WIDE}> ; <http://www.w3.org/2004/02/skos/core#prefLabel> "Wide ${i}"@en .`,
  ),
].join('\n')

function expectError(answer: Answer, statuses: number[]): void {
  expect([answer.status, statuses.includes(answer.status)]).toEqual([answer.status, true])
  expect(answer.body).toEqual({ error: expect.any(String), status: answer.status, message: expect.any(String) })
  expect(answer.text).not.toMatch(new RegExp(`${SECRET}|127\\.0\\.0\\.1|localhost|ECONN|SELECT|PREFIX|\\bat .*:\\d`))
  expect(answer.headers.get('cache-control')).toBe('no-store')
  if (answer.status === 503) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}

/**
 * The faults of a store that answers itself are those of the faked one and of Fuseki, so the embedded one is left to
 * TEST_LONG.
 */
const remote = DEPLOYED.filter((name) => LONG || name !== 'embedded').map(storeOf)

describe.each([{ name: 'faked' as const, start: undefined, skip: undefined }, ...remote])(
  'a store that fails, $name',
  (kind) => {
    const { name, skip } = kind
    const testHere = skip ? test.skip : test
    let real: Awaited<ReturnType<NonNullable<typeof kind.start>>> | undefined
    let store: FaultyStore
    let app: RunningApp
    let patient: RunningApp
    const concept = kind.start ? `${CRAFTS}bookbinding` : FAKED_CONCEPT
    const paths = [
      `/data?uri=${concept}`,
      `/narrower?uri=${concept}`,
      '/voc',
      '/search?search=book',
      '/suggest?search=book',
      '/formats',
    ]

    beforeAll(async () => {
      if (skip) return
      real = await kind.start?.()
      store = await startFaultyStore(real?.endpoint)
      app = await startApp(store.endpoint, { SPARQL_TIMEOUT_MS: String(DEADLINE_MS), MAX_STALENESS_MS: '0' })
      // It remembers neither answers nor concepts.
      patient = await startApp(store.endpoint, { SPARQL_TIMEOUT_MS: String(PATIENT_MS), CACHE_BYTES: '0' })
      if (!real) return
      await putDemo(patient)
      await patient.put(WIDE, wide)
    })
    afterAll(async () => {
      await app?.close()
      await patient?.close()
      await store?.close()
      await real?.stop()
    })

    /**
     * The status of a path as soon as it is neither 504, which a busy machine may cause with such a short deadline, nor
     * 503, which searches have until the index has read the labels.
     */
    async function statusOf(path: string): Promise<number> {
      const end = performance.now() + PATIENT_MS
      for (;;) {
        const { status } = await app.get(path)
        if ((status !== 504 && status !== 503) || performance.now() > end) return status
        await sleep(PAUSE_MS)
      }
    }

    const faults = kind.start ? FAULTS.filter(([fault]) => LONG || SOME_FAULTS.has(fault)) : FAULTS
    testHere.each(faults)('%s', async (fault, statuses) => {
      store.fault = fault
      const started = performance.now()
      const asked = ['/readyz', '/status', ...paths].map((path) => app.get(path))
      const [ready, status, ...answers] = (await Promise.all(asked)) as [Answer, Answer, ...Answer[]]
      const elapsed = performance.now() - started
      store.fault = 'none'
      // A machine that is busy for that long lets any request meet its deadline.
      const expected = elapsed > DEADLINE_MS ? [...statuses, 504] : statuses
      for (const answer of answers) expectError(answer, expected)
      expectError(ready, [503])
      expect([status.status, status.body.ok]).toEqual([503, 0])
      expect(elapsed).toBeLessThan(DEADLINE_MS + SLACK_MS)
      for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200])
      expect((await app.get('/readyz')).status).toBe(200)
    })

    const testFaked = kind.start ? test.skip : test
    testFaked.each([
      ['a very long list', `/descendants?uri=${concept}`, 'ask for /voc/concepts'],
      ['a search with very many matches', '/search?search=a', 'search for more letters'],
    ])('says what takes less time than %s', async (_, path, advice) => {
      let answer = await app.get(path)
      // The requests for the state of the store, which come first, have to succeed.
      for (let before = 1; !answer.text.includes(advice); before = (before % 4) + 1) {
        Object.assign(store, { fault: 'silence', faultAfter: store.requests + before })
        answer = await app.get(path)
      }
      Object.assign(store, { fault: 'none', faultAfter: 0 })
      expectError(answer, [504])
    })

    const testReal = skip || !kind.start ? test.skip : test
    const cuts: Fault[] = ['connection closed', 'body cut, in chunks', 'half a body as if it were whole']
    /**
     * Lets the store fail well before the end of a long list, even if the list needs a few requests less than before.
     */
    async function failWithin(path: string, fault: Fault): Promise<void> {
      // Results are remembered for a while, so the second time takes fewer requests than the first.
      await patient.get(path)
      const before = store.requests
      const whole = await patient.get(path)
      expect([whole.status, whole.body.length]).toEqual([200, WIDE_CONCEPTS])
      store.faultAfter = store.requests + (store.requests - before) - 8
      store.fault = fault
    }
    const succeed = () => Object.assign(store, { fault: 'none', faultAfter: 0, faults: Infinity })

    testReal.each(cuts)('in the middle of a long list: %s', async (fault) => {
      const path = `/voc/concepts?uri=${WIDE}`
      const brokenOff = 'http_requests_total{route="/voc/concepts",method="GET",status="500"}'
      await failWithin(path, fault)
      const outcome = await fetch(patient.url + path)
        .then((response) => response.text().then((text) => ({ status: response.status, text })))
        .catch(() => 'broken off')
      succeed()
      // The answer is broken off, or it is an error as a whole.
      if (typeof outcome === 'string') while (!(await patient.get('/metrics')).text.includes(brokenOff)) await sleep(50)
      else expect([outcome.status >= 502, outcome.text.slice(0, 9)]).toEqual([true, '{"error":'])
    })

    testReal('for a moment, in the middle of a long list', async () => {
      const path = `/voc/concepts?uri=${WIDE}`
      store.faults = 1
      await failWithin(path, 'connection closed')
      const { status, body } = await patient.get(path)
      expect([status, body.length, store.faults]).toEqual([200, WIDE_CONCEPTS, 0])
      succeed()
    })

    testHere('that is not there is not held against it when it comes', async () => {
      await store.close()
      const answers = await Promise.all(paths.map((path) => app.get(path)))
      for (const answer of answers) expectError(answer, [502])
      expectError(await app.get('/readyz'), [503])
      expect((await app.get('/healthz')).status).toBe(200)
      await store.listen()
      for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200])
    })

    testHere('that goes and comes back under load', async () => {
      const statuses = new Map<number, number>()
      let isOver = false
      const clients = Array.from({ length: 6 }, async (_, at) => {
        while (!isOver) {
          const answer = await patient.get(paths[at % paths.length]!)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          if (answer.status !== 200) expectError(answer, [502, 503, 504])
          await sleep(PAUSE_MS)
        }
      })
      await sleep(100)
      await store.close()
      await sleep(300)
      await store.listen()
      const back = performance.now()
      let good = 0
      while (good < 5 && performance.now() - back < PATIENT_MS) {
        good = (await patient.get('/voc')).status === 200 ? good + 1 : 0
        await sleep(PAUSE_MS)
      }
      isOver = true
      await Promise.all(clients)
      expect(good).toBe(5)
      // Searches have 503 until the index has read the labels.
      expect([...statuses.keys()].filter((status) => status !== 503).sort()).toEqual([200, 502])
    })

    testHere('has no certificate that can be trusted, or no TLS at all', async () => {
      const listener = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end(SECRET))
      const { port } = new URL(await listen(listener))
      for (const queryUrl of [`https://127.0.0.1:${port}/query`, store.endpoint.queryUrl.replace('http:', 'https:')]) {
        const other = await startApp({ ...store.endpoint, queryUrl }, { SPARQL_TIMEOUT_MS: String(DEADLINE_MS) })
        for (const path of paths) expectError(await other.get(path), [502])
        expectError(await other.get('/readyz'), [503])
        await other.close()
      }
      await closeServer(listener)
    })

    if (name !== 'embedded') {
      testHere('is not there when the process starts', async () => {
        const port = await freePort()
        const url = `http://127.0.0.1:${port}`
        const { user, password } = store.endpoint
        const endpoint = {
          queryUrl: `${url}/query`,
          updateUrl: `${url}/update`,
          graphStoreUrl: `${url}/data`,
          user,
          password,
        }
        const service = await startService({ ...storeEnv(endpoint), DEMO: name === 'faked' ? 'false' : 'true' })
        try {
          const status = async (path: string) => (await fetch(service.url + path)).status
          expect([await status('/healthz'), await status('/readyz'), await status('/voc')]).toEqual([200, 503, 502])
          const late = await startFaultyStore(store.target, port)
          if (name === 'faked') {
            // It fails the test at the start, which ends the service at any moment from here.
            for (const path of ['/readyz', '/voc'])
              expect([200, 'ended']).toContain(await status(path).catch(() => 'ended'))
          } else {
            expect([await status('/readyz'), await status('/voc')]).toEqual([200, 200])
            const demo = async () => (await (await fetch(`${service.url}/voc`)).json()) as { notation: string[] }[]
            while (!(await demo()).some(({ notation }) => notation.includes('materials'))) await sleep(100)
          }
          expect(service.log.some(({ msg }) => String(msg).includes('does not answer yet'))).toBe(true)
          expect(name === 'faked' ? [0, 78] : [0]).toContain(await service.stop())
          await late.close()
        } finally {
          await service.stop('SIGKILL')
        }
      })
    }
  },
)

describe('the process of the store', () => {
  test('embedded: closed and opened again in the midst of reading', async () => {
    const directory = await newDirectory()
    const open = () => startEmbeddedStore({ directory, queryTimeoutMs: PATIENT_MS })
    let embedded = await open()
    const store = await startFaultyStore(embedded.endpoint)
    const app = await startApp(store.endpoint)
    await putDemo(app)
    const statuses = await underLoad(app, async () => {
      await embedded.close()
      await sleep(200)
      embedded = await open()
      store.target = embedded.endpoint
    })
    expect(statuses).toContain(502)
    await app.close()
    await store.close()
    await embedded.close()
  })

  // By default test/writing/ingest/store-crash.slow.test.ts kills and restarts a Fuseki.
  const testFuseki = LONG && !fusekiMissing() ? test : test.skip
  testFuseki(
    'Fuseki, only with TEST_LONG=1: hanging, then killed, then started again, in the midst of reading',
    async () => {
      const directory = await newDirectory()
      let fuseki: Fuseki = await startFuseki({ directory })
      const store = await startFaultyStore(fuseki.endpoint)
      const app = await startApp(store.endpoint, { SPARQL_TIMEOUT_MS: '2000' })
      await putDemo(app)
      const hanging = await underLoad(app, async () => {
        process.kill(fuseki.pid, 'SIGSTOP')
        await sleep(3000)
        process.kill(fuseki.pid, 'SIGCONT')
      })
      expect(hanging).toContain(504)
      const killed = await underLoad(app, async () => {
        await fuseki.stop()
        await sleep(200)
        fuseki = await startFuseki({ directory })
        store.target = fuseki.endpoint
      })
      expect(killed).toContain(502)
      await app.close()
      await store.close()
      await fuseki.stop()
    },
  )

  /** Reads all the time while something happens to the store; the statuses that came, after all is well again. */
  async function underLoad(app: RunningApp, happens: () => Promise<void>): Promise<number[]> {
    const path = `/data?uri=${CRAFTS}bookbinding`
    const statuses = new Set<number>()
    let isOver = false
    const clients = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const answer = await app.get(path)
        statuses.add(answer.status)
        if (answer.status === 200) expect(answer.body).toHaveLength(1)
        else expectError(answer, [502, 503, 504])
        await sleep(PAUSE_MS)
      }
    })
    await sleep(200)
    await happens()
    const back = performance.now()
    let good = 0
    while (good < 10 && performance.now() - back < PATIENT_MS) {
      good = (await app.get(path)).status === 200 ? good + 1 : 0
      await sleep(PAUSE_MS)
    }
    isOver = true
    await Promise.all(clients)
    expect(good).toBe(10)
    return [...statuses]
  }
})
