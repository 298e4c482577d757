/** The page of proposals: for readers, and for editors who decide. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { hashToken } from '../../../src/writing/ingest/accounts.ts'
import { MATERIALS, putDemo } from '../../app.ts'
import { findAccessibilityViolations, NO_BROWSER, startBrowser } from '../../browser.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../../writing/ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const PAGE = '/voc/crafts/proposals'

describeOver(EMBEDDED, 'the page of proposals', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let editor: TestAccount
  let proposer: TestAccount

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { BASE_URL: 'http://localhost:3000/' })
    await putDemo(service)
    editor = await service.account({ username: 'Eva E. Ditor', role: 'editor' })
    proposer = await service.account({ username: 'prop-oser' })
  }, 60_000)
  afterEach(() => expect(service.reported).toEqual([]))
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  const propose = async (name: string) => {
    const { status, body } = await service.propose(proposer, [concept({ prefLabel: { de: name } })])
    expect(status).toBe(201)
    return (body as { uri: string }[])[0]!.uri
  }
  const page = (query = '', cookie = '', path = PAGE) =>
    service.get(`${path}?lang=en${query}`, { headers: { ...HTML.headers, cookie } })
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}, path = PAGE) =>
    service.get(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...HTML.headers, ...headers },
      redirect: 'manual',
    })
  const logIn = async (account = editor, path = PAGE) => {
    const answer = await post({ action: 'login', username: account.username, token: account.token }, {}, path)
    expect(answer.status).toBe(303)
    return answer.headers.get('set-cookie')!.split(';')[0]!
  }
  const formOf = async (cookie: string) => / name="form" value="([^"]*)"/.exec((await page('', cookie)).text)![1]!

  test('everybody reads proposals and decisions there, in valid HTML, without names of accounts', async () => {
    const [open, accepted, refused] = [await propose('Offen'), await propose('Gut'), await propose('Schlecht')]
    const cookie = await logIn()
    const form = await formOf(cookie)
    await post({ action: 'accepted', uri: accepted, form, reason: 'Fine.' }, { cookie })
    await post({ action: 'refused', uri: refused, form, reason: 'Not <b>so</b>.' }, { cookie })
    for (const [query, name, reason] of [
      ['', 'Offen', ''],
      ['&status=accepted', 'Gut', 'Fine.'],
      ['&status=refused', 'Schlecht', 'Not &lt;b>so&lt;/b>.'],
    ]) {
      const answer = await page(query)
      await expectPage(answer)
      expect(answer.text).toContain(name)
      expect(answer.text).toContain(reason)
      for (const account of [editor, proposer]) expect(answer.text).not.toContain(account.username)
      expect(answer.text).not.toContain('value="accepted"')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      for (const lang of ['de', 'fr', 'es', 'it']) {
        const other = await service.get(`${PAGE}?lang=${lang}${query}`, HTML)
        expect([other.status, other.headers.get('content-language')]).toEqual([200, lang])
      }
    }
    expect((await page('&status=none')).status).toBe(400)
    expect((await page('', '', '/voc/none/proposals')).status).toBe(404)
    expect((await service.get('/voc/crafts?lang=en', HTML)).text).toMatch(
      /href="[./]*\/voc\/crafts\/proposals\?lang=en">Proposals</,
    )
    // Programs get records at the same address.
    expect((await service.get(PAGE)).body).toMatchObject([{ uri: open }])
    await post({ action: 'refused', uri: open, form }, { cookie })
  })

  test('the page and the versions of an accepted concept have the decision, without the editor', async () => {
    const uri = await propose('Angenommen')
    const pages = async (lang: string, headers: Record<string, string> = HTML.headers) =>
      Promise.all(['concept', 'history'].map(async (path) => service.ask(`/${path}`, { uri, lang }, { headers })))
    for (const { text } of await pages('en')) expect(text).not.toMatch(/proposal was accepted/)
    const cookie = await logIn()
    const reason = 'Well <i>made</i>.'
    await post({ action: 'accepted', uri, form: await formOf(cookie), reason }, { cookie })
    const day = new Date().toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
    const [shown, versions] = await pages('en')
    for (const answer of [shown!, versions!]) {
      await expectPage(answer)
      expect(answer.text).toContain('Reason: <bdi>Well &lt;i>made&lt;/i>.</bdi>')
    }
    expect(shown!.text.replace(/<[^>]*>/g, '')).toContain(`This proposal was accepted on ${day}.`)
    expect(versions!.text).toContain('<bdi>the proposal was accepted</bdi>')
    for (const { text } of [...(await pages('de')), ...(await pages('en', { ...HTML.headers, cookie }))]) {
      expect(text).not.toContain(editor.username)
    }
  })

  test('an editor sees the accounts and decides by forms', async () => {
    const [first, second] = [await propose('Erster'), await propose('Zweiter')]
    const cookie = await logIn()
    const shown = await page('', cookie)
    await expectPage(shown)
    expect(shown.text).toContain(`Logged in as ${editor.username}`)
    expect(shown.text).toContain(`(${proposer.username})`)
    expect(shown.text.match(/value="accepted"/g)).toHaveLength(2)
    const form = await formOf(cookie)
    const answer = await post({ action: 'accepted', uri: first, form, reason: ' Gut. ', lang: 'en' }, { cookie })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'proposals?done=accepted&lang=en'])
    expect((await page('&done=accepted', cookie)).text).toContain('The proposal is accepted.')
    expect((await service.ask('/data', { uri: first, properties: 'status' })).body).toMatchObject([{ status: [] }])
    expect((await page('&status=accepted', cookie)).text).toContain(`(${editor.username})`)
    await post({ action: 'refused', uri: second, form }, { cookie })
    expect((await service.ask('/data', { uri: second })).body).toEqual([])
    expect((await service.ask('/entity', { uri: second }, { redirect: 'manual' })).body.decision).toBe('refused')
    await service.index.caughtUp()
    expect((await service.ask('/search', { query: 'Zweiter' })).body).toEqual([])
    // A second decision about the same.
    const again = await post({ action: 'refused', uri: second, form }, { cookie, 'accept-language': 'en' })
    await expectPage(again, 422)
    expect(again.text).toContain('is no open proposal')
    const long = await post({ action: 'refused', uri: first, form, reason: 'x'.repeat(2001) }, { cookie })
    expect(long.status).toBe(422)
  })

  test('logging out ends it; a new token, another role and time end it, too', async () => {
    const other = await service.account({ role: 'editor' })
    const cookie = await logIn(other)
    expect((await page('', cookie)).text).toContain('Log out')
    const out = await post({ action: 'logout', form: await formOf(cookie) }, { cookie })
    expect(out.headers.get('set-cookie')).toMatch(/^vocabulary-editor=; Max-Age=0; /)
    const [, value = ''] = cookie.split('=')
    const [facts] = value.split(/\.[^.]*$/)
    const past = `${encodeURIComponent(other.username)}.${Math.floor(Date.now() / 1000) - 1}`
    const signed = (text: string, token: string) =>
      `${text}.${createHmac('sha256', Buffer.from(hashToken(token), 'hex'))
        .update(`session ${text}`)
        .digest('base64url')}`
    expect(signed(facts!, other.token)).toBe(value)
    for (const wrong of [
      signed(past, other.token),
      signed(facts!, 'another token'),
      `${facts}.${'A'.repeat(43)}`,
      value.slice(0, -1),
      `${value}.x`,
      signed(`nobody.${9e9}`, other.token),
      signed(`%E0%A4%A.${9e9}`, other.token),
      '',
    ]) {
      const { status, text } = await page('', `vocabulary-editor=${wrong}`)
      expect([wrong, status, text.includes('Log out')]).toEqual([wrong, 200, false])
    }
  })

  test('the cookie is for this service alone, and Secure behind TLS', async () => {
    const attributes = async (headers: Record<string, string>) =>
      (await post({ action: 'login', ...editor }, headers)).headers.get('set-cookie')!.split('; ').slice(1)
    expect(await attributes({})).toEqual(['Max-Age=28800', 'Path=/', 'HttpOnly', 'SameSite=Strict'])
    const secure = await startIngest(running.endpoint, { BASE_URL: 'https://example.org/vocabularies/' })
    const account = await secure.account({ role: 'editor' })
    const answer = await secure.get(PAGE, {
      method: 'POST',
      body: new URLSearchParams({ action: 'login', ...account }),
      redirect: 'manual',
    })
    expect(answer.headers.get('set-cookie')!.split('; ').slice(2)).toEqual([
      'Path=/vocabularies/',
      'HttpOnly',
      'SameSite=Strict',
      'Secure',
    ])
    await secure.close()
  })

  test('nobody else decides', async () => {
    const uri = await propose('Bleibt offen')
    const cookie = await logIn()
    const form = await formOf(cookie)
    const elsewhere = await service.account({ role: 'editor', voc: MATERIALS })
    const login = (account: TestAccount) => post({ action: 'login', ...account }, { 'accept-language': 'en' })
    // A proposer, the editor of another vocabulary, nobody.
    expect((await login(proposer)).status).toBe(403)
    expect((await login(elsewhere)).status).toBe(403)
    const wrong = await login({ username: editor.username, token: 'wrong' })
    await expectPage(wrong, 401)
    expect(wrong.headers.get('set-cookie')).toBeNull()
    const foreign = await logIn(elsewhere, '/voc/materials/proposals')
    const refused: [number, Record<string, string>, Record<string, string>][] = [
      [401, { form }, {}],
      [401, { form }, { cookie: foreign }],
      [403, {}, { cookie }],
      [403, { form: 'x' }, { cookie }],
      [403, { form }, { cookie, 'sec-fetch-site': 'cross-site' }],
      [403, { form }, { cookie, 'sec-fetch-site': 'same-site' }],
      [403, { form }, { cookie, origin: 'http://elsewhere.example' }],
    ]
    for (const [status, fields, headers] of refused) {
      const answer = await post({ action: 'accepted', uri, ...fields }, headers)
      expect([answer.status, fields, headers]).toEqual([status, fields, headers])
    }
    expect((await post({ action: 'delete', uri, form }, { cookie })).status).toBe(400)
    // A proposal of another vocabulary.
    const materials = '/voc/materials/proposals'
    const formThere = / name="form" value="([^"]*)"/.exec((await page('', foreign, materials)).text)![1]!
    expect((await post({ action: 'accepted', uri, form: formThere }, { cookie: foreign }, materials)).status).toBe(422)
    expect((await service.ask(PAGE)).body).toMatchObject([{ uri }])
    await post({ action: 'refused', uri, form }, { cookie })
  })

  test('wrong logins count as everywhere', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) {
      statuses.push((await post({ action: 'login', username: editor.username, token: 'wrong' })).status)
    }
    expect(statuses.at(-1)).toBe(429)
    // The right token is heard even so.
    await logIn()
  })

  const describeBrowser = NO_BROWSER ? describe.skip : describe
  describeBrowser(`in Chromium${NO_BROWSER}`, () => {
    test('works without JavaScript, and is accessible', async () => {
      await propose('Ohne JavaScript')
      const browser = await startBrowser()
      try {
        const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false })
        const tab = await context.newPage()
        await tab.goto(service.url + PAGE)
        await tab.locator('#username').fill(editor.username)
        await tab.locator('#token').fill(editor.token)
        await tab.getByRole('button', { name: 'Log in' }).click()
        await tab.getByText(`Logged in as ${editor.username}`).waitFor()
        await tab.getByLabel('Reason').first().fill('Doppelt.')
        await tab.getByRole('button', { name: 'Refuse' }).first().click()
        await tab.getByText('The proposal is refused.').waitFor()
        await tab.getByRole('link', { name: 'Refused' }).click()
        await tab.getByText('Doppelt.').waitFor()
        await tab.getByRole('button', { name: 'Log out' }).click()
        await tab.getByRole('button', { name: 'Log in' }).waitFor()
        const seeing = await browser.newContext({
          locale: 'en-GB',
          bypassCSP: true,
          viewport: { width: 375, height: 700 },
        })
        const small = await seeing.newPage()
        await small.goto(`${service.url + PAGE}?status=refused`)
        expect(await findAccessibilityViolations(small)).toEqual([])
        expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375)
      } finally {
        await browser.close()
      }
    }, 60_000)
  })

  test('a service without a history lists proposals, and has no login', async () => {
    const off = await startIngest(running.endpoint, { HISTORY: 'off', BASE_URL: 'http://localhost:3000/' })
    const answer = await off.get(`${PAGE}?lang=en`, HTML)
    await expectPage(answer)
    expect(answer.text).not.toContain('Log in')
    expect((await off.get(PAGE, { method: 'POST', body: 'action=login' })).status).toBe(405)
    await off.close()
  })
})
