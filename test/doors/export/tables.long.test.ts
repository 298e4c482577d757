/** A vocabulary that is too large to be in memory as a whole, as tables. */
import { expect, test } from '@jest/globals'
import { readXlsx } from 'hucre/xlsx'
import { parse } from 'csv-parse/sync'
import { foretellLoad, loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { runOver } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/large/'
const NOTE = 'text '.repeat(6000)
/** 25 MB. */
const CONCEPTS = Array.from({ length: 850 }, (_, at) => {
  const above = at === 0 ? '' : `; skos:broader :c${Math.floor(at / 10)}`
  return `:c${at} a skos:Concept ; skos:prefLabel "Concept ${at}"@en ; skos:note "${NOTE}${at}"@en ${above} .`
})
const LARGE = `@prefix : <${V}> . @prefix skos: <${SKOS}> .
: a skos:ConceptScheme ; skos:notation "large" ; skos:prefLabel "Large"@en .
:g a skos:Collection ; skos:prefLabel "Group"@en ; skos:member :c1 .
${CONCEPTS.join('\n')}`

describeOver(EMBEDDED, 'a large vocabulary', (store) => {
  const { write } = temporaryFolder()
  let app: RunningApp
  runOver(store, async (endpoint) => {
    app = await startApp(endpoint, { MAX_STALENESS_MS: '0' })
    await loadVocabulary(app.client, [await write('large.ttl', LARGE)], { check: false })
    return app
  })

  async function download(format: string): Promise<Buffer> {
    return Buffer.from(await (await fetch(`${app.url}/voc/large/export?format=${format}`)).arrayBuffer())
  }

  test('as CSV has URIs in cells, concepts first, and loads again without a change', async () => {
    const content = await download('csv')
    const [heading, ...rows]: string[][] = parse(content)
    expect(heading).toEqual(expect.not.arrayContaining(['topConceptOf', 'inScheme']))
    expect(rows.map((row) => row[heading!.indexOf('broader')])).toContain(`${V}c1`)
    const types = rows.map((row) => row[1])
    expect(types.slice(0, 850).every((type) => type === 'skos:Concept')).toBe(true)
    expect(types.slice(850, 852)).toEqual(['skos:Collection', 'skos:ConceptScheme'])
    const difference = await foretellLoad(app.client, [await write('large.csv', content)], { check: false })
    expect(difference).toMatchObject({ created: 0, changed: 0, gone: 0 })
  })

  test('as XLSX has three sheets, and loads again without a change', async () => {
    const content = await download('xlsx')
    const { sheets } = await readXlsx(content)
    expect(sheets.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['Concepts', 851],
      ['Vocabulary', 5],
      ['Collections', 2],
    ])
    const difference = await foretellLoad(app.client, [await write('large.xlsx', content)], { check: false })
    expect(difference).toMatchObject({ created: 0, changed: 0, gone: 0 })
  })
})
