import { Command } from 'commander'
import { concordanceId, concordanceRecords } from '../mappings/concordance.ts'
import { countMappings, loadConcordances, removeConcordance } from '../mappings/load.ts'
import { readGraphs } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'

/** `vocab concordances`: the records of concordances (docs/mappings.md). */
export function concordancesCommand({
  client,
  writingClient,
  history,
  index,
  files: readable,
  print,
}: CliContext): Command {
  const command = new Command('concordances').description('load, list and remove concordances')

  command
    .command('load')
    .argument('<file...>', 'JSKOS concordances: an object, an array, or NDJSON; also .gz; - is standard input')
    .description('load the records of concordances; those that are there keep their mappings')
    .option('--json', 'print JSON')
    .action(async (given: string[], options: { json?: boolean }) => {
      const files = await readable(given)
      const loaded = await loadConcordances(await writingClient(), files, { history: await history(), index: index() })
      print(
        options.json,
        { loaded },
        loaded.map((uri) => `${uri} is loaded.`),
      )
    })

  command
    .command('list')
    .description('show all concordances')
    .option('--json', 'print JSON: the records as a whole')
    .action(async (options: { json?: boolean }) => {
      const store = await client()
      const { concordances } = await readGraphs(store)
      const all = concordanceRecords(concordances)
      const numbers = options.json ? new Map<string, number>() : await countMappings(store)
      const lines = all.map((concordance) => {
        const { record, graph } = concordance
        return `${concordanceId(concordance)}\t${record.uri}\t${numbers.get(graph) ?? 0} mappings`
      })
      print(
        options.json,
        all.map(({ record }) => record),
        lines.length > 0 ? lines : 'There are no concordances.',
      )
    })

  command
    .command('remove')
    .argument('<id>', 'notation or URI of the concordance')
    .description('remove a concordance with its mappings')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const removed = await removeConcordance(await writingClient(), id, { history: await history(), index: index() })
      print(options.json, { removed }, `${removed} is removed.`)
    })
  return command
}
