/** The form for proposals as browsers without JavaScript send it. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { PAGE_LANGUAGES, TEXTS } from '../../../src/doors/pages/texts.ts'
import { CRAFTS, putDemo } from '../../app.ts'
import { startIngest, type IngestService, type TestAccount } from '../../writing/ingest/service.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const FRENCH = 'http://example.org/vocabulary/metiers/'

describeOver(DEPLOYED, 'the form for proposals', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    await putDemo(service)
    await service.put(
      FRENCH,
      `<${FRENCH}> a <${SKOS}ConceptScheme> ; <${SKOS}prefLabel> "Métiers"@fr ;
        <http://purl.org/dc/terms/language> "fr", "en" .`,
    )
    account = await service.account()
  }, 60_000)
  afterEach(() => expect(service.reported).toEqual([]))
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  const keyIn = (text: string) => / name="key" value="([^"]+)"/.exec(text)![1]!
  const post = (fields: Record<string, string>, query = '?voc=crafts&lang=en', headers: Record<string, string> = {}) =>
    service.get(`/propose${query}`, {
      method: 'POST',
      body: new URLSearchParams({ ...account, ...fields }),
      headers: { ...HTML.headers, ...headers },
      redirect: 'manual',
    })
  const storedOf = (location: string | null) => new URLSearchParams(location!.split('?')[1]).get('stored')!
  const labelled = async (name: string) => {
    await service.index.caughtUp()
    const { body } = await service.ask('/search', { query: name, properties: 'uri' })
    return (body as unknown[]).length
  }

  test('stores a concept once, however often it is sent, and is empty then', async () => {
    const shown = await service.get('/propose?voc=crafts&lang=en', HTML)
    await expectPage(shown)
    expect(shown.headers.get('cache-control')).toBe('no-store')
    expect(shown.text).toMatch(/<form [^>]*method="post" action="\.\/propose\?voc=crafts&amp;lang=en"/)
    const key = keyIn(shown.text)
    const fields = {
      key,
      'prefLabel-de': ' Punzieren ',
      'prefLabel-en': 'Embossing',
      altLabel: 'Punzierung; Prägen;',
      definition: 'Erste Zeile\r\nZweite Zeile',
      scopeNote: '',
      identifier: 'http://example.org/a  http://example.org/b',
    }
    const [first, second] = await Promise.all([post(fields), post(fields)])
    const again = await post(fields)
    expect([first.status, second.status, again.status]).toEqual([303, 303, 303])
    const uri = storedOf(first.headers.get('location'))
    expect(first.headers.get('location')).toBe(
      `propose?voc=crafts&stored=${encodeURIComponent(uri)}&lang=en`.replaceAll('%3A', ':').replaceAll('%2F', '/'),
    )
    expect([second, again].map(({ headers }) => storedOf(headers.get('location')))).toEqual([uri, uri])
    const { body } = await service.ask('/data', { uri, properties: '*' })
    expect(body).toMatchObject([
      {
        prefLabel: { de: 'Punzieren', en: 'Embossing' },
        altLabel: { de: ['Prägen', 'Punzierung'] },
        definition: { de: ['Erste Zeile\nZweite Zeile'] },
        identifier: ['http://example.org/a', 'http://example.org/b'],
      },
    ])
    expect(body[0].scopeNote).toBeUndefined()
    expect(await labelled('Punzieren')).toBe(1)
    // A field that changes makes another concept; so does the next form.
    expect(storedOf((await post({ ...fields, altLabel: '' })).headers.get('location'))).not.toBe(uri)
    const empty = await service.get(`/propose?voc=crafts&lang=en&stored=${uri}`, HTML)
    await expectPage(empty)
    expect(empty.text).toContain(`The concept is stored: <a href="./concept?uri=${uri}`)
    expect(empty.text).not.toContain('Punzieren')
    expect(keyIn(empty.text)).not.toBe(key)
    // Nobody can make the page name an address of another site.
    const foreign = await service.get('/propose?stored=http://evil.example/&lang=en', HTML)
    expect(foreign.text).not.toContain('The concept is stored')
  })

  test('has what is wrong beside its fields, in the language of the page, and keeps the texts, but no token', async () => {
    for (const lang of PAGE_LANGUAGES) {
      const { propose } = TEXTS[lang]
      const query = `?voc=crafts&lang=${lang}`
      const definition = '\n<b>Neu</b>'
      const missing = await post({ key: 'k-1', 'prefLabel-de': ' ', definition }, query)
      await expectPage(missing, 422)
      const german = new Intl.DisplayNames(lang, { type: 'language' }).of('de')!
      expect(missing.text).toMatch(
        /<input [^>]*name="prefLabel-de"[^>]*aria-invalid="true" aria-describedby="problem-prefLabel-de already"/,
      )
      expect(missing.text).toContain(
        `id="problem-prefLabel-de" role="alert" dir="auto">${propose.isMissing(german)}</p>`,
      )
      expect(missing.text).toContain('\n\n&lt;b>Neu&lt;/b></textarea>')
      expect(keyIn(missing.text)).toBe('k-1')
      expect(missing.text).not.toContain(account.token)
      const uris = await post({ 'prefLabel-de': 'Neu', identifier: 'nein' }, query)
      await expectPage(uris, 422)
      expect(uris.text).toContain(`id="problem-identifier" role="alert" dir="auto">${propose.island.isNoUri} nein</p>`)
      const login = await post({ 'prefLabel-de': 'Neu', token: 'wrong' }, query)
      await expectPage(login, 401)
      expect(login.text).toContain(`id="problem-token" role="alert" dir="auto">${propose.wrongLogin}</p>`)
      const other = await post({ 'prefLabel-en': 'New' }, `?voc=${FRENCH}&lang=${lang}`)
      await expectPage(other, 403)
      expect(other.text).toContain(`id="problem-username" role="alert" dir="auto">${propose.wrongVocabulary}</p>`)
    }
    // The interface has the words for all else.
    const bidi = await post({ 'prefLabel-de': 'Neu', altLabel: 'a\u202eb' })
    await expectPage(bidi, 422)
    expect(bidi.text).toMatch(/id="problem-altLabel" role="alert" lang="en" dir="auto">expected a text on one line/)
    expect(await labelled('Neu')).toBe(0)
  })

  test('asks for names in the languages of the vocabulary, and says that it sends one as the German one', async () => {
    const shown = await service.get(`/propose?voc=${FRENCH}&lang=en`, HTML)
    await expectPage(shown)
    expect(shown.text.match(/name="prefLabel-\w+"/g)).toEqual(['name="prefLabel-en"', 'name="prefLabel-fr"'])
    expect(shown.text).toContain(TEXTS.en.propose.asGerman('English'))
    expect((await service.get('/propose?voc=crafts&lang=en', HTML)).text).not.toContain('requires a German name')
    account = await service.account({ voc: FRENCH })
    const { headers } = await post(
      { 'prefLabel-en': 'Gilding', 'prefLabel-fr': 'Dorure', definition: 'Gold.' },
      `?voc=${FRENCH}`,
    )
    const { body } = await service.ask('/data', { uri: storedOf(headers.get('location')), properties: '*' })
    expect(body).toMatchObject([
      { prefLabel: { de: 'Gilding', en: 'Gilding', fr: 'Dorure' }, definition: { en: ['Gold.'] } },
    ])
    account = await service.account({ voc: CRAFTS })
  })

  test('is refused from other sites, about nothing, and takes limits of the interface', async () => {
    const fields = { 'prefLabel-de': 'Zwiebelfisch' }
    expect((await post(fields, undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await post(fields, undefined, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await post(fields, '?voc=none')).status).toBe(404)
    const limited = await service.account({ limits: '1/day' })
    const statuses = []
    for (const name of ['Erste Grenze', 'Zweite Grenze'])
      statuses.push(await post({ ...limited, 'prefLabel-de': name }))
    expect(statuses.map(({ status }) => status)).toEqual([303, 429])
    expect(statuses[1]!.headers.has('retry-after')).toBe(true)
    expect(statuses[1]!.text).toContain('value="Zweite Grenze"')
    expect(await labelled('Zwiebelfisch')).toBe(0)
  })
})
