/** Loads that meet other writers: other loads, ingests, and programs that write into the store themselves. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import type { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { GraphHold, HeldGraphs } from '../../../src/graph/vocabularies/graph-hold.ts'
import type { VocabularyIndex } from '../../../src/graph/vocabularies/vocabulary-index.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, type IngestService } from '../ingest/service.ts'
import { runToEnd, storeEnv } from '../../process.ts'
import { nameOf } from '../../queries.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { serviceOver } from './service.ts'

const FORDS = 'http://example.org/fords/'
const OTHER = 'http://example.org/other-fords/'

describeOver(DEPLOYED, 'loads beside other writers', (store) => {
  const { write } = temporaryFolder()
  let client: SparqlClient
  let service: IngestService
  const running = serviceOver(store, (...begun) => {
    ;[client, service] = begun
  })

  const fords = (uri = FORDS, concepts = 3) =>
    write(
      `${uri.replace(/\W/g, '-')}.ttl`,
      `@prefix skos: <${SKOS}> . @prefix : <${uri}> . <${uri}> a skos:ConceptScheme ; skos:prefLabel "Fords"@en .
      ${Array.from({ length: concepts }, (_, at) => `:f${at} a skos:Concept ; skos:prefLabel "Ford ${at}"@en .`).join('\n')}`,
    )
  /** Does something while a load has read what the store has, and before it writes anything. */
  function meanwhile(work: () => Promise<void>): VocabularyIndex {
    const nothing = () => Promise.resolve()
    const draft = async () => {
      await work()
      return { commit: nothing, discard: nothing }
    }
    return { write: draft, remove: nothing, change: () => Promise.resolve(true) }
  }
  /** A load in another process. */
  async function loadElsewhere(file: string, ...options: string[]): Promise<void> {
    const env = { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint) }
    const { code, stderr } = await runToEnd('dist/cli/main.js', ['load', file, ...options], env)
    expect([code, stderr]).toEqual([0, ''])
  }
  async function propose(): Promise<string> {
    service.state.changed()
    service.registry.invalidate()
    const account = await service.account({ voc: FORDS })
    const { status, text, body } = await service.propose(account, [
      concept({ inScheme: [{ uri: FORDS }], prefLabel: { de: 'Furt' } }),
    ])
    expect([status, text]).toEqual([201, expect.any(String)])
    return (body as { uri: string }[])[0]!.uri
  }

  test.each([
    ['never was there', false],
    ['was removed', true],
  ])('an ingest between two loads of a vocabulary that %s stays', async (_, wasThere) => {
    const file = await fords()
    const { history } = service
    if (wasThere) {
      await loadVocabulary(client, [file], { ids: ['fords'], history })
      await removeVocabulary(client, 'fords', history)
    }
    let uri = ''
    const index = meanwhile(async () => {
      await loadElsewhere(file, '--id', 'fords')
      uri = await propose()
    })
    const report = await loadVocabulary(client, [file], { ids: ['fords'], history, index })
    expect(report.proposals.kept).toBe(1)
    service.state.changed()
    expect((await service.ask('/data', { uri })).body).toMatchObject([{ uri, prefLabel: { de: 'Furt' } }])
    await history!.recordIngests()
    expect((await history!.log.changesOf(uri)).map(({ kind }) => kind)).toEqual(['Create'])
  })

  test('an ingest before a vocabulary is removed is in the history, with its end', async () => {
    await loadVocabulary(client, [await fords()], { ids: ['fords'], history: service.history })
    const history = await History.open(service.dataDir, client)
    const update = client.update.bind(client)
    let uri = ''
    client.update = async (...given) => {
      client.update = update
      // The command has read what the store has, and has written nothing yet.
      uri = await propose()
      await update(...given)
    }
    await removeVocabulary(client, 'fords', history)
    await history.close()
    const changes = await service.history!.log.changesOf(uri)
    expect(changes).toMatchObject([
      { kind: 'Delete', cause: { by: 'remove' } },
      { kind: 'Create', cause: { by: 'ingest' } },
    ])
  })

  test('a load waits for its turn while another one writes, and then has its proposals', async () => {
    const file = await fords()
    const turn = await GraphHold.takeTurn(client)
    let isDone = false
    const loading = loadVocabulary(client, [file], { ids: ['fords'] }).finally(() => (isDone = true))
    await sleep(500)
    expect(isDone).toBe(false)
    await turn.release()
    expect((await loading).concepts).toBe(3)
  })

  test('of two loads at once with the same id, the second fails with one line and changes nothing', async () => {
    const [file, other] = [await fords(), await fords(OTHER)]
    const index = meanwhile(() => loadElsewhere(other, '--id', 'fords'))
    await expect(loadVocabulary(client, [file], { ids: ['fords'], index })).rejects.toThrow(
      `the id fords is taken by <${OTHER}>; --id gives another.`,
    )
    expect((await readVocabularies(client)).map(({ uri, ids }) => [uri, ids])).toEqual([[OTHER, ['fords']]])
    const [row] = await client.select(`SELECT (COUNT(*) AS ?triples) WHERE { GRAPH <${FORDS}> { ?s ?p ?o } }`)
    expect(row!['triples']!.value).toBe('0')
  })

  test('a vocabulary that comes under another form of its URI meanwhile is not loaded twice', async () => {
    const https = FORDS.replace('http:', 'https:')
    const [file, other] = [await fords(), await fords(https)]
    const index = meanwhile(() => loadElsewhere(other))
    await expect(loadVocabulary(client, [file], { index })).rejects.toThrow(/changed meanwhile, so nothing is written/)
    expect((await readVocabularies(client)).map(({ uri }) => uri)).toEqual([https])
  })

  test('normalising fails and loses nothing if another program writes after everything was compared', async () => {
    await loadVocabulary(client, [await fords()], { ids: ['fords'] })
    const edited = `<${FORDS}f0> <${SKOS}altLabel> "Crossing"@en`
    await client.update(`INSERT DATA { GRAPH <${FORDS}> { <${FORDS}f1> <${SKOS}narrower> <${FORDS}f2> } }`, FORDS)
    const index = meanwhile(() => client.update(`INSERT DATA { GRAPH <${FORDS}> { ${edited} } }`, FORDS))
    await expect(normaliseStored(client, 'fords', undefined, index)).rejects.toThrow(
      'fords changed meanwhile, so nothing is written. Try again.',
    )
    expect(await client.ask(`ASK { GRAPH <${FORDS}> { ${edited} } }`)).toBe(true)
    expect((await normaliseStored(client, 'fords')).changes).toEqual({ 'skos:broader added': 1 })
    expect(await client.ask(`ASK { GRAPH <${FORDS}> { ${edited} } }`)).toBe(true)
  })

  test('a load asks the store nothing while it sends a graph, and renews its hold only where that does not wait', async () => {
    await loadVocabulary(client, [await fords()], { ids: ['fords'] })
    const putGraph = client.putGraph.bind(client)
    const asked: string[] = []
    let isOpen = false
    for (const kind of ['select', 'update', 'ask'] as const) {
      const ask = client[kind].bind(client) as (...given: unknown[]) => Promise<never>
      client[kind] = (...given: Parameters<typeof ask>) => {
        if (isOpen) asked.push(nameOf(given[0] as string))
        return ask(...given)
      }
    }
    client.putGraph = (graph, body, options) => {
      const slowly = async function* () {
        isOpen = true
        for (const chunk of body as Iterable<Uint8Array>) {
          yield chunk
          // Longer than the pause between two renewals.
          await sleep(5000)
        }
        isOpen = false
      }
      return putGraph(graph, slowly(), options)
    }
    await loadVocabulary(client, [await fords(FORDS, 4)], { ids: ['fords'] })
    expect(isOpen).toBe(false)
    const renewals = asked.filter((name) => name.startsWith('hold/'))
    expect(asked).toEqual(renewals)
    // Fuseki writes them only when it has the graph.
    if (store.name === 'fuseki') expect(renewals).toEqual([])
    else expect(renewals.length).toBeGreaterThanOrEqual(2)
  })

  test('a graph that the store refuses is held no longer', async () => {
    const file = await fords()
    await loadVocabulary(client, [file], { ids: ['fords'] })
    const putGraph = client.putGraph.bind(client)
    client.putGraph = (graph, body, options) => {
      const broken = function* () {
        yield* body as Iterable<Uint8Array>
        yield Buffer.from('no triple\n')
      }
      return putGraph(graph, broken(), options)
    }
    await expect(loadVocabulary(client, [file], { ids: ['fords'] })).rejects.toThrow('The store refused the request.')
    expect(await running.holds()).toBe(0)
    await propose()
  })

  test('a load of which the store does not get the end leaves no hold either', async () => {
    const file = await fords()
    await loadVocabulary(client, [file], { ids: ['fords'] })
    const putGraph = client.putGraph.bind(client)
    client.putGraph = (graph, body, options) => {
      const cut = function* () {
        for (const chunk of body as Iterable<Uint8Array>) {
          yield chunk.subarray(0, 10)
          throw new Error('cut')
        }
      }
      return putGraph(graph, cut(), options)
    }
    await expect(loadVocabulary(client, [file], { ids: ['fords'] })).rejects.toThrow()
    expect(await running.holds()).toBe(0)
  })

  test('a process that waits for a lost hold sends one update to end it, however often it looks', async () => {
    await loadVocabulary(client, [await fords()], { ids: ['fords'] })
    const hold = (await GraphHold.take(client, FORDS))!
    hold.end()
    let now = 0
    const held = new HeldGraphs(client, () => now)
    expect(await held.isHeld(FORDS)).toBe(true)
    now = 21_000
    const update = client.update.bind(client)
    let updates = 0
    let carryOut = () => {}
    const isFree = new Promise<void>((free) => (carryOut = free))
    // As a store that takes a large graph.
    client.update = async (...given) => {
      updates++
      await isFree
      return update(...given)
    }
    for (let look = 0; look < 5; look++) expect(await held.isHeld(FORDS)).toBe(true)
    expect(updates).toBe(1)
    carryOut()
    while (await held.isHeld(FORDS)) await sleep(10)
  })
})
