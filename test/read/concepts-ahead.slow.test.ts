import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../src/loading/load-vocabulary.ts'
import { ConceptsAhead } from '../../src/read/concepts-ahead.ts'
import { CRAFTS, DEMO, startApp, toNTriples, type RunningApp } from '../app.ts'
import { describeStores } from '../stores.ts'

/** The same for all services, because links in their answers begin with it. */
const BASE_URL = 'http://localhost:3000/'

describeStores('concepts that the service reads ahead', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  /** Remembers nothing. */
  let plain: RunningApp
  let app: RunningApp
  let templates: string[] = []
  const stopping = new AbortController()

  const start = (env: NodeJS.ProcessEnv = {}, isEmbedded = true) => {
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    return startApp(running.endpoint, { BASE_URL, MAX_STALENESS_MS: '60000', ...env }, { isEmbedded, onRequest })
  }
  const load = (id: 'crafts' | 'materials') =>
    loadVocabulary(plain.client, [resolve(DEMO, `${id}.ttl`)], { ids: [id], check: false })
  const described = () => templates.filter((template) => template.startsWith('describe/')).length
  /** Begins to read ahead, and waits until it has ended. */
  const readAhead = async () => {
    templates = []
    new ConceptsAhead(app).begin(stopping.signal)
    await ended()
  }
  const ended = async () => {
    do await sleep(50)
    while (app.client.load.pending > 0)
  }
  const questions = async () => {
    const { body } = await plain.get('/voc/crafts/concepts')
    const uris = body.map(({ uri }: { uri: string }) => `uri=${encodeURIComponent(uri)}`)
    expect(uris.length).toBeGreaterThan(100)
    return uris.filter((_: string, place: number) => place % 4 === 0)
  }

  beforeAll(async () => {
    running = await store.start()
    plain = await startApp(running.endpoint, { BASE_URL, CACHE_BYTES: '0', MAX_STALENESS_MS: '0' })
    await load('crafts')
    await load('materials')
    const subset = toNTriples(readFileSync(resolve(DEMO, 'subset-school.ttl'), 'utf8'))
    await plain.client.putGraph(`${CRAFTS}subset/school`, subset)
  })
  afterEach(() => app?.close())
  afterAll(async () => {
    await plain?.close()
    await running?.stop()
  })

  test('are known to the first request, whose answer is the one that the store gives', async () => {
    app = await start()
    await readAhead()
    expect(described()).toBeGreaterThan(0)
    for (const question of await questions()) {
      const expected = await plain.get(`/broader?${question}`)
      templates = []
      expect(await app.get(`/broader?${question}`)).toMatchObject({ status: 200, text: expected.text })
      expect([question, templates.filter((template) => template === 'describe/concept')]).toEqual([question, []])
    }
  })

  test('are read again after a load', async () => {
    app = await start()
    await readAhead()
    const { bytes } = app.resources!
    await load('materials')
    app.state.changed()
    expect(app.resources!.bytes).toBe(0)
    // After a change, the service rests before it reads again.
    while (app.resources!.bytes < bytes) {
      await app.registry.fresh()
      await ended()
    }
    const [question] = await questions()
    templates = []
    expect((await app.get(`/data?${question}`)).status).toBe(200)
    expect(templates).not.toContain('describe/concept')
  })

  test('are those of vocabularies that fit into the memory', async () => {
    app = await start({ CACHE_BYTES: '150000' })
    await readAhead()
    // The 33 concepts of the materials, not the 137 of the crafts.
    expect(described()).toBe(1)
  })

  test('are not read after the service has stopped', async () => {
    app = await start()
    templates = []
    const stopped = new AbortController()
    new ConceptsAhead(app).begin(stopped.signal)
    stopped.abort()
    await app.registry.fresh()
    await ended()
    expect(app.resources!.bytes).toBe(0)
  })

  test.each([
    ['the store does not prove how long they are true', {}, false],
    ['the service must not remember any', { CACHE_BYTES: '0' }, true],
  ])('are none if %s', async (_, env, isEmbedded) => {
    app = await start(env, isEmbedded)
    await readAhead()
    expect(described()).toBe(0)
  })
})
