/** JSON Schemas (2020-12) of what is sent and taken, by name: `components.schemas` of the OpenAPI document. */

export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const array = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description ? { description } : {}),
})
const strings = (description: string) => array({ type: 'string' }, description)
const uri = (description: string) => ({ type: 'string', format: 'iri', description })
const objects = (name: string, description: string) => ({ ...array(ref(name), description), uniqueItems: true })
const text = (description: string) => ({ type: 'string', description })
const constant = (value: string) => ({ type: 'string', const: value })

const CONCEPT = 'http://www.w3.org/2004/02/skos/core#Concept'
const SCHEME = 'http://www.w3.org/2004/02/skos/core#ConceptScheme'
const MATCH = 'http://www.w3.org/2004/02/skos/core#exactMatch'

/** Language tags as JSKOS has them. */
const TAGS = { propertyNames: { pattern: '^[a-z]{1,8}(-[a-z0-9]{1,8})*$' } }

const types = (first: string) => ({
  type: 'array',
  prefixItems: [{ const: first }],
  items: { type: 'string', format: 'iri' },
  minItems: 1,
  uniqueItems: true,
  description: 'Class URIs, the SKOS class first',
})

const unnamed = (description: string) => ({
  type: 'array',
  items: { anyOf: [ref('Item'), { type: 'null' }] },
  uniqueItems: true,
  description: `${description}; \`[null]\`: there are some that are not listed`,
})

/** Fields that concepts and vocabularies have in common. */
const COMMON = {
  '@context': uri('Address of the JSON-LD context of JSKOS'),
  notation: strings('Notations'),
  identifier: strings('Other identifiers'),
  prefLabel: ref('Labels'),
  altLabel: ref('Texts'),
  hiddenLabel: ref('Texts'),
  note: ref('Texts'),
  scopeNote: ref('Texts'),
  definition: ref('Texts'),
  example: ref('Texts'),
  historyNote: ref('Texts'),
  editorialNote: ref('Texts'),
  changeNote: ref('Texts'),
  created: ref('Date'),
  issued: ref('Date'),
  modified: ref('Date'),
  creator: objects('Item', 'Who made it'),
  contributor: objects('Item', 'Who helped'),
  publisher: objects('Item', 'Who publishes it'),
  license: objects('Item', 'Under which licence'),
  source: objects('Item', 'Where it is from'),
  partOf: objects('Item', 'What it is a part of; for a subset its vocabulary'),
  subject: objects('Item', 'What it is about'),
  startDate: ref('Date'),
  endDate: ref('Date'),
  startPlace: objects('Item', 'Where it began'),
  endPlace: objects('Item', 'Where it ended'),
  place: objects('Item', 'Where it is'),
  location: { type: 'object', description: 'A GeoJSON geometry', required: ['type', 'coordinates'] },
  url: uri('A web page about it'),
  version: text('Version'),
  depiction: array({ type: 'string', format: 'iri' }, 'Images'),
}

export const SCHEMAS = {
  Labels: {
    type: 'object',
    description: 'One text for each language; the language `und` is an unknown one',
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
  Date: {
    type: 'string',
    pattern: '^-?\\d{4}(-\\d\\d(-\\d\\d)?)?$',
    description: 'A day, a month or a year',
    examples: ['2025-01-20'],
  },
  Item: {
    type: 'object',
    description: 'Something that a record points to',
    properties: {
      uri: uri('What names it, where it has a URI'),
      type: array({ type: 'string', format: 'iri' }, 'Class URIs'),
      prefLabel: ref('Labels'),
      notation: strings('Notations'),
    },
  },
  MappingEntry: {
    type: 'object',
    description: 'A mapping in the form of `mapping`',
    required: ['type', 'from', 'to'],
    properties: {
      type: { ...uri('A mapping property of SKOS'), examples: [MATCH] },
      from: uri('The concept'),
      to: uri('The concept or identifier that it is mapped to'),
    },
  },
  Mapping: {
    type: 'object',
    description: 'A JSKOS mapping',
    required: ['type', 'from', 'to'],
    properties: {
      type: array({ type: 'string', format: 'iri' }, 'A mapping property of SKOS'),
      from: ref('Bundle'),
      to: ref('Bundle'),
    },
  },
  Bundle: {
    type: 'object',
    required: ['memberSet'],
    properties: { memberSet: { ...array(ref('Item')), minItems: 1 } },
  },
  Concept: {
    type: 'object',
    description: 'A concept (JSKOS 0.7). Which fields there are is up to `properties`.',
    required: ['uri', 'type'],
    properties: {
      uri: uri('The concept'),
      type: types(CONCEPT),
      ...COMMON,
      inScheme: objects('Item', 'The vocabulary'),
      topConceptOf: objects('Item', 'The vocabulary that it is a top concept of'),
      broader: objects('Item', 'Directly superordinate concepts'),
      narrower: unnamed('Directly subordinate concepts'),
      related: objects('Item', 'Related concepts'),
      ancestors: objects('Item', 'One chain of superordinate concepts, nearest first'),
      descendants: objects('Item', 'All subordinate concepts'),
      previous: objects('Item', 'What comes before it'),
      next: objects('Item', 'What comes after it'),
      replacedBy: objects('Item', 'What to use instead'),
      deprecated: { type: 'boolean', description: 'Not to be used any more' },
      mapping: array(ref('MappingEntry'), 'Mappings, each a property, from and to'),
      mappings: array(ref('Mapping'), 'The same as JSKOS mappings'),
    },
  },
  Vocabulary: {
    type: 'object',
    description: 'A vocabulary or a subset (JSKOS 0.7, Concept Scheme)',
    required: ['uri', 'type'],
    properties: {
      uri: uri('The vocabulary'),
      type: types(SCHEME),
      ...COMMON,
      languages: { ...strings('Language tags of its texts'), examples: [['de', 'en']] },
      namespace: text('What the URIs of its concepts begin with'),
      extent: text('Its size, in words'),
      topConcepts: unnamed('Top concepts'),
      concepts: unnamed('Concepts'),
      replacedBy: objects('Item', 'What to use instead'),
    },
  },
  Class: {
    type: 'object',
    description: 'A class of concepts, as a concept of JSKOS',
    required: ['uri', 'type'],
    properties: {
      uri: uri('The class'),
      type: types(CONCEPT),
      '@context': COMMON['@context'],
      prefLabel: ref('Labels'),
    },
  },
  Suggestions: {
    type: 'array',
    description: 'Suggestions as OpenSearch has them: what was searched for, labels, descriptions, URIs',
    prefixItems: [
      text('What was searched for'),
      strings('Labels'),
      strings('Descriptions'),
      strings('URIs of the concepts'),
    ],
    items: false,
    minItems: 4,
    examples: [['buchb', ['B1 Buchbinderei'], [''], ['http://example.org/vocabulary/crafts/bookbinding']]],
  },
  Error: {
    type: 'object',
    required: ['error', 'status', 'message'],
    properties: {
      error: {
        type: 'string',
        enum: [
          'MalformedRequestError',
          'UnauthorizedError',
          'ForbiddenAccessError',
          'EntityNotFoundError',
          'MethodNotAllowedError',
          'PayloadTooLargeError',
          'InvalidBodyError',
          'TooManyRequestsError',
          'InternalServerError',
          'BackendError',
          'ServiceUnavailableError',
          'TimeoutError',
        ],
      },
      status: { type: 'integer', description: 'The HTTP status' },
      message: text('What is wrong and what was expected, for the person who sent the request'),
    },
    examples: [
      { error: 'MalformedRequestError', status: 400, message: 'limit: expected a whole number from 0, got "ten"' },
    ],
  },
  IngestError: {
    description: 'On /ingest',
    type: 'object',
    required: ['error', 'status', 'message', 'Description', 'violations'],
    properties: {
      error: { type: 'string', description: 'As in Error' },
      status: { type: 'integer', description: 'The HTTP status' },
      message: text('What is wrong and what was expected'),
      Description: text('The same as `message`'),
      violations: array(ref('Violation'), 'Everything that is wrong with the body'),
    },
  },
  Violation: {
    type: 'object',
    required: ['path', 'message'],
    properties: {
      path: { ...text('Where it is'), examples: ['0.data.3.prefLabel.de'] },
      message: text('What was expected'),
    },
  },
  IngestRequest: {
    type: 'object',
    required: ['username', 'token', 'data'],
    properties: {
      username: text('The account, which is for one vocabulary'),
      token: text('Its token'),
      data: {
        type: 'string',
        description: 'A JSON array of NewConcept objects as a string, URL-encoded or not',
        contentMediaType: 'application/json',
        contentSchema: { type: 'array', items: ref('NewConcept') },
      },
    },
    additionalProperties: false,
  },
  NewConcept: {
    type: 'object',
    description: 'A concept to be added. Hierarchies are made in the editing system.',
    required: ['inScheme', 'prefLabel'],
    properties: {
      uri: { type: 'string', const: '', description: 'Ignored where it is empty; the service gives the URI' },
      type: array({ type: 'string', format: 'iri' }, 'Class URIs'),
      inScheme: {
        ...array({ type: 'object', required: ['uri'], properties: { uri: uri('The vocabulary of the account') } }),
        minItems: 1,
        maxItems: 1,
      },
      prefLabel: { allOf: [ref('Labels')], required: ['de'] },
      notation: strings('Notations'),
      identifier: strings('Identifiers; one that is an absolute IRI becomes an exactMatch'),
      ...Object.fromEntries(
        ['altLabel', 'hiddenLabel', 'note', 'definition', 'editorialNote', 'changeNote', 'scopeNote', 'example'].map(
          (name) => [name, ref('Texts')],
        ),
      ),
      historyNote: ref('Texts'),
    },
  },
  Format: {
    type: 'object',
    description: 'A record that describes a data format; its JSON Schema is at /formats/schema.json',
    required: ['id', '@context', '$schema'],
    properties: {
      id: text('The id'),
      type: uri('Class'),
      title: text('Name'),
      short: text('Short name'),
      homepage: uri('Web page'),
      '@context': uri('Address of the JSON-LD context of format records'),
      $schema: uri('Address of the JSON Schema of format records'),
    },
  },
  Status: {
    type: 'object',
    description: 'Which endpoints there are, as clients of JSKOS APIs read it',
    required: [
      'config',
      'ok',
      'schemes',
      'top',
      'data',
      'concepts',
      'narrower',
      'ancestors',
      'suggest',
      'search',
      'types',
    ],
    properties: {
      config: {
        type: 'object',
        required: ['title', 'baseUrl', 'version'],
        properties: {
          title: text('Name of the service'),
          baseUrl: uri('Its address'),
          version: text('Version of the JSKOS API'),
          env: text('Always `production`'),
          schemes: { type: 'object', description: 'What can be done with vocabularies' },
          concepts: { type: 'object', description: 'What can be done with concepts' },
        },
      },
      ...Object.fromEntries(
        ['schemes', 'top', 'data', 'concepts', 'narrower', 'ancestors', 'suggest', 'search', 'types'].map((name) => [
          name,
          uri('Address of the endpoint'),
        ]),
      ),
      ok: { type: 'integer', enum: [0, 1], description: '1 where the store answers' },
    },
  },
  Start: {
    type: 'object',
    description: 'Addresses to begin with',
    required: ['title', 'vocabularies', 'documentation', 'openapi', 'status'],
    properties: {
      title: text('Name of the service'),
      vocabularies: uri('The vocabularies'),
      documentation: uri('The interface, for people'),
      openapi: uri('The interface, for programs'),
      status: uri('Whether everything runs'),
    },
  },
  Health: { type: 'object', required: ['ok'], properties: { ok: constantOne() } },
  JsonLdContext: { type: 'object', required: ['@context'], properties: { '@context': { type: 'object' } } },
  JsonSchema: {
    type: 'object',
    required: ['$schema', 'properties'],
    properties: { $schema: constantDraft(), properties: { type: 'object' } },
  },
}

function constantOne() {
  return { type: 'integer', const: 1 }
}

function constantDraft() {
  return { ...constant('http://json-schema.org/draft-07/schema#'), description: 'The dialect' }
}
