import { CONCEPT, LABELS, NOTATION, RDF_TYPE, RDFS, SKOS, XSD } from '../../base/namespaces.ts'
import { splitLiteral } from '../../graph/sparql/statements.ts'
import { copyOfText } from '../../base/unicode.ts'
import { findCycles } from './cycles.ts'
import { Edges } from '../source/edges.ts'
import { Hierarchy, schemesOfConcepts } from '../source/hierarchy.ts'
import { IriTable } from '../source/iri-table.ts'
import type { Finding } from './finding.ts'
import { DERIVED, type Description, type SourceGraph } from '../source/source-graph.ts'

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
/** A finding names at most this many terms. */
const MOST_TERMS = 5

const LABEL_IRIS = new Set([...LABELS.map((name) => SKOS + name), `${RDFS}label`])

/** The properties that the conditions distinguish. */
type Kind = 'type' | 'label' | 'notation' | 'no term of SKOS' | 'other'

/** The vocabularies of a source: its schemes and subsets. Concepts without a scheme belong to the first scheme. */
export interface SchemesOfSource {
  schemes: readonly number[]
  subsets: ReadonlySet<number>
}

/**
 * Checks conditions that SHACL cannot express, or only on the whole graph: cycles, concepts that no top concept
 * reaches, equal notations, resources without a type, terms that SKOS does not have (docs/interface.md, "Loading").
 *
 * On a million concepts this takes a twentieth of the time of a check. Only mistakes need the hierarchy with its
 * schemes.
 */
export class GraphConditions {
  readonly #source: SourceGraph
  readonly #kinds = new Map<string, Kind>()
  /** Notations as numbers, with all concepts that have them. */
  readonly #notations = new IriTable()
  readonly #bearers = new Edges()
  readonly #repeated = new Set<number>()
  readonly #untyped = new Set<number>()
  readonly #unknownTerms = new Set<string>()
  readonly #withUnknownTerms = new Set<number>()

  constructor(source: SourceGraph) {
    this.#source = source
  }

  /** Adds a resource. */
  add({ node, statements }: Description): void {
    let hasLabel = false
    let hasType = false
    for (const { predicate, object } of statements) {
      const kind = this.#kindOf(predicate)
      if (kind === 'other') continue
      if (kind === 'label') hasLabel = true
      else if (kind === 'notation') this.#addNotation(node, object)
      else if (kind === 'no term of SKOS') this.#addUnknownTerm(node, predicate)
      else {
        hasType = true
        // Most types are this one, and cutting and looking up all of them would take time.
        if (object !== `<${CONCEPT}>` && isUnknownTerm(object.slice(1, -1))) {
          this.#addUnknownTerm(node, object.slice(1, -1))
        }
      }
    }
    if (hasLabel && !hasType) this.#untyped.add(node)
  }

  /** The findings; each is a violation. */
  findings(vocabularies: SchemesOfSource): Finding[] {
    const cycles = findCycles(this.#source)
    const unreached = cycles.length > 0 ? this.#unreached(cycles.flat(), vocabularies) : []
    return [
      ...this.#finding('broader-self', 'a concept is broader than itself', this.#broaderThanThemselves()),
      ...this.#finding('cycle', 'a concept is in a cycle of broader concepts', cycles.flat()),
      ...this.#finding('has-type', 'a resource has a label and a broader concept but no type', this.#cutOff()),
      ...this.#finding(
        'same-notation',
        'a concept has the same notation as another concept of its vocabulary',
        this.#withSameNotation(vocabularies),
      ),
      ...this.#finding('skos-term', `SKOS has no term ${this.#namesOfUnknownTerms()}`, this.#withUnknownTerms),
      ...this.#finding(
        'language-tag',
        `a text has an ill-formed language tag, which is cut: ${fewOf([...this.#source.illFormedTags.keys()])}`,
        new Set([...this.#source.illFormedTags.values()].flatMap((nodes) => [...nodes])),
      ),
      ...this.#wrongIris(),
      ...this.#finding('unreached', 'a concept cannot be reached from a top concept', unreached),
    ]
  }

  #finding(rule: string, message: string, nodes: Iterable<number>): Finding[] {
    const focusNodes = Array.from(nodes, (node) => this.#source.name(node))
    return focusNodes.length === 0
      ? []
      : [{ rule, severity: 'violation', message, count: focusNodes.length, focusNodes }]
  }

  /** The resources about which statements are left out. */
  #wrongIris(): Finding[] {
    const { wrongIris, placesOfWrongIris } = this.#source
    const named = Array.from(wrongIris.keys(), (iri) => {
      const place = placesOfWrongIris.get(iri)
      return place === undefined ? `<${iri}>` : `<${iri}> (${place})`
    })
    const focusNodes = [...new Set([...wrongIris.values()].flatMap((resources) => [...resources]))]
    if (focusNodes.length === 0) return []
    const message = `statements with what is no IRI are left out: ${fewOf(named)}`
    return [{ rule: 'iri', severity: 'violation', message, count: focusNodes.length, focusNodes }]
  }

  #kindOf(predicate: string): Kind {
    let kind = this.#kinds.get(predicate)
    if (kind === undefined) {
      const plain = predicate.startsWith(DERIVED) ? predicate.slice(DERIVED.length) : predicate
      if (plain === RDF_TYPE) kind = 'type'
      else if (plain === NOTATION) kind = 'notation'
      else if (LABEL_IRIS.has(plain)) kind = 'label'
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
    const size = this.#notations.size
    const number = this.#notations.intern(isOfSystem ? object : lexical)
    if (number < size) this.#repeated.add(number)
    this.#bearers.push(number, node)
  }

  #addUnknownTerm(node: number, term: string): void {
    // The term is a view of a part of the spool, which it would keep in memory.
    if (!this.#unknownTerms.has(term)) this.#unknownTerms.add(copyOfText(term))
    this.#withUnknownTerms.add(node)
  }

  #namesOfUnknownTerms(): string {
    const names = Array.from(this.#unknownTerms, (term) => `skos:${term.slice(SKOS.length)}`)
    return fewOf(names)
  }

  #broaderThanThemselves(): Set<number> {
    const nodes = new Set<number>()
    for (const link of ['broader', 'narrower'] as const) {
      this.#source.links[link].forEach((from, to) => from === to && nodes.add(from))
    }
    return nodes
  }

  /** The resources with a label and something broader that are no concepts for want of a type. */
  #cutOff(): Set<number> {
    const { broader, narrower } = this.#source.links
    const nodes = new Set<number>()
    const note = (node: number, above: number) => {
      if (node !== above && this.#untyped.has(node)) nodes.add(node)
    }
    broader.forEach(note)
    narrower.forEach((above, node) => note(node, above))
    return nodes
  }

  /** The concepts that share a notation and a vocabulary with another concept, by their notations. */
  #withSameNotation({ schemes, subsets }: SchemesOfSource): Set<number> {
    const nodes = new Set<number>()
    if (this.#repeated.size === 0) return nodes
    const bearers = this.#bearers.bySource(this.#notations.size)
    const schemesOf = schemesOfConcepts(this.#source, schemes, subsets).bySource(this.#source.size)
    for (const notation of this.#repeated) {
      const byScheme = new Map<number, Set<number>>()
      for (const concept of bearers.of(notation)) {
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

/** The first of some names, and how many more there are. */
function fewOf(names: readonly string[]): string {
  const more = names.length - MOST_TERMS
  return names.slice(0, MOST_TERMS).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
