/** The Reconciliation Service API over the stores: what OpenRefine sends (0.2), and what the draft of 1.0 asks for. */
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { composeReading } from '../../../src/compose.ts'
import { ApiError } from '../../../src/base/errors.ts'
import { MAXIMA } from '../../../src/interface/http/maxima.ts'
import { DEFAULT_CELL } from '../../../src/doors/reconcile/extend.ts'
import { CRAFTS, putDemo, startApp, type Answer, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { examples, expectValid, SKIP, VERSIONS, type Version } from './schemas.ts'

interface Candidate {
  id: string
  name: string
  description: string
  score: number
  match: boolean
  type: { id: string; name: string }[]
}

const PREFIX = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .'
const OTHER = 'http://example.org/other/'
/** The same name twice, and a class of its own. */
const OTHER_TURTLE = `${PREFIX}
  <${OTHER}> a skos:ConceptScheme ; skos:notation "other" ; skos:prefLabel "Other"@en ; <http://purl.org/dc/terms/language> "en", "de" .
  <${OTHER}bookbinding> a skos:Concept, <${OTHER}Craft> ; skos:inScheme <${OTHER}> ; skos:prefLabel "Bookbinding"@en, "Buchbinden"@de .
  <${OTHER}kiln> a skos:Concept ; skos:inScheme <${OTHER}> ; skos:prefLabel "Kiln"@en ; skos:altLabel "Furnace"@en ; skos:hiddenLabel "Brennofen"@de-AT ;
    skos:definition "Hot"@en ; <http://purl.org/dc/terms/created> "2024-02-29" ; skos:notation "9" .
  <${OTHER}oven> a skos:Concept ; skos:inScheme <${OTHER}> ; skos:prefLabel "Furnace"@en ; skos:altLabel "Furnace"@de .`

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describeOver(EMBEDDED, 'reconciliation', (store) => {
  let app: RunningApp
  let running: Awaited<ReturnType<typeof store.start>>
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await putDemo(app)
    await app.put(OTHER, OTHER_TURTLE)
  })
  afterAll(async () => {
    expect(app.reported.filter((error) => !(error instanceof ApiError) || error.status >= 500)).toEqual([])
    await app.close()
    await running.stop()
  })

  const form = (path: string, fields: Record<string, unknown>) => {
    const pairs = Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)])
    return app.get(path, { method: 'POST', headers: FORM, body: new URLSearchParams(pairs).toString() })
  }
  const post = (path: string, body: unknown) =>
    app.get(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  /** The candidates for one query of 0.2. */
  const reconcile = async (query: object | string, path = '/voc/crafts/reconcile'): Promise<Candidate[]> => {
    const asked = typeof query === 'string' ? { query } : query
    const answer = await form(path, { queries: { q0: asked } })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    expectValid('0.2', 'reconciliation-result-batch', answer.body)
    expect(answer.body.q0.error).toBe(undefined)
    return answer.body.q0.result as Candidate[]
  }
  const candidatesOf = async (query: object | string, path?: string) =>
    (await reconcile(query, path)).map(({ id }) => id.replace(CRAFTS, '').replace(OTHER, 'other:'))

  describe.each(['/reconcile', '/voc/crafts/reconcile', '/voc/subset_crafts-textile/reconcile'])('%s', (path) => {
    test('the manifest of 0.2', async () => {
      const answer = await app.get(path, { headers: { accept: 'application/json' } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.body.versions).toEqual(['0.2', '1.0-draft'])
      expectValid('0.2', 'manifest', answer.body)
      for (const kind of ['entity', 'property', 'type']) {
        expect(answer.body.suggest[kind].service_url).toBe(`${app.config.baseUrl}${path.slice(1)}`)
      }
    })

    test.each([
      'application/reconciliation.v1+json',
      'application/json; version=1.0',
      'application/json;version="1.0-draft"',
    ])('the manifest of 1.0 for %s', async (accept) => {
      const answer = await app.get(path, { headers: { accept } })
      expect(answer.body.versions).toEqual(['0.2', '1.0-draft'])
      expect(answer.body.suggest).toEqual({ entity: true, property: true, type: true })
      expect(answer.headers.get('vary')).toMatch(/\bAccept\b(?!-)/)
      expectValid('1.0-draft', 'manifest', answer.body)
    })

    test('the manifest as JSONP', async () => {
      const answer = await app.get(`${path}?callback=jQuery_1._2`)
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      const [, json] = /^\/\*\*\/ jQuery_1\._2\((.*)\);$/.exec(answer.text)!
      expectValid('0.2', 'manifest', JSON.parse(json!))
      expect((await app.get(`${path}?callback=alert(1)`)).status).toBe(400)
    })
  })

  describe('candidates', () => {
    test.each<[query: string, first: string, match: boolean]>([
      ['Buchbinderei', 'bookbinding', true],
      ['Bookbinding', 'bookbinding', true],
      ['BOOKBINDING', 'bookbinding', true],
      ['bookbindng', 'bookbinding', false],
      ['Bokbinding', 'bookbinding', false],
      ['Buchbinder', 'bookbinding', false],
      ['B1', 'bookbinding', true],
      ['b1', 'bookbinding', true],
      [`${CRAFTS}bookbinding`, 'bookbinding', true],
      ['crafts book and paper', 'book-and-paper', true],
    ])('%s is %s', async (query, first, match) => {
      const [best] = await reconcile(query)
      expect([best!.id, best!.match]).toEqual([CRAFTS + first, match])
      expect(best!.score).toBeGreaterThan(match ? 95 : 70)
      expect(best!.type[0]).toEqual({ id: 'http://www.w3.org/2004/02/skos/core#Concept', name: 'Concept' })
    })

    test('show the place of a concept in the requested language', async () => {
      const path = '/voc/crafts/reconcile?language=en'
      expect((await reconcile('Buchbinderei', path))[0]).toMatchObject({
        name: 'Bookbinding',
        description: 'B1 · Book and paper crafts',
      })
      const [german] = await reconcile('Bookbinding')
      expect(german!.name).toBe('Buchbinderei')
      const [all] = await reconcile('Buchbinderei', '/reconcile')
      expect(all!.description).toMatch(/^B1 · Buch- und Papierhandwerk · /)
    })

    test('come in the order of their scores, which are 0 to 100', async () => {
      for (const query of ['paper', 'Holz', 'weav', 'gold', 'Bookbindin']) {
        const scores = (await reconcile({ query, limit: 50 })).map(({ score }) => score)
        expect(scores.length).toBeGreaterThan(0)
        expect([...scores].sort((a, b) => b - a)).toEqual(scores)
        for (const score of scores) expect([score >= 0, score <= 100]).toEqual([true, true])
      }
    })

    test('two concepts with the same name are for a person to choose from', async () => {
      const candidates = await reconcile('Bookbinding', '/reconcile')
      expect(candidates.slice(0, 2).map(({ id }) => id)).toEqual([`${OTHER}bookbinding`, `${CRAFTS}bookbinding`])
      expect(candidates.map(({ match }) => match)).not.toContain(true)
      const alternative = await reconcile('Furnace', '/voc/other/reconcile')
      expect(alternative.map(({ id, match }) => [id, match])).toEqual([
        [`${OTHER}oven`, false],
        [`${OTHER}kiln`, false],
      ])
    })

    test('as many as are wanted', async () => {
      expect(await reconcile({ query: 'craft', limit: 3 })).toHaveLength(3)
      expect(await reconcile({ query: 'xyzxyz' })).toEqual([])
      expect(await reconcile({ query: '++' })).toEqual([])
    })

    test('only of the vocabulary or subset', async () => {
      expect(await candidatesOf('Kiln')).not.toContain('other:kiln')
      expect(await candidatesOf('Weaving', '/voc/subset_crafts-textile/reconcile')).toEqual(
        expect.arrayContaining(['weaving']),
      )
      expect(await candidatesOf('Bookbinding', '/voc/subset_crafts-textile/reconcile')).not.toContain('bookbinding')
    })

    const property = (pid: string, v: unknown) => ({ properties: [{ pid, v }] })
    test.each<[title: string, query: object, path: string, expected: string[]]>([
      ['a class', { query: 'Bookbinding', type: `${OTHER}Craft` }, '/reconcile', ['other:bookbinding']],
      [
        'several classes',
        { query: 'Bookbinding', type: [`${OTHER}Craft`, 'x:y'], type_strict: 'any' },
        '/reconcile',
        ['other:bookbinding'],
      ],
      [
        'all of several',
        { query: 'Bookbinding', type: [`${OTHER}Craft`, 'x:y'], type_strict: 'all' },
        '/reconcile',
        [],
      ],
      [
        'below a concept',
        { query: 'Bookbinding', ...property('broader', `${CRAFTS}book-and-paper`) },
        '/reconcile',
        ['bookbinding'],
      ],
      [
        'below a reconciled one',
        { query: 'Bookbinding', ...property('broader', { id: `${CRAFTS}book-and-paper`, name: 'x' }) },
        '/reconcile',
        ['bookbinding'],
      ],
      [
        'below a name',
        { query: 'Bookbinding', ...property('broader', 'Book and paper crafts') },
        '/reconcile',
        ['bookbinding'],
      ],
      [
        'not below another',
        { query: 'Bookbinding', ...property('broader', `${CRAFTS}textiles`) },
        '/voc/crafts/reconcile',
        [],
      ],
      [
        'a notation',
        { query: 'Buchbinderei', ...property('notation', 'B1') },
        '/voc/crafts/reconcile',
        ['bookbinding'],
      ],
      ['another notation', { query: 'Buchbinderei', ...property('notation', 'T1') }, '/voc/crafts/reconcile', []],
      [
        'another label',
        { query: 'Buchbinderei', ...property('label', 'bookbinding') },
        '/voc/crafts/reconcile',
        ['bookbinding'],
      ],
      [
        'an alternative label',
        { query: 'Kiln', ...property('altLabel', ['furnace', 'x']) },
        '/voc/other/reconcile',
        ['other:kiln'],
      ],
      ['no such alternative label', { query: 'Kiln', ...property('altLabel', 'kiln') }, '/voc/other/reconcile', []],
      [
        'a language',
        { query: 'Bookbinding', ...property('language', 'EN') },
        '/voc/other/reconcile',
        ['other:bookbinding'],
      ],
      [
        'a language with a region',
        { query: 'Brennofen', ...property('language', 'de') },
        '/voc/other/reconcile',
        ['other:kiln'],
      ],
      ['another language', { query: 'Bookbinding', ...property('language', 'fr') }, '/voc/other/reconcile', []],
      [
        'an exact match',
        { query: 'Bookbinding', ...property('exactMatch', 'http://vocab.getty.edu/aat/300053296') },
        '/voc/crafts/reconcile',
        [],
      ],
      ['a notation alone', property('notation', 'B1'), '/voc/crafts/reconcile', ['bookbinding']],
      ['an empty condition', { query: 'Kiln', ...property('notation', '') }, '/voc/other/reconcile', []],
    ])('with %s', async (_, query, path, expected) => {
      expect((await candidatesOf(query, path)).slice(0, 1)).toEqual(expected)
    })

    test('a condition alone finds concepts', async () => {
      const [matched] = await reconcile(property('exactMatch', 'http://vocab.getty.edu/aat/300053296'))
      expect(matched).toMatchObject({ score: 100, match: true })
      const below = await reconcile({ ...property('broader', `${CRAFTS}book-and-paper`), limit: 100 })
      const expected = await app.ask('/descendants', { uri: `${CRAFTS}book-and-paper`, properties: '-' })
      expect(new Set(below.map(({ id }) => id))).toEqual(
        new Set((expected.body as { uri: string }[]).map(({ uri }) => uri)),
      )
      expect(below.map(({ match }) => match)).not.toContain(true)
    })

    test('by GET, and as JSONP', async () => {
      const queries = JSON.stringify({ q0: { query: 'Buchbinderei' } })
      const answer = await app.ask('/voc/crafts/reconcile', { queries })
      expect(answer.body.q0.result[0].id).toBe(`${CRAFTS}bookbinding`)
      const script = await app.ask('/voc/crafts/reconcile', { queries, callback: 'f' })
      expect(script.text).toBe(`/**/ f(${JSON.stringify(answer.body)});`)
    })

    test('a concept that was just written is found, and one that is gone is not', async () => {
      const turtle = (name: string) => `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <${OTHER}new> a skos:ConceptScheme ; <urn:x-vocabulary-service:revision> "${name}" .
        <${OTHER}new/1> a skos:Concept ; skos:inScheme <${OTHER}new> ; skos:prefLabel "${name}"@en .`
      for (const name of ['Velociraptor', 'Triceratops']) {
        await app.put(`${OTHER}new`, turtle(name))
        expect(await reconcile(name, `/voc/${encodeURIComponent(`${OTHER}new`)}/reconcile`)).toMatchObject([
          { name, match: true },
        ])
        expect((await app.ask('/search', { search: `${name.slice(0, -3)}${name.slice(-2)}` })).body).toHaveLength(1)
      }
      expect(await reconcile('Velociraptor', '/reconcile')).toEqual([])
      await app.client.deleteGraph(`${OTHER}new`)
      app.registry.invalidate()
      expect(await reconcile('Triceratops', '/reconcile')).toEqual([])
    })
  })

  test('names without a wanted language are in the languages of the operator', async () => {
    const english = await startApp(running.endpoint, { DEFAULT_LANGUAGE: 'en' })
    try {
      const { headers, body } = await english.ask('/reconcile/flyout/entity', { id: `${CRAFTS}bookbinding` })
      expect([headers.get('content-language'), body.html]).toEqual([
        'en',
        expect.stringMatching(/^<h1>.*>Bookbinding</),
      ])
    } finally {
      await english.close()
    }
  })

  describe('a batch', () => {
    test('one query that cannot be answered does not spoil the others', async () => {
      const queries = {
        good: { query: 'Buchbinderei' },
        empty: {},
        number: { query: 5 },
        limit: { query: 'x', limit: 0 },
        pid: { query: 'x', properties: [{ pid: 'nonsense', v: 'x' }] },
        value: { query: 'x', properties: [{ pid: 'notation', v: null }] },
        strict: { query: 'x', type_strict: 'perhaps' },
        text: 'x',
        alsoGood: { query: 'Weaving' },
      }
      const answer = await form('/voc/crafts/reconcile', { queries })
      expect(answer.status).toBe(200)
      expectValid('0.2', 'reconciliation-result-batch', answer.body)
      expect(Object.keys(answer.body)).toEqual(Object.keys(queries))
      expect(answer.body.good.result[0].id).toBe(`${CRAFTS}bookbinding`)
      expect(answer.body.alsoGood.result[0].id).toBe(`${CRAFTS}weaving`)
      for (const [name, said] of Object.entries({
        empty: 'query: expected a text, or properties',
        number: 'query: expected a text',
        limit: 'limit: expected a whole number from 1, got 0',
        pid: 'pid: expected one of label, ',
        value: 'properties.v: expected texts or entities',
        strict: 'type_strict: expected any, should or all, got "perhaps"',
        text: 'expected an object',
      })) {
        expect(answer.body[name].result).toEqual([])
        expect(answer.body[name].error).toContain(`${name}: ${said}`)
      }
    })

    test.each([
      ['no JSON', '{', 400, 'queries: expected JSON'],
      ['no object', '[]', 400, 'queries: expected an object of queries'],
      [
        'too many',
        JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`q${at}`, { query: 'x' }]))),
        413,
        'queries: expected at most 1000 queries, got 1001',
      ],
    ])('%s is refused', async (_, queries, status, message) => {
      const body = new URLSearchParams({ queries }).toString()
      const answer = await app.get('/reconcile', { method: 'POST', headers: FORM, body })
      expect([answer.status, answer.body.message]).toEqual([status, message])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    })

    test('1,000 queries are answered', async () => {
      const queries = Object.fromEntries(
        Array.from({ length: 1000 }, (_, at) => [`q${at}`, { query: 'Weaving', limit: 1 }]),
      )
      const answer = await form('/voc/crafts/reconcile', { queries })
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.body)).toHaveLength(1000)
    })

    test('of 100 queries with a condition asks the store for hardly more than one query does', async () => {
      let requests = 0
      const reading = composeReading(app.config, running.endpoint, { onRequest: () => requests++ })
      const counted = await startApp(running.endpoint, {}, reading)
      try {
        const names = ['Weaving', 'Buchbinderei', 'Bookbindng', 'paper', 'Holz', 'gold', 'Goldschmied', 'craft']
        const ask = async (count: number) => {
          const queries = Object.fromEntries(
            Array.from({ length: count }, (_, at) => [
              `q${at}`,
              {
                query: `${names[at % names.length]!}${'s'.repeat(Math.floor(at / names.length) % 2)}`,
                limit: 3,
                properties: [{ pid: 'broader', v: at % 2 === 0 ? 'Textile crafts' : `${CRAFTS}book-and-paper` }],
              },
            ]),
          )
          const before = requests
          const answer = await counted.get('/voc/crafts/reconcile', {
            method: 'POST',
            body: new URLSearchParams({ queries: JSON.stringify(queries) }),
          })
          expect(Object.keys(answer.body)).toHaveLength(count)
          return requests - before
        }
        await ask(1)
        expect(await ask(1)).toBeGreaterThan(0)
        expect((await ask(100)) - (await ask(1))).toBeLessThanOrEqual(2)
      } finally {
        await counted.close()
      }
    })

    test('nothing, both, another method and an unknown vocabulary are refused', async () => {
      expect((await form('/reconcile', {})).status).toBe(400)
      expect((await form('/reconcile', { queries: {}, extend: {} })).status).toBe(400)
      expect((await app.get('/reconcile', { method: 'DELETE' })).status).toBe(405)
      expect((await app.get('/reconcile/match')).headers.get('allow')).toBe('POST')
      expect((await app.get('/voc/nonsense/reconcile')).status).toBe(404)
    })
  })

  describe('1.0', () => {
    const condition = (propertyId: string, propertyValue: unknown, more = {}) => ({
      matchType: 'property',
      propertyId,
      propertyValue,
      ...more,
    })
    const name = (propertyValue: string) => ({ matchType: 'name', propertyValue })
    const match = async (...queries: object[]) => {
      const answer = await post('/voc/crafts/reconcile/match', { queries })
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
      expectValid('1.0-draft', 'reconciliation-result-batch', answer.body)
      return answer.body.results as { candidates: Candidate[]; error?: string }[]
    }

    test('names, ids and conditions', async () => {
      const results = await match(
        { conditions: [name('Buchbinderei')] },
        { conditions: [{ matchType: 'id', propertyValue: [`${CRAFTS}weaving`, 'B1'] }], lang: 'en' },
        { conditions: [name('Bookbinding'), condition('broader', `${CRAFTS}textiles`)] },
        { conditions: [name('Bookbinding'), condition('broader', `${CRAFTS}textiles`, { required: true })] },
        {
          conditions: [
            name('Bookbinding'),
            condition('broader', `${CRAFTS}textiles`, { required: true, matchQuantifier: 'none' }),
          ],
        },
        {
          conditions: [
            name('Bookbinding'),
            condition('label', ['Buchbinderei', 'Bookbinding'], { required: true, matchQuantifier: 'all' }),
          ],
        },
        {
          conditions: [
            name('Bookbinding'),
            condition('label', ['Buchbinderei', 'x'], { required: true, matchQuantifier: 'all' }),
          ],
        },
      )
      const ids = results.map(({ candidates }) => candidates.map(({ id }) => id.replace(CRAFTS, '')))
      expect(ids[0]![0]).toBe('bookbinding')
      expect(ids[1]).toEqual(['bookbinding', 'weaving'])
      expect(results[1]!.candidates.map((candidate) => candidate.name)).toEqual(['Bookbinding', 'Weaving'])
      expect(ids[2]![0]).toBe('bookbinding')
      expect(results[2]!.candidates[0]).toMatchObject({ score: 90, match: false })
      expect(ids[3]).not.toContain('bookbinding')
      expect(ids[4]![0]).toBe('bookbinding')
      expect(ids[5]).toEqual(['bookbinding'])
      expect(ids[6]).toEqual([])
    })

    test('an id is a condition like others', async () => {
      const id = (propertyValue: unknown, more = {}) => ({ matchType: 'id', propertyValue, ...more })
      const [weaving, bookbinding] = [`${CRAFTS}weaving`, `${CRAFTS}bookbinding`]
      const results = await match(
        { conditions: [name('Bookbinding'), id(weaving, { required: true })] },
        { conditions: [name('Bookbinding'), id([weaving, 'B1'], { required: true })] },
        { conditions: [name('Bookbinding'), id(weaving)] },
        { conditions: [name('Bookbinding'), id(bookbinding, { required: true, matchQuantifier: 'none' })] },
        { conditions: [id(weaving, { matchQuantifier: 'none' })] },
        { conditions: [id([bookbinding, 'B1'], { matchQuantifier: 'all' })] },
        { conditions: [id([bookbinding, weaving], { required: true, matchQuantifier: 'all' })] },
      )
      const best = results.map(({ candidates }) => candidates[0] && [candidates[0].id, candidates[0].score])
      expect(results[3]!.candidates.map((candidate) => candidate.id)).not.toContain(bookbinding)
      expect(best.toSpliced(3, 1)).toEqual([
        undefined,
        [bookbinding, 100],
        [bookbinding, 90],
        undefined,
        [bookbinding, 100],
        undefined,
      ])
    })

    test('of two concepts with one name, the one that meets a condition comes first', async () => {
      const same = [`${CRAFTS}bookbinding`, `${OTHER}bookbinding`]
      const queries = same.map((uri) => ({
        conditions: [name('Bookbinding'), { matchType: 'id', propertyValue: uri }],
      }))
      const { status, body } = await post('/reconcile/match', { queries })
      expect(status).toBe(200)
      const results = body.results as { candidates: Candidate[] }[]
      expect(results.map(({ candidates }) => candidates[0]!.id)).toEqual(same)
      for (const { candidates } of results) expect(candidates[0]!.score).toBeGreaterThan(candidates[1]!.score)
    })

    test('another language than that of the label costs points', async () => {
      const inLanguage = (tag: string) => ({ conditions: [name('Bookbinding'), condition('language', [tag, 'fr'])] })
      const [english, german] = await match(inLanguage('en'), inLanguage('de'))
      expect(english!.candidates[0]).toMatchObject({ id: `${CRAFTS}bookbinding`, score: 100, match: true })
      expect(german!.candidates[0]).toMatchObject({ id: `${CRAFTS}bookbinding`, score: 90, match: false })
    })

    test('all labels that equal the name count for the language', async () => {
      const queries = ['en', 'de', 'fr'].map((tag) => ({ conditions: [name('Furnace'), condition('language', tag)] }))
      const { body } = await post('/voc/other/reconcile/match', { queries })
      const scores = (body.results as { candidates: Candidate[] }[]).map(
        ({ candidates }) => candidates.find(({ id }) => id === `${OTHER}oven`)!.score,
      )
      expect([scores[1], scores[2]]).toEqual([scores[0], scores[0]! - 10])
    })

    test('JSON may begin with a byte order mark', async () => {
      const body = `\ufeff${JSON.stringify({ queries: [{ conditions: [name('Weaving')] }] })}`
      const answer = await app.get('/voc/crafts/reconcile/match', { method: 'POST', body })
      expect([answer.status, answer.body.results[0].candidates[0].id]).toEqual([200, `${CRAFTS}weaving`])
    })

    test.each(['100 % Bookbinding', 'Bookbinding&language=en'])('the name %s is no parameter', async (text) => {
      const answer = await post('/voc/crafts/reconcile/match', { queries: [{ conditions: [name(text)] }] })
      expect([answer.status, answer.headers.get('content-language')]).toEqual([200, 'de'])
    })

    test('a query that cannot be answered says so', async () => {
      const results = await match(
        { conditions: [] },
        { conditions: [name('Weaving')] },
        { conditions: [{ matchType: 'x', propertyValue: 'x' }] },
        { conditions: [name('Weaving'), condition('language', 'de', { matchQuantifier: 'none' })] },
        { conditions: [name('Weaving'), condition('prefLabel@de', 'Weberei')] },
      )
      expect(results[0]).toEqual({
        candidates: [],
        error: 'queries.0: conditions: expected an array with at least one condition',
      })
      expect(results[1]!.candidates[0]!.id).toBe(`${CRAFTS}weaving`)
      expect(results.slice(2).map(({ error }) => error)).toEqual([
        'queries.2: matchType: expected name, id or property',
        'queries.3: matchQuantifier: expected any for the property language',
        expect.stringContaining('queries.4: propertyId: expected one of label, '),
      ])
    })

    test.each([
      ['no JSON', '{', 400],
      ['no queries', '{}', 400],
      ['nothing', '', 400],
      ['a body that is too large', `{"queries":[${JSON.stringify('x'.repeat(1_100_000))}]}`, 413],
      ['too many', JSON.stringify({ queries: Array.from({ length: 1001 }, () => ({ conditions: [name('x')] })) }), 413],
    ])('%s is refused', async (_, body, status) => {
      const answer = await app.get('/reconcile/match', { method: 'POST', body })
      expect(answer.status).toBe(status)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    })
  })

  describe(`the batches of the specification${SKIP ? `, skipped: ${SKIP}` : ''}`, () => {
    const send = (version: Version, batch: unknown) =>
      version === '0.2' ? form('/voc/crafts/reconcile', { queries: batch }) : post('/voc/crafts/reconcile/match', batch)
    /** Examples that break the specification, but that the service understands. */
    const UNDERSTOOD = ['misnamed-property.json', 'multiple-types.json']

    test.each(VERSIONS)('of %s that are valid are answered', async (version) => {
      const batches = examples(version, 'reconciliation-query-batch', 'valid')
      if (!SKIP) expect(batches.length).toBeGreaterThan(3)
      for (const [name, batch] of batches) {
        const answer = await send(version, batch)
        expect([name, answer.status]).toEqual([name, 200])
        expectValid(version, 'reconciliation-result-batch', answer.body)
      }
    })

    test.each(VERSIONS)('of %s that are not valid are refused, as a whole or query by query', async (version) => {
      for (const [name, batch] of examples(version, 'reconciliation-query-batch', 'invalid')) {
        const answer = await send(version, batch)
        if (answer.status === 400) continue
        expectValid(version, 'reconciliation-result-batch', answer.body)
        const results: { error?: string }[] = Object.values(version === '0.2' ? answer.body : answer.body.results)
        const errors = results.map(({ error }) => error !== undefined)
        expect([name, ...errors]).toEqual([name, ...results.map(() => !UNDERSTOOD.includes(name))])
      }
    })
  })

  describe('suggestions', () => {
    test.each(VERSIONS)('entities, as %s has them', async (version) => {
      const answer = await app.ask('/voc/crafts/reconcile/suggest/entity', { prefix: 'book', language: 'en' })
      expectValid(version, 'suggest-entities-response', answer.body)
      expect(answer.body.result[0]).toMatchObject({ id: `${CRAFTS}bookbinding`, name: 'Bookbinding' })
      const next = await app.ask('/voc/crafts/reconcile/suggest/entity', { prefix: 'book', cursor: '1', limit: '1' })
      expect(next.body.result).toEqual([expect.objectContaining({ id: answer.body.result[1].id })])
      expect((await app.ask('/voc/crafts/reconcile/suggest/entity', { prefix: 'bokbinding' })).body.result[0].id).toBe(
        `${CRAFTS}bookbinding`,
      )
      expect((await app.get('/reconcile/suggest/entity')).body).toEqual({ result: [] })
    })

    test.each(VERSIONS)('properties, as %s has them', async (version) => {
      const answer = await app.get('/reconcile/suggest/property?prefix=label')
      expectValid(version, 'suggest-properties-response', answer.body)
      expect(answer.body.result.map(({ id }: { id: string }) => id)).toEqual(['label', 'prefLabel', 'altLabel'])
      const byWords = await app.get('/reconcile/suggest/property?prefix=label%20pref')
      expect(byWords.body.result.map(({ id }: { id: string }) => id)).toEqual(['prefLabel'])
      expect((await app.get('/reconcile/suggest/property')).body.result.length).toBeGreaterThan(5)
    })

    test.each(VERSIONS)('types, as %s has them', async (version) => {
      const answer = await app.get('/voc/other/reconcile/suggest/type?prefix=cra')
      expectValid(version, 'suggest-types-response', answer.body)
      expect(answer.body.result).toEqual([{ id: `${OTHER}Craft`, name: 'Craft' }])
      expect((await app.get('/voc/other/reconcile/suggest/type')).body.result).toHaveLength(2)
    })

    test('as JSONP', async () => {
      const answer = await app.get('/voc/crafts/reconcile/suggest/entity?prefix=book&callback=f')
      expect(answer.text).toMatch(/^\/\*\*\/ f\(\{"result":\[\{.*\}\]\}\);$/s)
    })
  })

  describe('a preview', () => {
    test('is a page that may be framed', async () => {
      const answer = await app.ask('/voc/crafts/reconcile/preview', { id: `${CRAFTS}bookbinding`, language: 'en' })
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('x-frame-options')).toBe(null)
      expect(answer.headers.get('content-security-policy')).not.toContain('frame-ancestors')
      expect(answer.text).toContain('<title>Bookbinding</title>')
      expect(answer.text).toContain('Book and paper crafts')
      expect(answer.text).toContain(`${app.config.baseUrl}concept?uri=${encodeURIComponent(`${CRAFTS}bookbinding`)}`)
    })

    test('for the flyout is a part of a page', async () => {
      const { body } = await app.ask('/reconcile/flyout/entity', { id: `${CRAFTS}bookbinding` })
      expect(body.id).toBe(`${CRAFTS}bookbinding`)
      expect(body.html).toMatch(/^<h1>.*Buchbinderei/s)
    })

    test.each([
      ['', 400],
      ['relative', 400],
      ['http://example.org/none', 404],
    ])('of %j is %i', async (id, status) => {
      expect((await app.ask('/reconcile/preview', { id })).status).toBe(status)
    })
  })

  describe('columns', () => {
    const ids = [`${OTHER}kiln`, `${CRAFTS}bookbinding`, 'http://example.org/none', 'no URI']
    const columns = [
      'prefLabel',
      'prefLabel@en',
      'altLabel',
      'notation',
      'broader',
      'created',
      'definition',
      'inScheme',
      'exactMatch',
    ]
    const properties = columns.map((id) => ({ id, settings: {} }))

    test('as 0.2 has them', async () => {
      const answer = await form('/reconcile', { extend: { ids, properties } })
      expect(answer.status).toBe(200)
      expectValid('0.2', 'data-extension-response', answer.body)
      expect(answer.body.meta.map(({ id }: { id: string }) => id)).toEqual(columns)
      expect(answer.body.rows[`${OTHER}kiln`]).toEqual({
        prefLabel: [{ str: 'Kiln' }],
        'prefLabel@en': [{ str: 'Kiln' }],
        altLabel: [{ str: 'Furnace' }],
        notation: [{ str: '9' }],
        broader: [],
        created: [{ date: '2024-02-29T00:00:00Z' }],
        definition: [{ str: 'Hot' }],
        inScheme: [{ id: OTHER, name: 'Other' }],
        exactMatch: [],
      })
      expect(answer.body.rows[`${CRAFTS}bookbinding`]).toMatchObject({
        prefLabel: [{ str: 'Buchbinderei' }],
        'prefLabel@en': [{ str: 'Bookbinding' }],
        broader: [{ id: `${CRAFTS}book-and-paper`, name: 'Buch- und Papierhandwerk' }],
      })
      for (const id of ids.slice(2)) {
        expect(Object.values(answer.body.rows[id] as Record<string, unknown[]>).flat()).toEqual([])
      }
    })

    test('as 1.0 has them', async () => {
      const answer = await post('/reconcile/extend', { ids, properties })
      expect(answer.status).toBe(200)
      expectValid('1.0-draft', 'data-extension-response', answer.body)
      expect(answer.body.rows.map(({ id }: { id: string }) => id)).toEqual(ids)
      expect(answer.body.rows[0].properties[0]).toEqual({ id: 'prefLabel', values: [{ str: 'Kiln', lang: 'en' }] })
    })

    test('with settings', async () => {
      const settings = { limit: '1', language: 'en' }
      const { body } = await form('/reconcile', {
        extend: {
          ids: [`${CRAFTS}bookbinding`],
          properties: [
            { id: 'prefLabel', settings },
            { id: 'narrower', settings: { limit: 1 } },
          ],
        },
      })
      expect(body.rows[`${CRAFTS}bookbinding`].prefLabel).toEqual([{ str: 'Bookbinding' }])
      expect(body.rows[`${CRAFTS}bookbinding`].narrower).toHaveLength(1)
    })

    test.each<[title: string, extend: unknown, status: number, message: string]>([
      ['no ids', { properties: [] }, 400, 'ids: expected an array of URIs'],
      ['no properties', { ids: [] }, 400, 'properties: expected an array of properties'],
      [
        'an unknown property',
        { ids: [], properties: [{ id: 'nonsense' }] },
        400,
        'properties: expected ids among prefLabel, ',
      ],
      [
        'a property that has no language',
        { ids: [], properties: [{ id: 'notation@de' }] },
        400,
        'properties: expected ids among prefLabel, ',
      ],
      [
        'a limit that is no number',
        { ids: [], properties: [{ id: 'notation', settings: { limit: 'x' } }] },
        400,
        'settings.limit: expected a whole number from 0',
      ],
      [
        'too many rows',
        { ids: Array.from({ length: 1001 }, () => 'x:y'), properties: [] },
        413,
        'ids: expected at most 1000 URIs, got 1001',
      ],
    ])('%s: refused', async (_, extend, status, message) => {
      const answer = await form('/reconcile', { extend })
      expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
    })

    describe('of a concept with very many others below it', () => {
      const WIDE = 'http://example.org/wide/'
      const COUNT = MAXIMA.cell.most + 100
      const narrower = (settings: object = {}) => ({ id: 'narrower', settings })
      const extend = (rows: readonly string[], columnsOf: readonly object[]) =>
        post('/reconcile/extend', { ids: rows.map((id) => WIDE + id), properties: columnsOf })
      beforeAll(async () => {
        const tops = ['a', 'b', 'c'].map((top) => `<${WIDE}${top}> a skos:Concept ; skos:inScheme <${WIDE}> .`)
        const below = Array.from(
          { length: COUNT },
          (_, at) => `<${WIDE}${at}> a skos:Concept ; skos:inScheme <${WIDE}> ; skos:prefLabel "zz${at}"@en .
            <${WIDE}a> skos:narrower <${WIDE}${at}> . <${WIDE}b> skos:narrower <${WIDE}${at}> . <${WIDE}c> skos:narrower <${WIDE}${at}> .`,
        )
        await app.put(WIDE, `${PREFIX} <${WIDE}> a skos:ConceptScheme . ${[...tops, ...below].join('\n')}`)
      })
      afterAll(async () => {
        await app.client.deleteGraph(WIDE)
        app.state.changed()
      })

      test('thousands of values in conditions let others have their turns', async () => {
        const { most } = MAXIMA.conditionValues
        const query = (at: number) => {
          const v = Array.from({ length: most }, (_, value) => `zz${at * most + value}`)
          return { query: `zz${at}`, properties: [{ pid: 'broader', v }] }
        }
        const length = Math.ceil(MAXIMA.requestValues.most / most / (LONG ? 1 : 4))
        const queries = { ...Array.from({ length }, (_, at) => query(at)) }
        // Loads the labels.
        await form('/reconcile', { queries: { q: query(0) } })
        const asking = form('/reconcile', { queries })
        const began = performance.now()
        let isOver = false
        let longest = 0
        const watching = (async () => {
          while (!isOver) {
            const before = performance.now()
            await setImmediate()
            longest = Math.max(longest, performance.now() - before)
          }
        })()
        const { status, body } = await asking
        isOver = true
        await watching
        expect([status, Object.keys(body as object)]).toEqual([200, Object.keys(queries)])
        expect(longest / (performance.now() - began)).toBeLessThan(0.5)
      })

      test('repeated ids and columns count once', async () => {
        const { status, body } = await extend(Array(150).fill('a') as string[], Array(50).fill(narrower()) as object[])
        expect([status, body.meta.length, body.rows.length, body.rows[0].properties.length]).toEqual([200, 1, 1, 1])
      })

      test.each([
        [undefined, DEFAULT_CELL],
        [5, 5],
        [0, MAXIMA.cell.most],
        [COUNT, MAXIMA.cell.most],
        ['99999999999999999999', MAXIMA.cell.most],
      ])('limit %j gives %i values', async (limit, expected) => {
        const { body } = await extend(['a'], [narrower({ limit })])
        expect(body.rows[0].properties[0].values).toHaveLength(expected)
      })

      test('too many values together are refused', async () => {
        const all = Array.from({ length: 50 }, (_, at) => narrower({ limit: MAXIMA.cell.most - at }))
        const whole = await extend(['a'], all)
        expect([whole.status, whole.body.rows[0].properties.length]).toEqual([200, 50])
        const { status, body } = await extend(['a', 'b', 'c'], all)
        expect([status, body.message]).toEqual([
          413,
          expect.stringMatching(/^ids, properties: expected at most 100000 values/),
        ])
      })
    })

    test.each(VERSIONS)('are proposed, as %s has it', async (version) => {
      const answer = await app.get(
        '/voc/other/reconcile/extend/propose?type=http://www.w3.org/2004/02/skos/core%23Concept&limit=100',
      )
      expectValid(version, 'data-extension-property-proposal', answer.body)
      const proposed = answer.body.properties.map(({ id }: { id: string }) => id) as string[]
      expect(proposed).toEqual(
        expect.arrayContaining(['prefLabel', 'prefLabel@de', 'prefLabel@en', 'notation', 'exactMatch']),
      )
      const extended = await form('/voc/other/reconcile', {
        extend: { ids: [`${OTHER}kiln`], properties: proposed.map((id) => ({ id })) },
      })
      expect(extended.status).toBe(200)
    })
  })
})

describe(`the examples of the specification${SKIP ? `, skipped: ${SKIP}` : ''}`, () => {
  test.each(VERSIONS)('of %s follow the schemas here', (version) => {
    if (SKIP) return
    for (const [, value] of examples(version, 'manifest', 'valid')) expectValid(version, 'manifest', value)
    expect(examples(version, 'manifest', 'valid').length).toBeGreaterThan(10)
  })
})

test('a store that is down is 503, with CORS', async () => {
  const queries = JSON.stringify({ q0: { query: 'x' } })
  const nowhere = 'http://127.0.0.1:9/'
  const down = await startApp({ queryUrl: nowhere, updateUrl: nowhere, graphStoreUrl: nowhere })
  const requests: [path: string, init?: RequestInit][] = [
    [`/reconcile?queries=${encodeURIComponent(queries)}`],
    ['/reconcile', { method: 'POST', headers: FORM, body: new URLSearchParams({ queries }).toString() }],
    ['/voc/crafts/reconcile'],
    ['/voc/crafts/reconcile/suggest/entity?prefix=x'],
    ['/reconcile/suggest/type'],
    [`/reconcile/preview?id=${encodeURIComponent(CRAFTS)}`],
    ['/reconcile/extend/propose'],
    [
      '/reconcile/match',
      { method: 'POST', body: '{"queries":[{"conditions":[{"matchType":"name","propertyValue":"x"}]}]}' },
    ],
  ]
  try {
    for (const [path, init] of requests) {
      const { status, headers, body }: Answer = await down.get(path, init)
      expect([path, status, body.error]).toEqual([path, 503, 'ServiceUnavailableError'])
      expect(headers.get('retry-after')).toBe('5')
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  } finally {
    await down.close()
  }
})
