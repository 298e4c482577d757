import { messageOf } from '../thrown.ts'
import { InputError } from './input-error.ts'

/** A JSON value of a file and the line it starts on. */
export interface JsonRecord {
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
  let record = ''
  let depth = 0
  let inString = false
  let escaped = false
  let inArray: boolean | undefined
  let arrayEnded = false
  let commaDue = false
  let line = 1
  let column = 0
  let start = { line: 1, column: 1 }

  const finish = (): JsonRecord => {
    const value = parseRecord(record, file, start)
    record = ''
    return { value, line: start.line }
  }
  for await (const chunk of text) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      if (code === 0x0a) {
        line++
        column = 0
      } else column++
      if (inString) {
        if (escaped) escaped = false
        else if (code === 0x5c) escaped = true
        else if (code === 0x22) inString = false
        continue
      }
      const space = code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
      if (depth === 0) {
        if (space) continue
        if (inArray === undefined) {
          inArray = code === 0x5b
          if (inArray) continue
        }
        if (inArray && code === 0x5d && !arrayEnded) {
          arrayEnded = true
          continue
        }
        if (code === 0x2c && commaDue && !arrayEnded) {
          commaDue = false
          continue
        }
        if (code !== 0x7b || arrayEnded || commaDue) {
          throw new InputError(`expected a JSON object, found "${chunk[at]}".`, file, { line, column })
        }
        start = { line, column }
        from = at
        commaDue = inArray
      }
      if (code === 0x22) inString = true
      else if (code === 0x7b || code === 0x5b) depth++
      else if (code === 0x7d || code === 0x5d) {
        depth--
        if (depth === 0) {
          record += chunk.slice(from, at + 1)
          yield finish()
        }
      }
    }
    if (depth > 0) record += chunk.slice(from)
  }
  if (depth > 0 || (inArray && !arrayEnded)) {
    throw new InputError('the JSON ends too early.', file, { line, column: column + 1 })
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

/** The place in a text that JSON.parse refuses: V8 gives its number, quotes ten characters on both sides, or found the end. */
function offsetOf(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Number(position)
  const [, token, dots, quoted] =
    /^Unexpected token '(.)', (\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON$/su.exec(message) ?? []
  if (quoted === undefined) return text.length
  if (dots) return text.indexOf(quoted) + 10
  return quoted === text ? text.lastIndexOf(token!) : quoted.length - 10
}
