/** The index follows the store: what is written through this installation, by others, and after damage. */
import { copyFile, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { indexFileIn } from '../../../src/graph/index/index-file.ts'
import { IndexThread } from '../../../src/interface/search/index-thread.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { CLASS_KIND, type Statement } from '../../../src/graph/index/statements.ts'
import { readStatements } from '../../../src/interface/search/store-labels.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import { CRAFTS, startApp, toNTriples, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { startStoreProxy } from '../../writing/ingest/store-proxy.ts'
import { startService, storeEnv } from '../../process.ts'
import { DEPLOYED, describeOver, testOf } from '../../stores.ts'

const V = 'http://example.org/v/'
/** More than are read at a time, twice. */
const CONCEPTS = 1200
const { write, path } = temporaryFolder()
let folders = 0

describeOver(DEPLOYED, 'the index of labels', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let client: SparqlClient
  let app: RunningApp | undefined
  const load = async (name: string, index?: IndexOfCommands, count = CONCEPTS) => {
    const concepts = Array.from({ length: count }, (_, at) => {
      return `v:c${at} a skos:Concept ; skos:notation "${at}" ; skos:prefLabel "${name} ${at}"@en ; skos:altLabel "C ${at}"@en .`
    })
    const members = `v:list a skos:Collection ; skos:prefLabel "List"@en ; skos:member v:c1 .
      v:elsewhere skos:altLabel "Elsewhere"@en .
      v:other a skos:Concept ; skos:inScheme <http://example.org/other> ; skos:prefLabel "Other"@en .`
    const text = `@prefix skos: <${SKOS}> . @prefix v: <${V}> . <${V}> a skos:ConceptScheme .\n${concepts.join('\n')}\n${members}`
    await loadVocabulary(client, [await write('v.ttl', text)], { ids: ['v'], check: false, index })
  }
  const vocabulary = async () => (await readVocabularies(client)).find(({ uri }) => uri === V)!
  const start = (env: NodeJS.ProcessEnv = {}) => startApp(running.endpoint, { MAX_STALENESS_MS: '100', ...env })
  const newDataDir = () => path(`data-${++folders}`)
  const total = async (search: string, voc = 'v') => {
    const answer = await app!.ask('/search', { search, voc, limit: '0' })
    return answer.status === 200 ? Number(answer.headers.get('x-total-count')) : answer.status
  }
  /** Asks until the answer is as expected; the time limit of the test ends the waiting. */
  const finds = async (search: string, expected: number, voc?: string) => {
    while ((await total(search, voc)) !== expected) await sleep(100)
  }

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    await load('Concept')
  })
  afterEach(async () => {
    await app?.close()
    app = undefined
  })
  afterAll(() => running?.stop())

  test('gets the same from a graph as a whole, by a query, and in pieces', async () => {
    const { uri, revision } = await vocabulary()
    const all = Array.from({ length: CONCEPTS }, (_, at) => `${V}c${at}`)
    const read = async (revisionRead: string | undefined, only?: readonly string[]) => {
      const statements: Statement[] = []
      for await (const some of readStatements(client, { uri, revision: revisionRead, triples: 100_000 }, { only }))
        statements.push(...some)
      return new Set(statements.map((statement) => JSON.stringify(statement)))
    }
    const [whole, byQuery, inPieces] = [await read(revision), await read(undefined), await read(revision, all)]
    // The class of the vocabulary itself, which is no concept and no collection.
    whole.delete(JSON.stringify([V, CLASS_KIND, '', `${SKOS}ConceptScheme`]))
    expect([...whole].sort()).toEqual([...byQuery].sort())
    const isPlaced = (json: string) => json.startsWith(`["${V}c`)
    expect([...inPieces].sort()).toEqual([...whole].filter(isPlaced).sort())
    expect(inPieces.size).toBeGreaterThan(3 * CONCEPTS)
  })

  test('a vocabulary that was there before is read from the store', async () => {
    app = await start()
    await finds('concept 7', 111)
    expect(await total('other', 'http://example.org/other')).toBe(0)
    expect(await total('elsewhere')).toBe(0)
  })

  test('a load through this installation shows at once, and a restart reads nothing again', async () => {
    const dataDir = newDataDir()
    app = await start({ DATA_DIR: dataDir })
    await finds('concept', CONCEPTS)
    const index = new IndexOfCommands(dataDir, (error) => {
      throw error
    })
    await load('Loaded', index)
    await index.close()
    expect(await total('loaded')).toBe(CONCEPTS)
    expect(await total('concept')).toBe(0)
    await app.close()
    const calls = jest.spyOn(IndexThread.prototype, 'ask')
    app = await start({ DATA_DIR: dataDir })
    expect(await total('loaded')).toBe(CONCEPTS)
    await app.index.caughtUp()
    expect(app.index.lag.vocabularies).toBe(0)
    const names = calls.mock.calls.map(([name]) => name)
    calls.mockRestore()
    expect(names).toContain('find')
    expect(names).not.toContain('read')
  })

  test('what another installation loads is read in the background; until then the old labels answer', async () => {
    await load('Before')
    app = await start()
    await finds('before', CONCEPTS)
    await load('After')
    expect([CONCEPTS, 0]).toContain(await total('before'))
    await finds('after', CONCEPTS)
    expect(await total('before')).toBe(0)
  })

  testOf(store)('what another program writes without a revision, and removes, is noticed, too', async () => {
    const graph = 'http://example.org/program/'
    const turtle = (
      name: string,
    ) => `@prefix skos: <${SKOS}> . <${graph}> a skos:ConceptScheme ; skos:notation "program" .
      <${graph}1> a skos:Concept ; skos:inScheme <${graph}> ; skos:prefLabel "${name}"@en .`
    await client.putGraph(graph, toNTriples(turtle('Quagga')))
    app = await start()
    await finds('quagga', 1, 'program')
    await client.putGraph(graph, toNTriples(turtle('Okapi')))
    await finds('okapi', 1, 'program')
    await client.deleteGraph(graph)
    while (((await app.ask('/search', { search: 'okapi' })).body as unknown[]).length > 0) await sleep(100)
  })

  test('/readyz names searches as degraded until the index has every vocabulary', async () => {
    const graph = 'http://example.org/small/'
    const concept = `<${graph}1> a skos:Concept ; skos:inScheme <${graph}> ; skos:prefLabel "Numbat"@en .`
    const scheme = `<${graph}> a skos:ConceptScheme ; skos:notation "small" .`
    await client.putGraph(graph, toNTriples(`@prefix skos: <${SKOS}> . ${scheme} ${concept}`))
    const proxy = await startStoreProxy(running.endpoint)
    try {
      proxy.queryWith = 'mappingRelation'
      proxy.query = 'held'
      app = await startApp(proxy.endpoint, {}, { indexWaitMs: 100 })
      const ready = async () => {
        const { status, body } = await app!.get('/readyz')
        return [status, body as unknown]
      }
      expect(await total('numbat', 'small')).toBe(503)
      expect(await ready()).toEqual([200, { ok: 1, degraded: ['search'] }])
      proxy.query = 'none'
      proxy.release()
      await finds('numbat', 1, 'small')
      await app.index.caughtUp()
      // On a busy machine /readyz may not wait until the index answers; the time limit of the test ends the waiting.
      while ('degraded' in ((await ready())[1] as object)) await sleep(100)
      expect(await ready()).toEqual([200, { ok: 1 }])
    } finally {
      await app?.close()
      app = undefined
      await proxy.close()
      await client.deleteGraph(graph)
    }
  })

  const DAMAGES: [damage: string, make: (file: string) => Promise<unknown>][] = [
    ['is missing', (file) => rm(file)],
    ['is empty', (file) => writeFile(file, '')],
    ['is no database', (file) => writeFile(file, 'x'.repeat(100_000))],
    [
      'is cut off',
      async (file) => {
        const handle = await open(file, 'r+')
        await handle.truncate((await handle.stat()).size / 2)
        await handle.close()
      },
    ],
    [
      'has other bytes in its midst',
      async (file) => {
        const bytes = await readFile(file)
        bytes.fill(0xa5, 4096 * 3)
        await writeFile(file, bytes)
      },
    ],
  ]
  describe('after damage', () => {
    let whole: string
    beforeAll(async () => {
      await load('Healed')
      const dataDir = newDataDir()
      app = await start({ DATA_DIR: dataDir })
      await finds('healed', CONCEPTS)
      await app.close()
      whole = indexFileIn(dataDir)
    })

    testOf(store).each(DAMAGES)('an index that %s is built again', async (_, make) => {
      const dataDir = newDataDir()
      const file = indexFileIn(dataDir)
      await mkdir(dirname(file), { recursive: true })
      await copyFile(whole, file)
      await make(file)
      app = await start({ DATA_DIR: dataDir })
      app.index.begin()
      expect((await app.get('/voc')).status).toBe(200)
      await finds('healed', CONCEPTS)
      expect(app.notes).toEqual([expect.stringMatching(/index\.sqlite (is new|cannot be used)/)])
    })
  })

  test('is read after the start, before anybody searches', async () => {
    const service = await startService({ ...storeEnv(running.endpoint), DEMO: 'true' })
    try {
      const behind = async () => {
        const text = await (await fetch(`${service.url}/metrics`)).text()
        return /^search_index_vocabularies_behind (\d+)$/m.exec(text)?.[1]
      }
      while ((await behind()) !== '0') await sleep(50)
      const answer = await fetch(`${service.url}/search?search=Buchbindre&voc=${encodeURIComponent(CRAFTS)}`)
      expect(((await answer.json()) as unknown[]).length).toBeGreaterThan(0)
    } finally {
      await service.stop()
    }
  })
})

test('a thread that cannot begin is told, and closes', async () => {
  const thread = new IndexThread(undefined as never)
  await expect(thread.ask('complete', [])).rejects.toThrow()
  expect(thread.isAlive).toBe(false)
  await thread.close()
})
