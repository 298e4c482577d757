import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { runOver } from '../../run-over.ts'
import { DEPLOYED, describeOver, isWhole } from '../../stores.ts'
import { LONG } from '../../long.ts'

/** The right answers of the hierarchy endpoints for sampled concepts: URIs, or only their number if they are many. */
interface Truth {
  concepts: number
  sample: {
    uri: string
    broader: Expected
    narrower: Expected
    ancestors: Expected
    descendants: Expected
  }[]
}
type Expected = string[] | { count: number }

const files = [
  ...['hierarchy', 'iris', 'labels-notes', 'misc', 'schemes'].map((name) => `edge/${name}.ttl`),
  ...['bk', 'cgi-CommodityCode', 'cgi-simplelithology', 'dfg-2024', 'nwbib', 'nwbib-spatial', 'stw-9.16'].map(
    (name) => `vocab/${name}.ttl`,
  ),
  ...['deep-chain-2000', 'diamond-ladder-60', 'random-dag-20000', 'wide-10000'].map((name) => `stress/${name}.nt.gz`),
]

const truthFile = (file: string) =>
  resolve(TEST_DATA, 'truth', file.replace(/^(vocab|stress)\//, '').replace(/\.(ttl|nt\.gz)$/, '.truth.json'))

/** Vocabularies that take long to load. */
const LARGE = /wide-|random-dag-|nwbib-spatial|stw-/
/** The scheme that names the graph, if a file has several. */
const SCHEME: Record<string, string> = { 'edge/schemes.ttl': 'http://example.org/v/scheme/A' }
/** Concepts of a sample that are asked for: enough to find a mistake, few enough to run often. */
const SAMPLE = { vocab: 8, stress: 3 }

/** The truth knows `skos:broader` alone; a load adds it where a file has a kind of it of ISO 25964. */
const KINDS: Record<string, [narrower: string, broader: string]> = {
  'edge/hierarchy.ttl': ['http://example.org/v/hier/gen', 'http://example.org/v/hier/top'],
}

function withKinds(file: string, truth: Truth): Truth {
  const [narrower, broader] = KINDS[file] ?? []
  const added = (expected: Expected, uri: string | undefined) =>
    Array.isArray(expected) && uri !== undefined ? [...expected, uri] : expected
  const sample = truth.sample.map((concept) => {
    if (concept.uri === narrower) {
      return { ...concept, broader: added(concept.broader, broader), ancestors: added(concept.ancestors, broader) }
    }
    if (concept.uri !== broader) return concept
    return {
      ...concept,
      narrower: added(concept.narrower, narrower),
      descendants: added(concept.descendants, narrower),
    }
  })
  return { ...truth, sample }
}

if (NO_DATA) {
  test.skip(`the truth of real vocabularies${NO_DATA}`, () => undefined)
} else {
  describeOver(DEPLOYED, 'the truth of real vocabularies', (store) => {
    const isTested = (file: string) =>
      LONG || (store.name === 'embedded' ? !LARGE.test(file) : /^edge.(hierarchy|schemes)/.test(file))
    let app: RunningApp

    runOver(store, async (endpoint) => (app = await startApp(endpoint, { MAX_LIMIT: '50000' })))

    describe.each(files.filter(isTested))('%s', (file) => {
      let graph: string
      const truth = withKinds(file, JSON.parse(readFileSync(truthFile(file), 'utf8')) as Truth)

      beforeAll(async () => {
        const options = { scheme: SCHEME[file], check: false }
        graph = (await loadVocabulary(app.client, [resolve(TEST_DATA, file)], options)).uri
        app.state.changed()
      }, 120_000)
      afterAll(() => app.client.deleteGraph(graph))

      /** A neighbour that is in no vocabulary is dangling: it is in no list. */
      const described = async (uris: string[]) => {
        const inScheme = new Set<string>()
        for (let start = 0; start < uris.length; start += 500) {
          const list = uris.slice(start, start + 500).map((uri) => `<${uri}>`)
          const rows = await app.client.select(`PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
            SELECT DISTINCT ?c WHERE { VALUES ?c { ${list.join(' ')} } ?c skos:inScheme ?scheme }`)
          for (const row of rows) inScheme.add(row['c']!.value)
        }
        return uris.filter((uri) => inScheme.has(uri))
      }

      const step = Math.max(1, Math.floor(truth.sample.length / SAMPLE[file.startsWith('stress') ? 'stress' : 'vocab']))
      const isAll = file.startsWith('edge/') && isWhole(store)
      const sample = truth.sample.filter((_, index) => isAll || index % step === 0)
      test('broader, narrower, descendants are as expected; ancestors are a chain of them', async () => {
        for (const concept of sample) {
          for (const path of ['broader', 'narrower', 'descendants'] as const) {
            const { status, body, headers } = await app.ask(`/${path}`, { uri: concept.uri, properties: 'broader' })
            expect(status).toBe(200)
            const expected = concept[path]
            if (Array.isArray(expected)) {
              const rest = (await described(expected)).filter((uri) => uri !== concept.uri)
              expect({ of: concept.uri, path, uris: body.map((record: any) => record.uri).sort() }).toEqual({
                of: concept.uri,
                path,
                uris: rest.sort(),
              })
            } else expect(body).toHaveLength(expected.count)
            expect(headers.get('x-total-count')).toBe(String(body.length))
          }
          const { body } = await app.ask('/ancestors', { uri: concept.uri, properties: 'broader' })
          const chain = body.map((record: any) => record.uri)
          expect(new Set(chain).size).toBe(chain.length)
          if (Array.isArray(concept.ancestors)) {
            for (const uri of chain) expect(concept.ancestors).toContain(uri)
            if ((await described(concept.ancestors)).length > 0) expect(chain.length).toBeGreaterThan(0)
          } else expect(chain.length).toBeLessThanOrEqual(concept.ancestors.count)
        }
      }, 120_000)
    })
  })
}

test('the files of the table are there if the folder is', () => {
  if (!NO_DATA) {
    for (const file of files) expect(existsSync(resolve(TEST_DATA, file))).toBe(true)
  }
})
