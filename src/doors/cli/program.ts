import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { softwareVersion } from '../../base/root.ts'
import type { CliContext } from './context.ts'

/** The commands of `npm run vocab`, one file each, in the order of the help. */
const COMMANDS: Record<string, () => Promise<(context: CliContext) => Command>> = {
  load: async () => (await import('./load.ts')).loadCommand,
  list: async () => (await import('./list.ts')).listCommand,
  remove: async () => (await import('./remove.ts')).removeCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  split: async () => (await import('./split.ts')).splitCommand,
  template: async () => (await import('./template.ts')).templateCommand,
  normalise: async () => (await import('./normalise.ts')).normaliseCommand,
  proposals: async () => (await import('./proposals.ts')).proposalsCommand,
  subset: async () => (await import('./subset.ts')).subsetCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  store: async () => (await import('./store.ts')).storeCommand,
  account: async () => (await import('./account.ts')).accountCommand,
  mails: async () => (await import('./mails.ts')).mailsCommand,
  formats: async () => (await import('./formats.ts')).formatsCommand,
  mappings: async () => (await import('./mappings.ts')).mappingsCommand,
  concordances: async () => (await import('./concordances.ts')).concordancesCommand,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
  replicate: async () => (await import('./replicate.ts')).replicateCommand,
}

/** The command of the installed package. */
const PACKAGED = 'vocabulary-service'
const isPackaged = [PACKAGED, 'bin.js'].includes(basename(process.argv[1] ?? ''))

/**
 * The program with one command, because loading the modules of all takes longer than most commands; with all if `name`
 * is unknown.
 */
async function program(context: CliContext, name: string | undefined): Promise<Command> {
  const vocab = new Command(isPackaged ? PACKAGED : 'vocab')
    .description(
      isPackaged
        ? 'serves vocabularies if there is no command, otherwise loads and maintains them; docs/settings.md has the environment variables'
        : 'loads and maintains the vocabularies of the service, with its environment variables',
    )
    .version(softwareVersion())
    // Options after the name of a command are its own.
    .enablePositionalOptions()
  const chosen = name !== undefined && Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!] : Object.values(COMMANDS)
  for (const load of chosen) vocab.addCommand((await load())(context))
  return vocab
}

/**
 * Turns mistakes in the command line into errors, so that they take one line like all others; `write` takes the help.
 */
function throwMistakes(command: Command, write: CliContext['write']): Command {
  command.exitOverride().configureOutput({ writeOut: write, writeErr: () => {}, outputError: () => {} })
  for (const each of command.commands) throwMistakes(each, write)
  return command
}

/**
 * Runs one command.
 *
 * @param args the words of the command line
 * @throws Error with a message for the operator; `lineOf` puts it into one line.
 */
export async function runVocab(args: readonly string[], context: CliContext): Promise<void> {
  try {
    await throwMistakes(await program(context, args[0]), context.write).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    // Commander throws this after the help if the command is missing.
    if (error.code === 'commander.help') throw new Error('expected a command; --help shows them.', { cause: error })
    throw new Error(error.message.replace(/^error: /, ''), { cause: error })
  }
}
