import { Command } from 'commander'
import { concordanceId, concordanceRecords } from '../mappings/concordance.ts'
import { loadConcordances } from '../mappings/load-concordances.ts'
import { countMappings, removeConcordance } from '../mappings/load.ts'
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
  warn,
}: CliContext): Command {
  const command = new Command('concordances')

  command
    .command('load')
    .argument(
      '<file...>',
      'JSKOS concordances (an object, an array, or NDJSON), or correspondences of XKOS in RDF; also .gz; - is standard input',
    )
    .description(
      'load concordances: records of JSKOS, whose mappings stay, and correspondences of XKOS, whose associations replace these',
    )
    .option('--json', 'print JSON')
    .action(async (given: string[], options: { json?: boolean }) => {
      const files = await readable(given)
      const report = await loadConcordances(await writingClient(), files, { history: await history(), index: index() })
      if (options.json) return print(true, { ...report, loaded: report.loaded.map(({ uri }) => uri) }, [])
      for (const warning of report.warnings) warn(`Warning: ${warning}. They are left out.\n`)
      for (const property of report.ignoredProperties) warn(`Warning: the property ${property} is not kept.\n`)
      for (const scheme of report.unknownSchemes) warn(`Warning: the vocabulary ${scheme} is not here.\n`)
      const lines = report.loaded.map(({ uri, mappings }) =>
        mappings === undefined ? `${uri} is loaded.` : `${uri} is loaded with ${mappings} mappings.`,
      )
      print(false, report, lines)
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
