import type { Message } from '../../base/message-languages.ts'
import { readHeading, type HeadingColumn } from './heading.ts'
import type { TableOptions } from './sheet.ts'
import { columnOfVocExcel } from './voc-excel.ts'
import { KNOWN_PREFIXES } from './words.ts'

/** All tables of a file share its prefixes, its scheme, and the resources that have a type. */
export class TableContext {
  readonly options: TableOptions
  readonly isVocExcel: boolean
  readonly prefixes = new Map(Object.entries(KNOWN_PREFIXES))
  scheme: string | undefined
  /** The resources whose types are among the statements. */
  readonly described = new Set<string>()

  /** @param isVocExcel true for a workbook of VocExcel, whose texts are English unless the options say otherwise. */
  constructor(options: TableOptions, isVocExcel: boolean) {
    this.options = isVocExcel ? { ...options, language: options.language ?? 'en' } : options
    this.isVocExcel = isVocExcel
    this.scheme = options.scheme
  }

  /** The column or field with a name; undefined if there is none. */
  columnNamed(name: string): HeadingColumn | undefined {
    const column = readHeading(name, this.prefixes)
    return column && this.isVocExcel ? columnOfVocExcel(column) : column
  }

  /** Reports a mistake in a cell. */
  mistake(severity: 'violation' | 'warning', cell: string, { en, de }: Message): void {
    this.options.listener?.onMistake({ severity, cell, message: { en: `${cell}: ${en}`, de: `${cell}: ${de}` } })
  }
}
