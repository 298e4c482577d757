/** Concepts of other vocabularies that a file describes only because its own concepts are mapped to them. */
import { expect, test } from '@jest/globals'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/weather/'
const RAIN = 'http://other.example/rain'
const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix void: <http://rdfs.org/ns/void#> .
@prefix vann: <http://purl.org/vocab/vann/> . @prefix o: <http://other.example/> . @prefix : <${V}> . `
const SCHEME = '<http://example.org/weather> a skos:ConceptScheme ; skos:prefLabel "Weather"@en . '
const CONCEPTS = ':rain a skos:Concept ; skos:prefLabel "rain"@en . :snow a skos:Concept ; skos:prefLabel "snow"@en . '
const TARGET = 'o:rain a skos:Concept ; skos:prefLabel "pluie"@fr . '

const { write } = temporaryFolder()

test.each<[title: string, text: string, concepts: number]>([
  ['an exactMatch', ':rain skos:exactMatch o:rain .', 2],
  ['a mappingRelation and a related', ':rain skos:mappingRelation o:rain ; skos:related o:rain .', 2],
  ['two mappings that are mapped to each other', ':rain skos:closeMatch o:rain . o:rain skos:broadMatch :rain .', 2],
  ['no mapping leads to it', 'o:rain skos:exactMatch :rain .', 3],
  ['it is in the scheme', ':rain skos:exactMatch o:rain . o:rain skos:inScheme <http://example.org/weather> .', 3],
  ['it is a top concept', ':rain skos:exactMatch o:rain . <http://example.org/weather> skos:hasTopConcept o:rain .', 3],
  ['it has something broader', ':rain skos:exactMatch o:rain . o:rain skos:broader :snow .', 3],
  ['something has it as broader', ':rain skos:exactMatch o:rain . :snow skos:broader o:rain .', 3],
  ['it is in a collection', ':rain skos:exactMatch o:rain . :c a skos:Collection ; skos:member o:rain .', 3],
  [
    'it is in a list',
    ':rain skos:exactMatch o:rain . :c a skos:OrderedCollection ; skos:memberList ( :rain o:rain ) .',
    3,
  ],
  [
    'it begins with the stated namespace',
    ':rain skos:exactMatch o:rain . <http://example.org/weather> void:uriSpace "http://other.example/" .',
    3,
  ],
  [
    'it begins with the preferred namespace',
    ':rain skos:exactMatch o:rain . <http://example.org/weather> vann:preferredNamespaceUri o: .',
    3,
  ],
  [
    'a mapping within the vocabulary',
    ':rain skos:closeMatch :snow . o:rain skos:inScheme <http://example.org/weather> .',
    3,
  ],
])('%s', async (_, text, concepts) => {
  const file = await write('target.ttl', `${PREFIXES}${SCHEME}${CONCEPTS}${TARGET}${text}`)
  const prepared = await prepareVocabulary([file])
  const graph = prepared.normalised.graphs.read(0)
  prepared.close()
  expect(prepared.normalised.concepts).toBe(concepts)
  expect(graph).toContain(`<${RAIN}> <http://www.w3.org/2004/02/skos/core#prefLabel> "pluie"@fr`)
  expect(graph.includes(`<${RAIN}> <http://www.w3.org/2004/02/skos/core#inScheme>`)).toBe(concepts === 3)
  expect(prepared.normalised.changes['concept of another vocabulary that is only mapped to left out'] ?? 0).toBe(
    3 - concepts,
  )
})

test('a check counts the same concepts', async () => {
  const file = await write('target.ttl', `${PREFIXES}${SCHEME}${CONCEPTS}${TARGET}:rain skos:exactMatch o:rain .`)
  expect((await checkFiles([file])).concepts).toBe(2)
})

test('without a namespace, and of nothing but mapped concepts, all are concepts', async () => {
  for (const text of [
    `${SCHEME}${CONCEPTS}${TARGET}<urn:x:1> a skos:Concept . :rain skos:exactMatch o:rain .`,
    `${SCHEME}${TARGET}:rain a skos:Concept ; skos:exactMatch o:rain . o:rain skos:exactMatch :rain .`,
  ]) {
    const prepared = await prepareVocabulary([await write('all.ttl', PREFIXES + text)], { check: false })
    prepared.close()
    expect(prepared.normalised.changes['concept of another vocabulary that is only mapped to left out']).toBeUndefined()
  }
})

describeOver(EMBEDDED, 'a vocabulary with the names of concepts that it is mapped to', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    const rdf = `<?xml version="1.0"?>
      <rdf:RDF xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <skos:ConceptScheme rdf:about="http://example.org/weather"><skos:prefLabel xml:lang="en">Weather</skos:prefLabel></skos:ConceptScheme>
        <skos:Concept rdf:about="${V}rain"><skos:prefLabel xml:lang="en">rain</skos:prefLabel>
          <skos:inScheme rdf:resource="http://example.org/weather"/>
          <skos:exactMatch><skos:Concept rdf:about="${RAIN}"><skos:prefLabel xml:lang="fr">pluie</skos:prefLabel></skos:Concept></skos:exactMatch>
        </skos:Concept>
      </rdf:RDF>`
    const report = await loadVocabulary(app.client, [await write('weather.rdf', rdf)])
    expect(report).toMatchObject({ concepts: 1, created: 2, warnings: [] })
    await app.index.refresh([report.uri])
    await app.index.caughtUp()
  })

  test.each<[path: string, parameters: Record<string, string>, expected: string[]]>([
    ['/voc/weather/concepts', {}, [`${V}rain`]],
    ['/voc/weather/top', {}, [`${V}rain`]],
    ['/search', { query: 'pluie' }, []],
    ['/search', { query: 'rain' }, [`${V}rain`]],
    ['/data', { uri: RAIN }, []],
  ])('%s %j', async (path, parameters, expected) => {
    const { body } = await app.ask(path, parameters)
    expect((body as { uri: string }[]).map(({ uri }) => uri)).toEqual(expected)
  })

  test('the graph keeps the name and the mapping; loading an export again changes nothing', async () => {
    const { text } = await app.ask('/voc/weather/export', { format: 'ntriples' })
    expect(text).toContain(`<${RAIN}> <http://www.w3.org/2004/02/skos/core#prefLabel> "pluie"@fr`)
    expect(text).toContain(`<http://www.w3.org/2004/02/skos/core#exactMatch> <${RAIN}>`)
    const report = await loadVocabulary(app.client, [await write('export.nt', text)])
    expect(report).toMatchObject({ concepts: 1, created: 0, changed: 0, gone: 0, changes: {} })
  })
})
