/** The requests of jskos-server's clients beyond the spec: the paths and parameters of JSKOS API 2. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CONCEPT, CONCEPT_SCHEME } from '../../src/base/namespaces.ts'
import { CRAFTS, MATERIALS, putDemo, startApp, type RunningApp } from '../app.ts'
import { NO_DATA, TEST_DATA } from '../data.ts'
import { describeOver, EMBEDDED } from '../stores.ts'

const BOOKS = `${CRAFTS}book-and-paper`
const REGISTRY = 'http://bartoc.org/en/node/313'
const STW = 'http://zbw.example/stw'
const OTHER = 'http://example.org/other/'
const [CC_BY, GND, DDC] = [
  'http://creativecommons.org/licenses/by/4.0/',
  'http://d-nb.info/gnd/1',
  'http://dewey.info/class/33',
]

/** A vocabulary whose identifiers are a text and a URI of a registry, and one more. */
const SCHEMES = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  <${STW}> a skos:ConceptScheme ; skos:notation "stw" ; dct:identifier "stw", <${REGISTRY}> ;
    skos:prefLabel "Standard-Thesaurus Wirtschaft"@de, "STW Thesaurus for Economics"@en ; skos:altLabel "Wirtschaftsthesaurus"@de ;
    dct:license <${CC_BY}> ; dct:publisher <${GND}> ; dct:subject <${DDC}> ; dct:created "1998-01-01"^^xsd:date .
  <${STW}/c1> a skos:Concept ; skos:inScheme <${STW}> ; skos:topConceptOf <${STW}> ; skos:prefLabel "Messe"@de ; skos:notation "1" .
`
const ZOO = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  <${OTHER}> a skos:ConceptScheme, <http://w3id.org/nkos/nkostype#list> ; skos:notation "other" ; skos:prefLabel "Äpfel"@de ;
    dct:license <${CC_BY}> ; dct:created "2020-01-01"^^xsd:date ; dct:modified "2021-01-01"^^xsd:date .
`

describeOver(EMBEDDED, 'The JSKOS API', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await putDemo(app)
    await app.put(STW, SCHEMES)
    await app.put(OTHER, ZOO)
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  const uris = (body: any): string[] => body.map(({ uri }: any) => uri)
  const ask = async (path: string, parameters: Record<string, string> = {}) => {
    const answer = await app.ask(path, parameters)
    expect([path, parameters, answer.status, answer.body?.message]).toEqual([path, parameters, 200, undefined])
    return answer
  }

  test.each<[also: string, path: string, parameters: Record<string, string>]>([
    ['/concepts/narrower', '/narrower', { uri: BOOKS }],
    ['/concepts/ancestors', '/ancestors', { uri: `${CRAFTS}bookbinding` }],
    ['/concepts/search', '/search', { query: 'buch', voc: 'crafts' }],
    ['/concepts/suggest', '/suggest', { search: 'buch' }],
    ['/concepts', '/data', { uri: `${BOOKS}|${CRAFTS}bookbinding` }],
    ['/concepts', '/data', { notation: 'B1' }],
    ['/concepts', '/data', { id: `${CRAFTS}bookbinding`, properties: '-' }],
  ])('%s is %s', async (also, path, parameters) => {
    const expected = await ask(path, parameters)
    expect(expected.body.length).toBeGreaterThan(0)
    const answer = await ask(also, parameters)
    expect(answer.body).toEqual(expected.body)
    expect(answer.headers.get('x-total-count')).toBe(expected.headers.get('x-total-count'))
    expect((await app.ask(also, parameters, { method: 'PUT' })).status).toBe(405)
  })

  describe('/concepts without a selection', () => {
    test('has all concepts in pages of 100', async () => {
      const first = await ask('/concepts')
      expect(first.body).toHaveLength(100)
      expect(first.headers.get('link')).toMatch(/limit=100&offset=100>; rel="next"/)
      const total = Number(first.headers.get('x-total-count'))
      const all = await ask('/concepts', { limit: '10000' })
      expect(all.body).toHaveLength(total)
      expect(uris(all.body).slice(0, 100)).toEqual(uris(first.body))
      for (const { type } of all.body) expect(type[0]).toBe(CONCEPT)
    })

    test.each(['uri', 'id', 'notation'])('likewise with an empty %s, in a vocabulary or a subset', async (name) => {
      const crafts = await ask('/voc/concepts', { uri: CRAFTS })
      const { body, headers } = await ask('/concepts', { [name]: '', voc: 'crafts' })
      expect(headers.get('x-total-count')).toBe(crafts.headers.get('x-total-count'))
      expect(uris(body)).toEqual(uris(crafts.body).slice(0, 100))
      const school = await ask('/concepts', { voc: 'subset_crafts-school' })
      expect(school.body.length).toBeGreaterThan(3)
      expect(school.body.length).toBeLessThan(crafts.body.length)
      expect((await ask('/concepts', { voc: 'unknown' })).body).toEqual([])
    })

    test('several selections are too many', async () => {
      expect((await app.ask('/concepts', { uri: BOOKS, notation: 'B' })).status).toBe(400)
    })
  })

  describe('a vocabulary is found by its identifiers', () => {
    test.each([
      ['the URI', STW],
      ['the URI with a slash', `${STW}/`],
      ['the URI with https', STW.replace('http:', 'https:')],
      ['the registry', REGISTRY],
      ['the registry with https', REGISTRY.replace('http:', 'https:')],
      ['all of them, as clients send them', `${STW}|stw|${STW}/|${REGISTRY}`],
    ])('%s', async (_, uri) => {
      for (const name of ['uri', 'id']) expect(uris((await ask('/voc', { [name]: uri })).body)).toEqual([STW])
      expect(uris((await ask('/voc/top', { uri })).body)).toEqual([`${STW}/c1`])
      expect(uris((await ask('/voc/concepts', { uri })).body)).toEqual([`${STW}/c1`])
      expect(uris((await ask('/types', { uri })).body)).toEqual([CONCEPT])
      const [record] = (await ask('/data', { uri })).body
      expect([record.uri, record.type[0]]).toEqual([STW, CONCEPT_SCHEME])
    })

    test('its record lists the other form of its URI', async () => {
      const [record] = (await ask('/voc/stw')).body
      expect(record.identifier.sort()).toEqual([REGISTRY, `${STW}/`, 'stw'].sort())
      const [slash] = (await ask('/voc/other')).body
      expect(slash.identifier).toEqual([OTHER.slice(0, -1)])
    })

    test('an identifier that is not an IRI finds nothing', async () => {
      expect((await app.ask('/voc', { uri: 'stw' })).status).toBe(400)
      expect((await app.ask('/voc/top', { uri: 'stw|x' })).status).toBe(400)
    })
  })

  describe('/data finds whatever has the URI', () => {
    test('vocabularies and concepts in one list, in the order of records', async () => {
      const asked = `${MATERIALS}|${BOOKS}|${STW}|http://example.org/none`
      const { body, headers } = await ask('/data', { uri: asked })
      expect(body.map(({ uri, type, notation }: any) => [uri, type[0], notation[0]])).toEqual([
        [BOOKS, CONCEPT, 'B'],
        [MATERIALS, CONCEPT_SCHEME, 'materials'],
        [STW, CONCEPT_SCHEME, 'stw'],
      ])
      expect(headers.get('x-total-count')).toBe('3')
      expect(uris((await ask('/data', { uri: asked, limit: '1', offset: '1' })).body)).toEqual([MATERIALS])
      expect((await ask('/data', { uri: asked, limit: '0' })).headers.get('x-total-count')).toBe('3')
      expect(uris((await ask('/data', { uri: asked, voc: 'materials' })).body)).toEqual([MATERIALS])
      expect(body[1].concepts).toEqual([null])
      expect(body[0].narrower).toEqual([null])
      const [named] = (await ask('/data', { uri: STW, properties: 'prefLabel' })).body
      expect(Object.keys(named).sort()).toEqual(['@context', 'prefLabel', 'type', 'uri'])
    })
  })

  describe('/voc filters and sorts', () => {
    test.each<[parameters: Record<string, string>, expected: string[]]>([
      [{ license: CC_BY }, [OTHER, STW]],
      [{ license: `x|http://example.org/none|${CC_BY}`, publisher: GND }, [STW]],
      [{ subject: DDC }, [STW]],
      [{ subject: 'http://example.org/none' }, []],
      [{ type: 'http://w3id.org/nkos/nkostype#list' }, [OTHER]],
      [{ partOf: CRAFTS.slice(0, -1) }, [`${CRAFTS}subset/school`, `${CRAFTS}subset/textile`]],
      [{ license: CC_BY, voc: 'stw' }, [STW]],
      [{ license: CC_BY, limit: '1', offset: '1' }, [STW]],
      [{ license: CC_BY, sort: 'label' }, [OTHER, STW]],
      [{ license: CC_BY, sort: 'label', order: 'desc' }, [STW, OTHER]],
      [{ license: CC_BY, sort: 'created' }, [STW, OTHER]],
      [{ license: CC_BY, sort: 'created', order: 'desc' }, [OTHER, STW]],
      [{ license: CC_BY, sort: 'modified' }, [OTHER, STW]],
      [{ license: CC_BY, sort: 'modified', order: 'desc' }, [OTHER, STW]],
      [{ license: CC_BY, sort: 'notation', order: 'desc' }, [STW, OTHER]],
      [{ license: CC_BY, sort: 'counter' }, [OTHER, STW]],
      [{ license: CC_BY, sort: '__proto__' }, [OTHER, STW]],
    ])('%j', async (parameters, expected) => {
      expect(uris((await ask('/voc', parameters)).body)).toEqual(expected)
    })

    test('a filter without an IRI is an error', async () => {
      for (const name of ['license', 'publisher', 'subject', 'type', 'partOf']) {
        const { status, body } = await app.ask('/voc', { [name]: 'cc0' })
        expect([status, body.message]).toEqual([400, expect.stringMatching(new RegExp(`^${name}: `))])
      }
    })
  })

  describe('/voc/search and /voc/suggest', () => {
    test.each([
      ['wirtschaft', [STW]],
      ['economics thes', [STW]],
      ['Wirtschaftsthesaurus', [STW]],
      ['apfel', [OTHER]],
      ['stw', [STW]],
      ['nothing-like-this', []],
    ])('%s', async (search, expected) => {
      expect(uris((await ask('/voc/search', { search })).body)).toEqual(expected)
      expect(uris((await ask('/voc/search', { query: search })).body)).toEqual(expected)
      expect((await ask('/voc/suggest', { search })).body[3]).toEqual(expected)
    })

    test('without a text all of them; filters and pages hold', async () => {
      expect((await ask('/voc/search')).body).toEqual((await ask('/voc')).body)
      expect(
        uris((await ask('/voc/search', { search: 'wirtschaft', license: 'http://example.org/none' })).body),
      ).toEqual([])
      const { body, headers } = await ask('/voc/search', { limit: '1', offset: '1' })
      expect([body.length, headers.get('x-total-count')]).toEqual([1, '4'])
    })

    test('suggestions as OpenSearch has them, or as records', async () => {
      const { body } = await ask('/voc/suggest', { search: 'wirtschafts', language: 'en' })
      expect(body).toEqual(['wirtschafts', ['stw STW Thesaurus for Economics'], ['Wirtschaftsthesaurus'], [STW]])
      const [record] = (await ask('/voc/suggest', { search: 'stw', format: 'jskos' })).body
      expect([record.uri, record.type[0]]).toEqual([STW, CONCEPT_SCHEME])
      const concepts = (await ask('/concepts/suggest', { search: 'Messe', format: 'jskos' })).body
      expect(uris(concepts)).toEqual([`${STW}/c1`])
    })
  })

  test('the language that suggestions fall back to is a setting', async () => {
    const labels = async (env: Record<string, string>, language?: string) => {
      const other = await startApp(running.endpoint, env)
      try {
        const { body } = await other.ask('/voc/suggest', { search: 'stw', ...(language ? { language } : {}) })
        return body[1]
      } finally {
        await other.close()
      }
    }
    const [german, english] = ['stw Standard-Thesaurus Wirtschaft', 'stw STW Thesaurus for Economics']
    expect(await labels({})).toEqual([german])
    expect(await labels({ DEFAULT_LANGUAGE: 'en' })).toEqual([english])
    expect(await labels({ DEFAULT_LANGUAGE: 'fr,en' })).toEqual([english])
    expect(await labels({ DEFAULT_LANGUAGE: 'en' }, 'de')).toEqual([german])
    expect(await labels({ DEFAULT_LANGUAGE: 'en' }, 'fr')).toEqual([english])
  })

  describe('/status', () => {
    test('is as its schema says, and leads to endpoints that are there', async () => {
      const { body } = await ask('/status')
      const { text } = await ask('/status.schema.json')
      const ajv = new Ajv({ strict: true })
      addFormats.default(ajv)
      const validate = ajv.compile(JSON.parse(text))
      expect([validate(body), validate.errors]).toEqual([true, null])
      expect([body.concepts, body.data]).toEqual([`${app.config.baseUrl}concepts`, `${app.config.baseUrl}data`])
      for (const [name, url] of Object.entries<string>(body)) {
        // That of /validate is a form for people.
        if (typeof url !== 'string' || name === 'validate') continue
        const path = url.slice(app.config.baseUrl.length - 1)
        const parameters = ['narrower', 'ancestors', 'data'].includes(name) ? { uri: BOOKS } : { uri: CRAFTS }
        expect((await ask(path, parameters)).body).toBeInstanceOf(Array)
      }
    })

    const schemaOf = (name: string) =>
      JSON.parse(readFileSync(resolve(TEST_DATA, `../reference/jskos-server-${name}.schema.json`), 'utf8'))
    ;(NO_DATA ? test.skip : test)('is as the schema of jskos-server says', async () => {
      // Its schema of configurations has unions that strict mode warns of.
      const ajv = new Ajv({ strict: false })
      addFormats.default(ajv)
      ajv.addSchema(schemaOf('config'))
      const validate = ajv.compile(schemaOf('status'))
      const { body } = await ask('/status')
      expect([validate(body), validate.errors]).toEqual([true, null])
    })
  })
})
