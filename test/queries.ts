import type { Query } from '../src/graph/sparql/client.ts'

/** The name of the template that a query was made from; empty if it was made from none. */
export function nameOf(query: Query): string {
  return typeof query === 'string' ? '' : query.name
}

export function textOf(query: Query): string {
  return typeof query === 'string' ? query : query.text
}
