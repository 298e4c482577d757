/** kill -9 of the store under load: no request is half-written, and sending it again finishes it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { CRAFTS, putDemo } from '../../app.ts'
import { fusekiMissing, startFuseki, type Fuseki } from '../../fuseki.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type StoreProxy } from './store-proxy.ts'

/** A start takes seconds: one kill by default. */
const KILLS = Number(process.env['STORE_KILLS'] ?? (LONG ? 2 : 1))
const REQUESTS = 6
const CONCEPTS = 100
const MOST_MORE_MS = 1000
const TRIPLES_OF_ONE = 10
const SKOS = 'http://www.w3.org/2004/02/skos/core#'

const missing = fusekiMissing()
const reason = missing ? `, skipped: ${missing}` : ''

// The embedded store dies with the service: crash.test.ts.
;(missing ? describe.skip : describe)(`kill -9 of Fuseki under load${reason}`, () => {
  let directory: string
  let fuseki: Fuseki
  let proxy: StoreProxy
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    directory = await newDirectory()
    fuseki = await startFuseki({ directory })
    // It comes back on another port.
    proxy = await startStoreProxy(fuseki.endpoint)
    service = await startIngest(proxy.endpoint, { SPARQL_TIMEOUT_MS: '5000' })
    await putDemo(service)
    account = await service.account()
  })
  afterAll(async () => {
    await service.close()
    await proxy.close()
    await fuseki.stop()
    await rm(directory, { recursive: true })
  })

  const propose = (name: string) =>
    service.propose(
      account,
      Array.from({ length: CONCEPTS }, () => concept({ prefLabel: { de: name } })),
      { 'idempotency-key': name },
    )

  /** How many concepts of a request the store has, all of them whole and in their place. */
  async function stored(name: string): Promise<number> {
    const rows = await service.client.select(
      `SELECT ?c (COUNT(*) AS ?triples) WHERE { GRAPH <${CRAFTS}> { ?c <${SKOS}prefLabel> "${name}"@de . ?c ?p ?o . <${CRAFTS}> <${SKOS}hasTopConcept> ?c } } GROUP BY ?c`,
      { timeoutMs: 60_000 },
    )
    expect(rows.filter((row) => Number(row['triples']!.value) !== TRIPLES_OF_ONE)).toEqual([])
    return rows.length
  }

  test(
    `${KILLS} kills: all of a request or nothing of it, and the same request again has it once`,
    async () => {
      const counts = { answered: 0, failed: 0, finished: 0 }
      for (let kill = 0; kill < KILLS; kill++) {
        const names = Array.from({ length: REQUESTS }, (_, at) => `Begriff-${kill}-${at}`)
        const updates = proxy.updates
        const asked = names.map((name) => propose(name))
        while (proxy.updates === updates) await sleep(1)
        await sleep(Math.random() * MOST_MORE_MS)
        await fuseki.stop()
        const answers = await Promise.all(asked)
        fuseki = await startFuseki({ directory })
        proxy.store = fuseki.endpoint

        for (const [at, { status, text, body }] of answers.entries()) {
          const name = names[at]!
          const before = await stored(name)
          expect([201, 502, 503, 504]).toContain(status)
          expect(status === 201 ? [CONCEPTS] : [0, CONCEPTS]).toContain(before)
          counts[status === 201 ? 'answered' : 'failed']++
          if (status !== 201 && before > 0) counts.finished++
          let again = await propose(name)
          // The service may be looking yet whether the store has it, or may be sending another one.
          while ([503, 504].includes(again.status)) again = await propose(name)
          expect(again.status).toBe(201)
          if (status === 201) expect(again.text).toBe(text)
          else expect(body.error).toBeDefined()
          expect(await stored(name)).toBe(CONCEPTS)
        }
        if (KILLS > 2 && kill % 10 === 9) process.stderr.write(`kill ${kill + 1}, ${JSON.stringify(counts)}\n`)
      }
      expect(counts.answered + counts.failed).toBe(KILLS * REQUESTS)
      if (KILLS > 2) console.log(JSON.stringify(counts))
    },
    60_000 + KILLS * 60_000,
  )
})
