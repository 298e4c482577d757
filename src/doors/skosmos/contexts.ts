import { DC, DCT, ISOTHES, ONKI, OWL, RDFS, SKOS, VOID, XSD } from '../../base/namespaces.ts'

const IDENTITY = { uri: '@id', type: '@type' }
const LINK = { '@type': '@id' }
const LABEL_TERMS = { prefLabel: 'skos:prefLabel', altLabel: 'skos:altLabel', hiddenLabel: 'skos:hiddenLabel' }
const COMMON_CONTEXT = { skos: SKOS, ...IDENTITY }

/** A property whose values are in a list (JSON-LD 1.1, section 4.3.1). */
const list = (id: string) => ({ '@id': id, '@container': '@list' })
/** A property whose values stand under a key (section 4.6.1). */
const indexed = (id: string) => ({ '@id': id, '@container': '@index' })
const link = (id: string) => ({ '@id': id, ...LINK })

/**
 * The JSON-LD contexts of the answers. Clients compare them as text, so they equal the contexts of Skosmos, including
 * the order of members.
 */
export const contexts = {
  vocabularies: (language: string, base: string) => ({
    rdfs: RDFS,
    onki: ONKI,
    title: { '@id': 'rdfs:label', '@language': language },
    vocabularies: 'onki:hasVocabulary',
    id: 'onki:vocabularyIdentifier',
    uri: '@id',
    '@base': base,
  }),
  information: (language: string, base: string) => ({
    rdfs: RDFS,
    skos: SKOS,
    onki: ONKI,
    dct: DCT,
    ...IDENTITY,
    conceptschemes: 'onki:hasConceptScheme',
    id: 'onki:vocabularyIdentifier',
    defaultLanguage: 'onki:defaultLanguage',
    languages: 'onki:language',
    label: 'rdfs:label',
    prefLabel: 'skos:prefLabel',
    title: 'dct:title',
    '@language': language,
    '@base': base,
  }),
  vocabularyStatistics: (language: string, base: string) => ({
    rdfs: RDFS,
    skos: SKOS,
    void: VOID,
    onki: ONKI,
    uri: '@id',
    id: 'onki:vocabularyIdentifier',
    concepts: 'void:classPartition',
    label: 'rdfs:label',
    class: link('void:class'),
    subTypes: link('void:class'),
    count: 'void:entities',
    '@language': language,
    '@base': base,
  }),
  labelStatistics: (language: string, base: string) => ({
    rdfs: RDFS,
    skos: SKOS,
    void: VOID,
    'void-ext': 'http://ldf.fi/void-ext#',
    onki: ONKI,
    uri: '@id',
    id: 'onki:vocabularyIdentifier',
    languages: 'void-ext:languagePartition',
    language: 'void-ext:language',
    properties: 'void:propertyPartition',
    labels: 'void:triples',
    '@base': base,
    literal: { '@id': 'rdfs:label', '@language': language },
  }),
  types: (language: string, base: string) => ({
    ...COMMON_CONTEXT,
    rdfs: RDFS,
    onki: ONKI,
    label: 'rdfs:label',
    superclass: link('rdfs:subClassOf'),
    types: 'onki:hasType',
    '@language': language,
    '@base': base,
  }),
  search: {
    skos: SKOS,
    isothes: ISOTHES,
    onki: ONKI,
    ...IDENTITY,
    results: list('onki:results'),
    ...LABEL_TERMS,
  },
  lookup: {
    ...COMMON_CONTEXT,
    onki: ONKI,
    results: { '@id': 'onki:results' },
    ...LABEL_TERMS,
  },
  label: (language: string | null) => ({
    ...COMMON_CONTEXT,
    ...LABEL_TERMS,
    '@language': language,
  }),
  topConcepts: (language: string) => ({
    ...COMMON_CONTEXT,
    onki: ONKI,
    topconcepts: 'skos:hasTopConcept',
    notation: 'skos:notation',
    label: 'skos:prefLabel',
    '@language': language,
  }),
  property: (name: string, language: string) => ({
    ...COMMON_CONTEXT,
    prefLabel: 'skos:prefLabel',
    [name]: `skos:${name}`,
    '@language': language,
  }),
  transitive: (name: string, direct: string, language: string) => ({
    ...COMMON_CONTEXT,
    prefLabel: 'skos:prefLabel',
    [direct]: link(`skos:${direct}`),
    [name]: indexed(`skos:${name}`),
    '@language': language,
  }),
  hierarchy: (language: string) => ({
    ...COMMON_CONTEXT,
    onki: ONKI,
    prefLabel: 'skos:prefLabel',
    notation: 'skos:notation',
    narrower: link('skos:narrower'),
    broader: link('skos:broader'),
    broaderTransitive: indexed('skos:broaderTransitive'),
    top: link('skos:topConceptOf'),
    tops: link('skos:topConceptOf'),
    hasChildren: 'onki:hasChildren',
    '@language': language,
  }),
  children: (language: string) => ({
    ...COMMON_CONTEXT,
    prefLabel: 'skos:prefLabel',
    narrower: 'skos:narrower',
    notation: 'skos:notation',
    hasChildren: 'onki:hasChildren',
    '@language': language,
  }),
  groups: (language: string) => ({
    ...COMMON_CONTEXT,
    onki: ONKI,
    prefLabel: 'skos:prefLabel',
    groups: 'onki:hasGroup',
    childGroups: link('skos:member'),
    hasMembers: 'onki:hasMembers',
    '@language': language,
  }),
  groupMembers: (language: string) => ({
    ...COMMON_CONTEXT,
    prefLabel: 'skos:prefLabel',
    members: 'skos:member',
    '@language': language,
  }),
  letters: (language: string) => ({
    ...COMMON_CONTEXT,
    indexLetters: { ...list('skosmos:indexLetters'), '@language': language },
  }),
  entries: { ...COMMON_CONTEXT, indexConcepts: list('skosmos:indexConcepts') },
  changes: (language: string) => ({
    ...COMMON_CONTEXT,
    '@language': language,
    prefLabel: 'skos:prefLabel',
    xsd: XSD,
    date: { '@id': `${DCT}date`, '@type': `${XSD}dateTime` },
  }),
  data: {
    skos: SKOS,
    isothes: ISOTHES,
    rdfs: RDFS,
    owl: OWL,
    dct: DCT,
    dc11: DC,
    ...IDENTITY,
    lang: '@language',
    value: '@value',
    graph: '@graph',
    label: 'rdfs:label',
    ...Object.fromEntries(
      [
        ...['prefLabel', 'altLabel', 'hiddenLabel', 'broader', 'narrower', 'related', 'inScheme'],
        ...['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'],
      ].map((name) => [name, `skos:${name}`]),
    ),
  },
}
