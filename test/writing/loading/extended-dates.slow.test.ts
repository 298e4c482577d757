import { expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { CONCEPT, CONCEPT_SCHEME, RDFS } from '../../../src/base/namespaces.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { HTML } from '../../doors/pages/html.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/painters/'
const LINK = 'http://example.org/catalogue/7'
const DATES = [
  { startDate: '1800/1805', endDate: '1871?', relatedDates: ['1790/..', '1871~', '1901-02-03'] },
  { startDate: '19XX', endDate: '1985/..', relatedDates: ['2004-06~'] },
  { startDate: '2004-06~', endDate: '2010-01-31' },
]
const RECORDS = [
  { uri: V, type: [CONCEPT_SCHEME], prefLabel: { en: 'Painters' }, startDate: '1900/..', relatedDates: ['19XX'] },
  ...DATES.map((dates, at) => ({ uri: `${V}${at}`, type: [CONCEPT], prefLabel: { en: `painter ${at}` }, ...dates })),
]
/** As RDF, because JSKOS has no field for links. */
const LINKED = `<${V}3> a <${CONCEPT}> ; <http://www.w3.org/2004/02/skos/core#inScheme> <${V}> ;
  <${RDFS}seeAlso> <${LINK}> , "1800/1805" , "see the catalogue" .`

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'dates with the extensions of EDTF', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    const text = RECORDS.map((record) => JSON.stringify(record)).join('\n')
    const files = [await write('painters.ndjson', text), await write('linked.ttl', LINKED)]
    await loadVocabulary(app.client, files)
  })

  test.each(['startDate,endDate,relatedDates', '*'])('records have them with %s', async (properties) => {
    for (const [at, dates] of DATES.entries()) {
      const { body } = await app.ask('/data', { uri: `${V}${at}`, properties })
      expect(body).toMatchObject(
        [{ relatedDates: [], ...dates }].map((expected) => (dates.relatedDates ? expected : dates)),
      )
      expect(validate.concept!((body as object[])[0]!, { unknownFields: true })).toBe(true)
    }
    const { body } = await app.ask('/voc/painters', { properties })
    expect([body].flat()).toMatchObject([{ startDate: '1900/..', relatedDates: ['19XX'] }])
  })

  test('links and other texts of the same property are no dates, and stay on pages', async () => {
    const { body } = await app.ask('/data', { uri: `${V}3`, properties: '*' })
    expect(body).toMatchObject([{ relatedDates: ['1800/1805'] }])
    const page = await app.get(`/data?uri=${encodeURIComponent(`${V}3`)}&lang=en`, HTML)
    expect(page.text).toMatch(/<dl class="statements">.*See also.*see the catalogue/s)
    expect(page.text).toContain(LINK)
  })

  test.each(['ndjson', 'ntriples', 'turtle', 'csv'])(
    'an export as %s has them; loading it again changes nothing',
    async (format) => {
      const { text } = await app.ask('/voc/painters/export', { format })
      for (const date of DATES.flatMap((dates) => Object.values(dates).flat())) expect(text).toContain(date)
      const extension = { ndjson: 'ndjson', ntriples: 'nt', turtle: 'ttl', csv: 'csv' }[format]
      const linked = format === 'ndjson' ? [await write('linked.ttl', LINKED)] : []
      const report = await loadVocabulary(app.client, [await write(`export.${extension}`, text), ...linked])
      expect(report).toMatchObject({ concepts: 4, created: 0, changed: 0, gone: 0 })
    },
  )
})
