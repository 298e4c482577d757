import type { History, Replacement } from './history.ts'

/**
 * Replaces a graph; with a history the differences are noted.
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
