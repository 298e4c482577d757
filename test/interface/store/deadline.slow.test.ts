import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { CHANGED_GRAPH } from '../../../src/graph/sparql/client.ts'
import { type StartedStore, authorization, cleanUp, startStore, versionedGraph } from './start.ts'

afterEach(cleanUp)

/** Runs for hours on a graph of a thousand triples. */
const ENDLESS = 'SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }'
const COUNT = 'SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }'
const TIMEOUT_MS = 2500
/** Nests deeper than the stack of WebAssembly reaches. */
const DEEP = `SELECT * WHERE ${'{'.repeat(3000)}${'}'.repeat(3000)}`

async function startFilled(): Promise<StartedStore> {
  const store = await startStore({ queryTimeoutMs: TIMEOUT_MS })
  await store.client.putGraph('urn:g', versionedGraph(1, 1000))
  return store
}

async function query(url: string, text: string) {
  const started = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ query: text }),
  })
  const body = JSON.parse(await response.text())
  return { status: response.status, body, milliseconds: performance.now() - started }
}

const countOf = (body: { results: { bindings: { n: { value: string } }[] } }) =>
  Number(body.results.bindings[0]!.n.value)

describe.each(['public', 'private'])('a query of the %s endpoint', (which) => {
  const urlOf = (store: StartedStore) => (which === 'public' ? store.publicUrl : store.endpoint.queryUrl)

  test('is ended at its deadline, and those behind it are answered soon after', async () => {
    const store = await startFilled()
    expect(countOf((await query(urlOf(store), COUNT)).body)).toBe(1000)
    const endless = query(urlOf(store), ENDLESS)
    await sleep(TIMEOUT_MS - 300)
    // They wait for the first one, for the thread to be ended, and for the next one.
    const waiting = await Promise.all(Array.from({ length: 20 }, () => query(urlOf(store), COUNT)))
    const { status, body, milliseconds } = await endless
    expect(status).toBe(504)
    expect(body).toEqual({
      error: 'TimeoutError',
      status: 504,
      message: expect.stringMatching(/^The query exceeded its time limit/),
    })
    expect(milliseconds).toBeGreaterThan(TIMEOUT_MS - 50)
    expect(milliseconds).toBeLessThan(TIMEOUT_MS + 10_000)
    for (const answer of waiting) {
      // One that is not answered within its own deadline is told so; nobody gets a wrong answer.
      if (answer.status === 200) expect(countOf(answer.body)).toBe(1000)
      else expect([503, 504]).toContain(answer.status)
    }
    expect(waiting.some(({ status }) => status === 200)).toBe(true)
    expect(store.errors).toHaveLength(1)
    expect(String(store.errors[0])).toMatch(/a call ran past its deadline/)
  })

  test('that breaks WebAssembly is the only one to fail', async () => {
    const store = await startFilled()
    await query(urlOf(store), COUNT)
    const [broken, ...rest] = await Promise.all([
      query(urlOf(store), DEEP),
      ...Array.from({ length: 10 }, () => query(urlOf(store), COUNT)),
    ])
    expect(broken).toMatchObject({ status: 502, body: { error: 'BackendError' } })
    expect(broken.body.message).toMatch(/nests too deeply/)
    for (const { status, body } of rest) {
      expect(status).toBe(200)
      expect(countOf(body)).toBe(1000)
    }
    expect(String(store.errors[0])).toMatch(/RuntimeError|RangeError/)
  })
})

test('the thread of the public stands in for the one of the service, and writes as it did', async () => {
  const store = await startFilled()
  const numberOfTriples = async (url: string) => countOf((await query(url, COUNT)).body)
  expect(await numberOfTriples(store.publicUrl)).toBe(1000)
  expect((await query(store.endpoint.queryUrl, DEEP)).status).toBe(502)
  for (let i = 1; i <= 5; i++) {
    await store.client.update(`INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> ${i} } }`, 'urn:g')
    expect(await numberOfTriples(store.endpoint.queryUrl)).toBe(1000 + i)
    expect(await numberOfTriples(store.publicUrl)).toBe(1000 + i)
  }
  await store.close()
  const again = await startStore({ directory: store.directory })
  expect(await numberOfTriples(again.endpoint.queryUrl)).toBe(1005)
})

test('a query of the public neither stops nor slows the service', async () => {
  const store = await startFilled()
  const endless = query(store.publicUrl, ENDLESS)
  let longest = 0
  for (let asked = 0; asked < 20; asked++) {
    const { status, milliseconds } = await query(store.endpoint.queryUrl, COUNT)
    expect(status).toBe(200)
    longest = Math.max(longest, milliseconds)
  }
  expect(longest).toBeLessThan(TIMEOUT_MS)
  expect((await endless).status).toBe(504)
})

describe('an update', () => {
  const send = (store: StartedStore, update: string) =>
    fetch(store.endpoint.updateUrl, {
      method: 'POST',
      headers: { ...authorization(store), 'content-type': 'application/sparql-update', [CHANGED_GRAPH]: 'urn:c' },
      body: update,
    })

  test('that runs past its deadline changes nothing, and the writes around it are made once', async () => {
    const store = await startFilled()
    const counter = (n: number) =>
      `DELETE { GRAPH <urn:c> { ?c <urn:value> ?v } } INSERT { GRAPH <urn:c> { ?c <urn:value> ?w } }
       WHERE { GRAPH <urn:c> { ?c <urn:value> ?v } BIND(?v + 1 AS ?w) } # ${n}`
    await store.client.update('INSERT DATA { GRAPH <urn:c> { <urn:counter> <urn:value> 0 } }', 'urn:c')
    const before = Array.from({ length: 10 }, (_, n) => send(store, counter(n)))
    const endless = send(
      store,
      `INSERT { GRAPH <urn:c> { <urn:counter> <urn:endless> ?n } }
       WHERE { { SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l } } } }`,
    )
    await sleep(TIMEOUT_MS - 300)
    const after = Array.from({ length: 10 }, (_, n) => send(store, counter(n)))
    expect((await endless).status).toBe(504)
    // Those that got in before the endless one are made; one that got in behind it may be told that it was too late.
    const outcomes = (await Promise.all([...before, ...after])).map(({ status }) => status)
    expect(outcomes.filter((status) => ![204, 504].includes(status))).toEqual([])
    const made = outcomes.filter((status) => status === 204).length
    const rows = await store.client.select('SELECT ?p ?v WHERE { GRAPH <urn:c> { <urn:counter> ?p ?v } }')
    expect(rows).toHaveLength(1)
    expect(rows[0]!['v']!.value).toBe(String(made))
    expect(outcomes.slice(10)).toEqual(after.map(() => 204))
  })
})

test('writes that wait while the thread is lost are all made, each once', async () => {
  const store = await startFilled()
  await store.client.update('INSERT DATA { GRAPH <urn:c> { <urn:counter> <urn:value> 0 } }', 'urn:c')
  const deep = query(store.endpoint.queryUrl, DEEP)
  await Promise.all(
    Array.from({ length: 50 }, () =>
      store.client.update(
        `DELETE { GRAPH <urn:c> { ?c ?p ?v } } INSERT { GRAPH <urn:c> { ?c ?p ?w } }
         WHERE { GRAPH <urn:c> { ?c ?p ?v } BIND(?v + 1 AS ?w) }`,
        'urn:c',
      ),
    ),
  )
  expect((await deep).status).toBe(502)
  const rows = await store.client.select('SELECT ?v WHERE { GRAPH <urn:c> { <urn:counter> <urn:value> ?v } }')
  expect(rows.map(({ v }) => v!.value)).toEqual(['50'])
})

test('a query that is ended at its deadline while a graph is loaded does not lose the load', async () => {
  const store = await startFilled()
  const triples = 150_000
  const put = store.client.putGraph('urn:large', versionedGraph(2, triples).replaceAll('urn:version', 'urn:large'))
  const isReceived = () =>
    readdirSync(store.directory).some(
      (name) => /^graph-/.test(name) && statSync(join(store.directory, name)).size > 1e6,
    )
  while (!isReceived()) await sleep(10)
  await sleep(200)
  const endless = query(store.endpoint.queryUrl, ENDLESS)
  let isLoaded = false
  void put.then(() => (isLoaded = true))
  expect((await endless).status).toBe(504)
  expect(isLoaded).toBe(false)
  await put
  const count = async (graph: string) =>
    countOf(
      (await query(store.endpoint.queryUrl, `SELECT (COUNT(*) AS ?n) WHERE { GRAPH <${graph}> { ?s ?p ?o } }`)).body,
    )
  expect(await count('urn:large')).toBe(triples)
  expect(await count('urn:g')).toBe(1000)
})
