/** The versions of a concept, for people. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { startIngest, type IngestService } from '../../writing/ingest/service.ts'
import { startApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const BRIDGES = 'http://example.org/bridges/'
const turtle = (arch: string, more = '') => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <${BRIDGES}> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en , "Brücken"@de .
  :beam a skos:Concept ; skos:prefLabel "Beam"@en . ${arch === '' ? '' : `:arch a skos:Concept ; ${arch} .`} ${more}`
const LABEL = 'skos:prefLabel "Arch"@en'

describeOver(EMBEDDED, 'The page with the versions of a concept', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  const load = async (content: string) => {
    const file = await write('bridges.ttl', content)
    await loadVocabulary(service.client, [file], { ids: ['bridges'], history: service.history, check: false })
    service.state.changed()
  }
  const page = (uri: string, more: Record<string, string> = {}) =>
    service.ask('/history', { uri, lang: 'en', ...more }, HTML)
  /** The versions as text, one a line: what is marked is between signs, as readers hear it. */
  const versions = (text: string) =>
    [...text.matchAll(/<li><section>(.*?)<\/section><\/li>/gs)].map(([, section]) =>
      section!
        .replace(/<time[^>]*>.*?<\/time>/g, '')
        .replace(/<del>(.*?)<\/del>/g, '[-$1-]')
        .replace(/<ins>(.*?)<\/ins>/g, '[+$1+]')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await load(turtle(`${LABEL} , "Bogen"@de ; skos:scopeNote [ rdf:value "Curved"@en ] ; skos:related :beam`))
    await load(
      turtle(
        `skos:prefLabel "Arch bridge"@en , "Bogen"@de ; skos:broader :beam ; skos:exactMatch <http://example.org/x> ;
         skos:scopeNote "<b>Bent</b>"@en ; <http://example.org/p> 1`,
      ),
    )
    await load(turtle(`${LABEL} ; owl:deprecated true`))
    await load(turtle(''))
  }, 60_000)
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('has them newest first, with removed and added values', async () => {
    const answer = await page(`${BRIDGES}arch`)
    await expectPage(answer)
    const [gone, deprecated, changed, created, ...rest] = versions(answer.text)
    expect(rest).toEqual([])
    expect(created).toMatch(
      /^Created loaded from bridges.ttl · Bridges · The record as it was Preferred \+ added: \[\+ Bogen de \+\]/,
    )
    expect(changed).toMatch(/^Changed /)
    for (const part of [
      'Preferred − removed: [- Arch en -] + added: [+ Arch bridge en +]',
      'Scope note − removed: [- Curved en -] + added: [+ &lt;b>Bent&lt;/b> en +]',
      'Broader + added: [+ Beam +]',
      'Related − removed: [- Beam -]',
      'In other vocabularies + added: [+The same as http://example.org/x +]',
      'Changed statements outside the record: 1',
    ])
      expect(changed).toContain(part)
    expect(deprecated).toMatch(/^Taken out of use .*Out of use \+ added: \[\+Yes\+\]/)
    expect(gone).toMatch(
      /^Deleted loaded from bridges.ttl · Bridges (?!.*as it was).*Preferred − removed: \[- Arch en -\]/,
    )
    expect(answer.text).toMatch(/<h1>.*Arch.*<\/h1>/)
    expect(answer.text).toMatch(/<a href="\.\/concept\?uri=[^"]*beam&amp;lang=en">/)
  })

  test('in German, and of a concept that is there', async () => {
    const answer = await page(`${BRIDGES}beam`, { lang: 'de' })
    await expectPage(answer)
    expect(answer.text).toContain('hinzugefügt: ')
    expect(versions(answer.text).at(-1)).toMatch(/^Angelegt geladen aus bridges.ttl · Brücken · /)
    const concept = await service.ask('/concept', { uri: `${BRIDGES}beam`, lang: 'de' }, HTML)
    expect(concept.text).toContain(`<a class="view" href="./history?uri=${BRIDGES}beam&amp;lang=de">`)
    const gone = await service.ask('/concept', { uri: `${BRIDGES}arch` }, HTML)
    expect(gone.text).toContain(`href="./history?uri=${BRIDGES}arch"`)
  })

  test('its links to earlier records lead to them', async () => {
    const { text } = await page(`${BRIDGES}arch`)
    const links = [...text.matchAll(/href="\.(\/data\?[^"]*)"/g)].map(([, address]) =>
      address!.replaceAll('&amp;', '&'),
    )
    const records = await Promise.all(links.map(async (address) => (await service.get(address, HTML)).body))
    expect(records.map(([record]) => record.prefLabel.en)).toEqual(['Arch', 'Arch bridge', 'Arch'])
  })

  test('many versions and many values come in parts', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `:n${at} a skos:Concept ; skos:broader :beam .`).join('')
    for (let at = 0; at < 22; at++) {
      const pier = `:pier a skos:Concept ; <http://purl.org/dc/terms/identifier> "${at}" .`
      await load(turtle(`skos:prefLabel "Arch ${at}"@en`, at === 21 ? many + pier : pier))
    }
    const first = await page(`${BRIDGES}arch`)
    expect(versions(first.text)).toHaveLength(20)
    const next = /<a rel="next" href="\.(.*?)"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    const second = await service.get(next, HTML)
    await expectPage(second)
    expect(versions(second.text)).toHaveLength(6)
    expect(versions((await page(`${BRIDGES}beam`)).text)[0]).toContain('and 10 more')
    // Identifiers need not be IRIs.
    const identifiers = await page(`${BRIDGES}pier`)
    await expectPage(identifiers)
    expect(versions(identifiers.text)[0]).toContain('+ added: [+ 21 +]')
  }, 120_000)

  test('what is not known, what is wrong, and no history', async () => {
    await expectPage(await page('http://example.org/none'), 404)
    await expectPage(await page('x y'), 400)
    await expectPage(await page(BRIDGES, { offset: 'x' }), 400)
    const app = await startApp(running.endpoint)
    const answer = await app.ask('/concept', { uri: `${BRIDGES}beam` }, HTML)
    expect([answer.status, answer.text.includes('history?')]).toEqual([200, false])
    expect((await app.ask('/history', { uri: `${BRIDGES}beam` }, HTML)).status).toBe(404)
    await app.close()
  })

  test('programs get JSON', async () => {
    const { headers } = await service.ask('/history', { uri: BRIDGES })
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })
})
