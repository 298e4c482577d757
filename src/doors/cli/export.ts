import { Command, Option } from 'commander'
import { sortLanguage } from '../../config.ts'
import { EXPORT_FORMATS, storedSource } from '../export/export.ts'
import { readVocabularies, requireVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'

/** `vocab export`: a vocabulary or a subset as the store has it, on standard output. */
export function exportCommand({ client, config }: CliContext): Command {
  const names = EXPORT_FORMATS.map(({ formats }) => formats[0])
  return new Command('export')
    .argument('<id>', 'id, subset notation or URI')
    .addOption(
      new Option('--format <format>', 'ndjson gives JSKOS records, the others all triples; csv and xlsx as a table')
        .choices(names)
        .default(names[0]),
    )
    .action(async (id: string, { format }: { format: string }) => {
      const store = await client()
      const vocabulary = requireVocabulary(await readVocabularies(store), id)
      const { uri } = vocabulary
      const { write } = EXPORT_FORMATS.find(({ formats }) => formats[0] === format)!
      async function* records() {
        const [{ composeReading }, { vocabularyRecords }] = await Promise.all([
          import('../../compose.ts'),
          import('../export/records.ts'),
        ])
        const dependencies = composeReading({ ...config, sparqlTimeoutMs: 600_000 }, store.endpoint)
        const { signal } = new AbortController()
        yield* vocabularyRecords({ ...dependencies, config }, uri, signal)
      }
      for await (const part of write({ ...storedSource(store, vocabulary, sortLanguage(config)), records })) {
        if (!process.stdout.write(part)) await new Promise((ready) => process.stdout.once('drain', ready))
      }
    })
}
