import { requireIri } from '../http/parameters.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { SKOS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { allChains, chains, type Edge, type Start } from './chain.ts'
import { readConcepts, recordsOfConcepts, type ListedConcept } from './concepts.ts'
import { knownAbove } from './concept-graph.ts'
import type { ReadDependencies } from './dependencies.ts'
import { nothing, ONE_REQUEST, recordsIn, type RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest, View } from './request.ts'
import { scopeTerms } from './terms.ts'

/** The properties that chains are chosen by. */
const EDGES = [`${SKOS}broader`, `${SKOS}topConceptOf`]

/**
 * GET /ancestors: one chain, nearest first (docs/interface.md, "Ancestors"). It ignores `limit`. A concept usually has few ancestors,
 * so one request fetches all of them, and the service chooses the chain. A large hierarchy takes a request for the edges first.
 */
export async function ancestors(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const page = { ...request.page, limit: request.maxLimit, limited: false }
  return { page, ...(await chainAbove(dependencies, { ...request, page })) }
}

async function chainAbove(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const uri = requireIri(request.parameters, 'uri')
  const { view, page } = request
  if (!view.scope.all && view.scope.schemes.length + view.scope.subsets.length === 0) return nothing()
  const above = await conceptsAbove(dependencies, request, uri)
  if (above === undefined) return longChain(dependencies, request, uri)
  const chain = chains(edgesAmong(above))(startOf(uri, above))
  const kept = chain.slice(page.offset, page.offset + page.limit)
  return { total: chain.length, records: inOnePiece(kept.map((one) => above.get(one)!.record)) }
}

/** The chain above a concept that has more ancestors than one request fetches. */
async function longChain(dependencies: ReadDependencies, request: ListRequest, uri: string): Promise<RecordList> {
  const { view, signal, page } = request
  const [start] = await readConcepts(dependencies, { uris: [uri] }, view, signal)
  const chain = chains(await edgesAbove(dependencies, request, uri))(start ?? { uri, inScheme: [] })
  const kept = chain.slice(page.offset, page.offset + page.limit)
  return { total: chain.length, records: recordsOfConcepts(dependencies, kept, view, signal) }
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
  const above = await conceptsAbove(dependencies, request, uri)
  if (above === undefined) {
    return { ways: [await recordsIn(await longChain(dependencies, request, uri))], isAll: false }
  }
  const found = allChains(edgesAmong(above), startOf(uri, above), most)
  return { ways: found.chains.map((chain) => chain.map((one) => above.get(one)!.record)), isAll: found.isAll }
}

/**
 * By URI, a concept (also from outside the scope) and its ancestors within the scope; undefined if they are too many for one
 * request.
 */
export async function conceptsAbove(
  dependencies: ReadDependencies,
  { view, signal }: ListRequest,
  uri: string,
): Promise<ReadonlyMap<string, ListedConcept> | undefined> {
  const uris = view.scope.subsets.length === 0 ? await knownAbove(dependencies, uri, ONE_REQUEST) : undefined
  const select = queryTemplate('ancestors').bindSubselect({
    terms: { uri: [iri(uri)] },
    include: ['page'],
    limit: ONE_REQUEST,
    offset: 0,
  })
  const above = await readConcepts(dependencies, uris ? { uris: [...uris] } : { select }, view, signal, EDGES)
  if (above.length === ONE_REQUEST) return undefined
  const kept = above.filter((one) => one.uri === uri || isInScope(one, view))
  return new Map(kept.map((one) => [one.uri, one]))
}

function startOf(uri: string, above: ReadonlyMap<string, ListedConcept>): Start {
  return above.get(uri) ?? { uri, inScheme: [] }
}

function edgesAmong(above: ReadonlyMap<string, ListedConcept>): Edge[] {
  return [...above.values()].flatMap(({ uri, broader }) =>
    broader.flatMap((parent) => {
      const known = above.get(parent)
      return known ? [{ child: uri, parent: known }] : []
    }),
  )
}

function isInScope({ inScheme }: ListedConcept, { scope }: View): boolean {
  // With subsets, the query itself keeps broader relations within the scope.
  if (scope.all || scope.subsets.length > 0) return true
  return scope.schemes.some(({ uri }) => inScheme.includes(uri))
}

/** The broader relations above a concept to concepts inside the scope, in one request. */
async function edgesAbove(
  { client }: ReadDependencies,
  { view: { scope }, signal }: ListRequest,
  uri: string,
): Promise<Edge[]> {
  const query = queryTemplate('describe/hierarchy').bind({ terms: { c: [iri(uri)], scope: scopeTerms(scope) } })
  const rows = await client.select(query, { signal })
  return rows.flatMap(({ child, parent, key, topConceptOf }) =>
    child && parent
      ? {
          child: child.value,
          parent: { uri: parent.value, key: key?.value, topConceptOf: topConceptOf?.value.split(' ') ?? [] },
        }
      : [],
  )
}
