import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { cleanUp, startStore, versionedGraph } from './start.ts'

afterEach(cleanUp)

/** Nests deeper than the stack of WebAssembly reaches: its thread is lost. */
const DEEP = `SELECT * WHERE ${'{'.repeat(3000)}${'}'.repeat(3000)}`
/** Longer than a busy machine takes to lose a thread: a deadline must not end it first. */
const QUERY_TIMEOUT_MS = 2000

test('the thread of the public, if it takes long to build, rests after it was lost; the service does not notice', async () => {
  // Each thread counts as built half a second later than it is, so that the rest is longer than a query may wait.
  const store = await startStore({ queryTimeoutMs: QUERY_TIMEOUT_MS, limits: { unrestedMs: -500 } })
  await store.client.putGraph('urn:g', versionedGraph(1, 2000))
  const ask = async (query: string) => {
    const response = await fetch(store.publicUrl, { method: 'POST', body: new URLSearchParams({ query }) })
    await response.text()
    return response
  }
  while ((await ask('ASK {}')).status !== 200) await sleep(20)
  // A stranger ends the thread and tries again at once.
  expect((await ask(DEEP)).status).toBe(502)
  let told = 0
  for (let status = 503; status === 503; told++) {
    const response = await ask(told === 0 ? DEEP : 'ASK {}')
    status = response.status
    if (status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    else expect(status).toBe(200)
    expect(await store.client.ask('ASK { GRAPH <urn:g> { <urn:concept:1> ?p ?o } }')).toBe(true)
    await sleep(20)
  }
  // All but the last request got 503.
  expect(told).toBeGreaterThan(1)
}, 120_000)
