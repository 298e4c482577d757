/** Answers about deleted concepts and vocabularies. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { temporaryFolder } from '../../folder.ts'
import { startIngest, type IngestService } from '../../writing/ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const THINGS = 'http://vocabularies.test/things/'
const turtle = (concepts: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix : <${THINGS}> .
  <${THINGS}> a skos:ConceptScheme ; skos:prefLabel "Things"@en . :stone a skos:Concept ; skos:prefLabel "Stone"@en . ${concepts}`
const BRICK = ':brick a skos:Concept ; skos:prefLabel "Brick"@en , "Ziegel"@de'

describeOver(EMBEDDED, 'Deleted concepts and vocabularies', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  const load = async (concepts: string, id = 'things') => {
    const file = await write(`${id}.ttl`, turtle(concepts).replaceAll('things', id))
    await loadVocabulary(service.client, [file], { ids: [id], history: service.history, check: false })
    service.state.changed()
  }

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await load(`${BRICK} ; dct:isReplacedBy :stone , <http://example.org/tile> . :sand a skos:Concept .`)
    await load('')
    await load('', 'plants')
    await removeVocabulary(service.client, 'plants', service.history)
    service.state.changed()
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  const ask = (path: string, accept: string, language = 'en') =>
    service.get(path, { headers: { accept, 'accept-language': language }, redirect: 'manual' })
  const brick = encodeURIComponent(`${THINGS}brick`)

  test('/data stays empty', async () => {
    expect((await service.ask('/data', { uri: `${THINGS}brick` })).body).toEqual([])
  })

  test.each([
    [`/entity?uri=${brick}`, '*/*'],
    [`/entity?uri=${brick}`, 'text/turtle'],
    [`/entity?uri=${brick}&format=jsonld`, HTML.headers.accept],
    [`/entity?uri=${brick.replace('http', 'https')}`, '*/*'],
    ['/things/brick', 'application/json'],
  ])('%s says it to programs: %s', async (path, accept) => {
    const { status, body, headers } = await ask(path, accept)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect([status, body]).toEqual([
      410,
      {
        error: 'GoneError',
        status: 410,
        message: expect.stringMatching(/^uri: <.*brick> was deleted on \d{4}-\d\d-\d\d\.$/),
        uri: `${THINGS}brick`,
        date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        prefLabel: { de: 'Ziegel', en: 'Brick' },
        replacedBy: [{ uri: 'http://example.org/tile' }, { uri: `${THINGS}stone`, prefLabel: { en: 'Stone' } }],
      },
    ])
  })

  test.each([`/concept?uri=${brick}`, `/data?uri=${brick}`, `/entity?uri=${brick}`, '/things/brick'])(
    '%s says it to readers',
    async (path) => {
      const page = await ask(path, HTML.headers.accept, 'de')
      await expectPage(page, 410)
      expect(page.text).toMatch(/<h1>.*Ziegel.*<\/h1>/)
      expect(page.text).toMatch(/Dieser Eintrag wurde gelöscht am <time datetime="\d{4}-\d\d-\d\d">/)
      expect(page.text).toMatch(/href="[./]*concept\?uri=http:\/\/vocabularies.test\/things\/stone"/)
      expect(page.text).toContain('href="http://example.org/tile"')
      const english = await ask(path, HTML.headers.accept)
      expect(english.text).toContain('This entry was deleted on')
    },
  )

  test('a vocabulary, its concepts, and concepts without a replacement', async () => {
    for (const name of ['', 'stone']) {
      const { status, body } = await service.ask('/entity', { uri: `http://vocabularies.test/plants/${name}` })
      expect([status, body.replacedBy]).toEqual([410, []])
    }
    expect((await service.ask('/entity', { uri: `${THINGS}sand` })).status).toBe(410)
    expect((await ask('/plants/stone', '*/*')).status).toBe(410)
    expect((await ask('/plants/stone.ttl', '*/*')).status).toBe(410)
  })

  test('an unknown concept is not found, and a restored one is there', async () => {
    expect((await service.ask('/entity', { uri: `${THINGS}never` })).status).toBe(404)
    expect((await ask('/things/never', '*/*')).status).toBe(404)
    await load(`${BRICK} .`)
    expect((await ask(`/entity?uri=${brick}`, '*/*')).status).toBe(303)
    expect((await ask(`/concept?uri=${brick}`, HTML.headers.accept)).status).toBe(200)
  })
})
