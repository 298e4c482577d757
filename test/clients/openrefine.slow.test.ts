/**
 * The requests of OpenRefine 3.10 to a reconciliation service, step by step, as its code sends them: from the browser
 * with jQuery, from the server as a form.
 */
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { CRAFTS, type Answer, type RunningApp } from '../app.ts'
import { startDemo } from '../doors/demo/demo.ts'
import { expectValid } from '../doors/reconcile/schemas.ts'
import { runOver } from '../run-over.ts'
import { describeOver, EMBEDDED } from '../stores.ts'
import { tried } from './tried.ts'

const CONCEPT = 'http://www.w3.org/2004/02/skos/core#Concept'
const SERVICE = '/voc/crafts/reconcile'
const BOOKBINDING = `${CRAFTS}bookbinding`

/** The browser: another origin. */
const BROWSER = {
  headers: { accept: 'application/json', 'accept-language': 'en-GB,en;q=0.9', origin: 'http://127.0.0.1:3333' },
}

/** The server: one field of a form. */
const posted = (name: string, value: object): RequestInit => ({
  method: 'POST',
  headers: {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'user-agent': 'OpenRefine/3.10',
    accept: '*/*',
  },
  body: `${name}=${encodeURIComponent(JSON.stringify(value)).replaceAll('%20', '+')}`,
})

const query = (text: string, more: object = {}) => ({
  query: text,
  type: CONCEPT,
  type_strict: 'should',
  limit: 3,
  ...more,
})
const bestCandidates = (body: Record<string, { result: { id: string; match: boolean }[] }>) =>
  Object.fromEntries(
    Object.entries(body).map(([name, { result }]) => [name, [result[0]?.id, result[0]?.match ?? false]]),
  )
/** The script that is sent for JSONP, run as a browser does. */
function called(name: string, { headers, text }: Answer): unknown {
  expect(headers.get('content-type')).toMatch(/^text\/javascript\b/)
  let argument = ''
  runInNewContext(text, { [name]: (value: unknown) => (argument = JSON.stringify(value)) })
  return JSON.parse(argument)
}

interface Step {
  step: string
  request: [path: string, init?: RequestInit]
  /** Of 0.2, for the answer. */
  schema?: string
  check: (answer: Answer) => void
}

const JSONP = 'jQuery36005_171'
const ROWS = { q0: query('Bookbinding'), q1: query('Bokbinding'), q2: query('Xyzzy'), q3: query('Weaving') }

const STEPS: readonly Step[] = [
  {
    step: 'adding the service',
    request: [SERVICE, BROWSER],
    schema: 'manifest',
    check: ({ headers, body }) => {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      for (const field of ['name', 'identifierSpace', 'schemaSpace', 'defaultTypes', 'view', 'preview', 'extend'])
        expect(body).toHaveProperty(field)
    },
  },
  {
    step: 'adding the service by JSONP',
    request: [`${SERVICE}?callback=${JSONP}&_=1790000000000`],
    check: (answer) => expectValid('0.2', 'manifest', called(JSONP, answer)),
  },
  {
    step: 'reconciling ten rows',
    request: [SERVICE, posted('queries', ROWS)],
    schema: 'reconciliation-result-batch',
    check: ({ body }) =>
      expect(bestCandidates(body)).toEqual({
        q0: [BOOKBINDING, true],
        q1: [BOOKBINDING, false],
        q2: [undefined, false],
        q3: [`${CRAFTS}weaving`, true],
      }),
  },
  {
    step: 'reconciling with a second column',
    request: [
      SERVICE,
      posted('queries', {
        q0: query('Bookbinding', { properties: [{ pid: 'notation', v: 'B1' }] }),
        q1: query('Bookbinding', { properties: [{ pid: 'broader', v: { id: `${CRAFTS}textiles`, name: 'x' } }] }),
      }),
    ],
    schema: 'reconciliation-result-batch',
    check: ({ body }) => {
      expect(body.q0.result[0]).toMatchObject({ id: BOOKBINDING, match: true })
      expect(body.q1.result.map(({ id }: { id: string }) => id)).not.toContain(BOOKBINDING)
    },
  },
  {
    step: 'an error in one cell',
    request: [SERVICE, posted('queries', { q0: query('Weaving'), q1: query('x', { limit: -1 }) })],
    schema: 'reconciliation-result-batch',
    check: ({ body }) => {
      expect(body.q0.result).not.toEqual([])
      expect(body.q1.error).toMatch(/^q1: limit: expected a whole number/)
    },
  },
  {
    step: 'guessing the type',
    request: [
      SERVICE,
      posted('queries', { q0: { query: 'Bookbinding', limit: 3 }, q1: { query: 'Weaving', limit: 3 } }),
    ],
    schema: 'reconciliation-result-batch',
    check: ({ body }) => expect(body.q0.result[0].type).toContainEqual({ id: CONCEPT, name: 'Concept' }),
  },
  {
    step: 'searching for a match by hand',
    request: [`${SERVICE}/suggest/entity?prefix=Bookb`, BROWSER],
    schema: 'suggest-entities-response',
    check: ({ body }) => expect(body.result[0]).toMatchObject({ id: BOOKBINDING }),
  },
  {
    step: 'the same by JSONP',
    request: [`${SERVICE}/suggest/entity?callback=${JSONP}&prefix=Bookb&_=1790000000000`],
    check: (answer) => expectValid('0.2', 'suggest-entities-response', called(JSONP, answer)),
  },
  {
    step: 'choosing another type',
    request: [`${SERVICE}/suggest/type?prefix=con`, BROWSER],
    schema: 'suggest-types-response',
    check: ({ body }) => expect(body.result).toContainEqual({ id: CONCEPT, name: 'Concept' }),
  },
  {
    step: 'choosing a property for a column',
    request: [`${SERVICE}/suggest/property?prefix=not`, BROWSER],
    schema: 'suggest-properties-response',
    check: ({ body }) => expect(body.result[0]).toMatchObject({ id: 'notation' }),
  },
  {
    step: 'pointing at a candidate',
    request: [`${SERVICE}/flyout/entity?id=${encodeURIComponent(BOOKBINDING)}`, BROWSER],
    check: ({ body }) => {
      expect(body.id).toBe(BOOKBINDING)
      expect(body.html).toContain('Bookbinding')
    },
  },
  {
    step: 'the preview in a frame',
    request: [
      `${SERVICE}/preview?id=${encodeURIComponent(BOOKBINDING)}`,
      { headers: { ...BROWSER.headers, accept: 'text/html,*/*;q=0.8' } },
    ],
    check: ({ headers, text }) => {
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('x-frame-options')).toBe(null)
      expect(headers.get('content-security-policy')).not.toContain('frame-ancestors')
      expect(text).toContain('Bookbinding')
    },
  },
  {
    step: 'the page of a match',
    request: [
      `/concept?uri=${encodeURIComponent(BOOKBINDING)}`,
      { headers: { ...BROWSER.headers, accept: 'text/html,*/*;q=0.8' } },
    ],
    check: ({ text }) => expect(text).toContain('Bookbinding'),
  },
  {
    step: 'properties for new columns',
    request: [`${SERVICE}/extend/propose?type=${encodeURIComponent(CONCEPT)}&limit=`, BROWSER],
    schema: 'data-extension-property-proposal',
    check: ({ body }) =>
      expect(body.properties.map(({ id }: { id: string }) => id)).toEqual(
        expect.arrayContaining(['prefLabel', 'prefLabel@en', 'altLabel', 'notation', 'broader', 'exactMatch']),
      ),
  },
  {
    step: 'adding columns',
    request: [
      SERVICE,
      posted('extend', {
        ids: [BOOKBINDING, `${CRAFTS}weaving`],
        properties: [
          { id: 'prefLabel@en', settings: {} },
          { id: 'broader', settings: { limit: '1' } },
        ],
      }),
    ],
    schema: 'data-extension-response',
    check: ({ body }) => {
      expect(body.rows[BOOKBINDING]['prefLabel@en']).toEqual([{ str: 'Bookbinding' }])
      expect(body.rows[BOOKBINDING].broader).toEqual([
        { id: `${CRAFTS}book-and-paper`, name: expect.stringMatching(/./) as unknown },
      ])
    },
  },
]

describeOver(EMBEDDED, tried('OpenRefine'), (store) => {
  let app: RunningApp

  runOver(store, async (endpoint) => (app = await startDemo(endpoint)))

  test.each(STEPS)('$step', async ({ request: [path, init], schema, check }) => {
    const answer = await app.get(path, init)
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    if (schema) expectValid('0.2', schema, answer.body)
    check(answer)
  })

  test('the addresses that the manifest names are those that are asked', async () => {
    const { body } = await app.get(SERVICE)
    const service = `${app.config.baseUrl}voc/crafts/reconcile`
    const { entity, property, type } = body.suggest
    expect([entity, property, type].map((preview) => preview.service_url + preview.service_path)).toEqual(
      ['entity', 'property', 'type'].map((kind) => `${service}/suggest/${kind}`),
    )
    expect(entity.flyout_service_url + entity.flyout_service_path).toBe(`${service}/flyout/entity?id=\${id}`)
    expect(body.preview.url).toBe(`${service}/preview?id={{id}}`)
    expect(body.view.url).toBe(`${app.config.baseUrl}concept?uri={{id}}`)
    const { service_url: url, service_path: path } = body.extend.propose_properties
    expect(url + path).toBe(`${service}/extend/propose`)
  })
})
