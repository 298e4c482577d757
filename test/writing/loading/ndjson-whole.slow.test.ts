/** The NDJSON of a vocabulary is whole: loading it again changes nothing of what JSKOS can say. */
import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { DCT, SKOS, XSD } from '../../../src/base/namespaces.ts'
import { canonical } from '../source/canonical.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { dataFiles, NO_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'
import { removeAll } from './remove-all.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/classes/'
const CONCEPTS = 100
const GROUPS = 10
const TURTLE = [
  `@prefix skos: <${SKOS}> . @prefix : <${V}> .`,
  `<${V}> a skos:ConceptScheme ; skos:prefLabel "Classes"@en ; skos:notation "classes" ; skos:hasTopConcept :0 ;
    <http://purl.org/dc/terms/modified> "2026-02-03T04:05:06Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`,
  ...Array.from({ length: CONCEPTS }, (_, at) => {
    const broader = at === 0 ? '' : ` ; skos:broader :${Math.floor((at - 1) / 10)}`
    return `:${at} a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "Class ${at}"@en ; skos:notation "${at}"${broader} .`
  }),
  ...Array.from({ length: GROUPS }, (_, at) => {
    const members = Array.from({ length: 10 }, (__, member) => `:${at * 10 + member}`)
    return at % 2 === 0
      ? `:group${at} a skos:Collection ; skos:prefLabel "Group ${at}"@en ; skos:member ${members.join(', ')} .`
      : `:group${at} a skos:OrderedCollection ; skos:inScheme <${V}> ; skos:prefLabel "List ${at}"@en ; skos:member :1, :group0 ; skos:memberList ( ${members.join(' ')} ) .`
  }),
].join('\n')

/** A classification and a vocabulary with collections; with TEST_LONG=1 more, and a subject list. */
const REAL = [
  ...dataFiles('vocab', LONG ? /^(dfg-2024|nwbib|cgi-CommodityCode|cgi-simplelithology)\.ttl$/ : /^dfg-2024\.ttl$/),
  ...dataFiles('wild', /borehole-purpose\.ttl$/),
]

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'the NDJSON of a vocabulary', (store) => {
  let app: RunningApp
  shareApp(store, (shared) => (app = shared))

  test.each<[id: string, text: () => Promise<string>]>([
    ['classes', () => Promise.resolve(TURTLE)],
    ...(LONG ? [['crafts', () => readFile('src/doors/demo/crafts.ttl', 'utf8')] satisfies [string, unknown]] : []),
  ])('of %s has its collections; loading it again changes nothing', async (id, text) => {
    await loadVocabulary(app.client, [await write(`${id}.ttl`, await text())])
    app.state.changed()
    app.registry.invalidate()
    const graph = async () =>
      canonical((await app.ask(`/voc/${id}/export`, { format: 'ntriples' })).text.split('\n').filter(Boolean))
    const before = await graph()
    const ndjson = (await app.ask(`/voc/${id}/export`, { format: 'ndjson' })).text
    const report = await loadVocabulary(app.client, [await write(`${id}.ndjson`, ndjson)])
    expect(await graph()).toEqual(before)
    expect(report).toMatchObject({ created: 0, changed: 0, gone: 0, vanishing: [] })
    expect(Object.keys(report.changes).filter((change) => change.startsWith('JSKOS'))).toEqual([])
  })

  test('has the latest time of a day', async () => {
    const times = ['04:05:06Z', '16:25:55Z', '16:25:41Z'].map((time) => `"2026-02-03T${time}"^^<${XSD}dateTime>`)
    const turtle = `<http://example.org/times/> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "times" ; <${DCT}modified> ${times.join(', ')} .`
    await loadVocabulary(app.client, [await write('times.ttl', turtle)])
    app.state.changed()
    app.registry.invalidate()
    const { text } = await app.ask('/voc/times/export', { format: 'ndjson' })
    expect(JSON.parse(text)).toMatchObject({ modified: '2026-02-03T16:25:55Z' })
  })

  test('lacks what another vocabulary says about the same resources', async () => {
    const load = async (id: string, more: string) => {
      const scheme = `<http://example.org/${id}/> a skos:ConceptScheme ; skos:notation "${id}" ; skos:prefLabel "${id}"@en .`
      const turtle = `@prefix skos: <${SKOS}> . @prefix : <${V}> . ${scheme}
        :shared a skos:Concept ; skos:inScheme <http://example.org/${id}/> . ${more}`
      return loadVocabulary(app.client, [await write(`${id}.ttl`, turtle)])
    }
    await load('first', ':shared skos:prefLabel "Wool"@en ; skos:broader :7 . :group a skos:Collection .')
    await load(
      'second',
      `:shared skos:prefLabel "Wolle"@de ; skos:notation "W" ; skos:scopeNote "Not felt."@en .
      <http://example.org/first/> skos:scopeNote "Foreign."@en .
      :group a skos:Collection ; skos:prefLabel "Gruppe"@de .`,
    )
    app.state.changed()
    app.registry.invalidate()
    const { text } = await app.ask('/voc/first/export', { format: 'ndjson' })
    expect(text.split('\n').filter(Boolean)).toHaveLength(3)
    expect(text).toContain('"prefLabel":{"en":"Wool"}')
    expect(text).not.toMatch(/Wolle|Not felt|second|"W"|Class 7|Foreign|Gruppe/)
    const [, ...resources] = text.split('\n').filter(Boolean)
    for (const line of resources) {
      const { uri } = JSON.parse(line) as { uri: string }
      const single = await app.ask('/voc/first/export', { format: 'ndjson', uri })
      expect(JSON.parse(single.text)).toEqual(JSON.parse(line))
    }
    const report = await loadVocabulary(app.client, [await write('first.ndjson', text)])
    expect(report).toMatchObject({ created: 0, changed: 0, gone: 0, vanishing: [] })
  })

  // They have statements that JSKOS has no field for, which the first load leaves out.
  const testOfData = NO_DATA ? test.skip : test
  testOfData.each(NO_DATA ? ['a vocabulary'] : REAL)(
    `of %s stays the same when it is loaded${NO_DATA}`,
    async (real) => {
      const { ids } = await loadVocabulary(app.client, [real])
      const exported = async () => {
        app.state.changed()
        app.registry.invalidate()
        return (await app.ask(`/voc/${ids[0]}/export`, { format: 'ndjson' })).text
      }
      const ndjson = await exported()
      const file = await write('real.ndjson', ndjson)
      const first = await loadVocabulary(app.client, [file])
      expect(first).toMatchObject({ created: 0, gone: 0, vanishing: [] })
      expect(await exported()).toBe(ndjson)
      const second = await loadVocabulary(app.client, [file])
      expect(second).toMatchObject({ created: 0, changed: 0, gone: 0, vanishing: [] })
      await removeAll(app.client)
    },
  )
})
