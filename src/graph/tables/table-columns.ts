import type { Quad } from '@rdfjs/types'
import { FIELDS } from '../jskos/fields.ts'
import { NOTATION, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { isLiteral } from '../sparql/statements.ts'
import { expand, headingOf, namesConcepts, PREF_LABEL, readHeading, type PropertyColumn } from './heading.ts'
import { readValues, type ColumnSettings, type Value } from './row-values.ts'
import { KNOWN_PREFIXES } from './words.ts'

/** Excel has room for 32,767 characters in a cell. */
export const MOST_CELL_CHARACTERS = 32_000
/** The most columns of properties; the rarest properties get none. */
const MOST_COLUMNS = 300
const MEMBER = `${SKOS}member`
const PREFIXES = new Map(Object.entries(KNOWN_PREFIXES))
/** How exports are read: without options. */
const SETTINGS: ColumnSettings = { prefixes: PREFIXES, language: undefined }
/**
 * Characters that XML does not have, carriage returns, which it changes, and what workbooks take for an escape
 * (ECMA-376, ST_Xstring).
 */
// oxlint-disable-next-line no-control-regex
const NOT_IN_CELLS = /[\u0000-\u0009\u000b-\u001f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/

/** A column of a table that is written: for a property, and for one language. */
export interface WrittenColumn {
  key: string
  heading: string
  column: PropertyColumn
}

/** A value as the text of a cell. */
interface WrittenValue {
  column: WrittenColumn
  text: string
}

/** The columns of a table, by the statements that it has. */
export class TableColumns {
  readonly #counts = new Map<string, number>()
  readonly #columns = new Map<string, WrittenColumn | undefined>()

  /** Counts statements, whose columns will be among those of the table. */
  count(quads: Iterable<Quad>): void {
    for (const quad of quads) {
      const column = this.#columnOf(quad)
      if (column) this.#counts.set(column.key, (this.#counts.get(column.key) ?? 0) + 1)
    }
  }

  /** The columns of the statements that were counted, in the order of the fields of records. */
  chosen(): WrittenColumn[] {
    return [...this.#counts]
      .map(([key, count]) => ({ column: this.#columns.get(key)!, count }))
      .sort((a, b) => Number(isName(b.column)) - Number(isName(a.column)) || b.count - a.count)
      .slice(0, MOST_COLUMNS)
      .map(({ column }) => column)
      .sort((a, b) => place(a) - place(b) || (a.key < b.key ? -1 : 1))
  }

  /**
   * The cell of a statement; undefined if no cell can have it: reading one has to give exactly the object.
   *
   * @param nameOf the name by which a cell can name a concept.
   */
  write(quad: Quad, nameOf?: (uri: string) => string | undefined): WrittenValue | undefined {
    const column = this.#columnOf(quad)
    if (column === undefined) return undefined
    const { object } = quad
    const name = nameOf && namesConcepts(column.column) ? nameOf(object.value) : undefined
    if (name !== undefined) {
      const read = readCell(name, column)
      if (read && 'name' in read && read.name === name) return { column, text: name }
    }
    const read = readCell(object.value, column)
    if (read === undefined || !('term' in read)) return undefined
    const { term } = read
    if (term.termType !== object.termType || term.value !== object.value) return undefined
    if (isLiteral(term) && isLiteral(object)) {
      if (term.language !== object.language || term.datatype.value !== object.datatype.value) return undefined
    }
    return { column, text: object.value }
  }

  #columnOf(quad: Quad): WrittenColumn | undefined {
    const key = columnKey(quad)
    if (key === undefined) return undefined
    if (!this.#columns.has(key)) this.#columns.set(key, columnFor(quad, key))
    return this.#columns.get(key)
  }
}

/** True for an IRI that a cell reads as this IRI. */
export function readsAs(iri: string): boolean {
  return !NOT_IN_CELLS.test(iri) && expand(iri, PREFIXES) === iri
}

/** The only value that a cell with a text has; undefined if the text is not right for a cell or has several values. */
function readCell(text: string, { column }: WrittenColumn): Value | undefined {
  if (text.length > MOST_CELL_CHARACTERS || NOT_IN_CELLS.test(text)) return undefined
  const values = readValues(text, column, SETTINGS)
  return values.length === 1 ? values[0] : undefined
}

/** A column stands for a property, and for one language. The column `type` has a place of its own. */
function columnKey({ predicate, object }: Quad): string | undefined {
  if (object.termType === 'BlankNode' || predicate.value === RDF_TYPE) return undefined
  const language = isLiteral(object) ? object.language : ''
  return language === '' ? predicate.value : `${predicate.value}@${language}`
}

function columnFor({ predicate, object }: Quad, key: string): WrittenColumn | undefined {
  const language = isLiteral(object) ? object.language : ''
  const after = language === '' ? '' : `@${language}`
  const word = predicate.value === MEMBER ? ['member'] : []
  for (const name of [...word, headingOf(predicate.value, PREFIXES), `<${predicate.value}>`]) {
    const column = readHeading(name + after, PREFIXES)
    if (column?.kind !== 'property' || column.isInverse) continue
    if (column.property === predicate.value && (column.language ?? '') === language && column.datatype === undefined) {
      return { key, heading: name + after, column }
    }
  }
  return undefined
}

/** True for a column of the names by which cells name concepts. */
function isName({ column }: WrittenColumn): boolean {
  return column.property === PREF_LABEL || column.property === NOTATION
}

function place({ column }: WrittenColumn): number {
  const at = FIELDS.findIndex((field) => field === column.field)
  return at < 0 ? FIELDS.length : at
}
