/** Query and path parameters by name: `components.parameters` of the OpenAPI document. */

export const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })

interface Schema {
  type: string
  [keyword: string]: unknown
}

const STRING: Schema = { type: 'string' }
const LIST = 'several are separated by `|`'

function inQuery(name: string, description: string, schema: Schema = STRING, more: object = {}) {
  return { name, in: 'query', description, schema, ...more }
}

/** A URI of the demo vocabulary as an example: what is tried in the viewer gives something. */
const DEMO_CONCEPT = 'http://example.org/vocabulary/crafts/bookbinding'
const DEMO_VOCABULARY = 'http://example.org/vocabulary/crafts/'

const concept = { ...STRING, examples: [DEMO_CONCEPT] }
const vocabulary = { ...STRING, examples: [DEMO_VOCABULARY] }

export const PARAMETERS = {
  uri: inQuery('uri', `URI of a concept; ${LIST}`, concept),
  requiredUri: inQuery('uri', `URI of a concept; ${LIST}`, concept, { required: true }),
  oneUri: inQuery('uri', 'URI of one concept', concept, { required: true }),
  id: inQuery('id', `A URI of a concept, one of its identifiers, or a URI that it is an exactMatch of; ${LIST}`),
  notation: inQuery('notation', `Notation of a concept; ${LIST}`, { ...STRING, examples: ['B1'] }),
  vocUri: inQuery('uri', `URI of a vocabulary; ${LIST}`, vocabulary),
  requiredVocUri: inQuery('uri', `URI of a vocabulary; ${LIST}`, vocabulary, { required: true }),
  vocId: inQuery('id', `URI of a vocabulary, or one of its identifiers, for instance in a registry; ${LIST}`),
  vocNotation: inQuery('notation', `Id of a vocabulary, or another of its notations; ${LIST}`, {
    ...STRING,
    examples: ['crafts'],
  }),
  vocid: {
    name: 'vocid',
    in: 'path',
    required: true,
    description: 'Id of a vocabulary, or notation of a subset',
    schema: { ...STRING, examples: ['crafts'] },
  },
  formatId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of a format record',
    schema: STRING,
  },
  subset: inQuery(
    'subset',
    'Absent: vocabularies and no subsets. `true`: subsets too. `only`: subsets alone. An id or URI of a vocabulary: its subsets.',
  ),
  voc: inQuery(
    'voc',
    `Only what is in this vocabulary or subset: an id, a subset's notation or a URI; ${LIST}; \`*\` for all. Send \`voc=subset_...\` with every request to stay within a subset.`,
  ),
  type: inQuery('type', `Only concepts of this class; ${LIST}`),
  properties: inQuery(
    'properties',
    'Which fields a record has, separated by `,`. `a,b`: these, beside `uri`, `type`, `@context`. `+a,b`: the usual ones, and these. `-a`: the usual ones without this. `-`: only the name. `*`: everything. Unknown names are ignored.',
    { ...STRING, examples: ['+ancestors,altLabel'] },
  ),
  languages: inQuery(
    'languages',
    'Keeps these languages in every language map, separated by `,`. A `prefLabel` without any of them keeps one.',
    { ...STRING, examples: ['de,en'] },
  ),
  language: inQuery('language', 'Preferred languages, the best first, separated by `,`. Drops nothing.', {
    ...STRING,
    examples: ['de,en'],
  }),
  limit: inQuery('limit', 'At most so many records; `0`: only their number, in `X-Total-Count`', {
    type: 'integer',
    minimum: 0,
  }),
  searchLimit: inQuery('limit', 'At most so many; `count` means the same', {
    type: 'integer',
    minimum: 0,
    default: 100,
  }),
  suggestLimit: inQuery('limit', 'At most so many; `count` means the same', {
    type: 'integer',
    minimum: 0,
    default: 20,
  }),
  offset: inQuery('offset', 'Leaves out so many records of the beginning', { type: 'integer', minimum: 0, default: 0 }),
  format: inQuery('format', 'The form of the answer; wins over `Accept`. A media type will do as well.', {
    type: 'string',
    examples: ['json', 'jskos', 'jsonld', 'ndjson', 'turtle', 'ntriples'],
    default: 'json',
  }),
  download: inQuery(
    'download',
    'Sends everything as a file in this form, whatever the most records of an answer are otherwise',
    { type: 'string', examples: ['json', 'ndjson'] },
  ),
  search: inQuery('search', 'What to search for; `query` means the same. Empty: everything.', {
    ...STRING,
    examples: ['buchb'],
  }),
  searchQuery: inQuery('query', 'Means the same as `search`', STRING),
  count: inQuery('count', 'Means the same as `limit`', { type: 'integer', minimum: 0 }),
  use: inQuery('use', 'Where to search, separated by `,`', { type: 'string', default: 'label,notation' }),
  ancestors: inQuery('ancestors', 'Only concepts below the one with this URI'),
  formatApplication: inQuery('application', `Id of a field of application; ${LIST}`),
  formatModel: inQuery('model', `Id of the model that the formats follow; ${LIST}`),
  formatBase: inQuery('base', `Id of the format that the formats are written in; ${LIST}`),
  formatFor: inQuery('for', `Id of what the formats are for; ${LIST}`),
  formatProfiles: inQuery('profiles', `Id of the format that the formats are profiles of; ${LIST}`),
  formatType: inQuery('type', `URI of a class; ${LIST}`),
  formatsFormat: inQuery('format', 'The form of the answer; wins over `Accept`', {
    type: 'string',
    enum: ['json', 'jskos', 'ndjson'],
    default: 'json',
  }),
  sparqlQuery: inQuery('query', 'A SPARQL 1.1 query', {
    ...STRING,
    examples: ['SELECT ?c WHERE { ?c a <http://www.w3.org/2004/02/skos/core#Concept> } LIMIT 10'],
  }),
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key with the same body gives the same answer again and no second concept, for 24 hours; with another body 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
}
