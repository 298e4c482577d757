/** Loading what was exported changes nothing: the graph is isomorphic, and the loader reports no change. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../src/sparql/client.ts'
import { startEmbeddedStore } from '../../src/store/embedded.ts'
import { readVocabularies } from '../../src/vocabularies/vocabulary.ts'
import { exportVocabulary } from '../../src/vocabularies/export.ts'
import { InputError } from '../../src/files/input-error.ts'
import { loadVocabulary } from '../../src/loading/load-vocabulary.ts'
import type { LoadOptions } from '../../src/loading/prepare.ts'
import { removeVocabulary } from '../../src/vocabularies/remove.ts'
import { LONG } from '../long.ts'
import { TEST_DATA, dataFiles } from '../data.ts'
import { canonical } from './canonical.ts'

/** For files of which the operator has to say what they are. */
const SCHEME = 'http://example.org/scheme-of-the-test'

if (!TEST_DATA.available) {
  test.skip(`loading what was exported, skipped: ${TEST_DATA.reason}`, () => undefined)
} else {
  describe('loading what was exported', () => {
    let folder: string
    let store: Awaited<ReturnType<typeof startEmbeddedStore>>
    let client: SparqlClient

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'round-trip-'))
      store = await startEmbeddedStore({ directory: join(folder, 'store'), queryTimeoutMs: 60_000 })
      client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000 })
    })
    afterEach(async () => {
      for (const { uri, isSubset } of await readVocabularies(client)) {
        if (!isSubset) await removeVocabulary(client, uri)
      }
    })
    afterAll(async () => {
      await store.close()
      await rm(folder, { recursive: true })
    })

    async function exported(uri: string, format: 'turtle' | 'ntriples' | 'jsonld'): Promise<string> {
      let text = ''
      for await (const chunk of exportVocabulary(client, uri, format)) text += chunk
      return text
    }
    const graph = async (uri: string) =>
      canonical((await exported(uri, 'ntriples')).split('\n').filter((line) => line !== ''))

    // Each file in one of the formats in turn; in both with TEST_LONG=1.
    const edge = dataFiles('edge').map((file, at) => {
      const formats = (['turtle', 'jsonld'] as const).filter((_, index) => LONG || index === at % 2)
      return [relative(TEST_DATA.directory, file), file, formats] as const
    })
    const vocab = [...(LONG ? ['bk.ttl'] : []), 'cgi-simplelithology.ttl'].map(
      (name) => [`vocab/${name}`, resolve(TEST_DATA.directory, 'vocab', name), ['turtle'] as const] as const,
    )
    test.each([...edge, ...vocab])('%s', async (_, file, formats) => {
      const load = (of: string, options: LoadOptions = {}) =>
        loadVocabulary(client, [of], { ids: ['round-trip'], check: false, ...options })
      let options: LoadOptions = {}
      const first = await load(file).catch((error: unknown) => {
        if (!(error instanceof InputError) || !error.message.includes('--scheme')) throw error
        const [named] = /https?:\/\/[^\s,]+/.exec(error.message) ?? []
        options = { scheme: named ?? SCHEME }
        return load(file, options)
      })
      const before = await graph(first.uri)
      expect(before.length).toBeGreaterThan(10)
      for (const format of formats) {
        const copy = join(folder, format === 'turtle' ? 'copy.ttl' : 'copy.jsonld')
        await writeFile(copy, await exported(first.uri, format))
        // With a vocabulary goes what says which of the schemes its concepts are in are subsets.
        if (first.subsets.length === 0) await removeVocabulary(client, first.uri)
        const second = await load(copy, options)
        expect(second.changes).toEqual({})
        expect(await graph(first.uri)).toEqual(before)
      }
    })
  })
}
