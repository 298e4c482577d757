/** The mappings between vocabularies, on the pages of vocabularies and concepts. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConcordances, loadMappings } from '../../src/mappings/load.ts'
import { RDF_TYPE, SKOS } from '../../src/namespaces.ts'
import { IndexOfCommands } from '../../src/search/index-of-commands.ts'
import { NO_DEADLINE } from '../../src/sparql/client.ts'
import { startApp, type RunningApp } from '../app.ts'
import { temporaryFolder } from '../folder.ts'
import { describeFacade } from '../stores.ts'
import { expectPage, HTML } from './html.ts'

const { write } = temporaryFolder()
const A = 'http://example.org/a/'
const B = 'http://example.org/b/'
const FAR = 'http://example.org/far/'
const CONCORDANCE = {
  uri: 'http://example.org/concordance/ab',
  notation: ['ab'],
  prefLabel: { en: '<A> to B' },
  fromScheme: { uri: A },
  toScheme: { uri: B },
}
const vocabulary = (uri: string, id: string) => [
  [uri, RDF_TYPE, `<${SKOS}ConceptScheme>`],
  [uri, `${SKOS}prefLabel`, `"The ${id}"@en`],
  [uri, `${SKOS}notation`, `"${id}"`],
  [uri, 'urn:x-vocabulary-service:id', `"${id}"`],
  ...[1, 2].flatMap((number) => [
    [`${uri}${number}`, RDF_TYPE, `<${SKOS}Concept>`],
    [`${uri}${number}`, `${SKOS}inScheme`, `<${uri}>`],
    [`${uri}${number}`, `${SKOS}prefLabel`, `"${id} ${number}"@en`],
  ]),
]
const bundle = (uri: string) => ({ memberSet: [{ uri }] })
const mapping = (from: string, to: string, toScheme: string) => ({
  from: bundle(from),
  to: bundle(to),
  fromScheme: { uri: A },
  toScheme: { uri: toScheme },
  type: [`${SKOS}closeMatch`],
})

describeFacade('Mappings on pages', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let index: IndexOfCommands

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    index = new IndexOfCommands(app.config.dataDir, (error: unknown) => {
      throw error
    })
    for (const [uri, id] of [
      [A, 'a'],
      [B, 'b'],
    ] as const) {
      const triples = vocabulary(uri, id).map(
        ([subject, predicate, object]) => `<${subject}> <${predicate}> ${object} .\n`,
      )
      await app.client.putGraph(uri, Readable.from([Buffer.from(triples.join(''))]), NO_DEADLINE)
    }
    await loadConcordances(app.client, [await write('ab.json', JSON.stringify(CONCORDANCE))], { index })
    const mappings = [mapping(`${A}1`, `${B}1`, B), mapping(`${A}2`, `${B}2`, B), mapping(`${A}1`, `${FAR}1`, FAR)]
    await loadMappings(app.client, [await write('m.json', JSON.stringify(mappings))], 'ab', { index })
    app.registry.invalidate()
    app.state.changed()
  })
  afterAll(async () => {
    await index.close()
    await app.close()
    await running.stop()
  })

  test.each(['/voc/a', '/voc/a/statistics'])('%s shows where its mappings lead', async (path) => {
    const page = await app.get(path, HTML)
    await expectPage(page)
    const [picture] = /<div class="mapped">.*?<\/div><\/div>/s.exec(page.text)!
    const rows = Array.from(picture.matchAll(/<li>(.*?)<\/li>/gs), ([, row]) => row!.replace(/<[^>]*>/g, ' ').trim())
    expect(rows).toEqual([
      expect.stringMatching(/^The b +2$/),
      expect.stringMatching(/^http:\/\/example\.org\/far\/ +1$/),
    ])
    const widths = Array.from(picture.matchAll(/stroke-width="(\d+)"/g), ([, width]) => Number(width))
    expect(widths).toEqual([12, 8])
    expect(picture).toContain('href="')
  })

  test('the other vocabulary shows where mappings come from', async () => {
    const { text } = await app.get('/voc/b', HTML)
    expect(text).toMatch(
      /<h3>Mapped from<\/h3><ul><li><a href="[^"]*"> ?<bdi lang="en">The a<\/bdi><\/a><span>2<\/span>/,
    )
    expect(text).not.toContain('Mapped to')
  })

  test('a concept names the concordance of its mappings, with a link', async () => {
    const page = await app.get(`/concept?uri=${A}1`, HTML)
    await expectPage(page)
    expect(page.text).toContain('&lt;A> to B')
    const [, href] = /href="\.\/(concordances\/[^"]*)"/.exec(page.text)!
    const { status, body } = await app.get(`/${href}`)
    expect([status, body.uri]).toEqual([200, CONCORDANCE.uri])
  })
})
