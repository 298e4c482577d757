import { Command } from 'commander'
import { listFormats } from '../formats/select.ts'
import { loadFormats, removeFormat, FormatsError, readFormatFiles } from '../formats/load.ts'
import { formatConstants } from '../formats/shapes.ts'
import type { CliContext } from './context.ts'

const EVERYTHING = { limit: Number.MAX_SAFE_INTEGER, offset: 0, limited: false }

/** `vocab formats`: the records of data formats (docs/endpoints.md, "Format records"). */
export function formatsCommand({
  config,
  client,
  writingClient,
  files: readable,
  write,
  print,
  warn,
}: CliContext): Command {
  const command = new Command('formats')

  command
    .command('load')
    .argument('<file...>', 'a JSON record, an array of records, or NDJSON; also .gz; - is standard input')
    .description('load records, which replace those with the same ids; after an error nothing has changed')
    .option('--json', 'print JSON')
    .action(async (given: string[], options: { json?: boolean }) => {
      const files = await readable(given)
      const records = await readFormatFiles(files, formatConstants(config)).catch((error: unknown) => {
        if (options.json && error instanceof FormatsError) print(true, { violations: error.violations }, [])
        throw error
      })
      const { added, replaced, unknownLinks } = await loadFormats(await writingClient(), records)
      for (const { id, path, target } of options.json ? [] : unknownLinks) {
        warn(`Warning: ${id}, ${path}: there is no record ${target}.\n`)
      }
      const text = `loaded ${added + replaced} format records, ${added} new and ${replaced} replaced.`
      print(options.json, { added, replaced, warnings: unknownLinks }, text)
    })

  command
    .command('list')
    .description('show the ids and titles of all records')
    .option('--json', 'print JSON: the records as a whole')
    .action(async (options: { json?: boolean }) => {
      const reading = { client: await client(), constants: formatConstants(config) }
      const { records } = await listFormats(reading, {}, EVERYTHING)
      let isEmpty = true
      if (options.json) write('[')
      for await (const piece of records) {
        for (const record of piece) {
          const { id, title } = record
          const text = typeof title === 'string' ? title.replace(/\s+/g, ' ') : '-'
          write(options.json ? `${isEmpty ? '' : ',\n'}${JSON.stringify(record)}` : `${id}\t${text}\n`)
          isEmpty = false
        }
      }
      if (options.json) write(']\n')
      else if (isEmpty) write('There are no records of data formats.\n')
    })

  command
    .command('remove')
    .argument('<id>', 'id of the record')
    .description('remove a record; links of other records to it stay')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      if (!(await removeFormat(await writingClient(), id))) {
        throw new FormatsError(`there is no record ${id}; "vocab formats list" shows all.`)
      }
      print(options.json, { removed: id }, `${id} is removed.`)
    })
  return command
}
