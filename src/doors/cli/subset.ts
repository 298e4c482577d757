import { Command } from 'commander'
import { addSubset } from '../../writing/loading/subsets.ts'
import { removeSubset } from '../../writing/commands/remove.ts'
import type { CliContext } from './context.ts'
import { inJson } from './list.ts'
import { describeChanges } from './load.ts'

interface AddOptions {
  id: string
  of: string
  branch?: string
  members?: string
  record?: string
  json?: boolean
}

/** `vocab subset`: makes and removes subsets (docs/specification.md, "Vocabularies and subsets"). */
export function subsetCommand({ writingClient, history, index, print }: CliContext): Command {
  const command = new Command('subset')
  command
    .command('add')
    .description('make a subset, or replace it as a whole')
    .requiredOption('--id <notation>', 'its notation: subset_ and then a-z, 0-9 and the minus sign')
    .requiredOption('--of <id>', 'id or URI of the vocabulary')
    .option('--branch <uri>', 'the members are this concept and all below it')
    .option('--members <file>', 'the members: a file with one URI a line')
    .option('--record <file>', 'names and notes of the subset, also about members; RDF or JSKOS')
    .option('--json', 'print JSON')
    .action(async ({ json, ...options }: AddOptions) => {
      const report = await addSubset(await writingClient(), options, await history(), index())
      const line = `subset ${report.uri} as ${report.id}: ${report.members} members`
      print(json, report, options.record === undefined ? line : [line, ...describeChanges(report.changes)])
    })
  command
    .command('remove')
    .description('remove a subset; the vocabulary stays as it is')
    .argument('<id>', 'notation or URI of the subset')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const removed = await removeSubset(await writingClient(), id, await history(), index())
      print(json, inJson(removed), `removed ${removed.uri}`)
    })
  return command
}
