import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { composeReading } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { loadVocabulary } from '../../src/loading/load-vocabulary.ts'
import { Hierarchies, HierarchyOfPlaces } from '../../src/read/hierarchies.ts'
import { startApp, type RunningApp } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { PATIENT } from '../process.ts'
import { describeStores } from '../stores.ts'

const SCHEME = 'http://example.org/hierarchy/'
const CONCEPTS = 60

/** Concepts with up to two broader ones each, so that there are several ways down; the order is not that of the file. */
const source = (more = '') => `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<${SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Hierarchy"@en .
${Array.from({ length: CONCEPTS }, (_, at) => {
  const broader = at === 0 ? [] : [Math.floor(at / 3), ...(at % 4 === 0 ? [Math.floor(at / 5)] : [])]
  const links = broader.map((one) => ` ; skos:broader <${SCHEME}${one}>`)
  return `<${SCHEME}${at}> a skos:Concept ; skos:prefLabel "${at}"@en ; skos:notation "${(at * 37) % 61}"${links.join('')} .`
}).join('\n')}
${more}`

test('descendants by place: several ways, a ring, and nothing below', () => {
  const hierarchy = new HierarchyOfPlaces(6, [[], [2, 3], [4], [4, 5], [], [3, 1]])
  expect(hierarchy.descendantsOf(1)).toEqual([2, 3, 4, 5])
  expect(hierarchy.descendantsOf(3)).toEqual([1, 2, 4, 5])
  expect(hierarchy.descendantsOf(2)).toEqual([4])
  expect(hierarchy.descendantsOf(6)).toEqual([])
})

describeStores('the hierarchy of a large vocabulary', (store) => {
  const folder = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  /** The service for which this vocabulary is large. */
  let large: RunningApp
  let usual: RunningApp
  let templates: string[] = []

  const load = async (text: string) => {
    const file = await folder.write('hierarchy.ttl', text)
    await loadVocabulary(usual.client, [file], { ids: ['hierarchy'], check: false })
    for (const app of [usual, large]) app.state.changed()
  }
  const list = async (app: RunningApp, at: number, page: Record<string, string> = {}) => {
    const uri = `${SCHEME}${at}`
    const { status, body, headers } = await app.ask('/descendants', { uri, properties: 'notation,narrower', ...page })
    expect(status).toBe(200)
    return { records: body, total: headers.get('x-total-count') }
  }
  /** True if the hierarchy gave a list. */
  const isKnown = async (at = 0) => {
    templates = []
    await list(large, at)
    return templates.includes('list/place') && !templates.includes('descendants')
  }
  const untilKnown = async () => {
    for (const end = Date.now() + 20_000; !(await isKnown()); await sleep(50)) expect(Date.now()).toBeLessThan(end)
  }

  beforeAll(async () => {
    running = await store.start()
    const config = readConfig({ ...PATIENT, CACHE_BYTES: '0' })
    const reading = composeReading(config, running.endpoint, {
      onRequest: ({ template }) => void templates.push(template),
    })
    const { client, registry } = reading
    const least = { leastConcepts: 10, leastDescendants: 5 }
    const hierarchies = new Hierarchies({ client, registry, maxAgeMs: 0, ...least })
    usual = await startApp(running.endpoint, { CACHE_BYTES: '0' })
    large = await startApp(running.endpoint, { CACHE_BYTES: '0' }, { ...reading, hierarchies })
    Object.assign(large, { state: reading.state, client, registry })
    await load(source())
  })
  afterAll(async () => {
    await Promise.all([usual?.close(), large?.close()])
    await running?.stop()
  })

  test('gives the lists that the store gives', async () => {
    await untilKnown()
    for (const at of [0, 1, 2, 5, 19, CONCEPTS - 1]) {
      expect(await list(large, at)).toEqual(await list(usual, at))
    }
    for (const page of [{ limit: '7', offset: '3' }, { limit: '0' }, { offset: '50' }, { offset: '1000' }]) {
      expect(await list(large, 0, page as Record<string, string>)).toEqual(await list(usual, 0, page))
    }
  })

  test('leaves short lists, several concepts, and a part of the vocabulary to the store', async () => {
    await untilKnown()
    expect(await isKnown(19)).toBe(false)
    const both = { uri: `${SCHEME}1|${SCHEME}2` }
    expect((await large.ask('/descendants', both)).body).toEqual((await usual.ask('/descendants', both)).body)
    const elsewhere = { uri: `${SCHEME}0`, voc: 'nowhere' }
    expect((await large.ask('/descendants', elsewhere)).body).toEqual([])
  })

  test('is read again after a load', async () => {
    await untilKnown()
    await load(source(`<${SCHEME}new> a skos:Concept ; skos:notation "0a" ; skos:broader <${SCHEME}2> .`))
    expect(await list(large, 0)).toEqual(await list(usual, 0))
    await untilKnown()
    expect(await list(large, 0)).toEqual(await list(usual, 0))
    expect((await list(large, 2)).records.map(({ uri }: { uri: string }) => uri)).toContain(`${SCHEME}new`)
  })

  test('is forgotten with its vocabulary', async () => {
    await load(source())
    await untilKnown()
    const { client } = large
    const chunks: Uint8Array[] = []
    for await (const chunk of client.getGraph(SCHEME)) chunks.push(chunk)
    await client.deleteGraph(SCHEME)
    large.state.changed()
    expect((await list(large, 0)).total).toBe('0')
    // The same vocabulary comes back with its revision: its hierarchy is read again.
    await client.putGraph(SCHEME, Buffer.concat(chunks).toString())
    large.state.changed()
    expect(await isKnown()).toBe(false)
    await untilKnown()
  })

  test('does not serve if a narrower concept has no place', async () => {
    const elsewhere = 'http://example.org/elsewhere'
    await load(
      source(`<${SCHEME}3> skos:narrower <${elsewhere}> .
<${elsewhere}> skos:inScheme <http://example.org/another/> .`),
    )
    for (let at = 0; at < 5; at++) {
      expect(await isKnown()).toBe(false)
      await sleep(100)
    }
    expect(await list(large, 0)).toEqual(await list(usual, 0))
  })
})
