/** Every field of mappings and concordances of JSKOS comes back, in records and in downloads. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import { DCAT, SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { lost } from '../../writing/loading/jskos-comparison.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeStores } from '../../stores.ts'

const { write } = temporaryFolder()
const A = 'http://example.org/tools/'
const B = 'http://example.org/goods/'
const schemes = { fromScheme: { uri: A, notation: ['TOOLS'] }, toScheme: { uri: B } }
const annotation = {
  '@context': 'http://www.w3.org/ns/anno.jsonld',
  id: 'http://example.org/annotations/7',
  type: 'Annotation',
  target: 'http://example.org/mappings/whole',
  motivation: 'assessing',
  bodyValue: '+1',
}
/** The fields of items (JSKOS 0.7, Item), with made values. */
const item = {
  created: '2024-01-01T10:00:00.000Z',
  issued: '2024-02',
  modified: '2024-03-01',
  creator: [{ prefLabel: { de: 'Projekt' }, url: 'https://example.org/project' }],
  contributor: [{ uri: 'http://example.org/people/1', prefLabel: { en: 'Ada' } }],
  source: [{ url: 'https://example.org/source' }],
  publisher: [{ uri: 'http://example.org/library', prefLabel: { en: 'Library' }, rank: 'preferred' }],
  annotations: [annotation],
  qualifiedRelations: { 'http://example.org/property/a': [{ resource: { uri: `${A}1` }, rank: 'normal' }] },
  qualifiedDates: { 'http://example.org/property/b': [{ date: '2020' }] },
  qualifiedLiterals: { 'http://example.org/property/c': [{ literal: { string: 'C', language: 'en' } }] },
  rank: 'preferred',
  url: 'https://example.org/page',
  prefLabel: { en: 'plane to shaving' },
  altLabel: { en: ['plane and shaving'] },
  hiddenLabel: { en: ['plne'] },
  scopeNote: { en: ['for wood'] },
  definition: { en: ['a definition'] },
  example: { en: ['an example'] },
  historyNote: { en: ['new in 2024'] },
  editorialNote: { en: ['to be checked'] },
  changeNote: { en: ['changed'] },
  note: { en: ['a note'] },
  startDate: '1990',
  endDate: '1991-05/1992',
  relatedDates: ['1993'],
  startPlace: [{ uri: 'http://example.org/place/1' }],
  endPlace: [{ uri: 'http://example.org/place/2' }],
  place: [{ uri: 'http://example.org/place/3' }],
  location: { type: 'Point', coordinates: [1, 2] },
  address: { locality: 'Town' },
  replacedBy: [{ uri: 'http://example.org/newer' }],
  basedOn: [{ uri: 'http://example.org/older' }],
  subject: [{ uri: `${A}2` }],
  subjectOf: [{ uri: 'http://example.org/handbook' }],
  depiction: ['http://example.org/1.jpg'],
  media: [{ type: 'Manifest', items: [] }],
  tool: [{ url: 'https://example.org/editor' }],
  issue: [{ uri: 'http://example.org/issues/1' }],
  issueTracker: [{ uri: 'http://example.org/issues' }],
  guidelines: [{ uri: 'http://example.org/guidelines' }],
  version: '2',
  versionOf: [{ uri: 'http://example.org/versions' }],
}
const concordance = {
  uri: 'http://example.org/concordances/tools-goods',
  type: ['http://rdf-vocabulary.ddialliance.org/xkos#Correspondence'],
  notation: ['tools-goods'],
  identifier: ['http://example.org/concordances/1'],
  partOf: [{ uri: 'http://example.org/registry' }],
  ...schemes,
  ...item,
  extent: '4 mappings of 200',
  license: [{ uri: 'http://creativecommons.org/publicdomain/zero/1.0/' }],
  distributions: [{ type: [`${DCAT}Distribution`], download: 'http://example.org/tools.ndjson', size: '12 kB' }],
}
const mappings: readonly (readonly [string, AnyRecord])[] = [
  [
    'every field',
    {
      identifier: ['http://example.org/mappings/whole'],
      type: [`${SKOS}closeMatch`],
      notation: ['M1'],
      from: { memberSet: [{ uri: `${A}1`, notation: ['1'], prefLabel: { en: 'plane' }, inScheme: [{ uri: A }] }] },
      to: { memberSet: [{ uri: `${B}1`, prefLabel: { en: 'shaving' } }] },
      ...schemes,
      ...item,
      mappingRelevance: 0.75,
      justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
      partOf: [{ uri: concordance.uri }, { uri: 'http://example.org/registry' }],
    },
  ],
  [
    'ddc-gnd-1.mapping',
    {
      type: [`${SKOS}closeMatch`],
      ...schemes,
      from: { memberSet: [{ uri: `${A}6`, notation: ['6'] }] },
      to: { memberSet: [{ uri: `${B}6`, prefLabel: { de: 'Span' } }] },
      justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
      tool: [{ url: 'https://example.org/editor/' }],
    },
  ],
  [
    'ddc-gnd-2.mapping, mapping-ddc-gnd',
    {
      ...schemes,
      creator: [{ prefLabel: { de: 'Projekt' }, url: 'http://example.org/project.html' }],
      from: { memberChoice: [{ notation: ['7'], prefLabel: { de: 'Säge' } }] },
      to: {
        memberChoice: [
          { uri: `${B}7`, notation: ['7'], prefLabel: { de: 'Sägemehl' } },
          { uri: `${B}8`, prefLabel: { de: 'Brett' } },
        ],
      },
      mappingRelevance: 0.5,
    },
  ],
  [
    'a list, and roles',
    {
      ...schemes,
      type: [`${SKOS}narrowMatch`],
      from: { memberList: [{ uri: `${A}9` }, { uri: `${A}3` }] },
      to: {
        memberRoles: {
          'http://example.org/matter': [{ uri: `${B}9` }],
          'http://example.org/time': [{ uri: `${B}10` }],
        },
      },
    },
  ],
]

describeStores('mappings and concordances of JSKOS', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let index: IndexOfCommands
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    index = new IndexOfCommands(app.config.dataDir, (error) => {
      throw error
    })
    await loadConcordances(app.client, [await write('concordance.json', JSON.stringify(concordance))], { index })
    const text = mappings.map(([, mapping]) => JSON.stringify(mapping)).join('\n')
    await loadMappings(app.client, [await write('mappings.ndjson', text)], 'tools-goods', { index })
    app.state.changed()
    app.registry.invalidate()
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await index.close()
    await app.close()
    await running.stop()
  })

  /** Mappings by the first concept or notation that they lead from. */
  const all = async (parameters: Record<string, string>) => {
    const { text } = await app.ask('/mappings', { partOf: 'tools-goods', ...parameters })
    return text.startsWith('[')
      ? (JSON.parse(text) as AnyRecord[])
      : text
          .trimEnd()
          .split('\n')
          .map((line: string) => JSON.parse(line) as AnyRecord)
  }

  test.each(mappings)('%s is in the record and the download of the mapping', async (_, mapping) => {
    for (const parameters of [{}, { download: 'ndjson' }]) {
      const found = (await all(parameters)).find(({ from }) => lost(mapping['from'], from).length === 0)
      expect(lost(mapping, found)).toEqual([])
      expect([validate.mapping!(found!, { unknownFields: true }), validate.mapping!.errors ?? []]).toEqual([true, []])
    }
  })

  test('a concept in a role finds its mapping', async () => {
    const [found] = await all({ to: `${B}9` })
    expect(found).toMatchObject({ from: { memberList: [{ uri: `${A}9` }, { uri: `${A}3` }] } })
  })

  test('every field is in the record of the concordance', async () => {
    const { distributions, ...fields } = concordance
    const [listed] = (await app.ask('/concordances')).body as AnyRecord[]
    for (const record of [listed, (await app.ask('/concordances/tools-goods')).body as AnyRecord]) {
      expect(lost(fields, record)).toEqual([])
      expect(record!['distributions']).toEqual(expect.arrayContaining(distributions))
      expect([validate.concordance!(record!, { unknownFields: true }), validate.concordance!.errors ?? []]).toEqual([
        true,
        [],
      ])
    }
  })
})
