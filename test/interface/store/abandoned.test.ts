import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { startEmbeddedStore } from '../../../src/interface/store/embedded.ts'
import { newDirectory } from '../../process.ts'

const TRIPLES = 400
/** Some tenths of a second of work. */
const SLOW = 'SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c != ?f || ?c != ?i) } LIMIT 1'

test('an abandoned query is left out if it has not begun', async () => {
  const store = await startEmbeddedStore({ directory: await newDirectory(), queryTimeoutMs: 60_000 })
  const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000, concurrency: 64 })
  const lines = Array.from({ length: TRIPLES }, (_, i) => `<http://example.org/${i}> <http://example.org/p> "${i}" .`)
  let triples = 60
  await client.putGraph('http://example.org/', lines.slice(0, triples).join('\n'))
  const timed = async () => {
    const started = performance.now()
    await client.select(SLOW)
    return performance.now() - started
  }
  // As much work as this machine needs some time for.
  while ((await timed()) < 300 && triples < TRIPLES) {
    triples += 40
    await client.putGraph('http://example.org/', lines.slice(0, triples).join('\n'))
  }
  const single = await timed()
  const gone = new AbortController()
  setMaxListeners(0, gone.signal)
  const abandoned = Array.from({ length: 20 }, () => client.select(SLOW, { signal: gone.signal }).catch(() => 'gone'))
  await sleep(single / 4)
  const started = performance.now()
  const next = client.ask('ASK {}')
  gone.abort()
  expect(await next).toBe(true)
  // The one that had begun, and none of the other nineteen.
  expect(performance.now() - started).toBeLessThan(single * 8)
  expect(await Promise.all(abandoned)).toEqual(Array.from({ length: 20 }, () => 'gone'))
  await store.close()
})
