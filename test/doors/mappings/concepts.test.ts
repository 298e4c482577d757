/** Records of concepts say which concordances have their mappings. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings, removeConcordance } from '../../../src/doors/mappings/load.ts'
import { RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { NO_DEADLINE } from '../../../src/graph/sparql/client.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
const A = 'http://example.org/a/'
const CONCORDANCES = ['first', 'second'].map((notation) => {
  return { uri: `http://example.org/concordance/${notation}`, notation: [notation], prefLabel: { en: notation } }
})
const [FIRST, SECOND] = CONCORDANCES.map(({ uri }) => uri)
const VOCABULARY = [
  [A, RDF_TYPE, `<${SKOS}ConceptScheme>`],
  [A, `${SKOS}prefLabel`, '"A"@en'],
  [`${A}1`, RDF_TYPE, `<${SKOS}Concept>`],
  [`${A}1`, `${SKOS}inScheme`, `<${A}>`],
  [`${A}1`, `${SKOS}prefLabel`, '"One"@en'],
  [`${A}1`, `${SKOS}exactMatch`, '<http://example.org/b/1>'],
  [`${A}1`, `${SKOS}exactMatch`, '<http://example.org/b/9>'],
]
const bundle = (...uris: string[]) => ({ memberSet: uris.map((uri) => ({ uri })) })
const mapping = (type: string, ...to: string[]) => ({ from: bundle(`${A}1`), to: bundle(...to), type: [SKOS + type] })

describeOver(EMBEDDED, 'mappings of records', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let index: IndexOfCommands
  const load = async (name: string, mappings: readonly object[]) => {
    await loadMappings(app.client, [await write(`${name}.json`, JSON.stringify(mappings))], name, { index })
  }
  const mappings = async () => {
    app.registry.invalidate()
    app.state.changed()
    const { status, body } = await app.ask('/data', { uri: `${A}1`, properties: 'mappings' })
    expect(status).toBe(200)
    const [record] = body as { mappings: { type: string[]; to: ReturnType<typeof bundle>; partOf?: object[] }[] }[]
    return record!.mappings.map(({ type, to, partOf }) => [type[0]!.slice(SKOS.length), to.memberSet[0]!.uri, partOf])
  }

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '100' })
    index = new IndexOfCommands(app.config.dataDir, (error: unknown) => {
      throw error
    })
    const triples = VOCABULARY.map(([subject, predicate, object]) => `<${subject}> <${predicate}> ${object} .\n`)
    await app.client.putGraph(A, Readable.from([Buffer.from(triples.join(''))]), NO_DEADLINE)
    await loadConcordances(app.client, [await write('concordances.json', JSON.stringify(CONCORDANCES))], { index })
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await index.close()
    await app.close()
    await running.stop()
  })

  test('show those of concordances once, with partOf', async () => {
    expect(await mappings()).toEqual([
      ['exactMatch', 'http://example.org/b/1', undefined],
      ['exactMatch', 'http://example.org/b/9', undefined],
    ])
    await load('first', [
      mapping('exactMatch', 'http://example.org/b/1'),
      mapping('closeMatch', 'http://example.org/b/2'),
    ])
    await load('second', [
      mapping('exactMatch', 'http://example.org/b/1'),
      mapping('exactMatch', 'http://example.org/b/3', 'http://example.org/b/4'),
    ])
    expect(await mappings()).toEqual(
      expect.arrayContaining([
        ['exactMatch', 'http://example.org/b/1', [{ uri: FIRST }, { uri: SECOND }]],
        ['exactMatch', 'http://example.org/b/9', undefined],
        ['closeMatch', 'http://example.org/b/2', [{ uri: FIRST }]],
      ]),
    )
    expect(await mappings()).toHaveLength(3)
  })

  test('are statements of RDF answers too', async () => {
    const { text } = await app.ask('/data', { uri: `${A}1`, properties: 'mappings', format: 'nt' })
    const matches = text.split('\n').filter((line) => line.includes('Match>'))
    expect(matches).toEqual(
      expect.arrayContaining([
        `<${A}1> <${SKOS}exactMatch> <http://example.org/b/9> .`,
        `<${A}1> <${SKOS}closeMatch> <http://example.org/b/2> .`,
      ]),
    )
  })

  test('forget a concordance that is removed', async () => {
    await removeConcordance(app.client, 'first', { index })
    expect(await mappings()).toEqual([
      ['exactMatch', 'http://example.org/b/1', [{ uri: SECOND }]],
      ['exactMatch', 'http://example.org/b/9', undefined],
    ])
  })
})
