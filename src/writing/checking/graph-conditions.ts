import {
  CONCEPT,
  IN_SCHEME,
  LABELS,
  NOTATION,
  RDF_TYPE,
  RDFS,
  RECORD_CLASSES,
  SKOS,
  SKOSXL,
  XSD,
} from '../../base/namespaces.ts'
import { splitLiteral } from '../../graph/sparql/statements.ts'
import { copyOfText } from '../../base/unicode.ts'
import { Hierarchy } from '../source/hierarchy.ts'
import { SharedTexts, type Conditions, type SchemesOfSource } from './conditions.ts'
import type { Breach } from './rules.ts'
import { DERIVED, type Description, type SourceGraph } from '../source/source-graph.ts'
import { Bits } from '../source/bits.ts'
import { Edges } from '../source/edges.ts'

/** All classes and properties of SKOS (SKOS Reference, Appendix B). */
const TERMS = new Set(
  [
    ...['Concept', 'ConceptScheme', 'Collection', 'OrderedCollection', 'inScheme', 'hasTopConcept', 'topConceptOf'],
    ...['prefLabel', 'altLabel', 'hiddenLabel', 'notation', 'note', 'changeNote', 'definition', 'editorialNote'],
    ...['example', 'historyNote', 'scopeNote', 'semanticRelation', 'broader', 'narrower', 'related'],
    ...['broaderTransitive', 'narrowerTransitive', 'member', 'memberList', 'mappingRelation', 'closeMatch'],
    ...['exactMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'],
  ].map((name) => SKOS + name),
)

const LABEL_IRIS = new Set([...LABELS.map((name) => SKOS + name), `${RDFS}label`])

/** The classes that tell what a resource of a concept scheme is; labels of SKOS-XL show with their concepts. */
const SHOWN_CLASSES = new Set([...RECORD_CLASSES, `${SKOSXL}Label`].map((name) => `<${name}>`))

/** The properties that the conditions distinguish. */
type Kind = 'type' | 'label' | 'notation' | 'scheme' | 'no term of SKOS' | 'other'

/**
 * Checks conditions that SHACL cannot express, or only on the whole graph: cycles, concepts that no top concept leads
 * to, equal notations, resources without a type, terms that SKOS does not have (docs/checks.md).
 *
 * On a million concepts this takes a twentieth of the time of a check. Only mistakes need the hierarchy with its
 * schemes.
 */
export class GraphConditions implements Conditions {
  readonly #source: SourceGraph
  readonly #kinds = new Map<string, Kind>()
  readonly #notations = new SharedTexts()
  readonly #untyped = new Set<number>()
  /** The resources with a label and a concept scheme that are no concepts and have no other record. */
  readonly #unlisted = new Set<number>()
  readonly #conceptsWithoutUri = new Set<number>()
  /** The resources of a source without concepts. */
  readonly #noConcepts = new Set<number>()
  /** The blank nodes that other resources name. */
  readonly #named = new Bits()
  readonly #unknownTerms = new Set<string>()
  readonly #withUnknownTerms = new Set<number>()

  constructor(source: SourceGraph) {
    this.#source = source
  }

  /** Adds a resource. */
  add({ node, statements }: Description): void {
    if (this.#source.concepts === 0 && statements.length > 0) this.#noConcepts.add(node)
    let hasLabel = false
    let hasType = false
    let hasScheme = false
    let isShown = false
    for (const { predicate, object } of statements) {
      const kind = this.#kindOf(predicate)
      const blank = this.#source.blankNode(object)
      if (blank !== undefined && !predicate.startsWith(DERIVED)) this.#named.set(blank)
      if (kind === 'other') continue
      if (kind === 'label') hasLabel = true
      else if (kind === 'notation') this.#addNotation(node, object)
      else if (kind === 'scheme') hasScheme = true
      else if (kind === 'no term of SKOS') this.#addUnknownTerm(node, predicate)
      else {
        hasType = true
        // Most types are this one, and cutting and looking up all of them would take time.
        if (object === `<${CONCEPT}>`) {
          isShown = true
          if (this.#source.isBlank(node)) this.#conceptsWithoutUri.add(node)
          continue
        }
        isShown ||= SHOWN_CLASSES.has(object)
        if (isUnknownTerm(object.slice(1, -1))) this.#addUnknownTerm(node, object.slice(1, -1))
      }
    }
    // JSKOS describes a neighbour without a URI within a record, without a type (JSKOS 0.7, Concepts).
    if (!hasLabel || this.#source.isBlank(node)) return
    if (!hasType) this.#untyped.add(node)
    if (hasScheme && !isShown) this.#unlisted.add(node)
  }

  breaches(vocabularies: SchemesOfSource): Breach[] {
    const { described } = vocabularies
    const cycles = findCycles(this.#source)
    const { illFormedTags } = this.#source
    const cutOff = this.#cutOff()
    return [
      { rule: 'broader-self', nodes: this.#broaderThanThemselves() },
      { rule: 'cycle', nodes: cycles.flat() },
      { rule: 'has-type', nodes: cutOff },
      { rule: 'unlisted', nodes: [...this.#unlisted].filter((node) => !cutOff.has(node)) },
      // A concept within a record may lack a URI (JSKOS 0.7, Concepts).
      { rule: 'concept-uri', nodes: [...this.#conceptsWithoutUri].filter((node) => !this.#named.has(node)) },
      {
        rule: 'no-concept',
        nodes: [...this.#noConcepts].filter((node) =>
          described.length > 0 ? described.includes(node) : !this.#source.isBlank(node),
        ),
      },
      { rule: 'same-notation', nodes: this.#notations.sharers(this.#source, vocabularies) },
      { rule: 'skos-term', nodes: this.#withUnknownTerms, names: this.#namesOfUnknownTerms() },
      {
        rule: 'language-tag',
        nodes: new Set([...illFormedTags.values()].flatMap((nodes) => [...nodes])),
        names: [...illFormedTags.keys()],
      },
      this.#wrongIris(),
      this.#wrongStatements(),
      { rule: 'unreached', nodes: cycles.length > 0 ? this.#unreached(cycles.flat(), vocabularies) : [] },
    ]
  }

  /** The resources about which statements are left out. */
  #wrongIris(): Breach {
    const { wrongIris, placesOfWrongIris } = this.#source
    const names = Array.from(wrongIris.keys(), (iri) => {
      const place = placesOfWrongIris.get(iri)
      return place === undefined ? `<${iri}>` : `<${iri}> (${place})`
    })
    return { rule: 'iri', nodes: new Set([...wrongIris.values()].flatMap((resources) => [...resources])), names }
  }

  /** The resources whose qualified statements are left out. */
  #wrongStatements(): Breach {
    const { wrongStatements } = this.#source
    const nodes = new Set([...wrongStatements.values()].flatMap((resources) => [...resources]))
    return { rule: 'qualified', nodes, names: [...wrongStatements.keys()] }
  }

  #kindOf(predicate: string): Kind {
    let kind = this.#kinds.get(predicate)
    if (kind === undefined) {
      const plain = predicate.startsWith(DERIVED) ? predicate.slice(DERIVED.length) : predicate
      if (plain === RDF_TYPE) kind = 'type'
      else if (plain === NOTATION) kind = 'notation'
      else if (LABEL_IRIS.has(plain)) kind = 'label'
      // Only what the files state: loading adds schemes to concepts.
      else if (predicate === IN_SCHEME) kind = 'scheme'
      else kind = isUnknownTerm(plain) ? 'no term of SKOS' : 'other'
      this.#kinds.set(predicate, kind)
    }
    return kind
  }

  #addNotation(node: number, object: string): void {
    if (!this.#source.isConcept(node)) return
    const { lexical, suffix } = splitLiteral(object) ?? { lexical: '', suffix: '' }
    if (lexical === '') return
    // A datatype of its own stands for a notation system (SKOS Reference, section 6.5.1); a language does not.
    const isOfSystem = suffix.startsWith('^^') && !suffix.startsWith(`^^<${XSD}`)
    this.#notations.add(isOfSystem ? object : lexical, node)
  }

  #addUnknownTerm(node: number, term: string): void {
    // The term is a view of a part of the spool, which it would keep in memory.
    if (!this.#unknownTerms.has(term)) this.#unknownTerms.add(copyOfText(term))
    this.#withUnknownTerms.add(node)
  }

  #namesOfUnknownTerms(): string[] {
    return Array.from(this.#unknownTerms, (term) => `skos:${term.slice(SKOS.length)}`)
  }

  #broaderThanThemselves(): Set<number> {
    const nodes = new Set<number>()
    for (const link of ['broader', 'narrower'] as const) {
      this.#source.links[link].forEach((from, to) => from === to && nodes.add(from))
    }
    return nodes
  }

  /** The resources with a label and something broader that are not concepts because they lack the type. */
  #cutOff(): Set<number> {
    const { broader, narrower } = this.#source.links
    const nodes = new Set<number>()
    const add = (node: number, above: number) => {
      if (node !== above && this.#untyped.has(node)) nodes.add(node)
    }
    broader.forEach(add)
    narrower.forEach((above, node) => add(node, above))
    return nodes
  }

  #unreached(inCycles: readonly number[], { schemes, subsets }: SchemesOfSource): Set<number> {
    const hierarchy = new Hierarchy(this.#source, schemes, subsets)
    const withCycles = new Set(inCycles.flatMap((node) => [...hierarchy.schemesOf(node)]))
    return new Set(schemes.flatMap((scheme) => (withCycles.has(scheme) ? hierarchy.unreached(scheme) : [])))
  }
}

/** True for an IRI in the namespace of SKOS that SKOS does not define. */
function isUnknownTerm(iri: string): boolean {
  return iri.startsWith(SKOS) && !TERMS.has(iri)
}

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
