/** Correspondences of XKOS as concordances, and statements of SKOS as mappings, from files of RDF. */
import { afterAll, expect, test } from '@jest/globals'
import { SKOS, XKOS } from '../../../src/base/namespaces.ts'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import type { Mapping } from '../../../src/graph/jskos/mapping.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
const [OLD, NEW, AN] = ['http://example.org/jobs/1990/', 'http://example.org/jobs/2020/', 'http://example.org/an/']
const PREFIXES = `
  @prefix skos: <${SKOS}> . @prefix xkos: <${XKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix o: <${OLD}> . @prefix n: <${NEW}> . @prefix an: <${AN}> .`
const vocabulary = (uri: string, notation: string, codes: string[]) => `${PREFIXES}
  <${uri}> a skos:ConceptScheme ; skos:notation "${notation}" .
  ${codes.map((code) => `<${uri}${code}> a skos:Concept ; skos:inScheme <${uri}> ; skos:notation "${code}" ; skos:prefLabel "job ${code}"@en .`).join('\n')}`

/** The vocabularies are compared in the other order than that of the associations. */
const JOBS = `${PREFIXES}
  an:jobs a xkos:Correspondence ; dct:title "Jobs then and now"@en ; dct:created "2021-02-03" ;
    dct:creator [ rdfs:label "Office of Jobs"@en ] ;
    xkos:compares <${NEW}>, <${OLD}> ; xkos:madeOf an:1, an:2, an:3, an:4, [ xkos:sourceConcept o:5 ; xkos:targetConcept n:50 ] ;
    rdfs:seeAlso <http://example.org/more> ; xkos:belongsTo <http://example.org/all> .
  an:1 a xkos:ConceptAssociation ; xkos:sourceConcept o:1 ; xkos:targetConcept n:10 .
  o:1 skos:exactMatch n:10 .
  an:2 a xkos:ConceptAssociation ; xkos:sourceConcept o:2 ; xkos:targetConcept n:20, n:21 ; skos:note "split"@en .
  an:3 a xkos:ConceptAssociation ; xkos:sourceConcept o:3, o:4 ; xkos:targetConcept n:30 .
  an:4 a xkos:ConceptAssociation ; xkos:targetConcept n:40 .
  o:6 skos:closeMatch n:60 .`
const C = `${AN}jobs`

describeOver(EMBEDDED, 'mappings in RDF', (store) => {
  let app: RunningApp
  let index: IndexOfCommands
  const ask = async (parameters: Record<string, string>, path = '/mappings') => {
    app.registry.invalidate()
    app.state.changed()
    const { status, body } = await app.ask(path, parameters)
    expect(status).toBe(200)
    return body
  }
  const codes = ({ from, to }: Mapping) =>
    [from, to].map(({ memberSet }) => memberSet!.map((concept) => concept!.uri!.split('/').at(-1)).sort())
  const all = async (parameters: Record<string, string> = { partOf: C }) => {
    const mappings: Mapping[] = await ask(parameters)
    return mappings.map((mapping) => [...codes(mapping), mapping.type]).sort()
  }

  afterAll(() => index.close())
  shareApp(store, async (shared) => {
    app = shared
    index = new IndexOfCommands(app.config.dataDir, (error) => {
      throw error
    })
    for (const [name, uri, list] of [
      ['jobs90', OLD, ['1', '2', '3', '4', '5', '6']],
      ['jobs20', NEW, ['10', '20', '21', '30', '40', '50', '60']],
    ] as const) {
      const file = await write(`${name}.ttl`, vocabulary(uri, name, [...list]))
      await loadVocabulary(app.client, [file], { index })
    }
  })

  const RELATED = [`${SKOS}mappingRelation`]
  const EXPECTED = [
    [['1'], ['10'], [`${SKOS}exactMatch`]],
    [['2'], ['20', '21'], RELATED],
    [['3', '4'], ['30'], RELATED],
    [['5'], ['50'], RELATED],
    [['6'], ['60'], [`${SKOS}closeMatch`]],
    [[], ['40'], RELATED],
  ].sort()

  test('a correspondence is a concordance with its associations, in their direction', async () => {
    const report = await loadConcordances(app.client, [await write('jobs.ttl', JOBS)], { index })
    expect(report).toEqual({
      loaded: [{ uri: C, mappings: 6 }],
      warnings: [],
      ignoredProperties: [`${XKOS}belongsTo`],
      unknownSchemes: [],
    })
    expect(await ask({}, '/concordances')).toMatchObject([
      {
        uri: C,
        type: ['http://rdfs.org/ns/void#Linkset', `${XKOS}Correspondence`],
        prefLabel: { en: 'Jobs then and now' },
        created: '2021-02-03',
        creator: [{ prefLabel: { en: 'Office of Jobs' } }],
        fromScheme: { uri: OLD, notation: ['jobs90'] },
        toScheme: { uri: NEW, notation: ['jobs20'] },
        extent: '6',
      },
    ])
    expect(await all()).toEqual(EXPECTED)
  })

  test('associations keep their URI and notes, and are found from both sides', async () => {
    const [split] = await ask({ to: `${NEW}21` })
    expect(split).toMatchObject({
      fromScheme: { uri: OLD, notation: ['jobs90'] },
      toScheme: { uri: NEW, notation: ['jobs20'] },
      note: { en: ['split'] },
      partOf: [{ uri: C }],
      identifier: expect.arrayContaining([`${AN}2`]),
    })
    expect(await ask({ identifier: `${AN}2` })).toHaveLength(1)
    const exact = `ASK { GRAPH <${C}> { <${OLD}1> <${SKOS}exactMatch> <${NEW}10> } }`
    expect(await app.client.ask({ name: 'test', text: exact })).toBe(true)
    const [record] = await ask({ uri: `${OLD}1`, properties: 'mappings' }, '/data')
    expect(record.mappings.map(codes)).toEqual([[['1'], ['10']]])
  })

  const TRIPLES = [
    [C, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', `${XKOS}Correspondence`],
    ...[OLD, NEW].map((uri) => [C, `${XKOS}compares`, uri]),
    [C, `${XKOS}madeOf`, `${AN}1`],
    [`${AN}1`, `${XKOS}sourceConcept`, `${OLD}1`],
    [`${AN}1`, `${XKOS}targetConcept`, `${NEW}10`],
  ] as const
  const NTRIPLES = TRIPLES.map((triple) => `${triple.map((iri) => `<${iri}>`).join(' ')} .`).join('\n')
  const FORMS: [name: string, text: string][] = [
    ['jobs.nt', NTRIPLES],
    ['jobs', NTRIPLES],
    [
      'jobs.rdf',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:xkos="${XKOS}">
        <xkos:Correspondence rdf:about="${C}">
          <xkos:compares rdf:resource="${OLD}"/><xkos:compares rdf:resource="${NEW}"/>
          <xkos:madeOf><xkos:ConceptAssociation rdf:about="${AN}1">
            <xkos:sourceConcept rdf:resource="${OLD}1"/><xkos:targetConcept rdf:resource="${NEW}10"/>
          </xkos:ConceptAssociation></xkos:madeOf>
        </xkos:Correspondence></rdf:RDF>`,
    ],
    [
      'jobs.json',
      JSON.stringify({
        '@context': { '@vocab': XKOS },
        '@id': C,
        '@type': 'Correspondence',
        compares: [{ '@id': OLD }, { '@id': NEW }],
        madeOf: { '@id': `${AN}1`, sourceConcept: { '@id': `${OLD}1` }, targetConcept: { '@id': `${NEW}10` } },
      }),
    ],
  ]
  test.each(FORMS)('%s replaces the associations', async (name, text) => {
    const report = await loadConcordances(app.client, [await write(name, text)], { index })
    expect(report.loaded).toEqual([{ uri: C, mappings: 1 }])
    expect(await all()).toEqual([[['1'], ['10'], RELATED]])
    const [concordance] = await ask({}, '/concordances')
    expect(concordance).toMatchObject({ fromScheme: { uri: OLD }, toScheme: { uri: NEW }, extent: '1' })
  })

  test('a correspondence without associations keeps the mappings; so does a record', async () => {
    const bare = `${PREFIXES} an:jobs a xkos:Correspondence ; skos:prefLabel "Jobs"@en ; xkos:compares <${OLD}>, <${NEW}> .`
    const files = [await write('bare.ttl', bare)]
    expect((await loadConcordances(app.client, files, { index })).loaded).toEqual([{ uri: C }])
    expect(await all()).toHaveLength(1)
    expect(await ask({}, '/concordances')).toMatchObject([{ prefLabel: { en: 'Jobs' } }])
  })

  test('a concordance of vocabularies that are elsewhere: their order in the file, and a warning', async () => {
    const text = `${PREFIXES}
      an:far xkos:compares <urn:b>, <urn:a> ; xkos:madeOf [ xkos:sourceConcept <urn:x:1> ; xkos:targetConcept <urn:y:1> ] .
      an:9 xkos:sourceConcept <urn:x:2> ; xkos:targetConcept <urn:y:2> .
      an:jobs xkos:compares <${OLD}> .`
    const report = await loadConcordances(app.client, [await write('far.ttl', text)], { index })
    expect(report).toMatchObject({
      loaded: [{ uri: `${AN}far`, mappings: 1 }, { uri: C }],
      warnings: ['far.ttl: 1 mappings belong to no correspondence'],
      unknownSchemes: ['urn:a', 'urn:b'],
    })
    expect(await ask({ partOf: `${AN}far` })).toMatchObject([
      { fromScheme: { uri: 'urn:b' }, toScheme: { uri: 'urn:a' }, from: { memberSet: [{ uri: 'urn:x:1' }] } },
    ])
  })

  test('all mistakes are listed with file and resource, and nothing is loaded', async () => {
    const before = [await all(), await ask({}, '/concordances')]
    const text = `${PREFIXES}
      an:new xkos:compares <${OLD}>, <${NEW}>, <urn:c> ; xkos:madeOf an:10, an:11, an:12, an:13 .
      an:13 xkos:sourceConcept o:1 ; xkos:targetConcept "10" .
      an:10 a xkos:ConceptAssociation .
      an:12 xkos:sourceConcept o:1 ; xkos:targetConcept n:10 .
      [] a xkos:Correspondence .
      <${OLD}> xkos:compares <${NEW}> .`
    const files = [
      await write('wrong.ttl', text),
      await write('plain.nt', `<${OLD}1> <${SKOS}exactMatch> <${NEW}10> .\n`),
      await write('c.json', JSON.stringify({ uri: 'no' })),
      await write('again.ttl', `${PREFIXES} an:other xkos:madeOf an:12 . an:12 xkos:sourceConcept o:1 .`),
    ]
    const failure = await loadConcordances(app.client, files, { index }).catch((error: unknown) => error)
    const messages = (failure as AggregateError).errors.map(({ message }: Error) => message)
    expect(messages).toEqual(
      expect.arrayContaining([
        `wrong.ttl, <${AN}new>: xkos:compares: expected two vocabularies, found 3`,
        `wrong.ttl, <${AN}10>: expected an association with xkos:sourceConcept or xkos:targetConcept`,
        `wrong.ttl, <${AN}new>: xkos:madeOf: the file does not describe <${AN}11>`,
        expect.stringMatching(/^wrong\.ttl, <\S+13>: to\.memberSet\.0\.uri: /),
        'wrong.ttl: expected a correspondence with a URI, found a blank node',
        `wrong.ttl, <${OLD}>: <${OLD}> is a vocabulary`,
        'plain.nt: expected an xkos:Correspondence; "vocab mappings load" takes mappings without one',
        expect.stringMatching(/^c\.json, line 1: uri: /),
        `again.ttl, <${AN}12>: another mapping has the URI ${AN}12, too`,
      ]),
    )
    expect([await all(), await ask({}, '/concordances')]).toEqual(before)
    const broken = await write('broken.ttl', `${PREFIXES}\nan:x xkos:compares <`)
    await expect(loadConcordances(app.client, [broken], { index })).rejects.toThrow(
      /^broken\.ttl, line \d+, column \d+: /,
    )
    const relative = await write('relative.ttl', `${PREFIXES}\n<x> a xkos:Correspondence .`)
    await expect(loadConcordances(app.client, [relative], { index })).rejects.toThrow(/^relative\.ttl.*<x>/)
  })

  test('mappings load takes statements of SKOS and associations', async () => {
    const text = `${PREFIXES}
      o:1 skos:exactMatch n:10 ; skos:relatedMatch <urn:far:1> .
      an:20 xkos:sourceConcept o:2 ; xkos:targetConcept n:20, n:21 .
      o:1 skos:prefLabel "not a mapping"@en .`
    const report = await loadMappings(app.client, [await write('some.ttl', text)], undefined, { index })
    expect(report).toMatchObject({ mappings: 3, leftOut: 0, ignoredColumns: [] })
    expect(await all({ partOf: 'none' })).toEqual(
      [
        [['1'], ['10'], [`${SKOS}exactMatch`]],
        [['1'], ['urn:far:1'], [`${SKOS}relatedMatch`]],
        [['2'], ['20', '21'], RELATED],
      ].sort(),
    )
    const [related] = await ask({ partOf: 'none', type: `${SKOS}relatedMatch` })
    expect(related).toMatchObject({ fromScheme: { uri: OLD, notation: ['jobs90'] } })
    expect(related).not.toHaveProperty('toScheme')
    const literal = await write('literal.ttl', `${PREFIXES} o:1 skos:exactMatch "n 10" .`)
    await expect(loadMappings(app.client, [literal], undefined, { index })).rejects.toThrow(`literal.ttl, <${OLD}1>: `)
  })
})
