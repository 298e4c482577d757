import { ApiError } from '../../base/errors.ts'
import { InputError } from '../../base/files/input-error.ts'
import { BOOKKEEPING } from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { StoreAnswerError } from '../../graph/sparql/http.ts'
import { readRevisions } from '../../graph/memory/store-state.ts'

/** A graph that no store has, to find out whether a store takes the login. */
const NOBODYS_GRAPH = `${BOOKKEEPING}nobody`

/** An action on a graph of the replica. */
interface ReplicaAction {
  graph: string
  done: 'copied' | 'removed'
}

/**
 * Makes a replica equal to its primary: copies graphs whose revisions differ, and removes graphs that the primary does
 * not have. Readers of the replica see the old or the new version of each graph. Changes by other programs have no
 * revision and arrive with the next change of their graph.
 *
 * @throws InputError if the primary is empty and the replica is not, because that looks like a loss of the primary, and
 *   if a store refuses the login; ApiError if a store fails.
 * @example for await (const { graph, done } of replicate(primary, replica)) write(`${done} ${graph}\n`)
 */
export async function* replicate(primary: SparqlClient, replica: SparqlClient): AsyncGenerator<ReplicaAction> {
  const [wanted, present] = await Promise.all([
    readRevisionsByGraph(primary).catch(explain('query of the primary')),
    readRevisionsByGraph(replica).catch(explain('query of the replica')),
  ])
  if (wanted.size === 0 && present.size > 0) {
    throw new InputError('the primary has no vocabularies; the replica is left as it is.')
  }
  const changed = [...wanted].flatMap(([graph, revision]) => (present.get(graph) === revision ? [] : [graph]))
  // A store may refuse a login and close the connection while it receives a graph, and its answer may get lost.
  if (changed.length > 0) await replica.deleteGraph(NOBODYS_GRAPH).catch(explain('replica'))
  for (const graph of changed) {
    await replica.putGraph(graph, readGraph(primary, graph), NO_DEADLINE).catch(explain('replica'))
    yield { graph, done: 'copied' }
  }
  for (const graph of present.keys()) {
    if (wanted.has(graph)) continue
    await replica.deleteGraph(graph, NO_DEADLINE).catch(explain('replica'))
    yield { graph, done: 'removed' }
  }
}

async function* readGraph(primary: SparqlClient, graph: string): AsyncGenerator<Uint8Array> {
  try {
    yield* primary.getGraph(graph, NO_DEADLINE)
  } catch (error) {
    explain('primary')(error)
  }
}

/** The advice for an operator whose store refuses a request without a valid login. */
const ADVICE = {
  primary: 'set SPARQL_USER and SPARQL_PASSWORD to its login.',
  replica: 'give its login with --user and --password-file.',
  'query of the primary': 'SPARQL_QUERY_URL needs an address that takes queries without a login.',
  'query of the replica': '--query needs an address that takes queries without a login.',
}

/** Throws an error again; if a store refused a login, with advice. */
function explain(place: keyof typeof ADVICE): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof ApiError ? error.cause : undefined
    const status = cause instanceof StoreAnswerError ? cause.status : undefined
    if (status !== 401 && status !== 403) throw error
    throw new InputError(`the ${place} answers ${status} (no login, or a wrong one): ${ADVICE[place]}`)
  }
}

/** The revisions of all graphs: a graph has the URI of its vocabulary or subset. */
async function readRevisionsByGraph(client: SparqlClient): Promise<Map<string, string>> {
  return new Map((await readRevisions(client)).map(({ graph, revision }) => [graph, revision]))
}
