/** GET /voc/{vocid}/export: a whole vocabulary as a file. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Parser, Store } from 'n3'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { DCT, RDF, SKOS } from '../../../src/base/namespaces.ts'
import { EXPORT_FORMATS } from '../../../src/doors/export/export.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { MAX_KEPT_BYTES } from '../../../src/interface/http/remembered-answers.ts'
import { canonical } from '../../writing/source/canonical.ts'
import { newDirectory, runToEnd, storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { CONCEPTS, large, LARGE, OURS, TURTLE, V } from './vocabularies.ts'

const lines = (nTriples: string) => nTriples.split('\n').filter((line) => line !== '')
const parsed = (turtle: string) => new Store(new Parser().parse(turtle))

describeOver(EMBEDDED, 'GET /voc/{vocid}/export', (store) => {
  let app: RunningApp
  let stop: () => Promise<void>
  let folder: string
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startApp(running.endpoint, { MAX_LIMIT: '2' })
    folder = await newDirectory()
    const path = (name: string) => join(folder, name)
    await writeFile(path('v.ttl'), TURTLE)
    await loadVocabulary(app.client, [path('v.ttl')], { ids: ['v'] })
    await writeFile(path('large.ttl'), large)
    await loadVocabulary(app.client, [path('large.ttl')], { check: false })
    await writeFile(path('record.ttl'), `<${V}subset> <${SKOS}prefLabel> "Part"@en .`)
    await addSubset(app.client, { id: 'subset_v', of: 'v', branch: `${V}a`, record: path('record.ttl') })
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
    await rm(folder, { recursive: true })
  })

  test('has all that SPARQL users find, without our bookkeeping', async () => {
    const { text } = await app.get('/voc/v/export?format=ntriples')
    const rows = await app.client.select(
      `SELECT (COUNT(*) AS ?n) WHERE { GRAPH <${V}> { ?s ?p ?o FILTER(!STRSTARTS(STR(?p), "${OURS}")) } }`,
    )
    expect(lines(text)).toHaveLength(Number(rows[0]!['n']!.value))
    const graph = parsed(text)
    expect(graph.getPredicates(null, null, null).filter(({ value }) => value.startsWith(OURS))).toEqual([])
    for (const [subject, predicate, object] of [
      [`${V}a`, `${SKOS}related`, `${V}c`],
      [`${V}b`, `${SKOS}exactMatch`, 'http://example.org/other/b'],
      [`${V}c`, 'http://www.w3.org/ns/adms#status', 'http://purl.org/adms/status/UnderDevelopment'],
      [`${V}group`, `${SKOS}member`, `${V}a`],
    ] as const) {
      expect([predicate, graph.countQuads(subject, predicate, object, null)]).toEqual([predicate, 1])
    }
    // A text that looks like bookkeeping is not.
    expect(graph.getObjects(`${V}b`, `${SKOS}scopeNote`, null)).toHaveLength(1)
  })

  const all = EXPORT_FORMATS.map((format) => [format.formats[0], format] as const)
  test.each(all)('as %s is the same, whatever names the format', async (name, { mediaType, extension }) => {
    const answer = await app.get(`/voc/v/export?format=${name}`, { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, mediaType])
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=v.${extension}`)
    const byAccept = await app.get('/voc/v/export', { headers: { accept: mediaType } })
    expect([byAccept.text, byAccept.headers.get('vary')]).toEqual([answer.text, expect.stringContaining('Accept')])
    const byMediaType = await app.get(`/voc/v/export?format=${mediaType}`)
    expect(byMediaType.text).toBe(answer.text)
  })

  test.each(all.filter(([name]) => LONG || name === 'ntriples'))(
    'as %s is what `vocab export` writes',
    async (name) => {
      const env = { ...storeEnv(app.client.endpoint), DATA_DIR: await newDirectory(), HISTORY: 'off' }
      const command = await runToEnd('dist/cli/main.js', ['export', 'v', '--format', name], env)
      expect([command.code, command.stderr]).toEqual([0, ''])
      expect(command.stdout).toBe((await app.get(`/voc/v/export?format=${name}`)).text)
    },
  )

  test('is Turtle unless the request asks for another format', async () => {
    for (const accept of [
      '*/*',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'application/pdf',
    ]) {
      const { headers } = await app.get('/voc/v/export', { headers: { accept } })
      expect([accept, headers.get('content-type')]).toEqual([accept, 'text/turtle; charset=utf-8'])
    }
  })

  test('as NDJSON has the record of the vocabulary, then all concepts with all fields, however many', async () => {
    const records = lines((await app.get('/voc/v/export?format=ndjson')).text).map((line) => JSON.parse(line))
    expect(records.map(({ uri }) => uri)).toEqual([V, `${V}a`, `${V}b`, `${V}c`, `${V}group`])
    expect(records[1]).toMatchObject({
      example: { en: ['an example'] },
      related: [{ uri: `${V}c` }],
      narrower: [{ uri: `${V}b` }],
      note: { en: ['structured'] },
    })
    expect(records[2].mappings).toHaveLength(1)
    // These would be statements of their own if they were loaded.
    for (const record of records)
      for (const name of ['ancestors', 'mapping', 'topConcepts']) expect(record).not.toHaveProperty(name)
    expect(lines((await app.get('/voc/large/export?format=ndjson')).text)).toHaveLength(CONCEPTS + 1)
  })

  test('as NDJSON names things as the vocabulary itself does, so that loading it adds no names of others', async () => {
    const at = 'http://example.org/names/'
    const load = async (text: string, name = 'names.ttl') => {
      await writeFile(join(folder, name), text)
      await loadVocabulary(app.client, [join(folder, name)])
      app.state.changed()
      app.registry.invalidate()
    }
    const prefixes = `@prefix skos: <${SKOS}> . @prefix : <${at}> .`
    await load(`${prefixes} :x a skos:ConceptScheme ; skos:prefLabel "X"@en .
      :xa a skos:Concept ; skos:prefLabel "XA"@en ; skos:notation "xa" .`)
    await load(`${prefixes} :y a skos:ConceptScheme ; skos:prefLabel "Y"@en ; <${DCT}publisher> :p . :p skos:prefLabel "P"@en .
      :yb a skos:Concept ; skos:prefLabel "YB"@en ; skos:broader :xa ; skos:related :yc ; skos:inScheme :x, :y .
      :yc a skos:Concept ; skos:prefLabel "YC"@en ; skos:related :xz . :xz skos:prefLabel "XZ"@en .`)
    const graph = async () => canonical(lines((await app.get('/voc/y/export?format=ntriples')).text))
    const before = await graph()
    const { text } = await app.get('/voc/y/export?format=ndjson')
    expect(lines(text).map((line) => JSON.parse(line))).toMatchObject([
      { publisher: [{ uri: `${at}p`, prefLabel: { en: 'P' } }] },
      { broader: [{ uri: `${at}xa` }], related: [{ uri: `${at}yc`, prefLabel: { en: 'YC' } }] },
      { related: [{ uri: `${at}xz`, prefLabel: { en: 'XZ' } }] },
    ])
    expect(text).not.toContain('XA')
    await load(text, 'names.ndjson')
    expect(await graph()).toEqual(before)
  })

  test('of a subset is the subset: its members and its own notes', async () => {
    const { text, headers } = await app.get('/voc/subset_v/export')
    expect(headers.get('content-disposition')).toBe('attachment; filename=subset_v.ttl')
    const graph = parsed(text)
    expect(
      graph
        .getObjects(null, `${SKOS}member`, null)
        .map(({ value }) => value)
        .sort(),
    ).toEqual([`${V}a`, `${V}b`])
    expect(graph.countQuads(null, RDF + 'type', `${SKOS}Concept`, null)).toBe(0)
    const records = lines((await app.get('/voc/subset_v/export?format=ndjson')).text).map((line) => JSON.parse(line))
    expect(records.map(({ uri }) => uri)).toEqual([`${V}subset`, `${V}a`, `${V}b`])
  })

  test.each([
    ['/voc/none/export', 404, 'none'],
    [
      '/voc/v/export?format=pdf',
      400,
      'format: expected one of turtle, .*ntriples, .*jsonld, .*rdfxml, .*ndjson, csv, xlsx, got "pdf"',
    ],
    ['/voc/v/export?format=json', 400, 'format: '],
    ['/voc/v/export?uri=relative', 400, 'uri: expected an absolute IRI'],
    [`/voc/v/export?uri=${V}a|${V}b`, 400, 'uri: expected one IRI'],
    [`/voc/v/export?uri=${V}none`, 404, 'uri: there is nothing'],
    [`/voc/v/export?uri=${V}none&format=ndjson`, 404, 'uri: there is no record'],
    [`/voc/v/export?uri=${OURS}x`, 404, 'uri: there is nothing'],
  ])('%s is %i', async (path, status, message) => {
    const { status: actual, body, headers } = await app.get(path)
    expect([actual, body.message, headers.get('content-disposition')]).toEqual([
      status,
      expect.stringMatching(message),
      null,
    ])
  })

  test('answers HEAD, and no other method', async () => {
    for (const path of ['/voc/v/export', '/voc/large/export', '/voc/large/export?format=ndjson']) {
      const [head, get] = await Promise.all([app.get(path, { method: 'HEAD' }), app.get(path)])
      expect([head.status, head.text]).toEqual([200, ''])
      for (const name of ['content-type', 'content-disposition', 'etag']) {
        if (name !== 'etag' || path === '/voc/v/export') expect(head.headers.get(name)).toBe(get.headers.get(name))
      }
    }
    const post = await app.get('/voc/v/export', { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('is 304 for a client that has it, and new after a change', async () => {
    const { headers } = await app.get('/voc/v/export')
    const conditional = { headers: { 'if-none-match': headers.get('etag')! } }
    expect((await app.get('/voc/v/export', conditional)).status).toBe(304)
    expect((await app.get('/voc/v/export?format=ntriples', conditional)).status).toBe(200)
    await loadVocabulary(app.client, [join(folder, 'large.ttl')], { check: false })
    await app.client.update(`INSERT DATA { GRAPH <${V}> { <${V}c> <${SKOS}note> "new"@en . } }`, V)
    app.state.changed()
    const changed = await app.get('/voc/v/export', conditional)
    expect([changed.status, changed.text.includes('"new"@en')]).toEqual([200, true])
    await app.client.update(`DELETE DATA { GRAPH <${V}> { <${V}c> <${SKOS}note> "new"@en . } }`, V)
    app.state.changed()
  })

  test.each(LONG ? ['rdfxml', 'ndjson'] : ['ndjson'])(
    'as %s that is streamed is 304 for a client that has it, until the store changes',
    async (format) => {
      const path = `/voc/large/export?format=${format}`
      const { headers, text } = await app.get(path)
      expect(text.length).toBeGreaterThan(MAX_KEPT_BYTES)
      const again = () => app.get(path, { headers: { 'if-none-match': headers.get('etag')! } })
      const unchanged = await again()
      expect([unchanged.status, unchanged.text, unchanged.headers.get('content-type')]).toEqual([304, '', null])
      const statement = `<${LARGE}7> <${SKOS}altLabel> "new"@en`
      await app.client.update(`INSERT DATA { GRAPH <${LARGE}> { ${statement} } }`, LARGE)
      app.state.changed()
      const changed = await again()
      expect([changed.status, changed.text.includes('new')]).toEqual([200, true])
      await app.client.update(`DELETE DATA { GRAPH <${LARGE}> { ${statement} } }`, LARGE)
      app.state.changed()
    },
  )

  test('is compressed', async () => {
    const [plain, ...rest] = await Promise.all(
      ['identity', 'gzip'].map((encoding) =>
        fetch(`${app.url}/voc/large/export?format=ntriples`, { headers: { 'accept-encoding': encoding } }),
      ),
    )
    expect([plain!.headers.get('content-encoding'), rest[0]!.headers.get('content-encoding')]).toEqual([null, 'gzip'])
    expect(await rest[0]!.text()).toBe(await plain!.text())
  })

  describe('with `uri`', () => {
    const concept = `/voc/v/export?uri=${V}a`

    test('has the statements about this resource, its blank nodes to any depth, and names of what it links to', async () => {
      const whole = lines((await app.get('/voc/v/export?format=ntriples')).text)
      const written = lines((await app.get(`${concept}&format=ntriples`)).text)
      const isName = (line: string) => [`${V}b`, `${V}c`, V].some((uri) => line.startsWith(`<${uri}> `))
      // The blank node of the vocabulary is not one of the concept.
      const expected = whole.filter(
        (line) => line.startsWith(`<${V}a> `) || (line.startsWith('_:') && !line.includes('"A publisher"')),
      )
      expect(canonical(written.filter((line) => !isName(line)))).toEqual(canonical(expected))
      expect(written.join('\n')).toContain('"Rome"')
      expect(written).toContain(`<${V}b> <${SKOS}prefLabel> "B"@en .`)
      expect(written.join('\n')).not.toContain(OURS)
    })

    test('begins with what records begin with', async () => {
      const { text, headers } = await app.get(concept)
      expect(headers.get('content-disposition')).toBe('attachment; filename=a.ttl')
      expect(text.slice(text.indexOf(`<${V}a>`))).toMatch(/^<[^>]*> a skos:Concept;\n {4}skos:prefLabel "A"@en;\n/)
    })

    test('has a record as NDJSON, and any resource of the graph as RDF', async () => {
      const { text } = await app.get(`${concept}&format=ndjson`)
      expect(JSON.parse(text)).toMatchObject({ uri: `${V}a`, related: [{ uri: `${V}c` }] })
      const collection = parsed((await app.get(`/voc/v/export?uri=${V}group`)).text)
      expect(collection.countQuads(`${V}group`, `${SKOS}member`, null, null)).toBe(2)
    })

    test('has a list of many members', async () => {
      const ORDERED = 'http://example.org/ordered/'
      const members = Array.from({ length: 10_000 }, (_, at) => `<${ORDERED}${at}>`)
      const turtle = `<${ORDERED}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "ordered" .
        <${ORDERED}list> a <${SKOS}OrderedCollection> ; <${SKOS}memberList> ( ${members.join(' ')} ) .`
      await app.put(ORDERED, turtle)
      const { text } = await app.get(`/voc/ordered/export?format=ntriples&uri=${ORDERED}list`)
      expect(lines(text).filter((line) => line.includes(` <${RDF}first> `))).toHaveLength(members.length)
    })
  })

  test('a property that XML cannot name is an error that names it; the other formats have it', async () => {
    const ODD = 'http://example.org/odd/'
    const property = `${SKOS}exactMatch:`
    await app.put(ODD, `<${ODD}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "odd" ; <${property}> <${V}> .`)
    const refused = await app.get('/voc/odd/export?format=rdfxml')
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(`<${property}>`)])
    expect((await app.get(`/voc/odd/export?format=rdfxml&uri=${ODD}`)).status).toBe(400)
    for (const format of ['turtle', 'ntriples', 'jsonld']) {
      expect((await app.get(`/voc/odd/export?format=${format}`)).text).toContain('exactMatch:')
    }
    await app.client.deleteGraph(ODD)
    app.state.changed()
    const gone = await app.get('/voc/odd/export?format=ntriples')
    expect([gone.status, gone.body.error]).toEqual([404, 'EntityNotFoundError'])
  })

  test('has only its own vocabulary, although another one names it as its identifier', async () => {
    const COPY = 'http://example.org/copy/'
    await app.put(COPY, `<${COPY}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "copy" ; <${DCT}identifier> "${V}" .`)
    const records = lines((await app.get('/voc/v/export?format=ndjson')).text)
    expect(records.map((line) => JSON.parse(line).uri)).toEqual([V, `${V}a`, `${V}b`, `${V}c`, `${V}group`])
    expect(JSON.parse(lines((await app.get('/voc/copy/export?format=ndjson')).text)[0]!).identifier).toEqual([V])
    await app.client.deleteGraph(COPY)
  })
})
