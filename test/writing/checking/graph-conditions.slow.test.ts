import { resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { findCycles } from '../../../src/writing/checking/graph-conditions.ts'
import { Hierarchy } from '../../../src/writing/source/hierarchy.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { readSource } from '../../../src/writing/source/read-files.ts'
import { SourceGraph } from '../../../src/writing/source/source-graph.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { dataFiles, NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'

const { write } = temporaryFolder()

const V = 'http://example.org/v/'
const HEADER = `@prefix skos: <${SKOS}> . @prefix : <${V}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:s a skos:ConceptScheme ; skos:prefLabel "S"@en .
:top a skos:Concept ; skos:prefLabel "Top"@en .
`
const concept = (name: string, more = '') => `:${name} a skos:Concept ; skos:prefLabel "${name}"@en ${more} .\n`
const named = (name: string, notation: string, more = '') => concept(name, `; skos:notation ${notation} ${more}`)
const CIRCLE = concept('a', '; skos:broader :b') + concept('b', '; skos:broader :a')
const CUT_OFF = CIRCLE + concept('c', '; skos:broader :b') + concept('d', '; skos:broader :top')

/** The resources that break a rule, if any, and the sources that they stand in. */
const CASES: [rule: string, focus: string[], source: string][] = [
  ['cycle', ['a', 'b'], CUT_OFF],
  ['cycle', ['a', 'b', 'c'], `:a skos:narrower :b . :c skos:broader :b ; skos:narrower :a . ${CIRCLE}`],
  ['cycle', ['a', 'b'], `${CIRCLE} :a skos:broader :top .`],
  ['cycle', [], concept('a', '; skos:broader :b, :top') + concept('b', '; skos:broader :top ; skos:narrower :a')],
  ['cycle', [], concept('a', '; skos:broader :a') + concept('b', '; skos:related :top') + concept('c')],
  ['unreached', ['a', 'b', 'c'], CUT_OFF],
  ['unreached', [], `${CIRCLE} :a skos:broader :top .`],
  ['unreached', [], `${CIRCLE} :top skos:narrower :b .`],
  ['unreached', [], `${CIRCLE} :a skos:topConceptOf :s .`],
  ['unreached', [], `${CIRCLE} :s skos:hasTopConcept :b .`],
  ['unreached', [], concept('a', '; skos:broader :a') + concept('b', '; skos:broader :elsewhere')],
  // A concept out of use that has no place any more is no mistake; one below a circle is.
  ['unreached', [], concept('a', '; owl:deprecated true')],
  ['unreached', ['a', 'b', 'c'], CIRCLE + concept('c', '; owl:deprecated true ; skos:broader :b')],
  // Reached in one vocabulary, cut off in the other.
  ['unreached', ['a', 'b'], `${CIRCLE} :t a skos:ConceptScheme . :a skos:inScheme :s, :t ; skos:topConceptOf :t . :b skos:inScheme :s .`],
  ['broader-self', ['a', 'b'], concept('a', '; skos:broader :a, :top') + concept('b', '; skos:narrower :b') + concept('c', '; skos:broader :top')],
  ['same-notation', ['a', 'b'], named('a', '"1"') + named('b', '"1"') + named('c', '"2"')],
  ['same-notation', ['a', 'b'], named('a', '"2", "1"') + named('b', '"1"@en, "3"')],
  ['same-notation', ['a', 'b'], named('a', '"1"^^xsd:string') + named('b', '"1"^^xsd:token')],
  ['same-notation', ['a', 'b'], named('a', '"1"^^:system, "1"') + named('b', '"1"^^:system')],
  ['same-notation', [], named('a', '"1"^^:system') + named('b', '"1"^^:other') + named('c', '"1"')],
  ['same-notation', [], named('a', '"1"@en, "1"@de, "1"') + named('b', '""') + named('c', '""')],
  ['same-notation', [], `${named('a', '"1"')} :s skos:notation "1" . :g a skos:Collection ; skos:notation "1" .`],
  ['same-notation', [], `:t a skos:ConceptScheme . ${named('a', '"1"', '; skos:inScheme :s')} ${named('b', '"1"', '; skos:inScheme :t')}`],
  ['same-notation', ['a', 'b'], `:t a skos:ConceptScheme . ${named('a', '"1"', '; skos:inScheme :s, :t')} ${named('b', '"1"', '; skos:inScheme :t')}`],
  ['has-type', ['a'], ':a skos:prefLabel "A"@en ; skos:broader :top .'],
  ['has-type', ['a', 'b', 'c'], ':a skos:altLabel "A" . :top skos:narrower :a . :b rdfs:label "B" ; skos:broader :top . :c skos:broader :a ; <http://www.w3.org/2008/05/skos-xl#prefLabel> [ <http://www.w3.org/2008/05/skos-xl#literalForm> "C"@en ] .'],
  ['has-type', [], ':a skos:prefLabel "A"@en . :b skos:broader :top . :c a skos:Collection ; skos:prefLabel "C"@en ; skos:broader :top .'],
  ['has-type', [], ':top skos:narrower [ skos:prefLabel "A"@en ] .'],
  ['unlisted', [], ':a skos:prefLabel "A"@en ; skos:inScheme :s ; skos:broader :top .'],
  ['concept-uri', [], ':top skos:related [ a skos:Concept ; skos:prefLabel "A"@en ] .'],
  ['skos-term', ['a'], concept('a', '; skos:exactMatch: :top')],
  ['skos-term', ['a', 'b', 's'], `${concept('a', '; skos:preflabel "A", "B"')} :b a skos:Koncept . :s skos:hastopConcept :top .`],
  ['skos-term', [], `${concept('a', '; skos:mappingRelation :top ; skos:semanticRelation :top')} :g a skos:OrderedCollection ; skos:memberList () .`],
  ['language-tag', ['a', 'b'], `${concept('a', '; skos:altLabel "x"@en-a-b, "y"@de-x')} :b a skos:Concept ; skos:prefLabel "z"@a .`],
  ['language-tag', [], concept('a', '; skos:altLabel "x"@en-x-a, "y"@de-DE-1996, "z"@und')],
] // oxfmt-ignore

describe('conditions on the whole graph', () => {
  test.each(CASES)('%s: %j', async (rule, focus, source) => {
    const file = await write('case.ttl', HEADER + source)
    const match = (await checkFiles([file])).findings.find((finding) => finding.rule === rule)
    const focusNodes = focus.map((name) => `<${V}${name}>`)
    const expected = { rule, severity: 'violation', message: expect.any(String), count: focus.length, focusNodes }
    expect(match && { ...match, focusNodes: match.focusNodes.sort() }).toEqual(focus.length > 0 ? expected : undefined)

    const load = { scheme: `${V}s` }
    const prepared = await prepareVocabulary([file], load)
    prepared.close()
    const warned = prepared.warnings.find((finding) => finding.rule === rule)
    expect(warned && { ...warned, focusNodes: warned.focusNodes.sort() }).toEqual(
      focus.length > 0 ? expected : undefined,
    )
    if (focus.length > 0) {
      await expect(prepareVocabulary([file], { ...load, strict: true })).rejects.toThrow(/^[\w-]+: .*<http/)
    }
  })

  test('a strict load takes a record of JSKOS with a concept without a URI in it', async () => {
    const narrower = [{ type: [`${SKOS}Concept`], prefLabel: { en: 'Handle' } }]
    const record = { uri: `${V}a`, type: [`${SKOS}Concept`], prefLabel: { en: 'Tool' }, narrower }
    const file = await write('nested.json', JSON.stringify(record))
    const prepared = await prepareVocabulary([file], { scheme: V, strict: true })
    prepared.close()
    expect(prepared.warnings.map(({ rule }) => rule)).toEqual(['scheme-name'])
  })

  test('a term that SKOS does not have is named, of many the first', async () => {
    const check = async (source: string) => {
      const { findings } = await checkFiles([await write('terms.ttl', HEADER + source)])
      return findings.filter(({ rule }) => rule === 'skos-term')
    }
    expect(await check(concept('a', '; skos:exactMatch: :top'))).toMatchObject([
      { rule: 'skos-term', message: 'SKOS has no term skos:exactMatch:', count: 1 },
    ])
    const seven = [1, 2, 3, 4, 5, 6, 7].map((number) => `; skos:x${number} :top`).join(' ')
    expect(await check(concept('a', seven))).toMatchObject([
      { message: 'SKOS has no term skos:x1, skos:x2, skos:x3, skos:x4, skos:x5 and 2 more', count: 1 },
    ])
  })

  test('concepts without any scheme are one vocabulary', async () => {
    const source = `@prefix skos: <${SKOS}> . @prefix : <${V}> . ${named('a', '"1"')} ${named('b', '"1"')} ${CIRCLE}`
    const { findings } = await checkFiles([await write('no-scheme.ttl', source)])
    expect(findings.map(({ rule, count }) => [rule, count])).toEqual([
      ['cycle', 2],
      ['same-notation', 2],
      ['unreached', 2],
    ])
  })

  test('resources with the same mistake are listed cycle by cycle, and notation by notation', async () => {
    const around = (names: string[]) =>
      names.map((name, at) => named(name, `"${at}"`, `; skos:broader :${names[(at + 1) % names.length]}`)).join('')
    const file = await write('order.ttl', HEADER + around(['a', 'c', 'e']) + around(['b', 'd', 'f']))
    const { findings } = await checkFiles([file])
    const names = (rule: string) =>
      findings.find((finding) => finding.rule === rule)!.focusNodes.map((node) => node.slice(V.length + 1, -1))
    expect(names('cycle').map((name) => 'ace'.includes(name))).toEqual([true, true, true, false, false, false])
    expect(names('same-notation')).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })
})

/** A source with these links from a concept to a broader one, some of them written the other way round. */
function graphOf(concepts: number, links: readonly (readonly [from: number, to: number, isNarrower: boolean])[]) {
  const source = new SourceGraph()
  source.startFile()
  const node = (value: string) => ({ termType: 'NamedNode', value })
  const add = (subject: string, predicate: string, object: string) =>
    source.add({
      ...{ subject: node(subject), predicate: node(predicate), object: node(object) },
      graph: { termType: 'DefaultGraph', value: '' },
    } as never)
  for (let at = 0; at < concepts; at++) {
    add(`${V}${at}`, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', `${SKOS}Concept`)
  }
  for (const [from, to, isNarrower] of links) {
    if (isNarrower) add(`${V}${to}`, `${SKOS}narrower`, `${V}${from}`)
    else add(`${V}${from}`, `${SKOS}broader`, `${V}${to}`)
  }
  const scheme = source.intern(`${V}scheme`)
  const numberOf = (node: number) => Number(source.iri(node).slice(V.length))
  return { source, scheme, numberOf }
}

describe('cycles and reachability', () => {
  const SIZE = 9
  const node = fc.nat(SIZE - 1)

  test('are what looking at every pair of concepts finds, for random graphs', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node, fc.boolean()), { maxLength: 14 }), (links) => {
        const { source, scheme, numberOf } = graphOf(SIZE, links)
        const all = Array.from({ length: SIZE }, (_, at) => at)
        const isAbove = all.map((from) => all.map((to) => links.some(([a, b]) => a === from && b === to && a !== b)))
        for (const k of all)
          for (const i of all) for (const j of all) isAbove[i]![j] ||= isAbove[i]![k]! && isAbove[k]![j]!
        const inCycle = all.filter((concept) => isAbove[concept]![concept])
        const cycles = findCycles(source)
        expect(cycles.flat().map(numberOf).sort()).toEqual(inCycle)
        for (const cycle of cycles) {
          for (const concept of cycle.map(numberOf))
            for (const other of cycle.map(numberOf)) expect(isAbove[concept]![other]).toBe(true)
        }
        const tops = all.filter((concept) => !links.some(([from, to]) => from === concept && to !== concept))
        const reached = all.filter((concept) => tops.some((top) => top === concept || isAbove[concept]![top]))
        const unreached = new Hierarchy(source, [scheme], new Set()).unreached(scheme)
        expect(unreached.map(numberOf).sort()).toEqual(all.filter((concept) => !reached.includes(concept)))
        source.close()
      }),
    )
  })

  test('a circle of very many concepts, and a chain of very many below it', () => {
    // More than calls fit on a stack.
    const HALF = 20_000
    const isNarrower = (at: number) => at % 3 === 0
    const links = Array.from({ length: 2 * HALF }, (_, at) => {
      const above = at < HALF ? (at + 1) % HALF : at - 1
      return [at, above, isNarrower(at)] as const
    })
    const cutOff = graphOf(2 * HALF, links)
    expect(findCycles(cutOff.source).map(({ length }) => length)).toEqual([HALF])
    const unreached = ({ source, scheme }: typeof cutOff) =>
      new Hierarchy(source, [scheme], new Set()).unreached(scheme)
    expect(unreached(cutOff)).toHaveLength(2 * HALF)
    cutOff.source.close()
    const attached = graphOf(2 * HALF + 1, [...links, [7, 2 * HALF, false]])
    expect(unreached(attached)).toHaveLength(0)
    attached.source.close()
  })
})

const NEW = ['cycle', 'unreached', 'broader-self', 'same-notation', 'has-type', 'unlisted', 'skos-term', 'language-tag']
;(NO_DATA ? describe.skip : describe)(`real vocabularies${NO_DATA}`, () => {
  const files = dataFiles('vocab').filter((file) =>
    /(nwbib|nwbib-spatial|bk|stw-9\.16|dfg-2024|simplelithology)\.ttl$/.test(file),
  )
  test.each(files.length > 0 ? files : ['-'])('nothing of this kind is found in %s', async (file) => {
    const { findings } = await checkFiles([file])
    expect(findings.filter(({ rule }) => NEW.includes(rule))).toEqual([])
  })

  test('a shared notation of a notation system is found in CommodityCode.ttl', async () => {
    const file = resolve(TEST_DATA, 'vocab/cgi-CommodityCode.ttl')
    const { findings } = await checkFiles([file])
    const violations = findings.filter(({ severity }) => severity === 'violation')
    expect(violations).toMatchObject([{ rule: 'same-notation', count: 2 }])
    const source = await readSource([file])
    expect(findCycles(source)).toEqual([])
    source.close()
  })
})
