/** Values of parameters as they come from outside, over both stores: none of them is too much for a store. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`

/** In no grammar of IRIs, though SPARQL could write them. */
const MALFORMED = [
  ...['x:%', 'http://a:port/', 'http://[::1', 'http://a/[b]', 'urn:a[b]', 'x:#a#b', 'x://a@b@c', 'x:', 'http://a/%4g'],
  ...['http://a b', 'http://a>b', 'http://a"b', 'http://a/\u0001', 'http://a/\ue000'],
  ...['http://[fe80::1%eth0]/', 'http://[fe80::1%25eth0]/'],
]
/** Odd, and right. */
const WELL_FORMED = [
  ...['x:y', 'http://a:/', 'http://[::1]:80/a', 'http://[v1.a:b]/', 'http://user:word@example.org/%41', 'a:/b//c'],
  ...['http://exämple.org/é😀', 'http://example.org?q=\ue000', 'mailto:a@example.org', 'file:///a/b', 'urn:isbn:1'],
  ...[
    'http://a:99999999/',
    'http://example.org/a:',
    'http://999.999.999.999/',
    "x:(')*+,;=!$&@",
    'http:a',
    'http:///a',
  ],
]
/** Lists of IRIs, and one value that finds something. */
const LISTS: [path: string, name: string, example: string][] = [
  ['/data', 'uri', BOOKBINDING],
  ['/data', 'id', BOOKBINDING],
  ['/broader', 'uri', BOOKBINDING],
  ['/narrower', 'uri', `${CRAFTS}book-and-paper`],
  ['/descendants', 'uri', `${CRAFTS}book-and-paper`],
  ['/ancestors', 'uri', BOOKBINDING],
  ['/voc', 'uri', CRAFTS],
  ['/voc', 'id', CRAFTS],
  ['/voc', 'voc', CRAFTS],
  ['/voc/top', 'uri', CRAFTS],
  ['/voc/concepts', 'uri', CRAFTS],
  ['/voc/crafts/top', 'type', 'http://www.w3.org/2004/02/skos/core#Concept'],
  ['/types', 'uri', CRAFTS],
  ['/search', 'voc', CRAFTS],
  ['/search', 'ancestors', `${CRAFTS}book-and-paper`],
  ['/suggest', 'voc', CRAFTS],
]

describeOver(EMBEDDED, 'Parameters', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_LIMIT: '7' })
    await putDemo(app)
  })
  afterAll(async () => {
    // Nothing of this is a failure of ours that belongs into the log.
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  const ids = ({ body }: { body: any }) => (Array.isArray(body[1]) ? body[3] : body.map(({ uri }: any) => uri))

  describe.each(LISTS)('%s?%s=', (path, name, example) => {
    test('a malformed IRI alone is an error', async () => {
      for (const iri of MALFORMED) {
        const { status, body } = await app.ask(path, { [name]: iri })
        expect([iri, status, body.error]).toEqual([iri, 400, 'MalformedRequestError'])
        expect(body.message).toMatch(new RegExp(`^${name}: `))
      }
      expect((await app.ask(path, { [name]: MALFORMED.join('|') })).status).toBe(400)
    })

    test('in a list it matches nothing and spoils nothing', async () => {
      const alone = await app.ask(path, { [name]: example })
      expect(ids(alone).length).toBeGreaterThan(0)
      const listed = await app.ask(path, { [name]: [...MALFORMED, example, 'no-iri', ...MALFORMED].join('|') })
      expect([listed.status, ids(listed)]).toEqual([200, ids(alone)])
    })

    test('an IRI that is only odd finds nothing', async () => {
      for (const iri of WELL_FORMED) {
        const answer = await app.ask(path, { [name]: iri })
        expect([iri, answer.status]).toEqual([iri, 200])
        if (path !== '/types') expect([iri, ids(answer)]).toEqual([iri, []])
      }
    })
  })

  test('all identifiers of a vocabulary in one list, as clients send them', async () => {
    const list = [CRAFTS.slice(0, -1), 'crafts', CRAFTS].join('|')
    expect(ids(await app.ask('/voc', { uri: list }))).toEqual([CRAFTS])
    const top = ids(await app.ask('/voc/top', { uri: CRAFTS }))
    expect(ids(await app.ask('/voc/top', { uri: list }))).toEqual(top)
    const results = ids(await app.ask('/search', { query: 'buch', voc: CRAFTS }))
    expect(ids(await app.ask('/search', { query: 'buch', voc: list }))).toEqual(results)
  })

  const BIG = '9'.repeat(26)
  test('a whole number of any size is a number', async () => {
    const all = await app.ask('/descendants', { uri: `${CRAFTS}book-and-paper`, limit: BIG })
    expect([all.status, all.body.length, Number(all.headers.get('x-total-count'))]).toEqual([200, 7, 27])
    const beyond = await app.ask('/descendants', { uri: `${CRAFTS}book-and-paper`, limit: BIG, offset: BIG })
    expect([beyond.status, beyond.body, beyond.headers.get('x-total-count')]).toEqual([200, [], '27'])
    for (const path of ['/voc', '/search', '/types', '/voc/crafts/top', '/formats']) {
      const { status, body } = await app.ask(path, { limit: BIG, offset: BIG })
      expect([path, status, body]).toEqual([path, 200, []])
    }
    expect((await app.ask('/suggest', { search: 'a', count: BIG, offset: BIG })).status).toBe(200)
  })

  test.each(['1e3', '-1', '1.5', '+1', '0x10', ' 1', '١', 'NaN', 'ten', '1,000'])('limit=%s is none', async (value) => {
    for (const name of ['limit', 'offset']) {
      const { status, body } = await app.ask('/voc', { [name]: value })
      expect([status, body.message]).toEqual([400, expect.stringMatching(new RegExp(`^${name}: `))])
    }
  })

  test('an empty value is as if absent', async () => {
    const names = [
      'voc',
      'properties',
      'languages',
      'language',
      'limit',
      'offset',
      'format',
      'uri',
      'id',
      'notation',
      'subset',
    ]
    const { body } = await app.get('/voc')
    expect((await app.get(`/voc?${names.map((name) => `${name}=`).join('&')}`)).body).toEqual(body)
    expect((await app.get(`/voc?${names.join('&')}`)).body).toEqual(body)
  })

  test.each(['uri=a:b&uri=a:b', 'uri[]=a:b', 'uri[0]=a:b', 'uri%5Bx%5D=a:b', 'uri[', 'limit=1&limit=1', 'uri=&uri='])(
    'doubled or array-like: %s',
    async (query) => {
      const { status } = await app.get(`/narrower?${query}${query.startsWith('limit') ? '&uri=a:b' : ''}`)
      expect(status).toBe(400)
    },
  )
})
