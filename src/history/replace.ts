import type { History, Replacement } from './history.ts'

/**
 * Replaces a graph, and records the differences if there is a history.
 *
 * @param put replaces it in the store.
 */
export async function replaceGraph(
  history: History | undefined,
  replacement: Replacement,
  put: () => Promise<void>,
): Promise<void> {
  if (history) await history.replace(replacement, put)
  else await put()
}
