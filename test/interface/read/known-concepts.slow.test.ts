import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { ingestUpdate } from '../../../src/writing/ingest/write.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { iri, literal, triple } from '../../../src/graph/sparql/terms.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { DEPLOYED, describeOver, testOf } from '../../stores.ts'

const GRAPH = 'http://example.org/known/'
/** The same for all services, because links in their answers begin with it. */
const BASE_URL = 'http://localhost:3000/'
const at = (name: string) => `${GRAPH}${name}`
const uri = (...names: string[]) => `uri=${encodeURIComponent(names.map(at).join('|'))}`

/** A tree: a above b and c, b above d. In c, every kind of value that a record can have. */
const tree = (label: string, revision: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix dct: <http://purl.org/dc/terms/> .
  @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  @prefix : <${GRAPH}> .
  <${GRAPH}> a skos:ConceptScheme ; skos:notation "known" ; skos:prefLabel "Known"@en ;
    <urn:x-vocabulary-service:revision> "${revision}" ; <urn:x-vocabulary-service:load> "${revision}" .
  :a a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:topConceptOf <${GRAPH}> ; skos:prefLabel "${label}"@en ; skos:narrower :b, :c .
  :b a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:notation "B" ; skos:broader :a ; skos:narrower :d ; skos:prefLabel "Zwei \\"b\\" 二"@zh-Hant .
  :c a skos:Concept, :Special ; skos:inScheme <${GRAPH}> ; skos:notation "C"^^:code, "C" ; skos:broader :a, :elsewhere ;
    skos:altLabel "c"@en, "c", "C\\n@x ^y"@de-1996 ; skos:scopeNote :note, "plain"@en ; dct:created "2024-01-02"^^xsd:date ;
    owl:deprecated true ; dct:publisher <http://example.org/house> ; skos:related :d ; dct:license <http://example.org/license> .
  :note rdf:value "of a resource"@en .
  <http://example.org/house> skos:prefLabel "House"@en, "Haus"@de .
  :d a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:notation "D" ; skos:broader :b .
  :e a :Other ; skos:inScheme <${GRAPH}> ; skos:broader :d .
  :f a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:broader :e ; dct:publisher [ skos:prefLabel "Nameless"@en ] .`

/** Requests for what belongs to a remembered statement. */
const QUESTIONS = [
  ...['a', 'b', 'c', 'd', 'e', 'f', 'none'].flatMap((name) => [
    `/data?${uri(name)}`,
    `/data?${uri(name)}&properties=prefLabel,altLabel`,
    `/data?${uri(name)}&properties=notation`,
    `/data?${uri(name)}&properties=broader&languages=de`,
    `/data?${uri(name)}&properties=-broader,narrower`,
    `/broader?${uri(name)}`,
    `/broader?${uri(name)}&properties=notation&limit=1`,
    `/ancestors?${uri(name)}`,
    `/ancestors?${uri(name)}&voc=known`,
  ]),
  `/data?${uri('a', 'b', 'c', 'd')}`,
  `/data?${uri('d', 'c', 'none')}&limit=1&offset=1`,
  `/broader?${uri('b', 'c', 'd')}`,
  `/broader?${uri('b', 'd')}&voc=known`,
  `/broader?${uri('b', 'd')}&voc=nowhere`,
  `/data?${uri('c')}&format=turtle`,
]
/** Requests for more than that. */
const OTHERS = [
  `/data?${uri('c')}&properties=*`,
  `/data?${uri('c')}&properties=related,narrower`,
  `/data?${uri('d', 'c')}&properties=ancestors`,
  `/data?${uri('a')}&properties=narrower`,
  `/narrower?${uri('a')}`,
  `/voc/known/top`,
]

describeOver(DEPLOYED, 'what the service knows about concepts', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  /** Another program that writes into the same store. */
  let other: RunningApp
  /** Remembers nothing. */
  let plain: RunningApp
  let app: RunningApp
  let templates: string[] = []

  const start = (env: NodeJS.ProcessEnv) => {
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    return startApp(running.endpoint, { BASE_URL, MAX_STALENESS_MS: '60000', ...env }, { onRequest })
  }
  const asked = async (from: RunningApp, question: string) => {
    const { status, text, headers } = await from.get(question)
    const shown = ['content-type', 'x-total-count', 'link', 'etag', 'last-modified'].map((name) => headers.get(name))
    return { status, text, shown }
  }
  /** The requests to the store for descriptions and selections of concepts. */
  const requestsFor = async (question: string, from = app) => {
    templates = []
    const answer = await from.get(question)
    expect(answer.status).toBe(200)
    return templates.filter((template) => /^(describe\/|data|broader|ancestors)/.test(template))
  }
  const labelOfA = async (from = app) => (await from.get(`/data?${uri('a')}`)).body[0]?.prefLabel.en

  beforeAll(async () => {
    running = await store.start()
    other = await startApp(running.endpoint)
    plain = await startApp(running.endpoint, { BASE_URL, CACHE_BYTES: '0', MAX_STALENESS_MS: '0' })
  })
  beforeEach(async () => {
    await other.put(GRAPH, tree('First', '1'))
    app = await start({})
  })
  afterEach(() => app?.close())
  afterAll(async () => {
    await Promise.all([other?.close(), plain?.close()])
    await running?.stop()
  })

  testOf(store)('gives the answers that the store gives', async () => {
    // With TEST_LONG=1 in both orders, so that each answer is made from the store and from what the others have left.
    const orders = [[...QUESTIONS, ...OTHERS], [...OTHERS, ...QUESTIONS].reverse()]
    for (const questions of LONG ? orders : orders.slice(1)) {
      const other = await start({})
      try {
        for (const question of questions) {
          expect([question, await asked(other, question)]).toEqual([question, await asked(plain, question)])
        }
      } finally {
        await other.close()
      }
    }
  })

  test('is not read again for other questions about the same concepts', async () => {
    expect(await requestsFor(`/data?${uri('d')}`)).toEqual(['describe/concept'])
    expect(await requestsFor(`/data?${uri('d')}&properties=prefLabel,altLabel`)).toEqual([])
    expect(await requestsFor(`/data?${uri('d')}&language=en`)).toEqual([])
    // The store selects what is above a concept; the service remembers what it has described.
    expect(await requestsFor(`/broader?${uri('d')}`)).toEqual(['describe/concept'])
    expect(await requestsFor(`/data?${uri('b')}`)).toEqual([])
    expect(await requestsFor(`/ancestors?${uri('d')}`)).toEqual(['describe/concept'])
    expect(await requestsFor(`/data?${uri('a')}`)).toEqual([])
    expect(await requestsFor(`/data?${uri('b', 'c', 'd')}`)).toEqual(['describe/concept'])
    expect(await requestsFor(`/data?${uri('c', 'a')}`)).toEqual([])
  })

  test('counts from lists, too', async () => {
    expect(await requestsFor(`/narrower?${uri('a')}`)).toEqual(['describe/concept'])
    expect(await requestsFor(`/data?${uri('b', 'c')}`)).toEqual([])
  })

  test('counts from a broader concept, which brings its names along', async () => {
    expect(await requestsFor(`/broader?${uri('d')}`)).toEqual(['describe/concept'])
    expect(await requestsFor(`/data?${uri('b')}`)).toEqual([])
  })

  test('ends when another program has loaded the vocabulary', async () => {
    expect(await labelOfA()).toBe('First')
    await other.put(GRAPH, tree('Second', '2'))
    // Requests within 50 ms share one look at the state.
    await sleep(100)
    expect(await labelOfA()).toBe('Second')
  })

  test('ends at once when this process has written', async () => {
    expect(await labelOfA()).toBe('First')
    await other.put(GRAPH, tree('Second', '2'))
    app.state.changed()
    expect(await labelOfA()).toBe('Second')
  })

  test('outlives an ingest, but for what the ingest adds', async () => {
    await Promise.all(['c', 'd'].map((name) => app.get(`/data?${uri(name)}`)))
    const label = triple(iri(at('elsewhere')), iri(`${SKOS}prefLabel`), literal('Added', { language: 'en' }))
    const concepts = { scheme: GRAPH, uris: [at('elsewhere')], triples: [label], date: '2026-01-02' }
    await other.client.update(ingestUpdate({ ...concepts, revision: 'ingested' }), GRAPH)
    await sleep(100)
    // Its broader concept was known to have no name.
    const question = `/data?${uri('c')}&languages=en,fr`
    expect(await requestsFor(question)).toEqual(['describe/link'])
    expect(await asked(app, question)).toEqual(await asked(plain, question))
    expect((await app.get(question)).text).toContain('Added')
    expect(await requestsFor(`/data?${uri('d')}&language=en`)).toEqual([])
    app.state.added()
    expect(await requestsFor(`/data?${uri('d')}&language=fr`)).toEqual([])
    app.state.changed()
    expect(await requestsFor(`/data?${uri('d')}&language=es`)).toEqual(['describe/concept'])
  })

  test('is overlooked for no longer than MAX_STALENESS_MS, if a program changes it without a revision', async () => {
    const hasty = await start({ MAX_STALENESS_MS: '300' })
    try {
      await Promise.all([labelOfA(hasty), labelOfA()])
      await other.put(GRAPH, tree('Third', '1'))
      await sleep(400)
      expect(await labelOfA(hasty)).toBe('Third')
      expect(await labelOfA()).toBe('First')
    } finally {
      await hasty.close()
    }
  })

  test.each([{ CACHE_BYTES: '0' }, { MAX_STALENESS_MS: '0' }])('is not remembered with %j', async (env) => {
    const forgetful = await start(env)
    try {
      for (let time = 0; time < 2; time++) {
        expect(await requestsFor(`/data?${uri('d')}`, forgetful)).toEqual(['describe/concept'])
      }
    } finally {
      await forgetful.close()
    }
  })

  test('keeps within its memory', async () => {
    const small = await start({ CACHE_BYTES: '8000' })
    try {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await small.get(`/data?${uri(name)}`)
      expect(small.resources!.bytes).toBeGreaterThan(0)
      expect(small.resources!.bytes).toBeLessThanOrEqual(8000 / 2)
      expect((await small.get(`/data?${uri('a', 'b', 'c', 'd')}`)).body).toHaveLength(4)
    } finally {
      await small.close()
    }
  })
})
