/**
 * An ingest that is killed after any of its durable steps leaves what ARCHITECTURE.md, "The steps of an ingest", says.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { SKOS } from '../../../src/base/namespaces.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { versionsOf } from '../../../src/writing/history/versions.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectAgreement } from '../history/agreement.ts'
import { concept, startIngest, type IngestService } from './service.ts'

const KNOTS = 'http://example.org/knots/'
const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))

describeOver(EMBEDDED, 'an ingest that is killed', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let dataDir: string

  beforeAll(async () => {
    running = await store.start()
  }, 60_000)
  afterAll(() => running.stop())
  beforeEach(async () => {
    dataDir = await newDirectory()
    service = await startIngest(running.endpoint, {}, { dataDir })
    const file = await write(
      'knots.ttl',
      `@prefix skos: <${SKOS}> . <${KNOTS}> a skos:ConceptScheme ; skos:notation "knots" ; skos:prefLabel "Knots"@en .
      <${KNOTS}reef> a skos:Concept ; skos:inScheme <${KNOTS}> ; skos:topConceptOf <${KNOTS}> ; skos:prefLabel "Reef"@en .`,
    )
    await loadVocabulary(service.client, [file], { history: service.history })
  })
  afterEach(async () => {
    await removeVocabulary(service.client, KNOTS)
    await service.close()
    await rm(dataDir, { recursive: true })
  })

  const proposals = async () => {
    const rows = await service.client.select(
      `SELECT ?c WHERE { GRAPH <${KNOTS}> { ?c <${SKOS}prefLabel> "Palstek"@de } }`,
    )
    return rows.map(({ c }) => c!.value)
  }

  test.each([
    ['intent', undefined, 0],
    ['store', undefined, 1],
    ['claim', 'a-key', 0],
    ['index', 'a-key', 1],
    ['finish', 'a-key', 1],
  ])('after the step "%s", with the key %s', async (step, key, stored) => {
    const emails = key === undefined ? [] : ['editor@example.org']
    const account = await service.account({ voc: KNOTS, emails })
    const concepts = [concept({ inScheme: [{ uri: KNOTS }], prefLabel: { de: 'Palstek' } })]
    await service.close()
    const sent = [running.endpoint, dataDir, account, concepts].map((part) =>
      typeof part === 'string' ? part : JSON.stringify(part),
    )
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', VICTIM, step, ...sent, ...(key === undefined ? [] : [key])],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])

    service = await startIngest(running.endpoint, {}, { dataDir })
    const { ledger, outbox } = service.ingest
    // Nothing follows from an ingest without key and mail but the history.
    if (key === undefined) expect([...ledger.claimed()]).toEqual([])
    while ([...ledger.claimed()].length > 0) await sleep(50)
    expect(outbox.size).toBe(key === undefined ? 0 : stored)
    const uris = await proposals()
    expect(uris).toHaveLength(stored)
    await expectAgreement(service.client, dataDir, KNOTS)
    for (const uri of uris) {
      const { changes } = await versionsOf(service.history!, uri, { limit: 9, offset: 0 })
      expect(changes.map(({ kind, cause }) => [kind, cause])).toEqual([
        ['Create', { by: 'ingest', account: account.username }],
      ])
    }
    if (key === undefined) return
    const again = await service.propose(account, concepts, { 'idempotency-key': key })
    expect(again.status).toBe(201)
    const [{ uri }] = JSON.parse(again.text) as [{ uri: string }]
    expect(await proposals()).toEqual([uri])
    if (stored) expect(uris).toEqual([uri])
    expect(outbox.size).toBe(1)
    await expectAgreement(service.client, dataDir, KNOTS)
  })
})
