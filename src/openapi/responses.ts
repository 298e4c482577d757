import { ref } from './schemas.ts'

/** Answers of the OpenAPI document. */

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

export const HEADERS = {
  'X-Total-Count': {
    description: 'How many records there are, whatever `limit` is',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  Link: {
    description: 'Other pages: `first`, `prev`, `next`, `last` (RFC 8288); where the answer is a page of several',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'To be sent as If-None-Match with the next request for the same: 304 where nothing has changed',
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$' },
  },
  'Last-Modified': {
    description: 'When the latest of the records was changed, where all of them say so',
    schema: { type: 'string' },
  },
  'Content-Language': { description: 'The first language of `language`', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name of the file, with `download`', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } },
  Location: { description: 'Where the concept is, when it is one', schema: { type: 'string', format: 'uri' } },
}

const RECORD_HEADERS = ['X-Total-Count', 'Link', 'ETag', 'Last-Modified', 'Content-Language']

/** A JSON answer. */
export function json(description: string, schema: object, headers: readonly string[] = ['ETag']) {
  return {
    description,
    headers: Object.fromEntries(headers.map((name) => [name, header(name)])),
    content: { 'application/json': { schema } },
  }
}

/** A list of records in all its forms. */
export function records(schema: string, description: string, headers: readonly string[] = []) {
  const graph = { schema: { type: 'string', description: 'The graph of the records' } }
  const answer = json(description, { type: 'array', items: ref(schema) }, [...RECORD_HEADERS, ...headers])
  return {
    ...answer,
    content: {
      ...answer.content,
      'application/ld+json': {
        schema: {
          type: 'object',
          required: ['@context', '@graph'],
          properties: {
            '@context': { type: 'object', description: 'The same as at /context.json' },
            '@graph': { type: 'array', items: { type: 'object', required: ['uri'] } },
          },
        },
      },
      'application/x-ndjson': { schema: { type: 'string', description: 'One record a line' } },
      'text/turtle': graph,
      'application/n-triples': graph,
    },
  }
}

/** A text. */
export function text(description: string, mediaType: string) {
  return { description, content: { [mediaType]: { schema: { type: 'string' } } } }
}

function error(description: string, headers: readonly string[] = [], schema = 'Error') {
  return json(description, ref(schema), headers)
}

export const RESPONSES = {
  NotModified: {
    description: 'Nothing has changed since the answer with the ETag of If-None-Match',
    headers: { ETag: header('ETag') },
  },
  Malformed: error('MalformedRequestError: a parameter or body that is missing, doubled or cannot be read'),
  NotFound: error('EntityNotFoundError: there is no such thing'),
  Forbidden: error('ForbiddenAccessError'),
  TooLarge: error('PayloadTooLargeError'),
  Internal: error('InternalServerError'),
  Backend: error('BackendError: the store cannot be reached, or refuses or breaks off'),
  Unavailable: error('ServiceUnavailableError: too much to do, or the vocabulary was being replaced', ['Retry-After']),
  Timeout: error('TimeoutError: the store did not answer in time'),
  Any: error('Any other error'),
  IngestMalformed: error('MalformedRequestError: the body is no JSON', [], 'IngestError'),
  IngestUnauthorized: error('UnauthorizedError: wrong username or token', [], 'IngestError'),
  IngestForbidden: error('ForbiddenAccessError: another vocabulary than that of the account', [], 'IngestError'),
  IngestTooLarge: error('PayloadTooLargeError: more than 1 MiB or 1,000 concepts', [], 'IngestError'),
  IngestInvalid: error('InvalidBodyError: every violation is listed', [], 'IngestError'),
  IngestTooMany: error('TooManyRequestsError', ['Retry-After'], 'IngestError'),
  IngestAny: error('Any other error', [], 'IngestError'),
}

const response = (name: keyof typeof RESPONSES) => ({ $ref: `#/components/responses/${name}` })

/** What everything that asks the store may answer beside its own. */
export const STORE_ERRORS = {
  500: response('Internal'),
  502: response('Backend'),
  503: response('Unavailable'),
  504: response('Timeout'),
  default: response('Any'),
}

export const NOT_MODIFIED = { 304: response('NotModified') }
export const MALFORMED = { 400: response('Malformed') }
export const NOT_FOUND = { 404: response('NotFound') }
export const FORBIDDEN = { 403: response('Forbidden') }
export const TOO_LARGE = { 413: response('TooLarge') }
export const OTHER_ERRORS = { default: response('Any') }

export const INGEST_ERRORS = {
  400: response('IngestMalformed'),
  401: response('IngestUnauthorized'),
  403: response('IngestForbidden'),
  413: response('IngestTooLarge'),
  422: response('IngestInvalid'),
  429: response('IngestTooMany'),
  default: response('IngestAny'),
}
