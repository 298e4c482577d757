import { expect, test } from '@jest/globals'
import { RememberedResources } from '../../src/memory/resources.ts'
import { StoreState } from '../../src/memory/store-state.ts'
import { readNTriples } from '../../src/sparql/ntriples.ts'
import { collectGarbage } from '../garbage.ts'

const LABEL = 'http://www.w3.org/2004/02/skos/core#prefLabel'
const PROPERTIES = new Set([LABEL])

/** An answer of the store about one concept, with 50 kB that nobody remembers. */
const answerAbout = (uri: string) =>
  `<${uri}> <${LABEL}> "Loom" .\n<${uri}> <urn:x-example:note> "${'n'.repeat(50_000)}" .\n`

test('statements and names take no more memory than they count, whatever answers they come from', async () => {
  const state = new StoreState({ readState: () => Promise.resolve('state'), maxStalenessMs: 60_000 })
  const resources = new RememberedResources({
    state,
    maxBytes: 100_000_000,
    statement: PROPERTIES,
    naming: PROPERTIES,
    keepsStatements: true,
  })
  const now = await state.now()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let number = 0; number < 2000; number++) {
    for (const [uri, node] of readNTriples(answerAbout(`http://example.org/concepts/weaving/${number}`))) {
      if (number % 2) resources.keepNames(uri, node, now)
      else resources.keepStatement(uri, node, now)
    }
  }
  collectGarbage()
  // Without a memory of their own, they would take 100 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(3 * resources.bytes)
  expect((await resources.present()).statement('http://example.org/concepts/weaving/1998', PROPERTIES)?.size).toBe(1)
})
