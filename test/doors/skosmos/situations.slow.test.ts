/**
 * The REST API of Skosmos over a loaded vocabulary with the situations of Skosmos' own test vocabularies: its answers,
 * member by member.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BIRDS = 'http://example.org/birds/'
/** The namespace of another vocabulary. */
const OTHERS = 'http://example.org/others/'
const KINDS = 'http://example.org/kinds/'
const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const TURTLE = `
@prefix : <${BIRDS}> .
@prefix kind: <${KINDS}> .
@prefix skos: <${SKOS}> .
@prefix skosxl: <http://www.w3.org/2008/05/skos-xl#> .
@prefix isothes: <http://purl.org/iso25964/skos-thes#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <${RDF}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
kind:Species a owl:Class ; rdfs:subClassOf skos:Concept ; rdfs:label "Species"@en, "Art"@de .
kind:Wader a owl:Class ; rdfs:subClassOf kind:Species ; rdfs:label "Wader"@en .
kind:Unused a owl:Class ; rdfs:subClassOf skos:Concept .
kind:Note a owl:Class ; rdfs:label "Note"@en .
skos:broader a rdf:Property ; rdfs:label "is a kind of"@en .
:scheme a skos:ConceptScheme ; rdfs:label "Birds"@en ; void:uriSpace "${BIRDS}" ; dct:subject :birds ;
  dct:language <http://lexvo.org/id/iso639-3/deu>, <http://lexvo.org/id/iso639-3/eng> .
<${OTHERS}emu> a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Emu"@en ; skos:altLabel "Emoe" .
:birds a skos:Concept, kind:Species ; skos:inScheme :scheme ; skos:topConceptOf :scheme ; skos:prefLabel "Birds"@en .
:heron a skos:Concept, kind:Wader ; skos:inScheme :scheme ; skos:broader :birds ; skos:prefLabel "Heron"@en, "Reiher"@de ;
  skos:altLabel "Grey heron"@en ; skos:hiddenLabel "Herons"@en ; skos:relatedMatch :stork ; skos:notation "7" ;
  dct:created "2020-03-04"^^xsd:date ; dct:modified "2022-05-06T07:08:09"^^xsd:dateTime .
:stork a skos:Concept, kind:Wader ; skos:inScheme :scheme ; skos:broader :birds ; skos:prefLabel "3 storks"@en-gb .
:chick a skos:Concept ; skos:inScheme :scheme ; skos:broader :heron, :stork ; skos:prefLabel "Chick"@en ; skosxl:prefLabel :label .
:label a skosxl:Label ; skosxl:literalForm "Chick"@en .
:quail a skos:Concept ; skos:inScheme :scheme ; skos:broader :birds ; skos:prefLabel "Wachtel"@de .
:nameless a skos:Concept ; skos:inScheme :scheme ; skos:broader :birds .
:dodo a skos:Concept ; skos:inScheme :scheme ; skos:broader :birds ; skos:prefLabel "Dodo"@en ; owl:deprecated true ;
  dct:isReplacedBy :heron ; dct:created "2001-01-01"^^xsd:date ; dct:modified "2022-05-01T00:00:00Z"^^xsd:dateTime .
:moa a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Moa"@en ; owl:deprecated true ; dct:modified "1986-21-00"^^xsd:date .
:quote a skos:Concept, kind:Note ; skos:inScheme :scheme ; skos:prefLabel "-\\"special\\" \\\\bird\\\\"@en ; kind:parts ( :heron :stork ) .
:all a skos:Collection ; skos:prefLabel "Everything"@en .
:part a skos:Collection, isothes:ThesaurusArray ; skos:prefLabel "A part"@en ; isothes:superGroup :all ; skos:member :heron, :dodo .
`

const local = (list: readonly { uri: string }[]) => list.map(({ uri }) => uri.slice(BIRDS.length))

describeOver(EMBEDDED, 'Situations of the test vocabularies of Skosmos', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    const { uri } = await loadVocabulary(app.client, [await write('birds.ttl', TURTLE)], { ids: ['birds'] })
    await app.put(
      OTHERS,
      `<${OTHERS}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "others" ; <http://rdfs.org/ns/void#uriSpace> "${OTHERS}" .`,
    )
    app.registry.invalidate()
    await app.index.refresh([uri])
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })
  const get = (path: string) => app.get(`/rest/v1/${path}`, { redirect: 'manual' })
  const body = async (path: string) => {
    const answer = await get(path)
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, ''])
    return answer.body
  }
  const about = async (name: string) => {
    const { graph } = await body(`birds/data?uri=${BIRDS}${name}&format=application/json`)
    return (uri: string) => graph.find((node: any) => node.uri === uri)
  }

  test('data: statements about a concept and with it, and the names and classes of all that these name', async () => {
    const node = await about('heron')
    expect(node(`${BIRDS}heron`)).toMatchObject({
      type: [`${KINDS}Wader`, 'skos:Concept'],
      broader: { uri: `${BIRDS}birds` },
      inScheme: { uri: `${BIRDS}scheme` },
      relatedMatch: { uri: `${BIRDS}stork` },
      altLabel: { lang: 'en', value: 'Grey heron' },
      'dct:created': { type: 'http://www.w3.org/2001/XMLSchema#date', value: '2020-03-04' },
      'skos:notation': '7',
    })
    expect(node(`${BIRDS}birds`)).toEqual({
      uri: `${BIRDS}birds`,
      type: [`${KINDS}Species`, 'skos:Concept'],
      narrower: { uri: `${BIRDS}heron` },
      prefLabel: { lang: 'en', value: 'Birds' },
    })
    expect(node(`${KINDS}Wader`)).toEqual({
      uri: `${KINDS}Wader`,
      type: 'owl:Class',
      label: { lang: 'en', value: 'Wader' },
    })
    // Neither the name nor the id that loading has given it.
    expect(node(`${BIRDS}scheme`)).toEqual({
      uri: `${BIRDS}scheme`,
      type: 'skos:ConceptScheme',
      label: { lang: 'en', value: 'Birds' },
    })
    expect(node('skos:broader')).toEqual({ uri: 'skos:broader', label: { lang: 'en', value: 'is a kind of' } })
    expect(node(`${BIRDS}chick`)).toMatchObject({ broader: { uri: `${BIRDS}heron` } })
    // Its group, and the group of that.
    expect(node(`${BIRDS}part`)).toMatchObject({
      'skos:member': { uri: `${BIRDS}heron` },
      prefLabel: { value: 'A part' },
    })
    // One that should not be used any more says nothing about others.
    expect(node(`${BIRDS}dodo`)).toBeUndefined()
  })

  test('data: lists as chains, labels of SKOS-XL, what only others name, and nothing', async () => {
    const node = await about('quote')
    const first = node(node(`${BIRDS}quote`)[`${KINDS}parts`].uri)
    expect(first[`${RDF}first`]).toEqual({ uri: `${BIRDS}heron` })
    expect(node(first[`${RDF}rest`].uri)[`${RDF}rest`]).toEqual({ uri: `${RDF}nil` })
    expect((await about('chick'))(`${BIRDS}label`)).toMatchObject({
      'http://www.w3.org/2008/05/skos-xl#literalForm': { lang: 'en', value: 'Chick' },
    })
    expect((await about('label'))(`${BIRDS}chick`)).toBeDefined()
    expect((await get(`birds/data?uri=${BIRDS}none`)).text).toBe('404 Bad Request : no concept found with given uri')
    for (const [format, part] of [
      ['text/turtle', 'is a kind of'],
      ['application/rdf+xml', 'rdf:about="http://example.org/birds/heron"'],
    ]) {
      const { text } = await get(`data?uri=${BIRDS}heron&format=${encodeURIComponent(format!)}`)
      expect(text).toContain(part)
    }
  })

  test.each([
    ['text/turtle', 'turtle'],
    ['application/rdf+xml', 'rdfxml'],
    ['application/ld+json', 'jsonld'],
    ['application/json', 'jsonld'],
  ])('a whole vocabulary as %s is at its export', async (mediaType, format) => {
    const headers = { accept: mediaType }
    for (const { status, headers: sent } of [
      await get(`birds/data?format=${encodeURIComponent(mediaType)}`),
      await app.get('/rest/v1/birds/data', { redirect: 'manual', headers }),
    ]) {
      expect([status, sent.get('location')]).toEqual([302, `${app.config.baseUrl}voc/birds/export?format=${format}`])
    }
    const followed = await app.get(`/rest/v1/birds/data?format=${encodeURIComponent(mediaType)}`)
    expect([followed.status, followed.text.includes('Grey heron')]).toEqual([200, true])
  })

  test('search: local names only within vocabularies, the class of SKOS first, in the order of labels', async () => {
    const everywhere = (await body('search?query=h*')).results
    expect(everywhere).toEqual([
      {
        uri: `${BIRDS}heron`,
        type: ['skos:Concept', `${KINDS}Wader`],
        prefLabel: 'Heron',
        lang: 'en',
        notation: '7',
        vocab: 'birds',
      },
      {
        uri: `${BIRDS}heron`,
        type: ['skos:Concept', `${KINDS}Wader`],
        prefLabel: 'Heron',
        lang: 'en',
        notation: '7',
        hiddenLabel: 'Herons',
        vocab: 'birds',
      },
    ])
    const [inIt] = (await body('birds/search?query=heron&fields=broader+relatedMatch&lang=en')).results
    expect(inIt).toMatchObject({
      localname: 'heron',
      broader: [{ uri: `${BIRDS}birds`, prefLabel: 'Birds' }],
      relatedMatch: [{ uri: `${BIRDS}stork`, prefLabel: '3 storks' }],
    })
    const [foreign] = (await body('birds/search?query=emu&lang=en')).results
    expect(foreign).toEqual({
      uri: `${OTHERS}emu`,
      type: ['skos:Concept'],
      prefLabel: 'Emu',
      lang: 'en',
      vocab: 'birds',
      exvocab: 'others',
    })
    const within = async (schemes: string) =>
      local((await body(`birds/search?query=heron*&lang=en&unique=1&scheme=${schemes}`)).results)
    expect(await within(`${OTHERS}+${BIRDS}scheme`)).toEqual(['heron'])
    expect(await within(`${OTHERS}+kula`)).toEqual([])
    expect((await body('search?query=*bird%5C')).results).toMatchObject([{ prefLabel: '-"special" \\bird\\' }])
    for (const query of ['0', '1', '-1']) expect((await get(`search?query=${query}&fields=broader`)).status).toBe(200)
    for (const query of ['', '%20']) expect((await get(`search?query=${query}&fields=broader`)).status).toBe(400)
  })

  test('index: letters of preferred labels, also of what should not be used any more; entries by all labels', async () => {
    expect((await body('birds/index/?lang=en')).indexLetters).toEqual(['B', 'C', 'D', 'E', 'H', 'M', '!*', '0-9'])
    expect((await body('birds/index/g?lang=en')).indexConcepts).toEqual([
      { uri: `${BIRDS}heron`, localname: 'heron', prefLabel: 'Heron', lang: 'en', altLabel: 'Grey heron' },
    ])
    expect((await body('birds/index/0-9?lang=en')).indexConcepts).toEqual([
      { uri: `${BIRDS}stork`, localname: 'stork', prefLabel: '3 storks', lang: 'en-gb' },
    ])
    expect((await body('birds/index/D?lang=en')).indexConcepts).toEqual([])
    expect(local((await body('birds/index/!*?lang=en')).indexConcepts)).toEqual(['quote'])
  })

  test('classes: those of SKOS and ISO 25964 and subclasses that something has', async () => {
    const types = [
      { uri: `${SKOS}Concept`, label: 'Concept' },
      { uri: `${SKOS}Collection`, label: 'Collection' },
      { uri: 'http://purl.org/iso25964/skos-thes#ThesaurusArray', label: 'Array of sibling concepts' },
      { uri: `${KINDS}Species`, label: 'Species', superclass: `${SKOS}Concept` },
      { uri: `${KINDS}Wader`, label: 'Wader', superclass: `${KINDS}Species` },
    ]
    expect((await body('birds/types?lang=en')).types).toEqual(types)
    expect((await body('types?lang=en')).types).toEqual(types)
    const { concepts, subTypes, conceptGroups } = await body('birds/vocabularyStatistics?lang=en')
    expect(concepts).toMatchObject({ count: 10, deprecatedCount: 2 })
    expect(conceptGroups).toMatchObject({ count: 2 })
    expect(subTypes).toEqual([
      { type: `${KINDS}Species`, count: 1, deprecatedCount: 0, label: 'Species' },
      { type: `${KINDS}Wader`, count: 2, deprecatedCount: 0, label: 'Wader' },
    ])
  })

  test('a vocabulary: languages by their shortest tags, schemes with their subjects; no figures of texts without a language', async () => {
    const { languages, defaultLanguage, conceptschemes } = await body('birds/?lang=en')
    expect([languages, defaultLanguage]).toEqual([['de', 'en'], 'de'])
    expect(conceptschemes).toEqual([
      {
        uri: `${BIRDS}scheme`,
        type: 'skos:ConceptScheme',
        label: 'Birds',
        prefLabel: 'Birds',
        subject: { uri: `${BIRDS}birds`, prefLabel: 'Birds' },
      },
    ])
    // In this order over every store.
    expect(Object.keys(conceptschemes[0])).toEqual(['subject', 'label', 'prefLabel', 'uri', 'type'])
    const counted = (await body('birds/labelStatistics?lang=en')).languages
    expect(counted.map(({ language }: any) => language)).toEqual(['de', 'en', 'en-gb'])
  })

  test('changes: what should not be used any more by its last change, with what replaces it', async () => {
    const dodo = {
      uri: `${BIRDS}dodo`,
      prefLabel: 'Dodo',
      date: '2022-05-01T00:00:00+0000',
      deprecated: true,
      replacedBy: `${BIRDS}heron`,
      replacingLabel: 'Heron',
    }
    const heron = { uri: `${BIRDS}heron`, prefLabel: 'Heron', deprecated: false }
    // Of one month, in the order of labels; a date that is none is left out.
    expect((await body('birds/modified?lang=en')).changeList).toEqual([
      dodo,
      { ...heron, date: '2022-05-06T07:08:09+0000' },
    ])
    expect((await body('birds/new?lang=en')).changeList).toEqual([dodo, { ...heron, date: '2020-03-04T00:00:00+0000' }])
    expect((await body('birds/new?lang=en&offset=1&limit=1')).changeList).toHaveLength(1)
  })

  test('groups: groups in groups, and members without those that should not be used any more', async () => {
    expect((await body('birds/groups?lang=en')).groups).toEqual([
      { uri: `${BIRDS}part`, prefLabel: 'A part', hasMembers: true },
      { uri: `${BIRDS}all`, prefLabel: 'Everything', childGroups: [`${BIRDS}part`], hasMembers: true },
    ])
    expect((await body(`birds/groupMembers?uri=${BIRDS}all&lang=en`)).members).toEqual([
      {
        uri: `${BIRDS}part`,
        isSuper: false,
        hasMembers: true,
        type: ['skos:Collection', 'isothes:ThesaurusArray'],
        prefLabel: 'A part',
      },
    ])
    expect(local((await body(`birds/groupMembers?uri=${BIRDS}part&lang=en`)).members)).toEqual(['heron'])
    expect(local((await body(`birds/search?query=*&group=${BIRDS}part&lang=en`)).results)).toEqual(['heron'])
  })

  test('trees: several parents, labels in other languages, and none', async () => {
    const { broaderTransitive } = await body(`birds/hierarchy?uri=${BIRDS}chick&lang=en`)
    expect(Object.keys(broaderTransitive).map((uri) => uri.slice(BIRDS.length))).toEqual([
      'chick',
      'heron',
      'stork',
      'birds',
    ])
    expect(broaderTransitive[`${BIRDS}chick`]).toEqual({
      uri: `${BIRDS}chick`,
      prefLabel: 'Chick',
      broader: [`${BIRDS}heron`, `${BIRDS}stork`],
      hasChildren: false,
    })
    expect(broaderTransitive[`${BIRDS}birds`]).toEqual({
      uri: `${BIRDS}birds`,
      prefLabel: 'Birds',
      top: `${BIRDS}scheme`,
      tops: [`${BIRDS}scheme`],
      hasChildren: true,
      narrower: [
        { uri: `${BIRDS}heron`, label: 'Heron', notation: '7', hasChildren: true },
        { uri: `${BIRDS}dodo`, label: 'Dodo', hasChildren: false },
        { uri: `${BIRDS}nameless`, label: null, hasChildren: false },
        { uri: `${BIRDS}quail`, label: 'Wachtel (de)', hasChildren: false },
        { uri: `${BIRDS}stork`, label: '3 storks', hasChildren: true },
      ],
    })
    // Again from memory, and in another language.
    expect((await body(`birds/hierarchy?uri=${BIRDS}chick&lang=en&again`)).broaderTransitive).toEqual(broaderTransitive)
    const german = (await body(`birds/children?uri=${BIRDS}birds&lang=de`)).narrower
    expect(german.map(({ prefLabel }: any) => prefLabel)).toEqual(['Reiher', 'Dodo', null, 'Wachtel', '3 storks'])
    expect((await body(`birds/children?uri=${BIRDS}chick`)).narrower).toEqual([])
    const whole = (await body(`birds/narrowerTransitive?uri=${BIRDS}birds`)).narrowerTransitive
    const cut = (await body(`birds/narrowerTransitive?uri=${BIRDS}birds&limit=2`)).narrowerTransitive
    expect(Object.keys(whole)).toHaveLength(7)
    expect(cut).toEqual(Object.fromEntries(Object.entries(whole).slice(0, 2)))
    // More concepts than one question to the service may name.
    const small = await startApp(running.endpoint, { MAX_LIMIT: '3' })
    try {
      const { status, body } = await small.get(`/rest/v1/birds/narrowerTransitive?uri=${BIRDS}birds&limit=9`)
      expect([status, body.narrowerTransitive]).toEqual([200, Object.fromEntries(Object.entries(whole).slice(0, 4))])
    } finally {
      await small.close()
    }
  })

  test('a label that begins with a number that is no digit stands with the special ones, where the letters say so', async () => {
    const shelves = 'http://example.org/shelves/'
    await app.put(
      shelves,
      `@prefix skos: <${SKOS}> . <${shelves}> a skos:ConceptScheme ; skos:notation "shelves" .
      <${shelves}1> a skos:Concept ; skos:inScheme <${shelves}> ; skos:prefLabel "½ metre"@en, "2 metres"@de .`,
    )
    await app.index.refresh([shelves])
    expect((await body('shelves/index/?lang=en')).indexLetters).toEqual(['!*'])
    expect((await body('shelves/index/!*?lang=en')).indexConcepts).toMatchObject([{ prefLabel: '½ metre' }])
    expect((await body('shelves/index/0-9?lang=en')).indexConcepts).toEqual([])
    await app.put(shelves, '')
    app.registry.invalidate()
  })

  test('a tree shows a change at once', async () => {
    const labels = async () =>
      (await body(`birds/children?uri=${BIRDS}heron&lang=en`)).narrower.map(({ prefLabel }: any) => prefLabel)
    expect(await labels()).toEqual(['Chick'])
    const file = await write('later.ttl', TURTLE.replaceAll('"Chick"', '"Young bird"'))
    const { uri } = await loadVocabulary(app.client, [file], { ids: ['birds'] })
    app.state.changed()
    await app.index.refresh([uri])
    expect(await labels()).toEqual(['Young bird'])
  })

  test('mappings name pages with the language of their content', async () => {
    const links = async (more: string) =>
      (await body(`birds/mappings?uri=${BIRDS}heron&lang=en${more}`)).mappings.map(({ hrefLink }: any) => hrefLink)
    expect(await links('')).toEqual(['birds/en/page/stork'])
    expect(await links('&clang=en')).toEqual(['birds/en/page/stork'])
    expect(await links('&clang=de')).toEqual(['birds/en/page/stork?clang=de'])
  })

  test.each([
    ['', '404 Not Found'],
    ['birds/none', '404 Not Found'],
    ['birds/index/a/b', '404 Not Found'],
    ['none/none', "404 Not Found : Vocabulary id 'none' not found."],
    ['none/types?lang=en', "404 Not Found : Vocabulary id 'none' not found."],
    ['birds/label?uri=http://example.org/none', '404 Not Found : Could not find concept <http://example.org/none>'],
    [`birds/broader?uri=${BIRDS}scheme`, `404 Not Found : Could not find concept <${BIRDS}scheme>`],
    [`birds/children?uri=${BIRDS}all`, `404 Not Found : Could not find concept <${BIRDS}all>`],
    [`birds/hierarchy?uri=${BIRDS}all`, `404 Not Found : Could not find concept <${BIRDS}all>`],
    [`birds/groupMembers?uri=${BIRDS}heron`, `404 Not Found : Could not find group <${BIRDS}heron>`],
  ])('/rest/v1/%s is not there', async (path, text) => {
    const answer = await get(path)
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
      404,
      text,
      'text/plain; charset=utf-8',
    ])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

const ODD = 'http://example.org/odd/'
const ODD_TURTLE = `
@prefix : <${ODD}> .
@prefix skos: <${SKOS}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix isothes: <http://purl.org/iso25964/skos-thes#> .
:scheme a skos:ConceptScheme ; skos:prefLabel "Odd"@en .
:days a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Days"@en, "Dayes"@en-gb, "Dais"@en-us ;
  dct:created "2021-01-02"^^xsd:date, "2021-03-02"^^xsd:date .
:month a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Month"@en-us, "Moneth"@en-gb ; dct:created "2022-05"^^xsd:gYearMonth .
:year a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Year"@en ; dct:created "2022"^^xsd:gYear .
:wrong a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Wrong"@en ; dct:created "2022-13-45" .
:gone a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "Gone"@en ; owl:deprecated true ;
  dct:modified "2022-01-01T10:00:00+02:00"^^xsd:dateTime ; dct:isReplacedBy :days, :month .
:places a skos:ConceptScheme ; skos:prefLabel "Places"@en ; skos:hasTopConcept :europe .
:europe a skos:Concept ; skos:inScheme :scheme, :places ; skos:prefLabel "Europe"@en ; skos:narrower :poland .
:poland a skos:Concept ; skos:inScheme :places ; skos:prefLabel "Poland"@en ; skos:topConceptOf :places .
:days skos:narrower :hours . :hours a skos:Concept ; skos:notation "Z9", "A1", "M5" ; skos:inScheme :scheme ; skos:prefLabel "Hours"@en ;
  skos:narrower <${OTHERS}minute> .
:sand a skos:Concept ; skos:inScheme :scheme ; skos:prefLabel "ßand"@en ; <http://example.org/p/123> "no name in XML" ; skos:altLabel "Öl"@en, "Åland"@en .
:empty a skos:Collection ; skos:prefLabel "Empty"@en . :past a skos:Collection ; skos:prefLabel "Past"@en ; skos:member :gone .
:row a skos:OrderedCollection ; skos:prefLabel "Row"@en ; skos:memberList ( :year :month ) .
:rows a isothes:ConceptGroup ; skos:prefLabel "Rows"@en ; isothes:subGroup :group .
:group a isothes:ConceptGroup ; skos:prefLabel "Group"@en ; skos:member :gone, :hours .
`

describeOver(EMBEDDED, 'Situations that no vocabulary of Skosmos has', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    const { uri } = await loadVocabulary(app.client, [await write('odd.ttl', ODD_TURTLE)], {
      ids: ['odd'],
      scheme: `${ODD}scheme`,
    })
    await app.put(
      OTHERS,
      `<${OTHERS}> a <${SKOS}ConceptScheme> . <${OTHERS}emu> a <${SKOS}Concept> ; <${SKOS}topConceptOf> <${OTHERS}> ; <${SKOS}inScheme> <${OTHERS}> ; <${SKOS}prefLabel> "Emu"@en .`,
    )
    app.registry.invalidate()
    await app.index.refresh([uri])
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })
  const body = async (path: string) => {
    const answer = await app.get(`/rest/v1/${path}`)
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, ''])
    return answer.body
  }

  test('topConcepts: those of any scheme within the vocabulary, and of none beyond', async () => {
    const { uri, topconcepts } = await body(`odd/topConcepts?lang=en&scheme=${ODD}places`)
    expect(uri).toBe(`${ODD}places`)
    expect(topconcepts).toEqual([
      { uri: `${ODD}europe`, topConceptOf: `${ODD}places`, label: 'Europe', hasChildren: true },
      { uri: `${ODD}poland`, topConceptOf: `${ODD}places`, label: 'Poland', hasChildren: false },
    ])
    expect((await body(`odd/topConcepts?lang=en&scheme=${OTHERS}`)).topconcepts).toEqual([])
  })

  test('a concept above nothing but what the vocabulary lacks has no children', async () => {
    const { narrower } = await body(`odd/children?lang=en&uri=${ODD}days`)
    expect(narrower).toEqual([{ uri: `${ODD}hours`, prefLabel: 'Hours', hasChildren: false, notation: 'A1' }])
    expect((await body(`odd/children?lang=en&uri=${ODD}hours`)).narrower).toEqual([])
  })

  test('lookup and index find letters however they are encoded, and ß by itself', async () => {
    const names = async (path: string, key: string) => (await body(path))[key].map(({ uri }: { uri: string }) => uri)
    expect(await names('odd/lookup?lang=en&label=O%CC%88l', 'result')).toEqual([`${ODD}sand`])
    expect(await names('odd/lookup?lang=en&label=%20Days%20', 'result')).toEqual([`${ODD}days`])
    expect(await names('odd/index/A%CC%8A?lang=en', 'indexConcepts')).toEqual([`${ODD}sand`])
    const { indexLetters } = await body('odd/index?lang=en')
    expect(indexLetters).toEqual(expect.arrayContaining(['D', 'ß']))
    expect(indexLetters).not.toContain('SS')
    expect(await names('odd/index/%C3%9F?lang=en', 'indexConcepts')).toEqual([`${ODD}sand`])
  })

  test('lookup and reconciliation find a label whatever spaces are around it and in it', async () => {
    const spaced = 'http://example.org/spaced/'
    const concepts = [' Creek', 'Weir ', 'Mill  race', 'Lock gate'].map(
      (label, at) => `<${spaced}${at}> a skos:Concept ; skos:inScheme <${spaced}> ; skos:prefLabel "${label}"@en .`,
    )
    await app.put(
      spaced,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${spaced}> a skos:ConceptScheme ; skos:notation "spaced" ; skos:prefLabel "Spaced"@en . ${concepts.join('\n')}`,
    )
    await app.index.caughtUp()
    for (const [at, label] of ['Creek', 'weir', 'Mill race', ' Lock  gate '].entries()) {
      const { result } = await body(`spaced/lookup?lang=en&label=${encodeURIComponent(label)}`)
      expect(result.map(({ uri }: { uri: string }) => uri)).toEqual([`${spaced}${at}`])
      const queries = encodeURIComponent(JSON.stringify({ q: { query: label } }))
      const { body: answer } = await app.get(`/voc/spaced/reconcile?queries=${queries}`)
      expect(answer.q.result).toMatchObject([{ id: `${spaced}${at}`, match: true }])
    }
  })

  test('search finds the members of lists and of groups above others', async () => {
    const names = (list: { uri: string }[]) => list.map(({ uri }) => uri.slice(ODD.length)).sort()
    for (const [group, types] of [
      ['row', ['month', 'year']],
      ['rows', ['group']],
    ] as const) {
      const { results } = await body(`odd/search?query=*&unique=1&lang=en&group=${ODD}${group}`)
      const { members } = await body(`odd/groupMembers?lang=en&uri=${ODD}${group}`)
      expect([group, names(results), names(members)]).toEqual([group, types, types])
    }
  })

  test('data: what RDF/XML cannot name comes in the next format that the client takes', async () => {
    const path = `/rest/v1/odd/data?uri=${ODD}sand`
    for (const [accept, status, type] of [
      ['*/*', 200, 'text/turtle'],
      ['application/rdf+xml, application/ld+json;q=0.5', 200, 'application/ld+json'],
      ['application/rdf+xml', 400, 'text/plain'],
    ] as const) {
      const answer = await app.get(path, { headers: { accept } })
      const got = answer.headers.get('content-type')
      expect([accept, answer.status, got]).toEqual([accept, status, `${type}; charset=utf-8`])
    }
    expect((await app.get(`${path}&format=application/rdf%2Bxml`)).status).toBe(400)
  })

  test('groupMembers: the smallest notation; none of a group without members that still count', async () => {
    for (const name of ['empty', 'past'])
      expect((await body(`odd/groupMembers?lang=en&uri=${ODD}${name}`)).members).toEqual([])
    for (const uri of [`${ODD}hours`, `${ODD}scheme`, `${ODD}none`])
      expect((await app.get(`/rest/v1/odd/groupMembers?uri=${uri}`)).status).toBe(404)
    expect((await body(`odd/groupMembers?lang=en&uri=${ODD}group`)).members).toEqual([
      expect.objectContaining({ uri: `${ODD}hours`, notation: 'A1' }),
    ])
  })

  test('changes: each concept once, by its last date, with one name; years and months as their first day', async () => {
    const { changeList } = await body('odd/new?lang=en')
    expect(changeList).toEqual([
      { uri: `${ODD}month`, prefLabel: 'Moneth', date: '2022-05-01T00:00:00+0000', deprecated: false },
      {
        uri: `${ODD}gone`,
        prefLabel: 'Gone',
        date: '2022-01-01T10:00:00+0200',
        deprecated: true,
        replacedBy: `${ODD}days`,
        replacingLabel: 'Days',
      },
      { uri: `${ODD}year`, prefLabel: 'Year', date: '2022-01-01T00:00:00+0000', deprecated: false },
      { uri: `${ODD}days`, prefLabel: 'Days', date: '2021-03-02T00:00:00+0000', deprecated: false },
    ])
    expect((await body('odd/new?lang=en&limit=2')).changeList).toEqual(changeList.slice(0, 2))
    expect((await body('odd/new?lang=en&limit=2&offset=2')).changeList).toEqual(changeList.slice(2))
  })

  test('a concept that is broader than itself is not below itself', async () => {
    const circle = 'http://example.org/circle/'
    await app.put(
      circle,
      `@prefix skos: <${SKOS}> . <${circle}> a skos:ConceptScheme ; skos:notation "circle" ; skos:prefLabel "Circle"@en .
        <${circle}a> a skos:Concept ; skos:inScheme <${circle}> ; skos:prefLabel "A"@en ; skos:broader <${circle}a> ; skos:narrower <${circle}a> .`,
    )
    app.registry.invalidate()
    const ask = async (method: string) => (await app.get(`/rest/v1/circle/${method}?lang=en&uri=${circle}a`)).body
    expect((await ask('children')).narrower).toEqual([])
    const { broaderTransitive } = await ask('hierarchy')
    expect(Object.keys(broaderTransitive)).toEqual([`${circle}a`])
    expect(broaderTransitive[`${circle}a`]).toMatchObject({ hasChildren: false })
    expect(broaderTransitive[`${circle}a`]).not.toHaveProperty('narrower')
  })
})
