/**
 * Records of JSKOS with the facts and shapes of the valid examples in the repository of its specification, in words and
 * URIs of our own.
 */
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { CONCEPT, CONCEPT_SCHEME, DCAT, RDF, SKOS, SKOSXL } from '../../../src/base/namespaces.ts'

/** The vocabulary that the records without one get. */
export const EXAMPLES = 'http://example.org/examples/'
const E = EXAMPLES
const P = 'http://example.org/property/'
const annotation = {
  '@context': 'http://www.w3.org/ns/anno.jsonld',
  id: 'http://example.org/annotations/1',
  type: 'Annotation',
  target: `${E}annotated`,
  motivation: 'assessing',
  bodyValue: '+1',
  creator: { id: 'http://example.org/users/1', name: 'A Reader' },
  created: '2025-03-11T09:11:10.665Z',
}

/** An example: a concept unless it has another class, and further fields of a record that stands for its kind. */
export const CONCEPTS: Readonly<Record<string, AnyRecord>> = {
  'collection.concept': {
    type: [CONCEPT],
    prefLabel: { en: 'cheese' },
    narrower: [
      {
        type: [CONCEPT, 'http://schema.vocnet.org/NonIndexingConcept'],
        prefLabel: { en: 'cheese by animal' },
        memberList: [{ prefLabel: { en: 'sheep cheese' } }, { prefLabel: { en: 'cow cheese' } }],
      },
    ],
  },
  'ddc-305.40941109033.concept': {
    notation: ['30.4'],
    prefLabel: { en: 'Bakers — Harbour towns — 17th century' },
    memberList: [
      { uri: `${E}30`, notation: ['30'], prefLabel: { en: 'Bakers' } },
      { uri: `${E}2--4`, notation: ['T2--4'], prefLabel: { en: 'Harbour towns' } },
      { uri: `${E}1--0903`, notation: ['T1--0903'], prefLabel: { en: '17th century, 1600-1699' } },
    ],
  },
  'ddc-612.112.concept': {
    uri: `${E}612`,
    type: [CONCEPT],
    notation: ['612'],
    prefLabel: { de: 'Steine (Baustoff)' },
    broader: [{ uri: `${E}61`, notation: ['61'], prefLabel: { de: 'Baustoffe' } }],
    narrower: [
      { uri: `${E}6121`, notation: ['6121'], prefLabel: { de: 'Härte' } },
      { uri: `${E}6127`, notation: ['6127'], prefLabel: { de: 'Gewicht' } },
    ],
    inScheme: [{ uri: E }, { uri: 'http://example.org/edition/' }, { uri: 'http://example.org/all/' }],
  },
  'ddc-641.5.concept': {
    uri: `${E}641`,
    type: [CONCEPT],
    notation: ['641'],
    inScheme: [{ uri: E }],
    prefLabel: { en: 'Baking', de: 'Backen', it: 'Cottura' },
    broader: [{ uri: `${E}64`, notation: ['64'], prefLabel: { en: 'Food', de: 'Essen', it: 'Cibo' } }],
    narrower: [
      { uri: `${E}6412`, notation: ['6412'], prefLabel: { en: 'Other', de: 'Anderes', it: 'Altro' } },
      {
        uri: `${E}6419`,
        notation: ['6419'],
        prefLabel: { en: 'History', de: 'Geschichte', it: 'Storia' },
        narrower: [{ uri: `${E}64192`, notation: ['64192'], prefLabel: { en: 'People', de: 'Leute', it: 'Gente' } }],
      },
    ],
  },
  'ddc-641.50902.concept': {
    uri: `${E}6410902`,
    type: [CONCEPT],
    notation: ['6410902'],
    inScheme: [{ uri: E }],
    memberList: [
      { uri: `${E}641b`, notation: ['641b'], prefLabel: { en: 'Baking' } },
      { uri: `${E}1--0902`, notation: ['T1--0902'], prefLabel: { en: '*1000-1499' } },
    ],
  },
  'example.concept': {
    uri: `${E}Q`,
    type: [CONCEPT],
    scopeNote: { en: ['state without noise'], de: ['Zustand ohne Lärm'] },
    prefLabel: { en: 'quiet', de: 'Ruhe' },
    altLabel: { de: ['Stille'] },
    notation: ['Q'],
    narrower: [{ prefLabel: { en: 'night quiet', de: 'Nachtruhe' } }],
    related: [{ prefLabel: { en: 'noise', de: 'Lärm' } }],
  },
  'gnd-4130604-1.concept': {
    uri: `${E}4074`,
    type: [CONCEPT],
    prefLabel: { de: 'Hobel' },
    altLabel: { de: ['Handhobel', 'Putzhobel', 'Hobeleisen'] },
    broader: [{ uri: `${E}4130`, prefLabel: { de: 'Werkzeug' } }],
    narrower: [
      { uri: `${E}4036`, prefLabel: { de: 'Raubank' } },
      { uri: `${E}4158`, prefLabel: { de: 'Falzhobel' } },
    ],
  },
  'gnd-7507432-1.concept': {
    uri: `${E}7507`,
    prefLabel: { de: 'Wandel des Handwerks' },
    memberSet: [
      { uri: `${E}4126`, prefLabel: { de: 'Wandel' } },
      { uri: `${E}4161`, prefLabel: { de: 'Handwerk' } },
    ],
  },
  'media.concept': {
    media: [
      {
        type: 'Manifest',
        items: [],
        thumbnail: [{ type: 'Image', id: 'http://example.org/small.jpg', format: 'image/jpeg' }],
      },
    ],
  },
  'qualified-literal.concept': {
    uri: `${E}town-406`,
    qualifiedLiterals: {
      [`${SKOSXL}prefLabel`]: [
        { type: [`${SKOSXL}Label`], literal: { string: 'Neustadt', language: 'de' }, rank: 'preferred' },
        { type: [`${SKOSXL}Label`], literal: { string: 'Old Town', language: 'en' }, endDate: '1830' },
      ],
      [`${P}plate`]: [{ literal: { string: '34' } }],
    },
  },
  'qualified-relation-1.concept': {
    uri: `${E}person-42`,
    prefLabel: { en: 'A Writer' },
    qualifiedRelations: {
      [`${P}school`]: [
        {
          resource: { uri: 'http://example.org/school' },
          startDate: '1959',
          endDate: '1970',
          source: [{ url: 'https://example.org/school/history/' }],
        },
      ],
    },
  },
  'qualified-relation-2.concept': {
    uri: `${E}town-3033`,
    prefLabel: { en: 'Third Town' },
    qualifiedRelations: {
      [`${P}country`]: [
        {
          resource: { uri: 'http://example.org/country/1', prefLabel: { en: 'Eastland' } },
          startDate: '1990-10-03',
          rank: 'preferred',
        },
        {
          resource: { uri: 'http://example.org/country/2', prefLabel: { en: 'Westland' } },
          startDate: '1949-05-23',
          endDate: '1990-10-02',
          rank: 'normal',
        },
      ],
    },
  },
  'qualified.concept': {
    uri: `${E}town-3034`,
    prefLabel: { en: 'Fourth Town' },
    qualifiedRelations: {
      [`${P}country`]: [
        { resource: { uri: 'http://example.org/country/1', prefLabel: { en: 'Eastland' } }, startDate: '1990-10-03' },
      ],
    },
    qualifiedLiterals: {
      [`${SKOSXL}prefLabel`]: [
        { type: [`${SKOSXL}Label`], literal: { string: 'Fünfstadt', language: 'de' }, startDate: '1447' },
      ],
    },
    qualifiedDates: { [`${P}founded`]: [{ date: '0953' }] },
  },
  'wikidata-occurrences.concept': {
    uri: `${E}5`,
    type: [CONCEPT],
    prefLabel: { en: 'person' },
    occurrences: [
      { relation: 'http://schema.org/about', count: 206, modified: '2017-11-15T14:00:58.796Z' },
      { relation: `${P}kind`, count: 3706347, modified: '2017-11-15T14:00:58.796Z' },
    ],
  },
  'gvk-co.occurrence': {
    uri: `${E}08`,
    occurrences: [
      {
        database: { uri: 'http://example.org/database/1' },
        memberSet: [{ uri: `${E}08.22`, prefLabel: { de: 'Dachdecken' } }],
        count: 3657,
        modified: '2017-11-22',
        url: 'https://example.org/search?q=08.22',
      },
      {
        database: { uri: 'http://example.org/database/1' },
        memberSet: [{ uri: `${E}08.22` }, { uri: `${E}610` }],
        count: 2,
        modified: '2017-11-22',
        url: 'https://example.org/search?q=08.22+610',
      },
    ],
  },
  'k10plus.occurrence': {
    uri: `${E}09`,
    occurrences: [
      {
        database: { uri: 'http://example.org/database/2' },
        schemes: [{ uri: E }],
        template: 'https://example.org/search?NOABS=Y&TRM={notation}',
        separator: '+and+',
      },
    ],
  },
  'memberRoles.bundle': {
    prefLabel: { en: 'mason’s apron' },
    memberRoles: {
      'http://example.org/personality': [{ prefLabel: { en: 'mason' } }],
      'http://example.org/matter': [{ prefLabel: { en: 'leather' } }],
      'http://example.org/time': [{ prefLabel: { en: 'Middle Ages' } }],
    },
  },
  'memberRoles.bundle, with URIs': {
    prefLabel: { en: 'mason’s hammer' },
    memberRoles: {
      'http://example.org/personality': [
        { uri: `${E}mason`, prefLabel: { en: 'mason' } },
        { uri: `${E}smith`, prefLabel: { en: 'smith' } },
      ],
      'http://example.org/matter': [{ uri: `${E}iron`, prefLabel: { en: 'iron' } }],
    },
  },
  'a choice of members': {
    prefLabel: { en: 'glue' },
    memberChoice: [
      { uri: `${E}bone-glue`, prefLabel: { en: 'bone glue' } },
      { uri: `${E}hide-glue`, notation: ['HG'] },
      { prefLabel: { en: 'other glue' } },
    ],
    occurrences: [{ count: 3, memberChoice: [{ uri: `${E}bone-glue` }, { uri: `${E}hide-glue` }] }],
  },
  'example.item': {
    startDate: 'Y-12424',
    endDate: '2016/2023',
    relatedDates: ['2007-03-01T13:00:00Z', '-2012', '-0043-05-22', '2001-21'],
    issue: [{ uri: 'https://example.org/issues/154' }],
    issueTracker: [{ uri: 'https://example.org/issues' }],
    guidelines: [{ uri: 'https://example.org/guidelines#' }],
  },
  'geo.item': {
    startPlace: [{ uri: 'http://example.org/place/1' }],
    endPlace: [{ uri: 'http://example.org/place/2' }],
    place: [{ uri: 'http://example.org/place/3' }],
    location: { type: 'Point', coordinates: [-49.5, 41.25, -380] },
  },
  'resource.resource': { created: '2012-12-12T12:12:00', modified: '2018-11', rank: 'preferred' },
  'example1.annotation': { uri: `${E}annotated`, annotations: [annotation] },
  'istanbul.event': {
    uri: `${E}siege`,
    qualifiedDates: { [`${P}siege`]: [{ date: '1453-04-06/1453-05-29' }] },
  },
}

/** Vocabularies, with their concepts and the objects that describe access to them. */
export const SCHEMES: Readonly<Record<string, AnyRecord>> = {
  'gnd.scheme': {
    uri: 'http://example.org/persons/7749',
    type: [CONCEPT_SCHEME],
    identifier: ['http://example.org/registry/430', 'http://example.org/viaf/188', null],
    namespace: 'http://example.org/persons/',
    notation: ['PERS'],
    notationPattern: '[0-9X-]+',
    uriPattern: '^http://example\\.org/persons/([0-9X-]+)$',
    prefLabel: { '-': '…', ar: 'أشخاص', de: 'Personen', en: 'Persons', ko: '사람' },
    definition: { '-': ['…'], de: ['Datei der Personen'], en: ['file of persons'] },
  },
  'item-types.scheme': {
    uri: 'http://example.org/kinds/',
    type: [CONCEPT_SCHEME],
    topConcepts: [{ uri: `${SKOS}Concept` }, { uri: `${DCAT}Distribution` }, { uri: `${SKOS}mappingRelation` }],
    concepts: [
      { uri: `${SKOS}Concept`, prefLabel: { en: 'term' } },
      { uri: `${DCAT}Distribution`, prefLabel: { en: 'file' }, altLabel: { en: ['dump', 'download'] } },
      {
        uri: `${SKOS}mappingRelation`,
        identifier: ['http://example.org/mapping'],
        prefLabel: { en: 'maps to' },
      },
      {
        uri: `${SKOS}closeMatch`,
        prefLabel: { en: 'is close to' },
        broader: [{ uri: `${SKOS}mappingRelation` }],
        related: [{ uri: `${SKOS}narrowMatch` }],
      },
    ],
  },
  'object-types.scheme': {
    uri: 'http://example.org/objects/',
    type: [CONCEPT_SCHEME],
    topConcepts: [{ uri: `${RDF}Property` }],
    concepts: [
      {
        uri: `${RDF}Property`,
        prefLabel: { en: 'relation' },
        url: 'https://example.org/objects#relation',
        narrower: [
          {
            uri: `${RDF}predicate`,
            prefLabel: { en: 'predicate' },
            identifier: ['http://example.org/predicate'],
            url: 'https://example.org/objects#predicate',
          },
        ],
      },
    ],
  },
  'with-concepts.scheme': {
    uri: 'http://example.org/two',
    type: [CONCEPT_SCHEME],
    topConcepts: [{ uri: 'http://example.org/two/1', notation: ['1'] }],
    concepts: [
      { uri: 'http://example.org/two/1', prefLabel: { en: 'One' } },
      { uri: 'http://example.org/two/2', prefLabel: { en: 'Two' } },
    ],
    distributions: [{ services: [{ endpoint: 'https://example.org/two/api/' }] }],
  },
  'jskos.distribution, marc.distribution, physical.distribution, example.service': {
    uri: 'http://example.org/files/',
    type: [CONCEPT_SCHEME],
    prefLabel: { en: 'Files' },
    distributions: [
      {
        download: 'http://example.org/files.ndjson',
        mimetype: 'application/x-ndjson',
        format: 'http://format.gbv.de/jskos',
      },
      {
        download: 'http://example.org/files.xml.gz',
        mimetype: 'application/xml',
        format: 'http://example.org/format/marc',
        compressFormat: 'http://www.iana.org/assignments/media-types/application/gzip',
      },
      { services: [{ type: [`${DCAT}DataService`], prefLabel: { en: 'by post' } }] },
    ],
    services: [
      {
        type: [`${DCAT}DataService`],
        api: 'http://bartoc.org/api-type/jskos',
        endpoint: 'https://example.org/files/api/',
        url: 'https://example.org/files/about',
        serves: [{ versionOf: [{ uri: 'http://example.org/files/' }], version: '1.0' }],
      },
    ],
    annotations: [{ ...annotation, target: 'http://example.org/files/' }],
  },
}
