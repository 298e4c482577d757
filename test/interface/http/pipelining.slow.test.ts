/** Clients that send several requests at once and disconnect while the first is under way. */
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { startEmbeddedStore, type EmbeddedStore } from '../../../src/interface/store/embedded.ts'
import { putDemo, startApp, type Answer, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'

/** The time for what takes none on a machine that does nothing else. */
const PATIENCE_MS = 30_000
const MEGABYTE = 2 ** 20
/** An eighth is for answers that nobody has read yet: room for fewer than six of those to `ROWS`. */
const MEMORY_BYTES = 256 * MEGABYTE
const ROWS = `/sparql?query=${encodeURIComponent('SELECT ?a ?b { ?a ?p ?x . ?b ?q ?y } LIMIT 60000')}`
/** Requests with other ones do not wait for each other. */
const HEADERS = { Accept: 'application/json', 'Accept-Encoding': 'identity', 'Accept-Language': 'en' }
const LARGE = 'http://example.org/large/'

let store: EmbeddedStore
let app: RunningApp
const arrivals = new EventEmitter().setMaxListeners(0)
let count = 0
/** The requests to /ingest that were begun; none gets an answer. */
const begun: string[] = []

beforeAll(async () => {
  store = await startEmbeddedStore({
    directory: await newDirectory(),
    queryTimeoutMs: 60_000,
    memoryBytes: MEMORY_BYTES,
  })
  app = await startApp(
    store.endpoint,
    {},
    {
      sparql: store.publicQuery,
      ingest: [
        ({ url }) => {
          begun.push(url)
          arrivals.emit(url)
        },
      ],
    },
  )
  await putDemo(app)
  const concepts = Array.from(
    { length: 1500 },
    (_, at) => `<${LARGE}${at}> a skos:Concept ; skos:inScheme <${LARGE}> ; skos:note "${'note '.repeat(200)}"@en .`,
  )
  await app.put(LARGE, `@prefix skos: <${SKOS}> . <${LARGE}> a skos:ConceptScheme . ${concepts.join('\n')}`)
})
afterAll(async () => {
  await app?.close()
  await store?.close()
})

/** Sends a request that is never answered and another one in one write, and disconnects after some milliseconds. */
async function abandon(path: string, milliseconds: number): Promise<void> {
  const first = `/ingest?${++count}`
  const arrived = once(arrivals, first)
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  const lines = Object.entries(HEADERS).map((header) => `${header.join(': ')}\r\n`)
  const head = `HTTP/1.1\r\nHost: ${hostname}\r\n`
  socket.write(`POST ${first} ${head}Content-Length: 0\r\n\r\nGET ${path} ${head}${lines.join('')}\r\n`)
  await arrived
  await sleep(milliseconds)
  socket.destroy()
  await once(socket, 'close')
}

/** The answer as soon as it has a status; the one that there is in the end if it never has. */
async function untilStatus(status: number, path: string): Promise<Answer> {
  for (const began = performance.now(); ; await sleep(50)) {
    const answer = await app.get(path, { headers: HEADERS, signal: AbortSignal.timeout(PATIENCE_MS) })
    if (answer.status === status || performance.now() - began > PATIENCE_MS) return answer
  }
}

test.each([0, 300])('an error after %i ms does not keep later requests for the same waiting', async (milliseconds) => {
  const path = `/voc/nothing/concepts?limit=${milliseconds + 1}`
  await abandon(path, milliseconds)
  expect((await untilStatus(404, path)).status).toBe(404)
})

test.each([
  ['/voc/crafts/export', 0],
  [`/voc/${encodeURIComponent(LARGE)}/export`, 300],
])('downloads of %s are over when their clients have left after %i ms', async (path, milliseconds) => {
  await Promise.all(Array.from({ length: 16 }, (_, at) => abandon(`${path}?format=ntriples&x=${at}`, milliseconds)))
  expect((await untilStatus(200, '/voc/crafts/export')).status).toBe(200)
})

test.each(LONG ? [0, 1500] : [1500])(
  'answers of /sparql that nobody reads any more after %i ms take no memory',
  async (milliseconds) => {
    const large = await app.get(ROWS)
    expect([large.status, 6 * large.text.length > MEMORY_BYTES / 8]).toEqual([200, true])
    await Promise.all(Array.from({ length: 6 }, () => abandon(ROWS, milliseconds)))
    expect((await untilStatus(200, ROWS)).status).toBe(200)
  },
)

/** Many requests in one write. */
function inOneWrite(method: string, paths: readonly string[]): string {
  return paths.map((path) => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`).join('')
}

async function connected(): Promise<Socket> {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

test('of hundreds of requests on a connection one is begun, and no other one when the client has left', async () => {
  begun.length = 0
  const paths = Array.from({ length: 900 }, () => `/ingest?${++count}`)
  const arrived = once(arrivals, paths[0]!)
  const socket = await connected()
  socket.write(inOneWrite('POST', paths))
  await arrived
  // One that comes later on another connection is begun before them.
  const last = `/ingest?${++count}`
  const lastArrived = once(arrivals, last)
  const other = await connected()
  other.write(inOneWrite('POST', [last]))
  await lastArrived
  socket.destroy()
  other.destroy()
  await Promise.all([once(socket, 'close'), once(other, 'close')])
  expect((await app.get('/healthz')).status).toBe(200)
  expect(begun).toEqual([paths[0], last])
})

test('a connection with thousands of requests that wait is closed', async () => {
  begun.length = 0
  const socket = await connected()
  socket.write(
    inOneWrite(
      'POST',
      Array.from({ length: 3000 }, () => `/ingest?${++count}`),
    ),
  )
  await new Promise((resolve) => socket.resume().once('close', resolve))
  expect(begun).toHaveLength(1)
})

test('requests of one connection are answered in their order', async () => {
  const socket = await connected()
  const numbers = Array.from({ length: 200 }, (_, at) => at)
  socket.write(
    inOneWrite(
      'GET',
      numbers.map((at) => `/voc/nothing${at}/concepts`),
    ),
  )
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    if (text.includes('nothing199')) break
  }
  expect([...text.matchAll(/nothing(\d+)/g)].map(([, at]) => Number(at))).toEqual(numbers)
  expect(text.match(/HTTP\/1\.1 404 /g)).toHaveLength(200)
})
