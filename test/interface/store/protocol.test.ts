import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CHANGED_GRAPH } from '../../../src/graph/sparql/client.ts'
import { listen } from '../../process.ts'
import { type StartedStore, authorization, cleanUp, startStore } from './start.ts'

const JSON_RESULTS = 'application/sparql-results+json'
const FORM = 'application/x-www-form-urlencoded'

let store: StartedStore
/** A server that must never be asked for anything. */
const elsewhere = createServer((_request, response) => {
  visits++
  response.setHeader('Content-Type', 'text/turtle')
  response.end('<urn:from> <urn:else> <urn:where> .')
})
let elsewhereUrl: string
let visits = 0

describe('the SPARQL Protocol over the embedded store', () => {
  beforeAll(async () => {
    store = await startStore()
    const statements = '<urn:s> <urn:p> "one"@de-AT, "eins\\n\\"1\\"" ; <urn:q> <urn:ö>'
    await store.client.update(`INSERT DATA { GRAPH <urn:g1> { ${statements} } }`, 'urn:g1')
    await store.client.putGraph('urn:g2', '<urn:s> <urn:p> "two" .')
    elsewhereUrl = `${await listen(elsewhere)}/data`
  })

  afterAll(async () => {
    await cleanUp()
    elsewhere.close()
  })

  const SELECT = 'SELECT ?o WHERE { <urn:s> <urn:p> ?o } ORDER BY ?o'

  /** GET with these parameters; a Content-Type of the answer is cut at its parameters. */
  async function get(url: string, parameters: Record<string, string> | string, accept?: string) {
    const search = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString()
    const response = await fetch(`${url}?${search}`, { headers: accept ? { accept } : {} })
    return read(response)
  }

  async function post(url: string, contentType: string, body: string, headers: Record<string, string> = {}) {
    const all = { ...headers, 'content-type': contentType }
    return read(await fetch(url, { method: 'POST', headers: all, body }))
  }

  async function read(response: Response) {
    const text = await response.text()
    const type = response.headers.get('content-type')?.split(';')[0]
    return { status: response.status, type, text, headers: response.headers }
  }

  describe.each(['public', 'private'])('a query of the %s endpoint', (which) => {
    const url = () => (which === 'public' ? store.publicUrl : store.endpoint.queryUrl)

    test('comes by GET, by POST of a form, or by POST of itself', async () => {
      for (const answer of [
        await get(url(), { query: SELECT }),
        await post(url(), FORM, new URLSearchParams({ query: SELECT }).toString()),
        await post(url(), `${FORM}; charset=UTF-8`, `query=${encodeURIComponent(SELECT)}&unknown=1`),
        await post(url(), 'application/sparql-query', SELECT),
      ]) {
        expect(answer).toMatchObject({ status: 200, type: JSON_RESULTS })
        expect(JSON.parse(answer.text).results.bindings.map((row: never) => row['o']['value'])).toEqual([
          'eins\n"1"',
          'one',
          'two',
        ])
        expect(answer.headers.get('vary')).toContain('Accept')
      }
    })

    test('answers HEAD without a body', async () => {
      const search = new URLSearchParams({ query: SELECT }).toString()
      const response = await fetch(`${url()}?${search}`, { method: 'HEAD' })
      expect(response.status).toBe(200)
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100)
      expect(await response.text()).toBe('')
    })

    test.each([
      [SELECT, undefined, JSON_RESULTS, '{"head"'],
      [SELECT, '*/*', JSON_RESULTS, '{"head"'],
      [SELECT, 'application/json', 'application/json', '{"head"'],
      [SELECT, 'text/html', JSON_RESULTS, '{"head"'],
      [SELECT, 'application/sparql-results+xml', 'application/sparql-results+xml', '<?xml'],
      [SELECT, 'text/html, application/xml;q=0.9, */*;q=0.1', 'application/xml', '<?xml'],
      [SELECT, 'text/csv', 'text/csv', 'o\r\n'],
      [SELECT, 'text/csv;q=0.2, text/tab-separated-values', 'text/tab-separated-values', '?o\n'],
      [SELECT, 'text/csv; charset=utf-8; header=present', 'text/csv', 'o\r\n'],
      ['ASK { <urn:s> ?p ?o }', undefined, JSON_RESULTS, '{"head":{},"boolean":true}'],
      ['ASK { <urn:x> ?p ?o }', 'application/sparql-results+xml', 'application/sparql-results+xml', '<?xml'],
      ['ASK { <urn:x> ?p ?o }', 'text/csv', 'text/csv', 'false'],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', undefined, 'text/turtle', '<urn:s> <urn:q> <urn:ö> .\n'],
      ['DESCRIBE <urn:s>', 'application/n-triples', 'application/n-triples', '<urn:s> <urn:'],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', 'text/plain', 'text/plain', '<urn:s> <urn:q> <urn:ö> .\n'],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', 'application/rdf+xml', 'application/rdf+xml', '<?xml'],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', 'application/ld+json', 'application/ld+json', '[{"@id":"urn:s"'],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', 'application/json', 'application/json', '[{"@id":"urn:s"'],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', 'application/trig', 'application/trig', '<urn:s> <urn:q> <urn:ö> .\n'],
      [
        'CONSTRUCT WHERE { ?s <urn:q> ?o }',
        'application/n-quads',
        'application/n-quads',
        '<urn:s> <urn:q> <urn:ö> .\n',
      ],
      ['CONSTRUCT WHERE { ?s <urn:q> ?o }', 'text/csv', 'text/turtle', '<urn:s>'],
    ])('%s with Accept %s is answered as %s', async (query, accept, type, beginning) => {
      const answer = await get(url(), { query }, accept)
      expect(answer).toMatchObject({ status: 200, type })
      expect(answer.text.slice(0, beginning.length)).toBe(beginning)
    })

    test.each([
      ['csv', 'text/csv'],
      ['pdf', 'application/sparql-results+xml'],
      ['__proto__', 'application/sparql-results+xml'],
    ])('with format=%s is answered as %s', async (format, type) => {
      const answer = await get(url(), { query: SELECT, format }, 'application/sparql-results+xml')
      expect(answer).toMatchObject({ status: 200, type })
    })

    test('takes format from the address beside a form, and rather from the form', async () => {
      const asked = (form: Record<string, string>) =>
        post(`${url()}?format=csv`, FORM, new URLSearchParams({ query: SELECT, ...form }).toString())
      expect(await asked({})).toMatchObject({ status: 200, type: 'text/csv' })
      expect(await asked({ format: 'tsv' })).toMatchObject({ status: 200, type: 'text/tab-separated-values' })
    })

    test('gives each triple of a CONSTRUCT once', async () => {
      const { text } = await get(url(), { query: 'CONSTRUCT { ?s a <urn:C> } WHERE { ?s ?p ?o }' })
      expect(text).toBe('<urn:s> a <urn:C> .\n')
    })

    describe('sees a dataset', () => {
      const query =
        'SELECT ?g ?o WHERE { { <urn:s> <urn:p> ?o } UNION { GRAPH ?g { <urn:s> <urn:p> ?o } } } ORDER BY ?g ?o'
      const q = encodeURIComponent(query)
      /** The solutions in which ?g is unbound. */
      const union = undefined
      const [a, b, two] = ['eins\n"1"', 'one', 'two']
      const withFrom = (from: string) => `query=${encodeURIComponent(query.replace('WHERE', `${from} WHERE`))}`
      test.each<[string, string, (string | undefined)[][]]>([
        [
          'that is the union of all graphs',
          `query=${q}`,
          [
            [union, a],
            [union, b],
            [union, two],
            ['1', a],
            ['1', b],
            ['2', two],
          ],
        ],
        [
          'of FROM alone',
          withFrom('FROM <urn:g1>'),
          [
            [union, a],
            [union, b],
          ],
        ],
        ['of FROM NAMED alone', withFrom('FROM NAMED <urn:g2>'), [['2', two]]],
        [
          'of both',
          withFrom('FROM <urn:g1> FROM NAMED <urn:g2>'),
          [
            [union, a],
            [union, b],
            ['2', two],
          ],
        ],
        [
          'of two default graphs',
          withFrom('FROM <urn:g1> FROM <urn:g2>'),
          [
            [union, a],
            [union, b],
            [union, two],
          ],
        ],
        ['of default-graph-uri', `query=${q}&default-graph-uri=urn:g2`, [[union, two]]],
        ['of named-graph-uri', `query=${q}&named-graph-uri=urn:g2`, [['2', two]]],
        [
          'of several parameters',
          `query=${q}&default-graph-uri=urn:g1&default-graph-uri=urn:g2&named-graph-uri=urn:g2`,
          [
            [union, a],
            [union, b],
            [union, two],
            ['2', two],
          ],
        ],
        [
          'of the request before that of the query',
          `${withFrom('FROM <urn:g1>')}&default-graph-uri=urn:g2`,
          [[union, two]],
        ],
        [
          'without anything, where the graphs do not exist',
          `query=${q}&default-graph-uri=${encodeURIComponent('http://127.0.0.1:1/')}`,
          [],
        ],
        [
          'as ever with empty parameters',
          `query=${q}&default-graph-uri=&named-graph-uri=`,
          [
            [union, a],
            [union, b],
            [union, two],
            ['1', a],
            ['1', b],
            ['2', two],
          ],
        ],
      ])('%s', async (_title, search, expected) => {
        const rows = ({ text }: { text: string }) =>
          JSON.parse(text).results.bindings.map((row: Record<string, { value: string } | undefined>) => [
            row['g']?.value.replace('urn:g', ''),
            row['o']!.value,
          ])
        expect(rows(await get(url(), search))).toEqual(expected)
        expect(rows(await post(url(), FORM, search))).toEqual(expected)
        const { query: text, ...rest } = Object.fromEntries(new URLSearchParams(search))
        if (Object.keys(rest).length === new URLSearchParams(search).size - 1) {
          const direct = await post(
            `${url()}?${new URLSearchParams(rest).toString()}`,
            'application/sparql-query',
            text!,
          )
          expect(rows(direct)).toEqual(expected)
        }
      })
    })

    test.each<
      [string, () => Promise<{ status: number; text: string; type: string | undefined }>, number, string, RegExp]
    >([
      ['no query', () => get(url(), ''), 400, 'MalformedRequestError', /^query: expected exactly once, got none$/],
      ['an empty query', () => get(url(), 'query='), 400, 'MalformedRequestError', /^query: expected exactly once/],
      ['two queries', () => get(url(), 'query=ASK{}&query=ASK{}'), 400, 'MalformedRequestError', /^query: .*got 2$/],
      [
        'a syntax error',
        () => get(url(), { query: 'SELECT * {\n ?s ?p }' }),
        400,
        'MalformedRequestError',
        /^query: syntax error at line 2, column 9: expected/,
      ],
      [
        'a relative IRI',
        () => get(url(), { query: 'ASK { <a> ?p ?o }' }),
        400,
        'MalformedRequestError',
        /^query: syntax error at line 1/,
      ],
      [
        'nothing SPARQL knows',
        () => get(url(), { query: '\u0000' }),
        400,
        'MalformedRequestError',
        /^query: syntax error at line 1, column 2$/,
      ],
      [
        'a bad graph',
        () => get(url(), 'query=ASK{}&default-graph-uri=g1'),
        400,
        'MalformedRequestError',
        /^default-graph-uri: /,
      ],
      [
        'a bad named graph',
        () => get(url(), 'query=ASK{}&named-graph-uri=a b'),
        400,
        'MalformedRequestError',
        /^named-graph-uri: /,
      ],
      [
        'bad percent-encoding',
        () => get(url(), 'query=ASK%7B%7D%E4'),
        400,
        'MalformedRequestError',
        /percent-encoded UTF-8/,
      ],
      [
        'a body that is not UTF-8',
        async () =>
          read(
            await fetch(url(), {
              method: 'POST',
              headers: { 'content-type': 'application/sparql-query' },
              body: Buffer.from([0x41, 0xff]),
            }),
          ),
        400,
        'MalformedRequestError',
        /^body: expected UTF-8$/,
      ],
      [
        'another Content-Type',
        () => post(url(), 'application/json', '{}'),
        400,
        'MalformedRequestError',
        /^Content-Type: expected /,
      ],
      [
        'an update for a query',
        () => get(url(), { query: 'DROP ALL' }),
        400,
        'MalformedRequestError',
        /^query: syntax error/,
      ],
      ['an update', () => post(url(), FORM, 'update=DROP+ALL'), 403, 'ForbiddenAccessError', /^update: /],
      ['an update by GET', () => get(url(), { update: 'DROP ALL' }), 403, 'ForbiddenAccessError', /^update: /],
      [
        'an update as a body',
        () => post(url(), 'application/sparql-update', 'DROP ALL'),
        403,
        'ForbiddenAccessError',
        /^update: /,
      ],
      [
        'another method',
        async () => read(await fetch(url(), { method: 'DELETE' })),
        405,
        'MethodNotAllowedError',
        /^DELETE: expected GET, HEAD, POST/,
      ],
      [
        'a service',
        () => get(url(), { query: `SELECT * { SERVICE <${elsewhereUrl}> { ?s ?p ?o } }` }),
        400,
        'MalformedRequestError',
        /SERVICE is not available/,
      ],
    ])('is refused with %s', async (_title, send, status, error, message) => {
      const answer = await send()
      expect(answer).toMatchObject({ status, type: 'application/json' })
      expect(JSON.parse(answer.text)).toEqual({ error, status, message: expect.stringMatching(message) })
      // The data is as it was.
      expect((await get(url(), { query: SELECT })).text).toContain('two')
    })
  })

  test('the public endpoint refuses a query longer than a megabyte, the private one does not', async () => {
    const query = `ASK { VALUES ?x { ${'<urn:x> '.repeat(200_000)} } }`
    expect((await post(store.publicUrl, 'application/sparql-query', query)).status).toBe(413)
    expect((await post(store.endpoint.queryUrl, 'application/sparql-query', query)).status).toBe(200)
  })

  describe('an update', () => {
    const update = 'INSERT DATA { GRAPH <urn:u> { <urn:s> <urn:u> 1 } }'
    const send = (
      contentType: string,
      body: string,
      headers: Record<string, string> = { ...authorization(store), [CHANGED_GRAPH]: 'urn:u' },
    ) => post(store.endpoint.updateUrl, contentType, body, headers)

    test('comes by POST of a form or of itself', async () => {
      expect((await send(FORM, new URLSearchParams({ update }).toString())).status).toBe(204)
      expect((await send('application/sparql-update', update.replace('1', '2'))).status).toBe(204)
      expect(await store.client.select('SELECT * { GRAPH <urn:u> { ?s ?p ?o } }')).toHaveLength(2)
    })

    test.each<[string, string, string, number, RegExp]>([
      [
        'a syntax error',
        'application/sparql-update',
        'INSERT DATA { GRAPH <urn:u>\n { <urn:s> } }',
        400,
        /^update: syntax error at line 2, column \d+/,
      ],
      ['no update', FORM, 'query=ASK{}', 400, /^update: expected exactly once, got none/],
      ['a query', 'application/sparql-update', 'ASK {}', 400, /^update: syntax error/],
      ['another Content-Type', 'text/plain', update, 400, /^Content-Type: /],
    ])('is refused with %s', async (_title, contentType, body, status, message) => {
      const answer = await send(contentType, body)
      expect(answer.status).toBe(status)
      expect(JSON.parse(answer.text).message).toMatch(message)
    })

    test.each([
      {},
      { [CHANGED_GRAPH]: '' },
      { [CHANGED_GRAPH]: 'g' },
      { [CHANGED_GRAPH]: '%E4' },
      { [CHANGED_GRAPH]: 'a:b>' },
    ])('is refused if it does not say what graph it changes: %j', async (headers) => {
      const answer = await send('application/sparql-update', update, { ...authorization(store), ...headers })
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.text).message).toMatch(/^Changed-Graph: expected an absolute IRI/)
    })

    test('drops its graph, and others with it', async () => {
      for (const graph of ['urn:ü/1', 'urn:ü/2']) await store.client.putGraph(graph, '<urn:s> <urn:dropped> "1" .')
      await store.client.update('DROP GRAPH <urn:ü/1> ; DROP SILENT GRAPH <urn:ü/2>', 'urn:ü/1')
      expect(await store.client.ask('ASK { ?s <urn:dropped> ?o }')).toBe(false)
    })

    test('that drops another graph than its own is refused as a whole', async () => {
      const answer = await send(
        'application/sparql-update',
        'DROP GRAPH <urn:g2> ; INSERT DATA { GRAPH <urn:u> { <urn:s> <urn:u> 3 } }',
      )
      expect(answer.status).toBe(502)
      expect(await store.client.select(SELECT)).toHaveLength(3)
      expect(await store.client.ask('ASK { ?s <urn:u> 3 }')).toBe(false)
    })

    test('is one transaction, and LOAD fetches nothing', async () => {
      const answer = await send(
        'application/sparql-update',
        `INSERT DATA { GRAPH <urn:u> { <urn:half> <urn:p> 1 } } ; LOAD <${elsewhereUrl}>`,
      )
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.text).message).toMatch(/LOAD is not available/)
      expect(await store.client.ask('ASK { <urn:half> ?p ?o }')).toBe(false)
    })

    test('needs user and password, and so does the graph store; queries need their secret address', async () => {
      const wrong = { authorization: `Basic ${Buffer.from(`${store.endpoint.user}:wrong`).toString('base64')}` }
      for (const headers of [{}, wrong, { authorization: 'Bearer x' }]) {
        const answers = [
          await send('application/sparql-update', 'DROP ALL', headers),
          await read(
            await fetch(`${store.endpoint.graphStoreUrl}?graph=urn:g1`, { headers: headers as Record<string, string> }),
          ),
          await read(
            await fetch(`${store.endpoint.graphStoreUrl}?graph=urn:g1`, {
              method: 'DELETE',
              headers: headers as Record<string, string>,
            }),
          ),
        ]
        for (const { status, text, headers } of answers) {
          expect(status).toBe(401)
          expect(headers.get('www-authenticate')).toMatch(/^Basic /)
          expect(JSON.parse(text).error).toBe('UnauthorizedError')
        }
      }
      expect(await store.client.select(SELECT)).toHaveLength(3)
      const { queryUrl } = store.endpoint
      const secret = new URL(queryUrl).pathname.split('/').at(-1)!
      expect(secret.length).toBeGreaterThanOrEqual(32)
      for (const guess of ['', secret.slice(1), secret.toLowerCase(), `${secret}A`]) {
        const { status } = await get(queryUrl.replace(secret, guess), { query: 'ASK {}' })
        expect(status).toBe(404)
      }
    })
  })

  test('nothing is fetched from elsewhere, whatever a query or an update says', async () => {
    const queries = [
      `SELECT * { SERVICE <${elsewhereUrl}> { ?s ?p ?o } }`,
      `SELECT * { SERVICE SILENT <${elsewhereUrl}> { ?s ?p ?o } }`,
      `SELECT * { BIND(<${elsewhereUrl}> AS ?e) SERVICE SILENT ?e { ?s ?p ?o } }`,
      `SELECT * FROM <${elsewhereUrl}> { ?s ?p ?o }`,
      `SELECT * FROM NAMED <${elsewhereUrl}> { GRAPH ?g { ?s ?p ?o } }`,
      `DESCRIBE <${elsewhereUrl}>`,
    ]
    for (const url of [store.publicUrl, store.endpoint.queryUrl]) {
      for (const query of queries) {
        const { text } = await get(url, { query })
        expect(text).not.toContain('urn:where')
        await get(url, { query: 'SELECT * { ?s ?p ?o }', 'default-graph-uri': elsewhereUrl })
      }
    }
    for (const update of [
      `LOAD <${elsewhereUrl}>`,
      `LOAD SILENT <${elsewhereUrl}> INTO GRAPH <urn:l>`,
      `INSERT { GRAPH <urn:l> { ?s ?p ?o } } WHERE { SERVICE SILENT <${elsewhereUrl}> { ?s ?p ?o } }`,
      `INSERT { GRAPH <urn:l> { ?s ?p ?o } } USING <${elsewhereUrl}> WHERE { ?s ?p ?o }`,
    ]) {
      const headers = { ...authorization(store), [CHANGED_GRAPH]: 'urn:l' }
      await post(store.endpoint.updateUrl, 'application/sparql-update', update, headers)
    }
    expect(await store.client.select('SELECT * { GRAPH <urn:l> { ?s ?p ?o } }')).toEqual([])
    expect(visits).toBe(0)
    // The listener does count.
    await (await fetch(elsewhereUrl)).text()
    expect(visits).toBe(1)
  })

  test('the private listener answers to its loopback address only', async () => {
    const { port } = new URL(store.endpoint.queryUrl)
    const { request } = await import('node:http')
    const status = await new Promise((resolve) => {
      request({ port, path: '/query?query=ASK%7B%7D', headers: { host: `evil.example:${port}` } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).end()
    })
    expect(status).toBe(403)
  })
})
