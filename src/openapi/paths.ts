import { COMMON_PARAMETERS, PARAMETERS as READ } from '../read/parameters.ts'
import { RECONCILE_PATHS } from '../reconcile/endpoints.ts'
import { ROUTES, type Route } from '../routes.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { TEXT_FORMATS } from '../validate/report.ts'
import { parameter } from './parameters.ts'
import {
  FORBIDDEN,
  GONE,
  INGEST_ERRORS,
  json,
  MALFORMED,
  NOT_FOUND,
  NO_PAST,
  NOT_MODIFIED,
  OTHER_ERRORS,
  page,
  records,
  RECONCILE_STORE_ERRORS,
  STORE_ERRORS,
  text,
  TOO_LARGE,
  TOO_MANY,
} from './responses.ts'
import { ref } from './schemas.ts'

/** The endpoints of the OpenAPI document. */

const PAGE = ['limit', 'offset']

interface Operation {
  id: string
  summary: string
  description?: string
  parameters?: readonly string[]
  responses: object
}

const operation = (tag: string, { id, summary, description, parameters = [], responses }: Operation) => ({
  operationId: id,
  tags: [tag],
  summary,
  ...(description ? { description } : {}),
  ...(parameters.length > 0 ? { parameters: parameters.map(parameter) } : {}),
  responses,
})

/** The operations of the table of endpoints that answer with records. */
function recordPaths(routes: readonly Route[]) {
  return Object.fromEntries(
    routes.flatMap(({ also, ...route }) => [
      pathOf(route),
      ...(also ? [pathOf({ ...route, path: also, operationId: undefined })] : []),
    ]),
  )
}

function pathOf(route: Route) {
  const operations = { get: getRecords(route), ...(route.post ? { post: postForm(route) } : {}) }
  return [route.path.replace(/:(\w+)/g, '{$1}'), operations] as const
}

/** Endpoints that give browsers a page. */
const WITH_PAGE = ['/data', '/voc/:vocid']

function getRecords(route: Route) {
  const { path, template, parameters = [], ignores = [], limit, records: kind = 'Concept', notFound } = route
  const { summary, description } = queryTemplate(template)
  const common = Object.entries(COMMON_PARAMETERS).filter(([name]) => !(ignores as readonly string[]).includes(name))
  return {
    operationId: operationId(route, 'get'),
    tags: [kind === 'Concept' ? 'Concepts' : 'Vocabularies'],
    summary: route.summary ?? summary,
    ...(description ? { description } : {}),
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => parameter(name!)),
      ...parameters.map(parameter),
      // Endpoints have different limits.
      ...common.map(([name, one]) =>
        name === 'limit' && limit !== undefined
          ? { ...one, schema: { ...one.schema, default: limit } }
          : parameter(name),
      ),
    ],
    responses: {
      200: route.representation
        ? suggestionsOr(kind)
        : records(kind, 'The records', {
            headers: parameters.includes('download') ? ['Content-Disposition'] : [],
            hasPage: WITH_PAGE.includes(path),
          }),
      ...NOT_MODIFIED,
      ...MALFORMED,
      ...(notFound ? NOT_FOUND : {}),
      ...(parameters.includes('at') ? NO_PAST : {}),
      ...STORE_ERRORS,
    },
  }
}

/** Suggestions, or with `format=jskos` the records. */
function suggestionsOr(kind: string) {
  const schema = { anyOf: [ref('Suggestions'), { type: 'array', items: ref(kind) }] }
  return json('The suggestions', schema, ['X-Total-Count', 'Link', 'ETag'])
}

function postForm(route: Route) {
  const names = [...(route.parameters ?? []).map((key) => READ[key].name), ...Object.keys(COMMON_PARAMETERS)]
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return {
    ...operation('Concepts', {
      id: operationId(route, 'post'),
      summary: 'The same, for lists that are too long for a URL',
      responses: { 200: records('Concept', 'The concepts'), ...MALFORMED, ...NO_PAST, ...TOO_LARGE, ...STORE_ERRORS },
    }),
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
    },
  }
}

/** The operation id of a route; `/narrower` has getNarrower. */
function operationId(route: Route, method: 'get' | 'post'): string {
  const words = route.path.split(/\W+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return route.operationId ?? method + words.join('')
}

/** Filters of format records by their links. */
const FORMAT_FILTERS = ['formatApplication', 'formatModel', 'formatBase', 'formatFor', 'formatProfiles', 'formatType']
const VERSIONS = json('The versions', { type: 'array', items: ref('Version') }, ['X-Total-Count', 'Link', 'ETag'])
const FORMATS = json('The records', { type: 'array', items: ref('Format') }, ['X-Total-Count', 'Link', 'ETag'])

/** The answers of an endpoint with a fixed document, in its own media type and as plain JSON. */
const document = (description: string, mediaType: string, schema: object) => ({
  200: { description, content: { [mediaType]: { schema }, 'application/json': { schema } } },
  ...NOT_MODIFIED,
  ...OTHER_ERRORS,
})

const SPARQL_RESULTS = {
  description: 'Solutions or a graph in the format that `Accept` asks for',
  content: {
    'application/sparql-results+json': { schema: { type: 'object' } },
    'application/sparql-results+xml': { schema: { type: 'string' } },
    'text/csv': { schema: { type: 'string' } },
    'text/tab-separated-values': { schema: { type: 'string' } },
    'text/turtle': { schema: { type: 'string' } },
    'application/n-triples': { schema: { type: 'string' } },
    'application/ld+json': { schema: {} },
    'application/rdf+xml': { schema: { type: 'string' } },
  },
}
/** Browsers get the editor at /sparql. */
const SPARQL_PAGE = { ...SPARQL_RESULTS, content: { ...SPARQL_RESULTS.content, ...page() } }
const SPARQL_ANSWERS = { 200: SPARQL_RESULTS, ...MALFORMED, ...FORBIDDEN, ...STORE_ERRORS }

const OTHER_PATHS = {
  '/ingest': {
    post: {
      ...operation('Ingest', {
        id: 'ingest',
        summary: 'Adds concepts to a vocabulary',
        description:
          'Adds all concepts or none. The account in each object of the body is for one vocabulary. The body is JSON with any Content-Type. The editors of the vocabulary get an e-mail.',
        parameters: ['idempotencyKey'],
        responses: {
          201: json('The concepts as stored', { type: 'array', items: ref('Concept') }, ['Location']),
          ...INGEST_ERRORS,
        },
      }),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'array', minItems: 1, items: ref('IngestRequest') } } },
      },
    },
  },
  '/formats': {
    get: operation('Formats', {
      id: 'getFormats',
      summary: 'Records that describe data formats',
      parameters: [...FORMAT_FILTERS, ...PAGE, 'formatsFormat'],
      responses: {
        200: {
          ...FORMATS,
          content: {
            ...FORMATS.content,
            'application/x-ndjson': { schema: { type: 'string', description: 'One record a line' } },
          },
        },
        ...NOT_MODIFIED,
        ...MALFORMED,
        ...STORE_ERRORS,
      },
    }),
  },
  '/formats/{id}': {
    get: operation('Formats', {
      id: 'getFormat',
      summary: 'One record that describes a data format',
      parameters: ['formatId'],
      responses: { 200: json('The record', ref('Format')), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
    }),
  },
  '/formats/schema.json': {
    get: operation('Formats', {
      id: 'getFormatSchema',
      summary: 'The JSON Schema of format records',
      responses: document('The schema', 'application/schema+json', ref('JsonSchema')),
    }),
  },
  '/formats/context.json': {
    get: operation('Formats', {
      id: 'getFormatContext',
      summary: 'The JSON-LD context of format records',
      responses: document('The context', 'application/ld+json', ref('JsonLdContext')),
    }),
  },
  '/formats.ndjson': {
    get: operation('Formats', {
      id: 'downloadFormats',
      summary: 'All format records, one a line',
      parameters: [...FORMAT_FILTERS, ...PAGE],
      responses: { 200: text('The records', 'application/x-ndjson'), ...NOT_MODIFIED, ...MALFORMED, ...STORE_ERRORS },
    }),
  },
  '/sparql': {
    get: operation('Data', {
      id: 'sparqlQuery',
      summary: 'SPARQL 1.1 Protocol, query only',
      description:
        'Queries the embedded store. Each vocabulary is a named graph; the default graph is the union of all.',
      parameters: ['sparqlQuery'],
      responses: { ...SPARQL_ANSWERS, 200: SPARQL_PAGE },
    }),
    post: {
      ...operation('Data', {
        id: 'sparqlQueryByPost',
        summary: 'The same for long queries',
        responses: { ...SPARQL_ANSWERS, ...TOO_LARGE },
      }),
      requestBody: {
        required: true,
        content: {
          'application/sparql-query': { schema: { type: 'string' } },
          'application/x-www-form-urlencoded': {
            schema: { type: 'object', required: ['query'], properties: { query: { type: 'string' } } },
          },
        },
      },
    },
  },
  '/validate': {
    get: operation('Data', {
      id: 'getValidate',
      summary: 'A form for checking records and RDF',
      responses: { 200: text('A page', 'text/html'), ...NOT_MODIFIED, ...MALFORMED, ...OTHER_ERRORS },
    }),
    post: {
      ...operation('Data', {
        id: 'validate',
        summary: 'Checks JSKOS records, or RDF',
        description:
          'Checks JSKOS by the rules of jskos-validate, and RDF by the SHACL shapes that loading uses. The service fetches nothing and keeps nothing. Forms that prefer HTML get a page.',
        parameters: ['validateFormat', 'validateType', 'validateUnknownFields', 'validateKnownSchemes'],
        responses: {
          200: json('The report', ref('ValidationReport'), []),
          ...MALFORMED,
          ...TOO_LARGE,
          ...TOO_MANY,
          ...OTHER_ERRORS,
        },
      }),
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: {} },
          ...Object.fromEntries(
            Object.values(TEXT_FORMATS).flatMap(({ mediaTypes }) =>
              mediaTypes
                .filter((type) => type !== 'application/json')
                .map((type) => [type, { schema: { type: 'string' } }]),
            ),
          ),
          'application/x-www-form-urlencoded': {
            schema: {
              type: 'object',
              required: ['data'],
              properties: {
                data: { type: 'string' },
                format: { type: 'string' },
                type: { type: 'string' },
                unknownFields: { type: 'string' },
                knownSchemes: { type: 'string' },
              },
            },
          },
        },
      },
    },
  },
  '/entity': {
    get: operation('Data', {
      id: 'getEntity',
      summary: 'Redirects from a URI to its page or its record, depending on `Accept`',
      description: 'URIs of concepts and vocabularies below the address of the service redirect in the same way.',
      parameters: ['entityUri', 'format', 'pageLanguage'],
      responses: {
        303: {
          description: '`Location` is the address of the page or the record',
          content: { 'text/plain': { schema: { type: 'string' } }, ...page() },
        },
        ...MALFORMED,
        ...NOT_FOUND,
        ...GONE,
        ...STORE_ERRORS,
      },
    }),
  },
  '/.well-known/void': {
    get: operation('Data', {
      id: 'getVoid',
      summary: 'The vocabularies, their licences, sizes and downloads in VoID and DCAT',
      responses: { 200: text('The description', 'text/turtle'), ...NOT_MODIFIED, ...STORE_ERRORS },
    }),
  },
  '/sitemap.xml': {
    get: operation('Data', {
      id: 'getSitemap',
      summary: 'The addresses of all pages for search engines',
      parameters: ['sitemapVoc', 'sitemapPart'],
      responses: {
        200: text('A sitemap, or the index of all sitemaps', 'application/xml'),
        ...NOT_MODIFIED,
        ...MALFORMED,
        ...NOT_FOUND,
        ...STORE_ERRORS,
      },
    }),
  },
  '/robots.txt': {
    get: operation('Data', {
      id: 'getRobots',
      summary: 'Rules for robots',
      responses: { 200: text('The rules', 'text/plain'), ...NOT_MODIFIED, ...OTHER_ERRORS },
    }),
  },
  '/context.json': {
    get: operation('Data', {
      id: 'getContext',
      summary: 'The JSON-LD context of JSON-LD answers',
      responses: {
        200: { description: 'The context', content: { 'application/ld+json': { schema: ref('JsonLdContext') } } },
        ...NOT_MODIFIED,
        ...OTHER_ERRORS,
      },
    }),
  },
  '/status': {
    get: operation('Service', {
      id: 'getStatus',
      summary: 'The endpoints, and the state of the store',
      responses: {
        200: json('The store answers', ref('Status'), []),
        503: json('The store does not answer', ref('Status'), []),
        ...OTHER_ERRORS,
      },
    }),
  },
  '/status.schema.json': {
    get: operation('Service', {
      id: 'getStatusSchema',
      summary: 'The JSON Schema of /status',
      responses: document('The schema', 'application/schema+json', ref('JsonSchema')),
    }),
  },
  '/healthz': {
    get: operation('Service', {
      id: 'getHealth',
      summary: 'Answers if the process runs',
      responses: { 200: json('The process runs', ref('Health'), []), ...OTHER_ERRORS },
    }),
  },
  '/readyz': {
    get: operation('Service', {
      id: 'getReadiness',
      summary: 'Answers 200 if the store answers',
      responses: { 200: json('The store answers', ref('Health'), []), 503: STORE_ERRORS[503], ...OTHER_ERRORS },
    }),
  },
  '/metrics': {
    get: operation('Service', {
      id: 'getMetrics',
      summary: 'Figures for Prometheus',
      responses: { 200: text('In the text format of Prometheus', 'text/plain'), ...OTHER_ERRORS },
    }),
  },
  '/openapi.json': {
    get: operation('Service', {
      id: 'getOpenapi',
      summary: 'This document',
      responses: {
        200: json('The document', { type: 'object', required: ['openapi'] }),
        ...NOT_MODIFIED,
        ...OTHER_ERRORS,
      },
    }),
  },
  '/docs': {
    get: operation('Service', {
      id: 'getDocs',
      summary: 'This document as a page, to read and to try out',
      responses: { 200: text('A page', 'text/html'), ...NOT_MODIFIED, ...OTHER_ERRORS },
    }),
  },
  '/': {
    get: operation('Service', {
      id: 'getStart',
      summary: 'Links to begin with',
      responses: {
        200: {
          description: 'A page, or the same as JSON',
          content: {
            'application/json': { schema: ref('Start') },
            'text/html': { schema: { type: 'string' } },
          },
        },
        ...NOT_MODIFIED,
        ...OTHER_ERRORS,
      },
    }),
  },
  '/testAPICalls': {
    get: {
      ...operation('Service', {
        id: 'testApiCalls',
        summary: 'A request that an old client sends at its start',
        responses: {
          200: json('A list of one', { type: 'array', items: ref('Item'), minItems: 1 }),
          ...NOT_MODIFIED,
          ...OTHER_ERRORS,
        },
      }),
      deprecated: true,
    },
  },
}

/** The parameters of every GET of the Reconciliation Service API. */
const RECONCILE_COMMON = ['language', 'reconcileCallback']
const TYPED = ['reconcilePrefix', 'reconcileCursor', 'reconcileLimit']
const JSON_BODY = { 'application/json': { schema: { type: 'object' } } }
const FORM_BODY = {
  'application/x-www-form-urlencoded': {
    schema: { type: 'object', properties: { queries: { type: 'string' }, extend: { type: 'string' } } },
  },
}

interface Reconciling {
  id: string
  summary: string
  parameters?: readonly string[]
  /** The body of a POST. */
  body?: object
  page?: true
  /** True if the endpoint asks the store only for a vocabulary in the path. */
  asksNothing?: true
}

/** The endpoints of the Reconciliation Service API below each of its addresses; the API has schemas of their answers. */
const RECONCILING: Record<string, { get?: Reconciling; post?: Reconciling }> = {
  '': {
    get: {
      id: 'reconcile',
      summary: 'The manifest of the service; candidates for queries of 0.2',
      parameters: ['reconcileQueries', 'reconcileExtend'],
    },
    post: { id: 'reconcileByPost', summary: 'Candidates for the queries of a form (0.2)', body: FORM_BODY },
  },
  '/match': { post: { id: 'reconcileMatch', summary: 'Candidates for queries (1.0)', body: JSON_BODY } },
  '/suggest/entity': {
    get: { id: 'suggestEntities', summary: 'Concepts by the beginning of a name', parameters: TYPED },
  },
  '/suggest/property': {
    get: {
      id: 'suggestProperties',
      summary: 'Properties by the beginning of a name',
      parameters: TYPED,
      asksNothing: true,
    },
  },
  '/suggest/type': { get: { id: 'suggestTypes', summary: 'Types by the beginning of a name', parameters: TYPED } },
  '/flyout/entity': { get: { id: 'flyoutEntity', summary: 'A concept in a few lines', parameters: ['reconcileId'] } },
  '/preview': {
    get: { id: 'previewEntity', summary: 'A concept as a small page', parameters: ['reconcileId'], page: true },
  },
  '/extend': { post: { id: 'extend', summary: 'Properties of concepts, as columns (1.0)', body: JSON_BODY } },
  '/extend/propose': {
    get: {
      id: 'proposeProperties',
      summary: 'Properties that columns can show',
      parameters: ['reconcileType', 'reconcileLimit'],
    },
  },
}

function reconcilePaths() {
  return Object.fromEntries(
    RECONCILE_PATHS.flatMap((address) =>
      Object.entries(RECONCILING).map(([path, methods]) => [
        (address + path).replace(/:(\w+)/g, '{$1}'),
        Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, reconciling(address, one)])),
      ]),
    ),
  )
}

/** An answer in JSON, or for a GET with `callback` a call of that function. */
function reconciled(isGet: boolean) {
  const answer = json('The answer', { type: 'object' }, [])
  const call = { 'text/javascript': { schema: { type: 'string' } } }
  return { ...answer, content: { ...answer.content, ...(isGet ? call : {}) } }
}

function reconciling(address: string, { id, summary, parameters = [], body, page, asksNothing }: Reconciling) {
  const ofOne = address.includes(':vocid')
  return {
    ...operation('Reconciliation', {
      id: ofOne ? `${id}InVocabulary` : id,
      summary: ofOne ? `${summary}, of one vocabulary` : summary,
      parameters: [...(ofOne ? ['vocid'] : []), ...parameters, ...(body ? [] : RECONCILE_COMMON)],
      responses: {
        200: page ? text('A page', 'text/html') : reconciled(body === undefined),
        ...MALFORMED,
        ...(ofOne || parameters.includes('reconcileId') ? NOT_FOUND : {}),
        ...(body ? TOO_LARGE : {}),
        ...(asksNothing && !ofOne ? OTHER_ERRORS : RECONCILE_STORE_ERRORS),
      },
    }),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
  }
}

/** All endpoints of the service: those of the route table, generated from its lines, and the others. */
export const PATHS = { ...recordPaths(ROUTES), ...reconcilePaths(), ...OTHER_PATHS }

const CHANGED = records('Concept', 'The records; those that are gone have `endDate`')
const CHANGES = {
  ...CHANGED,
  content: {
    ...CHANGED.content,
    'application/json': {
      schema: { type: 'array', items: { anyOf: ['Concept', 'Vocabulary', 'Collection'].map(ref) } },
    },
    'application/atom+xml': { schema: { type: 'string' } },
  },
}

const FOLLOWED =
  'Entity Metadata Management 1.0 (ActivityStreams 2.0), with the terms of Linked Data Event Streams 1.0 and TREE. JSON names the contexts of the specification, JSON-LD the one of this service.'

/** Activities in all their forms. */
function activities(description: string, schema: string) {
  const mediaTypes = ['application/json', 'application/activity+json', 'application/ld+json']
  return {
    ...json(description, ref(schema)),
    content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: ref(schema) }])),
  }
}

/** The endpoints of a service that keeps a history. */
export const HISTORY_PATHS = {
  '/history': {
    get: operation('Concepts', {
      id: 'getHistory',
      summary: 'The versions of a concept, the newest first',
      description: 'From the log of changes, which goes back to the first load since the service keeps it.',
      parameters: ['oneUri', ...PAGE, 'formatsFormat'],
      responses: {
        200: {
          ...VERSIONS,
          content: {
            ...VERSIONS.content,
            'application/x-ndjson': { schema: { type: 'string', description: 'One version a line' } },
            ...page(),
          },
        },
        ...NOT_MODIFIED,
        ...MALFORMED,
        404: { $ref: '#/components/responses/NoHistory' },
        ...STORE_ERRORS,
      },
    }),
  },
  '/voc/{vocid}/changes': {
    get: operation('Vocabularies', {
      id: 'getChanges',
      summary: 'New, changed, deprecated and deleted records of a vocabulary, the last change first',
      description: 'One record for each concept, and for the vocabulary itself. An Atom feed for feed readers.',
      parameters: ['vocid', 'since', 'kind', 'properties', 'languages', 'language', ...PAGE, 'changesFormat'],
      responses: {
        200: CHANGES,
        ...NOT_MODIFIED,
        ...MALFORMED,
        ...NOT_FOUND,
        ...STORE_ERRORS,
      },
    }),
  },
  '/voc/{vocid}/activity': {
    get: operation('Vocabularies', {
      id: 'getActivity',
      summary: 'The changes of a vocabulary as an ordered collection of activities',
      description: FOLLOWED,
      parameters: ['vocid'],
      responses: { 200: activities('The collection', 'Activities'), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
    }),
  },
  '/voc/{vocid}/activity/page/{page}': {
    get: operation('Vocabularies', {
      id: 'getActivityPage',
      summary: 'A page of the activities of a vocabulary, from the first change on',
      description: `${FOLLOWED} A page that leads to another one never changes.`,
      parameters: ['vocid', 'activityPage'],
      responses: { 200: activities('The page', 'ActivityPage'), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
    }),
  },
  '/activity/context.json': {
    get: operation('Data', {
      id: 'getActivityContext',
      summary: 'The JSON-LD context of activities',
      responses: {
        200: { description: 'The context', content: { 'application/ld+json': { schema: ref('JsonLdContext') } } },
        ...NOT_MODIFIED,
        404: { $ref: '#/components/responses/NoHistory' },
        ...OTHER_ERRORS,
      },
    }),
  },
}
