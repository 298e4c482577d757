import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { formatQuery } from '../../src/formats/queries.ts'
import { loadFormats } from '../../src/formats/load.ts'
import { FORMATS_GRAPH, type FormatRecord } from '../../src/formats/record.ts'
import { literal } from '../../src/sparql/terms.ts'
import { startApp, type RunningApp } from '../app.ts'
import { describeStores } from '../stores.ts'

const COUNT = 10_000
const SAMPLES = 9
const MOST = 2

const records = Array.from({ length: COUNT }, (_, index): FormatRecord => {
  const family = `family-${index % 100}`
  return {
    id: `${family}/format-${index}`,
    type: 'http://purl.org/dc/terms/FileFormat',
    title: `Format ${index}`,
    description: { en: `The format with the number ${index}`, de: `Das Format mit der Nummer ${index}` },
    homepage: `http://example.org/formats/${index}`,
    application: index % 2 ? 'application/structure' : ['application/structure', 'application/schema'],
    model: index % 10 === 0 ? ['model', 'other'] : 'model',
    base: `base-${index % 1000}`,
    schemas: [{ url: `http://example.org/schemas/${index}`, type: 'xsd', version: '1' }],
    creator: ['First', 'Second'],
    modified: 1900 + (index % 100),
  }
})
const sortedIds = records.map(({ id }) => id).sort()

describeStores(`${COUNT} format records`, (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await loadFormats(app.client, records)
  }, 300_000)
  afterAll(async () => {
    await app.client.update(`DROP GRAPH <${FORMATS_GRAPH}>`, { timeoutMs: 60_000 })
    await app.close()
    await running.stop()
  })

  test.each([
    ['the first page', 'limit=100', 0, 0],
    ['a page in the middle', 'limit=100&offset=5000', 5000, 0],
    ['the last page', 'limit=100&offset=9900', 9900, 0],
    ['a page of those with an application', 'limit=100&application=application/schema|none', 0, COUNT / 2],
  ])(`%s of 100 takes at most ${MOST} times as long as its query`, async (_, parameters, offset, filtered) => {
    const filter = filtered ? { application: [literal('application/schema'), literal('none')] } : {}
    const select = formatQuery('list').bindSubselect({
      terms: filter,
      include: [...Object.keys(filter), 'order'],
      limit: 100,
      offset,
    })
    const query = formatQuery('describe').bind({ subselect: { slot: 'f', select } })
    const raw = async () => {
      const body = new URLSearchParams({ query })
      const headers = { accept: 'application/n-triples' }
      const response = await fetch(running.endpoint.queryUrl, { method: 'POST', body, headers })
      expect((await response.text()).length).toBeGreaterThan(10_000)
    }
    const page = async () => {
      const response = await fetch(`${app.url}/formats?${parameters}`)
      expect(await response.json()).toHaveLength(100)
      expect(response.headers.get('x-total-count')).toBe(String(filtered || COUNT))
    }
    const times: Record<'raw' | 'page', number[]> = { raw: [], page: [] }
    for (let sample = 0; sample < SAMPLES; sample++) {
      for (const [name, ask] of Object.entries({ raw, page })) {
        const start = performance.now()
        await ask()
        times[name as 'raw' | 'page'].push(performance.now() - start)
      }
    }
    // The least of each: the machine may be doing something else as well.
    const ratio = Math.min(...times.page) / Math.min(...times.raw)
    process.stderr.write(
      `${store.name}, ${parameters}: ${ratio.toFixed(2)} of ${Math.min(...times.raw).toFixed(0)} ms\n`,
    )
    expect(ratio).toBeLessThan(MOST)
  })

  test('all of them come in order, in one answer and in one dump', async () => {
    const { headers, body } = await app.get('/formats')
    expect(headers.get('x-total-count')).toBe(String(COUNT))
    expect(body.map(({ id }: FormatRecord) => id)).toEqual(sortedIds)
    const { text } = await app.get('/formats.ndjson')
    expect(text).toBe(body.map((record: FormatRecord) => `${JSON.stringify(record)}\n`).join(''))
  })

  test('a list is broken off when the records change meanwhile', async () => {
    const response = await fetch(`${app.url}/formats.ndjson`)
    const reader = response.body!.getReader()
    await reader.read()
    await loadFormats(app.client, [{ id: 'new' }])
    let received = 0
    const readOn = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) received += next.value.length
    }
    await expect(readOn()).rejects.toThrow()
    expect(received).toBeGreaterThan(0)
    await app.client.update(formatQuery('change').bind({ terms: { f: [], revision: [literal('x')] } }))
  })
})
