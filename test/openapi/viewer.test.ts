import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../app.ts'

/** Nobody is there: none of this needs a store. */
const NO_STORE = 'http://127.0.0.1:9/'

describe('The pages for people', () => {
  let app: RunningApp
  beforeAll(async () => {
    const endpoint = { queryUrl: NO_STORE, updateUrl: NO_STORE, graphStoreUrl: NO_STORE }
    app = await startApp(endpoint, { BASE_URL: 'https://example.org/vocabularies' })
  })
  afterAll(async () => {
    await app?.close()
  })

  test('/docs needs nothing from elsewhere, and lets nothing in', async () => {
    const page = await app.get('/docs')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.text).not.toMatch(/\b(https?:)?\/\//)
    expect(page.text).not.toMatch(/<script>|\son\w+=/)
    const policy = page.headers.get('content-security-policy')!.split(';')
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'"]))
    expect(policy).toContain("connect-src 'self' https://example.org")

    const loaded = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map((match) => match[1]!)
    expect(loaded.length).toBeGreaterThan(2)
    for (const file of loaded) {
      const answer = await app.get(`/${file}`)
      expect([file, answer.status]).toEqual([file, 200])
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-type')).toMatch(
        file.endsWith('.js') ? /^text\/javascript/ : file.endsWith('.css') ? /^text\/css/ : /^image\/png/,
      )
      const etag = answer.headers.get('etag')!
      expect((await app.get(`/${file}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
    // The last script starts the viewer with the document that is there.
    const start = await app.get(`/${loaded.at(-1)!}`)
    expect(start.text).toContain("url: 'openapi.json'")
    expect((await app.get('/openapi.json')).body.servers).toEqual([{ url: 'https://example.org/vocabularies' }])
  })

  test.each([
    ['/docs/', 308],
    ['/docs/none.js', 404],
    ['/docs/../package.json', 404],
    ['/docs/%2e%2e/package.json', 404],
    ['/docs/swagger-ui.js.map', 404],
  ])('%s: %i', async (path, status) => {
    const answer = await app.get(path, { redirect: 'manual' })
    expect(answer.status).toBe(status)
    if (status === 308) expect(answer.headers.get('location')).toBe('../docs')
  })

  test.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
  ])('/ with Accept: %s is %s', async (accept, type) => {
    const answer = await app.get('/', { headers: { accept } })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('vary')).toContain('Accept')
    if (answer.body) expect(answer.body.vocabularies).toBe('https://example.org/vocabularies/voc')
  })
})
