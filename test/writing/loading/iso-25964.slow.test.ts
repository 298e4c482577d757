/** Thesauri in the terms of ISO 25964: the kinds of their links in records, on pages, in SPARQL and in files. */
import { validate } from 'jskos-validate'
import { expect, test } from '@jest/globals'
import { ISOTHES, SKOS, SKOSXL } from '../../../src/base/namespaces.ts'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { HTML } from '../../doors/pages/html.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { canonical } from '../source/canonical.ts'

const V = 'http://example.org/carts/'
const TURTLE = `@prefix skos: <${SKOS}> . @prefix isothes: <${ISOTHES}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <${V}> .
<${V}> a skos:ConceptScheme ; skos:prefLabel "Carts"@en ; skos:notation "carts" .
:cart a skos:Concept ; skos:prefLabel "Cart"@en ; skos:inScheme <${V}> ; isothes:narrowerGeneric :handcart .
:wheel a skos:Concept ; skos:prefLabel "Wheel"@en ; skos:inScheme <${V}> ; isothes:broaderPartitive :cart ; :rollsOn :road .
:handcart a skos:Concept ; skos:prefLabel "Handcart"@en ; skos:inScheme <${V}> .
:redCart a skos:Concept ; skos:prefLabel "The red cart"@en ; skos:inScheme <${V}> ; isothes:broaderInstantial :handcart ; :standsIn :shed .
:shed a skos:Concept ; skos:prefLabel "Shed"@en ; skos:inScheme <${V}> .
:road a skos:Concept ; skos:prefLabel "Road"@en ; skos:inScheme <${V}> .
:rollsOn rdfs:subPropertyOf :touches . :touches rdfs:subPropertyOf skos:related .
:standsIn rdfs:subPropertyOf skos:broader .`

/** Terms for which several concepts are used together, as an equivalence and as links between terms. */
const S = 'http://example.org/sheds/'
const COMPOUNDS = `@prefix skos: <${SKOS}> . @prefix isothes: <${ISOTHES}> . @prefix xl: <${SKOSXL}> . @prefix : <${S}> .
<${S}> a skos:ConceptScheme ; skos:prefLabel "Sheds"@en ; skos:notation "sheds" .
:cart a skos:Concept ; skos:inScheme <${S}> ; xl:prefLabel :cartTerm .
:shed a skos:Concept ; skos:inScheme <${S}> ; xl:prefLabel :shedTerm .
:wheel a skos:Concept ; skos:inScheme <${S}> ; xl:prefLabel [ xl:literalForm "Wheel"@en ; isothes:plusUFTerm :cartwheel ] .
:handcart a skos:Concept ; skos:inScheme <${S}> ; xl:prefLabel [ xl:literalForm "Handcart"@en ] ; skos:broader :cart .
:cartTerm a isothes:PreferredTerm ; xl:literalForm "Cart"@en .
:shedTerm a isothes:PreferredTerm ; xl:literalForm "Shed"@en .
:equivalence a isothes:CompoundEquivalence ; isothes:plusUF :cartShed ; isothes:plusUse :cartTerm, :shedTerm .
:cartShed a isothes:SplitNonPreferredTerm ; xl:literalForm "Cart shed"@en .
:cartwheel a isothes:SplitNonPreferredTerm ; xl:literalForm "Cartwheel"@en ; isothes:plusUseTerm :cartTerm .`

/** The kinds of links in both directions: the concept, the property and the other concept. */
const KINDS: [name: string, kind: string, other: string, en: string, de: string][] = [
  ['wheel', 'broaderPartitive', 'cart', 'part of', 'Teil von'],
  ['cart', 'narrowerPartitive', 'wheel', 'has part', 'hat als Teil'],
  ['handcart', 'broaderGeneric', 'cart', 'kind of', 'Art von'],
  ['cart', 'narrowerGeneric', 'handcart', 'has kind', 'hat als Art'],
  ['redCart', 'broaderInstantial', 'handcart', 'instance of', 'Exemplar von'],
  ['handcart', 'narrowerInstantial', 'redCart', 'has instance', 'hat als Exemplar'],
]

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'a thesaurus with kinds of links', (store) => {
  let app: RunningApp
  let report: Awaited<ReturnType<typeof loadVocabulary>>
  shareApp(store, async (shared) => {
    app = shared
    report = await loadVocabulary(app.client, [await write('carts.ttl', TURTLE)])
    await loadVocabulary(app.client, [await write('sheds.ttl', COMPOUNDS)])
    app.state.changed()
    app.registry.invalidate()
  })

  const recordOf = async (name: string, properties: string) => {
    const { body } = await app.ask('/data', { uri: V + name, properties })
    return (body as AnyRecord[])[0]!
  }

  test('the report of the load has what it adds', () => {
    expect(report.changes).toMatchObject({
      'skos:broader added': 4,
      'skos:narrower added': 4,
      'skos:related added': 1,
      'isothes:broaderGeneric added': 1,
      'isothes:narrowerInstantial added': 1,
      'isothes:narrowerPartitive added': 1,
    })
  })

  test.each(KINDS)('%s has %s %s in records, by name and with *', async (name, kind, other) => {
    for (const properties of ['qualifiedRelations', '*']) {
      const record = await recordOf(name, properties)
      expect(record['qualifiedRelations']).toMatchObject({
        [ISOTHES + kind]: [{ resource: { uri: V + other, prefLabel: { en: expect.any(String) as unknown } } }],
      })
      expect(validate.concept!(record, { unknownFields: true })).toBe(true)
    }
    expect(await recordOf(name, '')).not.toHaveProperty('qualifiedRelations')
  })

  test.each(KINDS)('%s %s %s: SPARQL finds it', async (name, kind, other) => {
    const rows = await app.client.select(`SELECT ?o WHERE { <${V}${name}> <${ISOTHES}${kind}> ?o }`)
    expect(rows.map(({ o }) => o?.value)).toEqual([V + other])
  })

  test.each(KINDS)('the page of %s has the kind %s beside %s', async (name, _, other, en, de) => {
    for (const [lang, words] of [
      ['en', en],
      ['de', de],
    ]) {
      const { text } = await app.get(`/concept?uri=${V}${name}&lang=${lang}`, HTML)
      const link = new RegExp(`<span class="quiet">${words} </span><a[^>]*uri=${V}${other}&`)
      expect(text).toMatch(link)
      expect(text).not.toContain(`isothes:${kindOf(name)}`)
    }
  })
  const kindOf = (name: string) => KINDS.find(([of]) => of === name)![1]

  test.each(['turtle', 'jsonld', 'ntriples'])('a record in %s has it as a link', async (format) => {
    const { text } = await app.ask('/data', { uri: `${V}wheel`, properties: 'qualifiedRelations', format })
    expect(text).toContain('broaderPartitive')
    expect(text).not.toContain('22-rdf-syntax-ns#object>')
  })

  test.each([
    ['cart', 'Cart shed', ['cart', 'shed']],
    ['shed', 'Cart shed', ['cart', 'shed']],
    ['cart', 'Cartwheel', ['cart', 'wheel']],
    ['wheel', 'Cartwheel', ['cart', 'wheel']],
  ])('the page of %s has the term "%s", and all concepts to use for it', async (name, term, concepts) => {
    for (const [lang, use] of [
      ['en', 'use'],
      ['de', 'benutze'],
    ]) {
      const { text } = await app.get(`/concept?uri=${S}${name}&lang=${lang}`, HTML)
      const entry = text.split('<li>').find((part) => part.includes(`${term}</bdi>: `))
      expect(entry).toContain(`<span class="quiet">${use}</span>`)
      const links = [...entry!.matchAll(/concept\?uri=([^&]*)/g)].map(([, uri]) => uri)
      expect(links).toEqual(concepts.map((concept) => S + concept))
      expect(entry).toContain('</a> + <a')
    }
    expect((await app.get(`/concept?uri=${S}handcart`, HTML)).text).not.toContain('Cart shed')
  })

  test('within a subset, only kinds of links to its members show', async () => {
    const subset = `<${V}few> a skos:ConceptScheme ; skos:notation "subset_few" ; skos:prefLabel "Few"@en ;
      <http://purl.org/dc/terms/isPartOf> <${V}> ; skos:member :cart, :wheel .`
    await loadVocabulary(app.client, [await write('carts.ttl', `${TURTLE}\n${subset}`)])
    app.state.changed()
    app.registry.invalidate()
    const { body } = await app.ask('/data', { uri: `${V}cart`, voc: 'subset_few', properties: 'qualifiedRelations' })
    const { qualifiedRelations } = (body as AnyRecord[])[0]!
    expect(Object.keys(qualifiedRelations as object)).toEqual([`${ISOTHES}narrowerPartitive`])
  })

  test.each(['ndjson', 'turtle', 'jsonld', 'rdfxml', 'csv'])(
    'loading an export as %s again changes nothing',
    async (format) => {
      const graph = async () =>
        canonical((await app.ask('/voc/carts/export', { format: 'ntriples' })).text.split('\n').filter(Boolean))
      const before = await graph()
      const { text } = await app.ask('/voc/carts/export', { format })
      const extension = { ndjson: 'ndjson', turtle: 'ttl', jsonld: 'jsonld', rdfxml: 'rdf', csv: 'csv' }[format]
      const again = await loadVocabulary(app.client, [await write(`carts.${extension}`, text)])
      // JSKOS has no place for the properties of the file itself, which two concepts have.
      expect(again).toMatchObject({ created: 0, changed: format === 'ndjson' ? 2 : 0, gone: 0, vanishing: [] })
      const isSaid = (line: string) => format !== 'ndjson' || !/subPropertyOf|rollsOn|standsIn/.test(line)
      expect(await graph()).toEqual(before.filter(isSaid))
    },
  )
})
