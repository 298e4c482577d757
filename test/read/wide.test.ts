import { afterAll, beforeAll, expect } from '@jest/globals'
import { loadVocabulary } from '../../src/loading/load-vocabulary.ts'
import { startApp, type RunningApp } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { describeStores, testOf } from '../stores.ts'
import { LONG } from '../long.ts'

const SCHEME = 'http://example.org/wide/'
const CHILDREN = LONG ? 25_000 : 2_000

describeStores('a concept with very many narrower ones', (store) => {
  const folder = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_LIMIT: '30000' })
    const children = Array.from({ length: CHILDREN }, (_, at) => {
      return `<${SCHEME}${at}> a skos:Concept ; skos:prefLabel "${at}"@en ; skos:notation "${at}" ; skos:broader <${SCHEME}root> .`
    })
    const file = await folder.write(
      'wide.ttl',
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<${SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Wide"@en .
<${SCHEME}root> a skos:Concept ; skos:prefLabel "Root"@en .
${children.join('\n')}`,
    )
    await loadVocabulary(app.client, [file], { check: false })
  }, 300_000)
  afterAll(async () => {
    await app.close()
    await running.stop()
  })

  const testHere = testOf(store)
  testHere(
    '/data with all properties names all of them',
    async () => {
      const { status, body } = await app.ask('/data', { uri: `${SCHEME}root`, properties: '*' })
      expect(status).toBe(200)
      expect(body[0].narrower).toHaveLength(CHILDREN)
      expect(body[0].narrower[0]).toMatchObject({ prefLabel: { en: '0' }, notation: ['0'] })
    },
    120_000,
  )

  testHere(
    '/narrower lists them',
    async () => {
      const { status, body } = await app.ask('/narrower', { uri: `${SCHEME}root`, limit: '30000' })
      expect(status).toBe(200)
      expect(body).toHaveLength(CHILDREN)
    },
    120_000,
  )
})
