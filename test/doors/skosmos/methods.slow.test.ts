/**
 * The REST API of Skosmos: its methods over the demo, as its description says, and what they find in labels of all
 * kinds.
 */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { METHODS } from '../../../src/doors/skosmos/methods.ts'
import { CRAFTS, startApp, type RunningApp } from '../../app.ts'
import { TEST_DATA } from '../../data.ts'
import { startDemo } from '../demo/demo.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`
const JAPAN = `${CRAFTS}collection/japan`

const uris = (list: { uri: string }[]) => list.map(({ uri }) => uri)
const local = (list: { uri: string }[]) => list.map(({ uri }) => uri.replace(/^.*[/#]/, ''))

describeOver(EMBEDDED, 'The REST API of Skosmos over the demo', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  const ask = (path: string, parameters: Record<string, string> = {}) => app.ask(`/rest/v1/${path}`, parameters)
  const body = async (path: string, parameters: Record<string, string> = {}) => {
    const answer = await ask(path, parameters)
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, ''])
    return answer.body
  }
  beforeAll(async () => {
    running = await store.start()
    app = await startDemo(running.endpoint)
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  test('lists vocabularies by id', async () => {
    const { vocabularies, uri, '@context': context } = await body('vocabularies', { lang: 'en' })
    expect(uri).toBe('')
    expect(vocabularies).toEqual([
      { uri: 'crafts', id: 'crafts', title: 'Crafts and Design' },
      { uri: 'materials', id: 'materials', title: 'Materials' },
    ])
    expect(context['@base']).toBe(`${app.config.baseUrl}rest/v1/vocabularies`)
  })

  test('says what a vocabulary is, in its own language by default', async () => {
    const { '@context': context, ...information } = await body('crafts/')
    expect(information).toEqual({
      uri: '',
      id: 'crafts',
      title: 'Handwerk und Gestaltung',
      defaultLanguage: 'de',
      languages: ['de', 'en'],
      conceptschemes: [{ uri: CRAFTS, type: 'skos:ConceptScheme', prefLabel: 'Handwerk und Gestaltung' }],
    })
    expect(context['@language']).toBe('de')
    expect((await body('crafts', { lang: 'en' })).title).toBe('Crafts and Design')
  })

  test.each(['label', 'crafts/label'])('%s gives the labels in a language', async (path) => {
    const { '@context': context, ...labels } = await body(path, { uri: BOOKBINDING, lang: 'en' })
    expect(context['@language']).toBe('en')
    expect(labels).toEqual({
      uri: BOOKBINDING,
      prefLabel: 'Bookbinding',
      altLabel: expect.arrayContaining(['Binding of books', 'Book binding']),
      hiddenLabel: expect.arrayContaining(['Bookbiding', 'Bookbindery']),
    })
    expect(await body(path, { uri: BOOKBINDING, lang: 'fi' })).toEqual({
      '@context': expect.anything(),
      uri: BOOKBINDING,
    })
  })

  test('direct relations', async () => {
    const { broader, uri } = await body('crafts/broader', { uri: BOOKBINDING, lang: 'en' })
    expect(uri).toBe(BOOKBINDING)
    expect(broader).toEqual([{ uri: `${CRAFTS}book-and-paper`, prefLabel: 'Book and paper crafts' }])
    const { narrower } = await body('crafts/narrower', { uri: BOOKBINDING, lang: 'en' })
    expect(local(narrower).sort()).toEqual(['binding-decoration', 'book-conservation', 'book-sewing'])
    const { related } = await body('crafts/related', { uri: BOOKBINDING, lang: 'fi' })
    expect(related).toContainEqual({ uri: `${CRAFTS}papermaking`, prefLabel: null })
    expect((await body('crafts/broader', { uri: `${CRAFTS}book-and-paper` })).broader).toEqual([])
  })

  test('transitive relations, with the concept itself and the direct relations of each', async () => {
    const start = `${CRAFTS}japanese-stab-binding`
    const { broaderTransitive } = await body('crafts/broaderTransitive', { uri: start, lang: 'en' })
    expect(Object.keys(broaderTransitive)).toEqual(
      ['japanese-stab-binding', 'book-sewing', 'bookbinding', 'book-and-paper'].map((name) => CRAFTS + name),
    )
    expect(broaderTransitive[start]).toEqual({
      uri: start,
      prefLabel: 'Japanese stab binding',
      broader: [`${CRAFTS}book-sewing`],
    })
    expect(broaderTransitive[`${CRAFTS}book-and-paper`]).not.toHaveProperty('broader')

    const nearest = await body('crafts/broaderTransitive', { uri: start, lang: 'en', limit: '2' })
    expect(Object.entries(nearest.broaderTransitive)).toEqual(Object.entries(broaderTransitive).slice(0, 2))

    const { narrowerTransitive } = await body('crafts/narrowerTransitive', { uri: BOOKBINDING, lang: 'en' })
    expect(Object.keys(narrowerTransitive)[0]).toBe(BOOKBINDING)
    expect(narrowerTransitive[`${CRAFTS}book-sewing`].narrower).toContain(start)
    const few = await body('crafts/narrowerTransitive', { uri: BOOKBINDING, limit: '2' })
    expect(Object.keys(few.narrowerTransitive)).toHaveLength(2)
  })

  test('trees: top concepts, children and the way to a concept', async () => {
    const { topconcepts, uri } = await body('crafts/topConcepts', { lang: 'en' })
    expect(uri).toBe(CRAFTS)
    expect(topconcepts[0]).toEqual({
      uri: `${CRAFTS}book-and-paper`,
      topConceptOf: CRAFTS,
      label: 'Book and paper crafts',
      notation: 'B',
      hasChildren: true,
    })
    expect((await body('crafts/topConcepts', { scheme: 'http://example.org/none' })).topconcepts).toEqual([])
    expect((await body('crafts/topConcepts', { lang: 'fi' })).topconcepts[0].label).toBe(
      'Buch- und Papierhandwerk (de)',
    )

    const { narrower } = await body('crafts/children', { uri: BOOKBINDING, lang: 'en' })
    expect(narrower).toContainEqual({
      uri: `${CRAFTS}book-conservation`,
      prefLabel: 'Book conservation',
      notation: 'B1.3',
      hasChildren: false,
    })

    const sewing = `${CRAFTS}book-sewing`
    const hierarchy = (await body('crafts/hierarchy', { uri: sewing, lang: 'en' })).broaderTransitive
    expect(Object.keys(hierarchy).sort()).toEqual([`${CRAFTS}book-and-paper`, sewing, BOOKBINDING].sort())
    expect(hierarchy[`${CRAFTS}book-and-paper`]).toMatchObject({ top: CRAFTS, tops: [CRAFTS], hasChildren: true })
    expect(hierarchy[BOOKBINDING]).toMatchObject({ broader: [`${CRAFTS}book-and-paper`], notation: 'B1' })
    expect(hierarchy[BOOKBINDING]).not.toHaveProperty('top')
    expect(hierarchy[BOOKBINDING].narrower).toContainEqual({
      uri: sewing,
      label: 'Book sewing',
      notation: 'B1.1',
      hasChildren: true,
    })
  })

  test('collections and their members', async () => {
    const { groups } = await body('crafts/groups', { lang: 'en' })
    expect(groups).toEqual([
      { uri: `${CRAFTS}collection/fibre-to-garment`, prefLabel: 'From fibre to garment', hasMembers: true },
      { uri: JAPAN, prefLabel: 'Techniques from Japan', hasMembers: true },
    ])
    const { members } = await body('crafts/groupMembers', { uri: JAPAN, lang: 'en' })
    expect(members).toHaveLength(10)
    expect(members[0]).toEqual({
      uri: `${CRAFTS}japanese-woodblock`,
      isSuper: false,
      hasMembers: false,
      type: ['skos:Concept'],
      prefLabel: 'Japanese colour woodblock printing',
      notation: 'D1.2.1',
    })
  })

  test('collections are found in a vocabulary, elsewhere only by their class', async () => {
    const urisOf = async (path: string, parameters: Record<string, string> = {}) =>
      uris((await body(path, { query: 'techniques from*', lang: 'en', ...parameters })).results)
    expect(await urisOf('crafts/search')).toEqual([JAPAN])
    expect(await urisOf('search')).toEqual([])
    expect(await urisOf('search', { vocab: 'crafts' })).toEqual([JAPAN])
    expect(await urisOf('search', { type: 'skos:Collection' })).toEqual([JAPAN])
    expect(await urisOf('crafts/search', { type: 'skos:Concept' })).toEqual([])
  })

  test('a subset: what the graph of its vocabulary says about its members', async () => {
    const subset = 'subset_crafts-school'
    const { graph } = await body(`${subset}/data`, { uri: `${CRAFTS}origami`, format: 'application/json' })
    const origami = graph.find(({ uri }: { uri: string }) => uri === `${CRAFTS}origami`)
    expect(origami).toMatchObject({ type: 'skos:Concept', broader: expect.anything() })
    expect((await body(`${subset}/mappings`, { uri: `${CRAFTS}origami` })).graph).toContain('"broader"')
    expect((await ask(`${subset}/data`, { uri: BOOKBINDING })).status).toBe(404)
    const { members } = await body(`${subset}/groupMembers`, { uri: JAPAN, lang: 'en' })
    expect(local(members)).toEqual(['japanese-stab-binding', 'origami'])
    const { changeList } = await body(`${subset}/new`, { lang: 'en' })
    expect(changeList).toHaveLength(17)
    expect(local(changeList)).toContain('origami')
  })

  test('figures', async () => {
    const { concepts, conceptGroups, subTypes } = await body('crafts/vocabularyStatistics', { lang: 'en' })
    const { headers } = await app.ask('/voc/crafts/concepts', { limit: '0' })
    expect(concepts).toMatchObject({
      label: 'Concept',
      count: Number(headers.get('x-total-count')),
      deprecatedCount: 1,
    })
    expect(conceptGroups).toMatchObject({ count: 2, label: 'Collection' })
    expect(subTypes).toEqual([])
    const { languages } = await body('crafts/labelStatistics', { lang: 'en' })
    expect(languages.map((language: any) => [language.language, language.literal])).toEqual([
      ['de', 'German'],
      ['en', 'English'],
    ])
    expect(languages[0].properties[0]).toEqual({ property: 'skos:prefLabel', labels: concepts.count })
  })

  test('classes', async () => {
    const concept = { uri: 'http://www.w3.org/2004/02/skos/core#Concept', label: 'Concept' }
    const collection = { uri: 'http://www.w3.org/2004/02/skos/core#Collection', label: 'Collection' }
    expect((await body('types', { lang: 'en' })).types).toEqual([concept, collection])
    expect((await body('crafts/types', { lang: 'en' })).types).toEqual([concept, collection])
    expect((await body('materials/types', { lang: 'en' })).types).toEqual([concept])
  })

  test('the index', async () => {
    const { indexLetters } = await body('crafts/index/', { lang: 'en' })
    expect(indexLetters).toEqual(expect.arrayContaining(['A', 'B', 'W']))
    const { indexConcepts } = await body('crafts/index/B', { lang: 'en' })
    expect(indexConcepts[0]).toEqual({
      uri: `${CRAFTS}cooperage`,
      localname: 'cooperage',
      prefLabel: 'Cooperage',
      altLabel: 'Barrel making',
      lang: 'en',
    })
    const part = await body('crafts/index/b', { lang: 'en', limit: '2', offset: '1' })
    expect(part.indexConcepts).toEqual(indexConcepts.slice(1, 3))
    expect((await body('crafts/index/!*', { lang: 'en' })).indexConcepts).toEqual([])
    const all = await body('crafts/index/*', { lang: 'en' })
    expect(all.indexConcepts.length).toBeGreaterThan(indexConcepts.length)
  })

  test('new and modified concepts', async () => {
    const { changeList } = await body('crafts/new', { lang: 'en', limit: '2' })
    expect(changeList).toHaveLength(2)
    expect(changeList[0]).toMatchObject({ deprecated: true, replacedBy: `${CRAFTS}tapestry-weaving` })
    expect(changeList[1]).toEqual({
      uri: expect.stringContaining(CRAFTS),
      prefLabel: expect.any(String),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\+0000$/),
      deprecated: false,
    })
    const next = await body('crafts/new', { lang: 'en', limit: '1', offset: '1' })
    expect(next.changeList).toEqual(changeList.slice(1))
    const dates = (await body('crafts/modified', { lang: 'en' })).changeList.map(({ date }: any) => date.slice(0, 7))
    expect(dates).toEqual([...dates].sort().reverse())
  })

  test('mappings, with the names of known targets', async () => {
    const { mappings, graph } = await body('crafts/mappings', { uri: BOOKBINDING, lang: 'en' })
    const leather = 'http://example.org/vocabulary/materials/leather'
    expect(mappings.find((mapping: any) => mapping.to.memberSet[0].uri === leather)).toMatchObject({
      uri: BOOKBINDING,
      type: ['skos:relatedMatch'],
      prefLabel: 'Leather',
      lang: 'en',
      from: { memberSet: [{ uri: BOOKBINDING }] },
      hrefLink: 'materials/en/page/leather',
      vocabName: 'Materials',
      fromScheme: { uri: CRAFTS },
      toScheme: { uri: 'http://example.org/vocabulary/materials/' },
    })
    expect(uris(JSON.parse(graph).graph)).toContain(BOOKBINDING)
  })

  test.each(['data', 'crafts/data'])('%s gives a concept in each format', async (path) => {
    const { graph } = await body(path, { uri: BOOKBINDING, format: 'application/json' })
    const concept = graph.find(({ uri }: any) => uri === BOOKBINDING)
    expect(concept.type).toBe('skos:Concept')
    expect(concept.broader).toEqual({ uri: `${CRAFTS}book-and-paper` })
    expect(concept.prefLabel).toContainEqual({ lang: 'en', value: 'Bookbinding' })
    for (const format of ['application/rdf+xml', 'text/turtle', 'application/ld+json']) {
      for (const answer of [
        await ask(path, { uri: BOOKBINDING, format }),
        await app.ask(`/rest/v1/${path}`, { uri: BOOKBINDING }, { headers: { accept: `${format}; charset=utf-8` } }),
      ]) {
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${format}; charset=utf-8`])
        expect(answer.text).toContain('Buchbinderei')
      }
    }
    expect((await ask(path, { uri: BOOKBINDING })).headers.get('content-type')).toContain('application/rdf+xml')
    const refused = await app.ask(`/rest/v1/${path}`, { uri: BOOKBINDING }, { headers: { accept: 'image/png' } })
    expect([refused.status, refused.text]).toEqual([406, expect.stringContaining('text/turtle')])
  })

  test('data of a whole vocabulary leads to its export', async () => {
    const answer = await app.get('/rest/v1/crafts/data?format=text/turtle', { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `${app.config.baseUrl}voc/crafts/export?format=turtle`,
    ])
  })

  test('search, the results in the order of the labels', async () => {
    const { results, '@context': context } = await body('crafts/search', { query: 'book*', lang: 'en' })
    expect(context['@language']).toBe('en')
    expect(results[0]).toEqual({
      uri: `${CRAFTS}book-and-paper`,
      type: ['skos:Concept'],
      localname: 'book-and-paper',
      prefLabel: 'Book and paper crafts',
      lang: 'en',
      notation: 'B',
      vocab: 'crafts',
    })
    expect(results[1]).toMatchObject({ prefLabel: 'Book and paper crafts', altLabel: 'Book arts' })
    const page = await body('crafts/search', { query: 'book*', lang: 'en', maxhits: '2', offset: '1' })
    expect(page.results).toEqual(results.slice(1, 3))
    // As in PHP, 0 counts as absent.
    expect((await body('crafts/search', { query: 'book*', lang: 'en', maxhits: '0' })).results).toEqual(results)
    const unique = (await body('crafts/search', { query: 'book*', lang: 'en', unique: 'true' })).results
    expect(new Set(uris(unique)).size).toBe(unique.length)
    const everywhere = (await body('search', { query: 'book*', lang: 'en', vocab: 'crafts materials' })).results
    expect(everywhere.map(({ uri }: any) => uri)).toEqual(expect.arrayContaining(uris(results)))
  })

  test('search within a branch, within a collection, and with further properties', async () => {
    const below = (await body('crafts/search', { query: '*', parent: BOOKBINDING, lang: 'en' })).results
    expect(local(below)).toContain('japanese-stab-binding')
    expect(local(below)).not.toContain('bookbinding')
    const inGroup = (await body('crafts/search', { query: '*bind*', group: JAPAN, lang: 'en', unique: '1' })).results
    expect(local(inGroup)).toEqual(['japanese-stab-binding'])
    const [result] = (await body('crafts/search', { query: 'book sewing', lang: 'en', fields: 'broader prefLabel' }))
      .results
    expect(result).toMatchObject({
      broader: [{ uri: BOOKBINDING, prefLabel: 'Bookbinding' }],
      prefLabels: { de: expect.any(String), en: 'Book sewing' },
    })
  })

  test('lookup: exact preferred labels, then any case, then alternative labels', async () => {
    const result = async (label: string, lang?: string) =>
      (await body('crafts/lookup', lang === undefined ? { label } : { label, lang })).result
    expect(local(await result('Bookbinding', 'en'))).toEqual(['bookbinding'])
    expect(local(await result('BOOKBINDING', 'en'))).toEqual(['bookbinding'])
    expect(await result('Bookbinding')).toEqual([expect.objectContaining({ prefLabel: 'Bookbinding' })])
    expect(await result('binding of books', 'en')).toEqual([
      expect.objectContaining({ uri: BOOKBINDING, altLabel: 'Binding of books' }),
    ])
  })

  test('looks once at the list of vocabularies, however many ids have none', async () => {
    const select = jest.spyOn(app.client, 'select')
    const ids = Array.from({ length: 1000 }, (_, at) => `none${at}`)
    const answer = await ask('search', { query: 'a', vocab: ids.join(' ') })
    const looks = select.mock.calls.length
    select.mockRestore()
    expect([answer.status, answer.text]).toEqual([404, "404 Not Found : Vocabulary id 'none0' not found."])
    expect(looks).toBeLessThan(5)
  })

  test.each<[status: number, text: string, path: string]>([
    [404, "404 Not Found : Vocabulary id 'none' not found.", 'none/'],
    [404, "404 Not Found : Vocabulary id 'none' not found.", 'search?query=a&vocab=crafts+none'],
    [404, "404 Not Found : Vocabulary id '*' not found.", 'search?query=a&vocab=*'],
    [
      400,
      '400 Bad Request : vocab: expected at most 1000 values, got 1001',
      `search?query=a&vocab=${Array.from({ length: 1001 }, (_, at) => at).join('+')}`,
    ],
    [404, "404 Not Found : Vocabulary id 'none' not found.", 'search?query=a&vocab=none'],
    [404, '404 Not Found : Could not find concept <http://example.org/none>', 'label?uri=http://example.org/none'],
    [404, '404 Not Found : Could not find concept <kula>', 'crafts/broader?uri=kula'],
    [404, '404 Not Found : Could not find concept <>', 'crafts/children'],
    [404, `404 Not Found : Could not find concept <${BOOKBINDING}>`, `materials/hierarchy?uri=${BOOKBINDING}`],
    [404, '404 Not Found : Could not find group <x>', 'crafts/groupMembers?uri=x'],
    [404, "404 Not Found : Could not find label 'zzz'", 'crafts/lookup?label=zzz'],
    [404, '404 Bad Request : no concept found with given uri', 'data?uri=kula&format=application/json'],
    [404, '404 Bad Request : no concept found with given uri', 'crafts/mappings?uri=http://example.org/none'],
    [400, '400 Bad Request : query parameter missing', 'crafts/search'],
    [400, '400 Bad Request : query parameter missing', 'search?query=%20'],
    [400, '400 Bad Request : maxhits parameter is invalid', 'search?query=a&maxhits=-1'],
    [400, '400 Bad Request : offset parameter is invalid', 'search?query=a&offset=x'],
    [400, '400 Bad Request : label parameter missing', 'crafts/lookup'],
    [400, '400 Bad Request : uri parameter missing', 'label'],
    [400, '400 Bad Request : uri parameter missing', 'data'],
    [400, '400 Bad Request : lang parameter missing', 'vocabularies'],
    [400, '400 Bad Request : lang parameter missing', 'types'],
    [400, '400 Bad Request : Invalid limit parameter', `crafts/broaderTransitive?uri=${BOOKBINDING}&limit=-1`],
  ])('%i %s: %s', async (status, text, path) => {
    const answer = await app.get(`/rest/v1/${path}`)
    expect([answer.status, answer.text]).toEqual([status, text])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each([
    'crafts/search?query=*',
    'search?query=**',
    'crafts/search?query=%5C*%25_%27%22&lang=x%22y',
    'crafts/search?query=a*b*c*d*e*f&type=foo:Bar',
    `crafts/search?query=${'*a'.repeat(3000)}`,
    'crafts/search?query=a&parent=kula',
    'crafts/search?query=a&fields=%2A%20uri%20constructor&lang=constructor',
    'crafts/index/%25?lang=%22',
    'crafts/new?lang=%22%5C&limit=1e9&offset=-1',
    'crafts/labelStatistics?lang=%22',
    'crafts/topConcepts?scheme=%3C%3E',
    'crafts/types?lang=constructor',
  ])('%s is nothing special', async (path) => {
    const answer = await app.get(`/rest/v1/${path}`)
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('@context')])
  })

  test('repeated parameters: the last one counts, and arrays do not', async () => {
    const { results } = await body('crafts/search?query=zzz&query=bookbinding&lang%5B%5D=de&lang=en')
    expect(uris(results)).toContain(BOOKBINDING)
  })

  test('JSONP calls functions, and nothing else', async () => {
    const path = 'vocabularies?lang=en&callback='
    const answer = await app.get(`/rest/v1/${path}onkiSearch[%22crafts%22].show`)
    expect(answer.headers.get('content-type')).toBe('application/javascript; charset=utf-8')
    expect(answer.text).toMatch(/^\/\*\*\/ onkiSearch\["crafts"\]\.show\(\{.*\}\);$/s)
    expect((await app.get(`/rest/v1/${path}alert(1)//`)).status).toBe(400)
  })

  test('an answer that the client has is not sent again', async () => {
    const path = `/rest/v1/crafts/broader?uri=${BOOKBINDING}`
    const etag = (await app.get(path)).headers.get('etag')!
    expect((await app.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const accepted = await app.get(path, { headers: { accept: 'application/ld+json;charset=utf-8' } })
    expect(accepted.headers.get('content-type')).toBe('application/ld+json; charset=utf-8')
  })

  test.each<[path: string, target: string]>([
    ['crafts/en/', 'voc/crafts?lang=en'],
    ['crafts/en', 'voc/crafts?lang=en'],
    ['crafts/de/page/', 'voc/crafts?lang=de'],
    [`crafts/de/page/?uri=${encodeURIComponent(BOOKBINDING)}`, `concept?uri=${BOOKBINDING}&lang=de`],
    ['crafts/de/page/bookbinding?clang=en', `concept?uri=${BOOKBINDING}&lang=de&clang=en`],
    ['crafts/en/search?q=book+binding', 'find?query=book%20binding&voc=crafts&lang=en'],
  ])('the page of Skosmos at %s is %s', async (path, target) => {
    const answer = await app.get(`/${path}`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([301, app.config.baseUrl + target])
  })

  test('other addresses are not taken for pages', async () => {
    for (const path of ['none/en/', 'crafts/en/other', 'crafts/123/', 'crafts/%ff/']) {
      expect([path, (await app.get(`/${path}`)).status]).toEqual([path, 404])
    }
  })

  const description = readDescription()
  const described = description ? describe : describe.skip
  described('its description', () => {
    const { paths = {}, definitions = {} } = description ?? {}

    test('lists no method that the service lacks, and none that it adds', () => {
      const normal = (path: string) => path.replace(/\/$/, '').replace(/:(\w+)/g, '{$1}')
      expect(Object.keys(paths).map(normal).sort()).toEqual(METHODS.map(({ path }) => normal(path)).sort())
    })

    test.each(Object.entries(paths).filter(([, { get }]) => get.responses[200].schema))(
      'says what %s answers',
      async (path, { get }) => {
        const needs: Record<string, string> = {
          uri: path.endsWith('groupMembers') ? JAPAN : BOOKBINDING,
          query: 'book*',
          label: 'bookbinding',
          lang: 'en',
        }
        const names = get.parameters.map(({ name }: any) => name).filter((name: string) => name in needs)
        const at = path.slice(1).replace('{vocid}', 'crafts').replace('{letter}', 'B')
        const answer = await body(at, Object.fromEntries(names.map((name: string) => [name, needs[name]!])))
        const name = get.responses[200].schema.$ref.split('/').at(-1)
        const schema = structuredClone(definitions[name])
        // The description requires members of other answers here.
        if (['IndexConcepts', 'ConceptMappings'].includes(name)) delete schema.required
        const mistaken = name === 'ConceptMappings' ? ['mappings'] : []
        const shown = Object.fromEntries(
          // It calls arrays what are objects by URI.
          Object.entries<any>(answer).map(([key, value]) => [
            key,
            key.endsWith('Transitive') ? Object.values(value) : value,
          ]),
        )
        for (const key of mistaken) delete shown[key]
        const ajv = new Ajv({ strict: false, formats: { 'date-time': true } })
        const validate = ajv.compile({ ...schema, definitions })
        expect([path, validate(shown), validate.errors]).toEqual([path, true, null])
      },
    )
  })
})

function readDescription(): { paths: Record<string, any>; definitions: Record<string, any> } | undefined {
  const file = resolve(TEST_DATA, '../reference/skosmos/swagger.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

describeOver(EMBEDDED, 'Labels that searches of Skosmos find', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  const GRAPH = 'http://example.org/v/'
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await app.put(
      GRAPH,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      @prefix dct: <http://purl.org/dc/terms/> .
      @prefix owl: <http://www.w3.org/2002/07/owl#> .
      @prefix : <${GRAPH}> .
      <${GRAPH}> a skos:ConceptScheme ; skos:notation "v" ; skos:prefLabel "V"@en ; <http://rdfs.org/ns/void#uriSpace> "${GRAPH}" ; dct:language "en", "en-gb", "fi", "la", "sv" .
      :Fish <http://www.w3.org/2000/01/rdf-schema#subClassOf> skos:Concept .
      :tuna a skos:Concept, :Fish ; skos:inScheme <${GRAPH}> ; skos:prefLabel "Tuna"@en, "Tonnikala"@fi ; skos:altLabel "Thunnus"@la ; skos:hiddenLabel "Tunas"@en .
      :eel a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "Eel"@en-gb ; skos:altLabel "Ål"@sv, "50% eel_fish \\\\ 'x'"@en .
      :old a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "Tuna, old"@en ; owl:deprecated true .
      :plain a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "tunaplain" .
      :bass a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "3D Bass"@en ; skos:notation "tun" .`,
    )
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })
  const find = async (parameters: Record<string, string>) => {
    const answer = await app.ask('/rest/v1/v/search', parameters)
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
    return answer.body.results as ({ uri: string } & Record<string, unknown>)[]
  }

  test.each<[query: string, expected: string[]]>([
    ['tuna', ['tuna']],
    ['TUNA', ['tuna']],
    ['tun', []],
    ['tun*', ['tuna', 'plain', 'tuna']],
    ['*una', ['tuna']],
    ['*UNA*', ['tuna', 'plain', 'tuna']],
    ['t*a', ['tuna', 'tuna']],
    ['*', []],
    ['ål', ['eel']],
    ['Å*', ['eel']],
    ['*L', ['eel', 'eel']],
    ['al', []],
    ['50%*', ['eel']],
    ["*_fish \\ '*", ['eel']],
    ['5__*', []],
    ['3d*', ['bass']],
  ])('%s', async (query, expected) => {
    expect(local(await find({ query }))).toEqual(expected)
  })

  test('say by which label they were found', async () => {
    const [tuna] = await find({ query: 'tonnikala' })
    expect(tuna).toEqual({
      uri: `${GRAPH}tuna`,
      localname: 'tuna',
      type: expect.arrayContaining(['skos:Concept', `${GRAPH}Fish`]),
      prefLabel: 'Tuna',
      matchedPrefLabel: 'Tonnikala',
      lang: 'fi',
      vocab: 'v',
    })
    const [hidden] = await find({ query: 'tunas', lang: 'en' })
    expect(hidden).toMatchObject({ prefLabel: 'Tuna', hiddenLabel: 'Tunas', lang: 'en' })
    const [named] = await find({ query: 'thunnus', lang: 'la', labellang: 'fi' })
    expect(named).toMatchObject({ prefLabel: 'Tonnikala', altLabel: 'Thunnus', lang: 'la' })
    expect((await find({ query: 'tun*', unique: '1' })).map(({ uri }) => uri)).toEqual([
      `${GRAPH}tuna`,
      `${GRAPH}plain`,
    ])
  })

  test('further properties change nothing that a hit has already', async () => {
    const [plain] = await find({ query: 'thunnus' })
    const [tuna] = await find({ query: 'thunnus', fields: 'altLabel hiddenLabel type uri notation' })
    expect(tuna).toEqual({ ...plain, altLabels: { la: ['Thunnus'] }, hiddenLabels: { en: ['Tunas'] } })
    expect((await find({ query: '3d bass', fields: 'notation' }))[0]).toMatchObject({ notation: 'tun' })
    const { body } = await app.ask('/rest/v1/v/search', { query: 'thunnus', fields: 'altLabel type' })
    expect(body['@context']).toMatchObject({
      type: '@type',
      altLabels: { '@id': 'skos:altLabel', '@container': '@language' },
    })
  })

  test('a language means its regions, too', async () => {
    expect(await find({ query: 'eel', lang: 'en' })).toMatchObject([{ prefLabel: 'Eel', lang: 'en-gb' }])
    expect(await find({ query: 'tonnikala', lang: 'en' })).toEqual([])
  })

  test('classes', async () => {
    const ofType = async (type: string) => local(await find({ query: '*e*', type }))
    expect(await ofType('skos:Concept')).toContain('eel')
    expect(await ofType(`${GRAPH}Fish`)).toEqual([])
    expect(local(await find({ query: 'tuna', type: `skos:Collection ${GRAPH}Fish` }))).toEqual(['tuna'])
  })

  test('the index leaves out what is deprecated', async () => {
    const { body } = await app.get('/rest/v1/v/index/T?lang=en')
    expect(local(body.indexConcepts)).toEqual(['tuna'])
    expect(local((await app.get('/rest/v1/v/index/0-9?lang=en')).body.indexConcepts)).toEqual(['bass'])
    expect((await app.get('/rest/v1/v/index?lang=en')).body.indexLetters).toEqual(['E', 'T', '0-9'])
    const { concepts, subTypes } = (await app.get('/rest/v1/v/vocabularyStatistics?lang=en')).body
    expect(concepts).toMatchObject({ count: 5, deprecatedCount: 1 })
    expect(subTypes).toEqual([{ type: `${GRAPH}Fish`, count: 1, deprecatedCount: 0 }])
  })
})
