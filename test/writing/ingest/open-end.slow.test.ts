/**
 * Ingests whose end is not known at their deadline, and ingests while the store is busy with a graph of somebody else.
 */
import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import { ingestUpdate } from '../../../src/writing/ingest/write.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { basicAuthorization } from '../../../src/graph/sparql/http.ts'
import { iri, literal, triple } from '../../../src/graph/sparql/terms.ts'
import { GraphHold } from '../../../src/graph/vocabularies/graph-hold.ts'
import type { Answer } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import { newDirectory } from '../../process.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type StoreProxy } from './store-proxy.ts'

const BRIDGES = 'http://example.org/bridges/'
const TUNNELS = 'http://example.org/tunnels/'
/** The deadline: with a busy machine in mind, and still short, because the tests wait for it. */
const TIMEOUT_MS = 3000
/** With 16 updates waiting, Fuseki answers no query any more. */
const CLIENTS = 30

describeOver(EMBEDDED, 'ingests that the store does not answer in time', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  /** Of another process. */
  let other: SparqlClient
  let proxy: StoreProxy
  let mail: MailServer
  let dataDir: string
  let service: IngestService
  let account: TestAccount
  let label: string
  let labels = 0

  const start = (env: NodeJS.ProcessEnv = {}) =>
    startIngest(proxy.endpoint, { SPARQL_TIMEOUT_MS: String(TIMEOUT_MS), SMTP_URL: mail.url, ...env }, { dataDir })
  const propose = (de: string, key?: string): Promise<Answer> =>
    service.propose(
      account,
      [concept({ inScheme: [{ uri: BRIDGES }], prefLabel: { de } })],
      key ? { 'idempotency-key': key } : {},
    )
  const load = async (uri: string) => {
    const file = await write(
      'vocabulary.ttl',
      `@prefix skos: <${SKOS}> . <${uri}> a skos:ConceptScheme ; skos:prefLabel "${uri}"@en .
      <${uri}1> a skos:Concept ; skos:inScheme <${uri}> ; skos:prefLabel "One"@en .`,
    )
    await loadVocabulary(other, [file], { check: false, history: service.history })
  }
  /** The concepts with a label, each of them once in the lists of the vocabulary. */
  const stored = async (de: string): Promise<string[]> => {
    const rows = await other.select(
      `SELECT ?c ?place WHERE { GRAPH <${BRIDGES}> { ?c <${SKOS}prefLabel> "${de}"@de
        OPTIONAL { ?c <urn:x-vocabulary-service:position> ?place } } }`,
    )
    return rows.map(({ c }) => c!.value)
  }
  const until = async (isThere: () => boolean | Promise<boolean>) => {
    for (let waited = 0; !(await isThere()); waited += 50) {
      if (waited > 60_000) throw new Error('It does not come.')
      await sleep(50)
    }
  }
  /** Everything that follows from an ingest: the concept once, its account in the history, one mail. */
  const expectWhole = async (mails: number) => {
    await until(async () => (await stored(label)).length > 0)
    await mail.until(mails)
    const uris = await stored(label)
    expect(uris).toHaveLength(1)
    await service.history!.recordIngests()
    const changes = await service.history!.log.changesOf(uris[0]!)
    expect(changes).toMatchObject([{ kind: 'Create', cause: { by: 'ingest', account: account.username } }])
    expect((await service.ask('/history', { uri: uris[0]! })).body).toHaveLength(1)
    await until(() => [...service.ingest.ledger.claimed()].length === 0)
    expect(mail.received).toHaveLength(mails)
    await expectAgreement(other, dataDir, BRIDGES)
  }
  const expectNothing = async () => {
    expect(await stored(label)).toEqual([])
    await service.history!.recordIngests()
    expect(await service.history!.log.intents.list()).toEqual([])
    expect([...service.ingest.ledger.claimed()]).toEqual([])
    expect(mail.received).toEqual([])
  }

  beforeAll(async () => {
    running = await store.start()
    other = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    proxy = await startStoreProxy(running.endpoint)
  }, 60_000)
  beforeEach(async () => {
    dataDir = await newDirectory()
    mail = await startMailServer()
    service = await start()
    label = `Begriff ${++labels}`
    await load(BRIDGES)
    account = await service.account({ voc: BRIDGES, emails: ['editor@example.org'] })
  })
  afterEach(async () => {
    proxy.update = 'none'
    proxy.updateWith = ''
    proxy.release()
    await service.close()
    await mail.stop()
    await rm(dataDir, { recursive: true })
    await other.deleteGraph(BRIDGES)
    await other.deleteGraph(TUNNELS)
  })
  afterAll(async () => {
    await proxy.close()
    await running.stop()
  })

  const hold = () => {
    proxy.updateWith = 'UnderDevelopment'
    proxy.update = 'held'
  }
  const letGo = () => {
    proxy.update = 'none'
    proxy.release()
  }

  test('504, then the store takes it: concept, history, account and mail are there, and the same key gets 201', async () => {
    hold()
    const late = await propose(label, 'key')
    expect([late.status, late.body.error]).toEqual([504, 'TimeoutError'])
    expect(late.body.Description).toMatch(/same Idempotency-Key is safe/)
    const refused = await propose('Andere')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await service.history!.recordIngests()
    expect(await service.history!.log.intents.list()).toHaveLength(1)
    expect(mail.received).toEqual([])
    letGo()
    await expectWhole(1)
    const again = await propose(label, 'key')
    expect([again.status, again.body[0].uri]).toEqual([201, (await stored(label))[0]])
    expect([await stored(label), await stored('Andere')]).toEqual([[again.body[0].uri], []])
  })

  test('504, and the connection breaks before the store has it: closed as absent, and the key can be used again', async () => {
    hold()
    proxy.update = 'silent'
    expect((await propose(label, 'key')).status).toBe(504)
    proxy.update = 'none'
    proxy.hangUp()
    await until(() => [...service.ingest.ledger.claimed()].length === 0)
    await expectNothing()
    expect((await propose(label, 'key')).status).toBe(201)
    await expectWhole(1)
  })

  test('504, a restart, then the store takes it: all follows as without the restart', async () => {
    hold()
    expect((await propose(label, 'key')).status).toBe(504)
    await service.close()
    service = await start()
    expect([...service.ingest.ledger.claimed()]).toHaveLength(1)
    letGo()
    await expectWhole(1)
    expect((await propose(label, 'key')).status).toBe(201)
    expect(await stored(label)).toHaveLength(1)
  })

  test('504, a restart, and the store never has it: closed as absent', async () => {
    hold()
    proxy.update = 'silent'
    expect((await propose(label)).status).toBe(504)
    await service.close()
    proxy.update = 'none'
    service = await start()
    await until(() => [...service.ingest.ledger.claimed()].length === 0)
    expect(await stored(label)).toEqual([])
    expect(mail.received).toEqual([])
  })

  test('the same concepts that reach the store twice, and after an editor has changed them, are written once', async () => {
    const uris = [1, 2].map((number) => `${BRIDGES}new-${number}`)
    const triples = uris.map((uri) => triple(iri(uri), iri(`${SKOS}prefLabel`), literal(label, { language: 'de' })))
    const send = (revision: string) =>
      other.update(ingestUpdate({ scheme: BRIDGES, uris, triples, date: '2026-01-01', revision }), BRIDGES)
    const graph = () => other.select(`SELECT ?s ?p ?o WHERE { GRAPH <${BRIDGES}> { ?s ?p ?o } } ORDER BY ?s ?p ?o`)
    const before = (await graph()).length
    await send('first')
    await other.update(`DELETE WHERE { GRAPH <${BRIDGES}> { <${uris[0]}> <${SKOS}prefLabel> ?label } }`, BRIDGES)
    const after = await graph()
    expect(after.length).toBeGreaterThan(before)
    await send('second')
    expect(await graph()).toEqual(after)
  })

  /** A PUT of a graph that stays open, as a large one does for minutes. @returns what ends it. */
  async function openPut(graph: string): Promise<() => Promise<void>> {
    const { graphStoreUrl, user, password } = running.endpoint
    const url = `${graphStoreUrl}?graph=${encodeURIComponent(graph)}`
    const headers = {
      'content-type': 'application/n-triples',
      ...(user && password ? { authorization: basicAuthorization({ user, password }) } : {}),
    }
    const put: ClientRequest = request(url, { method: 'PUT', headers, agent: false })
    const answered = once(put, 'response')
    for (let at = 0; at < 1000; at++) put.write(`<${graph}${at}> <${SKOS}prefLabel> "${'x'.repeat(100)}" .\n`)
    await sleep(500)
    return async () => {
      put.end()
      const [response] = (await answered) as [{ statusCode: number; resume(): void }]
      response.resume()
      expect([200, 201, 204]).toContain(response.statusCode)
    }
  }
  /** Readers are answered all the time, each before its deadline. */
  async function expectReaders(): Promise<void> {
    const rows = await other.select(`SELECT * WHERE { GRAPH <${BRIDGES}> { ?s ?p ?o } }`, { timeoutMs: TIMEOUT_MS })
    expect(rows.length).toBeGreaterThan(0)
    const started = performance.now()
    expect((await service.get('/readyz')).status).toBe(200)
    expect(performance.now() - started).toBeLessThan(TIMEOUT_MS)
  }

  test(`${CLIENTS} ingests while a command replaces another graph: 503 before the store hears of them; readers go on`, async () => {
    await load(TUNNELS)
    const held = (await GraphHold.take(other, TUNNELS))!
    const end = await openPut(TUNNELS)
    const { updates } = proxy
    const asked = Array.from({ length: CLIENTS }, (_, at) => propose(`${label}-${at}`))
    await sleep(500)
    await expectReaders()
    const answers = await Promise.all(asked)
    held.end()
    if (store.name === 'fuseki') {
      // One asks whether the store takes updates; no other one waits there.
      expect(proxy.updates).toBe(updates + 1)
      expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
        new Set(['503 5']),
      )
      await expectReaders()
    }
    await end()
    await until(async () => (await propose(label)).status === 201)
    expect(await stored(label)).toHaveLength(1)
    for (const [at, { status }] of answers.entries()) {
      expect(await stored(`${label}-${at}`)).toHaveLength(status === 201 ? 1 : 0)
    }
  })

  test('ingests while another program writes a graph: one is under way, which is followed; the others are refused', async () => {
    const end = await openPut(TUNNELS)
    const { updates } = proxy
    const asked = [propose(label, 'key')]
    await until(() => proxy.updates > updates)
    asked.push(...Array.from({ length: CLIENTS }, (_, at) => propose(`${label}-${at}`)))
    await sleep(500)
    await expectReaders()
    const [first, ...rest] = await Promise.all(asked)
    if (store.name === 'fuseki') {
      expect([first!.status, ...new Set(rest.map(({ status }) => status))]).toEqual([504, 503])
    }
    await end()
    await until(() => [...service.ingest.ledger.claimed()].length === 0)
    for (const [at, { status }] of rest.entries()) {
      expect(await stored(`${label}-${at}`)).toHaveLength(status === 201 ? 1 : 0)
    }
    await expectWhole(1 + rest.filter(({ status }) => status === 201).length)
    expect((await propose(label, 'key')).status).toBe(201)
    expect(await stored(label)).toHaveLength(1)
  })
})
