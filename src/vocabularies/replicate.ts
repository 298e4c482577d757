import { InputError } from '../files/input-error.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'

/** An action on a graph of the replica. */
export interface Replicated {
  graph: string
  done: 'copied' | 'removed'
}

/**
 * Makes a replica equal to its primary: copies graphs whose revisions differ, and removes graphs that the primary does not have.
 * Readers of the replica see the old or the new version of each graph. Changes by other programs have no revision and arrive
 * with the next change of their graph.
 *
 * @throws InputError if the primary is empty and the replica is not, because that looks like a loss of the primary.
 */
export async function* replicate(primary: SparqlClient, replica: SparqlClient): AsyncGenerator<Replicated> {
  const [wanted, present] = await Promise.all([readGraphs(primary), readGraphs(replica)])
  if (wanted.size === 0 && present.size > 0) {
    throw new InputError('the primary has no vocabularies; the replica is left as it is.')
  }
  for (const [graph, revision] of wanted) {
    if (present.get(graph) === revision) continue
    await replica.putGraph(graph, primary.getGraph(graph, NO_DEADLINE), NO_DEADLINE)
    yield { graph, done: 'copied' }
  }
  for (const graph of present.keys()) {
    if (wanted.has(graph)) continue
    await replica.deleteGraph(graph, NO_DEADLINE)
    yield { graph, done: 'removed' }
  }
}

/** The revisions of all graphs: a graph has the URI of its vocabulary or subset. */
async function readGraphs(client: SparqlClient): Promise<Map<string, string>> {
  const template = 'revisions'
  const rows = await client.select(queryTemplate(template).bind({}), { template })
  return new Map(rows.map(({ scheme, revision }) => [scheme!.value, revision!.value]))
}
