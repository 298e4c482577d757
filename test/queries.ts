import type { SparqlQuery } from '../src/graph/sparql/client.ts'

/** The name of the template that a query was made from; empty if it was made from none. */
export function nameOf(query: SparqlQuery): string {
  return typeof query === 'string' ? '' : query.name
}

export function textOf(query: SparqlQuery): string {
  return typeof query === 'string' ? query : query.text
}
