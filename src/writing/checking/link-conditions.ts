import { RDF, SKOS } from '../../base/namespaces.ts'
import { NOTES } from '../../graph/jskos/fields.ts'
import { Bits } from '../source/bits.ts'
import { Edges } from '../source/edges.ts'
import { schemesOfConcepts } from '../source/hierarchy.ts'
import type { Description, SourceGraph } from '../source/source-graph.ts'
import type { Conditions, SchemesOfSource } from './conditions.ts'
import { Digests } from './digests.ts'
import type { Breach } from './rules.ts'

/** What a statement means, for properties that are not links of the source. */
type Kind = 'member' | 'exactMatch' | 'closeMatch' | 'disjoint' | 'note'

const KINDS = new Map<string, Kind>([
  [`${SKOS}member`, 'member'],
  [`${RDF}first`, 'member'],
  [`${SKOS}exactMatch`, 'exactMatch'],
  [`${SKOS}closeMatch`, 'closeMatch'],
  // SKOS Reference, S46.
  [`${SKOS}broadMatch`, 'disjoint'],
  [`${SKOS}narrowMatch`, 'disjoint'],
  [`${SKOS}relatedMatch`, 'disjoint'],
  ...[...NOTES].map((note): [string, Kind] => [note, 'note']),
])

/** Links that lead to concepts and, except for hasTopConcept, come from concepts. */
const TO_CONCEPTS = ['broader', 'narrower', 'related', 'broaderTransitive', 'narrowerTransitive'] as const

/**
 * Checks the links of concepts: top concepts with something broader or of a concept, concepts that are related to
 * themselves, links to resources that are not concepts, notes without a text, concepts without a scheme or without any
 * place, mappings within a vocabulary, and concepts that a chain of skos:exactMatch makes the same as one of their
 * other matches (docs/checks.md).
 */
export class LinkConditions implements Conditions {
  readonly #source: SourceGraph
  /** The concepts of the files, without proposals of the store. */
  readonly #concepts = new Bits()
  readonly #members = new Bits()
  /** Mappings between concepts of the source. */
  readonly #within = new Edges()
  /** The matches with resources outside the source. */
  readonly #elsewhere = new Digests()
  /** Between even numbers for resources of the source, which are twice theirs, and odd ones for others. */
  readonly #exact = new Edges()
  /** From concepts to their notes that are resources, and the resources with a text. */
  readonly #notes = new Edges()
  readonly #texts = new Bits()
  readonly #disjoint = new Edges()

  constructor(source: SourceGraph) {
    this.#source = source
  }

  add({ node, statements }: Description): void {
    const isConcept = this.#source.isConcept(node)
    if (isConcept) this.#concepts.set(node)
    for (const { predicate, object } of statements) {
      if (predicate === `${RDF}value`) this.#texts.set(node)
      const kind = KINDS.get(predicate)
      if (kind === undefined) continue
      if (kind === 'note') {
        if (isConcept) this.#addNote(node, object)
        continue
      }
      if (!object.startsWith('<')) continue
      const other = this.#source.find(object.slice(1, -1))
      if (kind === 'member') {
        if (other !== undefined) this.#members.set(other)
        continue
      }
      // A chain may lead through concepts elsewhere: the files may state matches of those.
      if (!isConcept && kind !== 'exactMatch') continue
      if (isConcept && other !== undefined && this.#source.isConcept(other)) this.#within.push(node, other)
      if (kind === 'closeMatch') continue
      const match = other === undefined ? 2 * this.#elsewhere.intern(object) + 1 : 2 * other
      const edges = kind === 'exactMatch' ? this.#exact : this.#disjoint
      edges.push(2 * node, match)
    }
  }

  breaches(vocabularies: SchemesOfSource): Breach[] {
    const { nodes: dangling, targets } = this.#dangling()
    return [
      { rule: 'related-self', nodes: this.#relatedToThemselves() },
      { rule: 'top-with-broader', nodes: this.#topsWithBroader(vocabularies) },
      { rule: 'top-of-concept', nodes: this.#withTopConcepts() },
      { rule: 'note-text', nodes: this.#withoutText() },
      { rule: 'no-such-concept', nodes: dangling, names: Array.from(targets, (node) => this.#source.name(node)) },
      { rule: 'no-scheme', nodes: this.#withoutScheme() },
      { rule: 'orphan', nodes: this.#orphans() },
      { rule: 'mapping-within', nodes: this.#mappedWithin(vocabularies) },
      { rule: 'S46-chain', nodes: this.#chains() },
    ]
  }

  /** A note of a concept that the source does not describe leads to the concept itself, which has no text. */
  #addNote(node: number, object: string): void {
    if (object.startsWith('"')) return
    const note = this.#source.blankNode(object) ?? this.#source.find(object.slice(1, -1))
    this.#notes.push(node, note ?? node)
  }

  /** The concepts with a note that is a resource without a text. */
  #withoutText(): Set<number> {
    const nodes = new Set<number>()
    this.#notes.forEach((node, note) => !this.#texts.has(note) && nodes.add(node))
    return nodes
  }

  /** The concepts that have top concepts, although they are no schemes. */
  #withTopConcepts(): Set<number> {
    const nodes = new Set<number>()
    const add = (of: number) => {
      if (this.#concepts.has(of) && !this.#source.isScheme(of)) nodes.add(of)
    }
    this.#source.links.hasTopConcept.forEach(add)
    this.#source.links.topConceptOf.forEach((_, of) => add(of))
    return nodes
  }

  #relatedToThemselves(): Set<number> {
    const nodes = new Set<number>()
    this.#source.links.related.forEach((from, to) => from === to && nodes.add(from))
    return nodes
  }

  /** The top concepts of a scheme that have something broader in it. */
  #topsWithBroader({ schemes, subsets }: SchemesOfSource): Set<number> {
    const { links, size } = this.#source
    const tops = new Edges()
    const isTop = new Bits()
    const addTop = (concept: number, scheme: number) => {
      if (!this.#concepts.has(concept) || subsets.has(scheme)) return
      tops.push(concept, scheme)
      isTop.set(concept)
    }
    links.topConceptOf.forEach(addTop)
    links.hasTopConcept.forEach((scheme, concept) => addTop(concept, scheme))
    const below = new Edges()
    const addBroader = (concept: number, broader: number) => {
      if (concept !== broader && isTop.has(concept) && this.#source.isConcept(broader)) below.push(concept, broader)
    }
    links.broader.forEach(addBroader)
    links.narrower.forEach((broader, concept) => addBroader(concept, broader))
    const nodes = new Set<number>()
    if (below.length === 0) return nodes
    const topOf = tops.bySource(size)
    const schemesOf = schemesOfConcepts(this.#source, schemes, subsets).bySource(size)
    below.forEach((concept, broader) => {
      if (topOf.of(concept).some((scheme) => schemesOf.of(broader).includes(scheme))) nodes.add(concept)
    })
    return nodes
  }

  /**
   * The resources with a link to something that is not a concept of the source, and the targets. A neighbour without a
   * URI is described in its place (JSKOS 0.7, Concepts).
   */
  #dangling(): { nodes: Set<number>; targets: Set<number> } {
    const { links } = this.#source
    const nodes = new Set<number>()
    const targets = new Set<number>()
    const add = (from: number, to: number) => {
      if (this.#source.isConcept(to) || this.#source.isBlank(to)) return
      nodes.add(from)
      targets.add(to)
    }
    for (const link of TO_CONCEPTS) {
      links[link].forEach((from, to) => this.#concepts.has(from) && add(from, to))
    }
    links.hasTopConcept.forEach(add)
    return { nodes, targets }
  }

  /** The concepts that name no scheme, unless the source has none. */
  #withoutScheme(): number[] {
    const { links } = this.#source
    const hasScheme = new Bits()
    links.inScheme.forEach((concept) => hasScheme.set(concept))
    links.topConceptOf.forEach((concept) => hasScheme.set(concept))
    links.hasTopConcept.forEach((_, concept) => hasScheme.set(concept))
    const [scheme] = this.#source.schemes()
    return scheme === undefined && hasScheme.count === 0 ? [] : this.#all((concept) => !hasScheme.has(concept))
  }

  /** The concepts in use without any place, unless no concept has one: then they are a list. */
  #orphans(): number[] {
    const { links } = this.#source
    const hasPlace = new Bits()
    const place = (from: number, to: number) => {
      if (from === to) return
      hasPlace.set(from)
      hasPlace.set(to)
    }
    for (const link of [...TO_CONCEPTS, 'topConceptOf', 'hasTopConcept'] as const) links[link].forEach(place)
    const orphans = this.#all((concept) => {
      return !hasPlace.has(concept) && !this.#members.has(concept) && !this.#source.isDeprecated(concept)
    })
    return orphans.length === this.#concepts.count ? [] : orphans
  }

  /** The concepts with a mapping to a concept of their own vocabulary. */
  #mappedWithin({ schemes, subsets }: SchemesOfSource): Set<number> {
    const nodes = new Set<number>()
    if (this.#within.length === 0) return nodes
    const schemesOf = schemesOfConcepts(this.#source, schemes, subsets).bySource(this.#source.size)
    this.#within.forEach((from, to) => {
      if (schemesOf.of(from).some((scheme) => schemesOf.of(to).includes(scheme))) nodes.add(from)
    })
    return nodes
  }

  /**
   * The concepts of which a broadMatch, narrowMatch or relatedMatch is also their exactMatch by a chain of several, in
   * either direction (SKOS Reference, S44 to S46). The shapes find what one skos:exactMatch makes the same.
   */
  #chains(): Set<number> {
    const nodes = new Set<number>()
    if (this.#disjoint.length === 0) return nodes
    const size = 2 * Math.max(this.#source.size, this.#elsewhere.size)
    const exactly = this.#exact.bySource(size)
    /** From each resource to another one that is the same, and in the end to the representative of all. */
    const same = Int32Array.from({ length: size }, (_, at) => at)
    const standIn = (at: number) => {
      while (same[at] !== at) at = same[at] = same[same[at]!]!
      return at
    }
    this.#exact.forEach((from, to) => (same[standIn(from)] = standIn(to)))
    this.#disjoint.forEach((from, to) => {
      if (from === to || standIn(from) !== standIn(to)) return
      if (!exactly.of(from).includes(to) && !exactly.of(to).includes(from)) nodes.add(from / 2)
    })
    return nodes
  }

  /** The concepts of the files of which something is true. */
  #all(isWanted: (concept: number) => boolean): number[] {
    const nodes: number[] = []
    for (let node = 0; node < this.#source.size; node++) {
      if (this.#concepts.has(node) && isWanted(node)) nodes.push(node)
    }
    return nodes
  }
}
