import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ResourceCache } from '../../../src/graph/memory/resource-cache.ts'
import { StoreState } from '../../../src/graph/memory/store-state.ts'
import { readNTriples, type NodeProperties, type ObjectTerm } from '../../../src/graph/sparql/ntriples.ts'
import { collectGarbage } from '../../garbage.ts'

const LABEL = 'http://www.w3.org/2004/02/skos/core#prefLabel'
const PROPERTIES = new Set([LABEL])

/** An answer of the store about one concept, with 50 kB that nobody remembers. */
const answerAbout = (uri: string) =>
  `<${uri}> <${LABEL}> "Loom" .\n<${uri}> <urn:x-example:note> "${'n'.repeat(50_000)}" .\n`

test('statements and names take no more memory than they count, whatever answers they come from', async () => {
  const state = new StoreState({ readState: () => Promise.resolve('state'), maxStalenessMs: 60_000 })
  const resources = new ResourceCache({
    state,
    maxBytes: 100_000_000,
    statement: PROPERTIES,
    naming: PROPERTIES,
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

const NAMING = [LABEL, 'urn:x-example:notation']
const STATEMENT = [...NAMING, 'urn:x-example:broader', 'urn:x-example:note', 'urn:x-example:date']

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('织布机', 'ткацький', '\n', '\r', '\t', '"', '\\', '\0', '>', '<'),
)
const iri = fc.constantFrom(
  'http://example.org/a',
  'urn:x:ä',
  'http://example.org/织布机',
  'http://example.org/a b',
  '',
)
const term: fc.Arbitrary<ObjectTerm> = fc.oneof(
  fc.record({
    termType: fc.constant('Literal' as const),
    value: text,
    language: fc.constantFrom('', 'de', 'zh-hant', 'de-x-a'),
    datatype: fc.constant(''),
  }),
  fc.record({
    termType: fc.constant('Literal' as const),
    value: text,
    language: fc.constant(''),
    datatype: fc.constantFrom('http://www.w3.org/2001/XMLSchema#date', 'urn:x-example:a b'),
  }),
  iri.map((value): ObjectTerm => ({ termType: 'NamedNode', value, language: '', datatype: '' })),
)
const node = fc
  .dictionary(
    fc.constantFrom(...STATEMENT),
    fc.uniqueArray(term, { minLength: 1, maxLength: 5, selector: (item) => JSON.stringify(item) }),
  )
  .map((properties): NodeProperties => new Map(Object.entries(properties)))

test('statements come back as they were kept, as a whole and by property', async () => {
  const state = new StoreState({ readState: () => Promise.resolve('state'), maxStalenessMs: 60_000 })
  const resources = new ResourceCache({
    state,
    maxBytes: 1_000_000,
    statement: new Set(STATEMENT),
    naming: new Set(NAMING),
  })
  const now = await state.now()
  const remembered = await resources.present()
  fc.assert(
    fc.property(node, fc.subarray(STATEMENT), (original, some) => {
      resources.keepStatement('urn:x-example:c', original, now)
      const among = (properties: readonly string[]) =>
        new Map([...original].filter(([property]) => properties.includes(property)))
      expect(remembered.statement('urn:x-example:c', new Set(STATEMENT))).toEqual(original)
      expect(remembered.statement('urn:x-example:c', new Set(some))).toEqual(among(some))
      expect(remembered.names('urn:x-example:c')).toEqual(among(NAMING))
    }),
    { numRuns: 500 },
  )
  // A blank node is one of its answer alone, and N-Triples cannot have every text as an IRI.
  for (const [termType, value] of [
    ['BlankNode', '_:b0'],
    ['NamedNode', 'urn:x:a>b'],
  ] as const) {
    const broader: ObjectTerm = { termType, value, language: '', datatype: '' }
    resources.keepStatement('urn:x-example:d', new Map([['urn:x-example:broader', [broader]]]), now)
    expect(remembered.statement('urn:x-example:d', new Set(STATEMENT))).toBeUndefined()
  }
})
