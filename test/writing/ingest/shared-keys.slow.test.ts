/** An Idempotency-Key that two instances over one store and one Redis are asked with. */
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createClient } from 'redis'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { putDemo } from '../../app.ts'
import { listen, newDirectory } from '../../process.ts'
import { redisMissing, startRedis, type Redis } from '../../redis.ts'
import { storeOf } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

const store = storeOf('embedded')
const reason = redisMissing()
const describeHere = reason === undefined ? describe : describe.skip

describeHere(`keys in a Redis${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let running: Awaited<ReturnType<typeof store.start>>
  let redis: Redis
  let instances: IngestService[]
  let account: TestAccount

  beforeAll(async () => {
    running = await store.start()
    redis = await startRedis()
    const env = { REDIS_URL: redis.url, ACCOUNTS_FILE: join(await newDirectory(), 'accounts.json') }
    instances = [await startIngest(running.endpoint, env), await startIngest(running.endpoint, env)]
    await putDemo(instances[0]!)
    account = await instances[0]!.account({ emails: ['editors@example.org'] })
  })
  afterAll(async () => {
    for (const instance of instances ?? []) await instance.close()
    await redis?.remove()
    await running?.stop()
  })

  const count = async (label: string) => {
    const client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    const rows = await client.select(
      `SELECT ?c { ?c <http://www.w3.org/2004/02/skos/core#prefLabel> ${JSON.stringify(label)}@de }`,
    )
    return rows.length
  }
  const propose = (at: number, label: string, key: string) =>
    instances[at]!.propose(account, [concept({ prefLabel: { de: label } })], { 'Idempotency-Key': key })

  test('the other instance gives the same answer and sends no second mail', async () => {
    const first = await propose(0, 'Emaille', 'one')
    const again = await propose(1, 'Emaille', 'one')
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body])
    expect(await count('Emaille')).toBe(1)
    expect(instances.map(({ ingest }) => ingest.outbox.size)).toEqual([1, 0])
  })

  test('the Redis sees neither the username nor the key', async () => {
    expect((await propose(0, 'Cloisonné', 'a-key-to-hide')).status).toBe(201)
    const client = await createClient({ url: redis.url }).connect()
    const names = await client.keys('*')
    const seen = [...names, ...(await client.mGet(names))].join('\n')
    client.destroy()
    expect(seen).toContain('Cloisonné')
    expect(seen).not.toContain('a-key-to-hide')
    expect(seen).not.toContain(account.username)
  })

  test('with other data it is refused there, too', async () => {
    const other = await propose(1, 'Niello', 'one')
    expect([other.status, other.body.violations]).toEqual([422, [expect.objectContaining({ path: 'Idempotency-Key' })]])
    expect(await count('Niello')).toBe(0)
  })

  test('at once there is one concept', async () => {
    const answers = await Promise.all([0, 1, 0, 1].map((at) => propose(at, 'Filigran', 'two')))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body[0].uri as string)).size).toBe(1)
    expect(await count('Filigran')).toBe(1)
  })

  test('while the Redis is away, only requests without a key are taken', async () => {
    await redis.stop()
    const answer = await propose(0, 'Granulation', 'three')
    expect([answer.status, answer.body.error]).toEqual([503, 'ServiceUnavailableError'])
    expect(await count('Granulation')).toBe(0)
    expect((await instances[0]!.propose(account, [concept({ prefLabel: { de: 'Granulation' } })])).status).toBe(201)
  })
})

test('a Redis that neither sets a key nor has it: 503 within the deadline', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      // One answer for each command (Redis serialization protocol, arrays).
      for (const [, name] of String(bytes).matchAll(/^\*\d+\r\n\$\d+\r\n(\w+)\r\n/gm)) {
        const isOfKeys = ['SET', 'GET'].includes(name!.toUpperCase())
        if (isOfKeys) asked++
        socket.write(isOfKeys ? '$-1\r\n' : '+OK\r\n')
      }
    })
  })
  let asked = 0
  const { host } = new URL(await listen(server))
  const running = await store.start()
  const instance = await startIngest(running.endpoint, { REDIS_URL: `redis://${host}`, INGEST_LIMITS: 'none' })
  try {
    await putDemo(instance)
    const account = await instance.account()
    const answer = await instance.propose(account, [concept()], { 'Idempotency-Key': 'nothing' })
    expect([answer.status, answer.body.error]).toEqual([503, 'ServiceUnavailableError'])
    expect(asked).toBeGreaterThanOrEqual(2)
    expect(asked).toBeLessThan(20)
  } finally {
    await instance.close()
    server.close()
    await running.stop()
  }
})
