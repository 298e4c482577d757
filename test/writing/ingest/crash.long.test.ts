/**
 * kill -9 of the service, and of a load beside it, under load: what was answered is there, nothing is there twice, and
 * every editor hears of it.
 */
import { afterEach, expect } from '@jest/globals'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { newToken } from '../../../src/writing/ingest/accounts.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { CRAFTS } from '../../app.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement, expectEmbeddedAgreement } from '../history/agreement.ts'
import { LONG } from '../../long.ts'
import { freePort, newDirectory, run, startService, storeEnv, type ServiceProcess } from '../../process.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { DEPLOYED, describeOver, testOf } from '../../stores.ts'
import { addAccount, concept } from './service.ts'

/** A start takes seconds: one kill by default, 100 on demand. */
const KILLS = Number(process.env['INGEST_KILLS'] ?? (LONG ? 2 : 1))
/** Half of them send an Idempotency-Key and try again until they are answered. */
const CLIENTS = 8
/** Long enough, on demand, for a load to be at any of its steps. */
const MOST_MORE_MS = KILLS > 2 ? 3000 : 500

const account = { username: 'anna', token: newToken() }

const BRIDGES = 'http://example.org/bridges/'

describeOver(DEPLOYED, 'kill -9 under load', (store) => {
  const { write } = temporaryFolder()
  /** A vocabulary, each version of it with other labels and other concepts. */
  const bridges = (version: number) =>
    write(
      'bridges.ttl',
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${BRIDGES}> .
      <${BRIDGES}> a skos:ConceptScheme ; skos:notation "bridges" ; skos:prefLabel "Bridges ${version}"@en .
      ${Array.from({ length: 500 }, (_, at) => `:b${at + version} a skos:Concept ; skos:prefLabel "Bridge ${version}"@en .`).join('\n')}`,
    )
  let running: Awaited<ReturnType<typeof store.start>> | undefined
  let service: ServiceProcess | undefined
  let mail: MailServer | undefined
  let dataDir = ''

  afterEach(async () => {
    await service?.stop('SIGKILL')
    await mail?.stop()
    await running?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  // By default test/writing/ingest/store-crash.slow.test.ts has a Fuseki under load.
  const testHere = testOf(store)
  testHere(
    `${KILLS} kills: nothing that was answered is missing, nothing is stored twice, all mails arrive, and the history agrees`,
    async () => {
      dataDir = await newDirectory()
      mail = await startMailServer()
      await addAccount(dataDir, account)
      // The embedded store dies with the service; another goes on with what it has been told.
      if (store.name !== 'embedded') running = await store.start()
      // The same address after every kill.
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const env = {
        PORT: String(port),
        DATA_DIR: dataDir,
        DEMO: 'true',
        MAX_LIMIT: '1000000',
        INGEST_LIMITS: 'none',
        SMTP_URL: mail.url,
        ...(running ? storeEnv(running.endpoint) : {}),
      }
      service = await startService(env)

      const refused: string[] = []
      const ingest = async (label: string, key?: string) => {
        const response = await fetch(`${url}/ingest`, {
          method: 'POST',
          headers: key === undefined ? {} : { 'idempotency-key': key },
          body: JSON.stringify([{ ...account, data: JSON.stringify([concept({ prefLabel: { de: label } })]) }]),
        })
        if (response.status < 500 && response.status !== 201)
          refused.push(`${response.status} ${await response.text()}`)
        return response.status === 201 ? ((await response.json()) as { uri: string }[])[0]!.uri : undefined
      }
      const answered = new Map<string, string>()
      const asked = new Set<string>()
      let ended = false
      const client = async (number: number) => {
        const insists = number % 2 === 0
        for (let at = 0; !ended && refused.length === 0; at++) {
          const label = `Begriff-${number}-${at}`
          asked.add(label)
          let uri: string | undefined
          do uri = await ingest(label, insists ? label : undefined).catch(() => sleep(20, undefined))
          while (insists && uri === undefined && refused.length === 0)
          if (uri !== undefined) answered.set(label, uri)
        }
      }
      const clients = Array.from({ length: CLIENTS }, (_, number) => client(number))
      for (let kill = 0; kill < KILLS; kill++) {
        // A moment under load: a request has been answered since the start, and a vocabulary is being loaded.
        const before = answered.size
        const load = run('dist/cli/main.js', ['load', await bridges(kill)], env)
        const loadEnded = once(load, 'exit')
        for (let waited = 0; answered.size === before && waited < 10_000; waited += 10) await sleep(10)
        await sleep(Math.random() * MOST_MORE_MS)
        if (KILLS > 2 && kill % 10 === 0) process.stderr.write(`kill ${kill}, ${answered.size} answered\n`)
        load.kill('SIGKILL')
        await Promise.all([loadEnded, service.stop('SIGKILL')])
        service = await startService(env)
      }
      const lastLoad = await runCommand(['load', await bridges(KILLS)], env)
      expect(lastLoad).toMatchObject({ code: 0, stderr: '' })
      ended = true
      await Promise.all(clients)
      expect(refused).toEqual([])

      const top = (await (await fetch(`${url}/voc/crafts/top`)).json()) as {
        uri: string
        prefLabel: { de: string }
        publisher?: unknown[]
        created?: string
      }[]
      const proposed = top.filter(({ prefLabel }) => asked.has(prefLabel.de))
      const stored = new Map(proposed.map(({ uri, prefLabel }) => [prefLabel.de, uri]))
      // Once each, and whole.
      expect(proposed).toHaveLength(stored.size)
      expect(proposed.filter(({ publisher, created }) => publisher?.length !== 1 || created === undefined)).toEqual([])
      expect(answered.size).toBeGreaterThanOrEqual(KILLS)
      expect([...answered].filter(([label, uri]) => stored.get(label) !== uri)).toEqual([])

      const told = new Map<string, Set<string>>()
      const deadline = Date.now() + 60_000
      for (; ; await sleep(100)) {
        told.clear()
        for (const { text, headers } of mail.received) {
          const uri = /URI: (\S+)/.exec(text)![1]!
          told.set(uri, (told.get(uri) ?? new Set()).add(headers['message-id']!))
        }
        if (told.size >= stored.size || Date.now() > deadline) break
      }
      await sleep(300)
      expect([...told.keys()].sort()).toEqual([...stored.values()].sort())
      // A mail is repeated, with the same Message-ID, only if a kill fell between its acceptance and our note of that.
      expect([...told.values()].filter((ids) => ids.size > 1)).toEqual([])
      const repeated = mail.received.length - told.size
      expect(repeated).toBeLessThanOrEqual(KILLS)
      expect(await service.stop()).toBe(0)
      if (running) {
        const client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
        for (const graph of [CRAFTS, BRIDGES]) await expectAgreement(client, dataDir, graph)
      } else await expectEmbeddedAgreement(dataDir, [CRAFTS, BRIDGES])
      if (KILLS > 2) console.log(`${answered.size} answered, ${stored.size} stored, ${repeated} mails repeated`)
    },
    120_000 + KILLS * 60_000,
  )
})
