import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const GRAPH = 'http://example.org/named/'
const BELOW = `/narrower?uri=${encodeURIComponent(`${GRAPH}a`)}&properties=notation,broader,publisher`

/** Two concepts below one, with a publisher that has no IRI. */
const named = (label: string, revision: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix dct: <http://purl.org/dc/terms/> .
  @prefix : <${GRAPH}> .
  <${GRAPH}> a skos:ConceptScheme ; skos:notation "named" ; <urn:x-vocabulary-service:revision> "${revision}" ;
    <urn:x-vocabulary-service:objects> false .
  :a a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "${label}"@en ; skos:narrower :b, :c .
  :b a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:notation "B" ; skos:broader :a .
  :c a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:notation "C" ; skos:broader :a .`
const WITHOUT_IRI = `<${GRAPH}b> <http://purl.org/dc/terms/publisher> [ <http://www.w3.org/2004/02/skos/core#prefLabel> "House"@en ] .`

describeOver(EMBEDDED, 'names that many records name', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  /** Another program that writes into the same store. */
  let other: RunningApp
  let app: RunningApp
  let templates: string[] = []

  const start = (env: NodeJS.ProcessEnv) => {
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    return startApp(running.endpoint, { CACHE_BYTES: '0', ...env }, { onRequest })
  }
  const labels = async (from = app) => {
    const { status, body } = await from.get(BELOW)
    expect(status).toBe(200)
    return body.map(({ broader }: { broader: { prefLabel: { en: string } }[] }) => broader[0]!.prefLabel.en)
  }
  const requestsFor = async (ask: () => Promise<unknown>) => {
    templates = []
    await ask()
    return templates.filter((template) => template.startsWith('describe/'))
  }

  beforeAll(async () => {
    running = await store.start()
    other = await startApp(running.endpoint)
  })
  beforeEach(async () => {
    await other.put(GRAPH, named('First', '1'))
    app = await start({ MAX_STALENESS_MS: '60000' })
  })
  afterEach(() => app?.close())
  afterAll(async () => {
    await other?.close()
    await running?.stop()
  })

  test('come with the records', async () => {
    expect(await requestsFor(labels)).toEqual(['describe/concept'])
    expect(await labels()).toEqual(['First', 'First'])
  })

  test('are read again when another program has loaded the vocabulary', async () => {
    await labels()
    await other.put(GRAPH, named('Second', '2'))
    // Requests within 50 ms share one look at the state.
    await sleep(100)
    expect(await labels()).toEqual(['Second', 'Second'])
  })

  test('are not remembered at all with MAX_STALENESS_MS=0', async () => {
    const current = await start({ MAX_STALENESS_MS: '0' })
    try {
      await labels(current)
      await other.put(GRAPH, named('Third', '1'))
      expect(await labels(current)).toEqual(['Third', 'Third'])
      expect(await requestsFor(() => labels(current))).toEqual(['describe/concept'])
    } finally {
      await current.close()
    }
  })

  test('come with the records if one of them has no IRI', async () => {
    await other.put(GRAPH, named('First', '1') + WITHOUT_IRI)
    const { body } = await app.get(BELOW)
    expect(body.map(({ notation, publisher }: Record<string, unknown>) => [notation, publisher])).toEqual([
      [['B'], [{ prefLabel: { en: 'House' } }]],
      [['C'], []],
    ])
    expect(await labels()).toEqual(['First', 'First'])
  })

  test('of one concept take one request', async () => {
    const path = `/data?uri=${encodeURIComponent(`${GRAPH}b`)}&properties=broader`
    expect(await requestsFor(() => app.get(path))).toEqual(['describe/concept'])
    expect((await app.get(path)).body[0].broader).toEqual([{ uri: `${GRAPH}a`, prefLabel: { en: 'First' } }])
  })
})
