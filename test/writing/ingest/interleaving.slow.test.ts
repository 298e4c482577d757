/**
 * Two commands and a stream of ingests in any interleaving of their requests to the store, which comes late, breaks off
 * or hangs: what was acknowledged is there once, with account and history; what was refused is not there. TEST_LONG=1:
 * many more, others each time, with failing commands and restarts of the service. SEED repeats a run.
 */
import { env } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { LOADS_GRAPH, SKOS } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import { LONG } from '../../long.ts'
import { newDirectory, PATIENT, storeEnv } from '../../process.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type Fault, type StoreProxy } from './store-proxy.ts'

const RUNS = Number(env['RUNS'] ?? (LONG ? 40 : 3))
const SEED = Number(env['SEED'] ?? (LONG ? Date.now() % 2 ** 31 : 20261128))
/** Of the service: short, because a run waits for it when the store hangs. */
const TIMEOUT_MS = 1500
/** The time after which a connection that hangs is broken off. */
const HANG_MS = 2000
/** A command that has lost the store may leave a hold, which ends after 20 s. */
const SETTLED_WITHIN_MS = 90_000
const NAMES = ['fords', 'weirs'] as const

/** The treatment of a request, after a delay in milliseconds. */
interface Treatment {
  delay: number
  fault: Fault
}
const treatment = (faults: readonly Fault[]): fc.Arbitrary<Treatment> =>
  fc.record({
    delay: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: LONG ? 200 : 60 })),
    fault: fc.oneof({ weight: LONG ? 12 : 20, arbitrary: fc.constant<Fault>('none') }, fc.constantFrom(...faults)),
  })

const work = fc.record({
  does: fc.constantFrom('load', 'load', 'load', 'remove', 'normalise'),
  name: fc.constantFrom(...NAMES),
  /** True: for the vocabulary of this command that has the id of the other command's. */
  isRival: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
  version: fc.nat(2),
  pause: fc.nat(100),
})
type Work = typeof work extends fc.Arbitrary<infer Value> ? Value : never

const proposal = fc.record({ name: fc.constantFrom(...NAMES), hasKey: fc.boolean(), pause: fc.nat(150) })
type Proposal = typeof proposal extends fc.Arbitrary<infer Value> ? Value : never

const FAULTS: Fault[] = ['refused', 'answer lost', 'answer cut', 'gateway late', 'cut', 'silent', 'busy', 'failed']

const interleaving = fc.record({
  commands: fc.tuple(fc.array(work, { minLength: 1, maxLength: 3 }), fc.array(work, { minLength: 1, maxLength: 3 })),
  clients: fc.array(fc.array(proposal, { minLength: 1, maxLength: LONG ? 6 : 3 }), { minLength: 2, maxLength: 4 }),
  ofService: fc.array(treatment(FAULTS), { minLength: 30, maxLength: 120 }),
  ofCommands: fc.array(treatment(LONG ? FAULTS : ['none']), { minLength: 30, maxLength: 120 }),
  restartAfter: LONG ? fc.option(fc.nat(2000)) : fc.constant(null),
})
type Interleaving = typeof interleaving extends fc.Arbitrary<infer Value> ? Value : never

/** A period, in milliseconds of one clock. */
interface Period {
  from: number
  to: number
}

describeOver(DEPLOYED, 'two commands and ingests side by side', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  /** Directly to the store. */
  let client: SparqlClient
  let ofService: StoreProxy
  let ofCommands: StoreProxy
  let dataDir: string
  let service: IngestService
  let runs = 0
  let acknowledged = 0

  const start = () => startIngest(ofService.endpoint, { SPARQL_TIMEOUT_MS: String(TIMEOUT_MS) }, { dataDir })

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    ofService = await startStoreProxy(running.endpoint)
    ofCommands = await startStoreProxy(running.endpoint)
    dataDir = await newDirectory()
    service = await start()
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await ofService.close()
    await ofCommands.close()
    await running.stop()
  })

  /**
   * Treats the requests to a store one after the other as drawn, and the rest well. @returns what lets everything
   * through again.
   */
  function treat(proxy: StoreProxy, drawn: readonly Treatment[]): () => void {
    const next = drawn.values()
    const hanging = new Set<NodeJS.Timeout>()
    proxy.choose = async () => {
      const { delay, fault } = next.next().value ?? { delay: 0, fault: 'none' }
      await sleep(delay)
      if (fault === 'silent') hanging.add(setTimeout(() => proxy.hangUp(), HANG_MS))
      return fault
    }
    return () => {
      proxy.choose = undefined
      for (const timer of hanging) clearTimeout(timer)
      proxy.hangUp()
    }
  }

  /** The vocabularies of one run. */
  class Run {
    readonly id = ++runs
    readonly #interleaving: Interleaving
    readonly #accounts = new Map<string, TestAccount>()
    /** What the clients have heard, by the label of the concept. */
    readonly #answers = new Map<
      string,
      { statuses: (number | undefined)[]; uri?: string; asked: Period; name: string }
    >()
    /** The times of removals, by vocabulary. */
    readonly #removals = new Map<string, Period[]>()

    constructor(interleaving: Interleaving) {
      this.#interleaving = interleaving
    }

    uri(name: string): string {
      return `http://example.org/run-${this.id}/${name}/`
    }

    async file(uri: string, version: number): Promise<string> {
      const concepts = Array.from(
        { length: 4 + version },
        (_, at) => `:c${at + version} a skos:Concept ; skos:prefLabel "Concept ${at} ${version}"@en .`,
      )
      return write(
        `${uri.replace(/\W/g, '-')}${version}.ttl`,
        `@prefix skos: <${SKOS}> . @prefix : <${uri}> . <${uri}> a skos:ConceptScheme ; skos:prefLabel "Run ${version}"@en .
        ${concepts.join('\n')}`,
      )
    }

    async command(...args: string[]): Promise<void> {
      const { code, stderr } = await runCommand(args, {
        DATA_DIR: dataDir,
        ...PATIENT,
        ...storeEnv(ofCommands.endpoint),
      })
      // An error is one line.
      expect([args, code, stderr]).toEqual([
        args,
        code === 0 ? 0 : 1,
        expect.stringMatching(/^(warning: .*\n)*(error: .*\n)?$/),
      ])
    }

    async begin(): Promise<void> {
      for (const name of NAMES) {
        await this.command('load', await this.file(this.uri(name), 0), '--id', this.name(name))
        this.#accounts.set(name, await service.account({ voc: this.uri(name), emails: [] }))
      }
    }

    /** The id of a vocabulary. */
    name(name: string): string {
      return `${name}-${this.id}`
    }

    async commands(works: readonly Work[], number: number): Promise<void> {
      for (const { does, name, isRival, version, pause } of works) {
        await sleep(pause)
        const uri = isRival ? this.uri(`${name}-rival-${number}`) : this.uri(name)
        if (does === 'load') await this.command('load', await this.file(uri, version), '--id', this.name(name))
        else {
          const from = performance.now()
          await this.command(does, uri)
          if (does === 'remove')
            this.#removals.set(uri, [...(this.#removals.get(uri) ?? []), { from, to: performance.now() }])
        }
      }
    }

    async client(proposals: readonly Proposal[], number: number): Promise<void> {
      for (const [at, { name, hasKey, pause }] of proposals.entries()) {
        await sleep(pause)
        const label = `Begriff ${this.id}-${number}-${at}`
        const body = [concept({ inScheme: [{ uri: this.uri(name) }], prefLabel: { de: label } })]
        const statuses: (number | undefined)[] = []
        const answer = { statuses, asked: { from: performance.now(), to: Infinity }, name }
        this.#answers.set(label, answer)
        for (let times = 0; times < (hasKey ? 8 : 1); times++) {
          // While the service restarts there is no answer.
          const { status, body: answered } = await service
            .propose(this.#accounts.get(name)!, body, hasKey ? { 'idempotency-key': label } : {})
            .catch(() => ({ status: undefined, body: undefined }))
          statuses.push(status)
          if (status === 201) Object.assign(answer, { uri: answered[0].uri })
          if (status !== undefined && status < 500) break
          await sleep(100)
        }
        answer.asked.to = performance.now()
      }
    }

    async take(): Promise<void> {
      await this.begin()
      const { commands, clients, restartAfter } = this.#interleaving
      const ends = [treat(ofService, this.#interleaving.ofService), treat(ofCommands, this.#interleaving.ofCommands)]
      const restart = async () => {
        if (restartAfter === null) return
        await sleep(restartAfter)
        await service.close()
        service = await start()
      }
      try {
        await Promise.all([
          ...commands.map((works, number) => this.commands(works, number)),
          ...clients.map((proposals, number) => this.client(proposals, number)),
          restart(),
        ])
      } finally {
        for (const end of ends) end()
      }
      for (let waited = 0; [...service.ingest.ledger.claimed()].length > 0; waited += 50) {
        if (waited > SETTLED_WITHIN_MS) throw new Error('The ledger does not learn the end of an ingest.')
        await sleep(50)
      }
      await service.history!.recordIngests()
      await this.check()
      // A command that has lost the store has left it.
      await client.deleteGraph(LOADS_GRAPH)
    }

    async check(): Promise<void> {
      const vocabularies = await readVocabularies(client)
      const ids = vocabularies.flatMap((vocabulary) => vocabulary.ids)
      expect(ids).toEqual([...new Set(ids)])
      service.state.changed()
      service.registry.invalidate()
      for (const { uri, ids } of vocabularies) {
        if (uri.startsWith(`http://example.org/run-${this.id}/`)) await this.checkList(uri, ids[0]!)
      }
      for (const name of NAMES) await expectAgreement(client, dataDir, this.uri(name))
      for (const [label, { statuses, uri, asked, name }] of this.#answers) {
        const rows = await client.select(`SELECT ?c WHERE { GRAPH ?g { ?c <${SKOS}prefLabel> "${label}"@de } }`)
        const there = rows.map(({ c }) => c!.value)
        const mayBeRemoved = (this.#removals.get(this.uri(name)) ?? []).some(({ to }) => to >= asked.from)
        const heard = [label, statuses, there]
        if (uri !== undefined) {
          acknowledged++
          if (there.length > 0 || !mayBeRemoved) expect([...heard, there]).toEqual([...heard, [uri]])
        } else if (statuses.some((status) => status === undefined || status === 504)) {
          expect([...heard, there.length <= 1]).toEqual([...heard, true])
        } else expect([...heard, there]).toEqual([...heard, []])
        for (const stored of new Set([...there, ...(uri === undefined ? [] : [uri])])) {
          const changes = await service.history!.log.changesOf(stored)
          const cause = { by: 'ingest', account: this.#accounts.get(name)!.username }
          expect([...heard, changes.at(-1)]).toEqual([...heard, expect.objectContaining({ kind: 'Create', cause })])
          expect([...heard, changes[0]!.kind === 'Delete']).toEqual([...heard, there.length === 0])
        }
      }
    }

    /** The list of a vocabulary has each of its concepts once. */
    async checkList(graph: string, id: string): Promise<void> {
      const rows = await client.select(`SELECT DISTINCT ?c WHERE { GRAPH <${graph}> { ?c a <${SKOS}Concept> } }`)
      const ask = () => service.ask(`/voc/${id}/top`, { properties: 'prefLabel', limit: '1000' })
      let { status, body } = await ask()
      // On a busy machine the index may take longer than `TIMEOUT_MS`.
      for (const until = Date.now() + SETTLED_WITHIN_MS; status === 504 && Date.now() < until;) {
        ;({ status, body } = await ask())
      }
      if (status !== 200) throw new Error(`/voc/${id}/top: ${status} ${JSON.stringify(body)}`)
      const listed = (body as { uri: string }[]).map(({ uri }) => uri)
      expect(listed.sort()).toEqual(rows.map(({ c }) => c!.value).sort())
    }
  }

  test(
    `${RUNS} interleavings, seed ${SEED}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(interleaving, (drawn) => new Run(drawn).take()),
        // A run takes seconds, and another one like it may end otherwise.
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      )
      expect(acknowledged).toBeGreaterThan(0)
    },
    60_000 + RUNS * 120_000,
  )
})
