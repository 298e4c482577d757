/** POST /validate: records and RDF, right and wrong, over HTTP. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import type { ApiError } from '../../../src/base/errors.ts'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { CONCEPT, CONCEPT_SCHEME, SKOS } from '../../../src/base/namespaces.ts'
import { VALIDATION_LIMIT } from '../../../src/doors/validate/endpoints.ts'
import { RECORD_TYPES } from '../../../src/doors/validate/report.ts'
import { ValidationThread } from '../../../src/doors/validate/thread.ts'
import { CRAFTS, DEMO, putDemo, startApp, toNTriples, type RunningApp } from '../../app.ts'
import { expectPage, HTML } from '../pages/html.ts'
import { temporaryFolder } from '../../folder.ts'
import { testLong } from '../../long.ts'
import { ROOT } from '../../process.ts'
import { storeOf } from '../../stores.ts'

/** Right and wrong records of every kind, as the authors of JSKOS have them. */
const EXAMPLES = resolve(ROOT, 'node_modules/jskos-validate/examples')
const SCHEME = { type: [CONCEPT_SCHEME], uri: 'http://example.org/voc', notationPattern: '[a-z]+' }
const concept = (notation: string, inScheme = SCHEME.uri) => {
  return { type: [CONCEPT], uri: `${inScheme}${notation}`, notation: [notation], inScheme: [{ uri: inScheme }] }
}
/** Compared with expressions that take as long as they may: about half a second for each record. */
const SLOW = Array.from({ length: 100 }, () => ({
  type: [CONCEPT],
  uri: 'http://example.org/slow',
  notation: ['x'.repeat(8000)],
  inScheme: [{ uri: 'http://example.org/', notationPattern: '(.*)*'.repeat(200) }],
}))
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix : <http://example.org/v/> .
<http://example.org/v> a skos:ConceptScheme ; skos:prefLabel "V"@en .\n`
const JSON_TYPE = { 'Content-Type': 'application/json' }

const { write } = temporaryFolder()

let app: RunningApp
let stop: () => Promise<void>
/** Each request has an address of its own, so that the limit refuses none of them. */
let address = 0

beforeAll(async () => {
  const running = await storeOf('embedded').start()
  stop = () => running.stop()
  app = await startApp(running.endpoint, { TRUST_PROXY: 'true' })
  await putDemo(app)
})
afterAll(async () => {
  await app.close()
  await stop()
})

const post = (body: string | Buffer, query = '', headers: Record<string, string> = {}) => {
  const from = { 'X-Forwarded-For': `2001:db8:${(++address).toString(16)}::1` }
  return app.get(`/validate${query}`, { method: 'POST', body: body as string, headers: { ...from, ...headers } })
}
const check = async (records: unknown, query = '') => {
  const { status, body } = await post(JSON.stringify(records), query, JSON_TYPE)
  expect([status, body.message]).toEqual([200, undefined])
  return body
}

describe('JSKOS', () => {
  const examples = RECORD_TYPES.flatMap((type) =>
    ['pass', 'fail'].flatMap((verdict) => {
      const folder = resolve(EXAMPLES, type, verdict)
      return existsSync(folder) ? readdirSync(folder).map((file) => [type, verdict, file] as const) : []
    }),
  )
  test.each(examples)('%s, %s: %s', async (type, verdict, file) => {
    const record = JSON.parse(readFileSync(resolve(EXAMPLES, type, verdict, file), 'utf8'))
    const { valid, results, more, checked, format } = await check(record, `?type=${type}`)
    expect([valid, results.length > 0]).toEqual([verdict === 'pass', verdict === 'fail'])
    expect([format, checked, more]).toEqual(['jskos', [record].flat().length, 0])
  })

  test.each<[string, unknown, query: string, paths: string[]]>([
    ['an empty object', {}, '', []],
    ['an empty array', [], '', []],
    ['a field that JSKOS does not have', { abcdef: 1 }, '?type=concept', ['0']],
    ['the same, allowed', { abcdef: 1 }, '?type=concept&unknownFields=true', []],
    ['a text for an array', { ...concept('a'), altLabel: { de: 'x' } }, '', ['0.altLabel.de']],
    ['the second of two', [concept('a'), { uri: 'x y', type: [CONCEPT] }], '', ['1.uri']],
    ['a notation unlike those of a scheme before it', [SCHEME, concept('abc'), concept('123')], '', ['2.notation.0']],
    ['something else than the type', concept('a'), '?type=mapping', ['0.type']],
    ['a record of nonsense', { type: 5, inScheme: 5, notation: 5, uri: 5, prefLabel: 5 }, '?type=concept', ['0']],
    ['a concept of a vocabulary here', concept('new', CRAFTS), '?knownSchemes=true', []],
    ['a concept of no vocabulary here', concept('new'), '?knownSchemes=true', ['0']],
    ['a concept of none at all', { uri: 'http://example.org/1' }, '?knownSchemes=1', ['0']],
  ])('%s', async (_, records, query, paths) => {
    const { valid, results } = await check(records, query)
    expect(valid).toBe(paths.length === 0)
    const cells: string[] = results.map(({ path }: any) => path)
    for (const path of paths) expect(cells).toContainEqual(expect.stringMatching(new RegExp(`^${path}`)))
    for (const { severity, message } of results) expect([severity, typeof message]).toEqual(['violation', 'string'])
  })

  test.each([
    ['ndjson', 'application/x-ndjson'],
    [undefined, 'text/plain'],
  ])('records one a line, format %s, %s', async (format, type) => {
    const text = [concept('a'), { ...concept('b'), notation: 'b' }].map((record) => JSON.stringify(record)).join('\n')
    const { body } = await post(text, format ? `?format=${format}` : '', { 'Content-Type': type })
    expect(body).toMatchObject({ valid: false, checked: 2, format: format ?? 'jskos' })
    expect(body.results[0]).toEqual({
      severity: 'violation',
      message: expect.any(String),
      uri: 'http://example.org/vocb',
      path: '1.notation',
      line: 2,
    })
  })

  test.each<[string, object, string[]]>([
    ['in the record of the vocabulary', SCHEME, ['0.notationPattern']],
    ['in the vocabulary that a concept names', concept('a'), ['0.inScheme.0.notationPattern']],
  ])('a pattern that would take exponential time, and one that is not used, %s', async (_, record, paths) => {
    const withPatterns = (patterns: object) =>
      'inScheme' in record ? { ...record, inScheme: [{ uri: SCHEME.uri, ...patterns }] } : { ...record, ...patterns }
    const uriPattern = '^(([a-z:/.])+)+!$'
    const notation = [`${'a'.repeat(60)}!`]
    const { results } = await check([
      withPatterns({ uriPattern, notationPattern: '^(a+)+$' }),
      { ...concept('a'), notation },
    ])
    const wrong = 'inScheme' in record ? ['0.uri'] : ['1.notation.0', '1.uri']
    expect(results.map(({ path }: any) => path).sort()).toEqual(wrong)
    const unused = (await check([withPatterns({ uriPattern, notationPattern: '(a)\\1' })])).results
    expect(unused.filter(({ severity }: any) => severity === 'warning')).toEqual(
      paths.map((path) =>
        expect.objectContaining({ path, message: expect.stringMatching(/^nothing is compared with \(a\)\\1: /) }),
      ),
    )
  })

  test('a list instead of a pattern is a mistake, and no pattern', async () => {
    const inScheme = [{ uri: SCHEME.uri, notationPattern: ['^(a+)+$'] }]
    const { results } = await check({ ...concept('a'), notation: [`${'a'.repeat(60)}!`], inScheme })
    expect(results.map(({ path }: any) => path)).toContain('0.inScheme.0.notationPattern')
  })

  test('100 results are listed, and how many there are beside them', async () => {
    const { results, more, checked } = await check(
      Array.from({ length: 300 }, () => ({ no: 'such field' })),
      '?type=concept',
    )
    expect([results.length, more, checked]).toEqual([100, 200, 300])
  })

  test('records of the service are right, beside its own fields', async () => {
    const { text } = await app.get(`/voc/concepts?uri=${CRAFTS}`)
    const { body } = await post(text, '?unknownFields=true', JSON_TYPE)
    expect(body).toEqual({ valid: true, format: 'jskos', checked: 137, results: [], more: 0 })
  })
})

describe('RDF', () => {
  const crafts = readFileSync(resolve(DEMO, 'crafts.ttl'), 'utf8')
  const jsonLd = JSON.stringify({
    '@context': { skos: SKOS },
    '@id': 'http://example.org/1',
    '@type': 'skos:Concept',
  })
  const xml = `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="${SKOS}">
    <skos:Concept rdf:about="http://example.org/1"/></rdf:RDF>`

  test.each([
    ['turtle', 'text/turtle', crafts, 137],
    ['ntriples', 'application/n-triples', toNTriples(crafts), 137],
    ['trig', undefined, crafts, 137],
    ['nquads', 'application/n-quads', toNTriples(crafts), 137],
    ['rdfxml', 'application/rdf+xml', xml, 1],
    ['rdfxml', undefined, xml, 1],
    ['jsonld', 'application/ld+json; charset=utf-8', jsonLd, 1],
    ['jsonld', 'application/json', jsonLd, 1],
    ['jsonld', undefined, jsonLd, 1],
  ])('%s as %s', async (format, type, text, concepts) => {
    const { body } = await post(text, '', type === undefined ? {} : { 'Content-Type': type })
    const warned = concepts === 1 ? [{ shape: 'has-prefLabel', severity: 'warning', uri: 'http://example.org/1' }] : []
    expect(body).toMatchObject({ valid: true, format, checked: concepts, results: warned, more: 0 })
  })

  const A = 'http://example.org/v/a'
  test.each<[string, valid: boolean, shape: string | undefined, uri: string | undefined]>([
    [':a a skos:Concept ; skos:prefLabel "A"@en .', true, undefined, undefined],
    [':a a skos:Concept ; skos:prefLabel "A"@en ; skos:broader "text" .', false, 'broader-link', A],
    [':a a skos:Concept, skos:ConceptScheme ; skos:prefLabel "A"@en .', false, 'S9', A],
    ['[] a skos:Concept ; skos:prefLabel "A"@en .', false, 'concept-uri', undefined],
    [':a a skos:Concept ; skos:prefLabel "A"@en, "B"@en .', true, 'S14', A],
    [':a a skos:Concept ; skos:prefLabel "A"@en ; skos:broader :a .', false, 'broader-self', A],
    [':a a skos:Concept ; skos:prefLabel "A"@en ; skos:exactMatch: :b .', false, 'skos-term', A],
    [':a a skos:Concept ; skos:prefLabel "A"@en ; skos:exactMatch "text" .', false, 'exactMatch-link', A],
    [
      ':a a skos:Concept ; skos:prefLabel "A"@en ; skos:broader :b . :b a skos:Concept ; skos:prefLabel "B"@en ; skos:broader :a .',
      false,
      'unreached',
      A,
    ],
    [':a a skos:Concept ; skos:prefLabel "A"@en ; skos:related :b ; skos:broader :b .', true, 'S27', A],
  ])('%s', async (turtle, valid, shape, uri) => {
    const { body } = await post(PREFIXES + turtle, '?format=text/turtle')
    expect(body.valid).toBe(valid)
    const match = body.results.find((result: any) => result.shape === shape)
    expect(match === undefined).toBe(shape === undefined)
    if (uri) expect(match.uri).toBe(uri)
  })

  test('the findings of vocab check, ten resources of each shape', async () => {
    const many = Array.from({ length: 30 }, (_, n) => `:c${n} a skos:Concept ; skos:broader "x" .`)
    const { body } = await post(PREFIXES + many.join('\n'), '', { 'Content-Type': 'text/turtle' })
    // Each has text as its broader concept, no prefLabel, and no scheme.
    expect([body.valid, body.results.length, body.more]).toEqual([false, 30, 60])
    const { findings } = await checkFiles([resolve(DEMO, 'materials.ttl')])
    const report = (await post(readFileSync(resolve(DEMO, 'materials.ttl')), '?format=ttl')).body
    expect(report.results.map(({ shape }: any) => shape)).toEqual(findings.map(({ rule }) => rule))
  })
})

test.each([
  ['?lang=de', {}, 'de'],
  ['', { 'Accept-Language': 'fr, de-AT;q=0.8, en;q=0.5' }, 'de'],
  ['?lang=en', { 'Accept-Language': 'de' }, 'en'],
  ['', {}, 'en'],
] as const)('messages about RDF with %s and %j', async (query, headers, language) => {
  const turtle = `${PREFIXES}:a a skos:Concept, skos:ConceptScheme ; skos:related :a, :x ; skos:altLabel "A"@deutsch .`
  const { body } = await post(turtle, query, { 'Content-Type': 'text/turtle', ...headers })
  const messages = Object.fromEntries(body.results.map(({ shape, message }: any) => [shape, message]))
  const { findings } = await checkFiles([await write('text.ttl', turtle)], undefined, undefined, language)
  expect(messages).toEqual(Object.fromEntries(findings.map(({ rule, message }) => [rule, message])))
  expect(messages).toMatchObject(
    language === 'de'
      ? {
          S9: 'eine Ressource ist zugleich Begriff und Vokabular',
          'related-self': 'ein Begriff ist mit sich selbst verwandt',
          'unknown-language': 'ein Text oder dct:language hat eine Sprachangabe, die keine Sprache ist: deutsch',
          'no-such-concept': expect.stringMatching(/kein Begriff ist: <http:\/\/example.org\/v\/x>$/),
        }
      : {
          S9: 'a resource is both a concept and a concept scheme',
          'unknown-language': 'a text or dct:language has a tag that is no language: deutsch',
        },
  )
})

test('messages about JSKOS are in German for German readers', async () => {
  const uri = 'http://example.org/v/1'
  const records = [
    { uri, type: [`${SKOS}Concept`], spelling: 'a' },
    { uri, type: ['x'], prefLabel: { de: 1 }, notation: ['a', 'a'] },
    { uri, type: [`${SKOS}Concept`], created: 'today', inScheme: 'v', rank: 'best', startDate: '1' },
    { uri, type: [`${SKOS}exactMatch`], from: {} },
  ]
  const ask = async (query: string) => (await post(JSON.stringify(records), query)).body.results
  const [english, german] = [await ask('?lang=en'), await ask('?lang=de')]
  expect(german.map(({ path }: any) => path)).toEqual(english.map(({ path }: any) => path))
  const messages = german.map(({ message }: any) => message)
  expect(messages).toContain('das Feld „spelling“ ist hier nicht erlaubt')
  expect(messages.filter((message: string) => / kein richtiges JSKOS /.test(message))).toEqual([])
})

describe('texts that cannot be checked', () => {
  test.each<[string, body: string | Buffer, query: string, status: number, message: RegExp]>([
    ['broken JSON', '[{"uri": }]', '', 400, /^line 1, column \d+: broken JSON/],
    ['half of JSON', '[{"uri": "x"}', '', 400, /ends too early/],
    ['no records', '[1, 2]', '', 400, /expected a JSON object/],
    ['broken Turtle', '@prefix a: <urn:a> .\na:b a:c ;; .', '?format=turtle', 400, /^line 2/],
    ['a relative IRI', '<a> <b> <c> .', '?format=turtle', 400, /relative|absolute/],
    ['broken XML', '<?xml version="1.0"?><rdf:RDF>', '', 400, /./],
    ['a context elsewhere', '{"@context": "http://example.org/c", "@id": "urn:a"}', '', 400, /not fetched/],
    ['prose', 'Once upon a time', '', 400, /unknown format: .* or a table/],
    ['nothing', '', '', 400, /^body: /],
    ['other bytes', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), '?format=jskos', 400, /UTF-8/],
    ['gzip', gzipSync('{}'), '', 400, /^body: .*gzip/],
    [
      'a broken workbook',
      Buffer.from('504b0304140006000800', 'hex'),
      '',
      400,
      /^the file is no workbook: expected \.xlsx or \.ods/,
    ],
    [
      'an IRI with a space',
      '<urn:a> <urn:b> <urn:x y> .',
      '?format=turtle',
      400,
      /^line 1, column \d+: the IRI .* has a space/,
    ],
    ['an unknown format', '{}', '?format=docx', 400, /^format: .*turtle/],
    ['an unknown kind', '{}', '?type=concepts', 400, /^type: .*concept/],
    ['no flag', '{}', '?unknownFields=perhaps', 400, /^unknownFields: /],
    ['no language', '{}', '?lang=de_DE', 400, /^lang: /],
    ['an address', '{}', '?url=http://example.org/', 400, /^url: this service fetches nothing/],
    ['more than 1 MiB', `{"uri": "${'x'.repeat(2 ** 20)}"}`, '', 413, /^data: expected at most 1048576 bytes/],
    ['far more', 'x'.repeat(4 * 2 ** 20), '', 413, /./],
    [
      'RDF/XML in many levels',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="urn:a:">\n${'<rdf:Description><a:b>'.repeat(120)}`,
      '?format=rdfxml',
      400,
      /^line 2, column \d+: the text is nested too deeply: expected at most 200 levels/,
    ],
    [
      'JSON-LD in many levels',
      `{"@context": {}, "@id": "urn:a",\n"@graph": ${'[{"@graph":'.repeat(120)}[]${'}]'.repeat(120)}}`,
      '',
      400,
      /^line 2, column \d+: the text is nested too deeply: expected at most 200 levels/,
    ],
    ['half of something deep', `{"a": ${'['.repeat(400_000)}`, '', 400, /./],
  ])('%s', async (_, body, query, status, message) => {
    const answer = await post(body, query)
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: expect.any(String), status, message: expect.stringMatching(message) },
    ])
    expect(answer.text).not.toMatch(/vocabulary-|text\.(json|ttl)/)
  })

  test('an address by GET, and other methods', async () => {
    const { status, body } = await app.get('/validate?url=http://example.org/')
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^url: this service fetches nothing/)])
    const put = await app.get('/validate', { method: 'PUT' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  test('a check that takes too long ends; one that waits is made, and one too many is refused', async () => {
    const thread = new ValidationThread({ timeoutMs: 1500, mostWaiting: 1 })
    const { signal } = new AbortController()
    const run = (records: unknown) => thread.run({ data: Buffer.from(JSON.stringify(records)) }, '192.0.2.1', signal)
    const slow = run(SLOW)
    slow.catch(() => undefined)
    const waiting = run([concept('a')])
    await expect(run([])).rejects.toMatchObject({ name: 'ServiceUnavailableError' })
    await expect(slow).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await waiting).valid).toBe(true)
  })

  describe('texts of several addresses', () => {
    /** Runs checks in order of their arrival; gives the names in order of their ends, with the errors. */
    const ends = async (thread: ValidationThread, tasks: [name: string, records: unknown][]) => {
      const order: string[] = []
      const { signal } = new AbortController()
      const running = tasks.map(([name, records]) =>
        thread.run({ data: Buffer.from(JSON.stringify(records)) }, name.split(' ')[0]!, signal).then(
          () => order.push(name),
          (error: Error) => order.push(`${name} ${error.name}`),
        ),
      )
      await Promise.all(running)
      return order
    }
    const quick = [concept('a')]

    test('one text of an address at a time, and then that of another', async () => {
      const order = await ends(new ValidationThread(), [
        ['busy 1', quick],
        ['busy 2', quick],
        ['busy 3', quick],
        ['other 1', quick],
        ['other 2', quick],
        ['third 1', quick],
      ])
      expect(order).toEqual(['busy 1', 'other 1', 'third 1', 'busy 2', 'other 2', 'busy 3'])
    })

    test('an address with several texts waiting is refused, and no other one', async () => {
      const order = await ends(new ValidationThread({ mostOfAddress: 1 }), [
        ['busy 1', quick],
        ['busy 2', quick],
        ['busy 3', quick],
        ['other 1', quick],
      ])
      expect(order).toEqual(['busy 3 TooManyRequestsError', 'busy 1', 'other 1', 'busy 2'])
    })

    testLong(
      'an address whose texts have taken its time is refused until its window ends, and no other one',
      async () => {
        const thread = new ValidationThread({ timeoutMs: 1000, addressMs: 900, windowMs: 5000 })
        const order = await ends(thread, [
          ['busy 1', SLOW],
          ['busy 2', quick],
          ['other 1', quick],
        ])
        expect(order).toEqual(['busy 1 TimeoutError', 'other 1', 'busy 2 TooManyRequestsError'])
        const { signal } = new AbortController()
        const again = thread.run({ data: Buffer.from('[]') }, 'busy', signal).catch((error: unknown) => error)
        const { name, retryAfter } = (await again) as ApiError
        expect([name, retryAfter! > 0 && retryAfter! <= 5]).toEqual(['TooManyRequestsError', true])
        expect((await thread.run({ data: Buffer.from('[]') }, 'other', signal)).valid).toBe(true)
        await sleep(retryAfter! * 1000)
        expect((await thread.run({ data: Buffer.from('[]') }, 'busy', signal)).valid).toBe(true)
      },
    )
  })

  test('a check that nobody waits for any more ends', async () => {
    const thread = new ValidationThread({ timeoutMs: 60_000 })
    const leaving = new AbortController()
    const slow = thread.run({ data: Buffer.from(JSON.stringify(SLOW)) }, 'a', leaving.signal)
    const next = thread.run({ data: Buffer.from(JSON.stringify([concept('a')])) }, 'b', new AbortController().signal)
    setTimeout(() => leaving.abort(), 300)
    await expect(slow).rejects.toMatchObject({ name: 'AbortError' })
    expect((await next).valid).toBe(true)
  })

  test('a process ends although its thread could check more texts', async () => {
    const script = `
      import { ValidationThread } from './src/doors/validate/thread.ts'
      const { valid } = await new ValidationThread().run({ data: Buffer.from('[]') }, 'a', new AbortController().signal)
      console.log(valid)`
    const options = ['--import', 'tsx', '--input-type=module', '-e', script]
    const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: ROOT, timeout: 60_000 })
    expect(stdout).toBe('true\n')
  }, 70_000)

  test('others are answered meanwhile', async () => {
    const order: string[] = []
    const gone = new AbortController()
    const slow = app
      .get('/validate', { method: 'POST', body: JSON.stringify(SLOW), signal: gone.signal })
      .then(() => order.push('slow'))
      .catch(() => order.push('gone'))
    expect((await app.get('/healthz')).status).toBe(200)
    order.push('others')
    gone.abort()
    await slow
    expect(order).toEqual(['others', 'gone'])
  })

  test('more texts from one address than it may send in a minute', async () => {
    const from = { 'X-Forwarded-For': '192.0.2.1' }
    const statuses: number[] = []
    // Requests without a text are counted too, and they are quick.
    for (let at = 0; at < VALIDATION_LIMIT.count; at++) statuses.push((await post('', '', from)).status)
    expect(new Set(statuses)).toEqual(new Set([400]))
    const { status, headers, body } = await post('', '', from)
    expect([status, body.error]).toEqual([429, 'TooManyRequestsError'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await post('')).status).toBe(400)
  })
})

describe('the form', () => {
  const send = (fields: Record<string, string>, path = '/validate') =>
    app.get(path, { ...HTML, method: 'POST', body: new URLSearchParams(fields) })

  test.each(['/validate', '/validate?lang=de'])('%s is a page', async (path) => {
    const answer = await app.get(path, HTML)
    await expectPage(answer)
    expect(answer.text).toContain(path.includes('de') ? 'Daten prüfen' : 'Check data')
    expect((await app.get(path)).headers.get('content-type')).toMatch(/^text\/html/)
  })

  test.each<[string, Record<string, string>, status: number, texts: string[]]>([
    ['right', { data: '{}', format: '' }, 200, ['No errors found', '1 record checked']],
    ['wrong', { data: '{"<b>": 1}', format: 'jskos', type: 'concept' }, 200, ['Mistake:', '&lt;b>', 'line 1']],
    ['allowed', { data: '{"x": 1}', type: 'concept', unknownFields: 'true' }, 200, ['No errors found', 'checked']],
    ['RDF', { data: `${PREFIXES}:a a skos:Concept .`, format: 'turtle' }, 200, ['Warning:', 'has-prefLabel']],
    ['broken', { data: '{', format: '' }, 400, ['The text cannot be read', 'ends too early']],
    ['empty', { data: '' }, 400, ['body: expected a text']],
  ])('%s', async (_, fields, status, texts) => {
    const answer = await send(fields)
    await expectPage(answer, status)
    for (const text of texts) expect(answer.text).toContain(text)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self'")
  })

  describe('with a file', () => {
    const sendFile = (file: Blob, name: string, fields: Record<string, string> = {}, path = '/validate') => {
      const form = new FormData()
      form.append('data', '')
      for (const [field, value] of Object.entries(fields)) form.set(field, value)
      form.append('file', file, name)
      const from = { 'X-Forwarded-For': `2001:db8:${(++address).toString(16)}::1` }
      return (headers: Record<string, string>) =>
        app.get(path, { method: 'POST', body: form, headers: { ...from, ...headers } })
    }
    const ROWS = [
      ['notation', 'prefLabel@en', 'broader'],
      ['1', 'Boats', null],
      ['2', 'Canoes', 'Boots'],
    ]
    const CSV = ROWS.map((row) => row.join(',')).join('\n')

    test('of each kind of format, which its name gives', async () => {
      const [xlsx, ods] = [
        await writeXlsx({ sheets: [{ name: 'Terms', rows: ROWS }] }),
        await writeOds({ sheets: [{ name: 'Terms', rows: ROWS }] }),
      ]
      for (const [name, content, format, cell] of [
        ['list.csv', CSV, 'csv', 'text.csv!C3'],
        ['LIST.TSV', CSV.replaceAll(',', '\t'), 'tsv', 'text.tsv!C3'],
        ['list.xlsx', xlsx, 'xlsx', 'Terms!C3'],
        ['list.ods', ods, 'ods', 'Terms!C3'],
      ] as const) {
        const { status, body } = await sendFile(new Blob([content as string]), name)({})
        expect([name, status, body.format, body.results[0]?.path]).toEqual([name, 200, format, cell])
      }
      for (const [name, content, format] of [
        ['a.ttl', `${PREFIXES}:a a skos:Concept ; skos:prefLabel "A"@en .`, 'turtle'],
        ['a.json', '{"uri": "http://example.org/a"}', 'jskos'],
        ['a.json', '{"@context": {}, "@id": "http://example.org/a", "@type": "http://example.org/B"}', 'jsonld'],
        ['a.ndjson', '{"uri": "http://example.org/a"}', 'ndjson'],
        ['a', '{"uri": "http://example.org/a"}', 'jskos'],
      ] as const) {
        const { status, body } = await sendFile(new Blob([content]), name)({})
        expect([name, status, body.format]).toEqual([name, 200, format])
      }
    })

    test('answers by cell, in German in German', async () => {
      const german = await sendFile(new Blob([CSV]), 'liste.csv', {}, '/validate?lang=de')(HTML.headers)
      await expectPage(german)
      expect(german.text).toContain('<code dir="ltr">text.csv!C3</code>')
      expect(german.text).toMatch(
        /<span dir="auto">text\.csv!C3: kein Begriff hat [^<]*„Boots“ \(broader\); meinen Sie „Boats“\?/,
      )
      const english = await sendFile(new Blob([CSV]), 'list.csv')({ ...HTML.headers, 'Accept-Language': 'en' })
      expect(english.text).toMatch(
        /<span dir="auto">text\.csv!C3: no concept has the notation, label or URI &quot;Boots&quot; \(broader\)/,
      )
      const french = await sendFile(new Blob([CSV]), 'liste.csv', {}, '/validate?lang=fr')(HTML.headers)
      expect(french.text).toMatch(/<span lang="en" dir="auto">text\.csv!C3: no concept has /)
    })

    test('goes before the text, and is not shown', async () => {
      const { text } = await sendFile(new Blob(['{"x": 1}']), 'a.json', { data: '{}', type: 'concept' })(HTML.headers)
      expect(text).toContain('Mistake:')
      expect(text).toMatch(/<textarea[^>]*><\/textarea>/)
    })

    test('that nobody has chosen leaves the text', async () => {
      const { body } = await sendFile(new Blob([]), '', { data: '{"x": 1}', type: 'concept' })({})
      expect(body).toMatchObject({ valid: false, format: 'jskos' })
    })

    test('has the maximum of texts, and is refused if it is broken', async () => {
      const large = await sendFile(new Blob(['x'.repeat(2 ** 20 + 1)]), 'a.csv')({})
      expect([large.status, large.body.message]).toEqual([
        413,
        expect.stringMatching(/^data: expected at most 1048576/),
      ])
      const empty = await sendFile(new Blob([]), 'a.csv')({})
      expect([empty.status, empty.body.message]).toEqual([400, expect.stringMatching(/^body: expected a text/)])
      for (const type of ['multipart/form-data; boundary=x', 'multipart/form-data']) {
        const { status, body } = await post('no form', '', { 'Content-Type': type })
        expect([status, body.message]).toEqual([400, 'body: expected multipart/form-data as Content-Type says'])
      }
    })
  })

  test('in German, and as JSON for programs', async () => {
    expect((await send({ data: '{"x": 1}', type: 'concept' }, '/validate?lang=de')).text).toContain('Fehler:')
    const rdf = { data: `${PREFIXES}:a a skos:Concept .`, format: 'turtle' }
    const answer = await send(rdf, '/validate?lang=de')
    await expectPage(answer)
    expect(answer.text).toContain('<span dir="auto">ein Begriff hat keine Vorzugsbezeichnung (prefLabel)</span>')
    const body = new URLSearchParams({ data: '{}', type: 'concept' })
    expect((await app.get('/validate', { method: 'POST', body })).body.valid).toBe(true)
  })
})
