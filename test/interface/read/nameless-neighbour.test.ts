import { expect, test } from '@jest/globals'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { temporaryFolder } from '../../folder.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'

const V = 'http://example.org/anchors/'
const SOURCE = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${V}> .
  @prefix dct: <http://purl.org/dc/terms/> .
  <${V}> a skos:ConceptScheme ; skos:prefLabel "Anchors"@en .
  :anchor a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "anchor"@en .
  :stockless a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "stockless"@en ; skos:broader :anchor .
  [] a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "nameless"@en ; skos:broader :anchor .
  :kedge a skos:Concept ; skos:inScheme <${V}> ; skos:narrower :mentioned ; dct:publisher [ a :Office ] .`

const { write } = temporaryFolder()

describeOver(DEPLOYED, 'a concept below another one that has no URI or no name', (store) => {
  let app: RunningApp
  let members = 0

  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('anchors.ttl', SOURCE)])
    const subset = { id: 'subset_anchors', of: 'anchors', branch: `${V}anchor` }
    members = (await addSubset(app.client, subset)).members
    app.state.changed()
    await app.index.refresh([V, `${V}subset_anchors`])
  })

  const narrower = async (parameters: Record<string, string>) => {
    const { body } = await app.ask('/data', { uri: `${V}anchor`, ...parameters })
    return body[0].narrower.map(({ prefLabel }: any) => prefLabel.en)
  }

  test.each(['*', 'narrower'])('shows in the record, properties=%s', async (properties) => {
    expect(await narrower({ properties })).toEqual(['stockless', 'nameless'])
  })

  test('is left out by the API of Skosmos, whose entries have a URI', async () => {
    const { body } = await app.ask('/rest/v1/anchors/narrower', { uri: `${V}anchor`, lang: 'en' })
    expect(body.narrower).toEqual([{ uri: `${V}stockless`, prefLabel: 'stockless' }])
  })

  test.each(['*', 'narrower'])('is no member of a subset, properties=%s', async (properties) => {
    expect(members).toBe(2)
    expect(await narrower({ properties, voc: 'subset_anchors' })).toEqual(['stockless'])
  })

  test('is no more than a URI if the file only mentions it', async () => {
    const { body } = await app.ask('/data', { uri: `${V}kedge`, properties: '*' })
    expect(body[0].narrower).toEqual([{ uri: `${V}mentioned` }])
    const answer = await fetch(`${app.url}/voc/anchors/export?format=ndjson`)
    const records = (await answer.text()).trimEnd().split('\n')
    const kedge = records.map((line) => JSON.parse(line)).find(({ uri }) => uri === `${V}kedge`)
    expect(kedge.narrower).toEqual([{ uri: `${V}mentioned` }])
  })
})
