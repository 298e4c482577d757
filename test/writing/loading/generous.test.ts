/** Badly written data are loaded and stay in the graph; records leave out only what JSKOS cannot express. */
import { beforeEach, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadReport } from '../../../src/writing/loading/report.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/v/'
const SOURCE = `
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix : <${V}> .
<http://example.org/v> a skos:ConceptScheme ; skos:prefLabel "V"@en ; skos:hasTopConcept "top", :untyped .
:good a skos:Concept ; skos:prefLabel "Good"@en ; skos:narrower :text, [ a skos:Concept ; skos:inScheme <http://example.org/v> ] .
:text a skos:Concept ; skos:prefLabel "Text"@en ; skos:broader "good", :good ; skos:narrower "below" ; skos:related "other" ;
  skos:inScheme "V", [ skos:prefLabel "W"@en ], <http://example.org/v> ; skos:topConceptOf "V" ; skos:exactMatch "http://example.org/w/1", "text", <urn:x:1> .
:labels a skos:Concept ; skos:prefLabel "B"@en, "A"@en, :resource, 5, [] ; skos:altLabel :resource ; skos:hiddenLabel true ;
  skos:note 7, :resource, [ skos:prefLabel "not a value"@en ] ; skos:notation :resource, "N"@en, 1.50 ; dct:created "yesterday", "2020-02-30" ;
  dct:publisher "P", [ skos:prefLabel "Q"@en ] ; dct:identifier :resource, "i", "" .
:both a skos:Concept, skos:Collection ; skos:prefLabel "Collection"@en ; skos:member :good, "member" .
:scheme a skos:Concept, skos:ConceptScheme ; skos:prefLabel "Scheme"@en .
:ordered a skos:Concept, skos:OrderedCollection ; skos:prefLabel "Ordered"@en ; skos:memberList ( :good "two" ) .
:group a skos:Collection ; skos:prefLabel "Group"@en ; skos:inScheme <http://example.org/v> ; skos:broader :good .
:untyped skos:prefLabel "Untyped"@en ; skos:inScheme <http://example.org/v> ; skos:topConceptOf <http://example.org/v> .
[] a skos:Concept ; skos:prefLabel "Blank"@en ; skos:inScheme <http://example.org/v> ; skos:topConceptOf <http://example.org/v> ;
  skos:notation "blank" ; dct:identifier <urn:x:blank> .
`
const PLACES = `
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix geo: <http://www.opengis.net/ont/geosparql#> . @prefix schema: <http://schema.org/> .
@prefix vann: <http://purl.org/vocab/vann/> . @prefix void: <http://rdfs.org/ns/void#> . @prefix : <http://example.org/places/> .
<http://example.org/places> a skos:ConceptScheme, "Scheme" ; skos:prefLabel "Places"@en ; void:uriSpace "places" ;
  vann:preferredNamespaceUri "places" ; foaf:page "http://x y/", <http://page.example/> ; dct:issued "-0044-03-15" .
:1 a skos:Concept, "Place", "http://x y/", <http://place.example/> ; skos:prefLabel "1"@en ;
  dct:created "-0044-03-15" ; dct:modified "2020", "2020-02-30" ; schema:startDate "-0044-03-15" ;
  foaf:depiction "img/1.png", "mailto:x@y", "http://x y/z.png", <urn:x:image>, "http://image.example/1.png", <http://image.example/2.png> ;
  geo:asGeoJSON "{\\"type\\":\\"Feature\\",\\"coordinates\\":[1,2]}", "{\\"type\\":\\"GeometryCollection\\",\\"geometries\\":[]}",
    "{\\"type\\":\\"Point\\",\\"coordinates\\":\\"1 2\\"}", "[", "{\\"type\\":\\"Point\\",\\"coordinates\\":[3,4]}" .
:2 a skos:Concept ; geo:asGeoJSON "{\\"type\\":\\"Point\\",\\"coordinates\\":{}}" ; foaf:depiction "2.png" .
`
const CONCEPTS = ['both', 'good', 'labels', 'ordered', 'scheme', 'text']

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'a vocabulary that says much badly', (store) => {
  let app: RunningApp
  let report: LoadReport

  shareApp(store, async (shared) => {
    app = shared
    report = await loadVocabulary(app.client, [await write('bad.ttl', SOURCE)])
    await loadVocabulary(app.client, [await write('places.ttl', PLACES)])
    await app.index.caughtUp()
  })

  beforeEach(() => void app.reported.splice(0))

  const names = (body: { uri: string }[]) => body.map(({ uri }) => uri.slice(V.length)).sort()

  test('loading reports the findings of the shapes, with number and examples', () => {
    expect(report.concepts).toBe(CONCEPTS.length)
    const counts = Object.fromEntries(report.warnings.map(({ rule, count }) => [rule, count]))
    expect(counts).toMatchObject({
      'broader-link': 1,
      S9: 1,
      S14: 1,
      S37: 2,
      'concept-uri': 1,
      'prefLabel-text': 1,
      'exactMatch-link': 1,
    })
    expect(report.warnings.find(({ rule }) => rule === 'broader-link')!.focusNodes).toEqual([`<${V}text>`])
  })

  test.each<[path: string, parameters: Record<string, string>, expected: string[]]>([
    ['/voc/concepts', { uri: 'http://example.org/v' }, CONCEPTS],
    ['/search', { voc: 'v' }, CONCEPTS],
    ['/data', { uri: [...CONCEPTS, 'untyped'].map((name) => V + name).join('|') }, CONCEPTS],
    ['/data', { uri: `${V}group|${V}untyped` }, ['group']],
    ['/data', { id: 'urn:x:blank' }, []],
    ['/data', { notation: 'blank' }, []],
    ['/voc/v/top', {}, ['both', 'good', 'labels', 'ordered', 'scheme']],
    ['/narrower', { uri: `${V}good` }, ['group', 'text']],
    ['/narrower', { uri: `${V}text` }, []],
    ['/broader', { uri: `${V}text` }, ['good']],
    ['/descendants', { uri: `${V}good` }, ['group', 'text']],
    ['/ancestors', { uri: `${V}text` }, ['good']],
    ...['collection', 'ordered', 'scheme', 'b', 'a'].map((search): [string, Record<string, string>, string[]] => {
      return ['/search', { search, voc: 'v' }, [{ collection: 'both', a: 'labels', b: 'labels' }[search] ?? search]]
    }),
    ['/search', { search: 'blank', voc: 'v' }, []],
    ['/search', { search: 'group', voc: 'v' }, []],
    ['/search', { search: 'untyped', voc: 'v' }, []],
  ])('%s %j', async (path, parameters, expected) => {
    for (const properties of ['', '*', '+narrower,ancestors,descendants']) {
      const { status, body, headers } = await app.ask(path, { ...parameters, properties })
      expect(status).toBe(200)
      expect(names(body)).toEqual(expected)
      expect(headers.get('x-total-count')).toBe(String(expected.length))
      for (const record of body) {
        expect([validate(record, { unknownFields: true }), validate.errorMessages]).toEqual([true, []])
      }
    }
    const { headers } = await app.ask(path, { ...parameters, limit: '0' })
    if (path !== '/ancestors') expect(headers.get('x-total-count')).toBe(String(expected.length))
    expect(app.reported).toEqual([])
  })

  test('records leave out data that JSKOS cannot express', async () => {
    const { body } = await app.ask('/data', { uri: `${V}text|${V}labels|${V}good|${V}both`, properties: '*' })
    const [labels, both, good, text] = body
    expect(both).toMatchObject({ type: [`${SKOS}Concept`, `${SKOS}Collection`] })
    // Everything that is named as narrower is named here, concept or not.
    expect(good).toMatchObject({ narrower: [{ uri: `${V}group` }, { uri: `${V}text`, prefLabel: { en: 'Text' } }] })
    const scheme = {
      uri: 'http://example.org/v',
      prefLabel: { en: 'V' },
      notation: ['v'],
      type: [`${SKOS}ConceptScheme`],
    }
    expect(text).toMatchObject({
      broader: [{ uri: `${V}good`, prefLabel: { en: 'Good' } }],
      narrower: [],
      related: [],
      ancestors: [{ uri: `${V}good` }],
      inScheme: [scheme],
      topConceptOf: [],
      mapping: [
        { type: `${SKOS}exactMatch`, from: `${V}text`, to: 'http://example.org/w/1' },
        { type: `${SKOS}exactMatch`, from: `${V}text`, to: 'urn:x:1' },
      ],
    })
    expect(labels).toMatchObject({ prefLabel: { en: 'A' }, altLabel: { en: ['B'] } })
    expect(labels).not.toHaveProperty('created')
    const { body: schemes } = await app.ask('/voc', { uri: 'http://example.org/v', properties: '*' })
    expect(schemes).toMatchObject([
      { uri: 'http://example.org/v', prefLabel: { en: 'V' }, concepts: [null], topConcepts: [null] },
    ])
    expect([validate(schemes[0], { unknownFields: true }), validate.errorMessages]).toEqual([true, []])
  })

  test('records leave out IRIs, dates and places that are none in JSKOS', async () => {
    const at = 'http://example.org/places'
    const { body: concepts } = await app.ask('/data', { uri: `${at}/1|${at}/2`, properties: '*' })
    const { body: schemes } = await app.ask('/voc', { uri: at, properties: '*' })
    for (const record of [...concepts, ...schemes]) {
      expect([validate(record, { unknownFields: true }), validate.errorMessages]).toEqual([true, []])
    }
    expect(concepts[0]).toMatchObject({
      type: [`${SKOS}Concept`, 'http://place.example/'],
      created: '-0044-03',
      modified: '2020',
      startDate: '-0044-03-15',
      depiction: ['http://image.example/1.png', 'http://image.example/2.png'],
      location: { type: 'Point', coordinates: [3, 4] },
    })
    expect(concepts[1]).not.toHaveProperty('location')
    expect(concepts[1]).not.toHaveProperty('depiction')
    expect(schemes).toMatchObject([
      { type: [`${SKOS}ConceptScheme`], namespace: `${at}/`, url: 'http://page.example/', issued: '-0044-03' },
    ])
  })

  test('the graph keeps all statements', async () => {
    const rows = await app.client.select(
      `SELECT ?o WHERE { GRAPH <http://example.org/v> { { <${V}text> <${SKOS}broader> ?o } UNION { <${V}labels> <${SKOS}altLabel> ?o } UNION { ?o <${SKOS}notation> "blank" } } }`,
    )
    expect(rows.map(({ o }) => o!.type).sort()).toEqual(['bnode', 'literal', 'literal', 'uri', 'uri'])
  })
})

const SKOS = 'http://www.w3.org/2004/02/skos/core#'
