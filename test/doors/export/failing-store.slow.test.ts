/** GET /voc/{vocid}/export over a store that fails. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DCT, RDF, SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { startFaultyStore, type Fault, type FaultyStore } from '../../interface/http/faulty-store.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/v/'
const OURS = 'urn:x-vocabulary-service:'

/** What SPARQL users find, much of which JSKOS cannot say. */
const TURTLE = `
@prefix skos: <${SKOS}> . @prefix dct: <${DCT}> . @prefix ex: <http://example.org/terms#> . @prefix v: <${V}> .
@prefix adms: <http://www.w3.org/ns/adms#> .
<${V}> a skos:ConceptScheme ; skos:prefLabel "Vocabulary"@en ; dct:publisher [ skos:prefLabel "A publisher"@en ] ; skos:hasTopConcept v:a .
v:a a skos:Concept ; skos:prefLabel "A"@en ; skos:example "an example"@en ; skos:narrower v:b ; skos:related v:c ; ex:size 3 ;
  skos:note [ <${RDF}value> "structured"@en ; dct:creator [ ex:name "Ann" ; ex:knows ( "Bob" [ ex:name "Cid" ; ex:at [ ex:place [ ex:in "Rome" ] ] ] ) ] ] .
v:b a skos:Concept ; skos:prefLabel "B"@en ; skos:exactMatch <http://example.org/other/b> ;
  skos:scopeNote "see <a> <${OURS}position>"@en .
v:c a skos:Concept ; skos:prefLabel "C"@en ; adms:status <http://purl.org/adms/status/UnderDevelopment> .
v:group a skos:Collection ; skos:prefLabel "Group"@en ; skos:member v:a, v:c .
`
/** More than fits into one piece, by few concepts with long labels. */
const LARGE = 'http://example.org/large/'
const CONCEPTS = 1500
const LONG_LABEL = 'label '.repeat(150)
const large = [
  `<${LARGE}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "large" .`,
  ...Array.from(
    { length: CONCEPTS },
    (_, at) =>
      `<${LARGE}${at}> a <${SKOS}Concept> ; <${SKOS}inScheme> <${LARGE}> ; <${SKOS}prefLabel> "${LONG_LABEL}${at}"@en .`,
  ),
].join('\n')

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
