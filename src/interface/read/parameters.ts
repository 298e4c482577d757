import type { Representation } from '../http/send.ts'
import { THESAURUS_ARRAY } from '../../base/namespaces.ts'
import { formatNames, REPRESENTATIONS } from '../representations/representations.ts'

/** A parameter of the interface in the OpenAPI document (OpenAPI 3.1, Parameter Object). */
export interface Parameter {
  name: string
  in: 'query' | 'path' | 'header'
  description: string
  schema: Schema
  required?: boolean
}

interface Schema {
  type: string
  [keyword: string]: unknown
}

const STRING: Schema = { type: 'string' }
/** How to name several things in one parameter. */
export const LIST = 'several are separated by `|`'

/** A parameter of the query string. */
export function inQuery(name: string, description: string, schema: Schema = STRING, required = false): Parameter {
  return { name, in: 'query', description, schema, ...(required ? { required } : {}) }
}

/** A part of the path. */
export function inPath(name: string, description: string, schema: Schema = STRING): Parameter {
  return { name, in: 'path', required: true, description, schema }
}

/** The parameter `format` of an endpoint with these formats. */
export function formatParameter(formats: readonly Pick<Representation, 'formats'>[] = REPRESENTATIONS): Parameter {
  const description = `The format of the answer; overrides \`Accept\`. Takes ${formatNames(formats)}.`
  return inQuery('format', description, { ...STRING, default: 'json' })
}

/** The URI of a concept. The examples are URIs of the demo, so that readers who try them find something. */
export const CONCEPT_URI: Schema = { ...STRING, examples: ['http://example.org/vocabulary/crafts/bookbinding'] }
const vocabulary = { ...STRING, examples: ['http://example.org/vocabulary/crafts/'] }
const COUNT: Schema = { type: 'integer', minimum: 0 }

/** The parameters of the endpoints that answer with records. A name with two meanings has an entry for each. */
export const READ_PARAMETERS = {
  uri: inQuery('uri', `URI of a concept; ${LIST}`, CONCEPT_URI),
  requiredUri: inQuery('uri', `URI of a concept; ${LIST}`, CONCEPT_URI, true),
  oneUri: inQuery('uri', 'URI of one concept', CONCEPT_URI, true),
  id: inQuery('id', `URI of a concept, one of its identifiers, or a URI that it has as an exactMatch; ${LIST}`),
  notation: inQuery('notation', `Notation of a concept; ${LIST}`, { ...STRING, examples: ['B1'] }),
  at: inQuery(
    'at',
    'Gives the concept as it was at the end of a day, or at a time with its zone. Needs one `uri`; excludes `id`, `notation` and `properties=descendants`.',
    { ...STRING, examples: ['2026-05-01'] },
  ),
  vocUri: inQuery('uri', `URI of a vocabulary, or one of its identifiers; ${LIST}`, vocabulary),
  requiredVocUri: inQuery('uri', `URI of a vocabulary, or one of its identifiers; ${LIST}`, vocabulary, true),
  vocId: inQuery('id', `URI of a vocabulary, or one of its identifiers, for instance in a registry; ${LIST}`),
  vocNotation: inQuery('notation', `Id of a vocabulary, or another of its notations; ${LIST}`, {
    ...STRING,
    examples: ['crafts'],
  }),
  vocid: inPath('vocid', 'Id of a vocabulary, or notation of a subset', { ...STRING, examples: ['crafts'] }),
  subset: inQuery(
    'subset',
    'Absent: vocabularies without subsets. `true`: also subsets. `only`: subsets alone. An id or URI of a vocabulary: its subsets.',
  ),
  license: inQuery('license', `Only vocabularies under the licence with this URI; ${LIST}`),
  publisher: inQuery('publisher', `Only vocabularies of the publisher with this URI; ${LIST}`),
  subject: inQuery('subject', `Only vocabularies about the subject with this URI; ${LIST}`),
  partOf: inQuery('partOf', `Only parts of the vocabulary with this URI, such as its subsets; ${LIST}`),
  vocType: inQuery('type', `Only vocabularies of this class; ${LIST}`),
  sort: inQuery('sort', '`label`, `notation`, `created` or `modified`; otherwise the order of all lists', {
    ...STRING,
    examples: ['label'],
  }),
  order: inQuery('order', '`asc` or `desc`', { ...STRING, default: 'asc' }),
  type: inQuery('type', `Only concepts of this class; ${LIST}`),
  member: inQuery('member', `Only collections with this concept or collection in them; ${LIST}`, CONCEPT_URI),
  collectionType: inQuery('type', `Only collections of this class; ${LIST}`, {
    ...STRING,
    examples: [THESAURUS_ARRAY],
  }),
  top: inQuery('top', '`true`: only collections that are in no other collection', { type: 'boolean', default: false }),
  download: inQuery(
    'download',
    `Sends all records as a file; the usual maximum of records does not apply. Takes ${formatNames()}.`,
  ),
  search: inQuery('search', 'The text to search for; `query` means the same. An empty text finds everything.', {
    ...STRING,
    examples: ['buchb'],
  }),
  searchQuery: inQuery('query', 'The same as `search`'),
  count: inQuery('count', 'The same as `limit`', COUNT),
  suggestFormat: inQuery('format', '`jskos`: the records themselves, with the fields of `properties`'),
  plain: inQuery('plain', '`true`: labels alone, without notations', { type: 'boolean', default: false }),
  use: inQuery(
    'use',
    'The fields to search, separated by `,`: `label`, `notation`, `definition`, `note` (all other notes), `all`',
    { type: 'string', default: 'label,notation' },
  ),
  facets: inQuery(
    'facets',
    'Counts the hits by vocabulary (`voc`), class (`type`) and top concept (`top`), in the header `X-Facets`; separated by `,`',
    { ...STRING, examples: ['voc,type'] },
  ),
  searchIn: inQuery('in', 'The only language of labels to search; notations have none'),
  ancestors: inQuery('ancestors', 'Only concepts below the concept with this URI'),
} satisfies Record<string, Parameter>

/** The parameters that these endpoints have in common. */
export const COMMON_PARAMETERS = {
  voc: inQuery(
    'voc',
    `Only records of this vocabulary or subset: an id, the notation of a subset, or a URI; ${LIST}; \`*\` for all. Send \`voc=subset_...\` with every request to stay within a subset.`,
  ),
  properties: inQuery(
    'properties',
    'The fields of a record, separated by `,`. `a,b`: `a` and `b`. `+a,b`: the default fields, `a` and `b`. `-a`: the default fields without `a`. `-`: only `prefLabel`. `*`: all fields except `descendants` and `status`. Records always have `uri`, and `type` and `@context` unless `-type` or `-@context` leaves them out. The service ignores unknown names.',
    { ...STRING, examples: ['+ancestors,altLabel'] },
  ),
  languages: inQuery(
    'languages',
    'Keeps these languages in every language map, separated by `,`. A `prefLabel` without any of them keeps one entry.',
    { ...STRING, examples: ['de,en'] },
  ),
  language: inQuery('language', 'Preferred languages, the best first, separated by `,`. Drops nothing.', {
    ...STRING,
    examples: ['de,en'],
  }),
  limit: inQuery('limit', 'The maximum number of records; `0` only counts, in `X-Total-Count`', COUNT),
  offset: inQuery('offset', 'The number of records to leave out at the beginning', { ...COUNT, default: 0 }),
  format: formatParameter(),
} satisfies Record<string, Parameter>
