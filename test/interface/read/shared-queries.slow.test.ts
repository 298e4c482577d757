/** Requests for concepts that come together share queries, and have the answers of requests that come alone. */
import { request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { startStoreProxy, type StoreProxy } from '../../writing/ingest/store-proxy.ts'

const TREE = 'http://example.org/tree/'
const BRANCHES = 20
const WIDTH = 3
const uriOf = (at: number) => `${TREE}${at}`
const above = (at: number) => Math.floor((at - 1) / WIDTH)

/** All requests have arrived when the event loop has nothing more to do. */
async function untilIdle(): Promise<void> {
  for (;;) {
    const before = performance.eventLoopUtilization()
    await sleep(100)
    if (performance.eventLoopUtilization(before).utilization < 0.1) return
  }
}

describeOver(DEPLOYED, 'requests that come together', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let proxy: StoreProxy
  let app: RunningApp
  let queries = 0
  let answers: number[] = []

  beforeAll(async () => {
    running = await store.start()
    proxy = await startStoreProxy(running.endpoint)
    proxy.queryWith = 'hasNarrower'
    app = await startApp(
      proxy.endpoint,
      { MAX_STALENESS_MS: '600000' },
      {
        onRequest: ({ template }, signals) => {
          if (template !== 'describe/concept') return
          queries++
          answers.push(signals.length)
        },
      },
    )
    // Concepts name one another, and several lists have the same concepts.
    const branches = Array.from(
      { length: BRANCHES },
      (_, at) => `<${uriOf(at)}> a skos:Concept ; skos:inScheme <${TREE}> ; skos:prefLabel "branch ${at}"@en ;
        skos:notation "${at}" ; dct:publisher [ skos:prefLabel "maker ${at}"@en ]
        ${at > 0 ? `; skos:broader <${uriOf(above(at))}>` : ''} . ${at > 0 ? `<${uriOf(above(at))}> skos:narrower <${uriOf(at)}> .` : ''}`,
    )
    await app.put(
      TREE,
      `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . <${TREE}> a skos:ConceptScheme ; skos:notation "tree" ; skos:prefLabel "Tree"@en .
      ${branches.join('\n')}`,
    )
  })
  afterAll(async () => {
    await app?.close()
    await proxy?.close()
    await running?.stop()
  })
  beforeEach(() => {
    app.state.changed()
    ;[queries, answers] = [0, []]
  })

  const all = Array.from({ length: BRANCHES }, (_, at) => at)
  /** The notations of the records for each concept, by endpoint. */
  const NOTATIONS: Record<string, (at: number) => number[]> = {
    data: (at) => [at],
    broader: (at) => (at > 0 ? [above(at)] : []),
    narrower: (at) => all.filter((below) => below > 0 && above(below) === at),
    ancestors: (at) => (at > 0 ? [above(at), ...NOTATIONS['ancestors']!(above(at))] : []),
  }
  const inOrder = (at: readonly number[]) => at.map(String).sort()

  test.each(Object.keys(NOTATIONS))('of /%s take fewer queries, and none of them another answer', async (endpoint) => {
    const pathOf = (at: number) => `/${endpoint}?uri=${uriOf(at)}`
    proxy.query = 'held'
    const coming = all.map((at) => app.get(pathOf(at)))
    while (proxy.held === 0) await sleep(20)
    await untilIdle()
    proxy.query = 'none'
    proxy.release()
    const together = await Promise.all(coming)
    expect(queries).toBeLessThan(BRANCHES / 2)
    // The log names the query for each of the requests.
    expect(answers.reduce((sum, count) => sum + count)).toBe(BRANCHES)
    // The next requests get what the service remembers of them.
    const remembered = await Promise.all(all.map((at) => app.get(pathOf(at))))
    for (const at of all) {
      app.state.changed()
      const alone = await app.get(pathOf(at))
      const notations = alone.body.map(({ notation }: { notation: string[] }) => notation[0])
      const expected = NOTATIONS[endpoint]!(at)
      expect(notations).toEqual(endpoint === 'ancestors' ? expected.map(String) : inOrder(expected))
      for (const { notation, prefLabel, publisher, broader } of alone.body) {
        expect(prefLabel).toEqual({ en: `branch ${notation[0]}` })
        expect(publisher).toEqual([{ prefLabel: { en: `maker ${notation[0]}` } }])
        expect(broader.length).toBe(notation[0] === '0' ? 0 : 1)
      }
      expect(together[at]!.text).toBe(alone.text)
      expect(together[at]!.headers.get('x-total-count')).toBe(String(expected.length))
      expect(remembered[at]!.text).toBe(alone.text)
    }
  })

  test('have the concepts of several resources, and of a resource in its own list', async () => {
    const paths = ['narrower', 'broader'].map((endpoint) => `/${endpoint}?uri=${uriOf(1)}|${uriOf(2)}|${uriOf(5)}`)
    const together = await Promise.all(paths.map((path) => app.get(path)))
    const listed = (endpoint: string) => inOrder([...new Set([1, 2, 5].flatMap(NOTATIONS[endpoint]!))])
    for (const [at, endpoint] of ['narrower', 'broader'].entries()) {
      const notations = together[at]!.body.map(({ notation }: { notation: string[] }) => notation[0])
      expect(notations).toEqual(listed(endpoint))
    }
  })

  test('have the pages of a list', async () => {
    const below = inOrder(NOTATIONS['narrower']!(0))
    const pages = await Promise.all(
      below.map((_, offset) => app.get(`/narrower?uri=${uriOf(0)}&limit=1&offset=${offset}`)),
    )
    expect(pages.map(({ body }) => body.map(({ notation }: { notation: string[] }) => notation[0]))).toEqual(
      below.map((notation) => [notation]),
    )
    for (const { headers } of pages) expect(headers.get('x-total-count')).toBe(String(below.length))
  })

  test('leave lists that are too long for them to other queries', async () => {
    const wide = `${TREE}wide/`
    const leaves = Array.from({ length: 1100 }, (_, at) => `<${wide}${at}>`)
    await app.put(
      wide,
      `@prefix skos: <${SKOS}> . <${wide}> a skos:ConceptScheme ; skos:prefLabel "Wide"@en .
      <${wide}all> a skos:Concept ; skos:inScheme <${wide}> ; skos:narrower ${leaves.join(' , ')} .
      ${leaves.map((leaf) => `${leaf} a skos:Concept ; skos:inScheme <${wide}> .`).join('\n')}`,
    )
    const [long, short] = await Promise.all([`${wide}all`, uriOf(0)].map((uri) => app.get(`/narrower?uri=${uri}`)))
    expect(long!.headers.get('x-total-count')).toBe('1100')
    expect(long!.body).toHaveLength(1100)
    expect(long!.body.slice(1, 3).map(({ uri }: { uri: string }) => uri)).toEqual([`${wide}1`, `${wide}10`])
    expect(short!.headers.get('x-total-count')).toBe(String(WIDTH))
    expect(short!.body).toHaveLength(WIDTH)
  })

  test('for other fields have other queries', async () => {
    const fields = ['prefLabel', 'notation,broader', 'narrower', '*']
    const paths = all.map((at) => `/data?uri=${uriOf(at)}&properties=${fields[at % fields.length]}`)
    const together = await Promise.all(paths.map((path) => app.get(path)))
    for (const [at, path] of paths.entries()) {
      app.state.changed()
      expect(together[at]!.text).toBe((await app.get(path)).text)
    }
  })

  test('do not lose their answers if a client goes away', async () => {
    const kept: Promise<{ body: unknown[] }>[] = []
    for (const at of all) {
      if (at % 2 === 0) kept.push(app.get(`/data?uri=${uriOf(at)}`))
      else {
        const gone = request(`${app.url}/data?uri=${uriOf(at)}`).on('error', () => undefined)
        gone.end(() => setImmediate(() => gone.destroy()))
      }
    }
    for (const { body } of await Promise.all(kept)) expect(body).toHaveLength(1)
  })
})
