import { DataFactory, Parser } from 'n3'
import type { Quad, Quad_Object } from '@rdfjs/types'
import {
  BOOKKEEPING,
  COLLECTION,
  CONCEPT,
  CONCEPT_SCHEME,
  DCT,
  IN_SCHEME,
  NOTATION,
  ORDERED_COLLECTION,
  RDF_TYPE,
  SKOS,
} from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { messageOf } from '../../base/thrown.ts'
import { normaliseText } from '../../base/unicode.ts'
import { cellText, inOneLine } from './cell-text.ts'
import {
  expand,
  iriNamed,
  propertyColumn,
  readHeading,
  withOptions,
  withoutRemark,
  type Column,
  type PropertyColumn,
} from './heading.ts'
import { isWord, type PlacedColumn } from './heading-row.ts'
import { References, separated } from './references.ts'
import { readValues, type ColumnSettings, type Value } from './row-values.ts'
import {
  cellName,
  columnName,
  type CellValue,
  type Row,
  type Sheet,
  type TableOptions,
  type UriOrigin,
} from './sheet.ts'
import { KNOWN_PREFIXES, wordKey } from './words.ts'

/** The kinds of tables. */
export type TableKind = 'concepts' | 'collections'

/** The vocabulary of concepts without one in a check, which loads nothing. */
const UNNAMED = `${BOOKKEEPING}unnamed/`
const PREF_LABEL = `${SKOS}prefLabel`
const MEMBER = `${SKOS}member`
const STATUS_OF_VOCEXCEL = 'https://linked.data.gov.au/def/reg-statuses/'
const ERROR = /^#(N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)$/
const named = (iri: string) => DataFactory.namedNode(iri)
const TYPE = named(RDF_TYPE)

/** Words in columns of types. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['concept', CONCEPT],
  ['konzept', CONCEPT],
  ['begriff', CONCEPT],
  ['term', CONCEPT],
  ['collection', COLLECTION],
  ['sammlung', COLLECTION],
  ['orderedcollection', ORDERED_COLLECTION],
  ['conceptscheme', CONCEPT_SCHEME],
  ['scheme', CONCEPT_SCHEME],
  ['vokabular', CONCEPT_SCHEME],
])
/** The types of resources that are no concepts. */
const NO_CONCEPTS = [COLLECTION, ORDERED_COLLECTION, CONCEPT_SCHEME]

/** A cell that names a concept which may come later. */
interface Pending {
  cell: string
  subject: string
  column: PropertyColumn
  name: string
}

/** The concept on each level of a hierarchy by indented columns. */
interface Step {
  label: string
  uri: string
}

/**
 * Turns the rows of the tables of one file into statements. All tables share prefixes, the scheme, and the names of
 * concepts.
 */
export class TableGraph {
  readonly prefixes = new Map(Object.entries(KNOWN_PREFIXES))
  readonly #options: TableOptions
  readonly #isVocExcel: boolean
  readonly #references = new References()
  readonly #collections = new References()
  readonly #pending: Pending[] = []
  /** The text that made each URI, and its cell. */
  readonly #minted = new Map<string, { key: string; name: string; cell: string }>()
  /** The URIs of steps of hierarchies, by the labels above and their own. */
  readonly #steps = new Map<string, string>()
  readonly #described = new Set<string>()
  #scheme: string | undefined
  /** The cells that have given the URI of the scheme. */
  readonly #schemeCells = new Set<string>()
  #blanks = 0
  #statements: { text: string; cell: string } | undefined

  /** @param isVocExcel true for a workbook of VocExcel, whose texts are English unless the options say otherwise. */
  constructor(options: TableOptions, isVocExcel: boolean) {
    this.#options = isVocExcel ? { ...options, language: options.language ?? 'en' } : options
    this.#isVocExcel = isVocExcel
    this.#scheme = options.scheme
  }

  /** Tells of a mistake in a cell. */
  mistake(severity: 'violation' | 'warning', cell: string, message: string): void {
    this.#options.listener?.onMistake({ severity, cell, message: `${cell}: ${message}` })
  }

  /**
   * The statements about the scheme that rows of names and values make; takes its URI and prefixes from them first.
   *
   * @param isSheet true for a sheet of nothing else, in which `Prefix` without a namespace beside it is a field.
   */
  metadata(sheet: Sheet, rows: readonly Row[], isSheet = false): Quad[] {
    const lines: { column: Column; value: CellValue; cell: string }[] = []
    for (const { number, values } of rows) {
      const at = values.findIndex((value) => cellText(value).trim() !== '')
      const name = cellText(values[at])
        .trim()
        .replace(/[:*]+$/, '')
      if (at < 0) continue
      const value = values[at + 1] ?? null
      if (this.#isVocExcel && cellText(value).trim() === '' && /^required/i.test(cellText(values[at + 3]))) {
        this.mistake('violation', cellName(sheet, number, at + 1), `the template requires a value of "${name}"`)
      }
      const cell = cellName(sheet, number, at + 1)
      const namespace = cellText(values[at + 2]).trim()
      if (/^@?prefix$/i.test(name) && (!isSheet || isAbsoluteIri(namespace.replace(/^<(.*)>$/, '$1')))) {
        this.#prefix(cellText(value), namespace, cell)
        continue
      }
      const column = readHeading(name, this.prefixes)
      if (column === undefined || cellText(value).trim() === '' || this.#schemeCells.has(cell)) continue
      if (column.kind === 'uri' || column.kind === 'id') {
        const uri = expand(cellText(value).trim(), this.prefixes)
        if (uri !== undefined) this.#scheme = this.#options.scheme ?? uri
        else if (column.kind === 'uri')
          this.mistake('violation', cell, `expected the URI of the vocabulary, found "${cellText(value)}"`)
      } else lines.push({ column, value, cell })
    }
    if (lines.length === 0 && this.#scheme === undefined) return []
    const subject = this.#scheme ?? UNNAMED
    const quads: Quad[] = []
    if (this.#scheme !== undefined && !this.#described.has(subject)) {
      quads.push(DataFactory.quad(named(subject), TYPE, named(CONCEPT_SCHEME)))
      this.#described.add(subject)
    }
    const language = lines.find(
      ({ column }) => column.kind === 'language' || (column.kind === 'property' && column.field?.name === 'languages'),
    )
    const usual =
      this.#options.language ?? (language && /^[a-z]{2,3}(-\w+)*$/i.exec(cellText(language.value).trim())?.[0])
    const settings: ColumnSettings = { prefixes: this.prefixes, language: usual, isVocExcel: this.#isVocExcel }
    for (const { column, value, cell } of lines) {
      if (column.kind !== 'property') continue
      for (const term of this.#valuesOf(value, column, settings)) this.#add(quads, subject, column, term, cell)
    }
    return quads
  }

  /**
   * Takes the URI of the scheme from the first row of a sheet (SKOS Play: from B1), if that is a name and a URI.
   *
   * @param rows above the heading.
   * @param isCertain false: only if no field has the name.
   */
  readScheme(sheet: Sheet, rows: readonly Row[], isCertain: boolean): void {
    const [first] = rows
    if (first?.number !== 1) return
    const [name, value, ...more] = first.values.map((value) => cellText(value).trim())
    if (!name || !value || more.some((text) => text !== '') || /^@?prefix$/i.test(name)) return
    const uri = isAbsoluteIri(value) ? expand(value, this.prefixes) : undefined
    if (uri === undefined || (!isCertain && readHeading(name, this.prefixes) !== undefined)) return
    this.#scheme = this.#options.scheme ?? uri
    this.#schemeCells.add(cellName(sheet, 1, 1))
  }

  /** Adds a prefix of the table. */
  #prefix(prefix: string, namespace: string, cell: string): void {
    const name = prefix.trim().replace(/:$/, '')
    const iri = namespace.trim().replace(/^<(.*)>$/, '$1')
    if (iri === '') return
    if (isAbsoluteIri(iri)) this.prefixes.set(name, iri)
    else this.mistake('violation', cell, `expected the namespace of the prefix "${name}", found "${iri}"`)
  }

  /** Reads rows of prefixes and namespaces. */
  readPrefixes(sheet: Sheet, rows: readonly Row[]): void {
    for (const { number, values } of rows) {
      const [prefix, namespace] = values.map((value) => cellText(value)).slice(0, 2)
      if (namespace && /^<?[a-z][a-z0-9+.-]*:/i.test(namespace.trim())) {
        this.#prefix(prefix ?? '', namespace, cellName(sheet, number, 1))
      }
    }
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
    rows: Iterable<Row> | AsyncIterable<Row>,
  ): AsyncGenerator<Quad[]> {
    const heading = values.map((value) => cellText(value))
    const table: Table = { sheet, kind, columns, heading, path: [], numbers: undefined, rows: 0 }
    let quads: Quad[] = []
    for await (const row of rows) {
      this.#row(table, row, quads)
      table.rows++
      if (quads.length < QUADS_AT_ONCE) continue
      yield quads
      quads = []
    }
    if (table.numbers) {
      const { cell, count, value } = table.numbers
      const more = count > 1 ? ` and ${count - 1} more below` : ''
      this.mistake(
        'warning',
        cell,
        `the notation ${value}${more} is a number in the workbook, which cannot begin with 0; if it should, format the column as text`,
      )
    }
    yield quads
  }

  /** The statements of cells that name concepts, when all are known. */
  finish(): Quad[] {
    const quads: Quad[] = []
    let proposals = 0
    for (const { cell, subject, column, name } of this.#pending) {
      const isOfCollection = column.isInverse && column.property === MEMBER
      const references = isOfCollection ? this.#collections : this.#references
      const resolved = this.#resolve(name, references)
      if (resolved.length > 0 && resolved.every((uris) => uris.length === 1)) {
        for (const [uri] of resolved) this.#link(quads, subject, column, named(uri!))
        continue
      }
      const word = column.property === MEMBER ? 'member' : column.field?.name
      const several = resolved.find((uris) => uris.length > 1)
      if (several) {
        this.mistake(
          'violation',
          cell,
          `"${name}" is the name of ${several.length} concepts; write the notation or the URI of one`,
        )
        continue
      }
      const similar = proposals++ < MOST_PROPOSALS ? references.similar(name) : undefined
      const proposal = similar === undefined ? '' : `; did you mean "${similar}"?`
      this.mistake(
        'violation',
        cell,
        isOfCollection
          ? `there is no collection "${name}" here${proposal}`
          : `"${name}" is ${word} of nothing here${proposal || ': no concept has this notation, label or URI'}`,
      )
    }
    if (this.#statements) {
      this.mistake('violation', this.#statements.cell, 'the statements are not complete N-Triples')
    }
    return quads
  }

  /** The concepts that a cell names: one name, or several with commas between them. */
  #resolve(name: string, references: References): string[][] {
    const whole = references.find(name)
    if (whole.length > 0) return [whole]
    const names = separated(name)
    const urisByName = names.map((part) => {
      const iri = iriNamed(part, this.prefixes)
      if (iri !== undefined) return [iri]
      const exact = references.find(part)
      return exact.length > 0 ? exact : references.find(withoutRemark(part))
    })
    if (names.length === 1) return urisByName
    return urisByName.every((uris) => uris.length > 0) ? urisByName : [[]]
  }

  #row(table: Table, { number, values }: Row, quads: Quad[]): void {
    const { sheet, columns, kind } = table
    if (values.every((value) => cellText(value).trim() === '')) return
    const cellOf = (at: number) => cellName(sheet, number, at)
    const cells = values.map((value, at) => {
      if (typeof value !== 'string' || !ERROR.test(value)) return value
      if (!this.#isVocExcel && columns.some((column) => column.at === at)) {
        this.mistake('violation', cellOf(at), `the formula gives the error ${value}`)
      }
      return null
    })
    const text = (column: PlacedColumn) => cellText(cells[column.at]).trim()
    for (const column of columns)
      if (column.kind === 'statements') this.#readStatements(cellText(cells[column.at]), cellOf(column.at), quads)
    const subject = this.#subjectOf(table, { number, cells }, quads)
    if (subject === undefined) return
    const types = this.#typesOf(columns, cells, kind, cellOf)
    for (const type of types) quads.push(DataFactory.quad(named(subject), TYPE, named(type)))
    const isConcept = !types.some((type) => NO_CONCEPTS.includes(type))
    if (types.includes(CONCEPT_SCHEME)) this.#scheme ??= subject
    let isInScheme = !isConcept || this.#described.has(subject)
    this.#described.add(subject)
    for (const column of columns) {
      if (column.kind === 'id' && text(column) !== '' && expand(text(column), this.prefixes) === undefined) {
        this.#references.add(text(column), subject)
        quads.push(DataFactory.quad(named(subject), named(`${DCT}identifier`), DataFactory.literal(text(column))))
      }
      if (column.kind !== 'property' || column.property === RDF_TYPE) continue
      const value = cells[column.at] ?? null
      if (cellText(value).trim() === '') continue
      if (isTurtle(cellText(value).trim()) && !isWord(withOptions(table.heading[column.at] ?? '').name)) {
        this.mistake('warning', cellOf(column.at), 'a node or a list in the syntax of Turtle is not read')
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
        prefixes: this.prefixes,
        language: this.#languageOf(columns, column, cells) ?? this.#options.language,
        notationType: this.#notationType(columns, cells),
        isVocExcel: this.#isVocExcel,
      }
      if (column.subject !== undefined) {
        for (const about of this.#subjectsIn(table, column.subject, { number, cells }, cellOf(column.at))) {
          for (const object of this.#valuesOf(value, column, settings))
            this.#add(quads, about, column, object, cellOf(column.at))
        }
        continue
      }
      for (const object of this.#valuesOf(value, column, settings)) {
        if ('term' in object && (column.property === PREF_LABEL || column.property === NOTATION)) {
          if (isConcept) this.#references.add(object.term.value, subject)
          else if (!types.includes(CONCEPT_SCHEME)) this.#collections.add(object.term.value, subject)
        }
        this.#add(quads, subject, column, object, cellOf(column.at))
      }
    }
    if (!isInScheme && this.#scheme !== undefined && kind === 'concepts') {
      quads.push(DataFactory.quad(named(subject), named(IN_SCHEME), named(this.#scheme)))
    }
  }

  /** The URIs in another column of a row (SKOS Play, `subjectColumn`). @param wanted its letter or its heading. */
  #subjectsIn(
    { sheet, columns, heading }: Table,
    wanted: string,
    { number, cells }: { number: number; cells: readonly CellValue[] },
    cell: string,
  ): string[] {
    const isWanted = (at: number) =>
      columnName(at) === wanted.toUpperCase() || wordKey(withOptions(heading[at] ?? '').name) === wordKey(wanted)
    const column = columns.find(({ at }) => isWanted(at))
    const value = column && (cells[column.at] ?? null)
    if (column === undefined) {
      this.mistake('violation', cell, `there is no column ${wanted} that the statement could be about; it is not read`)
      return []
    }
    const settings = { prefixes: this.prefixes, language: undefined }
    const values = column.kind === 'property' ? readValues(value, column, settings) : []
    const uris = values.flatMap((read) =>
      'term' in read && read.term.termType === 'NamedNode' ? [read.term.value] : [],
    )
    const given = column.kind === 'uri' ? iriNamed(cellText(value).trim(), this.prefixes) : undefined
    if (given !== undefined) return [given]
    if (uris.length === 0) {
      this.mistake(
        'violation',
        cell,
        `expected a URI in ${cellName(sheet, number, column.at)}, which the statement is about`,
      )
    }
    return uris
  }

  #valuesOf(value: CellValue, column: PropertyColumn, settings: ColumnSettings): Value[] {
    if (this.#isVocExcel && column.field?.name === 'status') {
      const status = cellText(value).trim()
      return [
        {
          term: named(
            expand(status, this.prefixes) ?? `${STATUS_OF_VOCEXCEL}${encodeURIComponent(status.toLowerCase())}`,
          ),
        },
      ]
    }
    return readValues(value, column, settings)
  }

  #add(quads: Quad[], subject: string, column: PropertyColumn, value: Value, cell: string): void {
    if ('term' in value) this.#link(quads, subject, column, value.term)
    else if ('name' in value) this.#pending.push({ cell, subject, column, name: value.name })
    else if ('thing' in value) {
      const thing = DataFactory.blankNode(`#cell${this.#blanks++}`)
      quads.push(DataFactory.quad(thing, named(PREF_LABEL), value.thing))
      this.#link(quads, subject, column, thing)
    } else this.mistake('violation', cell, value.wrong)
  }

  #link(quads: Quad[], subject: string, { property, isInverse }: PropertyColumn, object: Quad_Object): void {
    const [from, to] = isInverse ? [object, named(subject)] : [named(subject), object]
    if (from.termType === 'Literal') return
    quads.push(DataFactory.quad(from, named(property), to))
  }

  #typesOf(
    columns: readonly PlacedColumn[],
    cells: readonly CellValue[],
    kind: TableKind,
    cellOf: (at: number) => string,
  ): string[] {
    const types = columns.flatMap((column) => {
      if (column.kind !== 'property' || column.property !== RDF_TYPE) return []
      return cellText(cells[column.at])
        .split(/[|\n,]/)
        .flatMap((text) => {
          const type = text.trim()
          if (type === '') return []
          const iri = TYPES.get(wordKey(type)) ?? expand(type, this.prefixes)
          if (iri !== undefined) return [iri]
          this.mistake('warning', cellOf(column.at), `"${type}" is no class; it is not read`)
          return []
        })
    })
    if (kind === 'collections') return types.length > 0 ? types : [COLLECTION]
    return types.some((type) => [...NO_CONCEPTS, CONCEPT].includes(type)) ? types : [CONCEPT, ...types]
  }

  #languageOf(
    columns: readonly PlacedColumn[],
    { field }: PropertyColumn,
    cells: readonly CellValue[],
  ): string | undefined {
    const labelled = columns.find(
      (column) => column.kind === 'language' && column.of !== undefined && column.of === field?.name,
    )
    const general = columns.find((column) => column.kind === 'language' && column.of === undefined)
    for (const column of [labelled, general]) {
      const tag = column && cellText(cells[column.at]).trim()
      if (tag) return tag
    }
    return undefined
  }

  #notationType(columns: readonly PlacedColumn[], cells: readonly CellValue[]): string | undefined {
    const column = columns.find(({ kind }) => kind === 'notation datatype')
    return column && expand(cellText(cells[column.at]).trim(), this.prefixes)
  }

  /** The URI of the concept of a row; undefined if the row has none. */
  #subjectOf(
    table: Table,
    { number, cells }: { number: number; cells: readonly CellValue[] },
    quads: Quad[],
  ): string | undefined {
    const { sheet, columns, kind } = table
    const given = columns.find(
      (column) =>
        (column.kind === 'uri' || column.kind === 'collection uri') && cellText(cells[column.at]).trim() !== '',
    )
    const uri = given && this.#givenUri(cellText(cells[given.at]).trim(), cellName(sheet, number, given.at))
    const levels = columns.filter((column) => column.kind === 'level')
    if (levels.length > 0) return this.#levelSubject(table, levels, { number, cells }, uri, quads)
    if (given) return uri
    if (this.#isVocExcel && table.rows === 0) return undefined
    const name = this.#nameOf(columns, cells)
    if (name === undefined) {
      const isStatement = columns.some(
        (column) => column.kind === 'statements' && cellText(cells[column.at]).trim() !== '',
      )
      const filled = cells.findIndex(
        (value, at) => cellText(value).trim() !== '' && columns.some((column) => column.at === at),
      )
      if (!isStatement && filled >= 0) {
        this.mistake(
          'violation',
          cellName(sheet, number, filled),
          `the ${kind === 'concepts' ? 'concept' : 'collection'} of row ${number} has no URI, no notation and no label`,
        )
      }
      return undefined
    }
    return this.#mint(name.text, name.origin, cellName(sheet, number, name.at))
  }

  #givenUri(text: string, cell: string): string | undefined {
    const iri = iriNamed(text, this.prefixes)
    if (iri !== undefined) return iri
    if (/^[^\s<>"{}|^`\\]+$/.test(text) && !/^[a-z][a-z0-9+.-]*:/i.test(text)) return this.#mint(text, 'its id', cell)
    // Like VocExcel, which leaves out of the end of a URI all that is neither letter nor digit.
    const [, before, end] = /^(https?:\/\/.*[/#])([^/#]+)$/i.exec(text) ?? []
    const cleaned =
      this.#isVocExcel && before !== undefined ? before + end!.replace(/[^\p{L}\p{N}_.~-]/gu, '') : undefined
    if (cleaned !== undefined && isAbsoluteIri(cleaned)) {
      this.mistake('warning', cell, `"${text}" is no URI; it became <${cleaned}>`)
      return cleaned
    }
    // The explanation below the heading of a template.
    if (!(this.#isVocExcel && /\s/.test(text)))
      this.mistake('violation', cell, `expected a URI, found "${text}"; the row is not read`)
    return undefined
  }

  /** The text that a URI is made from: the notation, else the id, else the first preferred label. */
  #nameOf(
    columns: readonly PlacedColumn[],
    cells: readonly CellValue[],
  ): { text: string; origin: UriOrigin; at: number } | undefined {
    const first = (origin: UriOrigin, isIt: (column: PlacedColumn) => boolean) => {
      for (const column of columns) {
        if (!isIt(column)) continue
        const whole = cellText(cells[column.at])
        const [text] = (origin === 'its label' ? inOneLine(whole) : whole).split(/[|\n]/)
        if (text!.trim() !== '') return { text: text!.trim(), origin, at: column.at }
      }
      return undefined
    }
    const has = (property: string) => (column: PlacedColumn) =>
      column.kind === 'property' && column.property === property
    return (
      first('its notation', has(NOTATION)) ??
      first('its id', ({ kind }) => kind === 'id') ??
      first('its label', has(PREF_LABEL))
    )
  }

  /** The URI that a text makes; undefined if another text has made it already. */
  #mint(name: string, origin: UriOrigin, cell: string, isPath = false): string | undefined {
    const given = origin === 'its id' ? expand(name, this.prefixes) : undefined
    if (given !== undefined) return given
    const namespace =
      this.#scheme === undefined ? UNNAMED : /[/#:=]$/.test(this.#scheme) ? this.#scheme : `${this.#scheme}/`
    const label = origin === 'its label' && !isPath ? name.replace(/@[a-z]{2,3}$/, '') : name
    const uri = namespace + (isPath ? label.split('/').map(encoded).join('/') : encoded(label))
    const key = `${origin} ${name}`
    const minted = this.#minted.get(uri)
    if (minted === undefined) {
      this.#minted.set(uri, { key, name, cell })
      this.#options.listener?.onMinted(origin)
    } else if (minted.key !== key) {
      const message = `"${name}" makes the URI <${uri}>, as "${minted.name}" in ${minted.cell} does`
      this.mistake('violation', cell, `${message}; give one of them another notation or a URI; the row is not read`)
      return undefined
    } else if (origin === 'its label' && this.#described.has(uri)) {
      this.mistake('warning', cell, `another row has the same label "${name}"; both are one concept`)
    }
    return uri
  }

  /** The concept of a row in a hierarchy by indented columns: that on the deepest level that the row names. */
  #levelSubject(
    table: Table,
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
        this.mistake('violation', cell, `"${label}" has nothing above it: the level before is empty in all rows so far`)
      }
      const names = [...path.filter((step) => step !== undefined).map((step) => step.label), label]
      const name = isDeepest && uri === undefined ? this.#nameOf(columns, cells) : undefined
      const key = JSON.stringify(names)
      const step = this.#steps.get(key)
      const stepUri =
        (isDeepest ? uri : undefined) ??
        (name && name.origin !== 'its label'
          ? this.#mint(name.text, name.origin, cell)
          : (step ?? this.#mint(names.map((part) => part.replaceAll('/', ' ')).join('/'), 'its label', cell, true)))
      if (stepUri === undefined) return undefined
      path[column.level] = { label, uri: stepUri }
      if (step === stepUri) continue
      this.#steps.set(key, stepUri)
      quads.push(DataFactory.quad(named(stepUri), TYPE, named(CONCEPT)))
      if (this.#scheme !== undefined)
        quads.push(DataFactory.quad(named(stepUri), named(IN_SCHEME), named(this.#scheme)))
      if (above) quads.push(DataFactory.quad(named(stepUri), named(`${SKOS}broader`), named(above.uri)))
      const labelColumn = propertyColumn(`${SKOS}prefLabel`)
      const settings: ColumnSettings = {
        prefixes: this.prefixes,
        language: this.#languageOf(columns, labelColumn, cells) ?? this.#options.language,
      }
      for (const read of readValues(label, { ...labelColumn, language: column.language, separators: '' }, settings)) {
        this.#add(quads, stepUri, labelColumn, read, cell)
        if ('term' in read) this.#references.add(read.term.value, stepUri)
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
      quads.push(...new Parser({ format: 'application/n-triples', blankNodePrefix: '_:' }).parse(whole))
    } catch (error) {
      this.mistake('violation', begin, `expected N-Triples: ${messageOf(error)}`)
    }
  }
}

type LevelColumn = PlacedColumn & { kind: 'level'; level: number; language: string | undefined }

/** A table while it is read. */
interface Table {
  sheet: Sheet
  kind: TableKind
  columns: readonly PlacedColumn[]
  /** The texts of the heading. */
  heading: readonly string[]
  /** The concepts above, by level. */
  path: Step[]
  /** Notations that are numbers. */
  numbers: { cell: string; value: number; count: number } | undefined
  /** Rows so far. */
  rows: number
}

const QUADS_AT_ONCE = 5000
/** Names to compare with all others, which takes long in a large table. */
const MOST_PROPOSALS = 100

/** A text as the end of an IRI: white space as a hyphen, signs percent-encoded, letters of all scripts as they are. */
function encoded(text: string): string {
  return normaliseText(text)
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}._~-]/gu, (sign) =>
      encodeURIComponent(/\p{Surrogate}/u.test(sign) ? '\ufffd' : sign).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'))
}

const TURTLE_TERM = String.raw`(?:<[^<>\s]*>|[\w-]*:[\w.-]+|"[^"]*"(?:@[\w-]+)?)`
const TURTLE_NODE = new RegExp(String.raw`^\[\s*(?:a|${TURTLE_TERM})\s[^]*\]$`)
const TURTLE_LIST = new RegExp(String.raw`^\(\s*${TURTLE_TERM}(?:\s+${TURTLE_TERM})*\s*\)$`)

/**
 * True for a blank node or a list as Turtle writes it, which SKOS Play reads in cells of columns that are named like
 * properties.
 */
function isTurtle(text: string): boolean {
  return TURTLE_NODE.test(text) || TURTLE_LIST.test(text)
}
