import { Command } from 'commander'
import { restore } from '../../writing/commands/restore.ts'
import type { CliContext } from './context.ts'

/** `vocab restore`: makes the store and the data folder what a backup has. */
export function restoreCommand({ clientOfRestore, config, index, files, print }: CliContext): Command {
  return new Command('restore')
    .argument('<file>', 'a file of "backup"; - for standard input')
    .option('--replace', 'remove the present contents of the store and the data folder')
    .option('--json', 'print a list of the contents of the file')
    .action(async (given: string, { replace, json }: { replace?: boolean; json?: boolean }) => {
      const [file] = await files([given])
      const contents = await restore(await clientOfRestore(), config, file!, {
        isReplacing: replace === true,
        index: index(),
      })
      const { graphs, created, version } = contents
      print(json, contents, `restored ${graphs.length} graphs of ${created} (version ${version}).`)
    })
}
