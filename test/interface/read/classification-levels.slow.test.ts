/** The levels of a classification (XKOS) in the record of the vocabulary, and through NDJSON. */
import { expect, test } from '@jest/globals'
import { SKOS, XKOS } from '../../../src/base/namespaces.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { expectPage, HTML } from '../../doors/pages/html.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
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

/** The same without a list, and with more about it than its name. */
const CRAFTS = 'http://example.org/trades/'
const UNLISTED = VOCABULARY.replaceAll(JOBS, CRAFTS)
  .replace('( j:sections j:divisions )', 'j:divisions, j:sections')
  .replace('notation "jobs"', 'notation "trades"')
const renamed = (levels: object) => JSON.parse(JSON.stringify(levels).replaceAll(JOBS, CRAFTS)) as object

describeOver(EMBEDDED, 'levels of a classification', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await app.put(JOBS, VOCABULARY)
    await app.put(CRAFTS, UNLISTED)
  })

  test('are in the record from the top, with name and depth', async () => {
    const [record] = (await app.ask('/voc/jobs')).body
    expect(record.levels).toEqual(LEVELS)
    const german = (await app.ask('/voc/jobs', { properties: 'levels', languages: 'de' })).body[0]
    expect(german.levels[0].prefLabel).toMatchObject({ de: 'Abschnitte' })
  })

  test.each(['levels', '*'])('need no list (properties=%s)', async (properties) => {
    for (const [id, levels] of [
      ['jobs', LEVELS],
      ['trades', renamed(LEVELS)],
    ]) {
      expect((await app.ask(`/voc/${id as string}`, { properties })).body[0].levels).toEqual(levels)
    }
    const { body } = await app.ask('/voc/trades/tree', { at: `${CRAFTS}A1` })
    expect(body.levels[1].level).toMatchObject({ depth: 2 })
    const { text } = await app.ask('/voc/trades/export', { format: 'ndjson' })
    expect(JSON.parse(text.slice(0, text.indexOf('\n'))).levels).toEqual(renamed(LEVELS))
  })

  test('keep their depths through NDJSON', async () => {
    const { text } = await app.ask('/voc/trades/export', { format: 'ndjson' })
    const prepared = await prepareVocabulary([await write('trades.ndjson', text)])
    const triples = prepared.normalised.graphs.read(0)
    prepared.close()
    expect(triples).toContain(`<${CRAFTS}divisions> <${XKOS}depth> "2"`)
    expect(prepared.normalised.concepts).toBe(2)
  })

  test('are collections of their concepts', async () => {
    const [level] = (await app.ask('/data', { uri: `${JOBS}sections`, properties: '*' })).body
    expect(level).toMatchObject({ depth: 1, memberSet: [{ uri: `${JOBS}A` }], inScheme: [{ uri: JOBS }] })
    const page = await app.get(`/data?uri=${encodeURIComponent(`${JOBS}divisions`)}&lang=en`, HTML)
    expect(page.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toMatch(/More statements .*[Dd]epth 2 /)
    const groups = (await app.ask('/voc/jobs/groups')).body as { uri: string }[]
    expect(groups.map(({ uri }) => uri).sort()).toEqual(LEVELS.map(({ uri }) => uri).sort())
    expect(
      (await app.ask('/search', { query: 'Abschnitte', voc: 'jobs', type: `${XKOS}ClassificationLevel` })).body,
    ).toMatchObject([{ uri: `${JOBS}sections` }])
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
