import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from 'jskos-validate'
import { CONCEPT, SKOS } from '../../../src/base/namespaces.ts'
import { CRAFTS, MATERIALS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { CORE, describeOver } from '../../stores.ts'

const crafts = (name: string) => CRAFTS + name
const uris = (records: { uri: string }[]) => records.map(({ uri }) => uri)

/** A vocabulary with what is odd, in the form that the loader gives it. */
const ODD = 'http://example.org/odd/'
const PUBLISHERS = [1, 2, 3, 4, 5].map((number) => `http://publisher.example/${number}`)
const ODD_TURTLE = `
@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix : <${ODD}> .
:note rdf:value "Resource"@de .
<${ODD}> a skos:ConceptScheme ; skos:notation "odd", "ODD" ; skos:prefLabel "Seltsames"@de ; dct:identifier "http://registry.example/9" ;
  skos:definition :note, "Text"@de ; skos:note [ rdf:value "Wert"@de ] ;
  skos:hasTopConcept :top, :top2 ;
  <urn:x-vocabulary-service:notationType> <http://example.org/type>, "de" .
:top a skos:Concept ; skos:inScheme <${ODD}> ; skos:topConceptOf <${ODD}> ; skos:prefLabel "Spitze"@de ; skos:notation "0" ;
  skos:narrower :left, :right, :self, :c1 .
:top2 a skos:Concept ; skos:inScheme <${ODD}> ; skos:topConceptOf <${ODD}> ; skos:broader :top ; skos:narrower :below2 .
:below2 a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :top2 .
:left a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :top ; skos:narrower :deep ; skos:notation "2" .
:right a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :top ; skos:narrower :diamond ; skos:notation "1" .
:deep a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :left ; skos:narrower :diamond ; skos:notation "0.1" .
:diamond a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :deep, :right ; skos:notation "b", "B", "10" .
:self a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :self, :top ; skos:narrower :self ; skos:related :self .
:c1 a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :c3, :top ; skos:narrower :c2 .
:c2 a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :c1 ; skos:narrower :c3 .
:c3 a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :c2 ; skos:narrower :c1 .
:e1 a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :e2 ; skos:narrower :e2 .
:e2 a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :e1 ; skos:narrower :e1 .
:dangling a skos:Concept ; skos:inScheme <${ODD}> ; skos:broader :nowhere ; skos:topConceptOf <${ODD}> .
:dangling skos:related :nowhere .
:nowhere skos:narrower :dangling ; skos:broader :beyond ; skos:topConceptOf <${ODD}> .
:typed a skos:Concept, <http://schema.org/Place> ; skos:inScheme <${ODD}> ; skos:notation "TX"^^<http://example.org/type>, "LX"@de, "A|B" ;
  skos:prefLabel "ohne" ; dct:created "1999"^^xsd:gYear ; dct:modified "2020-02-03"^^xsd:date, "2021-03-04T05:06:07+02:00"^^xsd:dateTime ;
  dct:issued "irgendwann" ; dct:identifier "urn:isbn:3-16-148410-0", <http://id.example/1> ; skos:exactMatch <http://match.example/1> ;
  skos:scopeNote [ rdf:value "Wert"@de ], "Text"@de ; dct:publisher "Verlag" ; owl:deprecated true .
:twice a skos:Concept ; skos:notation "\u00e9" ; skos:inScheme <${ODD}> ; owl:deprecated false, true ;
  dct:publisher ${PUBLISHERS.map((publisher) => `<${publisher}>, "${publisher}"`).join(', ')} .
${PUBLISHERS.map((publisher) => `<${publisher}> skos:prefLabel "P"@en .`).join(' ')}
:two a skos:Concept ; skos:notation "e\u0301" ; skos:inScheme <${ODD}> ; owl:deprecated "perhaps" ; skos:prefLabel "b"@de, "a"@de, "x"@en ; skos:altLabel "z"@de, "y"@de, "w"@de-CH .
`

describeOver(CORE, 'read endpoints', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await putDemo(app)
    await app.put(ODD, ODD_TURTLE)
  }, 120_000)
  afterAll(async () => {
    await app.close()
    await running.stop()
  })

  test('hasChildren tells whether there are narrower concepts, only if it is asked for by name', async () => {
    const names = ['top', 'below2', 'self', 'deep'].map((name) => ODD + name)
    const ask = async (properties: string) => {
      const { body } = await app.ask('/data', { uri: names.join('|'), properties })
      return Object.fromEntries(body.map((record: any) => [record.uri.slice(ODD.length), record]))
    }
    const named = await ask('hasChildren')
    expect(Object.keys(named['top']).sort()).toEqual(['@context', 'hasChildren', 'type', 'uri'])
    const answers = (records: any) => Object.entries<any>(records).map(([name, { hasChildren }]) => [name, hasChildren])
    const expected = [
      ['top', true],
      ['deep', true],
      ['below2', false],
      ['self', false],
    ]
    expect(answers(named)).toEqual(expected)
    expect(answers(await ask('hasChildren,narrower'))).toEqual(expected)
    expect(answers(await ask('*')).flat()).not.toContain(true)
    const { body } = await app.ask('/voc/odd/top', { properties: 'prefLabel,hasChildren', limit: '1' })
    expect(body).toEqual([
      {
        uri: `${ODD}top`,
        type: [CONCEPT],
        '@context': expect.any(String),
        prefLabel: { de: 'Spitze' },
        hasChildren: true,
      },
    ])
  })

  describe('only the notations of a record order it', () => {
    const bare = 'http://example.org/bare/'
    beforeAll(async () => {
      const narrower = (name: string, notation: string) =>
        `<${bare}${name}> a skos:Concept ; skos:inScheme <${bare}> ; skos:broader <${bare}top> ; skos:notation ${notation} .`
      await app.put(
        bare,
        `@prefix skos: <${SKOS}> . <${bare}> a skos:ConceptScheme ; skos:notation "bare" .
         <${bare}top> a skos:Concept ; skos:inScheme <${bare}> ; skos:topConceptOf <${bare}> ; skos:notation "9" ;
           skos:narrower <${bare}a>, <${bare}b>, <${bare}c>, <${bare}d> .
         ${narrower('a', '""')} ${narrower('b', '<urn:x:0>')} ${narrower('c', '"2", ""')} ${narrower('d', '"1"')}`,
      )
    })
    afterAll(async () => {
      await app.client.deleteGraph(bare)
      app.registry.invalidate()
      app.state.changed()
    })

    test.each<[path: string, parameters: Record<string, string>, order: string]>([
      ['/narrower', { uri: `${bare}top` }, 'dcab'],
      ['/descendants', { uri: `${bare}top` }, 'dcab'],
      ['/data', { uri: ['a', 'b', 'c', 'd'].map((name) => bare + name).join('|') }, 'dcab'],
      ['/voc/concepts', { uri: bare, offset: '0', limit: '4' }, 'dctopa'],
      ['/search', { ancestors: `${bare}top` }, 'dcab'],
    ])('%s', async (path, parameters, order) => {
      const { body } = await app.ask(path, { ...parameters, properties: 'notation' })
      expect(body.map(({ uri }: any) => uri.slice(bare.length)).join('')).toBe(order)
    })
  })

  describe('/data', () => {
    test('a concept by uri, with its default fields', async () => {
      const { status, body, headers } = await app.ask('/data', { uri: crafts('bookbinding') })
      expect(status).toBe(200)
      expect(headers.get('x-total-count')).toBe('1')
      expect(body).toHaveLength(1)
      expect(body[0]).toMatchObject({
        uri: crafts('bookbinding'),
        type: [CONCEPT],
        '@context': 'https://gbv.github.io/jskos/context.json',
        inScheme: [
          {
            uri: CRAFTS,
            prefLabel: { de: 'Handwerk und Gestaltung' },
            notation: ['crafts'],
            type: [`${SKOS}ConceptScheme`],
          },
        ],
        topConceptOf: [],
        notation: ['B1'],
        prefLabel: { de: 'Buchbinderei', en: 'Bookbinding' },
        broader: [{ uri: crafts('book-and-paper'), prefLabel: { en: 'Book and paper crafts' }, notation: ['B'] }],
        narrower: [null],
      })
      expect(body[0].altLabel.de).toContain('Buchbinden')
      expect(body[0].hiddenLabel).toBeUndefined()
    })

    test('lists, unknown concepts, order by notation', async () => {
      const list = [crafts('papermaking'), crafts('bookbinding'), crafts('nothing')].join('|')
      const { body, headers } = await app.ask('/data', { uri: list })
      expect(uris(body)).toEqual([crafts('bookbinding'), crafts('papermaking')])
      expect(headers.get('x-total-count')).toBe('2')
      expect((await app.ask('/data', { uri: crafts('nothing') })).body).toEqual([])
    })

    test.each([
      ['its uri', crafts('bookbinding'), [crafts('bookbinding')]],
      ['an identifier that is a text', 'urn:isbn:3-16-148410-0', [`${ODD}typed`]],
      ['an identifier that is an IRI', 'http://id.example/1', [`${ODD}typed`]],
      ['an exact match', 'http://match.example/1', [`${ODD}typed`]],
      ['nothing', 'http://match.example/2', []],
    ])('by id: %s', async (_, id, expected) => {
      expect(uris((await app.ask('/data', { id })).body)).toEqual(expected)
    })

    test.each([
      ['B1', [crafts('bookbinding')]],
      ['B|b', [`${ODD}diamond`, crafts('book-and-paper')]],
      ['TX', [`${ODD}typed`]],
      ['LX', [`${ODD}typed`]],
      ['none', []],
    ])('by notation %s', async (notation, expected) => {
      expect(uris((await app.ask('/data', { notation })).body).sort()).toEqual([...expected].sort())
    })

    test('by notation, whatever the form of its accents', async () => {
      for (const notation of ['\u00e9', 'e\u0301']) {
        expect(uris((await app.ask('/data', { notation })).body).sort()).toEqual([`${ODD}twice`, `${ODD}two`])
      }
    })

    test.each([{ uri: crafts('bookbinding') }, { notation: 'B1' }])(
      '/concepts with %o answers alike',
      async (parameters) => {
        const { body } = await app.ask('/concepts', parameters)
        expect(uris(body)).toEqual([crafts('bookbinding')])
        expect(body).toEqual((await app.ask('/data', parameters)).body)
      },
    )

    test('POST with a form body, for long lists', async () => {
      const many = Array.from({ length: 3000 }, (_, i) => crafts(`none-${i}`))
      const body = new URLSearchParams({ uri: [...many, crafts('bookbinding')].join('|'), properties: '-' })
      const answer = await app.get('/data', { method: 'POST', body })
      expect(uris(answer.body)).toEqual([crafts('bookbinding')])
      expect(
        (await app.get('/data', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }))
          .status,
      ).toBe(400)
    })
  })

  describe('hierarchy', () => {
    test.each([
      ['/narrower', `${ODD}top`, ['right', 'left', 'c1', 'self']],
      ['/narrower', `${ODD}self`, []],
      ['/broader', `${ODD}self`, ['top']],
      ['/broader', `${ODD}dangling`, []],
      ['/descendants', `${ODD}top`, ['deep', 'right', 'diamond', 'left', 'c1', 'c2', 'c3', 'self']],
      ['/descendants', `${ODD}c1`, ['c2', 'c3']],
      ['/ancestors', `${ODD}diamond`, ['right', 'top']],
      ['/ancestors', `${ODD}deep`, ['left', 'top']],
      ['/ancestors', `${ODD}c3`, ['c2', 'c1', 'top']],
      ['/ancestors', `${ODD}e1`, ['e2']],
      ['/ancestors', `${ODD}self`, ['top']],
      ['/ancestors', `${ODD}dangling`, []],
      ['/ancestors', `${ODD}below2`, ['top2']],
      ['/ancestors', `${ODD}top2`, ['top']],
      ['/ancestors', `${ODD}nowhere`, []],
    ])('%s of %s', async (path, uri, expected) => {
      const { body, headers } = await app.ask(path, { uri, limit: '1000' })
      expect(uris(body)).toEqual(expected.map((name) => ODD + name))
      expect(headers.get('x-total-count')).toBe(String(expected.length))
    })

    test.each(['', 'broader', '+publisher', '*'])(
      'a dangling neighbour is a bare uri in a record, properties=%s',
      async (properties) => {
        const { body } = await app.ask('/data', { uri: `${ODD}dangling`, properties })
        expect(body[0].broader).toEqual([{ uri: `${ODD}nowhere` }])
        if (properties === '*') expect(body[0].related).toEqual([{ uri: `${ODD}nowhere` }])
      },
    )

    test('a self-loop is not shown', async () => {
      const { body } = await app.ask('/data', { uri: `${ODD}self`, properties: '*' })
      expect(uris(body[0].broader)).toEqual([`${ODD}top`])
      expect(body[0].narrower).toEqual([])
      expect(body[0].related).toEqual([])
      expect(uris(body[0].ancestors)).toEqual([`${ODD}top`])
    })

    test('ancestors inside a vocabulary are a chain of its concepts, though a shorter one leaves it', async () => {
      const both = 'http://example.org/both/'
      const concept = (name: string, schemes: string[], more: string) =>
        `<${both}${name}> a skos:Concept ; skos:inScheme ${schemes.map((scheme) => `<${both}${scheme}>`).join(', ')} ; ${more} .`
      // More concepts above than come with one request, and few.
      for (const many of [0, 450]) {
        await app.put(
          `${both}a`,
          `@prefix skos: <${SKOS}> . <${both}a> a skos:ConceptScheme ; skos:notation "both-a" .
           ${concept('start', ['a', 'b'], `skos:broader <${both}outside>, <${both}mid>`)}
           ${concept('outside', ['b'], `skos:topConceptOf <${both}b>`)}
           ${concept('mid', ['a'], `skos:broader <${both}top>`)}
           ${concept('top', ['a'], `skos:topConceptOf <${both}a>`)}
           ${Array.from({ length: many }, (_, n) => `<${both}mid> skos:broader <${both}${n}> . ${concept(String(n), ['a'], `skos:broader <${both}top> ; skos:notation "${n}"`)}`).join('\n')}`,
        )
        await app.put(
          `${both}b`,
          `@prefix skos: <${SKOS}> . <${both}b> a skos:ConceptScheme ; skos:notation "both-b" .`,
        )
        const chain = async (voc: string) => {
          const [record] = (await app.ask('/data', { uri: `${both}start`, properties: 'ancestors', voc })).body
          const results = uris((await app.ask('/ancestors', { uri: `${both}start`, properties: '-', voc })).body)
          expect(uris(record.ancestors)).toEqual(results)
          return results
        }
        expect(await chain('*')).toEqual([`${both}outside`])
        expect(await chain('both-a')).toEqual([`${both}mid`, `${both}top`])
        expect(await chain('both-a|subset_crafts-school')).toEqual([`${both}mid`, `${both}top`])
        expect(await chain('both-b')).toEqual([`${both}outside`])
      }
      await app.client.update(`DROP GRAPH <${both}a> ; DROP GRAPH <${both}b>`, `${both}a`)
    })

    test('ancestors of a top concept in a cycle lead to another top concept', async () => {
      const ring = 'http://example.org/ring/'
      await app.put(
        ring,
        `@prefix skos: <${SKOS}> . @prefix : <${ring}> . <${ring}> a skos:ConceptScheme ; skos:notation "ring" .
         :start a skos:Concept ; skos:inScheme <${ring}> ; skos:topConceptOf <${ring}> ; skos:broader :up .
         :up a skos:Concept ; skos:inScheme <${ring}> ; skos:broader :back , :on .
         :back a skos:Concept ; skos:inScheme <${ring}> ; skos:broader :start .
         :on a skos:Concept ; skos:inScheme <${ring}> ; skos:broader :top .
         :top a skos:Concept ; skos:inScheme <${ring}> ; skos:topConceptOf <${ring}> .`,
      )
      const expected = ['up', 'on', 'top'].map((name) => ring + name)
      expect(uris((await app.ask('/ancestors', { uri: `${ring}start` })).body)).toEqual(expected)
      const [record] = (await app.ask('/data', { uri: `${ring}start`, properties: 'ancestors' })).body
      expect(uris(record.ancestors)).toEqual(expected)
      await app.client.deleteGraph(ring)
    })

    test('ancestors of a concept end on top of its own vocabulary, also above concepts of another one', async () => {
      const [a, b] = ['http://example.org/chain/a', 'http://example.org/chain/b']
      const concept = (name: string, scheme: string, more: string) =>
        `<${a}/${name}> a skos:Concept ; skos:inScheme <${scheme}> ; ${more} .`
      for (const many of [0, 450]) {
        const concepts = Array.from({ length: many }, (_, n) => concept(`n${n}`, a, `skos:broader <${a}/top>`))
        await app.put(
          a,
          `@prefix skos: <${SKOS}> . <${a}> a skos:ConceptScheme . <${b}> a skos:ConceptScheme .
           ${concept('start', a, `skos:broader <${a}/other>`)}
           ${concept('other', b, `skos:topConceptOf <${b}> ; skos:broader <${a}/mid>`)}
           ${concept('below', b, `skos:broader <${a}/other>`)}
           ${concept('mid', a, `skos:broader ${[`<${a}/top>`, ...concepts.map((_, n) => `<${a}/n${n}>`)].join(', ')}`)}
           ${concept('top', a, `skos:topConceptOf <${a}> ; skos:broader <${a}/root>`)}
           ${concept('root', b, `skos:topConceptOf <${b}>`)}
           ${concept('lone', a, `skos:broader <${a}/root>`)}
           ${concepts.join('\n')}`,
        )
        for (const [name, chain] of [
          ['start', ['other', 'mid', 'top']],
          ['below', ['other']],
          ['other', ['mid', 'top', 'root']],
          ['lone', ['root']],
          ['root', []],
        ] as const) {
          const expected = chain.map((name) => `${a}/${name}`)
          expect(uris((await app.ask('/ancestors', { uri: `${a}/${name}`, properties: '-' })).body)).toEqual(expected)
          const [record] = (await app.ask('/data', { uri: `${a}/${name}`, properties: 'ancestors' })).body
          expect(uris(record.ancestors)).toEqual(expected)
        }
      }
      await app.client.update(`DROP GRAPH <${a}>`, a)
    })

    test('/ancestors begins at offset, and ignores limit', async () => {
      const { body } = await app.ask('/ancestors', { uri: `${ODD}c3`, limit: '1' })
      expect(body).toHaveLength(3)
      const { body: rest } = await app.ask('/ancestors', { uri: `${ODD}c3`, offset: '1' })
      expect(rest).toEqual(body.slice(1))
    })
  })

  describe('properties', () => {
    const ask = async (properties: string, uri = crafts('bookbinding')) =>
      (await app.get(`/data?uri=${encodeURIComponent(uri)}&properties=${properties}`)).body[0]

    test('a,b: only these and uri, type, @context', async () => {
      expect(Object.keys(await ask('notation,prefLabel')).sort()).toEqual([
        '@context',
        'notation',
        'prefLabel',
        'type',
        'uri',
      ])
      expect(Object.keys(await ask('notation%7CprefLabel')).sort()).toEqual([
        '@context',
        'notation',
        'prefLabel',
        'type',
        'uri',
      ])
    })
    test.each(['+hiddenLabel', '%2BhiddenLabel', ' hiddenLabel', '%20hiddenLabel'])(
      '%j adds to the default',
      async (value) => {
        const record = await ask(value.replaceAll(' ', '%20'), crafts('bookbinding'))
        expect(record.prefLabel).toBeDefined()
        expect(record.narrower).toEqual([null])
        expect(record.hiddenLabel).toMatchObject({ de: ['Buchbindrei'] })
      },
    )
    test('-a is the default without a; a lone - the least', async () => {
      const record = await ask('-definition')
      expect(record.definition).toBeUndefined()
      expect(record.altLabel).toBeDefined()
      expect(Object.keys(await ask('-')).sort()).toEqual(['@context', 'prefLabel', 'type', 'uri'])
    })
    test('-type and -@context leave these out; the URI stays', async () => {
      const named = 'prefLabel,hasChildren,-type,-@context,-uri'
      expect(Object.keys(await ask(named)).sort()).toEqual(['hasChildren', 'prefLabel', 'uri'])
      expect(await ask('*,-type')).not.toHaveProperty('type')
      expect(await ask('-type')).toMatchObject({ '@context': expect.any(String), altLabel: expect.anything() })
      expect(await ask('-type')).not.toHaveProperty('type')
      for (const path of ['/voc/crafts', '/voc/crafts/groups', '/search?query=buch', '/types']) {
        const { body } = await app.get(`${path}${path.includes('?') ? '&' : '?'}properties=prefLabel,-type,-@context`)
        expect([path, body.length]).not.toEqual([path, 0])
        for (const record of body) expect([path, record.type, record['@context']]).toEqual([path, undefined, undefined])
      }
    })
    test('narrower by name or by *: all of them; ancestors too', async () => {
      expect((await ask('narrower')).narrower[0]).toMatchObject({
        uri: expect.any(String),
        prefLabel: { de: expect.any(String) },
      })
      const all = await ask('*')
      expect(all.narrower.length).toBeGreaterThan(1)
      expect(all.narrower).not.toContain(null)
      expect(uris(all.ancestors)).toEqual([crafts('book-and-paper')])
      expect((await ask('narrower', crafts('origami'))).narrower).toEqual([])
    })
    test('ancestors and descendants have labels and notations, though the record itself shows none', async () => {
      const above = { uri: crafts('book-and-paper'), prefLabel: { de: 'Buch- und Papierhandwerk' }, notation: ['B'] }
      expect((await ask('ancestors&languages=de')).ancestors).toEqual([above])
      const { descendants } = await ask('descendants&languages=de', crafts('book-and-paper'))
      const descendant = { uri: crafts('bookbinding'), prefLabel: { de: 'Buchbinderei' }, notation: ['B1'] }
      expect(descendants).toContainEqual(descendant)
      const [{ ancestors }] = (await app.ask('/data', { uri: `${ODD}deep`, properties: '*' })).body
      expect(ancestors).toEqual([
        { uri: `${ODD}left`, notation: ['2'] },
        { uri: `${ODD}top`, prefLabel: { de: 'Spitze' }, notation: ['0'] },
      ])
    })
    test('descendants by name', async () => {
      expect(uris((await ask('descendants', `${ODD}right`)).descendants)).toEqual([`${ODD}diamond`])
    })
    test('an array that was asked for is an array; unknown names are ignored', async () => {
      const record = await ask(
        '+related,identifier,mappings,mapping,creator,ancestors,nonsense,exactMatch',
        `${ODD}two`,
      )
      expect(record).not.toHaveProperty('exactMatch')
      for (const name of ['related', 'identifier', 'mappings', 'mapping', 'creator', 'ancestors'])
        expect(record[name]).toEqual([])
    })
    test('mapping in the form of the specification and mappings in that of JSKOS', async () => {
      const record = await ask('mapping,mappings', `${ODD}typed`)
      const from = `${ODD}typed`
      const to = 'http://match.example/1'
      expect(record.mapping).toEqual([{ type: `${SKOS}exactMatch`, from, to }])
      expect(record.mappings).toEqual([
        { type: [`${SKOS}exactMatch`], from: { memberSet: [{ uri: from }] }, to: { memberSet: [{ uri: to }] } },
      ])
    })
    test('dates, notes that are resources, notations with types, publishers that are texts', async () => {
      const record = await ask('*', `${ODD}typed`)
      expect(record).toMatchObject({
        created: '1999',
        modified: '2021-03-04',
        notation: ['A|B', 'LX', 'TX'],
        prefLabel: { und: 'ohne' },
        publisher: [{ prefLabel: { und: 'Verlag' } }],
        scopeNote: { de: ['Text', 'Wert'] },
        deprecated: true,
        type: [CONCEPT, 'http://schema.org/Place'],
      })
      expect(record.issued).toBeUndefined()
    })
    test('a text never takes the name of the node that has it as its URI; true counts more than false', async () => {
      const { publisher, deprecated } = await ask('publisher,deprecated', `${ODD}twice`)
      expect(publisher).toEqual(PUBLISHERS.map((uri) => ({ uri, prefLabel: { en: 'P' } })))
      expect(deprecated).toBe(true)
    })
    test('what is neither true nor false is left out', async () => {
      expect(await ask('deprecated', `${ODD}two`)).not.toHaveProperty('deprecated')
    })
  })

  describe('languages', () => {
    test('keeps these, and one prefLabel if none is left', async () => {
      const { body } = await app.ask('/data', { uri: crafts('bookbinding'), languages: 'en' })
      expect(body[0].prefLabel).toEqual({ en: 'Bookbinding' })
      expect(Object.keys(body[0].altLabel)).toEqual(['en'])
      expect(body[0].inScheme[0].prefLabel).toEqual({ en: 'Crafts and Design' })
      const french = (await app.ask('/data', { uri: crafts('bookbinding'), languages: 'fr', language: 'en' })).body[0]
      expect(french.prefLabel).toEqual({ en: 'Bookbinding' })
      expect(french.altLabel).toBeUndefined()
    })
    test('tags match exactly; one prefLabel a language, altLabels in code point order', async () => {
      const { body } = await app.ask('/data', { uri: `${ODD}two`, languages: 'de' })
      expect(body[0]).toMatchObject({ prefLabel: { de: 'a' }, altLabel: { de: ['y', 'z'] } })
      expect(body[0].altLabel['de-ch']).toBeUndefined()
    })
    test('language is a preference and drops nothing', async () => {
      const { body, headers } = await app.ask('/data', { uri: crafts('bookbinding'), language: 'en,de,fr,cs,jp' })
      expect(Object.keys(body[0].prefLabel)).toEqual(['de', 'en'])
      expect(headers.get('content-language')).toBe('en')
    })
  })

  describe('voc', () => {
    test.each([
      ['crafts', 5],
      [CRAFTS, 5],
      [CRAFTS.replace(/\/$/, ''), 5],
      [CRAFTS.replace('http:', 'https:'), 5],
      ['materials|crafts', 5],
      ['*', 5],
      ['', 5],
      ['materials', 0],
      ['unknown', 0],
      ['http://example.org/unknown', 0],
    ])('%j', async (voc, expected) => {
      const { body, headers } = await app.ask('/narrower', { uri: crafts('book-and-paper'), voc })
      expect(body).toHaveLength(expected)
      expect(headers.get('x-total-count')).toBe(String(expected))
    })

    test('a subset: members only, in lists and in records, with its own notes', async () => {
      const school = (await app.ask('/data', { uri: crafts('origami'), voc: 'subset_crafts-school', properties: '*' }))
        .body
      expect(school[0].scopeNote.en).toContain(
        'From year 1; square paper is all that is needed. Goes well with geometry.',
      )
      expect(school[0].broader).toEqual([])
      const plain = (await app.ask('/data', { uri: crafts('origami'), properties: '*' })).body
      expect(JSON.stringify(plain[0].scopeNote ?? {})).not.toContain('From year 1')
      expect(plain[0].broader).not.toEqual([])
      expect((await app.ask('/data', { uri: crafts('bookbinding'), voc: 'subset_crafts-school' })).body).toEqual([])
      const members = uris((await app.ask('/voc/concepts', { uri: `${CRAFTS}subset/school` })).body)
      expect(members).toHaveLength(17)
      const below = uris((await app.ask('/descendants', { uri: crafts('textiles'), voc: 'subset_crafts-school' })).body)
      expect(below.length).toBeGreaterThan(2)
      for (const uri of below) expect(members).toContain(uri)
      const top = uris((await app.get('/voc/subset_crafts-textile/top')).body)
      expect(top).toEqual([crafts('textiles')])
    })

    test('top concepts are those of the vocabulary or subset in the path, within `voc`', async () => {
      const top = async (path: string, voc: string) => {
        const list = uris((await app.ask(`/voc/${path}/top`, { voc, properties: '-' })).body)
        expect(uris((await app.ask('/voc/top', { uri: URIS[path]!, voc, properties: '-' })).body)).toEqual(list)
        return list
      }
      const URIS: Record<string, string> = {
        crafts: CRAFTS,
        materials: MATERIALS,
        'subset_crafts-school': `${CRAFTS}subset/school`,
        'subset_crafts-textile': `${CRAFTS}subset/textile`,
      }
      const school = await top('subset_crafts-school', '')
      expect(school).toHaveLength(16)
      expect(await top('crafts', 'subset_crafts-school')).toEqual(school)
      expect(await top('crafts', 'materials|subset_crafts-school')).toEqual(school)
      expect(await top('subset_crafts-school', 'crafts')).toEqual(school)
      expect(await top('materials', 'subset_crafts-school')).toEqual([])
      expect(await top('subset_crafts-school', 'materials')).toEqual([])
      expect(await top('subset_crafts-school', 'unknown')).toEqual([])
      for (const path of ['crafts', 'materials']) {
        expect(await top(path, `${path}|subset_crafts-school`)).toEqual(await top(path, ''))
      }
      // All but tablet weaving, which is below weaving.
      const both = uris((await app.get('/voc/subset_crafts-school/concepts?voc=subset_crafts-textile')).body)
      const expected = both.filter((uri) => uri !== crafts('tablet-weaving'))
      expect(expected).toHaveLength(7)
      expect(await top('subset_crafts-school', 'subset_crafts-textile')).toEqual(expected)
      expect(await top('subset_crafts-textile', 'subset_crafts-school')).toEqual(expected)
    })

    test('a subset in the path restricts what records show, with any `voc`', async () => {
      const properties = 'scopeNote,broader,narrower'
      const ask = async (path: string, voc = '') =>
        (await app.ask(`/voc/subset_crafts-${path}`, { voc, properties })).body
      for (const list of ['school/top', 'school/concepts']) {
        const whole = await ask(list)
        expect(whole[0].scopeNote).toBeDefined()
        expect(whole[0].broader).toEqual([])
        expect(await ask(list, 'crafts')).toEqual(whole)
        const inBoth = await ask(list, 'subset_crafts-textile')
        expect(inBoth).toEqual(whole.filter(({ uri }: any) => uris(inBoth).includes(uri)))
      }
      expect(await ask('textile/concepts', 'subset_crafts-school')).toEqual(
        await ask('school/concepts', 'subset_crafts-textile'),
      )
      const several = { uri: `${MATERIALS}|${CRAFTS}subset/school`, properties, limit: '0' }
      expect((await app.ask('/voc/concepts', several)).headers.get('x-total-count')).toBe('50')
    })

    test('a vocabulary and a subset: records show the whole hierarchy of the vocabulary, and the members of the subset', async () => {
      const [materials, properties] = [
        `materials|subset_crafts-school`,
        'broader,narrower,hasChildren,ancestors,descendants',
      ]
      const all = { uri: `${MATERIALS}wool|${MATERIALS}animal-fibres|${MATERIALS}animal-materials`, properties }
      const whole = (await app.ask('/data', { ...all, voc: 'materials' })).body
      expect(uris(whole.find(({ uri }: any) => uri === `${MATERIALS}wool`).ancestors)).toHaveLength(2)
      expect((await app.ask('/data', { ...all, voc: materials })).body).toEqual(whole)
      const above = await app.ask('/ancestors', { uri: `${MATERIALS}wool`, voc: materials })
      expect(uris(above.body)).toEqual([`${MATERIALS}animal-fibres`, `${MATERIALS}animal-materials`])
      const weaving = { uri: crafts('weaving'), properties: `scopeNote,${properties}` }
      const school = (await app.ask('/data', { ...weaving, voc: 'subset_crafts-school' })).body
      expect(uris(school[0].narrower)).toEqual([crafts('tablet-weaving')])
      expect((await app.ask('/data', { ...weaving, voc: materials })).body).toEqual(school)
    })
  })

  describe('pages', () => {
    test('limit, offset, X-Total-Count and Link; pages never overlap', async () => {
      const all = uris((await app.ask('/descendants', { uri: crafts('textiles') })).body)
      const paged: string[] = []
      for (let offset = 0; offset < all.length; offset += 7) {
        const { body, headers } = await app.ask('/descendants', {
          uri: crafts('textiles'),
          limit: '7',
          offset: String(offset),
        })
        expect(headers.get('x-total-count')).toBe(String(all.length))
        expect(headers.get('link')).toContain('rel="first"')
        paged.push(...uris(body))
      }
      expect(paged).toEqual(all)
      const { headers } = await app.ask('/descendants', { uri: crafts('textiles'), limit: '7', offset: '7' })
      expect(headers.get('link')).toMatch(/offset=0>; rel="prev"/)
      expect(headers.get('link')).toMatch(/offset=14>; rel="next"/)
    })
    test('limit=0: no records, just the count; an offset beyond the end', async () => {
      const none = await app.ask('/narrower', { uri: crafts('book-and-paper'), limit: '0' })
      expect(none.body).toEqual([])
      expect(none.headers.get('x-total-count')).toBe('5')
      const beyond = await app.ask('/narrower', { uri: crafts('book-and-paper'), offset: '100' })
      expect(beyond.body).toEqual([])
      expect(beyond.headers.get('x-total-count')).toBe('5')
    })
    test('order: by the smallest notation in code points, then uri, without one last', async () => {
      const { body } = await app.ask('/voc/concepts', { uri: ODD })
      const keys = body.map((record: any) => [...(record.notation ?? [])].sort()[0])
      const notations = keys.filter((key: unknown) => key !== undefined)
      expect(keys.slice(notations.length).every((key: unknown) => key === undefined)).toBe(true)
      expect(notations).toEqual([...notations].sort())
    })
  })

  describe('/voc', () => {
    test('all vocabularies, no subsets; subset=true, only, of a vocabulary', async () => {
      const ids = async (query: string) => (await app.get(`/voc${query}`)).body.map((record: any) => record.notation[0])
      expect(await ids('')).toEqual(
        ['odd', 'crafts', 'materials'].sort((a, b) => (a === 'odd' ? -1 : b === 'odd' ? 1 : 0)),
      )
      expect(await ids('?subset=true')).toHaveLength(5)
      expect(await ids('?subset=only')).toEqual(['subset_crafts-school', 'subset_crafts-textile'])
      expect(await ids('?subset=crafts')).toHaveLength(2)
      expect(await ids(`?subset=${encodeURIComponent(CRAFTS)}`)).toHaveLength(2)
      expect(await ids('?subset=materials')).toEqual([])
      expect(await ids('?notation=crafts%7Cmaterials')).toEqual(['crafts', 'materials'])
      expect(await ids('?notation=unknown')).toEqual([])
      expect(await ids(`?uri=${encodeURIComponent(CRAFTS.slice(0, -1))}`)).toEqual(['crafts'])
      expect(await ids(`?id=${encodeURIComponent('http://registry.example/9')}`)).toEqual(['odd'])
      expect(await ids('?limit=1&offset=1')).toEqual(['crafts'])
      expect(await ids('?voc=crafts')).toEqual(['crafts'])
      expect(await ids('?voc=subset_crafts-school%7Cmaterials')).toEqual(['materials', 'subset_crafts-school'])
      expect(await ids('?voc=subset_crafts-school&subset=false')).toEqual([])
      expect(await ids('?voc=*')).toEqual(await ids(''))
    })
    test('a record: ids first, the other form of the URI among the identifiers, browsable', async () => {
      const { body } = await app.get('/voc/odd')
      expect(body).toHaveLength(1)
      expect(body[0]).toMatchObject({ uri: ODD, notation: ['odd', 'ODD'], topConcepts: [null], concepts: [null] })
      expect(body[0].identifier).toEqual(expect.arrayContaining([ODD.slice(0, -1), 'http://registry.example/9']))
      const subset = (await app.get('/voc/subset_crafts-school')).body[0]
      expect(subset.partOf[0]).toMatchObject({ uri: CRAFTS, notation: ['crafts'] })
    })
    test('whether a subset has concepts, whatever its class', async () => {
      for (const id of ['subset_crafts-school', 'subset_crafts-textile']) {
        expect((await app.get(`/voc/${id}`)).body[0]).toMatchObject({ concepts: [null], topConcepts: [null] })
      }
      const part = `${ODD}part`
      const members = async (turtle: string) => {
        const members = turtle && ` ; skos:member ${turtle}`
        await app.put(
          part,
          `@prefix skos: <${SKOS}> . @prefix : <${ODD}> .
           <${part}> <http://purl.org/dc/terms/isPartOf> <${ODD}> ; skos:notation "subset_odd"${members} .`,
        )
        const { concepts, topConcepts } = (await app.get('/voc/subset_odd')).body[0]
        const lists = [await app.get('/voc/subset_odd/concepts'), await app.get('/voc/subset_odd/top')]
        expect(lists.map(({ body }) => body.length > 0)).toEqual([concepts, topConcepts].map((list) => list.length > 0))
        return [concepts, topConcepts]
      }
      expect(await members('')).toEqual([[], []])
      expect(await members(':top, :left')).toEqual([[null], [null]])
      expect(await members(':deep, :diamond')).toEqual([[null], [null]])
      expect(await members(':e1, :e2')).toEqual([[null], []])
      expect(await members(':note, "text"')).toEqual([[], []])
      await app.client.deleteGraph(part)
    })
    test('a subset has the properties of its vocabulary, unless it has its own', async () => {
      const [[school], [whole]] = [
        (await app.get('/voc/subset_crafts-school')).body,
        (await app.get('/voc/crafts')).body,
      ]
      for (const name of ['publisher', 'license', 'creator', 'languages', 'namespace', 'url', 'version']) {
        expect([name, school[name]]).toEqual([name, whole[name]])
      }
      expect(school.publisher[0]).toHaveProperty('prefLabel')
      expect(school).toMatchObject({
        prefLabel: { en: 'School subset' },
        created: '2024-08-19',
        identifier: [`${CRAFTS}subset/school/`],
      })
      const { text } = await app.get('/voc/subset_crafts-school?format=ntriples')
      expect(text).toContain(
        `<${CRAFTS}subset/school> <http://purl.org/dc/terms/publisher> <${whole.publisher[0].uri}> .`,
      )

      const part = `${ODD}part`
      await app.put(
        part,
        `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
         <${part}> dct:isPartOf <${CRAFTS.slice(0, -1)}> ; skos:notation "subset_part" ; dct:publisher "Own" ; skos:member <${crafts('origami')}> .`,
      )
      const [record] = (await app.get('/voc/subset_part')).body
      expect(record).toMatchObject({ prefLabel: whole.prefLabel, license: whole.license })
      expect(record.publisher).toEqual([{ prefLabel: { und: 'Own' } }])
      expect(record).not.toHaveProperty('definition')
      const chosen = async (query: string) =>
        (await app.get(`/voc?subset=only&${query}`)).body.map(({ notation }: { notation: string[] }) => notation[0])
      const publisher = `publisher=${encodeURIComponent(whole.publisher[0].uri)}`
      expect(await chosen(publisher)).toEqual(['subset_crafts-school', 'subset_crafts-textile'])
      expect(await chosen('sort=label&language=en')).toEqual([
        'subset_part',
        'subset_crafts-school',
        'subset_crafts-textile',
      ])
      await app.client.deleteGraph(part)
    })
    test('sorted by the dates that records show', async () => {
      const at = 'http://example.org/dated/'
      const dated = {
        a: '"2018-05-01"',
        b: '"2020-02-30", "2019-01-01T10:00:00+02:00"',
        c: '"2020"',
        d: '"now"',
      }
      for (const [name, dates] of Object.entries(dated)) {
        await app.put(
          at + name,
          `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
           <${at}${name}> a skos:ConceptScheme ; dct:created ${dates} ; dct:modified ${dates} .`,
        )
      }
      const all = Object.keys(dated).map((name) => at + name)
      for (const sort of ['created', 'modified']) {
        const order = async (order: string) => {
          const { body } = await app.ask('/voc', { uri: all.join('|'), sort, order })
          return body.map(({ uri, [sort]: date }: Record<string, string>) => [uri!.slice(at.length), date])
        }
        expect(await order('asc')).toEqual([
          ['a', '2018-05-01'],
          ['b', '2019-01-01'],
          ['c', '2020'],
          ['d', undefined],
        ])
        expect(await order('desc')).toEqual([
          ['c', '2020'],
          ['b', '2019-01-01'],
          ['a', '2018-05-01'],
          ['d', undefined],
        ])
      }
      for (const graph of all) await app.client.deleteGraph(graph)
    })
    test('notes that are resources', async () => {
      const { body } = await app.ask('/voc/odd', { properties: '*' })
      expect(body[0]).toMatchObject({ definition: { de: ['Resource', 'Text'] }, note: { de: ['Wert'] } })
    })
    test('top concepts, by id and by uri, with type', async () => {
      expect((await app.get('/voc/crafts/top')).body).toHaveLength(8)
      expect((await app.ask('/voc/top', { uri: MATERIALS })).body).toHaveLength(4)
      expect((await app.ask('/voc/top', { uri: 'http://example.org/unknown' })).body).toEqual([])
      expect((await app.ask('/voc/crafts/top', { type: CONCEPT })).body).toHaveLength(8)
      expect((await app.ask('/voc/crafts/top', { type: 'http://schema.org/Place' })).body).toEqual([])
      expect(uris((await app.ask('/voc/concepts', { uri: ODD, type: 'http://schema.org/Place' })).body)).toEqual([
        `${ODD}typed`,
      ])
    })
    test.each([
      ['odd', ODD],
      ['crafts', CRAFTS],
      ['subset_crafts-school', `${CRAFTS}subset/school`],
    ])('all concepts of %s are the same by id and by uri', async (id, uri) => {
      for (const parameters of [{}, { limit: '2', offset: '3' }, { type: 'http://schema.org/Place' }]) {
        const [byId, byUri] = [
          await app.ask(`/voc/${id}/concepts`, parameters),
          await app.ask('/voc/concepts', { uri, ...parameters }),
        ]
        expect(byId.body).toEqual(byUri.body)
        expect(byId.headers.get('x-total-count')).toBe(byUri.headers.get('x-total-count'))
      }
      const file = await app.ask(`/voc/${id}/concepts`, { download: 'ndjson' })
      expect(file.text).toBe((await app.ask('/voc/concepts', { uri, download: 'ndjson' })).text)
      expect(file.headers.get('content-disposition')).toMatch(new RegExp(`filename="?${id}\\.ndjson"?$`))
    })
    test('an unknown id in the path is 404', async () => {
      for (const path of ['/voc/unknown', '/voc/unknown/top', '/voc/unknown/concepts']) {
        const { status, body } = await app.get(path)
        expect(status).toBe(404)
        expect(body).toMatchObject({ error: 'EntityNotFoundError', status: 404 })
        expect(body.message).toContain('unknown')
      }
    })
  })

  test('every record of every endpoint is valid JSKOS', async () => {
    const paths = [
      '/voc?subset=true',
      '/voc/crafts/top?properties=*',
      `/voc/concepts?uri=${encodeURIComponent(CRAFTS)}&properties=*`,
      `/voc/concepts?uri=${encodeURIComponent(ODD)}&properties=*`,
      `/voc/concepts?uri=${encodeURIComponent(MATERIALS)}`,
      `/ancestors?uri=${encodeURIComponent(crafts('blaudruck'))}`,
      `/descendants?uri=${encodeURIComponent(crafts('textiles'))}&properties=*`,
    ]
    for (const path of paths) {
      const { body } = await app.get(path)
      expect(body.length).toBeGreaterThan(0)
      for (const record of body) {
        expect({ record, valid: validate(record, { unknownFields: true }) }).toMatchObject({ valid: true })
        expect(record.uri).toMatch(/^http/)
        expect(record.type[0]).toMatch(/core#Concept(Scheme)?$/)
      }
    }
  })

  describe('bad input is refused with the name of the parameter', () => {
    const uri = encodeURIComponent(crafts('bookbinding'))
    test.each([
      ['/data', 'uri, id, notation'],
      ['/data?uri=', 'uri, id, notation'],
      [`/data?uri=${uri}&id=${uri}`, 'uri, id, notation'],
      ['/data?uri=relative', 'uri'],
      ['/data?uri=http://a%20b', 'uri'],
      ['/data?uri=http://a/%00', 'uri'],
      ['/data?uri=%zz', 'uri'],
      ['/data?uri=%ff', 'uri'],
      ['/data?uri=%C3%28', 'uri'],
      [`/data?uri=${uri}&uri=${uri}`, 'uri'],
      [`/data?uri[]=${uri}`, 'uri'],
      [`/data?uri[a]=${uri}`, 'uri'],
      [`/data?uri%5B0%5D=${uri}`, 'uri'],
      [`/data?uri=http://example.org/${'x'.repeat(9000)}`, 'uri'],
      ['/data?notation=%00', 'notation'],
      ['/narrower', 'uri'],
      ['/narrower?uri=', 'uri'],
      ['/narrower?uri=%7C', 'uri'],
      ['/data?uri=%7C%7C', 'uri, id, notation'],
      ['/broader?url=x', 'uri'],
      ['/ancestors?uri=http://a/1%7Chttp://a/2', 'uri'],
      ['/voc/top', 'uri'],
      [`/narrower?uri=${uri}&limit=ten`, 'limit'],
      [`/narrower?uri=${uri}&limit=-1`, 'limit'],
      [`/narrower?uri=${uri}&limit=1e3`, 'limit'],
      [`/narrower?uri=${uri}&limit=1.5`, 'limit'],
      [`/narrower?uri=${uri}&limit=%2B1`, 'limit'],
      [`/narrower?uri=${uri}&offset=a`, 'offset'],
      [`/narrower?uri=${uri}&limit=1&limit=2`, 'limit'],
      [`/narrower?uri=${uri}&languages=d%22e`, 'languages'],
      [`/narrower?uri=${uri}&language=toolonglanguage`, 'language'],
      [`/narrower?uri=${uri}&properties[]=a`, 'properties'],
      ['/voc/crafts/top?type=http://a%3Eb', 'type'],
      ['/voc?uri=no', 'uri'],
    ])('%s', async (path, name) => {
      const { status, body } = await app.get(path)
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: 'MalformedRequestError', status: 400 })
      expect(body.message.startsWith(`${name}:`)).toBe(true)
    })

    test('unknown parameters are ignored, whatever their value', async () => {
      const { status } = await app.get(`/data?uri=${uri}&cache=1&cache=2&x[]=1&format=json&%F0%9F%A7%AA=1`)
      expect(status).toBe(200)
    })

    test('methods, paths and bodies that are none', async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await app.get('/narrower', { method })
        expect(answer.status).toBe(405)
        expect(answer.headers.get('allow')).toBe('GET, HEAD')
        expect(answer.body.error).toBe('MethodNotAllowedError')
      }
      expect((await app.get('/nothing')).body).toMatchObject({ error: 'EntityNotFoundError', status: 404 })
      expect((await app.get('/voc/%zz')).status).toBe(400)
      expect((await app.get('/%00')).status).toBe(404)
      const tooLarge = new URLSearchParams({ notation: 'x'.repeat(2_000_000) })
      expect((await app.get('/data', { method: 'POST', body: tooLarge })).status).toBe(413)
      expect(app.reported).toEqual([])
    })

    test('a slash at the end and the oddities of old clients are accepted', async () => {
      expect((await app.get(`/narrower/?uri=${uri}&format=json`)).status).toBe(200)
      expect((await app.get('/voc&cache=1&limit=1')).body).toHaveLength(1)
      expect(Array.isArray((await app.get('/testAPICalls')).body)).toBe(true)
    })
  })

  test('HEAD, CORS, ETag and 304', async () => {
    const path = `/narrower?uri=${encodeURIComponent(crafts('book-and-paper'))}`
    const head = await app.get(path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers.get('x-total-count')).toBe('5')
    const full = await app.get(path, { headers: { origin: 'http://catalogue.example' } })
    expect(full.headers.get('access-control-allow-origin')).toBe('*')
    expect(full.headers.get('access-control-expose-headers')).toMatch(/X-Total-Count.*Link/)
    expect(full.headers.get('vary')).toMatch(/Accept-Encoding/)
    const again = await app.get(path, { headers: { 'if-none-match': full.headers.get('etag')! } })
    expect(again.status).toBe(304)
    const preflight = await app.get(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://catalogue.example',
        'access-control-request-headers': 'authorization',
        'access-control-request-method': 'GET',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization')
  })

  test('/status, /healthz and /readyz', async () => {
    const { body } = await app.get('/status')
    expect(body.ok).toBe(1)
    for (const name of ['schemes', 'top', 'data', 'concepts', 'narrower', 'ancestors', 'suggest', 'search', 'types']) {
      expect(body[name]).toMatch(/^http:\/\/localhost:\d+\//)
    }
    expect(body.concepts).toBe(body.data.replace(/data$/, 'concepts'))
    expect(Object.keys(body.config).length).toBeGreaterThan(0)
    expect((await app.get('/healthz')).status).toBe(200)
    expect((await app.get('/readyz')).status).toBe(200)
  })
})
