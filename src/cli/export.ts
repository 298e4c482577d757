import { Command, Option } from 'commander'
import { EXPORT_FORMATS, exportVocabulary, type ExportFormat } from '../vocabularies/export.ts'
import { readVocabularies, requireVocabulary } from '../vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'

/** `vocab export`: a vocabulary or a subset as the store has it, on standard output. */
export function exportCommand({ client, endpoint, config }: CliContext): Command {
  return new Command('export')
    .description('write a vocabulary or a subset to standard output')
    .argument('<id>', 'id, subset notation or URI')
    .addOption(
      new Option('--format <format>', 'ndjson gives JSKOS records, the others all triples')
        .choices(EXPORT_FORMATS)
        .default('turtle'),
    )
    .action(async (id: string, { format }: { format: ExportFormat }) => {
      const store = await client()
      const { uri } = requireVocabulary(await readVocabularies(store), id)
      const chunks =
        format === 'ndjson'
          ? (await import('./export-jskos.ts')).exportJskos(config, await endpoint(), uri)
          : exportVocabulary(store, uri, format)
      for await (const chunk of chunks) {
        if (!process.stdout.write(chunk)) await new Promise((ready) => process.stdout.once('drain', ready))
      }
    })
}
