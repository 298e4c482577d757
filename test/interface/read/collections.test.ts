import { expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import { COLLECTION, CONCEPT, ISOTHES, ORDERED_COLLECTION, SKOS } from '../../../src/base/namespaces.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const FISH = 'http://example.org/vocabulary/fish/'
const ARRAY = `${ISOTHES}ThesaurusArray`
const GROUP = `${ISOTHES}ConceptGroup`
const SUBSET = `${FISH}subset`
const LENGTH = 1500
const LONG = Array.from({ length: LENGTH }, (_, at) => `:c${(at * 7) % LENGTH}`).join(' ')

const VOCABULARY = `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . @prefix isothes: <${ISOTHES}> . @prefix : <${FISH}> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  <${FISH}> a skos:ConceptScheme ; skos:notation "fish" ; skos:prefLabel "Fish"@en .
  :tuna a skos:Concept ; skos:inScheme <${FISH}> ; skos:topConceptOf <${FISH}> ; skos:prefLabel "Tuna"@en ; skos:notation "3" .
  :carp a skos:Concept ; skos:inScheme <${FISH}> ; skos:topConceptOf <${FISH}> ; skos:prefLabel "Carp"@en ; skos:notation "1" .
  :eel a skos:Concept ; skos:inScheme <${FISH}> ; skos:topConceptOf <${FISH}> ; skos:prefLabel "Eel"@en ; skos:notation "2" .
  :water a skos:Collection, isothes:ThesaurusArray ; skos:prefLabel "by water"@en, "nach Gewässer"@de ; skos:notation "W" ;
    skos:member :salt, :fresh ; skos:scopeNote [ rdf:value "Where they live"@en ] ; dct:modified "2026-02-03" .
  :salt a isothes:ThesaurusArray ; skos:prefLabel "saltwater fish"@en ; skos:member :tuna, :eel, :none, "text", [] .
  :fresh a skos:Collection ; skos:prefLabel "freshwater fish"@en ; skos:member :carp, :eel .
  :size a skos:OrderedCollection ; skos:prefLabel "by size"@en ; skos:memberList ( :tuna :eel :carp :eel ) ; skos:member :fresh .
  :all a isothes:ConceptGroup ; skos:prefLabel "all"@en .
  :part a isothes:ConceptGroup ; isothes:superGroup :all ; skos:prefLabel "part"@en .
  :empty a skos:OrderedCollection ; skos:memberList () .
  :both a skos:Concept, skos:Collection ; skos:inScheme <${FISH}> ; skos:prefLabel "Both"@en ; skos:member :carp .
  [] a skos:Collection ; skos:member :carp .
  :loop a skos:Collection ; skos:member :loop .
  :long a skos:OrderedCollection ; skos:prefLabel "long"@en ; skos:memberList ( ${LONG} ) .`
const SUBSET_GRAPH = `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
  <${SUBSET}> a skos:Collection ; skos:notation "subset_fish" ; dct:isPartOf <${FISH}> ; skos:member <${FISH}eel> .`

const uris = (list: readonly { uri: string }[]) => list.map(({ uri }) => uri.replace(FISH, ''))

describeOver(EMBEDDED, 'Collections', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await app.put(FISH, VOCABULARY)
    await app.put(SUBSET, SUBSET_GRAPH)
  })
  const recordOf = async (name: string, parameters: Record<string, string> = {}) => {
    const { body } = await app.ask('/data', { uri: FISH + name, ...parameters })
    expect(body).toHaveLength(1)
    return body[0]
  }
  const groups = (query = '') => app.get(`/voc/fish/groups${query}`)

  test('are found by search if their class is asked for, and only then', async () => {
    const search = async (query: string) => uris((await app.get(`/search?voc=fish&search=${query}`)).body)
    expect(await search('fish')).toEqual([])
    expect(await search(`fish&type=${encodeURIComponent(COLLECTION)}`)).toEqual(['salt', 'fresh'])
    expect(await search(`W&type=${encodeURIComponent(ARRAY)}`)).toEqual(['water'])
    const both = encodeURIComponent(`${CONCEPT}|${COLLECTION}`)
    expect(await search(`fresh&type=${both}`)).toEqual(['fresh'])
    expect(await search(`b&type=${both}`)).toEqual(expect.arrayContaining(['both', 'water']))
    const { headers } = await app.get(`/search?voc=fish&search=saltwater&type=${encodeURIComponent(ARRAY)}`)
    expect(headers.get('x-total-count')).toBe('1')
    const suggested = await app.get(`/suggest?search=by%20wa&type=${encodeURIComponent(COLLECTION)}`)
    expect(suggested.body[3]).toEqual([`${FISH}water`])
  })

  test('are found and counted by the classes of their records', async () => {
    const { body, headers } = await app.get(
      `/search?voc=fish&search=by&type=${encodeURIComponent(COLLECTION)}&facets=type`,
    )
    expect(body.map(({ type }: { type: string[] }) => type)).toEqual([
      [COLLECTION, ORDERED_COLLECTION],
      [COLLECTION, ARRAY],
    ])
    expect(JSON.parse(headers.get('x-facets')!).type).toEqual([
      { uri: COLLECTION, count: 2 },
      { uri: ARRAY, count: 1 },
      { uri: ORDERED_COLLECTION, count: 1 },
    ])
  })

  test('are no hits of a search without a text, nor in its facets', async () => {
    const type = encodeURIComponent(COLLECTION)
    const { body, headers } = await app.get(`/search?voc=fish&type=${type}&facets=voc,type`)
    expect(uris(body)).toEqual(['both'])
    expect(JSON.parse(headers.get('x-facets')!)).toEqual({
      voc: [{ uri: FISH, count: 1 }],
      type: [
        { uri: COLLECTION, count: 1 },
        { uri: CONCEPT, count: 1 },
      ],
    })
  })

  test('are listed in the order of records, without concepts, subsets and nodes without a URI', async () => {
    const { body, headers } = await groups()
    expect(uris(body)).toEqual(['water', 'all', 'empty', 'fresh', 'long', 'loop', 'part', 'salt', 'size'])
    expect(headers.get('x-total-count')).toBe('9')
    for (const record of body) {
      expect(validate(record, { unknownFields: true })).toBe(true)
      expect(record.type[0]).toBe(COLLECTION)
      expect(record.inScheme).toEqual([
        { uri: FISH, type: [`${SKOS}ConceptScheme`], prefLabel: { en: 'Fish' }, notation: ['fish'] },
      ])
    }
    expect(body[0]).toMatchObject({ notation: ['W'], memberSet: [null], modified: '2026-02-03' })
    expect(body[0].scopeNote).toEqual({ en: ['Where they live'] })
    expect(body.at(-1)).toMatchObject({ type: [COLLECTION, ORDERED_COLLECTION], memberList: [null] })
    expect(body[2].memberList).toEqual([])
  })

  test.each([
    ['?limit=2', ['water', 'all'], 9],
    ['?limit=2&offset=8', ['size'], 9],
    ['?limit=0', [], 9],
    ['?offset=9', [], 9],
    [`?type=${encodeURIComponent(ARRAY)}`, ['water', 'salt'], 2],
    [`?type=${encodeURIComponent(`${ORDERED_COLLECTION}|${GROUP}`)}`, ['all', 'empty', 'long', 'part', 'size'], 5],
    [
      `?type=${encodeURIComponent(COLLECTION)}`,
      ['water', 'all', 'empty', 'fresh', 'long', 'loop', 'part', 'salt', 'size'],
      9,
    ],
    ['?type=unknown', [], 0],
    ['?top=true', ['water', 'all', 'empty', 'long', 'size'], 5],
    [`?member=${encodeURIComponent(`${FISH}eel`)}`, ['fresh', 'salt', 'size'], 3],
    [`?member=${encodeURIComponent(`${FISH}c7|${FISH}part`)}`, ['all', 'long'], 2],
    ['?voc=fish', ['water', 'all', 'empty', 'fresh', 'long', 'loop', 'part', 'salt', 'size'], 9],
    ['?voc=none', [], 0],
  ])('GET /voc/fish/groups%s', async (query, expected, total) => {
    const { body, headers } = await groups(query)
    // A collection is above itself at most in its data.
    expect(uris(body)).toEqual(expected)
    expect(headers.get('x-total-count')).toBe(String(total))
  })

  test('list their members if a request names these, with the class of those that are collections', async () => {
    const { body } = await groups('?properties=memberSet,memberList,prefLabel')
    const members = Object.fromEntries(
      body.map((record: any) => [record.uri.replace(FISH, ''), record.memberSet ?? record.memberList]),
    )
    expect(uris(members['water'])).toEqual(['fresh', 'salt'])
    expect(members['water'][0]).toEqual({
      uri: `${FISH}fresh`,
      type: [COLLECTION],
      prefLabel: { en: 'freshwater fish' },
    })
    expect(members['salt']).toEqual([
      { uri: `${FISH}eel`, prefLabel: { en: 'Eel' }, notation: ['2'] },
      { uri: `${FISH}tuna`, prefLabel: { en: 'Tuna' }, notation: ['3'] },
      { uri: `${FISH}none` },
    ])
    expect(uris(members['size'])).toEqual(['tuna', 'eel', 'carp', 'fresh'])
    expect(members['all']).toEqual([{ uri: `${FISH}part`, type: [COLLECTION], prefLabel: { en: 'part' } }])
    expect(members['loop']).toEqual([])
  })

  test('with one of the fields asked for: the members as a set, and no list where there is none', async () => {
    const { body: sets } = await groups('?properties=memberSet')
    expect(uris(sets.at(-1).memberSet)).toEqual(['tuna', 'eel', 'carp', 'fresh'])
    const { body: lists } = await groups('?properties=memberList')
    expect(lists[0]).toEqual({ ...lists[0], memberList: [] })
    expect(lists.every((record: any) => Array.isArray(record.memberList) && !('memberSet' in record))).toBe(true)
    const { body: unlisted } = await groups('?properties=-memberList')
    expect(unlisted.at(-1)).toMatchObject({ memberSet: [null] })
  })

  test('are records of /data, with their members in order', async () => {
    expect(uris((await recordOf('size')).memberList)).toEqual(['tuna', 'eel', 'carp', 'fresh'])
    expect(uris((await recordOf('size', { voc: 'fish' })).memberList)).toHaveLength(4)
    expect((await recordOf('size', { properties: 'prefLabel' })).memberList).toBeUndefined()
    expect((await recordOf('both')).type).toEqual([CONCEPT, COLLECTION])
    const long = (await recordOf('long')).memberList
    expect(uris(long)).toEqual(Array.from({ length: LENGTH }, (_, at) => `c${(at * 7) % LENGTH}`))
    const { body } = await app.ask('/data', {
      uri: ['tuna', 'size', 'water', '', 'no'].map((name) => FISH + name).join('|'),
    })
    expect(uris(body)).toEqual(['tuna', 'water', '', 'size'])
    const page = await app.ask('/data', { uri: `${FISH}tuna|${FISH}size|${FISH}water`, limit: '1', offset: '1' })
    expect([uris(page.body), page.headers.get('x-total-count')]).toEqual([['water'], '3'])
    expect((await app.ask('/data', { uri: `${FISH}size`, voc: 'none' })).body).toEqual([])
    expect((await app.ask('/data', { id: `${FISH}size` })).body).toHaveLength(1)
  })

  test('are named by what is in them, if a request asks for that', async () => {
    const { memberOf } = await recordOf('eel', { properties: 'memberOf' })
    expect(uris(memberOf)).toEqual(['fresh', 'salt', 'size'])
    expect(memberOf[0]).toEqual({ uri: `${FISH}fresh`, prefLabel: { en: 'freshwater fish' } })
    expect(uris((await recordOf('fresh', { properties: '+memberOf' })).memberOf)).toEqual(['water', 'size'])
    expect(uris((await recordOf('part', { properties: 'memberOf' })).memberOf)).toEqual(['all'])
    expect((await recordOf('loop', { properties: 'memberOf' })).memberOf).toEqual([])
    expect((await recordOf('eel', { properties: '*' })).memberOf).toBeUndefined()
    const { body } = await app.ask('/voc/fish/top', { properties: 'memberOf' })
    expect(body.map((record: any) => uris(record.memberOf))).toEqual([
      ['fresh', 'size'],
      ['fresh', 'salt', 'size'],
      ['salt', 'size'],
    ])
  })

  test('show a subset its own members', async () => {
    const { body } = await app.get('/voc/subset_fish/groups?properties=memberSet,memberList')
    expect(uris(body)).toEqual(['fresh', 'salt', 'size'])
    expect(body.map((record: any) => uris(record.memberSet ?? record.memberList))).toEqual([['eel'], ['eel'], ['eel']])
    expect(uris((await app.get('/voc/fish/groups?voc=subset_fish')).body)).toEqual(['fresh', 'salt', 'size'])
  })

  test('have their members as RDF', async () => {
    const { text } = await app.ask('/data', { uri: `${FISH}size`, format: 'turtle' })
    expect(text).toContain('skos:memberList')
    const water = await app.ask('/data', { uri: `${FISH}water`, format: 'ntriples' })
    expect(water.text).toContain(`<${FISH}water> <${SKOS}member> <${FISH}fresh> .`)
  })

  test.each([
    ['/voc/none/groups', 404],
    ['/voc/fish/groups?member=relative', 400],
    ['/voc/fish/groups?limit=x', 400],
  ])('GET %s is %i', async (path, status) => {
    expect((await app.get(path)).status).toBe(status)
  })
})
