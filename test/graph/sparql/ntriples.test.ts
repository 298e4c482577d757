import { expect, test } from '@jest/globals'
import { linesWhere, NTriplesLine, readNTriples } from '../../../src/graph/sparql/ntriples.ts'

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

test.each([
  ['spaces', '<a:s> <a:p> "o > \\"o\\"" .\n'],
  ['tabs', '<a:s>\t<a:p>\t"o > \\"o\\""\t.\n'],
  ['no space', '<a:s><a:p>"o > \\"o\\"".\n'],
  ['empty lines and other ends', '\r\n  \n<a:s> <a:p> "o > \\"o\\"" . \r\n\n'],
  ['no end', '<a:s> <a:p> "o > \\"o\\"" .'],
])('lines with %s are divided into fields', (_, text) => {
  const line = new NTriplesLine(text)
  expect(line.next()).toBe(true)
  expect([line.subject, line.predicate]).toEqual(['<a:s>', '<a:p>'])
  expect(line.rest.replace(/\s*\.\s*$/, '')).toBe('"o > \\"o\\""')
  expect(text.slice(line.start, line.end).trim()).toBe(text.trim())
  expect(line.next()).toBe(false)
  expect(readNTriples(text).get('a:s')!.get('a:p')![0]!.value).toBe('o > "o"')
})

test('labels and IRIs that begin like those of the line before are others', () => {
  const text = '_:b <a:p> _:b1 .\n_:b1 <a:p> <a:b> .\n_:b <a:p> <a:b1> .\n<a:b> <a:p> _:b .\n<a:b1> <a:p> _:b .\n'
  const subjects = []
  for (const line = new NTriplesLine(text); line.next();) subjects.push(line.subject)
  expect(subjects).toEqual(['_:b', '_:b1', '_:b', '<a:b>', '<a:b1>'])
})

test.each([
  '<a:s> <a:p',
  '<a:s> <a:p> ',
  '<a:s> <a:p> <a:o>',
  '<a:s> <a:p> "cut \\" .',
  '<a:s> <a:p> "cut',
  '<a:s> <a:p> "two" "texts" .',
  '<a:s> <a:p> <a:o> . <a:o> .',
  '<a:s> <a:p> "1"^^<a:t .',
  'The query took too long .',
  '# cancelled',
])('an answer that ends with %j was broken off', (end) => {
  expect(() => readNTriples(`<a:s> <a:p> "o" .\n${end}`)).toThrow('broke off')
})

test('lines that fulfil a condition keep their text, and comments stay', () => {
  const text = '# all\n<a:s> <a:p> "1" .\n<a:s> <a:q> "2" .\n<a:s> <a:q> "<a:p>" .\n\n<a:t> <a:p> "3" .'
  expect(linesWhere(text, ({ predicate }) => predicate !== '<a:q>')).toBe(
    '# all\n<a:s> <a:p> "1" .\n\n<a:t> <a:p> "3" .',
  )
  expect(linesWhere(text, () => true)).toBe(text)
})
