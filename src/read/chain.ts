import { compareRecords, type SortKey } from '../jskos/order.ts'

/** A broader concept. */
export interface Parent extends SortKey {
  isTop: boolean
}

/** One broader relation. */
export interface Edge {
  child: string
  parent: Parent
}

/**
 * Chooses chains of ancestors from broader relations (docs/interface.md, "Ancestors"): nearest first, up to the first
 * top concept; of several broader concepts the one with the shortest way to a top concept, then the order of records.
 * If no top concept is above (a cycle without an entry), the chain goes on in the order of records until it would reach
 * a concept a second time.
 *
 * @returns a function from a concept to the URIs of its chain.
 */
export function chains(edges: readonly Edge[]): (uri: string) => string[] {
  const parents = sortedParents(edges)
  return (uri) => {
    const chain: string[] = []
    const seen = new Set([uri])
    let at: string | undefined = uri
    while (at !== undefined) {
      const next: Parent | undefined = parents.get(at)?.find((parent) => !seen.has(parent.uri))
      if (!next) break
      chain.push(next.uri)
      seen.add(next.uri)
      at = next.isTop ? undefined : next.uri
    }
    return chain
  }
}

/** The most steps in search of chains, because a dense hierarchy has astronomically many. */
const MAX_STEPS = 2000

/**
 * All chains of ancestors of a concept as `chains` chooses one of them, the shortest first.
 *
 * @param most number of chains to give, at least 1.
 */
export function allChains(edges: readonly Edge[], uri: string, most: number): { chains: string[][]; isAll: boolean } {
  const parents = sortedParents(edges)
  const found: string[][] = []
  let open: string[][] = [[]]
  let steps = 0
  while (open.length > 0) {
    const longer: string[][] = []
    for (const chain of open) {
      if (found.length === most || ++steps > MAX_STEPS) return { chains: found, isAll: false }
      const above = parents
        .get(chain.at(-1) ?? uri)
        ?.filter((parent) => parent.uri !== uri && !chain.includes(parent.uri))
      if (!above || above.length === 0) {
        if (chain.length > 0) found.push(chain)
        continue
      }
      for (const parent of above) {
        const next = [...chain, parent.uri]
        if (parent.isTop) found.push(next)
        else longer.push(next)
      }
    }
    open = longer
  }
  return { chains: found.slice(0, most), isAll: found.length <= most }
}

/** Broader concepts by concept: first those with the shortest way to a top concept, then in the order of records. */
function sortedParents(edges: readonly Edge[]): Map<string, Parent[]> {
  const parents = new Map<string, Parent[]>()
  const children = new Map<string, Set<string>>()
  const tops = new Set<string>()
  for (const { child, parent } of edges) {
    if (child === parent.uri) continue
    add(parents, child, parent)
    const below = children.get(parent.uri)
    if (below) below.add(child)
    else children.set(parent.uri, new Set([child]))
    if (parent.isTop) tops.add(parent.uri)
  }
  const distance = distances(tops, children)
  for (const list of parents.values()) {
    list.sort((a, b) => (distance.get(a.uri) ?? Infinity) - (distance.get(b.uri) ?? Infinity) || compareRecords(a, b))
  }
  return parents
}

function add(parents: Map<string, Parent[]>, child: string, parent: Parent): void {
  const list = parents.get(child)
  if (!list) parents.set(child, [parent])
  else if (!list.some(({ uri }) => uri === parent.uri)) list.push(parent)
}

/** Steps from each concept up to the nearest top concept; 0 for the top concepts themselves. */
function distances(tops: ReadonlySet<string>, children: ReadonlyMap<string, ReadonlySet<string>>): Map<string, number> {
  const distance = new Map([...tops].map((top) => [top, 0]))
  let level = [...tops]
  for (let steps = 1; level.length > 0; steps++) {
    const next: string[] = []
    for (const uri of level) {
      for (const child of children.get(uri) ?? []) {
        if (distance.has(child)) continue
        distance.set(child, steps)
        next.push(child)
      }
    }
    level = next
  }
  return distance
}
