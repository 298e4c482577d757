import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SaxesParser } from 'saxes'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { startApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { concept, startIngest, type IngestService } from '../ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BRIDGES = 'http://example.org/bridges/'
const BASE = 'http://vocabularies.test/'
const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const CONCEPTS = {
  beam: 'skos:prefLabel "Beam"@en',
  arch: 'skos:prefLabel "Arch & vault"@en, "Bogen"@de ; skos:notation "A"',
  rope: 'skos:prefLabel "Rope"@en ; skos:notation "R" ; dct:isReplacedBy :beam',
}

/** The bridges, with the changes of a test; undefined leaves one out. */
const turtle = (changes: Partial<Record<keyof typeof CONCEPTS, string | undefined>> = {}) => `
  @prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <${BRIDGES}> .
  @prefix dct: <http://purl.org/dc/terms/> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en, "Brücken"@de .
  :types a skos:OrderedCollection ; skos:inScheme <${BRIDGES}> ; skos:prefLabel "Types"@en ; skos:member :beam .
  ${Object.entries({ ...CONCEPTS, ...changes })
    .map(([name, text]) => (text === undefined ? '' : `:${name} a skos:Concept ; ${text} .`))
    .join('\n')}`

/**
 * Elements of a feed with their texts and attributes; those of entries are `entry/title` and so on. @throws Error if it
 * is not XML
 */
function readFeed(text: string) {
  const elements: { name: string; attributes: Record<string, string>; text: string }[] = []
  const open: { name: string; attributes: Record<string, string>; text: string }[] = []
  const parser = new SaxesParser({ xmlns: false })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const parents = open.slice(1).map((element) => element.name.split('/').at(-1))
    const element = { name: [...parents, name].join('/'), attributes, text: '' }
    elements.push(element)
    open.push(element)
  })
  parser.on('text', (part) => {
    if (open.length > 0) open.at(-1)!.text += part
  })
  parser.on('closetag', () => void open.pop())
  parser.write(text).close()
  const all = (name: string) => elements.filter((element) => element.name === name)
  const links = (name: string) => Object.fromEntries(all(name).map(({ attributes: { rel, href } }) => [rel, href]))
  return { all, links, texts: (name: string) => all(name).map((element) => element.text) }
}

describeOver(EMBEDDED, 'GET /voc/{vocid}/changes', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  /** Times before the changes of a test. */
  let since: string
  let ingested: string

  const load = async (changes?: Parameters<typeof turtle>[0], options: { dropProposals?: boolean } = {}) => {
    const file = await write('bridges.ttl', turtle(changes))
    const { client, history } = service
    await loadVocabulary(client, [file], { ids: ['bridges'], history, check: false, ...options })
  }
  const ask = (parameters: Record<string, string> = {}) => service.ask('/voc/bridges/changes', parameters)
  const names = (body: { uri: string }[]) => body.map(({ uri }) => uri.replace(BRIDGES, ''))
  const lastTime = async (uri: string) => (await service.history!.log.changesOf(uri))[0]!.time
  /** A time that is later than all changes so far. */
  const now = async () => {
    while (new Date().toISOString() <= (await lastTime(BRIDGES))) await new Promise((done) => setTimeout(done, 1))
    return new Date().toISOString()
  }

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { BASE_URL: BASE, SITE_NAME: 'Library <A & B>' })
    await load()
    since = await now()
    const account = await service.account({ voc: BRIDGES })
    ingested = (await service.propose(account, [concept({ inScheme: [{ uri: BRIDGES }] })])).body[0].uri
    await service.history!.recordIngests()
    const next = {
      beam: `${CONCEPTS.beam} ; owl:deprecated true`,
      arch: `${CONCEPTS.arch} ; skos:altLabel "Curve"@en`,
      rope: undefined,
    }
    await load(next, { dropProposals: true })
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('has a record for each new, changed, deprecated or deleted resource, the last change first', async () => {
    const { body, headers } = await ask()
    expect(headers.get('x-total-count')).toBe('6')
    expect(names(body).sort()).toEqual(['', 'arch', 'beam', ingested.replace(BRIDGES, ''), 'rope', 'types'].sort())
    expect(names(body).at(-1)).toBe('types')
    const of = (uri: string) => body.find((record: { uri: string }) => record.uri === uri)
    const [shown] = (await service.ask('/data', { uri: `${BRIDGES}arch` })).body
    const time = await lastTime(`${BRIDGES}arch`)
    expect(of(`${BRIDGES}arch`)).toEqual({ ...shown, action: 'change', actionTime: time })
    expect(of(`${BRIDGES}beam`)).toMatchObject({ deprecated: true, prefLabel: { en: 'Beam' }, inScheme: [{}] })
    expect(of(`${BRIDGES}beam`)).not.toHaveProperty('endDate')
    expect(of(BRIDGES)).toMatchObject((await service.get('/voc/bridges?format=json')).body[0])
    const actions = body.map(({ uri, action }: { uri: string; action: string }) => [uri.replace(BRIDGES, ''), action])
    expect(Object.fromEntries(actions)).toEqual({
      '': 'change',
      arch: 'change',
      beam: 'deprecate',
      rope: 'delete',
      types: 'create',
      [ingested.replace(BRIDGES, '')]: 'delete',
    })
  })

  test('a deleted concept has its class, its names, its vocabulary and the day of its end', async () => {
    const { body } = await ask({ kind: 'Delete' })
    const { '@context': context, ...rope } = body.find(({ uri }: { uri: string }) => uri === `${BRIDGES}rope`)
    expect(context).toEqual(expect.any(String))
    expect(rope).toEqual({
      uri: `${BRIDGES}rope`,
      type: [`${SKOS}Concept`],
      prefLabel: { en: 'Rope' },
      notation: ['R'],
      inScheme: [{ uri: BRIDGES, type: [`${SKOS}ConceptScheme`] }],
      replacedBy: [{ uri: `${BRIDGES}beam` }],
      deprecated: true,
      endDate: (await lastTime(`${BRIDGES}rope`)).slice(0, 10),
      action: 'delete',
      actionTime: await lastTime(`${BRIDGES}rope`),
    })
    expect(names(body)).toEqual(expect.arrayContaining([ingested.replace(BRIDGES, '')]))
    expect(body).toHaveLength(2)
  })

  test.each([{}, { properties: '*' }, { properties: 'memberOf', language: 'de' }])(
    'a collection has its record: %j',
    async (parameters) => {
      const { body } = await ask(parameters)
      const [types] = (await service.ask('/data', { uri: `${BRIDGES}types`, ...parameters })).body
      expect(types.type).toEqual([`${SKOS}Collection`, `${SKOS}OrderedCollection`])
      const actionTime = await lastTime(`${BRIDGES}types`)
      expect(body.at(-1)).toEqual({ ...types, action: 'create', actionTime })
    },
  )

  test('since keeps later changes, kind those of some kinds', async () => {
    const later = await ask({ since })
    expect(later.headers.get('x-total-count')).toBe('5')
    expect(names(later.body)).not.toContain('types')
    expect(names((await ask({ since, kind: 'Create' })).body)).toEqual([ingested.replace(BRIDGES, '')])
    expect(names((await ask({ since, kind: 'Update' })).body).sort()).toEqual(['', 'arch'])
    expect(names((await ask({ kind: 'Deprecate|Delete' })).body)).toContain('beam')
    expect((await ask({ kind: 'Create' })).headers.get('x-total-count')).toBe('6')
    expect((await ask({ since: await now() })).body).toEqual([])
    expect((await ask({ since: (await lastTime(`${BRIDGES}types`)).slice(0, 10) })).body).toHaveLength(6)
    expect(names((await ask({ since: await lastTime(`${BRIDGES}rope`) })).body)).toContain('rope')
  })

  test('has pages, formats and an ETag like every list', async () => {
    const { body } = await ask()
    const pages = [await ask({ limit: '4' }), await ask({ limit: '4', offset: '4' })]
    expect(pages.flatMap((page) => page.body)).toEqual(body)
    expect(pages[0]!.headers.get('link')).toContain(`<${BASE}voc/bridges/changes?limit=4&offset=4>; rel="next"`)
    expect((await ask({ limit: '0' })).headers.get('x-total-count')).toBe('6')
    const [first] = (await ask({ kind: 'Deprecate', properties: 'prefLabel,-type,-@context' })).body
    expect(Object.keys(first).sort()).toEqual(['action', 'actionTime', 'prefLabel', 'uri'])
    const lines = (await ask({ format: 'ndjson' })).text.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(body)
    expect((await ask({ properties: 'notation', format: 'turtle' })).text).toContain('skos:notation "A"')
    const etag = pages[0]!.headers.get('etag')!
    const again = await service.ask('/voc/bridges/changes', { limit: '4' }, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('is an Atom feed', async () => {
    const accept = { headers: { accept: 'application/atom+xml' } }
    const { text, headers } = await service.ask('/voc/bridges/changes', { since, limit: '2', language: 'de' }, accept)
    expect(headers.get('content-type')).toBe('application/atom+xml')
    expect(headers.get('vary')).toContain('Accept')
    const feed = readFeed(text)
    // RFC 4287, section 4.1.1: one id, title and updated each, and an author.
    for (const name of ['id', 'title', 'updated', 'author/name'])
      expect([name, feed.all(name).length]).toEqual([name, 1])
    expect(feed.texts('title')).toEqual(['Brücken'])
    expect(feed.texts('author/name')).toEqual(['Library <A & B>'])
    const { self, next, alternate } = feed.links('link')
    expect(self).toBe(`${BASE}voc/bridges/changes?since=${encodeURIComponent(since)}&limit=2&language=de&format=atom`)
    expect(alternate).toBe(`${BASE}voc/bridges`)
    const rest = readFeed((await service.get(next!.replace(BASE, '/'))).text)
    expect(feed.texts('id')).toEqual(rest.texts('id'))
    expect(rest.links('link')['prev']).toBe(self!.replace(/&limit=2(.*)/, '$1&limit=2&offset=0'))

    const entries = readFeed((await ask({ since, language: 'en', format: 'atom' })).text)
    const count = entries.all('entry').length
    expect(count).toBe(5)
    // Section 4.1.2: each entry has them too, and an alternate link because it has no content.
    for (const name of ['id', 'title', 'updated', 'link']) expect(entries.all(`entry/${name}`)).toHaveLength(count)
    expect(new Set(entries.texts('entry/id')).size).toBe(count)
    expect(entries.texts('entry/title').sort()).toEqual(
      ['Update: Bridges', 'Update: Arch & vault', 'Deprecate: Beam', 'Delete: Rope', 'Delete: Silberlöten'].sort(),
    )
    expect(entries.texts('updated')[0]).toBe(entries.texts('entry/updated')[0])
    const times = entries.texts('entry/updated')
    expect(times).toEqual(times.toSorted().reverse())
    expect(entries.all('entry/link').map(({ attributes }) => attributes['href'])).toContain(
      `${BASE}entity?uri=${BRIDGES}rope`,
    )
    const nothing = readFeed((await ask({ since: await now(), format: 'atom' })).text)
    expect([nothing.all('entry').length, nothing.texts('updated').length]).toEqual([0, 1])
  })

  test('the pages of the vocabulary and of its changes lead to the feed', async () => {
    const page = { headers: { accept: 'text/html' } }
    const { text } = await service.get('/voc/bridges', page)
    const address = `${BASE}voc/bridges/changes?format=atom`
    expect(text).toContain(`<link rel="alternate" type="application/atom+xml" href="${address}"/>`)
    const changes = (await service.get('/voc/bridges/changes', page)).text
    expect(changes).toMatch(/<a href="[^"]*voc\/bridges\/changes\?format=atom"/)
  })

  test.each([
    [400, '/voc/bridges/changes?since=yesterday', /^since: /],
    [400, '/voc/bridges/changes?since=2026-02-30', /^since: /],
    [400, '/voc/bridges/changes?kind=Change', /^kind: .*Create\|Update/],
    [400, '/voc/bridges/changes?limit=x', /^limit: /],
    [400, '/voc/bridges/changes?format=pdf', /^format: .*atom/],
    [404, '/voc/none/changes', /"none"/],
  ])('%i: %s', async (status, path, message) => {
    expect((await service.get(path)).body).toMatchObject({ status, message: expect.stringMatching(message) })
  })

  test('without a history it is 404', async () => {
    const app = await startApp(running.endpoint)
    try {
      expect(await app.get('/voc/bridges/changes')).toMatchObject({ status: 404 })
    } finally {
      await app.close()
    }
  })

  test('a removed vocabulary still shows its end', async () => {
    await removeVocabulary(service.client, 'bridges', service.history)
    service.registry.invalidate()
    const { body, headers } = await ask()
    expect(headers.get('x-total-count')).toBe('6')
    expect(body.every((record: { endDate?: string }) => record.endDate)).toBe(true)
    expect(body.find(({ uri }: { uri: string }) => uri === BRIDGES)).toMatchObject({
      type: [`${SKOS}ConceptScheme`],
      prefLabel: { en: 'Bridges' },
      notation: ['bridges'],
    })
    expect((await service.ask(`/voc/${encodeURIComponent(BRIDGES)}/changes`)).body).toEqual(body)
    const naming = `<http://example.org/tunnels/> a <${SKOS}ConceptScheme> ; <${SKOS}closeMatch> <${BRIDGES}> .
      <${BRIDGES}> <${SKOS}prefLabel> "Bridges"@en .`
    const { client, history } = service
    await loadVocabulary(client, [await write('tunnels.ttl', naming)], { ids: ['tunnels'], history, check: false })
    service.registry.invalidate()
    expect((await ask({ limit: '7' })).body).toEqual(body)
    await load()
    service.registry.invalidate()
    expect((await ask({ kind: 'Create' })).body.length).toBeGreaterThan(4)
  })

  test('a subset of a file that gives it no class has its changes, and its end', async () => {
    const subset = (
      name: string,
    ) => `:s skos:notation "subset_s" ; dct:isPartOf <${BRIDGES}> ; skos:prefLabel "${name}"@en ;
      skos:member :beam .`
    const { client, history } = service
    for (const name of ['Old', 'New']) {
      const file = await write('bridges.ttl', turtle() + subset(name))
      await loadVocabulary(client, [file], { ids: ['bridges'], history, check: false })
    }
    service.registry.invalidate()
    const [record] = (await service.ask('/voc', { notation: 'subset_s' })).body
    const { body } = await service.ask('/voc/subset_s/changes')
    expect(body).toEqual([{ ...record, action: 'change', actionTime: expect.any(String) }])
    await removeVocabulary(client, 'bridges', history)
    service.registry.invalidate()
    const end = { uri: `${BRIDGES}s`, type: record.type, prefLabel: { en: 'New' }, action: 'delete' }
    expect((await service.ask('/voc/subset_s/changes')).body).toMatchObject([end])
    await load()
    service.registry.invalidate()
  })

  test('a deleted concept stays deleted when further concepts name it', async () => {
    const HILLS = 'http://example.org/hills/'
    const named = `@prefix skos: <${SKOS}> . @prefix : <${HILLS}> . <${HILLS}> a skos:ConceptScheme .
      :b a skos:Concept ; skos:broader :a .`
    for (const more of [':a a skos:Concept .', '', ':c a skos:Concept ; skos:broader :a .']) {
      const file = await write('hills.ttl', `${named} ${more}`)
      await loadVocabulary(service.client, [file], { ids: ['hills'], history: service.history, check: false })
    }
    service.registry.invalidate()
    const { body } = await service.ask('/voc/hills/changes', { kind: 'Delete' })
    expect(body).toMatchObject([{ uri: `${HILLS}a`, deprecated: true, endDate: expect.any(String) }])
  })
})
