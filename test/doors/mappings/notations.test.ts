/**
 * Tables of mappings whose concepts are notations of vocabularies that are here: looked up, found, shown, and loaded
 * again.
 */
import { afterAll, expect, test } from '@jest/globals'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import type { Mapping } from '../../../src/graph/jskos/mapping.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
const [T, F] = ['http://example.org/tools', 'http://example.org/forms/']
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix t: <${T}/no/> . @prefix f: <${F}> .`
const TOOLS = `${PREFIXES}
  <${T}> a skos:ConceptScheme ; skos:notation "TX" .
  t:a a skos:Concept ; skos:inScheme <${T}> ; skos:notation "1" ; skos:prefLabel "saws"@en .
  t:b a skos:Concept ; skos:inScheme <${T}> ; skos:notation "1.1"^^<${T}#code> ; skos:prefLabel "hand, saws"@en ; skos:closeMatch f:one .
  t:c a skos:Concept ; skos:inScheme <${T}> ; skos:notation "2" ; skos:prefLabel "axes"@en .
  t:d a skos:Concept ; skos:inScheme <${T}> ; skos:notation "2" ; skos:prefLabel "adzes"@en .`
const FORMS = `${PREFIXES}
  <${F}> a skos:ConceptScheme ; skos:notation "FX" .
  f:one a skos:Concept ; skos:inScheme <${F}> ; skos:notation "A 1" ; skos:prefLabel "Blatt"@de .
  f:two a skos:Concept ; skos:inScheme <${F}> ; skos:notation "A 2" ; skos:prefLabel "Klinge"@de .`
const CONCORDANCE = {
  uri: 'http://example.org/concordance/tf',
  notation: ['tf'],
  fromScheme: { uri: T, notation: ['TX'] },
  toScheme: { uri: F },
}
const TABLE = `fromScheme,fromNotation,toScheme,toNotation,toNotation2,type
TX,1,FX,A 1,A 2,<
tx,1.1,fx,A 2,,=
TX,999,FX,A 1,,close
TX,2,FX,A 1,,close
TX,1,FX,A 3,,close
TX,1,http://example.org/elsewhere,E 7,,~
`

describeOver(EMBEDDED, 'mappings by notation', (store) => {
  let app: RunningApp
  let index: IndexOfCommands
  const ask = async (parameters: Record<string, string>, path = '/mappings') => {
    app.state.changed()
    const { status, body } = await app.ask(path, parameters)
    expect(status).toBe(200)
    return body
  }
  const load = async (name: string, text: string, concordance?: string, isStrict = false) =>
    loadMappings(app.client, [await write(name, text)], concordance, { index }, { isStrict })
  const uris = ({ from, to }: Mapping) =>
    [from, to].map(({ memberSet }) => memberSet!.map((concept) => concept!.uri ?? concept!.notation![0]))

  afterAll(() => index.close())
  shareApp(store, async (shared) => {
    app = shared
    const fail = (error: unknown) => {
      throw error
    }
    index = new IndexOfCommands(app.config.dataDir, fail)
    for (const [name, text] of [
      ['tools.ttl', TOOLS],
      ['forms.ttl', FORMS],
    ] as const) {
      await loadVocabulary(app.client, [await write(name, text)], { index })
    }
    await loadConcordances(app.client, [await write('tf.json', JSON.stringify(CONCORDANCE))], { index })
  })

  test('notations get the URIs of their concepts; rows with others are left out', async () => {
    const report = await load('table.csv', TABLE, 'tf')
    expect(report).toMatchObject({ mappings: 3, leftOut: 3 })
    expect(report.warnings).toEqual([
      'table.csv, line 4: tx has no concept with the notation "999"',
      'table.csv, line 5: tx has 2 concepts with the notation "2"; write the URI',
      'table.csv, line 6: fx has no concept with the notation "A 3"',
    ])
    const results: Mapping[] = await ask({ partOf: 'tf' })
    expect(results.map(uris)).toEqual(
      expect.arrayContaining([
        [[`${T}/no/a`], [`${F}one`, `${F}two`]],
        [[`${T}/no/b`], [`${F}two`]],
        [[`${T}/no/a`], ['E 7']],
      ]),
    )
    expect(results.map(({ type }) => type![0]!.slice(SKOS.length)).sort()).toEqual([
      'exactMatch',
      'narrowMatch',
      'relatedMatch',
    ])
  })

  test('they are found by URI, and in the records of their concepts', async () => {
    expect(await ask({ from: `${T}/no/b`, partOf: 'tf' })).toHaveLength(1)
    const [record] = await ask({ uri: `${T}/no/b`, properties: 'mappings' }, '/data')
    expect(record.mappings.map(({ to }: Mapping) => to.memberSet![0]!.uri).sort()).toEqual([`${F}one`, `${F}two`])
    const page = await app.ask('/concept', { uri: `${T}/no/b` }, { headers: { accept: 'text/html' } })
    expect(page.text).toContain('Klinge')
    const sssom = await app.ask('/mappings', { partOf: 'tf', format: 'sssom' })
    expect(sssom.text).toMatch(/\n\S+b\t"hand, saws"\tskos:exactMatch\t\S+two\tKlinge\t/)
  })

  test('stated mappings have notations and labels, loaded ones stay as they were', async () => {
    const [stated] = await ask({ from: `${T}/no/b`, type: `${SKOS}closeMatch` })
    expect([stated.from, stated.to]).toEqual([
      { memberSet: [{ uri: `${T}/no/b`, notation: ['1.1'], prefLabel: { en: 'hand, saws' } }] },
      { memberSet: [{ uri: `${F}one`, notation: ['A 1'], prefLabel: { de: 'Blatt' } }] },
    ])
    const { body } = await app.get(`/mappings/${stated.uri.split('/').at(-1)}`)
    expect(body.to).toEqual(stated.to)
    const [loaded] = await ask({ from: `${T}/no/b`, partOf: 'tf' })
    expect(loaded.to).toEqual({ memberSet: [{ uri: `${F}two`, notation: ['A 2'] }] })
  })

  test('CSV has URIs and labels, and comes back whole', async () => {
    const csv = async () => {
      app.state.changed()
      return (await app.ask('/mappings', { partOf: 'tf', format: 'csv' })).text
    }
    const before = await csv()
    expect(before).toContain(`tx,${T},1.1,${T}/no/b,"hand, saws",fx,${F},A 2,${F}two,Klinge,`)
    const mappings: Mapping[] = await ask({ partOf: 'tf' })
    const report = await load('again.csv', before, 'tf')
    expect(report).toMatchObject({ mappings: 3, leftOut: 0 })
    expect((await csv()).split('\r\n').sort()).toEqual(before.split('\r\n').sort())
    const again: Mapping[] = await ask({ partOf: 'tf' })
    expect(again.map(uris).sort()).toEqual(mappings.map(uris).sort())
  })

  test('isStrict refuses the file', async () => {
    const text = `${TABLE}TX,998,FX,A 4,,close\nTX,1,FX,A 1,,same\n`
    const failure = await load('strict.csv', text, 'tf', true).catch((error: unknown) => error)
    expect((failure as AggregateError).errors.map(({ message }: Error) => message)).toEqual([
      'strict.csv, line 4: tx has no concept with the notation "999"',
      'strict.csv, line 5: tx has 2 concepts with the notation "2"; write the URI',
      'strict.csv, line 6: fx has no concept with the notation "A 3"',
      'strict.csv, line 8: tx has no concept with the notation "998"; fx has no concept with the notation "A 4"',
      expect.stringMatching(/^strict\.csv, line 9: type: expected one of/),
    ])
    expect(await ask({ partOf: 'tf' })).toHaveLength(3)
  })

  test('the vocabularies of the concordance count; labels with commas divide nothing', async () => {
    const text = 'fromNotation;fromLabel;toNotation;toLabel\n1;saws, blades, edges, teeth;A 1;Blatt\n'
    expect(await load('labels.csv', text, 'tf')).toMatchObject({ mappings: 1, leftOut: 0, ignoredColumns: [] })
    expect((await ask({ partOf: 'tf' })).map(uris)).toEqual([[[`${T}/no/a`], [`${F}one`]]])
  })

  test.each([
    ['tabs', 'tsv', '\t'],
    ['commas', 'csv', ','],
  ])('SSSOM with %s: no term on one side', async (_, extension, delimiter) => {
    const table = [
      ['#curie_map:'],
      [`#  F: ${F}`],
      ['#comment: one, two'],
      ['subject_id', 'predicate_id', 'object_id', 'mapping_justification'],
      ['F:one', 'skos:exactMatch', 'sssom:NoTermFound', 'semapv:ManualMappingCuration'],
      ['sssom:NoTermFound', 'skos:exactMatch', 'F:two', 'semapv:ManualMappingCuration'],
    ]
    // Programs for tables fill rows to the same width.
    const filled = table.map((row) =>
      [...row, '', '', ''].slice(0, extension === 'csv' ? 4 : row.length).join(delimiter),
    )
    await load(`set.sssom.${extension}`, filled.join('\n'), 'tf')
    const results: Mapping[] = await ask({ partOf: 'tf' })
    expect(results.map(uris).sort()).toEqual([
      [[], [`${F}two`]],
      [[`${F}one`], []],
    ])
    const stated =
      'ASK { GRAPH <http://example.org/concordance/tf> { ?s <http://www.w3.org/2004/02/skos/core#exactMatch> ?o } }'
    expect(await app.client.ask(stated)).toBe(false)
    const { text } = await app.ask('/mappings', { partOf: 'tf', format: 'sssom' })
    expect(text).not.toContain('cannot')
    const csv = await app.ask('/mappings', { partOf: 'tf', format: 'csv' })
    for (const [name, again] of [
      ['again.sssom.tsv', text],
      ['again.csv', csv.text],
    ] as const) {
      expect(await load(name, again, 'tf')).toMatchObject({ mappings: 2 })
      expect((await ask({ partOf: 'tf' })).map(uris).sort()).toEqual(results.map(uris).sort())
    }
  })

  test.each([
    ['=', 'exactMatch'],
    ['≈', 'closeMatch'],
    ['>', 'broadMatch'],
    ['<', 'narrowMatch'],
    ['~', 'relatedMatch'],
    ['→', 'mappingRelation'],
  ])('the type %s is %s', async (sign, type) => {
    await load('signs.csv', `from,to,type\n${T}/no/a,${F}one,${sign}\n`, 'tf')
    expect(await ask({ partOf: 'tf' })).toMatchObject([{ type: [SKOS + type] }])
  })
})
