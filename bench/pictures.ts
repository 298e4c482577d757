/**
 * `npm run pictures`: takes the screenshots of README.md and docs/ from the demo, so that they show the present pages.
 * The drawings (*.svg) beside them are written by hand.
 */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../test/browser.ts'
import { ROOT, startService } from '../test/process.ts'
import { blocksOf } from '../test/shown-commands.ts'

const BOOKBINDING = 'http://example.org/vocabulary/crafts/bookbinding'

interface Picture {
  /** The name of the file in docs/pictures/. */
  name: string
  width: number
  height: number
  /** Brings the page into the state that the picture shows. */
  show: (page: Page, address: string) => Promise<unknown>
}

const PICTURES: readonly Picture[] = [
  {
    name: 'concept.png',
    width: 1180,
    height: 760,
    show: (page, address) => page.goto(`${address}/concept?uri=${BOOKBINDING}&lang=en`, { waitUntil: 'networkidle' }),
  },
  {
    name: 'search.png',
    width: 900,
    height: 520,
    show: (page, address) => page.goto(`${address}/find?query=weav&lang=en`, { waitUntil: 'networkidle' }),
  },
  { name: 'picker.png', width: 560, height: 420, show: showPicker },
]

/** The first form of docs/forms.md, after somebody has typed three letters. */
async function showPicker(page: Page, address: string): Promise<void> {
  const form = (await blocksOf('docs/forms.md')).find(({ language }) => language === 'html')!.text
  await page.setContent(form.replaceAll('http://localhost:3000', address))
  await page.addStyleTag({ content: 'body { font: 1rem/1.5 sans-serif; margin: 2rem }' })
  const field = page.getByLabel('Craft')
  await field.fill('')
  await field.pressSequentially('boo')
  await page.getByRole('option').first().waitFor()
}

async function take(browser: Browser, address: string, { name, width, height, show }: Picture): Promise<void> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: 'light',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  await show(page, address)
  await page.screenshot({ path: join(ROOT, 'docs/pictures', name) })
  await page.close()
  console.log(`docs/pictures/${name}`)
}

const service = await startService({ DEMO: 'true' })
const browser = await startBrowser()
try {
  // One after the other: all of them share one service.
  for (const picture of PICTURES) await take(browser, service.url, picture)
} finally {
  await browser.close()
  await service.stop()
}
