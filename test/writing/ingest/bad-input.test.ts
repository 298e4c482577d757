/** Requests that are wrong, each in its own way: the status, what the answer names, and a store that is as it was. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CRAFTS, MATERIALS, putDemo } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

const SKOS = 'http://www.w3.org/2004/02/skos/core#'

interface Case {
  name: string
  /** The body, as a value or as it is sent. */
  body: (account: TestAccount) => unknown
  headers?: Record<string, string>
  status: number
  /** Paths of the violations, in any order. */
  paths?: string[]
  /** In the message. */
  says?: string
}

const ERRORS: Record<number, string> = {
  400: 'MalformedRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenAccessError',
  413: 'PayloadTooLargeError',
  422: 'InvalidBodyError',
}

/** A request with these concepts. */
const of = (concepts: unknown) => (account: TestAccount) => [{ ...account, data: JSON.stringify(concepts) }]
/** A request with this text as data. */
const data = (text: unknown) => (account: TestAccount) => [{ ...account, data: text }]
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const bodies: Case[] = [
  { name: 'nothing', body: () => '', status: 400, says: 'got nothing' },
  { name: 'text', body: () => 'username=a&token=b', status: 400, says: 'got something else' },
  { name: 'half of a JSON text', body: () => '[{"username": "a", "tok', status: 400, says: 'got something else' },
  {
    name: 'bytes that are no UTF-8',
    body: () => new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]),
    status: 400,
    says: 'UTF-8',
  },
  {
    name: 'bytes that are not compressed as they say',
    body: () => '[]',
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    says: 'Content-Encoding',
  },
  { name: 'JSON in UTF-16', body: () => new Uint8Array(Buffer.from('[]', 'utf16le')), status: 400 },
  {
    name: 'an Idempotency-Key with a space',
    body: of([concept()]),
    headers: { 'idempotency-key': 'a b' },
    status: 400,
    says: 'Idempotency-Key',
  },
  {
    name: 'an Idempotency-Key that is too long',
    body: of([concept()]),
    headers: { 'idempotency-key': 'a'.repeat(256) },
    status: 400,
    says: 'Idempotency-Key',
  },
  { name: 'an object', body: (account) => ({ ...account, data: '[]' }), status: 422, paths: [''] },
  { name: 'null', body: () => 'null', status: 422, paths: [''] },
  { name: 'a string', body: () => '"[]"', status: 422, paths: [''] },
  { name: 'an empty array', body: () => [], status: 422, paths: [''], says: 'one or more' },
  { name: 'an array of null', body: () => [null], status: 422, paths: ['0'] },
  { name: 'an array of arrays', body: () => [[]], status: 422, paths: ['0'] },
  { name: 'an empty object', body: () => [{}], status: 422, paths: ['0.username', '0.token', '0.data'] },
  { name: 'brackets 100,000 deep', body: () => nested(100_000), status: 422, paths: [''] },
  { name: 'brackets 100 deep', body: () => nested(100), status: 422, paths: ['0'] },
  { name: 'no username', body: ({ token }) => [{ token, data: '[{}]' }], status: 422, paths: ['0.username'] },
  { name: 'no token', body: ({ username }) => [{ username, data: '[{}]' }], status: 422, paths: ['0.token'] },
  { name: 'an empty token', body: (a) => [{ ...a, token: '', data: '[{}]' }], status: 422, paths: ['0.token'] },
  {
    name: 'a username that is a number',
    body: (a) => [{ ...a, username: 1, data: '[{}]' }],
    status: 422,
    paths: ['0.username'],
  },
  {
    name: 'a token that is an array',
    body: (a) => [{ ...a, token: [a.token], data: '[{}]' }],
    status: 422,
    paths: ['0.token'],
  },
  { name: 'no data', body: (account) => [{ ...account }], status: 422, paths: ['0.data'] },
  { name: 'data that is an array itself', body: data([concept()]), status: 422, paths: ['0.data'] },
  {
    name: 'an unknown field beside data',
    body: (a) => [{ ...a, data: '[{}]', voc: 'crafts' }],
    status: 422,
    paths: ['0.voc'],
  },
  {
    name: '__proto__ beside data',
    body: ({ username, token }) =>
      `[{"username":${JSON.stringify(username)},"token":${JSON.stringify(token)},"data":"[{}]","__proto__":{"a":1}}]`,
    status: 422,
    paths: ['0.__proto__'],
  },
  { name: 'data that is empty', body: data(''), status: 422, paths: ['0.data'] },
  { name: 'data that is not JSON', body: data('prefLabel: x'), status: 422, paths: ['0.data'] },
  { name: 'data that is half encoded', body: data('%5B%7B%zz'), status: 422, paths: ['0.data'] },
  {
    name: 'data that is encoded twice',
    body: data(encodeURIComponent(encodeURIComponent('[{}]'))),
    status: 422,
    paths: ['0.data'],
  },
  { name: 'data that is an object', body: of(concept()), status: 422, paths: ['0.data'] },
  { name: 'data that is null', body: data('null'), status: 422, paths: ['0.data'] },
  { name: 'data without a concept', body: of([]), status: 422, paths: ['0.data'] },
  {
    name: 'two accounts',
    body: (a) => [
      { ...a, data: JSON.stringify([concept()]) },
      { username: 'x', token: 'y', data: JSON.stringify([concept()]) },
    ],
    status: 422,
    paths: ['1.username'],
  },
  { name: '10 MB', body: (a) => [{ ...a, data: 'x'.repeat(10_000_000) }], status: 413, says: '1048576 bytes' },
  { name: 'a little more than 1 MiB', body: () => ' '.repeat(1024 * 1024 + 1), status: 413 },
  { name: '1,001 concepts', body: of(Array.from({ length: 1001 }, () => ({}))), status: 413, says: '1000' },
  {
    name: '1,001 concepts in two objects, without a token',
    body: () => [{ data: JSON.stringify(Array(1000).fill({})) }, { data: '[{}]' }],
    status: 413,
  },
  {
    name: '1,001 concepts beside 5,000 unknown values',
    body: (a) => [{ ...a, data: JSON.stringify(Array(1001).fill({})), unknown: Array(5000).fill(0) }],
    status: 413,
    says: '1000',
  },
  {
    name: '1,000 concepts in two objects, beside 5,000 unknown values',
    body: (a) => [
      {
        unknown: Array(5000).fill({ data: '[{}]' }),
        ...a,
        data: encodeURIComponent(JSON.stringify(Array(999).fill({}))),
      },
      { ...a, data: '[{}]' },
    ],
    status: 422,
    paths: [''],
  },
  { name: '2,000 request objects', body: () => Array(2000).fill({}), status: 413 },
  {
    name: 'an unknown username',
    body: ({ token }) => of([concept()])({ username: 'nobody', token }),
    status: 401,
    says: 'username, token',
  },
  {
    name: 'a wrong token',
    body: ({ username }) => of([concept()])({ username, token: 'wrong' }),
    status: 401,
    says: 'username, token',
  },
  { name: 'the hash for a token', body: ({ username }) => of([{}])({ username, token: 'a'.repeat(64) }), status: 401 },
  {
    name: 'a wrong token in the second object',
    body: (a) => [...of([concept()])(a), ...of([concept()])({ ...a, token: 'wrong' })],
    status: 401,
  },
]

const concepts: Case[] = [
  { name: 'a concept that is null', body: of([null]), status: 422, paths: ['0.data.0'] },
  { name: 'a concept that is a string', body: of(['x']), status: 422, paths: ['0.data.0'] },
  { name: 'a concept that is an array', body: of([[]]), status: 422, paths: ['0.data.0'] },
  { name: 'a concept with nothing', body: of([{}]), status: 422, paths: ['0.data.0.inScheme', '0.data.0.prefLabel'] },
  { name: 'brackets 100,000 deep in data', body: data(nested(100_000)), status: 422, paths: ['0.data.0'] },
  {
    name: 'a second concept that is wrong beside a right one',
    body: of([concept(), concept({ prefLabel: {} })]),
    status: 422,
    paths: ['0.data.1.prefLabel.de'],
  },
  {
    name: 'several objects with several violations',
    body: (a) => [...of([concept({ notation: 'x' })])(a), ...of([concept({ foo: 1, bar: 2 })])(a)],
    status: 422,
    paths: ['0.data.0.notation', '1.data.0.foo', '1.data.0.bar'],
  },
  { name: 'a uri', body: of([concept({ uri: `${CRAFTS}mine` })]), status: 422, paths: ['0.data.0.uri'] },
  { name: 'a uri that is null', body: of([concept({ uri: null })]), status: 422, paths: ['0.data.0.uri'] },
  {
    name: 'a foreign @context',
    body: of([concept({ '@context': 'http://evil.test/' })]),
    status: 422,
    paths: ['0.data.0.@context'],
  },
  {
    name: 'a @context of its own',
    body: of([concept({ '@context': { prefLabel: 'x:y' } })]),
    status: 422,
    paths: ['0.data.0.@context'],
  },
  { name: 'an @id', body: of([concept({ '@id': 'http://example.org/x' })]), status: 422, paths: ['0.data.0.@id'] },
  { name: 'a @graph', body: of([concept({ '@graph': [] })]), status: 422, paths: ['0.data.0.@graph'] },
  ...[
    'id',
    'created',
    'modified',
    'publisher',
    'license',
    'mapping',
    'mappings',
    'topConceptOf',
    'related',
    'exactMatch',
    'foo',
    '',
  ].map((name) => ({
    name: `the field ${JSON.stringify(name)}`,
    body: of([concept({ [name]: [] })]),
    status: 422,
    paths: [`0.data.0.${name}`],
    says: 'no such field',
  })),
  {
    name: '__proto__ in a concept',
    body: data(`[{"inScheme":[{"uri":"${CRAFTS}"}],"prefLabel":{"de":"x"},"__proto__":{"x":1}}]`),
    status: 422,
    paths: ['0.data.0.__proto__'],
  },
  {
    name: '__proto__ for a prefLabel',
    body: data(`[{"inScheme":[{"uri":"${CRAFTS}"}],"__proto__":{"prefLabel":{"de":"x"}}}]`),
    status: 422,
    paths: ['0.data.0.__proto__', '0.data.0.prefLabel'],
  },
  {
    name: '__proto__ as a language',
    body: data(`[{"inScheme":[{"uri":"${CRAFTS}"}],"prefLabel":{"de":"x","__proto__":"x"}}]`),
    status: 422,
    paths: ['0.data.0.prefLabel.__proto__'],
  },
  {
    name: 'constructor as a field',
    body: of([concept({ constructor: {} })]),
    status: 422,
    paths: ['0.data.0.constructor'],
  },

  {
    name: 'a type that is a string',
    body: of([concept({ type: `${SKOS}Concept` })]),
    status: 422,
    paths: ['0.data.0.type'],
  },
  {
    name: 'a type that is no IRI',
    body: of([concept({ type: ['concept'] })]),
    status: 422,
    paths: ['0.data.0.type.0'],
  },
  {
    name: 'a type with a space',
    body: of([concept({ type: ['http://a b'] })]),
    status: 422,
    paths: ['0.data.0.type.0'],
  },
  {
    name: 'a type with a bad escape',
    body: of([concept({ type: ['http://a/%zz'] })]),
    status: 422,
    paths: ['0.data.0.type.0'],
  },
  {
    name: 'a type with a bad port',
    body: of([concept({ type: ['http://a:b/'] })]),
    status: 422,
    paths: ['0.data.0.type.0'],
  },
  { name: 'a type that is a number', body: of([concept({ type: [1] })]), status: 422, paths: ['0.data.0.type.0'] },
  ...['ConceptScheme', 'Collection', 'OrderedCollection'].map((name) => ({
    name: `the type skos:${name}`,
    body: of([concept({ type: [SKOS + name] })]),
    status: 422,
    paths: ['0.data.0.type.0'],
  })),

  { name: 'no inScheme', body: of([concept({ inScheme: undefined })]), status: 422, paths: ['0.data.0.inScheme'] },
  { name: 'inScheme empty', body: of([concept({ inScheme: [] })]), status: 422, paths: ['0.data.0.inScheme'] },
  {
    name: 'inScheme an object',
    body: of([concept({ inScheme: { uri: CRAFTS } })]),
    status: 422,
    paths: ['0.data.0.inScheme'],
  },
  {
    name: 'inScheme of strings',
    body: of([concept({ inScheme: [CRAFTS] })]),
    status: 422,
    paths: ['0.data.0.inScheme.0'],
  },
  {
    name: 'inScheme without uri',
    body: of([concept({ inScheme: [{ notation: ['crafts'] }] })]),
    status: 422,
    paths: ['0.data.0.inScheme.0.uri'],
  },
  {
    name: 'inScheme with null',
    body: of([concept({ inScheme: [{ uri: CRAFTS }, null] })]),
    status: 422,
    paths: ['0.data.0.inScheme.1'],
  },
  {
    name: 'inScheme with a relative uri',
    body: of([concept({ inScheme: [{ uri: 'crafts' }] })]),
    status: 422,
    paths: ['0.data.0.inScheme.0.uri'],
  },
  {
    name: 'inScheme with an unknown field',
    body: of([concept({ inScheme: [{ uri: CRAFTS, id: 1 }] })]),
    status: 422,
    paths: ['0.data.0.inScheme.0.id'],
  },
  {
    name: 'inScheme twice',
    body: of([concept({ inScheme: [{ uri: CRAFTS }, { uri: CRAFTS }] })]),
    status: 422,
    paths: ['0.data.0.inScheme'],
  },
  {
    name: 'request objects with different vocabularies',
    body: (a) => [...of([concept()])(a), ...of([concept({ inScheme: [{ uri: MATERIALS }] })])(a)],
    status: 422,
    paths: ['1.data'],
  },
  { name: 'another vocabulary', body: of([concept({ inScheme: [{ uri: MATERIALS }] })]), status: 403 },
  {
    name: 'a vocabulary that is not there',
    body: of([concept({ inScheme: [{ uri: 'http://example.org/none' }] })]),
    status: 403,
  },
  {
    name: 'another vocabulary beside the own',
    body: of([concept({ inScheme: [{ uri: CRAFTS }, { uri: MATERIALS }] })]),
    status: 403,
  },
  { name: 'a subset', body: of([concept({ inScheme: [{ uri: `${CRAFTS}subset/school` }] })]), status: 403 },
  {
    name: 'one concept of two in another vocabulary',
    body: of([concept(), concept({ inScheme: [{ uri: MATERIALS }] })]),
    status: 403,
  },
  {
    name: 'another vocabulary and a wrong field: the concepts are looked at first',
    body: of([concept({ inScheme: [{ uri: MATERIALS }], foo: 1 })]),
    status: 422,
    paths: ['0.data.0.foo'],
  },

  { name: 'no prefLabel', body: of([concept({ prefLabel: undefined })]), status: 422, paths: ['0.data.0.prefLabel'] },
  { name: 'prefLabel a string', body: of([concept({ prefLabel: 'x' })]), status: 422, paths: ['0.data.0.prefLabel'] },
  {
    name: 'prefLabel an array',
    body: of([concept({ prefLabel: [{ de: 'x' }] })]),
    status: 422,
    paths: ['0.data.0.prefLabel'],
  },
  { name: 'prefLabel null', body: of([concept({ prefLabel: null })]), status: 422, paths: ['0.data.0.prefLabel'] },
  {
    name: 'prefLabel without de',
    body: of([concept({ prefLabel: { en: 'x' } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  },
  {
    name: 'prefLabel.de a list',
    body: of([concept({ prefLabel: { de: ['x'] } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  },
  {
    name: 'prefLabel.de null',
    body: of([concept({ prefLabel: { de: null } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  },
  {
    name: 'prefLabel.de a number',
    body: of([concept({ prefLabel: { de: 7 } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  },
  ...['', ' ', '\u00a0\u2003', '\u200b', '\ufeff'].map((de) => ({
    name: `prefLabel.de blank: ${JSON.stringify(de)}`,
    body: of([concept({ prefLabel: { de } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  })),
  ...['a\nb', 'a\tb', 'a\u0000b', 'a\u0007b', 'a\u0085b', 'a\u2028b', 'a\ufffeb', 'a\ud800', '\udc00b'].map((de) => ({
    name: `prefLabel.de with ${JSON.stringify(de)}`,
    body: of([concept({ prefLabel: { de } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  })),
  ...[
    ['a character that changes the direction of text', 'a\u202eb'],
    ['a mark of direction', 'a\u200f'],
    ['31 combining marks in a row', `e${'\u0301'.repeat(31)}`],
    ['5,001 characters', 'x'.repeat(5001)],
    ['300,000 combining marks', `e${'\u0301\u0323'.repeat(150_000)}`],
  ].map(([what, de]) => ({
    name: `a label with ${what}`,
    body: of([concept({ prefLabel: { de } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.de'],
  })),
  {
    name: 'notes and notations that are too long',
    body: of([
      concept({ note: { de: ['x'.repeat(100_001), `e${'\u0301'.repeat(31)}`] }, notation: ['x'.repeat(5001)] }),
    ]),
    status: 422,
    paths: ['0.data.0.note.de.0', '0.data.0.note.de.1', '0.data.0.notation.0'],
  },
  ...['de_DE', 'a', 'de-', '-', '', 'deutschland', 'de-x', 'de@x', 'd e', 'i-de', '@none', 'de-1'].map((tag) => ({
    name: `the language ${JSON.stringify(tag)}`,
    body: of([concept({ prefLabel: { de: 'x', [tag]: 'y' } })]),
    status: 422,
    paths: [`0.data.0.prefLabel.${tag}`],
    says: 'language tag',
  })),
  {
    name: 'a language twice',
    body: of([concept({ prefLabel: { de: 'x', DE: 'y' } })]),
    status: 422,
    paths: ['0.data.0.prefLabel.DE'],
  },
  {
    name: 'a language and a vocabulary twice beside other mistakes',
    body: of([
      concept({
        prefLabel: { de: 'x', DE: 'y' },
        inScheme: [{ uri: CRAFTS }, { uri: CRAFTS }, null],
        altLabel: { de: [''] },
      }),
      {},
    ]),
    status: 422,
    paths: [
      '0.data.0.prefLabel.DE',
      '0.data.0.inScheme',
      '0.data.0.inScheme.2',
      '0.data.0.altLabel.de.0',
      '0.data.1.inScheme',
      '0.data.1.prefLabel',
    ],
  },

  ...[
    'altLabel',
    'hiddenLabel',
    'note',
    'definition',
    'editorialNote',
    'changeNote',
    'scopeNote',
    'example',
    'historyNote',
  ].flatMap((name): Case[] => {
    const at = `0.data.0.${name}`
    return [
      { name: `${name} a string`, body: of([concept({ [name]: 'x' })]), status: 422, paths: [at] },
      { name: `${name} an array`, body: of([concept({ [name]: ['x'] })]), status: 422, paths: [at] },
      { name: `${name} null`, body: of([concept({ [name]: null })]), status: 422, paths: [at] },
      { name: `${name}.de a string`, body: of([concept({ [name]: { de: 'x' } })]), status: 422, paths: [`${at}.de`] },
      {
        name: `${name}.de with an object`,
        body: of([concept({ [name]: { de: [{}] } })]),
        status: 422,
        paths: [`${at}.de.0`],
      },
      {
        name: `${name}.de with an empty text`,
        body: of([concept({ [name]: { de: ['x', ''] } })]),
        status: 422,
        paths: [`${at}.de.1`],
      },
      {
        name: `${name} with a null character`,
        body: of([concept({ [name]: { de: ['\u0000'] } })]),
        status: 422,
        paths: [`${at}.de.0`],
      },
      {
        name: `${name} in a bad language`,
        body: of([concept({ [name]: { de_DE: ['x'] } })]),
        status: 422,
        paths: [`${at}.de_DE`],
      },
    ]
  }),
  {
    name: 'altLabel on two lines',
    body: of([concept({ altLabel: { de: ['a\nb'] } })]),
    status: 422,
    paths: ['0.data.0.altLabel.de.0'],
  },
  {
    name: 'a note with an escape character',
    body: of([concept({ note: { de: ['\u001b[31m'] } })]),
    status: 422,
    paths: ['0.data.0.note.de.0'],
  },

  ...['notation', 'identifier'].flatMap((name): Case[] => {
    const at = `0.data.0.${name}`
    return [
      { name: `${name} a string`, body: of([concept({ [name]: 'x' })]), status: 422, paths: [at] },
      { name: `${name} an object`, body: of([concept({ [name]: { de: 'x' } })]), status: 422, paths: [at] },
      { name: `${name} with a number`, body: of([concept({ [name]: ['a', 1] })]), status: 422, paths: [`${at}.1`] },
      { name: `${name} with null`, body: of([concept({ [name]: [null] })]), status: 422, paths: [`${at}.0`] },
      { name: `${name} with an empty text`, body: of([concept({ [name]: [''] })]), status: 422, paths: [`${at}.0`] },
      {
        name: `${name} with a line break`,
        body: of([concept({ [name]: ['a\r\nb'] })]),
        status: 422,
        paths: [`${at}.0`],
      },
      {
        name: `${name} with half a character`,
        body: of([concept({ [name]: ['\ud83d'] })]),
        status: 422,
        paths: [`${at}.0`],
      },
    ]
  }),
  ...['broader', 'narrower', 'ancestors'].flatMap((name): Case[] => [
    {
      name: `${name}`,
      body: of([concept({ [name]: [{ uri: `${CRAFTS}weaving` }] })]),
      status: 422,
      paths: [`0.data.0.${name}`],
      says: 'hierarchies',
    },
    { name: `${name} with null`, body: of([concept({ [name]: [null] })]), status: 422, paths: [`0.data.0.${name}`] },
    { name: `${name} null`, body: of([concept({ [name]: null })]), status: 422, paths: [`0.data.0.${name}`] },
  ]),
]

describeOver(EMBEDDED, 'wrong requests to /ingest', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount
  let before: unknown

  const state = async () => [
    await service.client.select('SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }'),
    await service.client.select('SELECT ?s ?r WHERE { ?s <urn:x-vocabulary-service:revision> ?r } ORDER BY ?s ?r'),
  ]

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await putDemo(service)
    account = await service.account()
    expect((await service.propose(account, [concept()])).status).toBe(201)
    before = await state()
  })
  afterAll(async () => {
    expect(service.reported).toEqual([])
    const log = service.logged.join('')
    expect(log).toContain('concepts ingested')
    expect(log).not.toContain(account.token)
    await service.close()
    await running.stop()
  })

  test.each([...bodies, ...concepts])('$status for $name', async ({ body, headers, status, paths, says }) => {
    const answer = await service.post(body(account), headers)
    expect([answer.status, answer.body?.message]).toEqual([status, expect.any(String)])
    const { error, message, Description, violations, ...rest } = answer.body
    expect({ error, rest }).toEqual({ error: ERRORS[status], rest: { status } })
    expect(Description).toBe(message)
    expect(answer.headers.get('content-type')).toContain('application/json')
    if (paths) expect(violations.map(({ path }: { path: string }) => path).sort()).toEqual([...paths].sort())
    if (status !== 422) expect(violations).toEqual([])
    if (says) expect(answer.text).toContain(says)
    expect(answer.text).not.toContain(account.token)
    expect(await state()).toEqual(before)
  })

  test('the same answer for an unknown username and for a wrong token', async () => {
    const unknown = await service.post([{ username: 'nobody', token: 'x', data: '[{}]' }])
    const wrong = await service.post([{ username: account.username, token: 'x', data: '[{}]' }])
    expect(unknown.text).toBe(wrong.text)
  })

  test.each([
    ['1,000 wrong concepts', 1000, () => of(Array(1000).fill(concept({ prefLabel: { en: 'x' } })))(account)],
    ['1,000 empty request objects', 3000, () => Array(1000).fill({})],
  ])('%s: a hundred violations, and how many more there are', async (_, count, body) => {
    const answer = await service.post(body())
    expect(answer.status).toBe(422)
    expect(answer.body.violations).toHaveLength(100)
    expect(answer.body.message).toContain(`(and ${count - 1} more)`)
    expect(await state()).toEqual(before)
  })

  test('the vocabulary of the account is gone', async () => {
    const scheme = 'http://example.org/gone/'
    const other = await service.account({ voc: scheme })
    const answer = await service.propose(other, [concept({ inScheme: [{ uri: scheme }] })])
    expect(answer.status).toBe(403)
    expect(await state()).toEqual(before)
  })
})
