import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { REFUSED_BODIES } from '../../../src/writing/ingest/limits.ts'
import { MATERIALS, putDemo } from '../../app.ts'
import { testLong } from '../../long.ts'
import { redisMissing, startRedis, type Redis } from '../../redis.ts'
import { storeOf } from '../../stores.ts'
import { TestClock } from './clock.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

// These tests do not depend on the store, so the embedded one is enough.
const store = storeOf('embedded')

describe('the limits of ingest', () => {
  let running: Awaited<ReturnType<typeof store.start>>
  const services: IngestService[] = []

  /** A service of its own, so that nothing has been counted yet. */
  async function start(limits: string, env: NodeJS.ProcessEnv = {}, clock?: TestClock): Promise<IngestService> {
    const settings = { INGEST_LIMITS: limits, TRUST_PROXY: '1', ...env }
    const service = await startIngest(running.endpoint, settings, clock ? { clock } : {})
    services.push(service)
    return service
  }
  /** Statuses of requests that come one after the other. */
  async function statuses(count: number, send: () => Promise<{ status: number }>): Promise<number[]> {
    const results: number[] = []
    for (let at = 0; at < count; at++) results.push((await send()).status)
    return results
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })

  beforeAll(async () => {
    running = await store.start()
    await putDemo(await start('none'))
  })
  afterAll(async () => {
    for (const service of services) await service.close()
    await running.stop()
  })

  test('per vocabulary, from all addresses and by all accounts together', async () => {
    const service = await start('3/minute')
    const accounts = [await service.account(), await service.account()]
    let at = 0
    const results = await statuses(4, () => service.propose(accounts[at % 2]!, [concept()], from(`192.0.2.${++at}`)))
    expect(results).toEqual([201, 201, 201, 429])
    const other = await service.account({ voc: MATERIALS })
    const inScheme = [{ uri: MATERIALS }]
    expect((await service.propose(other, [concept({ inScheme })], from('192.0.2.9'))).status).toBe(201)
  })

  test('per client address, into all vocabularies together', async () => {
    const service = await start('3/minute')
    const crafts = await service.account()
    const materials = await service.account({ voc: MATERIALS })
    const inScheme = [{ uri: MATERIALS }]
    const results = [
      ...(await statuses(2, () => service.propose(crafts, [concept()], from('192.0.2.1')))),
      ...(await statuses(2, () => service.propose(materials, [concept({ inScheme })], from('192.0.2.1')))),
    ]
    expect(results).toEqual([201, 201, 201, 429])
    expect((await service.propose(crafts, [concept()], from('192.0.2.2'))).status).toBe(201)
  })

  test('each window counts by itself; the answer says how much is left and when to come again', async () => {
    const service = await start('10/minute,2/hour,100/day')
    const account = await service.account()
    const first = await service.propose(account, [concept()])
    expect(first.headers.get('ratelimit')).toMatch(
      /^"vocabulary-minute"; r=9; t=60, "vocabulary-hour"; r=1; t=3600, "vocabulary-day"; r=99; t=86400, "address-minute"; r=9; t=60, "address-hour"; r=1; t=3600, "address-day"; r=99; t=86400$/,
    )
    expect(first.headers.get('ratelimit-policy')).toContain('"vocabulary-hour"; q=2; w=3600;')
    expect(first.headers.get('access-control-expose-headers')).toContain('RateLimit')
    expect((await service.propose(account, [concept()])).status).toBe(201)
    const refused = await service.propose(account, [concept()])
    expect(refused.status).toBe(429)
    expect(refused.body).toEqual({
      error: 'TooManyRequestsError',
      status: 429,
      message: expect.stringContaining('at most 2 an hour'),
      Description: refused.body.message,
      violations: [],
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
  })

  test('a request that several limits refuse may come again when the last of them ends', async () => {
    const service = await start('1/minute,1/hour')
    const account = await service.account()
    expect((await service.propose(account, [concept()])).status).toBe(201)
    const refused = await service.propose(account, [concept()])
    expect(refused.body).toMatchObject({ status: 429, message: expect.stringContaining('at most 1 an hour') })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect(refused.headers.get('ratelimit')).toContain('"address-hour"; r=0;')
  })

  test('requests count whatever their end, once they have logged in; those before the login do not', async () => {
    const service = await start('3/minute')
    const account = await service.account()
    const results = [
      (await service.post('no JSON')).status,
      (await service.post([{ ...account }])).status,
      (await service.propose({ ...account, token: 'wrong' }, [concept()])).status,
      (await service.propose(account, [{}])).status,
      (await service.propose(account, [concept({ inScheme: [{ uri: MATERIALS }] })])).status,
      (await service.propose(account, [concept()])).status,
      (await service.propose(account, [concept()])).status,
      // 429 comes before the concepts are looked at.
      (await service.propose(account, [{}])).status,
      (await service.propose({ ...account, token: 'wrong' }, [concept()])).status,
    ]
    expect(results).toEqual([400, 422, 401, 422, 403, 201, 429, 429, 401])
  })

  test('limits of an account replace the general ones, tighter or wider', async () => {
    const service = await start('2/minute')
    const tight = await service.account({ limits: '1/minute' })
    const wide = await service.account({ limits: '4/minute,100/day' })
    const none = await service.account({ limits: 'none' })
    expect(await statuses(2, () => service.propose(tight, [concept()]))).toEqual([201, 429])
    expect(await statuses(5, () => service.propose(wide, [concept()]))).toEqual([201, 201, 201, 201, 429])
    expect(await statuses(6, () => service.propose(none, [concept()]))).toEqual(Array(6).fill(201))
    expect(await statuses(3, async () => service.propose(await service.account(), [concept()]))).toEqual([
      201, 201, 429,
    ])
  })

  test('ten failed logins a minute from one address; the right token is heard even so', async () => {
    const service = await start('none')
    const account = await service.account()
    const wrong = { ...account, token: 'wrong' }
    expect(await statuses(12, () => service.propose(wrong, [concept()], from('192.0.2.1')))).toEqual([
      ...Array(10).fill(401),
      429,
      429,
    ])
    const refused = await service.propose(wrong, [concept()], from('192.0.2.1'))
    expect(refused.body.error).toBe('TooManyRequestsError')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await service.propose(wrong, [concept()], from('192.0.2.2'))).status).toBe(401)
    // A client with a misconfigured neighbour behind the same address can go on.
    expect((await service.propose(account, [concept()], from('192.0.2.1'))).status).toBe(201)
    expect((await service.propose(wrong, [concept()], from('192.0.2.1'))).status).toBe(429)
  })

  test('bodies that are refused before the login, of one address in a minute', async () => {
    const service = await start('none')
    const account = await service.account()
    const bodies = ['no JSON', [{}], [{ ...account, data: 'no JSON' }]]
    let at = 0
    const results = await statuses(REFUSED_BODIES.count + 1, () =>
      service.post(bodies[at++ % bodies.length], from('192.0.2.1')),
    )
    expect(new Set(results.slice(0, -1))).toEqual(new Set([400, 422]))
    expect(results.at(-1)).toBe(429)
    const refused = await service.post('no JSON', from('192.0.2.1'))
    expect(refused.body.error).toBe('TooManyRequestsError')
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await service.post('no JSON', from('192.0.2.2'))).status).toBe(400)
    // A body that can be read is read, and so is every login.
    expect((await service.propose(account, [concept()], from('192.0.2.1'))).status).toBe(201)
  })

  test.each([24, -24])('a clock that is set by %d hours ends no minute, and prolongs none', async (hours) => {
    const clock = new TestClock()
    const service = await start('2/minute', {}, clock)
    const account = await service.account()
    const send = () => service.propose(account, [concept()])
    expect(await statuses(3, send)).toEqual([201, 201, 429])
    clock.set(hours * 3_600_000)
    await clock.pass(30_000)
    const refused = await send()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30)
    await clock.pass(31_000)
    expect(await statuses(3, send)).toEqual([201, 201, 429])
  })

  test('any number of logins that do not fail, at the same time', async () => {
    const service = await start('none')
    const account = await service.account()
    const answers = await Promise.all(Array.from({ length: 30 }, () => service.propose(account, [concept()])))
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
  })

  const missing = redisMissing()
  const describeRedis = missing ? describe.skip : describe
  describeRedis(`counted in a Redis${missing ? `, skipped: ${missing}` : ''}`, () => {
    let redis: Redis
    let two: IngestService[]
    let account: TestAccount

    beforeAll(async () => {
      redis = await startRedis()
      const first = await start('3/minute', { REDIS_URL: redis.url })
      const file = first.config.accountsFile
      two = [first, await start('3/minute', { REDIS_URL: redis.url, ACCOUNTS_FILE: file })]
      account = await first.account()
    })
    afterAll(() => redis.remove())

    test('two instances count together, failed logins, too', async () => {
      let at = 0
      const send = (who: TestAccount) => () => two[at++ % 2]!.propose(who, [concept()])
      expect(await statuses(5, send(account))).toEqual([201, 201, 201, 429, 429])
      const wrong = { ...account, token: 'wrong' }
      expect(await statuses(11, send(wrong))).toEqual([...Array(10).fill(401), 429])
    })

    test('while the Redis is away each instance counts by itself; afterwards together again', async () => {
      await redis.stop()
      for (const service of two) {
        expect(await statuses(4, () => service.propose(account, [concept()]))).toEqual([201, 201, 201, 429])
      }
      expect(two[0]!.logged.join('')).toContain('cannot be reached')
      await redis.start()
      // Both reconnect within seconds; the counts of the new Redis are empty.
      const deadline = Date.now() + 20_000
      let results: number[] = []
      while (!results.includes(201) && Date.now() < deadline) {
        results = await statuses(1, () => two[0]!.propose(account, [concept()]))
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      expect(results).toEqual([201])
      expect(two.flatMap(({ reported }) => reported)).toEqual([])
    })

    test('a Redis that accepts but does not answer holds no client up, and the log reports it once', async () => {
      const service = await start('3/minute', { REDIS_URL: redis.url })
      const account = await service.account()
      expect((await service.propose(account, [concept()])).status).toBe(201)
      redis.pause()
      try {
        const started = performance.now()
        expect(await statuses(4, () => service.propose(account, [concept()]))).toEqual([201, 201, 201, 429])
        // Long before the connection of a client that waits is cut.
        expect(performance.now() - started).toBeLessThan(20_000)
        expect(service.logged.filter((line) => line.includes('cannot be reached'))).toHaveLength(1)
      } finally {
        redis.goOn()
      }
    })

    testLong('a Redis that is not there stops the start, only with TEST_LONG=1', async () => {
      const url = 'redis://user:secret@127.0.0.1:1'
      const failed = await start('none', { REDIS_URL: url }).catch((error: Error) => error.message)
      expect(failed).toBe('REDIS_URL: nobody answers at 127.0.0.1:1')
    })
  })
})
