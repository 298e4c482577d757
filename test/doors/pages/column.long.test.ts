/** The column beside pages, groups, and the language of the content, in Chromium. */
import { gzipSync } from 'node:zlib'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../../browser.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { cleanUp, startStore } from '../../interface/store/start.ts'
import { expectPage, HTML, mistakesIn } from './html.ts'

const MILK = 'http://example.org/milk/'
const concept = (uri: string) => `/concept?uri=${uri}`
const SEWING = concept(`${CRAFTS}book-sewing`)
const WIDE: BrowserContextOptions = { viewport: { width: 1400, height: 800 } }
const NARROW: BrowserContextOptions = { viewport: { width: 375, height: 700 } }

const { write } = temporaryFolder()
const describeBrowser = NO_BROWSER ? describe.skip : describe

describeBrowser(`The column beside pages in Chromium${NO_BROWSER}`, () => {
  let app: RunningApp
  let browser: Browser
  let history: History
  let complaints: string[] = []
  /** Addresses of the parts that the browser has asked for. */
  let requested: string[] = []

  beforeAll(async () => {
    const store = await startStore()
    history = await History.open(
      await newDirectory(),
      new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000 }),
    )
    app = await startApp(store.endpoint, {}, { history })
    await putDemo(app)
    await history.recordStored(CRAFTS, { by: 'normalise' })
    for (const text of [VOCABULARY, HOSTILE, largeVocabulary()]) {
      await loadVocabulary(app.client, [await write('vocabulary.ttl', text)], { check: false })
    }
    app.state.changed()
    await app.index.refresh([CRAFTS])
    await app.index.caughtUp()
    browser = await startBrowser()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await history?.close()
    await cleanUp()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    complaints = []
    requested = []
  })

  async function open(path: string, options: BrowserContextOptions = WIDE): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', ...options })
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (request.url().includes('part=')) requested.push(request.url())
    })
    await page.goto(app.url + path)
    return page
  }
  const html = (path: string) => app.get(path, HTML)

  test('is open at the concept, and keeps its state as one walks by mouse', async () => {
    const page = await open(SEWING)
    await here(page, 'Book sewing')
    expect(await names(page)).toEqual(expect.arrayContaining(['Bookbinding', 'Link-stitch sewing', 'Textile crafts']))
    await item(page, 'Textile crafts').locator('+ i').click()
    await item(page, 'Weaving').waitFor()
    await item(page, 'Weaving').locator('+ i').click()
    await expectOpen(page, 'Weaving', true)
    await item(page, 'Weaving').locator('+ i').click()
    await expectOpen(page, 'Weaving', false)
    const panel = page.locator('#view-tree')
    await panel.evaluate((element) => (element.scrollTop = 120))
    const scroll = await panel.evaluate(({ scrollTop }) => scrollTop)
    expect(requested).toHaveLength(3)
    await item(page, 'Japanese stab binding').click()
    await page.locator('h1', { hasText: 'Japanese stab binding' }).waitFor()
    await here(page, 'Japanese stab binding')
    expect(await names(page)).toContain('Weaving')
    expect(await panel.evaluate(({ scrollTop }) => scrollTop)).toBe(scroll)
    // The tree has it already.
    expect(requested).toHaveLength(3)
    // Another one takes one request, and what is open stays so.
    await page.goto(app.url + concept(`${CRAFTS}raku`))
    await here(page, 'Raku firing')
    expect(await names(page)).toEqual(expect.arrayContaining(['Weaving', 'Raku firing']))
    expect(requested).toHaveLength(4)
    expect(decodeURIComponent(requested[3]!)).toContain(`/voc/crafts/tree?at=${CRAFTS}raku&`)
    expect(complaints).toEqual([])
  })

  test('takes the keys of a tree', async () => {
    const page = await open(SEWING)
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('bdi:last-of-type')?.textContent)
    await here(page, 'Book sewing')
    expect(await page.locator('[role=treeitem][tabindex="0"]').count()).toBe(1)
    await page.locator('[role=treeitem][tabindex="0"]').focus()
    const press = async (key: string) => {
      await page.keyboard.press(key)
      return focused()
    }
    expect(await press('ArrowUp')).toBe('Bookbinding')
    expect(await press('ArrowLeft')).toBe('Bookbinding')
    await expectOpen(page, 'Bookbinding', false)
    expect(await press('ArrowDown')).toBe('Papermaking')
    expect(await press('ArrowLeft')).toBe('Book and paper crafts')
    expect(await press('End')).toBe('Decorative techniques')
    expect(await press('Home')).toBe('Book and paper crafts')
    await page.keyboard.type('te')
    expect(await focused()).toBe('Textile crafts')
    await press('ArrowRight')
    await item(page, 'Weaving').waitFor()
    await expectOpen(page, 'Textile crafts', true)
    expect(await press('ArrowRight')).not.toBe('Textile crafts')
    await page.waitForTimeout(800)
    await page.keyboard.type('we')
    expect(await focused()).toBe('Weaving')
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: 'Weaving' }).waitFor()
    await here(page, 'Weaving')
    // The reader goes on where they are.
    await expect(focused()).resolves.toBe('Weaving')
    expect(complaints).toEqual([])
  })

  test('has the other views, by mouse and keyboard, and shows the same one on the next page', async () => {
    const page = await open(concept(`${CRAFTS}origami`))
    await here(page, 'Origami')
    await page.getByRole('tab', { name: 'Tree' }).focus()
    await page.keyboard.press('ArrowRight')
    const index = page.locator('#view-index')
    await index.locator('a[aria-current=page]', { hasText: 'Origami' }).waitFor()
    expect(await index.locator('.letters [aria-current]').textContent()).toBe('O')
    await index.locator('.letters a', { hasText: 'B' }).click()
    await index.locator('.letter', { hasText: 'B' }).waitFor()
    expect(page.url()).toContain('origami')
    expect((await index.locator('.concepts i').first().boundingBox())!.width).toBeGreaterThan(30)
    await index.locator('.concepts i').first().click()
    await index.getByRole('link', { name: 'Bookbinding', exact: true }).first().click()
    await page.locator('h1', { hasText: 'Bookbinding' }).waitFor()
    await index.locator('a[aria-current=page]', { hasText: 'Bookbinding' }).first().waitFor()
    await page.getByRole('tab', { name: 'Groups' }).click()
    const groups = page.locator('#view-groups')
    await groups.getByRole('treeitem', { name: 'Techniques from Japan' }).focus()
    await page.keyboard.press('ArrowRight')
    await groups.getByRole('treeitem', { name: 'Origami' }).click()
    await page.locator('h1', { hasText: 'Origami' }).waitFor()
    await groups.locator('a[aria-current=page]', { hasText: 'Origami' }).waitFor()
    await page.getByRole('tab', { name: 'Groups' }).press('End')
    await page.locator('#view-changes h2').first().waitFor()
    await page.locator('#view-changes').getByRole('link').first().click()
    await page.waitForURL(/concept\?/)
    await page.locator('#view-changes h2').first().waitFor()
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Changes')
    expect(complaints).toEqual([])
  })

  test('shows arrays as node labels, and members in their order', async () => {
    const page = await open(concept(`${MILK}goat`))
    await here(page, 'goat milk')
    expect(await names(page)).toEqual([
      'milk',
      'by fat content',
      'skimmed milk',
      'whole milk',
      'by source animal',
      'buffalo milk',
      'cow milk',
      'goat milk',
      'milk powder',
    ])
    expect(await item(page, 'goat milk').getAttribute('aria-level')).toBe('3')
    const array = await open(concept(`${MILK}by-source`))
    await here(array, 'by source animal')
    expect(await item(array, 'by source animal').getAttribute('aria-level')).toBe('2')
    await page.goto(`${app.url}/voc/milk/groups`)
    expect(await trimmed(page.locator('.groups > li > h2 a'))).toEqual(['by fat content', 'by source animal', 'Diet'])
    expect(await trimmed(page.locator('.groups > li').first().locator('.concepts a'))).toEqual([
      'whole milk',
      'skimmed milk',
    ])
    expect(await trimmed(page.locator('.groups .group a'))).toEqual(['Light products', 'milk', 'skimmed milk'])
    await page.goto(app.url + concept(`${MILK}diet-sub`))
    await page.getByRole('tab', { name: 'Groups' }).click()
    await page.locator('#view-groups a[aria-current=page]', { hasText: 'Light products' }).waitFor()
    const plain = await open('/voc/milk/tree?at=http://example.org/milk/goat', { ...NARROW, javaScriptEnabled: false })
    expect(await trimmed(plain.locator('.array > a'))).toEqual(['by fat content', 'by source animal'])
    expect(await trimmed(plain.locator('.array .here a'))).toEqual(['goat milk'])
  })

  test('is not there without JavaScript and in narrow windows, where links do the same', async () => {
    for (const options of [{ ...WIDE, javaScriptEnabled: false }, NARROW, { ...NARROW, javaScriptEnabled: false }]) {
      requested = []
      const page = await open(SEWING, options)
      expect(await page.locator('.column').isVisible()).toBe(false)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await page.click('text=Show in the tree')
      expect(await page.locator('.here > a').textContent()).toContain('Book sewing')
      await page.locator('.tabs').getByRole('link', { name: 'Groups' }).click()
      await page.locator('main').getByRole('link', { name: 'From fibre to garment' }).click()
      expect(await page.textContent('h1')).toContain('From fibre to garment')
      expect(requested).toEqual([])
    }
  })

  test.each(['light', 'dark'] as const)(
    'nothing moves while it loads, and axe finds nothing (%s)',
    async (colorScheme) => {
      const page = await open('/', { ...WIDE, colorScheme, bypassCSP: true })
      await page.route(/part=column/, async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 200))
        await route.continue()
      })
      for (const path of [
        SEWING,
        '/voc/milk',
        concept(`${MILK}by-source`),
        '/voc/milk/groups',
        '/voc/crafts/statistics',
      ]) {
        await page.goto(app.url + path)
        expect({ path, shift: await shiftOf(page) }).toEqual({ path, shift: 0 })
        await page.locator('[role=tree]').waitFor()
        expect({ path, shift: await shiftOf(page) }).toEqual({ path, shift: 0 })
        expect({ path, violations: await findAccessibilityViolations(page) }).toEqual({ path, violations: [] })
      }
      for (const name of ['A to Z', 'Groups', 'Changes']) {
        await page.goto(app.url + SEWING)
        await page.getByRole('tab', { name }).click()
        await page.locator('[role=tabpanel]:not([hidden]) > :first-child').waitFor()
        await page.waitForFunction(() => !document.querySelector('[aria-busy]'))
        expect({ name, violations: await findAccessibilityViolations(page) }).toEqual({ name, violations: [] })
      }
      await page.locator('.content-languages summary').click()
      expect(await findAccessibilityViolations(page)).toEqual([])
    },
  )

  test('is small: a page with its column takes less than 20 kB', async () => {
    const zipped = (text: string) => gzipSync(text).length
    const whole = async (path: string, part: string) =>
      zipped((await html(path)).text) + zipped((await html(part)).text)
    const uri = `${CRAFTS}book-sewing`
    const demo = await whole(SEWING, `/voc/crafts/tree?at=${uri}&part=column`)
    expect(demo).toBeLessThan(6_000)
    const scripts = await Promise.all(
      [...(await html(SEWING)).text.matchAll(/src="\.\/(assets[^"]*)"/g)].map(async ([, path]) =>
        zipped((await html(`/${path}`)).text),
      ),
    )
    expect(demo + scripts.reduce((sum, size) => sum + size, 0)).toBeLessThan(20_000)
  })

  test.each([
    '/voc/crafts/tree?part=column',
    `/voc/crafts/tree?part=column&at=${CRAFTS}book-sewing`,
    `/voc/crafts/tree?part=branch&uri=${CRAFTS}bookbinding`,
    `/voc/crafts/index?part=column&at=${CRAFTS}origami`,
    '/voc/milk/groups?part=column&at=http://example.org/milk/skimmed',
    '/voc/milk/groups?part=branch&uri=http://example.org/milk/diet',
    '/voc/crafts/changes?part=column',
    '/voc/hostile/tree?part=column&at=http://example.org/hostile/1',
  ])('%s is valid HTML', async (path) => {
    const { status, text } = await html(path)
    expect(status).toBe(200)
    // Parts of a page, in one.
    const frame = (body: string) =>
      `<!DOCTYPE html>\n<html lang="en"><head><title>T</title></head><body><h1>T</h1>${body}</body></html>\n`
    expect(await mistakesIn(frame(text))).toEqual([])
  })

  test.each(['/voc/milk/groups', '/voc/crafts/groups?lang=de', '/voc/materials/groups', SEWING + '&clang=de'])(
    '%s is a valid page',
    async (path) => {
      await expectPage(await html(path))
    },
  )

  test('no label becomes script', async () => {
    const page = await open('/voc/hostile')
    for (const path of [
      concept('http://example.org/hostile/1'),
      concept('http://example.org/hostile/group'),
      '/voc/hostile/groups',
    ]) {
      await page.goto(app.url + path)
      for (const name of ['A to Z', 'Groups', 'Tree']) {
        await page.getByRole('tab', { name }).click()
        await page.locator('[role=tabpanel]:not([hidden]) a').first().waitFor()
        await page.waitForFunction(() => !document.querySelector('[aria-busy]'))
      }
      // Kept and put back.
      await page.reload()
      await page.locator('[role=tree]').waitFor()
      expect(await page.evaluate(() => (globalThis as { hacked?: unknown }).hacked)).toBeUndefined()
      expect(await page.locator('.column img, .column script, .column a[href^="javascript:"]').count()).toBe(0)
    }
    expect(complaints).toEqual([])
  })

  test('says that a part cannot be loaded, and tries again', async () => {
    const page = await open('/about')
    await page.route(/part=column/, (route) => route.abort())
    await page.goto(app.url + SEWING)
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute(/part=column/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await here(page, 'Book sewing')
  })

  test('the language of the content is chosen by itself, and remembered', async () => {
    const page = await open(SEWING)
    await page.locator('.content-languages summary').click()
    await page.locator('.content-languages').getByRole('link', { name: 'German' }).click()
    await page.locator('h1', { hasText: 'Buchheftung' }).waitFor()
    expect(await page.getAttribute('html', 'lang')).toBe('en')
    await page.locator('#view-tree', { hasText: 'Buchbinderei' }).waitFor()
    // Links keep it, and so does a search.
    await page.locator('.crumbs a', { hasText: 'Handwerk' }).first().click()
    expect(page.url()).toContain('clang=de')
    await page.getByRole('combobox').fill('weberei')
    await page.keyboard.press('Enter')
    await page.waitForURL(/find\?/)
    expect(page.url()).toContain('clang=de')
    const hits = () => page.locator('.hits > li').count()
    expect(await hits()).toBeGreaterThan(0)
    await page.selectOption('select[name=in]', { label: 'English' })
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(/in=en/)
    expect(await hits()).toBe(0)
    await page.getByText('Nothing found').waitFor()
    // A new address without it has it, too.
    await page.goto(app.url + SEWING)
    await page.waitForURL(/clang=de/)
    await page.locator('h1', { hasText: 'Buchheftung' }).waitFor()
    await page.locator('.content-languages summary').click()
    await page.locator('.content-languages').getByRole('link', { name: 'English' }).click()
    await page.locator('h1', { hasText: 'Book sewing' }).waitFor()
    await page.goto(app.url + SEWING)
    await page.locator('h1', { hasText: 'Book sewing' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('the language of the content without JavaScript', async () => {
    const page = await open('/voc/many', { ...NARROW, javaScriptEnabled: false })
    await page.locator('.content-languages summary').click()
    expect(await page.locator('.content-languages a').count()).toBe(60)
    await page.locator('.content-languages a[data-clang=ar]').click()
    await page.locator('.concepts a').first().click()
    expect(page.url()).toContain('clang=ar')
    expect(await page.textContent('h1')).toContain('قمة')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.click('text=Deutsch')
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    expect(await page.textContent('h1')).toContain('قمة')
  })

  test('a level of many, many groups, long names and other directions stay in bounds', async () => {
    const shown = (count: number) => count.toLocaleString('en')
    const last = `http://example.org/many/${CHILDREN}`
    for (const part of [
      `/voc/many/tree?part=column&at=${last}`,
      '/voc/many/index?part=column',
      '/voc/many/groups?part=column',
    ]) {
      const { status, text } = await html(part)
      expect({ part, status }).toEqual({ part, status: 200 })
      expect(text.length).toBeLessThan(120_000)
      expect(gzipSync(text).length).toBeLessThan(10_000)
    }
    const page = await open(concept(last))
    await here(page, `Child ${CHILDREN}`)
    expect(await page.locator('#view-tree [role=treeitem]').count()).toBe(103)
    const more = page.locator('#view-tree .more')
    await more.focus()
    await page.keyboard.press('Enter')
    await page.getByText(`${shown(CHILDREN - 200)} more`, { exact: true }).waitFor()
    expect(await page.locator('#view-tree [role=treeitem]').count()).toBe(203)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('treeitem')
    await page.getByRole('tab', { name: 'Groups' }).click()
    await page.locator('#view-groups .more').click()
    await page.getByText(`${shown(GROUPS - 200)} more`, { exact: true }).waitFor()
    await page.goto(`${app.url}/voc/many/groups?clang=ar`)
    expect(await page.locator('.groups > li').count()).toBe(100)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    const { width } = (await page.locator('.column').boundingBox())!
    expect(width).toBeLessThan(320)
    expect(complaints).toEqual([])
  }, 120_000)
})

const noStw = LONG ? NO_DATA : ', skipped: only with TEST_LONG=1'
const describeStw = NO_BROWSER || noStw ? describe.skip : describe

describeStw(`The column beside pages of STW${NO_BROWSER}${noStw}`, () => {
  let app: RunningApp
  let browser: Browser
  const BANK = concept('http://zbw.eu/stw/descriptor/10089-1')
  beforeAll(async () => {
    const store = await startStore()
    app = await startApp(store.endpoint)
    await loadVocabulary(app.client, [resolve(TEST_DATA, 'vocab/stw-9.16.ttl')], { check: false })
    app.state.changed()
    await app.index.refresh([CRAFTS])
    await app.index.caughtUp()
    browser = await startBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await cleanUp()
  })

  const LOOKS = [
    [1400, 'light'],
    [375, 'dark'],
    [1400, 'dark'],
    [375, 'light'],
  ] as const
  test.each(LONG ? LOOKS : LOOKS.slice(0, 2))(
    'fits, has nothing that axe finds, and does not move (%i px, %s)',
    async (width, colorScheme) => {
      const context = await browser.newContext({
        locale: 'de-DE',
        viewport: { width, height: 800 },
        colorScheme,
        bypassCSP: true,
      })
      const page = await context.newPage()
      for (const path of [BANK, '/voc/stw', '/voc/stw/index?letter=B']) {
        await page.goto(app.url + path)
        if (width > 1000) await page.locator('[role=tree]').waitFor()
        expect({ path, shift: await shiftOf(page) }).toEqual({ path, shift: 0 })
        expect(await findAccessibilityViolations(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      }
      await context.close()
    },
  )

  test('takes less than 20 kB', async () => {
    const part = '/voc/stw/tree?at=http://zbw.eu/stw/descriptor/10089-1&part=column'
    const sizes = await Promise.all([BANK, part].map(async (path) => gzipSync((await app.get(path, HTML)).text).length))
    expect(sizes[0]! + sizes[1]!).toBeLessThan(20_000)
  })
})

/** Waits until the tree is open at a concept with this name. */
async function here(page: Page, name: string): Promise<void> {
  const current = page.locator('#view-tree [aria-current=page]', { hasText: name })
  await current.first().waitFor()
  await page.locator('#view-tree[aria-busy], #view-tree [aria-busy]').waitFor({ state: 'detached' })
}

function item(page: Page, name: string): Locator {
  return page
    .locator('#view-tree [role=treeitem]')
    .filter({ has: page.locator('bdi', { hasText: new RegExp(`^${name}$`) }) })
}

async function expectOpen(page: Page, name: string, isOpen: boolean): Promise<void> {
  await item(page, name)
    .and(page.locator(`[aria-expanded="${isOpen}"]`))
    .waitFor()
}

/** The names of the items of the tree, without their notations. */
function names(page: Page): Promise<string[]> {
  return trimmed(page.locator('#view-tree [role=treeitem] bdi:last-of-type'))
}

async function trimmed(list: Locator): Promise<string[]> {
  return (await list.allTextContents()).map((text) => text.trim())
}

/** How much of the page has moved without the reader's doing (Layout Instability, cumulative). */
function shiftOf(page: Page): Promise<number> {
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

const PREFIXES = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix isothes: <http://purl.org/iso25964/skos-thes#> .`

/** An array by ISO 25964, one by its members, a group of other things, and a group within it. */
const VOCABULARY = `${PREFIXES} @prefix : <${MILK}> .
  : a skos:ConceptScheme ; skos:notation "milk" ; skos:prefLabel "Milk"@en, "Milch"@de .
  :milk a skos:Concept ; skos:inScheme : ; skos:topConceptOf : ; skos:prefLabel "milk"@en, "Milch"@de ;
    isothes:subordinateArray :by-source .
  ${['cow milk', 'goat milk', 'buffalo milk', 'skimmed milk', 'whole milk', 'milk powder']
    .map(
      (name) =>
        `:${name.split(' ')[name === 'milk powder' ? 1 : 0]} a skos:Concept ; skos:inScheme : ; skos:prefLabel "${name}"@en ; skos:broader :milk .`,
    )
    .join('\n')}
  :by-source a isothes:ThesaurusArray, skos:Collection ; skos:inScheme : ; skos:prefLabel "by source animal"@en ;
    skos:member :cow, :goat, :buffalo .
  :by-fat a skos:OrderedCollection ; skos:inScheme : ; skos:prefLabel "by fat content"@en ; skos:memberList (:whole :skimmed) ;
    skos:member :whole, :skimmed .
  :diet a skos:Collection ; skos:inScheme : ; skos:prefLabel "Diet"@en ; skos:member :skimmed, :diet-sub .
  :diet-sub a skos:Collection ; skos:inScheme : ; skos:prefLabel "Light products"@en ; skos:member :skimmed, :milk .`

const ATTACK =
  '<img src=x onerror=globalThis.hacked=1><script>globalThis.hacked=1</script>"\\" onclick=\\"globalThis.hacked=1'
const HOSTILE = `${PREFIXES} @prefix : <http://example.org/hostile/> .
  : a skos:ConceptScheme ; skos:notation "hostile" ; skos:prefLabel "${ATTACK.replaceAll('"\\"', '\\"')}"@en .
  :1 a skos:Concept ; skos:inScheme : ; skos:topConceptOf : ; skos:prefLabel "${ATTACK.replaceAll('"\\"', '\\"')}"@en ; skos:notation "<b>" .
  :2 a skos:Concept ; skos:inScheme : ; skos:prefLabel "</bdi></a></ul><script>globalThis.hacked=1</script>"@en ; skos:broader :1 .
  <http://example.org/hostile/javascript:globalThis.hacked=1> a skos:Concept ; skos:inScheme : ; skos:topConceptOf : ; skos:prefLabel "third"@en .
  :group a skos:Collection ; skos:inScheme : ; skos:prefLabel "<svg onload=globalThis.hacked=1>"@en ; skos:member :1, :2 .`

const CHILDREN = LONG ? 25_000 : 1_200
const GROUPS = LONG ? 5_000 : 300
const LANGUAGES = [
  ...'ar bg bn cs da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lt lv mk ml mn mr ms mt'.split(
    ' ',
  ),
  ...'my nb ne nl pa pl pt ro ru sk sl sq sr sv ta te th tr uk ur vi zh'.split(' '),
].slice(0, 60)

/** Many concepts below one, many groups, 60 languages, names of 10,000 letters. */
function largeVocabulary(): string {
  const long = 'x'.repeat(10_000)
  const labels = LANGUAGES.map((tag) => `"${tag === 'ar' || tag === 'he' ? 'قمة' : `Top ${tag}`}"@${tag}`).join(', ')
  return [
    `${PREFIXES} @prefix : <http://example.org/many/> .`,
    `: a skos:ConceptScheme ; skos:notation "many" ; skos:prefLabel "Many"@en .`,
    `:top a skos:Concept ; skos:inScheme : ; skos:topConceptOf : ; skos:prefLabel ${labels} .`,
    ...Array.from({ length: CHILDREN }, (_, at) => {
      const name = at < 20 ? `${at} ${long}` : at < 40 ? `${at} قمة قمة "quoted` : `Child ${at + 1}`
      return `:${at + 1} a skos:Concept ; skos:inScheme : ; skos:broader :top ; skos:prefLabel ${JSON.stringify(name)}@en .`
    }),
    ...Array.from(
      { length: GROUPS },
      (_, at) =>
        `:g${at} a skos:Collection ; skos:inScheme : ; skos:prefLabel "Group ${at} ${at < 5 ? long : ''}"@en ; skos:member :top, :${at + 1} .`,
    ),
  ].join('\n')
}
