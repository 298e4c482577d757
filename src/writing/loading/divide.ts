import { Edges } from '../source/edges.ts'
import { schemesOfConcepts } from '../source/hierarchy.ts'
import type { SourceGraph } from '../source/source-graph.ts'

/** A scheme of a file with several schemes, with the subsets of it that the file describes. */
interface Share {
  scheme: number
  subsets: readonly number[]
}

/**
 * Divides the resources of a file among its schemes (docs/loading.md, "Loading"), each with all its statements. A
 * concept goes to every scheme that it is in, together with the resources that it names, such as the nodes of its
 * notes, and those that name it, such as collections, with all that is linked to these. Resources without a scheme go
 * to the first one.
 *
 * @returns for each scheme a function that is true for the resources of its graph.
 */
export function divide(source: SourceGraph, shares: readonly Share[]): ((node: number) => boolean)[] {
  const { size } = source
  const heads = new Set(shares.flatMap(({ scheme, subsets }) => [scheme, ...subsets]))
  const links = linksBetween(source)
  const targets = links.bySource(size)
  const subjects = links.byTarget(size)
  const allSubsets = new Set(shares.flatMap(({ subsets }) => subsets))
  const named = shares.map(({ scheme }) => scheme)
  const schemes = schemesOfConcepts(source, named, allSubsets).bySource(size)
  const isFree = (node: number) => !source.isConcept(node) && !heads.has(node)

  const divided = shares.map(() => new Uint8Array(size))
  const isTaken = new Uint8Array(size)
  const spread = (into: Uint8Array, from: readonly number[], isOpen: (node: number) => boolean, both: boolean) => {
    const open = [...from]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const neighbours of both ? [targets.of(node), subjects.of(node)] : [targets.of(node)]) {
        for (const next of neighbours) {
          if (into[next] || !isFree(next) || !isOpen(next)) continue
          into[next] = 1
          open.push(next)
        }
      }
    }
  }
  for (const [at, { scheme, subsets }] of shares.entries()) {
    const members = [scheme, ...subsets]
    for (let node = 0; node < size; node++) {
      if (source.isConcept(node) && !heads.has(node) && schemes.of(node).includes(scheme)) members.push(node)
    }
    for (const node of members) divided[at]![node] = 1
    spread(divided[at]!, members, () => true, false)
  }
  for (const into of divided) for (let node = 0; node < size; node++) isTaken[node]! |= into[node]!
  for (const into of divided) {
    const members = [...into.keys()].filter((node) => into[node])
    spread(into, members, (node) => !isTaken[node], true)
  }
  const isAnywhere = (node: number) => divided.some((into) => into[node])
  for (let node = 0; node < size; node++) if (!isAnywhere(node)) divided[0]![node] = 1
  return divided.map((into) => (node) => into[node] === 1)
}

/** From each resource to the resources that it names. */
function linksBetween(source: SourceGraph): Edges {
  const links = new Edges()
  for (const { node, statements } of source.descriptions()) {
    for (const { object } of statements) {
      const named = object.startsWith('<') ? source.find(object.slice(1, -1)) : source.blankNode(object)
      if (named !== undefined) links.push(node, named)
    }
  }
  return links
}
