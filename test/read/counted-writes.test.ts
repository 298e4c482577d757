import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../app.ts'
import { fusekiAvailable, startFuseki, type Fuseki } from '../fuseki.ts'
import { storeEnv } from '../process.ts'

const GRAPH = 'http://example.org/counted/'
const STALENESS_MS = 200
const asked = `/data?uri=${encodeURIComponent(`${GRAPH}a`)}`

const vocabulary = (label: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${GRAPH}> a skos:ConceptScheme ; skos:notation "counted" ; skos:prefLabel "Counted"@en ;
    <urn:x-vocabulary-service:revision> "1" .
  <${GRAPH}a> a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "${label}"@en .`

const fuseki = fusekiAvailable()
const describeFuseki = fuseki.available ? describe : describe.skip

describeFuseki(`the counters of Fuseki${fuseki.available ? '' : `, skipped: ${fuseki.reason}`}`, () => {
  let store: Fuseki
  let other: RunningApp
  let app: RunningApp
  /** Of the service. */
  let client: RunningApp['client']
  let templates: string[] = []

  const requestsFor = async (path: string) => {
    templates = []
    const { status } = await app.get(path)
    expect(status).toBe(200)
    return templates.filter((template) => template.startsWith('describe/'))
  }
  const label = async () => (await app.get(asked)).body[0].prefLabel.en

  beforeAll(async () => {
    store = await startFuseki()
    other = await startApp(store.endpoint)
    await other.put(GRAPH, vocabulary('First'))
    const endpoint = { ...store.endpoint, metricsUrl: store.metricsUrl }
    const env = { ...storeEnv(endpoint), MAX_STALENESS_MS: String(STALENESS_MS) }
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    app = await startApp(endpoint, env, { onRequest })
    client = app.client
  })
  afterAll(async () => {
    await Promise.all([app?.close(), other?.close()])
    await store?.stop()
  })

  test('what was read long ago is still true if nobody has written', async () => {
    await app.get(asked)
    await sleep(3 * STALENESS_MS)
    expect(await requestsFor(asked)).toEqual([])
    await sleep(3 * STALENESS_MS)
    expect(await requestsFor(`${asked}&language=fr`)).toEqual([])
    expect(await requestsFor(asked)).toEqual([])
  })

  test('a change of another program shows at once, without a new revision', async () => {
    expect(await label()).toBe('First')
    await other.client.update(
      `PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
       DELETE DATA { GRAPH <${GRAPH}> { <${GRAPH}a> skos:prefLabel "First"@en } } ;
       INSERT DATA { GRAPH <${GRAPH}> { <${GRAPH}a> skos:prefLabel "Second"@en } }`,
      GRAPH,
    )
    await sleep(60)
    expect(await label()).toBe('Second')
    await other.put(GRAPH, vocabulary('Third'))
    await sleep(60)
    expect(await label()).toBe('Third')
  })

  test('a request of its own to the graph store forgets nothing', async () => {
    await app.get(asked)
    for await (const chunk of client.getGraph(GRAPH)) expect(chunk.length).toBeGreaterThan(0)
    await sleep(3 * STALENESS_MS)
    expect(await requestsFor(asked)).toEqual([])
  })
})
