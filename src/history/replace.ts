import type { History, Replacement } from './history.ts'

/**
 * Replaces a graph, and records the differences if there is a history.
 *
 * @param put replaces it in the store.
 */
export async function replaceGraph(
  history: Pick<History, 'replace'> | undefined,
  replacement: Replacement,
  put: () => Promise<void>,
): Promise<void> {
  if (history) await history.replace(replacement, put)
  else await put()
}

/**
 * Removes graphs, and records the end of their resources if there is a history.
 *
 * @param remove removes them from the store.
 */
export async function removeGraphs(
  history: Pick<History, 'remove'> | undefined,
  graphs: readonly string[],
  remove: () => Promise<void>,
): Promise<void> {
  if (history) await history.remove(graphs, remove)
  else await remove()
}
