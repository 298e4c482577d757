import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { startApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, startIngest, type IngestService } from '../ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BRIDGES = 'http://example.org/bridges/'
const turtle = (arch: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${BRIDGES}> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en .
  :beam a skos:Concept ; skos:prefLabel "Beam"@en . :arch a skos:Concept ; skos:prefLabel "Arch"@en ${arch} .`

describeOver(EMBEDDED, 'GET /history', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await load('')
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  const load = async (arch: string, options: { dropProposals?: boolean } = {}) => {
    const file = await write('bridges.ttl', turtle(arch))
    const { history } = service
    await loadVocabulary(service.client, [file], { ids: ['bridges'], history, check: false, ...options })
  }

  test('the versions of a concept, with the changes of labels, notes and relations', async () => {
    const before = await service.ask('/history', { uri: `${BRIDGES}arch` })
    expect(before.body).toEqual([
      {
        uri: `${BRIDGES}arch`,
        kind: 'Create',
        date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        voc: BRIDGES,
        by: 'load',
        files: ['bridges.ttl'],
        after: expect.stringMatching(/^[0-9a-f]{32}$/),
        removed: {},
        added: expect.objectContaining({
          prefLabel: { en: 'Arch' },
          inScheme: [expect.objectContaining({ uri: BRIDGES })],
        }),
      },
    ])
    await load('; skos:altLabel "Vault"@en ; skos:scopeNote "Curved."@en ; skos:broader :beam')
    const { body, headers } = await service.ask('/history', { uri: `${BRIDGES}arch` })
    expect(headers.get('x-total-count')).toBe('2')
    expect(body[0]).toMatchObject({ kind: 'Update', before: before.body[0].after })
    expect(body[0].added).toEqual({
      altLabel: { en: ['Vault'] },
      scopeNote: { en: ['Curved.'] },
      broader: [{ uri: `${BRIDGES}beam` }],
    })
    expect(Object.keys(body[0].removed)).toEqual(['topConceptOf'])
    expect(body[1]).toEqual(before.body[0])
    const page = await service.ask('/history', { uri: `${BRIDGES}arch`, limit: '1', offset: '1' })
    expect(page.body).toEqual([body[1]])
    const lines = await service.ask('/history', { uri: `${BRIDGES}arch`, format: 'ndjson' })
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(body)
  })

  test('an ingested concept has its first version at once', async () => {
    const account = await service.account({ voc: BRIDGES })
    const inScheme = [{ uri: BRIDGES }]
    const [{ uri }] = (await service.propose(account, [concept({ inScheme })])).body
    const { body } = await service.ask('/history', { uri })
    expect(body).toMatchObject([{ kind: 'Create', by: 'ingest', added: { prefLabel: { de: 'Silberlöten' } } }])
    expect(JSON.stringify(body)).not.toContain(account.username)
    expect((await service.ask('/history', { uri: BRIDGES })).body[0]).toMatchObject({
      kind: 'Update',
      by: 'ingest',
      removed: {},
    })
    await load('', { dropProposals: true })
    const gone = await service.ask('/history', { uri })
    expect(gone.body[0]).toMatchObject({ kind: 'Delete', by: 'load', removed: { prefLabel: { de: 'Silberlöten' } } })
    expect(gone.body[0].after).toBeUndefined()
  })

  test('URIs without a history, and malformed requests', async () => {
    expect((await service.ask('/history', { uri: 'http://example.org/none' })).body).toEqual([])
    expect((await service.ask('/history')).body).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^uri: /),
    })
    expect((await service.ask('/history', { uri: `${BRIDGES}a|${BRIDGES}b` })).status).toBe(400)
    expect((await service.ask('/history', { uri: BRIDGES, format: 'turtle' })).status).toBe(400)
    const app = await startApp(running.endpoint)
    try {
      expect(await app.ask('/history', { uri: BRIDGES })).toMatchObject({ status: 404 })
    } finally {
      await app.close()
    }
  })
})
