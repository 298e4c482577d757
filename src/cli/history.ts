import { Command } from 'commander'
import { InputError } from '../files/input-error.ts'
import { isDay } from '../jskos/date.ts'
import type { CliContext } from './context.ts'

/** `vocab history`: the log of changes (docs/interface.md, "History"). */
export function historyCommand({ history, write }: CliContext): Command {
  const command = new Command('history').description('maintain the log of changes')
  command
    .command('prune')
    .description('forget changes before a date; the state of that day stays known')
    .requiredOption('--before <date>', 'YYYY-MM-DD', readDate)
    .option('--json', 'print JSON')
    .action(async ({ before, json }: { before: string; json?: boolean }) => {
      const opened = await history()
      if (!opened) throw new InputError('the history is switched off (HISTORY=off).')
      const pruned = await opened.log.prune(before)
      write(json ? `${JSON.stringify({ pruned })}\n` : `forgotten: ${pruned} changes before ${before}\n`)
    })
  return command
}

function readDate(text: string): string {
  if (isDay(text)) return text
  throw new InputError(`--before: expected a date as YYYY-MM-DD, found "${text}".`)
}
