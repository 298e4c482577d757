import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../src/loading/load-vocabulary.ts'
import { readWriteCounters } from '../../src/sparql/write-counters.ts'
import { startApp, type RunningApp } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { fusekiMissing, startFuseki, type Fuseki } from '../fuseki.ts'
import { storeEnv } from '../process.ts'

const GRAPH = 'http://example.org/counted/'
const STALENESS_MS = 200
const asked = `/data?uri=${encodeURIComponent(`${GRAPH}a`)}`

const vocabulary = (label: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${GRAPH}> a skos:ConceptScheme ; skos:notation "counted" ; skos:prefLabel "Counted"@en ;
    <urn:x-vocabulary-service:revision> "1" .
  <${GRAPH}a> a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "${label}"@en .`

const { write } = temporaryFolder()
const missing = fusekiMissing()
const describeFuseki = missing ? describe.skip : describe

describeFuseki(`the counters of Fuseki${missing ? `, skipped: ${missing}` : ''}`, () => {
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
  /** Of whole graphs, which the counters do not tell from writes. */
  const countedReads = async () => (await readWriteCounters(store.metricsUrl, AbortSignal.timeout(5000))).ended
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

  test('the search index forgets nothing when it reads a large vocabulary as a whole, in a thread', async () => {
    const uri = 'http://example.org/large/'
    // Up to 500 concepts are read by a query, which is no write to the counters.
    const concepts = Array.from(
      { length: 501 },
      (_, at) => `<${uri}${at}> a skos:Concept ; skos:prefLabel "L ${at}"@en .`,
    )
    const file = await write(
      'large.ttl',
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${uri}> a skos:ConceptScheme . ${concepts.join('\n')}`,
    )
    await loadVocabulary(other.client, [file], { ids: ['large'], check: false })
    await app.index.settled()
    await app.get(asked)
    const reads = await countedReads()
    await app.index.refresh([uri])
    expect(await countedReads()).toBe(reads + 1)
    await sleep(3 * STALENESS_MS)
    expect(await requestsFor(asked)).toEqual([])
  })
})
