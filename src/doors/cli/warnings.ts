import { Option } from 'commander'
import { MESSAGE_LANGUAGES, type MessageLanguage } from '../../base/message-languages.ts'
import { focusNodeWithCell, TABLE_RULE, type Finding } from '../../writing/checking/finding.ts'
import { MORE } from '../../writing/checking/rules.ts'
import { REPORT_WORDS } from './report-words.ts'

/** Focus nodes to show for each rule; `--json` has more of them. */
const SHOWN = 5

/** The option for the language of a report, which is `lang` of /validate, too. */
export function messageLanguage(): Option {
  return new Option('--lang <language>', 'the language of the report').choices(MESSAGE_LANGUAGES).default('en')
}

/**
 * The findings of a check: a line for every rule, with some of its focus nodes.
 *
 * @param language that of their messages.
 * @param severity the word for a finding; by default its own.
 */
export function describeFindings(
  findings: readonly Finding[],
  language: MessageLanguage,
  severity?: Finding['severity'],
): string[] {
  const words = REPORT_WORDS[language]
  return findings.map((finding) => {
    const { rule, message, count, focusNodes } = finding
    const name = words[severity ?? finding.severity]
    // The message has the cell.
    if (rule === TABLE_RULE && count === 1) return `${name}: ${message}`
    const more = count > SHOWN ? `,${MORE[language](count - SHOWN)}` : ''
    const shown = focusNodes.slice(0, SHOWN).map((node) => focusNodeWithCell(finding, node))
    return `${name}: ${rule}: ${message} (${words.times(count)}: ${shown.join(', ')}${more})`
  })
}
