import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { History } from '../../../src/writing/history/history.ts'
import type { Change } from '../../../src/writing/history/log/change.ts'
import { findGone } from '../../../src/writing/history/versions.ts'
import type { LoadCommitOptions } from '../../../src/writing/loading/commit.ts'
import { foretellLoad, loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadOptions } from '../../../src/writing/loading/prepare.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { CONCEPT, RDF_TYPE } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { removeSubset, removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { newDirectory } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { replayed, stored } from './agreement.ts'

const BRIDGES = 'http://example.org/bridges/'
const PREFIXES = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix dct: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix : <${BRIDGES}> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en .
`

describeOver(EMBEDDED, 'the history', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let client: SparqlClient
  let folder: string
  let history: History

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    folder = await newDirectory()
    history = await History.open(folder, client)
  })

  afterAll(async () => {
    await history.close()
    await running.stop()
    await rm(folder, { recursive: true })
  })

  const load = async (turtle: string, options: LoadOptions & LoadCommitOptions = {}) => {
    const file = join(folder, 'bridges.ttl')
    await writeFile(file, PREFIXES + turtle)
    return loadVocabulary(client, [file], { ids: ['bridges'], history, check: false, ...options })
  }

  const changes = async (from = 0) =>
    (await history.log.page((await history.log.graph(BRIDGES))!, from, 1e6)).map(brief)

  const expectAgreement = async (graph = BRIDGES) =>
    expect(await replayed(history, graph)).toEqual(await stored(client, graph))

  test('a load records new, changed, deprecated and deleted concepts', async () => {
    await load(`:arch a skos:Concept ; skos:prefLabel "Arch"@en . :beam a skos:Concept ; skos:prefLabel "Beam"@en .
      :old a skos:Concept ; skos:prefLabel "Old"@en . :toll a skos:Concept ; skos:prefLabel "Toll"@en .`)
    expect((await changes()).sort()).toEqual(
      ['', 'arch', 'beam', 'old', 'toll'].map((name) => `Create ${BRIDGES}${name}`),
    )
    await expectAgreement()
    await load(`:arch a skos:Concept ; skos:prefLabel "Arch"@en . :beam a skos:Concept ; skos:prefLabel "Beam bridge"@en .
      :old a skos:Concept ; skos:prefLabel "Old"@en ; owl:deprecated true . :rope a skos:Concept ; skos:prefLabel "Rope"@en .`)
    expect((await changes(5)).sort()).toEqual([
      `Create ${BRIDGES}rope`,
      `Delete ${BRIDGES}toll`,
      `Deprecate ${BRIDGES}old`,
      `Update ${BRIDGES}`,
      `Update ${BRIDGES}beam`,
    ])
    const [last] = await history.log.changesOf(`${BRIDGES}beam`)
    expect(last).toMatchObject({
      cause: { by: 'load', files: ['bridges.ttl'] },
      removed: ['<http://www.w3.org/2004/02/skos/core#prefLabel> "Beam"@en'],
      added: ['<http://www.w3.org/2004/02/skos/core#prefLabel> "Beam bridge"@en'],
    })
    await expectAgreement()
  })

  test('a load of the same statements in another order, with other labels and spellings, records nothing', async () => {
    const first = `:a a skos:Concept ; skos:prefLabel "A \\u00e9\\t\\"x\\""@en ; skos:note [ dct:issued "2020-01-01T00:00:00.500Z"^^xsd:dateTime ; dct:extent 1.50 , 07 ] .
      :b a skos:Concept ; skos:broader :a ; skos:note _:x . _:x dct:extent "1"^^xsd:boolean ; dct:relation ( :a [] "z" ) .`
    const other = `:b skos:note [ dct:relation ( :a [] "z" ) ; dct:extent true ] ; skos:broader :a ; a skos:Concept .
      :a skos:note _:q . _:q dct:extent 7 , 1.5 ; dct:issued "2020-01-01T00:00:00.5+00:00"^^xsd:dateTime .
      :a skos:prefLabel "A é\\t\\"x\\""@EN ; a skos:Concept .`
    await load(first)
    const before = await history.log.graph(BRIDGES)
    await load(other)
    expect(await history.log.graph(BRIDGES)).toEqual({ ...before, load: expect.any(String) })
    await normaliseStored(client, 'bridges', history)
    expect(await history.log.graph(BRIDGES)).toEqual({ ...before, load: expect.any(String) })
    await expectAgreement()
  })

  describe('the same file again', () => {
    const about = [
      ':a a skos:Concept ; skos:prefLabel "A"@en ; skos:note [ dct:extent 1 ] .',
      ':b a skos:Concept ; skos:broader :a .',
    ]
    const bridges = about.join('\n')
    const larger = `${bridges} :new a skos:Concept ; skos:prefLabel "New"@en .`
    const insertNew = () =>
      client.update(`INSERT DATA { GRAPH <${BRIDGES}> { <${BRIDGES}new> a <${CONCEPT}> } }`, BRIDGES)
    const ingestNew = async () => {
      const time = new Date().toISOString()
      const id = await history.intend({ graph: BRIDGES, time, account: 'editor', uris: [`${BRIDGES}new`] })
      await insertNew()
      history.end(id)
    }
    /** A load whose first call of a method fails. If only `commit` fails, the store has the load, and it ends well. */
    const loadUntil = async <Name extends string>(object: Record<Name, unknown>, method: Name, turtle: string) => {
      const original = object[method]
      object[method] = () => Promise.reject(new Error('killed'))
      const loading = load(turtle).finally(() => (object[method] = original))
      if (method === 'commit') await loading
      else await expect(loading).rejects.toThrow('killed')
    }

    const none: string[] = []
    const ingested = ['Create new', 'Delete new']
    // The scheme names its top concepts.
    const loaded = [...ingested, 'Update ', 'Update ']
    const replaced = ['Create ', 'Create b', 'Delete ', 'Delete b', 'Update a', 'Update a']
    const removed = ['Create ', 'Create a', 'Create b', 'Delete ', 'Delete a', 'Delete b']
    type Case = [between: string, act: () => Promise<unknown>, expected: string[]]
    const cases: Case[] = [
      ['nothing else', () => Promise.resolve(), none],
      ['a subset', () => addSubset(client, { id: 'subset_c', of: 'bridges', branch: `${BRIDGES}a` }, history), none],
      ['a load without a history', () => load(bridges, { history: undefined }), none],
      ['another order', () => load(about.toReversed().join('\n')), none],
      ['another id', () => load(bridges, { ids: ['spans'] }), ['Update ', 'Update ']],
      ['another file', () => load(larger), loaded],
      ['another file without a history', () => load(larger, { history: undefined }), loaded],
      ['an ingest', ingestNew, ingested],
      // The log does not know of it, and the load takes it back.
      ['a change by SPARQL', insertNew, none],
      [
        'a change by SPARQL and normalise',
        async () => {
          await insertNew()
          await normaliseStored(client, 'bridges', history)
        },
        loaded,
      ],
      [
        'the graph of another program',
        () => client.putGraph(BRIDGES, `<${BRIDGES}a> <${RDF_TYPE}> <${CONCEPT}> .`),
        replaced,
      ],
      ['a removal', () => removeVocabulary(client, 'bridges', history), removed],
      [
        'a load of it that was killed when the store had it',
        () => loadUntil(history.log.drafts, 'commit', bridges),
        none,
      ],
      [
        'a load of another file that was killed before the store had it',
        () => loadUntil(client, 'update', larger),
        none,
      ],
      [
        'a load of another file that was killed when the store had it',
        () => loadUntil(history.log.drafts, 'commit', larger),
        loaded,
      ],
    ]
    test.each(cases)('after %s', async (_, act, expected) => {
      await load(bridges)
      const { changes: from } = (await history.log.graph(BRIDGES))!
      await act()
      await load(bridges)
      const noted = (await changes(from)).map((change) => change.replace(BRIDGES, ''))
      expect(noted.sort()).toEqual(expected)
      await expectAgreement()
      const { changes: last } = (await history.log.graph(BRIDGES))!
      await load(bridges)
      expect(await changes(last)).toEqual([])
    })
  })

  test('normalise finds changes made directly in the store', async () => {
    await load(`:a a skos:Concept ; skos:prefLabel "A"@en . :b a skos:Concept ; skos:broader :a ; skos:note [ dct:extent 1 ] .
      :toll a skos:Concept ; skos:prefLabel "Toll"@en .`)
    const { uri: subset } = await addSubset(client, { id: 'subset_a', of: 'bridges', branch: `${BRIDGES}a` }, history)
    const { changes: from } = (await history.log.graph(BRIDGES))!
    const { changes: fromSubset } = (await history.log.graph(subset))!
    await client.update(
      `PREFIX skos: <http://www.w3.org/2004/02/skos/core#> PREFIX owl: <http://www.w3.org/2002/07/owl#> PREFIX : <${BRIDGES}>
      INSERT DATA { GRAPH <${BRIDGES}> { :a skos:altLabel "Alpha"@en . :new a skos:Concept ; skos:prefLabel "New"@en . :b owl:deprecated true } } ;
      DELETE WHERE { GRAPH <${BRIDGES}> { :toll ?p ?o . ?scheme skos:hasTopConcept :toll } }`,
      BRIDGES,
    )
    await client.update(
      `INSERT DATA { GRAPH <${subset}> { <${BRIDGES}a> <http://purl.org/dc/terms/extent> 1 } }`,
      subset,
    )
    // Until then the log has nothing of it.
    await history.follow(`${BRIDGES}a`)
    expect(await changes(from)).toEqual([])
    await normaliseStored(client, 'bridges', history)
    expect((await changes(from)).sort()).toEqual([
      `Create ${BRIDGES}new`,
      `Delete ${BRIDGES}toll`,
      `Deprecate ${BRIDGES}b`,
      // Its top concepts.
      `Update ${BRIDGES}`,
      `Update ${BRIDGES}a`,
    ])
    for (const { cause } of await history.log.page((await history.log.graph(BRIDGES))!, from, 1e6))
      expect(cause).toEqual({ by: 'normalise', files: undefined })
    expect((await history.log.graph(subset))!.changes).toBe(fromSubset)
    expect((await history.log.changesOf(`${BRIDGES}a`))[0]).toMatchObject({ graph: subset, isListed: false })
    await expectAgreement()
    await expectAgreement(subset)
    // A second run finds nothing.
    const before = [await history.log.graph(BRIDGES), await history.log.graph(subset)]
    await normaliseStored(client, 'bridges', history)
    const after = [await history.log.graph(BRIDGES), await history.log.graph(subset)]
    expect(after.map((graph) => ({ ...graph, load: '' }))).toEqual(before.map((graph) => ({ ...graph, load: '' })))
    await removeSubset(client, 'subset_a', history)
  })

  test('a concept that others still name ends when nothing describes it any more', async () => {
    const gone = `${BRIDGES}gone`
    const linking = `:a a skos:Concept ; skos:prefLabel "A"@en ; skos:broader :gone .`
    const whole = `${linking} :gone a skos:Concept ; skos:prefLabel "Gone"@en ; dct:isReplacedBy :a .`
    const kinds = async () => (await history.log.changesOf(gone)).map(({ kind }) => kind)
    await load(whole)
    const file = join(folder, 'others.ttl')
    await writeFile(file, PREFIXES + linking)
    const difference = await foretellLoad(client, [file], { ids: ['bridges'], check: false })
    expect(difference).toMatchObject({ gone: 1, vanishing: [gone] })
    await load(linking)
    // The hierarchy is written in both directions.
    expect((await stored(client, BRIDGES)).get(gone)).toEqual([expect.stringContaining('narrower')])
    expect(await kinds()).toEqual(['Delete', 'Create'])
    expect(await findGone(history, [gone])).toMatchObject({
      prefLabel: { en: 'Gone' },
      replacedBy: [{ uri: `${BRIDGES}a` }],
    })
    await expectAgreement()
    await load(`${linking} :b a skos:Concept ; skos:broader :gone .`)
    expect(await kinds()).toEqual(['Update', 'Delete', 'Create'])
    expect(await findGone(history, [gone])).toMatchObject({
      prefLabel: { en: 'Gone' },
      replacedBy: [{ uri: `${BRIDGES}a` }],
    })
    await load(linking)
    await load(whole)
    expect((await kinds())[0]).toBe('Create')
    expect(await findGone(history, [gone])).toBeUndefined()
    await load(`:a a skos:Concept .`)
    expect((await kinds())[0]).toBe('Delete')
    await expectAgreement()
  })

  test('a subset, and the end of a vocabulary with it', async () => {
    const { uri } = await addSubset(client, { id: 'subset_b', of: 'bridges', branch: `${BRIDGES}a` }, history)
    expect(await replayed(history, uri)).toEqual(await stored(client, uri))
    await removeVocabulary(client, 'bridges', history)
    expect(await replayed(history, uri)).toEqual(new Map())
    expect(await replayed(history, BRIDGES)).toEqual(new Map())
    expect((await history.log.changesOf(`${BRIDGES}a`))[0]).toMatchObject({ kind: 'Delete', cause: { by: 'remove' } })
    await load(`:a a skos:Concept ; skos:prefLabel "A"@en .`)
    expect((await history.log.changesOf(`${BRIDGES}a`))[0]).toMatchObject({ kind: 'Create' })
    await expectAgreement()
  })

  test('the log records the earlier state of a vocabulary that is older than the log', async () => {
    const file = join(folder, 'ferries.ttl')
    const ferries = (label: string) =>
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <http://example.org/ferries/> a skos:ConceptScheme ; skos:prefLabel "F"@en .
       <http://example.org/ferries/1> a skos:Concept ; skos:prefLabel "${label}"@en .`
    await writeFile(file, ferries('One'))
    await loadVocabulary(client, [file])
    await writeFile(file, ferries('First'))
    await loadVocabulary(client, [file], { history })
    const [update, first] = await history.log.changesOf('http://example.org/ferries/1')
    expect(update).toMatchObject({ kind: 'Update', cause: { by: 'load' } })
    expect(first).toMatchObject({ kind: 'Add', cause: { by: 'found' } })
  })

  test('a dry run reports the changes of a load and makes none', async () => {
    await load(
      `:a a skos:Concept ; skos:prefLabel "A"@en ; skos:exactMatch <http://example.org/x> . :b a skos:Concept ; skos:prefLabel "B"@en .`,
    )
    const before = [await stored(client, BRIDGES), await history.log.graph(BRIDGES)]
    const file = join(folder, 'dry.ttl')
    await writeFile(
      file,
      `${PREFIXES} :a a skos:Concept ; skos:prefLabel "A"@en ; owl:deprecated true . :c a skos:Concept ; skos:broader :a ; skos:prefLabel "C"@en .`,
    )
    expect(await foretellLoad(client, [file], { ids: ['bridges'], check: false })).toMatchObject({
      uri: BRIDGES,
      concepts: 2,
      ids: ['bridges'],
      replaced: true,
      created: 1,
      changed: 1,
      deprecated: 1,
      gone: 1,
      topConceptsLost: 1,
      mappingsLost: 1,
      vanishing: [`${BRIDGES}b`],
      proposals: { kept: 0, takenOver: 0, dropped: 0 },
    })
    expect([await stored(client, BRIDGES), await history.log.graph(BRIDGES)]).toEqual(before)
  })

  test('if nothing changes, a dry run and the log say so, in whatever form the store writes values', async () => {
    const values = [
      '"x"@de-CH, "x"@zh-hant-tw, "\\u0001\\u007F"@en-us, "\\u0001", "<:a> @EN"',
      '"2020-01-01T00:00:00.0Z"^^xsd:dateTimeStamp, "2020-01-01-00:00"^^xsd:date, "00:00:00.10"^^xsd:time',
      ...['0.1', '16777217', '0.3333333333', '123456789.123456789', '1e-50', '-0', '1E39'].map(
        (number) => `"${number}"^^xsd:float, "${number}"^^xsd:double, "-${number}"^^xsd:double`,
      ),
      ...['1e400', '-1e400', '+INF', '-INF', 'NaN'].map((number) => `"${number}"^^xsd:float, "${number}"^^xsd:double`),
      ...['1.', '.5', '-0.0', '123456789012345678901.0'].map((number) => `"${number}"^^xsd:decimal`),
      ...['byte', 'unsignedLong', 'positiveInteger'].map((type) => `"+01"^^xsd:${type}`),
    ]
    const about = values.map((some, at) => `:${at} a skos:Concept ; :value ${some} .`).join('\n')
    const dryRun = async () => {
      const file = join(folder, 'values.ttl')
      await writeFile(file, PREFIXES + about)
      return foretellLoad(client, [file], { ids: ['bridges'], check: false })
    }
    // The first log state comes from the store, not from the file.
    await load(about, { history: undefined })
    await normaliseStored(client, 'bridges', history)
    const before = await history.log.graph(BRIDGES)
    expect(await dryRun()).toMatchObject({ created: 0, changed: 0, deprecated: 0, gone: 0, vanishing: [] })
    expect(await load(about)).toMatchObject({ created: 0, changed: 0, deprecated: 0, gone: 0 })
    expect(await history.log.graph(BRIDGES)).toEqual({ ...before, load: expect.any(String) })
    await expectAgreement()
  })

  test('an ingest that ends while the history looks for its concepts is recorded', async () => {
    await load(`:a a skos:Concept ; skos:prefLabel "A"@en .`)
    const uri = `${BRIDGES}late`
    const id = await history.intend({ graph: BRIDGES, time: new Date().toISOString(), account: 'editor', uris: [uri] })
    const original = client.construct.bind(client)
    client.construct = async (...args) => {
      client.construct = original
      const before = await original(...args)
      await client.update(`INSERT DATA { GRAPH <${BRIDGES}> { <${uri}> a <${CONCEPT}> } }`, BRIDGES)
      history.end(id)
      return before
    }
    await history.recordStored(BRIDGES, { by: 'load' })
    await history.recordIngests()
    expect(await history.log.changesOf(uri)).toEqual([
      expect.objectContaining({ kind: 'Create', cause: { by: 'ingest', account: 'editor' } }),
    ])
    await expectAgreement()
  })

  test.each(['before', 'while'])('an ingest that ends %s the history reads a graph has its account', async (when) => {
    await load(`:a a skos:Concept ; skos:prefLabel "A"@en .`)
    const uri = `${BRIDGES}ingested-${when}`
    const ingest = async () => {
      await history.intend({ graph: BRIDGES, time: new Date().toISOString(), account: 'editor', uris: [uri] })
      await client.update(`INSERT DATA { GRAPH <${BRIDGES}> { <${uri}> a <${CONCEPT}> } }`, BRIDGES)
    }
    if (when === 'before') await ingest()
    const original = client.getGraph.bind(client)
    client.getGraph = async function* (...args) {
      client.getGraph = original
      if (when === 'while') await ingest()
      yield* original(...args)
    }
    await history.recordStored(BRIDGES, { by: 'load' })
    expect(await history.log.changesOf(uri)).toEqual([
      expect.objectContaining({ kind: 'Create', cause: { by: 'ingest', account: 'editor' } }),
    ])
    await expectAgreement()
  })

  test.each([
    ['before the store has the graph', false],
    ['after the store has the graph', true],
  ])('a load that is killed %s', async (_, isPut) => {
    await load(`:a a skos:Concept ; skos:prefLabel "A"@en .`)
    const killed = new Error('killed')
    const commit = history.log.drafts.commit.bind(history.log.drafts)
    history.log.drafts.commit = () => Promise.reject(killed)
    const putGraph = client.putGraph.bind(client)
    if (!isPut) client.putGraph = () => Promise.reject(killed)
    const loading = load(`:killed-${isPut} a skos:Concept ; skos:prefLabel "B"@en .`)
    if (isPut) await loading
    else await expect(loading).rejects.toThrow(killed)
    client.putGraph = putGraph
    history.log.drafts.commit = commit
    await history.recover()
    await expectAgreement()
    await load(`:c a skos:Concept ; skos:prefLabel "C"@en .`)
    await expectAgreement()
    expect((await history.log.changesOf(`${BRIDGES}killed-${isPut}`)).map(({ kind }) => kind)).toEqual(
      isPut ? ['Delete', 'Create'] : [],
    )
  })
})

function brief({ kind, uri }: Change): string {
  return `${kind} ${uri}`
}
