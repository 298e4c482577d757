import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ApiError } from '../../../src/base/errors.ts'
import type { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { checkTemplates, loadTemplates, Template } from '../../../src/graph/sparql/templates.ts'
import { TEMPLATE_NAMES } from '../../../src/graph/sparql/template-names.ts'
import { iri, literal, TermError, type SparqlTerm } from '../../../src/graph/sparql/terms.ts'
import { putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED, testOf } from '../../stores.ts'
import { LONG } from '../../long.ts'
import { describeEveryTemplate } from './every-template.ts'

const templates = loadTemplates(resolve(import.meta.dirname, '../../../queries'))
/** A file that is not there and cannot be made. */
const NOTHING_CHECKED = join(tmpdir(), 'no-such-folder', 'checked-templates')

const QUERY = `PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?c WHERE {
  VALUES ?uri { <http://example.org/a> } #@ uri
  ?c skos:broader ?uri .
  #? voc
  FILTER EXISTS { ?c skos:inScheme ?voc FILTER(?voc IN (<http://example.org/v>)) } #@ voc
  #.
}
LIMIT 10
OFFSET 0
`

describe('Template', () => {
  test('fills slots, keeps or leaves out blocks, sets the page', () => {
    const template = new Template('t.rq', QUERY)
    expect(template.slots).toEqual(['uri', 'voc'])
    expect(template.blocks).toEqual(['voc'])
    const { name, text: bound } = template.bind({
      terms: { uri: [iri('urn:x:1'), iri('urn:x:2')] },
      limit: 5,
      offset: 3,
    })
    expect(name).toBe('t')
    expect(bound).toContain('VALUES ?uri { <urn:x:1> <urn:x:2> }')
    expect(bound).toContain('LIMIT 5\nOFFSET 3')
    expect(bound).not.toContain('inScheme')
    expect(
      template.bind({ terms: { uri: [iri('urn:x:1')], voc: [iri('urn:v:1'), iri('urn:v:2')] }, include: ['voc'] }).text,
    ).toContain('IN ( <urn:v:1>, <urn:v:2> )')
  })

  test('a value never reaches the place of another', () => {
    const template = new Template('t', QUERY.replace('<http://example.org/a>', '"a"'))
    const { text: bound } = template.bind({ terms: { uri: [literal('VALUES ?uri { } #@ voc')], voc: [] } })
    expect(bound).toContain('VALUES ?uri { "VALUES ?uri { } #@ voc" }')
  })

  test('refuses names that it does not have and slots without terms', () => {
    const template = new Template('t', QUERY)
    expect(() => template.bind({ terms: { uri: [], url: [] } })).toThrow('no "url" in it')
    expect(() => template.bind({ terms: {} })).toThrow('no terms for "uri"')
    expect(() => template.bind({ terms: { uri: [] }, include: ['top'] })).toThrow('no "top" in it')
  })

  test.each([
    ['SELECT ?c WHERE { ?c }', 'Parse error'],
    ['SELECT ?c WHERE {\n#? a\n}\n#.', '(without optional blocks)'],
    ['SELECT ?c WHERE { ?c ?p ?o }\n#? a', 'line 2: "#?" without "#."'],
    ['SELECT ?c WHERE { ?c ?p ?o }\n#.', 'line 2: "#." without "#?"'],
    ['SELECT ?c WHERE {\n  ?c ?p ?o #@ uri\n}', 'line 2: cannot read the mark'],
  ])('says what is wrong with %j', async (text, message) => {
    const check = async () => checkTemplates([new Template('bad.rq', text)], NOTHING_CHECKED)
    await expect(check).rejects.toThrow(message)
    await expect(check).rejects.toThrow('bad.rq')
  })

  test('are parsed again if one of them has changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'templates-'))
    const checked = join(folder, 'checked')
    const [right, wrong] = [new Template('a.rq', QUERY), new Template('a.rq', 'SELECT ?c WHERE { ?c }')]
    try {
      await checkTemplates([right], checked)
      const digest = readFileSync(checked, 'utf8')
      await checkTemplates([right], checked)
      await expect(checkTemplates([right, wrong], checked)).rejects.toThrow('a.rq')
      await expect(checkTemplates([wrong], checked)).rejects.toThrow('a.rq')
      expect(readFileSync(checked, 'utf8')).toBe(digest)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a folder with a broken file names it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'templates-'))
    writeFileSync(join(folder, 'broken.rq'), 'SELECT ?c WHERE {\n#? a\n}')
    try {
      expect(() => loadTemplates(folder)).toThrow('broken.rq')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the templates of the project', () => {
  test('are those whose names compile', () => {
    expect([...TEMPLATE_NAMES].sort()).toEqual([...templates.keys()].sort())
  })

  test('are SPARQL', async () => {
    await checkTemplates(templates.values(), NOTHING_CHECKED)
  })

  test.each([...templates])('%s states its purpose', (_, template) => {
    expect(template.text).toMatch(/^#\+ summary: \S/)
  })

  // Each of these cost a factor of 6 to 1000 when it was measured (docs/decisions.md).
  test.each([...templates])('%s has none of the shapes that are slow', (_, template) => {
    const text = template.text.replace(/#.*$/gm, '')
    expect(text).not.toMatch(/\bFROM\b/i)
    expect(text).not.toMatch(/FILTER\s*\(\s*str\(\?\w+\)\s*=/i)
    // A type or a vocabulary before a property path.
    expect(text).not.toMatch(/(rdf:type|skos:inScheme)[^{}]*skos:(broader|narrower)[+*]/)
    expect(text).not.toMatch(/NOT EXISTS\s*\{[^}]*[+*]\s/)
  })
})

describeEveryTemplate(['embedded'])

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
