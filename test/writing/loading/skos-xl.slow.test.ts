/** Labels of SKOS-XL with what is said of them: in records, on pages and in files. */
import { validate } from 'jskos-validate'
import { expect, test } from '@jest/globals'
import { SKOS, SKOSXL } from '../../../src/base/namespaces.ts'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { HTML } from '../../doors/pages/html.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const V = 'http://example.org/bodies/'
const TURTLE = `@prefix skos: <${SKOS}> . @prefix xl: <${SKOSXL}> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix schema: <http://schema.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <${V}> .
<${V}> a skos:ConceptScheme ; skos:prefLabel "Bodies"@en ; skos:notation "bodies" .
:shortFor rdfs:subPropertyOf xl:labelRelation ; rdfs:label "is short for"@en .
:union a skos:Concept ; skos:inScheme <${V}> ; xl:prefLabel :longName ; xl:altLabel :shortName, [ a xl:Label ;
  xl:literalForm "Weavers"@en ; :shortFor :longName ; schema:startDate "1890" ] .
:longName a xl:Label ; xl:literalForm "Union of Weavers"@en ; dct:source <http://example.org/statutes> ;
  schema:startDate "1901" ; xl:labelRelation :germanName ; skos:note "Since the second statutes."@en .
:shortName a xl:Label, :Abbreviation ; xl:literalForm "UW"@en ; :shortFor :longName ; dct:created "2020-02-03" ;
  dct:source [ schema:name "A clerk" ] .
:guild a skos:Concept ; skos:inScheme <${V}> ; xl:prefLabel :germanName ; skos:broader :union .
:germanName a xl:Label ; xl:literalForm "Weberbund"@de .`

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'labels of SKOS-XL', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('bodies.ttl', TURTLE)])
    app.state.changed()
    app.registry.invalidate()
  })

  test.each(['qualifiedLiterals', '*'])(
    'a record with %s has source, dates, type and relations',
    async (properties) => {
      const { body } = await app.ask('/data', { uri: `${V}union`, properties })
      const record = (body as AnyRecord[])[0]!
      const type = [`${SKOSXL}Label`]
      const longName = {
        type,
        literal: { string: 'Union of Weavers', language: 'en' },
        source: [{ uri: 'http://example.org/statutes' }],
        startDate: '1901',
      }
      expect(record['qualifiedLiterals']).toEqual({
        [`${SKOSXL}prefLabel`]: [longName],
        [`${SKOSXL}altLabel`]: [
          { type: [`${V}Abbreviation`, ...type], literal: { string: 'UW', language: 'en' } },
          { type, literal: { string: 'Weavers', language: 'en' }, startDate: '1890' },
        ],
        [`${SKOSXL}labelRelation`]: [{ type, literal: { string: 'Weberbund', language: 'de' } }],
        [`${V}shortFor`]: [longName],
      })
      expect([validate.concept!(record, { unknownFields: true }), validate.concept!.errors ?? []]).toEqual([true, []])
    },
  )

  test.each(['turtle', 'jsonld', 'csv'])(
    'a record in %s does not relate the concept to labels of others',
    async (format) => {
      const { text } = await app.ask('/data', { uri: `${V}union`, properties: '*', format })
      expect(text).toContain('Union of Weavers')
      expect(text).not.toMatch(/shortFor|labelRelation/)
    },
  )

  test('the page of the concept has them, with notes and other dates', async () => {
    const { text } = await app.get(`/concept?uri=${V}union&lang=en`, HTML)
    const statements = /<dl class="statements">.*<\/dl>/s.exec(text)![0]
    for (const part of [
      'statutes',
      '1901',
      'Since the second statutes.',
      'Weberbund',
      'Abbreviation',
      '2020-02-03',
      'A clerk',
      'is short for',
      '1890',
    ]) {
      expect(statements).toContain(part)
    }
  })

  test.each(['turtle', 'ntriples', 'jsonld', 'rdfxml'])(
    'the file of the concept alone has them in %s',
    async (format) => {
      const { text } = await app.ask('/voc/bodies/export', { uri: `${V}union`, format })
      for (const part of [
        'statutes',
        '1901',
        'Since the second statutes.',
        'Weberbund',
        'Abbreviation',
        '2020-02-03',
        'A clerk',
        'shortFor',
        '1890',
      ]) {
        expect(text).toContain(part)
      }
    },
  )

  test.each(['turtle', 'ndjson'])('loading the export as %s once more changes no record', async (format) => {
    const { text } = await app.ask('/voc/bodies/export', { format })
    const again = await loadVocabulary(app.client, [
      await write(`bodies.${format === 'turtle' ? 'ttl' : format}`, text),
    ])
    expect(again).toMatchObject({ concepts: 2, created: 0, gone: 0, vanishing: [] })
    app.state.changed()
    const { body } = await app.ask('/data', { uri: `${V}union`, properties: 'qualifiedLiterals' })
    expect((body as AnyRecord[])[0]!['qualifiedLiterals']).toHaveProperty(
      [`${SKOSXL}prefLabel`, '0', 'startDate'],
      '1901',
    )
  })
})
