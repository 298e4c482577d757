import { findCycles } from './cycles.ts'
import type { Hierarchy } from './hierarchy.ts'
import type { SourceGraph } from './source-graph.ts'

/** The positions of resources in a list in the order of records, from 1; 0 or undefined for none. */
export type Positions = Int32Array

/** A list of a vocabulary and its length. */
export interface PositionedList {
  positions: Positions
  length: number
}

/**
 * The lists of a vocabulary, which pages come from (docs/interface.md, "Order and pages"): all concepts, top concepts, and the
 * concepts that no top concept reaches.
 *
 * @param has true for the resources of the graph.
 */
export function positionedLists(
  source: SourceGraph,
  scheme: number,
  hierarchy: Hierarchy,
  has: (node: number) => boolean,
): { concepts: PositionedList; topConcepts: PositionedList; unreached: PositionedList } {
  const { size, notations } = source
  const concepts: number[] = []
  for (let node = 0; node < size; node++) {
    if (source.isConcept(node) && has(node) && hierarchy.isIn(node, scheme)) concepts.push(node)
  }
  const ordered = Int32Array.from(concepts).sort((a, b) => notations.compare(a, b) || source.compareIris(a, b))
  const isTop = (node: number) => hierarchy.isTopConcept(node, scheme)
  const unreached = findCycles(source).length > 0 ? new Set(hierarchy.unreached(scheme)) : undefined
  return {
    concepts: toPositions(ordered, size),
    topConcepts: toPositions(ordered.filter(isTop), size),
    unreached: toPositions(unreached ? ordered.filter((node) => unreached.has(node)) : new Int32Array(), size),
  }
}

function toPositions(ordered: Int32Array, size: number): PositionedList {
  const positions = new Int32Array(ordered.length > 0 ? size : 0)
  for (let at = 0; at < ordered.length; at++) positions[ordered[at]!] = at + 1
  return { positions, length: ordered.length }
}
