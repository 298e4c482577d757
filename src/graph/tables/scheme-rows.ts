import { DataFactory } from 'n3'
import type { Quad } from '@rdfjs/types'
import { CONCEPT_SCHEME, RDF_TYPE } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import type { CellStatements } from './cell-statements.ts'
import { cellText } from './cell-text.ts'
import { UNNAMED } from './concept-uris.ts'
import { expand, readHeading, type HeadingColumn } from './heading.ts'
import { MISTAKES } from './mistakes.ts'
import type { ColumnSettings } from './row-values.ts'
import { cellName, type CellValue, type SheetRow, type Sheet } from './sheet.ts'
import type { TableContext } from './table-context.ts'
import { lacksValue } from './voc-excel.ts'

const named = (iri: string) => DataFactory.namedNode(iri)

/** Reads the rows about the scheme and about prefixes. */
export class SchemeRows {
  readonly #context: TableContext
  readonly #statements: CellStatements
  /** The cells that have given the URI of the scheme. */
  readonly #cells = new Set<string>()

  constructor(context: TableContext, statements: CellStatements) {
    this.#context = context
    this.#statements = statements
  }

  /**
   * The statements about the scheme that rows of names and values make; takes its URI and prefixes from them first.
   *
   * @param isSheet true for a sheet of nothing else, in which `Prefix` without a namespace beside it is a field.
   */
  metadata(sheet: Sheet, rows: readonly SheetRow[], isSheet = false): Quad[] {
    const lines: { column: HeadingColumn; value: CellValue; cell: string }[] = []
    for (const { number, values } of rows) {
      const at = values.findIndex((value) => cellText(value).trim() !== '')
      const name = cellText(values[at])
        .trim()
        .replace(/(?<![:*])[:*]+$/, '')
      if (at < 0) continue
      const value = values[at + 1] ?? null
      if (this.#context.isVocExcel && lacksValue(values, at)) {
        this.#context.mistake('violation', cellName(sheet, number, at + 1), MISTAKES.requiredByTemplate(name))
      }
      const cell = cellName(sheet, number, at + 1)
      const namespace = cellText(values[at + 2]).trim()
      if (/^@?prefix$/i.test(name) && (!isSheet || isAbsoluteIri(namespace.replace(/^<(.*)>$/, '$1')))) {
        this.#prefix(cellText(value), namespace, cell)
        continue
      }
      const column = this.#context.columnNamed(name)
      if (column === undefined || cellText(value).trim() === '' || this.#cells.has(cell)) continue
      if (column.kind === 'uri' || column.kind === 'id') {
        const uri = expand(cellText(value).trim(), this.#context.prefixes)
        if (uri !== undefined) this.#context.scheme = this.#context.options.scheme ?? uri
        else if (column.kind === 'uri') this.#context.mistake('violation', cell, MISTAKES.noSchemeUri(cellText(value)))
      } else lines.push({ column, value, cell })
    }
    if (lines.length === 0 && this.#context.scheme === undefined) return []
    const subject = this.#context.scheme ?? UNNAMED
    const quads: Quad[] = []
    if (this.#context.scheme !== undefined && !this.#context.described.has(subject)) {
      quads.push(DataFactory.quad(named(subject), named(RDF_TYPE), named(CONCEPT_SCHEME)))
      this.#context.described.add(subject)
    }
    const language = lines.find(
      ({ column }) => column.kind === 'language' || (column.kind === 'property' && column.field?.name === 'languages'),
    )
    const usual =
      this.#context.options.language ?? (language && /^[a-z]{2,3}(-\w+)*$/i.exec(cellText(language.value).trim())?.[0])
    const settings: ColumnSettings = { prefixes: this.#context.prefixes, language: usual }
    for (const { column, value, cell } of lines) {
      if (column.kind !== 'property') continue
      for (const term of this.#statements.valuesOf(value, column, settings))
        this.#statements.add(quads, subject, column, term, cell)
    }
    return quads
  }

  /**
   * Takes the URI of the scheme from the first row of a sheet (SKOS Play: from B1), if that is a name and a URI.
   *
   * @param rows above the heading.
   * @param isCertain false: only if no field has the name.
   */
  readScheme(sheet: Sheet, rows: readonly SheetRow[], isCertain: boolean): void {
    const [first] = rows
    if (first?.number !== 1) return
    const [name, value, ...more] = first.values.map((value) => cellText(value).trim())
    if (!name || !value || more.some((text) => text !== '') || /^@?prefix$/i.test(name)) return
    const uri = isAbsoluteIri(value) ? expand(value, this.#context.prefixes) : undefined
    if (uri === undefined || (!isCertain && readHeading(name, this.#context.prefixes) !== undefined)) return
    this.#context.scheme = this.#context.options.scheme ?? uri
    this.#cells.add(cellName(sheet, 1, 1))
  }

  /** Adds a prefix of the table. */
  #prefix(prefix: string, namespace: string, cell: string): void {
    const name = prefix.trim().replace(/:$/, '')
    const iri = namespace.trim().replace(/^<(.*)>$/, '$1')
    if (iri === '') return
    if (isAbsoluteIri(iri)) this.#context.prefixes.set(name, iri)
    else this.#context.mistake('violation', cell, MISTAKES.noNamespace(name, iri))
  }

  /** Reads rows of prefixes and namespaces. */
  readPrefixes(sheet: Sheet, rows: readonly SheetRow[]): void {
    for (const { number, values } of rows) {
      const [prefix, namespace] = values.map((value) => cellText(value)).slice(0, 2)
      if (namespace && /^<?[a-z][a-z0-9+.-]*:/i.test(namespace.trim())) {
        this.#prefix(prefix ?? '', namespace, cellName(sheet, number, 1))
      }
    }
  }
}
