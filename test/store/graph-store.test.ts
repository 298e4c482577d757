import { request } from 'node:http'
import { readdir } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { type StartedStore, authorization, cleanUp, startStore, versionedGraph } from './start.ts'

const N_TRIPLES = 'application/n-triples'

/** The graph store of a started store: request(method, '?graph=...', body, headers). */
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

describe.each([
  ['in place', {}],
  ['by another thread', { inPlaceBytes: 10, inMemoryTriples: 1 }],
])('a graph that is changed %s', (_title, limits) => {
  afterEach(cleanUp)

  test('is put, read, extended, replaced and deleted', async () => {
    const send = graphStore(await startStore({ limits }))
    const one = '<urn:s> <urn:p> "eins"@de .\n'
    const two = '<urn:s> <urn:p> "zwei"@de .\n'
    const get = async (search = '?graph=urn:g') => (await send('GET', search, undefined, { accept: N_TRIPLES })).text
    const lines = async () => (await get()).trim().split('\n').sort()

    expect((await send('GET', '?graph=urn:g')).status).toBe(404)
    expect((await send('HEAD', '?graph=urn:g')).status).toBe(404)
    expect((await send('DELETE', '?graph=urn:g')).status).toBe(404)
    expect((await send('PUT', '?graph=urn:g', one)).status).toBe(201)
    expect(await get()).toBe(one)
    expect((await send('POST', '?graph=urn:g', two)).status).toBe(204)
    expect(await lines()).toEqual([one.trim(), two.trim()])
    expect((await send('PUT', '?graph=urn:g', two)).status).toBe(204)
    expect(await get()).toBe(two)
    const head = await send('HEAD', '?graph=urn:g', undefined, { accept: N_TRIPLES })
    expect(head.status).toBe(200)
    expect(head.headers.get('content-length')).toBe(String(two.length))
    expect((await send('POST', '?graph=urn:new', one)).status).toBe(201)
    expect((await send('DELETE', '?graph=urn:g')).status).toBe(204)
    expect((await send('GET', '?graph=urn:g')).status).toBe(404)
    expect(await get('?graph=urn:new')).toBe(one)
  })

  test('may be empty, or the default graph', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    expect((await send('PUT', '?graph=urn:empty', '')).status).toBe(201)
    expect(await send('GET', '?graph=urn:empty')).toMatchObject({ status: 200, text: '' })
    expect((await send('PUT', '?default', '<urn:s> <urn:p> "default" .')).status).toBe(204)
    expect((await send('GET', '?default', undefined, { accept: N_TRIPLES })).text).toBe('<urn:s> <urn:p> "default" .\n')
    expect((await send('DELETE', '?default')).status).toBe(204)
    expect(await send('GET', '?default')).toMatchObject({ status: 200, text: '' })
    await store.close()
    const again = graphStore(await startStore({ directory: store.directory, limits }))
    expect(await again('GET', '?graph=urn:empty')).toMatchObject({ status: 200, text: '' })
    expect(await again('GET', '?default')).toMatchObject({ status: 200, text: '' })
  })

  test('may come as Turtle, whose relative IRIs are relative to the graph', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    const turtle = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n<c1> a skos:Concept ; skos:broader [] .'
    const search = `?graph=${encodeURIComponent('http://example.org/voc/')}`
    expect((await send('PUT', search, turtle, { 'content-type': 'text/turtle; charset=utf-8' })).status).toBe(201)
    const rows = 'SELECT ?b WHERE { <http://example.org/voc/c1> <http://www.w3.org/2004/02/skos/core#broader> ?b }'
    expect(await store.client.select(rows)).toMatchObject([{ b: { type: 'bnode' } }])
    await store.close()
    const again = await startStore({ directory: store.directory, limits })
    expect(await again.client.select(rows)).toMatchObject([{ b: { type: 'bnode' } }])
  })

  test('stays as it is when a body is not what its Content-Type says', async () => {
    const store = await startStore({ limits })
    const send = graphStore(store)
    await send('PUT', '?graph=urn:g', '<urn:s> <urn:p> "old" .')
    for (const [body, type, message] of [
      ['<urn:s> <urn:p> "x" .\n<urn:s> <urn:p> "y .\n', N_TRIPLES, /line 2/],
      ['<urn:s> <urn:p> "x" .\n<urn:s> <urn p> "y" .\n', N_TRIPLES, /line 2 .*Invalid IRI/],
      ['<urn:s> <urn:p> "x" .\n\n<urn:s> <p> "y" .\n', N_TRIPLES, /line 3/],
      ['<urn:s> <urn:p> "x" <urn:quad> .\n', N_TRIPLES, /line 1/],
      ['<urn:s> <urn:p> "x"', N_TRIPLES, /line 1/],
      ['<urn:s> <urn:p> [ <urn:q> 1 ', 'text/turtle', /line 1/],
    ] as const) {
      const method = type === N_TRIPLES ? 'PUT' : 'POST'
      const { status, text } = await send(method, '?graph=urn:g', body, { 'content-type': type })
      expect(JSON.parse(text)).toMatchObject({
        error: 'MalformedRequestError',
        message: expect.stringMatching(message),
      })
      expect(status).toBe(400)
    }
    expect((await send('GET', '?graph=urn:g', undefined, { accept: N_TRIPLES })).text).toBe('<urn:s> <urn:p> "old" .\n')
    expect((await readdir(store.directory)).filter((name) => name.startsWith('graph-'))).toHaveLength(1)
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
    expect((await send('GET', '?graph=urn:g', undefined, { accept: N_TRIPLES })).text).toBe('<urn:s> <urn:p> "old" .\n')
    const left = async () => (await readdir(store.directory)).filter((name) => name.startsWith('graph-')).length
    for (let tries = 0; tries < 100 && (await left()) > 1; tries++)
      await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await left()).toBe(1)
  })

  test('is left by a client in the midst of it, which is no error of the store', async () => {
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
    const puts = Array.from({ length: 5 }, (_, i) => send('PUT', '?graph=urn:g', versionedGraph(i, 200)))
    const posts = Array.from({ length: 5 }, (_, i) => send('POST', '?graph=urn:h', `<urn:h${i}> <urn:p> "1" .`))
    const updates = Array.from({ length: 20 }, (_, i) =>
      store.client.update(
        `INSERT DATA { GRAPH <urn:h> { <urn:s> <urn:p> ${i} } GRAPH <urn:g> { <urn:u> <urn:p> ${i} } }`,
      ),
    )
    for (const { status } of await Promise.all([...puts, ...posts])) expect([201, 204]).toContain(status)
    await Promise.all(updates)
    const versions = await store.client.select(
      'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s <urn:version> ?v } } GROUP BY ?v',
    )
    expect(versions).toMatchObject([{ n: { value: '200' } }])
    expect(await store.client.select('SELECT * WHERE { GRAPH <urn:h> { ?s ?p ?o } }')).toHaveLength(25)
  })
})

describe('a request of the graph store', () => {
  let send: ReturnType<typeof graphStore>
  beforeAll(async () => {
    send = graphStore(await startStore({ limits: { inMemoryTriples: 0 } }))
  })
  afterAll(cleanUp)

  test.each([
    ['PUT', '', /graph, default: expected exactly one/],
    ['GET', '?graph=urn:g&default', /graph, default: expected exactly one/],
    ['GET', '?graph=urn:g&graph=urn:h', /graph, default: expected exactly one/],
    ['GET', '?graph=g', /graph: expected an absolute IRI/],
    ['DELETE', `?graph=${encodeURIComponent('urn:g> {} }; DROP ALL; #')}`, /graph: expected an absolute IRI/],
    ['GET', `?graph=${encodeURIComponent('http://[')}`, /graph: expected an absolute IRI/],
  ])('%s %s is refused', async (method, search, message) => {
    const { status, text } = await send(method, search, method === 'PUT' ? '' : undefined)
    expect(JSON.parse(text)).toMatchObject({ status: 400, message: expect.stringMatching(message) })
    expect(status).toBe(400)
  })

  test('is refused in another media type, coding or method', async () => {
    expect((await send('PUT', '?graph=urn:g', '{}', { 'content-type': 'application/ld+json' })).status).toBe(400)
    expect((await send('PUT', '?graph=urn:g', '', { 'content-encoding': 'gzip' })).status).toBe(400)
    const patch = await send('PATCH', '?graph=urn:g', '')
    expect(patch.status).toBe(405)
    expect(patch.headers.get('allow')).toBe('GET, HEAD, PUT, POST, DELETE')
  })

  test.each([
    ['text/turtle', 'text/turtle; charset=utf-8', '<urn:s> <urn:p> "x"'],
    ['application/rdf+xml', 'application/rdf+xml', '<?xml'],
    ['application/ld+json', 'application/ld+json', '[{'],
    ['application/n-quads', 'application/n-quads', '<urn:s> <urn:p> "x"'],
  ])('gives a graph as %s, also where it is a large one', async (accept, contentType, beginning) => {
    await send('PUT', '?graph=urn:g', '<urn:s> <urn:p> "x" .')
    const { headers, text } = await send('GET', '?graph=urn:g', undefined, { accept })
    expect(headers.get('content-type')).toBe(contentType)
    expect(text.slice(0, beginning.length)).toBe(beginning)
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
