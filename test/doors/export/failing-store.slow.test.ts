/** GET /voc/{vocid}/export over a store that fails. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { startFaultyStore, type Fault, type FaultyStore } from '../../interface/http/faulty-store.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { large, LARGE, TURTLE, V } from './vocabularies.ts'

describeOver(EMBEDDED, 'GET /voc/{vocid}/export', (store) => {
  let app: RunningApp
  let stop: () => Promise<void>
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
    await app.put(V, TURTLE)
    await app.put(LARGE, large)
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  describe('over a store that fails', () => {
    let faulty: FaultyStore
    let hasty: RunningApp
    let patient: RunningApp
    beforeAll(async () => {
      faulty = await startFaultyStore(app.client.endpoint)
      hasty = await startApp(faulty.endpoint, { SPARQL_TIMEOUT_MS: '1500', CACHE_BYTES: '0' })
      patient = await startApp(faulty.endpoint, { CACHE_BYTES: '0' })
    })
    afterAll(async () => {
      await hasty?.close()
      await patient?.close()
      await faulty?.close()
    })

    const CUTS: Fault[] = [
      'body cut, in chunks',
      'body cut, with its length',
      'half a body as if it were whole',
      'silence in the body',
    ]
    const PATHS = [
      'v/export?format=ntriples',
      'v/export',
      'large/export?format=ntriples',
      'large/export?format=jsonld',
    ].map((path) => `/voc/${path}`)
    const cases = CUTS.flatMap((fault) => PATHS.map((path) => [fault, path] as const))
    // Each fault once, and each path once.
    test.each(LONG ? cases : cases.filter((_, at) => at % (PATHS.length + 1) === 0))(
      '%s: %s never looks whole',
      async (fault, path) => {
        // The service knows the vocabularies, so the graph is the next request.
        await hasty.get('/voc')
        Object.assign(faulty, { fault, faultAfter: faulty.requests })
        const outcome = await fetch(hasty.url + path)
          .then(async (response) => ({ status: response.status, text: await response.text() }))
          .catch(() => 'broken off')
        Object.assign(faulty, { fault: 'none', faultAfter: 0 })
        if (outcome !== 'broken off')
          expect(outcome).toEqual({ status: expect.any(Number), text: expect.stringMatching(/^\{"error":/) })
        // A small answer has the status of its error.
        if (path.startsWith('/voc/v/')) expect((outcome as { status: number }).status).toBeGreaterThanOrEqual(502)
        expect((await patient.get(path)).status).toBe(200)
      },
    )

    test('has a maximum of downloads under way', async () => {
      faulty.delayMs = 1000
      const many = Array.from({ length: 17 }, (_, at) => patient.get(`/voc/large/export?format=ntriples&at=${at}`))
      const statuses = (await Promise.all(many)).map(({ status, headers }) => [status, headers.get('retry-after')])
      faulty.delayMs = 0
      expect(statuses.filter(([status]) => status === 200)).toHaveLength(16)
      expect(statuses.filter(([status]) => status !== 200)).toEqual([[503, '5']])
      expect((await patient.get('/voc/large/export?format=ntriples')).status).toBe(200)
    })
  })
})
