import { SparqlClient } from '../../graph/sparql/client.ts'
import { additionOf } from '../../graph/index/difference.ts'
import { orderingOf } from './stage.ts'
import { readRevisions } from '../../graph/memory/store-state.ts'
import type { GraphToRead, IndexThreadOptions } from './index-thread.ts'
import type { IndexWriter } from './index-writer.ts'
import { readIngestedConcepts, readStatements } from './store-labels.ts'

/**
 * Makes the function that reads graphs of a store into the index.
 *
 * @param signal ends the reading
 * @returns a function that gives false if its graph has changed meanwhile; the index then has what it had. It throws
 *   ApiError if the store fails.
 */
export function graphReader(
  { endpoint, timeoutMs, language }: Pick<IndexThreadOptions, 'endpoint' | 'timeoutMs' | 'language'>,
  writer: IndexWriter,
  signal: AbortSignal,
): (graph: GraphToRead) => Promise<boolean> {
  const client = new SparqlClient({ endpoint, timeoutMs })
  return async (graph) => {
    const { uri, revision = '', load, hasOnlyGrown } = graph
    const state = { revision, load }
    const ingested = hasOnlyGrown ? await readIngestedConcepts(client, uri, signal) : undefined
    const { revision: before, ordering } = (await writer.graphs()).get(uri) ?? {}
    // A notation of another kind changes the order of all.
    if (hasOnlyGrown && (!ingested || orderingOf(ingested.order, language) === ordering)) {
      // The registry may be older than the store.
      if (before === undefined || ingested?.load !== load) return false
      const only = await writer.missing(uri, ingested.uris)
      for await (const statements of readStatements(client, graph, { only, signal }))
        await writer.change(uri, additionOf(statements))
      // Concepts that came after this reading have another revision.
      await writer.confirm(uri, { before, after: ingested.revision })
      return true
    }
    const pending = await writer.writeGraph(uri, readStatements(client, graph, { signal }), () => !signal.aborted)
    if (!pending) return false
    const revisions = await readRevisions(client, signal)
    if (revisions.find((stored) => stored.graph === uri)?.revision === graph.revision) {
      await writer.commit(pending, state)
      return true
    }
    await writer.discard(pending)
    return false
  }
}
