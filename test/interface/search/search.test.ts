/** GET /search and GET /suggest over the stores. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ApiError } from '../../../src/base/errors.ts'
import { CRAFTS, MATERIALS, putDemo, startApp, type Answer, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/search/'
const OTHER = 'http://example.org/other'

/** A concept of the fixture; its name is its German label by default. */
interface Fixture {
  pref?: Record<string, string>
  alt?: string[]
  hidden?: string[]
  notation?: string
  broader?: string
  type?: string
}

const CONCEPTS: Record<string, Fixture> = {
  // For "gold", in the order of its ranks; the order of records is the reverse.
  r12: { pref: { de: 'Ring' }, hidden: ['Ring aus Gold'] },
  r11: { pref: { de: 'Kette' }, alt: ['Kette aus Gold'] },
  r10: { pref: { de: 'Blattgold und Goldblatt' } },
  r09: { pref: { de: 'Altgold, Gold' } },
  r08: { pref: { de: 'Barren' }, hidden: ['goldener Barren'] },
  r07: { pref: { de: 'Schlägerei' }, alt: ['Goldschlägerei'] },
  r06: { pref: { de: 'Goldschmied' } },
  r05: { pref: { de: 'Buchstabe' }, notation: 'GOLD-1' },
  r04: { pref: { de: 'Aurum' }, hidden: ['GOLD'] },
  r03: { pref: { de: 'Edelmetall' }, alt: ['gold'] },
  r02: { pref: { de: 'Gold' } },
  r01: { pref: { de: 'Nummer' }, notation: 'gold' },
  munich1: { pref: { de: 'München', en: 'Munich' }, notation: 'M2' },
  munich2: { pref: { de: 'Muenchen' }, notation: 'M1' },
  munich3: { pref: { de: 'Munchen' }, notation: 'M3' },
  poet: { pref: { en: 'Poet' } },
  pottery: { pref: { en: 'Pottery' } },
  nouveau: { pref: { fr: 'L’art nouveau' } },
  history: { pref: { en: 'History of Art', de: 'Kunstgeschichte' } },
  street: { pref: { de: 'Straße' } },
  prints: { pref: { de: 'Druck\u00adgraphik\u200b alter Meis\u2060ter' } },
  israel: { pref: { en: 'Israel' } },
  ipot: { pref: { en: 'Ipot' } },
  goethe: { pref: { de: 'Goethe' } },
  aether: { pref: { en: 'Æther' } },
  oresund: { pref: { da: 'Øresund' } },
  lodz: { pref: { pl: 'Łódź' } },
  greece: { pref: { el: 'Ελλάδα' } },
  moscow: { pref: { ru: 'Москва' } },
  tokyo: { pref: { ja: '東京都の歴史' } },
  kyoto: { pref: { ja: '京都' } },
  tower: { pref: { ja: '東京タワー' } },
  emoji: { pref: { en: '\u{1f3a8} painting' } },
  film: { pref: { en: '3.5 mm film' }, type: 'http://example.org/class/Thing' },
  snake: { pref: { en: 'foo_bar' } },
  cpp: { pref: { en: 'C++' } },
  thai: { pref: { th: 'ห้องสมุดประชาชน' } },
  c: { pref: { en: 'C' } },
  and: { pref: { en: 'AND' } },
  the: { pref: { de: 'der die das' } },
  odd: { pref: { und: 'Klammer (rund) [eckig] {geschweift} "Zitat" \\ ~ ^ $ | ? * + /' }, notation: '11H(JOHN)*' },
  long: { pref: { en: `Longest ${'very '.repeat(4000)}long` } },
  mid: { pref: { en: 'Zebra middle' }, broader: 'top', notation: 'Z1' },
  low: { pref: { en: 'Zebra lowermost' }, broader: 'mid', notation: 'Z11' },
  top: { pref: { en: 'Zebra top' }, notation: 'Z' },
}

/** The fixture as it is after loading: both directions, top concepts, every concept in the scheme. */
function turtle(scheme: string, concepts: Record<string, Fixture>, notation: string): string {
  const uri = (name: string) => `<${V}${name}>`
  const text = (value: string) => JSON.stringify(value)
  const statements = Object.entries(concepts).map(([name, concept]) =>
    [
      `${uri(name)} a skos:Concept ; skos:inScheme <${scheme}>`,
      ...Object.entries(concept.pref ?? {}).map(([tag, label]) => `skos:prefLabel ${text(label)}@${tag}`),
      ...(concept.alt ?? []).map((label) => `skos:altLabel ${text(label)}@de`),
      ...(concept.hidden ?? []).map((label) => `skos:hiddenLabel ${text(label)}@de`),
      ...(concept.notation ? [`skos:notation ${text(concept.notation)}`] : []),
      ...(concept.type ? [`a <${concept.type}>`] : []),
      concept.broader ? `skos:broader ${uri(concept.broader)}` : `skos:topConceptOf <${scheme}>`,
    ].join(' ;\n  '),
  )
  const narrower = Object.entries(concepts).flatMap(([name, { broader }]) =>
    broader ? [`${uri(broader)} skos:narrower ${uri(name)}`] : [],
  )
  return `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    <${scheme}> a skos:ConceptScheme ; skos:notation "${notation}" ; skos:prefLabel "Gold scheme"@en .
    ${[...statements, ...narrower].map((statement) => `${statement} .\n`).join('')}`
}

const SUBSET = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${V}subset> a skos:ConceptScheme ; skos:notation "subset_search-gold" ; skos:prefLabel "Some gold"@en ;
    <http://purl.org/dc/terms/isPartOf> <${V}> ; skos:member <${V}r02>, <${V}r06>, <${V}low> .`

// In the graph of one vocabulary, but a concept of the other as well.
const SHARED = `<${V}shared> a <http://www.w3.org/2004/02/skos/core#Concept> ;
  <http://www.w3.org/2004/02/skos/core#inScheme> <${OTHER}>, <${V}> ;
  <http://www.w3.org/2004/02/skos/core#prefLabel> "Shared walrus"@en .`

/** The typed text, and the concepts that it finds, in order. */
const FOUND: [string, string[]][] = [
  ['gold', ['r01', 'r02', 'r03', 'r04', 'r05', 'r06', 'r07', 'r08', 'r09', 'r10', 'r11', 'r12']],
  ['GOLD', ['r01', 'r02', 'r03', 'r04', 'r05', 'r06', 'r07', 'r08', 'r09', 'r10', 'r11', 'r12']],
  ['gold-1', ['r05']],
  ['aus gold', ['r11', 'r12']],
  ['gold aus', ['r11', 'r12']],
  ['München', ['munich2', 'munich1', 'munich3']],
  ['Muenchen', ['munich2', 'munich1', 'munich3']],
  ['munchen', ['munich2', 'munich1', 'munich3']],
  ['munich', ['munich1']],
  ['mün', ['munich1', 'munich3', 'munich2']],
  ['poet', ['poet']],
  ['pot', ['pottery', 'ipot']],
  // At equal rank, shorter labels first.
  ['art', ['nouveau', 'history']],
  ["l'art", ['nouveau']],
  ['l’art n', ['nouveau']],
  ['art history', ['history']],
  ['history of art', ['history']],
  ['strasse', ['street']],
  ['STRASSE', ['street']],
  ['straße', ['street']],
  ['göthe', ['goethe']],
  ['gothe', ['goethe']],
  ['aether', ['aether']],
  ['æther', ['aether']],
  ['oresund', ['oresund']],
  ['lodz', ['lodz']],
  ['ελλ', ['greece']],
  ['МОСК', ['moscow']],
  ['東京', ['tower', 'tokyo']],
  ['京都', ['kyoto', 'tokyo']],
  ['タワー', ['tower']],
  ['ห้อง', ['thai']],
  ['สมุดประชา', ['thai']],
  ['\u{1f3a8}', ['emoji']],
  ['5 mm', ['film']],
  ['3.5', ['film']],
  ['bar', ['r08', 'snake']],
  ['C++', ['cpp', 'c']],
  ['AND', ['and']],
  ['OR', ['oresund']],
  ['NOT', []],
  ['TO', ['top']],
  ['der die', ['the']],
  ['der', ['the']],
  ['11h(j', ['odd']],
  ['11H(JOHN)*', ['odd']],
  ['(rund) [eckig]', ['odd']],
  ['foo:bar', ['snake']],
  ['druckgraphik alter meister', ['prints']],
  ['Meister', ['prints']],
  ['foo AND bar', []],
  ['foo* bar', ['snake']],
  ['"foo bar"', ['snake']],
  ['walrus', ['shared']],
  ['longest', ['long']],
]

/** Text that only parts of words match, or that has wildcards, and the concepts that it finds, in order. */
const INSIDE: [typed: string, expected: string[], replaced: string][] = [
  // Beginnings of words come first.
  ['pot', ['pottery', 'ipot'], 'pot=*pot*'],
  ['schmied', ['r06'], 'schmied=*schmied*'],
  ['SCHLAEGER', ['r07'], ''],
  ['CHLAEGER', ['r07'], 'CHLAEGER=*CHLAEGER*'],
  ['geschichte kunst', ['history'], 'geschichte=*geschichte*&kunst=*kunst*'],
  ['раска', [], ''],
  ['оскв', ['moscow'], 'оскв=*оскв*'],
  // Less than three letters begin words; numbers do, too.
  ['ol', [], ''],
  ['000', [], ''],
  ['*schmied', ['r06'], ''],
  ['*schmie', [], ''],
  ['*chm*e*', ['r06'], ''],
  ['gold*d', ['r06'], ''],
  ['g*d', ['r01', 'r02', 'r06', 'r09', 'r03', 'r11', 'r04', 'r12'], ''],
  ['G*schmied', ['r06'], ''],
  ['*grafik', [], ''],
  ['*ässe aus', [], ''],
  ['*old* aus', ['r11', 'r12'], ''],
  ['schmied*', [], ''],
  ['goldschm* **', ['r06'], ''],
  ['11*J*', ['odd'], ''],
  ['z*1', ['mid', 'low'], ''],
]

/** Text with typing errors, and the concepts that it finds, in order. */
const FORGIVEN: [typed: string, expected: string[]][] = [
  // One letter left out, doubled, swapped, wrong; two in a long word.
  ['Goldshmied', ['r06']],
  ['Golldschmied', ['r06']],
  ['Godlschmied', ['r06']],
  ['Goldschmiet', ['r06']],
  ['Gldschmiet', ['r06']],
  ['munhcen', ['munich2', 'munich1', 'munich3']],
  ['Stasse', ['street']],
  ['göhte', ['goethe']],
  // The typing error is what folding makes of the right word.
  ['Isral', ['israel']],
  ['Drukgraphik', ['prints']],
  ['ipoet', ['ipot']],
  ['Ελλαδα', ['greece']],
  ['kete aus gold', ['r11']],
  ['aus glod kette', ['r11']],
  ['histry of art', ['history']],
  // Still being typed.
  ['Goldschmei', ['r06']],
  ['kunsgtesch', ['history']],
  // A word that is there is not taken for another, nor is a short one or a number.
  ['gold xyzxyz', []],
  ['Münze Gold', []],
  ['3.6 mm', []],
  ['zebra mddle', ['mid']],
]

/** Texts that find nothing and break nothing. */
const HOSTILE = [
  '++',
  '+',
  '-',
  '"',
  '\\',
  '(',
  ')',
  '[',
  '[qx-',
  '{1',
  '^$',
  '|',
  '?',
  '~1',
  '/.*/',
  '. , ; : !',
  '%',
  '#@ beginning',
  'prefLabel:gold OR',
  '[* NOX *]',
  '*:*',
  '\u0301',
  '\u{1f469}\u200d\u{1f52c}',
  'x'.repeat(10_000),
  `qw${'\u0301'.repeat(2000)}`,
  'qw '.repeat(3_000),
  '('.repeat(5_000),
  '\u202e\u2066gnop\u2069',
  'q\u200bw\u200be\u200br\u200bt',
  'ﷺ',
]

describeOver(EMBEDDED, 'search', (store) => {
  let app: RunningApp
  let running: Awaited<ReturnType<typeof store.start>>

  const names = ({ status, body }: Answer): string[] => {
    expect(status).toBe(200)
    return (body as { uri: string }[]).map(({ uri }) => uri.slice(V.length))
  }
  const search = (parameters: Record<string, string>) => app.ask('/search', { voc: 'search', ...parameters })

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await putDemo(app)
    await app.put(V, turtle(V, CONCEPTS, 'search'))
    await app.put(OTHER, turtle(OTHER, { twin: { pref: { de: 'Gold' }, notation: 'gold' } }, 'other') + SHARED)
    await app.put(`${V}subset`, SUBSET)
  })
  afterAll(async () => {
    expect(app.reported.filter((error) => !(error instanceof ApiError) || error.status >= 500)).toEqual([])
    await app.close()
    await running.stop()
  })

  test.each(FOUND)('%j', async (typed, expected) => {
    const answer = await search({ search: typed })
    expect(names(answer)).toEqual(expected)
    expect(answer.headers.get('x-total-count')).toBe(String(expected.length))
  })

  test.each(INSIDE)('%j finds parts of words: %j', async (typed, expected, replaced) => {
    const answer = await search({ search: typed })
    expect(names(answer)).toEqual(expected)
    expect(answer.headers.get('x-total-count')).toBe(String(expected.length))
    expect([...new URLSearchParams(answer.headers.get('search-replaced') ?? '')]).toEqual([
      ...new URLSearchParams(replaced),
    ])
    const [text, , , uris] = (await app.ask('/suggest', { search: typed, voc: 'search' })).body
    expect([text, uris]).toEqual([typed, expected.map((name) => V + name)])
  })

  test('parts of words keep to the same conditions, and to pages', async () => {
    expect(names(await search({ search: 'schmied', voc: 'subset_search-gold' }))).toEqual(['r06'])
    expect(names(await search({ search: 'ebra', ancestors: `${V}mid` }))).toEqual(['low'])
    expect(names(await search({ search: 'ebra', type: 'http://example.org/class/Thing' }))).toEqual([])
    expect(names(await search({ search: 'ebra', use: 'notation' }))).toEqual([])
    expect(names(await search({ search: 'geschichte', in: 'en' }))).toEqual([])
    expect(names(await search({ search: 'geschichte', in: 'de' }))).toEqual(['history'])
    expect(names(await search({ search: '*JOHN*', use: 'notation' }))).toEqual(['odd'])
    const pages = await Promise.all([0, 1].map((offset) => search({ search: 'pot', limit: '1', offset: `${offset}` })))
    expect(pages.flatMap(names)).toEqual(['pottery', 'ipot'])
  })

  test('a suggestion says which other label has a part of a word', async () => {
    const { body } = await app.ask('/suggest', { search: 'schläger', voc: 'search' })
    expect(body).toEqual(['schläger', ['Schlägerei'], [''], [`${V}r07`]])
    const hidden = await app.ask('/suggest', { search: 'geschichte', voc: 'search', language: 'en' })
    expect(hidden.body.slice(1, 3)).toEqual([['History of Art'], ['Kunstgeschichte']])
  })

  test('reconciliation takes a star for punctuation', async () => {
    const candidates = async (query: string) => {
      const { body } = await app.ask('/voc/search/reconcile', { queries: JSON.stringify({ q: { query } }) })
      return body.q.result.map(({ id }: { id: string }) => id)
    }
    expect(await candidates('*schmied')).toEqual(await candidates('schmied'))
    expect(await candidates('Gold*ied')).not.toContain(`${V}r06`)
    expect(await candidates('Goldschmied*')).toContain(`${V}r06`)
  })

  test.each<[Record<string, string>, object | null]>([
    [{ search: 'zebra' }, null],
    [
      { search: 'zebra', facets: 'voc,type,top' },
      {
        voc: [{ uri: V, count: 3 }],
        type: [{ uri: 'http://www.w3.org/2004/02/skos/core#Concept', count: 3 }],
        top: [{ uri: `${V}top`, count: 3 }],
      },
    ],
    [{ search: 'zebra', limit: '0', facets: 'top' }, { top: [{ uri: `${V}top`, count: 3 }] }],
    [
      { search: 'ebra', ancestors: `${V}mid`, facets: 'top|voc' },
      { voc: [{ uri: V, count: 1 }], top: [{ uri: `${V}top`, count: 1 }] },
    ],
    [{ search: 'zebar', facets: 'voc' }, { voc: [{ uri: V, count: 3 }] }],
    [{ search: '', ancestors: `${V}top`, facets: 'top' }, { top: [{ uri: `${V}top`, count: 2 }] }],
    [
      { search: 'xyzxyz', facets: 'voc,top' },
      { voc: [], top: [] },
    ],
    [{ search: 'zebra', voc: 'nonsense', facets: 'voc' }, { voc: [] }],
    // Of several vocabularies, and a concept of two.
    [
      { search: 'walrus', voc: '*', facets: 'voc' },
      {
        voc: [
          { uri: OTHER, count: 1 },
          { uri: V, count: 1 },
        ],
      },
    ],
    [
      { search: 'film', facets: 'type' },
      {
        type: [
          { uri: 'http://example.org/class/Thing', count: 1 },
          { uri: 'http://www.w3.org/2004/02/skos/core#Concept', count: 1 },
        ],
      },
    ],
  ])('facets of %j: %j', async (parameters, expected) => {
    const { headers, body } = await search(parameters)
    const facets = headers.get('x-facets')
    expect(facets === null ? null : JSON.parse(facets)).toEqual(expected)
    expect(Array.isArray(body)).toBe(true)
    expect(headers.get('access-control-expose-headers')).toContain('X-Facets')
  })

  test('notes are searched if they are asked for', async () => {
    const crafts = async (parameters: Record<string, string>) => {
      const answer = await app.ask('/search', { voc: 'crafts', ...parameters })
      expect([answer.status, answer.headers.get('x-total-count')]).toEqual([200, String(answer.body.length)])
      return (answer.body as { uri: string }[]).map(({ uri }) => uri.slice(CRAFTS.length))
    }
    expect(await crafts({ search: 'Schussfäden' })).toEqual([])
    expect(await crafts({ search: 'Schussfäden', use: 'note' })).toEqual([])
    expect(await crafts({ search: 'schussfaeden', use: 'definition' })).toEqual(['weaving', 'tapestry-weaving'])
    expect(await crafts({ search: 'Gewebe Schussfäden', use: 'all' })).toEqual(['weaving'])
    expect(await crafts({ search: 'Schussfäden Buch', use: 'all' })).toEqual([])
    // Labels come first, and nothing comes twice.
    const weaving = await crafts({ search: 'weben', use: 'all', limit: '1000' })
    expect(weaving.slice(0, 1)).toEqual(['weaving'])
    expect(weaving).toContain('tapestry-weaving')
    expect(new Set(weaving).size).toBe(weaving.length)
    expect(weaving.slice(0, 1)).toEqual((await crafts({ search: 'weben' })).slice(0, 1))
    const { body } = await app.ask('/suggest', { search: 'Schussfäden', use: 'definition', language: 'de' })
    expect(body[1]).toEqual(['T2 Weben', 'T2.1 Bildwirkerei'])
    expect(body[2][0]).toContain('Kett- und Schussfäden')
  })

  test('an unknown facet is refused', async () => {
    const { status, body } = await search({ search: 'gold', facets: 'voc,subject' })
    expect([status, body.message]).toEqual([400, expect.stringContaining('facets: expected voc, type, top, got')])
  })

  test('facets of everything count what searches find', async () => {
    const { headers } = await app.ask('/search', { facets: 'voc,top', limit: '1' })
    const { voc, top } = JSON.parse(headers.get('x-facets')!)
    expect(headers.get('x-facets')!.length).toBeLessThanOrEqual(3000)
    for (const { uri, count } of voc) {
      const only = await app.ask('/search', { voc: uri, limit: '0' })
      expect([uri, only.headers.get('x-total-count')]).toEqual([uri, String(count)])
    }
    const ofDemo = top.find(({ uri }: { uri: string }) => uri.startsWith(CRAFTS))
    const below = await app.ask('/descendants', { uri: ofDemo.uri, limit: '0' })
    expect(Number(below.headers.get('x-total-count')) + 1).toBe(ofDemo.count)
  })

  test.each(FORGIVEN)('%j is forgiven: %j', async (typed, expected) => {
    const answer = await search({ search: typed })
    expect(names(answer)).toEqual(expected)
    expect(answer.headers.get('x-total-count')).toBe(String(expected.length))
    expect((await app.ask('/suggest', { search: typed, voc: 'search' })).body[3]).toEqual(
      expected.map((name) => V + name),
    )
  })

  test.each<[typed: string, replaced: [word: string, other: string][]]>([
    ['Goldshmied', [['Goldshmied', 'goldschmied']]],
    ['kete aus gold', [['kete', 'kette']]],
    ['aus glod kette', [['glod', 'gold']]],
    ['göhte', [['göhte', 'goethe']]],
    ['Isral', [['Isral', 'israel']]],
    // Nothing is replaced where the text itself is found, or nothing is.
    ['Goldschmied', []],
    ['zebra mddle xyzxyz', []],
    ['gold xyzxyz', []],
    ['', []],
  ])('a search for %j says what it has replaced: %j', async (typed, replaced) => {
    const asked = { search: typed, voc: 'search' }
    const all = await Promise.all([
      app.ask('/search', asked),
      app.ask('/search', { ...asked, limit: '0' }),
      app.ask('/search', { ...asked, format: 'turtle' }),
      app.ask('/search', asked, { method: 'HEAD' }),
      app.ask('/suggest', asked),
      app.ask('/concepts/suggest', { ...asked, format: 'jskos' }),
      // The answer that the service remembers.
      search({ search: typed }),
    ])
    for (const { headers } of all) {
      const header = headers.get('search-replaced')
      expect(header === null ? [] : [...new URLSearchParams(header)]).toEqual(replaced)
      expect(header).not.toBe('')
      expect(headers.get('access-control-expose-headers')).toContain('Search-Replaced')
    }
  })

  test('pages of forgiving searches do not overlap', async () => {
    const pages = await Promise.all(
      [0, 1, 2].map((offset) => search({ search: 'munhcen', limit: '1', offset: `${offset}` })),
    )
    expect(pages.flatMap(names)).toEqual(['munich2', 'munich1', 'munich3'])
    for (const answer of pages) expect(answer.headers.get('x-total-count')).toBe('3')
  })

  test.each([
    // Words, several words, the beginning of a tag, a notation, a word with a mistake.
    ['munich', 'en', ['munich1']],
    ['munich', 'de', []],
    ['History Art', 'EN', ['history']],
    ['History Art', 'de', []],
    ['gold', 'en', ['r01', 'r05']],
    ['Kunstgeschichtee', 'de', ['history']],
    ['Kunstgeschichtee', 'en', []],
  ])('labels of one language: %s in %s', async (search, language, expected) => {
    const { body } = await app.ask('/search', { search, in: language, voc: 'search' })
    expect(body.map(({ uri }: { uri: string }) => uri.replace(V, '')).sort()).toEqual(expected)
  })

  test('forgiving searches keep to the same conditions', async () => {
    expect(names(await search({ search: 'zebar', voc: 'subset_search-gold' }))).toEqual(['low'])
    expect(names(await search({ search: 'zebar', ancestors: `${V}top` }))).toEqual(['mid', 'low'])
    expect(names(await search({ search: 'filn', type: 'http://example.org/class/Thing' }))).toEqual(['film'])
    expect(names(await search({ search: 'zebra', type: V }))).toEqual([])
    expect(names(await search({ search: 'zebar', use: 'notation' }))).toEqual([])
    expect(names(await app.ask('/search', { search: 'zebar', voc: 'other' }))).toEqual([])
  })

  test.each(HOSTILE.map((typed) => [typed.slice(0, 30), typed]))('%j finds nothing', async (_, typed) => {
    const answer = await search({ search: typed })
    expect(names(answer)).toEqual([])
    expect(answer.headers.get('x-total-count')).toBe('0')
    expect((await app.ask('/suggest', { search: typed })).body).toEqual([typed, [], [], []])
  })

  test.each(['', '*', ' ', '\u200b', '\u202e\u2066'])('%j lists everything, in the order of records', async (typed) => {
    const all = await search({ query: typed, limit: '1000' })
    const expected = await app.ask('/voc/concepts', { uri: V })
    expect(names(all)).toEqual(names(expected))
    expect(all.headers.get('x-total-count')).toBe(String(Object.keys(CONCEPTS).length + 1))
  })

  test('without a text and a vocabulary there are the concepts of all', async () => {
    const first = await app.ask('/search', { limit: '1' })
    const vocabularies = [V, OTHER, CRAFTS, MATERIALS]
    const lists = await Promise.all(
      vocabularies.map((uri) => app.ask('/voc/concepts', { uri, properties: 'notation', limit: '1000' })),
    )
    const all = new Set(lists.flatMap(({ body }) => (body as { uri: string }[]).map(({ uri }) => uri)))
    expect(first.headers.get('x-total-count')).toBe(String(all.size))
    expect(first.body).toHaveLength(1)
  })

  test('a search answers 100 records, a suggestion 20, unless told', async () => {
    const all = await app.ask('/search')
    expect(all.body).toHaveLength(100)
    expect(all.headers.get('link')).toContain('limit=100&offset=100>; rel="next"')
    expect((await app.ask('/suggest')).body[1]).toHaveLength(20)
    expect((await app.ask('/suggest', { limit: '1000' })).body[1].length).toBeGreaterThan(100)
  })

  test.each([
    [{ voc: 'search' }, ['r01', 'r02']],
    [{ voc: V }, ['r01', 'r02']],
    [{ voc: 'http://example.org/search' }, ['r01', 'r02']],
    [{ voc: 'https://example.org/search/' }, ['r01', 'r02']],
    [{ voc: 'search|other' }, ['r01', 'twin']],
    [{ voc: '*' }, ['r01', 'twin']],
    [{ voc: '' }, ['r01', 'twin']],
    [{ voc: 'other' }, ['twin']],
    [{ voc: 'other|nonsense' }, ['twin']],
    [{ voc: 'nonsense' }, []],
    [{ voc: 'crafts' }, ['B', 'C', 'D']],
    [{ voc: 'subset_search-gold' }, ['r02', 'r06']],
    [{ voc: 'subset_search-gold|other' }, ['twin', 'r02']],
  ] as [Record<string, string>, string[]][])('%j keeps to it', async (parameters, first) => {
    const answer = await app.ask('/search', { search: 'gold', limit: '2', ...parameters })
    const result = await app.ask('/search', { search: 'gold', limit: '1000', ...parameters })
    const schemes = (result.body as { inScheme: { uri: string }[] }[]).map(({ inScheme }) =>
      inScheme.map(({ uri }) => uri),
    )
    if (parameters['voc'] === 'crafts') {
      expect(schemes.length).toBeGreaterThan(2)
      for (const inScheme of schemes) expect(inScheme).toEqual([CRAFTS])
      return
    }
    expect(names(answer)).toEqual(first)
    const allowed = parameters['voc']!.includes('other') ? [V, OTHER] : [V]
    if (parameters['voc'] !== '' && parameters['voc'] !== '*') {
      for (const inScheme of schemes) expect(allowed).toContain(inScheme[0])
    }
  })

  test('a concept of a vocabulary is found in whatever graph it is', async () => {
    for (const voc of ['search', 'other']) {
      expect(names(await app.ask('/search', { search: 'shared walrus', voc }))).toEqual(['shared'])
    }
    expect(names(await app.ask('/search', { search: 'shared walrus', voc: 'crafts' }))).toEqual([])
  })

  test('finds concepts only', async () => {
    const answer = await app.ask('/search', { search: 'gold scheme' })
    expect(names(answer)).toEqual([])
    expect(answer.headers.get('x-total-count')).toBe('0')
  })

  test.each([
    [{ search: 'zebra' }, ['top', 'mid', 'low']],
    [{ search: 'zebra', ancestors: `${V}top` }, ['mid', 'low']],
    [{ search: 'zebra', ancestors: `${V}mid` }, ['low']],
    [{ search: 'zebra', ancestors: `${V}mid|${V}top` }, ['mid', 'low']],
    [{ search: 'zebra', ancestors: `${V}low` }, []],
    [{ search: 'zebra', ancestors: 'http://example.org/unknown' }, []],
    [{ search: '', ancestors: `${V}top` }, ['mid', 'low']],
    [{ search: '', ancestors: `${V}top`, voc: 'subset_search-gold' }, ['low']],
    [{ search: 'zebra', ancestors: `${V}top`, voc: 'subset_search-gold' }, ['low']],
    [{ search: 'film', type: 'http://example.org/class/Thing' }, ['film']],
    [{ search: '', type: 'http://example.org/class/Thing' }, ['film']],
    [{ search: 'zebra', type: 'http://example.org/class/Thing' }, []],
    [
      { search: 'zebra', type: 'http://example.org/class/Thing|http://www.w3.org/2004/02/skos/core#Concept' },
      ['top', 'mid', 'low'],
    ],
    [{ search: 'zebra', type: 'person,place,concept' }, ['top', 'mid', 'low']],
    [{ search: 'zebra', type: 'person' }, []],
    [{ search: 'zebra', type: '' }, ['top', 'mid', 'low']],
    [{ search: 'Z1', use: 'label' }, []],
    [{ search: 'Z1', use: 'notation' }, ['mid', 'low']],
    [{ search: 'Z1', use: 'notation,label' }, ['mid', 'low']],
    [{ search: 'Z1', use: 'label|notation' }, ['mid', 'low']],
    [{ search: 'Z1', use: 'label|notation|' }, ['mid', 'low']],
    [{ search: 'zebra', use: 'notation' }, []],
    [{ search: '++', use: 'label' }, []],
    [{ query: 'zebra', search: 'zebra', limit: '2', count: '2', offset: '1', sort: 'score' }, ['mid', 'low']],
    [{ query: 'zebra', count: '1' }, ['top']],
  ] as [Record<string, string>, string[]][])('%j', async (parameters, expected) => {
    expect(names(await search(parameters))).toEqual(expected)
  })

  test.each(['gold', 'b', ''])('pages of %j never overlap and have the true total', async (typed) => {
    const whole = await app.ask('/search', { search: typed, voc: '*', limit: '1000' })
    const total = Number(whole.headers.get('x-total-count'))
    expect(whole.body).toHaveLength(total)
    const paged: string[] = []
    for (let offset = 0; offset < total + 7; offset += 7) {
      const page = await app.ask('/search', { search: typed, limit: '7', offset: String(offset) })
      expect(page.headers.get('x-total-count')).toBe(String(total))
      paged.push(...names(page))
    }
    expect(paged).toEqual(names(whole))
    expect(new Set(paged).size).toBe(total)
    const none = await app.ask('/search', { search: typed, limit: '0' })
    expect([none.body, none.headers.get('x-total-count')]).toEqual([[], String(total)])
  })

  test('records are those of /data, with their languages and properties', async () => {
    const [record] = (await search({ search: 'munich', languages: 'en', properties: '+ancestors' })).body
    const [data] = (await app.ask('/data', { uri: `${V}munich1`, languages: 'en', properties: '+ancestors' })).body
    expect(record).toEqual(data)
    expect(record.prefLabel).toEqual({ en: 'Munich' })
  })

  test.each([
    [{ limit: 'ten' }, 'limit'],
    [{ offset: '-1' }, 'offset'],
    [{ count: '1e3' }, 'count'],
    [{ ancestors: 'relative' }, 'ancestors'],
    [{ type: 'urn:' }, 'type'],
    [{ language: 'x_y' }, 'language'],
    [{ search: 'a\u0000' }, 'search'],
    [{ use: 'nonsense' }, 'use: expected label, notation, definition, note, all'],
    [{ use: 'label,title' }, 'title'],
  ] as [Record<string, string>, string][])('%j is refused', async (parameters, name) => {
    for (const path of ['/search', '/suggest']) {
      const answer = await app.ask(path, { query: 'gold', ...parameters })
      expect(answer.status).toBe(400)
      expect(answer.body.message).toContain(name)
    }
  })

  test('a doubled text is refused', async () => {
    expect((await app.get('/search?search=a&search=b')).status).toBe(400)
    expect((await app.get('/suggest?query[]=a')).status).toBe(400)
    expect((await app.get('/suggest?search=%ff')).status).toBe(400)
  })

  test('only GET and HEAD', async () => {
    expect((await app.get('/suggest?search=gold', { method: 'POST' })).status).toBe(405)
    const head = await app.get('/suggest?search=gold&voc=search', { method: 'HEAD' })
    expect([head.status, head.text, head.headers.get('x-total-count')]).toEqual([200, '', '12'])
  })

  test('suggestions: the query, labels, descriptions and URIs', async () => {
    const answer = await app.ask('/suggest', {
      search: 'gold',
      voc: 'search',
      limit: '3',
      offset: '1',
      language: 'de',
    })
    expect(answer.body).toEqual([
      'gold',
      ['Gold', 'Edelmetall', 'Aurum'],
      // Why it was found, but never by a hidden label.
      ['', 'gold', ''],
      [`${V}r02`, `${V}r03`, `${V}r04`],
    ])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('x-total-count')).toBe('12')
    expect(answer.headers.get('link')).toContain('rel="next"')
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Total-Count')
  })

  test.each([
    ['de', 'M2 München'],
    ['en,de', 'M2 Munich'],
    ['fr,en', 'M2 Munich'],
    ['fr', 'M2 München'],
    ['', 'M2 München'],
  ])('suggestions in %j', async (language, label) => {
    const answer = await app.ask('/suggest', { search: 'munich', voc: 'search', language })
    expect(answer.body[1]).toEqual([label])
  })

  test('suggestions without notations', async () => {
    const { body } = await app.ask('/suggest', { search: 'munich', voc: 'search', language: 'de', plain: 'true' })
    expect(body[1]).toEqual(['München'])
    const byNotation = await app.ask('/suggest', { search: 'm2', voc: 'search', use: 'notation', plain: 'true' })
    expect([byNotation.body[1][0], byNotation.body[2][0]]).toEqual(['München', 'M2'])
  })

  test('suggestions leave out a notation that is longer than the label, or a UUID', async () => {
    const odd = 'http://example.org/vocabulary/odd-notations/'
    const uuid = '0b8f3d1e-7c55-4a0a-9d3c-2f1f0a5f6c11'
    const concept = (at: number, notation: string, label: string) =>
      `<${odd}${at}> a skos:Concept ; skos:inScheme <${odd}> ; skos:notation "${notation}" ; skos:prefLabel "${label}"@en .`
    await app.put(
      odd,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${odd}> a skos:ConceptScheme ; skos:notation "odd-notations" .
      ${concept(1, 'ZB-4711-99', 'zebu')} ${concept(2, uuid, `zebu ${'z'.repeat(40)}`)} ${concept(3, 'Z', 'zebus')}`,
    )
    const { body } = await app.ask('/suggest', { search: 'zebu', voc: 'odd-notations' })
    expect([...body[1]].sort()).toEqual(['Z zebus', 'zebu', `zebu ${'z'.repeat(40)}`])
  })

  test('suggestions have a notation once, if the label begins with it', async () => {
    const odd = 'http://example.org/vocabulary/odd-labels/'
    await app.put(
      odd,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${odd}> a skos:ConceptScheme ; skos:notation "odd-labels" .
      <${odd}1> a skos:Concept ; skos:inScheme <${odd}> ; skos:notation "N.08" ; skos:prefLabel "N.08  Gnus"@en .
      <${odd}2> a skos:Concept ; skos:inScheme <${odd}> ; skos:notation "Gnu" ; skos:prefLabel "Gnutown"@en .`,
    )
    const { body } = await app.ask('/suggest', { search: 'gnu', voc: 'odd-labels' })
    expect([...body[1]].sort()).toEqual(['Gnu Gnutown', 'N.08  Gnus'])
  })

  test('descriptions tell suggestions of one name apart', async () => {
    const namesakes = 'http://example.org/vocabulary/namesakes/'
    const secondNamesakes = 'http://example.org/vocabulary/namesakes-2/'
    const scheme = (uri: string, id: string, name: string) =>
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${uri}> a skos:ConceptScheme ; skos:notation "${id}" ; skos:prefLabel "${name}"@en .`
    const concept = (uri: string, scheme: string, more: string) =>
      `<${uri}> a skos:Concept ; skos:inScheme <${scheme}> ; ${more} .`
    const arts = `skos:prefLabel "Arts"@en , "Geisteswissenschaften"@de ; skos:narrower <${namesakes}a1> , <${namesakes}a2>`
    await app.put(
      namesakes,
      `${scheme(namesakes, 'namesakes', 'Namesakes')} ${concept(`${namesakes}arts`, namesakes, arts)}
      ${concept(`${namesakes}a1`, namesakes, `skos:notation "18.97" ; skos:prefLabel "Tapirs"@en ; skos:broader <${namesakes}arts>`)}
      ${concept(`${namesakes}a2`, namesakes, `skos:prefLabel "tapirs"@en ; skos:altLabel "Tapirus"@en ; skos:broader <${namesakes}arts>`)}
      ${concept(`${namesakes}a3`, namesakes, `skos:notation "19" ; skos:prefLabel "Tapirs"@en`)}
      ${concept(`${namesakes}a4`, namesakes, `skos:prefLabel "Tapirs of Asia"@en ; skos:broader <${namesakes}arts>`)}`,
    )
    await app.put(
      secondNamesakes,
      `${scheme(secondNamesakes, 'namesakes-2', 'Other namesakes')} ${concept(`${secondNamesakes}a1`, secondNamesakes, `skos:prefLabel "Tapirs"@en`)}`,
    )
    const ask = async (parameters: Record<string, string>) => {
      const { body } = await app.ask('/suggest', { search: 'tapir', voc: 'namesakes', ...parameters })
      return Object.fromEntries(body[3].map((uri: string, at: number) => [uri, [body[1][at], body[2][at]]]))
    }
    expect(await ask({ language: 'de' })).toEqual({
      [`${namesakes}a1`]: ['18.97 Tapirs', 'Geisteswissenschaften'],
      [`${namesakes}a2`]: ['tapirs', 'Geisteswissenschaften'],
      [`${namesakes}a3`]: ['19 Tapirs', 'Namesakes'],
      [`${namesakes}a4`]: ['Tapirs of Asia', ''],
    })
    const plain = await ask({ plain: 'true', voc: 'namesakes|namesakes-2', language: 'de' })
    expect(plain).toEqual({
      [`${namesakes}a1`]: ['Tapirs', '18.97, Geisteswissenschaften, Namesakes'],
      [`${namesakes}a2`]: ['tapirs', 'Geisteswissenschaften, Namesakes'],
      [`${namesakes}a3`]: ['Tapirs', '19, Namesakes'],
      [`${namesakes}a4`]: ['Tapirs of Asia', ''],
      [`${secondNamesakes}a1`]: ['Tapirs', 'Other namesakes'],
    })
    const { body } = await app.ask('/suggest', { search: 'tapirus', voc: 'namesakes', language: 'en' })
    expect(body).toEqual(['tapirus', ['tapirs'], ['Tapirus'], [`${namesakes}a2`]])
  })

  test('no two suggestions look the same: their notations, else their URIs tell them apart', async () => {
    const alike = 'http://example.org/vocabulary/alike/'
    const uuid = '0b8f3d1e-7c55-4a0a-9d3c-2f1f0a5f6c11'
    const concept = (name: string, more = '') =>
      `<${alike}${name}> a skos:Concept ; skos:inScheme <${alike}> ; skos:prefLabel "Saola"@en ${more} .`
    await app.put(
      alike,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${alike}> a skos:ConceptScheme ; skos:notation "alike" ; skos:prefLabel "Alike"@en .
      ${concept('q1')} ${concept('q2')} ${concept('q3', `; skos:notation "${uuid}"`)}`,
    )
    const { body } = await app.ask('/suggest', { search: 'saola', voc: 'alike', language: 'en' })
    expect(Object.fromEntries(body[3].map((uri: string, at: number) => [uri, [body[1][at], body[2][at]]]))).toEqual({
      [`${alike}q1`]: ['Saola', `Alike, ${alike}q1`],
      [`${alike}q2`]: ['Saola', `Alike, ${alike}q2`],
      [`${alike}q3`]: ['Saola', `Alike, ${uuid}`],
    })
  })

  test('suggestions as records have the fields that are asked for', async () => {
    const asked = { search: 'zebra', voc: 'search', limit: '2', properties: 'prefLabel,hasChildren', format: 'jskos' }
    const { body } = await app.ask('/suggest', asked)
    const fields = ['@context', 'hasChildren', 'prefLabel', 'type', 'uri']
    expect(body.map((record: any) => Object.keys(record).sort())).toEqual([fields, fields])
    expect(body.map((record: any) => record.hasChildren)).toEqual([true, true])
  })

  test('suggestions are JSON whatever is accepted', async () => {
    const answer = await app.ask('/suggest', { search: 'munich' }, { headers: { accept: 'text/turtle' } })
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.body[0]).toBe('munich')
  })

  test('a replaced vocabulary is searched as it is now', async () => {
    const before = { old: { pref: { en: 'Dodo' } }, kept: { pref: { en: 'Quagga' } } }
    const graph = 'http://example.org/replaced'
    await app.put(graph, turtle(graph, before, 'replaced'))
    expect(names(await app.ask('/search', { search: 'dodo' }))).toEqual(['old'])
    await app.put(graph, turtle(graph, { kept: { pref: { en: 'Okapi' } } }, 'replaced'))
    expect(names(await app.ask('/search', { search: 'dodo' }))).toEqual([])
    expect(names(await app.ask('/search', { search: 'quagga' }))).toEqual([])
    expect(names(await app.ask('/search', { search: 'okapi' }))).toEqual(['kept'])
    await app.client.deleteGraph(graph)
    app.state.changed()
    expect(names(await app.ask('/search', { search: 'okapi' }))).toEqual([])
  })

  test('the demo: a suggestion and a search in both vocabularies', async () => {
    const suggested = await app.ask('/suggest', { search: 'Buchbindere', voc: 'crafts' })
    expect(suggested.body).toEqual(['Buchbindere', ['B1 Buchbinderei'], [''], [`${CRAFTS}bookbinding`]])
    const answer = await app.ask('/search', { query: 'silk', voc: 'crafts|materials' })
    expect(answer.body.some(({ uri }: { uri: string }) => uri.startsWith(MATERIALS))).toBe(true)
  })

  test('of several words, those that begin words of very many concepts do not count inside of others', async () => {
    const often = 'http://example.org/vocabulary/often/'
    const labels = [
      ...Array.from({ length: 1000 }, (_, at) => `Haus ${at}`),
      'Geburtshaus Museumsdorf',
      'Haus Freilichtmuseum',
    ]
    const concepts = labels.map(
      (label, at) => `<${often}${at}> a skos:Concept ; skos:inScheme <${often}> ; skos:prefLabel "${label}"@de .`,
    )
    await app.put(
      often,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${often}> a skos:ConceptScheme ; skos:notation "often" ; skos:prefLabel "Often"@en . ${concepts.join('\n')}`,
    )
    const found = async (text: string) => {
      const { body, headers } = await app.ask('/search', { search: text, voc: 'often', properties: 'prefLabel' })
      return [body.map(({ prefLabel }: { prefLabel: { de: string } }) => prefLabel.de), headers.get('search-replaced')]
    }
    expect(await found('haus museum')).toEqual([['Haus Freilichtmuseum'], 'museum=*museum*'])
    expect(await found('urtshaus museum')).toEqual([['Geburtshaus Museumsdorf'], 'urtshaus=*urtshaus*&museum=*museum*'])
  })

  test('shorter labels come first among beginnings, however many hits inside of words follow, on each page', async () => {
    const many = 'http://example.org/vocabulary/many/'
    const labels = [
      'Okapi von Norden',
      'Okapi im Wald',
      'Okapihaus',
      ...Array.from({ length: 600 }, (_, at) => `Waldokapi ${String(at).padStart(3, '0')}`),
    ]
    const concepts = labels.map(
      (label, at) =>
        `<${many}${at}> a skos:Concept ; skos:inScheme <${many}> ; skos:notation "${String(at).padStart(3, '0')}" ;
          skos:prefLabel "${label}"@de .`,
    )
    await app.put(
      many,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${many}> a skos:ConceptScheme ; skos:notation "many" ; skos:prefLabel "Many"@en . ${concepts.join('\n')}`,
    )
    const page = async (offset: string, limit: string) => {
      const asked = { search: 'okapi', voc: 'many', properties: 'prefLabel', offset, limit }
      const { body, headers } = await app.ask('/search', asked)
      return [body.map(({ prefLabel }: { prefLabel: { de: string } }) => prefLabel.de), headers.get('x-total-count')]
    }
    expect(await page('0', '2')).toEqual([['Okapihaus', 'Okapi im Wald'], '603'])
    expect(await page('2', '3')).toEqual([['Okapi von Norden', 'Waldokapi 000', 'Waldokapi 001'], '603'])
    expect(await page('602', '3')).toEqual([['Waldokapi 599'], '603'])
  })

  test('notations match whatever the form of their accents', async () => {
    const uri = 'http://example.org/accents/'
    const forms = { composed: { notation: '\u00c91.2' }, decomposed: { notation: 'E\u03011.2', alt: ['e 12'] } }
    await app.put(uri, turtle(uri, forms, 'voc-e\u0301'))
    const expected = ['composed', 'decomposed']
    for (const typed of ['\u00e91.2', 'e\u03011.2', '\u00e91', 'e1.2', '\u00e9*2', 'e\u0301*2']) {
      for (const use of ['label,notation', 'notation'])
        expect([typed, use, names(await search({ search: typed, use, voc: uri })).sort()]).toEqual([
          typed,
          use,
          expected,
        ])
      const { body } = await app.ask('/suggest', { search: typed, voc: uri })
      expect(body[3].sort()).toEqual(expected.map((name) => V + name))
      expect(body[2]).toEqual(['', ''])
    }
    for (const name of ['voc-\u00e9', 'voc-e\u0301']) {
      expect((await app.ask('/voc/search', { search: name })).body).toMatchObject([{ uri }])
      expect((await app.ask('/voc', { notation: name })).body).toMatchObject([{ uri }])
    }
  })
})
