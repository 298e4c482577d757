/** The orders of vocabularies: by code points, natural, and by labels (docs/endpoints.md, "Order and pages"). */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import type { ChosenOrder } from '../../../src/graph/jskos/order.ts'
import type { JskosRecord } from '../../../src/graph/jskos/record.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { removeProposals } from '../../../src/writing/proposals/decide.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { nameOf } from '../../queries.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../../writing/ingest/service.ts'

const UUIDS = ['b', 'c', 'a'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)

/** A vocabulary whose concepts are all below the first of them, in files in reverse. */
const turtle = (id: string, concepts: readonly { notation: string; label?: string }[]) =>
  [
    `@prefix skos: <${SKOS}> .`,
    `<http://example.org/${id}/> a skos:ConceptScheme ; skos:prefLabel "${id}"@en .`,
    `<http://example.org/${id}/top> a skos:Concept ; skos:topConceptOf <http://example.org/${id}/> ; skos:prefLabel "Top"@en .`,
    ...concepts.toReversed().map(({ notation, label = 'Concept' }) => {
      const uri = `http://example.org/${id}/${encodeURIComponent(notation)}`
      return `<${uri}> a skos:Concept ; skos:notation "${notation}" ; skos:prefLabel "${label}"@de ; skos:broader <http://example.org/${id}/top> .`
    }),
  ].join('\n')

const NUMBERS = ['0', '1', '2', '9', '10', '11', '100', '12345678901234567890123']
const OUTLINE = ['7', '7.9', '7.10', '7.010', '7a', '10', 'A2', 'A10']

describeOver(EMBEDDED, 'orders of vocabularies', (store) => {
  const folder = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let editor: TestAccount

  const load = async (
    id: string,
    notations: readonly (string | { notation: string; label: string })[],
    order?: ChosenOrder,
  ) => {
    const concepts = notations.map((entry) => (typeof entry === 'string' ? { notation: entry } : entry))
    const file = await folder.write(`${id}.ttl`, turtle(id, concepts))
    await loadVocabulary(service.client, [file], { ids: [id], order })
    service.state.changed()
  }
  /** Loads vocabularies in Turtle; the empty prefix is the URI of each. */
  const loadTurtle = async (vocabularies: Readonly<Record<string, string>>) => {
    for (const [id, concepts] of Object.entries(vocabularies)) {
      const scheme = `<http://example.org/${id}/> a skos:ConceptScheme .`
      const prefixes = `@prefix skos: <${SKOS}> . @prefix : <http://example.org/${id}/> .`
      const file = await folder.write(`${id}.ttl`, [prefixes, scheme, concepts].join('\n'))
      await loadVocabulary(service.client, [file], { ids: [id] })
    }
    service.state.changed()
  }
  const notationsIn = async (path: string, parameters: Record<string, string> = {}) => {
    const { body, status } = await service.ask(path, { properties: 'notation', ...parameters })
    expect(status).toBe(200)
    return (body as { uri: string; notation?: string[] }[]).flatMap(({ notation = [] }) => notation)
  }
  /** The concepts of a vocabulary in every kind of list: of the index, of templates, within a record, in pages. */
  const everywhere = async (id: string) => {
    const uri = `http://example.org/${id}/top`
    const lists = [
      await notationsIn('/narrower', { uri }),
      await notationsIn('/descendants', { uri }),
      await notationsIn(`/voc/${id}/concepts`),
      await notationsIn(`/voc/${id}/concepts`, { type: `${SKOS}Concept` }),
      [
        ...(await notationsIn('/narrower', { uri, limit: '3' })),
        ...(await notationsIn('/narrower', { uri, offset: '3' })),
      ],
    ]
    const [record] = (await service.ask('/data', { uri, properties: 'narrower' })).body as {
      narrower: { notation: string[] }[]
    }[]
    return [...lists, record!.narrower.flatMap(({ notation }) => notation)]
  }
  const expectOrder = async (id: string, order: readonly string[]) => {
    for (const list of await everywhere(id)) expect(list).toEqual(order)
    await service.index.caughtUp()
    for (const list of await everywhere(id)) expect(list).toEqual(order)
    expect(await notationsIn('/search', { query: 'concept', voc: id, limit: '50' })).toEqual(order)
  }
  const ingest = async (id: string, notation: string) => {
    const { status, body } = await service.propose(editor, [
      concept({ inScheme: [{ uri: `http://example.org/${id}/` }], notation: [notation], prefLabel: { de: 'Neu' } }),
    ])
    expect([status, body]).toEqual([201, expect.anything()])
    return (body as { uri: string }[])[0]!.uri
  }

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { MAX_STALENESS_MS: '0' })
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('whole numbers compare as numbers', async () => {
    await load('numbers', NUMBERS)
    await expectOrder('numbers', NUMBERS)
    const { body } = await service.ask('/voc', { uri: 'http://example.org/numbers/' })
    expect(body).toMatchObject([{ order: 'natural' }])
    // A list that is short needs no second request for its order.
    const asked: string[] = []
    const { client } = service
    const [select, construct] = [client.select.bind(client), client.construct.bind(client)]
    client.select = (...request) => {
      asked.push(nameOf(request[0]))
      return select(...request)
    }
    client.construct = (...request) => {
      asked.push(nameOf(request[0]))
      return construct(...request)
    }
    const uri = 'http://example.org/numbers/top'
    expect(await notationsIn('/narrower', { uri, properties: 'notation,altLabel' })).toEqual(NUMBERS)
    Object.assign(client, { select, construct })
    expect(asked.filter((name) => /narrower|describe|sort-keys/.test(name))).toHaveLength(1)
  })

  test('whole numbers compare as numbers in the chain above a concept, also above its neighbours', async () => {
    await loadTurtle({
      chain: `: skos:prefLabel "chain"@en .
      :low a skos:Concept ; skos:notation "1" ; skos:broader :middle .
      :middle a skos:Concept ; skos:notation "2" ; skos:broader :nine , :ten .
      :nine a skos:Concept ; skos:notation "9" . :ten a skos:Concept ; skos:notation "10" .`,
    })
    const uri = 'http://example.org/chain/low'
    expect(await notationsIn('/ancestors', { uri })).toEqual(['2', '9'])
    const { body } = await service.ask('/data', { uri, properties: 'ancestors' })
    expect(body[0].ancestors).toMatchObject([{ notation: ['2'] }, { notation: ['9'] }])
  })

  test('the vocabularies of a concept stand by their ids, whatever orders a list', async () => {
    // By label, the second one would be the first.
    await loadTurtle({
      'shared-a': `: skos:prefLabel "Z"@en . :1 a skos:Concept ; skos:notation "${UUIDS[0]}" ; skos:inScheme : , <http://example.org/shared-b/> .`,
      'shared-b': ': skos:prefLabel "A"@en . :1 a skos:Concept ; skos:notation "1" .',
    })
    const uri = 'http://example.org/shared-a/1'
    for (const path of ['/data', '/voc/shared-a/concepts', '/voc/shared-b/concepts']) {
      const { body } = await service.ask(path, { properties: 'inScheme', ...(path === '/data' && { uri }) })
      const record = (body as JskosRecord[]).find((listed) => listed.uri === uri)
      expect([path, record?.inScheme?.map((scheme) => scheme.notation?.[0])]).toEqual([path, ['shared-a', 'shared-b']])
    }
  })

  test('a chain into another vocabulary is the same in a record and in /ancestors', async () => {
    await loadTurtle({
      'a-ends': ': skos:prefLabel "a-ends"@en . :up a skos:Concept ; skos:notation "Z" .',
      low: `: skos:prefLabel "low"@en . :low a skos:Concept ; skos:notation "1" ; skos:broader :up , <http://example.org/a-ends/up> .
      :up a skos:Concept ; skos:notation "2" .`,
    })
    const uri = 'http://example.org/low/low'
    expect(await notationsIn('/ancestors', { uri })).toEqual(['Z'])
    const { body } = await service.ask('/data', { uri, properties: 'ancestors' })
    expect(body[0].ancestors).toMatchObject([{ notation: ['Z'] }])
  })

  test('other notations compare by code points, unless the operator chooses the natural order, until another load', async () => {
    await load('outline', OUTLINE)
    await expectOrder('outline', OUTLINE.toSorted())
    await load('outline', OUTLINE, 'natural')
    await expectOrder('outline', ['7', '7.9', '7.010', '7.10', '7a', '10', 'A2', 'A10'])
    await load('outline', OUTLINE.slice(1))
    await expectOrder('outline', ['7.9', '7.010', '7.10', '7a', '10', 'A2', 'A10'])
    await load('outline', OUTLINE, 'code-point')
    await expectOrder('outline', OUTLINE.toSorted())
  })

  test('a vocabulary whose notations are UUIDs goes by label in the first language of DEFAULT_LANGUAGE', async () => {
    await load('uuids', [
      { notation: UUIDS[0]!, label: 'concept A' },
      { notation: UUIDS[1]!, label: 'concept C' },
      { notation: UUIDS[2]!, label: 'concept b' },
    ])
    await expectOrder('uuids', [UUIDS[0]!, UUIDS[1]!, UUIDS[2]!])
    const { text } = await service.get('/voc/uuids', { headers: { accept: 'text/html' } })
    expect(text).toContain('uuids')
    const tree = await service.get('/concept?uri=http://example.org/uuids/top', { headers: { accept: 'text/html' } })
    expect(tree.text).toContain('concept b')
    expect(tree.text).not.toContain('class="notation"')
  })

  test('vocabularies of different kinds come one after the other by their smallest ids', async () => {
    await load('aaa', ['5.1', '5.05'])
    await load('zzz', ['10', '9'])
    await load('bbb', ['0.1', '0.05'])
    const voc = 'zzz|bbb|aaa'
    const expected = ['5.05', '5.1', '0.05', '0.1', '9', '10']
    expect(await notationsIn('/search', { query: 'concept', voc, limit: '50' })).toEqual(expected)
    await service.index.caughtUp()
    expect(await notationsIn('/search', { query: 'concept', voc, limit: '50' })).toEqual(expected)
    expect(await notationsIn('/search', { query: 'concept', voc, limit: '4', offset: '2' })).toEqual(expected.slice(2))
    expect(await notationsIn('/search', { query: 'concept', voc: 'bbb|aaa', limit: '50' })).toEqual([
      '0.05',
      '0.1',
      '5.05',
      '5.1',
    ])
  })

  test('pages never overlap, and a vocabulary has its order, though another one names or shares its concepts', async () => {
    await load('named', ['1', '2', '3', '10'])
    const turtle = `@prefix skos: <${SKOS}> . <http://example.org/names/> a skos:ConceptScheme ; skos:prefLabel "Names"@en .
      <http://example.org/names/a.1> a skos:Concept ; skos:notation "a.1" ; skos:exactMatch <http://example.org/named/3> .
      <http://example.org/names/a.2> a skos:Concept ; skos:notation "5" ;
        skos:inScheme <http://example.org/names/> , <http://example.org/named/> .
      <http://example.org/named/3> skos:prefLabel "Three"@en .`
    const file = await folder.write('names.ttl', turtle)
    await loadVocabulary(service.client, [file], { ids: ['a-names'] })
    service.state.changed()
    const uri = 'http://example.org/named/top'
    const page = (offset: string) => notationsIn('/narrower', { uri, limit: '2', offset })
    expect([await page('0'), await page('2')]).toEqual([
      ['1', '2'],
      ['3', '10'],
    ])
    const all = ['1', '2', '3', '5', '10']
    expect(await notationsIn('/voc/named/concepts')).toEqual(all)
    expect(await notationsIn('/concepts', { voc: 'named' })).toEqual(all)
  })

  test('a notation of another kind ends the order, and its removal begins it again', async () => {
    await load('grown', ['10', '9'])
    await expectOrder('grown', ['9', '10'])
    editor = await service.account({ voc: 'http://example.org/grown/' })
    await ingest('grown', '9.5')
    const all = async () => notationsIn('/voc/grown/concepts')
    expect(await all()).toEqual(['10', '9', '9.5'])
    await service.index.caughtUp()
    expect(await all()).toEqual(['10', '9', '9.5'])
    const last = await ingest('grown', '11')
    expect(await all()).toEqual(['10', '11', '9', '9.5'])
    const index = new IndexOfCommands(service.dataDir, (error) => expect(error).toBeUndefined())
    const proposals = (await service.ask('/voc/grown/concepts', { properties: 'notation' })).body as {
      uri: string
      notation?: string[]
    }[]
    await removeProposals(
      service.client,
      proposals.filter(({ notation }) => notation?.[0] === '9.5').map(({ uri }) => uri),
      undefined,
      index,
    )
    await index.close()
    service.state.changed()
    expect(last).toContain('http')
    expect(await all()).toEqual(['9', '10', '11'])
    await service.index.caughtUp()
    expect(await all()).toEqual(['9', '10', '11'])
    await ingest('grown', '1')
    expect(await all()).toEqual(['1', '9', '10', '11'])
  })

  test('a search has the new order as soon as the ingest that has changed it', async () => {
    const orders: string[][] = []
    // A slow machine may take longer than an ingest waits.
    for (let attempt = 0; attempt < 10 && orders.at(-1)?.[0] !== '10'; attempt++) {
      const id = `ended${attempt}`
      await load(id, ['10', '9'])
      await service.index.caughtUp()
      editor = await service.account({ voc: `http://example.org/${id}/` })
      await ingest(id, '9.5')
      orders.push(await notationsIn('/search', { query: 'concept', voc: id }))
    }
    expect(orders.at(-1)).toEqual(['10', '9'])
  })

  test('the first notations decide the order of a vocabulary that had none', async () => {
    const file = await folder.write(
      'none.ttl',
      `@prefix skos: <${SKOS}> .\n<http://example.org/none/> a skos:ConceptScheme ; skos:prefLabel "None"@en .\n<http://example.org/none/top> a skos:Concept ; skos:inScheme <http://example.org/none/> ; skos:prefLabel "Top"@en .`,
    )
    await loadVocabulary(service.client, [file], { ids: ['none'] })
    service.state.changed()
    editor = await service.account({ voc: 'http://example.org/none/' })
    await ingest('none', '10')
    await ingest('none', '9')
    expect(await notationsIn('/voc/none/concepts')).toEqual(['9', '10'])
    await service.index.caughtUp()
    expect(await notationsIn('/voc/none/concepts')).toEqual(['9', '10'])
  })
})
