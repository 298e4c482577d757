import { setImmediate } from 'node:timers/promises'
import { until } from '../../base/clock.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { storeIsLate } from '../../graph/sparql/http.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import type { BoundTemplate } from '../../graph/sparql/templates.ts'

/** The maximum number of resources in one query. */
const MOST_RESOURCES = 25
/** A request for more of them should have a query of its own, because others would wait for it. */
export const MOST_OF_REQUEST = 20

/** A query that waits for its turn; until then requests add their resources. */
interface SharedQuery {
  uris: Set<string>
  /** The signals of the answers. */
  answers: AbortSignal[]
  graph: Promise<Graph>
  /** Ends the query if nobody waits for any of the answers. */
  leave: () => void
}

/**
 * Queries for the resources of several requests: while the store works on a few queries, the resources of further
 * requests go together in the next one. To accept a query takes a store several times as long as to describe one
 * concept more (docs/decisions.md, 39).
 */
export class SharedQueries {
  readonly #client: SparqlClient
  /** The queries that wait, by what they show. */
  readonly #waiting = new Map<object, SharedQuery>()

  constructor(client: SparqlClient) {
    this.#client = client
  }

  /**
   * The answer to a query for some resources, and perhaps for resources of other requests.
   *
   * @param shown what the query shows of them; only requests with the same object share a query.
   * @param describe makes the query for some resources.
   * @param signal of the answer, aborted when nobody waits for it any more.
   * @throws the errors of the client.
   */
  construct(
    uris: readonly string[],
    shown: object,
    describe: (uris: readonly string[]) => BoundTemplate,
    signal: AbortSignal,
  ): Promise<Graph> {
    const waiting = this.#waiting.get(shown)
    const isOpen = waiting !== undefined && waiting.uris.size + uris.length <= MOST_RESOURCES
    const query = isOpen ? waiting : this.#begin(shown, describe)
    for (const uri of uris) query.uris.add(uri)
    query.answers.push(signal)
    return until(signal, query.graph, () => {
      query.leave()
      return storeIsLate()
    })
  }

  #begin(shown: object, describe: (uris: readonly string[]) => BoundTemplate): SharedQuery {
    const ending = new AbortController()
    const close = () => {
      if (this.#waiting.get(shown) === query) this.#waiting.delete(shown)
    }
    const bound: BoundTemplate = {
      name: 'describe/concept',
      // Read when the query is sent.
      get text() {
        close()
        return describe([...query.uris]).text
      },
    }
    const query: SharedQuery = {
      uris: new Set(),
      answers: [],
      // All requests that come in this turn of the event loop share the query.
      graph: setImmediate().then(() => {
        return this.#client.construct(bound, { signal: ending.signal, answers: query.answers })
      }),
      leave: () => {
        if (!query.answers.every(({ aborted }) => aborted)) return
        close()
        ending.abort()
      },
    }
    query.graph.finally(close).catch(() => undefined)
    this.#waiting.set(shown, query)
    return query
  }
}
