import type { History } from './history.ts'
import type { Replacement } from './replacement.ts'

/**
 * Replaces or removes graphs, and records the differences if there is a history.
 *
 * @param write does it in the store.
 * @throws the errors of the log and of the store before `write`, and the errors of `write`; after these, the log has
 *   only changes that reached the store. Nothing fails after `write`: the next command or start records what could not
 *   be recorded.
 */
export async function replaceGraphs(
  history: Pick<History, 'prepare'> | undefined,
  replacements: readonly Replacement[],
  write: () => Promise<void>,
): Promise<void> {
  const commit = await history?.prepare(replacements)
  await write()
  await commit?.()
}
