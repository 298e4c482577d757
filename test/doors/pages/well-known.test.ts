/** The names of licences, publishers and vocabularies that are elsewhere, on pages. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { licenseName } from '../../../src/doors/pages/label.tsx'
import { schemeName } from '../../../src/doors/pages/mapped-elsewhere.ts'
import { expectPage, HTML } from './html.ts'

const HERBS = 'http://example.org/herbs/'

test.each([
  ['http://creativecommons.org/publicdomain/zero/1.0/', 'CC0 1.0'],
  ['https://creativecommons.org/licenses/by/4.0/deed.de', 'CC BY 4.0'],
  ['https://creativecommons.org/licenses/by-sa/3.0/legalcode', 'CC BY-SA 3.0'],
  ['http://www.opendatacommons.org/licenses/odbl/1.0/', 'ODbL 1.0'],
  ['https://opendatacommons.org/licenses/odbl/', 'ODbL 1.0'],
  ['http://example.org/licenses/by/4.0/', undefined],
  ['constructor', undefined],
])('the licence %s is %s', (uri, name) => {
  expect(licenseName(uri)).toBe(name)
})

test.each([
  ['http://bartoc.org/en/node/1940', 'Wikidata'],
  ['http://www.wikidata.org/entity/', 'Wikidata'],
  ['https://zbw.eu/stw', 'STW Thesaurus for Economics'],
  ['http://id.loc.gov/authorities', undefined],
  ['http://example.org/elsewhere', undefined],
])('the vocabulary %s is %s', (uri, name) => {
  expect(schemeName(uri, '/nowhere')).toBe(name)
})

describeOver(EMBEDDED, 'Names of what is elsewhere', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await app.put(
      HERBS,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
      <${HERBS}> a skos:ConceptScheme ; skos:notation "herbs" ; skos:prefLabel "Herbs"@en ;
        dct:publisher <http://example.org/org/d-123> ; dct:creator <http://example.org/org/botanists> ;
        dct:license <https://creativecommons.org/licenses/by/4.0/> .
      <http://example.org/org/botanists> skos:prefLabel "The Botanists"@en .
      <${HERBS}sage> a skos:Concept ; skos:inScheme <${HERBS}> ; skos:topConceptOf <${HERBS}> ; skos:prefLabel "Sage"@en ;
        skos:exactMatch <http://www.wikidata.org/entity/Q1111359> .`,
    )
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })

  test('licences and mapped vocabularies have their names, and no citation has the end of a URI', async () => {
    const answer = await app.get('/voc/herbs?lang=en', HTML)
    await expectPage(answer)
    expect(answer.text).toContain('<a href="https://creativecommons.org/licenses/by/4.0/" rel="external">CC BY 4.0</a>')
    const cited = /<p class="citation">(.*?)<\/p>/s.exec(answer.text)![1]!.replace(/<[^>]*>/g, '')
    expect(cited).toBe(`Herbs. The Botanists. ${HERBS}`)
    const statistics = await app.get('/voc/herbs/statistics?lang=en', HTML)
    expect(statistics.text).toMatch(/<span title="[^"]*" lang>Wikidata<\/span>/)
  })
})
