/** Vocabularies as tables and workbooks: their form, and loading them again, with changes and without. */
import { expect, test } from '@jest/globals'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import { parse } from 'csv-parse/sync'
import { stringify } from 'node:querystring'
import { foretellLoad, loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { csvLine } from '../../../src/graph/tables/table-writer.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { runOver } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/furniture/'
const PREFIXES = `@prefix : <${V}> . @prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix dct: <http://purl.org/dc/terms/> .`
const FURNITURE = `${PREFIXES}
: a skos:ConceptScheme ; skos:prefLabel "Furniture"@en .
:seating a skos:Concept ; skos:notation "1" ; skos:prefLabel "Seating"@en .
:tables a skos:Concept ; skos:notation "2" ; skos:prefLabel "Tables"@en .
:chair a skos:Concept ; skos:notation "10" ; skos:prefLabel "Chair"@en ; skos:broader :seating ; skos:related :desk .
:desk a skos:Concept ; skos:prefLabel "Desk"@en ; skos:broader :tables .
:stool a skos:Concept ; skos:prefLabel "Stool"@en ; skos:broader :seating .
:old a skos:Collection ; skos:prefLabel "Old"@en ; skos:member :chair , :stool .
`
/** What cells name badly, and what does not follow. */
const HARD = `${PREFIXES}
: a skos:ConceptScheme ; skos:prefLabel "Concepts"@en ; skos:definition "uri"@en , "Level 1"@de ; dct:subject "a"^^:type , "b|c" ;
  skos:note "${'x'.repeat(33_000)}"@en ; skos:topConcept :several ; dct:creator [ skos:prefLabel "Somebody"@en ] .
<http://example.org/other> a skos:ConceptScheme ; skos:prefLabel "Other"@en ; skos:hasTopConcept :shared .
:a1 a skos:Concept ; skos:notation "1" ; skos:prefLabel "Same"@en ; skos:narrower :below1 , :below2 .
:a2 a skos:Concept ; skos:notation "1" ; skos:prefLabel "Same"@en , "Only"@de ; skos:narrower :below3 .
:a3 a skos:Concept ; skos:notation "1"^^:type ; skos:prefLabel "Same"@de ; skos:narrower :below4 .
:a4 a skos:Concept ; skos:prefLabel "Same"@fr , "with | bar"@en ; skos:narrower :below5 .
:a5 a skos:Concept ; skos:prefLabel "http://example.org/no-uri"@en ; skos:narrower :below6 .
:a6 a skos:Concept ; skos:prefLabel "same"@en ; skos:narrower :below7 .
:a7 a skos:Concept ; skos:prefLabel "skos:Concept"@en ; skos:narrower :below8 .
:a8 a skos:Concept ; skos:prefLabel "=1+1, or (2)"@en ; skos:narrower :below9 .
:a9 a skos:Concept , :Thing ; skos:prefLabel "two\\nlines"@en ; skos:narrower :below10 .
:grouped a skos:Concept , skos:Collection ; skos:prefLabel "Grouped"@en ; skos:narrower :below11 ; skos:member :a1 .
${Array.from({ length: 11 }, (_, at) => `:below${at + 1} a skos:Concept ; skos:prefLabel "Below ${at + 1}"@en .`).join('\n')}
:both a skos:Concept ; skos:prefLabel "Both"@en ; skos:topConceptOf : ; skos:broader :a2 .
:withdrawn a skos:Concept ; skos:prefLabel "Withdrawn"@en ; owl:deprecated true .
:kept a skos:Concept ; skos:prefLabel "Kept"@en ; owl:deprecated true ; skos:topConceptOf : .
:shared a skos:Concept ; skos:prefLabel "Shared"@en ; skos:inScheme : , <http://example.org/other> ; skos:broader :a1 .
:foreign a skos:Concept ; skos:prefLabel "Foreign"@en ; skos:inScheme <http://example.org/other> .
:odd a skos:Concept ; skos:prefLabel "Odd"@en ; skos:inScheme <x-odd:scheme> .
:under a skos:Concept ; skos:prefLabel "Under"@en ; skos:broader :foreign , <http://example.org/elsewhere> .
:self a skos:Concept ; skos:prefLabel "Self"@en ; skos:broader :self .
:loop1 a skos:Concept ; skos:prefLabel "Loop 1"@en ; skos:broader :loop2 .
:loop2 a skos:Concept ; skos:prefLabel "Loop 2"@en ; skos:broader :loop1 .
:list a skos:OrderedCollection ; skos:prefLabel "List"@en ; skos:memberList ( :a1 :a2 ) ; skos:member :a2 , :group .
:group a skos:Collection ; skos:prefLabel "Same"@en ; skos:member :nameless .
:nameless a skos:Concept ; skos:narrower :below1 .
`

type Rows = string[][]

describeOver(EMBEDDED, 'vocabularies as tables', (store) => {
  const { write } = temporaryFolder()
  let app: RunningApp
  runOver(store, async (endpoint) => (app = await startApp(endpoint, { MAX_STALENESS_MS: '0' })))

  const load = async (name: string, content: string | Buffer, options = {}) =>
    loadVocabulary(app.client, [await write(name, content)], { check: false, ...options })
  async function download(id: string, format: string): Promise<Buffer> {
    const answer = await fetch(`${app.url}/voc/${id}/export?${stringify({ format })}`)
    expect([id, format, answer.status]).toEqual([id, format, 200])
    return Buffer.from(await answer.arrayBuffer())
  }
  const csv = async (id: string): Promise<Rows> => parse(await download(id, 'csv'))
  async function sheets(id: string): Promise<Record<string, Rows>> {
    const { sheets: read } = await readXlsx(await download(id, 'xlsx'))
    return Object.fromEntries(
      read.map(({ name, rows }) => [name, rows.map((row) => row.map((cell) => String(cell ?? '')))]),
    )
  }
  const column = (rows: Rows, heading: string) => rows.slice(1).map((row) => row[rows[0]!.indexOf(heading)])
  const tops = async (id: string) =>
    (await app.get(`/voc/${id}/top`)).body.map(({ uri }: { uri: string }) => uri.replace(V, ''))
  /** The table with another value in the row of a concept. */
  function changed(rows: Rows, uri: string, heading: string, value: string): Rows {
    const [at, row] = [rows[0]!.indexOf(heading), rows.findIndex((cells) => cells[0] === uri)]
    return rows.map((cells, number) => (number === row ? cells.with(at, value) : cells))
  }

  test('CSV: concepts in the order of notations, named by notation or label, then collections and the vocabulary', async () => {
    await load('furniture.ttl', FURNITURE, { ids: ['furniture'] })
    expect(await csv('furniture')).toEqual([
      ['uri', 'type', 'notation', 'prefLabel@en', 'broader', 'related', 'member', 'languages'],
      [`${V}seating`, 'skos:Concept', '1', 'Seating', '', '', '', ''],
      [`${V}tables`, 'skos:Concept', '2', 'Tables', '', '', '', ''],
      [`${V}chair`, 'skos:Concept', '10', 'Chair', '1', 'Desk', '', ''],
      [`${V}desk`, 'skos:Concept', '', 'Desk', '2', '', '', ''],
      [`${V}stool`, 'skos:Concept', '', 'Stool', '1', '', '', ''],
      [`${V}old`, 'skos:Collection', '', 'Old', '', '', '10|Stool', ''],
      [V, 'skos:ConceptScheme', 'furniture', 'Furniture', '', '', '', 'en'],
    ])
  })

  test.each(['csv', 'xlsx'])('%s: rows are in the order that was chosen, or by labels for UUIDs', async (format) => {
    const uris = async (id: string) => column(format === 'csv' ? await csv(id) : (await sheets(id))['Concepts']!, 'uri')
    const concepts = (statements: string) =>
      `${PREFIXES} : a skos:ConceptScheme ; skos:prefLabel "Outline"@en . ${statements}`
    const outline = ['7.10', '7.9', '10'].map(
      (notation) => `:n${notation} a skos:Concept ; skos:notation "${notation}" .`,
    )
    await load('outline.ttl', concepts(outline.join('\n')), { ids: ['outline'], order: 'natural' })
    expect((await uris('outline')).slice(0, 3)).toEqual([`${V}n7.9`, `${V}n7.10`, `${V}n10`])
    const uuids = ['Cherry', 'Apple', 'Banana'].map(
      (name, at) => `:${name} a skos:Concept ; skos:prefLabel "${name}"@en ;
      skos:notation "${at}b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d" .`,
    )
    await load('uuids.ttl', concepts(uuids.join('\n')), { ids: ['outline'], order: 'code-point' })
    expect((await uris('outline')).slice(0, 3)).toEqual([`${V}Cherry`, `${V}Apple`, `${V}Banana`])
    await app.client.deleteGraph(V)
    app.state.changed()
    await load('uuids.ttl', concepts(uuids.join('\n')), { ids: ['outline'] })
    expect((await uris('outline')).slice(0, 3)).toEqual([`${V}Apple`, `${V}Banana`, `${V}Cherry`])
    await app.client.deleteGraph(V)
    app.state.changed()
  })

  test('XLSX: the three sheets of the workbook to fill in', async () => {
    await load('furniture.ttl', FURNITURE, { ids: ['furniture'] })
    expect(await sheets('furniture')).toEqual({
      Concepts: [
        ['uri', 'notation', 'prefLabel@en', 'broader', 'related'],
        [`${V}seating`, '1', 'Seating', '', ''],
        [`${V}tables`, '2', 'Tables', '', ''],
        [`${V}chair`, '10', 'Chair', '1', 'Desk'],
        [`${V}desk`, '', 'Desk', '2', ''],
        [`${V}stool`, '', 'Stool', '1', ''],
      ],
      Vocabulary: [
        ['uri', V],
        ['notation', 'furniture'],
        ['prefLabel@en', 'Furniture'],
        ['languages', 'en'],
      ],
      Collections: [
        ['uri', 'prefLabel@en', 'member'],
        [`${V}old`, 'Old', '10|Stool'],
      ],
    })
  })

  test('what cells name badly comes back', async () => {
    await load('hard.ttl', HARD, { ids: ['hard'], scheme: V })
    for (const format of ['csv', 'xlsx']) {
      const file = await write(`hard.${format}`, await download('hard', format))
      const difference = await foretellLoad(app.client, [file], { check: false, scheme: V })
      expect([format, difference]).toMatchObject([format, { created: 0, changed: 0, deprecated: 0, gone: 0 }])
      const { warnings } = await foretellLoad(app.client, [file], { scheme: V })
      expect(warnings.filter(({ rule }) => rule === 'table')).toEqual([])
    }
    const { Concepts: rows } = await sheets('hard')
    const topConceptOf = rows!.flatMap((row) => (row[rows![0]!.indexOf('topConceptOf')] ? [row[0]] : [])).slice(1)
    expect(topConceptOf.sort()).toEqual(['both', 'foreign', 'kept', 'shared'].map((name) => V + name))
    expect(column(rows!, 'broader')).toEqual(expect.arrayContaining(['Only', '=1+1, or (2)', `${V}a1`, 'same']))
    await app.client.deleteGraph(V)
    app.state.changed()
  })

  test('a concept that gets something broader in the downloaded table is no top concept any more', async () => {
    await load('furniture.ttl', FURNITURE, { ids: ['furniture'] })
    const { Concepts, ...others } = await sheets('furniture')
    expect(await tops('furniture')).toEqual(['seating', 'tables'])
    await load(
      'moved.csv',
      changed(await csv('furniture'), `${V}tables`, 'broader', 'Seating')
        .map(csvLine)
        .join(''),
    )
    expect(await tops('furniture')).toEqual(['seating'])
    // The download of a changed vocabulary has the changes in their cells.
    const again = await csv('furniture')
    expect(again[0]).not.toContain('statements')
    expect(again[2]).toEqual([`${V}tables`, 'skos:Concept', '2', 'Tables', '1', '', '', ''])
    const moved = { Concepts: changed(Concepts!, `${V}seating`, 'broader', '2'), ...others }
    const workbook = Object.entries(moved).map(([name, rows]) => ({ name, rows }))
    await load('moved.xlsx', Buffer.from(await writeXlsx({ sheets: workbook })))
    expect(await tops('furniture')).toEqual(['tables'])
  })

  test('a row without a URI gets that of the vocabulary, whose row comes last', async () => {
    await load('furniture.ttl', FURNITURE, { ids: ['furniture'] })
    const rows = await csv('furniture')
    const added = rows.toSpliced(1, 0, ['', '', '11', 'Bench', '1', '', '', ''])
    await load('added.csv', added.map(csvLine).join(''))
    expect((await app.get(`/data?uri=${V}11`)).body).toMatchObject([
      { prefLabel: { en: 'Bench' }, inScheme: [{ uri: V }], broader: [{ uri: `${V}seating` }], topConceptOf: [] },
    ])
  })
})
