/** Lists and whole vocabularies as tables, over HTTP, and the workbook to fill in. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readXlsx } from 'hucre/xlsx'
import { parse } from 'csv-parse/sync'
import { describeFindings } from '../../../src/doors/cli/warnings.ts'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { foretellLoad, loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { templateWorkbook } from '../../../src/graph/tables/template.ts'
import { DEMO, startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { workbook } from './read.ts'

const V = 'http://example.org/formulas/'
/** Texts that a spreadsheet program would run, and others that must stay as they are. */
const TEXTS = [
  'a;=1+1',
  'a\t=1',
  'a\n-1',
  "a;'=1",
  'a;"=1"',
  '=1+1',
  '+49',
  '-1',
  '@SUM(A1)',
  "'=1",
  '\t=1',
  'a|b',
  ' space ',
  '"quoted"',
  'x;y,z',
  '_x0041_',
  'ü\nü',
]

describeOver(EMBEDDED, 'tables', (store) => {
  const { write } = temporaryFolder()
  let app: RunningApp
  let stop: () => Promise<void>
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '0' })
    await loadVocabulary(app.client, [`${DEMO}/crafts.ttl`])
    const notes = TEXTS.map((text, at) => {
      return `<${V}${at}> a <${SKOS}Concept> ; <${SKOS}prefLabel> "Concept ${at}"@en ; <${SKOS}note> ${JSON.stringify(text)}@en .`
    })
    await loadVocabulary(app.client, [
      await write('formulas.ttl', `<${V}> a <${SKOS}ConceptScheme> .\n${notes.join('\n')}`),
    ])
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  async function bytes(path: string): Promise<Buffer> {
    const answer = await fetch(app.url + path)
    expect([path, answer.status]).toEqual([path, 200])
    return Buffer.from(await answer.arrayBuffer())
  }

  test.each(['crafts', 'formulas'])('%s as CSV and XLSX loads again without a change', async (id) => {
    for (const format of ['csv', 'xlsx']) {
      const file = await write(`${id}.${format}`, await bytes(`/voc/${id}/export?format=${format}`))
      const difference = await foretellLoad(app.client, [file])
      expect(difference).toMatchObject({ created: 0, changed: 0, deprecated: 0, gone: 0 })
    }
  })

  test('narrower is left out if it follows from broader, and only then', async () => {
    const column = async () => {
      const rows: string[][] = parse(await bytes('/voc/one-way/export?format=csv'))
      return rows[0]!.includes('narrower')
    }
    const scheme = 'http://example.org/one-way'
    await loadVocabulary(app.client, [
      await write(
        'one-way.ttl',
        `<${scheme}> a <${SKOS}ConceptScheme> . <${V}a> a <${SKOS}Concept> ; <${SKOS}narrower> <${V}b> . <${V}b> a <${SKOS}Concept> .`,
      ),
    ])
    expect(await column()).toBe(false)
    // Another program forgets the inverse.
    await app.client.update(`DELETE DATA { GRAPH <${scheme}> { <${V}b> <${SKOS}broader> <${V}a> } }`, scheme)
    expect(await column()).toBe(true)
  })

  test('no cell is a formula', async () => {
    for (const path of ['/voc/formulas/export?format=csv', `/voc/concepts?uri=${V}&download=csv&properties=*`]) {
      const rows: string[][] = parse(await bytes(path))
      expect(rows.length).toBeGreaterThan(TEXTS.length)
      expect(rows.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
      // Spreadsheet programs may have another separator.
      const cells = (await bytes(path)).toString().split(/[;\t\n]/)
      expect(cells.filter((cell) => /^"*[=+\-@]/.test(cell))).toEqual([])
    }
    const { sheets } = await readXlsx(await bytes('/voc/formulas/export?format=xlsx'), { readStyles: true })
    const cells = sheets.flatMap((sheet) => [...(sheet.cells?.values() ?? [])])
    expect(cells.filter(({ formula }) => formula !== undefined)).toEqual([])
    expect(sheets.flatMap(({ rows }) => rows.flat()).some((value) => value === '=1+1')).toBe(true)
  })

  test('a list as CSV: the heading, then a row for each record', async () => {
    const { text, headers } = await app.get('/voc/crafts/top?format=csv&properties=notation,prefLabel')
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    const table: string[][] = parse(text)
    const [heading, ...rows] = table
    expect(heading).toEqual(expect.arrayContaining(['uri', 'type', 'notation', 'prefLabel@de', 'prefLabel@en']))
    expect(String(rows.length)).toBe(headers.get('x-total-count'))
    expect(rows.map(([uri]) => uri)).toEqual(
      (await app.get('/voc/crafts/top')).body.map(({ uri }: { uri: string }) => uri),
    )
  })

  test('a download as CSV and XLSX has all concepts, with a file name', async () => {
    const total = Number((await app.get('/voc/crafts/concepts?limit=0')).headers.get('x-total-count'))
    for (const [format, mediaType] of [
      ['csv', 'text/csv'],
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ]) {
      const answer = await fetch(`${app.url}/voc/crafts/concepts?download=${format}`)
      expect(answer.headers.get('content-type')).toContain(mediaType)
      expect(answer.headers.get('content-disposition')).toMatch(new RegExp(`attachment; filename=.*\\.${format}`))
      const body = Buffer.from(await answer.arrayBuffer())
      const rows = format === 'csv' ? parse(body) : (await readXlsx(body)).sheets[0]!.rows
      expect(rows).toHaveLength(total + 1)
    }
  })

  test('an empty list has a heading', async () => {
    expect((await app.get('/narrower?uri=http://example.org/none&format=csv')).text).toBe('uri,type\r\n')
  })

  test('POST /validate takes workbooks and tables, and names cells', async () => {
    const rows = [
      ['notation', 'prefLabel@en', 'broader'],
      ['1', 'Boats', null],
      ['2', 'Canoes', 'Boots'],
    ]
    const text = rows.map((row) => row.join(',')).join('\n')
    for (const [name, body, mediaType] of [
      ['Terms', Buffer.from(await workbook({ name: 'Terms', rows })), 'application/octet-stream'],
      ['text.csv', Buffer.from(text), 'text/csv'],
    ] as const) {
      const answer = await app.get('/validate', { method: 'POST', body, headers: { 'content-type': mediaType } })
      expect(answer.body).toMatchObject({ valid: false, checked: 2, format: name === 'Terms' ? 'xlsx' : 'csv' })
      expect(answer.body.results[0]).toEqual({
        severity: 'violation',
        message: `${name}!C3: no concept has the notation, label or URI "Boots" (broader); did you mean "Boats"?`,
        path: `${name}!C3`,
        shape: 'table',
      })
    }
  })

  test('findings of the shapes name the cell with which the row begins', async () => {
    const file = await write('nameless.csv', 'notation,prefLabel@en\n1,Boats\n2,\n')
    const body = await readFile(file)
    const answer = await app.get('/validate', { method: 'POST', body, headers: { 'content-type': 'text/csv' } })
    const nameless = answer.body.results.find(({ shape }: { shape: string }) => shape === 'has-prefLabel')
    expect(nameless).toMatchObject({ severity: 'warning', path: 'text.csv!A3', uri: expect.stringMatching(/2$/) })
    const { findings } = await checkFiles([file])
    expect(describeFindings(findings, 'en')).toContainEqual(
      expect.stringMatching(/^warning: has-prefLabel: .* \(once: <\S+2> in nameless\.csv!A3\)$/),
    )
  })

  test('the page of a vocabulary links to the tables', async () => {
    const { text } = await app.get('/voc/crafts', { headers: { accept: 'text/html' } })
    for (const format of ['csv', 'xlsx']) expect(text).toContain(`voc/crafts/export?format=${format}`)
  })

  test('the workbook to fill in has its lists in columns beyond Z, too', async () => {
    const { sheets } = await readXlsx(await templateWorkbook(['de', 'en', 'fr', 'it', 'es', 'pl']), {
      readStyles: true,
    })
    const ranges = sheets.flatMap(({ dataValidations }) => dataValidations?.map(({ range }) => range) ?? [])
    expect(ranges).toEqual(['Z2:Z5000', 'AD2:AD5000', 'B16'])
  })

  test('the workbook to fill in loads, and loading it again changes nothing', async () => {
    const file = await write('template.xlsx', Buffer.from(await templateWorkbook(['de', 'en'])))
    const { sheets } = await readXlsx(await readFile(file), { readStyles: true })
    const notes = [...sheets[0]!.cells!.values()].filter(({ comment }) => comment !== undefined)
    expect(notes.length).toBe(sheets[0]!.rows[0]!.length)
    expect(sheets[0]!.dataValidations?.map(({ type }) => type)).toEqual(['list', 'list'])
    const report = await loadVocabulary(app.client, [file])
    expect(report).toMatchObject({ uri: 'http://example.org/vocabulary/', concepts: 1 })
    expect(report.warnings.map(({ rule }) => rule)).toEqual(['placeholder'])
    expect(report.changes).toMatchObject({ 'URI of a concept made from its notation': 1 })
    const difference = await foretellLoad(app.client, [file])
    expect(difference).toMatchObject({ created: 0, changed: 0, gone: 0 })
  })
})
