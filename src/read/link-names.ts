import { Remembered } from '../memory/remembered.ts'
import type { StoreState } from '../memory/store-state.ts'
import type { SparqlClient } from '../sparql/client.ts'
import type { Graph, NodeProperties } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'

/** Memory for names, in characters. */
const MEMORY = 10_000_000
const OVERHEAD = 200
/** Things to ask for at a time. */
const CHUNK = 1000

const NO_NAMES: NodeProperties = new Map()

/**
 * The names of things that many records name, such as vocabularies, publishers and broader concepts: to read them again for
 * each list takes the store a third of its time.
 */
export class LinkNames {
  readonly #client: SparqlClient
  readonly #state: StoreState
  readonly #names: Remembered<NodeProperties>

  constructor(client: SparqlClient, state: StoreState) {
    this.#client = client
    this.#state = state
    this.#names = new Remembered({ state, maxSize: MEMORY, sizeOf })
  }

  /** The state of the store, for `addTo`; ask for it before or while the graph is read. */
  state(): Promise<string> {
    return this.#state.now()
  }

  /**
   * Adds labels and notations of things to a graph. Throws the errors of the client.
   *
   * @param uris of the things.
   * @param state of the store.
   */
  async addTo(graph: Graph, uris: Iterable<string>, state: string, signal: AbortSignal | undefined): Promise<void> {
    const missing: string[] = []
    for (const uri of uris) {
      const known = this.#names.peek(uri, state)
      if (known) addNode(graph, uri, known)
      else missing.push(uri)
    }
    if (missing.length === 0) return
    const read = await readLinkNames(this.#client, missing, signal)
    for (const uri of missing) {
      const names = read.get(uri) ?? NO_NAMES
      this.#names.keep(uri, names, state)
      addNode(graph, uri, names)
    }
  }
}

function sizeOf(names: NodeProperties, uri: string): number {
  const values = [...names.values()].flat().reduce((sum, { value }) => sum + value.length + OVERHEAD, 0)
  return uri.length + values + OVERHEAD
}

/** Labels and notations of things, as queries/describe/link.rq finds them. Throws the errors of the client. */
export async function readLinkNames(
  client: SparqlClient,
  uris: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Graph> {
  const graph: Graph = new Map()
  for (let start = 0; start < uris.length; start += CHUNK) {
    const query = queryTemplate('describe/link').bind({ terms: { link: uris.slice(start, start + CHUNK).map(iri) } })
    await client.construct(query, { signal }, graph)
  }
  return graph
}

function addNode(graph: Graph, uri: string, names: NodeProperties): void {
  if (names.size === 0) return
  const node = graph.get(uri)
  if (!node) graph.set(uri, names)
  else for (const [property, objects] of names) node.set(property, objects)
}
