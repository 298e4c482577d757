import { ApiError } from '../errors.ts'
import type { RequestOptions, SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { BoundTemplate } from '../sparql/templates.ts'
import { count, iri } from '../sparql/terms.ts'
import { statementsIn, statementsOf, type Statement } from './labelled-resources.ts'

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
 * The statements of a graph that the index needs, in any order.
 *
 * A large vocabulary comes as a whole, as its download does: stores send a graph at the rate of their disks, while a query for all
 * labels of a million concepts exceeds the time that they allow. Others are asked by a query first, because some stores count
 * reading a graph as a write, and a graph without a revision is read again and again.
 *
 * @param after only the concepts after this place in the list of all concepts; by default the whole graph.
 * @param signal ends the reading.
 * @throws ApiError if the store fails.
 */
export async function* readStatements(
  client: SparqlClient,
  { uri, revision, length }: StoredGraph,
  { after, signal }: { after?: number | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly Statement[]> {
  const graph = [iri(uri)]
  const isUnknown = revision === undefined
  const isLarge = !isUnknown && length > PIECE
  // A store that does not answer does not hold up the index for long.
  const options = { signal, ...((isUnknown || isLarge) && { timeoutMs: READING_MS }) }
  if (after !== undefined) {
    for (let start = after + 1; start <= length; start += PIECE) {
      const place = Array.from({ length: Math.min(PIECE, length - start + 1) }, (_, nth) => count(start + nth))
      yield await readPiece(client, queryTemplate('search/labels-at').bind({ terms: { graph, place } }), options)
    }
    return
  }
  if (!isLarge) {
    try {
      yield await readPiece(client, queryTemplate('search/labels').bind({ terms: { graph } }), options)
      return
    } catch (error) {
      const isTooLong = error instanceof ApiError && error.name === 'TimeoutError'
      if (!isUnknown || !isTooLong) throw error
    }
  }
  yield* statementsIn(client.getGraph(uri, options))
}

/** All statements of an answer together, because the triples of a subject may come in several parts of it. */
async function readPiece(client: SparqlClient, query: BoundTemplate, options: RequestOptions): Promise<Statement[]> {
  const statements: Statement[] = []
  await client.constructInPieces(query, options, (piece) => {
    statements.push(...statementsOf(piece))
    return Promise.resolve(true)
  })
  return statements
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
