import { Command } from 'commander'
import type { Quad } from '@rdfjs/types'
import { parseFile } from '../loading/parse.ts'
import { configuredVocabularies, loadScript } from '../skosmos/config.ts'
import type { CliContext } from './context.ts'

/** `vocab import-skosmos-config`: a script that loads the vocabularies of a Skosmos (docs/skosmos.md, "Coming from Skosmos"). */
export function importSkosmosConfigCommand({ files, write }: CliContext): Command {
  return new Command('import-skosmos-config')
    .description('print a shell script that loads the vocabularies of a Skosmos; fetches and loads nothing itself')
    .argument('<file>', 'its config.ttl; - is standard input')
    .option('--json', 'print JSON: what the file says about each vocabulary')
    .action(async (given: string, { json }: { json?: boolean }) => {
      const [file] = await files([given])
      const quads: Quad[] = []
      for await (const piece of parseFile(file!)) quads.push(...piece)
      const vocabularies = configuredVocabularies(quads, given)
      write(json ? `${JSON.stringify(vocabularies)}\n` : loadScript(vocabularies, 'npm run vocab -- load'))
    })
}
