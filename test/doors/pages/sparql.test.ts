/** /sparql: the SPARQL Protocol for programs, an editor for people. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { cleanUp, startStore } from '../../interface/store/start.ts'
import { expectPage, HTML } from './html.ts'

const SELECT = `PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
  SELECT ?c ?label WHERE { ?c skos:inScheme <${CRAFTS}> ; skos:prefLabel ?label } ORDER BY ?c LIMIT 3`
const BROWSER = HTML.headers.accept

describe('/sparql over the embedded store', () => {
  let app: RunningApp
  beforeAll(async () => {
    const store = await startStore()
    app = await startApp(store.endpoint, {}, { sparql: store.publicQuery, askSparql: store.askPublicly })
    await putDemo(app)
  })
  afterAll(async () => {
    await app?.close()
    await cleanUp()
  })

  const at = (parameters: Record<string, string>) => `/sparql?${new URLSearchParams(parameters).toString()}`
  const page = (parameters: Record<string, string>) => app.get(at(parameters), HTML)

  test.each([
    ['text/html', {}, 200, 'text/html; charset=utf-8'],
    [BROWSER, {}, 200, 'text/html; charset=utf-8'],
    [BROWSER, { query: SELECT, view: 'table' }, 200, 'text/html; charset=utf-8'],
    // Everybody else has the SPARQL 1.1 Protocol.
    ['*/*', {}, 400, 'application/json; charset=utf-8'],
    ['application/sparql-results+json, text/html;q=0.9', {}, 400, 'application/json; charset=utf-8'],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', { query: SELECT }, 200, 'application/sparql-results+json'],
    [BROWSER, { query: SELECT }, 200, 'application/xml'],
    [BROWSER, { query: SELECT, format: 'csv' }, 200, 'text/csv; charset=utf-8'],
    ['*/*', { query: SELECT, format: 'application/sparql-results+json' }, 200, 'application/sparql-results+json'],
    ['*/*', { query: SELECT, view: 'table' }, 200, 'application/sparql-results+json'],
    ['text/csv', { query: SELECT, format: 'json' }, 200, 'application/json'],
    [BROWSER, { update: 'CLEAR ALL' }, 403, 'application/json; charset=utf-8'],
  ])('Accept: %s with %j is %i, %s', async (accept, parameters, status, type) => {
    const answer = await app.get(at(parameters), { headers: { accept } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type])
    if (status === 200) expect(answer.headers.get('vary')).toMatch(/\bAccept\b(?!-)/)
  })

  test.each([
    ['SELECT', SELECT, ['3 rows', '<th scope="col">label</th>', `./entity?uri=${CRAFTS}`, 'format=csv']],
    ['nothing', 'SELECT * WHERE { <urn:none> ?p ?o }', ['0 rows']],
    ['ASK', 'ASK { ?s ?p ?o }', ['Yes', 'format=json']],
    ['CONSTRUCT', 'CONSTRUCT { <urn:a> <urn:b> "<b>" } WHERE {}', ['&lt;urn:a>', '&lt;b>', 'format=turtle']],
    [
      'text that looks like HTML',
      'SELECT ("<img src=x>" AS ?x) (<javascript:alert(1)> AS ?y) WHERE {}',
      ['&lt;img src=x>'],
    ],
  ])('%s is shown as a table or a text', async (_, query, expected) => {
    const answer = await page({ query, view: 'table', lang: 'en' })
    await expectPage(answer)
    for (const text of expected) expect(answer.text.replaceAll('&gt;', '>')).toContain(text)
    expect(answer.text).not.toMatch(/<img|href="javascript:/)
  })

  test('shows the error beside the query', async () => {
    const answer = await page({ query: 'SELECT <', view: 'table', lang: 'de' })
    await expectPage(answer, 400)
    expect(answer.text).toContain('Die Abfrage ist fehlgeschlagen')
    expect(answer.text).toContain('>SELECT &lt;</textarea>')
  })

  test('answers are made anew', async () => {
    const [first, second] = [
      await page({ query: 'SELECT (UUID() AS ?x) WHERE {}', view: 'table' }),
      await page({ query: 'SELECT (UUID() AS ?x) WHERE {}', view: 'table' }),
    ]
    expect(first.text).not.toBe(second.text)
  })

  test('every example runs', async () => {
    const { text } = await page({ lang: 'en' })
    const names = [...text.matchAll(/href="\.\/sparql\?example=([^&"]*)/g)].map(([, name]) => decodeURIComponent(name!))
    expect(names.length).toBeGreaterThan(10)
    for (const example of names) {
      const [, query] = /<textarea[^>]*>([^]*?)<\/textarea>/.exec((await page({ example })).text)!
      const plain = query!
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&')
      const answer = await app.get(at({ query: plain }))
      expect([example, answer.status]).toEqual([example, 200])
      expect(answer.text).not.toMatch(/"bindings":\[\]|^$/)
    }
  })
})

describe('/sparql over another store', () => {
  const nobody = 'http://127.0.0.1:9/'
  const endpoint = { queryUrl: nobody, updateUrl: nobody, graphStoreUrl: nobody }

  test('is the way to its public address', async () => {
    const app = await startApp(endpoint, { SPARQL_PUBLIC_URL: 'https://sparql.example.org/query' })
    const answer = await app.get('/sparql', HTML)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('action="https://sparql.example.org/query"')
    expect(answer.text).not.toContain('name="view"')
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self' https://sparql.example.org;")
    expect((await app.get('/sparql')).status).toBe(404)
    await app.close()
  })

  test('is nothing without one', async () => {
    const app = await startApp(endpoint)
    expect((await app.get('/sparql', HTML)).status).toBe(404)
    expect((await app.get('/about', HTML)).text).not.toContain('SPARQL')
    await app.close()
  })
})
