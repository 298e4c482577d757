import { describe, expect, test } from '@jest/globals'
import jsonld from 'jsonld'
import { Parser, Writer, type Quad } from 'n3'
import { readFileSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { BY_CODE_POINTS } from '../../../src/graph/jskos/order.ts'
import { CONTEXT } from '../../../src/graph/jskos/context.ts'
import { frameNodes } from '../../../src/graph/jskos/frame.ts'
import { toLinkedData, toQuads } from '../../../src/graph/jskos/linked-data.ts'
import { readNTriples } from '../../../src/graph/sparql/ntriples.ts'
import { readProperties } from '../../../src/graph/jskos/properties.ts'
import { conceptRecord, schemeRecord, type AnyRecord } from '../../../src/graph/jskos/record.ts'
import { CONCEPT, CONCEPT_SCHEME, RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { DEMO, toNTriples } from '../../app.ts'
import { dataFiles, NO_DATA } from '../../data.ts'
import { refuseRemoteDocuments } from '../../jsonld.ts'

const OPTIONS = {
  properties: readProperties('*', []),
  languages: undefined,
  preferred: ['de', 'en'],
  order: BY_CODE_POINTS,
  contextUrl: 'https://example.org/context.json',
}

/** A graph in a canonical form (RDF Dataset Canonicalization): equal for isomorphic graphs. */
async function canonical(quads: Quad[]): Promise<string> {
  // As text and in a set of lines: a list of quads may say a thing twice, a graph cannot.
  const lines = new Set(new Writer({ format: 'N-Triples' }).quadsToString(quads).split('\n'))
  return jsonld.canonize([...lines].join('\n') as never, {
    inputFormat: 'application/n-quads',
    format: 'application/n-quads',
  })
}

/** The graph of JSON-LD as jsonld reads it; nothing may be fetched for that. */
async function byJsonld(document: object): Promise<Quad[]> {
  const options = { documentLoader: refuseRemoteDocuments, base: '', format: 'application/n-quads' as const }
  return new Parser({ format: 'N-Quads' }).parse((await jsonld.toRDF(document, options)) as unknown as string)
}

async function expectSameGraph(records: readonly AnyRecord[]): Promise<number> {
  const nodes = records.map((record) => toLinkedData(record)).filter((node) => node !== undefined)
  const quads = nodes.flatMap((node) => toQuads(node)) as Quad[]
  const expected = await byJsonld({ '@context': CONTEXT['@context'], '@graph': nodes })
  expect(await canonical(quads)).toBe(await canonical(expected))
  return expected.length
}

describe('the triples of records are those that jsonld reads from them', () => {
  const files = [
    ...readdirSync(DEMO)
      .filter((file) => file.endsWith('.ttl'))
      .map((file) => resolve(DEMO, file)),
    ...dataFiles('vocab'),
    ...dataFiles('edge'),
  ]
  test.each(files.map((file) => [basename(file), file]))('%s', async (_, file) => {
    const graph = readNTriples(toNTriples(readFileSync(file, 'utf8')))
    const isA = (type: string) =>
      [...graph].filter(([, node]) => node.get(RDF_TYPE)?.some(({ value }) => value === type)).map(([uri]) => uri)
    const framed = frameNodes(graph)
    const schemes = isA(CONCEPT_SCHEME).map((uri) =>
      schemeRecord(framed(uri)!, { ids: [], hasConcept: true, hasTopConcept: false }, OPTIONS),
    )
    const concepts = isA(CONCEPT)
      .slice(0, 60)
      .map((uri) => conceptRecord(framed(uri)!, true, OPTIONS))
    const records = [...schemes, ...concepts]
    const triples = await expectSameGraph(records)
    if (records.length > 0) expect(triples).toBeGreaterThanOrEqual(records.length)
  })
  if (NO_DATA) test.skip(`real vocabularies${NO_DATA}`, () => {})
})

const C = 'http://example.org/c'
/** One record, and its triples as Turtle with the prefixes skos, dct and xsd. */
const CASES: { name: string; record: AnyRecord; turtle: string }[] = [
  {
    name: 'null stands for things that are not named',
    record: { uri: C, type: [CONCEPT], narrower: [null], topConcepts: [null], concepts: [null] },
    turtle: `<${C}> a skos:Concept .`,
  },
  {
    name: 'mapping and mappings are the properties that they stand for',
    record: {
      uri: C,
      mapping: [{ type: `${SKOS}exactMatch`, from: C, to: 'http://example.org/d' }],
      mappings: [
        {
          type: [`${SKOS}closeMatch`],
          from: { memberSet: [{ uri: C }] },
          to: { memberSet: [{ uri: 'http://example.org/e' }] },
        },
        { type: [`${SKOS}broadMatch`], from: {}, to: {} },
        { type: ['http://example.org/otherMatch'], to: { memberSet: [{ uri: 'http://example.org/f' }] } },
      ],
    },
    turtle: `<${C}> skos:exactMatch <http://example.org/d> ; skos:closeMatch <http://example.org/e> .`,
  },
  {
    name: 'a date is an xsd:date, or what it is instead',
    record: { uri: C, created: '2020-02-03', issued: '2020', modified: '2020-02' },
    turtle: `<${C}> dct:created "2020-02-03"^^xsd:date ; dct:issued "2020"^^xsd:gYear ; dct:modified "2020-02"^^xsd:gYearMonth .`,
  },
  {
    name: 'a date with a time is an xsd:dateTime',
    record: { uri: C, created: '2021-05-05T10:00:00.5+02:00', modified: '2021-05-05T10:00:00Z' },
    turtle: `<${C}> dct:created "2021-05-05T10:00:00.5+02:00"^^xsd:dateTime ; dct:modified "2021-05-05T10:00:00Z"^^xsd:dateTime .`,
  },
  {
    name: 'what is no IRI names nothing',
    record: {
      uri: C,
      type: [CONCEPT, 'no IRI', 'http://example.org/a b'],
      publisher: [{ uri: 'http://example.org/a|b', prefLabel: { de: 'P' } }, { uri: 'relative' }],
      depiction: ['http://example.org/<x>', 'http://example.org/x'],
      url: '//example.org/',
    },
    turtle: `@prefix foaf: <http://xmlns.com/foaf/0.1/> .
      <${C}> a skos:Concept ; dct:publisher [ skos:prefLabel "P"@de ] ; foaf:depiction <http://example.org/x> .`,
  },
  { name: 'a record whose uri is no IRI is left out', record: { uri: 'a b', prefLabel: { de: 'A' } }, turtle: '' },
  {
    name: 'a place is JSON, in its canonical form',
    record: {
      uri: C,
      location: { type: 'Point', coordinates: [9.93, 51.5, 1e21], name: { '10': 1, '9': 'ä\u0007', b: true, a: null } },
    },
    turtle: `<${C}> <http://www.opengis.net/ont/geosparql#asGeoJSON>
      """{"coordinates":[9.93,51.5,1e+21],"name":{"10":1,"9":"ä\\\\u0007","a":null,"b":true},"type":"Point"}"""^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON> .`,
  },
  {
    name: 'texts of every kind',
    record: {
      uri: C,
      deprecated: true,
      notation: ['0', ' ', 'a"b\\c\n\t\u0001\u001b\u007f', '\u{1F600}', '@type', '_:b'],
      prefLabel: { und: 'u', 'zh-hant': '中', constructor: 'no tag', uri: 'a term as a tag' },
      note: { de: ['eins', 'zwei'], en: [] },
    },
    turtle: `<${C}> <http://www.w3.org/2002/07/owl#deprecated> true ;
      skos:notation "0", " ", "a\\"b\\\\c\\n\\t\\u0001\\u001b\\u007f", "\\U0001F600", "@type", "_:b" ;
      skos:prefLabel "u"@und, "中"@zh-hant, "a term as a tag"@uri ;
      skos:note "eins"@de, "zwei"@de .`,
  },
  {
    name: 'what the context does not know is not there',
    record: { uri: C, unknown: 'x', _x: { uri: 'http://example.org/d' }, note: null },
    turtle: '',
  },
]

describe('one record as linked data', () => {
  test.each(CASES)('$name', async ({ record, turtle }) => {
    const prefixes = `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .`
    await expectSameGraph([record])
    const node = toLinkedData(record)
    const quads = node ? (toQuads(node) as Quad[]) : []
    expect(await canonical(quads)).toBe(await canonical(new Parser().parse(`${prefixes}\n${turtle}`)))
  })

  test('is the same record otherwise, without null anywhere', () => {
    const record = { uri: C, type: [CONCEPT], prefLabel: { de: 'A' }, broader: [], narrower: [null], '@context': 'x' }
    expect(toLinkedData(record)).toEqual({ uri: C, type: [CONCEPT], prefLabel: { de: 'A' }, broader: [] })
  })

  test.each<[string, object, string[]]>([
    ['an unknown field', { colour: 'red' }, ['colour']],
    ['a text in place of an IRI', { url: 'no IRI' }, ['url']],
    ['a text in place of a concept', { narrower: ['bookbinding', { uri: `${C}/1` }] }, ['narrower']],
    ['a text beside an object', { media: [{ type: 'Manifest' }, 'x'] }, ['media']],
    ['nothing for an empty value', { media: [{ type: 'Manifest' }, ''], broader: [null], colour: '' }, []],
    ['nothing for fields that repeat others', { hasChildren: true, concepts: [null], order: 'natural' }, []],
  ])('reports what it leaves out: %s', (_, fields, expected) => {
    const dropped: string[] = []
    const onDropped = (name: string) => dropped.push(name)
    toLinkedData({ uri: C, ...fields }, { keepsTag: () => true, onDropped, onWrongStatement: () => {} })
    expect(dropped).toEqual(expected)
  })

  test('takes IRIs in place of links', () => {
    const links = (uri: string) => ({ broader: [uri], inScheme: [uri], publisher: [uri] })
    expect(toLinkedData({ uri: C, ...links(`${C}/1`) })).toEqual({
      uri: C,
      broader: [{ uri: `${C}/1` }],
      inScheme: [{ uri: `${C}/1` }],
      publisher: [{ uri: `${C}/1` }],
    })
    expect(toLinkedData({ uri: C, ...links('Museum') })).toEqual({
      uri: C,
      broader: [],
      inScheme: [],
      publisher: ['Museum'],
    })
  })

  test('is nothing without an IRI', () => {
    expect([toLinkedData({ uri: 'bookbinding' }), toLinkedData({})]).toEqual([undefined, undefined])
  })

  test('leaves out texts with malformed language tags', () => {
    expect(toLinkedData({ uri: C, prefLabel: { en: 'A', 'not a tag': 'B' } })).toEqual({
      uri: C,
      prefLabel: { en: 'A' },
    })
  })
})
