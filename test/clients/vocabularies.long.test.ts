/**
 * Whatever real vocabulary is loaded: no call of cocoda-sdk fails, and no record of any field is wrong for
 * jskos-validate.
 */
import { mkdtemp } from 'node:fs/promises'
import { relative } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { addAllProviders, cdk } from 'cocoda-sdk/dist/esm/index.js'
import { validate } from 'jskos-validate'
import { InputError } from '../../src/base/files/input-error.ts'
import { loadVocabulary } from '../../src/writing/loading/load-vocabulary.ts'
import { splitFile } from '../../src/writing/loading/split.ts'
import { startApp, type RunningApp } from '../app.ts'
import { dataFiles, NO_DATA, TEST_DATA } from '../data.ts'
import { temporaryFolder } from '../folder.ts'
import { storeOf } from '../stores.ts'
import { LONG } from '../long.ts'
import { removeAll } from '../writing/loading/remove-all.ts'

addAllProviders()
const { path } = temporaryFolder()

/** Without TEST_LONG=1: what is odd and small. */
const CHOSEN = /(skosmos-(test|xl|multiple-schemes|groups)|SESAR_materials?(_object_type)?_extension)\.ttl$/
/** Reasons for which a file is refused: it holds no vocabulary. */
const REFUSED = /, line \d|is empty|no RDF statement/
/** Concepts of a vocabulary that are asked for one by one. */
const SAMPLE = 3

/** Loads a file as far as it is one; gives the vocabularies. */
async function load(app: RunningApp, file: string): Promise<string[]> {
  try {
    return [(await loadVocabulary(app.client, [file], { ids: ['tested'] })).uri]
  } catch (error) {
    if (!(error instanceof InputError) || REFUSED.test(error.message)) throw error
  }
  try {
    const { schemes } = await splitFile(file, await mkdtemp(path('split-')))
    for (const [at, scheme] of schemes.entries()) {
      await loadVocabulary(app.client, [scheme.file], { ids: [`tested-${at}`] })
    }
    return schemes.map(({ uri }) => uri)
  } catch (error) {
    if (!(error instanceof InputError) || !/no concept scheme/.test(error.message)) throw error
  }
  const options = { scheme: 'http://example.org/scheme-of-the-test', ids: ['tested'] }
  return [(await loadVocabulary(app.client, [file], options)).uri]
}

if (NO_DATA) {
  test.skip(`real vocabularies${NO_DATA}`, () => undefined)
} else {
  describe('real vocabularies', () => {
    let running: { endpoint: RunningApp['client']['endpoint']; stop(): Promise<void> }
    let app: RunningApp
    beforeAll(async () => {
      running = await storeOf('embedded').start()
      app = await startApp(running.endpoint, { MAX_LIMIT: '100000' })
    })
    afterEach(() => removeAll(app.client))
    afterAll(async () => {
      await app.close()
      await running.stop()
    })

    const files = [...dataFiles('vocab'), ...dataFiles('wild')].filter((file) => LONG || CHOSEN.test(file))
    test.each(files.map((file) => [relative(TEST_DATA, file), file]))(
      '%s',
      async (name, file) => {
        let uris: string[]
        try {
          uris = await load(app, file)
        } catch (error) {
          expect((error as Error).message).toMatch(REFUSED)
          return
        }
        app.registry.invalidate()
        app.state.changed()
        await app.index.caughtUp()
        for (const uri of uris) {
          const labels = await everyRecord(app, uri)
          await everyCall(app, name, uri, labels)
        }
        expect(app.reported).toEqual([])
      },
      300_000,
    )
  })
}

/** Checks all records with all fields; gives a few labels. */
async function everyRecord(app: RunningApp, uri: string): Promise<string[]> {
  const schemes = await app.ask('/voc', { uri, properties: '*' })
  const concepts = await app.ask('/voc/concepts', { uri, properties: '*' })
  expect([schemes.status, schemes.body.length, concepts.status]).toEqual([200, 1, 200])
  const wrong = [...schemes.body, ...concepts.body].flatMap((record) =>
    validate(record, { unknownFields: true }) ? [] : [[record.uri, validate.errorMessages]],
  )
  expect(wrong).toEqual([])
  return concepts.body.flatMap(({ prefLabel = {} }: any) => Object.values(prefLabel)).slice(0, SAMPLE)
}

/** Makes every call of cocoda-sdk that reads. */
async function everyCall(app: RunningApp, name: string, uri: string, labels: string[]): Promise<void> {
  const registry = cdk.initializeRegistry({
    uri: `urn:test:${encodeURIComponent(name)}:${encodeURIComponent(uri)}`,
    provider: 'ConceptApi',
    status: `${app.url}/status`,
  })
  await registry.init()
  const scheme = (await registry.getSchemes()).find((scheme) => scheme.uri === uri)!
  expect(scheme).toBeDefined()
  const top = await registry.getTop({ scheme })
  // The SDK sends all identifiers of a vocabulary, which have to find it.
  expect(top).toHaveLength((await app.ask('/voc/top', { uri, properties: '-' })).body.length)
  const all = await registry.getConcepts({ concepts: [] })
  expect(all._totalCount).toBe(Number((await app.ask('/concepts')).headers.get('x-total-count')))
  for (const concept of [...top.slice(0, SAMPLE), ...all.slice(-SAMPLE)]) {
    const [record] = await registry.getConcepts({ concepts: [concept] })
    expect(record!.uri).toBe(concept.uri)
    const narrower = await registry.getNarrower({ concept })
    expect(narrower.every((item) => typeof item.uri === 'string')).toBe(true)
    for (const below of narrower.slice(0, 1)) {
      const above = await registry.getAncestors({ concept: below })
      expect(above.every((item) => typeof item.uri === 'string')).toBe(true)
    }
  }
  const types = await registry.getTypes({ scheme })
  expect(types.length).toBeGreaterThan(0)
  for (const search of [...labels.map((label) => label.slice(0, 80)), 'a', '(']) {
    const [query, names, , uris] = await registry.suggest({ search, scheme, types: types.map((type) => type.uri) })
    expect([query, names.length]).toEqual([search, uris.length])
    expect((await registry.search({ search, scheme, limit: 5 })).length).toBeLessThanOrEqual(5)
  }
}
