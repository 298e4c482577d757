import { describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Parser, type Quad } from 'n3'
import { InputError } from '../../src/files/input-error.ts'
import { prepareAllSchemes, type PreparedGraph } from '../../src/loading/prepare.ts'
import { BOOKKEEPING } from '../../src/namespaces.ts'
import { NO_DATA, TEST_DATA } from '../data.ts'
import { temporaryFolder } from '../folder.ts'

const V = 'http://example.org/v/'
const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix : <${V}> .
`
const { write } = temporaryFolder()

const named = (uri: string) => uri.replace(V, '')

/** Each scheme with what its graph says, as N-Triples without bookkeeping. */
async function divided(file: string): Promise<Map<string, { graph: PreparedGraph; quads: Quad[] }>> {
  const prepared = await prepareAllSchemes([file], { check: false })
  const found = new Map<string, { graph: PreparedGraph; quads: Quad[] }>()
  for (const graph of prepared.graphs) {
    const text = graph.normalised.graphs.read(0)
    const quads = new Parser({ format: 'N-Triples' })
      .parse(text)
      .filter(({ predicate }) => !predicate.value.startsWith(BOOKKEEPING))
    graph.normalised.graphs.close()
    found.set(named(graph.uri), { graph, quads })
  }
  prepared.close()
  return found
}

describe('several schemes of a file, a graph each', () => {
  test('concepts go to their schemes, other resources follow their links', async () => {
    const file = await write(
      'schemes.ttl',
      `${PREFIXES}
      :A a skos:ConceptScheme ; dct:publisher :P ; dct:contributor [ skos:prefLabel "of A"@en ] .
      :B a skos:ConceptScheme ; dct:publisher :P ; skos:hasTopConcept :b .
      :a a skos:Concept ; skos:inScheme :A ; skos:prefLabel "a"@en ; skos:related :b .
      :ab a skos:Concept ; skos:inScheme :A ; skos:topConceptOf :B .
      :b a skos:Concept ; skos:note [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "note of b"@en ] ; xl:prefLabel :l .
      :slash a skos:Concept ; skos:inScheme <${V}B/> .
      :none a skos:Concept .
      :other a skos:Concept ; skos:inScheme :C .
      :l xl:literalForm "label of b"@en ; dct:source :book .
      :P skos:prefLabel "Publisher"@en .
      :collection a skos:Collection ; skos:member :b ; dct:source :shelf .
      :all a skos:Collection ; skos:member :collection, :a .
      :shelf dct:title "shelf" .
      :file dct:title "file" .
      :B-top a skos:Collection ; skos:notation "subset_b-top" ; dct:isPartOf :B ; skos:member :b .`,
    )
    const graphs = await divided(file)
    const subjects = [...graphs].map(([scheme, { quads }]) => {
      const uris = quads.filter(({ subject }) => subject.termType === 'NamedNode').map(({ subject }) => subject.value)
      return [scheme, [...new Set(uris.map(named))].sort()]
    })
    expect(Object.fromEntries(subjects)).toEqual({
      A: ['A', 'C', 'P', 'a', 'ab', 'all', 'collection', 'file', 'none', 'other', 'shelf'],
      B: ['B', 'B/', 'P', 'ab', 'all', 'b', 'collection', 'l', 'shelf', 'slash'],
    })
    const texts = (scheme: string) => graphs.get(scheme)!.quads.map(({ object }) => object.value)
    expect(texts('A')).toContain('of A')
    expect(texts('B')).toEqual(expect.arrayContaining(['note of b', 'label of b']))
    expect(texts('B')).not.toContain('of A')
    expect([...graphs.values()].map(({ graph }) => [graph.ids, graph.normalised.concepts])).toEqual([
      [['a'], 4],
      [['b'], 3],
    ])
    expect(graphs.get('B')!.graph.subsets).toMatchObject([{ ids: ['subset_b-top'], members: 1 }])
    const tops = (scheme: string) =>
      graphs
        .get(scheme)!
        .quads.filter(
          ({ subject, predicate }) => subject.value === V + scheme && predicate.value.endsWith('hasTopConcept'),
        )
        .map(({ object }) => named(object.value))
    expect(tops('A').sort()).toEqual(['a', 'ab', 'none'])
    expect(tops('B').sort()).toEqual(['ab', 'b', 'slash'])
  })

  test.each<[title: string, source: string, message: string]>([
    ['no scheme', ':a a skos:Concept .', 'no concept scheme'],
    [
      'one id for two of them',
      '<http://a.org/v> a skos:ConceptScheme . <http://b.org/v> a skos:ConceptScheme .',
      '<http://a.org/v> and <http://b.org/v> have the same id',
    ],
  ])('refused: %s', async (_, source, message) => {
    const refused = prepareAllSchemes([await write('refused.ttl', PREFIXES + source)])
    await expect(refused).rejects.toThrow(InputError)
    await expect(refused).rejects.toThrow(message)
  })

  const wild = ['skosmos-yso', 'skosmos-multiple-schemes', 'skosmos-test-concept-schemes', 'SESAR_materials_extension']
  ;(NO_DATA ? test.skip.each(wild) : test.each(wild))(`%s: nothing is lost${NO_DATA}`, async (name) => {
    const file = resolve(TEST_DATA, 'wild', `${name}.ttl`)
    const source = new Parser().parse(readFileSync(file, 'utf8'))
    const written = (quads: Quad[]) =>
      quads
        .filter(({ subject, object }) => subject.termType === 'NamedNode' && object.termType === 'NamedNode')
        .map(({ subject, predicate, object }) => `${subject.value} ${predicate.value} ${object.value}`)
    const graphs = [...(await divided(file)).values()]
    expect(graphs.length).toBeGreaterThan(1)
    const found = new Set(graphs.flatMap(({ quads }) => written(quads)))
    expect(written(source).filter((line) => !found.has(line))).toEqual([])
  })
})
