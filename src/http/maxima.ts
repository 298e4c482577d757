import { ApiError } from '../errors.ts'

/** The most of something that a request may have. */
export interface Maximum {
  /** The part of the request that has it. */
  in: 'parameter' | 'header' | 'body'
  /** Its name there, as messages have it. */
  name: string
  /** The endpoints that have it, as a reader knows them. */
  at: string
  most: number
  /** The unit of the number, such as `values` or `bytes`. */
  unit: string
  /** The status of a request beyond the maximum, or what the service does instead of refusing it. */
  above: number | string
}

const ERROR_OF_QUERY = 'the query gets an `error`'
const CUT = 'the rest is left out'

/**
 * THE table of maxima: every list and every size that a client can send. docs/interface.md lists it under "Maxima", and
 * test/http/maxima.slow.test.ts tries every line at its maximum, one above it, and at a thousand times as much.
 */
// prettier-ignore
export const MAXIMA = {
  head: { in: 'header', name: 'Accept, Cookie', at: 'all endpoints, with the path and all other headers', most: 65_536, unit: 'bytes', above: 431 },
  headerList: { in: 'header', name: 'Accept, Accept-Encoding, Accept-Language, If-None-Match', at: 'all endpoints', most: 100, unit: 'values', above: CUT },
  acceptLanguage: { in: 'header', name: 'Accept-Language', at: 'all endpoints', most: 20, unit: 'language tags, the best ones', above: CUT },
  language: { in: 'parameter', name: 'language, lang', at: 'all endpoints', most: 20, unit: 'language tags', above: 400 },
  languages: { in: 'parameter', name: 'languages', at: 'all lists', most: 400, unit: 'language tags', above: 400 },
  languageTag: { in: 'parameter', name: 'language, languages, lang', at: 'all endpoints', most: 100, unit: 'characters in a language tag', above: 400 },
  list: { in: 'parameter', name: 'uri, id, notation, voc, type', at: 'all lists, also as a form', most: 10_000, unit: 'values', above: 400 },
  callback: { in: 'parameter', name: 'callback', at: '`/reconcile` by GET, `/rest/v1`', most: 200, unit: 'characters', above: 400 },
  form: { in: 'body', name: 'uri, id, notation, voc', at: '`POST /data` and other lists, the whole form', most: 2 ** 20, unit: 'bytes', above: 413 },
  reconcileBody: { in: 'body', name: 'queries, extend', at: '`/reconcile`, `/reconcile/match`, `/reconcile/extend`, the whole body', most: 2 ** 20, unit: 'bytes', above: 413 },
  queries: { in: 'body', name: 'queries', at: '`/reconcile`, `/reconcile/match`', most: 1000, unit: 'queries', above: 413 },
  queryTypes: { in: 'body', name: 'type', at: '`/reconcile`, `/reconcile/match`', most: 50, unit: 'classes in a query', above: ERROR_OF_QUERY },
  conditionValues: { in: 'body', name: 'properties.v, propertyValue', at: '`/reconcile`, `/reconcile/match`', most: 50, unit: 'values in the conditions of a query', above: ERROR_OF_QUERY },
  requestValues: { in: 'body', name: 'properties.v, propertyValue', at: '`/reconcile`, `/reconcile/match`', most: 5000, unit: 'values in the conditions of all queries', above: 413 },
  candidates: { in: 'body', name: 'limit', at: '`/reconcile`, `/reconcile/match`', most: 100, unit: 'candidates for a query', above: CUT },
  extendIds: { in: 'body', name: 'ids', at: '`/reconcile/extend`', most: 1000, unit: 'URIs', above: 413 },
  extendProperties: { in: 'body', name: 'properties', at: '`/reconcile/extend`', most: 50, unit: 'properties', above: 400 },
  cell: { in: 'body', name: 'settings.limit', at: '`/reconcile/extend`', most: 1000, unit: 'values in a cell', above: CUT },
  cells: { in: 'body', name: 'ids, properties', at: '`/reconcile/extend`', most: 100_000, unit: 'values of all cells (an empty cell counts as one)', above: 413 },
  mcpMessage: { in: 'body', name: 'message', at: '`/mcp`', most: 2 ** 20, unit: 'bytes', above: 413 },
  mcpTerms: { in: 'body', name: 'terms', at: '`match_terms` of `/mcp`', most: 100, unit: 'terms', above: 'the tool says so' },
  mcpUris: { in: 'body', name: 'uris', at: '`get_concepts` of `/mcp`', most: 50, unit: 'URIs', above: 'the tool says so' },
  sparqlBody: { in: 'body', name: 'query', at: '`/sparql`, the whole body', most: 2 ** 20, unit: 'bytes', above: 413 },
  idempotencyKey: { in: 'header', name: 'Idempotency-Key', at: '`/ingest`', most: 255, unit: 'characters', above: 400 },
  ingestBody: { in: 'body', name: 'username, token, data', at: '`/ingest`, the whole body', most: 2 ** 20, unit: 'bytes', above: 413 },
  ingestConcepts: { in: 'body', name: 'data', at: '`/ingest`', most: 1000, unit: 'concepts', above: 413 },
  validateText: { in: 'body', name: 'data', at: '`/validate`, the field of a form or the whole body', most: 2 ** 20, unit: 'bytes', above: 413 },
  pattern: { in: 'body', name: 'uriPattern, notationPattern', at: '`/validate`', most: 1000, unit: 'characters', above: 'a warning, and nothing is compared with it' },
  levels: { in: 'body', name: 'data', at: '`/validate`', most: 200, unit: 'levels of elements in RDF/XML, of objects and arrays in JSON-LD', above: 400 },
} as const satisfies Record<string, Maximum>

/**
 * Refuses what is beyond a maximum.
 *
 * @param as the name in this request, if the line has several.
 * @throws ApiError PayloadTooLargeError for the status 413, else MalformedRequestError.
 */
export function checkMaximum({ name, most, unit, above }: Maximum, count: number, as = name): void {
  if (count <= most) return
  const message = `${as}: expected at most ${most} ${unit}, got ${count}`
  throw new ApiError(above === 413 ? 'PayloadTooLargeError' : 'MalformedRequestError', message)
}
