import type { CachedResources, ResourceCache } from '../../graph/memory/resource-cache.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import type { Graph, NodeProperties } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { ReadDependencies } from './dependencies.ts'
import { graphTerms } from './terms.ts'

/** Things to ask for at a time. */
const CHUNK = 1000

const NO_NAMES: NodeProperties = new Map()

/**
 * Adds labels and notations of things to a graph: many records name the same vocabularies, publishers and broader
 * concepts, and to read their names again for each list takes the store a third of its time. Throws the errors of the
 * client.
 *
 * @param uris of the things.
 * @param known what the service remembers; its state must have been looked at before or while the graph was read.
 */
export async function addLinkNames(
  { client, resources }: { client: SparqlClient; resources: ResourceCache },
  graph: Graph,
  uris: Iterable<string>,
  remembered: CachedResources,
  signal: AbortSignal | undefined,
): Promise<void> {
  const missing: string[] = []
  for (const uri of uris) {
    const names = remembered.names(uri)
    if (names) addNode(graph, uri, names)
    else missing.push(uri)
  }
  if (missing.length === 0) return
  const read = await readLinkNames(client, missing, signal)
  for (const uri of missing) {
    const names = read.get(uri) ?? NO_NAMES
    resources.keepNames(uri, names, remembered.state)
    addNode(graph, uri, names)
  }
}

/**
 * The same for a caller that has not looked into the memory; reads all names if none may be remembered.
 *
 * @param stating the graph that states the names; undefined: all graphs.
 */
export async function nameLinks(
  { client, resources }: Pick<ReadDependencies, 'client' | 'resources'>,
  graph: Graph,
  uris: readonly string[],
  signal: AbortSignal | undefined,
  stating?: string,
): Promise<void> {
  if (uris.length === 0) return
  if (resources && stating === undefined)
    return addLinkNames({ client, resources }, graph, uris, await resources.present(), signal)
  for (const [uri, names] of await readLinkNames(client, uris, signal, stating)) addNode(graph, uri, names)
}

/**
 * Labels and notations of things, as queries/describe/link.rq finds them. Throws the errors of the client.
 *
 * @param stating the graph that states them; undefined: all graphs.
 */
export async function readLinkNames(
  client: SparqlClient,
  uris: readonly string[],
  signal: AbortSignal | undefined,
  stating?: string,
): Promise<Graph> {
  const graph: Graph = new Map()
  for (let start = 0; start < uris.length; start += CHUNK) {
    const link = uris.slice(start, start + CHUNK).map(iri)
    const query = queryTemplate('describe/link').bind({ terms: { link, graph: graphTerms(stating) } })
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
