import { ERROR_NAMES } from '../../base/errors.ts'
import { STREAM } from '../../writing/history/activity.ts'
import { CHANGE_KINDS, CHANGED_BY, DECISIONS } from '../../writing/history/log/change.ts'
import {
  anyObject,
  object,
  ref,
  array,
  constant,
  number,
  strings,
  text,
  uri,
} from '../../interface/openapi/references.ts'
import { readShape } from '../../graph/shapes/read.ts'
import { componentName, SKOSMOS_SCHEMAS } from '../skosmos/schemas.ts'
import { TEXT_FORMATS } from '../validate/report.ts'
import { RECORD_SCHEMAS } from './record-schemas.ts'

/** In JSON-LD the context of this service, in JSON the contexts that the specifications ask for. */
const CONTEXTS = { anyOf: [uri('JSON-LD'), array({ type: 'string', format: 'iri' }, 'JSON')] }
const ONE = { type: 'integer', const: 1 }
const TERM = /^(as|emm|ldes|tree):\w+$/.source
const EVENT_STREAM = {
  id: uri('Its address'),
  type: constant('OrderedCollection'),
  'rdf:type?': constant('ldes:EventStream'),
  'tree:view?': uri('The first page'),
  ...Object.fromEntries(
    Object.entries(STREAM).map(([name, value]) => [
      `${name}?`,
      typeof value === 'string' ? constant(value) : array({ type: 'string', pattern: TERM }),
    ]),
  ),
}

type ComponentSchema = Record<string, unknown>

/** Members of a schema file that do not belong in this document. */
const OF_FILE = ['$schema', 'title', 'definitions']
/** Formats of JSON Schema that tools know. */
const FORMATS = ['iri', 'uri']

/**
 * A schema of `shapes/` (draft-07) as a part of this document, with its definitions resolved and without our own
 * formats.
 */
function shapeSchema(
  name: string,
): { properties: Record<string, ComponentSchema>; items: ComponentSchema } & ComponentSchema {
  const shape = readShape<ComponentSchema & { definitions?: ComponentSchema }>(name)
  const isOurs = ([key, member]: [string, unknown]) =>
    key === 'format' && typeof member === 'string' && !FORMATS.includes(member)
  const inlined = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inlined)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...members } = value as ComponentSchema
    const defined = typeof $ref === 'string' ? inlined(shape.definitions?.[$ref.split('/').at(-1)!]) : {}
    const withoutOwnFormats = Object.entries(members).filter((member) => !isOurs(member))
    return {
      ...(defined as ComponentSchema),
      ...Object.fromEntries(withoutOwnFormats.map(([key, member]) => [key, inlined(member)])),
    }
  }
  const ofSchema = Object.entries(shape).filter(([key]) => !OF_FILE.includes(key))
  return inlined(Object.fromEntries(ofSchema)) as ReturnType<typeof shapeSchema>
}

const NEW_CONCEPT = shapeSchema('ingest-concept.schema.json')
const INGEST_REQUEST = shapeSchema('ingest-request.schema.json').items as ReturnType<typeof shapeSchema>
const FORMAT = shapeSchema('format.schema.json')

/** JSON Schemas (2020-12) of requests and answers by name: `components.schemas` of the OpenAPI document. */
export const SCHEMAS = {
  ...Object.fromEntries(Object.entries(SKOSMOS_SCHEMAS).map(([name, schema]) => [componentName(name), schema])),
  ...RECORD_SCHEMAS,
  ServiceStatistics: object({
    vocabularies: number('Vocabularies'),
    subsets: number('Subsets'),
    concepts: number('Concepts'),
    deprecated: number('Concepts that should not be used any more'),
    unreached: number('Concepts that no top concept leads to'),
    collections: number('Collections'),
    mappings: number('Stated and loaded mappings'),
    labels: array({ type: 'object' }, 'Labels of concepts by language, as in the statistics of one vocabulary'),
    each: array(
      object({
        uri: uri('The vocabulary'),
        id: text('Its id'),
        prefLabel: { type: 'object', additionalProperties: { type: 'string' } },
        concepts: number('Concepts'),
        deprecated: number('Those that should not be used any more'),
        'unreached?': number('Those that no top concept leads to; absent if this is not known'),
        collections: number('Collections'),
        prefLabels: number('Preferred labels'),
        altLabels: number('Alternative labels'),
        hiddenLabels: number('Hidden labels'),
        languages: array({ type: 'string' }, 'Language tags, those with most labels first'),
      }),
      'The vocabularies',
    ),
  }),
  VocabularyStatistics: object({
    uri: uri('The vocabulary or subset'),
    concepts: number('Concepts'),
    deprecated: number('Concepts that should not be used any more'),
    topConcepts: number('Top concepts'),
    'unreached?': number('Concepts that no top concept leads to; absent if this is not known, and for subsets'),
    collections: number('Collections'),
    'levels?': array(
      { type: 'integer', minimum: 1 },
      'Concepts by their distance from the top; absent for subsets and very large vocabularies',
    ),
    classes: array(
      object({
        uri: uri('The class'),
        'prefLabel?': { type: 'object', additionalProperties: { type: 'string' } },
        concepts: number('Concepts of this class'),
        deprecated: number('Those that should not be used any more'),
      }),
      'Classes besides skos:Concept',
    ),
    labels: array(
      object({
        language: text('The language tag; `und` for labels without one'),
        prefLabel: number('Preferred labels'),
        altLabel: number('Alternative labels'),
        hiddenLabel: number('Hidden labels'),
      }),
      'Labels of concepts by language',
    ),
    mappings: array(
      object({
        type: uri('The relation'),
        'toScheme?': object(
          { uri: uri('The vocabulary'), 'notation?': strings('Notations') },
          { description: 'The other vocabulary; absent if unknown, and for subsets' },
        ),
        count: { type: 'integer', minimum: 1 },
      }),
      'Mappings from its concepts by relation and vocabulary',
    ),
  }),
  Tree: object({
    concept: ref('Concept'),
    ancestors: array(ref('Concept'), 'The concepts above it, the nearest first'),
    siblings: array(ref('Concept'), 'The concepts of its level, itself among them'),
    levels: array(
      object({
        'parent?': uri('The concept above; absent for top concepts'),
        'level?': anyObject('The level of the classification (XKOS), with `prefLabel` and `depth`'),
        total: { type: 'integer', minimum: 0 },
        concepts: array(ref('Concept'), 'The first of them'),
        'arrays?': array(
          ref('Collection'),
          'Collections that divide the concepts, each with its members among them; absent if there are none',
        ),
      }),
      'From the top concepts down to the concepts below it',
    ),
  }),
  Version: object({
    uri: { type: 'string', format: 'iri' },
    kind: { enum: CHANGE_KINDS, description: '`Add`: it was there before the history began' },
    date: { type: 'string', format: 'date-time' },
    voc: { type: 'string', format: 'iri', description: 'The graph of the vocabulary or subset' },
    by: { enum: CHANGED_BY },
    'files?': array({ type: 'string' }, 'Of a load'),
    'decision?': { enum: DECISIONS, description: 'About a proposal' },
    'reason?': text('Of the decision'),
    'before?': { type: 'string', description: 'Digest of the version before' },
    'after?': { type: 'string', description: 'Digest of this version; absent if the concept is gone' },
    'removed?': anyObject('Fields with the removed values; absent if they are too large'),
    'added?': anyObject('Fields with the added values; absent if they are too large'),
  }),
  Activities: object(
    {
      '@context': CONTEXTS,
      ...EVENT_STREAM,
      summary: { type: 'string' },
      'url?': uri('The records of the whole vocabulary'),
      first: ref('ActivityPageLink'),
      last: ref('ActivityPageLink'),
      totalItems: { type: 'integer', minimum: 0, description: 'Changes since the history began' },
    },
    { description: 'ActivityStreams OrderedCollection, and `ldes:EventStream`' },
  ),
  ActivityPage: object(
    {
      '@context': CONTEXTS,
      id: uri('Its address'),
      type: constant('OrderedCollectionPage'),
      'rdf:type?': constant('tree:Node'),
      partOf: object({ ...EVENT_STREAM, 'tree:member': array({ type: 'string', format: 'iri' }) }),
      'startIndex?': { type: 'integer', minimum: 0 },
      totalItems: { type: 'integer', minimum: 0, description: 'Activities on this page' },
      'prev?': ref('ActivityPageLink'),
      'next?': ref('ActivityPageLink'),
      'tree:relation': array({ ...anyObject(), required: ['type', 'tree:node'] }, 'To the next page'),
      'ldes:immutable?': { type: 'boolean', const: true, description: 'The page never changes' },
      orderedItems: array(ref('Activity'), 'The oldest first'),
    },
    { description: 'ActivityStreams OrderedCollectionPage, and `tree:Node`' },
  ),
  ActivityPageLink: object({ id: uri('Address of a page'), type: constant('OrderedCollectionPage') }),
  Activity: object({
    id: uri('Its page and its number'),
    type: {
      enum: [...CHANGE_KINDS, 'Remove'],
      description: '`Remove`: the vocabulary was removed from this service',
    },
    summary: { type: 'string' },
    published: { type: 'string', format: 'date-time' },
    object: object({
      id: uri('URI of the concept, collection or vocabulary'),
      'type?': uri('Its class'),
      updated: { type: 'string', format: 'date-time' },
    }),
  }),
  Suggestions: {
    type: 'array',
    description: 'Suggestions as in OpenSearch: the text, labels, descriptions, URIs',
    prefixItems: [text('The search text'), strings('Labels'), strings('Descriptions'), strings('URIs of the concepts')],
    minItems: 4,
    maxItems: 4,
    examples: [['buchb', ['B1 Buchbinderei'], [''], ['http://example.org/vocabulary/crafts/bookbinding']]],
  },
  ApiError: object(
    {
      error: { type: 'string', enum: ERROR_NAMES },
      status: { type: 'integer', description: 'The HTTP status' },
      message: text('The mistake and the expected value, for the person who sent the request'),
    },
    {
      examples: [
        { error: 'MalformedRequestError', status: 400, message: 'limit: expected a whole number from 0, got "ten"' },
      ],
    },
  ),
  GoneError: object(
    {
      error: { type: 'string', description: 'As in ApiError' },
      status: { type: 'integer', description: 'The HTTP status' },
      message: text('The deleted URI and the day, and why a proposal was refused'),
      uri: { ...text('Its URI'), format: 'iri' },
      date: { type: 'string', format: 'date-time', description: 'The time of the deletion' },
      'prefLabel?': ref('Labels'),
      'notation?': strings('Its notations'),
      replacedBy: array(ref('Item'), 'Concepts to use instead, according to the last version'),
      'decision?': { const: 'refused', description: 'Present if it was a proposal' },
      'reason?': text('The reason of the refusal'),
    },
    { description: 'Something that was deleted, or a proposal that was refused' },
  ),
  IngestError: object(
    {
      error: { type: 'string', description: 'As in ApiError' },
      status: { type: 'integer', description: 'The HTTP status' },
      message: text('The mistake and the expected value'),
      Description: text('The same as `message`'),
      violations: array(
        ref('Violation'),
        'The mistakes in the body, up to 100; the message gives the number of further ones',
      ),
    },
    { description: 'On /ingest' },
  ),
  Violation: object({
    path: { ...text('The place in the body'), examples: ['0.data.3.prefLabel.de'] },
    message: text('The expected value'),
  }),
  IngestRequest: {
    ...INGEST_REQUEST,
    properties: {
      ...INGEST_REQUEST.properties,
      data: {
        ...INGEST_REQUEST.properties['data'],
        contentMediaType: 'application/json',
        contentSchema: { type: 'array', items: ref('NewConcept') },
      },
    },
  },
  NewConcept: NEW_CONCEPT,
  Format: {
    ...FORMAT,
    description: 'A record that describes a data format; its JSON Schema is at /formats/schema.json',
    required: ['id', '@context', '$schema'],
    properties: {
      ...FORMAT.properties,
      '@context': uri('Address of the JSON-LD context of format records'),
      $schema: uri('Address of the JSON Schema of format records'),
    },
  },
  ValidationReport: object(
    {
      valid: { type: 'boolean', description: 'True if no result is a violation' },
      format: {
        type: 'string',
        enum: Object.keys(TEXT_FORMATS),
        description: 'The format that the service took the text for',
      },
      checked: { type: 'integer', minimum: 0, description: 'Records of JSKOS, or concepts of RDF' },
      results: array(ref('ValidationResult'), 'Violations first'),
      more: { type: 'integer', minimum: 0, description: 'The number of further results' },
    },
    { description: 'The report on a text', additionalProperties: false },
  ),
  ValidationResult: object(
    {
      severity: { type: 'string', enum: ['violation', 'warning'] },
      message: text('The mistake'),
      'uri?': text('The resource: its URI, or `_:` and a label'),
      'shape?': text('RDF: the shape or rule that the resource does not conform to'),
      'path?': text(
        'JSKOS: the place, with the number of the record from 0; tables: the sheet and the cell, of a resource the one with which its row begins',
      ),
      'line?': { type: 'integer', minimum: 1, description: 'JSKOS: the line on which the record begins' },
    },
    { description: 'One mistake of one resource', additionalProperties: false },
  ),
  Status: shapeSchema('status.schema.json'),
  Start: object(
    {
      title: text('Name of the service'),
      version: text('Version of the software'),
      vocabularies: uri('The vocabularies'),
      documentation: uri('The interface, for people'),
      openapi: uri('The interface, for programs'),
      status: uri('The state of the service'),
    },
    { description: 'Addresses to begin with' },
  ),
  Health: object({ ok: ONE }),
  Readiness: object({
    ok: ONE,
    'degraded?': array(constant('search'), 'What does not answer yet: searches, until the index has all vocabularies'),
  }),
  JsonLdContext: object({ '@context': anyObject() }),
  JsonSchema: object({
    $schema: { ...constant('http://json-schema.org/draft-07/schema#'), description: 'The dialect' },
    properties: anyObject(),
  }),
}
