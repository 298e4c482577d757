import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CONCEPT, REVISION, SKOS } from '../../../src/base/namespaces.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

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

describeOver(EMBEDDED, 'Classes of concepts', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await putDemo(app)
    await app.put(NAMES, TYPED)
    await app.put(`${NAMES}subset`, SUBSET)
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

describeOver(EMBEDDED, 'Classes of vocabularies with revisions', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let templates: string[] = []

  beforeAll(async () => {
    running = await store.start()
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    app = await startApp(running.endpoint, { CACHE_BYTES: '0', MAX_STALENESS_MS: '60000' }, { onRequest })
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })
  /** Writes a vocabulary, and lets the index read it. */
  const put = async (graph: string, turtle: string) => {
    await app.put(graph, turtle)
    app.state.changed()
    await app.index.refresh([graph])
    await app.index.caughtUp()
  }
  const asked = async (path: string) => {
    templates = []
    const classes = await namesIn(app, path)
    return { classes, isScanned: templates.includes('types') }
  }

  test('come from the index, which the store need not search for them', async () => {
    await put(BIRDS, birds('1', 'Owl'))
    await put(KINDS, kinds('1', 'owl'))
    expect(await asked('/types')).toEqual({ classes: ['Concept', 'owl'], isScanned: false })
    expect(await asked('/concept-types/birds')).toEqual({ classes: ['Concept', 'owl'], isScanned: false })
    expect(await asked('/concept-types/kinds')).toEqual({ classes: ['Concept'], isScanned: false })
    expect(await asked('/types?limit=1')).toEqual({ classes: ['Concept'], isScanned: false })
  })

  test('come from the store while the index does not have a revision', async () => {
    await app.client.update(
      `DELETE { GRAPH <${BIRDS}> { <${BIRDS}> <${REVISION}> ?before . <${BIRDS}1> a ?kind } }
       INSERT { GRAPH <${BIRDS}> { <${BIRDS}> <${REVISION}> "2" . <${BIRDS}1> a <http://example.org/class/Tit>, <${CONCEPT}> } }
       WHERE { GRAPH <${BIRDS}> { <${BIRDS}> <${REVISION}> ?before . <${BIRDS}1> a ?kind } }`,
      BIRDS,
    )
    app.state.changed()
    expect(await asked('/types')).toEqual({
      classes: ['Concept', 'http://example.org/class/Tit'],
      isScanned: true,
    })
    await app.index.refresh([BIRDS])
    await app.index.caughtUp()
    expect(await asked('/types')).toEqual({
      classes: ['Concept', 'http://example.org/class/Tit'],
      isScanned: false,
    })
  })

  test('have the names that any vocabulary gives them', async () => {
    await put(BIRDS, birds('3', 'Owl'))
    await put(KINDS, kinds('3', 'Eule'))
    expect((await asked('/types')).classes).toEqual(['Concept', 'Eule'])
  })

  test('of a subset are those of its members', async () => {
    await put(
      `${BIRDS}subset`,
      `@prefix skos: <${SKOS}> . <${BIRDS}subset> skos:notation "subset_birds-few" ; skos:member <${BIRDS}none> ;
        <http://purl.org/dc/terms/isPartOf> <${BIRDS}> ; <${REVISION}> "1" .`,
    )
    expect(await asked('/concept-types/subset_birds-few')).toEqual({ classes: ['Concept'], isScanned: false })
    await put(
      `${BIRDS}subset`,
      `@prefix skos: <${SKOS}> . <${BIRDS}subset> skos:notation "subset_birds-few" ; skos:member <${BIRDS}1> ;
        <http://purl.org/dc/terms/isPartOf> <${BIRDS}> ; <${REVISION}> "2" .`,
    )
    expect(await asked('/concept-types/subset_birds-few')).toEqual({ classes: ['Concept', 'Eule'], isScanned: false })
  })
})
