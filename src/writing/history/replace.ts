import type { History } from './history.ts'
import type { Replacement } from './replacement.ts'

/**
 * Replaces or removes graphs, and records the differences if there is a history.
 *
 * @param write does it in the store.
 */
export async function replaceGraphs(
  history: Pick<History, 'replace'> | undefined,
  replacements: readonly Replacement[],
  write: () => Promise<void>,
): Promise<void> {
  if (history) await history.replace(replacements, write)
  else await write()
}
