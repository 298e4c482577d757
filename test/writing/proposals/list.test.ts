import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService } from '../ingest/service.ts'

const BRIDGES = 'http://example.org/bridges/'

describeOver(EMBEDDED, 'GET /voc/{vocid}/proposals', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    const { client, history } = service
    const file = await write('bridges.ttl', `<${BRIDGES}> a <${SKOS}ConceptScheme> .`)
    await loadVocabulary(client, [file], { ids: ['bridges'], history, check: false })
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('lists open proposals of one day in the order in which they came', async () => {
    const account = await service.account({ voc: BRIDGES })
    const uris: string[] = []
    for (let at = 0; at < 4; at++) {
      const members = [`${at}, first`, `${at}, second`].map((de) =>
        concept({ prefLabel: { de }, inScheme: [{ uri: BRIDGES }] }),
      )
      const { body } = await service.propose(account, members)
      uris.push(...body.map(({ uri }: { uri: string }) => uri))
    }
    const { body } = await service.ask('/voc/bridges/proposals')
    expect(body.map(({ uri }: { uri: string }) => uri)).toEqual(uris)
  })
})
