/** Random bodies: whatever they hold, no answer is a failure of the service, and each comes before the next is sent. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MAXIMA } from '../../../src/interface/http/maxima.ts'
import { CRAFTS } from '../../app.ts'
import { LONG } from '../../long.ts'
import { startService, type ServiceProcess } from '../../process.ts'

const RUNS = LONG ? 2000 : 40
/** An answer later than this is none. */
const PATIENCE_MS = 30_000

let service: ServiceProcess
beforeAll(async () => {
  // Each request comes from an address of its own, so that no limit refuses it.
  service = await startService({ TRUST_PROXY: 'true', INGEST_LIMITS: 'none' })
})
afterAll(() => service.stop())

/** The text of a JSON value within a thousand arrays or objects, or more than fit into the stack. */
const deep = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{"@graph":[', ']}']), fc.constantFrom(1000, 50_000), fc.json())
  .map(([[open, close], levels, inner]) => open.repeat(levels) + inner + close.repeat(levels))
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'Bookbinding',
    `${CRAFTS}bookbinding`,
    'en',
    '',
    'a'.repeat(20_000),
    '^(a+)+$',
    '__proto__',
    '\u0000',
    '\ud800',
  ),
)
const leaf = fc
  .oneof(text, fc.double(), fc.boolean(), fc.constant(null), fc.constantFrom(0, -1, 1e300, 2 ** 53))
  .map((item) => JSON.stringify(item))

/** The text of an object or array that has some of these names, with values of any kind. */
const value = (...names: string[]) =>
  fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.array(tie('json'), { maxLength: 5 }).map((all) => `[${all.join()}]`),
      fc
        .array(fc.tuple(fc.oneof(fc.constantFrom(...names), text), tie('json')), { maxLength: 6 })
        .map((all) => `{${all.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`),
      { arbitrary: deep, weight: 1 },
    ),
  })).json

/** An object with all of these members, each as it should be or of any kind. */
const object = (members: Record<string, fc.Arbitrary<string>>) =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(members).map(([name, right]) => [
          name,
          fc.oneof({ arbitrary: right, weight: 6 }, value(...Object.keys(members))),
        ]),
      ),
      { requiredKeys: [] },
    )
    .map(
      (all) =>
        `{${Object.entries(all)
          .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
          .join()}}`,
    )
const list = (of: fc.Arbitrary<string>) => fc.array(of, { maxLength: 5 }).map((all) => `[${all.join()}]`)
const anyOf = (...values: unknown[]) => fc.constantFrom(...values).map((constant) => JSON.stringify(constant))

const property = anyOf('broader', 'notation', 'prefLabel', 'narrower@de', 'exactMatch', 'nonsense')
const query = object({
  query: leaf,
  type: fc.oneof(leaf, list(leaf)),
  type_strict: anyOf('any', 'should', 'all'),
  limit: anyOf(1, 100, 0, 1e9),
  lang: leaf,
  properties: list(object({ pid: property, v: fc.oneof(leaf, list(leaf), object({ id: leaf })) })),
})
const matched = object({
  conditions: list(
    object({
      matchType: anyOf('name', 'id', 'property'),
      propertyId: property,
      propertyValue: fc.oneof(leaf, list(leaf), object({ id: leaf })),
      matchQuantifier: anyOf('any', 'all', 'none'),
      required: anyOf(true, false),
    }),
  ),
  type: leaf,
  limit: anyOf(1, 100, 0),
})
const extended = object({
  ids: list(fc.oneof(anyOf(`${CRAFTS}bookbinding`, CRAFTS), leaf)),
  properties: list(object({ id: property, settings: object({ limit: anyOf(0, 1, 1e9), language: leaf }) })),
})
const record = object({
  uri: fc.oneof(anyOf(`${CRAFTS}bookbinding`, ''), leaf),
  type: list(anyOf('http://www.w3.org/2004/02/skos/core#Concept', 'http://www.w3.org/2004/02/skos/core#ConceptScheme')),
  prefLabel: object({ en: leaf, de: leaf }),
  altLabel: object({ en: list(leaf) }),
  notation: list(leaf),
  inScheme: list(object({ uri: leaf, notationPattern: leaf, uriPattern: leaf })),
  broader: list(object({ uri: leaf })),
})
const turtle = fc
  .array(
    fc.oneof(text, fc.constantFrom('skos:broader', ' a ', '[', ']', '(', ')', '"""', '<', '>', ' . ', ';', '@prefix ')),
    { maxLength: 60 },
  )
  .map((tokens) => `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n${tokens.join('')}`)
const xml = fc
  .array(fc.oneof(text, fc.constantFrom('<rdf:Description>', '<a:b>', '</a:b>', '&e;', '<![CDATA[', ']]>', '<!--')), {
    maxLength: 60,
  })
  .map((tokens) => {
    const start = `<!DOCTYPE rdf:RDF [<!ENTITY e "${'e'.repeat(500_000)}">]><rdf:RDF xmlns:a="urn:a:"`
    return `${start} xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${tokens.join('')}</rdf:RDF>`
  })

const asForm = (name: string, json: string) => `${name}=${encodeURIComponent(Buffer.from(json).toString())}`
const BODIES: [path: string, body: fc.Arbitrary<string>][] = [
  [
    '/reconcile',
    fc.dictionary(fc.string(), query).map((all) =>
      asForm(
        'queries',
        `{${Object.entries(all)
          .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
          .join()}}`,
      ),
    ),
  ],
  ['/reconcile', extended.map((json) => asForm('extend', json))],
  ['/reconcile/match', object({ queries: list(matched) })],
  ['/reconcile/extend', extended],
  ['/validate', fc.oneof(record, list(record), value('uri', '@context', '@graph', '@id', '@type', '@value'))],
  ['/validate?knownSchemes=true&unknownFields=true', list(record)],
  ['/validate?format=turtle', turtle],
  ['/validate?format=rdfxml', xml],
  [
    '/ingest',
    list(
      object({ username: leaf, token: leaf, data: fc.oneof(record, list(record)).map((json) => JSON.stringify(json)) }),
    ),
  ],
]

/** JSON.parse reads so many levels, and JSON.stringify and String do not write them. */
const DEEP = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`

describe('values nested more deeply than the stack', () => {
  const queries = (member: string) => asForm('queries', `{"q":{"query":"x","${member}":${DEEP}}}`)
  const condition = (member: string) =>
    `{"queries":[{"conditions":[{"matchType":"property","propertyId":"notation","propertyValue":"x","${member}":${DEEP}}]}]}`
  const column = (member: string) => `{"ids":[],"properties":[{"id":"notation",${member}}]}`
  test.each<[path: string, what: string, body: string]>([
    ...['query', 'type', 'type_strict', 'limit', 'lang', 'properties'].map(
      (member) => ['/reconcile', member, queries(member)] satisfies [string, string, string],
    ),
    ...['matchType', 'propertyId', 'propertyValue', 'matchQuantifier', 'required'].map(
      (member) => ['/reconcile/match', member, condition(member)] satisfies [string, string, string],
    ),
    ['/reconcile/extend', 'id', `{"ids":[],"properties":[{"id":${DEEP}}]}`],
    ['/reconcile/extend', 'ids', `{"ids":[${DEEP}],"properties":[]}`],
    ['/reconcile/extend', 'limit', column(`"settings":{"limit":${DEEP}}`)],
    ['/reconcile/extend', 'language', column(`"settings":{"language":${DEEP}}`)],
    ['/validate?format=jskos', 'a record', `{"prefLabel":${DEEP}}`],
    ['/ingest', 'the body', `[${DEEP}]`],
    ['/ingest', 'data', JSON.stringify([{ username: 'a', token: 'b', data: `[${DEEP}]` }])],
  ])('%s: %s', async (path, _, body) => {
    const type = path === '/reconcile' ? 'application/x-www-form-urlencoded' : 'application/json'
    const answer = await fetch(service.url + path, { method: 'POST', headers: { 'Content-Type': type }, body })
    const said = await answer.text()
    // A busy service may refuse; it never fails.
    expect([answer.status, said.slice(0, 500)]).not.toEqual([500, expect.anything()])
  })
})

describe('random bodies', () => {
  test.each(BODIES)(
    '%s',
    async (path, body) => {
      let sent = 0
      const isForm = path === '/reconcile'
      await fc.assert(
        fc.asyncProperty(body, async (json) => {
          if (json.length > MAXIMA.form.most) return
          const from = `10.${++sent >> 16}.${(sent >> 8) & 255}.${sent & 255}`
          const answer = await fetch(service.url + path, {
            method: 'POST',
            headers: {
              'X-Forwarded-For': from,
              'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/octet-stream',
            },
            body: json,
            signal: AbortSignal.timeout(PATIENCE_MS),
          })
          const said = await answer.text()
          // A busy service may refuse; it never fails.
          expect([answer.status, said.slice(0, 500)]).not.toEqual([500, expect.anything()])
        }),
        { numRuns: RUNS },
      )
    },
    600_000,
  )
})
