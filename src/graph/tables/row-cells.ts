import { COLLECTION, CONCEPT, CONCEPT_SCHEME, NOTATION, ORDERED_COLLECTION, RDF_TYPE } from '../../base/namespaces.ts'
import { inOneLine } from '../../base/unicode.ts'
import { cellText } from './cell-text.ts'
import { expand, PREF_LABEL, type Prefixes, type PropertyColumn } from './heading.ts'
import type { PlacedColumn } from './heading-row.ts'
import { MISTAKES } from './mistakes.ts'
import type { CellValue, UriOrigin } from './sheet.ts'
import type { TableContext } from './table-context.ts'
import { comparisonKey } from './words.ts'

/** The kinds of tables. */
export type TableKind = 'concepts' | 'collections'

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
export const NO_CONCEPTS = [COLLECTION, ORDERED_COLLECTION, CONCEPT_SCHEME]

/** The classes that a row gives its resource. */
export function typesOf(
  context: TableContext,
  columns: readonly PlacedColumn[],
  cells: readonly CellValue[],
  kind: TableKind,
  cellOf: (at: number) => string,
): string[] {
  const types = columns.flatMap((column) => {
    if (column.kind !== 'property' || column.property !== RDF_TYPE) return []
    return typesIn(cellText(cells[column.at]), context.prefixes).flatMap(([text, type]) => {
      if (type !== undefined) return [type]
      context.mistake('warning', cellOf(column.at), MISTAKES.noClass(text))
      return []
    })
  })
  if (kind === 'collections') return types.length > 0 ? types : [COLLECTION]
  return types.some((type) => [...NO_CONCEPTS, CONCEPT].includes(type)) ? types : [CONCEPT, ...types]
}

/** The classes that a cell names, each with its text; undefined for what is no class. */
export function typesIn(cell: string, prefixes: Prefixes): [text: string, type: string | undefined][] {
  return cell.split(/[|\n,]/).flatMap((part): [string, string | undefined][] => {
    const text = part.trim()
    return text === '' ? [] : [[text, TYPES.get(comparisonKey(text)) ?? expand(text, prefixes)]]
  })
}

/** The language of a property in a row, if columns give it. */
export function rowLanguage(
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

/** The datatype of the notations of a row, if a column gives it. */
export function notationType(
  columns: readonly PlacedColumn[],
  cells: readonly CellValue[],
  prefixes: Prefixes,
): string | undefined {
  const column = columns.find(({ kind }) => kind === 'notation datatype')
  return column && expand(cellText(cells[column.at]).trim(), prefixes)
}

/** The text that the URI of a row is made from, and its column. */
export interface RowName {
  text: string
  origin: UriOrigin
  at: number
}

/** The name of a row: the notation, else the id, else the first preferred label. */
export function rowName(columns: readonly PlacedColumn[], cells: readonly CellValue[]): RowName | undefined {
  const first = (origin: UriOrigin, isIt: (column: PlacedColumn) => boolean) => {
    for (const column of columns) {
      if (!isIt(column)) continue
      const whole = cellText(cells[column.at])
      const [text] = (origin === 'its label' ? inOneLine(whole) : whole).split(/[|\n]/)
      if (text!.trim() !== '') return { text: text!.trim(), origin, at: column.at }
    }
    return undefined
  }
  const has = (property: string) => (column: PlacedColumn) => column.kind === 'property' && column.property === property
  return (
    first('its notation', has(NOTATION)) ??
    first('its id', ({ kind }) => kind === 'id') ??
    first('its label', has(PREF_LABEL))
  )
}

const TURTLE_TERM = String.raw`(?:<[^<>\s]*>|[\w-]*:[\w.-]+|"[^"]*"(?:@[\w-]+)?)`
const TURTLE_NODE = new RegExp(String.raw`^\[\s*(?:a|${TURTLE_TERM})\s[^]*\]$`)
const TURTLE_LIST = new RegExp(String.raw`^\(\s*${TURTLE_TERM}(?:\s+${TURTLE_TERM})*\s*\)$`)

/**
 * True for a blank node or a list as Turtle writes it, which SKOS Play reads in cells of columns that are named like
 * properties.
 */
export function isTurtle(text: string): boolean {
  return TURTLE_NODE.test(text) || TURTLE_LIST.test(text)
}
