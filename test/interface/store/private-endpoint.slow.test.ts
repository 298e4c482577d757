import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { GRAPH_FILE } from '../../../src/interface/store/graph-files.ts'
import { testLong } from '../../long.ts'
import { type StartedStore, authorization, cleanUp, startStore, versionedGraph } from './start.ts'

const N_TRIPLES = 'application/n-triples'

/** The graph store of a started store: send(method, '?graph=...', body, headers). */
function graphStore(store: StartedStore) {
  return async (method: string, search: string, body?: string, headers: Record<string, string> = {}) => {
    const response = await fetch(store.endpoint.graphStoreUrl + search, {
      method,
      headers: { ...authorization(store), ...(body === undefined ? {} : { 'content-type': N_TRIPLES }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, text, headers: response.headers }
  }
}

const graphFiles = async ({ directory }: StartedStore) =>
  (await readdir(directory)).filter((name) => GRAPH_FILE.test(name)).length

async function expectGraphFiles(store: StartedStore, expected: number): Promise<void> {
  for (let tries = 0; tries < 100 && (await graphFiles(store)) !== expected; tries++) await sleep(20)
  expect(await graphFiles(store)).toBe(expected)
}

describe.each([
  ['in place', {}],
  ['by another thread', { reserveBytes: 0, inMemoryTriples: 1 }],
])('a graph that is changed %s', (_title, limits) => {
  afterEach(cleanUp)

  test('is put, read, updated, replaced and deleted', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    const triple = '<urn:s> <urn:p> "eins"@de .\n'
    const secondTriple = '<urn:s> <urn:p> "zwei"@de .\n'
    const get = async (search = '?graph=urn:g') => (await send('GET', search)).text

    expect((await send('GET', '?graph=urn:g')).status).toBe(404)
    expect((await send('HEAD', '?graph=urn:g')).status).toBe(404)
    expect((await send('DELETE', '?graph=urn:g')).status).toBe(404)
    expect((await send('PUT', '?graph=urn:g', triple)).status).toBe(201)
    expect(await get()).toBe(triple)
    await store.client.update(`INSERT DATA { GRAPH <urn:g> { ${secondTriple} } }`, 'urn:g')
    expect((await get()).trim().split('\n').sort()).toEqual([triple.trim(), secondTriple.trim()])
    expect((await send('PUT', '?graph=urn:g', secondTriple)).status).toBe(204)
    expect(await get()).toBe(secondTriple)
    const head = await send('HEAD', '?graph=urn:g')
    expect(head.status).toBe(200)
    expect(head.headers.get('content-type')).toBe(N_TRIPLES)
    expect(head.headers.get('content-length')).toBe(String(secondTriple.length))
    expect((await send('PUT', '?graph=urn:new', triple)).status).toBe(201)
    expect((await send('DELETE', '?graph=urn:g')).status).toBe(204)
    expect((await send('GET', '?graph=urn:g')).status).toBe(404)
    expect(await get('?graph=urn:new')).toBe(triple)
    await expectGraphFiles(store, 1)
    expect(store.errors).toEqual([])
  })

  test('may be empty', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    expect((await send('PUT', '?graph=urn:empty', '')).status).toBe(201)
    expect(await send('GET', '?graph=urn:empty')).toMatchObject({ status: 200, text: '' })
    await store.client.update('INSERT DATA { GRAPH <urn:new> { <urn:s> <urn:p> 1 } }', 'urn:new')
    await store.client.update('DELETE WHERE { GRAPH <urn:new> { ?s ?p ?o } }', 'urn:new')
    expect(await send('GET', '?graph=urn:new')).toMatchObject({ status: 200, text: '' })
    await store.client.update('DELETE { ?s ?p ?o } WHERE { GRAPH <urn:none> { ?s ?p ?o } }', 'urn:none')
    expect((await send('GET', '?graph=urn:none')).status).toBe(404)
    await store.close()
    const again = graphStore(await startStore({ directory: store.directory, limits }))
    expect(await again('GET', '?graph=urn:empty')).toMatchObject({ status: 200, text: '' })
    expect(await again('GET', '?graph=urn:new')).toMatchObject({ status: 200, text: '' })
    expect((await again('GET', '?graph=urn:none')).status).toBe(404)
  })

  test('stays as it is when a body is not N-Triples', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    await send('PUT', '?graph=urn:g', '<urn:s> <urn:p> "old" .')
    for (const [body, message] of [
      ['<urn:s> <urn:p> "x" .\n<urn:s> <urn:p> "y .\n', /line 2/],
      ['<urn:s> <urn:p> "x" .\n<urn:s> <urn p> "y" .\n', /line 2 .*Invalid IRI/],
      ['<urn:s> <urn:p> "x" .\n\n<urn:s> <p> "y" .\n', /line 3/],
      ['<urn:s> <urn:p> "x" <urn:quad> .\n', /line 1/],
      ['<urn:s> <urn:p> "x"', /line 1/],
    ] as const) {
      const { status, text } = await send('PUT', '?graph=urn:g', body)
      expect(JSON.parse(text)).toMatchObject({
        error: 'MalformedRequestError',
        message: expect.stringMatching(message),
      })
      expect(status).toBe(400)
    }
    expect((await send('GET', '?graph=urn:g')).text).toBe('<urn:s> <urn:p> "old" .')
    await expectGraphFiles(store, 1)
  })

  test('stays as it is when the body breaks off', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    await send('PUT', '?graph=urn:g', '<urn:s> <urn:p> "old" .')
    await new Promise<void>((resolve) => {
      const upload = request(`${store.endpoint.graphStoreUrl}?graph=urn:g`, {
        method: 'PUT',
        headers: { ...authorization(store), 'content-type': N_TRIPLES, 'content-length': 1_000_000 },
      })
      upload.on('error', () => resolve())
      upload.write(versionedGraph('new', 1000), () => setTimeout(() => upload.destroy(), 50))
    })
    expect((await send('GET', '?graph=urn:g')).text).toBe('<urn:s> <urn:p> "old" .')
    await expectGraphFiles(store, 1)
  })

  testLong('a client that leaves during the answer causes no error of the store', async () => {
    const store = await startStore({ limits })
    const many = Array.from({ length: 200_000 }, (_, i) => `<urn:s${i}> <urn:p> "${'x'.repeat(60)}" .\n`).join('')
    await store.client.putGraph('urn:g', many)
    const leaving = new AbortController()
    const url = `${store.endpoint.graphStoreUrl}?graph=urn:g`
    const response = await fetch(url, { headers: authorization(store), signal: leaving.signal })
    await response.body!.getReader().read()
    leaving.abort()
    await store.close()
    expect(store.errors).toEqual([])
  })

  test('is not mixed by writes to it at the same time, and none is lost', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    const update = (graph: string, i: number) =>
      store.client.update(`INSERT DATA { GRAPH <${graph}> { <urn:s> <urn:p> ${i} } }`, graph)
    const puts = Array.from({ length: 5 }, (_, i) => send('PUT', '?graph=urn:g', versionedGraph(i, 200)))
    const updates = Array.from({ length: 20 }, (_, i) => [update('urn:h', i), update('urn:g', i)]).flat()
    for (const { status } of await Promise.all(puts)) expect([201, 204]).toContain(status)
    await Promise.all(updates)
    const versions = await store.client.select(
      'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s <urn:version> ?v } } GROUP BY ?v',
    )
    expect(versions).toMatchObject([{ n: { value: '200' } }])
    expect(await store.client.select('SELECT * WHERE { GRAPH <urn:h> { ?s ?p ?o } }')).toHaveLength(20)
    const query = 'SELECT ?s ?p ?o WHERE { GRAPH <urn:g> { ?s ?p ?o } } ORDER BY ?s ?p ?o'
    const before = await store.client.select(query)
    await store.close()
    const again = await startStore({ directory: store.directory, limits })
    expect(await again.client.select(query)).toEqual(before)
  })
})

describe('a request of the graph store', () => {
  let send: ReturnType<typeof graphStore>
  beforeAll(async () => {
    send = graphStore(await startStore())
  })
  afterAll(cleanUp)

  test.each([
    ['PUT', ''],
    ['GET', '?default'],
    ['GET', '?graph=urn:g&graph=urn:h'],
    ['GET', '?graph=g'],
    ['DELETE', `?graph=${encodeURIComponent('urn:g> {} }; DROP ALL; #')}`],
    ['PUT', `?graph=${encodeURIComponent('http://[')}`],
  ])('%s %s is refused', async (method, search) => {
    const { status, text } = await send(method, search, method === 'PUT' ? '' : undefined)
    expect(JSON.parse(text)).toMatchObject({ status: 400, message: expect.stringMatching(/^graph: expected .*IRI/) })
    expect(status).toBe(400)
  })

  test('is refused in another media type or method', async () => {
    expect((await send('PUT', '?graph=urn:g', '', { 'content-type': 'text/turtle' })).status).toBe(400)
    for (const method of ['POST', 'PATCH']) {
      const { status, headers } = await send(method, '?graph=urn:g', '')
      expect(status).toBe(405)
      expect(headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
    }
  })
})

describe('the client of the service', () => {
  afterEach(cleanUp)

  test('puts, gets and deletes graphs, also from a stream', async () => {
    const { client } = await startStore()
    async function* body() {
      for (let i = 0; i < 50; i++)
        yield await Promise.resolve(Buffer.from(`<urn:s${i}> <urn:p> "${'x'.repeat(5000)}" .\n`))
    }
    await client.putGraph('urn:g', body())
    let bytes = 0
    for await (const chunk of client.getGraph('urn:g')) bytes += chunk.length
    expect(bytes).toBeGreaterThan(250_000)
    await client.deleteGraph('urn:g')
    await client.deleteGraph('urn:g')
    expect(await client.ask('ASK { ?s ?p ?o }')).toBe(false)
  })
})
