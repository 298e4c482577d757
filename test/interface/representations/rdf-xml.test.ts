import { expect, test } from '@jest/globals'
import type { Quad } from '@rdfjs/types'
import { Parser } from 'n3'
import { RdfXmlParser } from 'rdfxml-streaming-parser'
import { toLinkedData, toQuads } from '../../../src/graph/jskos/linked-data.ts'
import { CONCEPT, RDF } from '../../../src/base/namespaces.ts'
import { rdfXml } from '../../../src/interface/representations/rdf-xml.ts'
import { canonical } from '../../writing/source/canonical.ts'

const C = 'http://example.org/c?a=1&b="<>\'#é'.replace(/["<>]/g, '')

function write(...pieces: (readonly Quad[])[]): string {
  const writer = rdfXml()
  return pieces.map((quads) => writer.write(quads)).join('') + writer.end()
}
async function read(text: string): Promise<Quad[]> {
  const parser = new RdfXmlParser()
  parser.end(text)
  return (await parser.toArray()) as Quad[]
}
const terms = (quads: readonly Quad[]) =>
  quads
    .map(({ subject, predicate, object }) => {
      const more = object.termType === 'Literal' ? `${object.language} ${object.datatype.value}` : ''
      const name = (term: { termType: string; value: string }) => (term.termType === 'BlankNode' ? '_' : term.value)
      return JSON.stringify([name(subject), predicate.value, object.termType, name(object), more])
    })
    .sort()

test('odd values come back as they were', async () => {
  const record = {
    uri: C,
    type: [CONCEPT, 'http://example.org/a?b&c'],
    prefLabel: { de: '<b>"Ä" & \'Ö\'</b> ]]> &amp;', 'zh-hant': '中', und: ' a  b ' },
    note: { de: ['eins\r\nzwei\tdrei\n', '😀\u{10ffff}'], en: ['', ' ', '\n'] },
    notation: ['&lt;', '1'],
    created: '2020-02-03',
    issued: '2020',
    deprecated: true,
    publisher: [{ prefLabel: { de: 'ohne URI' } }, { uri: 'http://example.org/p', prefLabel: { de: 'P' } }],
    location: { type: 'Point', coordinates: [1, 2], name: '<&>' },
    exactMatch: ['http://example.org/x'],
  }
  const quads = toQuads(toLinkedData(record)!)
  expect(quads.length).toBeGreaterThan(15)
  expect(terms(await read(write(quads)))).toEqual(terms(quads))
})

/** A property of each kind, and objects of each kind. */
const WHOLE_GRAPH = `
  <http://example.org/a> <http://example.org/p1> "1" .
  <http://example.org/a> <http://example.org/1p> "2" .
  <http://example.org/a> <http://example.org/%C3%A4-x.y> "3" .
  <http://example.org/a> <http://example.org/größe> "4" .
  <http://example.org/a> <urn:x> "5" .
  <http://example.org/a> <tag:a&'b=c> "6" .
  <http://example.org/a> <${RDF}_1> "7" .
  <http://example.org/a> <http://example.org/list> _:9.x .
  _:9.x <${RDF}first> _:9_x .
  _:9.x <${RDF}rest> _:list-2 .
  _:9_x <http://example.org/p> "<b>"^^<${RDF}XMLLiteral> .
  _:9_x <http://example.org/p> <http://example.org/a?b&c> .
  _:list-2 <${RDF}first> "02"^^<http://www.w3.org/2001/XMLSchema#integer> .
  _:list-2 <${RDF}rest> <${RDF}nil> .
`
  .trim()
  .split('\n')
  .map((line) => line.trim())

test('a whole graph comes back: properties of any namespace, blank nodes with any label, lists', async () => {
  const quads = new Parser({ format: 'N-Triples', blankNodePrefix: '_:' }).parse(WHOLE_GRAPH.join('\n'))
  // In two pieces, between which a subject goes on.
  const text = write(quads.slice(0, 4), quads.slice(4))
  const lines = (await read(text)).map(
    ({ subject, predicate, object }) => `${name(subject)} ${name(predicate)} ${name(object)} .`,
  )
  expect(canonical(lines)).toEqual(canonical(WHOLE_GRAPH))
})

function name(term: Quad['subject'] | Quad['predicate'] | Quad['object']): string {
  if (term.termType === 'BlankNode') return `_:${term.value}`
  if (term.termType !== 'Literal') return `<${term.value}>`
  const { value, datatype } = term
  return `"${value}"${datatype.value.endsWith('#string') ? '' : `^^<${datatype.value}>`}`
}

test.each([
  'http://example.org/',
  'http://example.org/123',
  'http://www.w3.org/2004/02/skos/core#exactMatch:',
  `${RDF}li`,
  `${RDF}about`,
  'http://www.w3.org/2000/xmlns/x',
])('the property %s, which XML cannot name, is an error that names it', (property) => {
  const quads = new Parser().parse(`<http://example.org/a> <${property}> "1" .`)
  expect(() => write(quads)).toThrow(`RDF/XML cannot name the property <${property}>`)
})

test('texts lose characters that XML cannot write, and the document says so', async () => {
  const record = { uri: C, prefLabel: { de: 'a\u0000\u0001\u000b\u001f\ufffeb\u007f\u0085c' } }
  const text = write(toQuads(toLinkedData(record)!))
  const [quad] = await read(text)
  expect(quad!.object.value).toBe('ab\u007f\u0085c')
  expect(text).toContain('<!-- 5 characters that XML cannot write are missing from texts -->')
})

test('nothing is an empty graph', async () => {
  expect(await read(write())).toEqual([])
  expect(await read(write([]))).toEqual([])
})
