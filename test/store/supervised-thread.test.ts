import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { cleanUp, startStore, versionedGraph } from './start.ts'

afterEach(cleanUp)

/** Nests deeper than the stack of WebAssembly reaches: its thread is lost. */
const DEEP = `SELECT * WHERE ${'{'.repeat(3000)}${'}'.repeat(3000)}`
/** Longer than a busy machine takes to lose a thread: a deadline must not end it first. */
const QUERY_TIMEOUT_MS = 2000

test('the thread of the public, if it takes long to build, rests after it was lost; the service does not notice', async () => {
  // Every thread takes longer than no time at all.
  const store = await startStore({ queryTimeoutMs: QUERY_TIMEOUT_MS, limits: { unrestedMs: 0 } })
  await store.client.putGraph('urn:g', versionedGraph(1, 20_000))
  const ask = async (query: string) => {
    const response = await fetch(store.publicUrl, { method: 'POST', body: new URLSearchParams({ query }) })
    await response.text()
    return response
  }
  const untilAnswered = async () => {
    while ((await ask('ASK {}')).status !== 200) await sleep(20)
  }
  await untilAnswered()
  const started = Date.now()
  let built = 0
  let told = 0
  while (Date.now() - started < 8000) {
    // A stranger ends the thread whenever there is one.
    const { status, headers } = await ask(DEEP)
    if (status === 502) built++
    else {
      expect(status).toBe(503)
      const retryAfter = Number(headers.get('retry-after'))
      expect(retryAfter).toBeGreaterThan(0)
      told++
    }
    expect(await store.client.ask('ASK { GRAPH <urn:g> { <urn:concept:1> ?p ?o } }')).toBe(true)
    await sleep(20)
  }
  expect(told).toBeGreaterThan(built)
  // Each took a tenth of a second at the least, and nine times as long to rest.
  expect(built).toBeLessThan(8)
  await untilAnswered()
}, 120_000)
