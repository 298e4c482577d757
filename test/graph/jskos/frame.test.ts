import { describe, expect, test } from '@jest/globals'
import jsonld from 'jsonld'
import { Parser } from 'n3'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CONTEXT } from '../../../src/graph/jskos/context.ts'
import { FIELDS, isIri, holdsLinks } from '../../../src/graph/jskos/fields.ts'
import { frameNodes } from '../../../src/graph/jskos/frame.ts'
import { readNTriples } from '../../../src/graph/sparql/ntriples.ts'
import { CONCEPT, RDF, RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { DEMO, toNTriples } from '../../app.ts'
import { dataFiles, NO_DATA } from '../../data.ts'
import { refuseRemoteDocuments } from '../../jsonld.ts'

const PROPERTIES = new Set(FIELDS.map(({ property }) => property))

/** The properties of the cells of lists. */
const CELLS = [`${RDF}first`, `${RDF}rest`]

/** The table of fields as a frame of JSON-LD (JSON-LD 1.1 Framing, section 2.1). */
const FRAME = {
  type: {},
  '@embed': '@always',
  ...Object.fromEntries(
    // A choice has the property of a set.
    FIELDS.filter(
      (field) =>
        field.property && !['type', 'memberChoice'].includes(field.name) && (holdsLinks(field) || isIri(field)),
    ).map((field) => [
      field.name,
      {
        uri: {},
        '@embed': '@always',
        '@explicit': true,
        ...(holdsLinks(field) ? { [`${SKOS}prefLabel`]: {}, [`${SKOS}notation`]: {} } : {}),
      },
    ]),
  ),
}

/** The records of `jsonld.frame` for a graph, by URI. */
async function frameByJsonld(nTriples: string): Promise<Map<string, any>> {
  const quads = new Parser({ format: 'N-Triples' }).parse(nTriples)
  const options = { documentLoader: refuseRemoteDocuments, base: null as unknown as string }
  const expanded = (await (jsonld as any).fromRDF(quads, { ...options, useRdfType: true })) as object
  const framed = await (jsonld as any).frame(
    expanded,
    { ...CONTEXT, ...FRAME },
    {
      ...options,
      compactToRelative: false,
      omitGraph: false,
      omitDefault: true,
    },
  )
  return new Map(framed['@graph'].map((node: any) => [node.uri, node]))
}

const languageTerms = new Set(
  Object.entries<any>(CONTEXT['@context'])
    .filter(([, term]) => term['@container'] === '@language')
    .map(([name]) => name),
)

/**
 * The same node in one form: what framing leaves to JSKOS is done to the answer of jsonld, too (literals as
 * their text, `und`, no blank node ids, types of records only), and what has no order is sorted.
 */
function normalise(node: any, isRecord = true): any {
  const result: Record<string, any> = {}
  for (const [name, value] of Object.entries<any>(node).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name.includes(':')) continue
    if (name === 'uri') {
      if (!value.startsWith('_:')) result['uri'] = value
    } else if (name === 'type' && !isRecord) continue
    else if (languageTerms.has(name)) result[name] = languageMap(value)
    else {
      // A node embedded in itself is a bare URI for jsonld; no record shows such a link.
      const values = [value]
        .flat()
        .filter((item: any) => !isRecord || item.uri === undefined || item.uri !== node.uri)
        .map((item: any) => normaliseValue(item))
        // jsonld.frame leaves empty texts out of sets; so does every record.
        .filter((item: any) => item !== '')
      result[name] = values.map((value: any) => JSON.stringify(value)).sort()
    }
  }
  // jsonld moves a literal with another datatype out of the language map, under the IRI of the property.
  for (const name of languageTerms) {
    const odd = node[SKOS + name]
    if (odd === undefined || !languageTerms.has(name)) continue
    const texts = [odd].flat().filter((item: any) => item['@value'] !== undefined)
    if (texts.length > 0) {
      result[name] = languageMap({
        ...(node[name] ?? {}),
        '@none': [...[node[name]?.['@none'] ?? []].flat(), ...texts],
      })
    }
  }
  for (const [name, term] of Object.entries<any>(CONTEXT['@context'])) {
    const odd = typeof term === 'object' && node[term['@id']]
    if (!odd || languageTerms.has(name)) continue
    const values = [odd].flat().map((item: any) => JSON.stringify(normaliseValue(item)))
    result[name] = [...(result[name] ?? []), ...values].sort()
  }
  return result
}

function normaliseValue(value: any): any {
  if (typeof value !== 'object') return String(value)
  if ('@value' in value) return String(value['@value'])
  if ('@id' in value) return { uri: value['@id'] }
  return normalise(value, false)
}

function languageMap(map: any): any {
  const entries = Object.entries<any>(map).map(([tag, texts]) => [
    tag === '@none' ? 'und' : tag,
    [texts]
      .flat()
      .map((item: any) => (typeof item === 'object' ? item['@value'] : item))
      .sort(),
  ])
  return Object.fromEntries(entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

/** Like the graphs that the service constructs, with properties of the context only, and types of results only. */
function asConstructed(nTriples: string): string {
  return nTriples
    .split('\n')
    .filter((line) => {
      const predicate = /^\S+ <([^>]*)>/.exec(line)?.[1]
      if (predicate === RDF_TYPE) return line.includes(`<${CONCEPT}>`)
      return predicate !== undefined && (PROPERTIES.has(predicate) || CELLS.includes(predicate))
    })
    .join('\n')
    .concat('\n')
}

async function expectEqual(nTriples: string): Promise<number> {
  const expected = await frameByJsonld(nTriples)
  const framed = frameNodes(readNTriples(nTriples))
  let compared = 0
  for (const [uri, node] of expected) {
    if (uri === undefined || uri.startsWith('_:')) continue
    expect(normalise(framed(uri))).toEqual(normalise(node))
    compared++
  }
  return compared
}

describe('nodes are framed as jsonld.frame does it', () => {
  test.each(['crafts.ttl', 'materials.ttl'])('%s', async (name) => {
    expect(await expectEqual(asConstructed(toNTriples(readFileSync(resolve(DEMO, name), 'utf8'))))).toBeGreaterThan(30)
  })

  const odd = `
    @prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    @prefix : <http://example.org/> .
    :a a skos:Concept ; skos:prefLabel "ohne Sprache", "a"@de, "b"@de ; skos:altLabel "x"@de-CH, "y"@en, "z"@en ;
      skos:notation "A"^^:type, 7, 1.50, "lang"@de, "plain" ; dct:created "1999"^^xsd:gYear, "2020-01-01"^^xsd:date ;
      dct:publisher [ skos:prefLabel "P"@de ], :agent, "Verlag" ; skos:broader :b, :a, :dangling ; skos:related :a ;
      dct:identifier "urn:x", <http://example.org/id> ; skos:exactMatch :b, <http://example.com/1> ;
      skos:scopeNote "n"^^xsd:token, :resource ; skos:inScheme :v ; skos:topConceptOf :v .
    :b a skos:Concept ; skos:broader :a ; skos:prefLabel "B"@de ; skos:narrower :a ; skos:inScheme :v .
    :agent skos:prefLabel "Agent"@en ; skos:notation "ag" . :v skos:prefLabel "V"@de ; skos:notation "v", "V" .
    :c a skos:Concept ; skos:prefLabel "<b>\\"quoted\\" \\\\ \\n\\t é 👩‍🔬"@de ; skos:broader :a, :b ; skos:inScheme :v .`

  test('odd values: typed, untagged, blank, repeated, cyclic', async () => {
    expect(await expectEqual(toNTriples(odd))).toBe(3)
  })

  ;(NO_DATA ? test.skip : test).each(NO_DATA ? ['edge'] : dataFiles('edge'))(`%s${NO_DATA}`, async (file) => {
    const quads = new Parser({ baseIRI: 'http://example.org/' }).parse(readFileSync(file, 'utf8'))
    const nTriples = quads.filter(({ graph }) => graph.termType === 'DefaultGraph')
    const { Writer } = await import('n3')
    await expectEqual(asConstructed(new Writer({ format: 'N-Triples' }).quadsToString(nTriples)))
  })
})
