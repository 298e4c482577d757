import type { Quad } from '@rdfjs/types'
import { CONCEPT_SCHEME, RDF_TYPE } from '../../base/namespaces.ts'
import { SEPARATOR } from './cell-text.ts'
import { hasLanguage, readHeading } from './heading.ts'
import { MOST_CELL_CHARACTERS, TableColumns, type WrittenColumn } from './table-columns.ts'
import type { TextRow } from './table-writer.ts'
import { addToList } from '../../base/groups.ts'

/** The rows of such a sheet that readers look at. */
const MOST_ROWS = 100

/**
 * The rows of names and values about a vocabulary, its URI first, and the statements that they cannot express.
 *
 * @param quads all about the vocabulary that does not follow from others.
 */
export function schemeRows(uri: string, quads: readonly Quad[]): { rows: TextRow[]; rest: Quad[] } {
  const columns = new TableColumns()
  const rest: Quad[] = []
  const values = new Map<WrittenColumn, { text: string; quad: Quad }[]>()
  for (const quad of quads) {
    // The sheet implies the class of a vocabulary.
    if (quad.predicate.value === RDF_TYPE && quad.object.value === CONCEPT_SCHEME) continue
    const written = columns.write(quad)
    if (written === undefined || !isClear(written)) {
      rest.push(quad)
      continue
    }
    columns.count([quad])
    addToList(values, written.column, { text: written.text, quad })
  }
  const rows: TextRow[] = [['uri', uri]]
  for (const column of columns.chosen()) {
    const whole = values.get(column)!
    const text = whole.map((value) => value.text).join(SEPARATOR)
    if (rows.length < MOST_ROWS && text.length <= MOST_CELL_CHARACTERS) rows.push([column.heading, text])
    else rest.push(...whole.map(({ quad }) => quad))
  }
  return { rows, rest }
}

/** False for a text whose language another row would give, and for one that reads as the heading of a table. */
function isClear({ column: { column }, text }: { column: WrittenColumn; text: string }): boolean {
  const heading = readHeading(text, new Map())
  if (heading?.kind === 'uri' || heading?.kind === 'collection uri') return false
  return column.language !== undefined || !hasLanguage(column)
}
