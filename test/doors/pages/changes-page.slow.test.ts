/** The list of changes of a vocabulary, for people. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { NOTHING } from '../../../src/writing/history/log/digest.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'
import { startIngest, type IngestService } from '../../writing/ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const BRIDGES = 'http://example.org/bridges/'
const turtle = (more: string) => `
  @prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <${BRIDGES}> .
  @prefix dct: <http://purl.org/dc/terms/> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en , "Brücken"@de .
  :beam a skos:Concept ; skos:prefLabel "Beam"@en , "Balken"@de ; skos:notation "B" ; dct:isReplacedBy :arch ;
    dct:created "2024-02-03" , "not a date" ; dct:modified "2024-03-04T10:00:00Z" , "2100-01-01" . ${more}`
const before = `:arch a skos:Concept ; skos:prefLabel "Arch"@en . :rope a skos:Concept ; skos:prefLabel "Rope <b>"@en .
  :ford a skos:Concept ; skos:prefLabel "Ford"@en ; dct:isReplacedBy :beam .`
const after = `:arch a skos:Concept ; skos:prefLabel "Arch bridge"@en . :chain a skos:Concept ; skos:prefLabel "Chain"@en .
  :rope a skos:Concept ; skos:prefLabel "Rope <b>"@en ; owl:deprecated true ; dct:isReplacedBy :beam , <http://elsewhere.example/x> ;
    dct:created "2019" ; dct:modified "2020" .`

describeOver(EMBEDDED, 'The page with the changes of a vocabulary', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  const load = async (more: string) => {
    const file = await write('bridges.ttl', turtle(more))
    await loadVocabulary(service.client, [file], { ids: ['bridges'], history: service.history, check: false })
    service.state.changed()
  }
  const page = (more: Record<string, string> = {}) => service.ask('/voc/bridges/changes', { lang: 'en', ...more }, HTML)
  /** The headings of months and kinds, and the lines below them, as texts; what is struck through is between signs. */
  const lines = (text: string) =>
    [...text.slice(text.indexOf('class="tabs"'), text.indexOf('</main>')).matchAll(/<(h2|h3|li)>(.*?)<\/\1>/gs)].map(
      ([, , row]) =>
        row!
          .replace(/<time[^>]*>.*?<\/time>/g, '')
          .replace(/<s>(.*?)<\/s>/g, '[-$1-]')
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
    )

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { BASE_URL: 'http://localhost/' })
    const { log } = service.history!
    const time = '2025-12-31T23:59:59.000Z'
    const draft = await log.drafts.begin(await log.intern(BRIDGES), '', { by: 'load' }, time)
    const removed = [`<${RDF_TYPE}> <${SKOS}Concept>`, `<${SKOS}prefLabel> "Old ferry"@en`]
    await log.drafts.add(draft, [
      { uri: `${BRIDGES}ferry`, kind: 'Delete', isListed: true, before: NOTHING, after: NOTHING, removed, added: [] },
    ])
    await log.drafts.commit(draft, { time })
    await load(before)
    await load(after)
  }, 60_000)
  afterAll(async () => {
    await service?.close()
    await running?.stop()
  })

  test('has them by month and kind, with what replaces what', async () => {
    const answer = await page()
    await expectPage(answer)
    const [month, ...rest] = lines(answer.text)
    const now = (await service.ask('/voc/bridges/changes', { format: 'atom' })).text.match(/<updated>(.*?)</)![1]!
    expect(month).toBe(new Date(now).toLocaleDateString('en', { year: 'numeric', month: 'long', timeZone: 'UTC' }))
    const at = rest.indexOf('December 2025')
    const rope = '[- Rope &lt;b> -]'
    const instead = '· Use instead: B Beam , http://elsewhere.example/x'
    expect(rest.slice(at)).toEqual([
      ...['December 2025', 'Deleted 1', '[- Old ferry -]'],
      // What the first load has created is no news; the source tells when it was new. There is something better than
      // Beam, too.
      ...['March 2024', 'Changed 1', 'B Beam · Use instead: Arch bridge'],
      ...['February 2024', 'Created 1', 'B Beam · Use instead: Arch bridge'],
      ...['2020', 'Taken out of use 1', `${rope} ${instead}`],
      ...['2019', 'Created 1', `${rope} · Out of use ${instead}`],
    ])
    expect(answer.text).toMatch(/In this service since \w+ \d+, \d{4}\. Earlier dates are those of the source\./)
    expect(rest.slice(0, at)).toEqual([
      'Created 1',
      'Chain',
      'Changed 2',
      'Arch bridge',
      'Bridges',
      'Taken out of use 1',
      `${rope} ${instead}`,
      'Deleted 1',
      '[- Ford -] · Use instead: B Beam',
    ])
    expect(answer.text).toContain(`href="../../history?uri=${BRIDGES}ford&amp;lang=en"`)
    expect(answer.text).toContain(`href="../../concept?uri=${BRIDGES}arch&amp;lang=en"`)
    expect(answer.text).toContain('href="../../voc/bridges/changes?format=atom"')
    const beam = await service.ask('/concept', { uri: `${BRIDGES}beam`, lang: 'en' }, HTML)
    expect(beam.text).toMatch(/<p class="notice">Use instead: <a [^>]*> <bdi lang="en">Arch bridge/)
  })

  test('in German, and linked from the vocabulary', async () => {
    const answer = await page({ lang: 'de' })
    await expectPage(answer)
    expect(lines(answer.text)).toContain('Dezember 2025')
    expect(answer.text).toContain('Außer Gebrauch gesetzt')
    const vocabulary = await service.ask('/voc/bridges', { lang: 'de' }, HTML)
    expect(vocabulary.text).toContain('href="../voc/bridges/changes?lang=de"')
  })

  test('of one kind', async () => {
    expect(lines((await page({ kind: 'Deprecate' })).text).slice(1)).toEqual([
      'Taken out of use 1',
      '[- Rope &lt;b> -] · Use instead: B Beam , http://elsewhere.example/x',
    ])
    const wrong = await page({ kind: 'x' })
    await expectPage(wrong, 400)
    await expectPage(await service.ask('/voc/none/changes', {}, HTML), 404)
  })

  test.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['application/atom+xml, text/html;q=0.5', 'application/atom+xml'],
    ['*/*', 'application/json; charset=utf-8'],
  ])('Accept: %s gives %s', async (accept, type) => {
    const answer = await service.ask('/voc/bridges/changes', {}, { headers: { accept } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  })

  test('many come in parts', async () => {
    const many = Array.from({ length: 120 }, (_, at) => `:n${at} a skos:Concept ; skos:prefLabel "N ${at}"@en .`)
    await load(after + many.join(''))
    const first = await page()
    await expectPage(first)
    expect(first.text).toMatch(/1 to 100 of 130/)
    expect(first.text).toContain('aria-label="Pages"')
    expect((await page({ part: 'column' })).text).toContain('aria-label="Pages: Changes"')
    const next = /<a rel="next" href="\.\.\/\.\.(.*?)"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    const second = await service.get(next, HTML)
    await expectPage(second)
    expect(second.text).toMatch(/101 to 130 of 130/)
    expect(second.text).toContain('rel="prev"')
    expect(lines(second.text)).toContain('December 2025')
  })

  test('of a removed vocabulary', async () => {
    await removeVocabulary(service.client, 'bridges', service.history)
    service.registry.invalidate()
    service.state.changed()
    const answer = await page()
    await expectPage(answer)
    expect(answer.text).toContain('<h1><bdi lang="en">Bridges</bdi></h1>')
    expect(answer.text).not.toContain('class="tabs"')
  })
})
