/** The headers of every list, and the reading of paths. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { request } from 'node:http'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BASE = 'https://vocabularies.example/base/'
const concept = `uri=${encodeURIComponent(`${CRAFTS}book-and-paper`)}`
const scheme = `uri=${encodeURIComponent(CRAFTS)}`

/** Every list, and one of each that is empty. */
const LISTS = [
  ...[
    `/data?${concept}`,
    '/data?notation=none',
    `/broader?${concept}`,
    `/narrower?${concept}`,
    `/descendants?${concept}`,
  ],
  ...[`/ancestors?${concept}`, '/voc', '/voc?notation=none', '/voc/crafts', '/voc/crafts/top', `/voc/top?${scheme}`],
  ...[
    `/voc/concepts?${scheme}`,
    '/voc/crafts/concepts',
    '/search?query=buch',
    '/search?query=none-such',
    '/suggest?search=buch',
    '/types',
  ],
  ...['/concept-types/crafts', '/formats', '/formats.ndjson'],
]

/** The links to pages of a list in a Link header by relation, below the base address (RFC 8288). */
function links(headers: Headers): Record<string, string> {
  const header = headers.get('link') ?? ''
  return Object.fromEntries(
    [...header.matchAll(/<([^>]*)>; rel="(first|last|prev|next)"/g)].map(([, url, name]) => {
      expect(url!.startsWith(BASE)).toBe(true)
      return [name, url!.slice(BASE.length - 1)]
    }),
  )
}

describeOver(EMBEDDED, 'Lists', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { BASE_URL: BASE })
    await putDemo(app)
  })
  afterAll(async () => {
    await app.close()
    await running.stop()
  })

  test.each(LISTS)('%s: X-Total-Count, first and last', async (path) => {
    const { status, headers } = await app.get(path)
    expect(status).toBe(200)
    expect(headers.get('x-total-count')).toMatch(/^\d+$/)
    // All on one page: both are the request itself.
    expect(links(headers)).toEqual({ first: path, last: path })
  })

  test('pages lead to each other', async () => {
    const of = async (path: string) => links((await app.get(path)).headers)
    const page = (limit: number, offset: number) => `/descendants?${concept}&limit=${limit}&offset=${offset}`
    const edges = { first: page(10, 0), last: page(10, 20) }
    expect(await of(page(10, 0))).toEqual({ ...edges, next: page(10, 10) })
    expect(await of(page(10, 10))).toEqual({ ...edges, prev: page(10, 0), next: page(10, 20) })
    expect(await of(page(10, 20))).toEqual({ ...edges, prev: page(10, 10) })
    expect(await of(page(10, 5))).toEqual({ ...edges, prev: page(10, 0), next: page(10, 15) })
    expect(await of(page(10, 500))).toEqual({ ...edges, prev: page(10, 20) })
    expect(await of(page(27, 0))).toEqual({ first: page(27, 0), last: page(27, 0) })
    expect(await of(page(0, 0))).toEqual({ first: page(0, 0), last: page(0, 0) })
    expect(await of('/search?query=a&limit=1&count=1&x=%F0%9F%98%80')).toMatchObject({
      first: '/search?query=a&x=%F0%9F%98%80&limit=1&offset=0',
    })
  })

  test('the ancestors are on one page, whatever limit says', async () => {
    const above = `/ancestors?uri=${encodeURIComponent(`${CRAFTS}gold-tooling`)}&properties=-`
    for (const limit of ['', '&limit=1', '&limit=0', '&count=1']) {
      const { headers, body } = await app.get(above + limit)
      expect([limit, headers.get('x-total-count'), body.length]).toEqual([limit, '2', 2])
      expect(links(headers)).toEqual({ first: above, last: above })
    }
    const [, second] = (await app.get(above)).body
    const { headers, body } = await app.get(`${above}&limit=1&offset=1`)
    expect([body[0], links(headers)]).toEqual([second, { first: above, last: above, prev: above }])
    const small = await startApp(running.endpoint, { BASE_URL: BASE, MAX_LIMIT: '1' })
    try {
      const { headers, body } = await small.get(above)
      expect(body).toHaveLength(1)
      expect((await small.get(links(headers)['next']!)).body).toEqual([second])
    } finally {
      await small.close()
    }
  })

  test('links are URIs, whatever the request has', async () => {
    const { headers } = await app.get('/voc?notation=crafts|materials&x[]={`a^\\"<ä>}&limit=1')
    expect(links(headers)['next']).toBe(
      '/voc?notation=crafts%7Cmaterials&x%5B%5D=%7B%60a%5E%5C%22%3C%C3%A4%3E%7D&limit=1&offset=1',
    )
  })

  test('links of a form lead to its other records', async () => {
    const [first, second] = ['book-and-paper', 'bookbinding'].map((name) => CRAFTS + name)
    const form = (uri: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `uri=${uri}&limit=1&properties=-`,
    })
    const { headers } = await app.get('/data?languages=de', form(`${first}|${second}`))
    const { next } = links(headers)
    expect(next).toContain('properties=-')
    expect((await app.get(next!)).body).toMatchObject([{ uri: second }])
    const long = await app.get('/data', form('http://example.org/none|'.repeat(300) + first))
    expect([long.status, long.headers.get('link')]).toEqual([200, null])
  })

  test('a long query has no links that clients could not read', async () => {
    const { status, headers } = await app.get(`/data?uri=${'http://example.org/none|'.repeat(300)}`)
    expect([status, headers.get('x-total-count'), headers.get('link')]).toEqual([200, '0', null])
  })

  /** Sends a request target as it is. */
  const send = (target: string): Promise<{ status: number; link: string; text: string }> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url)
      const sent = request({ hostname, port, path: target, headers: { host: 'other.example' } }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode!, link: response.headers.link as string, text }))
      })
      sent.on('error', reject).end()
    })

  describe('only the public address is in links', () => {
    test.each(['/voc?limit=1', 'http://evil.example/voc?limit=1', 'HTTPS://evil.example:444/voc?limit=1'])(
      '%s',
      async (target) => {
        const { status, link } = await send(target)
        expect(status).toBe(200)
        expect(link).toBe(
          ['first', 'last', 'next']
            .map((name) => `<${BASE}voc?limit=1&offset=${name === 'first' ? 0 : 1}>; rel="${name}"`)
            .join(', '),
        )
      },
    )
    test.each(['//evil.example/voc', '///evil.example/voc', '/\\evil.example/voc'])(
      '%s is not a path',
      async (target) => {
        const { status, text } = await send(target)
        expect([status, JSON.parse(text).error]).toEqual([404, 'EntityNotFoundError'])
      },
    )
  })

  test.each(['/VOC', '/Voc/crafts', '/voc/CRAFTS', '/INGEST', '/Docs', '/%76oc', '/voc/crafts/TOP', '/voc;x'])(
    '%s is another path than that in lower case',
    async (path) => {
      for (const method of path === '/INGEST' ? ['GET', 'POST'] : ['GET']) {
        const { status, body } = await app.get(path, { method, ...(method === 'POST' ? { body: '[]' } : {}) })
        expect([path, status, Object.keys(body)]).toEqual([path, 404, ['error', 'status', 'message']])
      }
    },
  )

  test('parts of an answer are not given', async () => {
    const whole = await app.get('/openapi.json')
    for (const range of ['bytes=0-9', 'bytes=5-1', 'bytes=99999999-', 'lines=1-2']) {
      const { status, headers, text } = await app.get('/openapi.json', { headers: { range } })
      expect([range, status, headers.get('content-range'), text.length]).toEqual([range, 200, null, whole.text.length])
    }
  })
})
