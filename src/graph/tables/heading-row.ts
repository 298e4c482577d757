import { NOTATION } from '../../base/namespaces.ts'
import { cellText } from './cell-text.ts'
import { expand, PREF_LABEL, propertyColumn, readHeading, type HeadingColumn, type Prefixes } from './heading.ts'
import type { CellValue, SheetRow } from './sheet.ts'
import { KNOWN_PREFIXES, languageNamed } from './words.ts'

/** A column and its place. */
export type PlacedColumn = HeadingColumn & { at: number }

/** The heading of a table. */
export interface Heading {
  /** Its place among the first rows. */
  at: number
  columns: PlacedColumn[]
  /** True if it has a column of URIs, and the cells below are such. */
  hasUris: boolean
  /** The places of rows that repeat or explain the heading: names of properties, `Required`. They are no data. */
  explaining: ReadonlySet<number>
}

/** Longer texts are no headings. */
const MOST_OF_HEADING = 200
/** A name of a property, as vocabularies of properties have it. */
const PROPERTY_NAME = /^\^?(?:[A-Za-z][\w-]*:[\w.-]+|<[^<>\s]+>|https?:\/\/[^\s@^]+)(?:@[\w-]+|\^\^\S+)?$/
/** How templates mark columns that have to be filled in. */
const DUTY =
  /^\(?(?:required|optional|mandatory|recommended|read-?only|pflicht|pflichtfeld|erforderlich|freiwillig|empfohlen)\b/i

/** A row that may be the heading. */
interface Candidate {
  at: number
  columns: PlacedColumn[]
  /** True if it has a column of URIs, and the cells below are such. */
  hasUris: boolean
  /** True if it has names of properties and no words. */
  hasNames: boolean
}

/**
 * The heading row among the first rows of a sheet: one with a column of URIs before others, then the one with the
 * most columns. A row of nothing but names of properties is the heading only if no other row has the same columns in
 * words.
 *
 * @returns undefined if no row has a column that identifies the concept of a row.
 */
export function findHeading(rows: readonly SheetRow[], prefixes: Prefixes): Heading | undefined {
  const declared = new Map(prefixes)
  const candidates: Candidate[] = []
  for (const [at, { values }] of rows.entries()) {
    const [name, prefix, namespace] = values.map((value) => cellText(value).trim())
    if (/^@?prefix$/i.test(name ?? '') && prefix && namespace) declared.set(prefix.replace(/:$/, ''), namespace)
    const columns = columnsOf(values, declared)
    if (columns.some(tellsApart)) candidates.push({ at, columns, hasUris: false, hasNames: consistsOfNames(values) })
  }
  for (const candidate of candidates)
    candidate.hasUris = candidate.columns.length > 1 && hasUrisBelow(candidate, rows, declared)
  const inWords = candidates.filter(
    (candidate) =>
      !candidate.hasNames || !candidates.some((other) => !other.hasNames && isSameHeading(other, candidate.columns)),
  )
  const most = (all: readonly Candidate[]) =>
    all.reduce<Candidate | undefined>(
      (best, candidate) => (best && best.columns.length >= candidate.columns.length ? best : candidate),
      undefined,
    )
  const best = most(inWords.filter(({ hasUris }) => hasUris)) ?? most(inWords)
  if (best) return explained(best, rows, declared)
  const at = rows.findIndex(({ values }) => filledOf(values).length > 0)
  const { values } = rows[at] ?? { values: [] }
  const columns = withLanguages(values, columnsOf(values, declared))
  const isHeading = columns.length > 1 && columns.length === filledOf(values).length && columns.some(tellsApart)
  return isHeading ? explained({ at, columns, hasUris: false, hasNames: false }, rows, declared) : undefined
}

/**
 * The columns of a heading with those whose heading is the name of a language and nothing else: preferred labels, if no
 * other column has those of this language. A row of data may also have names of languages, so they make a row the
 * heading only if there is no other.
 */
function withLanguages(values: readonly CellValue[], columns: readonly PlacedColumn[]): PlacedColumn[] {
  const complete = [...columns]
  for (const [at, value] of values.entries()) {
    const name = cellText(value).trim()
    // A tag is too short to be sure.
    const language = name.length > 3 ? languageNamed(name) : undefined
    const isLabelled = (column: PlacedColumn) =>
      column.at === at || (column.kind === 'property' && column.property === PREF_LABEL && column.language === language)
    if (language !== undefined && !complete.some(isLabelled))
      complete.push({ ...propertyColumn(PREF_LABEL, { language }), at })
  }
  return complete
}

/** True for a column that identifies the concept of a row. */
function tellsApart(column: HeadingColumn): boolean {
  if (column.kind === 'property') return [PREF_LABEL, NOTATION].includes(column.property)
  return column.kind === 'uri' || column.kind === 'id' || column.kind === 'collection uri' || column.kind === 'level'
}

/** The columns of a row, if it is a heading. */
function columnsOf(values: readonly CellValue[], prefixes: Prefixes): PlacedColumn[] {
  return values.flatMap((value, at): PlacedColumn[] => {
    if (typeof value !== 'string' || value.trim() === '' || value.length > MOST_OF_HEADING) return []
    const column = readHeading(value, prefixes)
    return column ? [{ ...column, at }] : []
  })
}

function filledOf(values: readonly CellValue[]): string[] {
  return values.map((value) => cellText(value).trim()).filter((text) => text !== '')
}

/** True if most cells of a row are names of properties, one or several in a cell. */
function consistsOfNames(values: readonly CellValue[]): boolean {
  const filled = filledOf(values)
  const names = filled.filter((text) => text.split(/[\s,;|]+/).every((name) => name === '' || PROPERTY_NAME.test(name)))
  return names.length * 2 > filled.length
}

function isUriColumn({ kind }: HeadingColumn): boolean {
  return kind === 'uri' || kind === 'collection uri'
}

/** True if the cells below a column of URIs have some, or are all empty. */
function hasUrisBelow({ at, columns }: Candidate, rows: readonly SheetRow[], prefixes: Prefixes): boolean {
  const places = columns.filter(isUriColumn).map((column) => column.at)
  return places.some((place) => {
    const below = rows.slice(at + 1).flatMap(({ values }) => filledOf([values[place] ?? null]))
    return below.length === 0 || below.some((text) => expand(text, prefixes) !== undefined)
  })
}

/** True if two columns have the same meaning. */
function isSame(left: HeadingColumn, right: HeadingColumn): boolean {
  if (left.kind === 'property') return right.kind === 'property' && left.property === right.property
  return left.kind === right.kind
}

function sameColumns(columns: readonly PlacedColumn[], compared: readonly PlacedColumn[]): number {
  return columns.filter((column) => compared.some((other) => other.at === column.at && isSame(column, other))).length
}

/** True if a heading in words has columns of a row of names. A single one may be a value. */
function isSameHeading({ columns, hasUris }: Candidate, names: readonly PlacedColumn[]): boolean {
  return sameColumns(columns, names) > (hasUris ? 0 : 1)
}

/** True if a row has the URI of a resource, which is no name of a property, in a column of URIs. */
function hasUri(values: readonly CellValue[], columns: readonly PlacedColumn[], prefixes: Prefixes): boolean {
  return columns.filter(isUriColumn).some(({ at }) => {
    const uri = expand(cellText(values[at]).trim(), prefixes)
    return uri !== undefined && !Object.values(KNOWN_PREFIXES).some((namespace) => uri.startsWith(namespace))
  })
}

/** A heading with what the rows above and below determine about its columns. */
function explained({ at, columns, hasUris }: Candidate, rows: readonly SheetRow[], prefixes: Prefixes): Heading {
  const explaining = new Set<number>()
  const complete = withLanguages(rows[at]!.values, columns)
  const takeNames = (names: readonly PlacedColumn[]) => {
    for (const name of names) {
      const place = complete.findIndex((column) => column.at === name.at)
      const column = complete[place]
      if (!column) complete.push(name)
      else if (name.kind === 'property' && column.kind === 'property' && isSame(name, column)) {
        if (column.language === undefined && column.datatype === undefined) complete[place] = name
      }
    }
  }
  for (const [place, { values }] of rows.entries()) {
    if (place === at) continue
    const isBelow = place > at
    // Below the heading, the first row with data ends what explains it.
    if (isBelow && filledOf(values).length === 0) continue
    if (isBelow && hasUri(values, columns, prefixes)) break
    const repeated = columnsOf(values, prefixes)
    const same = sameColumns(columns, repeated)
    const isOfNames = same > 0 && consistsOfNames(values)
    if (isOfNames) takeNames(repeated)
    const texts = filledOf(values)
    const repeats = isBelow && same > 1 && repeated.length === texts.length
    const isDuty = isBelow && texts.length > 1 && texts.every((text) => DUTY.test(text))
    if (isOfNames || repeats || isDuty) explaining.add(place)
    else if (isBelow) break
  }
  return { at, columns: complete.sort((a, b) => a.at - b.at), hasUris, explaining }
}

/**
 * The rows above the heading with names and values, without one that is a part of it: there a heading stands beside the
 * first.
 */
export function rowsAbove(first: readonly SheetRow[], { at, explaining }: Heading, prefixes: Prefixes): SheetRow[] {
  const rows = first.slice(0, at).filter((_, place) => !explaining.has(place))
  const { values } = rows.at(-1) ?? { values: [] }
  const beside = values.findIndex((value) => cellText(value).trim() !== '') + 1
  const column = readHeading(cellText(values[beside]).slice(0, MOST_OF_HEADING), prefixes)
  // Addresses and prefixed names are values.
  const isHeading = column !== undefined && (column.kind !== 'property' || column.field !== undefined)
  return isHeading ? rows.slice(0, -1) : rows
}

/** A row that gives a field a value. */
interface RowWithValue {
  row: SheetRow
  /** The first filled cell, which is the name of the field. */
  name: string
  column: HeadingColumn
  /** The cell beside it. */
  value: string
}

/** The rows of a sheet that give a field a value: its name in their first filled cell, the value beside it. */
export function rowsWithValues(rows: readonly SheetRow[], prefixes: Prefixes): RowWithValue[] {
  return rows.flatMap((row) => {
    const { values } = row
    const at = values.findIndex((value) => cellText(value).trim() !== '')
    const name = cellText(values[at]).trim()
    const column = readHeading(name.slice(0, MOST_OF_HEADING), prefixes)
    return column && filledOf(values).length >= 2 ? [{ row, name, column, value: cellText(values[at + 1]).trim() }] : []
  })
}

/** True for a heading in words, false for the name of a property such as `skos:prefLabel`. */
export function isWord(heading: string): boolean {
  return !PROPERTY_NAME.test(heading)
}
