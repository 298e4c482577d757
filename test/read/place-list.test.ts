import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ApiError } from '../../src/errors.ts'
import { loadVocabulary, normaliseStored } from '../../src/loading/load-vocabulary.ts'
import { compareRecords, smallest } from '../../src/jskos/order.ts'
import { LISTS } from '../../src/namespaces.ts'
import { StoreState } from '../../src/memory/store-state.ts'
import { ListChecks } from '../../src/read/list-checks.ts'
import type { Query, RequestOptions, SparqlClient } from '../../src/sparql/client.ts'
import { rdfOf } from '../exported.ts'
import { readVocabularies } from '../../src/vocabularies/vocabulary.ts'
import { startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'
import { nameOf, textOf } from '../queries.ts'
import { casesFor, describeStores } from '../stores.ts'
import { temporaryFolder } from '../folder.ts'

const SCHEME = 'http://example.org/whole/'
const OTHER = 'http://example.org/other/'

/** Concepts whose order is not that of the file, of their URIs, or of UTF-16; every third has no notation. */
const CONCEPTS = 260
const NOTATIONS = ['', 'ﬁ', '𝔸', 'Z', 'a', 'é', '1']
const notationsOf = (at: number) =>
  at % 3 === 0 ? [] : [`${NOTATIONS[at % 7]}${(at * 37) % 100}`, ...(at % 5 === 0 ? [`~${at}`, `!${at}`] : [])]
const source = (prefix: string) =>
  `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<${prefix}> a skos:ConceptScheme ; skos:prefLabel "Whole"@en .
${Array.from({ length: CONCEPTS }, (_, at) => {
  const notations = notationsOf(at).map((text) => ` ; skos:notation ${JSON.stringify(text)}`)
  const broader = at % 2 === 0 ? '' : ` ; skos:broader <${prefix}c${(at * 7) % 10}>`
  return `<${prefix}c${(at * 31) % CONCEPTS}> a skos:Concept ; skos:prefLabel "${at}"@en${notations.join('')}${broader} .`
}).join('\n')}`

const { signal } = new AbortController()

describeStores('whole lists by position', (store) => {
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
  }
  /** Templates that the store was asked for since the last call. */
  const asked: string[] = []
  const askedFor = () => asked.splice(0)
  const list = async (path: string, parameters: Record<string, string> = {}) => {
    const { body, headers, status } = await service.ask(path, { uri: SCHEME, properties: 'notation', ...parameters })
    expect(status).toBe(200)
    const records = body as { uri: string; notation: string[] }[]
    return { uris: uris(records), total: Number(headers.get('x-total-count')), records }
  }
  /** The same list by a way that does without positions; Apache Jena orders by UTF-16. */
  const sorted = async (path: string) => {
    const { records, total } = await list(path, { type: 'http://www.w3.org/2004/02/skos/core#Concept' })
    const key = (record: { uri: string; notation: string[] }) => ({ uri: record.uri, key: smallest(record.notation) })
    const ordered = records.toSorted((a, b) => compareRecords(key(a), key(b)))
    return { uris: uris(ordered), total, records: ordered }
  }

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { MAX_STALENESS_MS: '0' })
    const select = service.client.select.bind(service.client)
    const construct = service.client.construct.bind(service.client)
    Object.assign(service.client, {
      select: (...request: Parameters<typeof select>) => {
        asked.push(nameOf(request[0]))
        return select(...request)
      },
      construct: (...request: Parameters<typeof construct>) => {
        const [query] = request
        asked.push(/osition> \?/.test(textOf(query)) ? 'places' : nameOf(query))
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

  describe('as loaded', () => {
    test.each(['/voc/concepts', '/voc/whole/concepts', '/voc/whole/top', '/voc/top'])(
      '%s: the order of records',
      async (path) => {
        askedFor()
        const whole = await list(path)
        expect(askedFor()).toContain('places')
        const expected = await sorted(path)
        expect(askedFor()).not.toContain('places')
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
    test.each(casesFor(store, PAGES))('limit %s, offset %s', async (limit, offset) => {
      const all = await sorted('/voc/concepts')
      const page = await list('/voc/concepts', { limit, offset })
      expect(page.uris).toEqual(all.uris.slice(Number(offset), Number(offset) + Number(limit)))
      expect(page.total).toBe(CONCEPTS)
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
      expect(askedFor()).toContain('places')
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

    test('an export has no positions, and loads as the same', async () => {
      const exported = async () => {
        let text = ''
        for await (const part of rdfOf(service.client, SCHEME, 'ntriples')) text += part
        return text.split('\n').sort()
      }
      const before = await exported()
      expect(before.join('\n')).not.toContain(LISTS.concepts.position)
      const file = await folder.write('exported.nt', before.join('\n'))
      await loadVocabulary(service.client, [file], { ids: ['whole'] })
      service.state.changed()
      expect(await exported()).toEqual(before)
      expect(await list('/voc/concepts')).toEqual(await sorted('/voc/concepts'))
    })
  })

  describe('ingested concepts', () => {
    let before: string[]
    let came: string[]

    test('comes at the end, in the order of coming, also at the same time', async () => {
      before = (await list('/voc/concepts')).uris
      const propose = async (...labels: string[]) => {
        const answer = await service.propose(
          account,
          labels.map((de) => ({ prefLabel: { de }, notation: ['0'], inScheme: [{ uri: SCHEME }] })),
        )
        expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
        return uris(answer.body)
      }
      const first = await propose('eins', 'zwei', 'drei')
      const together = await Promise.all([propose('a', 'b'), propose('c', 'd'), propose('e')])
      came = [...first, ...together.flat()]
      askedFor()
      const whole = await list('/voc/concepts')
      expect(askedFor()).toContain('places')
      expect(whole.total).toBe(CONCEPTS + came.length)
      expect(whole.uris.slice(0, CONCEPTS)).toEqual(before)
      expect(whole.uris.slice(CONCEPTS, CONCEPTS + 3)).toEqual(first)
      expect(whole.uris.toSorted()).toEqual([...before, ...came].toSorted())
      expect((await list('/voc/whole/top')).uris.slice(-came.length).toSorted()).toEqual(came.toSorted())
    })

    test('comes to its place with normalise', async () => {
      await normaliseStored(service.client, 'whole')
      service.state.changed()
      const whole = await list('/voc/concepts')
      expect(whole).toEqual(await sorted('/voc/concepts'))
      expect(whole.uris).not.toEqual([...before, ...came])
    })
  })

  describe('changes by another program', () => {
    const graph = (text: string) => `GRAPH <${SCHEME}> { ${text} }`
    const concept = (name: string) => `<${SCHEME}${name}> a <http://www.w3.org/2004/02/skos/core#Concept> ;
      <http://www.w3.org/2004/02/skos/core#inScheme> <${SCHEME}> ; <http://www.w3.org/2004/02/skos/core#notation> "0"`
    const CHANGES: [what: string, text: string, more: number][] = [
      ['adds a concept', `INSERT DATA { ${graph(concept('added'))} }`, 1],
      ['removes one', `DELETE WHERE { ${graph(`<${SCHEME}c0> ?p ?o`)} }`, -1],
      [
        'removes one and adds one',
        `DELETE WHERE { ${graph(`<${SCHEME}c0> ?p ?o`)} } ; INSERT DATA { ${graph(concept('b'))} }`,
        0,
      ],
      ['takes its class from one', `DELETE WHERE { ${graph(`<${SCHEME}c0> a ?class`)} }`, -1],
      ['removes a position', `DELETE WHERE { ${graph(`<${SCHEME}c0> <${LISTS.concepts.position}> ?place`)} }`, 0],
      ['removes the length', `DELETE WHERE { ${graph(`<${SCHEME}> <${LISTS.concepts.length}> ?length`)} }`, 0],
    ]
    test.each(casesFor(store, CHANGES))('%s', async (_, text, more) => {
      await load()
      await list('/voc/concepts')
      await update(text)
      const whole = await list('/voc/concepts', { limit: '300' })
      expect(whole).toEqual(await sorted('/voc/concepts'))
      expect(whole.total).toBe(CONCEPTS + more)
      expect((await list('/voc/concepts', { limit: '0' })).total).toBe(CONCEPTS + more)
    })

    test.each([
      ['no change', undefined],
      ['a concept more', `INSERT DATA { ${graph(concept('added'))} }`],
      ['a position less', `DELETE WHERE { ${graph(`<${SCHEME}c0> <${LISTS.concepts.position}> ?place`)} }`],
    ])('%s in a large vocabulary, if the store is too slow for a part of the check', async (_, text) => {
      await load()
      if (text !== undefined) await update(text)
      let ended = 0
      const select = async (query: Query, options: RequestOptions) => {
        try {
          if (textOf(query).includes('?topPlaced)')) throw new ApiError('TimeoutError', 'too slow')
          return await service.client.select(query, options)
        } finally {
          ended++
        }
      }
      const client = Object.assign(Object.create(service.client) as SparqlClient, { select })
      const { registry, state } = service
      const checks = new ListChecks({ client, registry, state, mostAwaited: 0 })
      const vocabulary = (await readVocabularies(service.client)).find(({ uri }) => uri === SCHEME)!
      expect(await checks.fits(vocabulary, 'concepts', signal)).toBe(true)
      while (ended < 4) await sleep(20)
      await sleep(0)
      expect(await checks.fits(vocabulary, 'concepts', signal)).toBe(text === undefined)
    })

    test('simultaneous requests share a check; one that fails is made again', async () => {
      await load()
      let counted = 0
      const select = (query: Query, options: RequestOptions) => {
        if (++counted === 1) return Promise.reject(new ApiError('BackendError', 'away'))
        return service.client.select(query, options)
      }
      const client = Object.assign(Object.create(service.client) as SparqlClient, { select })
      const readState = () => Promise.resolve('the same')
      const state = new StoreState({ readState, maxStalenessMs: 0, isExclusive: true })
      const checks = new ListChecks({ client, registry: service.registry, state })
      const vocabulary = (await readVocabularies(service.client)).find(({ uri }) => uri === SCHEME)!
      const fits = () =>
        Promise.allSettled([
          checks.fits(vocabulary, 'concepts', signal),
          checks.fits(vocabulary, 'topConcepts', signal),
        ])
      expect((await fits()).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(counted).toBe(1)
      for (let at = 0; at < 2; at++) {
        expect(await fits()).toEqual([
          { status: 'fulfilled', value: true },
          { status: 'fulfilled', value: true },
        ])
        expect(counted).toBe(2)
      }
    })

    test('a request waits for a check no longer than it may, and the check goes on', async () => {
      await load()
      let release!: () => void
      const released = new Promise<void>((resolve) => (release = resolve))
      let counted = 0
      const select = async (query: Query, options: RequestOptions) => {
        counted++
        await released
        return service.client.select(query, options)
      }
      const client = Object.assign(Object.create(service.client) as SparqlClient, { select })
      const state = new StoreState({
        readState: () => Promise.resolve('the same'),
        maxStalenessMs: 0,
        isExclusive: true,
      })
      const checks = new ListChecks({ client, registry: service.registry, state })
      const vocabulary = (await readVocabularies(service.client)).find(({ uri }) => uri === SCHEME)!
      const leaving = new AbortController()
      const impatient = checks.fits(vocabulary, 'concepts', leaving.signal)
      const patient = checks.fits(vocabulary, 'concepts', signal)
      leaving.abort()
      await expect(impatient).rejects.toMatchObject({ name: 'TimeoutError' })
      release()
      expect([await patient, await checks.fits(vocabulary, 'concepts', signal), counted]).toEqual([true, true, 1])
    })

    test('a concept of it in another graph', async () => {
      await load()
      await update(`INSERT DATA { GRAPH <${OTHER}> { ${concept('elsewhere')} } }`, OTHER)
      const [whole, expected] = [await list('/voc/concepts'), await sorted('/voc/concepts')]
      expect(whole.uris.toSorted()).toEqual(expected.uris.toSorted())
      expect(whole.total).toBe(CONCEPTS + 1)
    })
  })
})
