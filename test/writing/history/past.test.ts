import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, startIngest, type IngestService } from '../ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { replayed, stored } from './agreement.ts'

const BRIDGES = 'http://example.org/bridges/'
const FERRIES = 'http://example.org/ferries/'
const PREFIXES = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix dct: <http://purl.org/dc/terms/> . @prefix : <${BRIDGES}> .`
const FIRST = `${PREFIXES} <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en .
  :kinds a skos:Concept ; skos:prefLabel "Kinds"@en ; skos:notation "1" .
  :fixed a skos:Concept ; skos:prefLabel "Fixed"@en ; skos:broader :kinds .
  :arch a skos:Concept ; skos:prefLabel "Arch"@en ; skos:broader :fixed ; skos:altLabel "Vault"@en ;
    skos:scopeNote [ rdf:value "Curved."@en ] ; skos:exactMatch <http://example.org/other/arch> ;
    dct:publisher [ skos:prefLabel "Bridge Board"@en ; a <http://xmlns.com/foaf/0.1/Organization> ] ;
    dct:creator <http://example.org/people/1> ; skos:related :pier .
  <http://example.org/people/1> skos:prefLabel "Mason"@en ; skos:altLabel "Builder"@en ; dct:created "1900" .
  :types a skos:Collection ; skos:prefLabel "Types"@en ; skos:member :arch, :moving ; skos:scopeNote [ rdf:value "By form."@en ] .
  :moving a skos:OrderedCollection ; skos:prefLabel "Moving"@en ; skos:memberList ( :tilt :arch ) .
  :pier skos:prefLabel "Pier"@en ; skos:altLabel "Support"@en .
  :tilt a skos:Concept ; skos:prefLabel "Tilt"@en .`
const SECOND = `${PREFIXES} <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "All bridges"@en .
  :fixed a skos:Concept ; skos:prefLabel "Fixed bridges"@en .
  :arch a skos:Concept ; skos:prefLabel "Arch bridge"@en ; skos:broader :fixed ; skos:related :rope .
  :rope a skos:Concept ; skos:prefLabel "Rope"@en .`

describeOver(EMBEDDED, 'GET /data with at', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  const times: Record<string, string> = {}
  const records: Record<string, unknown> = {}

  const load = async (turtle: string, id = 'bridges') => {
    const file = await write(`${id}.ttl`, turtle)
    const { client, history, state } = service
    await loadVocabulary(client, [file], { ids: [id], history, check: false })
    state.changed()
  }
  const data = (name: string, more: Record<string, string> = {}) =>
    service.ask('/data', { uri: `${BRIDGES}${name}`, ...more })
  /** Keeps the answers of this moment, and lets time go on. */
  const mark = async (name: string) => {
    for (const view of VIEWS) records[`${name} ${JSON.stringify(view)}`] = (await data('arch', view)).body
    times[name] = new Date().toISOString()
    while (new Date().toISOString() <= times[name]);
  }
  const VIEWS: Record<string, string>[] = [
    {},
    { properties: '*' },
    { properties: '+ancestors,narrower', languages: 'en', voc: 'bridges' },
    { voc: 'subset_arches', properties: '*' },
    { voc: '*', properties: '-' },
  ]

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    // This load comes before the log knows the vocabulary.
    const file = await write('ferries.ttl', `${FIRST.replaceAll('bridges', 'ferries')}`)
    await loadVocabulary(service.client, [file], { ids: ['ferries'], check: false })
    await mark('nothing')
    await load(FIRST)
    await mark('first')
    const { client, history } = service
    await addSubset(client, { id: 'subset_arches', of: 'bridges', branch: `${BRIDGES}fixed` }, history)
    service.state.changed()
    await mark('subset')
    await load(SECOND)
    await mark('second')
    await removeVocabulary(client, 'bridges', history)
    service.state.changed()
    await mark('gone')
    await load(FIRST)
  }, 120_000)
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  // Removing the vocabulary removes the subset, whose name then means nothing.
  const whole = VIEWS.filter(({ voc }) => voc !== 'subset_arches')
  test.each(['first', 'second', 'gone'].flatMap((name) => whole.map((view) => [name, view] as const)))(
    'is what it was at the time: %s, %j',
    async (name, view) => {
      const { status, body } = await data('arch', { ...view, at: times[name]! })
      expect(status).toBe(200)
      expect(body).toEqual(records[`${name} ${JSON.stringify(view)}`])
    },
  )

  test('a collection has its members and lists, which are read from the log many at a time', async () => {
    const boats = 'http://example.org/boats/'
    const members = Array.from({ length: 600 }, (_, at) => `<${boats}${at}>`)
    const concepts = members.map((member, at) => `${member} a skos:Concept ; skos:notation "${1000 + at}" .`)
    const turtle = `${PREFIXES} <${boats}> a skos:ConceptScheme ; skos:prefLabel "Boats"@en .
      <${boats}all> a skos:Collection ; skos:member ${members.join(', ')} .
      <${boats}list> a skos:OrderedCollection ; skos:memberList (${members.toReversed().join(' ')}) .`
    await load(`${turtle}\n${concepts.join('\n')}`, 'boats')
    const { log } = service.history!
    const resourcesNamed = jest.spyOn(log, 'resourcesNamed')
    for (const name of ['all', 'list']) {
      const uri = boats + name
      const now = await service.ask('/data', { uri })
      const then = await service.ask('/data', { uri, at: new Date().toISOString() })
      expect(then.body).toEqual(now.body)
      expect(then.body[0].memberSet ?? then.body[0].memberList).toHaveLength(members.length)
    }
    expect(resourcesNamed.mock.calls.length).toBeLessThan(30)
    resourcesNamed.mockRestore()
  })

  test('a new concept has the publisher of its vocabulary, even one without a URI', async () => {
    const locks = 'http://example.org/locks/'
    const turtle = `${PREFIXES} <${locks}> a skos:ConceptScheme ; skos:prefLabel "Locks"@en ;
      dct:publisher [ skos:prefLabel "Lock Board"@en ; dct:isPartOf [ skos:prefLabel "Ministry"@en ] ] .`
    await load(turtle, 'locks')
    const account = await service.account({ voc: locks })
    const proposed = concept({ prefLabel: { de: 'Schleuse' }, inScheme: [{ uri: locks }] })
    const [{ uri }] = (await service.propose(account, [proposed])).body
    const view = { uri, properties: '*' }
    const { body } = await service.ask('/data', view)
    expect(body).toMatchObject([
      { publisher: [{ prefLabel: { en: 'Lock Board' }, partOf: [{ prefLabel: { en: 'Ministry' } }] }] },
    ])
    expect((await service.ask('/data', { ...view, at: '2999-01-01' })).body).toEqual(body)
    expect(await replayed(service.history!, locks)).toEqual(await stored(service.client, locks))
  })

  test('a vocabulary and a collection have the objects within their records', async () => {
    const rails = 'http://example.org/rails/'
    const board = '[ skos:prefLabel "Rail Board"@en ; dct:isPartOf [ skos:prefLabel "Ministry"@en ] ]'
    const turtle = `${PREFIXES} @prefix xkos: <http://rdf-vocabulary.ddialliance.org/xkos#> .
      <${rails}> a skos:ConceptScheme ; dct:publisher ${board} ; xkos:levels ( <${rails}1> <${rails}2> ) .
      <${rails}1> a xkos:ClassificationLevel ; xkos:depth 1 ; skos:prefLabel "Upper"@en ; dct:creator ${board} .
      <${rails}2> a xkos:ClassificationLevel ; xkos:depth 2 ; skos:prefLabel "Lower"@en ;
        skos:member <${rails}a>, [ a skos:Concept ; skos:prefLabel "B"@en ] .
      <${rails}a> a skos:Concept ; skos:prefLabel "A"@en .`
    await load(turtle, 'rails')
    for (const view of [{}, { properties: '*' }, { properties: 'levels,publisher,creator' }]) {
      for (const uri of [rails, `${rails}1`, `${rails}2`]) {
        const { body } = await service.ask('/data', { uri, ...view })
        expect(body).toHaveLength(1)
        expect((await service.ask('/data', { uri, ...view, at: '2999-01-01' })).body).toEqual(body)
      }
    }
  })

  test('the name at that time, also of linked concepts', async () => {
    const [record] = (await data('arch', { at: times['first']!, properties: '*' })).body
    expect(record).toMatchObject({
      prefLabel: { en: 'Arch' },
      altLabel: { en: ['Vault'] },
      scopeNote: { en: ['Curved.'] },
      inScheme: [{ uri: BRIDGES, prefLabel: { en: 'Bridges' } }],
      broader: [{ uri: `${BRIDGES}fixed`, prefLabel: { en: 'Fixed' } }],
      ancestors: [{ prefLabel: { en: 'Fixed' } }, { prefLabel: { en: 'Kinds' } }],
      mapping: [{ to: 'http://example.org/other/arch' }],
      publisher: [{ prefLabel: { en: 'Bridge Board' } }],
    })
    expect((await data('', { at: times['first']! })).body).toMatchObject([
      { uri: BRIDGES, prefLabel: { en: 'Bridges' }, notation: ['bridges'], topConcepts: [null] },
    ])
  })

  test('a collection with its members and their names at that time', async () => {
    const [types] = (await data('types', { at: times['first']! })).body
    expect(types).toMatchObject({
      type: [`${SKOS}Collection`],
      prefLabel: { en: 'Types' },
      scopeNote: { en: ['By form.'] },
      inScheme: [{ uri: BRIDGES, prefLabel: { en: 'Bridges' } }],
      memberSet: [
        { uri: `${BRIDGES}arch`, prefLabel: { en: 'Arch' } },
        { uri: `${BRIDGES}moving`, prefLabel: { en: 'Moving' }, type: [`${SKOS}Collection`] },
      ],
    })
    const { body } = await data('moving', { at: times['first']!, voc: 'bridges', properties: 'memberList' })
    expect(body[0].memberList.map(({ uri }: { uri: string }) => uri)).toEqual([`${BRIDGES}tilt`, `${BRIDGES}arch`])
    expect((await data('types', { at: times['second']! })).body).toEqual([])
    expect((await data('types', { at: times['first']!, voc: 'ferries' })).body).toEqual([])
  })

  test('a present subset has its members of that time', async () => {
    const { client, history } = service
    await addSubset(client, { id: 'subset_arches', of: 'bridges', branch: `${BRIDGES}kinds` }, history)
    service.state.changed()
    const view = { voc: 'subset_arches', properties: '*', at: times['subset']! }
    expect((await data('arch', view)).body).toEqual(records[`subset ${JSON.stringify(VIEWS[3])}`])
    expect((await data('arch', view)).body[0].ancestors).toEqual([expect.objectContaining({ uri: `${BRIDGES}fixed` })])
    expect((await data('kinds', view)).body).toEqual([])
    expect((await data('kinds', { ...view, at: '2999-01-01' })).body).toHaveLength(1)
  })

  test('a concept that did not exist yet', async () => {
    expect((await data('rope', { at: times['first']! })).body).toEqual([])
    expect((await data('rope', { at: times['second']! })).body).toHaveLength(1)
    expect((await data('never', { at: times['first']! })).body).toEqual([])
    const { headers } = await data('rope', { at: times['second']!, limit: '0' })
    expect(headers.get('x-total-count')).toBe('1')
    const account = await service.account({ voc: BRIDGES })
    const [{ uri }] = (await service.propose(account, [concept({ inScheme: [{ uri: BRIDGES }] })])).body
    expect((await service.ask('/data', { uri, at: times['gone']! })).body).toEqual([])
    const [now] = (await service.ask('/data', { uri })).body
    expect((await service.ask('/data', { uri, at: '2999-12-31' })).body).toEqual([now])
    const day = new Date().toISOString().slice(0, 10)
    expect((await service.ask('/data', { uri, at: day })).body).toEqual([now])
  })

  test('before the log: 404 with its beginning', async () => {
    const answer = await data('arch', { at: times['nothing']! })
    expect(answer).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/^at: the history of <.*arch> goes back to 2\d{3}-.*Z\.$/) },
    })
    const since = / to (.*)\.$/.exec(answer.body.message)![1]!
    expect((await data('arch', { at: since })).body).toEqual(records['first {}'])
    // The store has it, the log does not.
    const ferry = { uri: `${FERRIES}arch`, at: times['gone']! }
    expect(await service.ask('/data', ferry)).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/^at: .*nothing about/) },
    })
    await load(FIRST.replaceAll('bridges', 'ferries').replace('"Arch"', '"Ferry"'), 'ferries')
    const { status, body } = await service.ask('/data', ferry)
    expect([status, body.message]).toEqual([404, expect.stringMatching(/goes back to/)])
  })

  test.each([
    ['at', 'yesterday'],
    ['at', '2026-02-30'],
    ['at', '2026-13-01'],
    ['at', '2026-05'],
    ['at', '2026-05-01T12:00:00'],
    ['at', '2026-02-30T12:00:00Z'],
    ['at', '2026-05-01T25:00:00Z'],
    ['id', BRIDGES],
    ['notation', '1'],
    ['uri', `${BRIDGES}a|${BRIDGES}b`],
    ['properties', '+descendants'],
    ['properties', 'memberOf'],
  ])('%s=%s is 400', async (name, value) => {
    const { status, body } = await data('arch', { at: '2026-05-01', [name]: value })
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^${name}: (expected |.*cannot be combined with at)`)),
    ])
  })

  test('with POST, at /concepts, in other forms and spellings', async () => {
    const at = times['first']!
    const uri = `${BRIDGES}arch`
    expect((await service.ask('/concepts', { uri, at })).body).toEqual(records['first {}'])
    const form = await service.get('/data', { method: 'POST', body: new URLSearchParams({ uri, at }) })
    expect(form.body).toEqual(records['first {}'])
    const turtle = await data('arch', { at, format: 'turtle' })
    expect([turtle.headers.get('content-type'), turtle.text]).toEqual([
      'text/turtle; charset=utf-8',
      expect.stringContaining('"Vault"@en'),
    ])
    // An offset in place of the Z, and its sign as a form would send it.
    const withOffset = await service.get(`/data?uri=${uri}&at=${at.replace('Z', '+00:00')}`)
    expect(withOffset.body).toEqual(records['first {}'])
    expect((await service.get(`/data?uri=${uri}&at=${at}`, { headers: { accept: 'text/html' } })).body).toEqual(
      records['first {}'],
    )
  })
})
