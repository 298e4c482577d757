import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML, linksOf } from './html.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`
const CONCEPT = `/concept?uri=${BOOKBINDING}`

describeOver(EMBEDDED, 'Pages', (store) => {
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint)
    await putDemo(app)
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  const page = (path: string, headers: Record<string, string> = {}) =>
    app.get(path, { headers: { ...HTML.headers, ...headers }, redirect: 'manual' })

  const PAGES = [
    '/',
    '/?lang=de',
    '/voc/crafts',
    '/voc/subset_crafts-textile',
    '/voc/crafts/tree',
    `/voc/crafts/tree?uri=${BOOKBINDING}`,
    '/voc/subset_crafts-textile/tree',
    '/voc/crafts/statistics',
    '/voc/crafts/statistics?lang=de',
    '/voc/subset_crafts-textile/statistics',
    '/voc/crafts/index',
    '/voc/crafts/index?letter=B&lang=en',
    '/voc/crafts/index?by=notation',
    '/find',
    '/find?query=weav',
    '/find?query=buch&voc=crafts&lang=de',
    '/find?query=xyzzy',
    '/find?query=blaudrck&lang=de',
    CONCEPT,
    '/concept?uri=http://example.org/vocabulary/crafts/collection/japan',
    `/data?uri=${BOOKBINDING}`,
    '/about',
    '/about?lang=de',
  ]
  test.each(PAGES)('%s is a page', async (path) => {
    await expectPage(await page(path))
  })

  test('a collection has a page with its members in order, and concepts name it', async () => {
    const uri = 'http://example.org/vocabulary/crafts/collection/fibre-to-garment'
    const { text } = await page(`/concept?uri=${uri}&lang=en`)
    const order = ['Spinning', 'Dyeing and textile printing', 'Weaving', 'Tailoring'].map((name) => text.indexOf(name))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order[0]).toBeGreaterThan(text.indexOf('<h2>Members</h2>'))
    const spinning = await page('/concept?uri=http://example.org/vocabulary/crafts/spinning&lang=en')
    expect(spinning.text).toMatch(/In these groups[^]*collection/)
    const redirect = await page(`/entity?uri=${uri}`)
    expect([redirect.status, redirect.headers.get('location')]).toEqual([303, expect.stringContaining('/concept?uri=')])
  })

  test('the page of a large collection shows its members in parts', async () => {
    const fleet = 'http://example.org/fleet/'
    const ships = Array.from({ length: 250 }, (_, at) => `<${fleet}${at}>`)
    const names = ships.map((ship, at) => `${ship} a skos:Concept ; skos:prefLabel "Ship ${1000 + at}"@en .`)
    await app.put(
      fleet,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${fleet}> a skos:ConceptScheme .
      <${fleet}all> a skos:OrderedCollection ; skos:memberList (${ships.join(' ')}) . ${names.join('\n')}`,
    )
    app.state.changed()
    const shown = async (part: string) => {
      const { text } = await page(`/concept?uri=${fleet}all&lang=en${part}`)
      const [, main = ''] = text.split('<h2>Members</h2>')
      return { ships: [...main.matchAll(/Ship (\d+)/g)].map(([, number]) => Number(number)), text: main }
    }
    const first = await shown('')
    expect(first.ships).toEqual(ships.slice(0, 100).map((_, at) => 1000 + at))
    expect(first.text).toMatch(/1 to 100 of 250.*concept\?uri=[^"]*&amp;offset=100/)
    expect((await shown('&offset=200')).ships).toEqual(ships.slice(200).map((_, at) => 1200 + at))
  })

  const ACCEPTED: [accept: string, type: string | undefined][] = [
    ['text/html', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/html, */*', 'text/html'],
    ['application/json;q=0.5, text/html;q=0.9', 'text/html'],
    ['*/*', 'application/json'],
    ['text/*', undefined],
    ['application/json, text/html;q=0.9', 'application/json'],
    ['text/html;q=0.5, */*;q=0.8', 'application/json'],
    ['text/html;q=0', 'application/json'],
    ['image/png', 'application/json'],
  ]
  test.each(ACCEPTED)('Accept: %s gives %s', async (accept, type) => {
    for (const path of ['/', '/voc/crafts', `/data?uri=${BOOKBINDING}`]) {
      const answer = await app.get(path, { headers: { accept } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('vary')).toMatch(/\bAccept\b(?!-)/)
      if (type) expect([path, answer.headers.get('content-type')]).toEqual([path, `${type}; charset=utf-8`])
      else expect(answer.headers.get('content-type')).not.toContain('text/html')
    }
  })

  test('a page is preferred to what an address does not offer', async () => {
    const headers = { accept: 'text/turtle;q=0.9, text/html;q=0.8, application/json;q=0.7' }
    const types = ['/', '/statistics', '/voc/crafts'].map(async (path) =>
      (await app.get(path, { headers })).headers.get('content-type'),
    )
    expect(await Promise.all(types)).toEqual(
      ['text/html', 'text/html', 'text/turtle'].map((type) => `${type}; charset=utf-8`),
    )
  })

  const DATA = [
    ['/voc/crafts?format=turtle', 'text/turtle; charset=utf-8'],
    [`/data?uri=${BOOKBINDING}&format=json`, 'application/json; charset=utf-8'],
    [`/data?uri=${BOOKBINDING}|${CRAFTS}textiles`, 'application/json; charset=utf-8'],
    [`/data?uri=${BOOKBINDING}&properties=prefLabel`, 'application/json; charset=utf-8'],
    ['/data?notation=B1', 'application/json; charset=utf-8'],
    ['/voc', 'application/json; charset=utf-8'],
    ['/voc/crafts/top', 'application/json; charset=utf-8'],
    [`/voc/top?uri=${CRAFTS}`, 'application/json; charset=utf-8'],
    [`/voc/concepts?uri=${CRAFTS}`, 'application/json; charset=utf-8'],
    ['/voc/crafts/concepts', 'application/json; charset=utf-8'],
  ] as const
  test.each(DATA)('%s is data in a browser, too', async (path, type) => {
    const answer = await page(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  })

  test('is in the language that was asked for', async () => {
    const german = await page('/voc/crafts', { 'accept-language': 'de-AT,en;q=0.5' })
    expect(german.headers.get('content-language')).toBe('de')
    expect(german.text).toContain('<h1><bdi lang="de">Handwerk und Gestaltung</bdi></h1>')
    expect(german.text).toContain('Oberste Begriffe')
    const english = await page('/voc/crafts?lang=en', { 'accept-language': 'de' })
    expect(english.headers.get('content-language')).toBe('en')
    expect(english.text).toContain('<h1><bdi lang="en">Crafts and Design</bdi></h1>')
    expect(english.text).toMatch(/href="\.\.\/concept\?uri=[^"]+&amp;lang=en"/)
    const portuguese = await page('/voc/crafts?lang=pt', { 'accept-language': 'de' })
    expect(portuguese.headers.get('content-language')).toBe('de')
    expect(portuguese.text).toContain(
      'Dieses Vokabular hat keine Bezeichnungen in dieser Sprache (Portugiesisch); die Seite zeigt: Deutsch.',
    )
    expect((await page('/?lang=_')).status).toBe(400)
    const several = await page('/voc/crafts?lang=en,fr,it')
    expect(several.text).toContain('lang=en"')
    expect(several.text).not.toContain('lang=en,fr')
  })

  test('has names for languages that Intl refuses', async () => {
    const graph = 'http://example.org/tags'
    const label = ['zh-min-nan', 'x-foo', 'en-gb-oed', 'de'].map((tag) => `"Name"@${tag}`).join(', ')
    await app.put(
      graph,
      `${PREFIXES}<${graph}> a skos:ConceptScheme ; skos:notation "tags" ; skos:prefLabel ${label} .
      <${graph}/1> a skos:Concept ; skos:inScheme <${graph}> ; skos:topConceptOf <${graph}> ; skos:prefLabel ${label} , "Name" .`,
    )
    const paths = ['?clang=de-a1', '?lang=a', '/index?clang=zh-min-nan', '/index?clang=x-foo', '/index?clang=en-gb-oed']
    for (const path of paths) await expectPage(await page(`/voc/tags${path}`))
    expect((await page('/voc/crafts?lang=en&clang=a')).text).toContain('no labels in a;')
    const { text } = await page(`/concept?uri=${graph}/1&lang=en`)
    for (const name of ['Min Nan Chinese', 'x-foo', 'Undetermined']) {
      expect(text).toContain(`<th scope="row">${name}</th>`)
    }
  })

  test('the list of vocabularies goes by their names in the language of the page', async () => {
    const named = (id: string, en: string, de: string) =>
      app.put(
        `http://example.org/named/${id}/`,
        `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <http://example.org/named/${id}/> a skos:ConceptScheme ; skos:notation "${id}" ; skos:prefLabel "${en}"@en, "${de}"@de .`,
      )
    await named('named-a', 'Named zulu', 'Genannt Apfel')
    await named('named-b', 'Named alpha', 'Genannt Zitrone')
    const order = async (language: string, names: RegExp) =>
      [...(await page(`/?query=named&lang=${language}`)).text.matchAll(names)].map(([name]) => name)
    const first = (names: readonly string[]) => [...new Set(names)]
    expect(first(await order('en', /Named (?:zulu|alpha)/g))).toEqual(['Named alpha', 'Named zulu'])
    expect(first(await order('de', /Genannt (?:Apfel|Zitrone)/g))).toEqual(['Genannt Apfel', 'Genannt Zitrone'])
  })

  test('search engines list views of vocabularies in each language, and no part of them', async () => {
    for (const path of [
      'voc/crafts/tree',
      'voc/crafts/index',
      'voc/crafts/groups',
      'voc/subset_crafts-textile/groups',
    ]) {
      const { text } = await page(`/${path}?lang=de&clang=en`)
      expect(text).toContain(`<link rel="canonical" href="${app.config.baseUrl}${path}"/>`)
      expect((await page(`/${path}?lang=de&offset=1`)).text).toContain('<meta name="robots" content="noindex"/>')
    }
  })

  test('links to itself in another language with its whole query', async () => {
    const { text } = await page('/find?query=a?b?c&lang=en')
    expect(text).toMatch(/href="[^"]*find\?query=a\?b\?c&amp;lang=de"/)
  })

  test('shows the class, the place and the names of a concept', async () => {
    const { text } = await page(`${CONCEPT}&lang=de`)
    for (const fact of [
      'Buchbinderei',
      'Bookbinding',
      'Einbandkunst',
      'zu einem Buchblock verbindet',
      'Buch- und Papierhandwerk',
      'Buchheftung',
      'Lederverarbeitung',
      'Pergament',
      '20. Januar 2025',
      BOOKBINDING,
    ]) {
      expect(text).toContain(fact)
    }
    expect(text).toContain(`<link rel="canonical" href="${app.config.baseUrl}concept?uri=${BOOKBINDING}"/>`)
    expect(text).toContain(
      `<link rel="alternate" type="text/turtle" href="${app.config.baseUrl}voc/crafts/export?uri=${BOOKBINDING}&amp;format=turtle"/>`,
    )
    const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!)
    expect(data).toMatchObject({
      '@type': ['DefinedTerm', 'skos:Concept'],
      '@id': BOOKBINDING,
      name: 'Buchbinderei',
      inDefinedTermSet: [{ '@id': CRAFTS }],
      'skos:broader': [{ '@id': `${CRAFTS}book-and-paper` }],
    })
  })

  test('shows five of more ways to the top, and that there are more', async () => {
    const graph = 'http://example.org/many-ways'
    const tops = [1, 2, 3, 4, 5, 6].map((nth) => `<${graph}/${nth}>`)
    const turtle = (uri: string, rest: string) => `${uri} a skos:Concept ; skos:inScheme <${graph}> ; ${rest} .`
    await app.put(
      graph,
      [
        `${PREFIXES} <${graph}> a skos:ConceptScheme ; skos:notation "many-ways" .`,
        ...tops.map((top) => turtle(top, `skos:topConceptOf <${graph}> ; skos:prefLabel "Top"@en`)),
        turtle(`<${graph}/all>`, `skos:broader ${tops.join(', ')}`),
        turtle(`<${graph}/some>`, `skos:broader ${tops.slice(1).join(', ')}`),
      ].join('\n'),
    )
    const crumbsOf = async (name: string) => {
      const { text } = await page(`/concept?uri=${graph}/${name}&lang=en`)
      const crumbs = /<nav class="crumbs".*?<\/nav>/s.exec(text)![0]
      return [crumbs.match(/<ol>/g)!.length, crumbs.includes('<p>and more</p>')]
    }
    expect(await crumbsOf('all')).toEqual([5, true])
    expect(await crumbsOf('some')).toEqual([5, false])
    await app.client.deleteGraph(graph)
    app.state.changed()
  })

  test('shows all ways to the top', async () => {
    await app.put('http://example.org/ways', WAYS)
    const { text } = await page('/concept?uri=http://example.org/ways/deep&lang=en')
    const crumbs = /<nav class="crumbs".*?<\/nav>/s.exec(text)![0].replace(/<\/li>/g, ' > ')
    const ways = crumbs.match(/<ol>.*?<\/ol>/g)!
    expect(ways.map((way) => way.replace(/<[^>]*>/g, '').trim())).toEqual([
      'Ways >  Top B >',
      'Ways >  Top A >  Middle >',
    ])
  })

  test('lists labels from A to Z, with the preferred one if that differs', async () => {
    const text = async (path: string) => (await page(path)).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
    expect(await text('/voc/crafts/index?lang=de&letter=A')).toContain(
      'A 5 Aquatinta Aquatintaradierung → Aquatinta Ätzradierung Aufbaukeramik Aufbautechnik → Aufbaukeramik',
    )
    expect(await text('/voc/crafts/index?lang=en&letter=B')).toContain('Bookbinding')
    const notations = await text('/voc/crafts/index?by=notation&lang=de')
    expect(notations).toMatch(/B Buch- und Papierhandwerk B1 Buchbinderei B1\.1 Buchheftung/)
    expect((await page('/voc/crafts/index?by=size')).status).toBe(400)
  })

  test('marks the matches, and shows the matching label', async () => {
    const german = (await page('/find?query=einbandkunst&lang=de')).text
    expect(german).toContain('Gefunden über <bdi lang="de"><mark>Einbandkunst</mark></bdi>')
    expect((await page('/find?query=b1&lang=de&voc=crafts')).text).toContain('<mark>B1</mark>')
    const inside = (await page('/find?query=binderei&voc=crafts&lang=de')).text
    expect(inside).toContain('<mark>binderei</mark>')
    expect(inside).toContain(
      'auch Treffer im Wortinneren: <a href="./find?query=*binderei*&amp;voc=crafts&amp;lang=de">*binderei*</a>',
    )
    expect((await page('/find?query=*binderei&voc=crafts&lang=de')).text).toContain('Buch<mark>binderei</mark>')
    const nothing = (await page('/find?query=xyzzy&voc=crafts&lang=en')).text
    expect(nothing).toContain('Try fewer words')
    expect(nothing).toContain('href="./find?query=xyzzy&amp;lang=en"')
  })

  test('the only search field is in the head, and the filters of hits belong to it', async () => {
    const { text } = await page('/find?query=buch&voc=crafts&lang=de')
    const head = /<header class="site">.*?<\/header>/s.exec(text)![0]
    expect(head).toMatch(/<form id="search-form"[^>]*>.*<input [^>]*name="query" value="buch"/s)
    expect(head).not.toContain('name="voc"')
    expect(text.match(/name="query"/g)).toHaveLength(1)
    expect(text).toContain('<select form="search-form" name="voc">')
    expect(text).toContain('<button type="submit" form="search-form">')
  })

  test('hits show a long text around the word that was found', async () => {
    const long = 'http://example.org/long-texts/'
    const [before, after] = ['So many words. ', ' and even more of them'].map((words) => words.repeat(5000))
    await app.put(
      long,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${long}> a skos:ConceptScheme .
      <${long}1> a skos:Concept ; skos:inScheme <${long}> ; skos:prefLabel "Brief"@en ; skos:definition "${before}haystack${after}"@en .
      <${long}2> a skos:Concept ; skos:inScheme <${long}> ; skos:prefLabel "haystack${after}"@en .
      <${long}3> a skos:Concept ; skos:inScheme <${long}> ; skos:prefLabel "${'x '.repeat(200)}${'😀'.repeat(400)}pinstack"@en .
      <${long}4> a skos:Concept ; skos:inScheme <${long}> ; skos:prefLabel "y${'😀'.repeat(400)} pinstack"@en .`,
    )
    app.state.changed()
    // No cut goes through the middle of a character.
    const emoji = await page('/find?query=pinstack&lang=en')
    expect(emoji.text).toContain('😀')
    expect(emoji.text).not.toContain('\ufffd')
    const { text } = await page('/find?query=haystack&use=label,notation,definition&lang=en')
    expect(text).toMatch(/…[^<]{100,200}<mark>haystack<\/mark>[^<]{100,500}…/)
    expect(text).toMatch(/<bdi lang="en"><mark>haystack<\/mark>[^<]{100,500}…<\/bdi>/)
    expect(text.length).toBeLessThan(20_000)
  })

  test('finds words of definitions if it is asked to', async () => {
    expect((await page('/find?query=schussfäden&lang=de')).text).toContain('auch in Definitionen')
    expect((await page('/find?query=schussfäden&lang=de')).text).not.toContain('Gefunden in der Definition')
    const { text } = await page('/find?query=schussfäden&use=label,notation,definition&lang=de')
    expect(text).toContain('<mark>Schussfäden</mark>')
    expect(text).toMatch(/type="checkbox" name="use" value="label,notation,definition" checked/)
  })

  test('shows how many hits there are by vocabulary and by top concept', async () => {
    const { text } = await page('/find?query=wood&lang=en')
    const counts = [
      ...text.matchAll(/href="\.\/find\?query=wood&amp;(voc|ancestors)=([^"&]+)&amp;lang=en">[^(]*\((\d+)\)/g),
    ]
    expect(new Set(counts.map(([, parameter]) => parameter))).toEqual(new Set(['voc', 'ancestors']))
    for (const [, parameter, value, count] of counts) {
      const asked = { search: 'wood', [parameter!]: decodeURIComponent(value!), limit: '0' }
      const total = Number((await app.ask('/search', asked)).headers.get('x-total-count'))
      // A top concept counts as well if it is a hit itself.
      if (parameter === 'voc') expect([value, total]).toEqual([value, Number(count)])
      else expect([0, 1]).toContain(Number(count) - total)
      const { text: narrower } = await page(`/find?query=wood&${parameter}=${value}&lang=en`)
      expect(narrower).toContain(total === 0 ? 'Nothing found' : `<p class="small">${total} hit`)
    }
  })

  test('an unknown vocabulary is not found, and a list of vocabularies is in no path', async () => {
    const unknown = await page('/find?query=bookbinding&voc=nothere&lang=en')
    expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('nothere')])
    for (const voc of ['*', 'crafts|materials']) {
      expect((await page(`/find?query=bookbinding&voc=${voc}`)).status).toBe(200)
      const { status, text } = await page(`/concept?uri=${BOOKBINDING}&voc=${voc}&lang=en`)
      expect(status).toBe(200)
      expect(text).toContain('voc/crafts/tree?')
      expect(text).not.toContain(`voc/${encodeURIComponent(voc)}/`)
    }
  })

  test('finds a vocabulary without a notation by the id in links', async () => {
    const graph = 'http://example.org/vocabulary/unnoted/'
    const labels = 'skos:prefLabel "Unnoted"@en , "Ohne"@de'
    await app.put(
      graph,
      `${PREFIXES}<${graph}> a skos:ConceptScheme ; ${labels} ; <http://purl.org/dc/terms/language> "en" , "de" .
      <${graph}1> a skos:Concept ; skos:inScheme <${graph}> ; ${labels} .`,
    )
    for (const id of ['unnoted', graph]) {
      const { text } = await page(`/find?query=unnoted&voc=${id}&lang=en`)
      expect(text).toContain('<option value="unnoted" selected>Unnoted</option>')
      expect(text).toContain('<select form="search-form" name="in">')
    }
  })

  test('says which words it has searched for instead, as labels have them', async () => {
    const german = (await page('/find?query=BLAUDRCK&voc=crafts&lang=de')).text
    expect(german).toContain(
      'Keine genauen Treffer für „BLAUDRCK“. Treffer für <a href="./find?query=Blaudruck&amp;voc=crafts&amp;lang=de">Blaudruck</a>',
    )
    expect(german).toContain('<mark>Blaudruck</mark>')
    // The label that was found is another one than the name.
    const english = (await page('/find?query=einbandkunts&lang=en')).text
    expect(english).toMatch(/No exact hits for “einbandkunts”\. Hits for <a [^>]*>Einbandkunst<\/a>/)
    expect(english).toContain('Found by <bdi lang="de"><mark>Einbandkunst</mark></bdi>')
    expect((await page('/find?query=blaudruck&lang=en')).text).not.toContain('No exact hits')
  })

  test('weighs less than 15 kB with its style and scripts, compressed', async () => {
    const answer = await page(`${CONCEPT}&lang=de`)
    let bytes = gzipSync(answer.text).length
    for (const asset of linksOf(answer, `${app.url}/concept`).filter((link) => link.includes('/assets/'))) {
      bytes += gzipSync(await (await fetch(asset)).text()).length
    }
    expect(bytes).toBeGreaterThan(4000)
    expect(bytes).toBeLessThan(15_000)
  })

  test('turns the pages of hits', async () => {
    const first = await page('/find?query=p&voc=crafts')
    expect(first.text).toMatch(/1 to 20 of \d+/)
    const next = /rel="next" href="\.([^"]*)"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    expect((await page(next)).text).toMatch(/21 to 40 of \d+/)
    expect((await page('/find?query=e&offset=99999')).status).toBe(400)
  })

  test('does not leave a subset', async () => {
    const whole = await page('/voc/subset_crafts-textile')
    const link = linksOf(whole, `${app.url}/voc/subset_crafts-textile`).find((address) =>
      address.includes('/concept?'),
    )!
    expect(link).toContain('&voc=subset_crafts-textile')
    expect((await page(link.slice(app.url.length))).text).toContain('voc=subset_crafts-textile')
  })

  test('is 304 if it has not changed', async () => {
    for (const path of ['/', '/voc/crafts?lang=de', CONCEPT]) {
      const etag = (await page(path)).headers.get('etag')!
      const unchanged = await page(path, { 'if-none-match': etag })
      expect(unchanged.status).toBe(304)
      expect(unchanged.headers.get('content-security-policy')).toContain("script-src 'self'")
      const json = await app.get(path, { headers: { 'if-none-match': etag, accept: 'application/json' } })
      if (path !== CONCEPT) expect(json.status).toBe(200)
    }
    const german = await page(CONCEPT, { 'accept-language': 'de' })
    const english = await page(CONCEPT, { 'accept-language': 'en' })
    expect(german.headers.get('etag')).not.toBe(english.headers.get('etag'))
  })

  const ERRORS: [path: string, status: number, text: string][] = [
    ['/nothing/at/all', 404, 'Unter dieser Adresse gibt es nichts.'],
    ['/voc/unknown', 404, 'Dieser Dienst hat kein Vokabular mit diesem Namen.'],
    ['/voc/crafts/tree?at=http://example.org/unknown', 404, 'Dieses Vokabular hat keinen Begriff mit dieser URI.'],
    ['/concept?uri=http://example.org/unknown', 404, 'Dieser Dienst hat keinen Begriff mit dieser URI.'],
    ['/data?uri=http://example.org/unknown', 404, 'Dieser Dienst hat keinen Begriff mit dieser URI.'],
    ['/entity?uri=http://example.org/unknown', 404, 'Dieser Dienst hat keinen Begriff mit dieser URI.'],
    [`/feedback?uri=${BOOKBINDING}`, 404, 'bietet dieser Dienst nicht an'],
    ['/concept?uri=relative', 400, 'uri: expected an absolute IRI, got'],
    ['/concept', 400, 'uri: required'],
  ]
  test.each(ERRORS)('%s is %i, as a page with a search in it', async (path, status, text) => {
    const answer = await page(path, { 'accept-language': 'de' })
    await expectPage(answer, status)
    expect(answer.text).toContain(text)
    expect(answer.text).toContain('role="search"')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('a program gets an error in JSON where the service does not have a feature', async () => {
    const { status, body } = await app.get(`/feedback?uri=${BOOKBINDING}`)
    expect([status, body.error]).toEqual([404, 'EntityNotFoundError'])
  })

  test('is elsewhere for a vocabulary that is taken for a concept', async () => {
    const answer = await page(`/concept?uri=${CRAFTS}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, './voc/crafts'])
  })

  const LABELS = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</title></script><b>&amp;',
    '\u202eright to left\u202c \u2066isolated',
    'x'.repeat(10_000),
    'مخطوطات',
    '{{constructor}} ${a} \\u003c',
  ]
  test.each(LABELS)('shows %.40j as text', async (label) => {
    const graph = 'http://example.org/hostile'
    const literal = JSON.stringify(label)
    await app.put(
      graph,
      `${PREFIXES}<${graph}> a skos:ConceptScheme ; skos:notation "hostile" ; skos:prefLabel ${literal}@en ; skos:hasTopConcept <${graph}/1> .
      <${graph}/1> a skos:Concept ; skos:inScheme <${graph}> ; skos:topConceptOf <${graph}> ; skos:notation ${literal} ;
        skos:prefLabel ${literal}@en ; skos:altLabel ${literal}@de ; skos:definition ${literal}@en ; skos:narrower <${graph}/2> ; skos:exactMatch <javascript:alert(1)> .
      <${graph}/2> a skos:Concept ; skos:inScheme <${graph}> ; skos:broader <${graph}/1> .`,
    )
    for (const path of ['/', '/voc/hostile', `/concept?uri=${graph}/1`, `/concept?uri=${graph}/2`]) {
      const answer = await page(path)
      await expectPage(answer)
      const shown = answer.text.replace(/<script type="application\/ld\+json">.*?<\/script>/s, '')
      expect(shown).not.toContain('<script>')
      expect(shown).not.toContain('<img')
      expect(shown).not.toContain('href="javascript:')
    }
    const { text } = await page(`/concept?uri=${graph}/1`)
    const escaped = label.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    expect(text.replaceAll('&gt;', '>')).toContain(`<bdi lang="en">${escaped}</bdi>`)
    expect(JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!).name).toBe(label)
  })
})

const PREFIXES = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n'

const WAYS = `${PREFIXES}@prefix : <http://example.org/ways/> .
<http://example.org/ways> a skos:ConceptScheme ; skos:notation "ways" ; skos:prefLabel "Ways"@en .
:a a skos:Concept ; skos:inScheme <http://example.org/ways> ; skos:topConceptOf <http://example.org/ways> ; skos:prefLabel "Top A"@en ; skos:narrower :middle .
:b a skos:Concept ; skos:inScheme <http://example.org/ways> ; skos:topConceptOf <http://example.org/ways> ; skos:prefLabel "Top B"@en ; skos:narrower :deep .
:middle a skos:Concept ; skos:inScheme <http://example.org/ways> ; skos:prefLabel "Middle"@en ; skos:broader :a ; skos:narrower :deep .
:deep a skos:Concept ; skos:inScheme <http://example.org/ways> ; skos:prefLabel "Deep"@en ; skos:broader :middle, :b .
`

describe('Pages without a store', () => {
  let app: RunningApp
  beforeAll(async () => {
    const nobody = 'http://127.0.0.1:9/'
    app = await startApp({ queryUrl: nobody, updateUrl: nobody, graphStoreUrl: nobody })
  })
  afterAll(async () => {
    await app?.close()
  })

  test.each(['/', '/voc/crafts', CONCEPT])('%s says so', async (path) => {
    const answer = await app.get(path, { headers: { ...HTML.headers, 'accept-language': 'de' } })
    await expectPage(answer, 503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.text).toContain('Die Vokabulare sind gerade nicht verfügbar')
    if (path !== CONCEPT) expect((await app.get(path)).status).toBe(path === '/' ? 200 : 502)
  })

  test('/about and /docs are there all the same', async () => {
    await expectPage(await app.get('/about', HTML))
    // docs.slow.test.ts checks that its HTML is valid.
    expect((await app.get('/docs', HTML)).status).toBe(200)
  })
})
