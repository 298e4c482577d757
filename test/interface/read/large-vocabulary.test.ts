/** The record of a vocabulary whose properties are looked up, because it may have very many top concepts. */
import { expect, test } from '@jest/globals'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { TRIPLES } from '../../../src/base/namespaces.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, DEPLOYED } from '../../stores.ts'

const V = 'http://example.org/names/'
const SOURCE = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${V}> .
  @prefix dct: <http://purl.org/dc/terms/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
  @prefix xkos: <http://rdf-vocabulary.ddialliance.org/xkos#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
  <${V}> a skos:ConceptScheme ; skos:prefLabel "Names"@en , "Namen"@de ; skos:altLabel "N"@en ; skos:notation "NAM" ;
    dct:language "en" ; dct:publisher <http://example.org/library> ; dct:creator [ skos:prefLabel "Ada"@en ] ;
    dct:license <http://creativecommons.org/publicdomain/zero/1.0/> ; dct:identifier "http://example.com/names" ;
    dct:created "2001-02-03"^^xsd:date ; dct:modified "2026-11-01"^^xsd:date ; dct:issued "2002-01-01"^^xsd:date ;
    owl:versionInfo "7" ; foaf:page <http://example.org/about> ; dct:extent "2 names"@en ; dct:subject :subject ;
    skos:scopeNote [ rdf:value "for persons"@en ] ; skos:definition "all names"@en ; skos:exactMatch <http://example.com/n> ;
    xkos:levels ( :level ) ; skos:hasTopConcept :a , :b .
  :level a xkos:ClassificationLevel ; skos:prefLabel "names"@en ; xkos:depth 1 .
  <http://example.org/library> skos:prefLabel "Library"@en .
  :a a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "a"@en .
  :b a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "b"@en .`

const { write } = temporaryFolder()

describeOver(DEPLOYED, 'the record of a large vocabulary', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('names.ttl', SOURCE)], { ids: ['names'] })
    app.state.changed()
  })

  test('is that of a small one', async () => {
    const read = async () => [
      (await app.ask('/voc/names')).body,
      (await app.ask('/voc/names', { properties: '*' })).body,
      (await app.ask('/voc', { uri: V, properties: '+topConcepts,altLabel,mappings' })).body,
    ]
    const small = await read()
    expect(small[0][0]).toMatchObject({ version: '7', publisher: [{ prefLabel: { en: 'Library' } }] })
    const text = `DELETE { GRAPH <${V}> { <${V}> <${TRIPLES}> ?n } } INSERT { GRAPH <${V}> { <${V}> <${TRIPLES}> 1000000 } }
      WHERE { GRAPH <${V}> { <${V}> <${TRIPLES}> ?n } }`
    await app.client.update({ name: 'large', text }, V)
    app.registry.invalidate()
    app.state.changed()
    expect((await app.registry.require('names')).lastLoad.triples).toBe(1_000_000)
    expect(await read()).toEqual(small)
  })
})
