/**
 * Loads of a vocabulary that keeps changing, and loads whose end cannot be recorded: the store and the log agree soon.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Connection } from '../../../src/base/durable/sqlite.ts'
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'
import { PATIENT, runToEnd, storeEnv } from '../../process.ts'
import { DEPLOYED, describeOver, testOf } from '../../stores.ts'
import { expectAgreement } from './agreement.ts'

const SCHEME = 'http://example.org/race/'
const CONCEPTS = 500

describeOver(DEPLOYED, 'while a vocabulary keeps changing', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount
  const failures: unknown[] = []

  const turtle = (version: string) => {
    const concepts = Array.from(
      { length: CONCEPTS },
      (_, at) => `<${SCHEME}${at}> a skos:Concept ; skos:inScheme <${SCHEME}> ; skos:prefLabel "${at} ${version}"@de .`,
    )
    return `@prefix skos: <${SKOS}> . <${SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Race"@en .\n${concepts.join('\n')}`
  }
  const file = (version: string) => write(`${version}.ttl`, turtle(version))
  const options = { ids: ['race'], check: false } as const
  /** The log as a command has it, beside that of the service. */
  const openHistory = () => History.open(service.dataDir, service.client, (error) => failures.push(error))
  const propose = (label: string) =>
    service.propose(account, [concept({ inScheme: [{ uri: SCHEME }], prefLabel: { de: label } })])

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await loadVocabulary(service.client, [await file('first')], { ...options, history: service.history })
    service.state.changed()
    account = await service.account({ voc: SCHEME })
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  testOf(store)(
    'two loads at once end well, and the log has what the store has',
    async () => {
      const files = await Promise.all(['second', 'third'].map(file))
      let isOver = false
      let ingested = 0
      const ingest = async () => {
        while (!isOver) {
          const { status } = await propose(`new ${ingested++}`)
          expect([201, 503]).toContain(status)
          await service.history!.recordIngests()
        }
      }
      const ingesting = [ingest(), ingest(), ingest()]
      const env = { ...storeEnv(running.endpoint), DATA_DIR: service.dataDir, ...PATIENT }
      const load = (file: string) => runToEnd('dist/cli/main.js', ['load', file, '--id', 'race'], env)
      const loads = await Promise.all(files.map(load))
      isOver = true
      await Promise.all(ingesting)
      expect(loads.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, ''],
        [0, ''],
      ])
      expect(ingested).toBeGreaterThan(3)
      await service.history!.recordIngests()
      await expectAgreement(service.client, service.dataDir, SCHEME)
    },
    300_000,
  )

  testOf(store)('a load that cannot be recorded any more ends well, and the next command records it', async () => {
    const lock = new Connection(join(service.dataDir, 'history', 'log.sqlite'), 0)
    const before = failures.length
    const history = await openHistory()
    const held: Pick<History, 'prepare' | 'hasLoad'> = {
      hasLoad: history.hasLoad.bind(history),
      prepare: async (replacements) => {
        const commit = await history.prepare(replacements)
        return async () => {
          await lock.exec('BEGIN EXCLUSIVE')
          await commit()
        }
      },
    }
    try {
      const { uri } = await loadVocabulary(service.client, [await file('fourth')], { ...options, history: held })
      expect(uri).toBe(SCHEME)
      expect(failures.length).toBe(before + 1)
    } finally {
      await lock.exec('ROLLBACK')
      await lock.close()
      await history.close()
    }
    await expectAgreement(service.client, service.dataDir, SCHEME)
    const [last] = await service.history!.log.changesOf(`${SCHEME}0`)
    expect(last!.cause).toEqual({ by: 'load', files: ['fourth.ttl'] })
  })

  test('a load that was killed while an ingest was recorded is completed at the next start', async () => {
    const history = await openHistory()
    const killed: Pick<History, 'prepare' | 'hasLoad'> = {
      hasLoad: history.hasLoad.bind(history),
      prepare: async ([replacement]) => {
        const draft = await history.draft(replacement!)
        expect((await propose('late')).status).toBe(201)
        await service.history!.recordIngests()
        const { cause } = replacement!
        return async () => {
          const options = { time: new Date().toISOString(), otherwise: cause }
          expect(await history.log.drafts.commit(draft, options)).toBe(false)
        }
      },
    }
    await loadVocabulary(service.client, [await file('fifth')], { ...options, history: killed })
    await history.close()
    await expectAgreement(service.client, service.dataDir, SCHEME)
    const [last] = await service.history!.log.changesOf(`${SCHEME}0`)
    expect(last!.cause).toEqual({ by: 'load', files: ['fifth.ttl'] })
  })
})
