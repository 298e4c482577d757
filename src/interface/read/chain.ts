import { compareRecords, type SortKey } from '../../graph/jskos/order.ts'
import { addToSet } from '../../base/groups.ts'

/** A broader concept. */
interface Parent extends SortKey {
  /** URIs of the vocabularies that it is a top concept of. */
  topConceptOf: readonly string[]
}

/** One broader relation. */
export interface Edge {
  child: string
  parent: Parent
}

/**
 * The concept schemes of a concept whose top concepts end its chains: its vocabularies. Other concept schemes, such as
 * microthesauri, count only if it is in no vocabulary.
 */
export function schemesOfChains(inScheme: readonly string[], vocabularies: ReadonlySet<string>): readonly string[] {
  const named = inScheme.filter((scheme) => vocabularies.has(scheme))
  return named.length > 0 ? named : inScheme
}

/**
 * Chooses chains of ancestors from broader relations (docs/endpoints.md, "Ancestors"). A chain lists the nearest
 * ancestor first and ends at a top concept of a vocabulary of the start, or at a concept with nothing broader. Of
 * several broader concepts it takes the one with the shortest path to an end, then the first in the order of records.
 * If no path leads to an end (a cycle), the chain follows the order of records until it would repeat a concept.
 *
 * @param inScheme URIs of the vocabularies of the concepts whose chains are wanted.
 * @returns a function from the URI of such a concept to the URIs of its chain.
 */
export function chains(edges: readonly Edge[], inScheme: readonly string[]): (uri: string) => string[] {
  const shared = climb(edges, inScheme)
  return (uri) => {
    // A top concept in a cycle does not end its own chain.
    const { parents, isEnd } = shared.ends.has(uri) ? climb(edges, inScheme, uri) : shared
    const chain: string[] = []
    const seen = new Set([uri])
    let at: string | undefined = uri
    while (at !== undefined) {
      const next: Parent | undefined = parents.get(at)?.find((parent) => !seen.has(parent.uri))
      if (!next) break
      chain.push(next.uri)
      seen.add(next.uri)
      at = isEnd(next) ? undefined : next.uri
    }
    return chain
  }
}

/** The search for chains ends after this many steps, because a dense hierarchy has astronomically many chains. */
const MAX_STEPS = 2000

/**
 * All chains of ancestors of a concept, the shortest first; `chains` chooses one of them.
 *
 * @param inScheme URIs of the vocabularies of the concept.
 * @param most number of chains to give, at least 1.
 */
export function allChains(
  edges: readonly Edge[],
  inScheme: readonly string[],
  uri: string,
  most: number,
): { chains: string[][]; isAll: boolean } {
  const { parents, isEnd } = climb(edges, inScheme)
  const complete: string[][] = []
  let open: string[][] = [[]]
  let steps = 0
  while (open.length > 0) {
    const longer: string[][] = []
    for (const chain of open) {
      if (complete.length === most || ++steps > MAX_STEPS) return { chains: complete, isAll: false }
      const above = parents
        .get(chain.at(-1) ?? uri)
        ?.filter((parent) => parent.uri !== uri && !chain.includes(parent.uri))
      if (!above || above.length === 0) {
        if (chain.length > 0) complete.push(chain)
        continue
      }
      for (const parent of above) {
        const next = [...chain, parent.uri]
        if (isEnd(parent)) complete.push(next)
        else longer.push(next)
      }
    }
    open = longer
  }
  return { chains: complete.slice(0, most), isAll: complete.length <= most }
}

/** The hierarchy as chains see it that start in certain vocabularies. */
interface Climb {
  /** Broader concepts by concept: those with the shortest path to an end first, then in the order of records. */
  parents: ReadonlyMap<string, readonly Parent[]>
  isEnd: (parent: Parent) => boolean
  /** The URIs of the broader concepts that are ends. */
  ends: ReadonlySet<string>
}

/** @param start URI of a concept that is no end. */
function climb(edges: readonly Edge[], schemes: readonly string[], start?: string): Climb {
  const parentsOf = new Map<string, Parent[]>()
  const childrenOf = new Map<string, Set<string>>()
  const all = new Map<string, Parent>()
  for (const { child, parent } of edges) {
    if (child === parent.uri) continue
    all.set(parent.uri, parent)
    const parents = parentsOf.get(child)
    if (!parents) parentsOf.set(child, [parent])
    else if (!parents.some(({ uri }) => uri === parent.uri)) parents.push(parent)
    addToSet(childrenOf, parent.uri, child)
  }
  const isEnd = ({ uri, topConceptOf }: Parent) =>
    uri !== start && (!parentsOf.has(uri) || topConceptOf.some((scheme) => schemes.includes(scheme)))
  const ends = new Set([...all.values()].filter(isEnd).map(({ uri }) => uri))
  const distance = distances(ends, childrenOf)
  const way = ({ uri }: Parent) => distance.get(uri) ?? Infinity
  const parents = [...parentsOf].map(([child, list]) => {
    return [child, list.toSorted((a, b) => way(a) - way(b) || compareRecords(a, b))] as const
  })
  return { parents: new Map(parents), isEnd, ends }
}

/** Steps from each concept up to the nearest end; 0 for the ends themselves. */
function distances(
  ends: ReadonlySet<string>,
  childrenOf: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, number> {
  const distance = new Map([...ends].map((end) => [end, 0]))
  let level = [...ends]
  for (let steps = 1; level.length > 0; steps++) {
    const next: string[] = []
    for (const uri of level) {
      for (const child of childrenOf.get(uri) ?? []) {
        if (distance.has(child)) continue
        distance.set(child, steps)
        next.push(child)
      }
    }
    level = next
  }
  return distance
}
