import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CONCEPT, SKOS } from '../../src/namespaces.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../app.ts'
import { describeStores } from '../stores.ts'

const NAMES = 'http://example.org/vocabulary/names/'
const TYPED = `@prefix skos: <${SKOS}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix ex: <http://example.org/class/> .
  <${NAMES}> a skos:ConceptScheme ; skos:notation "names" .
  <${NAMES}1> a skos:Concept, ex:Person ; skos:inScheme <${NAMES}> .
  <${NAMES}2> a skos:Concept, ex:Place, [ rdfs:label "nameless" ] ; skos:inScheme <${NAMES}> .
  <${NAMES}3> a skos:Collection ; skos:inScheme <${NAMES}> .
  ex:Person rdfs:label "Person"@DE, "person"@en ; skos:prefLabel "Mensch"@de .
  ex:Place rdfs:label "Place" .
  ex:Thing a skos:Concept .`
const SUBSET = `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
  <${NAMES}subset> skos:notation "subset_names-people" ; dct:isPartOf <${NAMES}> ; skos:member <${NAMES}1> .`

const PERSON = 'http://example.org/class/Person'
const PLACE = 'http://example.org/class/Place'
const names = encodeURIComponent(NAMES)

describeStores('Classes of concepts', (store) => {
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
    await putDemo(app)
    await app.put(NAMES, TYPED)
    await app.put(`${NAMES}subset`, SUBSET)
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  test.each([
    ['/types', [CONCEPT, PERSON, PLACE]],
    ['/types/', [CONCEPT, PERSON, PLACE]],
    ['/types?voc=*', [CONCEPT, PERSON, PLACE]],
    [`/types?uri=${encodeURIComponent(CRAFTS)}`, [CONCEPT]],
    [`/types?uri=${names}`, [CONCEPT, PERSON, PLACE]],
    [`/types?uri=${encodeURIComponent(NAMES.slice(0, -1))}&language=en`, [CONCEPT, PERSON, PLACE]],
    [`/types?voc=names`, [CONCEPT, PERSON, PLACE]],
    [`/types?voc=subset_names-people`, [CONCEPT, PERSON]],
    [`/types?uri=${names}&voc=subset_names-people`, [CONCEPT, PERSON]],
    [`/types?uri=${names}&voc=crafts`, [CONCEPT]],
    [`/types?uri=${names}%7C${encodeURIComponent(CRAFTS)}&limit=2&offset=1`, [PERSON, PLACE]],
    [`/types?uri=http://example.org/none`, [CONCEPT]],
    ['/concept-types/names', [CONCEPT, PERSON, PLACE]],
    ['/concept-types/subset_names-people', [CONCEPT, PERSON]],
    ['/concept-types/test?cache=0', [CONCEPT]],
    ['/concept-types/test/', [CONCEPT]],
  ])('GET %s', async (path, uris) => {
    const answer = await app.get(path)
    expect(answer.status).toBe(200)
    expect(answer.body.map(({ uri }: { uri: string }) => uri)).toEqual(uris)
    for (const record of answer.body) expect(record.type).toEqual([CONCEPT])
  })

  test('have the names that the store or the service knows', async () => {
    const { body, headers } = await app.get('/concept-types/names')
    expect(headers.get('x-total-count')).toBe('3')
    expect(body.map((record: { prefLabel: unknown }) => record.prefLabel)).toEqual([
      { de: 'Begriff', en: 'Concept' },
      { de: 'Mensch', en: 'person' },
      { und: 'Place' },
    ])
    const german = await app.get('/concept-types/names?languages=de')
    expect(german.body[1].prefLabel).toEqual({ de: 'Mensch' })
  })

  test.each([['uri=relative'], ['uri=a&uri=b'], ['limit=x']])('GET /types?%s is refused', async (query) => {
    expect((await app.get(`/types?${query}`)).status).toBe(400)
  })
})

const BIRDS = 'http://example.org/vocabulary/birds/'
const birds = (revision: string, kind: string) => `@prefix skos: <${SKOS}> . @prefix ex: <http://example.org/class/> .
  <${BIRDS}> a skos:ConceptScheme ; skos:notation "birds" ; <urn:x-vocabulary-service:revision> "${revision}" .
  <${BIRDS}1> a skos:Concept, ex:${kind} ; skos:inScheme <${BIRDS}> .`
const KINDS = 'http://example.org/vocabulary/kinds/'
const kinds = (revision: string, label: string) => `@prefix skos: <${SKOS}> . @prefix ex: <http://example.org/class/> .
  <${KINDS}> a skos:ConceptScheme ; skos:notation "kinds" ; <urn:x-vocabulary-service:revision> "${revision}" .
  ex:Owl skos:prefLabel "${label}"@en .`

/** The English names of classes, or their URIs if they have none. */
async function namesIn(app: RunningApp, path: string): Promise<string[]> {
  const { status, body } = await app.get(path)
  expect(status).toBe(200)
  return body.map(({ uri, prefLabel }: { uri: string; prefLabel?: { en?: string } }) => prefLabel?.en ?? uri)
}

describeStores('Classes of vocabularies with revisions', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let templates: string[] = []
  const asked = () => templates.filter((template) => template === 'types').length

  beforeAll(async () => {
    running = await store.start()
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    app = await startApp(running.endpoint, { CACHE_BYTES: '0', MAX_STALENESS_MS: '60000' }, { onRequest })
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })
  const put = async (graph: string, turtle: string) => {
    await app.put(graph, turtle)
    app.state.changed()
  }
  const names = () => namesIn(app, '/types')

  test('are read once for each revision', async () => {
    await put(BIRDS, birds('1', 'Owl'))
    await put(KINDS, kinds('1', 'owl'))
    templates = []
    expect(await names()).toEqual(['Concept', 'owl'])
    expect(await names()).toEqual(['Concept', 'owl'])
    expect((await app.get('/concept-types/birds')).body).toHaveLength(2)
    expect((await app.get('/concept-types/kinds')).body).toHaveLength(1)
    expect(asked()).toBe(1)
  })

  test('are new as soon as a vocabulary is, also the names that another one gives them', async () => {
    await put(KINDS, kinds('2', 'Eule'))
    expect(await names()).toEqual(['Concept', 'Eule'])
    await put(BIRDS, birds('2', 'Tit'))
    expect(await names()).toEqual(['Concept', 'http://example.org/class/Tit'])
  })

  test('are read before anybody asks for them, as soon as a change is known', async () => {
    app.classes.begin()
    templates = []
    for (let revision = 3; asked() === 0; revision++) {
      await put(BIRDS, birds(String(revision), 'Kite'))
      // Any other request shows the new revision. After a change, the service rests before it reads again.
      expect((await app.get('/voc')).status).toBe(200)
      await sleep(100)
    }
    while (app.client.load.pending > 0) await sleep(10)
    templates = []
    expect(await names()).toEqual(['Concept', 'http://example.org/class/Kite'])
    expect(asked()).toBe(0)
  })
})

const TREES = 'http://example.org/vocabulary/trees/'
const trees = (revision: string, noted: string) => `@prefix skos: <${SKOS}> . @prefix ex: <http://example.org/class/> .
  <${TREES}> a skos:ConceptScheme ; skos:notation "trees" ; <urn:x-vocabulary-service:revision> "${revision}" ;
    <urn:x-vocabulary-service:conceptClass> ${noted} .
  <${TREES}1> a skos:Concept, ex:Tree ; skos:inScheme <${TREES}> .
  ex:Tree skos:prefLabel "tree"@en .`

describeStores('Classes that loading has noted', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  beforeAll(async () => {
    running = await store.start()
  })
  afterAll(() => running?.stop())

  async function withApp(maxStalenessMs: number, body: (app: RunningApp, asked: () => number) => Promise<void>) {
    let count = 0
    const onRequest = ({ template }: { template: string }) => void (count += template === 'types' ? 1 : 0)
    const app = await startApp(running.endpoint, { MAX_STALENESS_MS: String(maxStalenessMs) }, { onRequest })
    try {
      await body(app, () => count)
    } finally {
      await app.close()
    }
  }
  const names = (app: RunningApp) => namesIn(app, '/concept-types/trees')

  test('need no look at the concepts; if anything else changes them, the store counts', () =>
    withApp(60_000, async (app, asked) => {
      await app.put(TREES, trees('1', 'skos:Concept'))
      expect(await names(app)).toEqual(['Concept'])
      expect(asked()).toBe(0)
      // The revision is the same, so the notes do not tell what has changed.
      await app.put(TREES, trees('1', 'skos:Concept').replace('ex:Tree ;', 'ex:Bush ;'))
      expect(await names(app)).toEqual(['Concept', 'http://example.org/class/Bush'])
    }))

  test('have their names', () =>
    withApp(60_000, async (app) => {
      await app.put(TREES, trees('2', 'skos:Concept, ex:Tree'))
      expect(await names(app)).toEqual(['Concept', 'tree'])
    }))

  test('count no longer than anything else that another program may change', () =>
    withApp(1, async (app) => {
      await app.put(TREES, trees('3', 'skos:Concept'))
      expect(await names(app)).toEqual(['Concept'])
      while ((await names(app)).length < 2) await sleep(10)
      expect(await names(app)).toEqual(['Concept', 'tree'])
    }))
})
