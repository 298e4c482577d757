import { Command } from 'commander'
import { countMappings, loadMappings, removeMappings } from '../mappings/load.ts'
import { MAPPINGS_GRAPH } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { readGraphs } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'

/** `vocab mappings`: loaded mappings (docs/mappings.md). */
export function mappingsCommand({
  client,
  writingClient,
  history,
  index,
  files: readable,
  print,
  warn,
}: CliContext): Command {
  const command = new Command('mappings')

  command
    .command('load')
    .argument(
      '<file...>',
      'JSKOS mappings (an object, an array, or NDJSON), RDF, SSSOM/TSV or CSV; also .gz; - is standard input',
    )
    .description(
      'load mappings, which replace those of the concordance, or those without one; after an error nothing has changed',
    )
    .option('--concordance <id>', 'notation or URI of the concordance that they belong to; default: none')
    .option('--strict', 'refuse files with notations that vocabularies of this service lack')
    .option('--json', 'print JSON')
    .action(async (given: string[], options: { concordance?: string; strict?: boolean; json?: boolean }) => {
      const files = await readable(given)
      const store = await writingClient()
      const writing = { history: await history(), index: index() }
      const report = await loadMappings(store, files, options.concordance, writing, {
        isStrict: options.strict,
      })
      if (options.json) return print(true, report, [])
      for (const warning of report.warnings) warn(`Warning: ${warning}. The row is left out.\n`)
      const unnamed = report.leftOut - report.warnings.length
      if (unnamed > 0) warn(`Warning: ${unnamed} more rows are left out.\n`)
      for (const name of report.ignoredColumns) {
        warn(`Warning: the ${isAbsoluteIri(name) ? 'property' : 'column'} ${name} is not kept.\n`)
      }
      for (const scheme of report.unknownSchemes) warn(`Warning: the vocabulary ${scheme} is not here.\n`)
      const owner = report.concordance === undefined ? 'without a concordance' : `of ${report.concordance}`
      const before = report.replaced === 0 ? '' : `, in place of ${report.replaced}`
      print(false, report, `loaded ${report.mappings} mappings ${owner}${before}.`)
    })

  command
    .command('list')
    .description('show how many mappings are loaded, by concordance')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const store = await client()
      const { concordances } = await readGraphs(store)
      const numbers = await countMappings(store)
      const rows = concordances.map(({ uri }) => ({
        concordance: uri === MAPPINGS_GRAPH ? null : uri,
        mappings: numbers.get(uri) ?? 0,
      }))
      const lines = rows.map(({ concordance, mappings }) => `${concordance ?? 'none'}\t${mappings}`)
      print(options.json, rows, lines.length > 0 ? lines : 'There are no loaded mappings.')
    })

  command
    .command('remove')
    .argument(
      '[id...]',
      'notations or URIs of concordances, URIs of mappings, or none for the mappings without a concordance',
    )
    .description('remove the mappings of concordances, or single ones; the records of concordances stay')
    .option('--all', 'remove all loaded mappings')
    .option('--json', 'print JSON')
    .action(async (ids: string[], options: { all?: boolean; json?: boolean }) => {
      if (options.all === true ? ids.length > 0 : ids.length === 0) throw new Error('expected ids, or --all.')
      const store = await writingClient()
      const writing = { history: await history(), index: index() }
      const removed = await removeMappings(store, options.all ? undefined : ids, writing)
      print(
        options.json,
        { removed },
        removed.map((uri) => `${uri}: removed.`),
      )
    })
  return command
}
