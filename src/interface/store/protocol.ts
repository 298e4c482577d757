import { type NamedNode, type Store, namedNode } from 'oxigraph/web.js'
import { ApiError } from '../../base/errors.ts'
import { acceptedMediaType } from '../http/headers.ts'
import { refusedSparql } from './refusals.ts'
import { queryShape } from './query-shape.ts'

/** A request of the SPARQL 1.1 Protocol (section 2), as received. */
export interface ProtocolRequest {
  /** The query string of the URL, without the question mark. */
  search: string
  accept: string | undefined
  /** Content-Type; undefined for GET. */
  contentType: string | undefined
  /** Empty for GET. */
  body: Uint8Array
}

export interface ProtocolAnswer {
  contentType: string
  body: Uint8Array
}

const URLENCODED = 'application/x-www-form-urlencoded'

/** Media types for Accept, the default first, and oxigraph's format for each. */
const SOLUTION_TYPES = {
  'application/sparql-results+json': 'application/sparql-results+json',
  'application/json': 'application/sparql-results+json',
  'application/sparql-results+xml': 'application/sparql-results+xml',
  'application/xml': 'application/sparql-results+xml',
  'text/xml': 'application/sparql-results+xml',
  'text/csv': 'text/csv',
  'text/tab-separated-values': 'text/tab-separated-values',
}
const GRAPH_TYPES = {
  'text/turtle': 'text/turtle',
  'application/n-triples': 'application/n-triples',
  'text/plain': 'application/n-triples',
  'application/ld+json': 'application/ld+json',
  'application/json': 'application/ld+json',
  'application/rdf+xml': 'application/rdf+xml',
  'application/xml': 'application/rdf+xml',
  'text/xml': 'application/rdf+xml',
  'application/trig': 'application/trig',
  'application/n-quads': 'application/n-quads',
}

/**
 * The values of `format`, for links, which cannot send `Accept`; it overrides `Accept`. Other values have no effect.
 */
const FORMATS: ReadonlyMap<string | null, string> = new Map([
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['turtle', 'text/turtle'],
  ['ntriples', 'application/n-triples'],
  ['jsonld', 'application/ld+json'],
  ['rdfxml', 'application/rdf+xml'],
])

interface MediaType {
  /** The format for oxigraph. */
  format: string
  /** The Content-Type for the client, in the words of its Accept. */
  contentType: string
}

function negotiate(types: Record<string, string>, accept: string | undefined): MediaType {
  const names = Object.keys(types)
  // RFC 9110, section 12.5.1: a server may also disregard an Accept that it cannot satisfy.
  const chosen = acceptedMediaType(accept, names) ?? names[0]!
  return { format: types[chosen]!, contentType: chosen.startsWith('text/') ? `${chosen}; charset=utf-8` : chosen }
}

/**
 * Answers a query operation (SPARQL 1.1 Protocol, section 2.1). The default graph is the union of all graphs, unless
 * the request or the query names a dataset; that of the request has precedence (section 2.1.4).
 *
 * @throws ApiError MalformedRequestError with line and column of a syntax error
 */
export function answerQuery(store: Store, request: ProtocolRequest): ProtocolAnswer {
  const { text, parameters } = readOperation(request, 'query')
  const shape = queryShape(text)
  const dataset = requestedDataset(parameters) ?? (shape.hasDataset ? {} : { use_default_graph_as_union: true })
  // The protocol does not have `format`; beside a form the address may have it, as with `POST /data`.
  const named = parameters.get('format') ?? formParameters(request.search).get('format')
  const accept = FORMATS.get(named) ?? request.accept
  const { format, contentType } = negotiate(shape.results === 'graph' ? GRAPH_TYPES : SOLUTION_TYPES, accept)
  try {
    const result = store.query(text, { ...dataset, results_format: format }) as string
    return { contentType, body: new TextEncoder().encode(result) }
  } catch (error) {
    throw refusedSparql(error, 'query')
  }
}

/**
 * The text of an update operation (SPARQL 1.1 Protocol, section 2.2).
 *
 * @throws ApiError MalformedRequestError
 */
export function updateText(request: ProtocolRequest): string {
  return readOperation(request, 'update').text
}

function readOperation(
  { search, contentType, body }: ProtocolRequest,
  name: 'query' | 'update',
): { text: string; parameters: URLSearchParams } {
  const direct = `application/sparql-${name}`
  const type = mediaType(contentType)
  if (type === direct) return { text: decode(body), parameters: formParameters(search) }
  if (name === 'query' && type === 'application/sparql-update') throw noUpdate()
  if (type !== undefined && type !== URLENCODED) {
    throw new ApiError('MalformedRequestError', `Content-Type: expected ${URLENCODED} or ${direct}`)
  }
  const parameters = formParameters(type === undefined ? search : decode(body))
  const texts = parameters.getAll(name).filter((text) => text !== '')
  if (name === 'query' && texts.length === 0 && parameters.has('update')) throw noUpdate()
  if (texts.length !== 1)
    throw new ApiError('MalformedRequestError', `${name}: expected exactly once, got ${texts.length || 'none'}`)
  return { text: texts[0]!, parameters }
}

/** The media type of a Content-Type header, without its parameters. */
export function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';')[0]!.trim().toLowerCase()
}

function formParameters(text: string): URLSearchParams {
  try {
    // URLSearchParams would take broken escapes for text.
    decodeURIComponent(text)
  } catch (cause) {
    throw new ApiError('MalformedRequestError', 'parameters: expected percent-encoded UTF-8', { cause })
  }
  return new URLSearchParams(text)
}

function noUpdate(): ApiError {
  return new ApiError('ForbiddenAccessError', 'update: this endpoint only answers queries')
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new ApiError('MalformedRequestError', 'body: expected UTF-8', { cause })
  }
}

function requestedDataset(
  parameters: URLSearchParams,
): { default_graph: NamedNode[]; named_graphs: NamedNode[] } | undefined {
  const default_graph = graphNames(parameters, 'default-graph-uri')
  const named_graphs = graphNames(parameters, 'named-graph-uri')
  return default_graph.length + named_graphs.length === 0 ? undefined : { default_graph, named_graphs }
}

function graphNames(parameters: URLSearchParams, name: string): NamedNode[] {
  return parameters
    .getAll(name)
    .filter((value) => value !== '')
    .map((value) => {
      try {
        return namedNode(value)
      } catch (cause) {
        throw new ApiError('MalformedRequestError', `${name}: expected an absolute IRI`, { cause })
      }
    })
}
