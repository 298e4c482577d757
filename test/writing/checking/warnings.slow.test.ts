/** The warnings about names and links: each rule in small sources, and all of them in real vocabularies. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Parser } from 'n3'
import { CONCEPT, DEPRECATED, SKOS, TEMPLATE_SCHEME } from '../../../src/base/namespaces.ts'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { Digests } from '../../../src/writing/checking/digests.ts'
import { isLanguage } from '../../../src/writing/checking/label-conditions.ts'
import { MOST_FOCUS_NODES } from '../../../src/writing/checking/finding.ts'
import { RULES } from '../../../src/writing/checking/rules.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { LONG } from '../../long.ts'
import { ROOT } from '../../process.ts'
import { temporaryFolder } from '../../folder.ts'

const { write } = temporaryFolder()

const V = 'http://example.org/v/'
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix : <${V}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
`
const HEADER = `${PREFIXES}:s a skos:ConceptScheme ; skos:prefLabel "S"@en ; skos:hasTopConcept :top .
:top a skos:Concept ; skos:prefLabel "Top"@en ; skos:inScheme :s .
`
const labelled = (name: string, label: string, more = '') =>
  `:${name} a skos:Concept ; skos:inScheme :s ; skos:broader :top ; skos:prefLabel ${label} ${more} .\n`
const concept = (name: string, more: string) => labelled(name, `"${name}"@en`, more)
const placeless = (name: string, more = '') =>
  `:${name} a skos:Concept ; skos:inScheme :s ; skos:prefLabel "${name}"@en ${more} .\n`

/** The resources that break a rule, if any, and the sources that they stand in. */
const CASES: [rule: string, focus: string[], source: string][] = [
  ['same-prefLabel', ['a', 'b'], labelled('a', '"A"@en') + labelled('b', '"A"@en') + labelled('c', '"A"@de')],
  ['same-prefLabel', ['a', 'b', 'c'], labelled('a', '"A"@en') + labelled('b', '"A"@en, "C"@de') + labelled('c', '"C"@de, "A"@en')],
  ['same-prefLabel', ['a', 'b'], `${labelled('a', '"A"@en')} ${concept('b', '; xl:prefLabel [ xl:literalForm "A"@en ]')}`],
  ['same-prefLabel', [], `${labelled('a', '"A"@en', '; xl:prefLabel [ xl:literalForm "A"@en ]')} ${concept('b', '; skos:altLabel "A"@en')}`],
  ['same-prefLabel', [], labelled('a', '"A"@en') + labelled('b', '"A"@en', '; owl:deprecated true')],
  ['same-prefLabel', [], `:t a skos:ConceptScheme . ${labelled('a', '"A"@en')} :b a skos:Concept ; skos:inScheme :t ; skos:prefLabel "A"@en .`],
  ['label-space', ['a', 'b', 'c', 'd', 'e'], labelled('a', '" A"@en') + labelled('b', '"B "@en') + labelled('c', '"C  c"@en') + labelled('d', '"D\\td"@en') + concept('e', '; skos:altLabel "E\\ne"@en')],
  ['label-space', ['g'], ':g a skos:Collection ; skos:prefLabel "G"@en ; skos:altLabel "G "@de ; skos:member :top .'],
  ['label-space', [], labelled('a', '"A a a"@en', '; skos:scopeNote " x  y "@en ; skos:altLabel "\\\\n"@en')],
  ['label-comma', ['a', 'b'], labelled('a', '"A,"@en') + concept('b', '; skos:altLabel "B; "@en')],
  ['label-comma', [], labelled('a', '"A, a."@en', '; skos:definition "a,"@en')],
  ['label-long', ['a', 'b'], labelled('a', `"${'𝒜'.repeat(1001)}"@en`) + concept('b', `; skos:altLabel "${'x'.repeat(1_000_000)}"@en`)],
  ['label-long', [], labelled('a', `"${'𝒜'.repeat(1000)}"@en`, `; skos:definition "${'x'.repeat(1001)}"@en`)],
  ['label-capitals', ['a', 'b', 'c'], labelled('a', '"HUMAN RIGHTS"@en') + labelled('b', '"ÜBERSETZUNG"@de') + labelled('c', '"ΑΝΘΡΩΠΙΝΑ ΔΙΚΑΙΩΜΑΤΑ"@el')],
  ['label-capitals', [], labelled('a', '"UNESCO"@en', '; skos:altLabel "HUMAN RIGHTS"@en') + labelled('b', '"EU-USA"@en') + labelled('c', '"INMARSAT system"@en') + labelled('d', '"人権宣言人権宣言人権"@ja')],
  ['label-capitals', [], labelled('a', '"HUMAN RIGHTS"@en', '; owl:deprecated true')],
  ['unknown-language', ['a', 'b'], labelled('a', '"A"@deutsch') + concept('b', '; skos:scopeNote "x"@ger')],
  ['unknown-language', ['s'], ':s dct:language "de", "de_DE" .'],
  ['unknown-language', [], ':s dct:language "de-AT", <http://lexvo.org/id/iso639-3/eng>, "" .'],
  ['unknown-language', [], labelled('a', '"A"@de-at, "B"@gsw, "C"@und, "D"@x-ours, "E"@sr-latn')],
  ['missing-language', ['b', 'top'], labelled('a', '"A"@en, "B"@de') + labelled('b', '"B"@en')],
  ['missing-language', [], `:top skos:prefLabel "T"@en . ${labelled('a', '"A"@en, "B"@deutsch')}`],
  ['missing-language', [], `:top skos:prefLabel "T"@de . ${labelled('a', '"A"@de, "B"@en')} ${labelled('b', '"B"@en', '; owl:deprecated true')} :c a skos:Concept ; skos:broader :top ; skos:altLabel "C"@fr .`],
  ['related-self', ['a'], concept('a', '; skos:related :a') + concept('b', '; skos:related :a')],
  ['top-with-broader', ['a', 'b'], concept('a', '; skos:topConceptOf :s') + `${placeless('b')} :top skos:narrower :b . :s skos:hasTopConcept :b .`],
  ['top-with-broader', [], `:t a skos:ConceptScheme . ${concept('a', '; skos:topConceptOf :t')} ${placeless('b', '; skos:topConceptOf :s ; skos:broader :elsewhere')}`],
  ['top-of-concept', ['a', 'b'], `${concept('a', '; skos:hasTopConcept :top')} ${concept('b', '')} ${concept('c', '; skos:topConceptOf :b')}`],
  ['top-of-concept', [], ':t a skos:ConceptScheme ; skos:hasTopConcept :top . :top skos:topConceptOf :u .'],
  ['note-text', ['a', 'b', 'c'], `${concept('a', '; skos:definition [ rdfs:label "A"@en ]')} ${concept('b', '; skos:scopeNote :n')} ${concept('c', '; skos:note <http://example.com/c>')} :n :text "N"@en .`],
  ['note-text', [], `${concept('a', '; skos:definition [ rdf:value "A"@en ], "A"@en')} ${concept('b', '; skos:scopeNote :n')} :n rdf:value "N"@en .`],
  ['no-such-concept', ['a', 'b', 's'], `${concept('a', '; skos:related :x')} ${concept('b', '; skos:narrower :s')} :s skos:hasTopConcept :y .`],
  ['no-such-concept', [], concept('a', '; skos:exactMatch :x ; skos:related :top')],
  ['no-such-concept', [], concept('a', '; skos:related [ skos:prefLabel "X"@en ]')],
  ['no-scheme', ['a'], ':a a skos:Concept ; skos:broader :top ; skos:prefLabel "A"@en .'],
  ['no-scheme', [], `:a a skos:Concept ; skos:topConceptOf :s . :b a skos:Concept . :s skos:hasTopConcept :b .`],
  ['unlisted', ['a', 'b'], ':a a :Thing ; skos:prefLabel "A"@en ; skos:inScheme :s ; skos:broader :top . :b rdfs:label "B" ; skos:inScheme :s .'],
  ['unlisted', [], ':a a skos:Concept, :Thing ; skos:prefLabel "A" ; skos:inScheme :s . :b a :Thing ; skos:prefLabel "B" .'],
  ['unlisted', [], ':a a <http://purl.org/iso25964/skos-thes#ThesaurusArray> ; skos:prefLabel "A" ; skos:inScheme :s . :b a <http://www.w3.org/2008/05/skos-xl#Label> ; rdfs:label "B" ; skos:inScheme :s . :c a :Thing ; skos:inScheme :s .'],
  ['orphan', ['a', 'b'], placeless('a') + placeless('b', '; skos:related :b ; skos:exactMatch :top')],
  ['orphan', [], placeless('a', '; owl:deprecated true') + placeless('b', '; skos:related :c') + placeless('c') + placeless('d', '; skos:topConceptOf :s')],
  ['orphan', [], `${placeless('a')} ${placeless('b')} :g a skos:Collection ; skos:member :a . :h a skos:OrderedCollection ; skos:memberList (:b) .`],
  ['mapping-within', ['a', 'b'], concept('a', '; skos:exactMatch :top') + concept('b', '; skos:closeMatch :a')],
  ['mapping-within', [], `:t a skos:ConceptScheme . ${concept('a', '; skos:exactMatch :b, <http://example.com/1>')} :b a skos:Concept ; skos:inScheme :t ; skos:topConceptOf :t .`],
  ['S46-chain', ['a'], concept('a', '; skos:exactMatch :b ; skos:broadMatch <http://example.com/1>') + concept('b', '; skos:exactMatch <http://example.com/1>')],
  ['S46-chain', ['b'], concept('a', '; skos:exactMatch <http://example.com/1>, <http://example.com/2>') + concept('b', '; skos:exactMatch <http://example.com/1> ; skos:relatedMatch <http://example.com/2>')],
  ['S46-chain', ['a'], concept('a', '; skos:exactMatch <http://example.com/1> ; skos:narrowMatch <http://example.com/2>') + '<http://example.com/1> skos:exactMatch <http://example.com/2> .'],
  // A single exactMatch between the two is a matter of the shapes.
  ['S46-chain', [], concept('a', '; skos:exactMatch :b ; skos:narrowMatch :b') + concept('b', '; skos:exactMatch <http://example.com/1>') + concept('c', '; skos:closeMatch <http://example.com/1> ; skos:broadMatch :a')],
] // oxfmt-ignore

const findingIn = async (rule: string, text: string) =>
  (await checkFiles([await write('case.ttl', text)])).findings.find((finding) => finding.rule === rule)

describe('names and links', () => {
  test.each(CASES)('%s: %j', async (rule, focus, source) => {
    const finding = await findingIn(rule, HEADER + source)
    const focusNodes = focus.map((name) => `<${V}${name}>`)
    const expected = { rule, severity: 'warning', message: expect.any(String), count: focus.length, focusNodes }
    expect(finding && { ...finding, focusNodes: finding.focusNodes.sort() }).toEqual(
      focus.length > 0 ? expected : undefined,
    )
    const prepared = await prepareVocabulary([await write('case.ttl', HEADER + source)], {
      scheme: `${V}s`,
      strict: true,
    })
    prepared.close()
    expect(prepared.warnings.find((warning) => warning.rule === rule)?.count).toEqual(
      focus.length > 0 ? focus.length : undefined,
    )
  })

  test.each<[string, string, nameless: boolean]>([
    ['nothing', '', true],
    ['a notation', '; skos:notation "s"', true],
    ['an alternative label', '; skos:altLabel "S"@en', true],
    ['a prefLabel', '; skos:prefLabel "S"@en', false],
    ['a prefLabel of SKOS-XL', '; xl:prefLabel [ xl:literalForm "S"@en ]', false],
    ['a title', '; dct:title "S"', false],
    ['an rdfs:label', '; rdfs:label "S"@de', false],
  ])('a vocabulary with %s', async (_, more, nameless) => {
    const text = `${PREFIXES}:s a skos:ConceptScheme ${more} . :a a skos:Concept ; skos:inScheme :s .`
    const expected = nameless ? { severity: 'warning', count: 1, focusNodes: [`<${V}s>`] } : undefined
    const finding = await findingIn('scheme-name', text)
    if (expected) expect(finding).toMatchObject(expected)
    else expect(finding).toBeUndefined()
  })

  test('a vocabulary that the files only mention needs a name for a load alone', async () => {
    const text = `${PREFIXES}:a a skos:Concept ; skos:prefLabel "A"@en ; skos:inScheme :s .`
    expect(await findingIn('scheme-name', text)).toBeUndefined()
    const prepared = await prepareVocabulary([await write('concepts.ttl', text)])
    prepared.close()
    expect(prepared.warnings).toMatchObject([{ rule: 'scheme-name', focusNodes: [`<${V}s>`] }])
  })

  test('the URI of the template', async () => {
    const text = `${PREFIXES}<${TEMPLATE_SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Ours"@en .`
    expect(await findingIn('placeholder', text)).toMatchObject({ count: 1, focusNodes: [`<${TEMPLATE_SCHEME}>`] })
    expect(await findingIn('placeholder', HEADER)).toBeUndefined()
  })

  test('files without concepts, such as an ontology', async () => {
    const ontology = `${PREFIXES}:o a owl:Ontology . :Thing a owl:Class ; rdfs:label "Thing"@en .`
    expect(await findingIn('no-concept', ontology)).toMatchObject({ count: 2, focusNodes: [`<${V}o>`, `<${V}Thing>`] })
    const scheme = `${PREFIXES}:s a skos:ConceptScheme ; dct:publisher :p . :p rdfs:label "P"@en .`
    expect(await findingIn('no-concept', scheme)).toMatchObject({ count: 1, focusNodes: [`<${V}s>`] })
    expect(await findingIn('no-concept', HEADER)).toBeUndefined()
  })

  test('concepts of a plain list are no orphans, and without any scheme no concept lacks one', async () => {
    const concepts = ':a a skos:Concept ; skos:prefLabel "A"@en . :b a skos:Concept ; skos:prefLabel "B"@en .'
    const { findings } = await checkFiles([await write('list.ttl', PREFIXES + concepts)])
    expect(findings).toEqual([])
    expect(await findingIn('no-scheme', `${PREFIXES}:s a skos:ConceptScheme . ${concepts}`)).toMatchObject({ count: 2 })
  })

  test('messages name tags, languages with their numbers, and what is not there', async () => {
    const { findings } = await checkFiles([
      await write(
        'names.ttl',
        HEADER +
          labelled('a', '"A"@en, "B"@deutsch, "C"@fr', '; skos:related :w, :x, :y, :z, :u, :v') +
          labelled('b', '"B"@fr'),
      ),
    ])
    const message = (rule: string) => findings.find((finding) => finding.rule === rule)?.message
    expect(message('unknown-language')).toMatch(/: deutsch$/)
    expect(message('missing-language')).toMatch(/: en \(1\), fr \(1\)$/)
    expect(message('no-such-concept')).toMatch(
      /: <http:\/\/example.org\/v\/w>, .*<http:\/\/example.org\/v\/u> and 1 more$/,
    )
  })

  test('a finding counts all resources and has the first of them', async () => {
    const many = MOST_FOCUS_NODES + 5
    const lines = Array.from({ length: many }, (_, at) => labelled(`c${at}`, `" ${at}"@en`))
    const finding = await findingIn('label-space', HEADER + lines.join(''))
    expect([finding!.count, finding!.focusNodes.length]).toEqual([many, MOST_FOCUS_NODES])
  })

  test('every rule has texts of its own in both languages, which name the same', () => {
    for (const language of ['en', 'de'] as const) {
      const texts = Object.values(RULES).map((rule) => rule[language])
      expect(new Set(texts).size).toBe(texts.length)
    }
    for (const shapes of ['skos.shacl.ttl', 'skos-links.shacl.ttl']) {
      const texts = readFileSync(resolve(ROOT, 'shapes', shapes), 'utf8').matchAll(/sh:message (.*?)(?= [;.]\n)/g)
      for (const [, text] of texts) expect(text).toMatch(/^"[^"]+"@en , "[^"]+"@de$/)
    }
    for (const { en, de } of Object.values(RULES)) expect(de.includes('{names}')).toBe(en.includes('{names}'))
  })
})

test('docs/checks.md has every rule in the table of its severity', () => {
  const document = readFileSync(resolve(ROOT, 'docs/checks.md'), 'utf8')
  const named = (heading: string) => {
    const [, section] = new RegExp(`^## ${heading}\n(.*?)(?=^## |(?![^]))`, 'ms').exec(document)!
    const firstCells = section!.matchAll(/^\| (`[^|]*`) \|/gm)
    return [...firstCells].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, rule]) => rule))
  }
  const shapes = ['skos.shacl.ttl', 'skos-links.shacl.ttl'].flatMap((file) => {
    const text = readFileSync(resolve(ROOT, 'shapes', file), 'utf8')
    return [...text.matchAll(/^rule:([\w-]+) a sh:.*?\.$/gms)].map(([shape, rule]) => {
      return [rule!, shape.includes('sh:Warning') ? 'warning' : 'violation'] as const
    })
  })
  const rules = [...shapes, ...Object.entries(RULES).map(([rule, { severity }]) => [rule, severity] as const)]
  const of = (severity: string) => rules.flatMap(([rule, its]) => (its === severity ? [rule] : [])).sort()
  expect(named('Violations').sort()).toEqual(of('violation'))
  // What readers find is compared after a load.
  expect(
    named('Warnings')
      .filter((rule) => rule !== 'readers')
      .sort(),
  ).toEqual(of('warning'))
})

test('languages with two letters are those of ISO 639-1; words and codes of catalogues are none', () => {
  const tags = (text: string) => text.split(' ')
  expect(
    tags('de en fr de-at zh-hant sr-latn gsw nds grc und mul zxx x-private i-klingon').filter(
      (tag) => !isLanguage(tag),
    ),
  ).toEqual([])
  expect(tags('deutsch german ger eng xx jp cz latin').filter((tag) => isLanguage(tag))).toEqual([])
})

test('texts have one number exactly if they are equal, for very many similar texts', () => {
  const digests = new Digests()
  const numbers = new Map<string, number>()
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const expected = numbers.get(text) ?? numbers.size
      numbers.set(text, expected)
      expect(digests.intern(text)).toBe(expected)
    }),
  )
  const before = digests.size
  const many = LONG ? 200_000 : 50_000
  for (let at = 0; at < many; at++) digests.intern(`label ${at}`)
  for (let at = 0; at < many; at++) digests.intern(`${at} label`)
  expect(digests.size).toBe(before + 2 * many)
  expect(digests.intern('label 4711')).toBe(digests.intern('label 4711'))
})

/** The rules of this file that break in real vocabularies, and how many resources break them: all looked at by hand. */
const REAL: Record<string, Record<string, number>> = {
  'bk.ttl': { 'same-prefLabel': 79 },
  'dfg-2024.ttl': { 'same-prefLabel': 21, 'label-space': 5 },
  'nwbib.ttl': { 'same-prefLabel': 41 },
  'nwbib-spatial.ttl': { 'same-prefLabel': 420 },
  'stw-9.16.ttl': { 'label-space': 502 },
}
const OLDER = ['S13', 'S14', 'S27', 'has-prefLabel']

;(NO_DATA ? describe.skip : describe)(`real vocabularies${NO_DATA}`, () => {
  test.each(Object.entries(REAL))('%s', async (name, expected) => {
    const file = resolve(TEST_DATA, 'vocab', name)
    const { findings } = await checkFiles([file])
    const counts = findings.filter(({ rule }) => !OLDER.includes(rule)).map(({ rule, count }) => [rule, count])
    expect(Object.fromEntries(counts)).toEqual(expected)

    // What a look at each label by itself gives.
    const quads = new Parser().parse(readFileSync(file, 'utf8'))
    const concepts = new Set(quads.flatMap(({ subject, object }) => (object.value === CONCEPT ? [subject.value] : [])))
    const deprecated = new Set(
      quads.flatMap((quad) => (quad.predicate.value === DEPRECATED ? [quad.subject.value] : [])),
    )
    const bearers = new Map<string, Set<string>>()
    const spaced = new Set<string>()
    for (const { subject, predicate, object } of quads) {
      if (!/#(pref|alt|hidden)Label$/.test(predicate.value) || object.termType !== 'Literal') continue
      if (object.value.trim() !== object.value || object.value.includes('  ')) spaced.add(`<${subject.value}>`)
      if (!predicate.value.endsWith('#prefLabel') || deprecated.has(subject.value)) continue
      if (!concepts.has(subject.value)) continue
      const key = `${object.value}@${object.language}`
      bearers.set(key, (bearers.get(key) ?? new Set()).add(`<${subject.value}>`))
    }
    const same = new Set([...bearers.values()].flatMap((concepts) => (concepts.size > 1 ? [...concepts] : [])))
    const focus = (rule: string) => new Set(findings.find((finding) => finding.rule === rule)?.focusNodes)
    expect(focus('label-space')).toEqual(spaced)
    expect(focus('same-prefLabel')).toEqual(same)
  })
})
