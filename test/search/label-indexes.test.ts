/** Reading the labels of vocabularies from a store. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../src/loading/load-vocabulary.ts'
import { SKOS } from '../../src/namespaces.ts'
import { LabelIndexes, type IndexedGraph } from '../../src/search/label-indexes.ts'
import { SparqlClient } from '../../src/sparql/client.ts'
import { readVocabularies, type Vocabulary } from '../../src/vocabularies/vocabulary.ts'
import { CRAFTS, DEMO } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { startService, storeEnv } from '../process.ts'
import { textOf } from '../queries.ts'
import { describeStores } from '../stores.ts'

const V = 'http://example.org/v/'
/** More than are read at a time, twice. */
const CONCEPTS = 1200
/** A registry that tells of no vocabulary that is gone. */
const NONE_REMOVED = { onRead: () => undefined }
const { write } = temporaryFolder()

describeStores('labels in memory', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let client: SparqlClient
  let vocabulary: Vocabulary
  const indexes = (of = client) =>
    new LabelIndexes({ client: of, registry: NONE_REMOVED, maxLabels: 10_000, maxAgeMs: 0, isOwn: true })
  const patient = new AbortController().signal
  const content = ({ labels, members }: IndexedGraph) => ({
    hits: [...labels.labels()].map(({ uri, label }) => JSON.stringify([uri, label, labels.groupsOf(uri)])).sort(),
    members: [...members],
  })
  const load = async () => {
    const concepts = Array.from({ length: CONCEPTS }, (_, at) => {
      return `v:c${at} a skos:Concept ; skos:notation "${at}" ; skos:prefLabel "Concept ${at}"@en ; skos:altLabel "C ${at}"@en .`
    })
    const others = `v:list a skos:Collection ; skos:prefLabel "List"@en ; skos:member v:c1 .
      v:elsewhere skos:altLabel "Elsewhere"@en .
      v:other a skos:Concept ; skos:inScheme <http://example.org/other> ; skos:prefLabel "Other"@en .`
    const text = `@prefix skos: <${SKOS}> . @prefix v: <${V}> . <${V}> a skos:ConceptScheme .\n${concepts.join('\n')}\n${others}`
    await loadVocabulary(client, [await write('v.ttl', text)], { ids: ['v'], check: false })
    vocabulary = (await readVocabularies(client)).find(({ uri }) => uri === V)!
  }

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    await load()
  })
  afterAll(() => running?.stop())

  test('are the same read in pieces and read as a whole', async () => {
    expect(vocabulary.lengths.concepts).toBe(CONCEPTS)
    const inPieces = content((await indexes().of(vocabulary, patient))!)
    // Without a revision nothing could tell whether the pieces are of one version.
    const whole = content((await indexes().of({ ...vocabulary, revision: undefined }, patient))!)
    expect(inPieces).toEqual(whole)
    expect(inPieces.hits).toHaveLength(2 * CONCEPTS + 3)
  })

  test('are of one version: pieces of two are none', async () => {
    let pieces = 0
    class Changing extends SparqlClient {
      override async constructInPieces(...request: Parameters<SparqlClient['constructInPieces']>): Promise<void> {
        await super.constructInPieces(...request)
        if (++pieces === 1) await load()
      }
    }
    const changing = new Changing({ endpoint: running.endpoint, timeoutMs: 60_000 })
    expect(await indexes(changing).of(vocabulary, patient)).toBeUndefined()
    expect(pieces).toBeGreaterThan(2)
  })

  test('are begun for all vocabularies that can fit, the smallest first', async () => {
    await loadVocabulary(client, [`${DEMO}/crafts.ttl`], { ids: ['crafts'], check: false })
    const all = await readVocabularies(client)
    const [large, small] = [V, CRAFTS].map((wanted) => all.find(({ uri }) => uri === wanted)!) as [
      Vocabulary,
      Vocabulary,
    ]
    const asked: string[] = []
    class Noting extends SparqlClient {
      override constructInPieces(...request: Parameters<SparqlClient['constructInPieces']>): Promise<void> {
        asked.push(/GRAPH\s+<(.*?)>/.exec(textOf(request[0]))![1]!)
        return super.constructInPieces(...request)
      }
    }
    const begin = (maxLabels: number) => {
      const noting = new Noting({ endpoint: running.endpoint, timeoutMs: 60_000 })
      const begun = new LabelIndexes({
        client: noting,
        registry: NONE_REMOVED,
        maxLabels,
        maxAgeMs: Infinity,
        isOwn: true,
      })
      begun.begin([large, small])
      return begun
    }
    await begin(10_000).of(large, patient)
    expect([...new Set(asked)]).toEqual([CRAFTS, V])
    asked.length = 0
    await begin(CONCEPTS - 1).of(small, patient)
    expect(asked).toEqual([CRAFTS])
  })

  test('are read after the start, before anybody searches', async () => {
    const service = await startService({ ...storeEnv(running.endpoint), DEMO: 'true' })
    try {
      const read = async () => {
        const text = await (await fetch(`${service.url}/metrics`)).text()
        return Number(/_count\{template="search\/labels",outcome="ok"\} (\d+)/.exec(text)?.[1] ?? 0)
      }
      while ((await read()) < 3) await sleep(50)
      const answer = await fetch(`${service.url}/search?search=Conzept+7`)
      expect(((await answer.json()) as unknown[]).length).toBeGreaterThan(0)
    } finally {
      await service.stop()
    }
  })
})
