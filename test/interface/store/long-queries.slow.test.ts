import { afterEach, expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { cleanUp, startStore, versionedGraph } from './start.ts'

afterEach(cleanUp)

const TIMEOUT_MS = 120_000
/** Runs for hours on a graph of a thousand triples. */
const ENDLESS = 'SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }'
const VERSIONS = 'SELECT ?v (COUNT(*) AS ?n) WHERE { ?s <urn:version> ?v } GROUP BY ?v ORDER BY ?v'

test('a query of the service that takes long keeps no other waiting', async () => {
  const store = await startStore({ queryTimeoutMs: TIMEOUT_MS })
  const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: TIMEOUT_MS })
  await client.putGraph('urn:g', versionedGraph(1, 1000))
  await client.update('INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:version> "2" } }', 'urn:g')
  const gone = new AbortController()
  let isOver = false
  const endless = client
    .select(ENDLESS, { signal: gone.signal })
    .catch(() => 'gone')
    .finally(() => (isOver = true))
  // Some wait in the thread that is at work on it, and move to the other; the rest begins there.
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.select(VERSIONS)))
    for (const rows of answers) {
      expect(rows.map(({ v, n }) => [v!.value, n!.value])).toEqual([
        ['1', '1000'],
        ['2', '1'],
      ])
    }
  }
  expect(isOver).toBe(false)
  gone.abort()
  expect(await endless).toBe('gone')
  expect(store.errors).toEqual([])
})

test('a public query that takes long keeps no query of the service waiting', async () => {
  const store = await startStore({ queryTimeoutMs: TIMEOUT_MS })
  const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: TIMEOUT_MS })
  await client.putGraph('urn:g', versionedGraph(1, 1000))
  const gone = new AbortController()
  const endless = fetch(`${store.publicUrl}?${new URLSearchParams({ query: ENDLESS }).toString()}`, {
    signal: gone.signal,
  }).catch(() => 'gone')
  for (let round = 0; round < 3; round++) expect(await client.select(VERSIONS)).toHaveLength(1)
  gone.abort()
  expect(await endless).toBe('gone')
})

test('a second thread that is built while a graph is replaced shows the new one', async () => {
  const store = await startStore({ queryTimeoutMs: TIMEOUT_MS, limits: { reserveBytes: 0 } })
  await store.client.putGraph('urn:g', versionedGraph(1, 20_000))
  const readPublicly = async () => {
    const response = await fetch(`${store.publicUrl}?${new URLSearchParams({ query: VERSIONS }).toString()}`)
    const { results } = JSON.parse(await response.text())
    return results.bindings.map(({ v }: { v: { value: string } }) => v.value)
  }
  const put = store.client.putGraph('urn:g', versionedGraph(2, 20_000))
  const [early] = await Promise.all([readPublicly(), put])
  expect(early).toHaveLength(1)
  expect(await readPublicly()).toEqual(['2'])
})
