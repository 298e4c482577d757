import type { Adjacency } from '../source/edges.ts'
import type { Description } from '../source/source-graph.ts'
import type { Breach } from './rules.ts'

/** The vocabularies of a source: its schemes and subsets. Concepts without a scheme belong to the first scheme. */
export interface SchemesOfSource {
  schemes: readonly number[]
  /** Those that the source describes, or that the load names: they need a name. */
  described: readonly number[]
  subsets: ReadonlySet<number>
}

/** Conditions on a source that looks at all resources first. */
export interface Conditions {
  /** Adds a resource. */
  add(description: Description): void
  breaches(vocabularies: SchemesOfSource): Breach[]
}

/**
 * The concepts that share something and a vocabulary with another concept.
 *
 * @param shared what several concepts have.
 * @param bearers the concepts that have it.
 * @param schemesOf the vocabularies of concepts.
 * @returns the concepts by what they share.
 */
export function sharers(shared: Iterable<number>, bearers: Adjacency, schemesOf: Adjacency): Set<number> {
  const nodes = new Set<number>()
  for (const number of shared) {
    const byScheme = new Map<number, Set<number>>()
    for (const concept of bearers.of(number)) {
      for (const scheme of schemesOf.of(concept)) {
        const concepts = byScheme.get(scheme)
        if (concepts) concepts.add(concept)
        else byScheme.set(scheme, new Set([concept]))
      }
    }
    for (const concepts of byScheme.values()) {
      if (concepts.size > 1) for (const concept of concepts) nodes.add(concept)
    }
  }
  return nodes
}
