/** Documents of RDF: what comes back is what was written, in however many pieces. */
import { describe, expect, test } from '@jest/globals'
import type { Quad } from '@rdfjs/types'
import { JsonLdParser } from 'jsonld-streaming-parser'
import { Parser } from 'n3'
import { RdfXmlParser } from 'rdfxml-streaming-parser'
import { RDF, SKOS, XSD } from '../../../src/base/namespaces.ts'
import {
  expandedJsonLd,
  nTriples,
  turtle,
  type QuadWriter,
} from '../../../src/interface/representations/quad-writers.ts'
import { rdfXml } from '../../../src/interface/representations/rdf-xml.ts'
import { canonical } from '../../writing/source/canonical.ts'

const EX = 'http://example.org/'

/** Terms of every kind, some of which look like syntax. */
const STATEMENTS = [
  `<${EX}a> <${RDF}type> <${SKOS}Concept> .`,
  `<${EX}a> <${RDF}type> _:class .`,
  `<${EX}a> <${RDF}type> "a text" .`,
  `<${EX}a> <${SKOS}prefLabel> "<b>\\"Ä\\" \\\\ & 'Ö'</b> ]]> &amp; @de" .`,
  `<${EX}a> <${SKOS}prefLabel> " two  spaces " .`,
  `<${EX}a> <${SKOS}prefLabel> "Schweiz"@de-ch .`,
  `<${EX}a> <${SKOS}prefLabel> "中"@zh-hant .`,
  `<${EX}a> <${SKOS}prefLabel> "" .`,
  `<${EX}a> <${SKOS}note> "one\\r\\ntwo\\tthree\\n" .`,
  `<${EX}a> <${SKOS}note> "\u{1f600}\u{10ffff}\u00a0\u2028" .`,
  `<${EX}a> <${SKOS}notation> "007"^^<${XSD}integer> .`,
  `<${EX}a> <${SKOS}notation> "1.50"^^<${XSD}decimal> .`,
  `<${EX}a> <${SKOS}notation> "x"^^<${EX}type> .`,
  `<${EX}a> <${SKOS}notation> "TRUE"^^<${XSD}boolean> .`,
  `<${EX}a> <${SKOS}note> "<b>x</b>"^^<${RDF}XMLLiteral> .`,
  `<${EX}a> <${SKOS}related> <${EX}b?x=1&y=(2)#c,d;e> .`,
  `<${EX}a> <${SKOS}related> <${EX}%C3%A4/ä/a.b.> .`,
  `<${EX}a> <${SKOS}related> <urn:x> .`,
  `<${EX}a> <${EX}größe> "1" .`,
  `<${EX}a> <${EX}list> _:9.x .`,
  `_:9.x <${RDF}first> _:9_x .`,
  `_:9.x <${RDF}rest> _:list-2 .`,
  `_:9_x <${EX}p> _:9_x .`,
  `_:list-2 <${RDF}first> "2" .`,
  `_:list-2 <${RDF}rest> <${RDF}nil> .`,
  `<${SKOS}Concept> <${EX}p> <${EX}a> .`,
]

async function streamed(parser: RdfXmlParser | JsonLdParser, text: string): Promise<Quad[]> {
  parser.end(text)
  return (await parser.toArray()) as Quad[]
}

const WRITERS: [name: string, open: () => QuadWriter, read: (text: string) => Promise<Quad[]>][] = [
  ['Turtle', turtle, (text) => Promise.resolve(new Parser({ format: 'Turtle' }).parse(text))],
  ['N-Triples', nTriples, (text) => Promise.resolve(new Parser({ format: 'N-Triples' }).parse(text))],
  ['JSON-LD', expandedJsonLd, (text) => streamed(new JsonLdParser(), text)],
  ['RDF/XML', rdfXml, (text) => streamed(new RdfXmlParser(), text)],
]

describe.each(WRITERS)('%s', (_, open, read) => {
  const quads = new Parser({ format: 'N-Triples', blankNodePrefix: '_:' }).parse(STATEMENTS.join('\n'))
  const lines = (some: readonly Quad[]) => canonical(some.map(line))

  test.each([1, 2, 7, STATEMENTS.length])('all statements come back, in pieces of %i', async (size) => {
    const writer = open()
    let text = ''
    for (let at = 0; at < quads.length; at += size) text += writer.write(quads.slice(at, at + size))
    text += writer.end()
    expect(lines(await read(text))).toEqual(lines(quads))
  })

  test('the document is the same in pieces of any size', () => {
    const document = (size: number) => {
      const writer = open()
      let text = ''
      for (let at = 0; at < quads.length; at += size) text += writer.write(quads.slice(at, at + size))
      return text + writer.end()
    }
    expect(document(1)).toBe(document(quads.length))
    expect(document(3)).toBe(document(quads.length))
  })

  test('nothing is an empty graph', async () => {
    const writer = open()
    expect(await read(writer.write([]) + writer.end())).toEqual([])
    expect(await read(open().end())).toEqual([])
  })

  test('a resource with more than 1,000 values is written in pieces, and is one resource', async () => {
    const many = Array.from({ length: 1100 }, (_, at) => `<${EX}group> <${SKOS}member> <${EX}${at}> .`)
    const all = new Parser().parse(many.join('\n'))
    const writer = open()
    const text = writer.write(all.slice(0, 600)) + writer.write(all.slice(600)) + writer.end()
    const quads = await read(text)
    expect(quads).toHaveLength(1100)
    expect(new Set(quads.map(({ subject }) => subject.value))).toEqual(new Set([`${EX}group`]))
  })
})

test('Turtle has the usual prefixes, and each subject once', () => {
  const writer = turtle()
  const quads = new Parser().parse(`<${EX}a> a <${SKOS}Concept> ; <${SKOS}prefLabel> "A"@en , "B"@de .`)
  const text = writer.write(quads.slice(0, 2)) + writer.write(quads.slice(2)) + writer.end()
  expect(text).toContain(`@prefix skos: <${SKOS}>.`)
  expect(text.slice(text.indexOf(`<${EX}a>`))).toBe(`<${EX}a> a skos:Concept;\n    skos:prefLabel "A"@en, "B"@de.\n`)
})

test('JSON-LD has short forms of texts and types', () => {
  const writer = expandedJsonLd()
  const quads = new Parser().parse(`<${EX}a> a <${SKOS}Concept> ; <${SKOS}prefLabel> "A"@en ; <${EX}p> "x" , 1 .`)
  expect(JSON.parse(writer.write(quads) + writer.end())).toEqual([
    {
      '@id': `${EX}a`,
      '@type': [`${SKOS}Concept`],
      [`${SKOS}prefLabel`]: [{ '@value': 'A', '@language': 'en' }],
      [`${EX}p`]: [{ '@value': 'x' }, { '@value': '1', '@type': `${XSD}integer` }],
    },
  ])
})

function line({ subject, predicate, object }: Quad): string {
  return `${term(subject)} ${term(predicate)} ${term(object)} .`
}

function term(value: Quad['subject'] | Quad['predicate'] | Quad['object']): string {
  if (value.termType === 'BlankNode') return `_:${value.value}`
  if (value.termType !== 'Literal') return `<${value.value}>`
  const text = JSON.stringify(value.value)
  if (value.language) return `${text}@${value.language}`
  return `${text}^^<${value.datatype.value}>`
}
