import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { composeReading } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { startApp, type RunningApp } from '../app.ts'
import { PATIENT } from '../process.ts'
import { describeAllStores } from '../stores.ts'

const GRAPH = 'http://example.org/noted/'
const one = (name: string) => `/data?uri=${encodeURIComponent(GRAPH + name)}&properties=scopeNote`
const BELOW = `/narrower?uri=${encodeURIComponent(`${GRAPH}a`)}&properties=scopeNote`

describeAllStores('notes that are resources', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let templates: string[] = []

  beforeAll(async () => {
    running = await store.start()
    const env = { ...PATIENT, CACHE_BYTES: '0' }
    const onRequest = ({ template }: { template: string }) => void templates.push(template)
    app = await startApp(running.endpoint, env, composeReading(readConfig(env), running.endpoint, { onRequest }))
    await app.put(
      GRAPH,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
       @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
       @prefix : <${GRAPH}> .
       <${GRAPH}> a skos:ConceptScheme ; skos:notation "noted" .
       :a a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote "Text"@en ; skos:narrower :b, :c, :d .
       :b a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote :n, "Beside it"@en .
       :c a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote [ rdf:value "Without an IRI"@en ] .
       :d a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:scopeNote <http://example.org/page> .
       :n rdf:value "With an IRI"@en .`,
    )
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })

  const notes = async (path: string) => {
    templates = []
    const { body } = await app.get(path)
    return body.map(({ scopeNote }: Record<string, unknown>) => scopeNote)
  }
  const described = () => templates.filter((template) => template === 'describe/concept').length

  test('show their values, which the store sends from the first such note on', async () => {
    expect(await notes(one('a'))).toEqual([{ en: ['Text'] }])
    expect(described()).toBe(1)
    const expected = [{ en: ['Beside it', 'With an IRI'] }, { en: ['Without an IRI'] }, undefined]
    expect(await notes(BELOW)).toEqual(expected)
    expect(described()).toBe(2)
    expect(await notes(BELOW)).toEqual(expected)
    expect(described()).toBe(1)
    expect(await notes(one('b'))).toEqual([expected[0]])
    expect(described()).toBe(1)
  })
})
