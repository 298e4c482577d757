/** Requests for concepts that come together share queries, and have the answers of requests that come alone. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { startStoreProxy, type StoreProxy } from '../../writing/ingest/store-proxy.ts'

const LADDER = 'http://example.org/ladder/'
const RUNGS = 120
const uriOf = (at: number) => `${LADDER}${at}`

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
    // Each concept has its neighbour above it, so that concepts name one another.
    const rungs = Array.from(
      { length: RUNGS },
      (_, at) => `<${uriOf(at)}> a skos:Concept ; skos:inScheme <${LADDER}> ; skos:prefLabel "rung ${at}"@en ;
        skos:notation "${at}" ; dct:publisher [ skos:prefLabel "maker ${at}"@en ] ${at > 0 ? `; skos:broader <${uriOf(at - 1)}>` : ''} .`,
    )
    await app.put(
      LADDER,
      `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . <${LADDER}> a skos:ConceptScheme ; skos:notation "ladder" ; skos:prefLabel "Ladder"@en .
      ${rungs.join('\n')}`,
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

  const pathOf = (at: number) => `/data?uri=${uriOf(at)}`
  const all = Array.from({ length: RUNGS }, (_, at) => at)

  test('take fewer queries, and none of them another answer', async () => {
    proxy.query = 'held'
    const coming = all.map((at) => app.get(pathOf(at)))
    for (let waited = 0; proxy.held === 0; waited += 20) {
      if (waited > 30_000) throw new Error('the proxy holds no query')
      await sleep(20)
    }
    await sleep(500)
    proxy.query = 'none'
    proxy.release()
    const together = await Promise.all(coming)
    expect(queries).toBeLessThan(RUNGS / 4)
    // The log names the query for each of the requests.
    expect(answers.reduce((sum, count) => sum + count)).toBe(RUNGS)
    // The next requests get what the service remembers of them.
    const remembered = await Promise.all(all.map((at) => app.get(pathOf(at))))
    for (const at of all) {
      app.state.changed()
      const alone = await app.get(pathOf(at))
      expect(alone.body[0].prefLabel).toEqual({ en: `rung ${at}` })
      expect(alone.body[0].publisher).toEqual([{ prefLabel: { en: `maker ${at}` } }])
      expect(alone.body[0].broader.length).toBe(at > 0 ? 1 : 0)
      expect(together[at]!.text).toBe(alone.text)
      expect(remembered[at]!.text).toBe(alone.text)
    }
  })

  test('for other fields have other queries', async () => {
    const fields = ['prefLabel', 'notation,broader', 'narrower', '*']
    const paths = all.slice(0, 40).map((at) => `${pathOf(at)}&properties=${fields[at % fields.length]}`)
    const together = await Promise.all(paths.map((path) => app.get(path)))
    for (const [at, path] of paths.entries()) {
      app.state.changed()
      expect(together[at]!.text).toBe((await app.get(path)).text)
    }
  })

  test('do not lose their answers if a client goes away', async () => {
    const kept: Promise<{ body: unknown[] }>[] = []
    for (const at of all) {
      if (at % 2 === 0) kept.push(app.get(pathOf(at)))
      else {
        const gone = request(app.url + pathOf(at)).on('error', () => undefined)
        gone.end(() => setImmediate(() => gone.destroy()))
      }
    }
    for (const { body } of await Promise.all(kept)) expect(body).toHaveLength(1)
  })
})
