/** More than can be done: what is refused, how fast, and what becomes of requests that nobody waits for. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { FAKED_CONCEPT, startFaultyStore, type FaultyStore } from './faulty-store.ts'

const DEADLINE_MS = 5000
const PATH = `/narrower?uri=${FAKED_CONCEPT}`
/** The same at another address, because requests for one answer share its making. */
const other = (at: number) => `${PATH}&at=${at}`
/** The numbers of requests that the client of the store sends at once and lets wait. */
const AT_ONCE = 16
const WAITING = 256
/** Where Node.js tells of each request to a server in this process (Node.js, "diagnostics_channel"). */
const BEGINS = 'http.server.request.start'

describe('too many requests', () => {
  let store: FaultyStore
  let app: RunningApp

  beforeAll(async () => {
    store = await startFaultyStore()
    app = await startApp(store.endpoint, { SPARQL_TIMEOUT_MS: String(DEADLINE_MS), MAX_STALENESS_MS: '0' })
  })
  afterAll(async () => {
    await app.close()
    await store.close()
  })

  test('the store gets no more than a certain number at once; those beyond the queue are refused at once', async () => {
    store.fault = 'silence'
    const started = performance.now()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE + WAITING + 100 }, async (_, at) => {
        const { status, headers } = await app.get(other(at))
        return { status, retryAfter: headers.get('retry-after'), after: performance.now() - started }
      }),
    )
    store.fault = 'none'
    expect(store.most).toBeGreaterThanOrEqual(AT_ONCE)
    // Those that follow may be there before the store notices that the first were given up.
    expect(store.most).toBeLessThanOrEqual(2 * AT_ONCE)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503, 504]))
    const refused = answers.filter(({ status }) => status === 503)
    // Some have come to the store when the first were given up.
    expect(refused.length).toBeGreaterThanOrEqual(WAITING + 100 - 3 * AT_ONCE)
    for (const { retryAfter } of refused) expect(retryAfter).toBe('1')
    // Those that are refused do not wait for the store: the first hundred answers are theirs, and the last is not much
    // later than the deadline, however busy the machine is.
    const inOrder = answers.toSorted((a, b) => a.after - b.after)
    expect(new Set(inOrder.slice(0, 100).map(({ status }) => status))).toEqual(new Set([503]))
    expect(inOrder.at(-1)!.after).toBeLessThan(4 * DEADLINE_MS)
    expect((await app.get(PATH)).status).toBe(200)
  })

  test('an answer that is begun goes on before others begin, and is not refused', async () => {
    const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 30_000, concurrency: 1, maxQueued: 3 })
    store.delayMs = 50
    const order: string[] = []
    const ask = (name: string, { signal }: AbortController) =>
      client.select('SELECT * {}', { signal }).then(
        () => order.push(name),
        (error: unknown) => order.push(`${name}: ${(error as Error).name}`),
      )
    const begun = new AbortController()
    const asked = [
      ask('first', begun),
      ...['a', 'b', 'c', 'd'].map((name) => ask(name, new AbortController())),
      ask('second', begun),
    ]
    await Promise.all(asked)
    store.delayMs = 0
    expect(order).toEqual(['d: ServiceUnavailableError', 'first', 'second', 'a', 'b', 'c'])
  })

  test('a client that goes away ends its request to the store, and leaves the queue', async () => {
    while (store.present > 0) await sleep(10)
    store.fault = 'silence'
    store.abandoned = 0
    const gone = new AbortController()
    const requests = Array.from({ length: AT_ONCE + 50 }, (_, at) =>
      fetch(app.url + other(at), { signal: gone.signal }).catch(() => 'gone'),
    )
    while (store.present < AT_ONCE || app.client.load.queued < 50) await sleep(10)
    gone.abort()
    await Promise.all(requests)
    const limit = performance.now() + DEADLINE_MS / 2
    while (performance.now() < limit && (store.present > 0 || app.client.load.queued > 0)) await sleep(10)
    // Long before the deadline nothing is left, neither here nor there.
    expect([store.present, app.client.load.queued]).toEqual([0, 0])
    expect(store.abandoned).toBeGreaterThanOrEqual(AT_ONCE)
    store.fault = 'none'
    expect(app.reported).toEqual(expect.not.arrayContaining([expect.objectContaining({ name: 'InternalServerError' })]))
    expect((await app.get(PATH)).status).toBe(200)
  })
})

describeOver(EMBEDDED, 'a long list', (kind) => {
  const WIDE = 'http://example.org/wide/'
  const CONCEPTS = 3000
  const skos = 'http://www.w3.org/2004/02/skos/core#'
  const text = 'a note that makes the record longer '.repeat(150)

  test('is not fetched ahead of a client that does not read it', async () => {
    const running = await kind.start()
    const store = await startFaultyStore(running.endpoint)
    const app = await startApp(store.endpoint, { SPARQL_TIMEOUT_MS: '30000' })
    try {
      const concepts = Array.from(
        { length: CONCEPTS },
        (_, i) =>
          `<${WIDE}${i}> a <${skos}Concept> ; <${skos}inScheme> <${WIDE}> ; <${skos}scopeNote> "${text}${i}"@en .`,
      )
      await app.put(WIDE, [`<${WIDE}> a <${skos}ConceptScheme> ; <${skos}notation> "wide" .`, ...concepts].join('\n'))
      const path = `/voc/concepts?uri=${WIDE}`
      const before = store.requests
      expect(((await (await fetch(app.url + path)).json()) as unknown[]).length).toBe(CONCEPTS)
      const needed = store.requests - before

      const { port } = new URL(app.url)
      const answers: ServerResponse[] = []
      const note = (message: unknown) => {
        const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
        if (request.url === path) answers.push(response)
      }
      subscribe(BEGINS, note)
      const socket = connect(Number(port), '127.0.0.1')
      socket.pause()
      await once(socket, 'connect')
      const from = store.requests
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
      // It goes on until the buffers of the connection are full, and then no further: nobody asks the store, and the
      // answer waits, at each look.
      const rests = () =>
        store.present === 0 && answers.some((answer) => answer.writableNeedDrain || answer.writableEnded)
      for (let looks = 0, seen = -1; looks < 20; looks++) {
        if (!rests() || seen !== store.requests) looks = 0
        seen = store.requests
        await sleep(50)
      }
      unsubscribe(BEGINS, note)
      expect(store.requests).toBeGreaterThan(from)
      // All of it would need almost as many requests as before, but not those whose answers the service remembers.
      expect(store.requests - from).toBeLessThan(needed * 0.8)
      socket.destroy()
    } finally {
      await app.close()
      await store.close()
      await running.stop()
    }
  })
})
