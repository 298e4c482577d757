import { ApiError } from '../../base/errors.ts'
import type { RequestOptions, SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate, type BoundTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { IndexedState } from '../../graph/vocabularies/vocabulary-index.ts'
import { statementsIn, statementsOf, type Statement } from '../../graph/index/statements.ts'

/** A graph of the store, as far as reading its labels depends on it. */
export interface LabelledGraph {
  uri: string
  /** Undefined if another program wrote it. */
  revision: string | undefined
  /** The number of triples that its last load has written; undefined if it did not record it. */
  triples: number | undefined
}

/** Reading all labels of a graph takes longer than a request may. */
const READING_MS = 300_000
/** Concepts whose labels are read at a time. */
const PIECE = 500
/** A graph with more triples is large. */
const LARGE = 5000

/**
 * The statements of a graph that the index needs, in any order.
 *
 * A large vocabulary comes as a whole, as its download does: stores send a graph at the rate of their disks, while a
 * query for all labels of a million concepts exceeds the time that they allow. Others are asked by a query first,
 * because some stores count reading a graph as a write, and a graph without a revision is read again and again.
 *
 * @param only the URIs of the only concepts to read; by default the whole graph.
 * @param signal ends the reading.
 * @throws ApiError if the store fails.
 */
export async function* readStatements(
  client: SparqlClient,
  { uri, revision, triples = Infinity }: LabelledGraph,
  { only, signal }: { only?: readonly string[] | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly Statement[]> {
  const graph = [iri(uri)]
  const isUnknown = revision === undefined
  const isLarge = !isUnknown && triples > LARGE
  // A store that does not answer delays the index only briefly.
  const options = { signal, ...((isUnknown || isLarge) && { timeoutMs: READING_MS }) }
  if (only) {
    for (let start = 0; start < only.length; start += PIECE) {
      const c = only.slice(start, start + PIECE).map(iri)
      yield await readPiece(client, queryTemplate('search/labels-of').bind({ terms: { graph, c } }), options)
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

/** The concepts that ingests have added to a graph since its last load, and the state of the graph at that moment. */
interface IngestedConcepts extends IndexedState {
  /** The order of the vocabulary. */
  order: string
  uris: string[]
}

/**
 * The concepts that ingests have added to a graph; undefined if it has no revision.
 *
 * @throws ApiError if the store fails.
 */
export async function readIngestedConcepts(
  client: SparqlClient,
  uri: string,
  signal?: AbortSignal,
): Promise<IngestedConcepts | undefined> {
  const query = queryTemplate('search/ingested').bind({ terms: { graph: [iri(uri)] } })
  const rows = await client.select(query, { signal })
  const [{ revision, load, order, chosen } = {}] = rows
  if (!revision) return undefined
  const state = { revision: revision.value, load: load?.value ?? '', order: (chosen ?? order)?.value ?? 'code-point' }
  return { ...state, uris: rows.flatMap(({ c }) => c?.value ?? []) }
}
