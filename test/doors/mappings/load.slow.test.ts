/**
 * Loaded mappings and concordances: they come back to the letter, through this installation and through the store
 * alone.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addAllProviders, cdk, type MappingRegistry } from 'cocoda-sdk/dist/esm/index.js'
import { History } from '../../../src/writing/history/history.ts'
import { mappingId, type Mapping } from '../../../src/graph/jskos/mapping.ts'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings, removeConcordance, removeMappings } from '../../../src/doors/mappings/load.ts'
import { JSKOS_TEXT, SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

addAllProviders()

const { write, path } = temporaryFolder()
const A = 'http://example.org/a/'
const C = 'http://example.org/concordance/ab'
const CONCORDANCE = {
  uri: C,
  notation: ['ab'],
  type: ['http://rdfs.org/ns/void#Linkset'],
  fromScheme: { uri: 'http://example.org/a/' },
  toScheme: { uri: 'http://example.org/b/' },
  prefLabel: { de: 'A nach B' },
  creator: [{ prefLabel: { en: 'Example' } }],
}
const ID = '0e6a4c5a-7d4c-4e3f-9d0a-1b2c3d4e5f60'
const MAPPINGS = [
  {
    uri: `https://elsewhere.example.org/mappings/${ID}`,
    from: { memberSet: [{ uri: 'http://example.org/a/1', notation: ['A 1'], prefLabel: { de: 'Eins' } }] },
    to: { memberSet: [{ uri: 'http://example.org/b/1', notation: ['B 1'] }] },
    fromScheme: { uri: 'http://example.org/a/', notation: ['A'] },
    toScheme: { uri: 'http://example.org/b/', notation: ['B'] },
    type: [`${SKOS}exactMatch`],
    creator: [{ uri: 'http://example.org/people/ada', prefLabel: { de: 'Ada Beispiel' } }],
    created: '2024-01-01T00:00:00.000Z',
    modified: '2024-02-01T00:00:00.000Z',
    mappingRelevance: 0.8,
    justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
    note: { en: ['A "quoted" note\nof two lines'] },
  },
  {
    from: { memberSet: [{ uri: 'http://example.org/a/2' }] },
    to: { memberChoice: [{ notation: ['X'] }, { uri: 'http://example.org/b/2' }] },
    fromScheme: { uri: 'http://example.org/a/' },
    toScheme: { uri: 'http://example.org/b/' },
    modified: '2024-03-01T00:00:00.000Z',
    mappingRelevance: 0.2,
  },
  {
    from: { memberSet: [{ uri: 'http://example.org/a/3' }] },
    to: { memberSet: [] },
    fromScheme: { uri: 'http://example.org/a/' },
    toScheme: { uri: 'http://example.org/b/' },
  },
]
const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

describeOver(EMBEDDED, 'loaded mappings', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let other: RunningApp
  let index: IndexOfCommands
  let history: History
  const writing = () => ({ index, history })
  const ask = async (parameters: Record<string, string>, at = app) => {
    at.registry.invalidate()
    at.state.changed()
    if (at === other) await at.index.caughtUp()
    const { status, body } = await at.ask('/mappings', parameters)
    expect({ status, body: status === 200 ? undefined : body }).toEqual({ status: 200, body: undefined })
    return body as (Mapping & { uri: string })[]
  }

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '100' })
    other = await startApp(running.endpoint, { MAX_STALENESS_MS: '100' })
    other.index.begin()
    const fail = (error: unknown) => {
      throw error
    }
    index = new IndexOfCommands(app.config.dataDir, fail)
    history = await History.open(path(`history-${store.name}`), app.client, fail)
    await loadConcordances(app.client, [await write('concordances.json', JSON.stringify([CONCORDANCE]))], writing())
    const report = await loadMappings(app.client, [await write('mappings.ndjson', lines(MAPPINGS))], 'ab', writing())
    expect(report).toMatchObject({ concordance: C, mappings: 3 })
    expect(report.unknownSchemes).toEqual(['http://example.org/a/', 'http://example.org/b/'])
  })
  afterAll(async () => {
    expect([...app.reported, ...other.reported]).toEqual([])
    await history.close()
    await index.close()
    await app.close()
    await other.close()
    await running.stop()
  })

  test.each(['the index of the load', 'the store'])('come back to the letter from %s', async (from) => {
    const at = from === 'the store' ? other : app
    const results = await ask({ partOf: 'ab' }, at)
    // The latest first; those without a time last.
    const expected = [MAPPINGS[1]!, MAPPINGS[0]!, MAPPINGS[2]!]
    for (const [nth, { uri, ...mapping }] of expected.map((mapping) => ({ uri: undefined, ...mapping })).entries()) {
      expect(results[nth]).toMatchObject({ ...mapping, partOf: [{ uri: C }] })
      if (uri)
        expect([results[nth]!.uri, results[nth]!.identifier]).toEqual([
          `${at.config.baseUrl}mappings/${ID}`,
          expect.arrayContaining([uri]),
        ])
    }
    expect(results).toHaveLength(3)
  })

  test.each<[what: string, parameters: Record<string, string>, from: string[]]>([
    ['the URI of its file', { identifier: MAPPINGS[0]!.uri! }, ['1']],
    ['a notation', { to: 'X' }, ['2']],
    ['a creator, by name', { creator: 'beispiel' }, ['1']],
    ['a creator, by URI', { creator: 'http://example.org/people/ada' }, ['1']],
    ['cardinality', { cardinality: '1-to-1' }, ['1', '3']],
    ['none', { partOf: 'none' }, []],
    ['any', { partOf: 'any', type: `${SKOS}exactMatch` }, ['1']],
    ['no type', { type: `${SKOS}mappingRelation` }, ['2', '3']],
    ['relevance', { sort: 'mappingRelevance', limit: '1' }, ['1']],
    [
      'relevance, ascending after those without',
      { sort: 'mappingRelevance', order: 'asc', offset: '1', limit: '1' },
      ['2'],
    ],
    [
      'its concordance, backward',
      { fromScheme: 'http://example.org/b/', direction: 'backward', partOf: C },
      ['1', '2', '3'],
    ],
  ])('are found by %s', async (_, parameters, from) => {
    const results = await ask(parameters)
    expect(results.map((mapping) => mapping.from.memberSet![0]!.uri!.slice(-1)).sort()).toEqual(from)
  })

  test('one-to-one mappings are statements of SKOS besides', async () => {
    const exact = `ASK { <http://example.org/a/1> <${SKOS}exactMatch> <http://example.org/b/1> }`
    const choice = `ASK { <http://example.org/a/2> ?p <http://example.org/b/2> }`
    const answers = await Promise.all([exact, choice].map((text) => app.client.ask({ name: 'test', text })))
    expect(answers).toEqual([true, false])
  })

  test('notations are completed', async () => {
    expect((await app.ask('/mappings/suggest', { search: 'A' })).body).toEqual(['A', ['A 1'], [1], []])
  })

  test('the concordance has the number of its mappings, and where to have them', async () => {
    const { body } = await app.ask('/concordances', { fromScheme: 'http://example.org/a/' })
    expect(body).toMatchObject([{ ...CONCORDANCE, extent: '3' }])
    const { download } = body[0].distributions[0] as { download: string }
    const { text } = await app.get(download.replace(app.config.baseUrl, '/'))
    expect(text.trim().split('\n')).toHaveLength(3)
    expect((await app.ask('/concordances/ab')).body).toEqual(body[0])
  })

  test('cocoda-sdk reads mappings and concordances', async () => {
    const registry = cdk.initializeRegistry({
      uri: `urn:test:mappings:${store.name}`,
      provider: 'MappingsApi',
      status: `${app.url}/status`,
    }) as unknown as MappingRegistry
    await registry.init()
    expect([registry.has['mappings'], registry.has['concordances']]).toMatchObject([{ read: true }, { read: true }])
    const mappings = await registry.getMappings({ from: { uri: 'http://example.org/b/1' }, direction: 'both' })
    expect(mappings.map(({ uri }) => uri)).toEqual([`${app.config.baseUrl}mappings/${ID}`])
    expect(mappings._totalCount).toBe(1)
    const mapping = { uri: mappings[0]!.uri }
    expect(await registry.getMapping({ mapping })).toMatchObject({ ...mapping, type: MAPPINGS[0]!.type })
    const [concordance] = await registry.getConcordances({})
    expect(concordance!.uri).toBe(C)
    expect(await registry.getMappings({ partOf: concordance! })).toHaveLength(3)
  })

  test.each([
    ['broken JSON', '{"from": {', /the JSON ends too early/],
    ['no from', lines([MAPPINGS[0]!, { to: { memberSet: [] } }]), /line 2: from: expected/],
    [
      'an empty from',
      lines([{ ...MAPPINGS[2]!, from: { memberSet: [] } }]),
      /line 1: from, to: expected at least one concept/,
    ],
    [
      'an unknown type',
      lines([{ ...MAPPINGS[2]!, type: [`${SKOS}related`] }]),
      /line 1: type: mapping type must be a SKOS mapping property/,
    ],
    [
      'a URI with a space',
      lines([{ ...MAPPINGS[2]!, from: { memberSet: [{ uri: 'http://example.org/a b' }] } }]),
      /line 1: /,
    ],
    [
      'more text than a mapping may have',
      lines([{ ...MAPPINGS[2]!, note: { en: ['x'.repeat(2 ** 20)] } }]),
      /line 1: the mapping has more/,
    ],
    ['a URI twice', lines([MAPPINGS[0]!, MAPPINGS[0]!]), /line 2: another mapping has the URI/],
  ])('%s: file and line, and nothing is loaded', async (_, text, message) => {
    const file = await write('bad.ndjson', text)
    await expect(loadMappings(app.client, [file], 'ab', writing())).rejects.toThrow(message)
    expect(await ask({ partOf: 'ab' })).toHaveLength(3)
  })

  test('are replaced as a whole, removed, and go with their concordance', async () => {
    const all = async (more: Record<string, string> = {}) => (await ask(more)).length
    await loadMappings(app.client, [await write('one.json', JSON.stringify(MAPPINGS[2]))], undefined, writing())
    expect([await all({ partOf: 'none' }), await all()]).toEqual([1, 4])
    await loadMappings(app.client, [await write('two.ndjson', lines(MAPPINGS.slice(0, 2)))], C, writing())
    expect([await all({ partOf: 'ab' }), await all()]).toEqual([2, 3])
    // Another record keeps the mappings.
    const renamed = { ...CONCORDANCE, notation: ['cd'] }
    await loadConcordances(app.client, [await write('c.json', JSON.stringify(renamed))], writing())
    expect(await all({ partOf: 'cd' })).toBe(2)
    expect(await ask({}, other)).toHaveLength(3)
    await removeMappings(app.client, ['none'], writing())
    expect(await all()).toBe(2)
    await expect(removeMappings(app.client, ['unknown'], writing())).rejects.toThrow(
      /there is no concordance and no loaded mapping unknown/,
    )
    await removeMappings(app.client, undefined, writing())
    expect(await all()).toBe(0)
    expect((await app.ask('/concordances/cd')).body.extent).toBe('0')
    await removeConcordance(app.client, 'cd', writing())
    app.registry.invalidate()
    app.state.changed()
    expect((await app.ask('/concordances')).body).toEqual([])
  })

  test('without a concordance, mappings count to those that they name', async () => {
    await loadConcordances(app.client, [await write('c.json', JSON.stringify(CONCORDANCE))], writing())
    const named = { ...MAPPINGS[2]!, partOf: [{ uri: C }, { uri: 'http://example.org/registry' }] }
    await loadMappings(app.client, [await write('named.ndjson', lines([named, MAPPINGS[1]!]))], undefined, writing())
    const count = async (partOf: string) => (await ask({ partOf })).length
    expect(await Promise.all(['ab', 'http://example.org/registry', 'any', 'none'].map(count))).toEqual([1, 1, 1, 1])
    expect((await app.ask('/concordances/ab')).body.extent).toBe('1')
    await removeMappings(app.client, undefined, writing())
    await removeConcordance(app.client, 'ab', writing())
  })

  test('a URI of a mapping of another concordance: file and line, and nothing is loaded', async () => {
    const uri = 'http://example.org/mappings/1'
    const file = await write('same.ndjson', lines([MAPPINGS[2]!, { ...MAPPINGS[2]!, uri }]))
    await loadConcordances(app.client, [await write('c.json', JSON.stringify(CONCORDANCE))], writing())
    await loadMappings(app.client, [file], 'ab', writing())
    await expect(loadMappings(app.client, [file], undefined, writing())).rejects.toThrow(
      `same.ndjson, line 2: the mapping ${uri} is already in ${C}`,
    )
    expect(await loadMappings(app.client, [file], 'ab', writing())).toMatchObject({ mappings: 2 })
    await removeConcordance(app.client, 'ab', writing())
  })

  test('notations of vocabularies find exactly the mappings that give them', async () => {
    const some = [{}, { notation: ['AA'] }].map((scheme, nth) => {
      return { ...MAPPINGS[2]!, uri: `http://example.org/mappings/${nth}`, fromScheme: { uri: A, ...scheme } }
    })
    for (const order of [some, [...some].reverse()]) {
      await loadMappings(app.client, [await write('some.ndjson', lines(order))], undefined, writing())
      // The other service may still have the concordance that the test before has removed.
      for (const at of [app, other]) {
        expect(await ask({ fromScheme: 'AA', partOf: 'none' }, at)).toHaveLength(1)
        expect(await ask({ fromScheme: A, partOf: 'none' }, at)).toHaveLength(2)
      }
    }
    await removeMappings(app.client, undefined, writing())
  })

  test('more than 1,000 are found by their URIs; one is removed by two names', async () => {
    const many = Array.from({ length: 1100 }, (_, nth) => ({
      ...MAPPINGS[2]!,
      uri: `http://example.org/mappings/${nth}`,
    }))
    await loadMappings(app.client, [await write('many.ndjson', lines(many))], undefined, writing())
    const uris = (await ask({ limit: '1100' })).map(({ uri }) => uri)
    const body = new URLSearchParams({ uri: uris.join('|'), properties: 'uri' })
    const { status, headers } = await app.get('/data', { method: 'POST', body })
    expect([status, headers.get('x-total-count')]).toEqual([200, '1100'])
    const { uri } = many[0]!
    expect(await removeMappings(app.client, [uri, mappingId(uri)], writing())).toEqual([uri])
    expect(await ask({ limit: '2000' })).toHaveLength(1099)
    await removeMappings(app.client, undefined, writing())
  })

  test('a removal that fails midway names what it has removed before', async () => {
    const uris = [1, 2].map((nth) => `http://example.org/concordance/${nth}`)
    const records = uris.map((uri, nth) => ({ ...CONCORDANCE, uri, notation: [`c${nth}`] }))
    await loadConcordances(app.client, [await write('two.json', JSON.stringify(records))], writing())
    for (const nth of [0, 1]) {
      const some = ['a', 'b'].map((name) => ({ ...MAPPINGS[2]!, uri: `http://example.org/mappings/${nth}${name}` }))
      await loadMappings(app.client, [await write('some.ndjson', lines(some))], `c${nth}`, writing())
    }
    const getGraph = app.client.getGraph.bind(app.client)
    const read = { [uris[0]!]: 0, [uris[1]!]: 0 }
    let last = ''
    app.client.getGraph = async function* (graph, options) {
      // Both are read once to find the mappings, and again before they change.
      if (graph in read && ++read[graph]! === 2 && Object.values(read).join() === '2,2') {
        last = graph
        await app.client.deleteGraph(graph)
      }
      yield* getGraph(graph, options)
    }
    try {
      const names = [0, 1].map((nth) => `http://example.org/mappings/${nth}a`)
      const failure = await removeMappings(app.client, names, writing()).catch((error: unknown) => error)
      const first = uris.find((uri) => uri !== last)!
      expect(failure).toMatchObject({
        message: `${last} has changed meanwhile; nothing was removed from it. Mappings were removed from ${first}.`,
      })
    } finally {
      app.client.getGraph = getGraph
    }
    await index.remove([last])
    await removeConcordance(app.client, last === uris[0] ? 'c1' : 'c0', writing())
    await removeMappings(app.client, undefined, writing())
  })

  test('what another program has written instead of a mapping stays when one is removed', async () => {
    await loadConcordances(app.client, [await write('c.json', JSON.stringify(CONCORDANCE))], writing())
    await loadMappings(app.client, [await write('some.ndjson', lines([MAPPINGS[0]!, MAPPINGS[2]!]))], 'ab', writing())
    const strange = `GRAPH <${C}> { <urn:x:strange> <${JSKOS_TEXT}> "no JSON" }`
    await app.client.update({ name: 'test', text: `INSERT DATA { ${strange} }` }, C)
    await removeMappings(app.client, [MAPPINGS[0]!.uri!], writing())
    expect(await app.client.ask({ name: 'test', text: `ASK { ${strange} }` })).toBe(true)
    expect(await ask({ partOf: 'ab' })).toHaveLength(1)
    await removeConcordance(app.client, 'ab', writing())
  })

  test('those that stay when one is removed keep line separators in their texts', async () => {
    const some = ['a\u2028b', 'a\u2029"b', 'c'].map((note, nth) => {
      return { ...MAPPINGS[2]!, uri: `http://example.org/mappings/${nth}`, note: { en: [note] } }
    })
    await loadMappings(app.client, [await write('some.ndjson', lines(some))], undefined, writing())
    await removeMappings(app.client, [some[2]!.uri], writing())
    const results = (await ask({})) as { note?: object }[]
    expect(results.map(({ note }) => note)).toEqual([some[1]!.note, some[0]!.note])
    await removeMappings(app.client, undefined, writing())
  })
})
