/** Concepts that two vocabularies describe, or that name their vocabulary in two ways. */
import { expect, test } from '@jest/globals'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { temporaryFolder } from '../../folder.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'

const FRUIT = 'http://example.org/fruit'
const TREES = 'http://example.org/trees/'
const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <${FRUIT}/> .`
const SOURCE = `${PREFIXES} <${FRUIT}> a skos:ConceptScheme ; skos:prefLabel "Fruit"@en ;
    <http://purl.org/dc/terms/identifier> "http://registry.example/fruit" .
  :apple a skos:Concept ; skos:inScheme <https://example.org/fruit/> , <http://registry.example/fruit> , :list ;
    skos:topConceptOf <${FRUIT}/> ; skos:prefLabel "apple"@en ; skos:altLabel "pome"@en ; skos:related :pear , :plum .
  :list a skos:ConceptScheme ; skos:prefLabel "List"@en .
  :pear a skos:Concept ; skos:prefLabel "pear"@en .
  :plum a skos:Concept ; skos:prefLabel "plum"@en .`
const SHARED = `${PREFIXES} <${TREES}> a skos:ConceptScheme ; skos:prefLabel "Trees"@en .
  :apple a skos:Concept ; skos:prefLabel "fruit of Malus"@en , "Apfel"@de ; skos:altLabel "apple"@en .`

const { write } = temporaryFolder()
const uris = (links: readonly { uri: string }[]) => links.map(({ uri }) => uri)

describeOver(DEPLOYED, 'concepts that are named twice', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('fruit.ttl', SOURCE)], { scheme: FRUIT })
    await loadVocabulary(app.client, [await write('trees.ttl', SHARED)])
    const members = await write('members.txt', [`${FRUIT}/apple`, `${FRUIT}/pear`].join('\n'))
    await addSubset(app.client, { id: 'subset_fruit-some', of: 'fruit', members })
    app.state.changed()
    await app.index.refresh([FRUIT, TREES, `${FRUIT}/subset_fruit-some`])
  })

  const apple = async (parameters: Record<string, string>) =>
    (await app.ask('/data', { uri: `${FRUIT}/apple`, ...parameters })).body[0]

  test('a record has a vocabulary once, whatever forms of its URI the concept names, and other schemes', async () => {
    const { inScheme, topConceptOf } = await apple({ properties: 'inScheme,topConceptOf' })
    expect(uris(inScheme)).toEqual([FRUIT, TREES, `${FRUIT}/list`])
    expect(uris(topConceptOf)).toEqual([FRUIT, TREES, `${FRUIT}/list`])
  })

  test('a subset shows only its members among related concepts', async () => {
    expect(uris((await apple({ properties: 'related' })).related)).toEqual([`${FRUIT}/pear`, `${FRUIT}/plum`])
    for (const properties of ['related', '*', '+related']) {
      const { related } = await apple({ properties, voc: 'subset_fruit-some' })
      expect(uris(related)).toEqual([`${FRUIT}/pear`])
    }
    const { body } = await app.ask('/voc/subset_fruit-some/concepts', { properties: 'related' })
    expect(body.map(({ related }: any) => uris(related))).toEqual([[`${FRUIT}/pear`], []])
  })
})
