import type { GraphFile, GraphName } from './files.ts'
import type { Change } from './journal.ts'
import { updateScope } from './sparql-text.ts'

/** Whether a change may read or write a graph. */
export function mayTouch(change: Change, graph: GraphName): boolean {
  switch (change.type) {
    case 'update': {
      const { graphs } = updateScope(change.update)
      return graph === null || !graphs || graphs.includes(graph)
    }
    case 'delete':
      return change.graph === graph
    default:
      return change.source.graph === graph
  }
}

/**
 * The files that need not be loaded, because a later change replaces their graph before anything has touched it.
 *
 * @param sources the graphs before the changes
 * @param replaced a graph that is replaced after the last change
 * @returns names of files
 */
export function supersededFiles(
  sources: readonly GraphFile[],
  changes: readonly Change[],
  replaced?: { graph: GraphName },
): Set<string> {
  const superseded = new Set<string>()
  const overwritten = new Set<GraphName>(replaced ? [replaced.graph] : [])
  for (const change of changes.toReversed()) {
    if (change.type === 'update') {
      for (const graph of overwritten) if (mayTouch(change, graph)) overwritten.delete(graph)
      continue
    }
    const graph = change.type === 'delete' ? change.graph : change.source.graph
    if (change.type !== 'delete' && overwritten.has(graph)) superseded.add(change.source.file)
    if (change.type !== 'add') overwritten.add(graph)
  }
  for (const { graph, file } of sources) if (overwritten.has(graph)) superseded.add(file)
  return superseded
}
