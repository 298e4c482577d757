import { DataFactory } from 'n3'
import type { Quad } from '@rdfjs/types'
import { CONCEPT, CONCEPT_SCHEME, DCT, IN_SCHEME, NOTATION, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { messageOf } from '../../base/thrown.ts'
import { inOneLine } from '../../base/unicode.ts'
import { quadsIn } from '../sparql/statements.ts'
import { cellText } from './cell-text.ts'
import { CellStatements } from './cell-statements.ts'
import { ConceptUris } from './concept-uris.ts'
import { expand, iriNamed, PREF_LABEL, propertyColumn, withOptions, type PropertyColumn } from './heading.ts'
import { isWord, type PlacedColumn } from './heading-row.ts'
import { MISTAKES } from './mistakes.ts'
import {
  isTurtle,
  rowLanguage,
  rowName,
  NO_CONCEPTS,
  notationType,
  type RowName,
  typesOf,
  type TableKind,
} from './row-cells.ts'
import { readValues, type ColumnSettings, type Value } from './row-values.ts'
import { SchemeRows } from './scheme-rows.ts'
import { cellName, columnName, type CellValue, type SheetRow, type Sheet } from './sheet.ts'
import type { TableContext } from './table-context.ts'
import { comparisonKey } from './words.ts'
import { addToList } from '../../base/groups.ts'

const ERROR = /^#(N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)$/
const LABELS: readonly string[] = [PREF_LABEL, `${SKOS}altLabel`, `${SKOS}hiddenLabel`]
/** Names with a semicolon between them, which is not that of a character reference (`&amp;`). */
const SEVERAL_NAMES = /(?<!^|&#?\w{1,31});\s*[^\s;]/
const QUADS_AT_ONCE = 5000
const named = (iri: string) => DataFactory.namedNode(iri)
const TYPE = named(RDF_TYPE)

/** The concept on each level of a hierarchy by indented columns. */
interface HierarchyStep {
  label: string
  uri: string
}

/**
 * Turns the rows of the tables of one file into statements. All tables share prefixes, the scheme, and the names of
 * concepts.
 */
export class TableGraph {
  readonly scheme: SchemeRows
  readonly #context: TableContext
  readonly #cells: CellStatements
  readonly #uris: ConceptUris
  /** The URIs of steps of hierarchies, by the labels above and their own. */
  readonly #steps = new Map<string, string>()
  /** The preferred labels of concepts with URIs from notations: by URI and language, with the cell of the notation. */
  readonly #labels = new Map<string, { label: string; cell: string }>()
  /** N-Triples that are not complete yet. */
  #statements: { text: string; cell: string } | undefined

  constructor(context: TableContext) {
    this.#context = context
    this.#cells = new CellStatements(context)
    this.#uris = new ConceptUris(context)
    this.scheme = new SchemeRows(context, this.#cells)
  }

  /**
   * The statements of a table, a batch for some rows.
   *
   * @param heading its columns, and the cells of the row.
   * @param rows below the heading.
   */
  async *table(
    sheet: Sheet,
    kind: TableKind,
    { columns, values }: { columns: readonly PlacedColumn[]; values: readonly CellValue[] },
    rows: Iterable<SheetRow> | AsyncIterable<SheetRow>,
  ): AsyncGenerator<Quad[]> {
    const heading = values.map((value) => cellText(value))
    const table: OpenTable = {
      sheet,
      kind,
      columns,
      heading,
      path: [],
      semicolons: new Map(),
      numbers: undefined,
      rows: 0,
    }
    let quads: Quad[] = []
    for await (const row of rows) {
      this.#row(table, row, quads)
      table.rows++
      if (quads.length < QUADS_AT_ONCE) continue
      yield quads
      quads = []
    }
    for (const [cell, text, count] of table.semicolons.values()) {
      this.#context.mistake('warning', cell, MISTAKES.semicolon(text, count - 1))
    }
    if (table.numbers) {
      const { cell, count, value } = table.numbers
      this.#context.mistake('warning', cell, MISTAKES.numericNotation(value, count - 1))
    }
    yield quads
  }

  /** The statements of cells that name concepts, when all are there. */
  finish(): Quad[] {
    const quads = this.#cells.finish()
    if (this.#statements) {
      this.#context.mistake('violation', this.#statements.cell, MISTAKES.incompleteStatements)
    }
    return quads
  }

  #row(table: OpenTable, { number, values }: SheetRow, quads: Quad[]): void {
    const { sheet, columns, kind } = table
    if (values.every((value) => cellText(value).trim() === '')) return
    const cellOf = (at: number) => cellName(sheet, number, at)
    const cells = values.map((value, at) => {
      if (typeof value !== 'string' || !ERROR.test(value)) return value
      if (!this.#context.isVocExcel && columns.some((column) => column.at === at)) {
        this.#context.mistake('violation', cellOf(at), MISTAKES.formulaWithError(value))
      }
      return null
    })
    const text = (column: PlacedColumn) => cellText(cells[column.at]).trim()
    const begin = quads.length
    for (const column of columns)
      if (column.kind === 'statements') this.#readStatements(cellText(cells[column.at]), cellOf(column.at), quads)
    const subject = this.#subjectOf(table, { number, cells }, quads)
    if (subject === undefined) return
    const types = typesOf(this.#context, columns, cells, kind, cellOf)
    for (const type of types) quads.push(DataFactory.quad(named(subject), TYPE, named(type)))
    const isConcept = !types.some((type) => NO_CONCEPTS.includes(type))
    if (types.includes(CONCEPT_SCHEME)) this.#context.scheme ??= subject
    const statesScheme = quads
      .slice(begin)
      .some((quad) => quad.predicate.value === IN_SCHEME && quad.subject.value === subject)
    let isInScheme = !isConcept || statesScheme || this.#context.described.has(subject)
    if (!this.#context.described.has(subject)) {
      const first = cells.findIndex((value) => cellText(value).trim() !== '')
      this.#context.options.listener?.onResource(subject, cellOf(first))
    }
    this.#context.described.add(subject)
    for (const column of columns) {
      if (column.kind === 'id' && text(column) !== '' && expand(text(column), this.#context.prefixes) === undefined) {
        this.#cells.references.add(text(column), subject)
        quads.push(DataFactory.quad(named(subject), named(`${DCT}identifier`), DataFactory.literal(text(column))))
      }
      if (column.kind !== 'property' || column.property === RDF_TYPE) continue
      const value = cells[column.at] ?? null
      if (cellText(value).trim() === '') continue
      if (isTurtle(cellText(value).trim()) && !isWord(withOptions(table.heading[column.at] ?? '').name)) {
        this.#context.mistake('warning', cellOf(column.at), MISTAKES.turtle)
        continue
      }
      if (column.property === NOTATION) {
        if (typeof value === 'number') {
          table.numbers ??= { cell: cellOf(column.at), value, count: 0 }
          table.numbers.count++
        }
      }
      if (column.property === IN_SCHEME) isInScheme = true
      const settings: ColumnSettings = {
        ...this.#settings(columns, column, cells),
        notationType: notationType(columns, cells, this.#context.prefixes),
      }
      if (column.subject !== undefined) {
        for (const about of this.#subjectsIn(table, column.subject, { number, cells }, cellOf(column.at))) {
          for (const object of this.#cells.valuesOf(value, column, settings))
            this.#cells.add(quads, about, column, object, cellOf(column.at))
        }
        continue
      }
      for (const object of this.#cells.valuesOf(value, column, settings)) {
        if ('term' in object && (column.property === PREF_LABEL || column.property === NOTATION)) {
          if (isConcept) this.#cells.references.add(object.term.value, subject)
          else if (!types.includes(CONCEPT_SCHEME)) this.#cells.collections.add(object.term.value, subject)
        }
        if ('term' in object && LABELS.includes(column.property) && SEVERAL_NAMES.test(object.term.value)) {
          const [cell, first, count] = table.semicolons.get(column.at) ?? [cellOf(column.at), object.term.value, 0]
          table.semicolons.set(column.at, [cell, first, count + 1])
        }
        this.#cells.add(quads, subject, column, object, cellOf(column.at))
      }
    }
    if (!isInScheme && this.#context.scheme !== undefined && kind === 'concepts') {
      quads.push(DataFactory.quad(named(subject), named(IN_SCHEME), named(this.#context.scheme)))
    }
  }

  /** The URIs in another column of a row (SKOS Play, `subjectColumn`). @param wanted its letter or its heading. */
  #subjectsIn(
    { sheet, columns, heading }: OpenTable,
    wanted: string,
    { number, cells }: { number: number; cells: readonly CellValue[] },
    cell: string,
  ): string[] {
    const isWanted = (at: number) =>
      columnName(at) === wanted.toUpperCase() ||
      comparisonKey(withOptions(heading[at] ?? '').name) === comparisonKey(wanted)
    const column = columns.find(({ at }) => isWanted(at))
    const value = column && (cells[column.at] ?? null)
    if (column === undefined) {
      this.#context.mistake('violation', cell, MISTAKES.noSubjectColumn(wanted))
      return []
    }
    const settings = { prefixes: this.#context.prefixes, language: undefined }
    const values = column.kind === 'property' ? readValues(value, column, settings) : []
    const uris = values.flatMap((read) =>
      'term' in read && read.term.termType === 'NamedNode' ? [read.term.value] : [],
    )
    const given = column.kind === 'uri' ? iriNamed(cellText(value).trim(), this.#context.prefixes) : undefined
    if (given !== undefined) return [given]
    if (uris.length === 0) {
      this.#context.mistake('violation', cell, MISTAKES.noSubject(cellName(sheet, number, column.at)))
    }
    return uris
  }

  /** The URI of the concept of a row; undefined if the row has none. */
  #subjectOf(
    table: OpenTable,
    { number, cells }: { number: number; cells: readonly CellValue[] },
    quads: Quad[],
  ): string | undefined {
    const { sheet, columns, kind } = table
    const given = columns.find(
      (column) =>
        (column.kind === 'uri' || column.kind === 'collection uri') && cellText(cells[column.at]).trim() !== '',
    )
    const uri = given && this.#uris.given(cellText(cells[given.at]).trim(), cellName(sheet, number, given.at))
    const levels = columns.filter((column) => column.kind === 'level')
    if (levels.length > 0) return this.#levelSubject(table, levels, { number, cells }, uri, quads)
    if (given) return uri
    if (this.#context.isVocExcel && table.rows === 0) return undefined
    const name = rowName(columns, cells)
    if (name === undefined) {
      const isStatement = columns.some(
        (column) => column.kind === 'statements' && cellText(cells[column.at]).trim() !== '',
      )
      const filled = cells.findIndex(
        (value, at) => cellText(value).trim() !== '' && columns.some((column) => column.at === at),
      )
      if (!isStatement && filled >= 0) {
        this.#context.mistake('violation', cellName(sheet, number, filled), MISTAKES.nameless(kind, number))
      }
      return undefined
    }
    return this.#mint(table, name, { number, cells }, [])
  }

  /**
   * The URI that a row makes of its name; undefined if another text has made it, or if the notation is that of an
   * earlier row with another preferred label. Without another one, rows of one notation add up.
   *
   * @param more preferred labels that have no column of their own.
   */
  #mint(
    { sheet, columns }: OpenTable,
    { text, origin, at }: RowName,
    { number, cells }: { number: number; cells: readonly CellValue[] },
    more: readonly Value[],
  ): string | undefined {
    const cell = cellName(sheet, number, at)
    const uri = this.#uris.mint(text, origin, cell)
    if (uri === undefined || origin !== 'its notation') return uri
    const ofColumns = columns.flatMap((column) => {
      if (column.kind !== 'property' || column.property !== PREF_LABEL) return []
      return this.#cells.valuesOf(cells[column.at] ?? null, column, this.#settings(columns, column, cells))
    })
    const labels = new Map<string, string[]>()
    for (const value of [...ofColumns, ...more]) {
      if (!('term' in value) || value.term.termType !== 'Literal') continue
      const { language, value: label } = value.term
      addToList(labels, language, label)
    }
    for (const [language, [label, ...others]] of labels) {
      const earlier = this.#labels.get(`${uri} ${language}`)
      if (earlier === undefined || [label, ...others].includes(earlier.label)) continue
      const mayBeNumber = typeof cells[at] !== 'string' || (sheet.delimiter !== undefined && /^\d+\.\d+$/.test(text))
      this.#context.mistake('violation', cell, MISTAKES.sameNotation(text, label!, earlier, { mayBeNumber }))
      return undefined
    }
    for (const [language, [label]] of labels) {
      const key = `${uri} ${language}`
      if (!this.#labels.has(key)) this.#labels.set(key, { label: label!, cell })
    }
    return uri
  }

  #settings(columns: readonly PlacedColumn[], column: PropertyColumn, cells: readonly CellValue[]): ColumnSettings {
    return {
      prefixes: this.#context.prefixes,
      language: rowLanguage(columns, column, cells) ?? this.#context.options.language,
    }
  }

  /** The concept of a row in a hierarchy by indented columns: that on the deepest level that the row names. */
  #levelSubject(
    table: OpenTable,
    levels: readonly LevelColumn[],
    { number, cells }: { number: number; cells: readonly CellValue[] },
    uri: string | undefined,
    quads: Quad[],
  ): string | undefined {
    const { sheet, path, columns } = table
    const filled = [...levels].sort((a, b) => a.level - b.level).filter(({ at }) => cellText(cells[at]).trim() !== '')
    const deepest = filled.at(-1)
    if (deepest === undefined) return uri
    for (const column of filled) {
      const label = inOneLine(cellText(cells[column.at])).trim()
      const cell = cellName(sheet, number, column.at)
      const isDeepest = column === deepest
      if (path[column.level]?.label === label && !isDeepest) continue
      path.length = column.level
      const above = path.findLast((step) => step !== undefined)
      if (above === undefined && column.level > Math.min(...levels.map(({ level }) => level))) {
        this.#context.mistake('violation', cell, MISTAKES.nothingAbove(label))
      }
      const names = [...path.filter((step) => step !== undefined).map((step) => step.label), label]
      const name = isDeepest && uri === undefined ? rowName(columns, cells) : undefined
      const key = JSON.stringify(names)
      const labelColumn = propertyColumn(`${SKOS}prefLabel`)
      const labels = readValues(
        label,
        { ...labelColumn, language: column.language, separators: '' },
        this.#settings(columns, labelColumn, cells),
      )
      const step = this.#steps.get(key)
      const stepUri =
        (isDeepest ? uri : undefined) ??
        (name && name.origin !== 'its label'
          ? this.#mint(table, name, { number, cells }, labels)
          : (step ??
            this.#uris.mint(names.map((part) => part.replaceAll('/', ' ')).join('/'), 'its label', cell, true)))
      if (stepUri === undefined) return undefined
      path[column.level] = { label, uri: stepUri }
      if (step === stepUri) continue
      this.#steps.set(key, stepUri)
      quads.push(DataFactory.quad(named(stepUri), TYPE, named(CONCEPT)))
      if (this.#context.scheme !== undefined)
        quads.push(DataFactory.quad(named(stepUri), named(IN_SCHEME), named(this.#context.scheme)))
      if (above) quads.push(DataFactory.quad(named(stepUri), named(`${SKOS}broader`), named(above.uri)))
      for (const read of labels) {
        this.#cells.add(quads, stepUri, labelColumn, read, cell)
        if ('term' in read) this.#cells.references.add(read.term.value, stepUri)
      }
    }
    return path[deepest.level]!.uri
  }

  /** Reads N-Triples, which may go on in the next row. */
  #readStatements(text: string, cell: string, quads: Quad[]): void {
    if (text.trim() === '') return
    const whole = (this.#statements?.text ?? '') + text
    const begin = this.#statements?.cell ?? cell
    this.#statements = { text: whole, cell: begin }
    if (!/\.\s*$/.test(whole)) return
    this.#statements = undefined
    try {
      quads.push(...quadsIn(whole))
    } catch (error) {
      this.#context.mistake('violation', begin, MISTAKES.noStatements(messageOf(error)))
    }
  }
}

type LevelColumn = PlacedColumn & { kind: 'level'; level: number; language: string | undefined }

/** A table while it is read. */
interface OpenTable {
  sheet: Sheet
  kind: TableKind
  columns: readonly PlacedColumn[]
  /** The texts of the heading. */
  heading: readonly string[]
  /** The concepts above, by level. */
  path: HierarchyStep[]
  /** By column, the first label with a semicolon, its cell, and the number of such labels. */
  semicolons: Map<number, [cell: string, text: string, count: number]>
  /** Notations that are numbers. */
  numbers: { cell: string; value: number; count: number } | undefined
  /** Rows so far. */
  rows: number
}
