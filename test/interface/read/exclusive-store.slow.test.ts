/** SPARQL_EXCLUSIVE: the operator promises that only services and their commands write to the store. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const SCHEME = 'http://example.org/exclusive/'
const STALENESS_MS = 200
const CONCEPT = `/data?uri=${encodeURIComponent(`${SCHEME}a`)}`

const vocabulary = (label: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Exclusive"@en .
  <${SCHEME}a> a skos:Concept ; skos:inScheme <${SCHEME}> ; skos:prefLabel "${label}"@en .`

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'a store that only services write to', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  /** Of another process. */
  let other: RunningApp
  let templates: string[] = []

  const load = async (label: string) => {
    await loadVocabulary(other.client, [await write('exclusive.ttl', vocabulary(label))], { ids: ['exclusive'] })
  }
  const start = (exclusive: 'true' | 'false') => {
    const env = { ...storeEnv(running.endpoint), SPARQL_EXCLUSIVE: exclusive, MAX_STALENESS_MS: String(STALENESS_MS) }
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    return startApp(running.endpoint, env, { onRequest })
  }
  const describing = async (of: RunningApp, path: string) => {
    templates = []
    const { status } = await of.get(path)
    expect(status).toBe(200)
    return templates.filter((template) => template.startsWith('describe/'))
  }

  beforeAll(async () => {
    running = await store.start()
    other = await startApp(running.endpoint)
    await load('First')
    app = await start('true')
  })
  afterAll(async () => {
    await Promise.all([app?.close(), other?.close()])
    await running?.stop()
  })

  test('what was read long ago is still true if the revisions stand still', async () => {
    await app.get(CONCEPT)
    await sleep(3 * STALENESS_MS)
    expect(await describing(app, CONCEPT)).toEqual([])
    expect(await describing(app, `${CONCEPT}&language=fr`)).toEqual([])
  })

  test('a load by another process shows', async () => {
    await app.get(CONCEPT)
    await load('Second')
    await sleep(2 * STALENESS_MS)
    expect((await app.get(CONCEPT)).body[0].prefLabel.en).toBe('Second')
  })

  test('without the promise, nothing counts for longer than MAX_STALENESS_MS', async () => {
    const careful = await start('false')
    try {
      await careful.get(CONCEPT)
      await sleep(3 * STALENESS_MS)
      expect(await describing(careful, CONCEPT)).not.toEqual([])
    } finally {
      await careful.close()
    }
  })
})
