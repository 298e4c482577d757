import { readdirSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { CHANGED_GRAPH, SparqlClient } from '../../../src/graph/sparql/client.ts'
import { StoreContents } from '../../../src/interface/store/contents.ts'
import { GRAPH_FILE } from '../../../src/interface/store/graph-files.ts'
import { STORE_LIMITS } from '../../../src/interface/store/threads.ts'
import {
  type StartedStore,
  authorization,
  cleanUp,
  isNew,
  spawnStore,
  startStore,
  temporaryDirectory,
  versionedGraph,
} from './start.ts'
import { testLong } from '../../long.ts'

afterEach(cleanUp)

const VERSIONS = 'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s <urn:version> ?v } } GROUP BY ?v'

async function publicSelect(store: StartedStore, query: string): Promise<Record<string, { value: string }>[]> {
  const response = await fetch(`${store.publicUrl}?${new URLSearchParams({ query }).toString()}`)
  expect(response.status).toBe(200)
  return JSON.parse(await response.text()).results.bindings
}

describe('the public endpoint', () => {
  test.each([0, STORE_LIMITS.reserveBytes])(
    'sees every acknowledged write at once: %i bytes set aside',
    async (reserveBytes) => {
      const store = await startStore({ limits: { reserveBytes } })
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
    },
  )
})

describe.each([
  ['in place', STORE_LIMITS.reserveBytes],
  ['by another thread', 0],
])('replacing a graph %s', (_title, reserveBytes) => {
  test('shows readers the old version or the new one, never a mix, and keeps writes to other graphs', async () => {
    const store = await startStore({ limits: { reserveBytes } })
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
  const store = await startStore({ limits: { reserveBytes: 0 } })
  await store.client.putGraph('urn:g', versionedGraph(0, 100))
  let isReplaced = false
  const put = store.client.putGraph('urn:g', versionedGraph(1, 100_000)).then(() => (isReplaced = true))
  const update = async (graph: string, n: number) => {
    await store.client.update(`INSERT DATA { GRAPH <${graph}> { <urn:s> <urn:updated> ${n} } }`, graph)
    return { n, waited: isReplaced }
  }
  const same: Promise<{ n: number; waited: boolean }>[] = []
  let answered = 0
  for (let n = 0; !isReplaced; n++) {
    same.push(update('urn:g', n))
    if (!(await update('urn:other', n)).waited) answered++
  }
  await put
  expect(answered).toBeGreaterThan(0)
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
})

describe('a graph of more than 32 MB', () => {
  const triples = 330_000
  const large = () => {
    let text = ''
    for (let i = 0; i < triples; i++)
      text += `<http://example.org/concept/${i}> <http://example.org/label> "A label that is long enough, number ${i}" .\n`
    return text
  }
  const COUNT = 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s ?p ?o } }'
  const LAST = `ASK { ?s ?p "A label that is long enough, number ${triples - 1}" }`
  const FIRST = 'ASK { ?s ?p "A label that is long enough, number 0" }'

  async function isTrue(url: string, query: string): Promise<boolean> {
    const response = await fetch(`${url}?${new URLSearchParams({ query }).toString()}`)
    expect(response.status).toBe(200)
    return JSON.parse(await response.text()).boolean
  }

  test('is loaded without reading any other graph, while readers go on and see all of it or nothing', async () => {
    const text = large()
    expect(text.length).toBeGreaterThan(32 << 20)
    const store = await startStore({ queryTimeoutMs: 30_000 })
    await store.client.putGraph('urn:other', versionedGraph(1, 10))
    await publicSelect(store, VERSIONS)
    const [other] = readdirSync(store.directory).filter((name) => GRAPH_FILE.test(name))
    const [file, elsewhere] = [join(store.directory, other!), join(store.directory, 'elsewhere')]
    await rename(file, elsewhere)
    const reading = async (url: string, isLoading: () => boolean) => {
      const answers = { before: 0, longestMs: 0 }
      for (let isThere = false; isLoading(); await sleep(20)) {
        const started = performance.now()
        // The end of the file is there before its beginning only if the beginning came with it.
        const [last, first] = [await isTrue(url, LAST), await isTrue(url, FIRST)]
        if (last) expect(first).toBe(true)
        if (isThere) expect(last).toBe(true)
        if (first && !last) expect(await isTrue(url, LAST)).toBe(true)
        isThere = last
        if (!isThere) answers.before++
        answers.longestMs = Math.max(answers.longestMs, performance.now() - started)
      }
      return answers
    }
    const load = async (body: string, graph: string) => {
      let isLoading = true
      const started = performance.now()
      const readers = [store.endpoint.queryUrl, store.publicUrl].map((url) => reading(url, () => isLoading))
      const outcome = await store.client.putGraph(graph, body).catch((error: unknown) => error as Error)
      isLoading = false
      const loadMs = performance.now() - started
      for (const { before, longestMs } of await Promise.all(readers)) {
        expect(before).toBeGreaterThan(5)
        expect(longestMs).toBeLessThan(loadMs / 2)
      }
      return outcome
    }
    const outcome = await load(`${text}<urn:s> <urn:p> "x .\n`, 'urn:g')
    expect(String(outcome?.cause)).toContain(`line ${triples + 1}`)
    expect(await store.client.select('SELECT ?g { GRAPH ?g {} }')).toHaveLength(1)
    expect(await publicSelect(store, COUNT)).toMatchObject([{ n: { value: '0' } }])
    expect(await load(text, 'urn:g')).toBeUndefined()
    expect(await store.client.select(COUNT)).toMatchObject([{ n: { value: `${triples}` } }])
    expect(await publicSelect(store, COUNT)).toMatchObject([{ n: { value: `${triples}` } }])
    await rename(elsewhere, file)
    expect(store.errors).toEqual([])
  })

  testLong('holds up changes of other graphs, which are refused at their deadline', async () => {
    const store = await startStore({ queryTimeoutMs: 1000 })
    let isLoaded = false
    const put = store.client.putGraph('urn:g', large()).finally(() => (isLoaded = true))
    const made: string[] = []
    let refusal = ''
    for (let n = 0; refusal === '' && !isLoaded; n++) {
      const response = await fetch(store.endpoint.updateUrl, {
        method: 'POST',
        headers: { ...authorization(store), 'content-type': 'application/sparql-update', [CHANGED_GRAPH]: 'urn:other' },
        body: `INSERT DATA { GRAPH <urn:other> { <urn:s> <urn:updated> ${n} } }`,
      })
      if (response.status === 204) made.push(`${n}`)
      else refusal = `${response.status} ${await response.text()}`
    }
    expect(refusal).toMatch(/^503 .*loading a graph/)
    await put
    await store.close()
    const again = await startStore({ directory: store.directory })
    expect(await again.client.select(COUNT)).toMatchObject([{ n: { value: `${triples}` } }])
    const rows = await again.client.select('SELECT ?n { GRAPH <urn:other> { ?s ?p ?n } } ORDER BY ?n')
    expect(rows.map(({ n }) => n!.value)).toEqual(made)
  })

  test('is there as a whole or not at all after a kill', async () => {
    const directory = await temporaryDirectory()
    const { process: child, endpoint, ended } = await spawnStore(directory)
    const client = new SparqlClient({ endpoint, timeoutMs: 30_000 })
    await client.putGraph('urn:other', versionedGraph(1, 10))
    const put = client.putGraph('urn:g', large()).catch(() => undefined)
    while (sizes(directory) < 32 << 20) await sleep(10)
    await sleep(300)
    child.kill('SIGKILL')
    await Promise.all([put, ended])
    const store = await startStore({ directory })
    const [row] = await store.client.select(COUNT)
    expect(['0', `${triples}`]).toContain(row!['n']!.value)
    expect(await store.client.select('SELECT ?v { GRAPH <urn:other> { ?s ?p ?v } }')).toHaveLength(10)
  })
})

test('a graph that takes more memory than was set aside is loaded by a new thread', async () => {
  const store = await startStore({ memoryBytes: 64 << 20, limits: { reserveBytes: 0 } })
  await store.client.putGraph('urn:g', versionedGraph(1, 10))
  const short = 40_000
  let text = ''
  for (let i = 0; i < short; i++) text += `<a:${i}> <b:${i}> "${i}" .\n`
  await store.client.putGraph('urn:g', text)
  const count = 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s ?p ?o } }'
  expect(await store.client.select(count)).toMatchObject([{ n: { value: `${short}` } }])
})

/** The size of all graph files of a store, in bytes. */
function sizes(directory: string): number {
  const names = readdirSync(directory).filter((name) => GRAPH_FILE.test(name))
  return names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
}

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
