import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type StartedStore, cleanUp, startStore, versionedGraph } from './start.ts'

afterEach(cleanUp)

const VERSIONS = 'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s <urn:version> ?v } } GROUP BY ?v'

async function publicSelect(store: StartedStore, query: string): Promise<Record<string, { value: string }>[]> {
  const response = await fetch(`${store.publicUrl}?${new URLSearchParams({ query }).toString()}`)
  expect(response.status).toBe(200)
  return JSON.parse(await response.text()).results.bindings
}

describe('the public endpoint', () => {
  test('sees every acknowledged write at once', async () => {
    const store = await startStore({ limits: { inPlaceBytes: 5000 } })
    for (let version = 1; version <= 10; version++) {
      await store.client.update(`DELETE WHERE { GRAPH <urn:u> { ?s ?p ?o } } ;
        INSERT DATA { GRAPH <urn:u> { <urn:s> <urn:version> ${version} } }`)
      expect(await publicSelect(store, 'SELECT ?v { ?s <urn:version> ?v }')).toMatchObject([
        { v: { value: `${version}` } },
      ])
    }
    for (const triples of [10, 1000, 20, 2000]) {
      await store.client.putGraph('urn:g', versionedGraph('put', triples))
      expect(await publicSelect(store, VERSIONS)).toMatchObject([{ n: { value: `${triples}` } }])
    }
    await store.client.deleteGraph('urn:g')
    expect(await publicSelect(store, VERSIONS)).toEqual([])
  })
})

describe.each([
  ['in place', 1 << 30],
  ['by another thread', 100],
])('replacing a graph %s', (_title, inPlaceBytes) => {
  test('shows readers the old version or the new one, never a mix, and keeps writes to other graphs', async () => {
    const store = await startStore({ limits: { inPlaceBytes } })
    const triples = 500
    await store.client.putGraph('urn:g', versionedGraph(0, triples))
    await publicSelect(store, VERSIONS)
    let done = false
    let reads = 0
    const reading = (read: () => Promise<Record<string, { value: string } | undefined>[]>) =>
      (async () => {
        for (let last = 0; !done; reads++) {
          const rows = await read()
          expect(rows).toHaveLength(1)
          expect(rows[0]!['n']!.value).toBe(`${triples}`)
          const version = Number(rows[0]!['v']!.value)
          expect(version).toBeGreaterThanOrEqual(last)
          last = version
        }
      })()
    const writing = (async () => {
      let count = 0
      for (; !done; count++) await store.client.update(`INSERT DATA { GRAPH <urn:other> { <urn:s> <urn:p> ${count} } }`)
      return count
    })()
    const readers = [reading(() => store.client.select(VERSIONS)), reading(() => publicSelect(store, VERSIONS))]
    for (let version = 1; version <= 5; version++) {
      await store.client.putGraph('urn:g', versionedGraph(version, triples))
      expect(await store.client.select(VERSIONS)).toMatchObject([{ v: { value: `${version}` } }])
    }
    done = true
    await Promise.all(readers)
    const written = await writing
    expect(reads).toBeGreaterThan(10)
    const count = 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:other> { ?s ?p ?o } }'
    expect(await store.client.select(count)).toMatchObject([{ n: { value: `${written}` } }])
    await store.close()
    const again = await startStore({ directory: store.directory })
    expect(await again.client.select(count)).toMatchObject([{ n: { value: `${written}` } }])
    expect(await again.client.select(VERSIONS)).toMatchObject([{ v: { value: '5' }, n: { value: `${triples}` } }])
    expect(store.errors).toEqual([])
  })
})

test('an update of a graph that is being replaced by another thread waits and is not lost', async () => {
  const store = await startStore({ limits: { inPlaceBytes: 100 } })
  await store.client.putGraph('urn:g', versionedGraph(0, 100))
  const put = store.client.putGraph('urn:g', versionedGraph(1, 20_000))
  // The first is independent, the others are not: by name, and by a variable.
  const order: string[] = []
  await new Promise((resolve) => setTimeout(resolve, 50))
  await Promise.all([
    put.then(() => order.push('put')),
    store.client.update('INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:named> 1 } }').then(() => order.push('named')),
    store.client
      .update('INSERT { GRAPH ?g { <urn:s> <urn:variable> 1 } } WHERE { GRAPH ?g { <urn:concept:1> ?p ?o } }')
      .then(() => order.push('variable')),
  ])
  const rows = await store.client.select('SELECT ?p WHERE { GRAPH <urn:g> { <urn:s> ?p 1 } } ORDER BY ?p')
  const expected = ['urn:named', 'urn:variable'].filter((p) => order.indexOf(p.slice(4)) > order.indexOf('put'))
  expect(rows.map(({ p }) => p!.value)).toEqual(expect.arrayContaining(expected))
  expect(await store.client.select(VERSIONS)).toMatchObject([{ v: { value: '1' }, n: { value: '20000' } }])
})

describe('the files', () => {
  const graphsOf = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('graph-'))
  const manifestOf = (directory: string) => JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))

  test('are written anew when the journal has grown, while reads and writes go on', async () => {
    const store = await startStore({ limits: { journalBytes: 3000 } })
    await publicSelect(store, VERSIONS)
    const all = 300
    for (let i = 0; i < all; i++)
      await store.client.update(`INSERT DATA { GRAPH <urn:g${i % 3}> { <urn:s> <urn:p> ${i} } }`)
    const count = 'SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }'
    expect(await publicSelect(store, count)).toMatchObject([{ n: { value: `${all}` } }])
    await store.close()
    expect(manifestOf(store.directory).graphs.length).toBe(3)
    expect(manifestOf(store.directory).sequence).toBeGreaterThan(0)
    expect(manifestOf(store.directory).journals[0]).toBeGreaterThan(2)
    // Nothing but what the store consists of is left.
    expect(graphsOf(store.directory)).toHaveLength(3)
    expect(readdirSync(store.directory).filter((name) => name.endsWith('.log'))).toHaveLength(1)
    expect(store.errors).toEqual([])
    const again = await startStore({ directory: store.directory })
    expect(await again.client.select(count)).toMatchObject([{ n: { value: `${all}` } }])
    expect(again.isNew).toBe(false)
  })

  test('keep what an update did that would do something else if it were executed again', async () => {
    const store = await startStore()
    await store.client
      .update(`INSERT { GRAPH <urn:g> { <urn:s> <urn:uuid> ?u ; <urn:now> ?n } GRAPH <urn:h> { ?b <urn:p> 1 } }
      WHERE { BIND(STRUUID() AS ?u) BIND(NOW() AS ?n) BIND(BNODE() AS ?b) }`)
    await store.client.update(
      'INSERT { GRAPH ?u { <urn:s> <urn:rand> ?r } } WHERE { BIND(UUID() AS ?u) BIND(RAND() AS ?r) }',
    )
    await store.client.update(
      'DELETE { GRAPH <urn:h> { ?s ?p ?o } } WHERE { { SELECT * { GRAPH <urn:h> { ?s ?p ?o } } LIMIT 1 } }',
    )
    const query = 'SELECT ?g ?p ?o WHERE { GRAPH ?g { <urn:s> ?p ?o } } ORDER BY ?p'
    const before = await store.client.select(query)
    expect(before).toHaveLength(3)
    await store.close()
    const again = await startStore({ directory: store.directory })
    expect(await again.client.select(query)).toEqual(before)
    expect(await again.client.ask('ASK { GRAPH <urn:h> { ?s ?p ?o } }')).toBe(false)
  })

  test('are not begun with where they are damaged, and the message names the file', async () => {
    const { appendFileSync, writeFileSync, rmSync, renameSync } = await import('node:fs')
    const store = await startStore()
    await store.client.putGraph('urn:g', versionedGraph(1, 10))
    await store.client.update('INSERT DATA { GRAPH <urn:h> { <urn:s> <urn:p> 1 } }')
    await store.close()
    const { directory } = store
    const graph = join(directory, graphsOf(directory)[0]!)
    const journal = join(directory, 'journal-000001.log')
    const manifest = join(directory, 'manifest.json')
    const damage: [string, (content: Buffer) => void, RegExp][] = [
      [
        graph,
        (content) => writeFileSync(graph, content.toString().replace('urn:version', 'urn:Version')),
        /graph-\w+\.nt is damaged/,
      ],
      [graph, (content) => writeFileSync(graph, content.subarray(0, -20)), /graph-\w+\.nt (is damaged|cannot be read)/],
      [graph, () => rmSync(graph), /graph-\w+\.nt is missing/],
      [
        journal,
        (content) => writeFileSync(journal, content.toString().replace('urn:g', 'urn:f')),
        /journal-000001\.log is damaged at byte 0/,
      ],
      [journal, () => rmSync(journal), /journal-000001\.log is missing/],
      [manifest, () => writeFileSync(manifest, '{'), /manifest\.json is damaged/],
      [manifest, () => renameSync(manifest, `${manifest}.old`), /manifest\.json is missing/],
    ]
    for (const [file, spoil, message] of damage) {
      const content = readFileSync(file)
      spoil(content)
      await expect(startStore({ directory })).rejects.toThrow(message)
      rmSync(file, { force: true })
      appendFileSync(file, content)
    }
    const again = await startStore({ directory })
    expect(await again.client.select('SELECT * WHERE { ?s ?p ?o }')).toHaveLength(11)
  })

  test('belong to a new store until something is written', async () => {
    const store = await startStore()
    expect(store.isNew).toBe(true)
    await store.close()
    const second = await startStore({ directory: store.directory })
    expect(second.isNew).toBe(true)
    await second.client.update('INSERT DATA { <urn:s> <urn:p> 1 }')
    await second.close()
    expect((await startStore({ directory: store.directory })).isNew).toBe(false)
  })
})
