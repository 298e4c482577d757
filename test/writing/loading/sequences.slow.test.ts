/**
 * Any sequence of loads, killed loads, ingests, removals, backups and restores gives the lists and search results of a
 * service into which the graph that is there at the end is loaded for the first time. TEST_LONG=1: more sequences,
 * others each time.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { backup } from '../../../src/writing/commands/backup.ts'
import { removeProposals } from '../../../src/writing/proposals/decide.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { restore } from '../../../src/writing/commands/restore.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { BOOKKEEPING, HOLD, LOADS_GRAPH, SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { readProposals } from '../../../src/graph/vocabularies/proposals.ts'
import { startEmbeddedStore, type EmbeddedStore } from '../../../src/interface/store/embedded.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const RUNS = LONG ? 30 : 1
const SEED = LONG ? Date.now() % 2 ** 31 : 20261128
const CONCEPTS = 6
const ID = 'weirs'
const WEIRS = 'http://example.org/weirs/'
const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))
const WORDS = ['Wehr', 'Furt'] as const
const NOTES = Array.from({ length: 12 }, (_, at) => `"Note ${at}"@de`).join(', ')

const someConcept = fc.record({
  word: fc.constantFrom(...WORDS),
  notation: fc.option(fc.constantFrom('A', 'B', 'a', '10', '9')),
  broader: fc.option(fc.nat(CONCEPTS - 1)),
  mapped: fc.option(fc.nat(CONCEPTS - 1)),
})
const version = fc.array(fc.option(someConcept, { freq: 4 }), { minLength: CONCEPTS, maxLength: CONCEPTS })
type Version = typeof version extends fc.Arbitrary<infer Value> ? Value : never
/** A version by itself, or the last one with another concept in one place, or without it. */
const next = fc.oneof(version, {
  weight: 3,
  arbitrary: fc.record({ at: fc.nat(CONCEPTS - 1), other: fc.option(someConcept, { freq: 4 }) }),
})
type Next = typeof next extends fc.Arbitrary<infer Value> ? Value : never

/** The steps after which a load can be killed (victim.ts). */
const STEPS = ['index draft', 'history draft', 'turn', 'hold', 'graph', 'history', 'index']

const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('load' as const), next }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('kill' as const), next, step: fc.constantFrom(...STEPS) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('ingest' as const), word: fc.constantFrom(...WORDS) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove a proposal' as const), at: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('back up' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('restore' as const) }) },
)
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

function turtle(concepts: Version): string {
  const lines = concepts.flatMap((drawn, at) => {
    if (!drawn) return []
    const { word, notation, broader, mapped } = drawn
    return [
      `:w${at} a skos:Concept ; skos:prefLabel "${word} ${at}"@de`,
      ...(notation === null ? [] : [`; skos:notation "${notation}"`]),
      ...(broader === null ? [] : [`; skos:broader :w${broader}`]),
      ...(mapped === null ? [] : [`; skos:closeMatch :w${mapped}, <http://example.com/w${mapped}>`]),
      // Most of a version is in all of them, so that another concept is a small difference.
      `; skos:note ${NOTES}`,
      '.',
    ]
  })
  return `@prefix skos: <${SKOS}> . @prefix : <${WEIRS}> .
    <${WEIRS}> a skos:ConceptScheme ; skos:prefLabel "Weirs"@en . ${lines.join(' ')}`
}

describeOver(EMBEDDED, 'any sequence of writes', (store) => {
  const { write, path } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let client: SparqlClient
  let dataDir: string
  let service: IngestService
  let account: TestAccount
  /** Another service, whose store is empty before each comparison. */
  let freshStore: EmbeddedStore
  let fresh: IngestService
  let archive: string | undefined
  let archives = 0
  /** The version that was loaded last. */
  let last: Version
  /** How often the index took the differences of a load alone. */
  let taken = 0

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    dataDir = await newDirectory()
    service = await startIngest(running.endpoint, {}, { dataDir })
    account = await service.account({ voc: WEIRS, emails: [] })
    freshStore = await startEmbeddedStore({ directory: path('fresh'), queryTimeoutMs: 60_000 })
    fresh = await startIngest(freshStore.endpoint)
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await fresh.close()
    await freshStore.close()
    await running.stop()
    await rm(dataDir, { recursive: true })
  })

  /** Does something as a command does: with a history and an index of its own. */
  async function withIndex(work: (index: IndexOfCommands) => Promise<unknown>): Promise<void> {
    const errors: unknown[] = []
    const index = new IndexOfCommands(dataDir, (error) => errors.push(error))
    await work(index)
    await index.close()
    expect(errors).toEqual([])
  }

  async function loadKilled(file: string, step: string): Promise<void> {
    const parameters = [step, file, JSON.stringify(running.endpoint), dataDir]
    const options = { stdio: 'inherit' } as const
    await once(spawn(process.execPath, ['--import', 'tsx', VICTIM, ...parameters], options), 'exit')
    // The holds of the load would end after 20 seconds.
    for (const graph of [WEIRS, LOADS_GRAPH]) {
      await client.update(`DELETE WHERE { GRAPH <${graph}> { ?any <${HOLD}> ?hold } }`, graph)
    }
  }

  /** The file of the version that comes next. */
  async function fileOf(drawn: Next): Promise<string> {
    last = !Array.isArray(drawn) ? last.map((before, at) => (at === drawn.at ? drawn.other : before)) : drawn
    return write('weirs.ttl', turtle(last))
  }

  const isThere = () => client.ask(`ASK { GRAPH <${WEIRS}> { <${WEIRS}> a <${SKOS}ConceptScheme> } }`)

  async function take(drawn: Change): Promise<void> {
    const { history } = service
    switch (drawn.does) {
      case 'load': {
        const file = await fileOf(drawn.next)
        return withIndex((index) => {
          const change = index.change.bind(index)
          index.change = async (...given) => {
            const isTaken = await change(...given)
            if (isTaken) taken++
            return isTaken
          }
          return loadVocabulary(client, [file], { ids: [ID], history, index, check: false })
        })
      }
      case 'kill':
        return loadKilled(await fileOf(drawn.next), drawn.step)
      case 'ingest': {
        if (!(await isThere())) return
        const body = [concept({ inScheme: [{ uri: WEIRS }], prefLabel: { de: `${drawn.word} neu` } })]
        const { status, text } = await service.propose(account, body)
        expect([status, text]).toEqual([201, expect.any(String)])
        return
      }
      case 'remove a proposal': {
        const proposal = (await isThere()) ? (await readProposals(client, WEIRS))[drawn.at] : undefined
        if (proposal) await withIndex((index) => removeProposals(client, [proposal.uri], history, index))
        return
      }
      case 'remove':
        if (await isThere()) await withIndex((index) => removeVocabulary(client, WEIRS, history, index))
        return
      case 'back up':
        archive = path(`backup-${++archives}.tar.gz`)
        await backup(client, service.config, { file: archive })
        return
      case 'restore':
        if (archive === undefined) return
        await service.close()
        await restore(client, service.config, archive, { isReplacing: true })
        service = await startIngest(running.endpoint, {}, { dataDir })
    }
  }

  /** The lists and search results of a service. */
  async function answers(of: IngestService): Promise<unknown> {
    of.state.changed()
    of.registry.invalidate()
    await of.index.caughtUp()
    const all: unknown[] = []
    const ask = async (address: string, parameters: Record<string, string>) => {
      const { status, body, headers } = await of.ask(address, { limit: '100', ...parameters })
      all.push([address, parameters, status, headers.get('x-total-count'), body])
      return body as { uri: string }[]
    }
    const concepts = await ask(`/voc/${ID}/concepts`, {})
    await ask(`/voc/${ID}/top`, {})
    for (const { uri } of concepts) {
      for (const address of ['/narrower', '/ancestors', '/descendants']) await ask(address, { uri })
    }
    for (const search of WORDS) {
      await ask(`/voc/${ID}/search`, { search })
      await ask('/suggest', { search, voc: ID })
    }
    // A typing error finds words that labels have.
    await ask(`/voc/${ID}/search`, { search: 'Fuurt' })
    await ask('/mappings', { fromScheme: WEIRS })
    await ask('/mappings', { to: `${WEIRS}w1`, direction: 'both' })
    return all
  }

  /** What the store has of the vocabulary, loaded into the other service. */
  async function loadFresh(): Promise<void> {
    const lines: string[] = []
    for await (const chunk of client.getGraph(WEIRS)) lines.push(Buffer.from(chunk).toString())
    const kept = lines
      .join('')
      .split('\n')
      .filter((line) => !line.includes(`> <${BOOKKEEPING}`))
    if (await fresh.client.ask(`ASK { GRAPH <${WEIRS}> { ?s ?p ?o } }`)) await removeVocabulary(fresh.client, WEIRS)
    await loadVocabulary(fresh.client, [await write('fresh.nt', kept.join('\n'))], { ids: [ID], check: false })
  }

  test(
    `${RUNS} sequences, seed ${SEED}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 6, maxLength: LONG ? 16 : 9 }), async (changes) => {
          archive = undefined
          last = Array.from({ length: CONCEPTS }, () => null)
          if (await isThere()) await take({ does: 'remove' })
          for (const drawn of changes) {
            await take(drawn)
            if (!(await isThere())) continue
            await loadFresh()
            expect([drawn.does, await answers(service)]).toEqual([drawn.does, await answers(fresh)])
            await service.history!.recordIngests()
            await expectAgreement(client, dataDir, WEIRS)
          }
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      )
      expect(taken).toBeGreaterThan(0)
    },
    60_000 + RUNS * 120_000,
  )
})
