import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { InputError } from '../../../src/base/files/input-error.ts'
import { temporaryFolder } from '../../folder.ts'
import { testLong } from '../../long.ts'
import { canonical } from './canonical.ts'

const { path, write } = temporaryFolder()

const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const V = 'http://example.org/v/'
const TURTLE = `@prefix skos: <${SKOS}> . @prefix : <${V}> .
:s a skos:ConceptScheme ; skos:prefLabel "Ü"@de ; skos:notation "s" .
:a a skos:Concept ; skos:inScheme :s ; skos:prefLabel "Ä \\"x\\""@de ; skos:narrower :b .
:b a skos:Concept ; skos:inScheme :s ; skos:prefLabel "β"@el ; skos:notation "1" .
`
const TRIPLES = `<${V}s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${SKOS}ConceptScheme> .
<${V}s> <${SKOS}prefLabel> "Ü"@de .
<${V}s> <${SKOS}notation> "s" .
<${V}a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${SKOS}Concept> .
<${V}a> <${SKOS}inScheme> <${V}s> .
<${V}a> <${SKOS}prefLabel> "Ä \\"x\\""@de .
<${V}a> <${SKOS}narrower> <${V}b> .
<${V}b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${SKOS}Concept> .
<${V}b> <${SKOS}inScheme> <${V}s> .
<${V}b> <${SKOS}prefLabel> "\\u03B2"@el .
<${V}b> <${SKOS}notation> "1" .
`
const RDF_XML = `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="${SKOS}">
  <skos:ConceptScheme rdf:about="${V}s"><skos:prefLabel xml:lang="de">Ü</skos:prefLabel><skos:notation>s</skos:notation></skos:ConceptScheme>
  <skos:Concept rdf:about="${V}a"><skos:inScheme rdf:resource="${V}s"/><skos:prefLabel xml:lang="de">Ä "x"</skos:prefLabel><skos:narrower rdf:resource="${V}b"/></skos:Concept>
  <skos:Concept rdf:about="${V}b"><skos:inScheme rdf:resource="${V}s"/><skos:prefLabel xml:lang="el">β</skos:prefLabel><skos:notation>1</skos:notation></skos:Concept>
</rdf:RDF>`
const JSKOS = [
  { uri: `${V}s`, type: [`${SKOS}ConceptScheme`], prefLabel: { de: 'Ü', '-': '' }, notation: ['s'] },
  { uri: `${V}a`, inScheme: [{ uri: `${V}s` }], prefLabel: { de: 'Ä "x"' }, narrower: [{ uri: `${V}b` }, null] },
  {
    uri: `${V}b`,
    type: [`${SKOS}Concept`],
    inScheme: [{ uri: `${V}s` }],
    prefLabel: { el: 'β' },
    notation: ['1', null],
  },
]
const JSON_LD = {
  '@context': { skos: SKOS, type: '@type', inScheme: { '@id': 'skos:inScheme', '@type': '@id' } },
  '@graph': [
    {
      '@id': `${V}s`,
      '@type': 'skos:ConceptScheme',
      'skos:prefLabel': { '@value': 'Ü', '@language': 'de' },
      'skos:notation': 's',
    },
    {
      '@id': `${V}a`,
      '@type': 'skos:Concept',
      inScheme: `${V}s`,
      'skos:prefLabel': { '@value': 'Ä "x"', '@language': 'de' },
      'skos:narrower': { '@id': `${V}b` },
    },
    {
      '@id': `${V}b`,
      '@type': 'skos:Concept',
      inScheme: `${V}s`,
      'skos:prefLabel': { '@value': 'β', '@language': 'el' },
      'skos:notation': '1',
      // Keys that the context does not name are no statements.
      'a remark': 'x',
      'note: this': { '@id': `${V}c` },
      '@unknown': 'y',
    },
  ],
}

async function triples(file: string): Promise<string[]> {
  const prepared = await prepareVocabulary([file], { check: false })
  const lines = prepared.normalised.graphs.read(0).split('\n')
  prepared.close()
  return canonical(lines.filter((line) => line !== '' && !line.includes('urn:x-vocabulary-service:')))
}

const quads = TRIPLES.replaceAll(' .\n', ` <${V}graph> .\n`)
const FORMATS: [name: string, content: string][] = [
  ['a.ttl', TURTLE],
  ['a.nt', TRIPLES],
  ['a.nq', quads],
  ['a.trig', `${TURTLE.split('\n')[0]}\nGRAPH :graph {${TURTLE.split('\n').slice(1).join('\n')}}`],
  ['a.rdf', RDF_XML],
  ['a.xml', RDF_XML],
  ['a.jsonld', JSON.stringify(JSON_LD)],
  ['ld.json', JSON.stringify(JSON_LD, null, 2)],
  ['jskos.json', JSON.stringify(JSKOS, null, 2)],
  ['a.ndjson', JSKOS.map((record) => JSON.stringify(record)).join('\n')],
  ['no-extension', TURTLE],
  ['xml-no-extension', RDF_XML],
  ['triples-no-extension', TRIPLES],
  ['quads-no-extension', `# comment\n${TRIPLES.split('\n')[0]}\n${quads}`],
  ['json-no-extension', JSKOS.map((record) => JSON.stringify(record)).join('\n')],
]

describe('formats', () => {
  test.each(FORMATS)('%s, also with a byte order mark and as .gz', async (name, content) => {
    const expected = await triples(await write('expected.ttl', TURTLE))
    expect(expected.length).toBeGreaterThan(15)
    expect(await triples(await write(name, content))).toEqual(expected)
    expect(await triples(await write(`bom-${name}`, `\ufeff${content}`))).toEqual(expected)
    expect(await triples(await write(`${name}.gz`, gzipSync(content)))).toEqual(expected)
  })

  test('text and structure over chunks of any size are read as they are', async () => {
    const note = 'äöü€😀 '.repeat(100_000)
    const file = await write('long.ttl', `${TURTLE}:a skos:note "${note}"@de .`)
    expect((await triples(file)).filter((line) => line.includes(note))).toHaveLength(1)
  })

  test('a base in the file makes relative IRIs absolute', async () => {
    const file = await write('base.ttl', `@base <${V}> .\n${TURTLE}<c> a skos:Concept .`)
    expect((await triples(file)).some((line) => line.startsWith(`<${V}c>`))).toBe(true)
  })

  test('collections of RDF/XML and maps by URI of JSON-LD are statements as in Turtle', async () => {
    const list = await triples(
      await write('list.ttl', `${TURTLE}:o a skos:OrderedCollection ; skos:memberList (:a :b) .`),
    )
    const members = `<skos:memberList rdf:parseType="Collection"><skos:Concept rdf:about="${V}a"/><skos:Concept rdf:about="${V}b"/></skos:memberList>`
    const collection = `<skos:OrderedCollection rdf:about="${V}o">${members}</skos:OrderedCollection></rdf:RDF>`
    expect(await triples(await write('list.rdf', RDF_XML.replace('</rdf:RDF>', collection)))).toEqual(list)
    const narrower = { '@id': 'skos:narrower', '@container': '@id' }
    const mapped = {
      '@context': { ...JSON_LD['@context'], narrower },
      '@graph': JSON_LD['@graph'].map(({ 'skos:narrower': linked, ...node }) => {
        return linked ? { ...node, narrower: { [`${V}b`]: {}, [`${V}c`]: [{}, {}] } } : node
      }),
    }
    const related = await triples(await write('related.ttl', `${TURTLE}:a skos:narrower :c .`))
    expect(await triples(await write('mapped.jsonld', JSON.stringify(mapped)))).toEqual(related)
  })

  test('a type in GeoJSON, in a manifest or in an unknown member of JSKOS is no IRI', async () => {
    const media = [{ type: 'Manifest', uri: 'x', items: [] }]
    const members = { location: { type: 'Point', coordinates: [10.5, 52] }, media, _own: [{ type: 'Own', uri: 'x' }] }
    const records = JSKOS.map((record) => (record.uri === `${V}a` ? { ...record, ...members } : record))
    const lines = await triples(await write('place.json', JSON.stringify(records)))
    expect(lines.filter((line) => line.includes('Own'))).toEqual([])
    expect(lines.filter((line) => line.includes('\\"type\\":\\"Manifest\\",\\"uri\\":\\"x\\"'))).toHaveLength(1)
    expect(lines.filter((line) => line.includes('\\"type\\":\\"Point\\"'))).toHaveLength(1)
  })

  test('mappings of JSKOS become the relations that they stand for', async () => {
    const mapping = {
      type: [`${SKOS}closeMatch`],
      from: { memberSet: [{ uri: `${V}a` }] },
      to: { memberSet: [{ uri: `${V}x` }] },
    }
    const records = JSKOS.map((record) => (record.uri === `${V}a` ? { ...record, mappings: [mapping] } : record))
    const lines = await triples(await write('mapped.json', JSON.stringify(records)))
    expect(lines).toContain(`<${V}a> <${SKOS}closeMatch> <${V}x> .`)
  })
})

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
/** The beginning of the local file header that every .xlsx starts with. */
const XLSX = Buffer.from('504b0304140006000800', 'hex')
const BAD: [title: string, name: string, content: string | Buffer, message: RegExp][] = [
  [
    'broken Turtle',
    'broken.ttl',
    `${TURTLE}\n:c a skos:Concept ;; skos:prefLabel "x .`,
    /^broken\.ttl, line 6, column \d+: /,
  ],
  ['an unknown prefix', 'prefix.ttl', `${TURTLE}x:c a skos:Concept .`, /^prefix\.ttl, line 5, column 1: .*prefix/i],
  ['broken N-Triples', 'broken.nt', `${TRIPLES}<${V}a> <${V}b> .`, /^broken\.nt, line 12, column \d+: /],
  [
    'broken RDF/XML',
    'broken.rdf',
    RDF_XML.replace('</skos:notation></skos:ConceptScheme>', '</skos:ConceptScheme>'),
    /^broken\.rdf, line 3, column \d+: /,
  ],
  [
    'broken JSON',
    'broken.json',
    '[\n{"uri": "http://example.org/a",\n "x": }\n]',
    /^broken\.json, line 3, column 7: broken JSON/,
  ],
  [
    'a wrong word in JSON',
    'word.json',
    '[\n{"uri": "http://example.org/a",\n "notation": tru,\n "prefLabel": {"en": "a"}\n}\n]',
    /^word\.json, line 3, column 17: broken JSON/,
  ],
  [
    'JSON that begins with a wrong word',
    'first.ndjson',
    '{"uri": "http://example.org/a"}\n{"a": no, "uri": "http://example.org/b", "notation": ["b"]}',
    /^first\.ndjson, line 2, column 8: broken JSON/,
  ],
  [
    'JSON that ends too early',
    'early.ndjson',
    '{"uri": "http://example.org/a"}\n{"uri": "htt',
    /^early\.ndjson, line 2, column \d+: .*too early/,
  ],
  [
    'a JSKOS array without commas',
    'comma.json',
    '[{"uri": "http://example.org/a"} {"uri": "http://example.org/b"}]',
    /^comma\.json, line 1, column 34: /,
  ],
  ['a JSKOS record without uri', 'no-uri.ndjson', '{"prefLabel": {"de": "x"}}', /^no-uri\.ndjson, line 1: .*uri/],
  [
    'a JSKOS uri that is none',
    'bad-uri.ndjson',
    `${JSON.stringify(JSKOS[0])}\n{"uri": "a b"}`,
    /^bad-uri\.ndjson, line 2: uri: .*"a b"/,
  ],
  ['broken JSON-LD', 'broken.jsonld', '{"@id": "http://example.org/a", }', /^broken\.jsonld/],
  [
    'a context that would be fetched',
    'remote.jsonld',
    '{"@context": "http://example.org/context", "@id": "http://example.org/a", "x": 1}',
    /http:\/\/example\.org\/context/,
  ],
  ['UTF-16', 'utf16.ttl', utf16(TURTLE), /^utf16\.ttl: the encoding is UTF-16/],
  [
    'Latin-1',
    'latin1.ttl',
    Buffer.from(TURTLE.replace('β', 'b'), 'latin1'),
    /^latin1\.ttl, line 2, column 43: expected UTF-8/,
  ],
  ['an unknown encoding', 'declared.rdf', RDF_XML.replace('UTF-8', 'KOI-9'), /^declared\.rdf, line 1: .* as KOI-9/],
  ['JSON-LD in UTF-16', 'utf16.jsonld', utf16(JSON.stringify(JSON_LD)), /^utf16\.jsonld: the encoding is UTF-16/],
  [
    'half a character in UTF-16',
    'half.rdf',
    Buffer.concat([utf16(RDF_XML), Buffer.from([0x00, 0xd8])]),
    /^half\.rdf, line 6: expected utf-16le/,
  ],
  [
    'an underscore in a language tag of Turtle',
    'tag.ttl',
    `${TURTLE}:a skos:note\n  "x"@de_CH .`,
    /^tag\.ttl, line 6, column \d+: /,
  ],
  [
    'a node that is no JSON-LD',
    'node.jsonld',
    '[\n {"@id": "http://example.org/a"},\n {"@id": 5}\n]',
    /^node\.jsonld, line 3, column 2: .*"@id"/,
  ],
  [
    'a value with two types in JSON-LD',
    'types.jsonld',
    '{"http://example.org/p": {"@value": "x", "@type": ["http://example.org/a", "http://example.org/b"]}}',
    /^types\.jsonld: @type of a value: expected one IRI/,
  ],
  ['a .gz that is cut off', 'cut.ttl.gz', gzipSync(TURTLE).subarray(0, 100), /^cut\.ttl\.gz: the \.gz file is cut off/],
  ['a .gz that is none', 'no.ttl.gz', TURTLE, /^no\.ttl\.gz: .*not gzip/],
  ['an empty file', 'empty.ttl', '', /^empty\.ttl: the file is empty/],
  ['a file of white space', 'space.ttl', ' \n ', /^space\.ttl: the file is empty/],
  ['a file of comments', 'comment.ttl', '# nothing\n', /^comment\.ttl: found no RDF statement/],
  ['a relative IRI', 'relative.ttl', `${TURTLE}<c> a skos:Concept .`, /^relative\.ttl, line 5, column 1: .*<c>/],
  [
    'a relative IRI in RDF/XML',
    'relative.rdf',
    RDF_XML.replace(`rdf:about="${V}b"`, 'rdf:about="b"'),
    /^relative\.rdf, line 5, column \d+: .*<b>/,
  ],
  [
    'an IRI with a space',
    'iri.ttl',
    `${TURTLE}:a skos:exactMatch <${V}b c> .`,
    /^iri\.ttl, line 5, column 19: the IRI that begins with <http:\/\/example\.org\/v\/b has a space/,
  ],
  [
    'an IRI with a space in N-Triples',
    'iri.nt',
    `${TRIPLES}<${V}a b> <${V}p> <${V}c> .`,
    /^iri\.nt, line 12, column 1: the IRI that begins with <http:\/\/example\.org\/v\/a has a space/,
  ],
  [
    'an IRI without an end',
    'end.ttl',
    `${TURTLE}:a skos:note <${V}b ;\n  skos:note "x" .`,
    /^end\.ttl, line 5, .* or no ">"/,
  ],
  [
    'an IRI with a brace',
    'brace.ttl',
    `${TURTLE}<${V}{a}> a skos:Concept .`,
    /^brace\.ttl, line 5, .* has the character \{/,
  ],
  [
    'an IRI with a space in RDF/XML',
    'iri.rdf',
    RDF_XML.replace(`rdf:about="${V}b"`, `rdf:about="${V}b c"`),
    /^iri\.rdf, line 5, column \d+: the IRI <http:\/\/example\.org\/v\/b c> has a space/,
  ],
  [
    'a resource with a space in its IRI in JSON-LD',
    'iri.jsonld',
    JSON.stringify([{ '@id': `${V}b c`, '@type': `${SKOS}Concept` }]),
    /^iri\.jsonld, line 1, column 9: the IRI <http:\/\/example\.org\/v\/b c> has a space/,
  ],
  ['a text with the name of a workbook', 'table.xlsx', 'a,b\n', /^table\.xlsx: the file is no workbook/],
  ['a broken workbook by its content', 'table.ttl', XLSX, /^table\.ttl: the file is no workbook/],
  ['a broken workbook without an extension', 'table', XLSX, /^table: the file is no workbook: expected \.xlsx/],
  ['a table without a heading', 'table.csv', 'a,b\n1,2\n', /^table\.csv: found no heading row: expected columns/],
  ['an unknown format', 'table.doc', 'a,b\n1,2\n', /^table\.doc: unknown format: expected Turtle/],
  [
    'an entity of 10,000 letters, used 1,000 times',
    'entities.rdf',
    RDF_XML.replace('<rdf:RDF', `<!DOCTYPE rdf:RDF [<!ENTITY e "${'e'.repeat(10_000)}">]>\n<rdf:RDF`).replace(
      'Ü<',
      `${'&e;'.repeat(1000)}<`,
    ),
    /^entities\.rdf, line 4, column \d+: entities expand to more than 1 MB/,
  ],
  [
    'entities of entities of entities',
    'laughs.rdf',
    RDF_XML.replace(
      '<rdf:RDF',
      `<!DOCTYPE rdf:RDF [<!ENTITY e0 "e">${Array.from({ length: 30 }, (_, at) => `<!ENTITY e${at + 1} "&e${at};&e${at};">`).join('')}]>\n<rdf:RDF`,
    ).replace('Ü<', '&e30;<'),
    /^laughs\.rdf, line 4, column \d+: entities expand to more than 1 MB/,
  ],
  [
    'an entity with itself in it',
    'itself.rdf',
    RDF_XML.replace('<rdf:RDF', '<!DOCTYPE rdf:RDF [<!ENTITY e "&f;"><!ENTITY f "&e;">]>\n<rdf:RDF').replace(
      'Ü<',
      '&e;<',
    ),
    /^itself\.rdf, line 4, column \d+: the text is nested too deeply/,
  ],
]

const byteSwapped = (text: string) => Buffer.from(utf16(text)).swap16()
test.each([
  ['UTF-16 with a byte order mark', utf16(RDF_XML.replace('UTF-8', 'UTF-16'))],
  ['UTF-16 of the other byte order', byteSwapped(RDF_XML.replace('UTF-8', 'UTF-16'))],
  ['UTF-16 without a mark', utf16(RDF_XML.replace('UTF-8', 'UTF-16')).subarray(2)],
  ['UTF-16 without a declaration', utf16(RDF_XML.replace(/^.*\n/, ''))],
  ['ISO-8859-1', Buffer.from(RDF_XML.replace('UTF-8', 'ISO-8859-1').replace('β', '&#946;'), 'latin1')],
  ['UTF-8 that is declared as UTF-16', Buffer.from(RDF_XML.replace('UTF-8', 'utf-16'))],
])('XML in %s', async (_, content) => {
  const expected = await triples(await write('encoding.ttl', TURTLE))
  expect(await triples(await write('encoding.rdf', content))).toEqual(expected)
  expect(await triples(await write('encoding-no-extension', gzipSync(content)))).toEqual(expected)
})

test('names of namespaces as entities, as often as a file needs them', async () => {
  const concepts = Array.from(
    { length: 12_000 },
    (_, at) => `<skos:Concept rdf:about="&v;c${at}"><skos:inScheme rdf:resource="&v;s"/></skos:Concept>\n`,
  )
  const text = RDF_XML.replace('<rdf:RDF', `<!DOCTYPE rdf:RDF [<!ENTITY v "${V}${'x/'.repeat(50)}long/">]>\n<rdf:RDF`)
  const file = await write('namespaces.rdf', text.replace('</rdf:RDF>', `${concepts.join('')}</rdf:RDF>`))
  expect((await triples(file)).filter((line) => line.endsWith('#Concept> .'))).toHaveLength(12_002)
})

test('entities in the values of entities', async () => {
  const entities = `<!ENTITY base "http://example.org/"> <!ENTITY v "&base;v/"> <!ENTITY ue "&#220;"> <!ENTITY amp2 "&#x26;#38;">`
  const text = RDF_XML.replace('<rdf:RDF', `<!DOCTYPE rdf:RDF [${entities}]>\n<rdf:RDF`)
  const file = await write('nested.rdf', text.replace('Ü<', '&ue;&amp2;&lt;<').replaceAll(`"${V}`, '"&v;'))
  expect(await triples(file)).toEqual(await triples(await write('flat.ttl', TURTLE.replace('Ü', 'Ü&<'))))
})

describe('bad input: one clear line', () => {
  test.each(BAD)('%s', async (_, name, content, message) => {
    const refused = prepareVocabulary([await write(name, content)])
    await expect(refused).rejects.toThrow(InputError)
    const { message: text } = (await refused.catch((error: unknown) => error)) as Error
    expect(text).toMatch(message)
    expect(text).not.toMatch(/\n/)
  })

  test('a term of a million letters is not repeated', async () => {
    const file = await write('long.ttl', `${TURTLE}${'x'.repeat(1_000_000)} .`)
    const { message } = (await prepareVocabulary([file]).catch((error: unknown) => error)) as Error
    expect(message).toMatch(/^long\.ttl, line 5/)
    expect(message.length).toBeLessThan(2100)
  })

  testLong.each(['ttl', 'nt', 'rdf', 'jsonld', 'json', 'ndjson'])(
    'a literal that does not fit into memory as one string, in .%s',
    async (extension) => {
      const start = { ttl: `${TURTLE}:c skos:note\n"`, nt: `${TRIPLES}<${V}c> <${SKOS}note> "` }[extension]
      const begun = start ?? (extension === 'rdf' ? RDF_XML.replace(/Ü[^]*$/, '') : `{"@context": {},\n"uri": "${V}`)
      const letters = Buffer.alloc(1 << 20, 'x')
      const file = path(`huge.${extension}.gz`)
      const pieces = function* () {
        yield begun
        for (let piece = 0; piece < 520; piece++) yield letters
      }
      await pipeline(Readable.from(pieces()), createGzip({ level: 1 }), createWriteStream(file))
      const line = begun.split('\n').length
      await expect(prepareVocabulary([file])).rejects.toThrow(`huge.${extension}.gz, line ${line}: a text is too long`)
    },
    300_000,
  )

  test('a file that is not there', async () => {
    for (const name of ['missing.ttl', 'missing.csv', 'missing.xlsx', 'missing.ods']) {
      await expect(prepareVocabulary([path(name)])).rejects.toThrow(`${name}: no such file.`)
    }
  })
})
