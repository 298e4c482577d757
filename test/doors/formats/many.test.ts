import { afterAll, beforeAll, expect } from '@jest/globals'
import type { FormatRecord } from '../../../src/doors/formats/record.ts'
import { FORMATS_GRAPH, REVISION } from '../../../src/base/namespaces.ts'
import { queryTemplate } from '../../../src/graph/sparql/templates.ts'
import { iri, literal, triple } from '../../../src/graph/sparql/terms.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { testLong } from '../../long.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { formatRecord, loadRecords } from './records.ts'

/** Enough for several chunks of a list. */
const COUNT = 500
/** Enough for a list that does not fit into the buffers between the store and the client. */
const LENGTH = 26_000

const records = Array.from({ length: COUNT }, (_, index): FormatRecord => ({
  ...formatRecord(index),
  description: { en: `The format with the number ${index}`.padEnd(LENGTH, '.') },
}))
const sortedIds = records.map(({ id }) => id).sort()

describeOver(EMBEDDED, `${COUNT} format records, only with TEST_LONG=1`, (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await loadRecords(app, records)
  }, 300_000)
  afterAll(async () => {
    await app.client.update(`DROP GRAPH <${FORMATS_GRAPH}>`, FORMATS_GRAPH, { timeoutMs: 60_000 })
    await app.close()
    await running.stop()
  })

  testLong('all of them come in order, in one answer and in one dump', async () => {
    const { headers, body } = await app.get('/formats')
    expect(headers.get('x-total-count')).toBe(String(COUNT))
    expect(body.map(({ id }: FormatRecord) => id)).toEqual(sortedIds)
    const { text } = await app.get('/formats.ndjson')
    expect(text).toBe(body.map((record: FormatRecord) => `${JSON.stringify(record)}\n`).join(''))
  })

  testLong('a list is broken off when the records change meanwhile', async () => {
    // As it is, because all of it would fit when it is compressed.
    const response = await fetch(`${app.url}/formats.ndjson`, { headers: { 'accept-encoding': 'identity' } })
    const reader = response.body!.getReader()
    await reader.read()
    await loadRecords(app, [{ id: 'new' }])
    let received = 0
    const readOn = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) received += next.value.length
    }
    await expect(readOn()).rejects.toThrow()
    expect(received).toBeGreaterThan(0)
    const nothing = queryTemplate('formats/change').bind({
      terms: { f: [], revision: [triple(iri(FORMATS_GRAPH), iri(REVISION), literal('x'))] },
    })
    await app.client.update(nothing, FORMATS_GRAPH)
  })
})
