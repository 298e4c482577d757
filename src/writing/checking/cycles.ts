import { Edges } from '../source/edges.ts'
import type { SourceGraph } from '../source/source-graph.ts'

/**
 * The cycles of skos:broader and skos:narrower: groups of resources each of which is above all others of its group, by
 * Tarjan's algorithm for strongly connected components. A resource that is broader than itself alone is no cycle.
 *
 * @returns the numbers of the resources, those of a cycle in ascending order, and the cycles by their first number.
 */
export function findCycles({ links, size }: SourceGraph): number[][] {
  const up = new Edges()
  links.broader.forEach((from, to) => from !== to && up.push(from, to))
  links.narrower.forEach((from, to) => from !== to && up.push(to, from))
  const above = up.bySource(size)
  /** The order in which nodes are found, from 1; 0 for nodes that are not found yet. */
  const order = new Int32Array(size)
  /** The earliest node, by that order, known to be above a node and in the same cycle. */
  const lowest = new Int32Array(size)
  /** The number of visited nodes among the nodes directly above a node. */
  const looked = new Int32Array(size)
  const isOpen = new Uint8Array(size)
  const open: number[] = []
  const path: number[] = []
  const cycles: number[][] = []
  let count = 0
  for (let start = 0; start < size; start++) {
    if (order[start] === 0) path.push(start)
    while (path.length > 0) {
      const node = path.at(-1)!
      if (order[node] === 0) {
        order[node] = lowest[node] = ++count
        isOpen[node] = 1
        open.push(node)
      }
      const neighbours = above.of(node)
      let unknown: number | undefined
      while (unknown === undefined && looked[node]! < neighbours.length) {
        const next = neighbours[looked[node]!++]!
        if (order[next] === 0) unknown = next
        else if (isOpen[next]) lowest[node] = Math.min(lowest[node]!, order[next]!)
      }
      if (unknown !== undefined) {
        path.push(unknown)
        continue
      }
      path.pop()
      const below = path.at(-1)
      if (below !== undefined) lowest[below] = Math.min(lowest[below]!, lowest[node]!)
      if (lowest[node] !== order[node]) continue
      const cycle = open.splice(open.lastIndexOf(node))
      for (const member of cycle) isOpen[member] = 0
      if (cycle.length > 1) cycles.push(cycle.sort((a, b) => a - b))
    }
  }
  return cycles.sort(([a], [b]) => a! - b!)
}
