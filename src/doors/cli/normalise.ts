import { Command } from 'commander'
import { normaliseStored } from '../../writing/loading/load-vocabulary.ts'
import type { CliContext } from './context.ts'
import { describeChanges } from './load.ts'

/** `vocab normalise`: applies the rules of loading to a vocabulary that another program wrote into the store. */
export function normaliseCommand({ writingClient, history, index, print }: CliContext): Command {
  return new Command('normalise')
    .argument('<id>', 'id or URI')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const report = await normaliseStored(await writingClient(), id, await history(), index())
      const lines = [`normalised ${report.uri}: ${report.concepts} concepts`, ...describeChanges(report.changes)]
      print(json, report, lines)
    })
}
