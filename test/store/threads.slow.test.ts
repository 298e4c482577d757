import { readdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { StoreContents } from '../../src/store/contents.ts'
import { GRAPH_FILE } from '../../src/store/graph-files.ts'
import { type StartedStore, cleanUp, isNew, startStore, versionedGraph } from './start.ts'

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
      await store.client.update(
        `DELETE WHERE { GRAPH <urn:u> { ?s ?p ?o } } ;
        INSERT DATA { GRAPH <urn:u> { <urn:s> <urn:version> ${version} } }`,
        'urn:u',
      )
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
      for (; !done; count++)
        await store.client.update(`INSERT DATA { GRAPH <urn:other> { <urn:s> <urn:p> ${count} } }`, 'urn:other')
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
    expect(reads).toBeGreaterThan(0)
    const count = 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:other> { ?s ?p ?o } }'
    expect(await store.client.select(count)).toMatchObject([{ n: { value: `${written}` } }])
    await store.close()
    const again = await startStore({ directory: store.directory })
    expect(await again.client.select(count)).toMatchObject([{ n: { value: `${written}` } }])
    expect(await again.client.select(VERSIONS)).toMatchObject([{ v: { value: '5' }, n: { value: `${triples}` } }])
    expect(store.errors).toEqual([])
  })
})

test('an update of a graph that is being replaced by another thread waits and is not lost; one of another does not wait', async () => {
  const store = await startStore({ limits: { inPlaceBytes: 100 } })
  await store.client.putGraph('urn:g', versionedGraph(0, 100))
  let isReplaced = false
  const put = store.client.putGraph('urn:g', versionedGraph(1, 100_000)).then(() => (isReplaced = true))
  const update = async (graph: string, n: number) => {
    await store.client.update(`INSERT DATA { GRAPH <${graph}> { <urn:s> <urn:updated> ${n} } }`, graph)
    return { n, waited: isReplaced }
  }
  const same: Promise<{ n: number; waited: boolean }>[] = []
  let others = 0
  for (let n = 0; !isReplaced; n++) {
    same.push(update('urn:g', n))
    if (!(await update('urn:other', n)).waited) others++
  }
  await put
  expect(others).toBeGreaterThan(0)
  // One that came before the new graph was replaced with the old one.
  const waited = (await Promise.all(same)).filter(({ waited }) => waited).map(({ n }) => n)
  expect(waited.length).toBeGreaterThan(0)
  const rows = await store.client.select('SELECT ?n WHERE { GRAPH <urn:g> { <urn:s> <urn:updated> ?n } }')
  expect(rows.map(({ n }) => Number(n!.value)).sort((a, b) => a - b)).toEqual(waited)
  expect(await store.client.select(VERSIONS)).toMatchObject([{ v: { value: '1' }, n: { value: '100000' } }])
  expect(store.errors).toEqual([])
})

describe('a graph of some megabytes', () => {
  const triples = 5000
  const large = (version: number) =>
    `${versionedGraph(version, triples)}${`<urn:s> <urn:text> "${'x'.repeat(1 << 20)}" .\n`.repeat(5)}`

  test('is loaded and replaced without reading any other graph', async () => {
    const store = await startStore()
    await store.client.putGraph('urn:other', versionedGraph(1, 10))
    await publicSelect(store, VERSIONS)
    const [other] = readdirSync(store.directory).filter((name) => GRAPH_FILE.test(name))
    const [file, elsewhere] = [join(store.directory, other!), join(store.directory, 'elsewhere')]
    await rename(file, elsewhere)
    for (const version of [1, 2]) {
      expect(large(version).length).toBeGreaterThan(4 << 20)
      await store.client.putGraph('urn:g', large(version))
      const expected = [{ v: { value: `${version}` }, n: { value: `${triples}` } }]
      expect(await store.client.select(VERSIONS)).toMatchObject(expected)
      expect(await publicSelect(store, VERSIONS)).toMatchObject(expected)
    }
    await rename(elsewhere, file)
    expect(store.errors).toEqual([])
  })

  test('with a syntax error at its end changes nothing, nor do the updates beside it', async () => {
    const store = await startStore()
    await store.client.putGraph('urn:g', versionedGraph(1, 100))
    const update = (n: number) =>
      store.client.update(`INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:updated> ${n} } }`, 'urn:g')
    await update(0)
    const refused = expect(store.client.putGraph('urn:g', `${large(2)}<urn:s> <urn:p> "x .\n`)).rejects.toThrow(
      'refused',
    )
    await Promise.all([refused, update(1), update(2)])
    const updated = () => store.client.select('SELECT ?n { GRAPH <urn:g> { ?s <urn:updated> ?n } } ORDER BY ?n')
    const expectUnchanged = async () => {
      expect(await store.client.select(VERSIONS)).toMatchObject([{ v: { value: '1' }, n: { value: '100' } }])
      expect(await publicSelect(store, VERSIONS)).toMatchObject([{ v: { value: '1' }, n: { value: '100' } }])
      expect((await updated()).map(({ n }) => n!.value)).toEqual(['0', '1', '2'])
    }
    await expectUnchanged()
    // A graph that was not there is not there afterwards.
    await expect(store.client.putGraph('urn:new', `${large(2)}<urn:s>\n`)).rejects.toThrow('refused')
    await expectUnchanged()
    expect(await store.client.select('SELECT ?g { GRAPH ?g {} }')).toHaveLength(1)
    expect(store.errors).toEqual([])
  })

  test('that takes more memory than the thread has left is loaded by another', async () => {
    const store = await startStore({ memoryBytes: 64 << 20 })
    const short = 40_000
    let text = ''
    for (let i = 0; i < short; i++) text += `<a:${i}> <b:${i}> "${i}" .\n`
    await store.client.putGraph('urn:g', text)
    const count = 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s ?p ?o } }'
    expect(await store.client.select(count)).toMatchObject([{ n: { value: `${short}` } }])
  })
})

describe('the files', () => {
  const graphsOf = (directory: string) => readdirSync(directory).filter((name) => GRAPH_FILE.test(name))

  test('are written anew when the updates have grown, while reads and writes go on', async () => {
    const store = await startStore({ limits: { updateLength: 3000 } })
    await publicSelect(store, VERSIONS)
    const all = 300
    const update = (i: number) => {
      const graph = `urn:g${i % 3}`
      return store.client.update(`INSERT DATA { GRAPH <${graph}> { <urn:s> <urn:p> ${i} } }`, graph)
    }
    for (let i = 0; i < all; i++) await update(i)
    const count = 'SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }'
    expect(await publicSelect(store, count)).toMatchObject([{ n: { value: `${all}` } }])
    await store.close()
    // Nothing but what the store consists of is left.
    expect(graphsOf(store.directory)).toHaveLength(3)
    expect(store.errors).toEqual([])
    const contents = await StoreContents.open(store.directory)
    expect([...contents.graphs.values()].flatMap(({ updates }) => updates).length).toBeLessThan(all / 2)
    await contents.close()
    const again = await startStore({ directory: store.directory })
    expect(await again.client.select(count)).toMatchObject([{ n: { value: `${all}` } }])
    await again.close()
    expect(await isNew(store.directory)).toBe(false)
  })

  test('belong to a new store until something is written', async () => {
    const store = await startStore()
    await store.close()
    expect(await isNew(store.directory)).toBe(true)
    const second = await startStore({ directory: store.directory })
    await second.client.update('INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }', 'urn:g')
    await second.client.deleteGraph('urn:g')
    await second.close()
    expect(await isNew(store.directory)).toBe(false)
  })
})
