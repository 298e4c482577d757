import { basename } from 'node:path'
import type { Violation } from '../../base/errors.ts'
import { readRecords } from '../../base/files/json-records.ts'
import { readText } from '../../base/files/text.ts'
import { quoted } from '../../base/unicode.ts'
import { compileCheck } from './check.ts'
import type { FormatRecord } from './record.ts'
import type { FormatConstants } from './shapes.ts'

/** A violation in a record of a file. */
interface FileViolation extends Violation {
  file: string
  /** Number of the record in the file, from 1. */
  record: number
  /** The line that the record begins in, from 1. */
  line: number
  /** The id of the record, if it has one. */
  id: string | undefined
}

/** Files with records that cannot be loaded. The message has one line for each violation, up to a limit. */
export class FormatsError extends Error {
  override readonly name = 'FormatsError'

  constructor(
    message: string,
    readonly violations: readonly FileViolation[] = [],
  ) {
    super(message)
  }
}

const MOST_LINES = 50

/**
 * Reads the records in files. Each file has one record, an array or NDJSON, also as .gz.
 *
 * @throws InputError naming line and column if a file cannot be read or is not JSON.
 * @throws FormatsError with every violation in any of the files.
 */
export async function readFormatFiles(files: readonly string[], constants: FormatConstants): Promise<FormatRecord[]> {
  const values: unknown[] = []
  const places: { file: string; record: number; line: number }[] = []
  for (const file of files) {
    let record = 0
    for await (const { value, line } of readRecords(readText(file), file)) {
      values.push(value)
      places.push({ file: basename(file), record: ++record, line })
    }
  }
  const violations = compileCheck(constants)(values).map((violation) => ({
    ...violation,
    ...places[violation.record - 1]!,
  }))
  if (violations.length > 0) throw new FormatsError(describeViolations(violations), violations)
  return values as FormatRecord[]
}

function describeViolations(violations: readonly FileViolation[]): string {
  const lines = violations.slice(0, MOST_LINES).map(({ file, record, line, id, path, message }) => {
    const name = id === undefined ? '' : ` ${quoted(id)}`
    return `${file}, line ${line}, record ${record}${name}: ${path === '' ? '' : `${path}: `}${message}`
  })
  if (violations.length > MOST_LINES) lines.push(`... and ${violations.length - MOST_LINES} more`)
  return lines.join('\n')
}
