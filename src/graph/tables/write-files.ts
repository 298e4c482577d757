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

/**
 * Rows as a workbook (.xlsx) with one sheet, in pieces; more rows than a sheet can have go on in another sheet. Every
 * cell is text, so that none is a formula.
 *
 * @param rows the heading first.
 */
export async function* xlsxFile(rows: AsyncIterable<TextRow>): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import('hucre/xlsx')
  const iterator = rows[Symbol.asyncIterator]()
  const first = await iterator.next()
  const heading = first.done ? [] : first.value
  async function* below() {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield next.value.map((text) => (text === '' ? null : text))
    }
  }
  const columns = heading.map((header) => ({ header, width: Math.min(40, Math.max(12, header.length + 2)) }))
  const stream = writeXlsxStream(below(), { name: 'Concepts', columns, freezePane: { rows: 1 } })
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
    await iterator.return?.()
  }
}
