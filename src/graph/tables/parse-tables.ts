import type { Quad } from '@rdfjs/types'
import { CONCEPT_SCHEME, RDF_TYPE } from '../../base/namespaces.ts'
import { InputError } from '../../base/files/input-error.ts'
import type { Message } from '../../base/message-languages.ts'
import type { ReadProgress } from '../../base/files/text.ts'
import { cellText } from './cell-text.ts'
import { readCsv } from './csv.ts'
import { expand, unknownOption, withOptions } from './heading.ts'
import { findHeading, isWord, rowsAbove, rowsWithValues, type Heading, type PlacedColumn } from './heading-row.ts'
import { MISTAKES } from './mistakes.ts'
import { cellName, type SheetRow, type Sheet, type TableOptions } from './sheet.ts'
import { typesIn, type TableKind } from './row-cells.ts'
import { TableContext } from './table-context.ts'
import { TableGraph } from './table-graph.ts'
import { headingOfList, rowsOfList } from './uri-list.ts'
import { columnOfVocExcel, contentOfVocExcel, isOfVocExcel } from './voc-excel.ts'
import { comparisonKey } from './words.ts'
import { readWorkbook } from './workbook.ts'

/** The heading is among the first rows. */
const MOST_ROWS_ABOVE = 100

/** The formats of tables. */
export type TableFormat = 'csv' | 'workbook'

/** A sheet with its first rows. */
interface Looked {
  sheet: Sheet
  first: SheetRow[]
  rest: AsyncIterator<SheetRow>
  heading: Heading | undefined
}

/**
 * The statements of a table or a workbook in batches (docs/tables.md).
 *
 * Mistakes in cells go to the listener, all of them.
 *
 * @throws InputError if the file cannot be read, or no sheet has a heading row.
 * @example for await (const quads of parseTables('birds.xlsx', 'workbook')) store.addQuads(quads)
 */
export async function* parseTables(
  file: string,
  format: TableFormat,
  options: TableOptions = {},
  onProgress?: ReadProgress,
): AsyncGenerator<Quad[]> {
  const sheets = format === 'csv' ? [await readCsv(file, onProgress)] : await readWorkbook(file, onProgress)
  const looked: Looked[] = []
  try {
    for (const sheet of sheets) looked.push(await look(sheet))
    const isVocExcel = isOfVocExcel(looked)
    const context = new TableContext(options, isVocExcel)
    const graph = new TableGraph(context)
    for (const { sheet, first } of looked) if (isPrefixes(first)) graph.scheme.readPrefixes(sheet, first)
    // With the prefixes of the workbook, headings mean more.
    for (const table of looked) {
      const { sheet, first } = table
      table.heading = sheet.isUriList
        ? headingOfList(first[0]!, options.language)
        : findHeading(first, context.prefixes)
      if (isVocExcel && table.heading) {
        table.heading = { ...table.heading, columns: table.heading.columns.map(columnOfVocExcel) }
      }
    }
    const tables = tablesOf(looked, context)
    for (const table of looked) {
      const { sheet, first, heading } = table
      if (sheet.isHidden) {
        if (tables.includes(table))
          context.mistake('warning', cellName(sheet, first[heading!.at]!.number, 0), MISTAKES.hiddenSheet)
        continue
      }
      if (tables.includes(table)) {
        const above = rowsAbove(first, heading!, context.prefixes)
        graph.scheme.readScheme(sheet, above, isOfSkosPlay(table))
        yield graph.scheme.metadata(sheet, above)
      } else if (isNamesAndValues(table, context)) yield graph.scheme.metadata(sheet, first, true)
    }
    const read = tables.filter(({ sheet }) => !sheet.isHidden)
    // Exports as text have the vocabulary below its concepts, whose URIs may need its own.
    if (format === 'csv' && read.length > 0 && context.scheme === undefined) {
      context.scheme = await schemeOfRows(await readCsv(file), read[0]!.heading!, context)
    }
    if (read.length === 0) {
      throw new InputError(
        'found no heading row: expected columns such as uri, notation, prefLabel@en, definition and broader (docs/tables.md).',
        file,
      )
    }
    for (const { sheet, first, rest, heading } of read) {
      const { at, columns, explaining } = heading!
      const { number, values } = first[at]!
      for (const [place, value] of values.entries()) {
        const text = cellText(value).trim()
        if (isVocExcel || text === '' || columns.some((column) => column.at === place)) continue
        const option = unknownOption(text)
        const mistake = option === undefined ? MISTAKES.unknownHeading(text) : MISTAKES.unknownOption(option)
        context.mistake('warning', cellName(sheet, number, place), mistake)
      }
      for (const [row, column] of sheet.withoutValue ?? []) {
        if (!columns.some((placed) => placed.at === column)) continue
        context.mistake('warning', cellName(sheet, row, column), MISTAKES.formulaWithoutValue)
      }
      const hidden = new HiddenCells(sheet, columns)
      let unnamed: { cell: string; text: string; more: number } | undefined
      const isNamed = values.map((value) => cellText(value).trim() !== '')
      const onRow = (row: SheetRow) => {
        hidden.check(row)
        if (isVocExcel) return
        for (const [place, value] of row.values.entries()) {
          const text = isNamed[place] ? '' : cellText(value).trim()
          if (text === '') continue
          if (unnamed) unnamed.more++
          else unnamed = { cell: cellName(sheet, row.number, place), text, more: 0 }
        }
      }
      const data = first.filter((_, place) => place > at && !explaining.has(place))
      const rows = below(data, rest, onRow)
      const onWrong = (row: SheetRow, text: string) => {
        context.mistake('violation', cellName(sheet, row.number, 0), MISTAKES.noUriInLine(text))
      }
      const right = sheet.isUriList ? rowsOfList(rows, onWrong) : rows
      yield* graph.table(sheet, tableKind(sheet, columns), { columns, values }, right)
      for (const [cell, message] of hidden.messages()) context.mistake('warning', cell, message)
      if (unnamed) {
        context.mistake('warning', unnamed.cell, MISTAKES.belowNoHeading(unnamed.text, unnamed.more))
      }
    }
    yield graph.finish()
  } finally {
    for (const { rest } of looked) await rest.return?.()
  }
}

/** The URI of the first row of the type `ConceptScheme`; undefined if there is none. */
async function schemeOfRows(
  { rows }: Sheet,
  { columns }: Heading,
  { prefixes }: TableContext,
): Promise<string | undefined> {
  const uri = columns.find(({ kind }) => kind === 'uri')
  const type = columns.find((column) => column.kind === 'property' && column.property === RDF_TYPE)
  if (uri === undefined || type === undefined) return undefined
  for await (const { values } of rows) {
    if (!typesIn(cellText(values[type.at]), prefixes).some(([, iri]) => iri === CONCEPT_SCHEME)) continue
    const scheme = expand(cellText(values[uri.at]).trim(), prefixes)
    if (scheme !== undefined) return scheme
  }
  return undefined
}

/** True for a text that is a table, because its first row is a heading of at least two columns. */
export async function beginsWithHeading(file: string): Promise<boolean> {
  const { sheet, first, rest } = await look(await readCsv(file), 1)
  await rest.return?.()
  const heading = sheet.isUriList ? undefined : findHeading(first, new TableContext({}, false).prefixes)
  return heading !== undefined && heading.columns.length > 1
}

async function look(sheet: Sheet, most = MOST_ROWS_ABOVE): Promise<Looked> {
  const rows = (async function* () {
    yield* sheet.rows
  })()
  const first: SheetRow[] = []
  while (first.length < most) {
    const next = await rows.next()
    if (next.done) break
    first.push(next.value)
  }
  return { sheet, first, rest: rows, heading: undefined }
}

async function* below(
  first: readonly SheetRow[],
  rest: AsyncIterator<SheetRow>,
  onRow: (row: SheetRow) => void,
): AsyncGenerator<SheetRow> {
  for (const row of first) {
    onRow(row)
    yield row
  }
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    onRow(next.value)
    yield next.value
  }
}

/** The hidden rows and columns of a table, which are read like all others. */
class HiddenCells {
  readonly #sheet: Sheet
  readonly #columns: number[]
  readonly #rows: number[] = []

  constructor(sheet: Sheet, columns: readonly PlacedColumn[]) {
    this.#sheet = sheet
    this.#columns = columns.map(({ at }) => at).filter((at) => sheet.hiddenColumns?.has(at))
  }

  check({ number, values }: SheetRow): void {
    if (this.#sheet.hiddenRows?.has(number) && values.some((value) => cellText(value).trim() !== '')) {
      this.#rows.push(number)
    }
  }

  /** The warnings about hidden rows and columns, each with its first cell. */
  *messages(): Generator<[cell: string, message: Message]> {
    const [[row], [column]] = [this.#rows, this.#columns]
    if (row !== undefined) yield [cellName(this.#sheet, row, 0), MISTAKES.hiddenRow(this.#rows.length - 1)]
    if (column !== undefined) yield [cellName(this.#sheet, 1, column), MISTAKES.hiddenColumn(this.#columns.length - 1)]
  }
}

/** True for a table in the convention of SKOS Play: a column of URIs, and others named like properties. */
function isOfSkosPlay({ first, heading }: Looked): boolean {
  const { at, hasUris } = heading!
  return hasUris && first[at]!.values.some((value) => !isWord(withOptions(cellText(value)).name))
}

/** The sheets with tables of concepts or collections. A heading alone in its row counts only if there is no other. */
function tablesOf(looked: readonly Looked[], context: TableContext): Looked[] {
  const { isVocExcel } = context
  const candidates = looked.filter(({ heading, first, sheet }) => {
    if (heading === undefined || isPrefixes(first)) return false
    return !isVocExcel || contentOfVocExcel(sheet) === 'concepts'
  })
  const several = candidates.filter(({ heading }) => heading!.columns.length > 1)
  const tables = isVocExcel ? several : several.filter((table) => !isAboutScheme(table, context))
  if (tables.length > 0) return tables
  return several.length > 0 ? several : candidates.filter(({ sheet }) => !sheet.isHidden).slice(0, 1)
}

/**
 * True for a sheet whose rows are about a vocabulary, although one of them reads like a heading: `Title`, a name,
 * `Label of the list`.
 */
function isAboutScheme({ sheet, first, heading }: Looked, { prefixes }: TableContext): boolean {
  const { at, hasUris } = heading!
  const about = rowsWithValues(first, prefixes)
  const hasUri = ({ column, value }: (typeof about)[number]) =>
    (column.kind === 'uri' || column.kind === 'id') && expand(value, prefixes) !== undefined
  // Exports begin so, and may have any values below.
  const isExported = about[0]?.row === first[0] && about.slice(0, 1).some(hasUri)
  if (isExported && isNamedLikeScheme(sheet) && first.every(({ values }) => values.length <= 2)) return true
  if (hasUris) return false
  const below = first.slice(at + 1).filter(({ values }) => values.some((value) => cellText(value).trim() !== ''))
  const named = below.filter((row) => about.some((entry) => entry.row === row && isWord(entry.name)))
  return about.some(hasUri) && named.length * 2 >= below.length
}

function isNamedLikeScheme({ name }: Sheet): boolean {
  return /^(conceptscheme|scheme|metadata|metadaten|vocabulary|vokabular)$/.test(comparisonKey(name))
}

function tableKind({ name }: Sheet, columns: readonly PlacedColumn[]): TableKind {
  const isOfCollections =
    columns.some(({ kind }) => kind === 'collection uri') || /^(collections?|sammlung(en)?)$/.test(comparisonKey(name))
  return isOfCollections ? 'collections' : 'concepts'
}

function isPrefixes(first: readonly SheetRow[]): boolean {
  return first.slice(0, 5).some(({ values }) => {
    const [prefix, namespace] = values.map((value) => comparisonKey(cellText(value)))
    return (prefix === 'prefix' || prefix === 'präfix') && (namespace === 'namespace' || namespace === 'namensraum')
  })
}

/** True for a sheet of names and values about the vocabulary. */
function isNamesAndValues({ sheet, first }: Looked, { prefixes, isVocExcel }: TableContext): boolean {
  if (isVocExcel) return contentOfVocExcel(sheet) === 'scheme'
  if (isPrefixes(first)) return false
  return rowsWithValues(first, prefixes).length >= 2 || isNamedLikeScheme(sheet)
}
