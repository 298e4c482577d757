import type { IndexDifference } from '../index/difference.ts'

/** The state of a graph in the store that an index has. */
export interface IndexedState {
  /** Empty if it is not known. */
  revision: string
  /** The UUID of the last load; an ingest changes the revision alone. */
  load: string
}

/** A change of the revision of a graph. */
export interface RevisionChange {
  /** Empty if it is not known. */
  before: string
  after: string
  /** The UUID of the load that has made it; undefined: an ingest has. */
  load?: string
  /** The order of the vocabulary after it. */
  order: string
}

/** A graph that is in an index; searches do not find it before `commit`. */
export interface PendingGraph {
  /**
   * Makes searches find the graph, instead of what the index had of it.
   *
   * @param replaces further graphs that it replaces.
   * @param late concepts that came after the graph was written, as N-Triples.
   */
  commit(state: IndexedState, replaces?: readonly string[], late?: readonly string[]): Promise<void>
  /** Forgets it. */
  discard(): Promise<void>
}

/**
 * The index of labels, for code that changes graphs in the store: the index changes in the same step. No method fails:
 * an index that cannot be written is behind, and reads the graph from the store later.
 */
export interface VocabularyIndex {
  /**
   * Writes a graph into the index before the store has it.
   *
   * @param nTriples the graph.
   * @param onProgress receives, once the graph is read, the share that is written, from 0 to 1.
   */
  write(
    graph: string,
    nTriples: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    onProgress?: (share: number) => void,
  ): Promise<PendingGraph>
  /** Removes graphs that the store does not have any more. */
  remove(graphs: readonly string[]): Promise<void>
  /**
   * Makes the changes of a graph that the store has made.
   *
   * @returns false if the index does not have all of the graph then, so that it has to get the whole.
   */
  change(graph: string, difference: IndexDifference, change: RevisionChange): Promise<boolean>
}
