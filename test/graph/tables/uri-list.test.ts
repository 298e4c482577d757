/** Lists of URIs and labels without a heading row, as Annif writes vocabularies. */
import { describe, expect, test } from '@jest/globals'
import { gzipSync } from 'node:zlib'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { runOver } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { readTable, said } from './read.ts'

const S = 'http://example.org/woods'
const N = `${S}/`
const { write } = temporaryFolder()
const read = async (text: string | Buffer, options = {}, name = 'woods.tsv') =>
  readTable(await write(name, text), { scheme: S, ...options })
const LIST = `<${N}1>\toak\n<${N}2>\tLabel\n<${N}3>\tbeech, "red"\n<${N}4>\t"elm\n<${N}5>\tash|rowan: tree@en\n`
const LABELS = ['oak', 'Label', 'beech, "red"', '"elm', 'ash|rowan: tree@en']

describe('a list of URIs and labels', () => {
  test.each([
    ['with a language', LIST, 'woods.tsv'],
    ['named .csv', LIST, 'woods.csv'],
    ['compressed', gzipSync(LIST), 'woods.tsv.gz'],
    ['with CR LF, empty lines and a byte order mark', `\ufeff${LIST.replaceAll('\n', '\r\n\r\n')}`, 'woods.tsv'],
  ])('%s', async (_, text, name) => {
    const table = await read(text, { language: 'en' }, name)
    expect(table.mistakes).toEqual([])
    const expected = LABELS.flatMap((label, at) => [
      `:${at + 1} a skos:Concept`,
      `:${at + 1} inScheme ${S}`,
      `:${at + 1} prefLabel ${label}@en`,
    ])
    expect(said(table, N)).toEqual([...expected, `${S} a skos:ConceptScheme`].sort())
  })

  test('further columns are notations', async () => {
    const table = await read(`<${N}1>\toak\t634.1\n<${N}2>\telm\n<${N}3>\tash\t634.3|4\tAS\n`)
    expect(table.mistakes).toEqual([])
    expect(said(table, N).filter((line) => line.includes(' notation '))).toEqual([
      ':1 notation 634.1',
      ':3 notation 634.3|4',
      ':3 notation AS',
    ])
  })

  test('of one line', async () => {
    expect(said(await read(`<${N}1>\tConcept`), N)).toContain(':1 prefLabel Concept@und')
  })

  test('each mistake names its line, and the others load', async () => {
    const table = await read(`elm\n<${N}1>\toak\n<${N}2>\tash\n\n${N}3\tyew\n\tfir\n<no uri>\tpine\n<${N}8>\tlarch\n`)
    expect(table.mistakes.map(({ severity, message }) => [severity, message])).toEqual([
      ['violation', expect.stringMatching(/^woods\.tsv!A1: expected a URI in angle brackets .*, found "elm"/)],
      ['violation', expect.stringMatching(/^woods\.tsv!A5: expected a URI in angle brackets .*, found "http/)],
      ['violation', expect.stringMatching(/^woods\.tsv!A6: expected a URI in angle brackets .*, found ""/)],
      ['violation', expect.stringMatching(/^woods\.tsv!A7: expected a URI, found "<no uri>"/)],
    ])
    const labels = said(table, N).filter((line) => line.includes(' prefLabel '))
    expect(labels).toEqual([':1 prefLabel oak@und', ':2 prefLabel ash@und', ':8 prefLabel larch@und'])
  })

  test.each([
    `<http://www.w3.org/2004/02/skos/core#notation>\t<http://www.w3.org/2004/02/skos/core#prefLabel>\n1\toak\n`,
    `uri\tprefLabel\n<${N}1>\toak\n<${N}2>\telm\n`,
  ])('a table with a heading is none: %j', async (text) => {
    expect(said(await read(text), N)).toContain(':1 prefLabel oak')
  })
})

describeOver(EMBEDDED, 'a list of URIs and labels', (store) => {
  let app: RunningApp
  runOver(store, async (endpoint) => (app = await startApp(endpoint)))

  test('loads with the scheme and the language', async () => {
    const file = await write('woods.tsv', LIST)
    const report = await loadVocabulary(app.client, [file], { scheme: S, language: 'en' })
    expect(report).toMatchObject({ concepts: 5 })
    const { body } = await app.ask('/voc/woods/concepts', { properties: 'prefLabel' })
    expect(body.map(({ uri, prefLabel }: any) => [uri, prefLabel])).toEqual(
      LABELS.map((en, at) => [`${N}${at + 1}`, { en }]),
    )
  })
})
