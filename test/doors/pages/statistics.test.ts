/** The numbers of a vocabulary, as JSON and as a page. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { queryTemplate } from '../../../src/graph/sparql/templates.ts'
import { iri } from '../../../src/graph/sparql/terms.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { startStoreProxy } from '../../writing/ingest/store-proxy.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const SHIPS = 'http://example.org/ships/'
const PORTS = 'http://example.org/ports/'
const FEW = 'http://example.org/vocabulary/ships/subset/few'
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix xl: <http://www.w3.org/2008/05/skos-xl#> .`
const TURTLE = `${PREFIXES} @prefix : <${SHIPS}> .
  <${SHIPS}> a skos:ConceptScheme ; skos:prefLabel "Ships"@en .
  :Kind rdfs:label "Kind of ship"@en .
  :boat a skos:Concept , :Kind ; skos:prefLabel "Boat"@en , "Boot"@de ; skos:altLabel "Vessel"@en , "Craft"@en .
  :yawl a skos:Concept , :Kind ; skos:prefLabel "Yawl"@en ; skos:hiddenLabel "Yal" ; skos:broader :boat ;
    skos:exactMatch <${PORTS}haven> ; skos:closeMatch <${PORTS}quay> , <${PORTS}haven> .
  :hoy a skos:Concept , :Kind ; skos:prefLabel "Hoy"@en ; skos:broader :boat ; owl:deprecated true ;
    skos:exactMatch <http://elsewhere.example/hoy> .
  :egg a skos:Concept ; skos:prefLabel "Egg"@en ; skos:broader :hen .
  :hen a skos:Concept ; skos:prefLabel "Hen"@en ; skos:broader :egg .
  :small a skos:Collection ; skos:prefLabel "Small"@en ; skos:member :yawl .
  :boat xl:prefLabel :name . :name a xl:Label ; xl:literalForm "Boat"@en ; skos:inScheme <${SHIPS}> ;
    skos:prefLabel "Name of the boat"@en .
  [] a skos:Concept ; skos:altLabel "Without a URI"@en .
  <http://example.org/crews> a skos:ConceptScheme .
  :mate a skos:Concept ; skos:inScheme <http://example.org/crews> ; skos:altLabel "In another scheme"@en .`
const OTHER = `${PREFIXES} @prefix : <${PORTS}> .
  <${PORTS}> a skos:ConceptScheme ; skos:prefLabel "Ports"@en .
  :haven a skos:Concept ; skos:prefLabel "Haven"@en . :quay a skos:Concept ; skos:prefLabel "Quay"@en .
  <${SHIPS}boat> a skos:Concept ; skos:inScheme <${SHIPS}> .`

describeOver(EMBEDDED, 'GET /voc/{vocid}/statistics', (store) => {
  const { write } = temporaryFolder()
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('ports.ttl', OTHER)], { ids: ['ports'] })
    await loadVocabulary(app.client, [await write('ships.ttl', TURTLE)], { ids: ['ships'], scheme: SHIPS })
    await app.put(
      FEW,
      `${PREFIXES} <${FEW}> a skos:Collection , skos:ConceptScheme ;
        skos:notation "subset_ships-few" ; skos:prefLabel "Few"@en ;
        <http://purl.org/dc/terms/isPartOf> <${SHIPS}> ; skos:member <${SHIPS}yawl> .`,
    )
    await app.index.refresh([PORTS, SHIPS, FEW])
    await app.index.caughtUp()
  })

  test('counts what a vocabulary has', async () => {
    const { status, body, headers } = await app.get('/voc/ships/statistics')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({
      uri: SHIPS,
      concepts: 5,
      deprecated: 1,
      topConcepts: 1,
      unreached: 2,
      collections: 1,
      levels: [1, 2],
      classes: [{ uri: `${SHIPS}Kind`, prefLabel: { en: 'Kind of ship' }, concepts: 3, deprecated: 1 }],
      labels: [
        { language: 'en', prefLabel: 5, altLabel: 2, hiddenLabel: 0 },
        { language: 'de', prefLabel: 1, altLabel: 0, hiddenLabel: 0 },
        { language: 'und', prefLabel: 0, altLabel: 0, hiddenLabel: 1 },
      ],
      mappings: [
        { type: `${SKOS}exactMatch`, toScheme: { uri: PORTS, notation: ['ports'] }, count: 1 },
        { type: `${SKOS}exactMatch`, count: 1 },
        { type: `${SKOS}closeMatch`, toScheme: { uri: PORTS, notation: ['ports'] }, count: 2 },
      ],
    })
  })

  test('counts concepts alone, and the same number on all pages', async () => {
    for (const path of ['/voc/ships', '/voc/ships/statistics', '/']) {
      const { text } = await app.ask(path, { lang: 'en' }, HTML)
      expect(text).toContain('5 concepts')
    }
    const query = queryTemplate('statistics/languages').bind({ terms: { of: [iri(SHIPS)] } })
    const rows = await app.client.select(query)
    const counts = Object.fromEntries(rows.map(({ language, count }) => [language?.value, Number(count?.value)]))
    expect(counts).toEqual({ en: 5, de: 1 })
    // What `vocab list` shows.
    const terms = { vocabulary: [iri(SHIPS)], subset: [] }
    const list = await app.client.select(queryTemplate('vocab/counts').bind({ terms }))
    expect(list.map(({ count }) => count?.value)).toEqual(['5'])
  })

  test('counts what a subset has', async () => {
    const { status, body } = await app.get('/voc/subset_ships-few/statistics')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      concepts: 1,
      deprecated: 0,
      collections: 1,
      labels: [
        { language: 'en', prefLabel: 1, altLabel: 0, hiddenLabel: 0 },
        { language: 'und', prefLabel: 0, altLabel: 0, hiddenLabel: 1 },
      ],
      mappings: [
        { type: `${SKOS}exactMatch`, count: 1 },
        { type: `${SKOS}closeMatch`, count: 2 },
      ],
    })
    expect(Object.keys(body)).not.toContain('levels')
    expect(Object.keys(body)).not.toContain('unreached')
  })

  test('has no numbers of an unknown vocabulary', async () => {
    expect(await app.get('/voc/none/statistics')).toMatchObject({ status: 404 })
    await expectPage(await app.get('/voc/none/statistics', HTML), 404)
  })

  test('says so while counting takes long, and is made anew after that', async () => {
    const proxy = await startStoreProxy(app.client.endpoint)
    // The page waits for the index as long as for the store.
    const slow = await startApp(proxy.endpoint, { SPARQL_TIMEOUT_MS: '5000' })
    try {
      // What the index reads.
      proxy.queryWith = 'BIND(skos:hiddenLabel AS ?p)'
      proxy.query = 'held'
      slow.index.begin()
      const page = () => slow.get('/voc/ships?lang=en', HTML)
      // A store of a busy machine may need longer than the page waits.
      const pageWith = async (text: string) => {
        let answer = await page()
        for (; !answer.text.includes(text); answer = await page()) await sleep(100)
        return answer
      }
      const counting = await pageWith('still counting')
      expect(counting.headers.get('cache-control')).toBe('no-store')
      proxy.query = 'none'
      proxy.release()
      const answer = await pageWith('Concepts with a label')
      expect(answer.headers.get('cache-control')).not.toBe('no-store')
    } finally {
      await slow.close()
      await proxy.close()
    }
  })

  test('is a page in browsers', async () => {
    const answer = await app.get('/voc/ships/statistics?lang=en', HTML)
    await expectPage(answer)
    const lines = answer.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    for (const part of [
      '5 concepts',
      'Top concepts 1',
      'Groups 1',
      'Out of use 1',
      'Without a place in the hierarchy 2',
      'Kind of ship 3',
      'Level 1 1 Level 2 2',
      'English 5 2 0',
      'Undetermined 0 0 1',
      'Ports The same as 1 Ports Close to 2 Unknown vocabularies The same as 1',
    ]) {
      expect(lines).toContain(part)
    }
    expect(answer.text).toContain('href="../../voc/ships/tree?lang=en#unreached"')
    const german = await app.get('/voc/ships/statistics?lang=de', HTML)
    await expectPage(german)
    expect(german.text).toContain('Begriffe nach Art')
    const overview = (await app.get('/voc/ships?lang=en', HTML)).text
    expect(overview).toContain('href="../voc/ships/statistics?lang=en"')
    expect(overview.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain('The same as 2 Close to 2')
    // Groups are no concepts.
    expect(overview.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toContain('Concepts with a label English 5 German 1')
  })
})
