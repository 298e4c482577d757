import { afterAll, beforeAll, expect } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, startIngest, type IngestService } from '../ingest/service.ts'
import { testLong } from '../../long.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const SCHEME = 'http://example.org/many/'
const CONCEPTS = 15_000
const INGESTED = 1_000

describeOver(EMBEDDED, 'the history of a large vocabulary', (store) => {
  const folder = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  testLong(
    'has an ingest of 1,000 concepts, which stores find within their deadline, only with TEST_LONG=1',
    async () => {
      const concepts = Array.from(
        { length: CONCEPTS },
        (_, at) => `<${SCHEME}${at}> a skos:Concept ; skos:notation "${at}" ; skos:prefLabel "Concept ${at}"@en .`,
      )
      const file = await folder.write(
        'many.ttl',
        `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<${SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Many"@en .
${concepts.join('\n')}`,
      )
      await loadVocabulary(service.client, [file], { ids: ['many'], history: service.history, check: false })
      const account = await service.account({ voc: SCHEME })
      const inScheme = [{ uri: SCHEME }]
      const proposals = Array.from({ length: INGESTED }, (_, at) => concept({ inScheme, notation: [`new ${at}`] }))
      const { status, body } = await service.propose(account, proposals)
      expect(status).toBe(201)
      await service.history!.recordIngests()
      const changes = await service.ask('/voc/many/changes', { limit: '1' })
      expect(changes.headers.get('x-total-count')).toBe(String(CONCEPTS + INGESTED + 1))
      const [change] = await service.history!.log.changesOf(body[0].uri)
      expect(change).toBeDefined()
    },
    120_000,
  )
})
