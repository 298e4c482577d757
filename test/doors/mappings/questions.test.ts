/**
 * Questions of clients of jskos-server: vocabularies and concepts by notation, several types of records at /data,
 * pages.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
const TREES = 'http://example.org/trees/'
const SHELVES = { uri: 'http://example.org/shelves/', notation: ['SH'] }
const WOODS = { uri: 'http://example.org/woods/', notation: ['WO'] }
const OTHER_NAME = 'http://example.org/vocabularies/17'
const C = 'http://example.org/concordance/trees'
const ADA = 'http://example.org/people/ada'
const GRAPH = `@prefix skos: <${SKOS}> . @prefix t: <${TREES}> .
  <${TREES}> a skos:ConceptScheme ; skos:notation "trees" ; <http://purl.org/dc/terms/identifier> "${OTHER_NAME}" ; <http://rdfs.org/ns/void#uriSpace> "${TREES}" .
  t:oak a skos:Concept ; skos:inScheme <${TREES}> ; skos:topConceptOf <${TREES}> ; skos:narrower t:cork .
  t:cork a skos:Concept ; skos:inScheme <${TREES}> ; skos:notation "C7" ; skos:broader t:oak .`
const member = (uri: string, ...notation: string[]) => ({
  memberSet: [{ uri, ...(notation.length > 0 && { notation }) }],
})
const annotation = (motivation: string, bodyValue: string, creator: object) => ({
  '@context': 'http://www.w3.org/ns/anno.jsonld',
  id: `http://example.org/annotations/${motivation}`,
  type: 'Annotation',
  motivation,
  bodyValue,
  creator,
})
const MAPPINGS = [
  // Only a notation of the vocabularies, which are nowhere else.
  {
    from: member('http://example.org/x/1', 'X1'),
    to: member('http://example.org/y/1'),
    fromScheme: { notation: ['XX'] },
    annotations: [
      annotation('assessing', '+1', { id: ADA, name: 'Ada' }),
      annotation('moderating', 'sure', { id: `${ADA}/2`, name: 'Bob' }),
    ],
  },
  { from: member('http://example.org/z/1'), to: member('http://example.org/y/2'), fromScheme: { notation: ['ZZ'] } },
  {
    from: { memberSet: [{ uri: `${WOODS.uri}4` }, { uri: `${WOODS.uri}5` }] },
    to: member(`${SHELVES.uri}4`, 'T 4'),
    fromScheme: WOODS,
    toScheme: SHELVES,
  },
  { from: member(`${WOODS.uri}1`), to: member(`${SHELVES.uri}1`, 'S 1'), fromScheme: WOODS, toScheme: SHELVES },
]
const OF_TREES = [
  // The type as text, as older servers say it; vocabularies from the concept and from the concordance.
  { from: member(`${TREES}oak`), to: member(`${WOODS.uri}2`, 'W2'), type: `${SKOS}exactMatch` },
  {
    from: { memberSet: [{ uri: `${SHELVES.uri}9`, inScheme: [{ ...SHELVES, prefLabel: { en: 'Shelves' } }] }] },
    to: { memberSet: [] },
  },
]

describeOver(EMBEDDED, 'questions about mappings', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let index: IndexOfCommands
  const total = async (parameters: Record<string, string>, path = '/mappings') => {
    const { status, headers, body } = await app.ask(path, parameters)
    expect([status, status === 200 ? undefined : body]).toEqual([200, undefined])
    return Number(headers.get('x-total-count'))
  }

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '100' })
    index = new IndexOfCommands(app.config.dataDir, (error) => {
      throw error
    })
    await app.put(TREES, GRAPH)
    const records = [
      { uri: C, notation: ['trees'], fromScheme: { uri: TREES }, toScheme: WOODS, creator: [{ uri: ADA }] },
      { uri: `${C}/other`, toScheme: SHELVES, creator: [{ uri: `${ADA}/2`, prefLabel: { de: 'Émile' } }] },
    ]
    await loadConcordances(app.client, [await write('c.json', JSON.stringify(records))], { index })
    await loadMappings(app.client, [await write('none.json', JSON.stringify(MAPPINGS))], undefined, { index })
    await loadMappings(app.client, [await write('trees.json', JSON.stringify(OF_TREES))], C, { index })
    await app.index.refresh([TREES])
    await app.index.caughtUp()
    app.registry.invalidate()
    app.state.changed()
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await index.close()
    await app.close()
    await running.stop()
  })

  test.each<[what: string, parameters: Record<string, string>, number: number]>([
    ['a vocabulary of which only a notation is known', { fromScheme: 'XX' }, 1],
    ['two of these', { fromScheme: 'XX|ZZ' }, 2],
    ['one on the other side', { toScheme: 'XX' }, 0],
    ['one on the other side, backward', { toScheme: 'XX', direction: 'backward' }, 1],
    ['one with a concept, in both directions', { from: 'X1', fromScheme: 'ZZ', direction: 'both' }, 0],
    ['a motivation of annotations', { annotatedFor: 'assessing' }, 1],
    ['another motivation', { annotatedFor: 'commenting' }, 0],
    ['any annotations', { annotatedFor: 'any' }, 1],
    ['no annotations', { annotatedFor: 'none' }, 5],
    ['no annotations for a motivation', { annotatedFor: '!assessing' }, 5],
    ['no annotations for a motivation that none has', { annotatedFor: '!commenting' }, 6],
    ['the value of an annotation', { annotatedWith: '-1|+1' }, 1],
    ['the creator of an annotation', { annotatedBy: ADA }, 1],
    ['the name of a creator', { annotatedBy: 'Bob', annotatedFor: 'moderating' }, 1],
    ['values of different annotations', { annotatedBy: 'Bob', annotatedFor: 'assessing' }, 0],
    ['annotations of some concepts', { from: 'X1', annotatedFor: 'none' }, 0],
    ['the notation of a vocabulary that is elsewhere', { toScheme: 'SH' }, 2],
    ['its URI', { toScheme: SHELVES.uri }, 2],
    ['the vocabulary of a concept', { fromScheme: SHELVES.uri }, 1],
    ['the vocabularies of a concordance', { fromScheme: 'trees', toScheme: WOODS.uri }, 1],
    ['the type', { type: `${SKOS}exactMatch` }, 1],
    ['two concepts of a bundle', { from: `${WOODS.uri}4|${WOODS.uri}5` }, 1],
    ['the URI and the notation of a concept', { to: `${SHELVES.uri}1|S 1` }, 1],
    ['the same within a vocabulary', { to: `${SHELVES.uri}1|${SHELVES.uri}4|T 4`, toScheme: 'SH' }, 2],
    ['a type that no mapping has', { type: 'http://example.org/none' }, 0],
  ])('%s', async (_, parameters, number) => {
    expect(await total(parameters)).toBe(number)
  })

  test('what a mapping leaves to its concordance is in its record, and its type is a list', async () => {
    const { body } = await app.ask('/mappings', { partOf: 'trees', from: `${TREES}oak` })
    expect(body).toMatchObject([{ type: [`${SKOS}exactMatch`], fromScheme: { uri: TREES }, toScheme: WOODS }])
    const other = await app.ask('/mappings', { partOf: 'trees', from: `${SHELVES.uri}9` })
    expect(other.body).toMatchObject([{ fromScheme: SHELVES, toScheme: WOODS }])
    expect(other.body[0].fromScheme).not.toHaveProperty('prefLabel')
  })

  test('only vocabularies with a URI are listed', async () => {
    const { body } = await app.ask('/mappings/voc')
    expect((body as { uri: string }[]).map(({ uri }) => uri)).toEqual([SHELVES.uri, TREES, WOODS.uri])
  })

  test('a mapping from several concepts applies only to all of them together', async () => {
    const both = [`${WOODS.uri}4`, `${WOODS.uri}5`]
    const apply = async (from: string) => (await app.ask('/mappings/apply', { from })).body
    expect(await apply(both[0]!)).toEqual([])
    expect(await apply(both.join('|'))).toMatchObject([
      { uri: `${SHELVES.uri}4`, notation: ['T 4'], inScheme: [SHELVES] },
    ])
  })

  test.each([
    ['C7', 'trees'],
    ['cork', OTHER_NAME],
    [`${TREES}cork`, OTHER_NAME],
    [`${TREES}cork`, TREES],
  ])('inferred for %s of %s', async (from, fromScheme) => {
    const { body, headers } = await app.ask('/mappings/infer', { from, fromScheme })
    expect(headers.get('x-total-count')).toBe('1')
    expect(body[0].from).toEqual({ memberSet: [{ uri: `${TREES}cork`, notation: ['C7'] }] })
    expect(body[0]).toMatchObject({ to: member(`${WOODS.uri}2`, 'W2'), type: [`${SKOS}narrowMatch`] })
    const source = await app.get(body[0].source[0].uri.replace(app.config.baseUrl, '/'))
    expect(source.body.from).toEqual(member(`${TREES}oak`))
  })

  test('its own mapping by what comes after the namespace; nothing for an unknown one', async () => {
    expect(await total({ from: 'oak', fromScheme: TREES }, '/mappings/infer')).toBe(1)
    expect(await total({ from: 'elm', fromScheme: TREES }, '/mappings/infer')).toBe(0)
    expect(await total({ from: 'cork', fromScheme: 'nowhere' }, '/mappings/infer')).toBe(0)
  })

  test.each(['|', 'x|', `|${TREES}oak`])('the id %s is that of no mapping', async (id) => {
    expect((await app.get(`/mappings/${encodeURIComponent(id)}`)).status).toBe(404)
  })

  test.each<[Record<string, string>, number]>([
    [{ creator: ADA }, 1],
    [{ creator: 'uri' }, 0],
    [{ creator: 'émi' }, 1],
    [{ toScheme: 'SH' }, 1],
    [{ toScheme: 'SH', creator: ADA }, 0],
    [{ toScheme: 'SH', creator: ADA, mode: 'or' }, 2],
  ])('concordances by %j', async (parameters, number) => {
    expect(await total(parameters, '/concordances')).toBe(number)
  })

  test('/data has concepts, mappings and concordances, in pages', async () => {
    const [mapping] = (await app.ask('/mappings', { partOf: 'trees', from: `${TREES}oak` })).body
    const address = `${app.config.baseUrl}concordances/trees`
    for (const uri of [C, address]) {
      expect((await app.ask('/data', { uri })).body).toEqual([(await app.ask('/concordances/trees')).body])
    }
    const uri = [C, mapping.uri, `${TREES}oak`].join('|')
    const uris = async (page: Record<string, string>) =>
      ((await app.ask('/data', { uri, ...page })).body as { uri: string }[]).map((record) => record.uri)
    expect(await uris({})).toEqual([`${TREES}oak`, mapping.uri, C])
    expect(await uris({ limit: '2' })).toEqual([`${TREES}oak`, mapping.uri])
    expect(await uris({ limit: '2', offset: '2' })).toEqual([C])
    expect(await total({ uri, limit: '0' }, '/data')).toBe(3)
  })

  test('suggestions of notations have links to their pages', async () => {
    const { headers, body } = await app.ask('/mappings/suggest', { search: 'W', limit: '1' })
    expect(body).toEqual(['W', ['W2'], [1], []])
    expect([headers.get('x-total-count'), headers.get('link')]).toEqual(['1', expect.stringContaining('rel="first"')])
    expect((await app.ask('/mappings/suggest', { search: 'S', voc: 'SH' })).body[1]).toEqual(['S 1'])
  })

  test('a concordance with a wrong address says which', async () => {
    const wrong = { uri: `${C}/wrong`, distributions: [{ download: 'trees.csv' }] }
    const file = await write('wrong.json', JSON.stringify(wrong))
    await expect(loadConcordances(app.client, [file], { index })).rejects.toThrow(
      /wrong\.json, line 1: distributions\.0\.download: /,
    )
  })
})
