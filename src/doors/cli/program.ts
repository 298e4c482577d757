import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { softwareVersion } from '../../base/root.ts'
import type { CliContext } from './context.ts'

/** The commands of `npm run vocab`, one file each, in the order of the help, which needs none of the files. */
const COMMANDS: Record<string, [description: string, load: () => Promise<(context: CliContext) => Command>]> = {
  load: ['load a vocabulary, or replace it as a whole', async () => (await import('./load.ts')).loadCommand],
  list: [
    'show all vocabularies and subsets: ids, URI, number of concepts, name',
    async () => (await import('./list.ts')).listCommand,
  ],
  remove: [
    'remove a vocabulary with its subsets, or one subset',
    async () => (await import('./remove.ts')).removeCommand,
  ],
  export: [
    'write a vocabulary or a subset to standard output',
    async () => (await import('./export.ts')).exportCommand,
  ],
  check: [
    'check files against the rules of docs/checks.md; nothing is loaded',
    async () => (await import('./check.ts')).checkCommand,
  ],
  split: [
    'write a file for each concept scheme of a file, for vocab load; nothing is loaded',
    async () => (await import('./split.ts')).splitCommand,
  ],
  template: [
    'write an empty workbook for a vocabulary, to fill in and load',
    async () => (await import('./template.ts')).templateCommand,
  ],
  normalise: [
    'apply the rules of loading to a vocabulary that another program wrote into the store',
    async () => (await import('./normalise.ts')).normaliseCommand,
  ],
  proposals: [
    'show proposed concepts: label, account, date, URI',
    async () => (await import('./proposals.ts')).proposalsCommand,
  ],
  subset: ['make and remove subsets of a vocabulary', async () => (await import('./subset.ts')).subsetCommand],
  backup: [
    'save all graphs, accounts, history and mails in one file, while the service runs',
    async () => (await import('./backup.ts')).backupCommand,
  ],
  restore: [
    'restore the store and the data folder from a backup; the service must not run',
    async () => (await import('./restore.ts')).restoreCommand,
  ],
  store: [
    'show or change the store that the data folder belongs to',
    async () => (await import('./store.ts')).storeCommand,
  ],
  account: [
    'make, list and remove the accounts that may ingest',
    async () => (await import('./account.ts')).accountCommand,
  ],
  mails: [
    'list, retry and remove mails about ingests that were set aside',
    async () => (await import('./mails.ts')).mailsCommand,
  ],
  formats: ['load, list and remove records of data formats', async () => (await import('./formats.ts')).formatsCommand],
  mappings: [
    'load, list and remove mappings between vocabularies',
    async () => (await import('./mappings.ts')).mappingsCommand,
  ],
  concordances: [
    'load, list and remove concordances',
    async () => (await import('./concordances.ts')).concordancesCommand,
  ],
  mcp: [
    'answer an assistant over standard input and output (Model Context Protocol)',
    async () => (await import('./mcp.ts')).mcpCommand,
  ],
  replicate: [
    'copy changed vocabularies to a replica, and remove deleted ones',
    async () => (await import('./replicate.ts')).replicateCommand,
  ],
}

/** The command of the installed package. */
const PACKAGED = 'vocabulary-service'
const isPackaged = [PACKAGED, 'bin.js'].includes(basename(process.argv[1] ?? ''))

/**
 * The program whose command is `name`. The other commands are only names for the help, because loading the modules of
 * all takes longer than most commands.
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
  for (const [each, [description, load]] of Object.entries(COMMANDS)) {
    const command = each === name ? (await load())(context) : new Command(each)
    vocab.addCommand(command.description(description))
  }
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
    const name = args.find((word) => word !== 'help' && !word.startsWith('-'))
    await throwMistakes(await program(context, name), context.write).parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    // Commander throws this after the help if the command is missing.
    if (error.code === 'commander.help') throw new Error('expected a command; --help shows them.', { cause: error })
    throw new Error(error.message.replace(/^error: /, ''), { cause: error })
  }
}
