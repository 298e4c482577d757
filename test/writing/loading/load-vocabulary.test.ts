import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CONCEPT, CONCEPT_SCHEME, DCT, RDF_TYPE, REVISION, SKOS } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadReport } from '../../../src/writing/loading/report.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { splitFile } from '../../../src/writing/loading/split.ts'
import { startApp } from '../../app.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const demo = (file: string) => fileURLToPath(new URL(`../../../src/doors/demo/${file}`, import.meta.url))

/** IRIs of a file, and those that stores have. */
const IRIS = {
  'http://example.org/a/../b': 'http://example.org/b',
  'http://example.org/a/./b?c=/../d#/../e': 'http://example.org/a/b?c=/../d#/../e',
  'http://example.org?c=/../d': 'http://example.org?c=/../d',
  'http://example.org/a/..': 'http://example.org/',
  'http://example.org/a/.#b': 'http://example.org/a/#b',
  'http://example.org/../..//a/...': 'http://example.org//a/...',
  'http://example.org/a//../b': 'http://example.org/a/b',
  'http://example.org/%2e%2e/.a/b./..c': 'http://example.org/%2e%2e/.a/b./..c',
  'http://../a': 'http://../a',
  'urn:x:a/../b': 'urn:b',
  'urn:./c': 'urn:c',
  'urn:a/..//d': 'urn:/d',
  'tag:x,2000:/../e': 'tag:e',
  'http:f': 'http:f',
  'http:/example.org/g': 'http:/example.org/g',
}

describeOver(EMBEDDED, 'loading into a store', (store) => {
  const { path, write: file } = temporaryFolder()
  let client: SparqlClient
  let running: Awaited<ReturnType<typeof store.start>>

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 10_000 })
  })
  afterAll(async () => {
    await running.stop()
  })

  async function graph(uri: string): Promise<string[]> {
    const chunks: Uint8Array[] = []
    for await (const chunk of client.getGraph(uri)) chunks.push(chunk)
    return Buffer.concat(chunks).toString().split('\n')
  }

  test('the demo: two vocabularies and two subsets, each in the graph of its URI', async () => {
    for (const name of ['crafts.ttl', 'materials.ttl', 'subset-school.ttl', 'subset-textile.ttl']) {
      await loadVocabulary(client, [demo(name)])
    }
    const crafts = 'http://example.org/vocabulary/crafts/'
    const stored = await readVocabularies(client)
    expect(stored.map(({ uri, ids, isSubset, partOf }) => [uri, ids, isSubset, partOf])).toEqual([
      [crafts, ['crafts'], false, []],
      ['http://example.org/vocabulary/materials/', ['materials'], false, []],
      [`${crafts}subset/school`, ['subset_crafts-school'], true, [crafts]],
      [`${crafts}subset/textile`, ['subset_crafts-textile'], true, [crafts]],
    ])
    const tops = await client.select(
      `SELECT ?c WHERE { GRAPH <http://example.org/vocabulary/crafts/> { ?c <${SKOS}topConceptOf> ?s } }`,
    )
    expect(tops).toHaveLength(8)
  })

  test('a shared concept is a top concept of another vocabulary only if its own file makes it one', async () => {
    const shared = (id: string) => `http://example.org/shared/${id}`
    const prefixes = `@prefix skos: <${SKOS}> . @prefix : <${shared('')}> .`
    const inBoth = ':c a skos:Concept ; skos:inScheme :plants , :tools .'
    await loadVocabulary(client, [
      await file(
        'plants.ttl',
        `${prefixes} :plants a skos:ConceptScheme . :a a skos:Concept ; skos:narrower :c . ${inBoth}`,
      ),
    ])
    await loadVocabulary(client, [await file('tools.ttl', `${prefixes} :tools a skos:ConceptScheme . ${inBoth}`)])
    const tops = await client.select(`SELECT DISTINCT ?s WHERE { <${shared('c')}> <${SKOS}topConceptOf> ?s }`)
    expect(tops.map(({ s }) => s!.value)).toEqual([shared('tools')])
  })

  test('a second load replaces the vocabulary as a whole, with a new revision', async () => {
    const uri = 'http://example.org/replaced'
    const revision = async () => {
      const rows = await client.select(`SELECT ?r WHERE { GRAPH <${uri}> { <${uri}> <${REVISION}> ?r } }`)
      expect(rows).toHaveLength(1)
      return rows[0]!.r!.value
    }
    const scheme = `@prefix skos: <${SKOS}> . @prefix dct: <${DCT}> . <${uri}> a skos:ConceptScheme .`
    const concept = (name: string) => `<${uri}/${name}> a skos:Concept ; skos:prefLabel "${name}"@en .`
    const first = await loadVocabulary(client, [await file('v1.ttl', `${scheme} ${concept('one')} ${concept('two')}`)])
    expect(first).toMatchObject({ uri, ids: ['replaced'], replaced: false, concepts: 2 })
    const before = await revision()
    const second = await loadVocabulary(client, [await file('v2.ttl', `${scheme} ${concept('three')}`)])
    expect(second).toMatchObject({ uri, ids: ['replaced'], replaced: true, concepts: 1 })
    const rows = await client.select(`SELECT ?c WHERE { GRAPH <${uri}> { ?c a <${SKOS}Concept> } }`)
    expect(rows.map(({ c }) => c!.value)).toEqual([`${uri}/three`])
    expect(await revision()).not.toBe(before)
  })

  test('an id means the vocabulary that has it, not one with a notation of that kind', async () => {
    const scheme = (uri: string) =>
      `@prefix skos: <${SKOS}> . <${uri}> a skos:ConceptScheme ; skos:notation "same" . <${uri}/c> a skos:Concept .`
    await loadVocabulary(client, [await file('n1.ttl', scheme('http://example.org/n1'))], { ids: ['other'] })
    await loadVocabulary(client, [await file('n2.ttl', scheme('http://example.org/n2'))])
    await loadVocabulary(client, [await file('n0.ttl', scheme('http://example.org/n0'))], { ids: ['another'] })
    const app = await startApp(running.endpoint)
    try {
      const { body } = await app.get('/voc/same')
      expect([body].flat().map(({ uri }) => uri)).toEqual(['http://example.org/n2'])
    } finally {
      await app.close()
    }
  })

  test('the report counts the members of a subset that is written as a scheme', async () => {
    const uri = 'http://example.org/counted'
    const source = `@prefix skos: <${SKOS}> . <${uri}> a skos:ConceptScheme .
      <${uri}/s> a skos:ConceptScheme ; skos:notation "subset_counted" ; <${DCT}isPartOf> <${uri}> ; skos:hasTopConcept <${uri}/a> .
      <${uri}/a> a skos:Concept ; skos:inScheme <${uri}>, <${uri}/s> . <${uri}/b> a skos:Concept ; skos:inScheme <${uri}/s>, <${uri}> .`
    const { subsets } = await loadVocabulary(client, [await file('counted.ttl', source)])
    expect(subsets).toEqual([{ uri: `${uri}/s`, ids: ['subset_counted'], members: 2 }])
  })

  test('a record of a subset needs no types, even if it says something about members', async () => {
    const uri = 'http://example.org/untyped/'
    const prefix = `@prefix skos: <${SKOS}> .`
    const whole = `${prefix} <${uri}> a skos:ConceptScheme . <${uri}a> a skos:Concept ; skos:inScheme <${uri}> .`
    await loadVocabulary(client, [await file('untyped.ttl', whole)])
    const name = `${prefix} <${uri}some> skos:prefLabel "Some"@en .`
    for (const about of ['', `<${uri}a> skos:note "A"@en .`, `<${uri}a> skos:inScheme <${uri}some> .`]) {
      const record = await file('some.ttl', `${name} ${about}`)
      const subset = await addSubset(client, { id: 'subset_untyped', of: 'untyped', branch: `${uri}a`, record })
      expect([about, subset.uri]).toEqual([about, `${uri}some`])
    }
  })

  test('a subset does not replace a vocabulary with its URI, nor a vocabulary a subset', async () => {
    const [whole, other] = ['http://example.org/kind-whole/', 'http://example.org/kind-other/']
    const prefixes = `@prefix skos: <${SKOS}> . @prefix dct: <${DCT}> .`
    const scheme = (uri: string) =>
      `<${uri}> a skos:ConceptScheme . <${uri}a> a skos:Concept ; skos:inScheme <${uri}> .`
    const subset = (uri: string) =>
      `<${uri}> a skos:Collection ; skos:notation "subset_kind" ; dct:isPartOf <${whole}> ; skos:member <${whole}a> .`
    const load = async (text: string) => loadVocabulary(client, [await file('kind.ttl', `${prefixes} ${text}`)])
    await load(scheme(other))
    await load(`${scheme(whole)} ${subset(`${whole}subset/`)}`)
    const message = /has the URI of the (vocabulary kind-other|subset subset_kind)/
    const before = await Promise.all([graph(other), graph(`${whole}subset/`)])
    await expect(load(subset(other))).rejects.toThrow(message)
    await expect(load(`${scheme(whole)} ${subset(other)}`)).rejects.toThrow(message)
    await expect(load(scheme(`${whole}subset/`))).rejects.toThrow(message)
    expect(await Promise.all([graph(other), graph(`${whole}subset/`)])).toEqual(before)
  })

  test('several files are one vocabulary: the scheme, its concepts, alignments of them', async () => {
    const uri = 'http://example.org/three'
    const files = await Promise.all([
      file('three-scheme.nt', `<${uri}> <${RDF_TYPE}> <${CONCEPT_SCHEME}> .\n`),
      file('three-concepts.nt', ['a', 'b'].map((name) => `<${uri}/${name}> <${RDF_TYPE}> <${CONCEPT}> .\n`).join('')),
      file('three-alignments.nt', `<${uri}/a> <${SKOS}exactMatch> <http://example.org/elsewhere/a> .\n`),
    ])
    const report = await loadVocabulary(client, files)
    expect(report).toMatchObject({ uri, ids: ['three'], concepts: 2, read: 4 })
    const rows = await client.select(`SELECT ?match WHERE { GRAPH <${uri}> { <${uri}/a> <${SKOS}exactMatch> ?match } }`)
    expect(rows.map(({ match }) => match!.value)).toEqual(['http://example.org/elsewhere/a'])
  })

  test('each store has the same IRIs, also if Fuseki would change those of the file', async () => {
    const uri = 'http://example.org/dots'
    const scheme = `<${uri}/./x/..> <${RDF_TYPE}> <${CONCEPT_SCHEME}> .`
    const type = `<${uri}/a/../1> <${RDF_TYPE}> <${CONCEPT}> .`
    const triples = Object.keys(IRIS).map((iri) => `<${uri}/1> <${SKOS}exactMatch> <${iri}> .`)
    const statements = [
      `<${uri}/1> <http://example.org/p/../q> "text"^^<http://example.org/t/./u> .`,
      `<${uri}/x/../1> <${SKOS}inScheme> <${uri}/y/../> .`,
    ]
    const source = await file('dots.nt', [scheme, type, ...triples, ...statements].join('\n'))
    const report = await loadVocabulary(client, [source], { scheme: `${uri}/z/../`, ids: ['dots'] })
    expect(report).toMatchObject({ uri: `${uri}/`, concepts: 1 })
    const lines = new Set((await graph(`${uri}/`)).filter((line) => line.startsWith(`<${uri}/1> `)))
    const matches = Object.values(IRIS).map((iri) => `<${uri}/1> <${SKOS}exactMatch> <${iri}> .`)
    expect([...lines].filter((line) => line.includes('exactMatch')).sort()).toEqual([...new Set(matches)].sort())
    expect(lines).toContain(`<${uri}/1> <${SKOS}inScheme> <${uri}/> .`)
    expect(lines).toContain(`<${uri}/1> <http://example.org/q> "text"^^<http://example.org/t/u> .`)
    const again = await loadVocabulary(client, [source], { scheme: `${uri}/`, ids: ['dots'] })
    expect(again).toMatchObject({ replaced: true, created: 0, changed: 0, gone: 0, mappingsLost: 0 })
    expect(again.changes['dot segments removed from an IRI']).toBe(report.changes['dot segments removed from an IRI'])
  })

  test('ill-formed language tags are cut, and loading the file again changes nothing', async () => {
    const uri = 'http://example.org/tags'
    const source = await file(
      'tags.ttl',
      `@prefix skos: <${SKOS}> . <${uri}> a skos:ConceptScheme .
      <${uri}/1> a skos:Concept ; skos:prefLabel "A"@en-a-b, "B"@a ; skos:altLabel "C"@de-x, "D"@fr-CA .`,
    )
    const report = await loadVocabulary(client, [source], { ids: ['tags'] })
    expect(report.changes['ill-formed language tag cut']).toBe(3)
    expect(report.warnings.map(({ rule, count }) => [rule, count])).toContainEqual(['language-tag', 1])
    const rows = await client.select(`SELECT ?l { GRAPH <${uri}> { <${uri}/1> ?p ?l FILTER(LANG(?l) != "") } }`)
    const labels = rows.map(({ l }) => `${l!.value} ${l!['xml:lang']!.toLowerCase()}`)
    expect(labels.sort()).toEqual(['A en', 'B und', 'C de', 'D fr-ca'])
    expect(await loadVocabulary(client, [source], { ids: ['tags'] })).toMatchObject({ created: 0, changed: 0, gone: 0 })
  })

  test('patterns of URIs and notations are kept, of RDF and of JSKOS', async () => {
    const uri = 'http://example.org/patterns'
    const patterns = { uriPattern: `^${uri}/([0-9]+)$`, notationPattern: '[0-9]+', namespace: `${uri}/` }
    const turtle = `@prefix skos: <${SKOS}> . @prefix void: <http://rdfs.org/ns/void#> . @prefix idot: <http://identifiers.org/idot/> .
      <${uri}> a skos:ConceptScheme ; void:uriSpace "${patterns.namespace}" ; void:uriRegexPattern "${patterns.uriPattern}" ;
        idot:identifierPattern "${patterns.notationPattern}" . <${uri}/1> a skos:Concept ; skos:notation "1" .`
    const jskos = JSON.stringify([
      { uri, type: [CONCEPT_SCHEME], prefLabel: { en: 'Patterns' }, ...patterns },
      { uri: `${uri}/1`, type: [CONCEPT], inScheme: [{ uri }], notation: ['1'] },
    ])
    const app = await startApp(running.endpoint)
    try {
      for (const source of [await file('patterns.ttl', turtle), await file('patterns.json', jskos)]) {
        await loadVocabulary(client, [source])
        app.registry.invalidate()
        app.state.changed()
        expect((await app.ask('/voc', { uri })).body).toMatchObject([patterns])
      }
    } finally {
      await app.close()
    }
  })

  test('every scheme of a split file is a vocabulary with its own resources only', async () => {
    const at = 'http://example.org/several/'
    const source = `@prefix skos: <${SKOS}> . @prefix : <${at}> .
      :a a skos:ConceptScheme ; skos:prefLabel "A"@en . :b a skos:ConceptScheme ; skos:notation "several-b" .
      :a1 a skos:Concept ; skos:inScheme :a . :a2 a skos:Concept ; skos:inScheme :a ; skos:broader :a1 .
      :b1 a skos:Concept ; skos:inScheme :b ; skos:broader :a2 . :both a skos:Concept ; skos:inScheme :a, :b .`
    const { schemes } = await splitFile(await file('several.ttl', source), path('several'))
    const load = async () => {
      const reports: LoadReport[] = []
      for (const scheme of schemes) reports.push(await loadVocabulary(client, [scheme.file]))
      return reports
    }
    const reports = (await load()).map(({ uri, ids, concepts, replaced }) => [
      uri.slice(at.length),
      ids,
      concepts,
      replaced,
    ])
    expect(reports).toEqual([
      ['a', ['a'], 3, false],
      ['b', ['several-b'], 2, false],
    ])
    expect((await load()).map(({ replaced }) => replaced)).toEqual([true, true])
    const app = await startApp(running.endpoint)
    const names = async (path: string, parameters: Record<string, string>) => {
      const { body } = await app.ask(path, parameters)
      return body.map(({ uri }: { uri: string }) => uri.slice(at.length)).sort()
    }
    try {
      expect(await names('/voc/concepts', { uri: `${at}a` })).toEqual(['a1', 'a2', 'both'])
      expect(await names('/voc/concepts', { uri: `${at}b` })).toEqual(['b1', 'both'])
      expect(await names('/voc/a/top', {})).toEqual(['a1', 'both'])
      expect(await names('/voc/several-b/top', {})).toEqual(['b1', 'both'])
      // A chain does not end where the vocabulary of the concept does.
      expect(await names('/broader', { uri: `${at}b1` })).toEqual(['a2'])
      expect(await names('/broader', { uri: `${at}b1`, voc: 'several-b' })).toEqual([])
      const { body } = await app.ask('/data', { uri: `${at}both` })
      expect(body[0].inScheme.map(({ uri }: { uri: string }) => uri)).toEqual([`${at}a`, `${at}b`])
    } finally {
      await app.close()
    }
  })

  const bgs = ['Geochronology/Geochronology.nt', 'Geochronology/Geochronology-alignments-inspire.nt'].map((name) =>
    resolve(TEST_DATA, 'wild', `bgs-vocabularies_${name.replaceAll('/', '_')}`),
  )
  ;(NO_DATA ? test.skip : test)(`files as they are found are one vocabulary${NO_DATA}`, async () => {
    const mappings = resolve(TEST_DATA, 'wild/bgs-metadata_linked-data-mappings.nt')
    const { uri, concepts } = await loadVocabulary(client, [...bgs, mappings])
    expect({ uri, concepts }).toEqual({ uri: 'http://data.bgs.ac.uk/ref/Geochronology/Division', concepts: 423 })
    const matches = await client.select(
      `SELECT ?c WHERE { GRAPH <${uri}> { ?c <${SKOS}exactMatch> ?match FILTER(STRSTARTS(STR(?match), "https://inspire.ec.europa.eu/")) } }`,
    )
    const stated = readFileSync(bgs[1]!, 'utf8').match(/#exactMatch> <https:\/\/inspire/g)
    expect(matches).toHaveLength(stated!.length)
  })
})
