/** Mappings as tables: SSSOM/TSV and CSV, out and in. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConcordances, loadMappings } from '../../src/mappings/load.ts'
import { SKOS } from '../../src/namespaces.ts'
import { IndexOfCommands } from '../../src/search/index-of-commands.ts'
import { startApp, type RunningApp } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { describeStores } from '../stores.ts'

const { write } = temporaryFolder()
const C = 'http://example.org/concordance/ab'
const SCHEMES = {
  fromScheme: { uri: 'http://example.org/a/', notation: ['A'] },
  toScheme: { uri: 'http://example.org/b/', notation: ['B'] },
}
const CONCORDANCE = {
  uri: C,
  notation: ['ab'],
  type: ['http://rdfs.org/ns/void#Linkset'],
  ...SCHEMES,
  prefLabel: { de: 'A "nach" B' },
  license: [{ uri: 'http://creativecommons.org/publicdomain/zero/1.0/' }],
}
const MAPPINGS = [
  {
    from: { memberSet: [{ uri: 'http://example.org/a/1', notation: ['A 1'], prefLabel: { de: '"Eins",\tzwei' } }] },
    to: { memberSet: [{ uri: 'http://example.org/b/1', notation: ['=B 1'] }] },
    ...SCHEMES,
    type: [`${SKOS}exactMatch`],
    creator: [{ uri: 'http://example.org/people/ada', prefLabel: { de: 'Ada|Beispiel' } }],
    created: '2024-01-05T00:00:00.000Z',
    modified: '2024-04-01T00:00:00.000Z',
    mappingRelevance: 0.8,
    justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
  },
  {
    from: { memberSet: [{ uri: 'http://example.org/a/2', notation: ['A 2'] }] },
    to: { memberSet: [{ uri: 'http://example.org/b/2' }, { uri: 'http://example.org/b/3', notation: ['B 3'] }] },
    ...SCHEMES,
    type: [`${SKOS}narrowMatch`],
    modified: '2024-03-01T00:00:00.000Z',
  },
  {
    from: { memberSet: [{ uri: 'http://example.org/a/3', notation: ['A 3'] }] },
    to: { memberSet: [] },
    ...SCHEMES,
    modified: '2024-02-01T00:00:00.000Z',
  },
]

describeStores('tables of mappings', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let index: IndexOfCommands
  const get = async (parameters: Record<string, string>) => {
    app.registry.invalidate()
    app.state.changed()
    return app.ask('/mappings', parameters)
  }

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    index = new IndexOfCommands(app.config.dataDir, (error) => {
      throw error
    })
    await loadConcordances(app.client, [await write('concordances.json', JSON.stringify([CONCORDANCE]))], { index })
    await loadMappings(app.client, [await write('mappings.json', JSON.stringify(MAPPINGS))], 'ab', { index })
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await index.close()
    await app.close()
    await running.stop()
  })

  test('CSV has as many columns as the mappings need, and no formula', async () => {
    const { text, headers } = await get({ partOf: 'ab', format: 'csv' })
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    expect(headers.get('x-total-count')).toBe('3')
    expect(text.split('\r\n')).toEqual([
      'fromScheme,fromNotation,toScheme,toNotation,toNotation2,type',
      "A,A 1,B,'=B 1,,exact",
      'A,A 2,B,http://example.org/b/2,B 3,narrow',
      'A,A 3,B,,,',
      '',
    ])
    const narrow = await get({ from: 'http://example.org/a/1', format: 'csv' })
    expect(narrow.text.split('\r\n')[0]).toBe('fromScheme,fromNotation,toScheme,toNotation,type')
  })

  test('SSSOM has the metadata of the concordance, a prefix for each namespace, and what it can say', async () => {
    const { text, headers } = await get({ partOf: 'ab', download: 'sssom' })
    expect(headers.get('content-type')).toMatch(/^text\/tab-separated-values/)
    expect(headers.get('content-disposition')).toContain('mappings.sssom.tsv')
    expect(text.split('\n')).toEqual([
      `#mapping_set_id: "${C}"`,
      '#mapping_set_title: "A \\"nach\\" B"',
      '#license: "http://creativecommons.org/publicdomain/zero/1.0/"',
      '#comment: "SSSOM cannot say 1 mappings, which are left out."',
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

  test('a set that is no concordance has the address of the question', async () => {
    const { text } = await get({ from: 'http://example.org/a/3', format: 'sssom' })
    expect(text.split('\n').slice(0, 3)).toEqual([
      `#mapping_set_id: "${app.config.baseUrl}mappings?from=http%3A%2F%2Fexample.org%2Fa%2F3"`,
      '#license: "https://w3id.org/sssom/license/unspecified"',
      '#curie_map:',
    ])
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

  test('a concordance says where its tables are', async () => {
    const [{ distributions }] = (await app.ask('/concordances')).body
    expect(distributions).toHaveLength(4)
    for (const { download, mimetype } of distributions as { download: string; mimetype: string }[]) {
      const { status, headers } = await app.get(download.replace(app.config.baseUrl, '/'))
      expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, mimetype.split(';')[0]])
    }
  })
})
