import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import jsonld, { type JsonLdDocument } from 'jsonld'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { compileCheck } from '../../../src/doors/formats/check.ts'
import { formatIri, type FormatRecord } from '../../../src/doors/formats/record.ts'
import { FORMATS_GRAPH } from '../../../src/base/namespaces.ts'
import { FORMAT_CONTEXT, formatConstants } from '../../../src/doors/formats/shapes.ts'
import { refuseRemoteDocuments } from '../../jsonld.ts'
import { BOOKKEEPING, RDF, XSD } from '../../../src/base/namespaces.ts'
import type { ResultTerm } from '../../../src/graph/sparql/client.ts'
import { DEMO, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { loadRecords } from './records.ts'
import { PROPERTIES } from './properties.ts'

const read = (file: string) => readFileSync(resolve(DEMO, file), 'utf8')
const demo = read('formats.ndjson')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FormatRecord)

const recordsOf = (name: string): FormatRecord[] =>
  PROPERTIES[name]!.valid.map((value, index) => ({ id: `${name}/${index}`, [name]: value }))

/** Numbers from 0 to 1 that are the same in every run (Park and Miller). */
function* randomNumbers(seed: number): Generator<number, never> {
  for (;;) yield (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
}

describe('the context', () => {
  const table = Object.keys(PROPERTIES)

  test('has an IRI for every property, each another', async () => {
    const record = { id: 'x', $schema: 'http://example.org/schema.json' }
    const values = table.map((name) => [
      name,
      PROPERTIES[name]!.valid.find((value) => JSON.stringify(value).length > 2),
    ])
    const document = {
      ...FORMAT_CONTEXT,
      ...record,
      ...Object.fromEntries(values),
      schemas: [],
    } as unknown as JsonLdDocument
    const [expanded] = await jsonld.expand(document, { documentLoader: refuseRemoteDocuments })
    const iris = Object.keys(expanded!)
    expect(iris).toHaveLength(table.length + 2)
    for (const iri of iris) expect(iri).toMatch(/^(https?|urn):/)
  })

  test('has an IRI for every property of a schema', async () => {
    const schemas = [{ url: 'a', type: 'b', doi: 'https://doi.org/10.1000/182', version: 'c' }]
    const document = { ...FORMAT_CONTEXT, schemas } as unknown as JsonLdDocument
    const [expanded] = await jsonld.expand(document, { documentLoader: refuseRemoteDocuments })
    const [schema] = Object.values(expanded!).flat() as object[]
    expect(Object.keys(schema!)).toHaveLength(4)
  })
})

describeOver(EMBEDDED, 'format records in the store', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let constants: Record<string, string>

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    constants = { ...formatConstants(app.config) }
  })
  beforeEach(() => app.client.update(`DROP SILENT GRAPH <${FORMATS_GRAPH}>`, FORMATS_GRAPH))
  afterAll(async () => {
    await app.close()
    await running.stop()
  })

  /** Everything that the service says of the records, by id. */
  async function stored(): Promise<Map<string, FormatRecord>> {
    const { status, text } = await app.get('/formats.ndjson')
    expect(status).toBe(200)
    const records = text.split('\n').filter((line) => line !== '')
    return new Map(records.map((line) => JSON.parse(line) as FormatRecord).map((record) => [record.id, record]))
  }

  async function expectStored(records: readonly FormatRecord[]): Promise<void> {
    const after = await stored()
    expect(after.size).toBe(records.length)
    for (const record of records) {
      expect(after.get(record.id)).toEqual({ ...constants, ...record })
      // toEqual is lenient about the order of the keys within descriptions, and about a key named __proto__.
      expect(JSON.stringify(after.get(record.id)!['description'])).toBe(JSON.stringify(record['description']))
    }
  }

  test.each(Object.keys(PROPERTIES))('%s comes back as loaded', async (name) => {
    const records = recordsOf(name)
    await loadRecords(app, records)
    await expectStored(records)
    const { body } = await app.get(`/formats/${name}/0`)
    expect(body).toEqual({ ...constants, ...records[0] })
  })

  test('the demo comes back equal, and can be loaded again as it is served', async () => {
    expect(await loadRecords(app, demo)).toEqual({ added: demo.length, replaced: 0, unknownLinks: [] })
    await expectStored(demo)
    const served = [...(await stored()).values()]
    expect(compileCheck(formatConstants(app.config))(served)).toEqual([])
    expect(await loadRecords(app, served)).toEqual({ added: 0, replaced: demo.length, unknownLinks: [] })
    await expectStored(demo)
  })

  test('records with any allowed values in any properties come back equal', async () => {
    const numbers = randomNumbers(4711)
    const pick = <T>(values: readonly T[]) => values[Math.floor(numbers.next().value * values.length)]!
    const records = Array.from({ length: 300 }, (_, index) => {
      const names = Object.keys(PROPERTIES).filter(() => numbers.next().value < 0.5)
      return {
        id: `random ${index}`,
        ...Object.fromEntries(names.map((name) => [name, pick(PROPERTIES[name]!.valid)])),
      }
    })
    expect(compileCheck(formatConstants(app.config))(records)).toEqual([])
    await loadRecords(app, records)
    await expectStored(records)
  })

  test('a record takes the place of the one with its id, as a whole', async () => {
    const full = Object.entries(PROPERTIES).map(([name, { valid }]) => [name, valid.at(-1)])
    await loadRecords(app, [
      { id: 'a', ...Object.fromEntries(full) },
      { id: 'b', title: 'other' },
    ])
    const report = await loadRecords(app, [{ id: 'a', title: 'new' }, { id: 'c' }])
    expect(report).toEqual({ added: 1, replaced: 1, unknownLinks: [] })
    await expectStored([{ id: 'a', title: 'new' }, { id: 'b', title: 'other' }, { id: 'c' }])
    const [row] = await app.client.select(
      `SELECT (COUNT(*) AS ?n) WHERE { GRAPH <${FORMATS_GRAPH}> { ?s ?p ?o FILTER(!STRENDS(STR(?p), "revision")) } }`,
    )
    // a: id and title; b: id and title; c: id.
    expect(row!['n']!.value).toBe('5')
  })

  test('the stored triples are those that jsonld makes of the served records', async () => {
    await loadRecords(app, demo)
    const served = await stored()
    expect(served.size).toBe(demo.length)
    for (const record of served.values()) {
      const document = { ...record, ...FORMAT_CONTEXT, '@id': formatIri(record.id) } as unknown as JsonLdDocument
      const quads = (await jsonld.toRDF(document, { documentLoader: refuseRemoteDocuments })) as {
        subject: { value: string }
        predicate: { value: string }
        object: { termType: string; value: string; datatype?: { value: string } }
      }[]
      const iri = formatIri(record.id)
      const triple = (predicate: string, type: string, datatype: string | undefined, value: string) => {
        const content = datatype === `${RDF}JSON` ? JSON.stringify(sorted(JSON.parse(value))) : value
        return [predicate, type, datatype ?? '', content].join(' ')
      }
      const expected = quads
        .filter(({ subject, predicate }) => subject.value === iri && !predicate.value.endsWith('conformsTo'))
        .map(({ predicate, object: { termType, datatype, value } }) =>
          termType === 'BlankNode'
            ? triple(predicate.value, 'schema', undefined, '')
            : triple(predicate.value, termType === 'Literal' ? 'literal' : 'uri', datatype?.value, value),
        )
      const rows = await app.client.select(`SELECT ?p ?o WHERE { GRAPH <${FORMATS_GRAPH}> { <${iri}> ?p ?o } }`)
      const datatypeOf = ({ type, datatype }: ResultTerm) => (type === 'uri' ? undefined : (datatype ?? `${XSD}string`))
      const actual = rows
        .filter(({ p }) => !p!.value.startsWith(BOOKKEEPING))
        .map(({ p, o }) =>
          o!.value.startsWith(`${iri}#`)
            ? triple(p!.value, 'schema', undefined, '')
            : triple(p!.value, o!.type === 'uri' ? 'uri' : 'literal', datatypeOf(o!), o!.value),
        )
      expect(actual.sort()).toEqual(expected.sort())
    }
  })

  test('links to ids that have no record are told, with their place', async () => {
    await loadRecords(app, [{ id: 'known' }])
    const { unknownLinks } = await loadRecords(app, [
      { id: 'a', for: ['known', 'x', 'b'], base: 'y', broader: 'a', inspiredby: 'free text', language: 'zz' },
      {
        id: 'b',
        schemas: [
          { url: 'u', type: 'known' },
          { url: 'v', type: 'z' },
        ],
        profiles: '',
      },
    ])
    expect(unknownLinks).toEqual([
      { id: 'a', path: 'for.1', target: 'x' },
      { id: 'a', path: 'base', target: 'y' },
      { id: 'b', path: 'profiles', target: '' },
      { id: 'b', path: 'schemas.1.type', target: 'z' },
    ])
  })

  test('two loads at the same time lose nothing', async () => {
    const load = (letter: string) =>
      loadRecords(
        app,
        Array.from({ length: 50 }, (_, index) => ({ id: `${letter}${index}`, alias: [letter] })),
      )
    await Promise.all(['a', 'b', 'c', 'd'].map(load))
    expect((await stored()).size).toBe(200)
  })

  test('triples that SPARQL has changed count, whatever was loaded', async () => {
    await loadRecords(app, [{ id: 'a', for: ['b', 'a'], creator: 'one' }])
    const format = 'urn:vocabulary-service:format'
    const update = `
      DELETE DATA { GRAPH <${FORMATS_GRAPH}> { <${format}:a> <${format}#for> "b" } } ;
      INSERT DATA { GRAPH <${FORMATS_GRAPH}> {
        <${format}:a> <${format}#model> "m" ; <http://purl.org/dc/terms/alternative> "alias"
      } }`
    await app.client.update(update, FORMATS_GRAPH)
    await expectStored([{ id: 'a', for: 'a', creator: 'one', model: 'm', alias: ['alias'] }])
  })
})

/** The same JSON with the keys of all objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}
