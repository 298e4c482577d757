import { Edges, type Adjacency } from './edges.ts'
import { KIND_LINKS, LINKS } from './links.ts'
import type { SourceGraph } from './source-graph.ts'
import { isSameVocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** A link to add to a resource: predicate IRI and the number of the other resource. */
type AddedLink = [predicate: string, node: number]

/**
 * The links of a vocabulary by the rules of docs/loading.md, "Loading": both broader and narrower, both topConceptOf
 * and hasTopConcept, and inScheme on every concept. A concept without a broader concept in its scheme is a top concept
 * of it, unless it is deprecated and has nothing narrower. Neither the concept itself nor a resource that is not a
 * concept of the graph counts as a broader concept.
 */
export class Hierarchy {
  readonly #source: SourceGraph
  /** By links of broader, and by links of narrower. */
  readonly #narrowerOf: Adjacency
  readonly #broaderOf: Adjacency
  readonly #assertedNarrower: Adjacency
  readonly #assertedBroader: Adjacency
  readonly #topConceptsOf: Adjacency
  readonly #topConceptOf: Adjacency
  readonly #schemesOf: Adjacency
  /** The links with a kind of ISO 25964, in both directions, by their properties. */
  readonly #kinds: readonly (readonly [property: string, targets: Adjacency])[]
  /** Links to resources that the files do not describe, by kind. */
  readonly dangling = { broader: 0, narrower: 0, related: 0 }

  /**
   * @param schemes the schemes that name graphs; concepts without a scheme belong to the first.
   * @param subsets resources that look like schemes but are subsets, and get no inScheme links.
   * @param elsewhere schemes whose hierarchy is in another graph: their top concepts do not follow from this one.
   */
  constructor(
    source: SourceGraph,
    schemes: readonly number[],
    subsets: ReadonlySet<number>,
    elsewhere: ReadonlySet<number> = new Set(),
  ) {
    const { links, size } = source
    this.#source = source
    this.#narrowerOf = links.broader.byTarget(size)
    this.#broaderOf = links.narrower.byTarget(size)
    this.#assertedNarrower = links.narrower.bySource(size)
    this.#assertedBroader = links.broader.bySource(size)
    this.#kinds = KIND_LINKS.flatMap(([property, link]) =>
      links[link].length > 0 ? [[property, links[link].bySource(size)] as const] : [],
    )

    const membership = schemesOfConcepts(source, schemes, subsets)
    this.#schemesOf = membership.bySource(size)

    // A deprecated concept without relations is a leftover, and so a top concept only if the source states it.
    const isWithdrawn = (concept: number) => {
      const isOther = (other: number) => other !== concept && source.isConcept(other)
      const hasNarrower = this.#assertedNarrower.of(concept).some(isOther) || this.#narrowerOf.of(concept).some(isOther)
      return source.isDeprecated(concept) && !hasNarrower
    }

    const tops = statedTopConcepts(source, schemes, subsets)
    const meant = meantScheme(source, schemes)
    // Another form of the URI of a scheme has no top concepts besides those of the scheme.
    const isDecided = (of: number) => !elsewhere.has(of) && meant(of) === of
    for (let concept = 0; concept < size; concept++) {
      if (!source.isConcept(concept)) continue
      for (const of of this.#schemesOf.of(concept)) {
        if (isDecided(of) && !this.#hasBroader(concept, of) && !isWithdrawn(concept)) tops.push(concept, of)
      }
    }
    this.#topConceptOf = tops.bySource(size)
    this.#topConceptsOf = tops.byTarget(size)
    for (const kind of ['broader', 'narrower', 'related'] as const) {
      links[kind].forEach((_, to) => {
        if (!source.isConcept(to)) this.dangling[kind]++
      })
    }
  }

  /** The schemes that a concept belongs to. */
  schemesOf(concept: number): Iterable<number> {
    return this.#schemesOf.of(concept)
  }

  /** True if a concept belongs to a scheme. */
  isIn(concept: number, scheme: number): boolean {
    return this.#schemesOf.of(concept).includes(scheme)
  }

  /** True if a concept is a top concept of a scheme. */
  isTopConcept(concept: number, scheme: number): boolean {
    return this.#topConceptOf.of(concept).includes(scheme)
  }

  /**
   * The concepts of a scheme that have broader concepts in it and still no top concept above them: they are in cycles,
   * or below cycles.
   */
  unreached(scheme: number): number[] {
    const { size } = this.#source
    const isInside = (node: number) => this.#source.isConcept(node) && this.isIn(node, scheme)
    const isReached = new Uint8Array(size)
    const open: number[] = []
    const reach = (node: number) => {
      isReached[node] = 1
      open.push(node)
    }
    const concepts: number[] = []
    for (let node = 0; node < size; node++) {
      if (!isInside(node)) continue
      concepts.push(node)
      if (this.isTopConcept(node, scheme) || !this.#hasBroader(node, scheme)) reach(node)
    }
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const narrower of [this.#narrowerOf.of(node), this.#assertedNarrower.of(node)]) {
        for (const next of narrower) if (!isReached[next] && isInside(next)) reach(next)
      }
    }
    return concepts.filter((node) => !isReached[node])
  }

  /** True if another concept of a scheme is broader than a concept. */
  #hasBroader(concept: number, scheme: number): boolean {
    const isBroader = (other: number) =>
      other !== concept && this.#source.isConcept(other) && this.#schemesOf.of(other).includes(scheme)
    return this.#assertedBroader.of(concept).some(isBroader) || this.#broaderOf.of(concept).some(isBroader)
  }

  /** All links of the rules for one resource, including its present links. */
  *linksOf(node: number): Generator<AddedLink> {
    for (const other of this.#broaderOf.of(node)) yield [LINKS.broader, other]
    for (const other of this.#narrowerOf.of(node)) yield [LINKS.narrower, other]
    for (const [property, targets] of this.#kinds) for (const other of targets.of(node)) yield [property, other]
    for (const other of this.#schemesOf.of(node)) yield [LINKS.inScheme, other]
    for (const other of this.#topConceptOf.of(node)) yield [LINKS.topConceptOf, other]
    for (const other of this.#topConceptsOf.of(node)) yield [LINKS.hasTopConcept, other]
  }
}

/**
 * Concept to scheme: as asserted, as topConceptOf implies (SKOS Reference, S7), else the first of `schemes`. Neither a
 * resource without a URI nor a subset counts as a scheme.
 *
 * @param schemes the schemes that name graphs.
 */
export function schemesOfConcepts(
  source: SourceGraph,
  schemes: readonly number[],
  subsets: ReadonlySet<number>,
): Edges {
  const { links, size } = source
  const membership = new Edges()
  const isScheme = (of: number) => !subsets.has(of) && !source.isBlank(of)
  const add = (concept: number, of: number) => {
    if (source.isConcept(concept) && isScheme(of)) membership.push(concept, of)
  }
  const otherFormOf = otherForms(source, schemes)
  links.inScheme.forEach((concept, of) => {
    add(concept, of)
    const otherForm = isScheme(of) ? otherFormOf(of) : undefined
    if (otherForm !== undefined) add(concept, otherForm)
  })
  statedTopConcepts(source, schemes, subsets).forEach(add)
  const isInOne = membership.bySource(size)
  for (let concept = 0; concept < size; concept++) if (isInOne.of(concept).length === 0) add(concept, schemes[0]!)
  return membership
}

/**
 * Concept to scheme, as topConceptOf and hasTopConcept state it. A concept is no scheme: the concepts of the Homosaurus
 * name the top of their branch by hasTopConcept.
 */
function statedTopConcepts(source: SourceGraph, schemes: readonly number[], subsets: ReadonlySet<number>): Edges {
  const tops = new Edges()
  const meant = meantScheme(source, schemes)
  const add = (concept: number, of: number) => {
    const scheme = meant(of)
    const isConcept = source.isConcept(scheme) && !source.isScheme(scheme) && !schemes.includes(scheme)
    if (!subsets.has(of) && !isConcept) tops.push(concept, scheme)
  }
  source.links.topConceptOf.forEach(add)
  source.links.hasTopConcept.forEach((of, concept) => add(concept, of))
  return tops
}

/**
 * The scheme that a statement means by a resource: a scheme of `schemes` if it names this in another form, unless the
 * files describe the other form as a scheme of its own.
 */
function meantScheme(source: SourceGraph, schemes: readonly number[]): (of: number) => number {
  const otherFormOf = otherForms(source, schemes)
  return (of) => (source.isScheme(of) ? of : (otherFormOf(of) ?? of))
}

/** The scheme of `schemes` that a resource names with another slash or protocol. */
function otherForms(source: SourceGraph, schemes: readonly number[]): (of: number) => number | undefined {
  const schemeOf = new Map(schemes.map((scheme): [number, number | undefined] => [scheme, undefined]))
  return (of) => {
    if (!schemeOf.has(of) && !source.isBlank(of)) {
      schemeOf.set(
        of,
        schemes.find((scheme) => isSameVocabulary(source.iri(of), source.iri(scheme))),
      )
    }
    return schemeOf.get(of)
  }
}
