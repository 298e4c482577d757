/** Ingests while their vocabulary is being replaced: every one that is answered with 201 is there afterwards. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { ApiError } from '../../../src/base/errors.ts'
import type { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { HOLD, SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { GraphHold } from '../../../src/graph/vocabularies/graph-hold.ts'
import type { VocabularyIndex } from '../../../src/graph/vocabularies/vocabulary-index.ts'
import { readProposals } from '../../../src/graph/vocabularies/proposals.ts'
import { removeProposals } from '../../../src/writing/proposals/decide.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import { LONG, testLong } from '../../long.ts'
import { run, storeEnv } from '../../process.ts'
import { DEPLOYED, describeOver, isWhole, testOf } from '../../stores.ts'
import { TestClock } from './clock.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

const BRIDGES = 'http://example.org/bridges/'
const CLIENTS = 4
const LOADS = LONG ? 30 : 3
const KILLS = 5
const CONCEPTS = 300

describeOver(DEPLOYED, 'ingests while their vocabulary is replaced', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  /** Of the commands, which are other processes than the service. */
  let client: SparqlClient
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
  }, 60_000)
  afterAll(() => running.stop())
  afterEach(async () => {
    const isExpected = (error: unknown) => error instanceof ApiError && error.name === 'ServiceUnavailableError'
    expect(service.reported.filter((error) => !isExpected(error))).toEqual([])
    await service.close()
    await client.deleteGraph(BRIDGES)
  })

  const bridges = (version: number, concepts = CONCEPTS) =>
    write(
      `bridges-${version}.ttl`,
      `@prefix skos: <${SKOS}> . @prefix : <${BRIDGES}> .
      <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges ${version}"@en .
      ${Array.from({ length: concepts }, (_, at) => `:b${at + version} a skos:Concept ; skos:prefLabel "Bridge ${version}"@en .`).join('\n')}`,
    )
  const load = async (version: number) =>
    loadVocabulary(client, [await bridges(version)], { ids: ['bridges'], history: service.history, check: false })
  async function start(env: NodeJS.ProcessEnv = {}, clock?: TestClock): Promise<void> {
    service = await startIngest(running.endpoint, env, clock ? { clock } : {})
    await load(0)
    account = await service.account({ voc: BRIDGES })
  }
  const propose = (label: string) =>
    service.propose(account, [concept({ inScheme: [{ uri: BRIDGES }], prefLabel: { de: label } })])

  /**
   * Clients that propose one concept after the other, until they are stopped. @returns the URIs of those that were
   * accepted.
   */
  function stream(): { accepted: Set<string>; refusals: string[]; stop: () => Promise<void> } {
    const accepted = new Set<string>()
    const refusals: string[] = []
    let isOver = false
    const work = async (number: number) => {
      for (let at = 0; !isOver; at++) {
        const { status, text, body } = await propose(`Begriff ${number}-${at}`)
        if (status === 201) accepted.add((body as { uri: string }[])[0]!.uri)
        else if (status !== 503) refusals.push(text)
        await sleep(5)
      }
    }
    const clients = Array.from({ length: CLIENTS }, (_, number) => work(number))
    return {
      accepted,
      refusals,
      stop: async () => {
        isOver = true
        await Promise.all(clients)
      },
    }
  }
  /** Does something while a load has read what the store has, and before it holds the vocabulary. */
  function meanwhile(work: () => Promise<void>, index?: VocabularyIndex): VocabularyIndex {
    const nothing = () => Promise.resolve()
    return {
      write: async (graph, chunks) => {
        const draft = (await index?.write(graph, chunks)) ?? { commit: nothing, discard: nothing }
        await work()
        return draft
      },
      remove: nothing,
      change: () => Promise.resolve(true),
    }
  }
  const present = async () => new Set((await readProposals(client, BRIDGES)).map(({ uri }) => uri))

  /** Everything is there once, in the graph, the lists and the history. */
  async function expectThere(accepted: ReadonlySet<string>): Promise<void> {
    const there = await present()
    expect([...accepted].filter((uri) => !there.has(uri))).toEqual([])
    service.state.changed()
    service.registry.invalidate()
    const { body, headers } = await service.ask('/voc/bridges/top', { properties: 'prefLabel' })
    const listed = (body as { uri: string }[]).map(({ uri }) => uri)
    expect(new Set(listed).size).toBe(listed.length)
    expect(headers.get('x-total-count')).toBe(String(CONCEPTS + there.size))
    expect([...there].filter((uri) => !listed.includes(uri))).toEqual([])
  }

  /**
   * The history has all of it, at the latest with the next load: on a busy machine it may not keep up with so many
   * ingests.
   */
  async function expectRecorded(): Promise<void> {
    if (!service.history) return
    const { kept } = (await load(0)).proposals
    expect(kept).toBe((await present()).size)
    await service.history.recordIngests()
    await expectAgreement(client, service.dataDir, BRIDGES)
  }

  test.each(LONG ? ['on', 'off'] : isWhole(store) ? ['on'] : ['off'])(
    `${LOADS} loads beside ${CLIENTS} clients lose nothing, HISTORY=%s`,
    async (HISTORY) => {
      await start({ HISTORY })
      const { accepted, refusals, stop } = stream()
      for (let version = 1; version <= LOADS; version++) {
        const before = accepted.size
        expect((await load(version)).proposals.kept).toBeGreaterThanOrEqual(before)
      }
      await stop()
      expect(refusals).toEqual([])
      expect(accepted.size).toBeGreaterThan(LOADS)
      await expectThere(accepted)
      await expectRecorded()
    },
    300_000,
  )

  test.each([
    ['before the load compares', 1],
    ['when the load has compared', 2],
  ])('a proposal that comes %s stays in the history, and nothing vanishes', async (_, at) => {
    await start()
    let uri = ''
    const late = async () => {
      uri = ((await propose('Späte')).body as { uri: string }[])[0]!.uri
      await service.history!.recordIngests()
    }
    const getGraph = client.getGraph.bind(client)
    if (at === 1) {
      client.getGraph = async function* (...asked) {
        client.getGraph = getGraph
        await late()
        yield* getGraph(...asked)
      }
    }
    const history = service.history!
    const prepare: History['prepare'] = async (replacements) => {
      if (at === 2) await late()
      return history.prepare(replacements)
    }
    const watched = { prepare, hasLoad: history.hasLoad.bind(history) }
    const options = { ids: ['bridges'], history: watched, check: false, forbidRemoval: true }
    expect(await loadVocabulary(client, [await bridges(0)], options)).toMatchObject({ gone: 0 })
    expect((await history.log.changesOf(uri)).map(({ kind }) => kind)).toEqual(['Create'])
    await expectAgreement(client, service.dataDir, BRIDGES)
  })

  test('a search finds a proposal that comes during the load as soon as the load is done', async () => {
    await start()
    let uri = ''
    const storedUris = async () => {
      for (;;) {
        const { status, text, body } = await service.ask('/search', { search: 'Spätestens', voc: BRIDGES })
        if (status === 200) return (body as { uri: string }[]).map((concept) => concept.uri)
        // On a busy machine the labels may not all have been read yet.
        expect([status, text]).toEqual([503, expect.stringContaining('still being read')])
      }
    }
    const index = new IndexOfCommands(service.dataDir, (error) => expect(error).toBeUndefined())
    const late = async () => {
      uri = ((await propose('Spätestens')).body as { uri: string }[])[0]!.uri
      expect(await storedUris()).toEqual([uri])
    }
    try {
      const options = { ids: ['bridges'], check: false, index: meanwhile(late, index) }
      await loadVocabulary(client, [await bridges(0)], options)
    } finally {
      await index.close()
    }
    expect(await storedUris()).toEqual([uri])
  })

  test('a proposal that comes during the load keeps the blank publisher of its vocabulary', async () => {
    await start()
    const [dct, skos] = ['http://purl.org/dc/terms/', 'http://www.w3.org/2004/02/skos/core#']
    await client.update(
      `INSERT DATA { GRAPH <${BRIDGES}> { <${BRIDGES}> <${dct}publisher> [ <${skos}prefLabel> "Brückenamt"@de ] } }`,
      BRIDGES,
    )
    let uri = ''
    const late = async () => {
      uri = ((await propose('Späte')).body as { uri: string }[])[0]!.uri
    }
    await loadVocabulary(client, [await bridges(0)], { ids: ['bridges'], check: false, index: meanwhile(late) })
    const rows = await client.select(
      `SELECT ?name WHERE { GRAPH <${BRIDGES}> { <${uri}> <${dct}publisher>/<${skos}prefLabel> ?name } }`,
    )
    expect(rows.map(({ name }) => name?.value)).toEqual(['Brückenamt'])
  })

  testOf(store)(
    'normalise and the removal of proposals beside clients lose nothing else',
    async () => {
      await start()
      const { accepted, refusals, stop } = stream()
      const removed = new Set<string>()
      for (let times = 0; times < 3; times++) {
        while (accepted.size <= removed.size) await sleep(20)
        const some = [...accepted].filter((uri) => !removed.has(uri)).slice(0, 2)
        const loading = load(times + 1).catch((error: Error) => error.message)
        await removeProposals(client, some, service.history)
        for (const uri of some) removed.add(uri)
        // It has read a proposal that is removed now, or not yet.
        const message = await loading
        if (typeof message === 'string')
          expect(message).toMatch(/ changed meanwhile, so nothing is written\. Try again\.$/)
        await normaliseStored(client, 'bridges', service.history).catch((error: Error) =>
          expect(error.message).toMatch(/changed meanwhile/),
        )
      }
      await stop()
      expect(refusals).toEqual([])
      const there = await present()
      expect([...removed].filter((uri) => there.has(uri))).toEqual([])
      await expectThere(new Set([...accepted].filter((uri) => !removed.has(uri))))
      await expectRecorded()
    },
    300_000,
  )

  test('an ingest waits while somebody holds the vocabulary, and others do not', async () => {
    await start()
    const hold = (await GraphHold.take(client, BRIDGES))!
    let isAnswered = false
    const answer = propose('Wartende').finally(() => (isAnswered = true))
    await sleep(500)
    expect([isAnswered, (await present()).size]).toEqual([false, 0])
    // The vocabulary can be read meanwhile.
    expect((await service.ask('/voc/bridges/top', { limit: '1' })).status).toBe(200)
    await hold.check()
    await hold.release()
    const { status, body } = await answer
    expect(status).toBe(201)
    expect([...(await present())]).toEqual([(body as { uri: string }[])[0]!.uri])
    await expect(hold.check()).rejects.toThrow(/changed meanwhile/)
    expect(await GraphHold.take(client, `${BRIDGES}none`)).toBeUndefined()
  })

  test('one load waits for another, and the last one counts', async () => {
    await start()
    await Promise.all([1, 2].map(async (version) => load(version)))
    const [row] = await client.select(`SELECT (COUNT(?hold) AS ?holds) WHERE { ?any <${HOLD}> ?hold }`)
    expect(row!['holds']!.value).toBe('0')
    await expectThere(new Set())
  })

  test('the hold of a load that was killed ends by itself: 503 with Retry-After, then 201', async () => {
    const clock = new TestClock()
    await start({ SPARQL_TIMEOUT_MS: '10000' }, clock)
    const hold = (await GraphHold.take(client, BRIDGES))!
    hold.end()
    const first = await clock.passUntil(propose('Erste'))
    expect([first.status, first.headers.get('retry-after'), first.body]).toEqual([
      503,
      '5',
      expect.objectContaining({ error: 'ServiceUnavailableError' }),
    ])
    expect((await present()).size).toBe(0)
    await clock.pass(20_000)
    const second = await clock.passUntil(propose('Zweite'))
    expect(second.status).toBe(201)
    await expectThere(new Set([(second.body as { uri: string }[])[0]!.uri]))
  })

  // The hold of each ends after 20 s.
  testLong(
    `a load that is killed while it holds the vocabulary loses nothing, ${KILLS} times, only with TEST_LONG=1`,
    async () => {
      await start()
      const { accepted, refusals, stop } = stream()
      const env = { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint) }
      for (let kill = 1; kill <= KILLS; kill++) {
        const before = accepted.size
        const child = run('dist/cli/main.js', ['load', await bridges(kill), '--id', 'bridges'], env)
        const ended = once(child, 'exit')
        let isHeld = false
        while (!isHeld && child.exitCode === null) isHeld = await client.ask(`ASK { <${BRIDGES}> <${HOLD}> ?hold }`)
        await sleep(Math.random() * 20)
        child.kill('SIGKILL')
        await ended
        // Those that wait go on when the hold is over.
        for (let waited = 0; accepted.size <= before + CLIENTS && waited < 60_000; waited += 50) await sleep(50)
        expect(accepted.size).toBeGreaterThan(before)
      }
      const kept = (await load(KILLS + 1)).proposals.kept
      await stop()
      expect(refusals).toEqual([])
      expect(kept).toBeGreaterThan(0)
      await expectThere(accepted)
      await expectRecorded()
    },
    60_000 + KILLS * 90_000,
  )
})
