import { Command } from 'commander'
import type { MessageLanguage } from '../../base/message-languages.ts'
import { checkFiles } from '../../writing/checking/check-files.ts'
import { InputError } from '../../base/files/input-error.ts'
import type { CliContext } from './context.ts'
import { languageTag } from './load.ts'
import { showProgress } from './progress.ts'
import { REPORT_WORDS } from './report-words.ts'
import { describeFindings, messageLanguage } from './warnings.ts'

interface Options {
  scheme?: string
  language?: string
  lang: MessageLanguage
  json?: boolean
}

/** `vocab check`: the report on files. Loads nothing. */
export function checkCommand({ files: readable, write, print }: CliContext): Command {
  return new Command('check')
    .argument('<file...>', 'as for load; all together are one vocabulary')
    .option('--scheme <uri>', 'the concept scheme of tables that name none')
    .option('--language <tag>', 'the language of texts in tables that name none', languageTag)
    .addOption(messageLanguage())
    .option('--json', 'print JSON, with up to 10,000 focus nodes for each rule')
    .action(async (given: string[], { json, lang, ...tables }: Options) => {
      const files = await readable(given)
      const progress = showProgress(json ? undefined : write)
      const report = await checkFiles(files, progress.show, tables, lang).finally(progress.end)
      const { concepts, needsScheme, findings } = report
      const words = REPORT_WORDS[lang]
      const lines = [words.checked(concepts), ...describeFindings(findings, lang)]
      if (needsScheme && tables.scheme === undefined) lines.push(words.needsScheme)
      else if (findings.length === 0) lines.push(words.nothingToReport)
      print(json, report, lines)
      const violations = findings.filter(({ severity }) => severity === 'violation')
      if (violations.length > 0) {
        const [{ message, rule, count }] = violations as [(typeof violations)[number]]
        throw new InputError(words.kindsOfViolations(violations.length, `${rule}: ${message} (${words.times(count)})`))
      }
    })
}
