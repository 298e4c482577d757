import type { Mistake } from './mistakes.ts'

/** A value of a cell: text, or what a workbook keeps as a number, a truth value or a date. */
export type CellValue = string | number | boolean | Date | null

/** A row of a sheet. */
export interface SheetRow {
  /** From 1, as spreadsheet programs count. */
  number: number
  values: readonly CellValue[]
}

/** One sheet of a workbook, or the only one of a text. */
export interface Sheet {
  /** The name on its tab; of a text the name of the file. */
  name: string
  isHidden: boolean
  /**
   * True for a list of URIs and labels (uri-list.ts). Its first row, with the number 0, stands for the heading that it
   * lacks.
   */
  isUriList?: boolean
  /** Of a text, the character between its cells. */
  delimiter?: string
  /** Hidden rows, from 1, and hidden columns, from 0. */
  hiddenRows?: ReadonlySet<number> | undefined
  hiddenColumns?: ReadonlySet<number> | undefined
  rows: Iterable<SheetRow> | AsyncIterable<SheetRow>
  /** Formulas of which the workbook has no value. */
  withoutValue?: readonly [row: number, column: number][]
}

/** Column letters as spreadsheet programs write them. @param column from 0. */
export function columnName(column: number): string {
  let name = ''
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name
  }
  return name
}

/** A cell in the words of a spreadsheet program, such as `Concepts!E14`. @param column from 0. @param row from 1. */
export function cellName({ name }: Pick<Sheet, 'name'>, row: number, column: number): string {
  return `${name}!${columnName(column)}${row}`
}

/** The ways in which a concept without a URI gets one, in the words of the report. */
export type UriOrigin = 'its notation' | 'its id' | 'its label'

/** What a reader of tables reports about a table. */
export interface TableListener {
  onMistake(mistake: Mistake): void
  /** Called for every concept that got a URI. */
  onMinted(origin: UriOrigin): void
  /** Called for every resource with a row, with the first cell of the first one. */
  onResource(uri: string, cell: string): void
}

/** Settings that stand for statements missing in a table. */
export interface TableOptions {
  /** The URI of the concept scheme; wins over the one in the table. */
  scheme?: string | undefined
  /** The language of columns without a language. */
  language?: string | undefined
  listener?: TableListener | undefined
}
