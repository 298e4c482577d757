/** The figures of /metrics about vocabularies, the store and the history, of a real process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:net'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { listen, newDirectory, ROOT, startService, storeEnv, type ServiceProcess } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/v/'
const { write } = temporaryFolder()

async function figures({ url }: ServiceProcess): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`)
  expect(answer.status).toBe(200)
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}
const named = (name: string, id: string) => `vocabulary_${name}{vocabulary="${id}"}`

describeOver(EMBEDDED, '/metrics', (store) => {
  let running: Awaited<ReturnType<typeof store.start>> | undefined
  let env: NodeJS.ProcessEnv
  let service: ServiceProcess
  const isEmbedded = store.name === 'embedded'
  const vocab = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], env)
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as { triples: number; token: string }
  }
  const load = async (labels: string[]) => {
    const concepts = labels.map((label, at) => `<${V}${at}> a skos:Concept ; skos:prefLabel "${label}"@de .`)
    const text = `@prefix skos: <${SKOS}> .\n<${V}> a skos:ConceptScheme .\n${concepts.join('\n')}`
    return vocab('load', await write('v.ttl', text), '--id', 'v')
  }

  beforeAll(async () => {
    running = isEmbedded ? undefined : await store.start()
    env = {
      ...(running && storeEnv(running.endpoint)),
      DATA_DIR: await newDirectory(),
      DEMO: 'true',
      MAX_STALENESS_MS: '0',
    }
    service = await startService(env)
  })
  afterAll(async () => {
    await service?.stop()
    await running?.stop()
  })

  test('has the version of the software', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect((await figures(service)).get(`vocabulary_service_info{version="${version}"}`)).toBe(1)
  })

  test('has size and time of the last load of each vocabulary, which a command wrote meanwhile', async () => {
    const before = Date.now()
    const { triples } = await load(['Eins', 'Zwei'])
    const now = await figures(service)
    expect(now.get(named('concepts', 'v'))).toBe(2)
    expect(now.get(named('triples', 'v'))).toBe(triples)
    expect(now.get(named('last_load_timestamp_seconds', 'v'))).toBeGreaterThanOrEqual(before / 1000)
    expect(now.get(named('last_load_timestamp_seconds', 'v'))).toBeLessThanOrEqual(Date.now() / 1000)
    expect(now.get(named('last_load_timestamp_seconds', 'crafts'))).toBeLessThan(before / 1000)
    // Subsets are no vocabularies.
    expect([...now.keys()].filter((name) => name.includes('subset_'))).toEqual([])

    const again = await load(['Eins', 'Zwei', 'Drei'])
    const later = await figures(service)
    expect([later.get(named('concepts', 'v')), later.get(named('triples', 'v'))]).toEqual([3, again.triples])
    const time = named('last_load_timestamp_seconds', 'v')
    expect(later.get(time)).toBeGreaterThan(now.get(time)!)
  })

  test('counts ingested concepts, and an ingest is no load', async () => {
    const before = await figures(service)
    const { token } = await vocab('account', 'add', '--username', 'editor', '--voc', 'v')
    const data = JSON.stringify([{ inScheme: [{ uri: V }], prefLabel: { de: 'Vier' } }])
    const body = JSON.stringify([{ username: 'editor', token, data }])
    expect((await fetch(`${service.url}/ingest`, { method: 'POST', body })).status).toBe(201)
    // The index follows an ingest within a second.
    let after = await figures(service)
    for (; after.get(named('concepts', 'v')) === undefined; after = await figures(service)) await sleep(50)
    expect(after.get(named('concepts', 'v'))).toBe(before.get(named('concepts', 'v'))! + 1)
    for (const name of ['triples', 'last_load_timestamp_seconds']) {
      expect(after.get(named(name, 'v'))).toBe(before.get(named(name, 'v')))
    }
  })

  test('has the size of the history, and of the embedded store', async () => {
    const before = await figures(service)
    await load(Array.from({ length: 2000 }, (_, at) => `Begriff ${at}`))
    const after = await figures(service)
    expect(after.get('history_bytes')).toBeGreaterThan(before.get('history_bytes')!)
    if (isEmbedded) expect(after.get('store_bytes')).toBeGreaterThan(before.get('store_bytes')!)
    else expect(after.has('store_bytes')).toBe(false)
  })

  test('asks the store one small query', async () => {
    const requests = (of: Map<string, number>) =>
      [...of].filter(([name]) => name.startsWith('store_request_duration_seconds_count'))
    // Classes are read in the background, a while after a change.
    const isBackground = (name: string) => name.includes('template="types"')
    const times: number[] = []
    let before = new Map(requests(await figures(service)))
    for (let i = 0; i < 5; i++) {
      const after = requests(await figures(service))
      const asked = after.filter(([name, count]) => count !== before.get(name) && !isBackground(name))
      // The first request counts after its own figures.
      expect(asked.map(([name]) => name)).toEqual(['store_request_duration_seconds_count{template="voc",outcome="ok"}'])
      times.push(asked[0]![1] - (before.get(asked[0]![0]) ?? 0))
      before = new Map(after)
    }
    // The background asks the same now and then.
    expect(Math.min(...times)).toBe(1)
  })

  test('has the same after a restart', async () => {
    const ofVocabularies = async () => [...(await figures(service))].filter(([name]) => name.startsWith('vocabulary_'))
    const before = await ofVocabularies()
    expect(before.length).toBeGreaterThan(9)
    expect(await service.stop()).toBe(0)
    service = await startService(env)
    expect(await ofVocabularies()).toEqual(before)
  })
})

test('/metrics of a service whose store does not answer has the other figures, soon', async () => {
  const silent = createServer()
  const url = `${await listen(silent)}/`
  const service = await startService({
    ...storeEnv({ queryUrl: url, updateUrl: url, graphStoreUrl: url }),
    DEMO: 'false',
    HISTORY: 'off',
  })
  try {
    const now = await figures(service)
    expect([...now.keys()].filter((name) => name.startsWith('vocabulary_'))).toEqual([
      expect.stringContaining('vocabulary_service_info'),
    ])
    expect(now.get('ingest_outbox_mails')).toBe(0)
    for (const name of ['history_bytes', 'store_bytes']) expect(now.has(name)).toBe(false)
  } finally {
    await service.stop('SIGKILL')
    silent.close()
  }
})
