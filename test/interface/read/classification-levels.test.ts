/** The levels of a classification (XKOS) in the record of the vocabulary, and through NDJSON. */
import { expect, test } from '@jest/globals'
import { SKOS, XKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { expectPage, HTML } from '../../doors/pages/html.ts'
import { runOver } from '../../run-over.ts'
import { describeStores } from '../../stores.ts'

const JOBS = 'http://example.org/jobs/'
const VOCABULARY = `@prefix skos: <${SKOS}> . @prefix xkos: <${XKOS}> . @prefix j: <${JOBS}> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  <${JOBS}> a skos:ConceptScheme ; skos:notation "jobs" ; xkos:numberOfLevels 2 ; xkos:levels ( j:sections j:divisions ) .
  j:divisions a xkos:ClassificationLevel ; skos:prefLabel "Divisions"@en ; xkos:depth "2"^^xsd:positiveInteger ; skos:member j:A1 .
  j:sections a xkos:ClassificationLevel ; skos:prefLabel "Sections"@en, "Abschnitte"@de ; skos:notation "S" ; xkos:depth "1"^^xsd:positiveInteger ; skos:member j:A .
  j:A a skos:Concept ; skos:inScheme <${JOBS}> ; skos:topConceptOf <${JOBS}> ; skos:narrower j:A1 .
  j:A1 a skos:Concept ; skos:inScheme <${JOBS}> ; skos:broader j:A .`
const LEVELS = [
  { uri: `${JOBS}sections`, prefLabel: { en: 'Sections', de: 'Abschnitte' }, notation: ['S'], depth: 1 },
  { uri: `${JOBS}divisions`, prefLabel: { en: 'Divisions' }, depth: 2 },
]

describeStores('levels of a classification', (store) => {
  let app: RunningApp
  runOver(store, async (endpoint) => {
    app = await startApp(endpoint)
    await app.put(JOBS, VOCABULARY)
    return app
  })

  test('are in the record from the top, with name and depth', async () => {
    const [record] = (await app.ask('/voc/jobs')).body
    expect(record.levels).toEqual(LEVELS)
    const german = (await app.ask('/voc/jobs', { properties: 'levels', languages: 'de' })).body[0]
    expect(german.levels[0].prefLabel).toMatchObject({ de: 'Abschnitte' })
  })

  test('name the levels of the tree', async () => {
    const { body } = await app.ask('/voc/jobs/tree', { at: `${JOBS}A1` })
    expect(body.levels.map(({ level }: { level?: object }) => level)).toEqual([...LEVELS, undefined])
    const page = await app.get('/voc/jobs/tree?lang=en', HTML)
    await expectPage(page)
    expect(page.text.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')).toMatch(/Levels: 1 S ?Sections.*2 Divisions/)
  })

  test('are a list in RDF', async () => {
    const { text } = await app.ask('/voc/jobs', { format: 'nt' })
    expect(text).toContain(
      `<${JOBS}divisions> <${XKOS}depth> "2"^^<http://www.w3.org/2001/XMLSchema#positiveInteger> .`,
    )
    expect(text).toMatch(/first> <http:\/\/example\.org\/jobs\/sections> \./)
  })

  test('are in the NDJSON of the vocabulary', async () => {
    const { text } = await app.ask('/voc/jobs/export', { format: 'ndjson' })
    const [scheme] = text.split('\n').filter((line) => line.includes('"levels"'))
    expect(JSON.parse(scheme!).levels).toEqual(LEVELS)
  })
})
