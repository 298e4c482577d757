import { expect, test } from '@jest/globals'
import type { Quad } from '@rdfjs/types'
import { RdfXmlParser } from 'rdfxml-streaming-parser'
import { toLinkedData, toQuads } from '../../src/jskos/linked-data.ts'
import { CONCEPT } from '../../src/namespaces.ts'
import { RDF_XML_BEGIN, RDF_XML_END, toRdfXml } from '../../src/read/rdf-xml.ts'

const C = 'http://example.org/c?a=1&b="<>\'#é'.replace(/["<>]/g, '')

async function read(text: string): Promise<Quad[]> {
  const parser = new RdfXmlParser()
  parser.end(RDF_XML_BEGIN + text + RDF_XML_END)
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
    note: { de: ['eins\r\nzwei\tdrei\n', '😀\u{10ffff}'], en: [''] },
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
  expect(terms(await read(toRdfXml(quads)))).toEqual(terms(quads))
})

test('texts lose characters that XML cannot write', async () => {
  const record = { uri: C, prefLabel: { de: 'a\u0000\u0001\u000b\u001f\ufffeb\u007f\u0085c' } }
  const [quad] = await read(toRdfXml(toQuads(toLinkedData(record)!)))
  expect(quad!.object.value).toBe('ab\u007f\u0085c')
})

test('nothing is an empty graph', async () => {
  expect(toRdfXml([])).toBe('')
  expect(await read('')).toEqual([])
})
