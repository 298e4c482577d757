import { Command } from 'commander'
import { removeVocabulary } from '../../writing/commands/remove.ts'
import type { CliContext } from './context.ts'
import { inJson } from './list.ts'

/** `vocab remove`: removes a vocabulary with its subsets, or one subset. */
export function removeCommand({ writingClient, history, index, print }: CliContext): Command {
  return new Command('remove')
    .argument('<id>', 'id, subset notation or URI')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const removed = await removeVocabulary(await writingClient(), id, await history(), index())
      print(
        json,
        removed.map(inJson),
        removed.map(({ uri }) => `removed ${uri}`),
      )
    })
}
