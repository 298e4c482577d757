/**
 * A service that reads a replica and writes to its primary. The replica is a store of its own that gets what the
 * primary has when the test says so.
 */
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { loadVocabulary } from '../src/writing/loading/load-vocabulary.ts'
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { basicAuthorization } from '../src/graph/sparql/http.ts'
import { CRAFTS, DEMO, putDemo, startApp } from './app.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './writing/ingest/service.ts'
import { testLong } from './long.ts'
import { closeServer, listen, newDirectory, runToEnd, storeEnv } from './process.ts'
import { replicate } from './replicate.ts'
import { DEPLOYED, describeOver, storeOf, testOf } from './stores.ts'

/** The queries of a store, and which of them do not reach it. */
interface Gate {
  queryUrl: string
  refuses: (query: string) => boolean
  close(): Promise<void>
}

const NONE = () => false
const ALL = () => true

/** Takes queries without a login, as a store does whose query service is public. */
async function startGate({ queryUrl, user, password }: StoreEndpoint): Promise<Gate> {
  const login = user && password ? { authorization: basicAuthorization({ user, password }) } : {}
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      if (gate.refuses(new URLSearchParams(body).get('query')!)) return request.socket.destroy()
      const { accept = '*/*', 'content-type': type = '' } = request.headers
      const headers = { accept, 'content-type': type, ...login }
      const answer = await fetch(queryUrl, { method: 'POST', headers, body })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })().catch(() => request.socket.destroy())
  })
  const gate: Gate = {
    queryUrl: `${await listen(server)}/`,
    refuses: NONE,
    close: () => closeServer(server),
  }
  return gate
}

const [embedded, fuseki] = [storeOf('embedded'), storeOf('fuseki')]

describeOver(DEPLOYED, 'over a replica', (store) => {
  let primary: Awaited<ReturnType<typeof store.start>>
  let replica: Awaited<ReturnType<typeof store.start>>
  let gate: Gate
  let replicaGate: Gate
  let env: NodeJS.ProcessEnv
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    primary = await store.start()
    replica = await embedded.start()
    const loading = await startApp(primary.endpoint)
    await putDemo(loading)
    await loading.client.update(
      `INSERT DATA { GRAPH <${CRAFTS}> { <${CRAFTS}> <urn:x-vocabulary-service:revision> "first" } }`,
      CRAFTS,
    )
    await loading.close()
    gate = await startGate(primary.endpoint)
    replicaGate = await startGate(replica.endpoint)
    env = {
      ...storeEnv({ ...primary.endpoint, queryUrl: replicaGate.queryUrl }),
      SPARQL_PRIMARY_QUERY_URL: gate.queryUrl,
      REPLICA_WAIT_MS: '300',
      MAX_REPLICA_LAG_MS: '1',
      MAX_STALENESS_MS: '0',
    }
    service = await startIngest({ ...primary.endpoint, queryUrl: replicaGate.queryUrl }, env)
    account = await service.account()
  })
  afterAll(async () => {
    await service?.close()
    await gate?.close()
    await replicaGate?.close()
    await primary?.stop()
    await replica?.stop()
  })

  /** The readiness by a look at both stores that is not an earlier one. */
  const readiness = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1100))
    return (await service.get('/readyz')).status
  }
  const lag = async () => Number(/^store_replica_lag_seconds (\S+)$/m.exec((await service.get('/metrics')).text)![1])
  const isThere = async (uri: string) => (await service.ask('/data', { uri })).body.length === 1
  const count = async (endpoint: StoreEndpoint) => {
    const client = new SparqlClient({ endpoint, timeoutMs: 60_000 })
    const rows = await client.select(
      'SELECT (COUNT(*) AS ?n) { ?c <http://purl.org/dc/terms/created> ?d ; <http://www.w3.org/2004/02/skos/core#prefLabel> "Silberlöten"@de }',
    )
    return Number(rows[0]!['n']!.value)
  }

  const testHere = testOf(store)
  test('is not ready before it was equal to its primary', async () => {
    expect(await readiness()).toBe(503)
    await replicate(primary.endpoint, replica.endpoint)
    expect(await readiness()).toBe(200)
    expect(await lag()).toBe(0)
  })

  test('an ingest is 201 though the replica has not got it, and there is one of it', async () => {
    const before = await count(primary.endpoint)
    const answer = await service.propose(account, [concept()])
    expect([answer.status, answer.body[0].prefLabel]).toEqual([201, { de: 'Silberlöten' }])
    expect(await count(primary.endpoint)).toBe(before + 1)
    expect(await isThere(answer.body[0].uri as string)).toBe(false)
    // The same request once more is the same ingest.
    const headers = { 'Idempotency-Key': 'replica' }
    const [first, second] = [
      await service.propose(account, [concept()], headers),
      await service.propose(account, [concept()], headers),
    ]
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body])
    expect(await count(primary.endpoint)).toBe(before + 2)
    await replicate(primary.endpoint, replica.endpoint)
    expect(await isThere(answer.body[0].uri as string)).toBe(true)
  })

  testHere(
    'an ingest is 201 though the primary fails before it can be read there, with the names that the replica has',
    async () => {
      const usual = await service.propose(account, [concept()])
      const before = await count(primary.endpoint)
      gate.refuses = (query) => query.includes('?way ?link')
      try {
        const answer = await service.propose(account, [concept()])
        expect(answer.status).toBe(201)
        const uris = [usual, answer].map(({ body }) => body[0].uri as string) as [string, string]
        expect(answer.text).toBe(usual.text.replaceAll(...uris))
        expect(await count(primary.endpoint)).toBe(before + 1)
        await replicate(primary.endpoint, replica.endpoint)
        expect(await isThere(uris[1])).toBe(true)
      } finally {
        gate.refuses = NONE
      }
    },
  )

  testHere('an ingest is answered when the replica has it, and can be read there at once', async () => {
    const patient = await startIngest(
      { ...primary.endpoint, queryUrl: replicaGate.queryUrl },
      { ...env, REPLICA_WAIT_MS: '30000' },
    )
    try {
      const editor = await patient.account()
      const before = await count(primary.endpoint)
      let isAnswered = false
      const answered = patient.propose(editor, [concept()]).finally(() => (isAnswered = true))
      while ((await count(primary.endpoint)) === before) await new Promise((resolve) => setTimeout(resolve, 20))
      expect(isAnswered).toBe(false)
      await replicate(primary.endpoint, replica.endpoint)
      const { status, body } = await answered
      expect(status).toBe(201)
      expect((await patient.ask('/data', { uri: body[0].uri as string })).body).toHaveLength(1)
    } finally {
      await patient.close()
    }
  })

  test('the history has an ingest before the replica has it, and once', async () => {
    const { body } = await service.propose(account, [concept()])
    const uri = body[0].uri as string
    const kinds = async () => (await service.ask('/history', { uri })).body.map(({ kind }: { kind: string }) => kind)
    expect(await kinds()).toEqual(['Create'])
    expect(await isThere(uri)).toBe(false)
    await replicate(primary.endpoint, replica.endpoint)
    expect(await kinds()).toEqual(['Create'])
    expect(await isThere(uri)).toBe(true)
  })

  testHere('a replica that is behind is not ready, and says for how long', async () => {
    expect(await readiness()).toBe(200)
    const { body } = await service.propose(account, [concept()])
    expect(await readiness()).toBe(200)
    expect(await readiness()).toBe(503)
    expect(await lag()).toBeGreaterThan(0)
    // Reads give the contents of the replica.
    expect(await isThere(body[0].uri as string)).toBe(false)
    await replicate(primary.endpoint, replica.endpoint)
    expect(await readiness()).toBe(200)
    expect(await lag()).toBe(0)
  })

  testHere('an ETag is that of the state of the replica', async () => {
    const path = '/voc/crafts/top?limit=1000'
    const etag = (await service.get(path)).headers.get('etag')!
    const ask = async () => (await service.get(path, { headers: { 'if-none-match': etag } })).status
    await service.propose(account, [concept()])
    expect(await ask()).toBe(304)
    await replicate(primary.endpoint, replica.endpoint)
    expect(await ask()).toBe(200)
  })

  testHere('with the primary away a replica that was ready stays ready; nothing is written', async () => {
    expect(await readiness()).toBe(200)
    gate.refuses = ALL
    try {
      expect(await readiness()).toBe(200)
      expect((await service.get('/voc/crafts')).status).toBe(200)
      const before = await count(primary.endpoint)
      service.primary.registry.invalidate()
      expect((await service.propose(account, [concept()])).status).toBeGreaterThanOrEqual(502)
      expect(await count(primary.endpoint)).toBe(before)
    } finally {
      gate.refuses = NONE
    }
    expect((await service.propose(account, [concept()])).status).toBe(201)
  })
})

describe('two instances with a replica each', () => {
  const ROUNDS = 4
  let all: Awaited<ReturnType<typeof embedded.start>>[]
  let instances: IngestService[]
  let gates: Gate[]
  let account: TestAccount

  beforeAll(async () => {
    all = [await embedded.start(), await embedded.start(), await embedded.start()]
    const [primary, ...replicas] = all.map(({ endpoint }) => endpoint) as [StoreEndpoint, ...StoreEndpoint[]]
    const loading = await startApp(primary)
    await loadVocabulary(loading.client, [`${DEMO}/crafts.ttl`])
    await loading.close()
    const directory = await newDirectory()
    instances = []
    gates = []
    for (const replica of replicas) {
      const gate = await startGate(replica)
      gates.push(gate)
      const { queryUrl } = gate
      const endpoint = { ...primary, queryUrl }
      const env = {
        ...storeEnv(endpoint),
        SPARQL_PRIMARY_QUERY_URL: primary.queryUrl,
        REPLICA_WAIT_MS: '0',
        ACCOUNTS_FILE: join(directory, 'accounts.json'),
      }
      await replicate(primary, all[1 + instances.length]!.endpoint)
      instances.push(await startIngest(endpoint, env))
    }
    account = await instances[0]!.account()
  })
  afterAll(async () => {
    for (const instance of instances ?? []) await instance.close()
    for (const gate of gates ?? []) await gate.close()
    for (const store of all ?? []) await store.stop()
  })

  testLong('a client that stays at one of them never reads an older state than before', async () => {
    const uris: string[] = []
    const first = Number((await instances[0]!.get('/voc/crafts/top?limit=0')).headers.get('x-total-count'))
    const seen: number[][] = [[], []]
    /** The search index follows the primary, so searches may know more than the replica. */
    const results: number[][] = [[], []]
    const etags: (string | null)[] = [null, null]
    let asked = 0
    /** How many ingests one instance shows, by answers of every kind: new, remembered and conditional. */
    const read = async (at: number) => {
      const instance = instances[at]!
      const total = async (path: string) => {
        const { headers } = await instance.get(path)
        seen[at]!.push(Number(headers.get('x-total-count')) - first)
      }
      if (uris.length > 0) {
        const { body } = await instance.ask('/data', { uri: uris.join('|'), properties: '-', x: String(asked++) })
        seen[at]!.push(body.length as number)
      }
      await total('/voc/crafts/top?limit=0')
      await total(`/voc/crafts/top?limit=2&offset=${first}&x=${asked++}`)
      const etag = etags[at]
      const list = await instance.get('/voc/crafts/top?limit=1000', etag ? { headers: { 'if-none-match': etag } } : {})
      etags[at] = list.headers.get('etag')
      seen[at]!.push(list.status === 304 ? seen[at]!.at(-1)! : (list.body.length as number) - first)
      results[at]!.push(await count(at))
    }
    const count = async (at: number) => {
      const asked = { search: 'Silberlöten', limit: '0', x: String(results[at]!.length) }
      return Number((await instances[at]!.ask('/search', asked)).headers.get('x-total-count'))
    }
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await instances[round % 2]!.propose(account, [concept()])
      uris.push(body[0].uri as string)
      await Promise.all([read(0), read(1)])
      // The second replica gets every other change late, and with the next one.
      for (const at of round % 2 === 0 ? [0] : [1, 0]) {
        await replicate(all[0]!.endpoint, all[1 + at]!.endpoint)
        await read(at)
        await read(1 - at)
      }
    }
    for (const [at, states] of seen.entries()) {
      expect([at, states]).toEqual([at, [...states].sort((a, b) => a - b)])
      expect(states.at(-1)).toBe(ROUNDS)
    }
    for (const [at, counts] of results.entries()) {
      while (counts.at(-1) !== ROUNDS) counts.push(await count(at))
      expect([at, counts]).toEqual([at, [...counts].sort((a, b) => a - b)])
    }
    // They were not always equal.
    expect(seen[1]).not.toContain(1)
    expect(seen[0]).toContain(1)
  })
})

const describeFuseki = fuseki.skip ? describe.skip : describe

describeFuseki(`the commands over a replica${fuseki.skip ? `, skipped: ${fuseki.skip}` : ''}`, () => {
  test('write to the primary and read there', async () => {
    const [primary, replica] = [await fuseki.start(), await embedded.start()]
    const gate = await startGate(replica.endpoint)
    try {
      const env = {
        ...storeEnv({ ...primary.endpoint, queryUrl: gate.queryUrl }),
        SPARQL_PRIMARY_QUERY_URL: primary.endpoint.queryUrl,
        DATA_DIR: await newDirectory(),
      }
      const vocab = (...words: string[]) => runToEnd('dist/cli/main.js', words, env)
      const loaded = await vocab('load', 'src/doors/demo/crafts.ttl')
      expect([loaded.code, loaded.stderr]).toEqual([0, expect.any(String)])
      expect((await vocab('list')).stdout).toContain('crafts')
      expect((await vocab('export', 'crafts')).stdout).toContain('bookbinding')
    } finally {
      await primary.stop()
      await gate.close()
      await replica.stop()
    }
  })
})
