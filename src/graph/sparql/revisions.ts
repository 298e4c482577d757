import type { SparqlClient } from './client.ts'
import { queryTemplate } from './templates.ts'

/** A graph with bookkeeping: it has the URI of its vocabulary, subset or concordance. */
interface GraphRevision {
  graph: string
  /** Changes with every load and every ingest. */
  revision: string
  /** Changes with every load; undefined if another program wrote the graph. */
  load: string | undefined
}

/** The revisions of the graphs of a store, in any order. @throws ApiError if the store fails. */
export async function readRevisions(client: SparqlClient, signal?: AbortSignal): Promise<GraphRevision[]> {
  const rows = await client.select(queryTemplate('revisions').bind(), { signal })
  return rows.map(({ scheme, revision, load }) => ({
    graph: scheme!.value,
    revision: revision!.value,
    load: load?.value,
  }))
}
