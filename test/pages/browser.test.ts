/** The pages as people meet them: in Chromium, with and without JavaScript, wide and narrow, light and dark. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../app.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../browser.ts'
import { stores } from '../stores.ts'

const PAGES = ['/', '/voc/crafts', '/voc/subset_crafts-textile', `/concept?uri=${CRAFTS}bookbinding`, '/nothing']

const LOOKS: Record<string, BrowserContextOptions> = {
  'wide and light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'narrow and dark': { viewport: { width: 360, height: 700 }, colorScheme: 'dark' },
}

const describeBrowser = NO_BROWSER ? describe.skip : describe

describeBrowser(`Pages in Chromium${NO_BROWSER}`, () => {
  let app: RunningApp
  let browser: Browser
  let stop: (() => Promise<void>) | undefined
  /** What the browser has complained about. */
  let complaints: string[] = []

  beforeAll(async () => {
    const running = await stores()[0]!.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
    await putDemo(app)
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await stop?.()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    complaints = []
  })

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB', ...options })
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('404')) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(app.url + path)
    return page
  }

  describe.each(Object.entries(LOOKS))('%s', (_name, look) => {
    test.each(PAGES)('%s has nothing that axe finds, fits, and does not move', async (path) => {
      // Scripts of a test are none of the page's own.
      const page = await open(path, { ...look, bypassCSP: true })
      expect(await findAccessibilityViolations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      expect(await layoutShift(page)).toBe(0)
      expect(complaints).toEqual([])
    })
  })

  test.each(PAGES)('%s runs within its own policy', async (path) => {
    await open(path)
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

  test('copies a URI', async () => {
    const page = await open(`/concept?uri=${CRAFTS}bookbinding`, { permissions: ['clipboard-read', 'clipboard-write'] })
    const button = page.getByRole('button', { name: 'Copy the URI' })
    await button.click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${CRAFTS}bookbinding`)
  })

  test('lets the keyboard go past the head of the page', async () => {
    const page = await open('/')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Crafts and Design')
  })
})

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
