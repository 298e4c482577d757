import { Command } from 'commander'
import { backup } from '../../writing/commands/backup.ts'
import type { CliContext } from './context.ts'

/** `vocab backup`: everything in one file, while the service runs. */
export function backupCommand({ client, config, print, warn }: CliContext): Command {
  return new Command('backup')
    .argument('<file>', 'for instance backup.tar.gz; - for standard output')
    .option('--json', 'print a list of the contents of the file')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const isStream = file === '-'
      const contents = await backup(await client(), config, isStream ? { stream: process.stdout } : { file })
      const text = `saved ${contents.graphs.length} graphs and ${contents.files.length} files.`
      if (isStream) warn(`${json ? JSON.stringify(contents) : text}\n`)
      else print(json, contents, text)
    })
}
