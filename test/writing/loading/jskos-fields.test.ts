/** What JSKOS 0.7 says of a vocabulary, its concepts and the objects within them comes back from either store. */
import { describe, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { CONCEPT, CONCEPT_SCHEME, DCAT, SKOSXL } from '../../../src/base/namespaces.ts'
import { lost } from './jskos-comparison.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { HTML } from '../../doors/pages/html.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/towns/'
const P = 'http://example.org/property/'
const scheme = {
  uri: V,
  type: [CONCEPT_SCHEME],
  prefLabel: { en: 'Towns' },
  notation: ['towns'],
  notationExamples: ['T1', 'T2'],
  types: [{ uri: 'http://example.org/class/Town', prefLabel: { en: 'town' } }],
  objectTypes: [CONCEPT, 'http://example.org/class/Town'],
  publisher: [
    { prefLabel: { en: 'Acme' }, rank: 'preferred', url: 'https://acme.example/' },
    { uri: 'http://example.org/agent/diy', prefLabel: { en: 'DIY' }, altLabel: { en: ['Do it'] } },
  ],
  issueTracker: [{ uri: 'http://example.org/issues' }],
  issue: [{ url: 'https://example.org/issues/1', prefLabel: { en: 'First issue' } }],
  guidelines: [{ uri: 'http://example.org/guidelines' }],
  tool: [{ uri: 'http://example.org/tool', prefLabel: { en: 'Editor' } }],
  versionOf: [{ uri: 'http://example.org/settlements' }],
  basedOn: [{ uri: 'http://example.org/older' }],
  replacedBy: [{ prefLabel: { en: 'Places' } }],
  subjectOf: [{ uri: 'http://example.org/handbook', prefLabel: { en: 'Handbook' } }],
  source: [{ url: 'https://example.org/source' }],
  partOf: [
    {
      uri: 'http://example.org/registry',
      type: [`${DCAT}Catalog`],
      languages: ['en'],
      objectTypes: [CONCEPT_SCHEME],
      types: [{ uri: 'http://example.org/class/Street', prefLabel: { en: 'street' } }],
      schemes: [{ uri: 'http://example.org/streets/', prefLabel: { en: 'Streets' } }],
      properties: [{ uri: `${P}country`, prefLabel: { en: 'country' } }],
      registries: [{ uri: 'http://example.org/small-registry', prefLabel: { en: 'Small registry' } }],
      occurrences: [{ count: 7, database: { uri: 'http://example.org/catalogue' } }],
    },
  ],
  subject: [
    {
      uri: 'http://example.org/rivers/',
      namespace: 'http://example.org/rivers/',
      uriPattern: 'http://example\\.org/rivers/([0-9]+)',
      notationPattern: '[0-9]+',
      notationExamples: ['7'],
      topConcepts: [{ uri: 'http://example.org/rivers/1', prefLabel: { en: 'First River' } }],
    },
  ],
  address: { street: 'Main Street 1', ext: 'floor 3', locality: 'Town', code: '0123', country: 'Nowhere' },
  distributions: [
    {
      type: [`${DCAT}Distribution`],
      download: 'http://example.org/towns.ndjson.gz',
      format: 'http://format.gbv.de/jskos',
      mimetype: 'application/x-ndjson',
      compressFormat: 'http://www.iana.org/assignments/media-types/application/gzip',
      size: '12 kB',
      license: [{ uri: 'http://creativecommons.org/publicdomain/zero/1.0/' }],
      checksum: { algorithm: 'http://spdx.org/rdf/terms#checksumAlgorithm_sha256', value: 'ab12' },
    },
    { accessURL: 'https://example.org/api', services: [{ endpoint: 'https://example.org/api/' }] },
  ],
  services: [
    {
      api: 'http://bartoc.org/api-type/jskos',
      endpoint: 'https://example.org/jskos/',
      serves: [{ version: '1.0', versionOf: [{ uri: 'http://example.org/settlements' }] }],
    },
  ],
}
const concepts = [
  {
    uri: `${V}1`,
    type: [CONCEPT],
    inScheme: [{ uri: V }],
    prefLabel: { en: 'First Town' },
    qualifiedRelations: {
      [`${P}country`]: [
        {
          resource: { uri: 'http://example.org/east', prefLabel: { en: 'East' } },
          startDate: '1990-10-03',
          rank: 'preferred',
        },
        {
          resource: { uri: 'http://example.org/west', prefLabel: { en: 'West' } },
          startDate: '1949-05-23',
          endDate: '1990-10-02',
          source: [{ url: 'https://example.org/history' }],
        },
        { resource: { uri: `${V}2` } },
      ],
    },
    qualifiedLiterals: {
      [`${SKOSXL}prefLabel`]: [
        { type: [`${SKOSXL}Label`], literal: { string: 'Erste Stadt', language: 'de' }, startDate: '1447' },
      ],
      [`${P}plate`]: [{ literal: { string: 'F1' } }],
    },
    qualifiedDates: { [`${P}founded`]: [{ date: '0953' }, { date: '1453-04-06/1453-05-29' }] },
  },
  {
    uri: `${V}2`,
    type: [CONCEPT],
    inScheme: [{ uri: V }],
    prefLabel: { en: 'Second Town' },
    creator: [{ prefLabel: { en: 'An editor' }, url: 'https://example.org/editor' }],
    occurrences: [
      {
        relation: 'http://schema.org/about',
        count: 206,
        frequency: 0.25,
        modified: '2017-11-15T14:00:58.796Z',
        database: { uri: 'http://example.org/catalogue', prefLabel: { en: 'Catalogue' } },
        schemes: [{ uri: V }],
        memberSet: [{ uri: `${V}1` }, { uri: `${V}2` }],
        url: 'https://example.org/search?q=town',
        template: 'https://example.org/search?q={notation}',
        separator: '+and+',
      },
      { relation: 'http://example.org/instanceOf', count: 3706347 },
    ],
    media: [
      {
        type: 'Manifest',
        items: [],
        thumbnail: [{ type: 'Image', id: 'http://example.org/1.jpg', format: 'image/jpeg' }],
      },
    ],
    depiction: ['http://example.org/2.jpg'],
  },
  {
    uri: `${V}3`,
    type: [CONCEPT],
    inScheme: [{ uri: V }],
    prefLabel: { en: 'Both towns' },
    memberList: [{ uri: `${V}2` }, { uri: `${V}1` }],
    relatedDates: ['1900'],
    deprecated: true,
    partOf: [{ uri: 'http://example.org/registry', type: [`${DCAT}Catalog`] }],
    replacedBy: [{ url: 'https://example.org/new' }],
  },
]

const records: readonly AnyRecord[] = [scheme, ...concepts]
/** What validators refuse in records. */
const W = 'http://example.org/plates/'
const refused = {
  uri: `${W}4`,
  type: [CONCEPT],
  inScheme: [{ uri: W }],
  prefLabel: { en: 'Fourth Town' },
  qualifiedLiterals: { [`${P}plate`]: [{ uri: `${W}plate/4`, literal: { string: 'F4' } }] },
  qualifiedDates: { [`${P}founded`]: [{ date: '1500', place: [{ uri: `${V}1` }] }] },
}

const { write } = temporaryFolder()

/** Fields by their own name: all but those that every record has. */
const named = records.flatMap(({ uri, ...record }) =>
  Object.keys(record)
    .filter((name) => name !== 'type')
    .map((name) => [name, uri as string] as const),
)

describeOver(EMBEDDED, 'the fields of JSKOS 0.7', (store) => {
  let app: RunningApp
  let report: Awaited<ReturnType<typeof loadVocabulary>>

  shareApp(store, async (shared) => {
    app = shared
    const text = records.map((record) => JSON.stringify(record)).join('\n')
    report = await loadVocabulary(app.client, [await write('towns.ndjson', text)])
    const plates = { uri: W, type: [CONCEPT_SCHEME], prefLabel: { en: 'Plates' } }
    await loadVocabulary(app.client, [await write('plates.json', JSON.stringify([plates, refused]))])
  })

  const recordOf = async (uri: unknown, properties: string) => {
    const { body } = await app.ask('/data', { uri: uri as string, properties })
    return (body as AnyRecord[])[0]!
  }

  test('loading drops none', () => {
    expect(Object.keys(report.changes).filter((change) => change.startsWith('JSKOS'))).toEqual([])
  })

  test.each(records)('$uri has them all with `*`, and is valid', async ({ uri, ...record }) => {
    const actual = await recordOf(uri, '*')
    expect(lost(record, actual)).toEqual([])
    const kind = uri === V ? validate.scheme! : validate.concept!
    expect([kind(actual, { unknownFields: true }), kind.errors ?? []]).toEqual([true, []])
  })

  test.each(named)('%s of %s comes by its name', async (name, uri) => {
    const expected = records.find((record) => record['uri'] === uri)![name]
    expect(lost({ [name]: expected }, await recordOf(uri, name))).toEqual([])
  })

  test('the URI of a literal and the place of a date are in the graph and on the page alone', async () => {
    const record = await recordOf(refused.uri, '*')
    expect(record).toMatchObject({
      qualifiedLiterals: { [`${P}plate`]: [{ literal: { string: 'F4' } }] },
      qualifiedDates: { [`${P}founded`]: [{ date: '1500' }] },
    })
    expect(JSON.stringify(record)).not.toContain('place')
    expect(validate.concept!(record, { unknownFields: true })).toBe(true)
    const { text } = await app.ask('/voc/plates/export', { format: 'ntriples' })
    expect(text).toContain(`<${W}plate/4> <${SKOSXL}literalForm> "F4"`)
    expect(text).toMatch(new RegExp(`<http://schema.org/location> <${V}1>`))
    const page = await app.get(`/concept?uri=${refused.uri}&lang=en`, HTML)
    expect(page.text).toMatch(/<dl class="statements">.*First Town.*plate\/4/s)
  })

  test.each([
    [`${V}1`, ['East', '1990-10-03', 'preferred', 'example.org/history', '1447', '0953']],
    [`${V}2`, ['206', 'example.org/search', 'thumbnail']],
    [`${V}3`, ['Second Town']],
  ])('the page of %s has them among its statements', async (uri, texts) => {
    const page = await app.get(`/concept?uri=${uri}&lang=en`, HTML)
    const statements = /<dl class="statements">.*<\/dl>/s.exec(page.text)?.[0]
    for (const text of texts) expect(statements).toContain(text)
  })

  test('a page leads to what to use instead, if it has no URI, too', async () => {
    const page = await app.get(`/concept?uri=${V}3&lang=en`, HTML)
    expect(page.text).toMatch(/<p class="notice">[^<]*Use instead: <a href="https:\/\/example.org\/new"/)
  })

  test('the page of the vocabulary has them among its statements', async () => {
    const page = await app.get('/voc/towns?lang=en', HTML)
    const statements = /<dl class="statements">.*<\/dl>/s.exec(page.text)?.[0]
    for (const text of ['Issue tracker', 'Handbook', 'Main Street 1', 'towns.ndjson.gz', 'ab12', 'T2', 'jskos/']) {
      expect(statements).toContain(text)
    }
    expect(page.text).toContain('href="https://example.org/source"')
  })

  test('they stay away from the usual record', async () => {
    const body = await recordOf(`${V}1`, '')
    expect(Object.keys(body).filter((name) => name.startsWith('qualified'))).toEqual([])
  })

  test.each(['ndjson', 'turtle', 'jsonld', 'rdfxml', 'csv'])(
    'loading an export as %s again changes nothing',
    async (format) => {
      const { text } = await app.ask('/voc/towns/export', { format })
      const extension = { ndjson: 'ndjson', turtle: 'ttl', jsonld: 'jsonld', rdfxml: 'rdf', csv: 'csv' }[format]
      const again = await loadVocabulary(app.client, [await write(`export.${extension}`, text)])
      expect(again).toMatchObject({ concepts: concepts.length, created: 0, changed: 0, gone: 0 })
      for (const { uri, ...record } of records) expect(lost(record, await recordOf(uri, '*'))).toEqual([])
    },
  )

  test.each(['turtle', 'ntriples', 'jsonld'])('records in %s have the same statements', async (format) => {
    const { text } = await app.ask('/data', { uri: `${V}1`, properties: '*', format })
    for (const term of ['property/country', 'ontology#rank', 'skos-xl#literalForm', '0953']) {
      expect(text).toContain(term.split(/[#/]/).at(-1))
    }
  })
})

test('what a separate record of the vocabulary loses is counted and named, as of the files', async () => {
  const wrong = {
    unknown: 1,
    license: [{ uri: 'http://example.org/[x]' }],
    qualifiedRelations: { [`${P}twin`]: [{ rank: 'normal' }] },
  }
  const record = await write('separate.json', JSON.stringify({ ...scheme, ...wrong }))
  const concept = { uri: `${V}a`, inScheme: [{ uri: V }], prefLabel: { en: 'a' } }
  const prepared = await prepareVocabulary([await write('alone.ndjson', JSON.stringify(concept))], { record })
  prepared.close()
  expect(prepared.normalised.changes).toMatchObject({
    'JSKOS field unknown dropped': 1,
    'statement with a wrong IRI left out': 1,
    'qualified statement without its value left out': 1,
  })
  expect(prepared.warnings).toContainEqual(
    expect.objectContaining({
      rule: 'iri',
      message: expect.stringMatching(/\[x\]> \(separate\.json, line 1, column /),
    }),
  )
})

test('a rank that RDF cannot have is counted: of a resource with a record, and a second one of another', async () => {
  const agent = (rank: string) => ({ uri: 'http://example.org/agent', prefLabel: { en: 'Agent' }, rank })
  const concept = (name: string, fields: AnyRecord) => ({
    uri: `${V}${name}`,
    inScheme: [{ uri: V }],
    prefLabel: { en: name },
    ...fields,
  })
  const given = [
    scheme,
    concept('a', { creator: [agent('preferred')], related: [{ uri: `${V}b`, rank: 'preferred' }] }),
    concept('b', { creator: [agent('normal')] }),
    concept('c', { creator: [agent('preferred')], related: [{ uri: `${V}a`, rank: 'normal' }] }),
  ]
  const prepared = await prepareVocabulary([await write('ranks.json', JSON.stringify(given))])
  const text = prepared.normalised.graphs.read(0)
  prepared.close()
  expect(prepared.normalised.changes['JSKOS field rank dropped']).toBe(3)
  expect(text.split('\n').filter((line) => line.startsWith('<http://example.org/agent> '))).toContain(
    '<http://example.org/agent> <http://wikiba.se/ontology#rank> "preferred" .',
  )
  expect(text).not.toContain('"normal"')
})

test('what a registry or another vocabulary within a record contains is counted if RDF has no term for it', async () => {
  const members = [{ uri: `${P}1`, prefLabel: { en: 'One' } }]
  const mappings = [{ from: { memberSet: [{ uri: `${V}1` }] }, to: { memberSet: [] } }]
  const registry = { prefLabel: { en: 'Registry' }, concepts: members, mappings, concordances: members }
  const given = { ...scheme, concepts: [{ uri: `${V}1` }], partOf: [registry, { ...registry, uri: `${P}registry` }] }
  const prepared = await prepareVocabulary([await write('registry.json', JSON.stringify(given))])
  prepared.close()
  expect(prepared.normalised.changes).toMatchObject({
    'JSKOS field concepts dropped': 2,
    'JSKOS field mappings dropped': 2,
    'JSKOS field concordances dropped': 2,
  })
})

test.each<[string, object]>([
  ['languages', { languages: ['en'] }],
  ['notationPattern', { notationPattern: '[0-9]+' }],
  ['topConcepts', { topConcepts: [{ uri: `${V}1` }] }],
])('a record without a type that has %s is a vocabulary', async (_, fields) => {
  const given = [
    { uri: V, prefLabel: { en: 'Towns' }, ...fields },
    { uri: `${V}1`, inScheme: [{ uri: V }] },
  ]
  const prepared = await prepareVocabulary([await write('untyped.json', JSON.stringify(given))])
  prepared.close()
  expect(prepared.normalised.concepts).toBe(1)
})

describe('qualified statements that are none', () => {
  test.each<[string, object, string]>([
    ['qualifiedRelations', { [`${P}country`]: [{ startDate: '1990' }] }, `qualifiedRelations.${P}country[0].resource`],
    ['qualifiedRelations', { country: [{ resource: { uri: V } }] }, 'qualifiedRelations.country'],
    [
      'qualifiedRelations',
      { [`${P}a`]: [{ resource: { uri: V } }, { resource: { uri: 'no IRI' } }] },
      `qualifiedRelations.${P}a[1].resource`,
    ],
    ['qualifiedDates', { [`${P}founded`]: [{ date: 'long ago' }] }, `qualifiedDates.${P}founded[0].date`],
    ['qualifiedLiterals', { [`${P}plate`]: [{ literal: 'F1' }] }, `qualifiedLiterals.${P}plate[0].literal`],
    [
      'qualifiedLiterals',
      { [`${P}plate`]: [{ literal: { string: 'F', language: '?' } }] },
      `qualifiedLiterals.${P}plate[0].literal.language`,
    ],
  ])('%s %j: a warning names %s, and the rest loads', async (name, value, path) => {
    const ninth = { uri: `${V}9`, inScheme: [{ uri: V }], prefLabel: { en: 'Ninth' }, [name]: value }
    const prepared = await prepareVocabulary([await write('wrong.json', JSON.stringify([scheme, ninth]))])
    const text = prepared.normalised.graphs.read(0)
    prepared.close()
    const finding = prepared.warnings.find(({ rule }) => rule === 'qualified')
    expect(finding).toMatchObject({ severity: 'violation', count: 1, focusNodes: [`<${V}9>`] })
    expect(finding!.message).toMatch(new RegExp(`: ${path.replaceAll(/[.[\]]/g, '\\$&')}$`))
    expect(prepared.normalised.changes['qualified statement without its value left out']).toBe(1)
    expect(text).toContain('"Ninth"@en')
  })
})
