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
