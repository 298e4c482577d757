import {
  ACCEPTED,
  CHOSEN_ORDER,
  CONCEPT_SCHEME,
  DCT,
  GRAPH_FORMAT,
  ID,
  INPUTS,
  ISOTHES,
  LOAD,
  NOTATION,
  RDF_TYPE,
  REVISION,
  SKOS,
  TRIPLES,
  UNDER_DEVELOPMENT,
  type KindOfLink,
} from '../../base/namespaces.ts'
import type { ImpliedChange } from '../source/links.ts'
import type { TermChange } from '../source/literals.ts'
import type { Description, SourceGraph, SubjectStatement } from '../source/source-graph.ts'
import { Hierarchy } from '../source/hierarchy.ts'
import { derivePlainLabels, languageOfLabel, normaliseLabels, type LabelChange } from '../source/labels.ts'
import { namesFromTitles, namesScheme } from '../source/scheme.ts'
import { Spool } from '../../base/files/spool.ts'
import type { ChosenOrder } from '../../graph/jskos/order.ts'
import { writeInteger, writeString } from '../../graph/sparql/statements.ts'
import { newLoadId, vocabulariesNamed, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { isProposal } from '../../graph/vocabularies/proposals.ts'
import { OWN_GRAPH_FORMAT } from '../../graph/vocabularies/graph-format.ts'
import { DerivedFacts, type FactChange } from './derived-facts.ts'

/** The kinds of changes that normalising counts. */
export type NormalisingChange =
  | TermChange
  | LabelChange
  | ImpliedChange
  | FactChange
  | `skos:${'broader' | 'narrower' | 'inScheme' | 'topConceptOf' | 'hasTopConcept'} added`
  | `isothes:${KindOfLink} added`
  | 'name of the scheme from its title'
  | 'name of a publisher, creator or licence from its title'
  | 'vocabulary of a subset named by its own URI'

export type Changes = Partial<Record<NormalisingChange, number>>

export interface NormaliseOptions {
  /** The scheme that names the graph, or the subset. */
  scheme: number
  ids: readonly string[]
  /** Names of the scheme from its separate record (`"text"@language`), which override others. */
  preferredNames?: ReadonlySet<string>
  /** Subsets of the vocabulary in the files; each becomes a graph of its own. */
  subsets?: readonly number[]
  /** Resources that are subsets in the store, and therefore not schemes. */
  storedSubsets?: readonly number[]
  /** Other vocabularies of the store. */
  otherSchemes?: readonly number[]
  /** Proposals that the files lack; neither the languages nor the namespace of the scheme follow from them. */
  carried?: ReadonlySet<number> | undefined
  /** The URIs of accepted proposals that stay accepted; what is true of `carried` is true of these, too. */
  accepted?: readonly string[] | undefined
  /** The order that the operator has chosen. */
  order?: ChosenOrder | undefined
  /** Called for every resource before its labels and links are normalised. */
  onDescription?: ((description: Description) => void) | undefined
}

/**
 * A vocabulary as it goes into the store, as N-Triples. Part 0 of the spool is its own graph, the others are those of
 * `subsets`.
 */
export interface NormalisedVocabulary {
  graphs: Spool
  triples: number[]
  concepts: number
  changes: Changes
  dangling: Hierarchy['dangling']
  /** The id of this load, which every graph has. */
  load: string
  /** The digest that `INPUTS` has with this id; undefined: the load stores none. */
  inputs?: string | undefined
}

/**
 * Normalises a vocabulary (docs/loading.md, "Loading") from one spool into another; only one part is in memory at a
 * time. Normalising the result again changes nothing.
 */
export function normaliseVocabulary(source: SourceGraph, options: NormaliseOptions): NormalisedVocabulary {
  derivePlainLabels(source)
  const { scheme, ids, preferredNames, subsets = [], storedSubsets = [], otherSchemes } = options
  const { carried = new Set(), accepted = [], onDescription } = options
  const output = new Output(source, subsets)
  const hierarchy = new Hierarchy(source, [scheme], new Set([...subsets, ...storedSubsets]), new Set(otherSchemes))
  const partOfSubset = subsetParts(source, subsets)
  const staysAccepted = new Set(accepted.flatMap((uri) => source.find(uri) ?? []))
  // The files may have proposals, too: as exports of the service, or when it normalises its own graph.
  const isProposed = (concept: number) =>
    carried.has(concept) ||
    staysAccepted.has(concept) ||
    (source.isUnderDevelopment(concept) && isProposal(source.iri(concept), [UNDER_DEVELOPMENT], [source.iri(scheme)]))
  const facts = new DerivedFacts(source, scheme, hierarchy, isProposed)
  const isName = (iri: string) => namesScheme(source, iri, scheme)
  const load = newLoadId()
  let concepts = 0

  for (const description of source.descriptions()) {
    onDescription?.(description)
    const { node } = description
    if (source.isConcept(node)) concepts++
    const count = (change: NormalisingChange) => output.count(change)
    const described = subsets.includes(node)
      ? partOfVocabulary(description.statements, source.iri(scheme), isName, count)
      : description.statements
    const statements = normaliseLabels(described, count, node === scheme ? preferredNames : undefined)
    facts.add(description, statements)
    const subject = output.subject(node, partOfSubset.get(node) ?? 0)
    for (const { predicate, object, graph } of statements) {
      if (graph === undefined || !subsets.includes(graph)) subject.add(predicate, object)
      else output.write(node, 1 + subsets.indexOf(graph), predicate, object)
    }
    for (const [predicate, other] of hierarchy.linksOf(node)) {
      if (subject.add(predicate, source.name(other))) count(`${prefixed(predicate)} added` as NormalisingChange)
    }
    if (node === scheme) {
      addNames(subject, statements, () => count('name of the scheme from its title'))
      addSchemeFacts(subject, ids, load)
    } else if (source.isShownByName(node)) {
      addNames(subject, statements, () => count('name of a publisher, creator or licence from its title'))
    }
    subject.end()
  }
  const subject = output.subject(scheme, 0)
  for (const { predicate, object, change } of facts.statements()) {
    subject.add(predicate, object)
    if (change) output.count(change)
  }
  if (options.order !== undefined) subject.add(CHOSEN_ORDER, writeString(options.order))
  for (const uri of accepted) subject.add(ACCEPTED, `<${uri}>`)
  subject.end()
  addMembersBySchemeLinks(source, subsets, load, output)
  for (const [change, times] of source.changes) output.count(change, times)
  const { graphs, triples, changes } = output
  return { graphs, triples, concepts, changes, dangling: hierarchy.dangling, load }
}

/** A property of SKOS or ISO 25964 with its prefix. */
function prefixed(property: string): string {
  return property.startsWith(ISOTHES)
    ? `isothes:${property.slice(ISOTHES.length)}`
    : `skos:${property.slice(SKOS.length)}`
}

/** Adds the number of its triples to the graph of a vocabulary. Before that, concepts may still be added. */
export function addTotals(normalised: NormalisedVocabulary, scheme: string): void {
  const lines = totalsOf(normalised, scheme)
  for (const line of lines) normalised.graphs.append(0, line)
  normalised.triples[0]! += lines.length
}

/** The statements that `addTotals` adds, as lines of N-Triples. */
export function totalsOf({ triples, load, inputs }: NormalisedVocabulary, scheme: string): string[] {
  const lines: string[] = []
  if (inputs !== undefined) lines.push(`<${scheme}> <${INPUTS}> ${writeString(`${load} ${inputs}`)} .\n`)
  // This statement counts, too.
  lines.push(`<${scheme}> <${TRIPLES}> ${writeInteger(triples[0]! + lines.length + 1)} .\n`)
  return lines
}

/**
 * Normalises a subset from a separate file: its resource, and its notes about members. It normalises labels, and
 * replaces the URI of the vocabulary if the file has it in another form.
 */
export function normaliseSubset(
  source: SourceGraph,
  subset: number,
  whole: Pick<Vocabulary, 'uri' | 'identifiers'>,
  onDescription?: (description: Description) => void,
): NormalisedVocabulary {
  derivePlainLabels(source)
  const vocabulary = whole.uri
  const isName = (iri: string) => vocabulariesNamed([whole], [iri]).length > 0
  const output = new Output(source, [])
  const load = newLoadId()
  for (const description of source.descriptions()) {
    onDescription?.(description)
    const { node } = description
    const subject = output.subject(node, 0)
    const count = (change: NormalisingChange) => output.count(change)
    const described =
      node === subset ? partOfVocabulary(description.statements, vocabulary, isName, count) : description.statements
    for (const { predicate, object } of normaliseLabels(described, count)) subject.add(predicate, object)
    if (node === subset) {
      subject.add(PART_OF, `<${vocabulary}>`)
      addRevision(subject, load)
    }
    subject.end()
  }
  for (const [change, times] of source.changes) output.count(change, times)
  const dangling = { broader: 0, narrower: 0, related: 0 }
  return {
    graphs: output.graphs,
    triples: output.triples,
    concepts: source.concepts,
    changes: output.changes,
    dangling,
    load,
  }
}

const PART_OF = `${DCT}isPartOf`

/**
 * The statements about a subset, with the URI of its vocabulary as the vocabulary itself has it: it is the name of a
 * graph.
 *
 * @param isName true for an IRI that names the vocabulary.
 */
function partOfVocabulary(
  statements: SubjectStatement[],
  vocabulary: string,
  isName: (iri: string) => boolean,
  count: (change: NormalisingChange) => void,
): SubjectStatement[] {
  return statements.map((statement) => {
    const { predicate, object } = statement
    if (predicate !== PART_OF || object === `<${vocabulary}>` || !isName(object.slice(1, -1))) return statement
    count('vocabulary of a subset named by its own URI')
    return { ...statement, object: `<${vocabulary}>` }
  })
}

/** Gives a resource without a prefLabel its titles as names. */
function addNames(subject: SubjectOutput, statements: SubjectStatement[], count: () => void): void {
  if (statements.some(({ predicate, object }) => predicate === `${SKOS}prefLabel` && languageOfLabel(object))) return
  const names = namesFromTitles(statements).map((object) => ({ predicate: `${SKOS}prefLabel`, object }))
  for (const { predicate, object } of normaliseLabels(names, () => {})) if (subject.add(predicate, object)) count()
}

function addSchemeFacts(subject: SubjectOutput, ids: readonly string[], load: string): void {
  subject.add(RDF_TYPE, `<${CONCEPT_SCHEME}>`)
  for (const id of ids) {
    subject.add(NOTATION, writeString(id))
    subject.add(ID, writeString(id))
  }
  addRevision(subject, load)
}

/** The first revision of a graph is that of its load. */
function addRevision(subject: SubjectOutput, load: string): void {
  subject.add(REVISION, writeString(load))
  subject.add(GRAPH_FORMAT, writeString(OWN_GRAPH_FORMAT))
  subject.add(LOAD, writeString(load))
}

/** The part of each resource: a subset goes into its own graph, with the blank nodes of its description. */
function subsetParts(source: SourceGraph, subsets: readonly number[]): Map<number, number> {
  const partOfNode = new Map<number, number>()
  for (const [at, subset] of subsets.entries()) {
    const open = [subset]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (partOfNode.has(node)) continue
      partOfNode.set(node, 1 + at)
      for (const { object } of source.describe(node).statements) {
        const blank = source.blankNode(object)
        if (blank !== undefined) open.push(blank)
      }
    }
  }
  return partOfNode
}

/** The members of a subset that is written as a scheme: the concepts with it as inScheme. */
export function membersByScheme({ links, size }: SourceGraph, subset: number): Set<number> {
  return new Set([
    ...links.inScheme.byTarget(size).of(subset),
    ...links.topConceptOf.byTarget(size).of(subset),
    ...links.hasTopConcept.bySource(size).of(subset),
  ])
}

/** Adds these members as skos:member. */
function addMembersBySchemeLinks(source: SourceGraph, subsets: readonly number[], load: string, output: Output): void {
  for (const [at, subset] of subsets.entries()) {
    const subject = output.subject(subset, 1 + at)
    for (const member of membersByScheme(source, subset)) subject.add(`${SKOS}member`, source.name(member))
    addRevision(subject, load)
    subject.end()
  }
}

/** Collects N-Triples by graph. */
class Output {
  readonly graphs = new Spool()
  readonly triples: number[]
  readonly changes: Changes = {}

  constructor(
    private readonly source: SourceGraph,
    subsets: readonly number[],
  ) {
    this.triples = Array.from({ length: 1 + subsets.length }, () => 0)
  }

  count(change: NormalisingChange, times = 1): void {
    this.changes[change] = (this.changes[change] ?? 0) + times
  }

  write(node: number, part: number, predicate: string, object: string): void {
    const subject = this.subject(node, part)
    subject.add(predicate, object)
    subject.end()
  }

  subject(node: number, part: number): SubjectOutput {
    return new SubjectOutput(this.source.name(node), (text, triples) => {
      this.graphs.append(part, text)
      this.triples[part]! += triples
    })
  }
}

/** From this number of triples on, a set finds duplicates faster than a scan. */
const MANY = 16

/** Collects the triples of one subject, without duplicates. */
class SubjectOutput {
  readonly #predicates: string[] = []
  readonly #objects: string[] = []
  #triples: Set<string> | undefined

  constructor(
    private readonly name: string,
    private readonly write: (text: string, triples: number) => void,
  ) {}

  /** True if the triple is new. */
  add(predicate: string, object: string): boolean {
    if (this.#has(predicate, object)) return false
    this.#predicates.push(predicate)
    this.#objects.push(object)
    this.#triples?.add(`${predicate} ${object}`)
    return true
  }

  end(): void {
    if (this.#objects.length === 0) return
    let text = ''
    for (const [at, object] of this.#objects.entries()) text += `${this.name} <${this.#predicates[at]}> ${object} .\n`
    this.write(text, this.#objects.length)
  }

  #has(predicate: string, object: string): boolean {
    if (this.#objects.length >= MANY) {
      this.#triples ??= new Set(this.#objects.map((object, at) => `${this.#predicates[at]} ${object}`))
      return this.#triples.has(`${predicate} ${object}`)
    }
    for (let at = 0; at < this.#objects.length; at++) {
      if (this.#objects[at] === object && this.#predicates[at] === predicate) return true
    }
    return false
  }
}
