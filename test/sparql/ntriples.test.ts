import { expect, test } from '@jest/globals'
import { readNTriples } from '../../src/sparql/ntriples.ts'

const P = 'http://example.org/p'
const OBJECTS = ['<http://example.org/1>', '_:1', '"1"', '"1"@de', '"1"@en', '"1"^^<http://example.org/t>']

test.each([1, 5, 50])('a subject has each object once, of %i times as many', (times) => {
  const objects = Array.from({ length: times }, (_, at) =>
    OBJECTS.map((object) => object.replace('1', `${at}1`)),
  ).flat()
  const lines = objects.map((object) => `<http://example.org/s> <${P}> ${object} .\n`).join('')
  const graph = readNTriples(lines + lines)
  readNTriples(lines, graph)
  expect(graph.get('http://example.org/s')!.get(P)).toHaveLength(objects.length)
})

test('every IRI is unescaped, and only xsd:string is no datatype', () => {
  const graph = readNTriples(
    [
      '<a:\\u00e9> <b:\\u00e9> <c:\\u00e9> .',
      '<a:\\u00e9> <b:\\u00e9> "1"^^<d:\\u00e9> .',
      `<a:\\u00e9> <b:\\u00e9> "2"^^<http://example.org/types#string> .`,
      `<a:\\u00e9> <b:\\u00e9> "3"^^<http://www.w3.org/2001/XMLSchema#string> .\n`,
    ].join('\n'),
  )
  expect([...graph.keys(), ...graph.get('a:é')!.keys()]).toEqual(['a:é', 'b:é'])
  const objects = graph.get('a:é')!.get('b:é')!
  expect(objects.map(({ value, datatype }) => [value, datatype])).toEqual([
    ['c:é', ''],
    ['1', 'd:é'],
    ['2', 'http://example.org/types#string'],
    ['3', ''],
  ])
})
