/** A real browser. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'

/** The shell without windows shows a page with a third of the work. */
const PLACES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))

/** Why tests with a browser are skipped, for their names; empty if they are not. */
export const NO_BROWSER = executablePath === undefined ? ', skipped: there is no Chromium (.ci/run installs it)' : ''

/** Starts Chromium; it talks to nobody but the pages. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The findings of axe on a page (WCAG 2.2, level AA, and axe's best practices), each with rule and element. */
export async function findAccessibilityViolations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe })
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}
