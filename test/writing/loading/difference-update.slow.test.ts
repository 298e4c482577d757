/** A load that changes little is one update, after which the graph is what a load of the whole graph makes. */
import { expect, test } from '@jest/globals'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadReport } from '../../../src/writing/loading/report.ts'
import { BOOKKEEPING, INPUTS, SKOS, TRIPLES } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { IndexFile, indexFileIn } from '../../../src/graph/index/index-file.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { readIndexedGraphs } from '../../../src/interface/search/index-writer.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import type { VocabularyIndex } from '../../../src/graph/vocabularies/vocabulary-index.ts'
import { GraphHold } from '../../../src/graph/vocabularies/graph-hold.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import { concept, type IngestService, type TestAccount } from '../ingest/service.ts'
import { runToEnd, storeEnv } from '../../process.ts'
import { nameOf } from '../../queries.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { serviceOver } from './service.ts'
import { canonical } from '../source/canonical.ts'

const WEIRS = 'http://example.org/weirs/'
const FRESH = 'http://example.org/fresh/'
const CONCEPTS = 60

describeOver(EMBEDDED, 'loads that change little', (store) => {
  const { write } = temporaryFolder()
  let client: SparqlClient
  let service: IngestService
  let account: TestAccount
  /** The graphs that were sent as a whole. */
  let sent: string[]
  const begin = async (...begun: [SparqlClient, IngestService]) => {
    ;[client, service] = begun
    const putGraph = client.putGraph.bind(client)
    sent = []
    client.putGraph = (graph, ...given) => {
      sent.push(graph)
      return putGraph(graph, ...given)
    }
    account = await service.account({ voc: WEIRS })
    await load(file())
    sent = []
  }
  const end = async () => {
    await service.history!.recordIngests()
    await expectAgreement(service.client, service.dataDir, WEIRS)
  }
  const running = serviceOver(store, begin, end)

  /**
   * The file of a vocabulary. @param lines of single concepts instead of those of the first version; null: without the
   * concept.
   */
  function file(lines: Record<number, string | null> = {}, more = ''): string {
    const first = (at: number) =>
      `skos:prefLabel "Weir ${at}"@en, "Wehr ${at}"@de ; skos:note "One\\n\\"two\\" \\\\ ${at}"@en`
    const concepts = Array.from({ length: CONCEPTS }, (_, at) => {
      const line = at in lines ? lines[at] : first(at)
      return line === null ? '' : `:w${at} a skos:Concept ; ${line} .`
    })
    return `@prefix skos: <${SKOS}> . @prefix : <${WEIRS}> . @prefix dct: <http://purl.org/dc/terms/> .
      @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
      <${WEIRS}> a skos:ConceptScheme ; skos:prefLabel "Weirs"@en . ${concepts.join('\n')} ${more}`
  }
  async function load(
    turtle: string,
    options: { client?: SparqlClient; index?: VocabularyIndex } = {},
  ): Promise<LoadReport> {
    const { history } = service
    const { index } = options
    const report = await loadVocabulary(options.client ?? client, [await write('weirs.ttl', turtle)], {
      history,
      index,
    })
    service.state.changed()
    return report
  }
  /** The triples of a graph without bookkeeping, with the URI of another vocabulary. */
  async function triples(graph: string): Promise<string[]> {
    const rows: string[] = []
    for await (const chunk of client.getGraph(graph)) rows.push(Buffer.from(chunk).toString())
    const lines = rows.join('').split('\n')
    return canonical(lines.filter((line) => line !== '' && !line.includes(`> <${BOOKKEEPING}`)))
  }
  async function marks(graph: string): Promise<string[]> {
    const rows = await client.select(
      `SELECT ?p ?o WHERE { GRAPH <${graph}> { <${graph}> ?p ?o FILTER(STRSTARTS(STR(?p), "${BOOKKEEPING}")) } }`,
    )
    const varying = /(revision|load)$/
    const noted = rows.filter(({ p }) => p!.value !== INPUTS)
    // Only commands note their inputs.
    const valueOf = (p: string, o: string) => (p === TRIPLES ? Number(o) - (rows.length - noted.length) : o)
    return noted
      .map(({ p, o }) => (varying.test(p!.value) ? p!.value : `${p!.value} ${valueOf(p!.value, o!.value)}`))
      .sort()
  }
  /** The graph is that of a load into an empty store. */
  async function expectAsFresh(turtle: string): Promise<void> {
    const [now, nowMarks] = [await triples(WEIRS), await marks(WEIRS)]
    const empty = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    await loadVocabulary(empty, [await write('fresh.ttl', turtle.replaceAll(WEIRS, FRESH))])
    const renamed = (lines: string[]) =>
      canonical(lines.map((line) => line.replaceAll(FRESH, WEIRS).replace('"fresh"', '"weirs"')))
    expect(now).toEqual(renamed(await triples(FRESH)))
    const id = (lines: string[]) => lines.filter((line) => !line.startsWith(`${BOOKKEEPING}id `))
    expect(id(nowMarks)).toEqual(id(await marks(FRESH)))
    await removeVocabulary(empty, FRESH)
  }
  const propose = async () => {
    const { status, text, body } = await service.propose(account, [
      concept({ inScheme: [{ uri: WEIRS }], prefLabel: { de: 'Wehr' } }),
    ])
    expect([status, text]).toEqual([201, expect.any(String)])
    return (body as { uri: string }[])[0]!.uri
  }

  test.each<[string, string]>([
    [
      'texts',
      file({ 3: 'skos:prefLabel "Dam \\\\u0022 \\"\\n\\t é 😀"@en-gb ; skos:altLabel "x"@de ; skos:notation "3"' }),
    ],
    [
      'dates and links',
      file({ 4: 'skos:prefLabel "Weir 4"@en ; dct:modified "2026-11-28"^^xsd:date ; skos:broader :w5' }),
    ],
    ['new and vanishing concepts', file({ 6: null, 7: null }, ':new a skos:Concept ; skos:prefLabel "New"@en .')],
    ['the scheme', file().replace('"Weirs"@en', '"Weirs of all kinds"@en ; dct:language "en" ; dct:created "2026"')],
    ['nothing but the order of statements', file().replaceAll(/"(Weir \d+)"@en, "(Wehr \d+)"@de/g, '"$2"@de, "$1"@en')],
  ])('%s change by an update', async (_, turtle) => {
    const report = await load(turtle)
    expect(sent).toEqual([])
    await expectAsFresh(turtle)
    // From then on, too.
    expect(report.triples).toBeGreaterThan(CONCEPTS)
    await load(file())
    await expectAsFresh(file())
    expect(sent).toEqual([])
  })

  test.each<[string, string]>([
    ['blank nodes', file({ 8: 'skos:prefLabel "Weir 8"@en ; skos:note [ dct:title "x"@en ]' })],
    ['numbers', file({ 8: 'skos:prefLabel "Weir 8"@en ; dct:extent 1.50' })],
    ['loose blank nodes', file({}, '[] dct:relation :w1 .')],
    [
      'many concepts',
      file(Object.fromEntries(Array.from({ length: 55 }, (__, at) => [at, `skos:prefLabel "D ${at}"@en`]))),
    ],
  ])('a load that changes %s sends the graph', async (_, turtle) => {
    await load(turtle)
    expect(sent).toEqual([WEIRS])
    await expectAsFresh(turtle)
  })

  test('blank nodes that stay as they are do not keep a load from being an update', async () => {
    const blank = ':w9 skos:note [ dct:title "x"@en ] .'
    await load(file({}, blank))
    sent = []
    const turtle = file({ 1: 'skos:prefLabel "Dam"@en' }, blank)
    await load(turtle)
    expect(sent).toEqual([])
    await expectAsFresh(turtle)
  })

  test.each<[string, string, string[], (() => Promise<void>) | undefined]>([
    ['takes few changes alone', file({ 1: 'skos:prefLabel "Dam"@en' }), [], undefined],
    [
      'is written anew if its order changes',
      file({ 1: 'skos:prefLabel "Dam"@en ; skos:notation "1"' }),
      [WEIRS],
      undefined,
    ],
    [
      'is written anew if it lacks something else',
      file({ 1: 'skos:prefLabel "Dam"@en' }),
      [WEIRS],
      async () => {
        const elsewhere = await write('elsewhere.ttl', file({ 2: 'skos:prefLabel "Weir"@en' }))
        await loadVocabulary(client, [elsewhere], { history: service.history })
      },
    ],
  ])('the index %s', async (_, turtle, expected, meanwhile) => {
    await service.index.caughtUp()
    await service.index.close()
    await meanwhile?.()
    sent = []
    const errors: unknown[] = []
    const index = new IndexOfCommands(service.dataDir, (error) => errors.push(error))
    const written: string[] = []
    const writeIndex = index.write.bind(index)
    index.write = (graph, ...given) => {
      written.push(graph)
      return writeIndex(graph, ...given)
    }
    await load(turtle, { index })
    await index.close()
    expect([written, sent, errors]).toEqual([expected, [], []])
    const indexFile = await IndexFile.open(indexFileIn(service.dataDir), 1 << 20)
    const graph = (await readIndexedGraphs(indexFile)).get(WEIRS)!
    await indexFile.close()
    expect(graph.revision).toBe((await readVocabularies(client))[0]!.revision)
  })

  test('ingests go on during the update and before it, and stay', async () => {
    const update = client.update.bind(client)
    const uris = [await propose()]
    client.update = async (query, ...given) => {
      if (nameOf(query) === 'load/change') uris.push(await propose())
      return update(query, ...given)
    }
    const report = await load(file({ 1: 'skos:prefLabel "Dam"@en' }))
    expect(sent).toEqual([])
    expect(report.proposals.kept).toBe(2)
    uris.push(await propose())
    for (const uri of uris) expect((await service.ask('/data', { uri })).body).toMatchObject([{ uri }])
    expect((await service.ask('/data', { uri: `${WEIRS}w1` })).body).toMatchObject([{ prefLabel: { en: 'Dam' } }])
    // The log knows them now.
    await service.history!.recordIngests()
    await load(file())
    expect(sent).toEqual([])
    for (const uri of uris) expect((await service.ask('/data', { uri })).body).toMatchObject([{ uri }])
  })

  test('an ingest does not wait for somebody who holds nothing of its vocabulary', async () => {
    const turn = await GraphHold.takeTurn(client)
    await propose()
    await turn.release()
  })

  test('readers see the version before or the one after', async () => {
    const turtle = file(Object.fromEntries(Array.from({ length: 6 }, (_, at) => [at, `skos:prefLabel "Dam ${at}"@en`])))
    const seen = new Set<string>()
    let isDone = false
    const look = async () => {
      const query = `SELECT (COUNT(?l) AS ?n) WHERE { GRAPH <${WEIRS}> { ?c <${SKOS}prefLabel> ?l FILTER(STRSTARTS(STR(?l), "Dam")) } }`
      seen.add((await client.select(query))[0]!['n']!.value)
    }
    const reading = (async () => {
      while (!isDone) await look()
    })()
    await load(turtle)
    isDone = true
    await reading
    await look()
    expect([...seen].filter((count) => count !== '0' && count !== '6')).toEqual([])
    expect(seen).toContain('6')
    expect(sent).toEqual([])
  })

  test('what another load writes directly before the update keeps it from changing anything, and the graph is sent', async () => {
    const update = client.update.bind(client)
    let updates = 0
    client.update = async (query, ...given) => {
      if (nameOf(query) === 'load/change' && updates++ === 0) {
        const elsewhere = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
        // The turn is taken, so this is a program that writes as an earlier version did.
        await elsewhere.putGraph(WEIRS, (await exported(elsewhere)).replaceAll(/(:load> ")[^"]*/g, '$1earlier'))
      }
      return update(query, ...given)
    }
    const turtle = file({ 1: 'skos:prefLabel "Dam"@en' })
    await load(turtle)
    expect([updates, sent]).toEqual([1, [WEIRS]])
    await expectAsFresh(turtle)
  })
  async function exported(from: SparqlClient): Promise<string> {
    let text = ''
    for await (const chunk of from.getGraph(WEIRS)) text += Buffer.from(chunk).toString()
    return text
  }

  test.each([
    ['adds', `INSERT DATA { GRAPH <${WEIRS}> { <${WEIRS}w20> <${SKOS}altLabel> "Added"@en } }`],
    [
      'replaces what the load changes',
      `DELETE DATA { GRAPH <${WEIRS}> { <${WEIRS}w1> <${SKOS}prefLabel> "Weir 1"@en } } ;
       INSERT DATA { GRAPH <${WEIRS}> { <${WEIRS}w1> <${SKOS}prefLabel> "Edited"@en } }`,
    ],
  ])('a graph to which another program %s is sent as a whole', async (_, edit) => {
    await client.update(edit, WEIRS)
    const turtle = file({ 1: 'skos:prefLabel "Dam"@en' })
    await load(turtle)
    expect(sent).toEqual([WEIRS])
    await expectAsFresh(turtle)
  })

  test('two commands at once: each is in the store once, in some order', async () => {
    const env = { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint) }
    const versions = [1, 2].map((at) => file({ [at]: 'skos:prefLabel "Dam"@en' }))
    const files = await Promise.all(versions.map((turtle, at) => write(`both-${at}.ttl`, turtle)))
    const ended = await Promise.all(files.map((name) => runToEnd('dist/cli/main.js', ['load', name], env)))
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const now = await triples(WEIRS)
    const dams = now.filter((line) => line.includes('"Dam"@en'))
    expect(dams).toHaveLength(1)
    await expectAsFresh(versions[dams[0]!.includes('w1>') ? 0 : 1]!)
  })
})
