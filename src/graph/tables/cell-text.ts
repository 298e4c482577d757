import type { CellValue } from './sheet.ts'

/**
 * The texts of cells: several values in one, and the apostrophes that keep spreadsheet programs from taking a text
 * for a formula.
 */

/**
 * The places at which a text may begin a cell, whatever separator a program takes: at its start and after a separator
 * or a line break. The program may take the quotation marks there for its own.
 */
const BEGIN = String.raw`(?<=^|[,;|\t\r\n])`
/** What makes a cell a formula (OWASP, CSV Injection), with quotation marks and apostrophes before it. */
const FORMULA = String.raw`(?=['"]*[=+\-@\t\r＝＋－＠])`
const BEFORE_FORMULA = new RegExp(BEGIN + FORMULA, 'gu')
const APOSTROPHE = new RegExp(`${BEGIN}'${FORMULA}`, 'gu')

/**
 * A text for a cell of a text file that no spreadsheet program takes for a formula, in whole or in part.
 * `withoutApostrophes` undoes it.
 */
export function withApostrophes(text: string): string {
  return text.replace(BEFORE_FORMULA, "'")
}

/** A text without the apostrophes that keep it from being a formula. */
export function withoutApostrophes(text: string): string {
  return text.replace(APOSTROPHE, '')
}

/**
 * The text of a value: days as ISO 8601 says, nothing as an empty text; `Invalid Date` for a number that no date has.
 */
export function cellText(value: CellValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date && !Number.isNaN(value.getTime()))
    return value.toISOString().replace(/T00:00:00(\.0+)?Z$/, '')
  return String(value)
}

/** The separator of values that exports write. */
export const SEPARATOR = '|'

/**
 * The values of a cell, without the white space around them and without empty ones.
 *
 * @param separators the characters between values; `\n` stands for every line break.
 */
export function cellValues(text: string, separators: string): string[] {
  if (text === '') return []
  const unified = separators.includes('\n') ? text.replace(/\r\n?/g, '\n') : text
  const values: string[] = []
  let begin = 0
  for (let at = 0; at <= unified.length; at++) {
    if (at < unified.length && !separators.includes(unified[at]!)) continue
    const value = unified.slice(begin, at).trim()
    if (value !== '') values.push(value)
    begin = at + 1
  }
  return values
}
