/**
 * deploy/fuseki-kafka: the patches of a primary make a replica equal. Without Kafka the test itself takes them to the
 * replica. If TEST_KAFKA names a folder with the jars of Kafka and of jena-fuseki-kafka, ShipPatches.java and the
 * connector do so.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../src/writing/loading/load-vocabulary.ts'
import { SparqlClient } from '../../src/graph/sparql/client.ts'
import { CRAFTS, DEMO } from '../app.ts'
import { startFuseki, type Fuseki } from '../fuseki.ts'
import { freePort, newDirectory, ROOT } from '../process.ts'
import { LONG } from '../long.ts'
import { storeOf } from '../stores.ts'
import { findTool } from '../tools.ts'

const FOLDER = join(ROOT, 'deploy/fuseki-kafka')
const noFuseki = storeOf('fuseki').skip
const haproxy = findTool('haproxy')
const noHaproxy = haproxy.path ? '' : ', skipped: there is no haproxy'
const jars = process.env['TEST_KAFKA']
const noKafka = jars === undefined ? ', skipped: TEST_KAFKA names no folder of jars' : noHaproxy
const WRITES = 40
const WITH_TEXT_INDEX = { FUSEKI_TEXT_INDEX: 'on' }
/** The time limit of tests and hooks that start a Fuseki. */
const START_MS = 180_000

/** The lines of a configuration without its comments. */
const statements = (text: string) => text.split('\n').filter((line) => line.trim() !== '' && !/^\s*#/.test(line))

test.each(['primary.ttl', 'replica.ttl'])('%s is fuseki/config.ttl with something more', async (name) => {
  const config = statements(await readFile(join(ROOT, 'fuseki/config.ttl'), 'utf8'))
  const text = statements(await readFile(join(FOLDER, name), 'utf8'))
  const otherwise: Record<string, string[]> = {
    'primary.ttl': Array.from({ length: 2 }, () => '    fuseki:dataset :triples .'),
    'replica.ttl': [
      '    fuseki:services ( :public :private ) ;',
      '    fuseki:endpoint [ fuseki:operation fuseki:update ; fuseki:name "update" ] ;',
    ],
  }
  expect(config.filter((line) => !text.includes(line))).toEqual(otherwise[name])
})

/** Every triple of a graph, as lines in order. */
async function graph({ endpoint }: Fuseki, uri: string): Promise<string[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of new SparqlClient({ endpoint, timeoutMs: 60_000 }).getGraph(uri)) chunks.push(chunk)
  return Buffer.concat(chunks).toString().split('\n').sort()
}

async function countOf({ endpoint }: Fuseki, text: string): Promise<number> {
  const query = `PREFIX text: <http://jena.apache.org/text#> SELECT ?c { ?c text:query (<http://www.w3.org/2004/02/skos/core#prefLabel> "${text}") }`
  return (await new SparqlClient({ endpoint, timeoutMs: 60_000 }).select(query)).length
}

/** HAProxy with haproxy.cfg, except for the ports, in front of a primary; gives a client that writes through it. */
async function startHaproxy(
  directory: string,
  { endpoint }: Fuseki,
): Promise<{ child: ChildProcess; client: SparqlClient }> {
  const port = await freePort()
  const text = (await readFile(join(FOLDER, 'haproxy.cfg'), 'utf8'))
    .replace('bind :3031', `bind 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3030', new URL(endpoint.updateUrl).host)
  const file = join(directory, 'haproxy.cfg')
  await writeFile(file, text)
  const child = spawn(haproxy.path!, ['-db', '-f', file], { stdio: 'ignore' })
  const behind = (url: string) => Object.assign(new URL(url), { port: String(port) }).href
  const client = new SparqlClient({
    endpoint: { ...endpoint, updateUrl: behind(endpoint.updateUrl), graphStoreUrl: behind(endpoint.graphStoreUrl) },
    timeoutMs: 60_000,
  })
  await until(async () => (await client.getGraph(`${CRAFTS}none`).next()).done === true)
  return { child, client }
}

async function until(isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  for (const end = Date.now() + withinMs; ; await sleep(50)) {
    const last = await isSo().catch((error: unknown) => error)
    if (last === true) return
    if (Date.now() > end) throw new Error('not in time', { cause: last })
  }
}

const addition = (at: number) =>
  `INSERT DATA { GRAPH <${CRAFTS}> { <${CRAFTS}new/${at}> <http://www.w3.org/2004/02/skos/core#prefLabel> "Silberlöten ${at}"@de } }`

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const skip = LONG ? noFuseki : 'only with TEST_LONG=1'

;(skip === undefined ? describe : describe.skip)(
  `a primary with a log of patches${skip === undefined ? '' : `, skipped: ${skip}`}`,
  () => {
    let directory: string
    let primary: Fuseki
    const started: Fuseki[] = []
    const children: (ChildProcess | undefined)[] = []

    beforeAll(async () => {
      directory = await newDirectory()
      await mkdir(join(directory, 'primary/patches'), { recursive: true })
      primary = await startFuseki({
        directory: join(directory, 'primary'),
        config: join(FOLDER, 'primary.ttl'),
        env: WITH_TEXT_INDEX,
      })
      started.push(primary)
      const client = new SparqlClient({ endpoint: primary.endpoint, timeoutMs: 60_000 })
      await loadVocabulary(client, [`${DEMO}/crafts.ttl`], { ids: ['crafts'], check: false })
    }, START_MS)
    afterAll(async () => {
      await Promise.all(children.map(end))
      await Promise.all(started.map((fuseki) => fuseki.stop()))
      await rm(directory, { recursive: true, force: true })
    })

    const patches = async () =>
      (await readdir(join(primary.directory, 'patches'))).filter((name) => name.startsWith('patch.')).sort()

    const startReplica = async (name: string, env = {}) => {
      const replica = await startFuseki({
        directory: join(directory, name),
        config: join(FOLDER, 'replica.ttl'),
        env: { ...WITH_TEXT_INDEX, REPLICA: name, ...env },
      })
      started.push(replica)
      return replica
    }

    const withHaproxy = haproxy.path ? test : test.skip
    withHaproxy(`haproxy lets writes that come at once through one by one, each with a patch${noHaproxy}`, async () => {
      const before = (await patches()).length
      const { child, client } = await startHaproxy(directory, primary)
      children.push(child)
      await Promise.all(Array.from({ length: WRITES }, (_, at) => client.update(addition(at), CRAFTS)))
      const after = await patches()
      expect(after).toHaveLength(before + WRITES)
      for (const name of after) {
        const lines = (await readFile(join(primary.directory, 'patches', name), 'utf8')).trim().split('\n')
        expect([lines.filter((line) => line === 'TX .'), lines.at(-1)]).toEqual([
          ['TX .'],
          expect.stringMatching(/^T[CA] \.$/),
        ])
      }
      const refused = await fetch(client.endpoint.updateUrl.replace('/private/update', '/vocabularies/sparql'))
      expect(refused.status).toBe(403)
    })

    test(
      'its patches in order make a replica equal, text index included; twice is as good as once',
      async () => {
        const replica = await startReplica('by-hand')
        const service = replica.endpoint.updateUrl.replace('/private/update', '/replication')
        const names = await patches()
        for (const name of [...names, names.at(-1)!]) {
          const body = await readFile(join(primary.directory, 'patches', name), 'utf8')
          if (body.endsWith('TA .\n')) continue
          const headers = { 'content-type': 'application/rdf-patch' }
          expect([name, (await fetch(service, { method: 'POST', headers, body })).status]).toEqual([name, 200])
        }
        const wanted = await graph(primary, CRAFTS)
        expect(wanted.length).toBeGreaterThan(100)
        expect(await graph(replica, CRAFTS)).toEqual(wanted)
        for (const text of ['buchbinderei', 'silberlöten'])
          expect(await countOf(replica, text)).toBe(await countOf(primary, text))
        expect(await countOf(replica, 'buchbinderei')).toBeGreaterThan(0)
      },
      START_MS,
    )

    const withKafka = noKafka === '' ? test : test.skip
    withKafka(
      `Kafka brings them to a replica; one that was killed catches up, a new one replays${noKafka}`,
      async () => {
        const java = execFileSync('bash', [join(ROOT, 'fuseki/run'), 'java'], { encoding: 'utf8' }).trim()
        const [port, controller] = [await freePort(), await freePort()]
        const broker = `127.0.0.1:${port}`
        const settings = {
          'process.roles': 'broker,controller',
          'node.id': '1',
          'controller.quorum.voters': `1@127.0.0.1:${controller}`,
          listeners: `PLAINTEXT://${broker},CONTROLLER://127.0.0.1:${controller}`,
          'controller.listener.names': 'CONTROLLER',
          'log.dirs': join(directory, 'kafka'),
          'offsets.topic.replication.factor': '1',
          'message.max.bytes': String(100 << 20),
          'log.retention.ms': '-1',
          'num.partitions': '1',
        }
        const file = join(directory, 'server.properties')
        await writeFile(
          file,
          Object.entries(settings)
            .map((pair) => pair.join('='))
            .join('\n'),
        )
        const kafka = ['-Xmx512m', '-cp', join(jars!, '*')]
        const id = ['-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', file]
        execFileSync(java, [...kafka, 'kafka.tools.StorageTool', 'format', ...id], { stdio: 'ignore' })
        children.push(spawn(java, [...kafka, 'kafka.Kafka', file], { stdio: 'ignore' }))
        const shipper = [
          ...kafka,
          join(FOLDER, 'ShipPatches.java'),
          broker,
          'vocabularies',
          join(primary.directory, 'patches'),
        ]
        children.push(spawn(java, shipper, { stdio: 'ignore' }))
        const sent = async () => Number(await readFile(join(primary.directory, 'patches/sent'), 'utf8'))
        await until(async () => (await sent()) === (await patches()).length, 120_000)

        const modules = readdirSync(jars!).filter((name) => /^(jena-|kafka-clients)/.test(name))
        const env = { KAFKA: broker, FUSEKI_MODULES: modules.map((name) => join(jars!, name)).join(':') }
        const isEqual = async (replica: Fuseki) =>
          JSON.stringify(await graph(replica, CRAFTS)) === JSON.stringify(await graph(primary, CRAFTS))
        let replica = await startReplica('one', env)
        await until(() => isEqual(replica), 120_000)

        const { child, client } = await startHaproxy(directory, primary)
        children.push(child)
        process.kill(replica.pid, 'SIGKILL')
        await Promise.all(Array.from({ length: WRITES }, (_, at) => client.update(addition(1000 + at), CRAFTS)))
        for (const name of ['one', 'another']) {
          // The replicas start one at a time, because each is a Java process.
          replica = await startReplica(name, env)
          await until(() => isEqual(replica), 120_000)
          expect(await countOf(replica, 'silberlöten')).toBe(await countOf(primary, 'silberlöten'))
          if (name === 'one') await replica.stop()
        }
        const started = Date.now()
        await client.update(addition(2000), CRAFTS)
        await until(() => isEqual(replica), 120_000)
        console.log(`an update shows on a replica after ${Date.now() - started} ms`)
      },
      600_000,
    )
  },
)
