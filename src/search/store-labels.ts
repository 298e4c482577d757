import type { SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { BoundTemplate } from '../sparql/templates.ts'
import { count, iri } from '../sparql/terms.ts'
import { statementsOf, type Statement } from './labelled-resources.ts'

/** A graph of the store, as far as reading its labels depends on it. */
export interface StoredGraph {
  uri: string
  /** Undefined if another program wrote it. */
  revision: string | undefined
  /** The length of the list of all concepts; 0 if the concepts have no places. */
  length: number
}

/** Reading all labels of a graph takes longer than a request may. */
const READING_MS = 300_000
/** Concepts whose labels are read at a time. */
const PIECE = 500

/**
 * The statements of a graph that the index needs, in small pieces if places tell them apart: the embedded store answers one request
 * after the other, and other requests go on meanwhile.
 *
 * @param after only the concepts after this place in the list of all concepts; by default the whole graph.
 * @param signal ends the reading.
 * @throws ApiError if the store fails.
 */
export async function* readStatements(
  client: SparqlClient,
  { uri, revision, length }: StoredGraph,
  { after, signal }: { after?: number | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Statement[]> {
  const graph = [iri(uri)]
  const pieces: BoundTemplate[] = []
  const at = queryTemplate('search/labels-at')
  const whole = queryTemplate('search/labels')
  // A store that does not answer does not hold up the index for long.
  const isLong = revision === undefined || length > PIECE
  const hasPieces = after !== undefined || (revision !== undefined && length > PIECE)
  if (hasPieces) {
    for (let start = (after ?? 0) + 1; start <= length; start += PIECE) {
      const place = Array.from({ length: Math.min(PIECE, length - start + 1) }, (_, nth) => count(start + nth))
      pieces.push(at.bind({ terms: { graph, place } }))
    }
  }
  if (after === undefined) pieces.push(whole.bind({ terms: { graph }, ...(hasPieces && { include: ['unplaced'] }) }))
  for (const query of pieces) {
    // The triples of a subject may come in several parts of an answer.
    const statements: Statement[] = []
    await client.constructInPieces(query, { signal, ...(isLong && { timeoutMs: READING_MS }) }, (piece) => {
      statements.push(...statementsOf(piece))
      return Promise.resolve(true)
    })
    yield statements
  }
}

/** The revision that a graph has in the store; undefined if it has none. @throws ApiError if the store fails. */
export async function readRevision(
  client: SparqlClient,
  uri: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const rows = await client.select(queryTemplate('revisions').bind({}), { signal })
  return rows.find(({ scheme }) => scheme?.value === uri)?.revision?.value
}
