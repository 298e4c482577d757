import type { RequestHandler } from 'express'
import type { Endpoint } from '../http/endpoint.ts'
import { operation } from '../openapi/operation.ts'
import { FORBIDDEN, MALFORMED, pageContent, STORE_ERRORS, TOO_LARGE, withOther } from '../openapi/responses.ts'
import { anyObject } from '../openapi/references.ts'

export interface SparqlHandlers {
  /** The queries of the public; undefined if the store is not the embedded one. */
  sparql?: RequestHandler[] | undefined
}

const RESULTS = {
  description: 'Solutions or a graph in the format that `Accept` asks for',
  content: {
    'application/sparql-results+json': { schema: anyObject() },
    'application/sparql-results+xml': { schema: { type: 'string' } },
    'text/csv': { schema: { type: 'string' } },
    'text/tab-separated-values': { schema: { type: 'string' } },
    'text/turtle': { schema: { type: 'string' } },
    'application/n-triples': { schema: { type: 'string' } },
    'application/ld+json': { schema: {} },
    'application/rdf+xml': { schema: { type: 'string' } },
    'application/trig': { schema: { type: 'string' } },
    'application/n-quads': { schema: { type: 'string' } },
    // Other names of these formats, which an answer has if `Accept` does.
    'application/json': { schema: {} },
    'application/xml': { schema: { type: 'string' } },
    'text/xml': { schema: { type: 'string' } },
    'text/plain': { schema: { type: 'string' } },
  },
}
const ANSWERS = { 200: RESULTS, ...MALFORMED, ...FORBIDDEN, ...STORE_ERRORS }

/** GET and POST /sparql: queries of the SPARQL 1.1 Protocol over the embedded store. */
export const SPARQL_ENDPOINTS: readonly Endpoint<SparqlHandlers>[] = [
  {
    path: '/sparql',
    absent: ({ sparql }) => (sparql ? undefined : 'This service answers no SPARQL queries; its store may.'),
    get: {
      handler: ({ sparql }) => sparql!,
      operation: operation('Data', {
        id: 'sparqlQuery',
        summary: 'SPARQL 1.1 Protocol, query only',
        description:
          'Queries the embedded store. Each vocabulary is a named graph; the default graph is the union of all.',
        parameters: ['sparqlQuery'],
        // Browsers get the editor.
        responses: { ...ANSWERS, 200: withOther(RESULTS, pageContent()) },
      }),
    },
    post: {
      handler: ({ sparql }) => sparql!,
      operation: operation('Data', {
        id: 'sparqlQueryByPost',
        summary: 'The same for long queries',
        responses: { ...ANSWERS, ...TOO_LARGE },
        requestBody: withOther(
          {
            required: true,
            content: {
              'application/x-www-form-urlencoded': {
                schema: { type: 'object', required: ['query'], properties: { query: { type: 'string' } } },
              },
            },
          },
          { 'application/sparql-query': { schema: { type: 'string' } } },
        ),
      }),
    },
  },
]
