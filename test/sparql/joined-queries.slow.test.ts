import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../app.ts'
import { startFaultyStore, type FaultyStore } from '../http/faulty-store.ts'
import { casesFor, describeStores } from '../stores.ts'

const GRAPH = 'http://example.org/together/'
const SECTIONS = 4
const LEAVES = 3

/** A vocabulary of three levels; the first leaf of each section is also below the next section. */
function tree(): string {
  const sections = Array.from({ length: SECTIONS }, (_, section) => {
    const leaves = Array.from({ length: LEAVES }, (_, leaf) => {
      const also = leaf === 0 ? `, :s${(section + 1) % SECTIONS}` : ''
      return `:s${section}l${leaf} a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:notation "${section}.${leaf}" ;
        skos:prefLabel "Leaf ${section}.${leaf}"@en, "Blatt ${section}.${leaf}"@de ; skos:broader :s${section}${also} .
        :s${section} skos:narrower :s${section}l${leaf} . ${leaf === 0 ? `:s${(section + 1) % SECTIONS} skos:narrower :s${section}l0 .` : ''}`
    })
    return `:root skos:narrower :s${section} .
      :s${section} a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:notation "${section}" ;
        skos:prefLabel "Section ${section}"@en ; skos:definition "All of ${section}"@en ; skos:broader :root .
      ${leaves.join('\n')}`
  })
  return `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${GRAPH}> .
    <${GRAPH}> a skos:ConceptScheme ; skos:notation "together" ; skos:prefLabel "Together"@en .
    :root a skos:Concept ; skos:inScheme <${GRAPH}> ; skos:prefLabel "Root"@en ; skos:topConceptOf <${GRAPH}> .
    ${sections.join('\n')}`
}

const at = (path: string, name: string, more = '') => `${path}?uri=${encodeURIComponent(GRAPH + name)}${more}`
const SECTION_NAMES = Array.from({ length: SECTIONS }, (_, section) => `s${section}`)
const LEAF_NAMES = SECTION_NAMES.flatMap((name) => Array.from({ length: LEAVES }, (_, leaf) => `${name}l${leaf}`))
const PATHS = [
  ...LEAF_NAMES.map((name) => at('/data', name)),
  ...LEAF_NAMES.map((name) => at('/ancestors', name)),
  ...SECTION_NAMES.flatMap((name) => [
    at('/data', name, '&format=turtle'),
    at('/data', name, '&properties=*'),
    at('/narrower', name),
    at('/narrower', name, '&properties=prefLabel,broader'),
    at('/narrower', name, '&limit=2&offset=1'),
    at('/narrower', name, '&properties=%2Bancestors,narrower'),
    at('/narrower', name, '&languages=de'),
    at('/narrower', name, '&voc=together&type=http://www.w3.org/2004/02/skos/core%23Concept'),
    at('/narrower', name, '&voc=nothing'),
    at('/data', name, '&languages=de&properties=prefLabel'),
    at('/broader', name),
  ]),
  at('/data', 'missing'),
  at('/narrower', 'missing'),
  at('/data', 'root'),
  at('/data', ''),
  '/voc/together/top',
]

describeStores('requests for a busy store', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let slow: FaultyStore
  let app: RunningApp
  /** It remembers no names of linked things, so each request for concepts asks for these as well. */
  let forgetful: RunningApp
  /** For each request for concepts, the answers that it was for. */
  let shares: number[] = []
  const ofConcepts = new Set<AbortSignal>()
  const ofNames: AbortSignal[] = []

  const get = async (path: string, { url } = app) => {
    const response = await fetch(url + path)
    const { status, headers } = response
    return { path, status, total: headers.get('x-total-count'), etag: headers.get('etag'), text: await response.text() }
  }

  beforeAll(async () => {
    running = await store.start()
    // Nothing is remembered, so every answer needs the store.
    const env = { CACHE_BYTES: '0' }
    slow = await startFaultyStore(running.endpoint)
    const onRequest = ({ template }: { template: string }, signals: readonly AbortSignal[]) => {
      if (template === 'describe/link') ofNames.push(...signals)
      if (template !== 'describe/concept') return
      shares.push(signals.length)
      for (const signal of signals) ofConcepts.add(signal)
    }
    const start = (more: NodeJS.ProcessEnv) => startApp(slow.endpoint, { ...env, ...more }, { onRequest })
    app = await start({})
    forgetful = await start({ MAX_STALENESS_MS: '0' })
    await app.put(GRAPH, tree())
  })
  afterAll(async () => {
    await app?.close()
    await forgetful?.close()
    await slow?.close()
    await running?.stop()
  })

  test.each(casesFor(store, ['remembered', 'asked for'], () => 0))(
    'go together, and each answer is the same as alone: names are %s',
    async (names) => {
      const one = names === 'remembered' ? app : forgetful
      const alone = []
      for (const path of PATHS) alone.push(await get(path, one))
      expect(new Set(alone.map(({ status }) => status))).toEqual(new Set([200]))
      // Longer than all requests take to arrive; on a busy machine that takes longer.
      for (let delayMs = names === 'remembered' ? 500 : 200; delayMs < 10_000; delayMs *= 2) {
        slow.delayMs = delayMs
        shares = []
        const together = await Promise.all([...PATHS, ...PATHS].map((path) => get(path, one)))
        slow.delayMs = 0
        expect(together).toEqual([...alone, ...alone])
        if (shares.length < PATHS.length) break
      }
      expect(shares.length).toBeLessThan(PATHS.length)
      // The log notes the request for each of these answers.
      expect(Math.max(...shares)).toBeGreaterThan(8)
      // The same holds for the names that the service reads after the concepts.
      expect(ofNames.length).toBeGreaterThan(0)
      expect(ofNames.filter((signal) => !ofConcepts.has(signal))).toEqual([])
    },
  )

  test('of clients that go away take nothing from those that stay', async () => {
    const gone = new AbortController()
    const left = PATHS.map((path) => fetch(app.url + path, { signal: gone.signal }).catch(() => undefined))
    const stayed = Promise.all(LEAF_NAMES.map((name) => get(at('/data', name))))
    await sleep(1)
    gone.abort()
    const later = Promise.all(LEAF_NAMES.map((name) => get(at('/narrower', name))))
    for (const { status, text } of [...(await stayed), ...(await later)])
      expect([status, text]).toEqual([200, expect.stringMatching(/^\[/)])
    await Promise.all(left)
  })
})

describe('requests for a store that fails', () => {
  let store: FaultyStore
  let app: RunningApp

  beforeAll(async () => {
    store = await startFaultyStore()
    app = await startApp(store.endpoint, { SPARQL_TIMEOUT_MS: '1000', CACHE_BYTES: '0' })
  })
  afterAll(async () => {
    await app.close()
    await store.close()
  })

  test.each([
    ['status 500', 502],
    ['status 503', 503],
    ['silence', 504],
  ] as const)('%s: all get %i, and later ones are not joined to them', async (fault, expected) => {
    expect((await app.get(at('/data', 'a'))).status).toBe(200)
    store.fault = fault
    const answers = await Promise.all(LEAF_NAMES.map((name) => app.get(at('/data', name))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([expected]))
    store.fault = 'none'
    expect((await app.get(at('/data', 'a'))).status).toBe(200)
  })

  test('the request of clients that have all gone away is given up, and others get their own', async () => {
    store.fault = 'silence'
    const gone = new AbortController()
    const left = LEAF_NAMES.map((name) =>
      fetch(app.url + at('/data', name), { signal: gone.signal }).catch(() => undefined),
    )
    while (store.present === 0) await sleep(5)
    store.fault = 'none'
    gone.abort()
    const answers = await Promise.all(LEAF_NAMES.map((name) => app.get(at('/data', name))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(left)
  })
})
