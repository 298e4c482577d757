import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { BY_CODE_POINTS, compareRecords, smallest } from '../../../src/graph/jskos/order.ts'
import { URIS_AT_A_TIME } from '../../../src/interface/read/indexed-lists.ts'
import { selectPage } from '../../../src/interface/read/select.ts'
import { BOOKKEEPING, SKOS } from '../../../src/base/namespaces.ts'
import { rdfOf } from '../../exported.ts'
import { startIngest, type IngestService, type TestAccount } from '../../writing/ingest/service.ts'
import { nameOf } from '../../queries.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { temporaryFolder } from '../../folder.ts'

const SCHEME = 'http://example.org/whole/'
const OTHER = 'http://example.org/other/'

/** Concepts whose order is not that of the file, of their URIs, or of UTF-16; every third has no notation. */
const CONCEPTS = 260
const NOTATIONS = ['', 'ﬁ', '𝔸', 'Z', 'a', 'é', '1']
const notationsOf = (at: number) =>
  at % 3 === 0 ? [] : [`${NOTATIONS[at % 7]}${(at * 37) % 100}`, ...(at % 5 === 0 ? [`~${at}`, `!${at}`] : [])]
const source = (prefix: string) =>
  `@prefix skos: <${SKOS}> .
<${prefix}> a skos:ConceptScheme ; skos:prefLabel "Whole"@en .
${Array.from({ length: CONCEPTS }, (_, at) => {
  const notations = notationsOf(at).map((text) => ` ; skos:notation ${JSON.stringify(text)}`)
  const broader = at % 2 === 0 ? '' : ` ; skos:broader <${prefix}c${(at * 7) % 10}>`
  return `<${prefix}c${(at * 31) % CONCEPTS}> a skos:Concept ; skos:prefLabel "${at}"@en${notations.join('')}${broader} .`
}).join('\n')}`

describeOver(EMBEDDED, 'whole lists from the search index', (store) => {
  const folder = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount
  const uris = (body: { uri: string }[]) => body.map(({ uri }) => uri)
  const update = async (text: string, scheme = SCHEME) => {
    await service.client.update(text, scheme)
    service.state.changed()
  }
  const load = async (scheme = SCHEME, id = 'whole') => {
    const file = await folder.write(`${id}.ttl`, source(scheme))
    await loadVocabulary(service.client, [file], { ids: [id], scheme, dropProposals: true })
    service.state.changed()
    await service.index.caughtUp()
  }
  /** Templates that the store was asked for since the last call. */
  const asked: string[] = []
  const askedFor = () => new Set(asked.splice(0))
  const TEMPLATES = ['voc/concepts', 'voc/top', 'search/all', 'describe/count']
  const list = async (path: string, parameters: Record<string, string> = {}) => {
    const { body, headers, status } = await service.ask(path, { uri: SCHEME, properties: 'notation', ...parameters })
    expect(status).toBe(200)
    const records = body as { uri: string; notation: string[] }[]
    return { uris: uris(records), total: Number(headers.get('x-total-count')), records }
  }
  /** The same list by the template; Apache Jena orders by UTF-16. */
  const sorted = async (path: string) => {
    const { records, total } = await list(path, { type: `${SKOS}Concept` })
    const key = (record: { uri: string; notation: string[] }) => ({
      uri: record.uri,
      key: smallest(record.notation),
    })
    const ordered = records.toSorted((a, b) => compareRecords(key(a), key(b)))
    return { uris: uris(ordered), total, records: ordered }
  }

  /** A list without what Apache Jena puts elsewhere. */
  const portable = ({ records }: { records: { notation: string[] }[] }) =>
    records.filter(({ notation }) => !/^[ﬁ𝔸]/u.test(smallest(notation) ?? ''))

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { MAX_STALENESS_MS: '0' })
    const { client } = service
    const select = client.select.bind(client)
    const construct = client.construct.bind(client)
    Object.assign(client, {
      select: (...request: Parameters<typeof select>) => {
        asked.push(nameOf(request[0]))
        return select(...request)
      },
      construct: (...request: Parameters<typeof construct>) => {
        const [query] = request
        const { text } = query as { text: string }
        asked.push(nameOf(query), ...(/\?c skos:inScheme \?of|\?c skos:topConceptOf \?of/.test(text) ? TEMPLATES : []))
        return construct(...request)
      },
    })
    await load()
    await load(OTHER, 'other')
    account = await service.account({ voc: SCHEME })
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })
  const isIndexed = () => {
    const templates = askedFor()
    return templates.has('describe/concept') && !TEMPLATES.some((name) => templates.has(name))
  }

  describe('as loaded', () => {
    test.each(['/voc/concepts', '/voc/whole/concepts', '/voc/whole/top', '/voc/top'])(
      '%s: the order of records',
      async (path) => {
        askedFor()
        const whole = await list(path)
        expect(isIndexed()).toBe(true)
        const expected = await sorted(path)
        expect(isIndexed()).toBe(false)
        expect(whole).toEqual(expected)
        expect(whole.total).toBeGreaterThan(100)
      },
    )

    const PAGES: [limit: string, offset: string][] = [
      ['10', '0'],
      ['10', '255'],
      ['10', '260'],
      ['5000', '17'],
      ['1', '99999999999999999999'],
    ]
    test.each(PAGES)('limit %s, offset %s', async (limit, offset) => {
      const all = await sorted('/voc/concepts')
      askedFor()
      const page = await list('/voc/concepts', { limit, offset })
      expect(page.uris).toEqual(all.uris.slice(Number(offset), Number(offset) + Number(limit)))
      expect(page.total).toBe(CONCEPTS)
      const templates = askedFor()
      expect(TEMPLATES.filter((name) => templates.has(name))).toEqual([])
    })

    test('limit=0 only counts', async () => {
      askedFor()
      expect((await list('/voc/concepts', { limit: '0' })).total).toBe(CONCEPTS)
      expect(askedFor()).not.toContain('describe/count')
    })

    test.each([
      ['/search', { voc: 'whole' }],
      ['/concepts', { voc: 'whole', uri: '', limit: '200' }],
    ])('%s without a text', async (path, parameters) => {
      const all = await sorted('/voc/concepts')
      askedFor()
      const page = await list(path, parameters)
      expect(isIndexed()).toBe(true)
      expect(page.uris).toEqual(all.uris.slice(0, page.uris.length))
      expect(page.total).toBe(CONCEPTS)
    })

    test('a download in pieces has all records', async () => {
      const { text } = await service.ask('/voc/concepts', { uri: SCHEME, download: 'ndjson' })
      const lines = text.trim().split('\n')
      expect(lines.map((line) => (JSON.parse(line) as { uri: string }).uri)).toEqual(
        (await sorted('/voc/concepts')).uris,
      )
    })

    test.each([{ voc: 'whole|other' }, { voc: 'other' }, { voc: '*', uri: `${SCHEME}|${OTHER}` }])(
      'a list of something else: %p',
      async (parameters) => {
        const { total } = await list('/voc/concepts', parameters)
        expect(total).toBe('uri' in parameters ? 2 * CONCEPTS : parameters.voc === 'other' ? 0 : CONCEPTS)
      },
    )

    test('the graph has no positions', async () => {
      const query = `SELECT DISTINCT ?p WHERE { GRAPH <${SCHEME}> { ?s ?p ?o FILTER(STRSTARTS(STR(?p), "${BOOKKEEPING}")) } }`
      const properties = (await service.client.select(query)).map(({ p }) => p!.value.slice(BOOKKEEPING.length))
      expect(properties.sort()).toEqual(['format', 'id', 'load', 'objects', 'resourceNotes', 'revision', 'triples'])
    })
  })

  describe('ingested concepts', () => {
    test('stand at their places at once, also if they come at the same time or in the opposite order', async () => {
      const propose = async (...notations: string[]) => {
        const concepts = notations.map((notation) => ({
          prefLabel: { de: `neu ${notation}` },
          ...(notation !== '' && { notation: [notation] }),
          inScheme: [{ uri: SCHEME }],
        }))
        const answer = await service.propose(account, concepts)
        expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
        return uris(answer.body)
      }
      const first = await propose('00', '0', '')
      const expected = await sorted('/voc/concepts')
      expect(portable(await list('/voc/concepts'))).toEqual(portable(expected))
      const at = expected.uris.indexOf(first[1]!)
      expect(expected.uris.slice(at, at + 2)).toEqual([first[1], first[0]])
      // More between two others than the index has room for.
      const many = Array.from({ length: 40 }, (_, at) => `0${String(99 - at).padStart(3, '0')}`)
      for (const notation of many) await propose(notation)
      await Promise.all([propose('a', 'b'), propose('c', 'd'), propose('e', '')])
      for (const path of ['/voc/concepts', '/voc/whole/top'])
        expect(portable(await list(path))).toEqual(portable(await sorted(path)))
      await service.index.caughtUp()
      askedFor()
      const whole = await list('/voc/concepts')
      expect(isIndexed()).toBe(true)
      expect(whole).toEqual(await sorted('/voc/concepts'))
      expect(whole.total).toBe(CONCEPTS + 3 + many.length + 6)
    })

    test('leave a list that was selected before as it was', async () => {
      const long = 'http://example.org/very-long/'
      const numbers = Array.from({ length: URIS_AT_A_TIME + 100 }, (_, at) => at)
      const concepts = numbers.map(
        (at) => `<${long}${at}> a <${SKOS}Concept> ; <${SKOS}notation> "${10_000 + 2 * at}" .`,
      )
      const file = await folder.write('long.ttl', `<${long}> a <${SKOS}ConceptScheme> .\n${concepts.join('\n')}`)
      await loadVocabulary(service.client, [file], { ids: ['very-long'] })
      service.state.changed()
      await service.index.caughtUp()
      const vocabulary = await service.registry.require(long)
      const selection = { template: 'voc/concepts', terms: {}, order: BY_CODE_POINTS } as const
      const selected = await selectPage(
        service,
        { ...selection, indexed: [{ vocabulary, list: 'concepts' }] },
        { page: { limit: numbers.length, offset: 0, limited: true }, signal: AbortSignal.timeout(60_000) },
        true,
      )
      const owner = await service.account({ voc: long })
      const added = { prefLabel: { de: 'neu' }, notation: ['10003'], inScheme: [{ uri: long }] }
      expect((await service.propose(owner, [added])).status).toBe(201)
      await service.index.caughtUp()
      const read: string[] = []
      for await (const batch of selected.uris) read.push(...batch)
      expect(read).toEqual(numbers.map((at) => `${long}${at}`))
    })

    test('of another instance are read by their mark', async () => {
      const { total } = await list('/voc/concepts')
      const another = await startIngest(running.endpoint, { MAX_STALENESS_MS: '0' })
      try {
        const owner = await another.account({ voc: SCHEME })
        const concept = { prefLabel: { de: 'anderswo' }, notation: ['!'], inScheme: [{ uri: SCHEME }] }
        const [uri] = uris((await another.propose(owner, [concept])).body)
        expect((await list('/voc/concepts')).uris[0]).toBe(uri)
        await service.index.caughtUp()
        askedFor()
        const page = await list('/voc/whole/top', { limit: '5' })
        expect(isIndexed()).toBe(true)
        expect(page.uris[0]).toBe(uri)
        expect((await list('/voc/concepts')).total).toBe(total + 1)
        expect((await list('/search', { voc: 'whole', search: 'anderswo' })).uris).toEqual([uri])
      } finally {
        await another.close()
      }
    })

    test('stay where they are with normalise, and an export loads as the same', async () => {
      const before = await list('/voc/concepts')
      await normaliseStored(service.client, 'whole')
      service.state.changed()
      await service.index.caughtUp()
      expect(await list('/voc/concepts')).toEqual(before)
      const exported = async () => {
        let text = ''
        for await (const part of rdfOf(service.client, SCHEME, 'ntriples')) text += part
        return text.split('\n').sort()
      }
      const lines = await exported()
      expect(lines.join('\n')).not.toContain(BOOKKEEPING)
      await loadVocabulary(service.client, [await folder.write('exported.nt', lines.join('\n'))], { ids: ['whole'] })
      service.state.changed()
      await service.index.caughtUp()
      expect(await exported()).toEqual(lines)
      expect(await list('/voc/concepts')).toEqual(before)
    })
  })

  describe('changes by another program', () => {
    const graph = (text: string) => `GRAPH <${SCHEME}> { ${text} }`
    const concept = (name: string) =>
      `<${SCHEME}${name}> a <${SKOS}Concept> ; <${SKOS}inScheme> <${SCHEME}> ; <${SKOS}notation> "0"`
    const CHANGES: [what: string, text: string, more: number][] = [
      ['adds a concept', `INSERT DATA { ${graph(concept('added'))} }`, 1],
      ['removes one', `DELETE WHERE { ${graph(`<${SCHEME}c0> ?p ?o`)} }`, -1],
      [
        'removes one and adds one',
        `DELETE WHERE { ${graph(`<${SCHEME}c0> ?p ?o`)} } ; INSERT DATA { ${graph(concept('b'))} }`,
        0,
      ],
      ['takes its class from one', `DELETE WHERE { ${graph(`<${SCHEME}c0> a ?class`)} }`, -1],
    ]
    test.each(CHANGES)('%s', async (_, text, more) => {
      await load()
      await list('/voc/concepts')
      await update(text)
      const whole = await list('/voc/concepts', { limit: '300' })
      expect(portable(whole)).toEqual(portable(await sorted('/voc/concepts')))
      expect(whole.total).toBe(CONCEPTS + more)
      expect((await list('/voc/concepts', { limit: '0' })).total).toBe(CONCEPTS + more)
    })

    test('is read into the index', async () => {
      await load()
      await update(`INSERT DATA { ${graph(concept('added'))} }`)
      for (askedFor(); ; await sleep(50)) {
        expect((await list('/voc/concepts')).total).toBe(CONCEPTS + 1)
        if (isIndexed()) break
      }
      expect(await list('/voc/concepts')).toEqual(await sorted('/voc/concepts'))
    })

    test('a concept of it in another graph', async () => {
      await load()
      await update(`INSERT DATA { GRAPH <${OTHER}> { ${concept('elsewhere')} } }`, OTHER)
      // The index hears of it when it looks at the other graph.
      while ((await list('/voc/concepts', { limit: '0' })).total === CONCEPTS) await sleep(100)
      const whole = await list('/voc/concepts')
      const expected = await sorted('/voc/concepts')
      expect(whole.uris.toSorted()).toEqual(expected.uris.toSorted())
      expect(whole.total).toBe(CONCEPTS + 1)
    })
  })
})
