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
