import { expect, test } from '@jest/globals'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/tools/'
const ROOT = 'http://example.org/rooted/'
const SOURCE = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${V}> .
  <${V}> a skos:ConceptScheme ; skos:prefLabel "Tools"@en ; <http://purl.org/dc/terms/identifier> "${ROOT}thing" .
  :saw a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "saw"@en ; skos:broader <${V}> ; skos:related <${V}> .
  :handsaw a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "hand saw"@en ; skos:broader :saw , <${V}> .
  :blade a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "blade"@en ; skos:narrower <${V}> .`
/** A vocabulary that is a concept, too. */
const ROOTED = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${ROOT}> .
  <${ROOT}> a skos:ConceptScheme , skos:Concept ; skos:inScheme <${ROOT}> ; skos:prefLabel "Everything"@en .
  :thing a skos:Concept ; skos:inScheme <${ROOT}> ; skos:prefLabel "thing"@en ; skos:broader <${ROOT}> .`

const { write } = temporaryFolder()
const uris = (links: readonly { uri: string }[] = []) => links.map(({ uri }) => uri)

describeOver(EMBEDDED, 'a vocabulary among the neighbours of its concepts', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('tools.ttl', SOURCE)])
    await loadVocabulary(app.client, [await write('rooted.ttl', ROOTED)])
    app.state.changed()
    await app.index.refresh([V, ROOT])
  })

  test.each(['saw', 'handsaw', 'blade'])('no record and no list of %s has it, and they agree', async (name) => {
    const uri = V + name
    const fields = ['broader', 'narrower', 'related', 'ancestors', 'descendants', 'hasChildren']
    const [record] = (await app.ask('/data', { uri, properties: fields.join(',') })).body
    for (const relation of ['broader', 'narrower', 'ancestors', 'descendants'] as const) {
      const { body } = await app.ask(`/${relation}`, { uri })
      expect([relation, uris(record[relation])]).toEqual([relation, uris(body)])
      expect(uris(body)).not.toContain(V)
    }
    expect(record.related).toEqual([])
    expect(record.hasChildren).toBe(record.narrower.length > 0)
    const [usual] = (await app.ask('/data', { uri })).body
    expect(uris(usual.broader)).toEqual(uris(record.broader))
    expect(usual.narrower).toEqual(name === 'saw' ? [null] : [])
    const { body: listed } = await app.ask('/voc/tools/concepts')
    expect(JSON.stringify(listed.map(({ broader }: any) => broader))).not.toContain(`"${V}"`)
    const { body: tree } = await app.ask('/voc/tools/tree', { at: uri })
    expect(uris(tree.levels[0].concepts)).toEqual([`${V}blade`, `${V}saw`])
    expect(JSON.stringify(tree)).not.toContain(`"${V}"`)
  })

  test('the URI of a concept gives no vocabulary that has it as identifier', async () => {
    for (const parameter of ['uri', 'id']) {
      const { body } = await app.ask('/data', { [parameter]: `${ROOT}thing` })
      expect(uris(body)).toEqual([`${ROOT}thing`])
    }
    expect(uris((await app.ask('/voc', { uri: `${ROOT}thing` })).body)).toEqual([V])
  })

  test('the methods of Skosmos do not have it', async () => {
    const query = `uri=${encodeURIComponent(`${V}handsaw`)}`
    const above = { [`${V}saw`]: expect.anything(), [`${V}handsaw`]: expect.anything() }
    for (const method of ['hierarchy', 'broaderTransitive']) {
      const { body } = await app.get(`/rest/v1/tools/${method}?${query}`)
      expect(body.broaderTransitive).toEqual(above)
      expect(body.broaderTransitive[`${V}handsaw`].broader).toEqual([`${V}saw`])
      expect(body.broaderTransitive[`${V}saw`]).not.toHaveProperty('broader')
    }
    const { body } = await app.get(`/rest/v1/tools/broader?${query}`)
    expect(uris(body.broader)).toEqual([`${V}saw`])
    const { body: children } = await app.get(`/rest/v1/tools/children?uri=${encodeURIComponent(`${V}blade`)}`)
    expect(children.narrower).toEqual([])
    const { body: tops } = await app.get('/rest/v1/tools/topConcepts')
    expect(tops.topconcepts.map((topconcept: any) => [topconcept.uri, topconcept.hasChildren])).toEqual([
      [`${V}blade`, false],
      [`${V}saw`, true],
    ])
  })

  test('the graph keeps the statement', async () => {
    const { text } = await app.ask('/voc/tools/export', { format: 'ntriples' })
    expect(text).toContain(`<${V}saw> <http://www.w3.org/2004/02/skos/core#broader> <${V}> .`)
  })

  test('a vocabulary that is a concept, too, stays', async () => {
    const [record] = (await app.ask('/data', { uri: `${ROOT}thing`, properties: 'broader' })).body
    expect(uris(record.broader)).toEqual([ROOT])
    expect(uris((await app.ask('/broader', { uri: `${ROOT}thing` })).body)).toEqual([ROOT])
  })
})
