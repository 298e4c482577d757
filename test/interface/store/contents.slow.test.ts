/** The contents on disk: the same for all threads and after a restart; damage of a file never loses data silently. */
import { once } from 'node:events'
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { lockOwnerOf } from '../../../src/base/durable/file-lock.ts'
import { SparqlClient, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { lockFileOf, runningEmbeddedStore } from '../../../src/interface/store/running.ts'
import { STORE_LIMITS } from '../../../src/interface/store/threads.ts'
import { LONG } from '../../long.ts'
import {
  type StartedStore,
  cleanUp,
  isNew,
  spawnStore,
  startStore,
  temporaryDirectory,
  versionedGraph,
} from './start.ts'

afterEach(cleanUp)

const ALL = 'SELECT ?g ?s ?p ?o WHERE { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g ?s ?p ?o'

type Row = Record<string, { value: string } | undefined>

const textOf = (rows: Row[]) => rows.map(({ g, s, p, o }) => [g, s, p, o].map((term) => term!.value).join(' '))

/** The answers for the service and for the public. */
async function contentOf(store: StartedStore): Promise<[string[], string[]]> {
  const response = await fetch(store.publicUrl, { method: 'POST', body: new URLSearchParams({ query: ALL }) })
  const { results } = JSON.parse(await response.text()) as { results: { bindings: Row[] } }
  return [textOf(await store.client.select(ALL)), textOf(results.bindings)]
}

/** Random numbers that are the same in every run (a linear congruential generator). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}

const SEEDS = LONG ? [1, 2, 3, 4] : [1]

test.each([...SEEDS.map((seed) => [seed, STORE_LIMITS.reserveBytes]), ...SEEDS.map((seed) => [seed, 0])])(
  'is the same in all threads and after a restart: %i, with %i bytes set aside',
  async (seed, reserveBytes) => {
    const random = randomNumbers(seed)
    const limits = { reserveBytes: reserveBytes, updateLength: 1500 }
    let store = await startStore({ limits })
    const triples = (n: number) =>
      Array.from({ length: n }, () => `<urn:s${random(9)}> <urn:p${random(3)}> "${random(9)}" .\n`).join('')
    for (let step = 0; step < 40; step++) {
      const change = () => {
        const graph = `urn:g${random(3)}`
        const update = (text: string) => store.client.update(text, graph)
        return [
          () => store.client.putGraph(graph, triples(random(8))),
          () => store.client.deleteGraph(graph),
          () => update(`INSERT DATA { GRAPH <${graph}> { ${triples(2)} } }`),
          () => update(`INSERT DATA { GRAPH <${graph}> { ${triples(2)} } }`),
          () => update(`DELETE WHERE { GRAPH <${graph}> { <urn:s${random(9)}> ?p ?o } }`),
          () =>
            update(
              `WITH <${graph}> DELETE { ?s ?p ?o } INSERT { ?s ?p "changed" } WHERE { ?s ?p ?o . ?s <urn:p1> ?x }`,
            ),
          () => update(`DROP SILENT GRAPH <${graph}>`),
        ][random(7)]!()
      }
      await Promise.all(Array.from({ length: 1 + random(4) }, change))
      if (random(5) === 0) {
        const [service, open] = await contentOf(store)
        expect(open).toEqual(service)
      }
      if (random(12) === 0) {
        const [before] = await contentOf(store)
        await store.close()
        expect(store.errors).toEqual([])
        store = await startStore({ limits, directory: store.directory })
        expect(await contentOf(store)).toEqual([before, before])
      }
    }
  },
)

describe('damage of a file', () => {
  const DAMAGE: [string, (content: Buffer) => Buffer | undefined][] = [
    ['emptied', () => Buffer.alloc(0)],
    ['cut off', (content) => content.subarray(0, content.length / 2)],
    ['cut off at its end', (content) => content.subarray(0, -1)],
    [
      'another byte',
      (content) => Buffer.from(content.map((byte, at) => (at === content.length >> 1 ? byte ^ 4 : byte))),
    ],
    ['missing', () => undefined],
  ]

  test.each<[string, boolean]>([
    ...(LONG ? [['a store that was closed', false] satisfies [string, boolean]] : []),
    ['a store that was killed', true],
  ])(
    'of %s is repaired or refused',
    async (_title, isKilled) => {
      const directory = await temporaryDirectory()
      const { process: child, endpoint } = await spawnStore(directory)
      const client = new SparqlClient({ endpoint, timeoutMs: 20_000 })
      await client.putGraph('urn:g', versionedGraph(1, 20))
      await client.putGraph('urn:h', versionedGraph(2, 200))
      for (let i = 0; i < 10; i++) {
        await client.update(
          `INSERT DATA { GRAPH <urn:${i % 2 ? 'g' : 'new'}> { <urn:s> <urn:p> ${i} } }`,
          i % 2 ? 'urn:g' : 'urn:new',
        )
      }
      const expected = textOf(await client.select(ALL))
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      if (!isKilled) await (await startStore({ directory })).close()

      const whole = await temporaryDirectory()
      cpSync(directory, whole, { recursive: true })
      const files = readdirSync(whole)
      expect(files).toEqual(expect.arrayContaining(['database.sqlite', 'database.sqlite.made', 'held']))
      const refused: string[] = []
      for (const file of files) {
        // The store repairs a damaged file in the same way whatever the damage, if there is a second copy.
        const isSingle = /^graph-|^database\.sqlite$/.test(file)
        for (const [what, damage] of LONG || isSingle ? DAMAGE : DAMAGE.slice(-2)) {
          rmSync(directory, { recursive: true })
          cpSync(whole, directory, { recursive: true })
          const content = damage(readFileSync(join(directory, file)))
          const kept = files.filter((name) => name !== 'held.json' && (content || name !== file))
          if (content) writeFileSync(join(directory, file), content)
          else rmSync(join(directory, file))
          const store = await startStore({ directory }).catch((error: unknown) => error as Error)
          if (store instanceof Error) {
            expect([file, what, store.name]).toEqual([file, what, 'DamageError'])
            expect(store.message).toContain(directory)
            refused.push(`${file} ${what}`)
            // Nothing was removed.
            const left = readdirSync(directory).filter((name) => name !== 'held.json')
            expect([file, what, left]).toEqual([file, what, expect.arrayContaining(kept)])
          } else {
            expect([file, what, textOf(await store.client.select(ALL))]).toEqual([file, what, expected])
            await store.close()
            expect([file, what, await isNew(directory)]).toEqual([file, what, false])
          }
        }
      }
      // These files have no second copy; another byte of the database may be unused.
      for (const file of files.filter((name) => /^graph-|^database\.sqlite$/.test(name))) {
        for (const [what] of DAMAGE.filter(([what]) => file !== 'database.sqlite' || what !== 'another byte')) {
          expect(refused).toContain(`${file} ${what}`)
        }
      }
    },
    240_000,
  )
})

describe('a folder without a database', () => {
  const OLD = [
    ['the form before the database', { 'manifest.json': '{"format":1}', 'journal-000001.log': '', lock: '{}' }],
    ['graph files alone', { 'graph-0000000000000001.nt': '<urn:s> <urn:p> "a" .\n' }],
    ['files of another program', { 'notes.txt': 'mine' }],
  ] as const

  test.each(OLD)('is refused with %s, and stays as it is', async (_title, files) => {
    const directory = await temporaryDirectory()
    for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
    const [first] = Object.keys(files).sort()
    await expect(startStore({ directory })).rejects.toThrow(
      new RegExp(
        `^${directory}/database\\.sqlite is damaged: it is missing beside ${first}\\. Nothing was changed\\. [^\n]*$`,
      ),
    )
    expect(
      Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')])),
    ).toEqual(files)
  })

  test('is new with what a crash before the first change leaves, and with files of the desktop', async () => {
    const directory = await temporaryDirectory()
    for (const name of ['held', 'held.json', '.DS_Store']) writeFileSync(join(directory, name), '')
    await (await startStore({ directory })).close()
    expect(await isNew(directory)).toBe(true)
  })
})

describe('filling a new store', () => {
  const update = 'INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }'
  const put = async (endpoint: StoreEndpoint) => {
    const client = new SparqlClient({ endpoint, timeoutMs: 20_000 })
    await client.putGraph('urn:h', versionedGraph(1, 20))
    await client.update(update, 'urn:g')
  }

  test('leaves a new and empty store if it does not come to its end', async () => {
    const directory = await temporaryDirectory()
    const broken = async (endpoint: StoreEndpoint) => {
      await put(endpoint)
      throw new Error('broke off')
    }
    await expect(startStore({ directory, fill: broken })).rejects.toThrow('broke off')
    expect(await isNew(directory)).toBe(true)
    expect(readdirSync(directory).filter((name) => name.startsWith('graph-'))).toEqual([])
    const store = await startStore({ directory })
    expect(await contentOf(store)).toEqual([[], []])
  })

  test('happens once, before other processes can reach the store', async () => {
    const directory = await temporaryDirectory()
    let fills = 0
    const fill = async (endpoint: StoreEndpoint) => {
      fills++
      expect((await lockOwnerOf(lockFileOf(directory)))?.about).toBeUndefined()
      await put(endpoint)
    }
    const store = await startStore({ directory, fill })
    expect(await runningEmbeddedStore(directory)).toEqual(store.endpoint)
    const [content] = await contentOf(store)
    expect(content).toHaveLength(21)
    await store.close()
    const again = await startStore({ directory, fill })
    expect(await contentOf(again)).toEqual([content, content])
    await again.client.deleteGraph('urn:g')
    await again.client.deleteGraph('urn:h')
    await again.close()
    await (await startStore({ directory, fill })).close()
    expect(fills).toBe(1)
  })
})
