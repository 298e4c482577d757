/** URIs that answer, and what is said to machines that look around. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Parser, Store } from 'n3'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { HTML } from './html.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`

describeOver(EMBEDDED, 'Linked data', (store) => {
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  let base: string
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
    base = app.config.baseUrl
    await putDemo(app)
    await app.put(`${base}things/`, things(`${base}things/`))
    await app.put(`${base}hash#`, things(`${base}hash#`))
    await app.put('https://example.org/secure', things('https://example.org/secure/', 'https://example.org/secure'))
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  const ask = (path: string, accept = '*/*') => app.get(path, { headers: { accept }, redirect: 'manual' })

  test.each([
    [BOOKBINDING, HTML.headers.accept, `concept?uri=${BOOKBINDING}`],
    [BOOKBINDING, '*/*', `data?uri=${BOOKBINDING}`],
    [BOOKBINDING, 'text/turtle, text/html;q=0.5', `data?uri=${BOOKBINDING}`],
    [`${BOOKBINDING}&format=turtle`, HTML.headers.accept, `data?uri=${BOOKBINDING}&format=turtle`],
    [`${BOOKBINDING}&lang=de`, HTML.headers.accept, `concept?uri=${BOOKBINDING}&lang=de`],
    [CRAFTS, HTML.headers.accept, 'voc/crafts'],
    [CRAFTS.replace(/\/$/, ''), '*/*', 'voc/crafts'],
    [`${CRAFTS}subset/textile`, '*/*', 'voc/subset_crafts-textile'],
    // As a proxy sends it: the other protocol, and percent-encoded once more.
    [BOOKBINDING.replace('http:', 'https:'), '*/*', `data?uri=${BOOKBINDING}`],
    ['http://example.org/secure/br%C3%BCcke', '*/*', 'data?uri=https://example.org/secure/br%C3%BCcke'],
    ['http://example.org/secure/br%25C3%25BCcke', '*/*', 'data?uri=https://example.org/secure/br%C3%BCcke'],
  ])('/entity?uri=%s with %s is at %s', async (uri, accept, place) => {
    const answer = await ask(`/entity?uri=${uri}`, accept)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, base + place])
    expect(answer.headers.get('vary')).toContain('Accept')
    const there = await ask(answer.headers.get('location')!.replace(base, '/'), accept)
    expect(there.status).toBe(200)
    expect(there.headers.get('content-type')).toMatch(/html|json|turtle/)
  })

  test.each([
    ['/entity?uri=http://example.org/unknown', 404],
    ['/entity?uri=relative', 400],
    ['/entity', 400],
    ['/things/unknown', 404],
    ['/things/%zz', 404],
    ['/things/a|b', 404],
  ])('%s is %i', async (path, status) => {
    expect((await ask(path)).status).toBe(status)
  })

  test('a URI below the address of the service answers by itself', async () => {
    for (const path of ['things/stone', 'things/br%C3%BCcke']) {
      const uri = base + decodeURIComponent(path)
      const page = await ask(`/${path}`, HTML.headers.accept)
      expect([page.status, page.headers.get('location')]).toEqual([303, `${base}concept?uri=${encode(uri)}`])
      const data = await ask(`/${path}`, 'text/turtle')
      expect([data.status, data.headers.get('location')]).toEqual([303, `${base}data?uri=${encode(uri)}`])
      const turtle = await ask(data.headers.get('location')!.replace(base, '/'), 'text/turtle')
      expect(new Store(new Parser().parse(turtle.text)).countQuads(uri, null, null, null)).toBeGreaterThan(2)
    }
    expect((await ask('/things/a&b')).headers.get('location')).toBe(`${base}data?uri=${encode(`${base}things/a&b`)}`)
    expect((await ask('/hash')).headers.get('location')).toBe(`${base}voc/hash`)
    expect((await ask('/things/')).headers.get('location')).toBe(`${base}voc/things`)
    expect((await app.get('/things/stone', { method: 'POST', redirect: 'manual' })).status).toBe(404)
  })

  describe('FAIR Signposting', () => {
    /** The links of an answer by relation: addresses, and media types after them. */
    const signposts = async (path: string, accept?: string) => {
      const { status, headers } = await ask(path, accept)
      expect(status).toBe(200)
      const links = [...headers.get('link')!.matchAll(/<([^>]*)>; rel="([^"]*)"(?:; type="([^"]*)")?(?:, |$)/g)]
      expect(links.map(([link]) => link).join('')).toBe(headers.get('link'))
      const byRelation: Record<string, string[]> = {}
      for (const [, href, relation, type] of links)
        (byRelation[relation!] ??= []).push([href, type].filter(Boolean).join(' '))
      return byRelation
    }
    const leadsTo = async (links: string[]) => {
      for (const link of links) {
        const [href, type] = link.split(' ') as [string, string]
        const { status, headers } = await ask(href.replace(base, '/'))
        expect([href, status, headers.get('content-type')]).toEqual([href, 200, expect.stringContaining(type)])
      }
    }

    test('the page of a concept names its URI, its classes, its licence and its records', async () => {
      const links = await signposts(`/concept?uri=${BOOKBINDING}`, HTML.headers.accept)
      expect(links).toEqual({
        'cite-as': [BOOKBINDING],
        type: ['https://schema.org/AboutPage', 'https://schema.org/DefinedTerm', `${SKOS}Concept`],
        describedby: expect.arrayContaining([
          `${base}data?uri=${BOOKBINDING}&properties=*&format=json application/json`,
          `${base}voc/crafts/export?uri=${BOOKBINDING}&format=turtle text/turtle`,
        ]),
      })
      await leadsTo(links['describedby']!)
    })

    test('the page of a vocabulary also names its files and its licence', async () => {
      const links = await signposts('/voc/crafts', HTML.headers.accept)
      expect(links).toMatchObject({
        'cite-as': [CRAFTS],
        type: ['https://schema.org/AboutPage', 'https://schema.org/DefinedTermSet', `${SKOS}ConceptScheme`],
        license: ['http://creativecommons.org/publicdomain/zero/1.0/'],
        describedby: expect.arrayContaining([`${base}voc/crafts?format=json application/json`]),
        item: expect.arrayContaining([`${base}voc/crafts/export?format=turtle text/turtle`]),
      })
      await leadsTo([...links['describedby']!, ...links['item']!])
    })

    test.each([
      [`data?uri=${BOOKBINDING}`, `concept?uri=${BOOKBINDING}`, BOOKBINDING],
      [`data?uri=${BOOKBINDING}&format=turtle`, `concept?uri=${BOOKBINDING}`, BOOKBINDING],
      ['data?notation=B1', `concept?uri=${BOOKBINDING}`, BOOKBINDING],
      [`data?uri=${CRAFTS}`, 'voc/crafts', CRAFTS],
      ['voc/crafts', 'voc/crafts', CRAFTS],
    ])('the record /%s leads to its page', async (path, page, uri) => {
      const links = await signposts(`/${path}`)
      expect(links).toMatchObject({ describes: [`${base}${page} text/html`], 'cite-as': [uri] })
      expect((await ask(`/${page}`, HTML.headers.accept)).headers.get('content-type')).toContain('text/html')
    })

    test('so do files', async () => {
      const whole = { collection: [`${base}voc/crafts text/html`] }
      expect(await signposts('/voc/crafts/export?format=turtle')).toEqual(whole)
      const resource = { describes: [`${base}concept?uri=${BOOKBINDING} text/html`] }
      expect(await signposts(`/voc/crafts/export?uri=${BOOKBINDING}&format=turtle`)).toEqual(resource)
    })

    test('a list of several leads to none, and letters beyond ASCII do no harm', async () => {
      const several = await signposts(`/data?uri=${BOOKBINDING}|${CRAFTS}weaving`)
      expect(Object.keys(several)).toEqual(['first', 'last'])
      const bridge = encode(`${base}things/brücke`)
      const page = await signposts(`/concept?uri=${bridge}`, HTML.headers.accept)
      expect(page['cite-as']).toEqual([`${base}things/br%C3%BCcke`])
      expect((await signposts(`/data?uri=${bridge}`))['cite-as']).toEqual(page['cite-as'])
    })
  })

  test('an extension asks for a format', async () => {
    const types: [string, RegExp, string][] = [
      ['ttl', /^text\/turtle/, 'turtle'],
      ['nt', /^application\/n-triples/, 'ntriples'],
      ['rdf', /^application\/rdf\+xml/, 'rdfxml'],
      ['jsonld', /^application\/ld\+json/, 'jsonld'],
      ['json', /^application\/json/, 'json'],
    ]
    for (const [extension, type, format] of types) {
      const answer = await ask(`/voc/crafts.${extension}`, HTML.headers.accept)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(type)])
      expect(answer.text).toBe((await ask(`/voc/crafts?format=${format}`)).text)
      const { headers } = await ask(`/things/stone.${extension}`, HTML.headers.accept)
      expect(headers.get('location')).toBe(`${base}data?uri=${encode(`${base}things/stone`)}&format=${format}`)
    }
    for (const extension of ['ndjson', 'csv']) {
      const answer = await ask(`/voc/crafts.${extension}`)
      const { text } = await ask(`/voc/crafts/concepts?download=${extension}`)
      expect([answer.status, answer.text]).toEqual([200, text])
    }
    expect((await ask('/voc/unknown.ttl')).status).toBe(404)
    expect((await ask('/things/unknown.ttl')).status).toBe(404)
    expect((await ask('/voc/crafts.txt')).status).toBe(404)
  })

  test('a vocabulary or concept whose name ends like an extension keeps its address', async () => {
    const dotted = `${base}dotted/`
    await app.put(dotted, things(dotted).replace('"dotted"', '"v1.ttl"').replaceAll('/stone>', '/stone.ttl>'))
    expect((await ask('/voc/v1.ttl')).body[0].uri).toBe(dotted)
    expect((await ask('/voc/v1.ttl.nt')).headers.get('content-type')).toMatch(/n-triples/)
    expect((await ask('/dotted/stone.ttl')).headers.get('location')).toBe(
      `${base}data?uri=${encode(`${dotted}stone.ttl`)}`,
    )
  })

  test('a label leads to its concept', async () => {
    const record = `${base}data?uri=${encode(BOOKBINDING)}`
    for (const label of ['Bookbinding', 'Buchbinderei', 'buchbinderei', 'Buchbinden', ' Buchbinderei ']) {
      const answer = await ask(`/label/${encodeURIComponent(label)}`)
      expect([label, answer.status, answer.headers.get('location')]).toEqual([label, 303, record])
    }
    expect((await ask('/label/Bookbinding?format=turtle')).headers.get('location')).toBe(`${record}&format=turtle`)
    const page = await ask('/label/Bookbinding', HTML.headers.accept)
    expect([page.status, page.headers.get('location')]).toEqual([
      303,
      expect.stringContaining(`concept?uri=${encode(BOOKBINDING)}`),
    ])
    expect(new URL(page.headers.get('location')!, `${base}label/Bookbinding`).href).toMatch(`${base}concept?`)
  })

  test('a label of several concepts leads to a list, an unknown label to none', async () => {
    for (let time = 0; time < 2; time++) {
      const { status, body } = await ask('/label/A%20%26%20B')
      expect([status, body.map(({ uri }: { uri: string }) => uri)]).toEqual([
        300,
        expect.arrayContaining([`${base}things/a&b`, 'https://example.org/secure/a&b']),
      ])
      const page = await ask('/label/A%20%26%20B', HTML.headers.accept)
      expect([page.status, page.headers.get('content-type')]).toEqual([300, 'text/html; charset=utf-8'])
      expect(page.text).toContain(`concept?uri=${encode(`${base}things/a&b`)}`)
    }
    expect((await ask('/label/A%20%26%20B?voc=things')).headers.get('location')).toBe(
      `${base}data?uri=${encode(`${base}things/a&b`)}`,
    )
    expect((await ask('/label/Book')).status).toBe(404)
    expect((await ask('/label/%2F')).status).toBe(404)
    expect((await ask('/label/Book', HTML.headers.accept)).text).toContain('no concept with this label')
  })

  test('the sitemaps name every page', async () => {
    const locations = (text: string) =>
      [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address!.replaceAll('&amp;', '&'))
    const index = await ask('/sitemap.xml')
    expect(index.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    const files = locations(index.text)
    expect(files).toContain(`${base}sitemap.xml?voc=crafts&part=0`)
    expect(files.some((file) => file.includes('subset'))).toBe(false)
    const crafts = (await ask('/sitemap.xml?voc=crafts&part=0')).text
    expect(crafts).toContain('<loc>http://localhost')
    expect(crafts).toMatch(/bookbinding<\/loc><lastmod>2025-01-20<\/lastmod>/)
    expect((await ask('/sitemap.xml?voc=things&part=0')).text).toMatch(/stone<\/loc><\/url>/)
    const addresses = locations(crafts)
    const { headers } = await ask(`/voc/concepts?uri=${CRAFTS}&limit=0`)
    expect(addresses.length).toBe(Number(headers.get('x-total-count')) + 3)
    for (const address of addresses.slice(0, 8)) {
      const answer = await ask(address.replace(base, '/'), HTML.headers.accept)
      expect([address, answer.status]).toEqual([address, 200])
      expect(answer.text).toContain(`<link rel="canonical" href="${address}"/>`)
    }
    for (const path of [
      '/sitemap.xml?voc=crafts&part=1',
      '/sitemap.xml?voc=none',
      '/sitemap.xml?voc=subset_crafts-school',
    ]) {
      expect([path, (await ask(path)).status]).toEqual([path, 404])
    }
  })

  test('/robots.txt and the icon are there', async () => {
    const { text, headers } = await ask('/robots.txt')
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toContain(`Sitemap: ${base}sitemap.xml\n`)
    expect((await ask('/favicon.ico')).headers.get('content-type')).toBe('image/svg+xml')
  })

  test('/.well-known/void describes the data', async () => {
    const { text, headers } = await ask('/.well-known/void')
    expect(headers.get('content-type')).toBe('text/turtle; charset=utf-8')
    const graph = new Store(new Parser().parse(text))
    const dataset = `${base}.well-known/void#crafts`
    const objects = (predicate: string) => graph.getObjects(dataset, predicate, null).map(({ value }) => value)
    expect(objects('http://rdfs.org/ns/void#entities')).toEqual(['137'])
    expect(objects('http://purl.org/dc/terms/license')).toEqual(['http://creativecommons.org/publicdomain/zero/1.0/'])
    expect(objects('http://purl.org/dc/terms/title').sort()).toEqual(['Crafts and Design', 'Handwerk und Gestaltung'])
    const dumps = objects('http://rdfs.org/ns/void#dataDump').map((dump) => dump.replace(base, '/'))
    expect(dumps.sort()).toEqual(
      ['jsonld', 'ntriples', 'rdfxml', 'turtle'].map((format) => `/voc/crafts/export?format=${format}`),
    )
    await expectWhole(dumps)
  })

  /** The files have what records do not show by default. */
  async function expectWhole(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) {
      const { status, text } = await ask(address)
      const missing = ['related', 'relatedMatch', 'example', 'hiddenLabel'].filter((name) => !text.includes(name))
      expect([address, status, missing]).toEqual([address, 200, []])
    }
  }
  const linksIn = (section: string, html: string) =>
    [...(html.split(section)[1] ?? '').split('</ul>')[0]!.matchAll(/href="([^"]*)"/g)].map(([, href]) =>
      href!.replaceAll('&amp;', '&').replace(/^(\.\.?\/)+/, '/'),
    )

  test('the downloads that pages name are whole', async () => {
    const vocabulary = linksIn('Everything as', (await ask('/voc/crafts?lang=en', HTML.headers.accept)).text)
    expect(vocabulary).toEqual(
      ['turtle', 'ntriples', 'jsonld', 'rdfxml', 'ndjson', 'csv', 'xlsx'].map(
        (format) => `/voc/crafts/export?format=${format}`,
      ),
    )
    const concept = linksIn(
      'This concept as',
      (await ask(`/concept?uri=${BOOKBINDING}&lang=en`, HTML.headers.accept)).text,
    )
    expect(concept).toHaveLength(5)
    // A workbook is compressed; test/graph/tables/writing.slow.test.ts reads it.
    const texts = vocabulary.filter((address) => !address.endsWith('xlsx'))
    await expectWhole([...texts, ...concept])
    // A subset has its own.
    const subset = linksIn('Everything as', (await ask('/voc/subset_crafts-textile?lang=en', HTML.headers.accept)).text)
    expect(subset[0]).toBe('/voc/subset_crafts-textile/export?format=turtle')
  })

  test('a concept in several vocabularies is downloaded from the one that describes it', async () => {
    const [A, B] = ['http://example.org/a/', 'http://example.org/b/']
    const scheme = (uri: string, id: string) => `<${uri}> a skos:ConceptScheme ; skos:notation "${id}" .`
    const prefix = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .'
    const shared = `<${B}c> a skos:Concept ; skos:inScheme <${A}>, <${B}> ; skos:prefLabel "Shared"@en`
    const position = '<urn:x-vocabulary-service:position> 1'
    await app.put(A, `${prefix} ${scheme(A, 'one')}`)
    await app.put(B, `${prefix} ${scheme(B, 'two')} ${shared} ; ${position} .`)
    const { text } = await ask(`/concept?uri=${B}c&lang=en`, HTML.headers.accept)
    const [, turtle] = linksIn('This concept as', text)
    expect(turtle).toBe(`/voc/two/export?uri=${B}c&format=turtle`)
    expect((await ask(turtle!)).status).toBe(200)
  })
})

/** As it stands in a query of ours. */
function encode(uri: string): string {
  return encodeURIComponent(uri).replaceAll('%3A', ':').replaceAll('%2F', '/')
}

function things(space: string, scheme = space): string {
  return `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    <${scheme}> a skos:ConceptScheme ; skos:notation ${JSON.stringify(new URL(scheme).pathname.replaceAll('/', ''))} ; skos:prefLabel "Things"@en .
    <${space}stone> a skos:Concept ; <http://purl.org/dc/terms/modified> "0000-00-00" ; skos:inScheme <${scheme}> ; skos:prefLabel "Stone"@en .
    <${space}a&b> a skos:Concept ; skos:inScheme <${scheme}> ; skos:prefLabel "A & B"@en .
    <${space}brücke> a skos:Concept ; skos:inScheme <${scheme}> ; skos:prefLabel "Bridge"@en .`
}

// By itself, because a store begins empty.
describeOver(EMBEDDED, 'Linked data of vocabularies from elsewhere', (store) => {
  test('a URI below the address of the service answers, wherever that of its vocabulary is', async () => {
    const scheme = 'http://example.org/elsewhere'
    const running = await store.start()
    const other = await startApp(running.endpoint)
    try {
      const { baseUrl } = other.config
      const redirected = async () => (await other.get('/things/stone', { redirect: 'manual' })).headers.get('location')
      const space = `<${scheme}> <http://rdfs.org/ns/void#uriSpace> "${baseUrl}things/" .`
      await other.put(scheme, things(`${baseUrl}things/`, scheme) + space)
      expect(await redirected()).toBe(`${baseUrl}data?uri=${encode(`${baseUrl}things/stone`)}`)
      const root = baseUrl.replace(/\/$/, '')
      await other.put(root, things(baseUrl, root))
      expect((await other.get('/stone', { redirect: 'manual' })).status).toBe(303)
    } finally {
      await other.close()
      await running.stop()
    }
  })
})
