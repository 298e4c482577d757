import type { IndexDifference, NarrowerLink } from '../../graph/index/difference.ts'
import { NARROWER_KIND, statementsOf, type Statement } from '../../graph/index/statements.ts'
import { readNTriples } from '../../graph/sparql/ntriples.ts'
import { SKOS } from '../../base/namespaces.ts'
import type { NewChange } from '../history/log/change.ts'
import { NOTHING } from '../history/log/digest.ts'
import type { ExpectedGraph } from '../history/replacement.ts'
import { toNTriples, type GraphSummary } from '../history/resources.ts'
import { ChangeCounter } from './compare.ts'
import { DifferenceUpdate } from './difference-update.ts'
import type { GraphState } from './graph-state.ts'

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
