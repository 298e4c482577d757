import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { IN_SCHEME } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { LONG } from '../../long.ts'
import { nameOf } from '../../queries.ts'

const SCHEME = 'http://example.org/wide/'
const CHILDREN = LONG ? 25_000 : 2_000

describeOver(EMBEDDED, 'a concept with very many narrower ones', (store) => {
  const folder = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_LIMIT: '30000' })
    const children = Array.from({ length: CHILDREN }, (_, at) => {
      return `<${SCHEME}${at}> a skos:Concept ; skos:prefLabel "${at}"@en ; skos:notation "${at}" ; skos:broader <${SCHEME}root> .`
    })
    const file = await folder.write(
      'wide.ttl',
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<${SCHEME}> a skos:ConceptScheme ; skos:prefLabel "Wide"@en .
<${SCHEME}root> a skos:Concept ; skos:prefLabel "Root"@en .
<${SCHEME}some> a skos:Collection ; skos:prefLabel "Some"@en ; skos:notation "10" ; skos:member <${SCHEME}1> .
${children.join('\n')}`,
    )
    await loadVocabulary(app.client, [file], { check: false })
  }, 300_000)
  afterAll(async () => {
    await app.close()
    await running.stop()
  })

  test('/data with all properties names all of them', async () => {
    const { status, body } = await app.ask('/data', { uri: `${SCHEME}root`, properties: '*' })
    expect(status).toBe(200)
    expect(body[0].narrower).toHaveLength(CHILDREN)
    expect(body[0].narrower[0]).toMatchObject({ prefLabel: { en: '0' }, notation: ['0'] })
  }, 120_000)

  test('/data by the URIs of many, with a collection among them, describes the concepts of the page alone', async () => {
    const described = new Set<string>()
    const construct = app.client.construct.bind(app.client)
    app.client.construct = async (...request) => {
      const graph = await construct(...request)
      for (const [uri, node] of graph) if (node.has(IN_SCHEME)) described.add(uri)
      return graph
    }
    const names = [...Array.from({ length: Math.min(CHILDREN, 9900) }, (_, at) => String(at)), 'some']
    const ask = async (page: Record<string, string>) => {
      const uri = names.map((name) => SCHEME + name).join('|')
      const body = new URLSearchParams({ uri, properties: 'notation', ...page })
      const answer = await app.get('/data', { method: 'POST', body })
      expect([answer.status, answer.headers.get('x-total-count')]).toEqual([200, String(names.length)])
      return (answer.body as { uri: string }[]).map((record) => record.uri.slice(SCHEME.length))
    }
    expect(await ask({ offset: '9', limit: '4' })).toEqual(['9', '10', 'some', '11'])
    expect(described.size).toBeLessThan(10)
    const all = await ask({})
    expect(all.slice(8, 13)).toEqual(['8', '9', '10', 'some', '11'])
    expect(all).toHaveLength(names.length)
  }, 120_000)

  test('/narrower lists them', async () => {
    const { status, body } = await app.ask('/narrower', { uri: `${SCHEME}root`, limit: '30000' })
    expect(status).toBe(200)
    expect(body).toHaveLength(CHILDREN)
  }, 120_000)

  test('/narrower reads a page of them from the index', async () => {
    await app.index.refresh([SCHEME])
    await app.index.caughtUp()
    app.state.changed()
    const select = jest.spyOn(app.client, 'select')
    const parameters = { uri: `${SCHEME}root`, limit: '3', offset: '1500', properties: 'notation' }
    const { body, headers } = await app.ask('/narrower', parameters)
    const templates = select.mock.calls.map(([query]) => nameOf(query))
    select.mockRestore()
    expect(body.map(({ uri }: { uri: string }) => uri.slice(SCHEME.length))).toEqual(['1500', '1501', '1502'])
    expect(headers.get('x-total-count')).toBe(String(CHILDREN))
    expect(templates).not.toContain('narrower')
    // Another graph may have more of them.
    const more = `<${SCHEME}root> skos:narrower <${SCHEME}more> . <${SCHEME}more> a skos:Concept ; skos:inScheme <${SCHEME}> .`
    await app.put('http://example.org/more/', `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . ${more}`)
    app.state.changed()
    await app.index.refresh(['http://example.org/more/'])
    await app.index.caughtUp()
    const { headers: later } = await app.ask('/narrower', parameters)
    expect(later.get('x-total-count')).toBe(String(CHILDREN + 1))
  })
})
