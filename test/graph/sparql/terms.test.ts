import { describe, expect, test } from '@jest/globals'
import { Parser } from '@traqula/parser-sparql-1-1'
import { count, iri, isLanguageTag, literal } from '../../../src/graph/sparql/terms.ts'

const FORBIDDEN = ['<', '>', '"', '{', '}', '|', '^', '`', '\\']

describe('iri', () => {
  test.each([
    'http://example.org/',
    'urn:uuid:2f1f4a3e-7b7c-4f6e-9d66-1b2c3d4e5f60',
    'http://example.org/Größe',
    'http://bücher.example/begriff/日本語',
    'http://example.org/(x),y!*$@:z?q=1&r=2;s=3#f',
    "http://example.org/o'clock",
    'http://example.org/%7Cb',
    'http://example.org/👩‍🔬',
  ])('writes %s between angle brackets', (value) => {
    expect(iri(value)).toBe(`<${value}>`)
  })

  test.each([
    ...FORBIDDEN.map((character) => `http://example.org/a${character}b`),
    ...['\u0000', '\u0001', '\t', '\n', '\r', ' ', '\u001f', '\u007f', '\u0085', '\ud800'].map(
      (c) => `http://example.org/${c}`,
    ),
    '',
    'a',
    '/a',
    '//example.org/',
    'http:',
    ':a',
    '1http://example.org/',
    'http//example.org/',
    `http://example.org/${'x'.repeat(9000)}`,
  ])('refuses %j', (value) => {
    expect(() => iri(value)).toThrow('expected an absolute IRI')
  })
})

describe('literal', () => {
  const parser = new Parser()

  test.each([
    'plain',
    '"',
    '\\',
    '\\"',
    '\n',
    '\r\n',
    '\t\b\f',
    '\u0001\u001f\u007f',
    '"""',
    "'",
    '" . } DROP ALL #',
    '\\u0022',
    '#@ uri',
    '{ }',
    '👩‍🔬 𝔘',
    'A\u0308',
  ])('keeps %j through a SPARQL parser', (value) => {
    const query = parser.parse(`SELECT * WHERE { VALUES ?x { ${literal(value)} } }`)
    expect(JSON.stringify(query)).toContain(`"value":${JSON.stringify(value)}`)
  })

  test('writes language tags and datatypes', () => {
    expect(literal('a', { language: 'de-CH' })).toBe('"a"@de-CH')
    expect(literal('a', { datatype: 'http://example.org/t' })).toBe('"a"^^<http://example.org/t>')
  })

  test.each(['de ', 'de"', 'de}', 'toolonglanguage', '-', 'de-', 'd3-x y', 'de\n'])(
    'refuses the language tag %j',
    (language) => {
      expect(isLanguageTag(language)).toBe(false)
      expect(() => literal('a', { language })).toThrow('language tag')
    },
  )

  test('refuses text that no RDF literal can hold', () => {
    expect(() => literal('a\u0000b')).toThrow('null characters')
    expect(() => literal('a\ud800b')).toThrow('surrogates')
    expect(() => literal('a', { datatype: 'x> . <y' })).toThrow('absolute IRI')
  })
})

test('count takes whole numbers only', () => {
  expect(count(0)).toBe('0')
  expect(count(10_000)).toBe('10000')
  expect(count(Number.MAX_SAFE_INTEGER)).toBe('2147483647')
  for (const value of [-1, 1.5, NaN, Infinity, 2 ** 60]) expect(() => count(value)).toThrow('whole number')
})
