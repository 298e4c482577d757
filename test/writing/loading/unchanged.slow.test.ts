/** The same load again has nothing to do, unless something that it depends on has changed. */
import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { LoadReport } from '../../../src/writing/loading/report.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { outputOf } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import { concept, startIngest, type IngestService } from '../ingest/service.ts'
import { newDirectory, storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const PIERS = 'http://example.org/piers/'
const TURTLE = `@prefix skos: <${SKOS}> . @prefix : <${PIERS}> .
  <${PIERS}> a skos:ConceptScheme ; skos:prefLabel "Piers"@en .
  :a a skos:Concept ; skos:prefLabel "A"@en . :b a skos:Concept ; skos:broader :a .`

describeOver(EMBEDDED, 'the same load again', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let file: string

  beforeAll(async () => {
    running = await store.start()
  }, 60_000)
  afterAll(() => running.stop())
  beforeEach(async () => {
    service = await startIngest(running.endpoint)
    file = await write('piers.ttl', TURTLE)
    expect(await load()).toMatchObject({ replaced: false, concepts: 2 })
  })
  afterEach(async () => {
    await service.history!.recordIngests()
    await expectAgreement(service.client, service.dataDir, PIERS)
    await vocab('remove', 'piers')
    await service.close()
  })

  async function vocab(...args: string[]): Promise<string> {
    const output = await outputOf(args, { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint) })
    service.state.changed()
    service.registry.invalidate()
    return output
  }
  const load = async (...options: string[]) => JSON.parse(await vocab('load', file, '--json', ...options)) as LoadReport
  const revision = async () =>
    (await service.client.select(`SELECT ?r { <${PIERS}> <urn:x-vocabulary-service:revision> ?r }`))[0]!['r']!.value

  test('says so, and leaves the graph, the revision and the history as they are', async () => {
    const before = await revision()
    const report = await load()
    expect(report).toMatchObject({
      isUnchanged: true,
      uri: PIERS,
      ids: ['piers'],
      replaced: true,
      concepts: 2,
      changed: 0,
    })
    expect(await revision()).toBe(before)
    expect(await vocab('load', file)).toMatch(
      /^nothing to do: http:\/\/example\.org\/piers\/ as piers is as these files left it: 2 concepts, \d+ triples, \d+\.\d s\n$/,
    )
  })

  test('does everything if files or options differ, and then again nothing', async () => {
    await write('piers.ttl', `${TURTLE} :c a skos:Concept .`)
    expect(await load()).toMatchObject({ created: 1, concepts: 3 })
    expect(await load()).toMatchObject({ isUnchanged: true, concepts: 3 })
    expect((await load('--strict')).isUnchanged).toBeUndefined()
    expect(await load('--strict')).toMatchObject({ isUnchanged: true })
    expect((await load()).isUnchanged).toBeUndefined()
  })

  test('does everything after an ingest, and keeps the proposal when it then does nothing', async () => {
    const account = await service.account({ voc: PIERS })
    const { status } = await service.propose(account, [concept({ inScheme: [{ uri: PIERS }] })])
    expect(status).toBe(201)
    const report = await load()
    expect([report.isUnchanged, report.proposals.kept]).toEqual([undefined, 1])
    expect(await load()).toMatchObject({ isUnchanged: true, concepts: 3, proposals: { kept: 1 } })
    expect(await vocab('load', file)).toMatch(/^kept: 1 proposal$/m)
    const [{ uri }] = JSON.parse(await vocab('proposals', 'piers', '--json')) as [{ uri: string }]
    await vocab('proposals', 'remove', uri)
    expect((await load()).isUnchanged).toBeUndefined()
    expect(await load()).toMatchObject({ isUnchanged: true, concepts: 2 })
  })

  test('does everything after another program has written, and after normalise', async () => {
    await service.client.update(`INSERT DATA { GRAPH <${PIERS}> { <${PIERS}a> <${SKOS}altLabel> "x"@en } }`, PIERS)
    expect((await load()).isUnchanged).toBeUndefined()
    expect(await load()).toMatchObject({ isUnchanged: true })
    await vocab('normalise', 'piers')
    expect((await load()).isUnchanged).toBeUndefined()
  })

  test('does everything with another history, which then knows the vocabulary', async () => {
    const DATA_DIR = await newDirectory()
    const elsewhere = async () =>
      JSON.parse(await outputOf(['load', file, '--json'], { DATA_DIR, ...storeEnv(running.endpoint) })) as LoadReport
    expect((await elsewhere()).isUnchanged).toBeUndefined()
    expect(await elsewhere()).toMatchObject({ isUnchanged: true })
    await rm(DATA_DIR, { recursive: true })
    // The first history has not seen that load.
    expect((await load()).isUnchanged).toBeUndefined()
  })
})
