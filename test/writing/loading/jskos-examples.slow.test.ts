/** Records of other programs come back whole from either store, and loading their export again changes nothing. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { readRecords } from '../../../src/base/files/json-records.ts'
import { readText } from '../../../src/base/files/text.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { CONCEPT, CONCEPT_SCHEME } from '../../../src/base/namespaces.ts'
import { CONCEPTS, EXAMPLES, SCHEMES } from './jskos-examples.ts'
import { randomVocabulary } from './jskos-random.ts'
import { lost, stated } from './jskos-comparison.ts'
import { removeAll } from './remove-all.ts'
import { dataFiles, NO_DATA } from '../../data.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'
import { HTML } from '../../doors/pages/html.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
const scheme = { uri: EXAMPLES, type: [CONCEPT_SCHEME], notation: ['examples'], prefLabel: { en: 'Examples' } }
const concepts = Object.entries(CONCEPTS).map(([name, fields], at): [string, AnyRecord & { uri: string }] => [
  name,
  { uri: `${EXAMPLES}e${at}`, type: [CONCEPT], inScheme: [{ uri: EXAMPLES }], ...fields },
])

describeOver(EMBEDDED, 'examples of JSKOS', (store) => {
  let app: RunningApp
  shareApp(store, (shared) => (app = shared))

  /** The NDJSON of a vocabulary by URI, and what loading it again changes. */
  const exported = async (id: string) => {
    app.state.changed()
    app.registry.invalidate()
    const { text } = await app.ask(`/voc/${id}/export`, { format: 'ndjson' })
    const back = text
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line) as AnyRecord)
    const again = await loadVocabulary(app.client, [await write('again.ndjson', text)])
    return { back: new Map(back.map((record: AnyRecord) => [record['uri'], record])), again }
  }
  const load = async (records: readonly AnyRecord[], options = {}) =>
    loadVocabulary(
      app.client,
      [await write('given.ndjson', records.map((record) => JSON.stringify(record)).join('\n'))],
      options,
    )
  const UNCHANGED = { created: 0, changed: 0, gone: 0, vanishing: [] }

  describe('concepts', () => {
    let back: Awaited<ReturnType<typeof exported>>['back']
    let again: Awaited<ReturnType<typeof exported>>['again']
    let changes: Record<string, number | undefined>
    beforeAll(async () => {
      ;({ changes } = await load([scheme, ...concepts.map(([, record]) => record)]))
      ;({ back, again } = await exported('examples'))
    })
    afterAll(() => removeAll(app.client))

    const whole = async (uri: string, properties: string) =>
      ((await app.ask('/data', { uri, properties })).body as AnyRecord[])[0]!

    test('loading drops nothing', () => {
      expect(Object.keys(changes).filter((change) => change.startsWith('JSKOS'))).toEqual([])
    })

    test.each(concepts)('%s is in the NDJSON as it was', (_, record) => {
      expect(lost(record, back.get(record.uri))).toEqual([])
    })

    test.each(concepts)('%s has all with `*` and by name, and is valid', async (_, record) => {
      const expected = withDays(record)
      const actual = await whole(record.uri, '*')
      expect(lost(expected, actual)).toEqual([])
      expect([validate.concept!(actual, { unknownFields: true }), validate.concept!.errors ?? []]).toEqual([true, []])
      for (const [name, value] of Object.entries(expected)) {
        expect(lost({ [name]: namesIn(value) }, await whole(record.uri, name))).toEqual([])
      }
    })

    test('loading the NDJSON again changes nothing', () => {
      expect(again).toMatchObject(UNCHANGED)
    })

    test('neighbours without a URI stay away from the usual record, and are on the page', async () => {
      const uri = `${EXAMPLES}Q`
      expect(await whole(uri, '')).toMatchObject({ broader: [], narrower: [] })
      const { text } = await app.get(`/concept?uri=${uri}&lang=en`, HTML)
      for (const name of ['noise', 'night quiet']) expect(text).toContain(name)
    })

    test.each([
      ['memberRoles.bundle, with URIs', ['smith', 'iron', 'matter']],
      ['a choice of members', ['bone glue', 'other glue']],
      ['example1.annotation', ['bodyValue', 'A Reader']],
      ['resource.resource', ['preferred']],
    ])('%s is on the page', async (name, texts) => {
      const { uri } = concepts.find(([example]) => example === name)![1]
      const page = await app.get(`/concept?uri=${encodeURIComponent(uri)}&lang=en`, HTML)
      for (const text of texts) expect(page.text).toContain(text)
    })
  })

  test.each(Object.entries(SCHEMES))('%s comes back whole', async (_, record) => {
    const { changes, ids } = await load([record])
    expect(Object.keys(changes).filter((change) => change.startsWith('JSKOS'))).toEqual([])
    const { back, again } = await exported(ids[0]!)
    const { concepts: members, topConcepts, ...fields } = stated(record) as AnyRecord
    expect(lost(fields, back.get(record['uri']))).toEqual([])
    for (const member of (members ?? []) as AnyRecord[]) expect(lost(member, back.get(member['uri']))).toEqual([])
    for (const top of (topConcepts ?? []) as AnyRecord[]) {
      expect(back.get(top['uri'])).toMatchObject({ topConceptOf: [{ uri: record['uri'] }] })
    }
    expect(again).toMatchObject(UNCHANGED)
    app.state.changed()
    const { body } = await app.ask('/voc', { uri: record['uri'] as string, properties: '*' })
    expect(lost(fields, (body as AnyRecord[])[0])).toEqual([])
    expect([
      validate.scheme!((body as AnyRecord[])[0]!, { unknownFields: true }),
      validate.scheme!.errors ?? [],
    ]).toEqual([true, []])
    await removeAll(app.client)
  })

  test.each(LONG ? [1, 2, 3] : [1])(
    'records with all fields and objects within objects come back whole (seed %d)',
    async (seed) => {
      const { scheme: vocabulary, concepts: members } = randomVocabulary(seed, 2)
      for (const [record, kind] of [[vocabulary, 'scheme'], ...members.map((member) => [member, 'concept'])] as const) {
        const check = validate[kind as 'scheme' | 'concept']!
        expect([record, check(record, { unknownFields: true }), check.errors ?? []]).toEqual([record, true, []])
      }
      const { changes, ids } = await load([vocabulary, ...members])
      expect(Object.keys(changes).filter((change) => change.startsWith('JSKOS'))).toEqual([])
      const { back, again } = await exported(ids[0]!)
      for (const record of [vocabulary, ...members]) expect(lost(record, back.get(record['uri']))).toEqual([])
      expect(again).toMatchObject(UNCHANGED)
      await removeAll(app.client)
    },
  )

  const isOfSchemes = (file: string) => /scheme|terminologies/.test(file)

  const testOfData = NO_DATA ? test.skip : test
  const files = NO_DATA ? ['a file'] : dataFiles('jskos', /json$/)
  testOfData.each(files)(`%s comes back whole${NO_DATA}`, async (file) => {
    const given: AnyRecord[] = []
    for await (const { value } of readRecords(readText(file), file)) given.push(value as AnyRecord)
    const uris = isOfSchemes(file)
      ? given.map(({ uri }) => uri as string)
      : [((given[0]!['inScheme'] ?? []) as { uri: string }[])[0]!.uri]
    for (const uri of uris) {
      const records = isOfSchemes(file) ? given.filter((record) => record['uri'] === uri) : given
      const isThere = given.some((record) => record['uri'] === uri)
      const { ids } = await load(records, { scheme: uri, ...(isThere ? {} : { ids: ['given'] }) })
      const { back, again } = await exported(ids[0]!)
      await removeAll(app.client)
      expect(
        records.flatMap((record) => lost(stated(record), back.get(record['uri'])).map((path) => [record['uri'], path])),
      ).toEqual([])
      expect(again).toMatchObject(UNCHANGED)
    }
  })
})

/** Records have the days of dates that an export has with their times. */
function withDays(record: AnyRecord): AnyRecord {
  const days = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(days)
      : typeof value === 'string'
        ? value.replace(/^(\d{4}-\d\d-\d\d)T.*/, '$1')
        : value
  const dates = ['created', 'relatedDates'].filter((name) => name in record)
  return { ...record, ...Object.fromEntries(dates.map((name) => [name, days(record[name])])) }
}

/** By its name a field has of neighbours without a URI only what they are called. */
function namesIn(value: unknown): unknown {
  if (!Array.isArray(value) || !value.some((item: AnyRecord) => item['narrower'] ?? item['memberList'])) return value
  return value.map(({ uri, prefLabel, notation }: AnyRecord) => ({
    ...(uri === undefined ? {} : { uri }),
    ...(prefLabel === undefined ? {} : { prefLabel }),
    ...(notation === undefined ? {} : { notation }),
  }))
}
