import { EXPORT_FORMATS, storedSource } from '../src/doors/export/export.ts'
import type { SparqlClient } from '../src/graph/sparql/client.ts'

/** A vocabulary of the store as RDF, in pieces. */
export function rdfOf(client: SparqlClient, uri: string, format: string): AsyncIterable<string> {
  const { write } = EXPORT_FORMATS.find(({ formats }) => formats.includes(format))!
  const records = () => {
    throw new Error(`${format} has no records`)
  }
  // RDF is text.
  return write({
    ...storedSource(client, { uri, isSubset: false, order: 'code-point' }, 'und'),
    records,
  }) as AsyncIterable<string>
}
