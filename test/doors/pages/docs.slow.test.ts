import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CRAFTS, startApp, type RunningApp } from '../../app.ts'
import { testLong } from '../../long.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML, linksOf } from './html.ts'

/** No server listens here. */
const NO_STORE = 'http://127.0.0.1:9/'

describe('The description of the interface without a store', () => {
  let app: RunningApp
  beforeAll(async () => {
    const endpoint = { queryUrl: NO_STORE, updateUrl: NO_STORE, graphStoreUrl: NO_STORE }
    app = await startApp(endpoint, { BASE_URL: 'https://example.org/vocabularies' })
  })
  afterAll(async () => {
    await app?.close()
  })

  test.each(['/docs', '/docs/', '/docs?lang=de'])(
    '%s needs nothing from elsewhere, and lets nothing in',
    async (path) => {
      const page = await app.get(path, HTML)
      expect(page.text.replaceAll('https://example.org/vocabularies', '')).not.toMatch(/(src|action)="(https?:)?\/\//)
      expect(page.text).not.toMatch(/<script>|\son\w+=/)
      for (const link of linksOf(page, app.url + path).filter((address) => address.includes('/assets/'))) {
        expect((await fetch(link)).status).toBe(200)
      }
      const etag = page.headers.get('etag')!
      expect((await app.get(path, { headers: { ...HTML.headers, 'if-none-match': etag } })).status).toBe(304)
    },
  )

  test('every operation of the OpenAPI document is there, whatever is accepted', async () => {
    const { text, headers } = await app.get('/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const { body: document } = await app.get('/openapi.json')
    const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(Object.values)
    const ids = [...text.matchAll(/<section class="operation" id="([^"]*)"/g)].map(([, id]) => id!)
    expect(ids.filter((id) => !id.startsWith('schema-')).sort()).toEqual(
      operations.map(({ operationId }) => operationId).sort(),
    )
    expect(ids.filter((id) => id.startsWith('schema-')).length).toBe(Object.keys(document.components.schemas).length)
    expect(document.servers).toEqual([{ url: 'https://example.org/vocabularies' }])
  })

  test.each(['/docs/none.js', '/docs/../package.json', '/docs/%2e%2e/package.json', '/Docs'])(
    '%s: 404',
    async (path) => {
      expect((await app.get(path)).status).toBe(404)
    },
  )

  test.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
  ])('/ with Accept: %s is %s', async (accept, type) => {
    const answer = await app.get('/', { headers: { accept } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('vary')).toContain('Accept')
    if (answer.body) expect(answer.body.vocabularies).toBe('https://example.org/vocabularies/voc')
  })
})

describeOver(EMBEDDED, 'The examples of the interface', (store) => {
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  testLong('stand on a page that is valid', async () => {
    await expectPage(await app.get('/docs?lang=de', { headers: { ...HTML.headers, connection: 'close' } }))
  })

  test('are of a vocabulary that is there', async () => {
    const stones = 'http://example.org/stones'
    expect((await app.get('/docs', HTML)).text).toContain(CRAFTS)
    await app.put(
      stones,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${stones}> a skos:ConceptScheme ; skos:notation "stones" ; skos:prefLabel "Stones"@en .
      <${stones}/1> a skos:Concept ; skos:inScheme <${stones}> ; skos:topConceptOf <${stones}> ; skos:prefLabel "Granite"@en .`,
    )
    const { text } = await app.get('/docs?lang=en', HTML)
    const examples = [...text.matchAll(/<p class="example">.*?href="\.([^"]*)"/g)].map(([, link]) =>
      link!.replaceAll('&amp;', '&'),
    )
    expect(examples).toEqual(
      expect.arrayContaining([
        `/narrower?uri=${stones}/1`,
        '/voc/stones/top',
        '/search?search=Grani',
        `/voc/top?uri=${stones}`,
      ]),
    )
    for (const example of examples) expect([example, (await app.get(example)).status]).toEqual([example, 200])
    expect(text).toContain('For example <code>stones</code>')
    expect(text).not.toMatch(/For example <code>(crafts|buchb|[^<]*crafts\/(bookbinding)?)<\/code>/)
    const documentText = async (name: string) =>
      (await app.get(`/docs/${name}`, HTML)).text
        .replace(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&')
    const here = app.config.baseUrl.slice(0, -1)
    const shown = {
      forms: [
        `src="${here}/picker.js"`,
        'vocabulary="stones"',
        `service="${here}/"`,
        `${here}/suggest?voc=stones&plain`,
      ],
      'linked-data': [`'${here}/entity?uri=${stones}/1'`, `${here}/entity?uri=$scheme`],
      reconciliation: [`${here}/voc/stones/reconcile`, `${here}/reconcile`],
      assistants: [`"url": "${here}/mcp"`, `"--url", "${here}"`],
      interface: [`${here}/docs`],
    }
    for (const [name, examplesThere] of Object.entries(shown)) {
      const text = await documentText(name)
      for (const example of examplesThere)
        expect([name, example, text.includes(example)]).toEqual([name, example, true])
      expect(text).not.toMatch(/localhost:3000|vocabularies\.example\.org|voc[/=]crafts/)
    }
    // It tells how to install another one.
    expect(await documentText('readme')).toContain('http://localhost:3000/data?notation=B1')
  })
})
