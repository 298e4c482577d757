import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { resolve } from 'node:path'
import { ApiError } from '../../../src/base/errors.ts'
import type { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { loadTemplates } from '../../../src/graph/sparql/templates.ts'
import { iri, literal, TermError, type SparqlTerm } from '../../../src/graph/sparql/terms.ts'
import { putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED, testOf } from '../../stores.ts'
import { LONG } from '../../long.ts'

const templates = loadTemplates(resolve(import.meta.dirname, '../../../queries'))

const HOSTILE_TEXTS = [
  '"',
  '\\',
  '\\"',
  '" } DROP ALL ; #',
  "'''",
  '"""',
  '\n} INSERT DATA { <a:b> <a:b> <a:b> }',
  '\r',
  '\\u0022 . }',
  '\\U00000022',
  '# comment',
  '#@ uri',
  '#? voc',
  '$uri ?uri',
  'VALUES ?uri { } #@ voc',
  '@de',
  '^^<urn:x>',
  '\u202e\u200b\ufeff',
  '👩‍🔬',
  '%22%7D',
]

const HOSTILE_IRIS = [
  ...['<', '>', '"', '{', '}', '|', '^', '`', '\\'].map((character) => `http://example.org/${character}`),
  ...[' ', '\n', '\t', '\u0000'].map((character) => `http://example.org/${character}`),
  'http://example.org/> } DROP ALL #',
  'http://example.org/\\u003e',
  'relative',
]

const ODD_IRIS = [
  "http://example.org/')#",
  'http://example.org/?uri=$c#@uri',
  'urn:x:;--',
  'http://example.org/%3E%20.',
]

/** Every slot of every template, with hostile terms: refused, or answered as if nothing special had been asked. */
describeOver(EMBEDDED, 'hostile terms in every slot of every template', (store) => {
  let running: { endpoint: ConstructorParameters<typeof SparqlClient>[0]['endpoint']; stop(): Promise<void> }
  let app: RunningApp
  let size: number

  const countTriples = async () => {
    const [row] = await app.client.select('SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }')
    return Number(row!['n']!.value)
  }

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await putDemo(app)
    size = await countTriples()
  })
  afterAll(async () => {
    expect(await countTriples()).toBe(size)
    await app.close()
    await running.stop()
  })

  const queries = [...templates].filter(([, template]) =>
    /\b(SELECT|CONSTRUCT|ASK)\b/.test(template.text.replace(/^#.*$/gm, '')),
  )
  test.each(queries.filter(([, template]) => !/\bINSERT\b|\bDELETE\b|text:query|#@ whole/.test(template.text)))(
    '%s',
    async (_, template) => {
      const ask = async (slot: string, hostile: SparqlTerm[]) => {
        const terms = Object.fromEntries(template.slots.map((name) => [name, [iri('http://example.org/none')]]))
        terms[slot] = hostile
        const query = template.bind({ terms, include: template.blocks })
        const form = /\b(CONSTRUCT|ASK|SELECT)\b/.exec(query.text.replace(/^#.*$/gm, ''))![1]!
        await app.client[form.toLowerCase() as 'construct' | 'ask' | 'select'](query)
      }
      for (const slot of template.slots) {
        // The name of a graph is one IRI.
        if (new RegExp(`GRAPH <.*#@ ${slot}$`, 'm').test(template.text)) {
          for (const odd of ODD_IRIS) await ask(slot, [iri(odd)])
          continue
        }
        // Predicates come from the context, never from a request: a literal there is a syntax error.
        if (!['property', 'note', 'link'].includes(slot))
          await ask(
            slot,
            HOSTILE_TEXTS.map((text) => literal(text)),
          )
        await ask(slot, ODD_IRIS.map(iri))
        for (const text of HOSTILE_IRIS) expect(() => iri(text)).toThrow(TermError)
        expect(() => literal('a', { language: 'de . } DROP ALL #' })).toThrow(TermError)
      }
    },
  )

  test('texts come back as they were sent', async () => {
    const rows = await app.client.select(
      `SELECT ?x WHERE { VALUES ?x { ${HOSTILE_TEXTS.map((text) => literal(text)).join(' ')} } }`,
    )
    expect(rows.map((row) => row['x']!.value)).toEqual(HOSTILE_TEXTS)
  })

  // The same requests bind the same terms over every store.
  testOf(store)('over HTTP: no parameter of any endpoint breaks out of its place', async () => {
    const uri = 'http://example.org/vocabulary/crafts/bookbinding'
    const cases: [string, string, Record<string, string>][] = [
      ['/data', 'uri', {}],
      ['/data', 'id', {}],
      ['/data', 'notation', {}],
      ['/narrower', 'uri', {}],
      ['/broader', 'uri', {}],
      ['/ancestors', 'uri', {}],
      ['/descendants', 'uri', {}],
      ['/narrower', 'voc', { uri }],
      ['/narrower', 'properties', { uri }],
      ['/narrower', 'languages', { uri }],
      ['/narrower', 'language', { uri }],
      ['/narrower', 'limit', { uri }],
      ['/narrower', 'offset', { uri }],
      ['/voc', 'notation', {}],
      ['/voc', 'uri', {}],
      ['/voc', 'id', {}],
      ['/voc', 'subset', {}],
      ['/voc/top', 'uri', {}],
      ['/voc/crafts/top', 'type', {}],
      ['/voc/concepts', 'uri', {}],
      ['/search', 'search', {}],
      ['/search', 'ancestors', { query: 'b' }],
      ['/search', 'type', { query: 'b' }],
      ['/search', 'use', { query: 'b' }],
      ['/suggest', 'query', { voc: 'crafts' }],
    ]
    // Every slot has got every value above; here each parameter gets a part of them, and all together get all.
    const shares = LONG ? 1 : 4
    for (const [at, [path, name, fixed]] of cases.entries()) {
      const values = [...HOSTILE_TEXTS, ...HOSTILE_IRIS].filter((_, index) => index % shares === at % shares)
      const answers = await Promise.all(values.map((value) => app.ask(path, { ...fixed, [name]: value })))
      for (const answer of answers) {
        expect([200, 400]).toContain(answer.status)
        if (answer.status === 400) {
          expect(answer.body.error).toBe('MalformedRequestError')
          expect(answer.body.message).toContain(name)
        }
      }
    }
    expect(app.reported.filter((error) => !(error instanceof ApiError))).toEqual([])
  })
})
