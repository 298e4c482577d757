import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FormatRecord } from '../../../src/doors/formats/record.ts'
import { FORMATS_GRAPH } from '../../../src/base/namespaces.ts'
import { formatConstants } from '../../../src/doors/formats/shapes.ts'
import { compareCodePoints } from '../../../src/graph/jskos/order.ts'
import { CRAFTS, DEMO, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { loadRecords, removeRecord } from './records.ts'

const demo = readFileSync(resolve(DEMO, 'formats.ndjson'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FormatRecord)
const ids = demo.map(({ id }) => id).sort(compareCodePoints)

/** The demo records in which a property has one of some values. */
const having = (name: string, ...values: string[]) =>
  ids.filter((id) =>
    [demo.find((record) => record.id === id)![name]].flat().some((value) => values.includes(value as string)),
  )

/** Ids that some part on the way between a client and the store could take for something else. */
const HOSTILE_IDS = [
  'a/b/c',
  'a//b',
  '/a',
  'a.json',
  'schema.json',
  'context.json',
  'schema.json.json',
  'a b',
  ' a',
  'a+b',
  'a%2Fb',
  'a%b',
  'a?b',
  'a#b',
  'a&b',
  'a|b',
  'a\\b',
  'a"b',
  "a'b",
  '<a>',
  '{a}',
  'ä',
  'a\u0308',
  '漢字',
  '👩‍🔬',
  '\u{10000}',
  '\ufffd',
  '__proto__',
  'constructor',
  '@id',
  '_:b0',
  'http://example.org/a?b#c',
  'a\nb',
  'a\u0001b',
  '"} } ; DROP ALL ; #',
  ':id',
  '*id',
  '...',
  'x'.repeat(2000),
]

describeOver(EMBEDDED, 'the endpoints of format records', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let constants: Record<string, string>
  const namesOf = (body: FormatRecord[]) => body.map(({ id }) => id)

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    constants = { ...formatConstants(app.config) }
    await loadRecords(app, demo)
  })
  /** Nothing but the demo. */
  const restart = async () => {
    await app.client.update(`DROP GRAPH <${FORMATS_GRAPH}>`, FORMATS_GRAPH)
    await loadRecords(app, demo)
  }
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  test('GET /formats: all records in the order of their ids', async () => {
    const { status, headers, body } = await app.get('/formats')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('x-total-count')).toBe('28')
    expect(headers.get('link')).toMatch(/\/formats>; rel="first", <.*\/formats>; rel="last"$/)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toMatch(/X-Total-Count,.*Link/)
    expect(namesOf(body)).toEqual(ids)
    for (const record of body) expect(record).toMatchObject(constants)
    expect((await app.get('/formats/')).body).toEqual(body)
  })

  test('pages do not overlap and link to each other', async () => {
    const uris: string[] = []
    let path: string | undefined = '/formats?limit=5&type=http://purl.org/dc/terms/FileFormat'
    const total = having('type', 'http://purl.org/dc/terms/FileFormat').length
    while (path) {
      const { headers, body } = await app.get(path)
      expect(headers.get('x-total-count')).toBe(String(total))
      uris.push(...namesOf(body))
      const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      path = next?.replace(app.config.baseUrl, '/')
    }
    expect(uris).toEqual(having('type', 'http://purl.org/dc/terms/FileFormat'))
  })

  test.each<[string, number, string[]]>([
    ['limit=0', 28, []],
    ['limit=3', 28, ids.slice(0, 3)],
    ['limit=3&offset=26', 28, ids.slice(26)],
    ['offset=27', 28, ids.slice(27)],
    ['offset=28', 28, []],
    ['offset=1000&limit=5', 28, []],
    ['limit=999999999', 28, ids],
    ['limit=&offset=', 28, ids],
    ['unknown=x&properties=title&language=en', 28, ids],
  ])('?%s', async (query, total, expected) => {
    const { status, headers, body } = await app.get(`/formats?${query}`)
    expect([status, headers.get('x-total-count'), namesOf(body)]).toEqual([200, String(total), expected])
  })

  test.each<[Record<string, string>, string[]]>([
    [{ application: 'application/schema' }, ['abnf', 'json-schema', 'xsd']],
    [{ application: 'application/authority' }, ['jskos', 'marc', 'skos']],
    [
      { application: 'application/schema|application/authority|none' },
      ['abnf', 'jskos', 'json-schema', 'marc', 'skos', 'xsd'],
    ],
    [{ model: 'rdf' }, having('model', 'rdf')],
    [{ base: 'xml' }, having('base', 'xml')],
    [{ for: 'ndjson' }, ['json-schema']],
    [{ profiles: 'csv' }, ['csv/rfc4180']],
    [{ type: 'http://purl.org/dc/terms/Standard' }, having('type', 'http://purl.org/dc/terms/Standard')],
    [
      { type: 'http://purl.org/dc/terms/Standard|http://www.w3.org/2004/02/skos/core#Concept' },
      having('type', 'http://purl.org/dc/terms/Standard', 'http://www.w3.org/2004/02/skos/core#Concept'),
    ],
    [{ model: 'rdf', base: 'json' }, ['rdf/json-ld']],
    [{ application: 'application/schema', for: 'xml|json', base: 'xml|json' }, ['json-schema', 'xsd']],
    [{ application: '' }, ids],
    [{ application: '|' }, ids],
    [{ application: 'none' }, []],
    [{ model: 'RDF' }, []],
    [{ base: '"} } #' }, []],
    [{ type: 'urn:none:x' }, []],
  ])('filters by %j', async (filters, expected) => {
    const { status, headers, body } = await app.ask('/formats', filters)
    expect([status, headers.get('x-total-count'), namesOf(body)]).toEqual([200, String(expected.length), expected])
    const dump = await app.ask('/formats.ndjson', filters)
    expect(dump.text.split('\n').filter(Boolean)).toEqual(body.map((record: FormatRecord) => JSON.stringify(record)))
  })

  test('filters by a type that is stored as a literal', async () => {
    await loadRecords(app, [{ id: 'odd', type: 'http://example.org/a/../b' }])
    const { body } = await app.ask('/formats', { type: 'http://example.org/a/../b' })
    expect(namesOf(body)).toEqual(['odd'])
    await removeRecord(app, 'odd')
  })

  test.each<[string, string]>([
    ['limit=ten', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e3', 'limit'],
    ['offset=1.5', 'offset'],
    ['limit=1&limit=2', 'limit'],
    ['application=a&application=b', 'application'],
    ['model[]=rdf', 'model'],
    ['type=relative', 'type'],
    ['type=http://example.org/a b', 'type'],
    ['for=%00', 'for'],
    ['base=%ff', 'base'],
    ['format=turtle', 'format'],
  ])('?%s is malformed', async (query, name) => {
    for (const path of name === 'format' ? ['/formats'] : ['/formats', '/formats.ndjson']) {
      const { status, body } = await app.get(`${path}?${query}`)
      expect([status, body.error, body.status]).toEqual([400, 'MalformedRequestError', 400])
      expect(body.message).toMatch(new RegExp(`^${name}: expected `))
    }
  })

  test('GET /formats/{id}: one object, also with .json, whatever way the slash is written', async () => {
    const expected = { ...constants, ...demo.find(({ id }) => id === 'marc/xml') }
    for (const path of ['marc/xml', 'marc%2Fxml', 'marc%2fxml', 'marc/xml.json', 'marc%2Fxml.json', 'marc/xml/']) {
      const { status, headers, body } = await app.get(`/formats/${path}`)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'application/json; charset=utf-8'])
      expect(body).toEqual(expected)
    }
    expect((await app.get('/formats/json')).body.id).toBe('json')
    expect((await app.get('/formats/json.json')).body.id).toBe('json')
  })

  test.each([
    'none',
    'marc/none',
    'MARC',
    'marc/xml.json.json',
    'marc//xml',
    '%00',
    'a%20b',
    '.json',
    'x'.repeat(9000),
    '%22%7D',
  ])('GET /formats/%s: 404 in JSON', async (id) => {
    const { status, headers, body } = await app.get(`/formats/${id}`)
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    expect(body).toEqual({ error: 'EntityNotFoundError', status: 404, message: expect.any(String) })
    expect(body.message.length).toBeLessThan(200)
  })

  test('GET /formats/%ff: no UTF-8', async () => {
    const { status, body } = await app.get('/formats/%ff')
    expect([status, body.error]).toEqual([400, 'MalformedRequestError'])
  })

  test('only GET and HEAD', async () => {
    for (const path of ['/formats', '/formats.ndjson', '/formats/json', '/formats/marc/xml', '/formats/schema.json']) {
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const { status, headers, body } = await app.get(path, { method })
        expect([path, method, status, headers.get('allow')]).toEqual([path, method, 405, 'GET, HEAD'])
        expect(body.error).toBe('MethodNotAllowedError')
      }
      const head = await app.get(path, { method: 'HEAD' })
      expect([path, head.status, head.text]).toEqual([path, 200, ''])
    }
  })

  test('answers have an ETag and are not sent twice', async () => {
    for (const path of ['/formats?limit=3', '/formats.ndjson', '/formats/json', '/formats/schema.json']) {
      const etag = (await app.get(path)).headers.get('etag')
      expect(etag).toMatch(/^W\/"/)
      const again = await app.get(path, { headers: { 'if-none-match': etag! } })
      expect([path, again.status, again.text]).toEqual([path, 304, ''])
    }
    const before = (await app.get('/formats?limit=3')).headers.get('etag')!
    await loadRecords(app, [{ id: 'added' }])
    expect((await app.get('/formats?limit=3', { headers: { 'if-none-match': before } })).status).toBe(200)
    await removeRecord(app, 'added')
  })

  test('/formats.ndjson: a record a line; /formats by Accept as well', async () => {
    const { status, headers, text } = await app.get('/formats.ndjson')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    expect(text.endsWith('\n')).toBe(true)
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as FormatRecord)
    expect(namesOf(records)).toEqual(ids)
    for (const init of [{ headers: { accept: 'application/x-ndjson' } }, undefined]) {
      const same = await app.get(init ? '/formats' : '/formats?format=ndjson', init)
      expect([same.headers.get('content-type'), same.text]).toEqual(['application/x-ndjson', text])
    }
  })

  describe('with BASE_URL, FORMAT_CONTEXT_URL and FORMAT_SCHEMA_URL', () => {
    test.each<[NodeJS.ProcessEnv, string, string]>([
      [
        { BASE_URL: 'https://vocabularies.test/api' },
        'https://vocabularies.test/api/formats/context.json',
        'https://vocabularies.test/api/formats/schema.json',
      ],
      [
        { FORMAT_CONTEXT_URL: 'http://c.test/context', FORMAT_SCHEMA_URL: 'http://s.test/schema#v1' },
        'http://c.test/context',
        'http://s.test/schema#v1',
      ],
    ])('%j', async (env, context, schema) => {
      const other = await startApp(running.endpoint, env)
      try {
        const record = await other.get('/formats/json')
        expect(record.body).toMatchObject({ '@context': context, $schema: schema })
        const served = JSON.parse((await other.get('/formats/schema.json')).text)
        expect(served.properties['@context'].const).toBe(context)
        expect(served.properties.$schema.const).toBe(schema)
      } finally {
        await other.close()
      }
    })
  })

  test('/formats/schema.json and /formats/context.json', async () => {
    const schema = await app.get('/formats/schema.json')
    expect([schema.status, schema.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/schema\+json/),
    ])
    expect(JSON.parse(schema.text)).toMatchObject({
      type: 'object',
      additionalProperties: false,
      $id: constants['$schema'],
    })
    const context = await app.get('/formats/context.json')
    expect([context.status, context.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/ld\+json/),
    ])
    const { properties } = JSON.parse(schema.text)
    const terms = Object.keys(JSON.parse(context.text)['@context'])
    expect(terms).toEqual(expect.arrayContaining(Object.keys(properties).filter((name) => name !== '@context')))
  })

  test('ids of any characters', async () => {
    const records = HOSTILE_IDS.map((id, index) => ({ id, title: `number ${index}` }))
    await loadRecords(app, records)
    const listed = (await app.get('/formats')).body as FormatRecord[]
    expect(namesOf(listed)).toEqual([...ids, ...HOSTILE_IDS].sort(compareCodePoints))
    // The paths of the schema and the context are taken: a record with such an id has other ways to write its path.
    const pathOf = (id: string) => encodeURIComponent(id).replace(/^(schema|context)\.json$/, '$1%2Ejson')
    for (const record of records) {
      const { status, body } = await app.get(`/formats/${pathOf(record.id)}`)
      expect([record.id, status, body]).toEqual([record.id, 200, { ...constants, ...record }])
    }
    // Those that a client writes as they are.
    for (const id of ['a/b/c', 'a//b', 'a.json', 'schema.json.json']) {
      expect((await app.get(`/formats/${id}`)).body.id).toBe(id)
    }
    for (const id of HOSTILE_IDS.slice(0, 8)) expect(await removeRecord(app, id)).toBe(true)
    await restart()
    expect(await removeRecord(app, 'a/b/c')).toBe(false)
    expect(namesOf((await app.get('/formats')).body)).toEqual(ids)
  })

  test('format records are neither vocabularies nor concepts', async () => {
    await putDemo(app)
    const questions = [
      '/voc',
      '/voc?subset=true&properties=*',
      '/voc/crafts?properties=*',
      '/data?id=json',
      '/data?notation=json',
      '/data?uri=urn:vocabulary-service:format:json&properties=*',
      '/data?uri=urn:vocabulary-service:formats',
      '/voc?uri=urn:vocabulary-service:formats',
      `/voc/concepts?uri=${CRAFTS}`,
      '/types',
      '/voc/top?uri=urn:vocabulary-service:formats',
      '/narrower?uri=urn:vocabulary-service:format:rdf',
    ]
    const answers = async () => Promise.all(questions.map(async (path) => (await app.get(path)).body as unknown))
    const withFormats = await answers()
    await app.client.update(`DROP GRAPH <${FORMATS_GRAPH}>`, FORMATS_GRAPH)
    expect((await app.get('/formats')).body).toEqual([])
    expect(await answers()).toEqual(withFormats)
  })
})
