/**
 * The requests of existing clients, character by character, each with what that client needs to find in the answer:
 * cocoda-sdk, the plugins of fylr and easydb, and programs that read a vocabulary for one purpose.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { loadDemo } from '../../src/doors/demo/demo.ts'
import { CONCEPT, CONCEPT_SCHEME } from '../../src/base/namespaces.ts'
import { CRAFTS, MATERIALS, type Answer } from '../app.ts'
import { startIngest, type IngestService, type TestAccount } from '../writing/ingest/service.ts'
import { describeOver, EMBEDDED } from '../stores.ts'
import { tried } from './tried.ts'

const encoded = encodeURIComponent
const BOOKBINDING = `${CRAFTS}bookbinding`
const BOOKS = `${CRAFTS}book-and-paper`
const BLAUDRUCK = `${CRAFTS}blaudruck`

const LANGUAGE = 'language=en,de,fr,es,nl,it,fi,pl,ru,cs,jp'
/** The fields that cocoda-sdk adds to the default ones. */
const MORE = 'properties=%2Bcreated,issued,modified,editorialNote,scopeNote,note,definition,mappings,location'
const SEARCH_FIELDS =
  'properties=+hiddenLabel,notation,scopeNote,definition,identifier,example,location,depiction,startDate,endDate,startPlace,endPlace,ancestors'
const DATA_FIELDS =
  'properties=+ancestors,broader,hiddenLabel,notation,scopeNote,definition,note,identifier,example,location,depiction,startDate,endDate,startPlace,endPlace,qualifiedRelations'
const UPDATE_FIELDS =
  'properties=+ancestors,altLabel,hiddenLabel,notation,scopeNote,definition,identifier,example,startDate,endDate,startPlace,endPlace'

/** Vocabularies that some clients name. */
const NKOS = 'http://w3id.org/nkos/nkostype'
const LICENSES = 'http://uri.gbv.de/terminology/license/'
const GENDER = 'http://example.org/terminology/gender/'
const small = (scheme: string, id: string, concept: string) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${scheme}> a skos:ConceptScheme ; skos:notation "${id}" ; skos:prefLabel "${id}"@en .
  <${concept}> a skos:Concept ; skos:inScheme <${scheme}> ; skos:topConceptOf <${scheme}> ; skos:prefLabel "One of ${id}"@en .`

/** A list of records as every client reads it: an array, its true length, and what each is. */
function list({ status, headers, body }: Answer, type: string, total?: number): any[] {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-expose-headers')).toContain('X-Total-Count')
  if (total !== undefined) expect(headers.get('x-total-count')).toBe(String(total))
  for (const record of body) {
    expect(record.uri).toMatch(/^https?:/)
    expect(record.type[0]).toBe(type)
  }
  return body
}
const concepts = (answer: Answer, total?: number) => list(answer, CONCEPT, total)
const schemes = (answer: Answer, total?: number) => list(answer, CONCEPT_SCHEME, total)
const onlyConcept = (answer: Answer) => {
  const records = concepts(answer, 1)
  expect(records).toHaveLength(1)
  return records[0]
}
const uris = (records: { uri: string }[]) => records.map(({ uri }) => uri)
const within = (records: { uri: string }[], vocabulary: string) =>
  expect(uris(records).filter((uri) => !uri.startsWith(vocabulary))).toEqual([])

/** The drop-down of the plugins: labels to show, and the URI of each. */
function suggestions({ status, body, headers }: Answer, total?: number): { labels: string[]; uris: string[] } {
  expect(status).toBe(200)
  const [query, labels, descriptions, suggested] = body
  expect([typeof query, descriptions.length, suggested.length]).toEqual(['string', labels.length, labels.length])
  if (total !== undefined) expect(headers.get('x-total-count')).toBe(String(total))
  return { labels, uris: suggested }
}

/** Above a concept, nearest first: the plugins turn it round to show the way down. */
function chain(record: any): string[] {
  for (const ancestor of record.ancestors) expect(ancestor.prefLabel.de).toEqual(expect.any(String))
  return uris(record.ancestors)
}

const COCODA: [path: string, needs: (answer: Answer) => void][] = [
  [
    `/status?${LANGUAGE}`,
    ({ status, body }) => {
      expect([status, body.ok]).toEqual([200, 1])
      expect(Object.keys(body.config).length).toBeGreaterThan(0)
      const paths = Object.fromEntries(
        ['schemes', 'top', 'data', 'concepts', 'narrower', 'ancestors', 'suggest', 'search', 'types'].map((name) => [
          name,
          new URL(body[name]).pathname,
        ]),
      )
      expect(paths).toEqual({
        schemes: '/voc',
        top: '/voc/top',
        data: '/data',
        concepts: '/concepts',
        narrower: '/narrower',
        ancestors: '/ancestors',
        suggest: '/suggest',
        search: '/search',
        types: '/types',
      })
    },
  ],
  [
    `/voc?${MORE}&limit=500&${LANGUAGE}`,
    (answer) => {
      const all = schemes(answer, 5)
      expect(uris(all)).toEqual(expect.arrayContaining([CRAFTS, MATERIALS]))
      for (const { prefLabel } of all) expect(Object.values(prefLabel)).not.toEqual([])
    },
  ],
  [
    `/voc?${MORE}&limit=500&uri=http:%2F%2Fexample.org%2Fvocabulary%2Fcrafts%7C${encoded(MATERIALS)}&${LANGUAGE}`,
    (answer) => {
      const [crafts] = schemes(answer, 2)
      // The scheme that was asked for is looked for by its URI and its identifiers.
      expect([crafts.uri, ...crafts.identifier]).toEqual(expect.arrayContaining([CRAFTS, CRAFTS.replace(/\/$/, '')]))
    },
  ],
  [
    `/voc/top?${MORE}&limit=10000&uri=${encoded(CRAFTS)}&${LANGUAGE}`,
    (answer) => {
      const top = concepts(answer, 8)
      // The concepts have children, which load when a user opens the concept.
      for (const { narrower } of top) expect(narrower).toEqual([null])
      expect(top[0].scopeNote.de).toEqual(expect.any(Array))
      expect(top[0].created).toMatch(/^\d{4}-/)
    },
  ],
  [
    `/data?${MORE}&limit=100&uri=${encoded(BOOKBINDING)}%7C${encoded(BLAUDRUCK)}&${LANGUAGE}`,
    (answer) => expect(uris(concepts(answer, 2)).sort()).toEqual([BLAUDRUCK, BOOKBINDING]),
  ],
  [
    `/narrower?${MORE}&limit=10000&uri=${encoded(BOOKS)}&${LANGUAGE}`,
    (answer) => expect(uris(concepts(answer, 5))).toContain(BOOKBINDING),
  ],
  [
    `/ancestors?${MORE}&limit=10000&uri=${encoded(BOOKBINDING)}&${LANGUAGE}`,
    (answer) => expect(uris(concepts(answer, 1))).toEqual([BOOKS]),
  ],
  [
    `/suggest?${MORE}&type=&use=notation,label&sort=score&limit=20&count=20&offset=0&search=Buch&query=Buch&voc=${encoded(CRAFTS)}&${LANGUAGE}`,
    (answer) => {
      const { labels, uris } = suggestions(answer)
      expect(uris.length).toBeGreaterThan(3)
      expect(labels[uris.indexOf(BOOKBINDING)]).toBe('B1 Bookbinding')
      for (const uri of uris) expect(uri.startsWith(CRAFTS)).toBe(true)
    },
  ],
  [
    `/search?${MORE}&type=${encoded(CONCEPT)}%7C${encoded('http://example.org/class/Other')}&limit=20&count=20&offset=1&search=Buch+%C3%BC&query=Buch+%C3%BC&voc=${encoded(CRAFTS)}&${LANGUAGE}`,
    (answer) => expect(concepts(answer)).toEqual([]),
  ],
  [
    `/search?${MORE}&type=${encoded(CONCEPT)}&limit=20&count=20&offset=1&search=Buch&query=Buch&voc=${encoded(CRAFTS)}&${LANGUAGE}`,
    (answer) => {
      const results = concepts(answer)
      expect(results).toHaveLength(Number(answer.headers.get('x-total-count')) - 1)
      within(results, CRAFTS)
    },
  ],
  [`/types?uri=${encoded(CRAFTS)}&${LANGUAGE}`, (answer) => expect(uris(concepts(answer))).toContain(CONCEPT)],
]

const PLUGINS: [path: string, needs: (answer: Answer) => void][] = [
  [
    // No question mark.
    '/voc&cache=1&limit=1000',
    (answer) => {
      const names = schemes(answer, 5).map(({ notation, prefLabel }) => [
        notation[0],
        Object.keys(prefLabel).length > 0,
      ])
      expect(names).toContainEqual(['crafts', true])
    },
  ],
  [
    '/voc?cache=1&notation=crafts|materials|none',
    (answer) => expect(schemes(answer, 2).map(({ notation }) => notation[0])).toEqual(['crafts', 'materials']),
  ],
  [
    '/suggest?search=Buchb&voc=crafts&language=de&limit=50&cache=0&ancestors=',
    (answer) => {
      const { labels, uris: results } = suggestions(answer)
      expect([labels[0], results[0]]).toEqual(['B1 Buchbinderei', BOOKBINDING])
    },
  ],
  [
    `/suggest?search=ma&voc=crafts|materials&language=de&limit=50&cache=0&ancestors=${BOOKS}`,
    (answer) => {
      const { uris: results } = suggestions(answer)
      expect(results.length).toBeGreaterThan(0)
      for (const uri of results) expect(uri.startsWith(CRAFTS)).toBe(true)
    },
  ],
  [
    '/suggest?search=se&voc=*&language=de&limit=50&cache=0&ancestors=',
    (answer) => {
      const { uris: results } = suggestions(answer)
      expect(results.some((uri) => uri.startsWith(CRAFTS)) && results.some((uri) => uri.startsWith(MATERIALS))).toBe(
        true,
      )
    },
  ],
  [
    // A drop-down list: everything.
    '/suggest?search=&voc=crafts&language=de&limit=1000&cache=1&ancestors=',
    (answer) => expect(suggestions(answer, 137).labels).toHaveLength(137),
  ],
  [
    `/search?query=buch&${SEARCH_FIELDS}&voc=crafts|materials&language=de&limit=12&cache=0&offset=0&ancestors=`,
    (answer) => {
      const record = concepts(answer).find(({ uri }) => uri === BOOKBINDING)
      expect(record.prefLabel.de).toBe('Buchbinderei')
      expect(record.notation).toEqual(['B1'])
      expect(chain(record)).toEqual([BOOKS])
    },
  ],
  [
    `/search?query=ma&${SEARCH_FIELDS}&voc=crafts|materials&language=de&limit=12&cache=0&offset=12&ancestors=`,
    (answer) => {
      const total = Number(answer.headers.get('x-total-count'))
      expect(total).toBeGreaterThan(12)
      expect(concepts(answer)).toHaveLength(Math.min(12, total - 12))
    },
  ],
  [
    '/search?voc=crafts&query=blaudruck&format=json&limit=100&cache=1&ancestors=&properties=+ancestors,notation&offset=0',
    (answer) => {
      const [record] = concepts(answer)
      expect(record.uri).toBe(BLAUDRUCK)
      expect(chain(record).length).toBeGreaterThan(1)
    },
  ],
  [
    '/voc/crafts/top?format=json&properties=+notation&limit=100&cache=1',
    (answer) => {
      const top = concepts(answer, 8)
      expect(top[0].notation).toEqual(['B'])
      for (const { narrower, prefLabel } of top) expect([narrower, typeof prefLabel.de]).toEqual([[null], 'string'])
    },
  ],
  [
    `/narrower?format=json&uri=${BOOKS}&limit=100&cache=1&voc=crafts`,
    (answer) => {
      const children = concepts(answer, 5)
      // A tree shows an arrow at concepts with narrower ones, and at no others.
      expect(children.map(({ narrower }) => narrower.length)).toEqual(expect.arrayContaining([0, 1]))
    },
  ],
  [
    `/narrower/?uri=${encoded(BOOKS)}&format=json&properties=+notation&limit=100&cache=1`,
    (answer) => expect(concepts(answer, 5).map(({ notation }) => notation[0])).toContain('B1'),
  ],
  [
    `/data?uri=${encoded(BLAUDRUCK)}&cache=0&properties=+ancestors`,
    (answer) => {
      const record = onlyConcept(answer)
      expect(chain(record)[0]).toBe(record.broader[0].uri)
    },
  ],
  [
    `/data?uri=${encoded(BOOKBINDING)}&format=json&${DATA_FIELDS}&cache=1`,
    (answer) => {
      const record = onlyConcept(answer)
      expect(record.type).toEqual([CONCEPT])
      expect(record.broader).toHaveLength(1)
      expect(record.definition.de).toEqual([expect.any(String)])
    },
  ],
  [
    `/data?cache=1&uri=${encoded(BOOKBINDING)}&${UPDATE_FIELDS}`,
    (answer) => {
      const record = onlyConcept(answer)
      expect(record.altLabel.de).toEqual(expect.any(Array))
      expect(Array.isArray(record.identifier)).toBe(true)
    },
  ],
  ['/concept-types/test?cache=0', (answer) => expect(concepts(answer)[0].uri).toBe(CONCEPT)],
  [
    '/testAPICalls',
    ({ status, body }) => expect([status, Array.isArray(body), body.length > 0]).toEqual([200, true, true]),
  ],
]

const OTHERS: [path: string, needs: (answer: Answer) => void][] = [
  [
    `/data?uri=${BOOKS}&properties=*`,
    (answer) => {
      // A crawler goes by narrower[].uri without looking at what it is.
      const { narrower } = onlyConcept(answer)
      expect(uris(narrower)).toContain(BOOKBINDING)
    },
  ],
  [
    '/voc/crafts/top?properties=prefLabel,notation,mappings&offset=0',
    (answer) => {
      const [first] = concepts(answer, 8)
      expect(Object.keys(first).sort()).toEqual(['@context', 'mappings', 'notation', 'prefLabel', 'type', 'uri'])
    },
  ],
  [
    '/voc/crafts/top?properties=prefLabel,notation,mappings&offset=1000',
    (answer) => expect(concepts(answer, 8)).toEqual([]),
  ],
  [
    '/voc/crafts/top?properties=prefLabel,notation,mappings&limit=10000',
    (answer) => expect(concepts(answer, 8)).toHaveLength(8),
  ],
  [
    `/descendants?uri=${BOOKS}&format=jskos&properties=*`,
    (answer) => {
      const below = concepts(answer)
      expect(below).toHaveLength(Number(answer.headers.get('x-total-count')))
      expect(uris(below)).toContain(BOOKBINDING)
      for (const { ancestors } of below) expect(ancestors.length).toBeGreaterThan(0)
    },
  ],
  [
    '/voc/crafts?format=jskos',
    (answer) => {
      const [scheme] = schemes(answer, 1)
      expect([scheme.uri, scheme.notation[0], scheme.prefLabel.en]).toEqual([CRAFTS, 'crafts', 'Crafts and Design'])
    },
  ],
  [
    '/voc/crafts?properties=*',
    (answer) => {
      const [scheme] = schemes(answer, 1)
      expect(scheme.definition.de).toEqual([expect.any(String)])
      expect(scheme.license[0].notation).toEqual(['CC0'])
    },
  ],
  [
    `/data?uri=${BOOKBINDING}|${BLAUDRUCK}|${CRAFTS}none&properties=+hiddenLabel`,
    (answer) => {
      for (const { hiddenLabel } of concepts(answer, 2)) {
        if (hiddenLabel) expect(Object.values(hiddenLabel).every(Array.isArray)).toBe(true)
      }
    },
  ],
  ['/data?notation=B1', (answer) => expect(onlyConcept(answer).uri).toBe(BOOKBINDING)],
  [
    `/data?uri=${BOOKS}&properties=+narrower`,
    (answer) =>
      expect(onlyConcept(answer).narrower.every(({ prefLabel }: any) => typeof prefLabel.de === 'string')).toBe(true),
  ],
  [
    `/data?uri=${BOOKBINDING}&properties=-`,
    (answer) => expect(Object.keys(onlyConcept(answer)).sort()).toEqual(['@context', 'prefLabel', 'type', 'uri']),
  ],
  [
    `/ancestors?uri=${BLAUDRUCK}&properties=-`,
    (answer) => {
      const above = concepts(answer)
      expect(above.length).toBeGreaterThan(1)
      for (const { prefLabel } of above) expect(prefLabel.de).toEqual(expect.any(String))
    },
  ],
  [
    `/ancestors?uri=${BLAUDRUCK}&properties=notation`,
    (answer) => {
      for (const record of concepts(answer)) {
        expect(Object.keys(record).sort()).toEqual(['@context', 'notation', 'type', 'uri'])
      }
    },
  ],
  [
    `/ancestors?uri=${BLAUDRUCK}&properties=narrower`,
    (answer) => {
      const above = concepts(answer)
      expect(uris(above[0].narrower)).toContain(BLAUDRUCK)
      for (const { narrower } of above) expect(narrower).not.toContain(null)
    },
  ],
  [
    '/search?voc=crafts&limit=20&cache=0&type=person,place,concept,groupconcept,corporate&query=Buchbinderei',
    (answer) => expect(concepts(answer)[0].uri).toBe(BOOKBINDING),
  ],
  [
    '/search?voc=crafts&properties=ancestors',
    (answer) => {
      const page = concepts(answer, 137)
      expect(page).toHaveLength(100)
      for (const { ancestors } of page) expect(Array.isArray(ancestors)).toBe(true)
    },
  ],
  [
    '/search?properties=*&query=*&voc=gender',
    (answer) => expect(onlyConcept(answer).prefLabel).toEqual({ en: 'One of gender' }),
  ],
  [`/voc/top?uri=${NKOS}`, (answer) => expect(onlyConcept(answer).inScheme[0].uri).toBe(NKOS)],
  [`/voc/top?uri=${encoded(LICENSES)}`, (answer) => expect(onlyConcept(answer).inScheme[0].uri).toBe(LICENSES)],
  [
    `/voc/concepts?uri=${CRAFTS}&download=ndjson`,
    ({ status, headers, text }) => {
      expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
      expect(headers.get('content-disposition')).toBe('attachment; filename=crafts.ndjson')
      const records = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { uri: string })
      expect(records).toHaveLength(137)
      within(records, CRAFTS)
    },
  ],
  [
    `/voc/concepts?uri=${CRAFTS}&download=json`,
    (answer) => {
      expect(concepts(answer, 137)).toHaveLength(137)
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename=crafts.json')
    },
  ],
]

describeOver(EMBEDDED, 'Requests of existing clients', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await loadDemo(service.client, service.config)
    await service.put(NKOS, small(NKOS, 'nkostype', `${NKOS}#list`))
    await service.put(LICENSES, small(LICENSES, 'license', 'http://creativecommons.org/licenses/by/4.0/'))
    await service.put(GENDER, small(GENDER, 'gender', `${GENDER}one`))
    account = await service.account()
  })
  afterAll(async () => {
    expect(service.reported).toEqual([])
    await service.close()
    await running.stop()
  })

  describe.each([
    ['cocoda-sdk', COCODA],
    [tried('fylr and easydb, plugin "custom data type DANTE"'), PLUGINS],
    ['others', OTHERS],
  ] as const)('%s', (_, requests) => {
    test.each(requests.map(([path, needs]) => [path, needs] as const))('GET %s', async (path, needs) => {
      needs(await service.get(path))
    })
  })

  test('POST /ingest of the plugins, without a Content-Type of their own', async () => {
    const concept = {
      uri: '',
      type: [CONCEPT],
      inScheme: [{ uri: CRAFTS }],
      prefLabel: { de: 'Kleisterfarbentechnik' },
      altLabel: { de: ['Kleistertechnik'] },
      definition: { de: ['Muster in Farbe.'] },
      example: { de: ['Vorsatzpapier'] },
      note: { de: ['Aus dem Erfassungsformular.'] },
    }
    const body = JSON.stringify([{ ...account, data: JSON.stringify([concept]) }])
    const answer = await service.get('/ingest', { method: 'POST', body })
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('Kleisterfarbentechnik')])
    const [record] = answer.body
    expect(record.uri.startsWith(CRAFTS)).toBe(true)
    const { labels, uris: results } = suggestions(await service.ask('/suggest', { search: 'Kleisterf', voc: 'crafts' }))
    expect([labels, results]).toEqual([['Kleisterfarbentechnik'], [record.uri]])
  })
})
