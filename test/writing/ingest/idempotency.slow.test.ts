import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Database } from '../../../src/base/durable/database.ts'
import { changeAccounts, hashToken } from '../../../src/writing/ingest/accounts.ts'
import { LEDGER_DATABASE, LEDGER_TABLES } from '../../../src/writing/ingest/ledger.ts'
import { CRAFTS, putDemo } from '../../app.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { TestClock } from './clock.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type Fault, type StoreProxy } from './store-proxy.ts'

const SKOS = 'http://www.w3.org/2004/02/skos/core#'

describeOver(EMBEDDED, 'Idempotency-Key, and stores that fail', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let proxy: StoreProxy
  let dataDir: string
  let service: IngestService
  let account: TestAccount
  let clock: TestClock
  let label: string
  let test_ = 0

  const start = (env?: NodeJS.ProcessEnv) => startIngest(proxy.endpoint, env, { dataDir, clock })
  /**
   * Over a store without an answer: its deadline is soon, and still enough on a busy machine for all that is answered.
   */
  const restartWithDeadline = async () => {
    await service.close()
    service = await start({ SPARQL_TIMEOUT_MS: '2000' })
  }
  /** The service may look for a while whether the store has the concept. */
  const propose = (key: string | undefined, members: Record<string, unknown> = {}) =>
    clock.passUntil(
      service.propose(
        account,
        [concept({ prefLabel: { de: label }, ...members })],
        key ? { 'idempotency-key': key } : {},
      ),
    )
  /** From now on this happens to ingests, and not to updates that look whether the store takes updates. */
  const fail = (fault: Fault) => {
    proxy.update = fault
    proxy.updateWith = 'UnderDevelopment'
  }
  /** How many concepts with the label of this test are in the store, and whether each is whole: so many statements. */
  const stored = async (statements = 10) => {
    const rows = await service.client.select(
      `SELECT ?c ?p WHERE { GRAPH <${CRAFTS}> { ?c <${SKOS}prefLabel> "${label}"@de ; ?p ?o } }`,
    )
    const tops = await service.client.select(
      `SELECT ?c WHERE { GRAPH <${CRAFTS}> { ?c <${SKOS}prefLabel> "${label}"@de . <${CRAFTS}> <${SKOS}hasTopConcept> ?c } }`,
    )
    const concepts = new Set(rows.map((row) => row['c']!.value))
    expect(tops).toHaveLength(concepts.size)
    if (concepts.size > 0) expect(rows.length / concepts.size).toBe(statements)
    return concepts.size
  }

  beforeAll(async () => {
    running = await store.start()
    proxy = await startStoreProxy(running.endpoint)
  })
  beforeEach(async () => {
    dataDir = await newDirectory()
    clock = new TestClock()
    label = `Begriff ${++test_}`
    service = await start()
    if (test_ === 1) await putDemo(service)
    account = await service.account()
  })
  afterEach(async () => {
    proxy.update = proxy.query = 'none'
    proxy.updateWith = ''
    await service.close()
    await rm(dataDir, { recursive: true })
  })
  afterAll(async () => {
    await proxy.close()
    await running.stop()
  })

  test('the same key and body: the same answer, and one concept', async () => {
    const first = await propose('a')
    const second = await propose('a')
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.text).toBe(first.text)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(await stored()).toBe(1)
  })

  test('another body: 422, and the first answer stays', async () => {
    const first = await propose('a')
    const other = await propose('a', { notation: ['1'] })
    expect(other.status).toBe(422)
    expect(other.body.violations.map(({ path }: { path: string }) => path)).toEqual(['Idempotency-Key'])
    expect((await propose('a')).text).toBe(first.text)
    expect(await stored()).toBe(1)
  })

  test('another key, no key, or the same key of another account: another concept', async () => {
    await propose('a')
    await propose('b')
    await propose(undefined)
    await propose(undefined)
    account = await service.account()
    await propose('a')
    expect(await stored()).toBe(5)
  })

  test('ten at the same time: one concept, ten equal answers', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => propose('a')))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await stored()).toBe(1)
  })

  test('two bodies with one key at the same time: one of them', async () => {
    const answers = await Promise.all([propose('a'), propose('a', { notation: ['1'] })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  })

  test('a restart makes no difference', async () => {
    const first = await propose('a')
    await service.close()
    service = await start()
    const second = await propose('a')
    expect([second.status, second.text]).toEqual([201, first.text])
    expect((await propose('a', { notation: ['1'] })).status).toBe(422)
    expect(await stored()).toBe(1)
  })

  test('a new token makes no difference', async () => {
    const first = await propose('a')
    await changeAccounts(service.config.accountsFile, (all) => [
      all.map((account) => ({ ...account, tokenHash: hashToken('next') })),
      undefined,
    ])
    account = { ...account, token: 'next' }
    expect((await propose('a')).text).toBe(first.text)
    expect(await stored()).toBe(1)
  })

  test('a key lives for 24 hours', async () => {
    const first = await propose('a')
    await clock.pass(23.9 * 3_600_000)
    expect((await propose('a')).text).toBe(first.text)
    await clock.pass(0.2 * 3_600_000)
    expect((await propose('a', { notation: ['1'] })).status).toBe(201)
    // The disk keeps the new one alone.
    await service.close()
    const database = await Database.open(join(dataDir, 'ingest', LEDGER_DATABASE), { tables: LEDGER_TABLES })
    expect([...database.keys('facts')]).toHaveLength(1)
    await database.close()
  })

  test.each([24, -24])('a clock that is set by %d hours makes no difference to a key', async (hours) => {
    const first = await propose('a')
    clock.set(hours * 3_600_000)
    await clock.pass(3_600_000)
    expect((await propose('a')).text).toBe(first.text)
    await clock.pass(22 * 3_600_000)
    expect((await propose('a')).text).toBe(first.text)
    await clock.pass(1.1 * 3_600_000)
    expect((await propose('a', { notation: ['1'] })).status).toBe(201)
  })

  test('a key of a request that was wrong can be used for the right one', async () => {
    expect((await propose('a', { foo: 1 })).status).toBe(422)
    expect((await propose('a')).status).toBe(201)
  })

  test('the answer stays when the vocabulary is replaced', async () => {
    const first = await propose('a')
    await putDemo(service)
    expect((await propose('a')).text).toBe(first.text)
    expect(await stored()).toBe(0)
  })

  const FAULTS: [Fault, status: number][] = [
    ['answer lost', 201],
    ['cut', 503],
    ['answer cut', 201],
    ['gateway late', 201],
    ['refused', 503],
    ['busy', 503],
  ]
  test.each(LONG ? FAULTS : FAULTS.slice(0, 2))(
    'an update that is %s: %d, as the store has it, and the same request again has it once',
    async (fault, status) => {
      fail(fault)
      const first = await propose('a')
      expect([first.status, await stored()]).toEqual([status, status === 201 ? 1 : 0])
      expect(first.text).not.toMatch(/127\.0\.0\.1|INSERT|"message":.*prefLabel/)
      proxy.update = 'none'
      const { updates } = proxy
      const again = await propose('a')
      expect(again.status).toBe(201)
      if (status === 201) expect([again.text, proxy.updates]).toEqual([first.text, updates])
      expect(await stored()).toBe(1)
      expect((await propose('a')).text).toBe(again.text)
    },
  )

  test.each<Fault>(LONG ? ['held', 'silent'] : ['held'])(
    'an update that is %s: 504 until the end is known, also for the same request again, which is not sent again',
    async (fault) => {
      await restartWithDeadline()
      fail(fault)
      const { updates } = proxy
      for (let at = 0; at < 2; at++) {
        const { status, body } = await propose('a')
        expect([status, body.error]).toEqual([504, 'TimeoutError'])
        expect(body.message).toMatch(/not known whether .* same Idempotency-Key is safe/)
      }
      expect([await stored(), proxy.updates]).toEqual([0, updates + 1])
      // Another one would have to wait for it: it is not sent.
      const other = await propose('b')
      expect([other.status, other.headers.get('retry-after'), proxy.updates]).toEqual([503, '5', updates + 1])
      proxy.update = 'none'
      if (fault === 'held') proxy.release()
      else {
        const waiting = propose('a')
        proxy.hangUp()
        expect([503, 201]).toContain((await waiting).status)
      }
      expect((await propose('a')).status).toBe(201)
      expect(await stored()).toBe(1)
    },
  )

  test('the same after a restart', async () => {
    await restartWithDeadline()
    fail('held')
    expect((await propose('a')).status).toBe(504)
    expect((await propose('b')).status).toBe(503)
    await service.close()
    proxy.update = 'none'
    service = await start()
    proxy.release()
    const answers = [await propose('a'), await propose('b')]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(await stored()).toBe(2)
  })

  test('a failed request without a key can be sent again, too', async () => {
    fail('refused')
    expect((await propose(undefined)).status).toBe(503)
    proxy.update = 'none'
    expect((await propose(undefined)).status).toBe(201)
    expect(await stored()).toBe(1)
  })

  test('the store is down as a whole, then up again', async () => {
    proxy.update = proxy.query = 'refused'
    expect((await propose('a')).status).toBe(502)
    proxy.query = 'none'
    proxy.updateWith = 'UnderDevelopment'
    expect((await propose('a')).status).toBe(503)
    proxy.update = 'none'
    expect((await propose('a')).status).toBe(201)
    expect(await stored()).toBe(1)
  })

  test.each<Fault>(LONG ? ['answer cut', 'silent', 'refused', 'busy'] : ['answer cut', 'silent'])(
    'reading back what was written is %s: the answer is 201 with what was written, and there is one of it',
    async (fault) => {
      if (fault === 'silent') await restartWithDeadline()
      // The vocabulary is known, so the first query is the one that reads back.
      await service.get('/voc/crafts/top?limit=1')
      const members = {
        notation: ['Z 9'],
        identifier: ['http://example.org/x'],
        altLabel: { en: ['Silver soldering'] },
      }
      proxy.query = fault
      const answer = await propose('a', members)
      expect(answer.status).toBe(201)
      // The store cannot be asked, and need not be.
      const again = await propose('a', members)
      expect([again.status, again.text]).toEqual([201, answer.text])
      proxy.query = 'none'
      expect(await stored(14)).toBe(1)
      const [{ uri }] = answer.body
      expect((await service.ask('/data', { uri: uri as string })).body).toHaveLength(1)
      // All that is missing are the names of publisher and licence.
      const withNames = await propose('b', members)
      const [record] = JSON.parse(withNames.text.replaceAll(withNames.body[0].uri as string, uri as string))
      const named = ({ uri }: { uri: string }) => ({ uri })
      expect(answer.body).toEqual([
        { ...record, publisher: record.publisher.map(named), license: record.license.map(named) },
      ])
      expect(Object.keys(answer.body[0])).toEqual(Object.keys(record))
    },
  )

  test('the vocabulary goes away between the check and the update: nothing is written', async () => {
    await service.get('/voc/crafts')
    await service.client.update(`DROP GRAPH <${CRAFTS}>`, CRAFTS, { timeoutMs: 30_000 })
    try {
      expect((await propose('a')).status).toBe(503)
      const rows = await service.client.select(`SELECT ?s WHERE { GRAPH <${CRAFTS}> { ?s ?p ?o } }`)
      expect(rows).toEqual([])
    } finally {
      await putDemo(service)
    }
    expect((await propose('a')).status).toBe(201)
    expect(await stored()).toBe(1)
  })

  test('nothing can be written to disk: 503 before the store hears of it', async () => {
    await service.ingest.ledger.close()
    // A service that a test before has closed may still be looking whether the store takes updates.
    proxy.updateWith = label
    const { updates } = proxy
    expect((await propose('a')).status).toBe(503)
    expect(proxy.updates).toBe(updates)
    // The history expects nothing any more.
    await service.history!.recordIngests()
    expect(await service.history!.log.intents.list()).toEqual([])
    await service.close()
    service = await start()
    expect((await propose('a')).status).toBe(201)
  })

  test('one process at a time has the files of ingests', async () => {
    await expect(start()).rejects.toThrow(`in use by process ${process.pid}`)
  })
})
