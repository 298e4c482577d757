import { Command } from 'commander'
import { normaliseStored } from '../loading/load-vocabulary.ts'
import type { CliContext } from './context.ts'
import { describeChanges } from './load.ts'

/** `vocab normalise`: the rules of loading again, for a vocabulary that others have written into the store. */
export function normaliseCommand({ client, write }: CliContext): Command {
  return new Command('normalise')
    .description('apply the rules of loading to a vocabulary that was written into the store by other means')
    .argument('<id>', 'id or URI')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const report = await normaliseStored(await client(), id)
      const lines = [`normalised ${report.uri}: ${report.concepts} concepts`, ...describeChanges(report.changes)]
      write(json ? `${JSON.stringify(report)}\n` : `${lines.join('\n')}\n`)
    })
}
