/** Concepts of a vocabulary whose file has more concept schemes, such as the microthesauri of EuroVoc. */
import { expect, test } from '@jest/globals'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/thesaurus/'
const MICROTHESAURUS = `${V}m1`
/** The notation of the microthesaurus comes before the id of the vocabulary. */
const SOURCE = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${V}> .
  <${V}> a skos:ConceptScheme ; skos:prefLabel "Thesaurus"@en .
  :m1 a skos:ConceptScheme ; skos:notation "0406" ; skos:prefLabel "0406 politics"@en .
  :c1 a skos:Concept ; skos:inScheme :m1 , <${V}> ; skos:topConceptOf :m1 , <${V}> ; skos:prefLabel "state"@en .
  :m2 a skos:ConceptScheme ; skos:prefLabel "1000 occupations"@en .
  :c2 a skos:Concept ; skos:inScheme :m2 , <${V}> ; skos:broader :c1 ; skos:prefLabel "officer"@en .
  :c3 a skos:Concept ; skos:inScheme :m2 , <${V}> ; skos:broader :c2 ; skos:prefLabel "judge"@en .`

const { write } = temporaryFolder()
const uris = (links: readonly { uri: string }[]) => links.map(({ uri }) => uri)

describeOver(EMBEDDED, 'concept schemes that are no vocabularies', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('thesaurus.ttl', SOURCE)], { scheme: V })
    app.state.changed()
    await app.index.refresh([V])
  })

  test.each([
    ['/data', { uri: `${V}c1` }],
    ['/voc/thesaurus/top', {}],
    ['/search', { query: 'state' }],
  ])('records of %s have the vocabulary first', async (path, query) => {
    const [record] = (await app.ask(path, { ...query, properties: 'inScheme,topConceptOf' })).body
    expect(uris(record.inScheme)).toEqual([V, MICROTHESAURUS])
    expect(uris(record.topConceptOf)).toEqual([V, MICROTHESAURUS])
  })

  test('a top concept of another scheme does not end the chain of ancestors', async () => {
    const [top] = (await app.ask('/data', { uri: `${V}c2` })).body
    expect(uris(top.topConceptOf)).toEqual([`${V}m2`])
    const uri = `${V}c3`
    expect(uris((await app.ask('/ancestors', { uri })).body)).toEqual([`${V}c2`, `${V}c1`])
    const [record] = (await app.ask('/data', { uri, properties: 'ancestors' })).body
    expect(uris(record.ancestors)).toEqual([`${V}c2`, `${V}c1`])
    const tree = (await app.ask('/voc/thesaurus/tree', { at: uri })).body
    expect(uris(tree.ancestors)).toEqual([`${V}c2`, `${V}c1`])
  })

  test('the page of a concept leads to the vocabulary, and to the URI of the other scheme', async () => {
    const { text } = await app.get(`/concept?uri=${encodeURIComponent(`${V}c1`)}`)
    expect(text).toContain('<title>state – Thesaurus')
    expect(text).toContain('In: Thesaurus.')
    expect(text).toContain(`href="${MICROTHESAURUS}"`)
    expect(text).not.toContain('voc/0406')
  })
})

/** Concepts name the top of their branch by hasTopConcept, as those of the Homosaurus do. */
const BRANCHES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${V}branches/> .
  :people a skos:Concept ; skos:inScheme <${V}branches> ; skos:prefLabel "people"@en .
  :parents a skos:Concept ; skos:inScheme <${V}branches> ; skos:broader :people ; skos:hasTopConcept :people ; skos:prefLabel "parents"@en .
  :mothers a skos:Concept ; skos:inScheme <${V}branches> ; skos:broader :parents ; skos:hasTopConcept :people ; skos:prefLabel "mothers"@en .`

describeOver(EMBEDDED, 'concepts with top concepts', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    const report = await loadVocabulary(app.client, [await write('branches.ttl', BRANCHES)])
    expect(report.warnings.find(({ rule }) => rule === 'top-of-concept')?.count).toBe(2)
    expect(report.changes['skos:inScheme added']).toBeUndefined()
    app.state.changed()
  })

  test('are no vocabularies of other concepts', async () => {
    const [record] = (await app.ask('/data', { uri: `${V}branches/people` })).body
    expect(uris(record.inScheme)).toEqual([`${V}branches`])
    expect(uris(record.topConceptOf)).toEqual([`${V}branches`])
    expect(uris((await app.ask('/voc/branches/top')).body)).toEqual([`${V}branches/people`])
  })

  test('keep their statements', async () => {
    const { text } = await app.get('/voc/branches/export?format=ntriples')
    expect(text).toContain(
      `<${V}branches/mothers> <http://www.w3.org/2004/02/skos/core#hasTopConcept> <${V}branches/people> .`,
    )
  })
})
