import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import { CRAFTS, MATERIALS, putDemo } from '../../app.ts'
import { CORE, describeOver } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const today = () => new Date().toISOString().slice(0, 10)

describeOver(CORE, 'POST /ingest', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await putDemo(service)
    account = await service.account()
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('answers with the record of the new concept, as the spec has it', async () => {
    const answer = await service.propose(account, [
      concept({
        type: ['http://example.org/class/Technique'],
        prefLabel: { de: 'Silberlöten', en: 'Silver soldering' },
        altLabel: { de: ['Hartlöten von Silber'] },
        hiddenLabel: { de: ['Silberloeten'] },
        notation: ['M.99'],
        identifier: ['http://vocab.getty.edu/aat/300054063', 'local 17'],
        definition: { de: ['Verbinden von Silber.'] },
        note: { de: ['Eine Notiz\nin zwei Zeilen.'] },
        editorialNote: { de: ['Vorschlag.'] },
        changeNote: { de: ['Neu.'] },
        scopeNote: { de: ['Nur für Silber.'] },
        example: { de: ['Ein Ring.'] },
        historyNote: { de: ['Alt.'] },
      }),
    ])
    expect(answer.text).toContain('[')
    expect(answer.status).toBe(201)
    const [record] = answer.body
    expect(record.uri).toMatch(new RegExp(`^${CRAFTS}${UUID}$`))
    expect(record).toEqual({
      uri: record.uri,
      type: [`${SKOS}Concept`, 'http://example.org/class/Technique'],
      '@context': 'https://gbv.github.io/jskos/context.json',
      inScheme: [
        {
          uri: CRAFTS,
          type: [`${SKOS}ConceptScheme`],
          notation: ['crafts'],
          prefLabel: { de: 'Handwerk und Gestaltung', en: 'Crafts and Design' },
        },
      ],
      created: today(),
      modified: today(),
      publisher: [
        {
          uri: 'http://example.org/agent/demo-office',
          prefLabel: { de: 'Redaktion der Demovokabulare', en: 'Demo Vocabularies Office' },
        },
      ],
      license: [
        {
          uri: 'http://creativecommons.org/publicdomain/zero/1.0/',
          notation: ['CC0'],
          prefLabel: { de: 'CC0 1.0 Universell', en: 'CC0 1.0 Universal' },
        },
      ],
      identifier: ['http://vocab.getty.edu/aat/300054063', 'local 17'],
      mapping: [{ type: `${SKOS}exactMatch`, from: record.uri, to: 'http://vocab.getty.edu/aat/300054063' }],
      mappings: [
        {
          type: [`${SKOS}exactMatch`],
          from: { memberSet: [{ uri: record.uri }] },
          to: { memberSet: [{ uri: 'http://vocab.getty.edu/aat/300054063' }] },
        },
      ],
      notation: ['M.99'],
      prefLabel: { de: 'Silberlöten', en: 'Silver soldering' },
      altLabel: { de: ['Hartlöten von Silber'] },
      hiddenLabel: { de: ['Silberloeten'] },
      note: { de: ['Eine Notiz\nin zwei Zeilen.'] },
      definition: { de: ['Verbinden von Silber.'] },
      editorialNote: { de: ['Vorschlag.'] },
      changeNote: { de: ['Neu.'] },
      scopeNote: { de: ['Nur für Silber.'] },
      example: { de: ['Ein Ring.'] },
      historyNote: { de: ['Alt.'] },
      topConceptOf: expect.any(Array),
      broader: [],
      ancestors: [],
      narrower: [],
    })
    expect(record.topConceptOf).toEqual(record.inScheme)
    expect(validate(record, { unknownFields: true })).toBe(true)
    expect(answer.headers.get('location')).toBe(`${service.config.baseUrl}data?uri=${record.uri}`)
  })

  test('a concept with nothing but a name and a vocabulary has the empty sets, too', async () => {
    const { body } = await service.propose(account, [concept()])
    const [record] = body
    for (const name of ['mapping', 'identifier', 'notation', 'broader', 'ancestors', 'narrower']) {
      expect([name, record[name]]).toEqual([name, []])
    }
    expect(record.topConceptOf.map(({ uri }: { uri: string }) => uri)).toEqual([CRAFTS])
  })

  test('the concept is at once in every endpoint, and in the store in both directions', async () => {
    const before = (await service.get('/voc/crafts')).body[0]
    const etag = (await service.get('/voc/crafts/top?limit=1')).headers.get('x-total-count')
    const { body } = await service.propose(account, [concept({ notation: ['NEW-1'], identifier: ['urn:x-test:1'] })])
    const { uri } = body[0]
    expect((await service.ask('/data', { uri })).body[0].prefLabel.de).toBe('Silberlöten')
    expect((await service.ask('/data', { notation: 'NEW-1' })).body[0].uri).toBe(uri)
    expect((await service.ask('/data', { id: 'urn:x-test:1' })).body[0].uri).toBe(uri)
    const top = await service.get('/voc/crafts/top')
    expect(top.body.map((record: { uri: string }) => record.uri)).toContain(uri)
    expect(Number(top.headers.get('x-total-count'))).toBe(Number(etag) + 1)
    expect((await service.ask('/broader', { uri })).body).toEqual([])
    expect((await service.get('/voc/crafts')).body[0]).toEqual(before)
    const rows = await service.client.select(`SELECT ?g ?p WHERE { GRAPH ?g { <${CRAFTS}> ?p <${uri}> } }`)
    expect(rows.map((row) => [row['g']!.value, row['p']!.value])).toEqual([[CRAFTS, `${SKOS}hasTopConcept`]])
  })

  test('lists and searches that were asked before show it at once, too', async () => {
    const [name, type] = ['Zinnlot', 'http://example.org/class/Solder']
    const paths = (uri: string) => ({
      broader: `/broader?uri=${uri}`,
      narrower: `/narrower?uri=${uri}`,
      descendants: `/descendants?uri=${uri}`,
      ancestors: `/ancestors?uri=${uri}`,
      data: `/data?uri=${uri}`,
      exactMatch: '/data?id=urn:x-test:solder',
      notation: '/data?notation=ZL&voc=crafts',
      top: '/voc/crafts/top',
      'top of the class': `/voc/top?uri=${CRAFTS}&type=${type}`,
      concepts: `/voc/concepts?uri=${CRAFTS}`,
      'all as NDJSON': `/voc/concepts?uri=${CRAFTS}&download=ndjson`,
      search: `/search?query=${name}`,
      'search in a vocabulary': `/search?query=${name}&voc=crafts`,
      'search by notation': '/search?query=ZL&use=notation',
      suggest: `/suggest?search=${name.slice(0, 5)}`,
      types: '/types?voc=crafts',
    })
    // The hierarchy of a concept that is not there yet is empty, and so it is afterwards.
    const empty = ['broader', 'narrower', 'descendants', 'ancestors']
    const shown = async (uri: string) => {
      const links: [string, number, boolean][] = []
      for (const [what, path] of Object.entries(paths(uri))) {
        const { status, text } = await service.get(path)
        links.push([what, status, text.includes(what === 'types' ? type : uri)])
      }
      return links
    }
    const names = Object.keys(paths(''))
    expect(await shown(`${CRAFTS}not-there`)).toEqual(names.map((what) => [what, 200, false]))
    const { body } = await service.propose(account, [
      concept({ type: [type], prefLabel: { de: name }, notation: ['ZL'], identifier: ['urn:x-test:solder'] }),
    ])
    expect(await shown(body[0].uri)).toEqual(names.map((what) => [what, 200, !empty.includes(what)]))
  })

  test('every ingest moves the revision of its vocabulary and of no other', async () => {
    const revisions = async () =>
      Object.fromEntries((await service.registry.fresh()).map(({ uri, revision }) => [uri, revision]))
    await service.propose(account, [concept()])
    const before = await revisions()
    await service.propose(account, [concept()])
    const after = await revisions()
    expect(after[CRAFTS]).toMatch(new RegExp(`^${UUID}$`))
    expect(after[CRAFTS]).not.toBe(before[CRAFTS])
    expect({ ...after, [CRAFTS]: '' }).toEqual({ ...before, [CRAFTS]: '' })
    const rows = await service.client.select(`SELECT ?r WHERE { <${CRAFTS}> <urn:x-vocabulary-service:revision> ?r }`)
    expect(rows).toHaveLength(1)
  })

  test.each([
    ['as text/plain, as browsers send it', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['as application/json', { 'content-type': 'application/json' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['as something else', { 'content-type': 'x/y' }],
  ])('takes a body %s', async (_, headers) => {
    expect((await service.propose(account, [concept()], headers)).status).toBe(201)
  })

  const text = JSON.stringify([concept({ prefLabel: { de: '100 % Wolle + „Öl“', en: 'a+b %20' } })])
  test.each([
    ['as it is', text],
    ['encoded by encodeURIComponent', encodeURIComponent(text)],
    ['encoded by encodeURI', encodeURI(text)],
    ['encoded as a form value', new URLSearchParams({ a: text }).toString().slice(2)],
    ['with a lower case encoding', encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase())],
  ])('takes data %s', async (_, data) => {
    const { status, body } = await service.post([{ ...account, data }])
    expect(status).toBe(201)
    expect(body[0].prefLabel).toEqual({ de: '100 % Wolle + „Öl“', en: 'a+b %20' })
  })

  test.each([
    ['without its slash', CRAFTS.slice(0, -1)],
    ['with https', CRAFTS.replace('http:', 'https:')],
  ])('takes the URI of the vocabulary %s', async (_, uri) => {
    const { status, body } = await service.propose(account, [concept({ inScheme: [{ uri }] })])
    expect(status).toBe(201)
    expect(body[0].inScheme[0].uri).toBe(CRAFTS)
    expect(body[0].uri.startsWith(CRAFTS)).toBe(true)
  })

  test('accepts values that clients copy from a record: an empty uri, the context, the vocabulary as shown', async () => {
    const inScheme = [
      { uri: CRAFTS, prefLabel: { de: 'x' }, notation: ['crafts'], type: [`${SKOS}ConceptScheme`], license: [] },
    ]
    const like = { uri: '', '@context': 'http://gbv.github.io/jskos/context.json', type: [`${SKOS}Concept`] }
    const none = { broader: [], narrower: [], ancestors: [], altLabel: {}, note: { de: [] }, notation: [] }
    const { status, body } = await service.propose(account, [concept({ ...like, ...none, inScheme })])
    expect(status).toBe(201)
    expect(body[0].type).toEqual([`${SKOS}Concept`])
    expect(body[0].inScheme[0].prefLabel.de).toBe('Handwerk und Gestaltung')
  })

  test('normalises as loading does: language tags, NFC, labels that are there twice', async () => {
    const { body } = await service.propose(account, [
      concept({
        prefLabel: { de: 'A\u0308rmel', 'PT-br': 'Manga' },
        altLabel: { de: ['\u00c4rmel', 'Arm', 'Arm'], DE: ['Ärmel', 'Armteil'] },
      }),
    ])
    expect(body[0].prefLabel).toEqual({ de: '\u00c4rmel', 'pt-br': 'Manga' })
    expect(body[0].altLabel).toEqual({ de: ['Arm', 'Armteil'] })
  })

  test('several request objects and concepts: answered in their order, without Location', async () => {
    const data = (...names: string[]) => JSON.stringify(names.map((de) => concept({ prefLabel: { de } })))
    const { status, body, headers } = await service.post([
      { ...account, data: data('z', 'a') },
      { ...account, data: data('m') },
    ])
    expect(status).toBe(201)
    expect(body.map((record: { prefLabel: { de: string } }) => record.prefLabel.de)).toEqual(['z', 'a', 'm'])
    expect(new Set(body.map((record: { uri: string }) => record.uri)).size).toBe(3)
    expect(headers.get('location')).toBeNull()
  })

  test.each([
    '"',
    '\\',
    '" } ; DROP ALL #',
    "'''",
    '\\u0022',
    '<b>',
    '#@ triple',
    '👩‍🔬',
    `x${'\u0301'.repeat(30)}`,
    '$1 $& $`',
  ])('a label comes back as it was sent: %j', async (de) => {
    const { body } = await service.propose(account, [concept({ prefLabel: { de }, identifier: [de] })])
    expect(body[0].prefLabel.de).toBe(de)
    expect(body[0].identifier).toEqual([de])
  })

  test('identifiers that are absolute IRIs are matches, unless they run code or belong to one machine', async () => {
    const iris = [
      'urn:isbn:9783',
      'https://www.wikidata.org/entity/Q1',
      'doi:10.1/x',
      'http://d-nb.info/gnd/ü',
      'info:a/b',
      'ftp://example.org/a',
      'notation:5',
    ]
    const broken = ['Q1', 'http://a b', 'http://example.org/%zz', 'http://ex:port/', '//x/y', 'GND 4']
    const bodies = [...broken, 'javascript:alert(1)', 'JavaScript:x', 'data:text/html,x', 'file:///etc/passwd']
    const { body, status } = await service.propose(account, [concept({ identifier: [...iris, ...bodies] })])
    expect(status).toBe(201)
    expect(body[0].mapping.map(({ to }: { to: string }) => to).sort()).toEqual([...iris].sort())
    expect([...body[0].identifier].sort()).toEqual([...iris, ...bodies].sort())
  })

  test('types and matches lose dot segments, as in files that are loaded', async () => {
    const [type, match] = ['http://example.org/a/../Kind', 'http://example.org/a/./b/../c']
    const { body } = await service.propose(account, [concept({ type: [type], identifier: [match] })])
    const expected = { identifier: [match], mapping: [{ to: 'http://example.org/a/c' }] }
    expect(body[0]).toMatchObject({ ...expected, type: expect.arrayContaining(['http://example.org/Kind']) })
    const { body: read } = await service.ask('/data', { uri: body[0].uri, properties: '*' })
    expect(read).toMatchObject([{ ...expected, type: body[0].type }])
  })

  test('a vocabulary whose URI ends in # or in neither', async () => {
    for (const [scheme, expected] of [
      ['http://example.org/hash#', 'http://example.org/hash#'],
      ['http://example.org/plain', 'http://example.org/plain/'],
      ['urn:example:v', 'urn:example:v/'],
    ] as const) {
      await service.put(scheme, `<${scheme}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "id" .`)
      const account = await service.account({ voc: scheme })
      const { status, body } = await service.propose(account, [concept({ inScheme: [{ uri: scheme }] })])
      expect(status).toBe(201)
      expect(body[0].uri).toMatch(new RegExp(`^${expected}${UUID}$`))
      expect(body[0].publisher).toBeUndefined()
      expect((await service.ask('/data', { uri: body[0].uri })).body).toHaveLength(1)
    }
  })

  test('a wrong username and a wrong token get the same answer', async () => {
    const answers = [
      await service.propose({ username: 'nobody', token: account.token }, [concept()]),
      await service.propose({ ...account, token: 'wrong' }, [concept()]),
      await service.propose({ ...account, token: 'wrong' }, [{ foo: 1 }]),
    ]
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(Array(3).fill([401, 'UnauthorizedError']))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const fields = answers.map(({ headers }) => [...headers.keys()].sort())
    expect(fields[1]).toEqual(fields[0])
  })

  test('an account is for one vocabulary: another account for another', async () => {
    const other = await service.account({ voc: MATERIALS })
    const inScheme = [{ uri: MATERIALS }]
    expect((await service.propose(other, [concept({ inScheme })])).status).toBe(201)
    expect((await service.propose(other, [concept()])).status).toBe(403)
    expect((await service.propose(account, [concept({ inScheme })])).status).toBe(403)
  })

  test('inScheme may name the vocabulary by an identifier, but not another vocabulary', async () => {
    const byIdentifier = concept({ inScheme: [{ uri: 'http://example.org/registry/vocabulary/17' }] })
    const objects = [concept(), byIdentifier].map((proposed) => ({ ...account, data: JSON.stringify([proposed]) }))
    const { status, body } = await service.post(objects)
    expect(status).toBe(201)
    for (const { inScheme } of body) expect(inScheme).toMatchObject([{ uri: CRAFTS }])
    const ofAnother = concept({ inScheme: [{ uri: 'http://example.org/registry/vocabulary/18' }] })
    expect((await service.propose(account, [ofAnother])).status).toBe(403)
  })

  test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('only POST, no %s', async (method) => {
    const { status, headers, body } = await service.get('/ingest', { method })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('POST')
    expect(body).toEqual({
      error: 'MethodNotAllowedError',
      status: 405,
      message: body.message,
      Description: body.message,
      violations: [],
    })
  })

  test('nothing went wrong inside, and no token is in the log', () => {
    expect(service.reported).toEqual([])
    const log = service.logged.join('')
    expect(log).toContain('concepts ingested')
    expect(log).not.toContain(account.token)
  })
})
