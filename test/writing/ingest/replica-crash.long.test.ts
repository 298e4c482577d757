/**
 * kill -9 of a primary and of its replica in a burst of ingests: nothing that was acknowledged is lost, nothing is
 * there twice.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { SparqlClient, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { CRAFTS, putDemo, startApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { storeEnv } from '../../process.ts'
import { replicate } from '../../replicate.ts'
import { cleanUp, spawnStore, temporaryDirectory } from '../../interface/store/start.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type StoreProxy } from './store-proxy.ts'

const INGESTS = 100
const CLIENTS = 5
const LABEL = 'http://www.w3.org/2004/02/skos/core#prefLabel'

/** A store in a process of its own, behind an address that stays. */
interface Server {
  proxy: StoreProxy
  kill(): Promise<void>
  restart(): Promise<void>
}

async function startServer(): Promise<Server> {
  const directory = await temporaryDirectory()
  let running = await spawnStore(directory)
  const proxy = await startStoreProxy(running.endpoint)
  return {
    proxy,
    kill: async () => {
      running.process.kill('SIGKILL')
      await running.ended
    },
    restart: async () => {
      running = await spawnStore(directory)
      proxy.store = running.endpoint
    },
  }
}

;(LONG ? describe : describe.skip)('kill -9 in a burst of ingests, only with TEST_LONG=1', () => {
  let primary: Server
  let replica: Server
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    ;[primary, replica] = await Promise.all([startServer(), startServer()])
    const loading = await startApp(primary.proxy.endpoint)
    await putDemo(loading)
    await loading.close()
    await replicate(primary.proxy.store, replica.proxy.store)
    const endpoint: StoreEndpoint = { ...primary.proxy.endpoint, queryUrl: replica.proxy.endpoint.queryUrl }
    service = await startIngest(endpoint, {
      ...storeEnv(endpoint),
      SPARQL_PRIMARY_QUERY_URL: primary.proxy.endpoint.queryUrl,
      REPLICA_WAIT_MS: '20',
    })
    account = await service.account()
  })
  afterAll(async () => {
    await service?.close()
    for (const server of [primary, replica]) await server?.proxy.close()
    await cleanUp()
  })

  /** The URIs of the new concepts that a store has, by their labels. */
  async function stored(endpoint: StoreEndpoint, name: string): Promise<Map<string, string[]>> {
    const client = new SparqlClient({ endpoint, timeoutMs: 60_000 })
    const rows = await client.select(
      `SELECT ?c ?label { GRAPH <${CRAFTS}> { ?c <${LABEL}> ?label FILTER(STRSTARTS(STR(?label), "${name}-")) } }`,
    )
    const labels = new Map<string, string[]>()
    for (const { c, label } of rows) labels.set(label!.value, [...(labels.get(label!.value) ?? []), c!.value])
    return labels
  }

  /**
   * Ingests of several clients at once, half of them with an Idempotency-Key and sent again until they are
   * acknowledged.
   *
   * @param kill ends a store and starts it again; called once when a quarter of the ingests is acknowledged.
   */
  async function burst(name: string, kill: () => Promise<void>) {
    const acknowledged = new Map<string, string>()
    const failed: number[] = []
    let killing: Promise<void> | undefined
    const send = async (number: number): Promise<void> => {
      const label = `${name}-${number}`
      const key = number % 2 === 0 ? { 'Idempotency-Key': label } : {}
      for (;;) {
        const { status, body } = await service.propose(account, [concept({ prefLabel: { de: label } })], key)
        if (status === 201) {
          acknowledged.set(label, body[0].uri as string)
          return
        }
        failed.push(status)
        if (number % 2 !== 0 || status < 500) return
        await sleep(50)
      }
    }
    const numbers = Array.from({ length: INGESTS }, (_, number) => number).values()
    const client = async () => {
      for (const number of numbers) {
        await send(number)
        if (acknowledged.size >= INGESTS / 4) killing ??= kill()
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    expect(killing).toBeDefined()
    await killing
    return { acknowledged, failed }
  }

  const CASES: [store: string, server: () => Server][] = [
    ['primary', () => primary],
    ['replica', () => replica],
  ]
  test.each(CASES)(
    `the %s is killed: of ${INGESTS} ingests no acknowledged one is lost, none is there twice`,
    async (store, of) => {
      const { acknowledged, failed } = await burst(store, async () => {
        await of().kill()
        await of().restart()
      })
      // The failures are known, and at most one failed ingest was written nevertheless.
      expect(failed.filter((status) => ![502, 503, 504].includes(status))).toEqual([])
      if (store === 'replica') expect(failed).toEqual([])
      const after = await stored(primary.proxy.store, store)
      expect([...acknowledged].filter(([label, uri]) => after.get(label)?.[0] !== uri)).toEqual([])
      expect([...after.values()].filter((uris) => uris.length > 1)).toEqual([])
      expect(acknowledged.size).toBeGreaterThanOrEqual(INGESTS / 2)
      // The replica catches up, and the service reads there.
      await replicate(primary.proxy.store, replica.proxy.store)
      expect(await stored(replica.proxy.store, store)).toEqual(after)
      const { body } = await service.ask('/data', { uri: [...acknowledged.values()].join('|'), properties: '-' })
      expect(body).toHaveLength(acknowledged.size)
    },
    300_000,
  )
})
