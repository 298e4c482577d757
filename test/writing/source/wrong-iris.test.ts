import { describe, expect, test } from '@jest/globals'
import { Parser } from 'n3'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { temporaryFolder } from '../../folder.ts'

const { write } = temporaryFolder()

const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const DCT = 'http://purl.org/dc/terms/'
const V = 'http://example.org/v/'
/** What the grammar of Turtle allows in the place of an IRI, and RFC 3987 does not. */
const WRONG = [`${V}a[1]`, `${V}100%`, `${V}%zz`, `${V}a#b#c`, 'http://[1/']
/** What only RDF/XML, JSON-LD and JSKOS allow there. */
const WRONG_ELSEWHERE = [...WRONG, `${V}a b`, `${V}{a}`, `${V}a|b`, 'a b']

type Formats = Record<string, (wrong: string[]) => string>
const FORMATS: Formats = {
  ttl: (wrong) => `@prefix skos: <${SKOS}> .
<${V}> a skos:ConceptScheme . <${V}1> a skos:Concept ; skos:prefLabel "one"@en .
${wrong.map((iri) => `<${V}1> <${DCT}source> <${iri}> .`).join('\n')}`,
  nt: (wrong) => `<${V}> <${RDF}type> <${SKOS}ConceptScheme> .
<${V}1> <${RDF}type> <${SKOS}Concept> .
<${V}1> <${SKOS}prefLabel> "one"@en .
${wrong.map((iri) => `<${V}1> <${DCT}source> <${iri}> .`).join('\n')}`,
  rdf: (wrong) => `<rdf:RDF xmlns:rdf="${RDF}" xmlns:skos="${SKOS}" xmlns:dct="${DCT}">
<skos:ConceptScheme rdf:about="${V}"/><skos:Concept rdf:about="${V}1"><skos:prefLabel xml:lang="en">one</skos:prefLabel>
${wrong.map((iri) => `<dct:source rdf:resource="${iri}"/>`).join('\n')}</skos:Concept></rdf:RDF>`,
  jsonld: (wrong) => `{"@graph": [{"@id": "${V}", "@type": "${SKOS}ConceptScheme"},
{"@id": "${V}1", "@type": "${SKOS}Concept", "${SKOS}prefLabel": {"@value": "one", "@language": "en"},
"${DCT}source": [${wrong.map((iri) => `{"@id": "${iri}"}`).join(',\n')}]}]}`,
  ndjson: (wrong) => `${JSON.stringify({ uri: V, type: [`${SKOS}ConceptScheme`] })}
${JSON.stringify({ uri: `${V}1`, prefLabel: { en: 'one' }, source: wrong.map((uri) => ({ uri, prefLabel: { en: 'x' } })) })}`,
}

async function load(name: string, text: string) {
  const prepared = await prepareVocabulary([await write(name, text)])
  const lines = prepared.normalised.graphs.read(0).split('\n')
  prepared.close()
  const { warnings, normalised } = prepared
  return { lines, changes: normalised.changes, finding: warnings.find(({ rule }) => rule === 'iri'), warnings }
}

describe('links that are no IRIs are left out and counted', () => {
  test.each(Object.keys(FORMATS))('in .%s', async (format) => {
    const wrong = format === 'ttl' || format === 'nt' ? WRONG : WRONG_ELSEWHERE
    const right = await load(`right.${format}`, FORMATS[format]!([]))
    const { lines, changes, finding } = await load(`wrong.${format}`, FORMATS[format]!(wrong))
    expect(lines.filter((line) => line.includes('"one"'))).toHaveLength(1)
    expect(lines.length).toBe(right.lines.length)
    expect(changes['statement with a wrong IRI left out']).toBe(wrong.length)
    expect(right.finding).toBeUndefined()
    expect(finding).toMatchObject({ severity: 'violation', count: 1, focusNodes: [`<${V}1>`] })
    expect(finding!.message).toMatch(
      new RegExp(`<http://example.org/v/a\\[1\\]> \\(wrong\\.${format}, line \\d, column \\d+\\)`),
    )
    expect(finding!.message).toMatch(/<http:\/\/example\.org\/v\/a#b#c>/)
  })

  test.each([
    ['a property', `<${V}1> <${V}p[1]> "x" .`],
    ['a datatype', `<${V}1> <${V}p> "x"^^<${V}t%> .`],
    ['a type', `<${V}1> <${RDF}type> <${V}T[]> .`],
    ['a link of the hierarchy', `<${V}1> <${SKOS}broader> <${V}a#b#c> .`],
    ['a resource that is no concept', `<${V}p[1]> <${SKOS}note> "x"@en .`],
  ])('as %s', async (_, statement) => {
    const right = await load('right.nt', FORMATS['nt']!([]))
    const { lines, changes, finding } = await load('wrong.nt', `${FORMATS['nt']!([])}${statement}`)
    expect(lines.length).toBe(right.lines.length)
    expect(changes['statement with a wrong IRI left out']).toBe(1)
    expect(finding?.count).toBe(1)
  })

  test('as a property of JSON-LD', async () => {
    const text = FORMATS['jsonld']!([]).replace(`"${DCT}source": []`, `"${V}p q": "x", "no term": "y"`)
    const { changes, finding } = await load('property.jsonld', text)
    expect(changes['statement with a wrong IRI left out']).toBe(1)
    expect(finding!.message).toContain(`<${V}p q> (property.jsonld, line 3, column 1)`)
  })

  test.each([
    ['broader', { broader: [{ uri: 'a b' }] }],
    ['creator', { creator: [{ uri: 'a b', prefLabel: { en: 'x' } }] }],
    ['type', { type: [`${SKOS}Concept`, 'a b'] }],
    ['inScheme', { inScheme: [{ uri: 'a b' }, { uri: V }] }],
    ['mappings', { mappings: [{ to: { memberSet: [{ uri: 'a b' }] } }] }],
    ['a number', { source: [{ uri: 5 }] }],
  ])('in JSKOS: %s', async (_, members) => {
    const text = `${FORMATS['ndjson']!([]).split('\n')[0]}\n${JSON.stringify({ uri: `${V}1`, prefLabel: { en: 'one' }, ...members })}`
    const { lines, finding } = await load('wrong.ndjson', text)
    expect(lines.filter((line) => line.includes('"one"'))).toHaveLength(1)
    expect(lines.filter((line) => /a b|"x"/.test(line))).toEqual([])
    expect(finding).toMatchObject({ count: 1, focusNodes: [`<${V}1>`] })
  })

  test('a concept whose own IRI is none is refused', async () => {
    const text = `${FORMATS['nt']!([])}<${V}2[a]> <${SKOS}prefLabel> "two"@en .\n<${V}2[a]> <${RDF}type> <${SKOS}Concept> .`
    await expect(load('own.nt', text)).rejects.toThrow(
      'own.nt, line 4, column 1: expected an absolute IRI, found <http://example.org/v/2[a]>.',
    )
  })
})

const TAGS: Formats = {
  ttl: ([tag]) => FORMATS['ttl']!([]).replace('"one"@en', `"one"@${tag}`),
  nt: ([tag]) => FORMATS['nt']!([]).replace('"one"@en', `"one"@${tag}`),
  rdf: ([tag]) => FORMATS['rdf']!([]).replace('xml:lang="en"', `xml:lang="${tag}"`),
  jsonld: ([tag]) => FORMATS['jsonld']!([]).replace('"@language": "en"', `"@language": "${tag}"`),
  ndjson: ([tag]) => FORMATS['ndjson']!([]).replace('"prefLabel":{"en"', `"prefLabel":{"${tag}"`),
}
/** Ill-formed language tags, and what remains of them. */
const MENDED: [tag: string, mended: string][] = [
  ['zh-classical', 'zh'],
  ['en-a-b', 'en'],
  ['abcdefghijk', 'und'],
  ['de-CH-x', 'de-ch'],
]

describe('an ill-formed language tag is mended and reported', () => {
  test.each(Object.keys(TAGS))('in .%s', async (format) => {
    for (const [tag, mended] of format === 'ttl' ? MENDED : MENDED.slice(0, 1)) {
      const { lines, changes, warnings } = await load(`tag.${format}`, TAGS[format]!([tag]))
      expect(lines.filter((line) => line.includes(`"one"@${mended} `))).toHaveLength(1)
      expect(changes['ill-formed language tag cut']).toBe(1)
      expect(warnings.filter(({ rule }) => rule === 'language-tag')).toMatchObject([{ count: 1 }])
    }
  })

  test.each(['rdf', 'jsonld', 'ndjson'])('also one that no grammar of text allows, in .%s', async (format) => {
    const { lines, warnings } = await load(`tag.${format}`, TAGS[format]!(['de_CH']))
    expect(lines.filter((line) => line.includes('"one"@und '))).toHaveLength(1)
    expect(warnings.filter(({ rule }) => rule === 'language-tag')).toHaveLength(1)
  })

  test.each(['ttl', 'nt'])('a tag that the grammar forbids is a mistake, in .%s', async (format) => {
    for (const tag of ['de_CH', '1a', 'de-']) {
      await expect(load(`tag.${format}`, TAGS[format]!([tag]))).rejects.toThrow(
        new RegExp(`^tag\\.${format}, line [23], column \\d+: `),
      )
    }
  })

  // If this fails, N3.js follows the grammar, and `TurtleParser` is needed no more.
  test('N3.js refuses subtags of more than eight letters', () => {
    expect(() => new Parser().parse(`<${V}1> <${V}p> "x"@zh-classical .`)).toThrow('longer than 8')
  })
})
