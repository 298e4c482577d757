import { checkFiles } from '../../writing/checking/check-files.ts'
import { TABLE_RULE } from '../../writing/checking/finding.ts'
import type { MessageLanguage } from '../../base/message-languages.ts'
import { Results, type TextFormat, type ValidationReport } from './report.ts'

/** A report lists at most this many resources of one shape, so that the first shape does not hide the others. */
const MOST_OF_ONE_SHAPE = 10

/**
 * Checks RDF or a table by the rules of vocabularies, as `vocab check` does.
 *
 * @param language that of messages.
 * @throws InputError with line and column if the text is broken.
 */
export async function validateRdf(
  file: string,
  format: TextFormat,
  language: MessageLanguage,
): Promise<ValidationReport> {
  const { concepts, findings } = await checkFiles([file], undefined, undefined, language)
  const results = new Results()
  for (const { rule, severity, message, count, focusNodes, cells } of findings) {
    const isCell = rule === TABLE_RULE
    const listed = focusNodes.slice(0, MOST_OF_ONE_SHAPE)
    for (const node of listed) {
      const cell = isCell ? node : cells?.[node]
      const uri = isCell ? {} : { uri: node.startsWith('<') ? node.slice(1, -1) : node }
      const place = { ...uri, ...(cell === undefined ? {} : { path: cell }) }
      results.add({ severity, message, ...place, shape: rule })
    }
    results.count(severity, count - listed.length)
  }
  return results.report(format, concepts)
}
