/**
 * Two instances of the service over one store: what one writes the other reads, and they count and send mail as one.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { basicAuthorization } from '../src/graph/sparql/http.ts'
import { CRAFTS } from './app.ts'
import { runCommand } from './command.ts'
import { newDirectory, startService, storeEnv, type ServiceProcess } from './process.ts'
import { redisMissing, startRedis, type Redis } from './redis.ts'
import { startMailServer, type MailServer } from './smtp.ts'
import { storeOf } from './stores.ts'

const store = storeOf('fuseki')
const reason = store.skip ?? redisMissing()
const describeHere = reason === undefined ? describe : describe.skip
const EDITOR = 'editors-of-crafts@example.org'
const LIMIT = 4

describeHere(`two instances over one Fuseki${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let running: Awaited<ReturnType<typeof store.start>>
  let redis: Redis
  let smtp: MailServer
  let instances: ServiceProcess[]
  let token: string

  const ingest = (instance: ServiceProcess, label: string) =>
    fetch(`${instance.url}/ingest`, {
      method: 'POST',
      body: JSON.stringify([
        {
          username: 'editor',
          token,
          data: JSON.stringify([{ inScheme: [{ uri: CRAFTS }], prefLabel: { de: label } }]),
        },
      ]),
    })

  beforeAll(async () => {
    running = await store.start()
    redis = await startRedis()
    smtp = await startMailServer()
    const directories = [await newDirectory(), await newDirectory()]
    const shared = {
      // As a file that both mount.
      ACCOUNTS_FILE: join(directories[0]!, 'accounts.json'),
      ...storeEnv(running.endpoint),
      REDIS_URL: redis.url,
      INGEST_LIMITS: `${LIMIT}/minute`,
      SMTP_URL: smtp.url,
    }
    const first = await startService({ ...shared, DATA_DIR: directories[0], DEMO: 'true' })
    const words = ['account', 'add', '--username', 'editor', '--voc', 'crafts', '--email', EDITOR, '--json']
    const added = await runCommand(words, { ...shared, DATA_DIR: directories[0] })
    token = (JSON.parse(added.stdout) as { token: string }).token
    instances = [first, await startService({ ...shared, DATA_DIR: directories[1] })]
  })
  afterAll(async () => {
    await Promise.all((instances ?? []).map((instance) => instance.stop()))
    await smtp?.stop()
    await redis?.remove()
    await running?.stop()
  })

  test('one instance shows at once what the other has ingested, and soon finds it; the editors get one mail each', async () => {
    for (const [at, writer] of instances.entries()) {
      const reader = instances[1 - at]!
      // The other has an answer of its own already, and an ETag.
      const before = await fetch(`${reader.url}/voc/crafts/top?limit=1000`)
      const etag = before.headers.get('etag')!
      await before.text()
      const answer = await ingest(writer, `Silberlöten ${at}`)
      expect(answer.status).toBe(201)
      const [{ uri }] = (await answer.json()) as [{ uri: string }]
      const read = await fetch(`${reader.url}/data?uri=${encodeURIComponent(uri)}`)
      expect(await read.json()).toMatchObject([{ uri, prefLabel: { de: `Silberlöten ${at}` } }])
      const again = await fetch(`${reader.url}/voc/crafts/top?limit=1000`, { headers: { 'if-none-match': etag } })
      expect(again.status).toBe(200)
      expect(await again.text()).toContain(uri)
      // Each instance has a search index of its own. The time limit of the test ends the waiting.
      const search = async () => {
        const answer = await fetch(`${reader.url}/search?search=${encodeURIComponent(`Silberlöten ${at}`)}`)
        return answer.text()
      }
      while (!(await search()).includes(uri)) await sleep(100)
    }
    await smtp.until(instances.length)
    await sleep(300)
    expect(smtp.received.map(({ recipients }) => recipients)).toEqual([[EDITOR], [EDITOR]])
  })

  test('limits are counted together', async () => {
    const statuses: number[] = []
    // Two were counted by the test before.
    for (let at = 2; at < LIMIT + 2; at++) statuses.push((await ingest(instances[at % 2]!, `Löten ${at}`)).status)
    expect(statuses).toEqual([201, 201, 429, 429])
  })

  test('no account, address or token is in the store', async () => {
    const { queryUrl, user, password } = running.endpoint
    const everything = await fetch(queryUrl, {
      method: 'POST',
      headers: {
        accept: 'application/n-quads, application/n-triples',
        authorization: basicAuthorization({ user: user!, password: password! }),
      },
      body: new URLSearchParams({ query: 'CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } }' }),
    })
    const text = await everything.text()
    expect(text).toContain('Silberl')
    expect(text).not.toMatch(/[\w.]+@example\.org|mailto:|tokenHash|scrypt/)
    for (const secret of [token, EDITOR, running.endpoint.password!]) expect(text).not.toContain(secret)
  })

  test('nor in the logs', () => {
    const text = instances.map(({ log }) => JSON.stringify(log)).join('')
    expect(text).toContain('/ingest')
    for (const secret of [token, EDITOR, running.endpoint.password!]) expect(text).not.toContain(secret)
  })
})
