/** The mappings between vocabularies, on the pages of vocabularies and concepts. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import { RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { NO_DEADLINE } from '../../../src/graph/sparql/client.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
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
  ...[1, 2, 3].flatMap((number) => [
    [`${uri}${number}`, RDF_TYPE, `<${SKOS}Concept>`],
    [`${uri}${number}`, `${SKOS}inScheme`, `<${uri}>`],
    [`${uri}${number}`, `${SKOS}prefLabel`, number < 3 ? `"${id} ${number}"@en` : '"Third"@en'],
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

describeOver(EMBEDDED, 'Mappings on pages', (store) => {
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
      /<h3>Mapped from<\/h3><ul><li><a href="[^"]*"> ?<bdi lang="en">The a<\/bdi><\/a><span><a href="[^"]*"[^>]*>2<\/a><\/span>/,
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

  const textOf = (html: string) =>
    html
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  const rowsOf = (html: string) =>
    Array.from(html.matchAll(/<tr>(.*?)<\/tr>/gs), ([, row]) =>
      Array.from(row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs), ([, cell]) => textOf(cell!)),
    ).sort(([a], [b]) => (a! < b! ? -1 : 1))

  test('the numbers of the picture lead to tables of these mappings, from both sides', async () => {
    const to = /href="(\.\.\/voc\/a\/mappings\?to=[^"]*)"/.exec((await app.get('/voc/a', HTML)).text)![1]!
    const page = await app.get(to.replace(/^\.\./, '').replaceAll('&amp;', '&'), HTML)
    await expectPage(page)
    expect(rowsOf(page.text)).toEqual([
      ['The a', 'Relation', 'The b', 'Concordance'],
      ['a 1', 'Close to', 'b 1', '&lt;A> to B'],
      ['a 2', 'Close to', 'b 2', '&lt;A> to B'],
    ])
    const from = await app.get(`/voc/b/mappings?from=${A}`, HTML)
    await expectPage(from)
    expect(rowsOf(from.text)).toEqual(rowsOf(page.text))
    const far = await app.get(`/voc/a/mappings?to=${FAR}`, HTML)
    await expectPage(far)
    expect(rowsOf(far.text)).toEqual([
      ['The a', 'Relation', FAR, 'Concordance'],
      ['a 1', 'Close to', `${FAR}1`, '&lt;A> to B'],
    ])
    const none = await app.get('/voc/b/mappings?lang=de', HTML)
    await expectPage(none)
    expect(textOf(none.text)).toContain('Es gibt keine.')
    expect((await app.get('/voc/nowhere/mappings', HTML)).status).toBe(404)
    expect((await app.get('/voc/a/mappings?offset=x', HTML)).status).toBe(400)
  })

  test('its files have the same mappings', async () => {
    const { text } = await app.get(`/voc/a/mappings?to=${B}`, HTML)
    const [, href] = /href="\.\.\/\.\.(\/mappings\?[^"]*download=ndjson)"/.exec(text)!
    const file = await app.get(href!.replaceAll('&amp;', '&'))
    expect(file.text.trim().split('\n')).toHaveLength(2)
  })

  test('a page has 100 mappings, and links to the others', async () => {
    const many = Array.from({ length: 130 }, (_, nth) => mapping(`${B}1`, `${A}x${nth}`, A)).map((record) => {
      return { ...record, fromScheme: { uri: B } }
    })
    await loadMappings(app.client, [await write('many.json', JSON.stringify(many))], undefined, { index })
    app.registry.invalidate()
    app.state.changed()
    const address = `/voc/b/mappings?to=${encodeURIComponent(A)}`
    const first = await app.get(address, HTML)
    await expectPage(first)
    const last = await app.get(`${address}&offset=100`, HTML)
    await expectPage(last)
    expect([rowsOf(first.text).length, rowsOf(last.text).length]).toEqual([101, 31])
    expect(first.text).toMatch(/rel="next" href="[^"]*offset=100"/)
    const cells = [...rowsOf(first.text), ...rowsOf(last.text)].map(([, , to]) => to).filter((to) => to !== 'The a')
    expect([cells.length, new Set(cells).size]).toEqual([130, 130])
  })

  test('a concept offers suggestions for another vocabulary, as links', async () => {
    const address = `/concept?uri=${encodeURIComponent(`${A}3`)}`
    const page = await app.get(address, HTML)
    await expectPage(page)
    expect(page.text).toMatch(/<details id="suggestions"><summary>Suggest links<\/summary>/)
    const [, href] = /href="\.(\/concept\?[^"]*suggest=b)#suggestions"/.exec(page.text)!
    const asked = await app.get(href!.replaceAll('&amp;', '&'), HTML)
    await expectPage(asked)
    const [section] = /<details id="suggestions" open>.*?<\/details>/s.exec(asked.text)!
    expect(textOf(section)).toMatch(/^Suggest links Third · The b · 100% similar Similar names in: The b$/)
    const mapped = await app.get(`/concept?uri=${encodeURIComponent(`${A}2`)}&suggest=b`, HTML)
    expect(textOf(mapped.text)).toContain('No concept there has an equal or similar name.')
    const german = await app.get(`${address}&suggest=*&lang=de`, HTML)
    await expectPage(german)
    expect(german.text).toContain('Verweise vorschlagen')
  })
})
