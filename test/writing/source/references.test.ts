/** Objects within JSKOS records: copies of records that the files may have themselves. */
import { expect, test } from '@jest/globals'
import { BOOKKEEPING, CONCEPT, CONCEPT_SCHEME } from '../../../src/base/namespaces.ts'
import { prepareVocabulary, type LoadOptions } from '../../../src/writing/loading/prepare.ts'
import { temporaryFolder } from '../../folder.ts'

const V = 'http://example.org/tools/'
const SCHEME = {
  uri: V,
  type: [CONCEPT_SCHEME],
  prefLabel: { en: 'Tools' },
  notation: ['T'],
  license: [{ uri: `${V}cc` }],
}
const HAMMER = {
  uri: `${V}hammer`,
  type: [CONCEPT],
  prefLabel: { en: 'hammer' },
  notation: ['H'],
  inScheme: [{ uri: V }],
}
/** An old copy of the hammer. */
const COPY = { uri: `${V}hammer`, prefLabel: { en: 'mallet' }, notation: ['M'], broader: [{ uri: `${V}gone` }] }
const SLEDGE = { uri: `${V}sledge`, type: [CONCEPT], prefLabel: { en: 'sledgehammer' }, inScheme: [{ uri: V }] }

const { write } = temporaryFolder()

let files = 0
const ndjson = (records: object[]) =>
  write(`references-${files++}.ndjson`, records.map((record) => JSON.stringify(record)).join('\n'))

/** The statements about resources of the vocabulary, without bookkeeping, with short names. */
async function load(given: string[], options: LoadOptions = {}) {
  const prepared = await prepareVocabulary(given, { check: false, ids: ['tools'], ...options })
  const lines = prepared.normalised.graphs.read(0).split('\n')
  prepared.close()
  const { warnings, normalised } = prepared
  const statements = lines
    .filter((line) => line !== '' && !line.includes(`> <${BOOKKEEPING}`))
    .map((line) =>
      line
        .replaceAll(V, '')
        .replace(/<http[^ >]*[/#]([^/#>]+)>/g, '$1')
        .replace(/ \.$/, ''),
    )
  return { statements, warnings, concepts: normalised.concepts }
}

const about = (statements: string[], name: string) =>
  statements
    .filter((line) => line.startsWith(`<${name}> `))
    .map((line) => line.slice(name.length + 3))
    .sort()

const HAMMER_ONLY = ['notation "H"', 'prefLabel "hammer"@en']

test.each<[title: string, records: object[]]>([
  ['in broader, after the record', [SCHEME, HAMMER, { ...SLEDGE, broader: [COPY] }]],
  ['in broader, before the record', [{ ...SLEDGE, broader: [COPY] }, HAMMER, SCHEME]],
  [
    'in related, and in a copy of another concept',
    [SCHEME, { ...SLEDGE, related: [{ uri: `${V}x`, next: [COPY] }] }, HAMMER],
  ],
  ['in the top concepts of the vocabulary', [{ ...SCHEME, topConcepts: [COPY] }, HAMMER, SLEDGE]],
  ['in the concepts of the vocabulary', [{ ...SCHEME, concepts: [COPY] }, HAMMER, SLEDGE]],
  ['beside the record in the concepts', [{ ...SCHEME, concepts: [{ ...SLEDGE, broader: [COPY] }, HAMMER] }]],
  ['in previous and replacedBy', [SCHEME, HAMMER, { ...SLEDGE, previous: [COPY], replacedBy: [COPY] }]],
])('the record of a concept counts and no copy of it: %s', async (_, records) => {
  const { statements } = await load([await ndjson(records)])
  expect(about(statements, 'hammer').filter((line) => /^(notation|prefLabel|altLabel|broader) /.test(line))).toEqual(
    HAMMER_ONLY,
  )
  expect(statements.join('\n')).not.toContain('gone')
})

test('an object that names another vocabulary does not make it a vocabulary of the files', async () => {
  const other = { uri: `${V}all`, type: [CONCEPT_SCHEME, `${V}List`], prefLabel: { en: 'All tools' } }
  const { statements } = await load([await ndjson([{ ...SCHEME, versionOf: [other], subject: [other] }, HAMMER])])
  expect(about(statements, 'all')).toEqual(['prefLabel "All tools"@en', 'type <List>'])
})

test('the record of a vocabulary counts and no copy of it in inScheme, topConceptOf and partOf', async () => {
  const copy = {
    uri: V,
    type: [CONCEPT_SCHEME],
    prefLabel: { en: 'Old tools' },
    notation: ['OLD'],
    license: [{ uri: `${V}by` }],
  }
  const records = [{ ...HAMMER, inScheme: [copy], topConceptOf: [copy], partOf: [copy] }, SCHEME]
  const { statements } = await load([await ndjson(records)])
  expect(about(statements, '').filter((line) => /^(prefLabel|altLabel|notation|license) /.test(line))).toEqual([
    'license <cc>',
    'notation "T"',
    'notation "tools"',
    'prefLabel "Tools"@en',
  ])
})

test('copies count where the files have no record, with what they name', async () => {
  const publisher = { uri: `${V}press`, prefLabel: { en: 'Press' }, url: 'http://press.example/' }
  const nameless = { prefLabel: { en: 'Nobody' } }
  const records = [
    SCHEME,
    { ...SLEDGE, publisher: [publisher, nameless], broader: [{ ...COPY, type: [CONCEPT], creator: [publisher] }] },
  ]
  const { statements, concepts } = await load([await ndjson(records)])
  expect(about(statements, 'press')).toEqual(['page <http://press.example/>', 'prefLabel "Press"@en'])
  expect(about(statements, 'hammer')).toEqual(
    expect.arrayContaining([
      'broader <gone>',
      'creator <press>',
      'notation "M"',
      'prefLabel "mallet"@en',
      'type Concept',
    ]),
  )
  expect(statements.filter((line) => line.endsWith('prefLabel "Nobody"@en'))).toHaveLength(1)
  expect(concepts).toBe(2)
})

test('a member of concepts is the record of a concept that has no other', async () => {
  const tree = {
    ...SCHEME,
    concepts: [
      { uri: `${V}hammer`, prefLabel: { en: 'hammer' } },
      { ...SLEDGE, broader: [COPY] },
    ],
  }
  const { statements, concepts } = await load([await ndjson([tree])])
  expect(about(statements, 'hammer').filter((line) => line.includes('Label'))).toEqual(['prefLabel "hammer"@en'])
  expect(concepts).toBe(2)
  // A member with nothing but its URI is no record.
  const bare = await load([
    await ndjson([{ ...SCHEME, concepts: [{ uri: `${V}hammer` }, { ...SLEDGE, broader: [COPY] }] }]),
  ])
  expect(about(bare.statements, 'hammer').filter((line) => line.includes('Label'))).toEqual(['prefLabel "mallet"@en'])
  expect(bare.concepts).toBe(2)
})

test('a record in another file counts, also in another format, and in the record of the vocabulary', async () => {
  const first = await ndjson([SCHEME, { ...SLEDGE, broader: [COPY] }])
  const turtle = `<${V}hammer> a <${CONCEPT}> ; <http://www.w3.org/2004/02/skos/core#prefLabel> "hammer"@en .`
  const { statements } = await load([first, await write('hammer.ttl', turtle)])
  expect(about(statements, 'hammer').filter((line) => line.includes('Label'))).toEqual(['prefLabel "hammer"@en'])

  const record = await ndjson([
    { ...SCHEME, topConcepts: [COPY], publisher: [{ uri: `${V}p`, prefLabel: { en: 'P' } }] },
  ])
  const joined = await load([await ndjson([HAMMER])], { record })
  expect(about(joined.statements, 'hammer').filter((line) => line.includes('Label'))).toEqual(['prefLabel "hammer"@en'])
  expect(about(joined.statements, 'p')).toEqual(['prefLabel "P"@en'])
})

test('copies make no finding', async () => {
  const { warnings } = await load([await ndjson([SCHEME, HAMMER, { ...SLEDGE, broader: [COPY] }])], { check: true })
  expect(warnings).toEqual([])
})
