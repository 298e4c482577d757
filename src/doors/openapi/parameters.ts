import { EXPORT_FORMATS } from '../export/export.ts'
import { ATOM } from '../../writing/history/atom.ts'
import { CHANGE_KINDS } from '../../writing/history/log/change.ts'
import { PROPOSAL_STATES } from '../../writing/proposals/list.ts'
import {
  COMMON_PARAMETERS,
  CONCEPT_URI,
  formatParameter,
  inPath,
  inQuery,
  LIST,
  READ_PARAMETERS as READ,
  type Parameter,
} from '../../interface/read/parameters.ts'
import { SKOSMOS_PARAMETERS } from '../skosmos/parameters.ts'
import { MAPPING_FORMATS } from '../mappings/mapping-formats.ts'
import { MAPPING_PARAMETERS, SORTING } from '../mappings/parameters.ts'
import { formatNames, JSON_FORMATS, REPRESENTATIONS } from '../../interface/representations/representations.ts'
import { MESSAGE_LANGUAGES } from '../../base/message-languages.ts'
import { RECORD_TYPES, TEXT_FORMATS } from '../validate/report.ts'

/** The parameters of the OpenAPI document by name: its `components.parameters`. */

export const PARAMETERS: Record<string, Parameter> = {
  ...READ,
  ...COMMON_PARAMETERS,
  treeAt: inQuery('at', 'URI of a concept', CONCEPT_URI, true),
  pickerVersion: inQuery('v', 'The version of the software; with it, browsers keep the answer for a year'),
  treeLimit: inQuery('limit', 'The maximum number of concepts of a level', {
    type: 'integer',
    minimum: 0,
    default: 100,
  }),
  ...SKOSMOS_PARAMETERS,
  since: inQuery('since', 'A day, meaning its beginning, or a time with its zone', {
    type: 'string',
    examples: ['2026-05-01'],
  }),
  kind: inQuery('kind', `Only records with a change of this kind since then: ${CHANGE_KINDS.join(', ')}; ${LIST}`),
  proposalStatus: inQuery('status', 'Proposals in this state', {
    type: 'string',
    enum: PROPOSAL_STATES,
    default: 'open',
  }),
  activityPage: inPath('page', 'Number of a page, from 1', { type: 'integer', minimum: 1, examples: [1] }),
  changesFormat: formatParameter([...REPRESENTATIONS, ATOM]),
  exportUri: inQuery(
    'uri',
    'Only what the vocabulary states about this concept, collection or other resource, with the labels of linked resources',
    CONCEPT_URI,
  ),
  exportFormat: inQuery('format', 'The format of the file, by name or media type; overrides `Accept`', {
    type: 'string',
    examples: EXPORT_FORMATS.map(({ formats }) => formats[0]),
    default: EXPORT_FORMATS[0]!.formats[0],
  }),
  formatId: inPath('id', 'Id of a format record'),
  formatApplication: inQuery('application', `Id of a field of application; ${LIST}`),
  formatModel: inQuery('model', `Id of the model that the formats follow; ${LIST}`),
  formatBase: inQuery('base', `Id of the format that the formats are written in; ${LIST}`),
  formatFor: inQuery('for', `Id of the purpose of the formats; ${LIST}`),
  formatProfiles: inQuery('profiles', `Id of the format that the formats are profiles of; ${LIST}`),
  formatType: inQuery('type', `URI of a class; ${LIST}`),
  formatsFormat: formatParameter(JSON_FORMATS),
  ...MAPPING_PARAMETERS,
  ...SORTING,
  mappingDownload: inQuery('download', `Sends all records as a file. Takes ${formatNames(JSON_FORMATS)}.`),
  mappingsFormat: formatParameter(MAPPING_FORMATS),
  mappingsDownload: inQuery('download', `Sends all mappings as a file. Takes ${formatNames(MAPPING_FORMATS)}.`),
  mappingSearch: inQuery('search', 'The beginning of a notation'),
  mappingVoc: inQuery('voc', `Only mappings from or to this vocabulary: a URI or notation; ${LIST}`),
  mappingId: inPath('id', 'Id of a mapping: the last part of its URI'),
  suggestForFrom: inQuery('from', 'The URI of the concept', { type: 'string', format: 'uri' }, true),
  suggestForScheme: inQuery(
    'toScheme',
    'Vocabularies of the suggested concepts, separated by `|`; without it, all others',
  ),
  inferStrict: inQuery('strict', '`true`: nothing follows from a closeMatch', { type: 'boolean', default: false }),
  inferDepth: inQuery('depth', 'The maximum number of steps to concepts above', { type: 'integer', minimum: 0 }),
  concordanceUri: inQuery('uri', `URI of a concordance, or another of its identifiers; ${LIST}`),
  concordanceId: inPath('id', 'Notation or URI of a concordance'),
  sparqlQuery: inQuery('query', 'A SPARQL 1.1 query', {
    type: 'string',
    examples: ['SELECT ?c WHERE { ?c a <http://www.w3.org/2004/02/skos/core#Concept> } LIMIT 10'],
  }),
  reconcileQueries: inQuery('queries', 'JSON: queries by name (0.2)', {
    type: 'string',
    examples: ['{"q0": {"query": "Buchbinderei"}}'],
  }),
  reconcileExtend: inQuery('extend', 'JSON: the concepts and the properties to extend them by (0.2)'),
  reconcileCallback: inQuery('callback', 'The name of a JavaScript function; the answer is a call of it (JSONP)'),
  reconcilePrefix: inQuery('prefix', 'The beginning of a name', { type: 'string', examples: ['buchb'] }),
  reconcileCursor: inQuery('cursor', 'The number of suggestions to skip', { type: 'integer', minimum: 0, default: 0 }),
  reconcileId: inQuery('id', 'URI of a concept', CONCEPT_URI),
  reconcileType: inQuery('type', 'URI of a class of concepts'),
  reconcileLimit: inQuery('limit', 'The maximum number of suggestions', { type: 'integer', minimum: 0 }),
  validateFormat: inQuery('format', 'The format of the text; overrides `Content-Type`', {
    type: 'string',
    enum: Object.keys(TEXT_FORMATS),
  }),
  validateLanguage: inQuery('lang', 'The language of messages about RDF; overrides `Accept-Language`', {
    type: 'string',
    examples: MESSAGE_LANGUAGES,
    default: MESSAGE_LANGUAGES[0],
  }),
  validateType: inQuery('type', 'The kind of all records; if absent, the `type` of each record decides', {
    type: 'string',
    enum: RECORD_TYPES,
  }),
  validateUnknownFields: inQuery('unknownFields', 'Allows fields that JSKOS does not have', {
    type: 'boolean',
  }),
  validateKnownSchemes: inQuery(
    'knownSchemes',
    'Concepts must be in a vocabulary of this service, and their URIs and notations must match its patterns',
    { type: 'boolean' },
  ),
  entityUri: inQuery('uri', 'URI of a concept or vocabulary', CONCEPT_URI, true),
  label: inPath('label', 'A label of a concept', { type: 'string', examples: ['Bookbinding'] }),
  pageLanguage: inQuery('lang', 'The language of the page'),
  sitemapVoc: inQuery('voc', 'Id of a vocabulary; absent: the index of all sitemaps'),
  sitemapPart: inQuery('part', 'The number of a sitemap of the vocabulary', {
    type: 'integer',
    minimum: 0,
    default: 0,
  }),
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'For 24 hours, the same key with the same data gets the same answer and makes no second concept; with other data it gets 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
}
