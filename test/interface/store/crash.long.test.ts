/** kill -9 at any moment: nothing acknowledged is lost, nothing is there by half, and the store starts again. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { SparqlClient, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { LONG } from '../../long.ts'
import { cleanUp, spawnStore, startStore, temporaryDirectory, versionedGraph } from './start.ts'

/** A start takes a second: few kills by default, the last of them after another thread has been built. */
const KILLS = Number(process.env['EMBEDDED_KILLS'] ?? (LONG ? 20 : 5))
const PARTS = 7

let child: ChildProcess | undefined

afterEach(async () => {
  child?.kill('SIGKILL')
  await cleanUp()
})

async function startVictim(directory: string, limits: { reserveBytes?: number }): Promise<StoreEndpoint> {
  const victim = await spawnStore(directory, limits)
  child = victim.process
  return victim.endpoint
}

/** The requests of one writer and their answers. Versions go up by one. */
interface Progress {
  acknowledged: Set<number>
  attempted: number
  /** The version found after the last start; nothing older may come back. */
  version: number
}

const VERSION_OF = {
  small: 'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:small> { ?s <urn:version> ?v } } GROUP BY ?v',
  large: 'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:large> { ?s <urn:version> ?v } } GROUP BY ?v',
  value: 'SELECT ?v (COUNT(*) AS ?n) WHERE { GRAPH <urn:value> { ?s <urn:version> ?v } } GROUP BY ?v',
}
const TRIPLES_OF = { small: 5, large: 400, value: 1 }
type Versioned = keyof typeof VERSION_OF
type Writer = Versioned | 'pieces' | 'dropped'

const WRITE: Record<Writer, (client: SparqlClient, version: number) => Promise<void>> = {
  pieces: (client, version) => {
    const triples = Array.from({ length: PARTS }, (_, i) => `<urn:u${version}> <urn:part> ${i} .`)
    return client.update(`INSERT DATA { GRAPH <urn:parts> { ${triples.join(' ')} } }`, 'urn:parts')
  },
  small: (client, version) => client.putGraph('urn:small', versionedGraph(version, TRIPLES_OF.small)),
  large: (client, version) => client.putGraph('urn:large', versionedGraph(version, TRIPLES_OF.large)),
  value: (client, version) =>
    client.update(
      `DELETE WHERE { GRAPH <urn:value> { ?s ?p ?o } } ;
       INSERT DATA { GRAPH <urn:value> { <urn:s> <urn:version> ${version} } }`,
      'urn:value',
    ),
  // The graph comes and goes.
  dropped: async (client, version) => {
    await client.update(`INSERT DATA { GRAPH <urn:dropped> { <urn:s> <urn:version> ${version} } }`, 'urn:dropped')
    await client.update('DROP GRAPH <urn:dropped>', 'urn:dropped')
  },
}

test(
  `${KILLS} kills in the middle of writes lose nothing acknowledged and leave nothing by half`,
  async () => {
    const directory = await temporaryDirectory()
    const writers = Object.keys(WRITE) as Writer[]
    const progress = Object.fromEntries(
      writers.map((writer): [Writer, Progress] => [writer, { acknowledged: new Set(), attempted: 0, version: 0 }]),
    ) as Record<Writer, Progress>

    async function check(client: SparqlClient): Promise<void> {
      const rows = await client.select(
        'SELECT ?u (COUNT(*) AS ?n) WHERE { GRAPH <urn:parts> { ?u <urn:part> ?o } } GROUP BY ?u',
      )
      expect(rows.filter(({ n }) => n!.value !== String(PARTS))).toEqual([])
      const versions = new Set(rows.map(({ u }) => Number(u!.value.slice('urn:u'.length))))
      expect([...progress.pieces.acknowledged].filter((version) => !versions.has(version))).toEqual([])

      const dropped = await client.select('SELECT ?v WHERE { GRAPH <urn:dropped> { ?s <urn:version> ?v } }')
      // The one that was not dropped yet; it goes with the next.
      for (const { v } of dropped) expect(progress.dropped.acknowledged.has(Number(v!.value))).toBe(false)

      for (const writer of Object.keys(VERSION_OF) as Versioned[]) {
        const { acknowledged, attempted, version: last } = progress[writer]
        const rows = await client.select(VERSION_OF[writer])
        if (rows.length === 0) expect(Math.max(last, ...acknowledged)).toBe(0)
        else {
          expect(rows).toHaveLength(1)
          expect(rows[0]!['n']!.value).toBe(String(TRIPLES_OF[writer]))
          const version = Number(rows[0]!['v']!.value)
          expect(version).toBeGreaterThanOrEqual(Math.max(last, ...acknowledged))
          expect(version).toBeLessThanOrEqual(attempted)
          progress[writer].version = version
        }
      }
    }

    for (let kill = 0; kill < KILLS; kill++) {
      // Graphs are loaded in place, or by another thread.
      const endpoint = await startVictim(directory, kill % 2 === 0 ? { reserveBytes: 0 } : {})
      const client = new SparqlClient({ endpoint, timeoutMs: 10_000 })
      await check(client)
      let killed = false
      const writing = writers.map(async (writer) => {
        while (!killed) {
          const version = ++progress[writer].attempted
          try {
            await WRITE[writer](client, version)
            progress[writer].acknowledged.add(version)
          } catch (error) {
            if (!killed) throw error
          }
        }
      })
      // Building another thread takes longer than most of these lives: some last until it has been done once more.
      const large = progress.large.acknowledged.size
      for (let tries = 0; kill % 5 === 4 && tries < 300 && progress.large.acknowledged.size === large; tries++)
        await sleep(10)
      await sleep(20 + Math.random() * 400)
      killed = true
      const ended = once(child!, 'exit')
      child!.kill('SIGKILL')
      await Promise.all([ended, ...writing])
      if (KILLS > 6 && kill % 10 === 9) process.stderr.write(`kill ${kill + 1}\n`)
    }

    const store = await startStore({ directory })
    await check(store.client)
    for (const writer of writers) expect(progress[writer].acknowledged.size).toBeGreaterThan(0)
  },
  60_000 + KILLS * 20_000,
)
