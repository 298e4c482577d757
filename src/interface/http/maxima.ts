import { ApiError } from '../../base/errors.ts'

/** The maximum of a value or a list in a request. */
export interface Maximum {
  /** The part of the request that contains it. */
  in: 'parameter' | 'header' | 'body'
  /** Its name there, as messages have it. */
  name: string
  /** The endpoints that have it, as a reader knows them. */
  endpoints: string
  most: number
  /** The unit of the number, such as `values` or `bytes`. */
  unit: string
  /** The status of a request beyond the maximum, or what the service does instead of refusing it. */
  excess: number | string
}

const ERROR_OF_QUERY = 'the query gets an `error`'
const CUT = 'the rest is left out'

/**
 * THE table of maxima: every list and every size that a client can send. docs/endpoints.md lists it under "Maxima", and
 * test/interface/http/maxima.slow.test.ts tries every line at its maximum, one above it, and at a thousand times as
 * much.
 */
// oxfmt-ignore
export const MAXIMA = {
  head: { in: 'header', name: 'Accept, Cookie', endpoints: 'all endpoints, with the path and all other headers', most: 65_536, unit: 'bytes', excess: 431 },
  headerList: { in: 'header', name: 'Accept, Accept-Encoding, Accept-Language, If-None-Match', endpoints: 'all endpoints', most: 100, unit: 'values', excess: CUT },
  acceptLanguage: { in: 'header', name: 'Accept-Language', endpoints: 'all endpoints', most: 20, unit: 'language tags, the best ones', excess: CUT },
  language: { in: 'parameter', name: 'language, lang', endpoints: 'all endpoints', most: 20, unit: 'language tags', excess: 400 },
  languages: { in: 'parameter', name: 'languages', endpoints: 'all lists', most: 400, unit: 'language tags', excess: 400 },
  languageTag: { in: 'parameter', name: 'language, languages, lang', endpoints: 'all endpoints', most: 100, unit: 'characters in a language tag', excess: 400 },
  list: { in: 'parameter', name: 'uri, id, notation, voc', endpoints: 'all lists, also as a form', most: 10_000, unit: 'values', excess: 400 },
  classes: { in: 'parameter', name: 'type', endpoints: 'all endpoints', most: 100, unit: 'classes', excess: 400 },
  beginnings: { in: 'parameter', name: 'from, to', endpoints: '`/mappings` and `/mappings/voc`', most: 50, unit: 'values that end in `*`', excess: 400 },
  otherList: { in: 'parameter', name: 'any other list', endpoints: 'all endpoints, also `vocab`, `scheme` and `fields` of `/rest/v1`', most: 1000, unit: 'values', excess: 400 },
  callback: { in: 'parameter', name: 'callback', endpoints: '`/reconcile` by GET, `/rest/v1`', most: 200, unit: 'characters', excess: 400 },
  form: { in: 'body', name: 'uri, id, notation, voc', endpoints: '`POST /data` and other lists, the whole form', most: 2 ** 20, unit: 'bytes', excess: 413 },
  reconcileBody: { in: 'body', name: 'queries, extend', endpoints: '`/reconcile`, `/reconcile/match`, `/reconcile/extend`, the whole body', most: 2 ** 20, unit: 'bytes', excess: 413 },
  queries: { in: 'body', name: 'queries', endpoints: '`/reconcile`, `/reconcile/match`', most: 1000, unit: 'queries', excess: 413 },
  queryTypes: { in: 'body', name: 'type', endpoints: '`/reconcile`, `/reconcile/match`', most: 50, unit: 'classes in a query', excess: ERROR_OF_QUERY },
  conditionValues: { in: 'body', name: 'properties.v, propertyValue', endpoints: '`/reconcile`, `/reconcile/match`', most: 50, unit: 'values in the conditions of a query', excess: ERROR_OF_QUERY },
  requestValues: { in: 'body', name: 'properties.v, propertyValue', endpoints: '`/reconcile`, `/reconcile/match`', most: 5000, unit: 'values in the conditions of all queries', excess: 413 },
  candidates: { in: 'body', name: 'limit', endpoints: '`/reconcile`, `/reconcile/match`', most: 100, unit: 'candidates for a query', excess: CUT },
  extendIds: { in: 'body', name: 'ids', endpoints: '`/reconcile/extend`', most: 1000, unit: 'URIs', excess: 413 },
  extendProperties: { in: 'body', name: 'properties', endpoints: '`/reconcile/extend`', most: 50, unit: 'properties', excess: 400 },
  cell: { in: 'body', name: 'settings.limit', endpoints: '`/reconcile/extend`', most: 1000, unit: 'values in a cell', excess: CUT },
  cells: { in: 'body', name: 'ids, properties', endpoints: '`/reconcile/extend`', most: 100_000, unit: 'values of all cells (an empty cell counts as one)', excess: 413 },
  applyBody: { in: 'body', name: 'items', endpoints: '`/mappings/apply`, the whole body', most: 2 ** 20, unit: 'bytes', excess: 413 },
  applyItems: { in: 'body', name: 'items', endpoints: '`/mappings/apply`', most: 1000, unit: 'items', excess: 413 },
  mcpMessage: { in: 'body', name: 'message', endpoints: '`/mcp`', most: 2 ** 20, unit: 'bytes', excess: 413 },
  mcpTerms: { in: 'body', name: 'terms', endpoints: '`match_terms` of `/mcp`', most: 100, unit: 'terms', excess: 'the tool says so' },
  mcpUris: { in: 'body', name: 'uris', endpoints: '`get_concepts` of `/mcp`', most: 50, unit: 'URIs', excess: 'the tool says so' },
  sparqlBody: { in: 'body', name: 'query', endpoints: '`/sparql`, the whole body', most: 2 ** 20, unit: 'bytes', excess: 413 },
  idempotencyKey: { in: 'header', name: 'Idempotency-Key', endpoints: '`/ingest`', most: 255, unit: 'characters', excess: 400 },
  ingestBody: { in: 'body', name: 'username, token, data', endpoints: '`/ingest`, the whole body', most: 2 ** 20, unit: 'bytes', excess: 413 },
  ingestConcepts: { in: 'body', name: 'data', endpoints: '`/ingest`', most: 1000, unit: 'concepts', excess: 413 },
  validateText: { in: 'body', name: 'data', endpoints: '`/validate`, the field or the file of a form, or the whole body', most: 2 ** 20, unit: 'bytes', excess: 413 },
  pattern: { in: 'body', name: 'uriPattern, notationPattern', endpoints: '`/validate`', most: 1000, unit: 'characters', excess: 'a warning, and nothing is compared with it' },
  levels: { in: 'body', name: 'data', endpoints: '`/validate`', most: 200, unit: 'levels of elements in RDF/XML, of objects and arrays in JSON-LD', excess: 400 },
} as const satisfies Record<string, Maximum>

/** The maxima of lists in parameters with certain names. */
const MAXIMUM_OF_LIST = new Map<string, Maximum>(
  [MAXIMA.list, MAXIMA.classes].flatMap((maximum) => maximum.name.split(', ').map((name) => [name, maximum] as const)),
)

/** The maximum of the list in a parameter: every list has one. */
export function maximumOfList(name: string): Maximum {
  return MAXIMUM_OF_LIST.get(name) ?? MAXIMA.otherList
}

/**
 * Refuses a value beyond a maximum.
 *
 * @param as the name in this request, if the line has several.
 * @throws ApiError PayloadTooLargeError for the status 413, else MalformedRequestError.
 */
export function checkMaximum({ name, most, unit, excess }: Maximum, count: number, as = name): void {
  if (count <= most) return
  const message = `${as}: expected at most ${most} ${unit}, got ${count}`
  throw new ApiError(excess === 413 ? 'PayloadTooLargeError' : 'MalformedRequestError', message)
}
