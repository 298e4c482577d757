/** The table of the specification as values: for every property some that are allowed and some that are not. */
interface PropertyCases {
  valid: unknown[]
  invalid: unknown[]
}

const string: PropertyCases = {
  valid: [
    'text',
    '',
    ' two  spaces ',
    '1999',
    '"quoted" \\ and \\u0022',
    'line\nbreak\ttab\r\u0007',
    'Ünïcödé 👩‍🔬 \u{10ffff}',
    '@id',
  ],
  invalid: [5, null, true, ['text'], { en: 'text' }],
}
const strings: PropertyCases = {
  valid: [...string.valid, [], ['one'], ['b', 'a'], ['same', 'same'], ['', 'ä', '@list']],
  invalid: [5, null, false, { en: 'text' }, [5], ['one', null], [['one']]],
}
const uri: PropertyCases = {
  valid: [
    'http://example.org/a',
    'HTTPS://Example.ORG:443/%7Ea/../b/./?q=1#f',
    'urn:isbn:9783161484100',
    'urn:x:y',
    'mailto:a@example.org',
    'http:path',
    'a:b',
    'http://www.w3.org/2004/02/skos/core#Concept',
    "http://example.org/'",
    'rdf:nil',
    'title:x',
  ],
  invalid: [
    5,
    null,
    'relative',
    '',
    '//example.org/',
    'http://example.org/a b',
    'http://example.org/ä',
    ['http://example.org/'],
  ],
}
const integer: PropertyCases = {
  valid: [0, 1, -1, 512, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  invalid: ['512', 1.5, null, true, [512], 2 ** 53, 1e300],
}
const date: PropertyCases = {
  valid: [1999, '1999', -44, '2017-12', '2014-02-25', 'about 1990', ''],
  invalid: [1999.5, null, true, ['1999'], { year: 1999 }],
}

/** By property, in the order of the specification. */
export const PROPERTIES: Record<string, PropertyCases> = {
  type: uri,
  title: string,
  short: string,
  homepage: uri,
  license: uri,
  description: {
    valid: [
      {},
      { en: 'text' },
      { en: 'text', de: 'Text', abc: '' },
      { zz: null, yy: 5, xx: [1, [2, { '@id': 'x' }]], ww: { 'B C': true, a: 1.5 }, de: '\u0000 \ud800' },
      JSON.parse('{"en": {"__proto__": {"a": 1}, "@value": "x", "@context": "http://example.org/"}}'),
    ],
    invalid: [
      { e: 'text' },
      { EN: 'text' },
      { 'de-at': 'Text' },
      { 'en\n': 'text' },
      { '': 'text' },
      'text',
      null,
      ['text'],
      5,
    ],
  },
  kb_id: strings,
  codec_code: integer,
  paradigm: string,
  alias: {
    valid: [[], ['one'], ['b', 'a'], ['same', 'same', 'other'], ['']],
    invalid: ['one', 5, null, [5], ['one', null], { en: ['one'] }],
  },
  inspiredby: string,
  registry: integer,
  language: string,
  application: strings,
  topConceptOf: strings,
  broader: string,
  mimetype: string,
  publisher: string,
  for: strings,
  model: strings,
  base: strings,
  profiles: string,
  subsetof: string,
  element: string,
  schemas: {
    valid: [
      [],
      [{ url: '', type: '' }],
      [{ url: '/data/pica.dtd', type: 'dtd', version: '1.0', doi: 'https://doi.org/10.1000/182' }],
      Array.from({ length: 12 }, (_, index) => ({ url: `http://example.org/${index}`, type: 'xsd', version: 'same' })),
      [
        { url: 'same', type: 'xsd', doi: 'doi:10.1000/../182' },
        { url: 'same', type: 'xsd', doi: 'doi:10.1000/../182' },
      ],
    ],
    invalid: [
      { url: 'a', type: 'b' },
      ['a'],
      [null],
      [{}],
      [{ url: 'a' }],
      [{ type: 'b' }],
      [{ url: 5, type: 'b' }],
      [{ url: 'a', type: ['b'] }],
      [{ url: 'a', type: 'b', doi: 'no URI' }],
      [{ url: 'a', type: 'b', doi: 5 }],
      [{ url: 'a', type: 'b', version: 1 }],
      [{ url: 'a', type: 'b', version: null }],
      [{ url: 'a', type: 'b', title: 'c' }],
      'a',
      null,
    ],
  },
  created: date,
  modified: date,
  creator: strings,
  contributor: strings,
}
