/** The list of very many vocabularies with filters and groups, the numbers of all, and an operator's own words. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { readSiteFolder, isSafeLink } from '../../../src/doors/pages/site-folder.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { putDemo, startApp, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../../browser.ts'
import { newDirectory } from '../../process.ts'
import { cleanUp, startStore } from '../../interface/store/start.ts'
import { expectPage, HTML } from './html.ts'

/** 1,000 take long to write. */
const COUNT = LONG ? 1000 : 240
const AT_ONCE = 240
const formatted = (count: number) => count.toLocaleString('en')
const uriOf = (nth: number) => `http://example.org/many/${nth}/`
const PREFIXES = `PREFIX skos: <${SKOS}> PREFIX dct: <http://purl.org/dc/terms/>`
const SUBJECTS = ['http://example.org/subject/history', 'http://example.org/subject/law']

const vocabulary = (nth: number) => `GRAPH <${uriOf(nth)}> {
  <${uriOf(nth)}> a skos:ConceptScheme , <http://w3id.org/nkos/nkostype#${nth % 2 ? 'thesaurus' : 'list'}> ; skos:notation "many${nth}" ;
    skos:prefLabel "${nth === 7 ? 'Äpfel <script>alert(1)</script>' : `Vocabulary ${nth}`}"@en ; dct:language "${nth % 3 ? 'en' : 'fi'}" ;
    dct:subject <${SUBJECTS[nth % 2]}> ; dct:license <http://creativecommons.org/licenses/${nth % 4 ? 'by' : 'zero'}/> ;
    skos:definition "About ${nth === 12 ? 'zymurgy' : 'things'}"@en ; <urn:x-vocabulary-service:concepts> 3 . }`

const MARKDOWN = `# Welcome

Our *own* words: <script>alert(2)</script> <img src=x onerror=alert(3)>

[good](https://example.org/) [bad](javascript:alert(4)) [worse](JaVaScRiPt&colon;alert(5)) [data](data:text/html,x) [in](find?query=x)
![image](https://elsewhere.example/pixel.png)

### Deep

| a | b |
|---|--:|
| 1 | 2 |
`

const describeBrowser = NO_BROWSER ? describe.skip : describe

let app: RunningApp
let dir: string
beforeAll(async () => {
  const store = await startStore()
  dir = await newDirectory()
  await writeFile(join(dir, 'front.en.md'), MARKDOWN)
  await writeFile(join(dir, 'about.md'), '## Who we are\n\nA library.')
  await writeFile(join(dir, 'style.css'), 'h1 { letter-spacing: 0.2em }')
  await writeFile(join(dir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  const groups = [{ prefLabel: { en: 'Chosen <b>ones</b>' }, vocabularies: ['many3', uriOf(5), 'none'] }]
  await writeFile(join(dir, 'vocabularies.json'), JSON.stringify(groups))
  app = await startApp(store.endpoint, { SITE_DIR: dir })
  await putDemo(app)
  for (let start = 0; start < COUNT; start += AT_ONCE) {
    const graphs = Array.from({ length: Math.min(AT_ONCE, COUNT - start) }, (_, at) => vocabulary(start + at)).join(
      '\n',
    )
    await app.client.update(`${PREFIXES} INSERT DATA { ${graphs} }`, uriOf(start))
  }
  await app.client.update(
    `${PREFIXES} INSERT DATA { ${SUBJECTS.map((uri) => `GRAPH <${uriOf(0)}> { <${uri}> skos:prefLabel "${uri.slice(27)}"@en }`).join('\n')} }`,
    uriOf(0),
  )
  app.state.changed()
  await app.index.refresh((await app.registry.fresh()).map(({ uri }) => uri))
  await app.index.caughtUp()
}, 120_000)
afterAll(async () => {
  await app?.close()
  await cleanUp()
})

const page = async (path: string) => {
  const answer = await app.get(path, HTML)
  await expectPage(answer)
  return answer.text
}
const namesOf = (text: string) => [...text.matchAll(/<h[23]><a [^>]*><bdi[^>]*>([^<]*)/g)].map(([, name]) => name)

describe('The list of very many vocabularies', () => {
  test('comes in pages, with numbers', async () => {
    const text = await page('/?lang=en&group=subject')
    expect(text).toContain(`${formatted(COUNT + 2)} vocabularies`)
    expect(text).toMatch(/<h2>history<\/h2>/)
    expect(namesOf(text)).toHaveLength(100)
    expect(text).toContain('rel="next"')
    expect(await page(`/?lang=en&group=subject&offset=${COUNT / 2}`)).toMatch(/<h2>law<\/h2>/)
  })

  test.each([
    ['query=zymurgy', ['Vocabulary 12']],
    ['query=%C3%A4pfel', ['Äpfel &lt;script>alert(1)&lt;/script>']],
    ['query=vocabulary+19', ['Vocabulary 19', 'Vocabulary 190']],
    ['query=many12&language=fi', ['Vocabulary 12', 'Vocabulary 120']],
    ['query=nothing+here', []],
  ])('filters: %s', async (query, expected) => {
    const names = namesOf(await page(`/?lang=en&${query}`))
    if (expected.length === 0) expect(names).toEqual([])
    else expect(names).toEqual(expect.arrayContaining(expected))
  })

  test('filters by language, type, subject and licence, together', async () => {
    const query = new URLSearchParams({
      language: 'fi',
      type: 'http://w3id.org/nkos/nkostype#list',
      subject: SUBJECTS[0]!,
      license: 'http://creativecommons.org/licenses/zero/',
    })
    const text = await page(`/?lang=en&${query}`)
    // Multiples of 12.
    expect(text).toMatch(new RegExp(`${Math.ceil(COUNT / 12)} vocabularies\\s+of ${formatted(COUNT + 2)}`))
    expect(namesOf(text)).toContain('Vocabulary 12')
    expect(text).toContain(`<option value="fi" selected>Finnish (${Math.ceil(COUNT / 3)})`)
    expect(text).toContain('>Show all</a>')
  })

  test('is the data of the interface for programs', async () => {
    expect((await app.get('/?query=x')).headers.get('content-type')).toContain('application/json')
  })
})

describe('Numbers of the service', () => {
  test('are JSON and a page', async () => {
    let answer = await app.get('/statistics')
    // The first one begins to count.
    while (answer.status === 503) answer = await app.get('/statistics')
    const { status, body } = answer
    expect(status).toBe(200)
    const crafts = body.each.find(({ id }: { id: string }) => id === 'crafts')
    const single = await app.get('/voc/crafts/statistics')
    expect(crafts).toMatchObject({
      concepts: single.body.concepts,
      collections: single.body.collections,
      deprecated: single.body.deprecated,
    })
    expect(body).toMatchObject({ vocabularies: COUNT + 2, subsets: 2 })
    expect(body.concepts).toBe(body.each.reduce((sum: number, { concepts }: { concepts: number }) => sum + concepts, 0))
    expect(body.labels.find(({ language }: { language: string }) => language === 'de').prefLabel).toBeGreaterThan(10)
    const text = await page('/statistics?lang=en')
    expect(text).toContain('Crafts and Design')
    expect(text).toContain('Without a place in the hierarchy')
  }, 60_000)
})

describe("The operator's own words", () => {
  test('are on the front page and on /about, and nothing of them is executed', async () => {
    const text = await page('/?lang=en')
    const section = /<div class="own document".*?<\/div>/s.exec(text)![0]
    expect(section).toContain('<h2>Welcome</h2>')
    expect(section).toContain('<h3>Deep</h3>')
    expect(section).toContain('&lt;script&gt;alert(2)')
    expect(section).not.toMatch(/<script|<img|href="(?!https:\/\/example|find)/i)
    expect(section).toContain('href="find?query=x"')
    expect(await page('/?lang=de')).toContain('<div class="own document" lang="en">')
    expect(await page('/about?lang=en')).toMatch(/<h2>Who we are<\/h2>.*Accessibility/s)
    expect(text).toMatch(/<h2>Chosen &lt;b>ones&lt;\/b><\/h2>/)
    expect(namesOf(text).slice(0, 2)).toEqual(['Vocabulary 3', 'Vocabulary 5'])
    expect(text).toContain('<option value>Group by: The choice of this service</option><option value="none">–</option>')
    const plain = await page('/?lang=en&group=none')
    expect(plain).not.toContain('Chosen &lt;b>ones')
    expect(plain).toContain('<option value="none" selected>–</option>')
  })

  test('bring a stylesheet and an icon of their own', async () => {
    const text = await page('/?lang=en')
    const css = /<link rel="stylesheet" href="\.(\/assets\/[^"]+\/site\.css)"/.exec(text)![1]!
    expect((await app.get(css)).text).toContain('letter-spacing')
    const icon = /<link rel="icon" type="image\/svg\+xml" href="\.(\/assets\/[^"]+\/icon\.svg)"/.exec(text)![1]!
    expect((await app.get(icon)).status).toBe(200)
  })

  test.each([
    ['https://a.example', true],
    ['mailto:a@b.example', true],
    ['find?query=a:b', true],
    ['./about', true],
    ['javascript:alert(1)', false],
    ['java\tscript:alert(1)', false],
    ['\u0001javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['vbscript:x', false],
    ['//elsewhere.example', false],
    ['\\\\elsewhere.example', false],
    ['ftp://a.example', false],
  ])('%j as an address: %s', (address, isSafe) => expect(isSafeLink(address)).toBe(isSafe))

  test('are refused in one line if something is wrong with them', async () => {
    const refused = async (name: string, make: (folder: string) => Promise<unknown>) => {
      const folder = join(await newDirectory(), 'site')
      await mkdir(folder)
      await make(folder)
      expect(() => readSiteFolder(folder)).toThrow(new RegExp(`^SITE_DIR: ${name}[^\\n]*$`))
    }
    await refused('front.md leads out of the folder', async (folder) => {
      await writeFile(join(folder, '../secret'), 'secret')
      await symlink('../secret', join(folder, 'front.md'))
    })
    await refused('style.css has more than 262144 bytes', (folder) =>
      writeFile(join(folder, 'style.css'), ' '.repeat(262_145)),
    )
    await refused('about.de.md is not in UTF-8', (folder) =>
      writeFile(join(folder, 'about.de.md'), Buffer.from([0xff])),
    )
    await refused('front.md is no file', (folder) => mkdir(join(folder, 'front.md')))
    await refused('vocabularies.json: expected an array', (folder) =>
      writeFile(join(folder, 'vocabularies.json'), '{"a"'),
    )
    await refused('vocabularies.json: expected an array', (folder) =>
      writeFile(join(folder, 'vocabularies.json'), '[{}]'),
    )
  })
})

describeBrowser(`Filters in Chromium${NO_BROWSER}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(() => browser?.close())

  const LOOKS: Record<string, BrowserContextOptions> = {
    'wide and light': { viewport: { width: 1400, height: 900 }, colorScheme: 'light' },
    'narrow and dark': { viewport: { width: 375, height: 700 }, colorScheme: 'dark' },
  }
  test.each(Object.entries(LOOKS))(
    '%s: nothing that axe finds, nothing too wide',
    async (_name, look) => {
      const context = await browser.newContext({ locale: 'en-GB', bypassCSP: true, ...look })
      const tab = await context.newPage()
      for (const path of ['/?group=subject', '/statistics', '/about']) {
        await tab.goto(app.url + path)
        expect([path, await findAccessibilityViolations(tab)]).toEqual([path, []])
        const width = await tab.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBeLessThanOrEqual(look.viewport!.width)
      }
    },
    60_000,
  )

  test('work by keyboard and without JavaScript', async () => {
    const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })
    const tab = await context.newPage()
    await tab.goto(`${app.url}/?group=none`)
    await tab.getByPlaceholder('Words of names').focus()
    await tab.keyboard.type('zymurgy')
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/query=zymurgy/)
    expect(await tab.locator('.cards li h2').allInnerTexts()).toEqual(['Vocabulary 12'])
  })
})
