import { withApostrophe } from './cell-text.ts'
import type { TextRow } from './table-writer.ts'

/** A row as a line of CSV (RFC 4180), in which no cell is a formula. */
export function csvLine(row: TextRow): string {
  return `${row.map((text) => quotedCell(withApostrophe(text))).join(',')}\r\n`
}

/** A row as a line of values between tabs, for programs: they take every text as it is. */
export function tsvLine(row: readonly string[]): string {
  return `${row.map(quotedCell).join('\t')}\n`
}

function quotedCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
