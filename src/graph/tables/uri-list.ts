import { SKOS } from '../../base/namespaces.ts'
import { cellText } from './cell-text.ts'
import { propertyColumn, readHeading } from './heading.ts'
import type { Heading, PlacedColumn } from './heading-row.ts'
import type { SheetRow } from './sheet.ts'

/**
 * Lists of URIs and labels as Annif writes vocabularies: on each line a URI in angle brackets and a label, maybe
 * notations, with tabs between them. They have no heading row, and no character has another meaning within a cell.
 */

const LINE = /^<[^<>\t]*> *(?:\t|$)/

/**
 * True for the beginning of a list: most lines begin with a URI in angle brackets, and the first is no heading of such
 * names.
 */
export function isUriList(sample: string): boolean {
  const whole = sample.slice(0, sample.lastIndexOf('\n') + 1) || sample
  const lines = whole.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  const column = readHeading(lines[0]?.split('\t')[0] ?? '', new Map())
  const isHeading = column !== undefined && (column.kind !== 'property' || column.field !== undefined)
  return !isHeading && 2 * lines.filter((line) => LINE.test(line)).length > lines.length
}

/**
 * The row that stands for the missing heading.
 *
 * @param sample the beginning of the list, whose lines tell the number of columns.
 */
export function rowOfList(sample: string): SheetRow {
  const width = sample.split('\n').reduce((most, line) => Math.max(most, line.split('\t').length), 2)
  return { number: 0, values: ['uri', 'prefLabel', ...Array<string>(width - 2).fill('notation')] }
}

/**
 * The heading of a list, from its first row. A label is one, whatever signs it has. @param language of the
 * labels.
 */
export function headingOfList({ values }: SheetRow, language = 'und'): Heading {
  const columns = values.map((name, at): PlacedColumn => {
    if (at === 0) return { kind: 'uri', at }
    return {
      ...propertyColumn(`${SKOS}${cellText(name)}`, { language: at === 1 ? language : undefined }),
      separators: '',
      at,
    }
  })
  return { at: 0, columns, hasUris: true, explaining: new Set() }
}

/**
 * The rows of a list that begin with something in angle brackets, and empty ones. @param onWrong called for each other
 * row.
 */
export async function* rowsOfList(
  rows: AsyncIterable<SheetRow>,
  onWrong: (row: SheetRow, text: string) => void,
): AsyncGenerator<SheetRow> {
  for await (const row of rows) {
    const begin = cellText(row.values[0]).trim()
    if (/^<.*>$/.test(begin) || row.values.every((value) => cellText(value).trim() === '')) yield row
    else onWrong(row, begin)
  }
}
