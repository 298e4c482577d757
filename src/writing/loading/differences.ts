import type { IndexDifference, NarrowerLink } from '../../graph/index/difference.ts'
import { NARROWER_KIND, statementsOf, type Statement } from '../../graph/index/statements.ts'
import { readNTriples, type ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { SKOS, XSD } from '../../base/namespaces.ts'
import type { NewChange } from '../history/log/change.ts'
import { NOTHING, digestOf } from '../history/log/digest.ts'
import type { ExpectedGraph } from '../history/replacement.ts'
import { toNTriples, type GraphSummary } from '../history/resources.ts'
import { ChangeCounter } from './compare.ts'
import type { GraphState } from './graph-state.ts'
import { queryTemplate, type BoundTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal, TermError, triple, type SparqlTerm } from '../../graph/sparql/terms.ts'

/**
 * An update of so large a part of the statements of a graph takes Fuseki two thirds of the time of the whole graph; one
 * of a tenth takes a tenth.
 */
const UPDATED_SHARE = 1 / 2

/** The differences of a load, from the history: for the report, for an update of the store, for the index. */
export class Differences {
  readonly counter = new ChangeCounter()
  readonly update: DifferenceUpdate
  readonly #resources = new Map<string, Statement[]>()
  readonly #linked: NarrowerLink[] = []
  readonly #unlinked: NarrowerLink[] = []
  /** The new graph, and what the log expects of the one in the store. Undefined without a history. */
  compared: { summary: GraphSummary; expected: ExpectedGraph } | undefined

  /** @param replaces true if the load replaces the graph anyway, so that the report alone needs the differences. */
  constructor({ replaces }: { replaces: boolean }) {
    this.update = new DifferenceUpdate(!replaces)
  }

  /** @param lines of the resource in the new graph, as they are written: predicate, object and full stop. */
  add(change: NewChange, lines: readonly string[]): void {
    this.counter.add(change)
    this.update.add(change)
    if (this.update.isPossible) this.#addToIndex(change, lines)
    else this.#forget()
  }

  /** The differences as the index takes them; of use if they are few. */
  get ofIndex(): IndexDifference {
    return { resources: this.#resources, linked: this.#linked, unlinked: this.#unlinked }
  }

  /**
   * True if they are so few that store and index take them alone, instead of the whole graph.
   *
   * @param uri of the graph.
   */
  areFew(uri: string): boolean {
    if (!this.compared) return false
    const { summary } = this.compared
    // An update can write neither loose blank nodes nor bookkeeping of single concepts.
    const isPlain = !summary.hasLooseNodes && summary.marked.every((marked) => marked === uri)
    return isPlain && this.update.isPossible && this.update.size <= summary.triples * UPDATED_SHARE
  }

  /** True if the graph in the store is as the log expects, so that these are the differences from it. */
  areThoseOf(state: GraphState | undefined): boolean {
    if (!state || !this.compared) return false
    const { load, triples = load === '' ? 0 : undefined } = this.compared.expected
    return state.load === load && state.triples === triples
  }

  #addToIndex({ uri, after, removed, added }: NewChange, lines: readonly string[]): void {
    const isGone = after.equals(NOTHING)
    const read = (statements: readonly string[]) => statementsOf(readNTriples(toNTriples({ uri, statements })))
    const [gone, come] = [read(removed), read(isGone ? [] : added)]
    const isLink = ([, kind]: Statement) => kind === NARROWER_KIND
    for (const [parent, , , child] of gone.filter(isLink)) this.#unlinked.push([parent, child])
    for (const [parent, , , child] of come.filter(isLink)) this.#linked.push([parent, child])
    if (isGone) this.#resources.set(uri, [])
    if (isGone || ![...gone, ...come].some((statement) => !isLink(statement))) return
    // A concept may have a hundred thousand narrower ones.
    const described = lines.filter((line) => !line.startsWith(NARROWER_LINK)).map((line) => `<${uri}> ${line}\n`)
    this.#resources.set(uri, statementsOf(readNTriples(described.join(''))))
  }

  #forget(): void {
    this.#resources.clear()
    this.#linked.length = 0
    this.#unlinked.length = 0
  }
}

const NARROWER_LINK = `<${SKOS}narrower>`

/** The maximum number of statements in one update. */
const MOST_STATEMENTS = 100_000

/**
 * The types of XML Schema of whose literals the log has the form that the store has. Of others, such as numbers, the
 * log has one form for each value, and the store may have another one.
 */
const EXACT_TYPES = new Set(['anyURI', 'boolean', 'date', 'dateTime', 'gYear', 'gYearMonth'].map((name) => XSD + name))

const isExact = (datatype: string) => !datatype.startsWith(XSD) || EXACT_TYPES.has(datatype)

/** Collects the differences that a load makes to a graph, for one update instead of the whole graph. */
class DifferenceUpdate {
  readonly #removed: SparqlTerm[] = []
  readonly #added: SparqlTerm[] = []
  #isPossible: boolean

  /** @param isPossible false for a load that replaces the graph in any case. */
  constructor(isPossible: boolean) {
    this.#isPossible = isPossible
  }

  /** Adds the change of a resource. */
  add({ uri, before, after, removed, added }: NewChange): void {
    if (!this.#isPossible) return
    // The statements that the end of a resource adds are not in the graph.
    const stated = after.equals(NOTHING) ? [] : added
    // The log may lack the statements of a change.
    const isWhole = digestOf([...removed, ...stated], before).equals(after)
    this.#isPossible =
      isWhole && append(this.#removed, uri, removed) && append(this.#added, uri, stated) && this.size <= MOST_STATEMENTS
    if (!this.#isPossible) this.#removed.length = this.#added.length = 0
  }

  /** False if an update cannot make the differences: they have blank nodes or numbers, or are too many. */
  get isPossible(): boolean {
    return this.#isPossible
  }

  /** Number of statements. */
  get size(): number {
    return this.#removed.length + this.#added.length
  }

  /** The number of triples by which the graph grows. */
  get growth(): number {
    return this.#added.length - this.#removed.length
  }

  /**
   * The update, which changes nothing unless the differences were made from the last load of the graph.
   *
   * @param before the UUID of that load.
   * @param marks the bookkeeping of the vocabulary from now on, as N-Triples.
   */
  update(graph: string, before: string, marks: string): BoundTemplate {
    const [name, load] = [iri(graph), literal(before)]
    return queryTemplate('load/change').bind({
      terms: {
        graph: [name],
        scheme: [name],
        before: [load],
        removed: this.#removed,
        added: this.#added,
        marks: [...triplesOf(marks, () => true)],
      },
    })
  }
}

/** Adds statements of a resource to triples. @returns false if an update cannot name one of them. */
function append(triples: SparqlTerm[], uri: string, statements: readonly string[]): boolean {
  if (statements.some((statement) => statement.startsWith('_:'))) return false
  try {
    for (const term of triplesOf(toNTriples({ uri, statements }), isExact)) triples.push(term)
    return true
  } catch (error) {
    if (error instanceof TermError) return false
    throw error
  }
}

/** @throws TermError for blank nodes and for literals of other types. */
function* triplesOf(nTriples: string, isType: (datatype: string) => boolean): Generator<SparqlTerm> {
  for (const [subject, properties] of readNTriples(nTriples)) {
    for (const [predicate, objects] of properties) {
      for (const object of objects) yield triple(iri(subject), iri(predicate), termOf(object, isType))
    }
  }
}

function termOf(
  { termType, value, language, datatype }: ObjectTerm,
  isType: (datatype: string) => boolean,
): SparqlTerm {
  if (termType === 'NamedNode') return iri(value)
  if (termType === 'BlankNode') throw new TermError('expected an IRI or a literal')
  if (!isType(datatype)) throw new TermError('expected another type')
  return literal(value, { language, datatype })
}
