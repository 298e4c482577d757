import { messageOf } from '../thrown.ts'
import { InputError } from './input-error.ts'
import { JsonScanner, SIGN } from './json-scanner.ts'

/** A JSON value of a file and the line it starts on. */
interface JsonRecord {
  value: unknown
  line: number
}

/**
 * The records of a JSON text, one by one: the values of an array, or consecutive values (one a line in NDJSON). Only
 * one record at a time is in memory, so files may be larger than memory.
 *
 * @throws InputError with line and column if the JSON is broken or ends too early.
 * @example for await (const { value, line } of readRecords(readText(file), file)) check(value, line)
 */
export async function* readRecords(text: AsyncIterable<string>, file: string): AsyncGenerator<JsonRecord> {
  const scanner = new JsonScanner(0)
  /** The part of a record that former pieces have; undefined between records. */
  let record: string | undefined
  let start = { line: 1, column: 1 }
  let isArray: boolean | undefined
  let hasEnded = false
  let isCommaDue = false

  for await (const chunk of text) {
    let from = 0
    scanner.start(chunk)
    for (let sign = scanner.next(); sign !== undefined; sign = scanner.next()) {
      const { at, level, line, column } = scanner
      if (isArray === undefined) {
        isArray = sign === SIGN.openArray
        if (isArray) {
          scanner.everythingUpTo = 1
          continue
        }
      }
      if (level > (isArray && !hasEnded ? 1 : 0)) continue
      if (record !== undefined) {
        yield { value: parseRecord(record + chunk.slice(from, at + 1), file, start), line: start.line }
        record = undefined
      } else if (isArray && !hasEnded && sign === SIGN.closeArray) hasEnded = true
      else if (isCommaDue && !hasEnded && sign === SIGN.comma) isCommaDue = false
      else if (sign !== SIGN.openObject || hasEnded || isCommaDue) {
        throw new InputError(`expected a JSON object, found "${chunk[at]}".`, file, { line, column })
      } else {
        record = ''
        start = { line, column }
        from = at
        isCommaDue = isArray
      }
    }
    if (record !== undefined) record += chunk.slice(from)
  }
  if (record !== undefined || (isArray && !hasEnded)) {
    const { line, column } = scanner
    throw new InputError('the JSON ends too early.', file, { line, column })
  }
}

/**
 * A JSON value of a file.
 *
 * @param start its place in the file.
 * @throws InputError with line and column if the JSON is broken.
 */
export function parseRecord(record: string, file: string, start: { line: number; column: number }): unknown {
  try {
    return JSON.parse(record) as unknown
  } catch (error) {
    const message = messageOf(error)
    const offset = offsetOf(message, record)
    const before = record.slice(0, offset)
    const line = start.line + before.split('\n').length - 1
    const column = before.includes('\n') ? offset - before.lastIndexOf('\n') : start.column + offset
    throw new InputError(`broken JSON: ${message.replace(/( in JSON)? at position \d+.*$/s, '')}.`, file, {
      line,
      column,
    })
  }
}

/**
 * The place in a text that JSON.parse refuses: V8 gives its number, quotes ten characters on both sides, or found the
 * end.
 */
function offsetOf(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Number(position)
  const [, token, dots, quoted] =
    /^Unexpected token '(.)', (\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON$/su.exec(message) ?? []
  if (quoted === undefined) return text.length
  if (dots) return text.indexOf(quoted) + 10
  return quoted === text ? text.lastIndexOf(token!) : quoted.length - 10
}
