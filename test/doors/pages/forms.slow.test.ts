/** Forms to fill in: reports of mistakes, which go to the operator, and proposals of concepts. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { readConfig } from '../../../src/config.ts'
import { CRAFTS, putDemo } from '../../app.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../../browser.ts'
import { startIngest, type IngestService } from '../../writing/ingest/service.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { cleanUp, startStore } from '../../interface/store/start.ts'
import { expectPage, HTML } from './html.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`
const FORM = `/feedback?uri=${BOOKBINDING}`

let mail: MailServer
let service: IngestService
beforeAll(async () => {
  mail = await startMailServer()
  const store = await startStore()
  service = await startIngest(store.endpoint, {
    SMTP_URL: mail.url,
    SITE_FEEDBACK: 'form',
    SITE_CONTACT: 'operator@example.org',
  })
  await putDemo(service)
  await service.index.refresh([CRAFTS])
  await service.index.caughtUp()
}, 60_000)
afterAll(async () => {
  await service?.close()
  await mail?.stop()
  await cleanUp()
})

const report = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  service.get('/feedback', {
    method: 'POST',
    body: new URLSearchParams({ uri: BOOKBINDING, ...fields }),
    headers: { ...HTML.headers, ...headers },
    redirect: 'manual',
  })

describe('A report of a mistake', () => {
  test('has a form, to which the concept leads', async () => {
    const concept = await service.get(`/concept?uri=${BOOKBINDING}&lang=en`, HTML)
    expect(concept.text).toMatch(/href="\.\/feedback\?uri=[^"]*">Report a mistake/)
    await expectPage(await service.get(`${FORM}&lang=en`, HTML))
    await expectPage(await service.get(`${FORM}&sent=1`, HTML))
    expect((await service.get('/feedback?uri=http://example.org/none', HTML)).status).toBe(404)
  })

  test('goes to the operator alone, as plain text', async () => {
    const message = 'The name is wrong.\r\nBcc: victim@example.org\r\n\r\n<b>Really</b>'
    const { status, headers } = await report({
      message,
      contact: 'me@example.org\r\nBcc: other@example.org',
      lang: 'en',
    })
    expect([status, headers.get('location')]).toEqual([303, `feedback?uri=${BOOKBINDING}&sent=1&lang=en`])
    await mail.until(1)
    const [received] = mail.received
    expect(received!.recipients).toEqual(['operator@example.org'])
    expect(received!.headers['bcc']).toBeUndefined()
    expect(received!.headers['reply-to']).toBeUndefined()
    expect(received!.headers['content-type']).toMatch(/^text\/plain/)
    expect(received!.headers['subject']).toMatch(/^Fehler \/ mistake: /)
    expect(received!.text).toContain('> The name is wrong.\n> Bcc: victim@example.org\n')
    expect(received!.text).toContain('me@example.org Bcc: other@example.org')
    expect(received!.text).toContain(BOOKBINDING)
  })

  test('is refused without a text, about nothing, from another site; programs fall into the trap', async () => {
    expect((await report({ message: ' ' })).status).toBe(400)
    expect((await report({ message: 'x'.repeat(10_001) })).status).toBe(400)
    expect((await report({ message: 'x', uri: 'http://example.org/none' })).status).toBe(404)
    expect((await report({ message: 'x' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    // Over plain HTTP, browsers send the origin alone.
    for (const origin of ['http://evil.example', 'https://localhost.evil.example', 'null']) {
      expect([origin, (await report({ message: 'x' }, { origin })).status]).toEqual([origin, 403])
    }
    const { origin } = new URL(service.config.baseUrl)
    expect((await report({ message: 'x', website: 'http://spam.example' }, { origin })).status).toBe(303)
    expect((await report({ message: 'x', website: 'http://spam.example' })).status).toBe(303)
    expect(service.ingest.outbox.size).toBe(0)
  })

  test('counts against limits by address', async () => {
    const statuses: number[] = []
    for (let nth = 0; nth < 6; nth++) statuses.push((await report({ message: 'x', website: 'trap' })).status)
    expect(statuses.at(-1)).toBe(429)
    const { text } = await service.get(FORM, HTML)
    const address = /<form class="entry" method="post" action="\.([^"]*)"/.exec(text)![1]!
    const refused = await service.get(address, {
      method: 'POST',
      body: new URLSearchParams({ uri: BOOKBINDING, message: 'x' }),
      headers: { ...HTML.headers, 'accept-language': 'en' },
    })
    await expectPage(refused, 429)
    expect(refused.text).toContain('<h1>The service refused this request</h1>')
    // The way back leads to the form.
    expect(refused.text).toContain(`<a class="action" href=".${FORM}">`)
    expect(mail.received).toHaveLength(1)
  })

  test('needs a mail address of the operator', () => {
    expect(() => readConfig({ SITE_FEEDBACK: 'form' })).toThrow(/^SITE_FEEDBACK: /)
    expect(() => readConfig({ SITE_FEEDBACK: 'form', SITE_CONTACT: 'https://example.org/' })).toThrow(
      /^SITE_FEEDBACK: /,
    )
    expect(() => readConfig({ SITE_FEEDBACK: 'web' })).toThrow(/^SITE_FEEDBACK: expected one of mail, form/)
  })
})

const describeBrowser = NO_BROWSER ? describe.skip : describe

describeBrowser(`Proposals in Chromium${NO_BROWSER}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(() => browser?.close())

  test('tell what is already there, show the JSON, and are stored', async () => {
    await expectPage(await service.get('/propose?lang=en', HTML))
    for (const path of ['/voc/crafts?lang=en', `/concept?uri=${BOOKBINDING}&lang=en`]) {
      const { text } = await service.get(path, HTML)
      expect(text).toMatch(/href="[./]*\/propose\?voc=crafts&amp;lang=en">Propose a concept/)
    }
    const account = await service.account()
    const context = await browser.newContext({ locale: 'en-GB' })
    const tab = await context.newPage()
    const errors: string[] = []
    tab.on('pageerror', (error) => errors.push(error.message))
    await tab.goto(`${service.url}/propose?voc=crafts`)
    await tab.getByLabel('Name (German)', { exact: true }).fill('Buchbinderei')
    await tab.locator('#already a').first().waitFor()
    expect(await tab.locator('#already').innerText()).toMatch(/^There is already /)
    await tab.getByLabel('Name (German)', { exact: true }).fill('<img src=x onerror=alert(1)>')
    await tab.getByLabel('URIs of the same').fill('no uri')
    expect(await tab.getByLabel('URIs of the same').getAttribute('aria-invalid')).toBe('true')
    await tab.getByLabel('URIs of the same').fill('')
    await tab.getByLabel('Name (German)', { exact: true }).fill('Kettenstichheftung')
    expect(JSON.parse((await tab.locator('#json').textContent())!)[0].prefLabel).toEqual({ de: 'Kettenstichheftung' })
    await tab.getByLabel('Username').first().fill(account.username)
    await tab.getByLabel('Token', { exact: true }).fill('wrong')
    await tab.keyboard.press('Enter')
    await tab.getByText('Unknown username or wrong token.').waitFor()
    expect(await tab.evaluate(() => localStorage.length)).toBe(0)
    await tab.getByLabel('Token', { exact: true }).fill(account.token)
    await tab.keyboard.press('Enter')
    await tab.getByText('The concept is stored').waitFor()
    for (const name of ['Name (German)', 'Name (English)']) {
      expect(await tab.getByLabel(name, { exact: true }).inputValue()).toBe('')
    }
    await tab.locator('.notice a').click()
    await tab.waitForURL(/\/concept\?uri=/)
    expect(await tab.locator('h1').innerText()).toContain('Kettenstichheftung')
    expect(errors).toEqual([])
  }, 60_000)

  test('go to the vocabulary of the link, also if it has no notation', async () => {
    const graph = 'http://example.org/vocabulary/unnoted/'
    await service.put(
      graph,
      `<${graph}> a <http://www.w3.org/2004/02/skos/core#ConceptScheme> ;
        <http://www.w3.org/2004/02/skos/core#prefLabel> "Unnoted"@en .`,
    )
    const { text } = await service.get('/propose?voc=unnoted&lang=en', HTML)
    expect(text).toContain(`<option value="${graph}" selected>Unnoted</option>`)
  })

  test('work in a browser that keeps nothing', async () => {
    const tab = await (await browser.newContext({ locale: 'en-GB' })).newPage()
    await tab.addInitScript(() =>
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new Error('refused')
        },
      }),
    )
    const errors: string[] = []
    tab.on('pageerror', (error) => errors.push(error.message))
    await tab.goto(`${service.url}/propose?voc=crafts`)
    await tab.getByLabel('Name (German)', { exact: true }).fill('Buchbinderei')
    await tab.locator('#already a').first().waitFor()
    expect(await tab.getByRole('button', { name: 'Propose' }).isDisabled()).toBe(false)
    expect(errors).toEqual([])
  })

  test.each([
    ['wide and light', { viewport: { width: 1400, height: 900 }, colorScheme: 'light' as const }],
    ['narrow and dark', { viewport: { width: 375, height: 700 }, colorScheme: 'dark' as const }],
  ])(
    '%s: nothing that axe finds, nothing too wide',
    async (_name, look) => {
      const context = await browser.newContext({ locale: 'en-GB', bypassCSP: true, ...look })
      const tab = await context.newPage()
      for (const path of ['/propose', FORM]) {
        await tab.goto(service.url + path)
        expect([path, await findAccessibilityViolations(tab)]).toEqual([path, []])
        expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(look.viewport.width)
        if (process.env['SHOTS'])
          await tab.screenshot({
            path: `${process.env['SHOTS']}/${path.slice(1, 8)}-${look.colorScheme}.png`,
            fullPage: true,
          })
      }
    },
    60_000,
  )

  test('without JavaScript proposals and reports can be sent', async () => {
    const account = await service.account()
    const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })
    const tab = await context.newPage()
    await tab.goto(`${service.url}/propose?voc=crafts`)
    expect(await tab.getByText('Keep username and token').isVisible()).toBe(false)
    await tab.getByLabel('Name (German)', { exact: true }).fill('Fadenheftung')
    await tab.getByLabel('URIs of the same').fill('no uri')
    await tab.getByLabel('Username').first().fill(account.username)
    await tab.getByLabel('Token', { exact: true }).fill(account.token)
    await tab.getByRole('button', { name: 'Propose' }).click()
    await tab.getByText('This is not a URI: no').waitFor()
    expect(await tab.getByLabel('Name (German)', { exact: true }).inputValue()).toBe('Fadenheftung')
    expect(tab.url()).not.toContain(account.token)
    await tab.getByLabel('URIs of the same').fill('')
    await tab.getByLabel('Token', { exact: true }).fill(account.token)
    await tab.getByRole('button', { name: 'Propose' }).click()
    await tab.getByText('The concept is stored').waitFor()
    await tab.goto(service.url + FORM)
    expect(
      await tab.getByLabel('Leave this field empty').evaluate((element) => element.getBoundingClientRect().right),
    ).toBeLessThan(0)
  }, 60_000)
})
