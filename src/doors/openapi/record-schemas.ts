import { COLLECTION, CONCEPT, CONCEPT_SCHEME, SKOS } from '../../base/namespaces.ts'
import { FIELD, FIELDS, fieldsOf, type Field, type ObjectKind, type RecordKind } from '../../graph/jskos/fields.ts'
import { anyObject, object, ref, array, strings, text, uri } from '../../interface/openapi/references.ts'
import { CHANGE_ACTIONS } from '../../writing/history/changes.ts'
import { DECISIONS } from '../../writing/history/log/change.ts'

/** Language tags in the form of JSKOS. */
const TAGS = { propertyNames: { pattern: '^[a-z]{1,8}(-[a-z0-9]{1,8})*$' } }

function fieldSchema({ kind, unlisted, description, datatype, holds }: Field): object {
  switch (kind) {
    case 'label':
      return { ...ref('Labels'), description }
    case 'labels':
    case 'note':
      return { ...ref('Texts'), description }
    case 'date':
      return { ...ref(datatype === undefined ? 'ExtendedDate' : 'Date'), description }
    case 'dates':
      return { ...array(ref('ExtendedDate'), description), uniqueItems: true }
    case 'strings':
    case 'languages':
      return strings(description)
    case 'text':
      return text(description)
    case 'boolean':
      return { type: 'boolean', description }
    case 'json':
      return { ...anyObject(description), required: ['type', 'coordinates'] }
    case 'number':
      return { type: 'number', minimum: 0, description }
    case 'jsons':
      return array(anyObject(), description)
    case 'url':
    case 'iri':
      return uri(description)
    case 'iriOrText':
      return text(description)
    case 'literal':
      return ref('Literal')
    case 'item':
      return { ...ref('Item'), description }
    case 'object':
      return { ...ref(OBJECTS[holds!]), description }
    case 'objects':
      return array(ref(OBJECTS[holds!]), description)
    case 'roles':
      return { type: 'object', additionalProperties: array(ref('Item')), description }
    case 'qualified':
      return { type: 'object', additionalProperties: array(ref(OBJECTS[holds!])), description }
    case 'iris':
    case 'match':
      return array({ type: 'string', format: 'iri' }, description)
    case 'items':
    case 'concepts':
    case 'list':
    case 'schemes':
      if (!unlisted) return { ...array(ref('Item'), description), uniqueItems: true }
      return {
        type: 'array',
        items: { anyOf: [ref('Item'), { type: 'null' }] },
        uniqueItems: true,
        description: `${description}; \`[null]\`: not empty, but not listed`,
      }
    case 'mapping':
      return array(ref('MappingEntry'), description)
    case 'mappings':
      return array(ref('ConceptMapping'), description)
  }
}

/** The names of the schemas of objects within records. */
const OBJECTS: Readonly<Record<ObjectKind, string>> = {
  item: 'Item',
  distribution: 'Distribution',
  service: 'Service',
  occurrence: 'Occurrence',
  address: 'Address',
  checksum: 'Checksum',
  relation: 'QualifiedRelation',
  date: 'QualifiedDate',
  literal: 'QualifiedLiteral',
}

/** The schemas of objects within records. Items may have all fields of records. */
function objectSchemas(): Record<string, object> {
  const schemas = Object.entries(OBJECTS).map(([kind, name]) => {
    const fields = fieldsOf(kind as ObjectKind).map((field) => [field.name, fieldSchema(field)] as const)
    return [name, { type: 'object', properties: { uri: uri('Its URI, if it has one'), ...Object.fromEntries(fields) } }]
  })
  return Object.fromEntries(schemas.filter(([name]) => name !== 'Item')) as Record<string, object>
}

/** The classes of a record. */
const CLASSES = {
  type: 'array',
  items: { type: 'string', format: 'iri' },
  minItems: 1,
  uniqueItems: true,
  description: 'Class URIs, the SKOS class first',
}

/**
 * The schema of records whose first class is this one. It stands beside the field `type` and not in it, because
 * openapi-typescript takes `prefixItems` for all items.
 */
const ofClass = (skosClass: string) => ({ properties: { type: { prefixItems: [{ const: skosClass }] } } })

/** The fields of a record: `uri`, `@context`, `type`, and the given ones. */
const recordFields = (subject: string, fields: readonly Field[], more: Readonly<Record<string, object>> = {}) =>
  object({
    uri: uri(subject),
    '@context?': uri('Address of the JSON-LD context of JSKOS'),
    ...Object.fromEntries(fields.map((field) => [`${field.name}?`, fieldSchema(field)])),
    type: CLASSES,
    ...more,
  })

/** A record of one kind. */
function recordSchema(subject: string, skosClass: string, fields: readonly Field[]) {
  return { ...recordFields(subject, fields), dependentSchemas: { type: ofClass(skosClass) } }
}

/** The fields of a kind of records. */
function shownOf(kind: RecordKind): Field[] {
  return fieldsOf(kind).filter(isShown)
}

function isShown({ kind }: Field): boolean {
  return kind !== 'match'
}

/**
 * A record of one of the kinds: it follows the schema of its kind. Generators of clients ignore this condition and make
 * one type with the fields of all kinds. With `anyOf` a reader of `data[0].broader` would first have to find out the
 * kind.
 */
const RECORD_OF_ANY_KIND = {
  ...recordFields('The record', FIELDS.filter(isShown)),
  if: ofClass(CONCEPT),
  then: ref('Concept'),
  else: { if: ofClass(CONCEPT_SCHEME), then: ref('Vocabulary'), else: ref('Collection') },
}

/** The schemas of records and of what they have in them, by name. */
export const RECORD_SCHEMAS = {
  Labels: {
    type: 'object',
    description: 'One text for each language; `und` is an unknown language',
    additionalProperties: { type: 'string' },
    ...TAGS,
    examples: [{ de: 'Buchbinderei', en: 'Bookbinding' }],
  },
  Texts: {
    type: 'object',
    description: 'Texts for each language',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
    ...TAGS,
    examples: [{ de: ['Buchbinden', 'Einbandkunst'] }],
  },
  ExtendedDate: {
    type: 'string',
    description:
      'A date or an interval of EDTF, level 1: beside days, months and years also uncertain and unspecified ones',
    examples: ['1800/1805', '1871?', '19XX', '1985/..'],
  },
  Date: {
    type: 'string',
    pattern: '^-?\\d{4}(-\\d\\d(-\\d\\d)?)?$',
    description: 'A day, a month or a year',
    examples: ['2025-01-20'],
  },
  Item: {
    type: 'object',
    description: 'A resource that a record points to',
    properties: {
      uri: uri('Its URI, if it has one'),
      type: array({ type: 'string', format: 'iri' }, 'Class URIs'),
      prefLabel: ref('Labels'),
      notation: strings('Notations'),
      url: uri('A web page about it'),
      rank: text('Its rank among others: preferred, normal or deprecated'),
    },
  },
  ...objectSchemas(),
  Literal: object({ string: text('The text'), 'language?': text('Its language tag') }),
  MappingEntry: object(
    {
      type: { ...uri('A mapping property of SKOS'), examples: [`${SKOS}exactMatch`] },
      from: uri('The concept'),
      to: uri('The mapped concept or identifier'),
    },
    { description: 'A mapping in the form of `mapping`' },
  ),
  ConceptMapping: object(
    {
      type: array({ type: 'string', format: 'iri' }, 'A mapping property of SKOS'),
      from: ref('Bundle'),
      to: ref('Bundle'),
      'partOf?': array(anyObject(), 'The concordances that have it'),
    },
    { description: 'A JSKOS mapping' },
  ),
  Bundle: object({ memberSet: { ...array(ref('Item')), minItems: 1 } }),
  Mapping: object(
    {
      'uri?': uri('Its address; absent if it was inferred'),
      identifier: strings('Other URIs, and the identifiers that jskos-tools makes'),
      type: array({ type: 'string', format: 'iri' }, 'A mapping property of SKOS'),
      from: ref('Members'),
      to: ref('Members'),
      'fromScheme?': anyObject('The vocabulary that it leads from'),
      'toScheme?': anyObject('The vocabulary that it leads to'),
      'partOf?': array(anyObject(), 'The concordance'),
    },
    {
      description: 'A mapping (JSKOS 0.7, Concept Mapping), with all fields of the loaded file',
      additionalProperties: true,
    },
  ),
  Members: {
    type: 'object',
    description: 'The concepts of one side; few of them have a record here',
    properties: {
      memberSet: array(anyObject(), 'All of them'),
      memberList: array(anyObject(), 'All of them in this order'),
      memberChoice: array(anyObject(), 'One of them'),
      memberRoles: anyObject('All of them by their roles'),
    },
  },
  MappedConcept: object(
    {
      'uri?': uri('The concept; absent if mappings give only its notation'),
      type: array({ type: 'string', format: 'iri' }, 'skos:Concept'),
      'notation?': strings('Notations'),
      'prefLabel?': anyObject('Labels by language'),
      'inScheme?': array(anyObject(), 'Its vocabulary'),
    },
    { description: 'A concept that mappings lead to', additionalProperties: true },
  ),
  WithUri: object({ uri: uri('The concept') }, { description: 'A JSKOS item', additionalProperties: true }),
  MappedVocabulary: object(
    {
      uri: uri('The vocabulary'),
      'notation?': strings('Notations'),
      fromCount: { type: 'integer', minimum: 0 },
      toCount: { type: 'integer', minimum: 0 },
    },
    { description: 'A vocabulary, with the numbers of mappings from and to it', additionalProperties: true },
  ),
  MappedNotations: {
    type: 'array',
    description: 'As in OpenSearch: the text, notations, the numbers of mappings, nothing',
    items: {
      anyOf: [
        text('The search text'),
        strings('Notations'),
        array({ type: 'integer', minimum: 1 }, 'Numbers of mappings'),
      ],
    },
    minItems: 4,
    maxItems: 4,
  },
  Concordance: object(
    {
      uri: uri('The concordance'),
      notation: strings('Notations'),
      extent: text('The number of its mappings'),
      distributions: array(anyObject(), 'Its mappings as files'),
    },
    { description: 'A concordance (JSKOS 0.7), with all fields of the loaded file', additionalProperties: true },
  ),
  Concept: {
    description: 'A concept (JSKOS 0.7). `properties` chooses its fields.',
    ...recordSchema('The concept', CONCEPT, shownOf('concept')),
  },
  Vocabulary: {
    description: 'A vocabulary or a subset (JSKOS 0.7, Concept Scheme)',
    ...recordSchema('The vocabulary', CONCEPT_SCHEME, shownOf('scheme')),
  },
  Class: {
    description: 'A class of concepts, as a concept of JSKOS',
    ...recordSchema('The class', CONCEPT, [FIELD.get('prefLabel')!]),
  },
  Collection: {
    description: 'A collection of concepts, as an item of JSKOS with the members of a concept bundle',
    ...recordSchema('The collection', COLLECTION, shownOf('collection')),
  },
  ConceptOrVocabulary: {
    description: 'A concept, or the vocabulary or collection with this URI; `type` distinguishes them',
    ...RECORD_OF_ANY_KIND,
  },
  ChangedResource: {
    description: 'A concept, vocabulary or collection that has changed; `type` distinguishes them',
    ...recordFields('The record', FIELDS.filter(isShown), {
      action: { enum: CHANGE_ACTIONS, description: 'The last change' },
      actionTime: { type: 'string', format: 'date-time', description: 'The time of the last change' },
    }),
  },
  ProposedConcept: {
    description: 'A proposed concept, with the decision about it',
    ...recordFields('The concept', FIELDS.filter(isShown), {
      'decision?': { enum: DECISIONS, description: 'Absent while nobody has decided' },
      'decisionTime?': { type: 'string', format: 'date-time', description: 'The time of the decision' },
      'reason?': text('The reason of the decision'),
    }),
  },
}
