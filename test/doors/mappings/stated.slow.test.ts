/** Mappings that vocabularies state, as /mappings and its relatives answer them, over every store. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { compareMappingContent, mappingContentIdentifier, mappingMembersIdentifier } from 'jskos-tools'
import { identifiersOf, type Mapping } from '../../../src/graph/jskos/mapping.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const [A, B] = ['http://example.org/a/', 'http://example.org/b/']
const WIKIDATA = 'http://bartoc.org/en/node/1940'
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix a: <${A}> . @prefix b: <${B}> . @prefix void: <http://rdfs.org/ns/void#> .
  @prefix wd: <http://www.wikidata.org/entity/> . @prefix x: <http://example.org/nowhere/> .`
const GRAPH_A = `${PREFIXES}
  <${A}> a skos:ConceptScheme ; skos:notation "a" ; void:uriSpace "${A}" .
  a:top a skos:Concept ; skos:inScheme <${A}> ; skos:notation "T" ; skos:closeMatch b:1 ; skos:relatedMatch x:1 .
  a:1 a skos:Concept ; skos:inScheme <${A}> ; skos:notation "A1" ; skos:broader a:top ; skos:exactMatch b:1, wd:Q1 .
  a:2 a skos:Concept ; skos:inScheme <${A}> ; skos:notation "A2" ; skos:broader a:top .
  a:3 a skos:Concept ; skos:inScheme <${A}> ; skos:notation "A3" ; skos:broader a:2 .
  a:top skos:narrower a:1, a:2 ; skos:topConceptOf <${A}> .
  x:other skos:exactMatch b:1 .`
const GRAPH_B = `${PREFIXES}
  <${B}> a skos:ConceptScheme ; skos:notation "b" ; void:uriSpace "${B}" .
  b:1 a skos:Concept ; skos:inScheme <${B}> ; skos:notation "B1" .
  b:2 a skos:Concept ; skos:inScheme <${B}> ; skos:notation "B2" ; skos:broadMatch a:1 .`

test('identifiers are those of jskos-tools', () => {
  const mapping: Mapping = {
    from: { memberSet: [{ uri: `${A}2` }, { uri: `${A}1`, notation: ['A1'] }] },
    to: { memberChoice: [{ notation: ['B1'] }] },
    fromScheme: { uri: A },
    toScheme: { uri: B },
    type: [`${SKOS}narrowMatch`],
  }
  const made = [mappingContentIdentifier(mapping), mappingMembersIdentifier(mapping)]
  expect(identifiersOf(mapping)).toEqual(expect.arrayContaining(made))
  expect(compareMappingContent(mapping, { ...mapping, type: [`${SKOS}exactMatch`] })).toBe(false)
})

describeOver(EMBEDDED, 'stated mappings', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  const ask = async (parameters: Record<string, string> = {}, path = '/mappings') => {
    const { status, body, headers } = await app.ask(path, parameters)
    expect({ status, body: status === 200 ? undefined : body }).toEqual({ status: 200, body: undefined })
    return { mappings: body as (Mapping & { uri: string })[], total: headers.get('x-total-count') }
  }
  const short = ({ from, type, to }: Mapping) => {
    const name = ({ memberSet }: Mapping['from']) => memberSet![0]!.uri!.split('/').slice(-2).join('/')
    return `${name(from)} ${type![0]!.slice(SKOS.length)} ${name(to)}`
  }
  const shortForms = async (parameters: Record<string, string>) => (await ask(parameters)).mappings.map(short).sort()

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '100' })
    await app.put(A, GRAPH_A)
    await app.put(B, GRAPH_B)
    await app.index.refresh([A, B])
    await app.index.caughtUp()
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  test('all, each with an address that gives it, and with its vocabularies', async () => {
    const { mappings, total } = await ask()
    expect(total).toBe('5')
    expect(mappings.map(short).sort()).toEqual([
      'a/1 exactMatch b/1',
      'a/1 exactMatch entity/Q1',
      'a/top closeMatch b/1',
      'a/top relatedMatch nowhere/1',
      'b/2 broadMatch a/1',
    ])
    const exact = mappings.find((mapping) => short(mapping) === 'a/1 exactMatch b/1')!
    expect(exact).toMatchObject({
      from: { memberSet: [{ uri: `${A}1`, notation: ['A1'] }] },
      fromScheme: { uri: A, notation: ['a'] },
      to: { memberSet: [{ uri: `${B}1`, notation: ['B1'] }] },
      toScheme: { uri: B, notation: ['b'] },
    })
    const schemeOf = (name: string) => mappings.find((mapping) => short(mapping).endsWith(name))!.toScheme?.uri
    expect([schemeOf('Q1'), schemeOf('nowhere/1')]).toEqual([WIKIDATA, undefined])
    const id = exact.uri.replace(/^.*\//, '')
    expect(exact.uri).toBe(`${app.config.baseUrl}mappings/${id}`)
    expect((await app.ask(`/mappings/${id}`)).body).toEqual(exact)
    expect((await app.ask('/data', { uri: exact.uri })).body).toEqual([exact])
    for (const identifier of [exact.uri, ...(exact.identifier as string[])]) {
      expect((await ask({ identifier })).mappings.map(short)).toContain('a/1 exactMatch b/1')
    }
  })

  test.each<[what: string, parameters: Record<string, string>, expected: string[]]>([
    ['from', { from: `${A}1` }, ['a/1 exactMatch b/1', 'a/1 exactMatch entity/Q1']],
    ['from, by notation', { from: 'A1', fromScheme: 'a' }, ['a/1 exactMatch b/1', 'a/1 exactMatch entity/Q1']],
    ['from, backward', { from: `${A}1`, direction: 'backward' }, ['b/2 broadMatch a/1']],
    [
      'from, both',
      { from: `${A}1`, direction: 'both' },
      ['a/1 exactMatch b/1', 'a/1 exactMatch entity/Q1', 'b/2 broadMatch a/1'],
    ],
    ['from with its vocabulary, both', { from: `${A}1`, fromScheme: B, direction: 'both' }, []],
    ['to', { to: `${B}1|${A}1` }, ['a/1 exactMatch b/1', 'a/top closeMatch b/1', 'b/2 broadMatch a/1']],
    ['from and to', { from: `${A}1`, to: `${B}1` }, ['a/1 exactMatch b/1']],
    [
      'from or to',
      { from: `${A}1`, to: `${B}1`, mode: 'or' },
      ['a/1 exactMatch b/1', 'a/1 exactMatch entity/Q1', 'a/top closeMatch b/1'],
    ],
    ['beginnings', { from: `${A}t*` }, ['a/top closeMatch b/1', 'a/top relatedMatch nowhere/1']],
    ['beginnings of notations', { from: 'a1*|t*', to: 'B*' }, ['a/1 exactMatch b/1', 'a/top closeMatch b/1']],
    ['toScheme in BARTOC', { toScheme: WIKIDATA }, ['a/1 exactMatch entity/Q1']],
    ['toScheme by another spelling', { toScheme: 'https://example.org/a' }, ['b/2 broadMatch a/1']],
    [
      'both schemes, backward',
      { fromScheme: 'b', toScheme: 'a', direction: 'backward' },
      ['a/1 exactMatch b/1', 'a/top closeMatch b/1'],
    ],
    ['type', { type: `${SKOS}closeMatch|${SKOS}broadMatch` }, ['a/top closeMatch b/1', 'b/2 broadMatch a/1']],
    ['a concordance', { partOf: 'any' }, []],
    ['a creator', { creator: 'nobody' }, []],
    ['an unknown vocabulary', { fromScheme: 'none' }, []],
  ])('by %s', async (_, parameters, expected) => {
    expect(await shortForms(parameters)).toEqual(expected)
  })

  test('notations of their concepts are completed', async () => {
    const suggested = async (parameters: Record<string, string>) =>
      (await app.ask('/mappings/suggest', parameters)).body
    expect(await suggested({ search: 'A' })).toEqual(['A', ['A1'], [3], []])
    expect(await suggested({ search: 'B', voc: B })).toEqual(['B', ['B1', 'B2'], [2, 1], []])
  })

  test('pages do not overlap and cover all', async () => {
    const pages = await Promise.all(
      [0, 2, 4].map(async (offset) => (await ask({ limit: '2', offset: String(offset) })).mappings),
    )
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(new Set(pages.flat().map(({ uri }) => uri)).size).toBe(5)
    const { headers } = await app.ask('/mappings', { limit: '2' })
    expect(headers.get('link')).toContain('rel="next"')
    const etag = headers.get('etag')!
    expect((await app.ask('/mappings', { limit: '2' }, { headers: { 'If-None-Match': etag } })).status).toBe(304)
  })

  test.each(
    ['created', 'modified', 'mappingRelevance'].flatMap((sort) => [[sort, 'asc'] as const, [sort, 'desc'] as const]),
  )('pages by %s, %s, make up the whole from both ends', async (sort, order) => {
    for (const more of [{}, { fromScheme: 'a' }, { from: `${A}1`, direction: 'both' }] as const) {
      const whole = (await ask({ sort, order, ...more })).mappings
      for (const limit of [1, 2, 3]) {
        const offsets = Array.from({ length: Math.ceil(whole.length / limit) }, (_, nth) => String(nth * limit))
        const pages = offsets.map((offset) => ask({ sort, order, ...more, limit: String(limit), offset }))
        expect((await Promise.all(pages)).flatMap(({ mappings }) => mappings)).toEqual(whole)
      }
      expect((await ask({ sort, order, ...more, offset: String(whole.length) })).mappings).toEqual([])
    }
  })

  test('the vocabularies with their numbers', async () => {
    const { body } = await app.ask('/mappings/voc')
    const counts = (body as { uri: string; fromCount: number; toCount: number }[]).map((vocabulary) => [
      vocabulary.uri,
      vocabulary.fromCount,
      vocabulary.toCount,
    ])
    expect(counts).toEqual([
      [WIKIDATA, 0, 1],
      [A, 4, 1],
      [B, 1, 2],
    ])
    const answer = await app.ask('/mappings/voc', { from: `${B}2` })
    expect(answer.body).toMatchObject([
      { uri: A, fromCount: 0, toCount: 1, notation: ['a'] },
      { uri: B, fromCount: 1, toCount: 0 },
    ])
  })

  test('inferred from the concept above; its own win', async () => {
    const infer = async (more: Record<string, string>) =>
      (await ask({ fromScheme: A, from: `${A}2`, ...more }, '/mappings/infer')).mappings
    const inferred = await infer({})
    expect(inferred.map(short).sort()).toEqual(['a/2 narrowMatch b/1', 'a/2 relatedMatch nowhere/1'])
    expect(inferred[0]).not.toHaveProperty('uri')
    expect((await infer({ strict: 'true' })).map(short)).toEqual(['a/2 relatedMatch nowhere/1'])
    expect(await infer({ depth: '0' })).toEqual([])
    expect(await infer({ from: `${A}3`, depth: '1' })).toEqual([])
    expect(await infer({ from: `${A}3`, depth: '2' })).toHaveLength(2)
    expect((await infer({ from: `${A}1` })).map(short).sort()).toEqual([
      'a/1 exactMatch b/1',
      'a/1 exactMatch entity/Q1',
    ])
  })

  test('applied to concepts: what they and, without mappings, the concepts above them lead to', async () => {
    const uris = ({ body }: { body: any }) => body.map(({ uri }: { uri: string }) => uri.split('/').slice(-2).join('/'))
    const apply = (parameters: Record<string, string>) => app.ask('/mappings/apply', parameters)
    const applied = await apply({ from: `${A}1`, toScheme: 'b' })
    expect(applied.headers.get('x-total-count')).toBe('1')
    expect(applied.body).toEqual([
      {
        '@context': app.config.jskosContextUrl,
        uri: `${B}1`,
        type: [`${SKOS}Concept`],
        notation: ['B1'],
        inScheme: [{ uri: B, notation: ['b'] }],
      },
    ])
    expect(uris(await apply({ from: `${A}1|${B}2` })).sort()).toEqual(['a/1', 'b/1', 'entity/Q1'])
    expect(uris(await apply({ from: `${A}2` })).sort()).toEqual(['b/1', 'nowhere/1'])
    expect(uris(await apply({ from: 'A2', fromScheme: 'a', strict: 'true' }))).toEqual(['nowhere/1'])
    expect(uris(await apply({ from: `${A}2`, type: `${SKOS}exactMatch` }))).toEqual([])
    expect(uris(await apply({ from: `${A}2`, depth: '0' }))).toEqual([])
    expect(uris(await apply({ from: `${A}3`, depth: '1' }))).toEqual([])
    expect(uris(await apply({ from: `${A}3`, depth: '2' })).sort()).toEqual(['b/1', 'nowhere/1'])
    expect(uris(await apply({ from: `${A}2`, limit: '1' }))).toHaveLength(1)
    expect(uris(await apply({}))).toEqual([])
    expect((await apply({ from: `${A}*` })).status).toBe(400)
  })

  test('applied to a JSKOS set, or to one item', async () => {
    const post = async (body: unknown) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const answer = await fetch(`${app.url}/mappings/apply?toScheme=b`, { method: 'POST', body: text })
      return { status: answer.status, body: await answer.json() }
    }
    const items = [{ uri: `${A}1`, prefLabel: { en: 'One' } }, { uri: `${A}2` }, { uri: `${B}1` }]
    expect((await post(items)).body).toMatchObject([{ uri: `${B}1` }])
    expect((await post(items[1])).body).toMatchObject([{ uri: `${B}1` }])
    expect((await post([])).body).toEqual([])
    const wrong: [unknown, string][] = [
      ['{', 'body: expected JSON'],
      [[{ uri: `${A}1` }, { notation: ['A2'] }], 'body[1]: expected an item with a URI'],
      ['"x"', 'body: expected an item with a URI'],
    ]
    for (const [body, message] of wrong) {
      expect(await post(body)).toMatchObject({ status: 400, body: { error: 'MalformedRequestError', message } })
    }
  })

  test('a download has all of them', async () => {
    const { text, headers } = await app.ask('/mappings', { download: 'ndjson', limit: '10' })
    expect(headers.get('content-disposition')).toContain('mappings.ndjson')
    expect(text.trim().split('\n')).toHaveLength(5)
  })

  describe('what is wrong', () => {
    test.each([
      ['direction', 'sideways', 'forward, backward, both'],
      ['mode', 'xor', 'and, or'],
      ['sort', 'size', 'created, modified, mappingRelevance'],
    ])('%s=%s: 400 that says what there is', async (name, value, allowed) => {
      const { status, body } = await app.ask('/mappings', { [name]: value })
      expect([status, body.error]).toEqual([400, 'MalformedRequestError'])
      expect(body.message).toMatch(new RegExp(`^${name}: expected one of .*${allowed}`))
    })

    test.each(['/mappings/00000000-0000-5000-8000-000000000000', '/concordances/none'])('%s: 404', async (path) => {
      expect((await app.ask(path)).status).toBe(404)
    })

    test('infer with to', async () => {
      expect((await app.ask('/mappings/infer', { to: `${B}1` })).status).toBe(400)
    })
  })

  test('a vocabulary that comes later gets the mappings that lead to it', async () => {
    const X = 'http://example.org/nowhere/'
    await app.put(X, `${PREFIXES} <${X}> a skos:ConceptScheme ; skos:notation "x" ; void:uriSpace "${X}" .`)
    await app.index.refresh([X])
    await app.index.caughtUp()
    expect(await shortForms({ toScheme: 'x' })).toEqual(['a/top relatedMatch nowhere/1'])
    // Without a statement, the mapping is gone.
    await app.put(A, GRAPH_A.replace('skos:relatedMatch', 'skos:related'))
    await app.index.refresh([A])
    await app.index.caughtUp()
    expect((await ask()).total).toBe('4')
  })
})
