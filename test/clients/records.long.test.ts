/** Every record of every endpoint is JSKOS: checked by jskos-validate, and by what it does not look at. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import { resolve } from 'node:path'
import { CONCEPT, CONCEPT_SCHEME } from '../../src/base/namespaces.ts'
import { loadVocabulary } from '../../src/writing/loading/load-vocabulary.ts'
import { DEMO, startApp, type RunningApp } from '../app.ts'
import { NO_DATA, TEST_DATA } from '../data.ts'
import { DEPLOYED, describeOver } from '../stores.ts'

const DEMO_FILES = ['crafts.ttl', 'materials.ttl', 'subset-textile.ttl', 'subset-school.ttl'].map((name) =>
  resolve(DEMO, name),
)
/** Real vocabularies and the oddest ones, with the scheme that names the graph if a file has several. */
const DATA_FILES: [file: string, scheme?: string][] = [
  ['vocab/dfg-2024.ttl'],
  ['vocab/cgi-CommodityCode.ttl'],
  ['edge/hierarchy.ttl'],
  ['edge/iris.ttl'],
  ['edge/labels-notes.ttl'],
  ['edge/misc.ttl'],
  ['edge/schemes.ttl', 'http://example.org/v/scheme/A'],
]
/** Concepts of a vocabulary whose neighbours are looked at. */
const SAMPLE = 3

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The mistakes of a record, in the words of JSKOS 0.7. */
function mistakes(record: any): string[] {
  const problems: string[] = []
  if (!validate(record, { unknownFields: true })) problems.push(...(validate.errorMessages ?? ['not valid']))
  if (typeof record.uri !== 'string') problems.push('no uri')
  if (![CONCEPT, CONCEPT_SCHEME].includes(record.type?.[0])) problems.push(`type: ${JSON.stringify(record.type)}`)
  for (const [name, value] of Object.entries(record)) {
    if (Array.isArray(value)) {
      // Unlisted members are one null at the end.
      if (value.slice(0, -1).includes(null)) problems.push(`${name}: null before its end`)
      const uris = value.flatMap((item) => (isObject(item) && 'uri' in item ? [item['uri']] : []))
      if (new Set(uris).size < uris.length) problems.push(`${name}: the same uri twice`)
      // Qualified statements are by property.
    } else if (isObject(value) && !name.startsWith('qualified')) {
      for (const [tag, texts] of Object.entries(value)) {
        if (tag !== tag.toLowerCase()) problems.push(`${name}: the tag ${tag} is not in lower case`)
        for (const text of [texts].flat()) {
          if (typeof text !== 'string' || text === '') problems.push(`${name}.${tag}: no text`)
          else if (text !== text.normalize('NFC')) problems.push(`${name}.${tag}: not in NFC`)
        }
      }
    }
  }
  const { broader, ancestors } = record
  if (ancestors?.length > 0 && broader && !broader.some(({ uri }: any) => uri === ancestors[0].uri)) {
    problems.push('the first of the ancestors is no broader concept')
  }
  return problems
}

describeOver(DEPLOYED, 'Records', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let checked = 0
  /** Records as texts: to check the same again would take time and find nothing. */
  const seen = new Set<string>()

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_LIMIT: '100000' })
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  /** All records of an answer, with the requests that show mistakes in them. */
  async function records(path: string, parameters: Record<string, string> = {}): Promise<any[]> {
    const { status, body } = await app.ask(path, parameters)
    expect([path, parameters, status]).toEqual([path, parameters, 200])
    for (const record of body) {
      checked += 1
      const text = JSON.stringify(record)
      if (seen.has(text)) continue
      seen.add(text)
      expect({ path, parameters, uri: record.uri, mistakes: mistakes(record) }).toEqual({
        path,
        parameters,
        uri: record.uri,
        mistakes: [],
      })
    }
    return body
  }

  async function checkVocabulary(uri: string): Promise<void> {
    checked = 0
    const [scheme] = await records('/voc', { uri, subset: 'true' })
    const id = scheme.notation[0]
    const all = await records('/voc/concepts', { uri })
    expect(all.length).toBeGreaterThan(0)
    await records('/voc/concepts', { uri, properties: '*' })
    await records(`/voc/${id}`, { properties: '*' })
    await records(`/voc/${id}/top`, { properties: '+ancestors,descendants' })
    await records('/voc/top', { uri, properties: '*' })
    await records('/types', { uri })
    await records(`/concept-types/${id}`)
    expect(await records('/search', { voc: id, limit: '100000' })).toHaveLength(all.length)
    await records('/search', { voc: id, query: 'a', properties: '*' })
    const step = Math.ceil(all.length / SAMPLE)
    for (const concept of all.filter((_, index) => index % step === 0)) {
      const [withDescendants] = await records('/data', { uri: concept.uri, properties: '*,descendants' })
      expect(withDescendants.uri).toBe(concept.uri)
      for (const path of ['/broader', '/narrower', '/ancestors', '/descendants']) {
        await records(path, { uri: concept.uri, properties: '*' })
      }
      const [notation] = concept.notation ?? []
      if (notation && !notation.includes('|')) {
        expect((await records('/data', { notation, voc: id })).map((record) => record.uri)).toContain(concept.uri)
      }
    }
    expect(checked).toBeGreaterThan(2 * all.length)
  }

  test('of the demo, its vocabularies and its subsets', async () => {
    const loaded: string[] = []
    for (const file of DEMO_FILES) loaded.push((await loadVocabulary(app.client, [file], { check: false })).uri)
    app.registry.invalidate()
    for (const uri of loaded) await checkVocabulary(uri)
    expect(await records('/voc', { properties: '*', subset: 'true' })).toHaveLength(4)
  })

  if (NO_DATA) {
    test.skip(`of real vocabularies${NO_DATA}`, () => undefined)
  } else {
    describe('of real vocabularies', () => {
      // An argument more than the row has would be a callback of jest.
      // Over Fuseki only odd ones, which are small.
      const files = store.name === 'embedded' ? DATA_FILES : DATA_FILES.filter(([file]) => file.startsWith('edge/'))
      test.each(files)('%s', async (...row) => {
        const [file, scheme] = row
        const { uri } = await loadVocabulary(app.client, [resolve(TEST_DATA, file)], { scheme, check: false })
        app.registry.invalidate()
        await checkVocabulary(uri)
      })
    })
  }
})
