/** Mappings as tables: SSSOM/TSV and CSV, out and in. */
import { afterAll, expect, test } from '@jest/globals'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings, removeConcordance } from '../../../src/doors/mappings/load.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import type { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { readMappings } from '../../../src/doors/mappings/read-table.ts'
import { SssomTable } from '../../../src/doors/mappings/sssom.ts'
import type { Mapping } from '../../../src/graph/jskos/mapping.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { C, MAPPINGS, SCHEMES, loadConcordance } from './concordance.ts'

const { write } = temporaryFolder()
const [A, B] = [SCHEMES.fromScheme.uri, SCHEMES.toScheme.uri]

describeOver(EMBEDDED, 'tables of mappings', (store) => {
  let app: RunningApp
  let index: IndexOfCommands
  const get = async (parameters: Record<string, string>) => {
    app.registry.invalidate()
    app.state.changed()
    return app.ask('/mappings', parameters)
  }

  afterAll(() => index.close())
  shareApp(store, async (shared) => {
    app = shared
    index = await loadConcordance(app, write)
  })

  test('CSV has as many columns as the mappings need, and no formula', async () => {
    const { text, headers } = await get({ partOf: 'ab', format: 'csv' })
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    expect(headers.get('x-total-count')).toBe('3')
    expect(text.split('\r\n')).toEqual([
      'fromScheme,fromSchemeUri,fromNotation,fromUri,fromLabel,toScheme,toSchemeUri,toNotation,toUri,toLabel,toNotation2,toUri2,toLabel2,type',
      `A,${A},A 1,${A}1,"""Eins"", zwei",B,${B},'=B 1,${B}1,,,,,exact`,
      `A,${A},A 2,${A}2,,B,${B},,${B}2,,B 3,${B}3,,narrow`,
      `A,${A},A 3,${A}3,,B,${B},,,,,,,`,
      '',
    ])
    const narrow = await get({ from: 'http://example.org/a/1', format: 'csv' })
    expect(narrow.text.split('\r\n')[0]).toBe(
      'fromScheme,fromSchemeUri,fromNotation,fromUri,fromLabel,toScheme,toSchemeUri,toNotation,toUri,toLabel,type',
    )
  })

  test('SSSOM has the metadata of the concordance, a prefix for each namespace, and what it can say', async () => {
    const { text, headers } = await get({ partOf: 'ab', download: 'sssom' })
    expect(headers.get('content-type')).toMatch(/^text\/tab-separated-values/)
    expect(headers.get('content-disposition')).toContain('mappings.sssom.tsv')
    expect(text.split('\n')).toEqual([
      `#mapping_set_id: "${C}"`,
      '#mapping_set_title: "A \\"nach\\" B"',
      '#license: "http://creativecommons.org/publicdomain/zero/1.0/"',
      '#comment: "SSSOM cannot say 1 of these mappings."',
      '#curie_map:',
      `#  skos: "${SKOS}"`,
      '#  semapv: "https://w3id.org/semapv/vocab/"',
      '#  sssom: "https://w3id.org/sssom/"',
      '#  A: "http://example.org/a/"',
      '#  B: "http://example.org/b/"',
      '#  ns5: "http://example.org/people/"',
      '#  ns6: "http://example.org/"',
      'subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\tauthor_id\tauthor_label\tsubject_source\tobject_source\tmapping_date\tconfidence',
      'A:1\t"""Eins"", zwei"\tskos:exactMatch\tB:1\t\tsemapv:ManualMappingCuration\tns5:ada\tAda\\|Beispiel\tns6:a/\tns6:b/\t2024-01-05\t0.8',
      'A:3\t\tskos:mappingRelation\tsssom:NoTermFound\t\tsemapv:UnspecifiedMatching\t\t\tns6:a/\tns6:b/\t2024-02-01\t',
      '',
    ])
  })

  test('no cell of SSSOM is a formula, and texts come back', async () => {
    const label = 'a;=1+1\\|-b, "=c" \'-d'
    const mapping: Mapping = {
      ...MAPPINGS[0],
      from: { memberSet: [{ uri: 'http://example.org/a/1', prefLabel: { en: label } }] },
      to: { memberSet: [{ uri: 'http://example.org/b/1', prefLabel: { en: '-ism' } }] },
    }
    const table = new SssomTable({ id: C, title: 'title;=1+1', spaces: [] })
    table.collect(mapping)
    const text = table.head() + table.row(mapping)
    expect(text.split(/[;,|\t\n]/).filter((cell) => /^"*[=+\-@]/.test(cell))).toEqual([])
    const title = /^#mapping_set_title: (.*)$/m.exec(text)![1]!
    expect(JSON.parse(title)).toBe('title;=1+1')
    const read = []
    const file = await write('formulas.sssom.tsv', text)
    for await (const entry of readMappings(file, { vocabularies: [] })) read.push(entry)
    expect(read).toMatchObject([
      {
        value: {
          from: { memberSet: [{ prefLabel: { und: label } }] },
          to: { memberSet: [{ prefLabel: { und: '-ism' } }] },
        },
      },
    ])
  })

  test('a column that mappings cannot keep is named', async () => {
    const text = `#curie_map:\n#  a: http://example.org/a/\nsubject_id\tpredicate_id\tobject_id\tmapping_justification\treviewer_id\tother\na:1\tskos:exactMatch\ta:2\tsemapv:LexicalMatching\ta:me\t\n`
    const mappings = []
    const ignored = new Set<string>()
    const file = await write('more.sssom.tsv', text)
    const context = { vocabularies: [], onIgnored: (column: string) => void ignored.add(column) }
    for await (const mapping of readMappings(file, context)) mappings.push(mapping)
    expect(mappings).toMatchObject([{ place: 'more.sssom.tsv, line 4', value: { type: [`${SKOS}exactMatch`] } }])
    expect([...ignored]).toEqual(['reviewer_id'])
  })

  test('a set that is no concordance has the address of the question', async () => {
    const { text } = await get({ from: 'http://example.org/a/3', format: 'sssom' })
    expect(text.split('\n').slice(0, 3)).toEqual([
      `#mapping_set_id: "${app.config.baseUrl}mappings?from=http%3A%2F%2Fexample.org%2Fa%2F3"`,
      '#license: "https://w3id.org/sssom/license/unspecified"',
      '#curie_map:',
    ])
    const sorted = await get({ partOf: 'ab', format: 'sssom', sort: 'created', order: 'asc' })
    expect(sorted.text.split('\n')[0]).toBe(`#mapping_set_id: "${C}"`)
    expect((await get({ from: 'http://example.org/none', format: 'sssom' })).text).toMatch(/\nsubject_id\t[^\n]*\n$/)
  })

  test('Accept asks for a table, too; other lists have none; an unknown format is refused', async () => {
    const accepted = await app.ask('/mappings', {}, { headers: { Accept: 'text/csv' } })
    expect(accepted.headers.get('content-type')).toMatch(/^text\/csv/)
    for (const path of ['/mappings/voc', '/mappings/infer', '/concordances']) {
      expect((await app.ask(path, { format: 'sssom' })).status).toBe(400)
    }
    const { status, body } = await get({ format: 'owl' })
    expect([status, body.message]).toEqual([400, expect.stringContaining('csv, sssom')])
  })

  test('a concordance that was just loaded is known at once', async () => {
    await app.ask('/concordances')
    const record = { uri: `${C}/new`, notation: ['new'] }
    await loadConcordances(app.client, [await write('new.json', JSON.stringify(record))], { index })
    await loadMappings(app.client, [await write('one.json', JSON.stringify(MAPPINGS[0]))], 'new', { index })
    expect((await app.ask('/mappings', { partOf: 'new' })).headers.get('x-total-count')).toBe('1')
    await removeConcordance(app.client, 'new', { index })
  })

  test('a concordance says where its tables are', async () => {
    const [{ distributions }] = (await app.ask('/concordances')).body
    expect(distributions).toHaveLength(4)
    for (const { download, mimetype } of distributions as { download: string; mimetype: string }[]) {
      const { status, headers } = await app.get(download.replace(app.config.baseUrl, '/'))
      expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, mimetype.split(';')[0]])
    }
  })

  test.each(['sssom', 'csv'])('what is sent as %s can be loaded and is sent again', async (format) => {
    const page = await get({ partOf: 'ab', format })
    const name = format === 'csv' ? 'again.csv' : 'again'
    const report = await loadMappings(app.client, [await write(name, page.text)], 'ab', { index })
    expect(report).toMatchObject({ mappings: format === 'csv' ? 3 : 2 })
    const again = await get({ partOf: 'ab', format })
    expect((await get({ partOf: 'ab' })).body[0]).not.toHaveProperty('note')
    const rows = ({ text }: { text: string }) =>
      text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
    expect(rows(again).sort()).toEqual(rows(page).sort())
    expect(rows(again).length).toBeGreaterThan(2)
    await loadMappings(app.client, [await write('mappings.json', JSON.stringify(MAPPINGS))], 'ab', { index })
  })

  test('SSSOM is loaded with what stands before the table', async () => {
    const text = [
      '# curie_map:',
      '#   a: http://example.org/a/',
      '#   orcid: "https://orcid.org/"',
      '# mapping_date: 2024-05-06',
      '# confidence: 0.25',
      '# comment: on the set',
      '# subject_source: a:scheme',
      'subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\tauthor_id\tauthor_label\tconfidence\tother',
      'a:9\tNeun, "9"\tskos:closeMatch\thttp://example.org/b/9\tsemapv:LexicalMatching\torcid:1|orcid:2\tA\\|B|C\t0.5\tx',
      'a:8\t\tskos:closeMatch\thttp://example.org/b/8\tsemapv:LexicalMatching\torcid:1\tA|B\t\tx',
      '',
    ]
    const file = await write('set.sssom.tsv', text.join('\n'))
    const report = await loadMappings(app.client, [file], undefined, { index })
    expect(report).toMatchObject({ mappings: 2, unknownSchemes: ['http://example.org/a/scheme'] })
    expect((await get({ partOf: 'none', from: 'http://example.org/a/8' })).body).toMatchObject([
      {
        mappingRelevance: 0.25,
        creator: [{ uri: 'https://orcid.org/1' }, { prefLabel: { und: 'A' } }, { prefLabel: { und: 'B' } }],
      },
    ])
    expect((await get({ partOf: 'none', from: 'http://example.org/a/9' })).body).toMatchObject([
      {
        from: { memberSet: [{ uri: 'http://example.org/a/9', prefLabel: { und: 'Neun, "9"' } }] },
        fromScheme: { uri: 'http://example.org/a/scheme' },
        to: { memberSet: [{ uri: 'http://example.org/b/9' }] },
        type: [`${SKOS}closeMatch`],
        justification: 'https://w3id.org/semapv/vocab/LexicalMatching',
        created: '2024-05-06',
        mappingRelevance: 0.5,
        creator: [
          { uri: 'https://orcid.org/1', prefLabel: { und: 'A|B' } },
          { uri: 'https://orcid.org/2', prefLabel: { und: 'C' } },
        ],
      },
    ])
  })

  test('creators come back from SSSOM, with and without URI or label', async () => {
    const [bob, ann, carl] = [
      { uri: 'https://orcid.org/1', prefLabel: { und: 'Bob' } },
      { prefLabel: { und: 'Ann' } },
      { uri: 'https://orcid.org/2' },
    ]
    const [mapping] = MAPPINGS
    const file = await write('creators.json', JSON.stringify({ ...mapping, creator: [ann, bob, carl] }))
    await loadMappings(app.client, [file], undefined, { index })
    const { text } = await get({ partOf: 'none', format: 'sssom' })
    await loadMappings(app.client, [await write('creators.tsv', text)], undefined, { index })
    const { creator } = (await get({ partOf: 'none' })).body[0]
    expect(creator).toHaveLength(4)
    expect(creator).toEqual(expect.arrayContaining([{ uri: bob.uri }, { prefLabel: bob.prefLabel }, ann, carl]))
  })

  test('CSV is loaded with from, to and type; the concordance has the vocabularies', async () => {
    const text = 'from;to;type\nhttp://example.org/a/7;B 7;=\n'
    const file = await write('three.csv', text.replace(';=', ';skos:exactMatch') + 'A 8;;\n')
    await loadMappings(app.client, [file], 'ab', { index })
    const { body } = await get({ partOf: 'ab' })
    expect(body).toHaveLength(2)
    expect(body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          from: { memberSet: [{ uri: 'http://example.org/a/7' }] },
          to: { memberSet: [{ notation: ['B 7'] }] },
          type: [`${SKOS}exactMatch`],
          ...SCHEMES,
        }),
        expect.objectContaining({ from: { memberSet: [{ notation: ['A 8'] }] }, to: { memberSet: [] } }),
      ]),
    )
    await loadMappings(app.client, [await write('mappings.json', JSON.stringify(MAPPINGS))], 'ab', { index })
  })

  const HEADING = 'subject_id\tpredicate_id\tobject_id\tmapping_justification'
  const ROW = 'skos:broader\tskos:exactMatch\tskos:narrower\tsemapv:LexicalMatching'
  const MALFORMED: [what: string, name: string, lines: string[], message: RegExp][] = [
    ['no heading', 'bad.csv', ['x,y', '1,2'], /bad\.csv, line 1: expected the columns from, to and type/],
    ['an unknown type', 'bad.csv', ['from,to,type', 'A,B,same'], /line 2: type: expected one of exactMatch/],
    ['no concept', 'bad.csv', ['from,to,type', 'A,B,exact', ',,exact'], /line 3: from, to: expected a concept/],
    ['too many cells', 'bad.csv', ['from,to', 'A,B,C'], /line 2: expected 2 cells, got 3/],
    ['a missing column', 'bad.tsv', ['subject_id\tobject_id', 'a\tb'], /line 1: .*predicate_id, mapping_justification/],
    ['an unknown prefix', 'bad.tsv', [HEADING, ROW, ROW.replace('skos:b', 'x:b')], /line 3: subject_id: the prefix/],
    ['another predicate', 'bad.tsv', [HEADING, ROW.replace('exactMatch', 'broader')], /line 2: predicate_id: expected/],
    ['no object', 'bad.tsv', [HEADING, ROW.replace('skos:narrower', '')], /line 2: object_id: expected a value/],
    [
      'no term on either side',
      'bad.tsv',
      [HEADING, ROW.replace('skos:broader', 'sssom:NoTermFound').replace('skos:narrower', 'sssom:NoTermFound')],
      /line 2: object_id: expected a term on one side/,
    ],
    [
      'a mapping that does not hold',
      'bad.tsv',
      [`${HEADING}\tpredicate_modifier`, `${ROW}\tNot`],
      /line 2: predicate_modifier/,
    ],
    ['no confidence', 'bad.tsv', [`${HEADING}\tconfidence`, `${ROW}\thigh`], /line 2: confidence: expected a number/],
    ['broken YAML', 'bad.tsv', ['#curie_map: {', HEADING, ROW], /line 2: /],
    ['no mapping in a table', 'none.csv', ['from,to,type'], /^none\.csv: found no mappings\.$/],
    ['no mapping in JSON', 'none.json', ['[]'], /^none\.json: found no mappings\.$/],
    ['no mapping in RDF', 'none.ttl', ['<urn:a> <urn:b> "c" .'], /^none\.ttl: found no mappings\.$/],
    ['a URI with a space', 'bad.tsv', [HEADING, ROW.replace('broader', 'a b')], /line 2: .*absolute URI/],
  ]
  test.each(MALFORMED)('%s: file and line, and nothing is loaded', async (_, name, lines, message) => {
    const file = await write(name, lines.join('\n'))
    await expect(loadMappings(app.client, [file], 'ab', { index })).rejects.toThrow(message)
    expect((await get({ partOf: 'ab' })).headers.get('x-total-count')).toBe('3')
  })

  test('all mistakes of files are listed, whatever their kind', async () => {
    const table = ['from,to,type', 'A,B,same', ',,same', 'A,B,exact', 'A,B,C,D']
    const sssom = [
      `${HEADING}\tconfidence`,
      ROW.replace('skos:b', 'x:b').replace('exactMatch', 'broader'),
      `${ROW}\thigh`,
      ROW,
    ]
    const records = [{ ...MAPPINGS[2], type: [`${SKOS}related`] }, MAPPINGS[2], { from: {} }]
    const files = [
      await write('bad.csv', table.join('\n')),
      await write('bad.tsv', sssom.join('\n')),
      await write('bad.ndjson', records.map((record) => JSON.stringify(record)).join('\n')),
      await write('open.csv', 'from,to,type\n"A,B,exact\n'),
    ]
    const failure = await loadMappings(app.client, files, 'ab', { index }).catch((error: unknown) => error)
    const { errors, message } = failure as AggregateError
    expect(errors.map((error: Error) => error.message)).toEqual([
      expect.stringMatching(/^bad\.csv, line 2: type: expected one of/),
      'bad.csv, line 3: from, to: expected a concept in one of them',
      expect.stringMatching(/^bad\.csv, line 3: type: expected one of/),
      'bad.csv, line 5: expected 3 cells, got 4',
      expect.stringMatching(/^bad\.tsv, line 2: subject_id: the prefix of "x:broader"/),
      expect.stringMatching(/^bad\.tsv, line 2: predicate_id: expected one of/),
      'bad.tsv, line 3: confidence: expected a number from 0 to 1',
      expect.stringMatching(/^bad\.ndjson, line 1: type: /),
      expect.stringMatching(/^bad\.ndjson, line 3: to: expected/),
      expect.stringMatching(/^open\.csv, line 2: a quotation mark/),
    ])
    expect(message.split('\n')).toHaveLength(errors.length)
    expect((await get({ partOf: 'ab' })).headers.get('x-total-count')).toBe('3')
  })

  test('of very many mistakes the first 1,000 are listed, and the number of the others', async () => {
    const file = await write('many.csv', `from,to,type\n${'A,B,same\n'.repeat(1005)}`)
    const failure = await loadMappings(app.client, [file], 'ab', { index }).catch((error: unknown) => error)
    const messages = (failure as AggregateError).errors.map(({ message }: Error) => message)
    expect(messages).toHaveLength(1001)
    expect(messages.slice(-2)).toEqual([expect.stringMatching(/^many\.csv, line 1001: /), '5 more mistakes.'])
  })
})
