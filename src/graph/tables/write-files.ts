import { withApostrophes } from './cell-text.ts'
import type { TextRow } from './table-writer.ts'

/** A row as a line of CSV (RFC 4180), in which no cell is a formula. */
export function csvLine(row: TextRow): string {
  return `${row.map((text) => quotedCell(withApostrophes(text))).join(',')}\r\n`
}

/** A row as a line of values between tabs, in which no cell is a formula. */
export function tsvLine(row: readonly string[]): string {
  return `${row.map((text) => quotedCell(withApostrophes(text))).join('\t')}\n`
}

function quotedCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
