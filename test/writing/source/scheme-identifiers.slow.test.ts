/** Files that name their scheme by another of its URIs, its `identifier`. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { prepareVocabulary, type LoadOptions } from '../../../src/writing/loading/prepare.ts'
import { CONCEPT_SCHEME, SKOS } from '../../../src/base/namespaces.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { testLong } from '../../long.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const REGISTERED = 'http://registry.example/trees'
const OTHER = 'http://example.org/trees/'
const SCHEME = { uri: REGISTERED, type: [CONCEPT_SCHEME], prefLabel: { en: 'Trees' }, identifier: ['local:7', OTHER] }
const OAK = { uri: `${OTHER}oak`, prefLabel: { en: 'oak' }, inScheme: [{ uri: OTHER }], topConceptOf: [{ uri: OTHER }] }
const RED = {
  uri: `${OTHER}red`,
  prefLabel: { en: 'red oak' },
  inScheme: [{ uri: OTHER }],
  broader: [{ uri: OAK.uri }],
}
const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> . @prefix : <${OTHER}> .`
const CONCEPTS =
  ':oak a skos:Concept ; skos:prefLabel "oak"@en . :red a skos:Concept ; skos:prefLabel "red oak"@en ; skos:broader :oak .'

const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join('\n')
const turtle = (scheme: string, concepts: string) =>
  `${PREFIXES} <${REGISTERED}> a skos:ConceptScheme ; skos:prefLabel "Trees"@en ; ${scheme} . ${CONCEPTS} ${concepts}`

/** Files that all mean the same vocabulary. */
const FILES: [first: [title: string, name: string, text: string], ...rest: [string, string, string][]] = [
  ['JSKOS, the vocabulary first', 'a.ndjson', lines(SCHEME, OAK, RED)],
  [
    'JSKOS, the vocabulary last and copies in the concepts',
    'b.ndjson',
    lines({ ...OAK, inScheme: [{ ...SCHEME, uri: OTHER }] }, RED, SCHEME),
  ],
  ['JSKOS, with another slash', 'c.ndjson', lines({ ...SCHEME, identifier: [OTHER.slice(0, -1)] }, OAK, RED)],
  ['inScheme alone', 'd.ttl', turtle(`dct:identifier "${OTHER}"`, ':oak skos:inScheme : . :red skos:inScheme : .')],
  [
    'an identifier that is an IRI',
    'e.ttl',
    turtle('dct:identifier :', ':oak skos:inScheme : . :red skos:inScheme : .'),
  ],
  ['topConceptOf alone', 'f.ttl', turtle('dct:identifier :', ':oak skos:topConceptOf : . :red skos:inScheme : .')],
  ['hasTopConcept', 'g.ttl', turtle('dct:identifier :', ': skos:hasTopConcept :oak . :red skos:inScheme : .')],
  [
    'a type with every name',
    'h.ttl',
    turtle('dct:identifier :', ': a skos:ConceptScheme . :oak skos:inScheme : . :red skos:inScheme : .'),
  ],
]

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'a scheme that has identifiers', (store) => {
  let app: RunningApp

  shareApp(store, (shared) => (app = shared))

  const load = async (files: string[], options: LoadOptions = {}) => {
    const report = await loadVocabulary(app.client, files, { ids: ['trees'], ...options })
    await app.index.refresh([REGISTERED])
    await app.index.caughtUp()
    app.registry.invalidate()
    app.state.changed()
    return report
  }
  const uris = async (path: string, parameters: Record<string, string> = {}) =>
    ((await app.ask(path, parameters)).body as { uri: string }[]).map(({ uri }) => uri).sort()

  test('readers find its concepts', async () => {
    const [[, name, text]] = FILES
    const report = await load([await write(name, text)])
    expect(report).toMatchObject({ uri: REGISTERED, concepts: 2 })
    expect(report.warnings.filter(({ rule }) => rule === 'readers')).toEqual([])
    expect(await uris('/voc/trees/concepts')).toEqual([OAK.uri, RED.uri])
    expect(await uris('/voc/trees/top')).toEqual([OAK.uri])
    expect(await uris('/search', { query: 'oak', voc: 'trees' })).toEqual([OAK.uri, RED.uri])
    const { body } = await app.ask('/data', { uri: OAK.uri })
    expect(body[0].inScheme[0]).toMatchObject({ uri: REGISTERED, prefLabel: { en: 'Trees' } })
    expect(body[0].topConceptOf[0]).toMatchObject({ uri: REGISTERED })
  })

  test.each(FILES)('its graph has them: %s', async (_, name, text) => {
    const prepared = await prepareVocabulary([await write(name, text)])
    const lines = prepared.normalised.graphs.read(0).split('\n')
    prepared.close()
    expect(prepared.normalised.concepts).toBe(2)
    expect(lines).toEqual(
      expect.arrayContaining([
        `<${OAK.uri}> <${SKOS}inScheme> <${REGISTERED}> .`,
        `<${RED.uri}> <${SKOS}inScheme> <${REGISTERED}> .`,
        `<${OAK.uri}> <${SKOS}topConceptOf> <${REGISTERED}> .`,
        `<${REGISTERED}> <${SKOS}hasTopConcept> <${OAK.uri}> .`,
      ]),
    )
    expect(lines.join('\n')).not.toContain(`<${RED.uri}> <${SKOS}topConceptOf>`)
  })

  test('subsets and collections name it by its identifier', async () => {
    const subset = `:s a skos:Collection ; skos:notation "subset_s" ; dct:isPartOf : ; skos:member :red . :group a skos:Collection ;
      skos:prefLabel "Group"@en ; skos:inScheme : ; skos:member :oak .`
    const report = await load([await write('l.ttl', turtle('dct:identifier :', `:oak skos:inScheme : . ${subset}`))])
    expect(report.subsets).toEqual([{ uri: `${OTHER}s`, ids: ['subset_s'], members: 1 }])
    expect(await uris('/voc', { subset: 'trees' })).toEqual([`${OTHER}s`])
    expect(await uris('/voc/trees/groups')).toEqual([`${OTHER}group`])

    const alone = `${PREFIXES} :t a skos:Collection ; skos:notation "subset_t" ; dct:isPartOf : ; skos:member :oak .`
    await loadVocabulary(app.client, [await write('m.ttl', alone)])
    app.registry.invalidate()
    app.state.changed()
    expect(await uris('/voc', { subset: 'trees' })).toEqual([`${OTHER}s`, `${OTHER}t`])
  })

  test('a scheme of its own keeps its concepts, although another one has its URI as identifier', async () => {
    const two = `: a skos:ConceptScheme ; skos:prefLabel "Other trees"@en . :oak skos:inScheme : . :red skos:inScheme <${REGISTERED}> .
      :elm a skos:Concept ; skos:prefLabel "elm"@en ; skos:inScheme : .`
    const file = await write('n.ttl', turtle('dct:identifier :', two))
    const report = await load([file], { scheme: REGISTERED })
    expect(await uris('/voc/trees/concepts')).toEqual([RED.uri])
    // The graph has more concepts than readers find; the warning is about the vocabulary, so it counts once.
    expect(report.warnings.filter(({ rule }) => rule === 'readers')).toMatchObject([
      { severity: 'warning', count: 1, message: expect.stringContaining('find 1 of its 3 concepts') },
    ])
  })

  test('what another program wrote is repaired by normalising', async () => {
    const graph = turtle(`skos:notation "trees" ; dct:identifier :`, ':oak skos:inScheme : . :red skos:inScheme : .')
    await load([await write('o.ndjson', lines(SCHEME, OAK, RED))])
    await app.put(REGISTERED, graph)
    app.registry.invalidate()
    app.state.changed()
    expect(await uris('/voc/trees/concepts')).toEqual([])
    await normaliseStored(app.client, 'trees')
    app.registry.invalidate()
    app.state.changed()
    expect(await uris('/voc/trees/concepts')).toEqual([OAK.uri, RED.uri])
  })

  test('--scheme and --record take an identifier, too', async () => {
    const file = await write('i.ndjson', lines(SCHEME, OAK, RED))
    expect(await load([file], { scheme: OTHER })).toMatchObject({ uri: REGISTERED, concepts: 2, warnings: [] })

    const concepts = await write(
      'j.ndjson',
      lines(OAK, RED, { uri: 'http://example.org/x', inScheme: [{ uri: 'http://example.org/y' }] }),
    )
    const record = await write('record.json', lines(SCHEME))
    const report = await load([concepts], { record, ids: ['forest'] })
    expect(report.uri).toBe(OTHER)
    expect(await uris('/voc/forest/concepts')).toEqual([OAK.uri, RED.uri])

    const nameless = await write('k.ttl', turtle('dct:created "2020"', ':oak skos:inScheme : . :red skos:inScheme : .'))
    expect((await load([nameless], { record })).warnings.filter(({ rule }) => rule === 'readers')).toEqual([])
    expect(await uris('/voc/trees/concepts')).toEqual([OAK.uri, RED.uri])
  })

  const files = NO_DATA ? [] : ['bk-scheme.json', 'bk-concepts.ndjson'].map((name) => resolve(TEST_DATA, 'jskos', name))
  const testOfData = NO_DATA ? test.skip : testLong
  testOfData(`the Basic Classification${NO_DATA}`, async () => {
    const count = (await readFile(files[1]!, 'utf8')).trimEnd().split('\n').length
    const report = await load(files, { ids: ['bk'] })
    expect(report).toMatchObject({ uri: 'http://bartoc.org/en/node/18785', concepts: count })
    expect(report.warnings.filter(({ rule }) => rule === 'readers')).toEqual([])
    const { headers } = await app.ask('/voc/bk/concepts', { limit: '1' })
    expect(headers.get('X-Total-Count')).toBe(String(count))
  })
})
