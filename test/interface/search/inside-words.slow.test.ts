/** Letters inside of the words of very many labels, through every door: all labels are found, and counted. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const MANY = 'http://example.org/inside/'
const CONCEPTS = 5200
/** Different words with "okap": some begin so, most have it inside, some at their end. */
const LABELS = Array.from({ length: CONCEPTS }, (_, at) => {
  const word = [...String(at)].map((digit) => 'bcdfghklmn'[Number(digit)]!).join('')
  return at < 20 ? `okap${word}` : at % 3 === 0 ? `${word}okap` : `${word}okap${word}`
})
const AT_END = LABELS.filter((label) => label.endsWith('okap')).length

describeOver(EMBEDDED, 'inside of words', (store) => {
  let app: RunningApp
  let running: Awaited<ReturnType<typeof store.start>>

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    const concepts = LABELS.map(
      (label, at) => `<${MANY}${at}> a skos:Concept ; skos:inScheme <${MANY}> ; skos:prefLabel "${label}"@de .`,
    )
    await app.put(
      MANY,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${MANY}> a skos:ConceptScheme ; skos:notation "inside" ; skos:prefLabel "Inside"@en . ${concepts.join('\n')}`,
    )
  })
  afterAll(async () => {
    await app.close()
    await running.stop()
  })

  test.each([
    ['okap', CONCEPTS],
    ['*okap*', CONCEPTS],
    ['*okap', AT_END],
    ['*k*p*', CONCEPTS],
  ])('/search finds all that have %j, page by page', async (text, expected) => {
    const found = new Set<string>()
    const asked = { search: text, voc: 'inside', properties: '-', limit: '1000' }
    for (let offset = 0; offset < expected; offset += 1000) {
      const { body, headers } = await app.ask('/search', { ...asked, offset: String(offset) })
      expect(headers.get('x-total-count')).toBe(String(expected))
      for (const { uri } of body) found.add(uri)
    }
    expect(found.size).toBe(expected)
  })

  test('words that begin so come first', async () => {
    const { body, headers } = await app.ask('/search', { search: 'okap', voc: 'inside', limit: '25' })
    const begins = body.map(({ prefLabel }: { prefLabel: { de: string } }) => prefLabel.de.startsWith('okap'))
    expect(begins).toEqual(Array.from({ length: 25 }, (_, at) => at < 20))
    expect(headers.get('search-replaced')).toBe('okap=*okap*')
  })

  test('the facets count them all', async () => {
    const { headers } = await app.ask('/search', { search: 'okap', voc: 'inside', facets: 'voc', limit: '0' })
    expect(JSON.parse(headers.get('x-facets')!).voc).toEqual([{ uri: MANY, count: CONCEPTS }])
  })

  test('the search of Skosmos finds them all', async () => {
    const { body } = await app.ask('/rest/v1/inside/search', { query: '*okap*' })
    expect(body.results).toHaveLength(CONCEPTS)
  })

  test('an assistant learns how many there are', async () => {
    const { body } = await app.get('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_concepts', arguments: { query: 'okap', vocabulary: 'inside' } },
      }),
    })
    expect(body.result.structuredContent).toMatchObject({ total: CONCEPTS, replaced: { okap: ['*okap*'] } })
  })
})
