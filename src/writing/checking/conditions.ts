import { Edges } from '../source/edges.ts'
import { schemesOfConcepts } from '../source/hierarchy.ts'
import type { Description, SourceGraph } from '../source/source-graph.ts'
import { Digests } from './digests.ts'
import type { Breach } from './rules.ts'
import { addToSet } from '../../base/groups.ts'

/** The vocabularies of a source: its schemes and subsets. Concepts without a scheme belong to the first scheme. */
export interface SchemesOfSource {
  schemes: readonly number[]
  /** The vocabularies that the source describes, or that the load names: they need a name. */
  described: readonly number[]
  subsets: ReadonlySet<number>
}

/** Conditions that need a look at all resources of a source first. */
export interface Conditions {
  /** Adds a resource. */
  add(description: Description): void
  breaches(vocabularies: SchemesOfSource): Breach[]
}

/** Texts of concepts. It finds the texts that several concepts of a vocabulary share. */
export class SharedTexts {
  readonly #texts = new Digests()
  /** By the number of a text, the first concept that has it. */
  #firstBearer = new Int32Array(1 << 10)
  /** The texts that several concepts have, with these. */
  readonly #bearers = new Edges()
  readonly #repeated = new Set<number>()

  /** Adds a text of a concept. */
  add(text: string, concept: number): void {
    const size = this.#texts.size
    const number = this.#texts.intern(text)
    if (number === size) {
      if (number === this.#firstBearer.length) {
        const larger = new Int32Array(2 * number)
        larger.set(this.#firstBearer)
        this.#firstBearer = larger
      }
      this.#firstBearer[number] = concept
      return
    }
    const first = this.#firstBearer[number]!
    if (first === concept) return
    if (!this.#repeated.has(number)) this.#bearers.push(number, first)
    this.#repeated.add(number)
    this.#bearers.push(number, concept)
  }

  /** The concepts that share a text and a vocabulary with another concept, by their texts. */
  sharers(source: SourceGraph, { schemes, subsets }: SchemesOfSource): Set<number> {
    const nodes = new Set<number>()
    if (this.#repeated.size === 0) return nodes
    const bearers = this.#bearers.bySource(this.#texts.size)
    const schemesOf = schemesOfConcepts(source, schemes, subsets).bySource(source.size)
    for (const number of this.#repeated) {
      const byScheme = new Map<number, Set<number>>()
      for (const concept of bearers.of(number)) {
        for (const scheme of schemesOf.of(concept)) {
          addToSet(byScheme, scheme, concept)
        }
      }
      for (const concepts of byScheme.values()) {
        if (concepts.size > 1) for (const concept of concepts) nodes.add(concept)
      }
    }
    return nodes
  }
}
