/** Ingests and the search index, which a command may be writing. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { readRevisions } from '../../../src/graph/memory/store-state.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

const BRIDGES = 'http://example.org/bridges/'
const COMMAND = fileURLToPath(new URL('./index-command.ts', import.meta.url))

describeOver(EMBEDDED, 'an ingest', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount
  let names = 0

  beforeAll(async () => {
    running = await store.start()
    const client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    const text = `@prefix skos: <${SKOS}> . <${BRIDGES}> a skos:ConceptScheme .
      <${BRIDGES}1> a skos:Concept ; skos:prefLabel "Bridge"@en .`
    await loadVocabulary(client, [await write('bridges.ttl', text)], { ids: ['bridges'], check: false })
    service = await startIngest(running.endpoint)
    service.index.begin()
    account = await service.account({ voc: BRIDGES })
    await service.index.caughtUp()
  })
  afterAll(async () => {
    await service?.close()
    await running?.stop()
  })

  /** Proposes a concept. @returns its name. */
  const propose = async () => {
    const name = `Brücke${++names}`
    const { status } = await service.propose(account, [
      concept({ inScheme: [{ uri: BRIDGES }], prefLabel: { de: name } }),
    ])
    expect(status).toBe(201)
    return name
  }
  const isFound = async (name: string) =>
    ((await service.get(`/search?search=${encodeURIComponent(name)}&voc=bridges`)).body as unknown[]).length === 1
  /** Starts a command that works on the index. @returns it, once it has begun. */
  const command = async (work: string): Promise<ChildProcess> => {
    const child = spawn(process.execPath, ['--import', 'tsx', COMMAND, service.dataDir, work], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(createInterface(child.stdout), 'line')
    return child
  }

  test('does not wait for a command that holds the index; a search finds its concept soon after', async () => {
    const child = await command('hold')
    const ended = once(child, 'exit')
    const started = performance.now()
    const name = await propose()
    expect(child.exitCode).toBeNull()
    // Half a second for the index, and what the rest takes on a busy machine. The lock would be waited for for ten.
    expect(performance.now() - started).toBeLessThan(5000)
    expect(await isFound(name)).toBe(false)
    child.stdin!.end()
    expect(await ended).toEqual([0, null])
    while (!(await isFound(name))) await sleep(20)
  })

  test('is found while a command writes a large vocabulary into the index', async () => {
    const child = await command('12000')
    const ended = once(child, 'exit')
    let count = 0
    while (child.exitCode === null) {
      const name = await propose()
      while (!(await isFound(name))) await sleep(20)
      if (child.exitCode === null) count++
    }
    expect(await ended).toEqual([0, null])
    expect(count).toBeGreaterThanOrEqual(3)
  })

  /** True if the index answers for the revision that the store has. */
  const isCurrent = async () => {
    const stored = (await readRevisions(service.client)).find(({ graph }) => graph === BRIDGES)!
    return (await service.index.lengths({ uri: BRIDGES, revision: stored.revision })) !== undefined
  }

  test('is written into the index once', async () => {
    while (!(await isCurrent())) await service.index.caughtUp()
    const before = service.index.version
    const name = await propose()
    expect(await isFound(name)).toBe(true)
    expect(service.index.version).toBe(before + 1)
    // Nothing is read from the store for it.
    expect(await isCurrent()).toBe(true)
    await service.index.caughtUp()
    expect(service.index.lag.vocabularies).toBe(0)
    expect(service.index.version).toBe(before + 1)
  })

  test('of another installation is read from the store, also beside one of this', async () => {
    const other = await startIngest(running.endpoint)
    const foreign = async () => {
      const name = `Fremd${++names}`
      const prefLabel = { de: name }
      const answer = await other.propose(elsewhere, [concept({ inScheme: [{ uri: BRIDGES }], prefLabel })])
      expect(answer.status).toBe(201)
      return name
    }
    const elsewhere = await other.account({ voc: BRIDGES })
    for (const all of [[foreign], [foreign, propose], [propose, foreign], [propose, foreign, propose]]) {
      const proposed: string[] = []
      for (const proposeSomewhere of all) proposed.push(await proposeSomewhere())
      await service.index.caughtUp()
      expect(await Promise.all(proposed.map(isFound))).toEqual(all.map(() => true))
    }
    await other.close()
  })
})
