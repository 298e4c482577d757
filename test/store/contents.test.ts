/** The contents on disk: the same for all threads and after a restart; damage of a file never loses data silently. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../src/sparql/client.ts'
import { LONG } from '../long.ts'
import { type StartedStore, cleanUp, spawnStore, startStore, temporaryDirectory, versionedGraph } from './start.ts'

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

test.each(LONG ? [1, 2, 3, 4] : [1])('is the same in all threads and after a restart: %i', async (seed) => {
  const random = randomNumbers(seed)
  const limits = { inPlaceBytes: 150, updateLength: 1500 }
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
          update(`WITH <${graph}> DELETE { ?s ?p ?o } INSERT { ?s ?p "changed" } WHERE { ?s ?p ?o . ?s <urn:p1> ?x }`),
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
})

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
            expect([file, what, store.isNew]).toEqual([file, what, false])
            expect([file, what, textOf(await store.client.select(ALL))]).toEqual([file, what, expected])
            await store.close()
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

describe('a store of the version before', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const frame = (content: object) => {
    const json = JSON.stringify(content)
    return `${sha256(json).slice(0, 16)} ${json}\n`
  }

  /** Its files as that version wrote them. */
  async function oldStore(): Promise<string> {
    const directory = await temporaryDirectory()
    const file = (number: number, graph: string, content: string) => {
      const name = `graph-${String(number).padStart(16, '0')}.nt`
      writeFileSync(join(directory, name), content)
      return { graph, file: name, mediaType: 'application/n-triples', bytes: content.length, sha256: sha256(content) }
    }
    const graphs = [
      file(1, 'urn:a', '<urn:s> <urn:p> "a" .\n'),
      file(2, 'urn:b', '<urn:s> <urn:p> "b" .\n'),
      file(3, 'urn:gone', '<urn:s> <urn:p> "gone" .\n'),
      file(4, 'urn:dropped', '<urn:s> <urn:p> "dropped" .\n'),
      file(5, 'urn:dropped:subset', '<urn:s> <urn:p> "dropped" .\n'),
    ]
    writeFileSync(
      join(directory, 'manifest.json'),
      JSON.stringify({ format: 1, sequence: 7, graphs, journals: [2, 3] }),
    )
    const ingest = `PREFIX x: <urn:x#>\n\nWITH <urn:a>\nINSERT { <urn:s> <urn:p> "GRAPH <urn:other> {" } WHERE {}`
    writeFileSync(
      join(directory, 'journal-000002.log'),
      frame({ sequence: 8, changes: [{ type: 'update', update: ingest }], requests: [1] }) +
        frame({ sequence: 9, changes: [{ type: 'delete', graph: 'urn:gone' }], requests: [2] }),
    )
    const drop = '# comment\nDROP SILENT GRAPH <urn:dropped> ;\nDROP SILENT GRAPH <urn:dropped:subset>'
    writeFileSync(
      join(directory, 'journal-000003.log'),
      frame({
        sequence: 10,
        changes: [
          { type: 'put', source: file(6, 'urn:b', '<urn:s> <urn:p> "new" .\n') },
          { type: 'update', update: 'INSERT { GRAPH <urn:formats> { <urn:s> <urn:p> 1 } } WHERE {}' },
          { type: 'update', update: drop },
        ],
        requests: [3, 4, 5],
      }) + '0123456789abcdef {"sequence":11,',
    )
    return directory
  }

  const EXPECTED = [
    'urn:a urn:s urn:p GRAPH <urn:other> {',
    'urn:a urn:s urn:p a',
    'urn:b urn:s urn:p new',
    'urn:formats urn:s urn:p 1',
  ]

  test('is taken over once', async () => {
    const directory = await oldStore()
    const manifest = readFileSync(join(directory, 'manifest.json'))
    const store = await startStore({ directory })
    expect(store.isNew).toBe(false)
    expect(textOf(await store.client.select(ALL))).toEqual(EXPECTED)
    expect(readdirSync(directory).filter((name) => /^(manifest|journal|lock)/.test(name))).toEqual([])
    await store.client.deleteGraph('urn:a')
    await store.close()
    // As after a crash before the last of its files was removed.
    writeFileSync(join(directory, 'manifest.json'), manifest)
    const again = await startStore({ directory })
    expect(textOf(await again.client.select(ALL))).toEqual(EXPECTED.slice(2))
    expect(existsSync(join(directory, 'manifest.json'))).toBe(false)
    await again.close()
    writeFileSync(join(directory, 'manifest.json'), `${manifest.toString()} `)
    await expect(startStore({ directory })).rejects.toThrow('a store of this version and one of the version before')
  })

  test('is new if nothing was ever written to it', async () => {
    const directory = await temporaryDirectory()
    writeFileSync(
      join(directory, 'manifest.json'),
      JSON.stringify({ format: 1, sequence: 0, graphs: [], journals: [1] }),
    )
    writeFileSync(join(directory, 'journal-000001.log'), '')
    expect((await startStore({ directory })).isNew).toBe(true)
  })

  test.each<[string, (directory: string) => void, RegExp]>([
    [
      'a journal is missing',
      (directory) => rmSync(join(directory, 'journal-000002.log')),
      /journal-000002\.log .*missing/,
    ],
    [
      'a journal was emptied',
      (directory) => writeFileSync(join(directory, 'journal-000003.log'), ''),
      /journal-000003\.log .*empty/,
    ],
    [
      'a line is another',
      (directory) => {
        const path = join(directory, 'journal-000002.log')
        writeFileSync(path, readFileSync(path, 'utf8').replace('urn:gone', 'urn:some'))
      },
      /journal-000002\.log .*line 2/,
    ],
    [
      'a frame is missing',
      (directory) => {
        const path = join(directory, 'journal-000002.log')
        writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'))
      },
      /journal-000002\.log .*frame 9, expected 8/,
    ],
    ['the manifest is not one', (directory) => writeFileSync(join(directory, 'manifest.json'), '{}'), /manifest\.json/],
    ['the manifest is missing', (directory) => rmSync(join(directory, 'manifest.json')), /manifest\.json .*missing/],
    [
      'its process is alive',
      (directory) =>
        writeFileSync(join(directory, 'lock'), JSON.stringify({ process: process.ppid, host: hostname() })),
      /in use by process/,
    ],
  ])('is refused if %s, and nothing is lost', async (_title, spoil, message) => {
    const directory = await oldStore()
    spoil(directory)
    const before = readdirSync(directory).filter((name) => /^(graph|manifest|journal|lock)/.test(name))
    await expect(startStore({ directory })).rejects.toThrow(message)
    expect(readdirSync(directory).filter((name) => /^(graph|manifest|journal|lock)/.test(name))).toEqual(before)
  })
})
