/** The documents of docs/ as pages. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toDocument } from '../../../src/doors/pages/documents.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { ROOT } from '../../process.ts'
import { expectPage, HTML, linksOf } from './html.ts'

/** No server listens here: documents need no store. */
const NO_STORE = 'http://127.0.0.1:9/'
const NAMES = readdirSync(join(ROOT, 'docs')).flatMap((file) => /^(.*)\.md$/.exec(file)?.[1] ?? [])

describe('Documents', () => {
  let app: RunningApp
  beforeAll(async () => {
    app = await startApp({ queryUrl: NO_STORE, updateUrl: NO_STORE, graphStoreUrl: NO_STORE })
  })
  afterAll(() => app?.close())

  test.each([...NAMES, 'readme', 'security', 'changelog'])(
    '%s is a page, and its links lead somewhere',
    async (name) => {
      const address = `/docs/${name}`
      const page = await app.get(address, HTML)
      await expectPage(page)
      expect(page.text).toMatch(/<article class="document" lang="en"><h1 id="/)
      const links = linksOf(page, app.url + address).filter((link) => link.startsWith(`${app.url}/docs/`))
      for (const link of new Set(links)) {
        const [to, part] = link.slice(app.url.length).split('#') as [string, string?]
        const { status, text } = await app.get(to, HTML)
        expect([link, status]).toEqual([link, 200])
        if (part !== undefined) expect([link, text.includes(`id="${decodeURIComponent(part)}"`)]).toEqual([link, true])
      }
    },
  )

  test('show the pictures of docs/pictures, and the text of others', async () => {
    const { text } = await app.get('/docs/interface', HTML)
    const [, src, alt] = /<img src="([^"]+)" alt="([^"]+)" width="960" height="390" loading="lazy">/.exec(text)!
    expect(alt).toMatch(/^A request/)
    const picture = await app.get(new URL(src!, `${app.url}/docs/interface`).pathname)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const performance = (await app.get('/docs/performance', HTML)).text
    expect(performance).not.toContain('bench/results')
    expect(performance).toContain('A real day over Fuseki, from p50 to p99')
  })

  test('are listed with the interface, in the language of the reader', async () => {
    const { text } = await app.get('/docs?lang=de', HTML)
    for (const name of NAMES) expect(text).toContain(`href="./docs/${name}?lang=de"`)
    expect((await app.get('/about', HTML)).text).toContain('href="./docs#documents"')
    const { body } = await app.get('/openapi.json')
    expect(body.externalDocs.url).toMatch(/\/docs\/interface$/)
  })

  test('are in English alone, and say so in the language of the page', async () => {
    const german = (await app.get('/docs?lang=de', HTML)).text
    expect(german).toContain('<p class="notice">Diese Seite gibt es nur auf Englisch.</p>')
    const main = /<main.*<\/main>/s.exec(german)![0].replace(/.*<div class="docs" lang="en">/s, '')
    expect(main).toContain('<h1>Interface</h1>')
    expect(main).not.toMatch(/Beispiel|Antworten|Gemeinsame/)
    expect((await app.get('/docs/forms?lang=fr', HTML)).text).toContain('Cette page n’existe qu’en anglais.')
    for (const path of ['/docs?lang=en', '/docs/forms?lang=en']) {
      expect((await app.get(path, HTML)).text).not.toContain('class="notice"')
    }
  })

  test.each(['/docs/none', '/docs/operation.md', '/docs/..%2fREADME', '/docs/constructor'])('%s: 404', async (path) => {
    await expectPage(await app.get(path, HTML), 404)
    expect((await app.get(path)).status).toBe(404)
  })
})

test('HTML, scripts and images in a document are text', () => {
  const text =
    '# A `b`\n\n<script>x</script> [l](javascript:x) ![picture](http://elsewhere/a.png)\n\n## A b\n\n| | b |\n|---|--:|\n| 1 | 2 |\n'
  const { title, toHtml } = toDocument(
    'docs/a.md',
    `${text}\n[o](other.md#p) [s](../src/a.ts)`,
    new Map([['docs/other.md', 'other']]),
  )
  const html = toHtml((name) => `to/${name}`)
  expect(title).toBe('A b')
  expect(html).not.toMatch(/<script|<img|href="javascript|style=|src\/a/)
  expect(html).toContain('<h1 id="a-b">A <code>b</code></h1>')
  expect(html).toContain('<h2 id="a-b-1">')
  expect(html).toContain('<div class="scrolled" tabindex="0"><table>')
  expect(html).toContain('<td></td>')
  expect(html).toContain('<td class="number">2</td>')
  expect(html).toContain('<a href="to/other#p">o</a> s')
})
