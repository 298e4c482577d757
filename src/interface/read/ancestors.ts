import { requireIri } from '../http/parameters.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { queryTemplate } from '../../graph/sparql/queries.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { allChains, chains, type Edge, type Start } from './chain.ts'
import { listConcepts } from './concept-lists.ts'
import { conceptsInOrder } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { RecordList } from './list.ts'
import type { ListRequest } from './request.ts'
import { scopeTerms } from './terms.ts'

/** The concepts above a concept. */
interface Hierarchy {
  start: Start
  /** The broader relations, to concepts in the scope. */
  edges: Edge[]
}

/**
 * GET /ancestors: one chain, nearest first (docs/interface.md, "Ancestors"). It ignores `limit`. The store selects the
 * broader relations above the concept, and the service chooses the chain.
 */
export async function ancestors(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const page = { ...request.page, limit: request.maxLimit, limited: false }
  const uri = requireIri(request.parameters, 'uri')
  const { edges, start } = await hierarchyAbove(dependencies, request, uri)
  const chain = chains(edges)(start)
  const selection = { uris: chain.slice(page.offset, page.offset + page.limit), total: chain.length }
  return { page, ...(await listConcepts(dependencies, selection, request)) }
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
  const { edges, start } = await hierarchyAbove(dependencies, request, uri)
  const all = allChains(edges, start, most)
  const uris = [...new Set(all.chains.flat())]
  const concepts = await conceptsInOrder(dependencies, uris, request.view, request.signal)
  const records = new Map(concepts.map((concept) => [concept.uri, concept.record]))
  const ways = all.chains.map((chain) => chain.flatMap((ancestor) => records.get(ancestor) ?? []))
  return { ways, isAll: all.isAll }
}

/** All concepts above a concept within the scope of a request, on whatever path, the nearest first. */
export async function conceptsAbove(
  dependencies: ReadDependencies,
  request: ListRequest,
  uri: string,
): Promise<JskosRecord[]> {
  const { edges } = await hierarchyAbove(dependencies, request, uri)
  const parentsByChild = new Map<string, string[]>()
  for (const { child, parent } of edges) parentsByChild.set(child, [...(parentsByChild.get(child) ?? []), parent.uri])
  const above = new Set([uri])
  // A set goes on with what is added to it meanwhile.
  for (const child of above)
    for (const parent of (parentsByChild.get(child) ?? []).sort(compareCodePoints)) above.add(parent)
  above.delete(uri)
  const concepts = await conceptsInOrder(dependencies, [...above], request.view, request.signal)
  return concepts.map(({ record }) => record)
}

async function hierarchyAbove(
  { client }: ReadDependencies,
  { view: { scope }, signal }: ListRequest,
  uri: string,
): Promise<Hierarchy> {
  const terms = { uri: [iri(uri)], scope: scopeTerms(scope) }
  const start: Start = { uri, inScheme: [] }
  if (terms.scope?.length === 0) return { start, edges: [] }
  const edges: Edge[] = []
  for (const row of await client.select(queryTemplate('ancestors').bind({ terms }), { signal })) {
    const { child, parent, key } = row
    const schemes = row['schemes']?.value.split(' ').filter(Boolean) ?? []
    if (!child) continue
    if (parent) {
      edges.push({ child: child.value, parent: { uri: parent.value, key: key?.value, topConceptOf: schemes } })
    } else start.inScheme = schemes
  }
  return { start, edges }
}
