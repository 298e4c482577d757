import { Command } from 'commander'
import { splitFile } from '../../writing/loading/split.ts'
import type { CliContext } from './context.ts'
import { describeChanges } from './load.ts'
import { showProgress } from './progress.ts'

/** `vocab split`: a file for each concept scheme of a file (docs/commands.md, "Commands"). Loads nothing. */
export function splitCommand({ files: readable, write, print }: CliContext): Command {
  return new Command('split')
    .argument('<file>', 'a file as for load; - is standard input')
    .option('--output <folder>', 'the folder of the new files; no file is replaced', '.')
    .option('--json', 'print JSON')
    .action(async (given: string, { output, json }: { output: string; json?: boolean }) => {
      const [file] = await readable([given])
      const progress = showProgress(json ? undefined : write)
      const report = await splitFile(file!, output, progress.show).finally(progress.end)
      const lines = [
        ...report.schemes.map(({ uri, file, concepts }) => `wrote ${file}: ${concepts} concepts of ${uri}`),
        ...describeChanges(report.changes),
      ]
      print(json, report, lines)
    })
}
