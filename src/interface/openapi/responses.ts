import { FACETS_HEADER, REPLACED_HEADER } from '../http/headers.ts'
import { ref } from './references.ts'

/** Answers of the OpenAPI document. */

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

export const HEADERS = {
  'X-Total-Count': {
    description: 'The number of records regardless of `limit`; HTML pages do not have it',
    schema: { type: 'integer', minimum: 0 },
  },
  Link: {
    description:
      'Pages of the list: `first` and `last`, and `prev` and `next` if they exist (RFC 8288), of a single record also `describes` and `cite-as`; absent if the links are too long for a header',
    schema: { type: 'string' },
  },
  ETag: {
    description:
      'Send it as If-None-Match with the next request for the same address; the answer is 304 if nothing has changed',
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$' },
  },
  'Last-Modified': {
    description: 'The last change of the records, if all of them have a date',
    schema: { type: 'string' },
  },
  'Content-Language': { description: 'The first language of `language`', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name of the file, if it is a download', schema: { type: 'string' } },
  [REPLACED_HEADER]: {
    description:
      'Present if the service has looked for more than the text: `word=replacement`, as in a form; `*word*` if it has looked inside of words, else the words instead of one that nothing matches',
    schema: { type: 'string', pattern: '^[^=&]+=[^=&]+(&[^=&]+=[^=&]+)*$' },
  },
  [FACETS_HEADER]: {
    description:
      'Present with `facets`: a JSON object with an array of `{uri, count}` for each facet, the greatest numbers first, at most 20 and as many as fit',
    schema: { type: 'string', pattern: '^\\{.*\\}$' },
  },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } },
  Location: { description: 'The address of the concept, if it is one', schema: { type: 'string', format: 'uri' } },
}

/** A JSON answer. */
export function json(description: string, schema: object, headers: readonly string[] = ['ETag']) {
  return withHeaders({ description, content: { 'application/json': { schema } } }, headers)
}

/** Adds headers of `HEADERS` to an answer. */
export function withHeaders<Described extends object>(described: Described, headers: readonly string[]) {
  return { ...described, headers: Object.fromEntries(headers.map((name) => [name, header(name)])) }
}

/** The content of an answer or of a body, by media type (OpenAPI 3.1, Media Type Object). */
export type ResponseContent = Readonly<Record<string, { schema: object }>>

/**
 * Adds the content that a request must ask for: by `format`, `download` or `callback`, or, for a page, by `Accept`.
 *
 * It stands in an extension and not in `content`, because generators of clients make the type of an answer a union of
 * all media types in `content`, and a union of records and texts helps nobody. An answer in a media type that they do
 * not know stands there alone: openapi-python-client would leave it out and read the answer as an error.
 */
export function withOther<Described extends object>(described: Described, other: ResponseContent) {
  return { ...described, 'x-other-content': other }
}

/** One record a line, of a list that has no other format beside JSON. */
export function lines(): ResponseContent {
  return { 'application/x-ndjson': { schema: { type: 'string', description: 'One record a line' } } }
}

/** The content of an answer to a browser. */
export function pageContent(): ResponseContent {
  return { 'text/html': { schema: { type: 'string', description: 'A page, if `Accept` ranks it highest' } } }
}

/** A text. */
export function textResponse(description: string, mediaType: string) {
  return { description, content: { [mediaType]: { schema: { type: 'string' } } } }
}

function error(description: string, headers: readonly string[] = [], schema = 'ApiError') {
  return json(description, ref(schema), headers)
}

export const RESPONSES = {
  NotModified: {
    description: 'Nothing has changed since the answer with the ETag of If-None-Match',
    headers: { ETag: header('ETag') },
  },
  Malformed: error('MalformedRequestError: a parameter or body is missing, repeated or malformed'),
  NotFound: error('EntityNotFoundError: the id in the path, or the `uri`, is unknown'),
  NoPast: error('EntityNotFoundError: the history does not go back to `at`, or the service keeps none'),
  NoHistory: error('EntityNotFoundError: the service keeps no history'),
  Gone: error('GoneError: the concept or vocabulary was deleted', [], 'GoneError'),
  Forbidden: error('ForbiddenAccessError'),
  TooLarge: error('PayloadTooLargeError'),
  PreconditionFailed: error('PreconditionFailedError: the file has another ETag than those in If-Match'),
  RangeNotSatisfiable: error('RangeNotSatisfiableError: the file has fewer bytes'),
  Internal: error('InternalServerError'),
  Backend: error('BackendError: the service cannot reach the store, or the store refuses or breaks off'),
  Unavailable: error('ServiceUnavailableError: too many requests, or the vocabulary was being replaced', [
    'Retry-After',
  ]),
  StoreAway: error('ServiceUnavailableError: the store fails, or there are too many requests', ['Retry-After']),
  Timeout: error('TimeoutError: the store did not answer in time'),
  TooMany: error('TooManyRequestsError', ['Retry-After']),
  Any: error('Any other error'),
  IngestMalformed: error('MalformedRequestError: the body is not JSON', [], 'IngestError'),
  IngestUnauthorized: error('UnauthorizedError: wrong username or token', [], 'IngestError'),
  IngestForbidden: error('ForbiddenAccessError: another vocabulary than that of the account', [], 'IngestError'),
  IngestTooLarge: error('PayloadTooLargeError: more than 1 MiB or 1,000 concepts', [], 'IngestError'),
  IngestInvalid: error('InvalidBodyError: concepts are invalid; the answer lists the violations', [], 'IngestError'),
  IngestTooMany: error('TooManyRequestsError', ['Retry-After'], 'IngestError'),
  IngestAny: error('Any other error', [], 'IngestError'),
}

const response = (name: keyof typeof RESPONSES) => ({ $ref: `#/components/responses/${name}` })

/** The errors of all endpoints that ask the store. */
export const STORE_ERRORS = {
  500: response('Internal'),
  502: response('Backend'),
  503: response('Unavailable'),
  504: response('Timeout'),
  default: response('Any'),
}

/** The same for reconciliation, which reports failures of the store as 503. */
export const RECONCILE_STORE_ERRORS = {
  500: response('Internal'),
  503: response('StoreAway'),
  504: response('Timeout'),
  default: response('Any'),
}

export const NOT_MODIFIED = { 304: response('NotModified') }
export const MALFORMED = { 400: response('Malformed') }
export const PRECONDITION_FAILED = { 412: response('PreconditionFailed') }
export const NO_RANGE = { 416: response('RangeNotSatisfiable') }
export const NOT_FOUND = { 404: response('NotFound') }
export const NO_PAST = { 404: response('NoPast') }
export const GONE = { 410: response('Gone') }
export const FORBIDDEN = { 403: response('Forbidden') }
export const TOO_LARGE = { 413: response('TooLarge') }
export const TOO_MANY = { 429: response('TooMany') }
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
