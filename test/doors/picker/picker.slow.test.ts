/** `<vocabulary-picker>` in Chromium, on a site of another origin, over the embedded store. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { VocabularyPicker as Declared } from '../../../src/doors/picker/types.d.ts'
import type { VocabularyPicker } from '../../../src/doors/picker/picker.ts'
import { CRAFTS, MATERIALS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../../browser.ts'
import { newDirectory, ROOT } from '../../process.ts'
import { cleanUp, startStore } from '../../interface/store/start.ts'
import { startSite, type Site } from './site.ts'

const run = promisify(execFile)
const BOOKBINDING = `${CRAFTS}bookbinding`
const ODD = 'http://example.org/vocabulary/odd/'
const LONG_LABEL = `long ${'x'.repeat(9_990)}`
const HOSTILE = '<img src=x onerror="globalThis.isRun = true"><b>bold</b>'

/** Hostile and long labels, labels from right to left, a circle, and many concepts below one. */
const ODDITIES = `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${ODD}> a skos:ConceptScheme ; skos:notation "odd" ; skos:prefLabel "Odd"@en ; skos:hasTopConcept <${ODD}root> , <${ODD}a> .
  <${ODD}root> a skos:Concept ; skos:inScheme <${ODD}> ; skos:topConceptOf <${ODD}> ; skos:prefLabel "Root"@en , "שורש"@he .
  <${ODD}hostile> a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader <${ODD}root> ;
    skos:prefLabel ${JSON.stringify(HOSTILE)}@en ; skos:altLabel "hostile <script>globalThis.isRun = true</script>"@en ; skos:notation "<i>1</i>" .
  <${ODD}long> a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader <${ODD}root> ; skos:prefLabel "${LONG_LABEL}"@en .
  <${ODD}hebrew> a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader <${ODD}root> ; skos:prefLabel "כריכה (1)"@he .
  <${ODD}root> skos:narrower <${ODD}hostile> , <${ODD}long> , <${ODD}hebrew> .
  <${ODD}a> a skos:Concept ; skos:inScheme <${ODD}> ; skos:topConceptOf <${ODD}> ; skos:prefLabel "Circle A"@en ; skos:narrower <${ODD}b> ; skos:broader <${ODD}b> .
  <${ODD}b> a skos:Concept ; skos:inScheme <${ODD}> ; skos:prefLabel "Circle B"@en ; skos:narrower <${ODD}a> ; skos:broader <${ODD}a> .
  ${Array.from({ length: 230 }, (_, at) => {
    const uri = `<${ODD}n${String(at).padStart(3, '0')}>`
    return `${uri} a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader <${ODD}a> ; skos:notation "${1000 + at}" ; skos:prefLabel "Child ${at}"@en . <${ODD}a> skos:narrower ${uri} .`
  }).join('\n')}
  ${['one', 'two', 'three'].map((name) => `<${ODD}${name}> a skos:Concept ; skos:inScheme <${ODD}> ; skos:prefLabel "Twin"@en ; skos:broader <${ODD}root> .`).join('\n')}
`

test('its types say what it is', () => {
  const declared = (element: typeof VocabularyPicker): Omit<typeof Declared, 'prototype'> => element
  expect(typeof declared).toBe('function')
})

test('TypeScript understands the example for React with the declaration of docs/forms.md', async () => {
  const text = await readFile(join(ROOT, 'docs/forms.md'), 'utf8')
  const [, declaration] = /^```ts\n(.*?)^```$/ms.exec(text)!
  const [, example] = /^```tsx\n(.*?)^```$/ms.exec(text)!
  const folder = await newDirectory()
  await mkdir(join(folder, 'node_modules'))
  await symlink(ROOT, join(folder, 'node_modules/vocabulary-service'))
  for (const name of ['@types', 'csstype']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  await writeFile(join(folder, 'picker.d.ts'), declaration!)
  await writeFile(
    join(folder, 'client.d.ts'),
    `declare module 'react-dom/client' { export function createRoot(place: Element): { render: (what: unknown) => void } }`,
  )
  await writeFile(join(folder, 'good.tsx'), example!)
  await writeFile(join(folder, 'bad.tsx'), example!.replace('vocabulary="crafts"', 'vocabulary={1}'))
  const compilerOptions = {
    ...{
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      jsx: 'react-jsx',
      module: 'esnext',
    },
    ...{ moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const said = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error)
  expect(said.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/bad\.tsx.*Type 'number' is not assignable to type 'string'/),
  ])
}, 60_000)

describe('The script of the picker', () => {
  let app: RunningApp
  beforeAll(async () => {
    app = await startApp((await startStore()).endpoint)
  })
  afterAll(async () => {
    await app.close()
    await cleanUp()
  })

  const head = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(app.url + path, { headers })
    const { length } = await readFile(join(ROOT, 'dist/assets/picker.js'))
    expect((await answer.arrayBuffer()).byteLength).toBe(answer.status === 304 ? 0 : length)
    return answer
  }

  test('takes less than 8 kB, whatever else a client would accept', async () => {
    for (const accepted of ['br', 'gzip, deflate, br, zstd']) {
      const { headers } = await head('/picker.js', { 'accept-encoding': accepted })
      expect(headers.get('content-encoding')).toBe('br')
      expect(Number(headers.get('content-length'))).toBeLessThan(8_000)
      expect(headers.get('vary')).toContain('Accept-Encoding')
    }
    const gzip = await head('/picker.js', { 'accept-encoding': 'gzip' })
    expect(gzip.headers.get('content-encoding')).toBe('gzip')
    expect(Number(gzip.headers.get('content-length'))).toBeLessThan(9_000)
    expect((await head('/picker.js', { 'accept-encoding': 'identity' })).headers.has('content-encoding')).toBe(false)
  })

  test('may be loaded by any site', async () => {
    const { headers } = await head('/picker.js')
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test('is kept for an hour, with its version for a year, and with another version never for a year', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const kept = async (path: string) => (await head(path)).headers.get('cache-control')
    expect(await kept('/picker.js')).toBe('public, max-age=3600')
    expect(await kept(`/picker.js?v=${version}`)).toBe('public, max-age=31536000, immutable')
    expect(await kept('/picker.js?v=0.0.1')).toBe('public, max-age=3600')
    const etag = (await head('/picker.js')).headers.get('etag')!
    expect((await head('/picker.js', { 'if-none-match': etag })).status).toBe(304)
    expect((await app.get('/picker.js?v=1&v=2')).status).toBe(400)
    expect((await app.get('/picker.js', { method: 'POST' })).status).toBe(405)
  })

  test('does nothing on a server, where it is imported to render pages', async () => {
    const script = `const { VocabularyPicker } = await import('vocabulary-service/picker'); console.log(VocabularyPicker.formAssociated)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
    expect(stdout.trim()).toBe('true')
  })
})

const describeBrowser = NO_BROWSER ? describe.skip : describe

describeBrowser(`The picker in Chromium${NO_BROWSER}`, () => {
  let app: RunningApp
  let site: Site
  let browser: Browser
  /** Errors that the browser has reported. */
  let complaints: string[] = []

  beforeAll(async () => {
    app = await startApp((await startStore()).endpoint)
    await putDemo(app)
    await app.put(ODD, ODDITIES)
    await app.ask('/search', { search: 'a' })
    site = await startSite()
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    await app?.close()
    await cleanUp()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints).toEqual([])
    complaints = []
    site.headers = {}
    site.sent.length = 0
  })

  /** A page with a form of these pickers. */
  async function open(pickers: string, options: BrowserContextOptions & { attributes?: string } = {}): Promise<Page> {
    const { attributes = 'lang="en"', ...look } = options
    site.html = `<!doctype html><html ${attributes}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Form</title>
      <script type="module" src="${app.url}/picker.js"></script></head>
      <body><main><h1>Form</h1><form method="post" action="/save">${pickers} <button name="save" value="yes">Save</button></form></main></body></html>`
    const context = await browser.newContext({ locale: 'en-GB', ...look })
    const page = await context.newPage()
    page.on('console', (message) => {
      // A failed request is what some of these tests want.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(site.url)
    return page
  }

  const CRAFT = `<label for="craft">Craft</label> <vocabulary-picker id="craft" name="craft" vocabulary="crafts"></vocabulary-picker>`
  const craft = (more: string) => CRAFT.replace('vocabulary=', `${more} vocabulary=`)
  const field = (page: Page, name = 'Craft'): Locator => page.getByRole('combobox', { name, exact: true })
  const fields = (page: Page) =>
    page.evaluate(() => [...new FormData(document.forms[0])].map(([name, value]) => `${name}=${value as string}`))
  const announced = (page: Page) => page.getByRole('status').first().textContent()

  /** Types into a field and waits for its list. */
  async function type(page: Page, text: string, name = 'Craft'): Promise<Locator> {
    await field(page, name).pressSequentially(text)
    await page.getByRole('listbox').waitFor()
    return page.getByRole('option')
  }

  test('by keyboard: completes, chooses, and the form sends the URI and, if wanted, the label', async () => {
    const page = await open(craft('label-name="label"'))
    await page.evaluate(() => {
      const events: string[] = []
      Object.assign(globalThis, { events })
      for (const type of ['input', 'change']) {
        document.addEventListener(type, (event) => {
          const { concepts } = (event as CustomEvent<{ concepts: { uri: string }[] }>).detail
          events.push(`${type} ${(event.target as Element).localName} ${concepts.map(({ uri }) => uri).join()}`)
        })
      }
    })
    await page.keyboard.press('Tab')
    expect(await field(page).evaluate((input) => input === (input.getRootNode() as ShadowRoot).activeElement)).toBe(
      true,
    )
    await type(page, 'bookb')
    expect(await field(page).getAttribute('aria-expanded')).toBe('true')
    expect(await announced(page)).toMatch(/^Suggestions: \d+$/)
    await page.keyboard.press('ArrowDown')
    const active = page.locator(`#${await field(page).getAttribute('aria-activedescendant')}`)
    expect(await active.getAttribute('aria-selected')).toBe('true')
    expect(await active.textContent()).toContain('Bookbinding')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('listbox').count()).toBe(0)
    expect(await field(page).inputValue()).toBe('B1 Bookbinding')
    expect(await announced(page)).toBe('Chosen: Bookbinding')
    expect(await page.evaluate(() => (globalThis as unknown as { events: string[] }).events)).toEqual([
      `input vocabulary-picker ${BOOKBINDING}`,
      `change vocabulary-picker ${BOOKBINDING}`,
    ])
    // Enter submits the form, as from any other field.
    await Promise.all([page.waitForURL('**/save'), page.keyboard.press('Enter')])
    expect(site.sent).toEqual([
      [
        ['craft', BOOKBINDING],
        ['label', 'Bookbinding'],
        ['save', 'yes'],
      ],
    ])
    // The way back brings the value with its label.
    await page.goBack()
    await page.waitForFunction(() => document.querySelector('vocabulary-picker')?.value !== '')
    expect(await fields(page)).toEqual([`craft=${BOOKBINDING}`, 'label=Bookbinding'])
    expect(await field(page).inputValue()).toBe('B1 Bookbinding')
  })

  test('no two suggestions look the same', async () => {
    const page = await open(CRAFT.replace('"crafts"', '"odd"'))
    const rows = await (await type(page, 'twin')).allTextContents()
    expect(rows).toHaveLength(3)
    expect(new Set(rows).size).toBe(3)
  })

  test('by keyboard: Escape, walking in a circle, and Enter for what is written in full', async () => {
    const page = await open(CRAFT)
    const options = await type(page, 'bookbinding')
    const count = await options.count()
    for (let at = 0; at <= count; at++) await page.keyboard.press('ArrowDown')
    expect(await field(page).getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('ArrowUp')
    expect(await options.last().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await options.count()).toBe(0)
    expect(await field(page).inputValue()).toBe('bookbinding')
    await page.keyboard.press('Escape')
    expect(await field(page).inputValue()).toBe('')
    await type(page, 'BOOKBINDING')
    await page.keyboard.press('Enter')
    expect(await fields(page)).toEqual([`craft=${BOOKBINDING}`])
    // Deleting the text removes the concept.
    await field(page).fill('')
    expect(await fields(page)).toEqual([])
  })

  test('by mouse: chooses, removes, and a label outside leads into the field', async () => {
    const page = await open(CRAFT)
    await page.getByText('Craft', { exact: true }).click()
    await page.keyboard.type('bookb')
    await page.getByRole('option', { name: /Bookbinding/ }).click()
    expect(await fields(page)).toEqual([`craft=${BOOKBINDING}`])
    await page.getByRole('button', { name: 'Remove: Bookbinding' }).click()
    expect(await fields(page)).toEqual([])
    expect(await field(page).inputValue()).toBe('')
    expect(await announced(page)).toBe('Removed: Bookbinding')
  })

  test('several values: in their order, once each, removed one by one, and brought back by a reset', async () => {
    const page = await open(craft(`multiple value="${CRAFTS}textiles|${BOOKBINDING}"`))
    const values = page.getByRole('list', { name: 'Chosen' }).getByRole('listitem')
    await values.getByText('Bookbinding').waitFor()
    await type(page, 'weav')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe('')
    const three = await fields(page)
    expect(three.slice(0, 2)).toEqual([`craft=${CRAFTS}textiles`, `craft=${BOOKBINDING}`])
    expect(three).toHaveLength(3)
    // Choosing it once more removes it.
    await type(page, 'bookbinding')
    const option = page.getByRole('option', { name: /B1 Bookbinding/ })
    expect(await option.getAttribute('aria-selected')).toBe('true')
    await option.click()
    expect(await fields(page)).toEqual([three[0], three[2]])
    await page.keyboard.press('Backspace')
    for (let at = 0; at < 'bookbinding'.length; at++) await page.keyboard.press('Backspace')
    expect(await fields(page)).toEqual([three[0]])
    await page.getByRole('button', { name: /^Remove: / }).click()
    expect(await fields(page)).toEqual([])
    await page.evaluate(() => document.forms[0]!.reset())
    expect(await fields(page)).toEqual([`craft=${CRAFTS}textiles`, `craft=${BOOKBINDING}`])
  })

  test('required, unfinished, disabled and own messages, as of any other field', async () => {
    const page = await open(craft('required'))
    const state = () =>
      page.evaluate(() => {
        const picker = document.querySelector('vocabulary-picker')!
        const { valueMissing, badInput, customError, valid } = picker.validity
        return {
          valueMissing,
          badInput,
          customError,
          valid,
          message: picker.validationMessage,
          form: picker.form !== null,
        }
      })
    const none = { valueMissing: false, badInput: false, customError: false, valid: false, form: true }
    expect(await state()).toEqual({ ...none, valueMissing: true, message: 'Please choose a concept.' })
    await page.getByRole('button', { name: 'Save' }).click()
    expect(site.sent).toEqual([])
    expect(await field(page).getAttribute('aria-invalid')).toBe('true')
    // The browser leads to the field.
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('vocabulary-picker')
    await type(page, 'bookb')
    await page.keyboard.press('Tab')
    expect(await state()).toEqual({
      ...none,
      badInput: true,
      message: 'Please choose from the list, or delete the text.',
    })
    await page.evaluate((uri) => (document.querySelector('vocabulary-picker')!.value = uri), BOOKBINDING)
    expect(await state()).toEqual({ ...none, valid: true, message: '' })
    expect(await field(page).getAttribute('aria-invalid')).toBeNull()
    await page.evaluate(() => document.querySelector('vocabulary-picker')!.setCustomValidity('Not this one'))
    expect(await state()).toEqual({ ...none, customError: true, message: 'Not this one' })
    await page.evaluate(() => (document.querySelector('vocabulary-picker')!.disabled = true))
    expect(await fields(page)).toEqual([])
    expect(await field(page).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Browse the tree' }).isDisabled()).toBe(true)
  })

  test('properties that a page sets before the script has come, and concepts that it keeps', async () => {
    const page = await open('')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.evaluate(
      ([uri, service]) => {
        const picker = document.createElement('vocabulary-picker')
        Object.assign(picker, {
          name: 'craft',
          service,
          multiple: true,
          strings: { browse: 'Stöbern' },
          vocabulary: 'crafts',
        })
        picker.concepts = [{ uri: uri!, prefLabel: { en: 'My own label' } }]
        document.forms[0]!.append(picker)
      },
      [BOOKBINDING, app.url],
    )
    await page.getByText('My own label').waitFor()
    await page.getByRole('button', { name: 'Stöbern' }).waitFor()
    expect(await fields(page)).toEqual([`craft=${BOOKBINDING}`])
    expect(asked).toEqual([])
    // A <vocabulary-picker> of the HTML takes up what scripts have set on it meanwhile.
    site.html = site.html.replace('type="module" src', 'type="text/plain" src').replace('<button', `${CRAFT}<button`)
    await page.goto(site.url)
    await page.evaluate(
      async ([uri, service]) => {
        Object.assign(document.querySelector('vocabulary-picker')!, { value: uri })
        await import(`${service}/picker.js`)
      },
      [BOOKBINDING, app.url],
    )
    await page.waitForFunction(
      () => document.querySelector('vocabulary-picker')!.shadowRoot!.querySelector('input')!.value !== '',
    )
    expect(await field(page).inputValue()).toBe('B1 Bookbinding')
  })

  test('several values, whenever the page says that it takes them', async () => {
    const page = await open(CRAFT)
    const set = (properties: object) =>
      page.evaluate((all) => void Object.assign(document.querySelector('vocabulary-picker')!, all), properties)
    const [first, second] = [`craft=${BOOKBINDING}`, `craft=${CRAFTS}textiles`]
    await set({ concepts: [{ uri: BOOKBINDING }, { uri: `${CRAFTS}textiles` }] })
    expect(await fields(page)).toEqual([first])
    await set({ multiple: true })
    expect(await fields(page)).toEqual([first, second])
    await page.getByRole('listitem').getByText('Textile crafts').waitFor()
    await set({ multiple: false })
    expect(await fields(page)).toEqual([first])
    expect(await field(page).inputValue()).toBe('B1 Bookbinding')
  })

  test('the tree by keyboard: opens, goes down and up, chooses, and Escape leads back', async () => {
    const page = await open(CRAFT)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const focused = page.locator('[role=treeitem]:focus')
    await focused.waitFor()
    const first = await focused.textContent()
    await page.keyboard.press('End')
    expect(await focused.textContent()).not.toBe(first)
    await page.keyboard.press('Home')
    expect(await focused.textContent()).toBe(first)
    await page.keyboard.press('b')
    expect(await focused.textContent()).toMatch(/Book/)
    const item = page.locator('[role=treeitem]:focus')
    expect(await item.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowRight')
    await page.locator('[role=group] [role=treeitem]').first().waitFor()
    expect(await item.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    expect(await item.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('tree').count()).toBe(0)
    expect(
      await page.evaluate(() =>
        document.querySelector('vocabulary-picker')!.shadowRoot!.activeElement?.getAttribute('part'),
      ),
    ).toBe('browse')
    await page.keyboard.press('Enter')
    await focused.waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('[role=group] [role=treeitem]').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press(' ')
    expect(await page.getByRole('tree').count()).toBe(0)
    expect(await fields(page)).toHaveLength(1)
    expect(
      await page.evaluate(() => document.querySelector('vocabulary-picker')!.shadowRoot!.activeElement?.localName),
    ).toBe('input')
  })

  test('the tree by mouse: several values, long levels in parts, circles with an end', async () => {
    const page = await open(CRAFT.replace('"crafts"', '"odd" multiple'))
    const browse = page.getByRole('button', { name: 'Browse the tree' })
    await browse.click()
    const circle = page.getByRole('treeitem', { name: 'Circle A' })
    await circle.first().locator('[part=twisty]').click()
    const children = page.getByRole('treeitem', { name: /Child/ })
    await children.first().waitFor()
    expect(await children.count()).toBe(100)
    for (const count of [200, 230]) {
      await page.getByRole('treeitem', { name: /^Show more: / }).click()
      await page.waitForFunction((wanted) => {
        const items = document.querySelector('vocabulary-picker')!.shadowRoot!.querySelectorAll('[role=treeitem]')
        return [...items].filter((item) => /Child/.test(item.textContent)).length >= wanted
      }, count)
      expect(await children.count()).toBe(count)
    }
    expect(await children.last().getAttribute('aria-setsize')).toBe('231')
    // The focus went to the first of the new ones.
    expect(await page.locator('[role=treeitem]:focus').textContent()).toMatch(/Child/)
    await page.getByRole('treeitem', { name: 'Circle B' }).locator('[part=twisty]').click()
    const below = page.getByRole('treeitem', { name: 'Circle A' }).nth(1)
    await below.waitFor()
    expect(await below.getAttribute('aria-expanded')).toBeNull()
    await children.nth(3).click()
    await children.nth(1).click()
    expect(await children.nth(3).getAttribute('aria-selected')).toBe('true')
    expect(await fields(page)).toEqual([`craft=${ODD}n003`, `craft=${ODD}n001`])
    await children.nth(3).click()
    expect(await fields(page)).toEqual([`craft=${ODD}n001`])
    await page.getByRole('heading').click()
    expect(await page.getByRole('tree').count()).toBe(0)
  })

  test('the rest of a level may be gone by the time somebody asks for it', async () => {
    const scheme = 'http://example.org/vocabulary/level/'
    const put = (count: number) =>
      app.put(
        scheme,
        `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <${scheme}> a skos:ConceptScheme ; skos:notation "level" ; skos:prefLabel "Level"@en .
        ${Array.from(
          { length: count },
          (_, at) =>
            `<${scheme}${at}> a skos:Concept ; skos:inScheme <${scheme}> ; skos:topConceptOf <${scheme}> ; skos:prefLabel "Top ${at}"@en .`,
        ).join('\n')}`,
      )
    await put(101)
    const page = await open(CRAFT.replace('"crafts"', '"level"'))
    await page.getByRole('button', { name: 'Browse the tree' }).click()
    const more = page.getByRole('treeitem', { name: 'Show more: 1' })
    await more.waitFor()
    await put(100)
    await more.click()
    await more.waitFor({ state: 'detached' })
    expect(await page.locator('[role=treeitem]:focus').textContent()).toMatch(/Top/)
  })

  test('a branch restricts completion and tree', async () => {
    const branch = `${CRAFTS}book-and-paper`
    const page = await open(craft(`branch="${branch}"`))
    const options = await type(page, 'b')
    const { body } = await app.ask('/search', { search: 'b', ancestors: branch, voc: 'crafts' })
    expect(await options.count()).toBe(Math.min(20, body.length))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Browse the tree' }).click()
    const narrower = await app.ask('/narrower', { uri: branch })
    await page.getByRole('treeitem').first().waitFor()
    expect(await page.getByRole('treeitem').count()).toBe(narrower.body.length)
  })

  test('several vocabularies: descriptions name them, and there is no tree', async () => {
    const page = await open(CRAFT.replace('"crafts"', '"crafts|materials"'))
    await type(page, 'leather')
    const { body } = await app.ask('/voc', { uri: `${CRAFTS}|${MATERIALS}`, properties: 'prefLabel' })
    const names: string[] = body.map(({ prefLabel }: any) => prefLabel.en)
    for (const option of await page.getByRole('option').all()) {
      const text = await option.textContent()
      expect(names.some((name) => text!.includes(name))).toBe(true)
    }
    expect(await page.getByRole('button', { name: 'Browse the tree' }).count()).toBe(0)
  })

  test('speaks German, and labels follow the language of the page or its own', async () => {
    const page = await open(
      craft('required') +
        CRAFT.replaceAll('craft"', 'other"')
          .replace('Craft', 'Other')
          .replace('vocabulary=', 'language="en" vocabulary='),
      {
        attributes: 'lang="de"',
      },
    )
    await type(page, 'buchb')
    expect(await announced(page)).toMatch(/^Vorschläge: /)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe('B1 Buchbinderei')
    await type(page, 'buchb', 'Other')
    const option = page.getByRole('option').first()
    // Another label says why it was found.
    expect(await option.textContent()).toMatch(/Bookbinding.*Buchbinde/)
    expect(await option.locator('bdi').nth(1).getAttribute('lang')).toBe('en')
  })

  test('in a language that Intl refuses, numbers are plain', async () => {
    const page = await open(CRAFT, { attributes: 'lang="zh-cmn-Hans"' })
    await type(page, 'bookb')
    expect(await announced(page)).toMatch(/^Suggestions: \d+$/)
  })

  test('asks after a pause, and forgets answers that come too late', async () => {
    const page = await open(CRAFT)
    const asked: string[] = []
    await page.route('**/suggest?**', async (route) => {
      const text = new URL(route.request().url()).searchParams.get('search')!
      asked.push(text)
      if (text === 'weav') await new Promise((resolve) => setTimeout(resolve, 1_000))
      await route.continue().catch(() => undefined)
    })
    await field(page).pressSequentially('weav', { delay: 20 })
    await page.waitForRequest(/suggest/)
    await field(page).fill('bookb')
    await page.getByRole('option', { name: /Bookbinding/ }).waitFor()
    await page.waitForTimeout(1_200)
    expect(asked).toEqual(['weav', 'bookb'])
    expect(await page.getByRole('option', { name: /Bookbinding/ }).count()).toBe(1)
  })

  test('without a network it says so, keeps what is chosen, and goes on by itself', async () => {
    const page = await open(
      craft(`value="${BOOKBINDING}"`) + CRAFT.replaceAll('craft"', 'other"').replace('Craft', 'Other'),
    )
    await page.waitForFunction(() =>
      /B1/.test(document.querySelector('vocabulary-picker')!.shadowRoot!.querySelector('input')!.value),
    )
    await page.context().setOffline(true)
    await field(page, 'Other').pressSequentially('bookb')
    await page.getByText('There is no connection.', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await page.locator('vocabulary-picker').nth(1).getByRole('status').textContent()).toBe(
      'There is no connection. Try again',
    )
    expect(await fields(page)).toEqual([`craft=${BOOKBINDING}`])
    await page.context().setOffline(false)
    await page.getByRole('option', { name: /Bookbinding/ }).waitFor()
    await page.keyboard.press('Escape')
    // The tree, too.
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Browse the tree' }).nth(1).click()
    await page.getByRole('treeitem', { name: 'There is no connection. Try again' }).waitFor()
    await page.context().setOffline(false)
    await page.keyboard.press('Enter')
    await page.getByRole('treeitem', { name: /Book/ }).waitFor()
    expect(await page.locator('[role=treeitem]:focus').count()).toBe(1)
  })

  test.each([
    ['does not answer', 'The vocabulary does not answer.', 503, 'Try again'],
    ['refuses', 'The vocabulary cannot be read.', 404, 'Try again'],
  ])('a service that %s', async (_name, text, status, retry) => {
    const page = await open(CRAFT)
    let isBroken = true
    await page.route('**/suggest?**', (route) =>
      isBroken
        ? route.fulfill({ status, headers: { 'access-control-allow-origin': '*' }, body: '{}' })
        : route.continue(),
    )
    await field(page).pressSequentially('bookb')
    await page.locator('[part=status] bdi').getByText(text).waitFor()
    // Enter tries again, too.
    await page.keyboard.press('Enter')
    await page.getByText(text).first().waitFor()
    isBroken = false
    await page.getByRole('button', { name: retry }).click()
    await page.getByRole('option', { name: /Bookbinding/ }).waitFor()
    expect(await field(page).evaluate((input) => input === (input.getRootNode() as ShadowRoot).activeElement)).toBe(
      true,
    )
  })

  test('a site with a strict policy', async () => {
    site.headers = {
      'content-security-policy': `default-src 'none'; script-src ${app.url}; connect-src ${app.url}; require-trusted-types-for 'script'`,
    }
    const page = await open(CRAFT)
    await type(page, 'bookb')
    expect(await field(page).evaluate((input) => getComputedStyle(input).borderTopWidth)).toBe('0px')
    await page.getByRole('button', { name: 'Browse the tree' }).click()
    await page.getByRole('treeitem').first().waitFor()
  })

  test('labels are text, however hostile or long', async () => {
    const page = await open(CRAFT.replace('"crafts"', `"odd" multiple label-name="label"`), {
      viewport: { width: 375, height: 700 },
    })
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    await type(page, 'hostile')
    expect(await page.getByRole('option').first().textContent()).toContain(HOSTILE)
    expect(await page.getByRole('option').first().textContent()).toContain('<script>')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await type(page, 'long')
    const shown = (await page.getByRole('option').first().textContent())!
    expect(shown.length).toBeLessThan(300)
    expect(await overflow()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await overflow()).toBe(0)
    // The form gets the whole label.
    expect(await fields(page)).toEqual([
      `craft=${ODD}hostile`,
      `craft=${ODD}long`,
      `label=${HOSTILE}`,
      `label=${LONG_LABEL}`,
    ])
    await page.getByRole('button', { name: 'Browse the tree' }).click()
    await page.getByRole('treeitem', { name: 'Root' }).locator('[part=twisty]').click()
    await page.getByRole('treeitem', { name: HOSTILE }).waitFor()
    expect(
      await page.getByRole('treeitem', { name: /^long/ }).evaluate((item) => item.textContent.length),
    ).toBeLessThan(300)
    expect(await overflow()).toBe(0)
    expect(await page.evaluate(() => 'isRun' in globalThis)).toBe(false)
    expect(await page.locator('img, b, i, script:not([src])').count()).toBe(0)
  })

  test('from right to left', async () => {
    const page = await open(CRAFT.replace('"crafts"', '"odd"'), { attributes: 'lang="he" dir="rtl"' })
    await page.getByRole('button', { name: 'Browse the tree' }).click()
    const root = page.getByRole('treeitem', { name: 'שורש' })
    await root.waitFor()
    const [icon, name] = await Promise.all([root.locator('[part=twisty]').boundingBox(), root.boundingBox()])
    expect(icon!.x + icon!.width / 2).toBeGreaterThan(name!.x + name!.width / 2)
    await page.keyboard.press('Home')
    while ((await root.evaluate((item) => item.tabIndex)) !== 0) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    expect(await root.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('treeitem', { name: 'כריכה (1)' }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    expect(await root.evaluate((item) => item.tabIndex)).toBe(0)
    // Neither labels nor the words of the picker take the direction around them.
    expect(await page.getByRole('treeitem', { name: 'כריכה (1)' }).locator('bdi').getAttribute('lang')).toBe('he')
  })

  test.each<[string, BrowserContextOptions]>([
    ['wide and light', { viewport: { width: 1400, height: 800 }, colorScheme: 'light' }],
    ['narrow and dark', { viewport: { width: 375, height: 700 }, colorScheme: 'dark' }],
  ])('%s: axe finds nothing, closed, open, with values, and with a failure', async (_name, look) => {
    const several = CRAFT.replaceAll('craft"', 'several"')
      .replace('Craft', 'Several')
      .replace('vocabulary=', `multiple value="${BOOKBINDING}|${CRAFTS}textiles" vocabulary=`)
    const page = await open(craft('required') + several, look)
    await page.addStyleTag({ content: ':root { color-scheme: light dark }' })
    await page.getByText('Bookbinding').waitFor()
    expect(await findAccessibilityViolations(page)).toEqual([])
    await type(page, 'b')
    await page.keyboard.press('ArrowDown')
    expect(await findAccessibilityViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Browse the tree' }).nth(1).click()
    await page.getByRole('treeitem').first().waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('[role=group] [role=treeitem]').first().waitFor()
    expect(await findAccessibilityViolations(page)).toEqual([])
    await page.context().setOffline(true)
    await field(page, 'Several').pressSequentially('x')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await findAccessibilityViolations(page)).toEqual([])
  })

  test('opens upwards if there is no room below', async () => {
    const page = await open(`<div style="height: 600px"></div>${CRAFT}`, { viewport: { width: 700, height: 720 } })
    await type(page, 'b')
    const [list, input] = await Promise.all([page.getByRole('listbox').boundingBox(), field(page).boundingBox()])
    expect(list!.y + list!.height).toBeLessThanOrEqual(input!.y)
  })

  describe('the examples of docs/forms.md, as they stand there', () => {
    let examples: string[]
    beforeAll(async () => {
      const text = await readFile(join(ROOT, 'docs/forms.md'), 'utf8')
      examples = [...text.matchAll(/^```(?:html|tsx)\n(.*?)^```$/gms)].map(([, example]) => example!)
      expect(examples).toHaveLength(3)
    })

    /** A page of the site; the service of the examples is the one of this test. */
    async function openExample(html: string): Promise<Page> {
      site.html = html
      const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.route('http://localhost:3000/**', (route) =>
        route.continue({ url: route.request().url().replace('http://localhost:3000', app.url) }),
      )
      await page.goto(site.url)
      return page
    }

    test('a plain form', async () => {
      const page = await openExample(examples[0]!)
      await type(page, 'bookb')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      const { body } = await app.ask('/voc/materials/top', { limit: '2' })
      for (const { prefLabel } of body) {
        await type(page, prefLabel.en, 'Materials')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
      }
      await Promise.all([page.waitForURL('**/objects'), page.getByRole('button', { name: 'Save' }).click()])
      const [a, b] = body
      expect(site.sent).toEqual([
        [
          ['craft', BOOKBINDING],
          ['material', a.uri],
          ['material', b.uri],
          ['label', a.prefLabel.en],
          ['label', b.prefLabel.en],
        ],
      ])
    })

    test('React', async () => {
      const esbuild = join(ROOT, 'node_modules/.bin/esbuild')
      const args = [
        '--bundle',
        '--format=esm',
        '--loader=tsx',
        '--jsx=automatic',
        '--define:process.env.NODE_ENV="production"',
      ]
      const bundling = run(esbuild, args, { cwd: ROOT, maxBuffer: 64 << 20 })
      bundling.child.stdin!.end(examples[1])
      const { stdout } = await bundling
      const page = await openExample(
        `<!doctype html><html lang="en"><meta charset="utf-8"><title>React</title><div id="root"></div></html>`,
      )
      await page.addScriptTag({ content: stdout, type: 'module' })
      for (const text of ['bookb', 'weav']) {
        await type(page, text, 'Crafts')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
      }
      const shown = page.locator('ol > li')
      expect(await shown.first().textContent()).toBe('Bookbinding')
      expect(await shown.count()).toBe(2)
      expect(await fields(page)).toHaveLength(2)
      await page.getByRole('button', { name: 'Remove: Bookbinding' }).click()
      expect(await shown.count()).toBe(1)
      await page.getByRole('button', { name: 'None' }).click()
      expect(await fields(page)).toEqual([])
    })

    test('a list of the browser, in nine lines', async () => {
      expect(examples[2]!.trim().split('\n')).toHaveLength(9)
      const page = await openExample(`<!doctype html><title>List</title>${examples[2]!}`)
      await page.getByLabel('Craft').pressSequentially('bookb')
      await page.waitForFunction(() => document.querySelector('datalist')!.options.length > 0)
      const labels = await page.evaluate(() =>
        [...document.querySelector('datalist')!.options].map(({ value }) => value),
      )
      const { body } = await app.ask('/suggest', { search: 'bookb', voc: 'crafts', plain: 'true' })
      expect(labels).toEqual(body[1])
    })
  })
})
