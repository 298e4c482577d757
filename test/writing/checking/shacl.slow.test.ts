import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Parser, Store } from 'n3'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { DERIVED } from '../../../src/writing/source/source-graph.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { readSource } from '../../../src/writing/source/read-files.ts'
import { derivePlainLabels } from '../../../src/writing/source/labels.ts'
import { ShapeChecker, validate } from '../../../src/writing/checking/shacl.ts'
import { dataFiles, NO_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG, testLong } from '../../long.ts'

const { write } = temporaryFolder()

const HEADER = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix : <http://example.org/v/> .
`
const concept = (name: string, more = '') => `:${name} a skos:Concept ; skos:prefLabel "${name}"@en ${more} .\n`

const CASES: [rule: string, severity: string, focus: string[], source: string][] = [
  ['S9', 'violation', ['a'], `${concept('a')} :a a skos:ConceptScheme .`],
  ['S13', 'warning', ['a'], concept('a', '; skos:hiddenLabel "a"@en')],
  [
    'S13',
    'warning',
    ['a', 'b'],
    concept('a', '; skos:altLabel "a"@en') + concept('b', '; skos:altLabel "x"@en ; skos:hiddenLabel "x"@en'),
  ],
  ['S14', 'warning', ['a'], concept('a', ', "other"@en') + concept('b', ', "andere"@de')],
  [
    'S14',
    'warning',
    ['a', 'c'],
    concept('a', ', "z"@de, "y"@de') +
      concept('b', ', "y"@de ; skos:altLabel "x"@de, "z"@en') +
      concept('c', ', "x"@EN, "y"@fr'),
  ],
  [
    'S27',
    'warning',
    ['a', 'c'],
    `${concept('a', '; skos:broader :b ; skos:related :c')}${concept('b', '; skos:broader :c')}${concept('c', '; skos:related :a')}`,
  ],
  [
    'S27',
    'warning',
    ['c'],
    `${concept('a')}${concept('b', '; skos:narrower :a')}${concept('c', '; skos:related :a ; skos:narrower :b')}`,
  ],
  ['S37', 'warning', ['a'], `${concept('a')} :a a skos:Collection .`],
  ['S46', 'warning', ['a'], concept('a', '; skos:exactMatch :x ; skos:broadMatch :x')],
  ['S46-inverse', 'warning', ['b'], concept('a', '; skos:exactMatch :b') + concept('b', '; skos:relatedMatch :a')],
  ['has-prefLabel', 'warning', ['a'], ':a a skos:Concept ; skos:altLabel "a"@en .'],
  ['prefLabel-text', 'violation', ['a'], ':a a skos:Concept ; skos:prefLabel :label .'],
  ['label-datatype', 'warning', ['a'], ':a a skos:Concept ; skos:prefLabel 5 .'],
  ['broader-link', 'violation', ['a'], concept('a', '; skos:broader "b"')],
  ...['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'].map(
    (match): [string, string, string[], string] => {
      const source = concept('a', `; skos:${match} "http://example.org/w", :w`) + concept('b', `; skos:${match} :w`)
      return [`${match}-link`, 'violation', ['a'], source]
    },
  ),
  ['inScheme-link', 'violation', ['a'], concept('a', '; skos:inScheme "s"')],
  ['bidi-control', 'warning', ['a'], concept('a', '; skos:altLabel "a\\u202Eb"@en') + concept('b', ', "\u05d0"@he')],
  [
    'date',
    'warning',
    ['a'],
    concept('a', '; dct:modified "1986-21-00"^^xsd:date') + concept('b', '; dct:modified "1986-11-30"^^xsd:date'),
  ],
  [
    'date',
    'warning',
    ['a'],
    concept('a', '; dct:modified "20150103"') + concept('b', '; dct:created "2015-01-03Z" ; dct:modified "-0044"'),
  ],
]

test.each(['prefLabel', 'altLabel', 'hiddenLabel'])(
  'a %s that is a node or an IRI breaks the rule about texts alone',
  async (label) => {
    const file = await write(
      'node.ttl',
      `${HEADER}${concept('a')}${concept('b')} :a skos:${label} [ skos:note "n"@en ] . :b skos:${label} :x .`,
    )
    const { findings } = await checkFiles([file])
    const rules = findings.map(({ rule, count }) => [rule, count])
    expect(rules).toEqual([[`${label}-text`, 2]])
  },
)

describe('the shapes', () => {
  test.each(CASES)('%s is %s for %j', async (rule, severity, focus, source) => {
    const file = await write('case.ttl', HEADER + source)
    const { findings } = await checkFiles([file])
    const match = findings.find((finding) => finding.rule === rule)
    expect(match).toMatchObject({ severity, count: Math.max(focus.length, 1) })
    if (focus.length > 0)
      expect(match!.focusNodes.sort()).toEqual(focus.map((name) => `<http://example.org/v/${name}>`))
  })

  test('a clean vocabulary has no findings: the demo', async () => {
    for (const name of ['crafts.ttl', 'materials.ttl']) {
      const { findings } = await checkFiles([
        fileURLToPath(new URL(`../../../src/doors/demo/${name}`, import.meta.url)),
      ])
      expect(findings).toEqual([])
    }
  })

  test('a violation is a warning of a load; with --strict it refuses the file and names rule and focus node', async () => {
    const file = await write(
      'violation.ttl',
      `${HEADER}:s a skos:ConceptScheme . ${concept('a')} :a a skos:ConceptScheme .`,
    )
    const scheme = 'http://example.org/v/s'
    const prepared = await prepareVocabulary([file], { scheme })
    prepared.close()
    const violations = prepared.warnings.filter(({ severity }) => severity === 'violation')
    expect(violations).toMatchObject([{ rule: 'S9', count: 1, focusNodes: ['<http://example.org/v/a>'] }])
    await expect(prepareVocabulary([file], { scheme, strict: true })).rejects.toThrow(
      /^S9: .*<http:\/\/example\.org\/v\/a>/,
    )
  })
})

testLong('conditions across resources: what the engine finds in any small graph', async () => {
  const up = ['broader', 'narrower', 'broaderTransitive', 'narrowerTransitive']
  const matches = ['exactMatch', 'broadMatch', 'narrowMatch', 'relatedMatch', 'closeMatch']
  const link = fc.constantFrom('related', 'related', 'broader', 'exactMatch', ...up, ...matches)
  const someLinks = fc.array(fc.tuple(fc.nat(4), link, fc.nat(4)), { minLength: 2, maxLength: 14 })
  const ACROSS = ['S27', 'S46-inverse']
  let broken = 0
  await fc.assert(
    fc.asyncProperty(someLinks, async (some) => {
      const text = HEADER + some.map(([from, name, to]) => `:c${from} skos:${name} :c${to} .\n`).join('')
      const { findings } = await checkFiles([await write('links.ttl', text)])
      const results = await validate('skos-links.shacl.ttl', new Store(new Parser().parse(text)))
      for (const rule of ACROSS) {
        const match = findings.find((finding) => finding.rule === rule)
        const wanted = results.filter((result) => result.rule === rule)
        expect(match?.focusNodes.sort() ?? []).toEqual(wanted.map(({ focusNode }) => focusNode).sort())
        for (const { severity, message } of wanted) expect(match).toMatchObject({ severity, message })
        broken += wanted.length
      }
    }),
    { numRuns: 2000 },
  )
  expect(broken).toBeGreaterThan(0)
})

test.each([
  ['all above each other and related to each other', 150, 'broader', (from: number, to: number) => from !== to],
  ['in a thousand levels', 1000, 'broader', (from: number, to: number) => to === from + 1],
  ['all the exactMatch of each other', 100, 'exactMatch', (from: number, to: number) => from !== to],
])('concepts %s are checked in less than a thousand times the time of one', async (_, count, link, isAbove) => {
  const concepts = Array.from({ length: count }, (_, from) => {
    const above = Array.from({ length: count }, (_, to) => to).filter((to) => isAbove(from, to))
    const parents = above.map((to) => `:c${to}`).join()
    const relation = link === 'broader' ? 'related' : 'broadMatch'
    return concept(`c${from}`, above.length === 0 ? '' : `; skos:${link} ${parents} ; skos:${relation} ${parents}`)
  })
  const file = await write('levels.ttl', HEADER + concepts.join(''))
  const first = await write('one.ttl', HEADER + concept('a'))
  const timeOf = async (name: string) => {
    const began = performance.now()
    const { findings } = await checkFiles([name])
    return { findings, milliseconds: performance.now() - began }
  }
  await timeOf(first)
  const [many, few] = [await timeOf(file), await timeOf(first)]
  const rule = link === 'broader' ? 'S27' : 'S46-inverse'
  const linked = concepts.filter((text) => text.includes(link)).length
  expect(many.findings.find((finding) => finding.rule === rule)?.count).toBeGreaterThanOrEqual(linked)
  expect(many.milliseconds / few.milliseconds).toBeLessThan(1000)
})

const files = [
  ...dataFiles('edge'),
  ...dataFiles('vocab').filter((file) => (LONG ? /dfg|simplelithology|nwbib\.ttl|Commodity/ : /dfg/).test(file)),
]

;(NO_DATA ? describe.skip : describe)(`representatives and slices find what the whole graph gives${NO_DATA}`, () => {
  test.each(files.length > 0 ? files : ['-'])('%s', async (file) => {
    const source = await readSource([file])
    derivePlainLabels(source)
    const checker = new ShapeChecker(source)
    const whole = new Store()
    for (const description of source.descriptions()) {
      checker.add(description)
      const { node, statements } = description
      for (const { predicate, object } of statements) {
        const line = `${source.name(node)} <${predicate.replace(DERIVED, '')}> ${object} .`
        for (const quad of new Parser({ format: 'N-Triples', blankNodePrefix: '_:' }).parse(line)) whole.addQuad(quad)
      }
    }
    const findings = await checker.findings()
    source.close()
    const results = [...(await validate('skos.shacl.ttl', whole)), ...(await validate('skos-links.shacl.ttl', whole))]
    const expected = results.map(({ rule, focusNode }) => `${rule} ${focusNode}`).sort()
    const got = findings.flatMap(({ rule, focusNodes }) => focusNodes.map((node) => `${rule} ${node}`)).sort()
    expect(got).toEqual(expected)
  })
})
