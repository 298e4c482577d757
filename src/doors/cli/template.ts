import { writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { InputError } from '../../base/files/input-error.ts'
import { codeOf } from '../../base/thrown.ts'
import type { CliContext } from './context.ts'
import { languageTag } from './load.ts'

/** `vocab template`: a workbook to fill in and load (docs/tables.md). */
export function templateCommand({ write }: CliContext): Command {
  return new Command('template')
    .argument('<file>', 'the workbook, a name that ends in .xlsx; it must not exist')
    .option('--language <tags>', 'the languages of labels and texts, separated by commas', readLanguageTags, ['en'])
    .action(async (file: string, { language }: { language: string[] }) => {
      if (!/\.xlsx$/i.test(file)) throw new InputError('expected a name that ends in .xlsx.', file)
      const { templateWorkbook } = await import('../../graph/tables/template.ts')
      await writeFile(file, await templateWorkbook(language), { flag: 'wx' }).catch((error: unknown) => {
        const code = codeOf(error)
        throw new InputError(code === 'EEXIST' ? 'the file exists already.' : 'the file cannot be written.', file)
      })
      write(`wrote ${file}\n`)
    })
}

function readLanguageTags(value: string): string[] {
  const tags = value.split(',').map((tag) => languageTag(tag.trim()))
  if (new Set(tags).size < tags.length) throw new InvalidArgumentError('expected each language once.')
  return tags
}
