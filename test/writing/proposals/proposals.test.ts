import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { decideProposals, removeProposals } from '../../../src/writing/proposals/decide.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { replayed, stored } from '../history/agreement.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'

const BRIDGES = 'http://example.org/bridges/'

describeOver(EMBEDDED, 'proposals of a vocabulary whose publisher has no URI', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    const { client, history } = service
    const turtle = `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
      <${BRIDGES}> a skos:ConceptScheme ;
        dct:publisher [ skos:prefLabel "Board"@en ; dct:isPartOf [ skos:prefLabel "Ministry"@en ] ] .`
    const file = await write('bridges.ttl', turtle)
    await loadVocabulary(client, [file], { ids: ['bridges'], history, check: false })
  })
  beforeEach(async () => {
    account = await service.account({ voc: BRIDGES })
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('lists open ones of one day in the order in which they came', async () => {
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

  test('a vocabulary keeps its publisher when a proposal is refused or removed', async () => {
    const { client, history } = service
    const before = await stored(client, BRIDGES)
    const concepts = ['A', 'B', 'C'].map((de) => concept({ prefLabel: { de }, inScheme: [{ uri: BRIDGES }] }))
    const { body } = await service.propose(account, concepts)
    const [refused, ...removed] = body.map(({ uri }: { uri: string }) => uri)
    expect((await service.ask('/data', { uri: refused })).body).toMatchObject([
      { publisher: [{ prefLabel: { en: 'Board' } }] },
    ])
    await decideProposals({ client, history }, [refused], { decision: 'refused' })
    await removeProposals(client, removed, history)
    expect(await stored(client, BRIDGES)).toEqual(before)
    expect(await replayed(history!, BRIDGES)).toEqual(before)
  })
})
