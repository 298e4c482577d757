import { describe, expect, test } from '@jest/globals'
import { BOOKKEEPING } from '../../../src/base/namespaces.ts'
import type { Vocabulary } from '../../../src/graph/vocabularies/vocabulary.ts'
import { prepareVocabulary, type LoadOptions } from '../../../src/writing/loading/prepare.ts'
import { InputError } from '../../../src/base/files/input-error.ts'
import { dataFiles, NO_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { canonical } from '../source/canonical.ts'

const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix skosxl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix isothes: <http://purl.org/iso25964/skos-thes#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix vann: <http://purl.org/vocab/vann/> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix : <http://example.org/v/> .
`
/** A scheme whose facts need nothing filled in. */
const SCHEME = `<http://example.org/v> a skos:ConceptScheme ; skos:prefLabel "V"@en ; skos:notation "v" ; dct:language "en" ;
  void:uriSpace "http://example.org/v/" . `
/** A concept that is a top concept in both directions. */
const top = (name: string) =>
  `:${name} a skos:Concept ; skos:inScheme <http://example.org/v> ; skos:topConceptOf <http://example.org/v> . <http://example.org/v> skos:hasTopConcept :${name} . `

const { write } = temporaryFolder()

/** The result of normalising as sorted lines of N-Triples, without bookkeeping and the given base. */
async function normalise(files: string[], options: LoadOptions = {}, stored: Vocabulary[] = []) {
  const prepared = await prepareVocabulary(files, { check: false, ...options }, stored)
  const text = prepared.normalised.graphs.read(0)
  const lines = text.split('\n').filter((line) => line !== '' && !line.includes(`> <${BOOKKEEPING}`))
  const { changes } = prepared.normalised
  const { uri, ids, subsets } = prepared
  const subsetLines = subsets.map((_, at) => prepared.normalised.graphs.read(1 + at).split('\n'))
  prepared.close()
  return { lines, changes, uri, ids, subsets, subsetLines }
}

const turtle = (name: string, text: string) => write(`${name}.ttl`, PREFIXES + text)

/** Lines with the IRIs of SKOS and of the example shortened, so that a table can be read. */
const short = (line: string) =>
  line
    .replaceAll('<http://www.w3.org/2004/02/skos/core#', '<skos:')
    .replaceAll('<http://purl.org/iso25964/skos-thes#', '<isothes:')
    .replaceAll('<http://example.org/v/', '<:')
    .replaceAll('<http://example.org/v>', '<v>')
    .replaceAll('<http://purl.org/dc/terms/', '<dct:')
    .replace(/ \.$/, '')

const CASES: [title: string, source: string, added: string[], removed: string[]][] = [
  [
    'broader and narrower from the kinds of links of ISO 25964, in both directions',
    `${top('a')}:b a skos:Concept ; skos:inScheme <http://example.org/v> ; isothes:broaderPartitive :a .
    :a isothes:narrowerInstantial :c . :c a skos:Concept ; skos:inScheme <http://example.org/v> .`,
    [
      '<:a> <isothes:narrowerPartitive> <:b>',
      '<:a> <skos:narrower> <:b>',
      '<:a> <skos:narrower> <:c>',
      '<:b> <skos:broader> <:a>',
      '<:c> <isothes:broaderInstantial> <:a>',
      '<:c> <skos:broader> <:a>',
    ],
    [],
  ],
  [
    'relations and mappings from properties that are declared as their sub-properties, through others, too',
    `${top('a')}${top('b')}:a :sees :b ; :equals <http://example.org/w/1>, <http://example.org/w/2> ; skos:exactMatch <http://example.org/w/1> .
    :sees rdfs:subPropertyOf :linkedTo . :linkedTo rdfs:subPropertyOf skos:related . :equals rdfs:subPropertyOf skos:exactMatch .`,
    ['<:a> <skos:exactMatch> <http://example.org/w/2>', '<:a> <skos:related> <:b>'],
    [],
  ],
  [
    'kinds of links from their sub-properties, in both directions',
    `${top('a')}:b a skos:Concept ; skos:inScheme <http://example.org/v> ; :wheelOf :a .
    :wheelOf rdfs:subPropertyOf isothes:broaderPartitive .`,
    [
      '<:a> <isothes:narrowerPartitive> <:b>',
      '<:a> <skos:narrower> <:b>',
      '<:b> <isothes:broaderPartitive> <:a>',
      '<:b> <skos:broader> <:a>',
    ],
    [],
  ],
  [
    'nothing from what an ontology declares of properties of SKOS',
    `${top('a')}:a skos:broadMatch <http://example.org/w/1> ; skos:closeMatch <http://example.org/w/2> .
    skos:broadMatch rdfs:subPropertyOf skos:broader . skos:closeMatch rdfs:subPropertyOf skos:exactMatch .
    skos:exactMatch rdfs:subPropertyOf skos:closeMatch .`,
    [],
    [],
  ],
  [
    'broader and narrower from properties that the file declares as their sub-properties, wherever it does',
    `${top('a')}:b a skos:Concept ; skos:inScheme <http://example.org/v> ; :madeOf :a .
    :madeOf rdfs:subPropertyOf skos:broader .`,
    ['<:a> <skos:narrower> <:b>', '<:b> <skos:broader> <:a>'],
    [],
  ],
  [
    'narrower from broader',
    `${top('a')}:b a skos:Concept ; skos:inScheme <http://example.org/v> ; skos:broader :a .`,
    ['<:a> <skos:narrower> <:b>'],
    [],
  ],
  [
    'broader from narrower',
    `${top('a')}:a skos:narrower :b . :b a skos:Concept ; skos:inScheme <http://example.org/v> .`,
    ['<:b> <skos:broader> <:a>'],
    [],
  ],
  [
    'a top concept without a broader one',
    ':a a skos:Concept ; skos:inScheme <http://example.org/v> .',
    ['<:a> <skos:topConceptOf> <v>', '<v> <skos:hasTopConcept> <:a>'],
    [],
  ],
  [
    'a dangling broader concept is none',
    ':a a skos:Concept ; skos:inScheme <http://example.org/v> ; skos:broader :gone .',
    ['<:a> <skos:topConceptOf> <v>', '<:gone> <skos:narrower> <:a>', '<v> <skos:hasTopConcept> <:a>'],
    [],
  ],
  [
    'its own broader concept is none, and stays',
    ':a a skos:Concept ; skos:inScheme <http://example.org/v> ; skos:broader :a .',
    ['<:a> <skos:narrower> <:a>', '<:a> <skos:topConceptOf> <v>', '<v> <skos:hasTopConcept> <:a>'],
    [],
  ],
  [
    'a cycle without entry has no top concept',
    ':a a skos:Concept ; skos:inScheme <http://example.org/v> ; skos:broader :b . :b a skos:Concept ; skos:inScheme <http://example.org/v> ; skos:broader :a .',
    ['<:a> <skos:narrower> <:b>', '<:b> <skos:narrower> <:a>'],
    [],
  ],
  [
    'a broader concept of another scheme is none in this one',
    `${top('a')}:b a skos:Concept ; skos:inScheme :other . :a skos:broader :b .`,
    ['<:b> <skos:narrower> <:a>', '<:b> <skos:topConceptOf> <:other>', '<:other> <skos:hasTopConcept> <:b>'],
    [],
  ],
  [
    'a deprecated concept that stands alone is on top only if the source says so',
    `:a a skos:Concept ; owl:deprecated true . :b a skos:Concept ; owl:deprecated "1"^^xsd:boolean ; skos:narrower :c .
     :c a skos:Concept ; owl:deprecated true . :d a skos:Concept ; owl:deprecated false .
     :e a skos:Concept ; owl:deprecated true ; skos:topConceptOf <http://example.org/v> .`,
    [
      ...['a', 'b', 'c', 'd', 'e'].map((name) => `<:${name}> <skos:inScheme> <v>`),
      ...['b', 'd'].map((name) => `<:${name}> <skos:topConceptOf> <v>`),
      ...['b', 'd', 'e'].map((name) => `<v> <skos:hasTopConcept> <:${name}>`),
      '<:c> <skos:broader> <:b>',
      '<:b> <http://www.w3.org/2002/07/owl#deprecated> "true"^^<http://www.w3.org/2001/XMLSchema#boolean>',
    ],
    ['<:b> <http://www.w3.org/2002/07/owl#deprecated> "1"^^<http://www.w3.org/2001/XMLSchema#boolean>'],
  ],
  [
    'what is not a skos:Concept with a URI is not a concept, whatever links to it',
    `${top('a')}:a skos:narrower :b, [ a skos:Concept ] ; skos:related :c . :d skos:inScheme <http://example.org/v> .
     <http://example.org/v> skos:hasTopConcept :e .`,
    ['<:b> <skos:broader> <:a>', '_:x <skos:broader> <:a>', '<:e> <skos:topConceptOf> <v>'],
    [],
  ],
  [
    'a link that is text, a concept that is a collection and one that is a scheme stay',
    `${top('a')}:a skos:broader "b" ; a skos:Collection, skos:ConceptScheme .`,
    [],
    [],
  ],
  [
    'inScheme where there is none',
    ':a a skos:Concept .',
    ['<:a> <skos:inScheme> <v>', '<:a> <skos:topConceptOf> <v>', '<v> <skos:hasTopConcept> <:a>'],
    [],
  ],
  [
    'inScheme from topConceptOf',
    ':a a skos:Concept ; skos:topConceptOf <http://example.org/v> .',
    ['<:a> <skos:inScheme> <v>', '<v> <skos:hasTopConcept> <:a>'],
    [],
  ],
  [
    'a top concept of the scheme with another slash or protocol, also if it has a broader concept',
    `${top('a')}:b a skos:Concept ; skos:topConceptOf <http://example.org/v/> ; skos:broader :a . :a skos:narrower :b .
    :c a skos:Concept . <https://example.org/v> skos:hasTopConcept :c .`,
    [
      ...['b', 'c'].map((name) => `<:${name}> <skos:inScheme> <v>`),
      ...['b', 'c'].map((name) => `<:${name}> <skos:topConceptOf> <v>`),
      ...['b', 'c'].map((name) => `<v> <skos:hasTopConcept> <:${name}>`),
    ],
    [],
  ],
  [
    'a concept of the scheme with another slash or protocol that has a broader concept in the scheme',
    `${top('a')}:a skos:narrower :b . :b a skos:Concept ; skos:broader :a ; skos:inScheme <https://example.org/v/> .`,
    ['<:b> <skos:inScheme> <v>'],
    [],
  ],
  [
    'a top concept of another scheme, whose URI has another slash',
    `${top('a')}<http://example.org/v/> a skos:ConceptScheme ; skos:hasTopConcept :b .
    :b a skos:Concept ; skos:topConceptOf <http://example.org/v/> .`,
    ['<:b> <skos:inScheme> <:>'],
    [],
  ],
  [
    'labels without a language',
    `${top('a')}:a skos:prefLabel "x" ; skos:note "n" ; skos:notation "x" ; dct:title "t" .`,
    ['<:a> <skos:note> "n"@und', '<:a> <skos:prefLabel> "x"@und'],
    ['<:a> <skos:note> "n"', '<:a> <skos:prefLabel> "x"'],
  ],
  [
    'language tags in lower case',
    `${top('a')}:a skos:altLabel "x"@de-CH .`,
    ['<:a> <skos:altLabel> "x"@de-ch'],
    ['<:a> <skos:altLabel> "x"@de-CH'],
  ],
  [
    'NFC',
    `${top('a')}:a skos:altLabel "A\\u0308"@de .`,
    ['<:a> <skos:altLabel> "Ä"@de'],
    ['<:a> <skos:altLabel> "A\u0308"@de'],
  ],
  [
    'a run of combining marks is interrupted after 30, so that normalising takes no longer than reading',
    `${top('a')}:a skos:altLabel "a${'\u0301'.repeat(70)}"@de .`,
    [`<:a> <skos:altLabel> "á${'\u0301'.repeat(29)}\u034f${'\u0301'.repeat(30)}\u034f${'\u0301'.repeat(10)}"@de`],
    [`<:a> <skos:altLabel> "a${'\u0301'.repeat(70)}"@de`],
  ],
  [
    'the lexical forms of notations are kept: a number that stores would write their own way becomes text',
    `${top('a')}:a skos:notation "A\\u0308", "007"^^xsd:integer, 1.50, 5, "01"^^:type, "x"@EN, "O\\u0308"@de .`,
    ['<:a> <skos:notation> "007"', '<:a> <skos:notation> "1.50"', '<:a> <skos:notation> "x"@en'],
    [
      '<:a> <skos:notation> "007"^^<http://www.w3.org/2001/XMLSchema#integer>',
      '<:a> <skos:notation> "1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
      '<:a> <skos:notation> "x"@EN',
    ],
  ],
  [
    'empty labels go',
    `${top('a')}:a skos:prefLabel ""@de ; skos:altLabel "  "@de ; skos:note ""@de .`,
    [],
    ['<:a> <skos:altLabel> "  "@de', '<:a> <skos:prefLabel> ""@de'],
  ],
  [
    'one prefLabel a language, the first in code point order',
    `${top('a')}:a skos:prefLabel "b"@de, "a"@de, "c"@en .`,
    ['<:a> <skos:altLabel> "b"@de'],
    ['<:a> <skos:prefLabel> "b"@de'],
  ],
  [
    'code points, not UTF-16 units',
    `${top('a')}:a skos:prefLabel "\u{1F600}"@de, "\uFF5E"@de .`,
    ['<:a> <skos:altLabel> "\u{1F600}"@de'],
    ['<:a> <skos:prefLabel> "\u{1F600}"@de'],
  ],
  [
    'an altLabel that equals the prefLabel',
    `${top('a')}:a skos:prefLabel "a"@de ; skos:altLabel "a"@de, "a"@en .`,
    [],
    ['<:a> <skos:altLabel> "a"@de'],
  ],
  [
    'SKOS-XL labels as plain ones',
    `${top('a')}:a skosxl:prefLabel [ skosxl:literalForm "x" ] ; skosxl:hiddenLabel :h . :h skosxl:literalForm "h"@DE .`,
    [
      '<:a> <skos:hiddenLabel> "h"@de',
      '<:a> <skos:prefLabel> "x"@und',
      '<:h> <http://www.w3.org/2008/05/skos-xl#literalForm> "h"@de',
    ],
    ['<:h> <http://www.w3.org/2008/05/skos-xl#literalForm> "h"@DE'],
  ],
]

describe('the rules of loading', () => {
  test.each(CASES)('%s', async (title, source, added, removed) => {
    const { Parser, Writer } = await import('n3')
    const file = await turtle(title.replace(/\W+/g, '-'), SCHEME + source)
    // The expectation is what a parser of its own reads, and the difference that the table gives.
    const { DataFactory } = await import('n3')
    const factory = {
      ...DataFactory,
      literal: (value: string, of: string) => {
        const literal = DataFactory.literal(value, of)
        if (typeof of === 'string') Object.defineProperty(literal, 'language', { value: of })
        return literal
      },
    }
    const quads = new Parser({ factory: factory }).parse(PREFIXES + SCHEME + source)
    const asserted = new Writer({ format: 'N-Triples' }).quadsToString(quads).trim().split('\n').map(short)
    const { lines } = await normalise([file], { scheme: 'http://example.org/v' })
    const got = lines.map(short)
    const blank = (line: string) => line.replace(/_:\S+/g, '_:')
    expect(got.map(blank).sort()).toEqual(
      [...new Set([...asserted.filter((line) => !removed.includes(line)), ...added])].map(blank).sort(),
    )
  })

  test('what says that a concept is deprecated is a boolean', async () => {
    const values = { a: '"true"', b: '1', c: '"true"@en', d: 'true', e: 'false', f: '"false"', g: '"yes"', h: '"True"' }
    const source = Object.entries(values).map(([name, value]) => `${top(name)}:${name} owl:deprecated ${value} .`)
    const { lines, changes } = await normalise([await turtle('deprecated', SCHEME + source.join(' '))])
    const statements = lines
      .filter((line) => line.includes('owl#deprecated>'))
      .map((line) => line.split('> ').slice(2).join('> '))
    const boolean = (value: string) => `"${value}"^^<http://www.w3.org/2001/XMLSchema#boolean> .`
    expect(statements).toEqual([
      ...Array(4).fill(boolean('true')),
      boolean('false'),
      '"false" .',
      '"yes" .',
      boolean('true'),
    ])
    expect(changes).toMatchObject({ 'owl:deprecated made a boolean': 4 })
  })

  test('names and languages of a scheme that has none', async () => {
    const blank = `<http://example.org/v> a skos:ConceptScheme ; dct:title "\\n", "\\t"@de ; rdfs:label "L"@en . :l skosxl:literalForm "\\f"@en .
      ${top('a')}:a skosxl:altLabel :l .`
    const { lines: named } = await normalise([await turtle('blank-names', blank)])
    expect(named.map(short).filter((line) => line.includes('Label> "'))).toEqual(['<v> <skos:prefLabel> "L"@en'])
    const source = `<http://example.org/v> a skos:ConceptScheme ; dct:title "T"@DE, "U" ; rdfs:label "L"@en .
      ${top('a')}:a skos:prefLabel "x"@de, "y"@fr, "z" ; skos:altLabel "w"@it .`
    const { lines, changes } = await normalise([await turtle('names', source)])
    expect(
      lines
        .map(short)
        .filter((line) => /^<v> <(skos:prefLabel|dct:language)>/.test(line))
        .sort(),
    ).toEqual([
      '<v> <dct:language> "de"',
      '<v> <dct:language> "fr"',
      '<v> <dct:language> "it"',
      '<v> <skos:prefLabel> "T"@de',
      '<v> <skos:prefLabel> "U"@und',
    ])
    expect(changes).toMatchObject({
      'name of the scheme from its title': 2,
      'language of the scheme from the labels': 3,
    })
  })

  test('names of publishers, creators, contributors and licences that have none', async () => {
    const source = `@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix schema: <http://schema.org/> .
      <http://example.org/v> a skos:ConceptScheme ; dct:publisher :board ; dct:license :cc ; dct:creator [ foaf:name "Ada" ] .
      :board foaf:name "Board"@EN . :cc dct:title "By"@en ; rdfs:label "CC" . :painter schema:name "Painter" .
      ${top('a')}:a dct:contributor :named ; skos:prefLabel "A"@en . :named skos:prefLabel "N"@en ; foaf:name "Other" .`
    const { lines, changes } = await normalise([await turtle('parties', source)])
    const names = lines.map(short).filter((line) => line.includes('skos:prefLabel'))
    expect(names.map((line) => line.replace(/^_:\S+/, '_:')).sort()).toEqual([
      '<:a> <skos:prefLabel> "A"@en',
      '<:board> <skos:prefLabel> "Board"@en',
      '<:cc> <skos:prefLabel> "By"@en',
      '<:named> <skos:prefLabel> "N"@en',
      '_: <skos:prefLabel> "Ada"@und',
    ])
    expect(changes).toMatchObject({ 'name of a publisher, creator or licence from its title': 3 })
  })

  test.each<[scheme: string, concepts: string, names: string[]]>([
    ['rdfs:label "L" ; dc:title "D"', '', ['"L"@und']],
    ['dc:title "D"@EN, "E"@en', '', ['"D"@en']],
    ['skos:prefLabel "P"@en ; dc:title "D"@de', '', ['"P"@en']],
  ])('the name of a scheme with %s', async (scheme, concepts, names) => {
    const { lines } = await normalise([
      await turtle('name', `<http://example.org/v> a skos:ConceptScheme ; ${scheme} . ${concepts}`),
    ])
    const start = '<v> <skos:prefLabel> '
    expect(lines.map(short).filter((line) => line.startsWith(start))).toEqual(names.map((name) => start + name))
  })

  test.each<[title: string, scheme: string, concepts: string[], namespace: string | undefined]>([
    ['up to the last slash', '', ['http://a.org/v/1', 'http://a.org/v/12', 'http://a.org/v/1/3'], 'http://a.org/v/'],
    ['up to a hash', '', ['http://a.org/v#a1', 'http://a.org/v#a2'], 'http://a.org/v#'],
    ['up to a colon', '', ['urn:x:v:1', 'urn:x:v:2'], 'urn:x:v:'],
    ['of one concept', '', ['http://a.org/v/1'], 'http://a.org/v/'],
    ['the root of a host', '', ['http://a.org/1', 'http://a.org/v/2'], 'http://a.org/'],
    ['of several hosts: none', '', ['http://a.org/v/1', 'http://b.org/v/1'], undefined],
    ['of several ports: none', '', ['http://a.org:80/v/1', 'http://a.org:81/v/1'], undefined],
    ['of http and https: none', '', ['http://a.org/v/1', 'https://a.org/v/1'], undefined],
    ['without concepts: none', '', [], undefined],
    ['stated by vann', '; vann:preferredNamespaceUri "http://b.org/"', ['http://a.org/v/1'], 'http://b.org/'],
    ['stated by vann as IRI', '; vann:preferredNamespaceUri <http://b.org/>', ['http://a.org/v/1'], 'http://b.org/'],
    [
      'stated by vann if that of void is no IRI',
      '; void:uriSpace "c" ; vann:preferredNamespaceUri "http://b.org/", "b", "", "http://b b.org/"',
      ['http://a.org/v/1'],
      'http://b.org/',
    ],
    ['not stated by an IRI', '; vann:preferredNamespaceUri "v"', ['http://a.org/v/1'], 'http://a.org/v/'],
    [
      'stated by void, which wins',
      '; void:uriSpace "http://c.org/" ; vann:preferredNamespaceUri "http://b.org/"',
      ['http://a.org/v/1'],
      'http://c.org/',
    ],
  ])('the namespace %s', async (_, scheme, concepts, namespace) => {
    const described = concepts.map((uri) => `<${uri}> a skos:Concept .`).join(' ')
    const other = '<http://z.org/1> a skos:Concept ; skos:inScheme :other .'
    const { lines } = await normalise([
      await turtle('space', `<http://example.org/v> a skos:ConceptScheme ${scheme} . ${described} ${other}`),
    ])
    const spaces = lines.filter(
      (line) => line.includes('<http://rdfs.org/ns/void#uriSpace>') && !line.endsWith('"c" .'),
    )
    expect(spaces).toEqual(
      namespace === undefined ? [] : [`<http://example.org/v> <http://rdfs.org/ns/void#uriSpace> "${namespace}" .`],
    )
  })

  test.each<[source: string, options: LoadOptions, ids: string[]]>([
    ['<http://example.org/v> a skos:ConceptScheme ; skos:notation "B", "a", "no id" .', {}, ['a', 'b']],
    ['<http://example.org/Voc> a skos:ConceptScheme ; skos:notation "no id" .', {}, ['voc']],
    ['<http://example.org/abc/2016.01/> a skos:ConceptScheme .', {}, ['abc']],
    ['<http://example.org/abc/Möbel> a skos:ConceptScheme .', {}, ['abc']],
    ['<http://example.org/abc#top> a skos:ConceptScheme .', {}, ['abc']],
    ['<http://example.org/v> a skos:ConceptScheme ; skos:notation "a" .', { ids: ['x', 'y'] }, ['x', 'y']],
  ])('ids of %s with %j: %j', async (source, options, ids) => {
    expect((await normalise([await turtle('ids', `${source} :a a skos:Concept .`)], options)).ids).toEqual(ids)
  })

  test('JSKOS that RDF cannot say is counted, and texts with an ill-formed language stay', async () => {
    const uri = 'http://example.org/v/a'
    const mapping = (...to: string[]) => ({ to: { memberSet: to.map((uri) => ({ uri })) } })
    const scheme = {
      uri: 'http://example.org/v',
      type: ['http://www.w3.org/2004/02/skos/core#ConceptScheme'],
      topConcepts: [{ uri, prefLabel: { de: 'A', de_CH: 'B', '-': 'more' } }, { uri: `${uri}b` }, null],
    }
    const concept = {
      uri: `${uri}x`,
      altLabel: { en_GB: ['C'], '-': [] },
      note: null,
      annotations: ['D'],
      subjectOf: [null],
      depiction: ['relative'],
      mappings: [mapping(`${uri}c`), mapping(`${uri}c`, `${uri}d`), mapping()],
    }
    const file = await write('losses.json', JSON.stringify([scheme, concept]))
    const { lines, changes } = await normalise([file])
    const about = lines.map(short).filter((line) => /^<:a[bx]?>/.test(line))
    expect(about.sort()).toEqual([
      '<:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <skos:Concept>',
      '<:a> <skos:inScheme> <v>',
      '<:a> <skos:prefLabel> "A"@de',
      '<:a> <skos:prefLabel> "B"@und',
      '<:a> <skos:topConceptOf> <v>',
      '<:ab> <skos:topConceptOf> <v>',
      '<:ax> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <skos:Concept>',
      '<:ax> <skos:altLabel> "C"@und',
      '<:ax> <skos:inScheme> <v>',
      '<:ax> <skos:relatedMatch> <:ac>',
      '<:ax> <skos:topConceptOf> <v>',
    ])
    expect(changes).toMatchObject({
      'ill-formed language tag cut': 2,
      'JSKOS field annotations dropped': 1,
      'JSKOS field depiction dropped': 1,
      'JSKOS field mappings dropped': 2,
    })
    expect(Object.keys(changes).filter((change) => change.startsWith('JSKOS'))).toHaveLength(3)
  })

  test('a subset in a file becomes a graph of its own, with its blank nodes', async () => {
    const source = `${SCHEME}${top('a')}:s a skos:Collection ; skos:notation "subset_s" ; dct:isPartOf <http://example.org/v> ;
      skos:member :a ; dct:publisher [ skos:prefLabel "P"@en ] .`
    const { lines, subsets, subsetLines } = await normalise([await turtle('subset', source)])
    expect(subsets).toEqual([{ uri: 'http://example.org/v/s', ids: ['subset_s'], members: 1 }])
    expect(lines.filter((line) => line.includes('/v/s>') || line.includes('"P"'))).toEqual([])
    expect(subsetLines[0]!.filter((line) => line !== '' && !line.includes(BOOKKEEPING))).toHaveLength(6)
  })

  test.each<[string, string, LoadOptions, RegExp]>([
    ['no scheme', ':a a skos:Concept .', {}, /no concept scheme.*--scheme/],
    ['neither scheme nor concept', ':a dct:title "t" .', {}, /no concept scheme.*--scheme/],
    [
      'two schemes',
      ':a a skos:Concept . :s a skos:ConceptScheme . :t a skos:ConceptScheme .',
      {},
      /2 concept schemes.*\/s.*\/t/,
    ],
    ['an id that is none', `${SCHEME}:a a skos:Concept .`, { ids: ['A b'] }, /"A b" cannot be an id/],
    [
      'an id that is a path of the interface',
      `${SCHEME}:a a skos:Concept .`,
      { ids: ['top'] },
      /"top" cannot be an id/,
    ],
    ['a relative --scheme', `${SCHEME}:a a skos:Concept .`, { scheme: 'v' }, /--scheme: expected an absolute URI/],
  ])('refused: %s', async (title, source, options, message) => {
    const file = await turtle(title, source)
    await expect(prepareVocabulary([file], options)).rejects.toThrow(InputError)
    await expect(prepareVocabulary([file], options)).rejects.toThrow(message)
  })
})

test.each([
  ['the name of a publisher', ':a a skos:Concept ; dct:publisher [ skos:prefLabel "P"@en ] .', false],
  ['the class of a publisher', ':a a skos:Concept ; dct:publisher [ skos:prefLabel "P"@en ; a :Organization ] .', true],
  [
    'a link back from a neighbour without a record',
    ':a a skos:Concept ; skos:broader :b . :b skos:narrower :a .',
    false,
  ],
  ['a chain', ':a a skos:Concept ; skos:broader :b . :b skos:prefLabel "B"@en ; skos:broader :c .', true],
])('notes whether records have objects: %s', async (title, source, expected) => {
  const { normalised } = await prepareVocabulary([await turtle(`objects of ${title}`, `${SCHEME}${source}`)])
  const [line] = normalised.graphs.read(0).match(/^.*:objects> .*$/m) ?? []
  expect(line).toContain(`"${expected}"`)
})

const files = [...dataFiles('vocab'), ...dataFiles('edge')]
const describeData = NO_DATA ? describe.skip : describe

describeData(`normalising twice changes nothing${NO_DATA}`, () => {
  test.each(files.length > 0 ? files : ['-'])('%s', async (file) => {
    const options = {
      scheme:
        file.includes('multiple-schemes') || /\/(cbd|collation|date|xl|schemes)\.ttl$/.test(file)
          ? 'http://example.org/v/scheme/A'
          : undefined,
    }
    const first = await normalise([file], options)
    const again = await write('again.nt', first.lines.map((line) => `${line}\n`).join(''))
    const stored = first.subsets.map(({ uri, ids }): Vocabulary => ({
      ...{
        uri,
        ids,
        notations: ids,
        identifiers: [],
        prefLabel: {},
        values: new Map(),
        notationTypes: [],
        order: 'code-point',
        hasResourceNotes: true,
        hasObjects: true,
        lastLoad: {},
        revision: undefined,
      },
      isSubset: true,
      partOf: [first.uri],
    }))
    const second = await normalise([again], { scheme: first.uri }, stored)
    expect(second.ids).toEqual(first.ids)
    expect(second.changes).toEqual({})
    expect(canonical(second.lines)).toEqual(canonical(first.lines))
  })
})
