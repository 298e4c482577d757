/** Every field of mappings and concordances of JSKOS comes back, in records and in downloads. */
import { afterAll, expect, test } from '@jest/globals'
import type { Quad } from '@rdfjs/types'
import { validate } from 'jskos-validate'
import { DataFactory, Parser } from 'n3'
import { isomorphic } from 'rdf-isomorphic'
import { FIELD } from '../../../src/graph/jskos/fields.ts'
import { conceptsOf, type ConceptBundle } from '../../../src/graph/jskos/mapping.ts'
import { nTriples } from '../../../src/interface/representations/quad-writers.ts'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { loadConcordances } from '../../../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import { BOOKKEEPING, DCAT, DCT, FOAF, SKOS, SSSOM, VOID, XKOS, XSD } from '../../../src/base/namespaces.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { lost } from '../../writing/loading/jskos-comparison.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const { write } = temporaryFolder()
const A = 'http://example.org/tools/'
const B = 'http://example.org/goods/'
const schemes = { fromScheme: { uri: A, notation: ['TOOLS'] }, toScheme: { uri: B } }
const annotation = {
  '@context': 'http://www.w3.org/ns/anno.jsonld',
  id: 'http://example.org/annotations/7',
  type: 'Annotation',
  target: 'http://example.org/mappings/whole',
  motivation: 'assessing',
  bodyValue: '+1',
}
/** The fields of items (JSKOS 0.7, Item), with made values. */
const item = {
  created: '2024-01-01T10:00:00.000Z',
  issued: '2024-02',
  modified: '2024-03-01',
  creator: [{ prefLabel: { de: 'Projekt' }, url: 'https://example.org/project' }],
  contributor: [{ uri: 'http://example.org/people/1', prefLabel: { en: 'Ada' } }],
  source: [{ url: 'https://example.org/source' }],
  publisher: [{ uri: 'http://example.org/library', prefLabel: { en: 'Library' }, rank: 'preferred' }],
  annotations: [annotation],
  qualifiedRelations: { 'http://example.org/property/a': [{ resource: { uri: `${A}1` }, rank: 'normal' }] },
  qualifiedDates: { 'http://example.org/property/b': [{ date: '2020' }] },
  qualifiedLiterals: { 'http://example.org/property/c': [{ literal: { string: 'C', language: 'en' } }] },
  rank: 'preferred',
  url: 'https://example.org/page',
  prefLabel: { en: 'plane to shaving' },
  altLabel: { en: ['plane and shaving'] },
  hiddenLabel: { en: ['plne'] },
  scopeNote: { en: ['for wood'] },
  definition: { en: ['a definition'] },
  example: { en: ['an example'] },
  historyNote: { en: ['new in 2024'] },
  editorialNote: { en: ['to be checked'] },
  changeNote: { en: ['changed'] },
  note: { en: ['a note'] },
  startDate: '1990',
  endDate: '1991-05/1992',
  relatedDates: ['1993'],
  startPlace: [{ uri: 'http://example.org/place/1' }],
  endPlace: [{ uri: 'http://example.org/place/2' }],
  place: [{ uri: 'http://example.org/place/3' }],
  location: { type: 'Point', coordinates: [1, 2] },
  address: { locality: 'Town' },
  replacedBy: [{ uri: 'http://example.org/newer' }],
  basedOn: [{ uri: 'http://example.org/older' }],
  subject: [{ uri: `${A}2` }],
  subjectOf: [{ uri: 'http://example.org/handbook' }],
  depiction: ['http://example.org/1.jpg'],
  media: [{ type: 'Manifest', items: [] }],
  tool: [{ url: 'https://example.org/editor' }],
  issue: [{ uri: 'http://example.org/issues/1' }],
  issueTracker: [{ uri: 'http://example.org/issues' }],
  guidelines: [{ uri: 'http://example.org/guidelines' }],
  version: '2',
  versionOf: [{ uri: 'http://example.org/versions' }],
}
const concordance = {
  uri: 'http://example.org/concordances/tools-goods',
  type: ['http://rdf-vocabulary.ddialliance.org/xkos#Correspondence'],
  notation: ['tools-goods'],
  identifier: ['http://example.org/concordances/1'],
  partOf: [{ uri: 'http://example.org/registry' }],
  ...schemes,
  ...item,
  extent: '4 mappings of 200',
  license: [{ uri: 'http://creativecommons.org/publicdomain/zero/1.0/' }],
  distributions: [{ type: [`${DCAT}Distribution`], download: 'http://example.org/tools.ndjson', size: '12 kB' }],
}
const mappings: readonly (readonly [string, AnyRecord])[] = [
  [
    'every field',
    {
      identifier: ['http://example.org/mappings/whole'],
      type: [`${SKOS}closeMatch`],
      notation: ['M1'],
      from: { memberSet: [{ uri: `${A}1`, notation: ['1'], prefLabel: { en: 'plane' }, inScheme: [{ uri: A }] }] },
      to: { memberSet: [{ uri: `${B}1`, prefLabel: { en: 'shaving' } }] },
      ...schemes,
      ...item,
      mappingRelevance: 0.75,
      justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
      partOf: [{ uri: concordance.uri }, { uri: 'http://example.org/registry' }],
    },
  ],
  [
    'ddc-gnd-1.mapping',
    {
      type: [`${SKOS}closeMatch`],
      ...schemes,
      from: { memberSet: [{ uri: `${A}6`, notation: ['6'] }] },
      to: { memberSet: [{ uri: `${B}6`, prefLabel: { de: 'Span' } }] },
      justification: 'https://w3id.org/semapv/vocab/ManualMappingCuration',
      tool: [{ url: 'https://example.org/editor/' }],
    },
  ],
  [
    'ddc-gnd-2.mapping, mapping-ddc-gnd',
    {
      ...schemes,
      creator: [{ prefLabel: { de: 'Projekt' }, url: 'http://example.org/project.html' }],
      from: { memberChoice: [{ notation: ['7'], prefLabel: { de: 'Säge' } }] },
      to: {
        memberChoice: [
          { uri: `${B}7`, notation: ['7'], prefLabel: { de: 'Sägemehl' } },
          { uri: `${B}8`, prefLabel: { de: 'Brett' } },
        ],
      },
      mappingRelevance: 0.5,
    },
  ],
  [
    'a list, and roles',
    {
      ...schemes,
      type: [`${SKOS}narrowMatch`],
      from: { memberList: [{ uri: `${A}9` }, { uri: `${A}3` }] },
      to: {
        memberRoles: {
          'http://example.org/matter': [{ uri: `${B}9` }],
          'http://example.org/time': [{ uri: `${B}10` }],
        },
      },
    },
  ],
]

const text = mappings.map(([, mapping]) => JSON.stringify(mapping)).join('\n')

const TURTLE_PREFIXES = `PREFIX skos: <${SKOS}> PREFIX void: <${VOID}> PREFIX xkos: <${XKOS}> PREFIX sssom: <${SSSOM}>
PREFIX foaf: <${FOAF}> PREFIX dct: <${DCT}> PREFIX xsd: <${XSD}>`
/** The same concepts as a set, with nothing but their URIs if they have one. */
const setOf = (bundle: ConceptBundle) => ({
  memberSet: conceptsOf(bundle).map(({ uri, ...names }) => (uri === undefined ? names : { uri })),
})

/** Some mappings by the concepts that they lead to. */
const STATEMENTS = {
  '6': `<urn:x:m> a skos:closeMatch ; void:subjectsTarget <${A}> ; void:objectsTarget <${B}> ; dct:isPartOf <${concordance.uri}> ;
    xkos:sourceConcept <${A}6> ; xkos:targetConcept <${B}6> ;
    sssom:mapping_justification <https://w3id.org/semapv/vocab/ManualMappingCuration> ;
    sssom:mapping_tool [ foaf:page <https://example.org/editor/> ] .`,
  '7': `<urn:x:m> void:subjectsTarget <${A}> ; void:objectsTarget <${B}> ; dct:isPartOf <${concordance.uri}> ;
    dct:creator [ skos:prefLabel "Projekt"@de ; foaf:page <http://example.org/project.html> ] ;
    xkos:sourceConcept [ skos:notation "7" ; skos:prefLabel "Säge"@de ] ; xkos:targetConcept <${B}7>, <${B}8> ;
    sssom:confidence "0.5"^^xsd:double .`,
}

describeOver(EMBEDDED, 'mappings and concordances of JSKOS', (store) => {
  let app: RunningApp
  let index: IndexOfCommands
  afterAll(() => index.close())
  shareApp(store, async (shared) => {
    app = shared
    index = new IndexOfCommands(app.config.dataDir, (error) => {
      throw error
    })
    await loadConcordances(app.client, [await write('concordance.json', JSON.stringify(concordance))], { index })
    await loadMappings(app.client, [await write('mappings.ndjson', text)], 'tools-goods', { index })
    app.state.changed()
    app.registry.invalidate()
  })

  /** Mappings by the first concept or notation that they lead from. */
  const all = async (parameters: Record<string, string>) => {
    const { text } = await app.ask('/mappings', { partOf: 'tools-goods', ...parameters })
    return text.startsWith('[')
      ? (JSON.parse(text) as AnyRecord[])
      : text
          .trimEnd()
          .split('\n')
          .map((line: string) => JSON.parse(line) as AnyRecord)
  }

  test.each(mappings)('%s is in the record and the download of the mapping', async (_, mapping) => {
    for (const parameters of [{}, { download: 'ndjson' }]) {
      const found = (await all(parameters)).find(({ from }) => lost(mapping['from'], from).length === 0)
      expect(lost(mapping, found)).toEqual([])
      expect([validate.mapping!(found!, { unknownFields: true }), validate.mapping!.errors ?? []]).toEqual([true, []])
    }
  })

  test('a concept in a role finds its mapping', async () => {
    const [found] = await all({ to: `${B}9` })
    expect(found).toMatchObject({ from: { memberList: [{ uri: `${A}9` }, { uri: `${A}3` }] } })
  })

  /** The statements of the graph of the concordance, without bookkeeping. */
  const statements = async () => {
    const chunks: Uint8Array[] = []
    for await (const chunk of app.client.getGraph(concordance.uri)) chunks.push(chunk)
    // Stores choose the lexical forms of numbers.
    const text = Buffer.concat(chunks)
      .toString('utf8')
      .replace(/"([^"]*)"(\^\^<[^>]*#double>)/g, (_, number, type) => `"${Number(number)}"${type}`)
    const quads = new Parser({ format: 'N-Triples' }).parse(text)
    return quads.filter(({ predicate }) => !predicate.value.startsWith(BOOKKEEPING))
  }
  /** Those about a resource, and about the blank nodes in it. */
  const about = (quads: readonly Quad[], uri: string): Quad[] => {
    const direct = quads.filter(({ subject }) => subject.value === uri)
    const blanks = direct.filter(({ object }) => object.termType === 'BlankNode')
    return [...direct, ...blanks.flatMap(({ object }) => about(quads, object.value))]
  }
  /** Those about the mapping that leads to a concept, which is named `urn:x:m`. */
  const aboutMapping = (quads: readonly Quad[], target: string) => {
    const names = quads.filter(
      ({ predicate, object }) => predicate.value === `${XKOS}targetConcept` && object.value === target,
    )
    const term = DataFactory.namedNode('urn:x:m')
    return about(quads, names[0]!.subject.value).map(({ subject, predicate, object }) =>
      DataFactory.quad(subject.equals(names[0]!.subject) ? term : subject, predicate, object),
    )
  }

  test.each(Object.entries(STATEMENTS))('the graph has the mapping to %s in RDF', async (target, turtle) => {
    const expected = new Parser().parse(`${TURTLE_PREFIXES} ${turtle}`)
    const written = aboutMapping(await statements(), B + target)
    expect(isomorphic(written, expected) ? [] : written).toEqual([])
  })

  test('the graph has every field in RDF, and names and addresses of other resources', async () => {
    const quads = await statements()
    const properties = (resource: readonly Quad[]) => new Set(resource.map(({ predicate }) => predicate.value))
    const fieldsOf = Object.keys(item).flatMap((name) => FIELD.get(name)?.property ?? [])
    const qualified = ['a', 'b', 'c'].map((name) => `http://example.org/property/${name}`)
    const common = [...fieldsOf, ...qualified, `${VOID}subjectsTarget`, `${VOID}objectsTarget`]
    expect(properties(about(quads, concordance.uri))).toEqual(
      new Set([...properties(about(quads, concordance.uri)), ...common, `${DCAT}distribution`]),
    )
    const mapping = properties(aboutMapping(quads, `${B}1`))
    expect(mapping).toEqual(new Set([...mapping, ...common, `${SSSOM}confidence`, `${SSSOM}mapping_justification`]))
    const ada = quads.filter(({ subject }) => subject.value === 'http://example.org/people/1')
    expect(new Set(ada.map(({ object }) => object.value))).toEqual(new Set(['Ada']))
    // The graphs of their vocabularies describe the concepts.
    const concepts = quads.filter(({ subject }) => subject.value.startsWith(A))
    expect(properties(concepts)).toEqual(new Set([`${SKOS}closeMatch`]))
  })

  test('another load of the same files changes no statement', async () => {
    const before = await statements()
    await loadConcordances(app.client, [await write('again.json', JSON.stringify(concordance))], { index })
    expect(isomorphic(before, await statements())).toBe(true)
    await loadMappings(app.client, [await write('again.ndjson', text)], 'tools-goods', { index })
    expect(isomorphic(before, await statements())).toBe(true)
  })

  test('the RDF of mappings comes back from a file', async () => {
    const rdf = nTriples().write((await statements()).filter(({ predicate }) => predicate.value !== `${DCT}isPartOf`))
    await loadMappings(app.client, [await write('copy.nt', rdf)], 'tools-goods', { index })
    const copies = await all({})
    expect(copies).toHaveLength(mappings.length)
    // RDF has no choices, and links to vocabularies and concepts.
    const expected = [mappings[1]![1], mappings[2]![1]].map(({ from, to, ...fields }) => ({
      ...fields,
      fromScheme: { uri: A },
      from: setOf(from as ConceptBundle),
      to: setOf(to as ConceptBundle),
    }))
    for (const mapping of expected) {
      const found = copies.find(({ to }) => lost(mapping.to, to).length === 0)
      expect(lost(mapping, found)).toEqual([])
    }
    await loadMappings(app.client, [await write('again.ndjson', text)], 'tools-goods', { index })
  })

  test('resources that mappings name are no hits of searches', async () => {
    expect((await app.ask('/search', { query: 'Ada' })).body).toEqual([])
  })

  test('every field is in the record of the concordance', async () => {
    const { distributions, ...fields } = concordance
    const [listed] = (await app.ask('/concordances')).body as AnyRecord[]
    for (const record of [listed, (await app.ask('/concordances/tools-goods')).body as AnyRecord]) {
      expect(lost(fields, record)).toEqual([])
      expect(record!['distributions']).toEqual(expect.arrayContaining(distributions))
      expect([validate.concordance!(record!, { unknownFields: true }), validate.concordance!.errors ?? []]).toEqual([
        true,
        [],
      ])
    }
  })
})
