import type { Cause, NewChange } from './log/change.ts'
import type { GraphSummary } from './resources.ts'

/** The replacement of a graph as a whole. */
export interface Replacement {
  graph: string
  /** The URI that the graph had before. */
  before: string
  /** The UUID that the new graph has as `LOAD`; empty for the end of the graph. */
  load: string
  /** The new graph as N-Triples, in whole lines. */
  chunks: () => Iterable<Buffer>
  cause: Cause
  /** Resources that end, and the resources that take their place. */
  replacedBy?: ReadonlyMap<string, readonly string[]> | undefined
  /**
   * The proposals that the load has read; later proposals stay in the graph. Undefined: resources that the new graph
   * lacks end.
   */
  proposals?: readonly string[] | undefined
  /** Receives, once the graph is read, the share that is recorded, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
  /**
   * Receives each difference, and the lines of the resource in the new graph as they are written: predicate, object and
   * full stop.
   */
  onDifference?: ((change: NewChange, lines: readonly string[]) => void) | undefined
  /**
   * Receives, after all differences, the facts about the graph beside its resources, and what the log expects of the
   * graph in the store.
   */
  onCompared?: ((summary: GraphSummary, expected: ExpectedGraph) => void) | undefined
}

/** A graph in the store as the log knows it. */
export interface ExpectedGraph {
  /** The UUID of its last load. */
  load: string
  /** The number of its triples without bookkeeping; undefined if it is not known. */
  triples: number | undefined
}

/** The end of a graph, as a replacement. */
export function removal(graph: string): Replacement {
  return { graph, before: graph, load: '', chunks: () => [], cause: { by: 'remove' } }
}

/** A change to proposals of a graph which otherwise stays as it is. */
export interface ProposalsChange {
  graph: string
  /** The proposals that leave the graph. */
  gone: readonly string[]
  /** Statements of other resources that go, by resource. */
  removed: ReadonlyMap<string, readonly string[]>
  cause: Cause
  /** The UUID that the graph has as `LOAD` afterwards. */
  load: string
}
