import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { nameOf, textOf } from '../../queries.ts'
import { CORE, describeOver } from '../../stores.ts'

const GRAPH = 'http://example.org/noted/'
const PLAIN = 'http://example.org/plain/'
const BELOW = `/narrower?uri=${encodeURIComponent(`${GRAPH}a`)}&properties=scopeNote`
const PLAIN_BELOW = `/narrower?uri=${encodeURIComponent(`${PLAIN}a`)}&properties=scopeNote`

const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .`
const NOTED = `${PREFIXES}
  @prefix : <${GRAPH}> .
  <${GRAPH}> a skos:ConceptScheme ; skos:notation "noted" .
  :a a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote "Text"@en ; skos:narrower :b, :c, :d .
  :b a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote :n, "Beside it"@en .
  :c a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote [ rdf:value "Without an IRI"@en ] .
  :d a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote <http://example.org/page> .
  :n rdf:value "With an IRI"@en .`
const VALUES = [{ en: ['Beside it', 'With an IRI'] }, { en: ['Without an IRI'] }, undefined]
const TEXTS = `${PREFIXES}
  @prefix : <${PLAIN}> .
  <${PLAIN}> a skos:ConceptScheme ; skos:notation "plain" .
  :a a skos:Concept ; skos:inScheme <${PLAIN}> ; skos:narrower :b .
  :b a skos:Concept ; skos:inScheme <${PLAIN}> ; skos:scopeNote "Text"@en .`

describeOver(CORE, 'notes that are resources', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  /** The queries for the records of concepts. */
  let queries: string[] = []

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { CACHE_BYTES: '0' })
  })
  beforeEach(() => {
    const construct = app.client.construct.bind(app.client)
    jest.spyOn(app.client, 'construct').mockImplementation((query, options, graph) => {
      if (nameOf(query) === 'describe/concept') queries.push(textOf(query))
      return construct(query, options, graph)
    })
  })
  afterEach(async () => {
    jest.restoreAllMocks()
    for (const graph of [GRAPH, PLAIN]) await app.client.deleteGraph(graph)
    app.state.changed()
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })

  const load = async (id: string, turtle: string) => {
    await loadVocabulary(app.client, [await write(`${id}.ttl`, turtle)], { ids: [id], check: false })
    app.state.changed()
  }
  const notes = async (path: string) => {
    queries = []
    const { status, body } = await app.get(path)
    expect(status).toBe(200)
    return body.map(({ scopeNote }: Record<string, unknown>) => scopeNote)
  }
  /** True for each request for records that asks for the values of notes. */
  const asksForValues = () => queries.map((query) => query.includes('rdf:value'))

  test('show their values, in a vocabulary that this service has loaded and in one that another program wrote', async () => {
    await load('noted', NOTED)
    expect(await notes(BELOW)).toEqual(VALUES)
    expect(asksForValues()).toEqual([true])
    await app.put(GRAPH, NOTED)
    expect(await notes(BELOW)).toEqual(VALUES)
    expect(asksForValues()).toEqual([true])
  })

  test('are not asked for if loading has found none', async () => {
    await load('plain', TEXTS)
    expect(await notes(PLAIN_BELOW)).toEqual([{ en: ['Text'] }])
    expect(asksForValues()).toEqual([false])
    // Nobody knows what is in a vocabulary of another program.
    await app.put(GRAPH, NOTED)
    expect(await notes(PLAIN_BELOW)).toEqual([{ en: ['Text'] }])
    expect(asksForValues()).toEqual([true])
  })

  test('are not asked for any more when their vocabulary is gone', async () => {
    await load('plain', TEXTS)
    await load('noted', NOTED)
    expect(await notes(BELOW)).toEqual(VALUES)
    await removeVocabulary(app.client, 'noted')
    app.state.changed()
    expect(await notes(PLAIN_BELOW)).toEqual([{ en: ['Text'] }])
    expect(asksForValues()).toEqual([false])
  })

  test('are shown if there is no vocabulary at all', async () => {
    await app.put(GRAPH, NOTED.replace('a skos:ConceptScheme ;', ''))
    expect(await notes(BELOW)).toEqual(VALUES)
  })
})
