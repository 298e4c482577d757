import type { NewChange } from '../history/log/change.ts'
import { digestOf, NOTHING } from '../history/log/digest.ts'
import { toNTriples } from '../history/resources.ts'
import { XSD } from '../../base/namespaces.ts'
import { readNTriples, type ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { queryTemplate, type BoundTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal, TermError, triple, type SparqlTerm } from '../../graph/sparql/terms.ts'

/** The maximum number of statements in one update. */
const MOST_STATEMENTS = 100_000

/**
 * The types of XML Schema of whose literals the log has the form that the store has. Of others, such as numbers, the
 * log has one form for each value, and the store may have another one.
 */
const EXACT_TYPES = new Set(['anyURI', 'boolean', 'date', 'dateTime', 'gYear', 'gYearMonth'].map((name) => XSD + name))

const isExact = (datatype: string) => !datatype.startsWith(XSD) || EXACT_TYPES.has(datatype)

/** Collects the differences that a load makes to a graph, for one update instead of the whole graph. */
export class DifferenceUpdate {
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
   * The update, which changes nothing unless the last load of the graph is the one that the differences were made from.
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
