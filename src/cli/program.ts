import { Command, CommanderError } from 'commander'
import { accountCommand } from './account.ts'
import { checkCommand } from './check.ts'
import type { CliContext } from './context.ts'
import { exportCommand } from './export.ts'
import { formatsCommand } from './formats.ts'
import { listCommand } from './list.ts'
import { loadCommand } from './load.ts'
import { normaliseCommand } from './normalise.ts'
import { removeCommand } from './remove.ts'
import { subsetCommand } from './subset.ts'

/** The commands of `npm run vocab`: one file each. */
function program(context: CliContext): Command {
  return new Command('vocab')
    .description('loads and maintains the vocabularies of the service; it takes the same environment variables')
    .addCommand(loadCommand(context))
    .addCommand(listCommand(context))
    .addCommand(removeCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(normaliseCommand(context))
    .addCommand(subsetCommand(context))
    .addCommand(accountCommand(context))
    .addCommand(formatsCommand(context))
}

/** Lets mistakes in the command line come back as errors, to be told in one line like all others. */
function throwMistakes(command: Command): Command {
  command.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} })
  command.commands.forEach(throwMistakes)
  return command
}

/**
 * Runs one command.
 *
 * @param args the words of the command line
 * @throws Error with a message for the operator, `lineOf` puts it into one line
 */
export async function runVocab(args: readonly string[], context: CliContext): Promise<void> {
  try {
    await throwMistakes(program(context)).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    // What commander throws where a command was left out, after the help.
    if (error.code === 'commander.help') throw new Error('expected a command; --help shows them.', { cause: error })
    throw new Error(error.message.replace(/^error: /, ''), { cause: error })
  }
}

/** What the operator is told about an error. */
export function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `error: ${message.replace(/\s*\n\s*/g, ' ')}\n`
}
