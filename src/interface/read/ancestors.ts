import { requireIri } from '../http/parameters.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import { alsoShowing, type Properties } from '../../graph/jskos/properties.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { IN_SCHEME, SKOS } from '../../base/namespaces.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { allChains, chains, schemesOfChains, type Edge } from './chain.ts'
import { sortKey, texts, describedConcepts } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { Relatives } from './concept-query.ts'
import { describeConcepts, describeRelatives } from './describe.ts'
import type { RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'
import { scopeTerms } from './terms.ts'
import { addToList } from '../../base/groups.ts'

/** The concepts above a concept. */
interface ConceptsAbove {
  /** URIs of the concept schemes whose top concepts end its chains. */
  inScheme: readonly string[]
  /** The broader relations, to concepts in the scope. */
  edges: Edge[]
  /** Describes the concepts. */
  graph: Graph
}

/**
 * GET /ancestors: one chain, nearest first (docs/endpoints.md, "Ancestors"). It ignores `limit`. The store describes
 * all concepts above the concept, and the service chooses the chain.
 */
export async function ancestors(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const page = { ...request.page, limit: request.maxLimit, limited: false }
  const uri = requireIri(request.parameters, 'uri')
  const hierarchy = await hierarchyAbove(dependencies, request, uri)
  const chain = chains(hierarchy.edges, hierarchy.inScheme)(uri)
  const shown = chain.slice(page.offset, page.offset + page.limit)
  const records = await recordsOf(dependencies, request, hierarchy, shown)
  return { page, total: chain.length, records: inOnePiece(shown.flatMap((ancestor) => records.get(ancestor) ?? [])) }
}

/** The paths from a concept to the top. */
export interface WaysUp {
  /** The shortest path first; in a path the nearest ancestor first. */
  ways: JskosRecord[][]
  /** True if there are no others. */
  isAll: boolean
}

/**
 * All chains; /ancestors gives one of them.
 *
 * @param most number of chains to give.
 */
export async function waysUp(
  dependencies: ReadDependencies,
  request: ListRequest,
  uri: string,
  most: number,
): Promise<WaysUp> {
  const hierarchy = await hierarchyAbove(dependencies, request, uri)
  const all = allChains(hierarchy.edges, hierarchy.inScheme, uri, most)
  const records = await recordsOf(dependencies, request, hierarchy, [...new Set(all.chains.flat())])
  const ways = all.chains.map((chain) => chain.flatMap((ancestor) => records.get(ancestor) ?? []))
  return { ways, isAll: all.isAll }
}

/** All concepts above a concept within the scope of a request, on whatever path, the nearest first. */
export async function conceptsAbove(
  dependencies: ReadDependencies,
  request: ListRequest,
  uri: string,
): Promise<JskosRecord[]> {
  const hierarchy = await hierarchyAbove(dependencies, request, uri)
  const parentsByChild = new Map<string, string[]>()
  for (const { child, parent } of hierarchy.edges) addToList(parentsByChild, child, parent.uri)
  const above = new Set([uri])
  // A set goes on with what is added to it meanwhile.
  for (const child of above)
    for (const parent of (parentsByChild.get(child) ?? []).sort(compareCodePoints)) above.add(parent)
  above.delete(uri)
  const records = await recordsOf(dependencies, request, hierarchy, [...above])
  return [...above].flatMap((concept) => records.get(concept) ?? [])
}

async function hierarchyAbove(
  dependencies: ReadDependencies,
  { view, signal }: ListRequest,
  uri: string,
): Promise<ConceptsAbove> {
  const terms = { uri: [iri(uri)], scope: scopeTerms(view.scope) }
  if (terms.scope?.length === 0) return { inScheme: [], edges: [], graph: new Map() }
  const shown = { ...view, properties: withLinksUp(view.properties) }
  const relatives: Relatives = { template: 'ancestors', of: [uri] }
  const among = (all: Graph) => withAbove(all, uri)
  const graph =
    (await describeRelatives(dependencies, relatives, among, shown, signal)) ??
    (await describeConcepts(dependencies, queryTemplate('ancestors').bindSubselect({ terms }), shown, signal))
  const edges: Edge[] = []
  for (const [child, node] of graph) {
    for (const { value: parent } of node.get(`${SKOS}broader`) ?? []) {
      const above = graph.get(parent)
      if (parent === child || !above?.has(IN_SCHEME)) continue
      const topConceptOf = texts(above.get(`${SKOS}topConceptOf`))
      edges.push({ child, parent: { ...sortKey(parent, above, view), topConceptOf } })
    }
  }
  const inScheme = schemesOfChains(texts(graph.get(uri)?.get(IN_SCHEME)), await dependencies.registry.uris())
  return { inScheme, edges, graph }
}

/** A concept and all concepts above it in a graph. */
function withAbove(graph: Graph, uri: string): Set<string> {
  const uris = new Set([uri])
  // A set goes on with what is added to it meanwhile.
  for (const child of uris) for (const parent of texts(graph.get(child)?.get(`${SKOS}broader`))) uris.add(parent)
  return uris
}

/** The same fields, and the fields that the choice of a chain needs. */
const withLinksUp = memoize(
  (properties: Properties) => ['broader', 'topConceptOf'].reduce(alsoShowing, properties),
  new WeakMap(),
)

async function recordsOf(
  dependencies: ReadDependencies,
  { view, signal }: ListRequest,
  { graph }: ConceptsAbove,
  uris: readonly string[],
): Promise<Map<string, JskosRecord>> {
  const concepts = await describedConcepts(dependencies, graph, view, signal, uris)
  return new Map(concepts.map(({ uri, record }) => [uri, record]))
}
