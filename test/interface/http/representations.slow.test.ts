import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import jsonld from 'jsonld'
import { Parser, Writer, type Quad } from 'n3'
import { RdfXmlParser } from 'rdfxml-streaming-parser'
import { refuseRemoteDocuments } from '../../jsonld.ts'
import { CONCEPT, RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const MANY = 'http://example.org/vocabulary/many/'
/** More than are put together before they are sent. */
const SIZE = 2_500

/** A vocabulary of SIZE concepts below one, with labels, notations and dates. */
function manyConcepts(): string {
  const concepts = Array.from({ length: SIZE - 1 }, (_, index) => {
    const labels = `skos:prefLabel "Begriff ${index}"@de, "Concept ${index}"@en ; skos:altLabel "B ${index}"@de`
    return `<${MANY}${index}> a skos:Concept ; ${labels} ; skos:notation "N${index}" ; skos:inScheme <${MANY}> ;
      skos:broader <${MANY}top> ; skos:definition "Text zu ${index}"@de ; dct:modified "2024-05-06"^^xsd:date .`
  })
  return `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    <${MANY}> a skos:ConceptScheme ; skos:notation "many" ; skos:prefLabel "Viele"@de .
    <${MANY}top> a skos:Concept ; skos:prefLabel "Oben"@de ; skos:notation "N" ; skos:inScheme <${MANY}> ; skos:topConceptOf <${MANY}> .
    ${concepts.join('\n')}`
}

const lines = (quads: Quad[]) =>
  [...new Set(new Writer({ format: 'N-Triples' }).quadsToString(quads).split('\n'))].join('\n')

/** A graph in a canonical form (RDF Dataset Canonicalization): equal for isomorphic graphs. */
const canonical = (quads: Quad[]): Promise<string> =>
  jsonld.canonize(lines(quads) as never, { inputFormat: 'application/n-quads', format: 'application/n-quads' })

async function readJsonLd(text: string): Promise<Quad[]> {
  const options = { documentLoader: refuseRemoteDocuments, base: '', format: 'application/n-quads' as const }
  const nQuads = (await jsonld.toRDF(JSON.parse(text) as never, options)) as unknown as string
  return new Parser({ format: 'N-Quads' }).parse(nQuads)
}

const readTurtle = (text: string) => new Parser({ format: 'text/turtle' }).parse(text)
async function readRdfXml(text: string): Promise<Quad[]> {
  const parser = new RdfXmlParser()
  parser.end(text)
  return (await parser.toArray()) as Quad[]
}
const readNTriples = (text: string) => new Parser({ format: 'N-Triples' }).parse(text)

function hasNull(value: unknown): boolean {
  if (value === null) return true
  return typeof value === 'object' && Object.values(value).some(hasNull)
}

describeOver(EMBEDDED, 'Representations', (store) => {
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
    await putDemo(app)
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  const uri = encodeURIComponent(`${CRAFTS}bookbinding`)
  const scheme = encodeURIComponent(CRAFTS)
  const PATHS: [path: string, records: number][] = [
    [`/data?uri=${uri}`, 1],
    [`/data?uri=${uri}&properties=*`, 1],
    [`/data?uri=${uri}&properties=%2Bdescendants,mappings&languages=de`, 1],
    [`/data?uri=${encodeURIComponent('http://example.org/none')}`, 0],
    [`/narrower?uri=${uri}&properties=*`, 3],
    [`/broader?uri=${uri}`, 1],
    [`/ancestors?uri=${uri}`, 1],
    [`/descendants?uri=${uri}&voc=subset_crafts-school`, 1],
    ['/voc', 2],
    ['/voc?subset=true&properties=*', 4],
    ['/voc/crafts', 1],
    ['/voc/crafts/top?limit=3', 3],
    [`/voc/top?uri=${scheme}`, 8],
    [`/voc/concepts?uri=${scheme}&limit=40&properties=*`, 40],
    ['/types', 1],
    ['/concept-types/crafts', 1],
  ]
  test.each(PATHS)('%s is the same in all of them', async (path, records) => {
    const ask = async (format: string) => app.get(`${path}${path.includes('?') ? '&' : '?'}format=${format}`)
    const [json, ndjson, jsonLd, turtle, nTriples, rdfXml] = await Promise.all(
      ['json', 'ndjson', 'jsonld', 'turtle', 'ntriples', 'rdfxml'].map(ask),
    )
    for (const answer of [json!, ndjson!, jsonLd!, turtle!, nTriples!, rdfXml!]) {
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-total-count')).toBe(json!.headers.get('x-total-count'))
    }
    expect(json!.body).toHaveLength(records)
    expect(
      ndjson!.text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual(json!.body)
    const document = JSON.parse(jsonLd!.text)
    expect(document['@graph'].map((node: { uri: string }) => node.uri)).toEqual(
      json!.body.map((record: { uri: string }) => record.uri),
    )
    expect(hasNull(document)).toBe(false)
    const graph = await canonical(await readJsonLd(jsonLd!.text))
    expect(await canonical(readTurtle(turtle!.text))).toBe(graph)
    expect(await canonical(readNTriples(nTriples!.text))).toBe(graph)
    expect(await canonical(await readRdfXml(rdfXml!.text))).toBe(graph)
    expect(graph === '').toBe(records === 0)
  })

  test('GET /context.json is the context of JSON-LD answers', async () => {
    const context = await app.get('/context.json')
    expect(context.headers.get('content-type')).toBe('application/ld+json')
    const answer = await app.get(`/data?uri=${uri}&format=jsonld`)
    expect(JSON.parse(answer.text)['@context']).toEqual(JSON.parse(context.text)['@context'])
  })

  const JSON_TYPE = 'application/json; charset=utf-8'
  const TURTLE_TYPE = 'text/turtle; charset=utf-8'
  const ACCEPTED: [accept: string | undefined, type: string][] = [
    [undefined, JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['text/*', TURTLE_TYPE],
    ['text/turtle', TURTLE_TYPE],
    ['TEXT/Turtle;q=0.5', TURTLE_TYPE],
    ['application/n-triples', 'application/n-triples'],
    ['application/ld+json', 'application/ld+json'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['text/turtle;q=0.2, application/ld+json;q=0.9', 'application/ld+json'],
    ['application/json;q=0.1, text/turtle', TURTLE_TYPE],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['application/rdf+xml', 'application/rdf+xml'],
    ['text/turtle; charset=utf-8', TURTLE_TYPE],
    ['application/rdf+xml;charset=UTF-8', 'application/rdf+xml'],
    ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"', 'application/ld+json'],
    ['text/turtle;x="a,b;q=1\\"";q=0.5, application/n-triples; version=1.1', 'application/n-triples'],
    ['application/json;v=1;q=0.4,text/turtle;quality=1;q=0.3;q=1', JSON_TYPE],
    ['text/html;charset=utf-8', 'text/html; charset=utf-8'],
    // Nothing that fits: JSON.
    ['application/pdf', JSON_TYPE],
    ['application/json;q=0', JSON_TYPE],
    [';;;,', JSON_TYPE],
  ]
  test.each(ACCEPTED)('Accept: %s is answered with %s', async (accept, type) => {
    // Without an Accept of its own fetch sends */*.
    const answer = await app.get(`/data?uri=${uri}`, accept === undefined ? {} : { headers: { accept } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('vary')!.split(', ')).toEqual(expect.arrayContaining(['Accept', 'Accept-Encoding']))
  })

  const FORMATS: [format: string, type: string][] = [
    ['json', JSON_TYPE],
    ['jskos', JSON_TYPE],
    ['', TURTLE_TYPE],
    ['turtle', TURTLE_TYPE],
    ['TTL', TURTLE_TYPE],
    ['nt', 'application/n-triples'],
    ['application/ld+json', 'application/ld+json'],
    ['ndjson', 'application/x-ndjson'],
  ]
  test.each(FORMATS)('format=%s wins over Accept: %s', async (format, type) => {
    const answer = await app.get(`/data?uri=${uri}&format=${format}`, { headers: { accept: 'text/turtle' } })
    expect(answer.headers.get('content-type')).toBe(type)
  })

  test('an unknown format is named with the known ones', async () => {
    const answer = await app.get(`/data?uri=${uri}&format=pdf`)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toMatch(/^format: expected one of json, .*turtle.*, got "pdf"$/)
  })

  test('HEAD has the headers of GET and no body', async () => {
    for (const path of [`/data?uri=${uri}&format=turtle`, '/voc', '/types']) {
      const get = await app.get(path, { headers: { 'accept-encoding': 'identity' } })
      const head = await app.get(path, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } })
      expect(head.status).toBe(200)
      expect(head.text).toBe('')
      for (const name of ['content-type', 'content-length', 'etag', 'x-total-count', 'vary', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)])
      }
    }
  })

  describe('of more records than fit into one piece', () => {
    beforeAll(async () => {
      await app.put(MANY, manyConcepts())
    })

    const READERS: [format: string, read: (text: string) => string[]][] = [
      ['json', (text: string) => JSON.parse(text).map((record: { uri: string }) => record.uri)],
      [
        'ndjson',
        (text: string) =>
          text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line).uri),
      ],
      ['jsonld', (text: string) => JSON.parse(text)['@graph'].map((node: { uri: string }) => node.uri)],
      ['turtle', (text: string) => subjects(readTurtle(text))],
      ['ntriples', (text: string) => subjects(readNTriples(text))],
    ]
    test.each(READERS)('as %s are streamed, all of them', async (format, read) => {
      const answer = await app.get(`/voc/concepts?uri=${encodeURIComponent(MANY)}&format=${format}`)
      expect(answer.headers.get('etag')).toMatch(/^W\//)
      const uris = new Set(read(answer.text))
      expect(uris.size).toBe(SIZE)
    })

    test('can be downloaded beyond MAX_LIMIT, as a file', async () => {
      const small = await startApp(app.client.endpoint, { MAX_LIMIT: '500' })
      try {
        const path = `/voc/concepts?uri=${encodeURIComponent(MANY)}`
        const shown = await small.get(path)
        expect(shown.body).toHaveLength(500)
        expect(shown.headers.get('content-disposition')).toBeNull()
        for (const [download, type] of [
          ['json', JSON_TYPE],
          ['ndjson', 'application/x-ndjson'],
        ] as const) {
          const answer = await small.get(`${path}&download=${download}`)
          expect(answer.headers.get('content-type')).toBe(type)
          expect(answer.headers.get('content-disposition')).toMatch(
            new RegExp(`^attachment; filename="?many.${download}"?$`),
          )
          expect(answer.headers.get('link')).not.toMatch(/rel="next"|limit=/)
          const records = download === 'json' ? answer.body : answer.text.trimEnd().split('\n')
          expect(records).toHaveLength(SIZE)
        }
        const page = await small.get(`${path}&download=json&limit=3&offset=${SIZE - 2}`)
        expect(page.body).toHaveLength(2)
        expect((await small.get(`${path}&download=xml`)).status).toBe(400)
      } finally {
        await small.close()
      }
    })
  })
})

const subjects = (quads: Quad[]) =>
  quads
    .filter(({ predicate, object }) => predicate.value === RDF_TYPE && object.value === CONCEPT)
    .map((quad) => quad.subject.value)
