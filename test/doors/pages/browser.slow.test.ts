/** The pages as people meet them: in Chromium, with and without JavaScript, wide and narrow, light and dark. */
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../../browser.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory } from '../../process.ts'
import { cleanUp, startStore } from '../../interface/store/start.ts'
import { LONG } from '../../long.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`

const PAGES = [
  '/',
  '/voc/crafts',
  '/voc/subset_crafts-textile',
  '/voc/crafts/tree',
  `/voc/crafts/tree?uri=${BOOKBINDING}`,
  '/voc/cut/tree',
  '/voc/cut/tree?unreached=100',
  '/voc/crafts/statistics',
  '/voc/crafts/changes',
  '/voc/crafts/index',
  '/voc/crafts/index?by=notation',
  '/find?query=weav&voc=crafts',
  '/find?query=xyzzy',
  '/validate',
  `/concept?uri=${BOOKBINDING}`,
  '/docs',
  '/docs/interface',
  '/docs/compatibility',
  '/sparql',
  '/sparql?query=SELECT+*+WHERE+%7B?s+?p+?o%7D+LIMIT+3&view=table',
  `/history?uri=${BOOKBINDING}`,
  `/concept?uri=${CRAFTS}gone`,
  '/about',
  '/nothing',
]

/** The statements of an earlier version. */
const EARLIER = `
  <${BOOKBINDING}> <http://www.w3.org/2004/02/skos/core#altLabel> "Bookmaking"@en ;
    <http://www.w3.org/2004/02/skos/core#scopeNote> "Alles, was zu einem Buch gehört."@de ;
    <http://www.w3.org/2004/02/skos/core#related> <${CRAFTS}gone> , <${CRAFTS}textiles> .
  <${CRAFTS}gone> a <http://www.w3.org/2004/02/skos/core#Concept> ;
    <http://www.w3.org/2004/02/skos/core#prefLabel> "Gone"@en ;
    <http://purl.org/dc/terms/isReplacedBy> <${BOOKBINDING}> .`

const LOOKS: Record<string, BrowserContextOptions> = {
  'wide and light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'narrow and dark': { viewport: { width: 360, height: 700 }, colorScheme: 'dark' },
}

/** Concepts below one. */
const MANY = LONG ? 25_000 : 2_500
const shown = (count: number) => count.toLocaleString('en')

const { write } = temporaryFolder()

const describeBrowser = NO_BROWSER ? describe.skip : describe

describeBrowser(`Pages in Chromium${NO_BROWSER}`, () => {
  let app: RunningApp
  let browser: Browser
  let history: History
  /** Errors that the browser has reported. */
  let complaints: string[] = []

  beforeAll(async () => {
    const store = await startStore()
    history = await History.open(
      await newDirectory(),
      new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000 }),
    )
    app = await startApp(store.endpoint, {}, { sparql: store.publicQuery, askSparql: store.askPublicly, history })
    await putDemo(app)
    for (const state of ['INSERT', 'DELETE']) {
      await app.client.update(`${state} DATA { GRAPH <${CRAFTS}> { ${EARLIER} } }`, CRAFTS)
      await history.recordStored(CRAFTS, { by: 'normalise' })
    }
    await loadVocabulary(app.client, [await write('cut.ttl', CUT_OFF)])
    app.state.changed()
    // A page that cannot search yet would be a complaint.
    await app.index.refresh([CRAFTS])
    await app.index.caughtUp()
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await history?.close()
    await cleanUp()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    complaints = []
  })

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', ...options })
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error' && !/ 4(04|10) /.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(app.url + path)
    return page
  }

  // One page for all paths, because a new one takes longer than most of them.
  test.each(Object.entries(LOOKS))(
    '%s: no page has anything that axe finds, overflows, or moves while it is loading',
    async (_name, look) => {
      // Scripts of a test are none of the page's own.
      const page = await open('/', { ...look, bypassCSP: true })
      // By default each page has one of the looks.
      const at = Object.values(LOOKS).indexOf(look)
      for (const path of PAGES.filter((_, index) => LONG || index % 2 === at)) {
        await page.goto(app.url + path)
        const violations = await findAccessibilityViolations(page)
        const overflow = await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
        expect({ path, violations, overflow, shift: await layoutShift(page), complaints }).toEqual({
          path,
          violations: [],
          overflow: 0,
          shift: 0,
          complaints: [],
        })
      }
    },
    240_000,
  )

  test('runs within its own policy', async () => {
    const page = await open('/')
    for (const path of PAGES) await page.goto(app.url + path)
    expect(complaints).toEqual([])
  })

  test('can be read without JavaScript', async () => {
    const page = await open('/', { javaScriptEnabled: false })
    await page.click('text=Crafts and Design')
    await page.click('text=Book and paper crafts')
    await page.click('text=Bookbinding')
    expect(await page.textContent('h1')).toContain('Bookbinding')
    expect(await page.isVisible('button.copy')).toBe(false)
    await page.goBack()
    expect(await page.textContent('h1')).toContain('Book and paper crafts')
    await page.click('text=Deutsch')
    expect(await page.textContent('h1')).toContain('Buch- und Papierhandwerk')
    await page.click('text=Buchbinderei')
    expect(await page.textContent('h1')).toContain('Buchbinderei')
  })

  test.each([
    [`/concept?uri=${BOOKBINDING}`, 'Copy the URI', () => `${CRAFTS}bookbinding`],
    ['/voc/crafts', 'Copy the lines for OpenRefine', () => `${app.config.baseUrl}voc/crafts/reconcile`],
  ])('%s copies: %s', async (path, name, expected) => {
    const page = await open(path, { permissions: ['clipboard-read', 'clipboard-write'] })
    for (const summary of await page.locator('.use summary').all()) await summary.click()
    const button = page.getByRole('button', { name })
    await button.dblclick()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(expected())
    // After a moment the button is as before.
    await button.getByText('Copy', { exact: true }).waitFor()
  })

  test('opens the tree level by level, by mouse and by keyboard', async () => {
    const page = await open('/voc/crafts/tree')
    await page.locator('summary', { hasText: 'Textile crafts' }).click()
    await page.locator('summary', { hasText: 'Weaving' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.tree ul ul a').first().waitFor()
    expect(page.url()).toBe(`${app.url}/voc/crafts/tree`)
    await page.keyboard.press('Enter')
    expect(await page.locator('.tree ul ul a').first().isVisible()).toBe(false)
    expect(complaints).toEqual([])
  })

  test('moves in the tree by arrow keys', async () => {
    const page = await open('/voc/crafts/tree')
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      return focused()
    }
    const names = (await page.locator('.tree > li > a').allTextContents()).map((name) => name.trim())
    await page.locator('.tree > li > a').first().focus()
    expect(await press('ArrowDown')).toBe(names[1])
    expect(await press('End')).toBe(names.at(-1))
    expect(await press('Home')).toBe(names[0])
    await press('ArrowRight')
    const below = page.locator('.tree > li').first().locator('details li > a')
    await below.first().waitFor()
    expect(await press('ArrowRight')).toBe((await below.first().textContent())?.trim())
    expect(await press('ArrowLeft')).toBe(names[0])
    expect(await press('ArrowLeft')).toBe(names[0])
    expect(await below.first().isVisible()).toBe(false)
    expect(await press('ArrowDown')).toBe(names[1])
  })

  test('filters vocabularies in one row, closed in narrow windows', async () => {
    const page = await open('/?query=a', { viewport: { width: 1280, height: 800 } })
    const field = (await page.locator('#filter').boundingBox())!
    const first = page.locator('main form select').first()
    for (const select of await page.locator('main form select').all()) {
      const box = (await select.boundingBox())!
      expect(Math.abs(box.y + box.height / 2 - field.y - field.height / 2)).toBeLessThan(20)
    }
    // The long name of a subject takes no room from the others.
    const width = () => first.evaluate((select) => select.getBoundingClientRect().width)
    const before = await width()
    await first.evaluate((select) => select.append(new Option('Subject with a long name, '.repeat(3))))
    expect(await width()).toBe(before)
    expect(await page.locator('main form select').first().isVisible()).toBe(true)
    await page.setViewportSize({ width: 375, height: 700 })
    expect(await page.locator('main form select').first().isVisible()).toBe(false)
    await page.locator('main form summary').click()
    expect(await page.locator('main form select').first().isVisible()).toBe(true)
  })

  test('shows a table of two columns whole, and scrolls wider ones within the page', async () => {
    const page = await open('/docs/assistants', { viewport: { width: 375, height: 700 } })
    const [two, three] = [page.locator('.scrolled').first(), page.locator('.scrolled').nth(1)]
    const hidden = (table: typeof two) => table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    expect([await two.locator('th').count(), await hidden(two)]).toEqual([2, 0])
    expect(await three.locator('th').count()).toBe(3)
    expect(await hidden(three)).toBeGreaterThan(0)
    const second = (await three.locator('th').nth(1).boundingBox())!
    expect(second.x).toBeLessThan(200)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await three.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => document.querySelectorAll('.scrolled')[1]!.scrollLeft > 0)
  })

  test('leads to a place in the tree, without JavaScript too', async () => {
    const page = await open('/voc/crafts/tree', { javaScriptEnabled: false })
    await page.locator('summary', { hasText: 'Book and paper crafts' }).click()
    await page.click('text=Show narrower concepts')
    expect(await page.locator('.here > a').textContent()).toContain('Book and paper crafts')
    await page.goto(`${app.url}/concept?uri=${CRAFTS}book-sewing`)
    await page.click('text=Show in the tree')
    expect(await page.locator('.here > a').textContent()).toContain('Book sewing')
    expect(await page.locator('details[open]').count()).toBe(3)
  })

  test('shows a level of many in parts', async () => {
    await app.put('http://example.org/many', many(MANY))
    const page = await open('/voc/many/tree')
    await page.locator('summary').click()
    await page.getByText(`${shown(MANY - 100)} more`, { exact: true }).click()
    await page.getByText(`${shown(MANY - 200)} more`, { exact: true }).waitFor()
    expect(await page.locator('.tree ul > li:not(.more)').count()).toBe(200)
    const plain = await open('/voc/many/tree?uri=http://example.org/many/top&lang=en', { javaScriptEnabled: false })
    await plain.click(`text=${shown(MANY - 100)} more`)
    expect(await plain.locator('.tree ul > li:not(.more)').count()).toBe(100)
    await plain.locator('.tree').getByText('Previous page').click()
    expect(await plain.getByText('Child 00001').count()).toBe(1)
    await plain.click('text=Last')
    expect(await plain.getByText(`Child ${String(MANY).padStart(5, '0')}`).count()).toBe(1)
    await plain.goto(`${app.url}/concept?uri=http://example.org/many/top`)
    expect(await plain.locator('.concepts a').count()).toBe(100)
    await plain.click(`text=All ${shown(MANY)} in the tree`)
    expect(await plain.locator('.here > a').textContent()).toContain('Top')
  }, 240_000)

  test('does not open a concept below itself', async () => {
    await app.put('http://example.org/round', ROUND)
    const page = await open('/voc/round/tree')
    await page.locator('summary', { hasText: 'Top' }).click()
    await page.locator('summary', { hasText: 'First' }).click()
    await page.locator('summary', { hasText: 'Second' }).click()
    await page.locator('.tree ul ul ul a').first().waitFor()
    const names = await page.locator('.tree li > a').allTextContents()
    expect(names.map((name) => name.trim())).toEqual(['Top', 'First', 'Second', 'First'])
    expect(await page.locator('.tree summary').count()).toBe(3)
  })

  test('asks in SPARQL, by keyboard', async () => {
    const page = await open('/sparql', { bypassCSP: false })
    const editor = page.getByRole('textbox', { name: 'Query' })
    // Typing over coloured words Chromium tries to keep their style, which the policy forbids, and the editor undoes.
    await editor.press('Control+a')
    await editor.press('Delete')
    await editor.pressSequentially('ASK { ?s ?p ?o }')
    await editor.press('Control+Enter')
    await page.getByText('Yes', { exact: true }).waitFor()
    expect(page.url()).toContain('view=table')
    await page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    await page.locator('a.skip').press('Enter')
    await page.waitForURL(/#content$/)
    expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true)
    await page.reload()
    expect(await editor.textContent()).toContain('ASK')
    expect(complaints).toEqual([])
    const plain = await open('/sparql?example=narrower', { javaScriptEnabled: false })
    await plain.getByRole('button', { name: 'Run' }).click()
    await plain.locator('.results a').first().click()
    expect(await plain.textContent('h1')).toContain('Book')
  })

  test('completes the input', async () => {
    const page = await open('/', { bypassCSP: true })
    const input = page.getByRole('combobox', { name: 'Search all vocabularies' })
    const options = page.locator('#query-options').getByRole('option')
    await input.pressSequentially('bookb')
    await options.first().waitFor()
    expect(await findAccessibilityViolations(page)).toEqual([])
    await input.press('Escape')
    expect(await options.count()).toBe(0)
    await input.press('i')
    await options.first().waitFor()
    await input.press('ArrowDown')
    expect(await input.getAttribute('aria-activedescendant')).toBe('query-options-0')
    await input.press('Enter')
    await page.waitForURL(/concept\?uri=/)
    expect(await page.textContent('h1')).toContain('Bookbinding')
    await page.goBack()
    expect(await page.textContent('h1')).toContain('Vocabularies')
  })

  test('the head has one width, and the page of a vocabulary does not repeat the column', async () => {
    const page = await open('/', { viewport: { width: 1600, height: 900 } })
    const boxes: unknown[] = []
    for (const path of ['/', '/find?query=weav', '/docs', '/voc/crafts', '/voc/crafts/tree']) {
      await page.goto(app.url + path)
      boxes.push(await page.locator('header.site').boundingBox())
    }
    expect(new Set(boxes.map((box) => JSON.stringify(box))).size).toBe(1)
    await page.goto(`${app.url}/voc/crafts`)
    const views = () => page.locator('.tabs a:visible').allTextContents()
    const topConcepts = page.getByRole('heading', { name: 'Top concepts' })
    expect(await views()).toEqual(['Overview', 'Statistics'])
    expect(await topConcepts.isVisible()).toBe(false)
    await page.setViewportSize({ width: 900, height: 900 })
    expect(await views()).toEqual(['Overview', 'Tree', 'A to Z', 'Groups', 'Statistics', 'Changes'])
    expect(await topConcepts.isVisible()).toBe(true)
  })

  test('searches with Enter, and marks the matches', async () => {
    const page = await open('/voc/crafts')
    await page.getByRole('combobox').fill('weav')
    await page.keyboard.press('Enter')
    await page.waitForURL(/find\?query=weav&voc=crafts/)
    expect(await page.locator('mark').first().textContent()).toBe('Weav')
    await page.selectOption('select[name=voc]', '')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(/voc=(&|$)/)
    await page.fill('input[name=query]', 'xyzzy')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing found').waitFor()
  })

  test('lets the keyboard go past the head of the page', async () => {
    const page = await open('/')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    // The first control of the content: the filter of vocabularies.
    expect(await page.evaluate(() => document.activeElement?.closest('main form')?.getAttribute('role'))).toBe('search')
  })
})

/** The pages are those above: TEST_LONG=1 looks at them with the long labels and lists of a real vocabulary. */
const noStw = LONG ? NO_DATA : ', skipped: only with TEST_LONG=1'
const describeStw = NO_BROWSER || noStw ? describe.skip : describe

describeStw(`Pages of STW in Chromium${NO_BROWSER}${noStw}`, () => {
  let app: RunningApp
  let browser: Browser
  beforeAll(async () => {
    const store = await startStore()
    app = await startApp(store.endpoint)
    await loadVocabulary(app.client, [resolve(TEST_DATA, 'vocab/stw-9.16.ttl')], { check: false })
    app.state.changed()
    // A page that cannot search yet would be a complaint.
    await app.index.refresh([CRAFTS])
    await app.index.caughtUp()
    browser = await startBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await cleanUp()
  })

  test.each([
    '/',
    '/voc/stw',
    '/voc/stw/tree?uri=http://zbw.eu/stw/descriptor/10089-1',
    '/voc/stw/index?lang=de&letter=B',
    '/find?query=bank&voc=stw',
    '/concept?uri=http://zbw.eu/stw/descriptor/10089-1',
  ])('%s has nothing that axe finds, and fits', async (path) => {
    const context = await browser.newContext({
      locale: 'de-DE',
      viewport: { width: 360, height: 700 },
      bypassCSP: true,
    })
    const page = await context.newPage()
    expect((await page.goto(app.url + path))!.status()).toBe(200)
    expect(await findAccessibilityViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await context.close()
  })

  test('the top of its tree for a form takes less than 3 kB', async () => {
    const { body, text } = await app.ask('/voc/stw/top', { properties: 'prefLabel,hasChildren', language: 'de' })
    expect(body.map(({ hasChildren }: any) => hasChildren)).toEqual(Array(7).fill(true))
    expect(text.length).toBeLessThan(3_000)
  })
})

/** A vocabulary with many concepts below one. */
function many(count: number): string {
  const [graph, scheme] = ['http://example.org/many', '<http://example.org/many>']
  const children = Array.from({ length: count }, (_, at) => String(at + 1).padStart(5, '0'))
  return [
    '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .',
    `${scheme} a skos:ConceptScheme ; skos:notation "many" ; skos:prefLabel "Many"@en .`,
    `<${graph}/top> a skos:Concept ; skos:inScheme ${scheme} ; skos:topConceptOf ${scheme} ; skos:prefLabel "Top"@en .`,
    ...children.map(
      (child) =>
        `<${graph}/top> skos:narrower <${graph}/${child}> . <${graph}/${child}> a skos:Concept ; skos:inScheme ${scheme} ; skos:broader <${graph}/top> ; skos:prefLabel "Child ${child}"@en .`,
    ),
  ].join('\n')
}

/** A top concept, and beside it many concepts that it does not reach. */
const CUT_OFF = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/cut/> .
  : a skos:ConceptScheme ; skos:prefLabel "Cut off"@en .
  :top a skos:Concept ; skos:prefLabel "Top"@en .
  ${Array.from({ length: 150 }, (_, at) => `:c${at} a skos:Concept ; skos:prefLabel "Concept ${at}"@en ; skos:broader :c${(at + 1) % 50} .`).join('\n')}`

/** A top concept, and below it two concepts each of which is above the other. */
const ROUND = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <http://example.org/round/> .
  <http://example.org/round> a skos:ConceptScheme ; skos:notation "round" ; skos:prefLabel "Round"@en .
  :top a skos:Concept ; skos:topConceptOf <http://example.org/round> ; skos:prefLabel "Top"@en ; skos:narrower :first .
  :first a skos:Concept ; skos:prefLabel "First"@en ; skos:broader :top, :second ; skos:narrower :second .
  :second a skos:Concept ; skos:prefLabel "Second"@en ; skos:broader :first ; skos:narrower :first .
  :top skos:inScheme <http://example.org/round> . :first skos:inScheme <http://example.org/round> .
  :second skos:inScheme <http://example.org/round> .`

/** How much of the page has moved while it was loading (Layout Instability, cumulative). */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 100)
      }),
  )
}
