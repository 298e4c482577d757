import { DataFactory } from 'n3'
import type { Literal, NamedNode } from '@rdfjs/types'
import { isDay } from '../jskos/date.ts'
import { isIri, holdsLinks } from '../jskos/fields.ts'
import { RDF, XSD } from '../../base/namespaces.ts'
import type { Message } from '../../base/message-languages.ts'
import { inOneLine } from '../../base/unicode.ts'
import { isStrictLanguageTag } from '../sparql/grammar.ts'
import { cellText, cellValues } from './cell-text.ts'
import {
  datatypeOf,
  expand,
  hasLanguage,
  iriNamed,
  namesConcepts,
  type Prefixes,
  type PropertyColumn,
} from './heading.ts'
import { MISTAKES } from './mistakes.ts'
import type { CellValue } from './sheet.ts'
import { languageNamed } from './words.ts'

/** A value of a cell: a term, a text that names a concept of the table, or one that nobody understands. */
export type Value =
  | { term: NamedNode | Literal }
  | { name: string }
  /** A thing without a URI, such as a publisher. */
  | { thing: Literal }
  | { wrong: Message }

/** The settings of a table by which the cells of a column are read. */
export interface ColumnSettings {
  prefixes: Prefixes
  /** The language of texts whose column has none. */
  language: string | undefined
  /** The datatype of notations. */
  notationType?: string | undefined
}

const DATE = `${XSD}date`
const DATE_TIME = `${XSD}dateTime`
/** The datatypes of dates by the lexical form (XML Schema Part 2, sections 3.3.7 to 3.3.11). */
const DATES: readonly [RegExp, string][] = [
  [/^-?\d{4}-\d\d-\d\d$/, DATE],
  [/^-?\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/, DATE_TIME],
  [/^-?\d{4}$/, `${XSD}gYear`],
  [/^-?\d{4}-(?:0[1-9]|1[0-2])$/, `${XSD}gYearMonth`],
]
const TRUE = ['true', '1', 'yes', 'y', 'x', 'ja', 'j', 'wahr', 'oui', '✓']
const FALSE = ['false', '0', 'no', 'n', 'nein', 'falsch', 'non', '-']
/** A text with its own language: `"Chat"@fr` or `Cat@en`. */
const QUOTED = /^"(.*)"@([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)$/s
const TAGGED = /^(.*[^\s@])@([a-z]{2,3}(?:-[A-Za-z0-9]+)*)$/s

/** Kinds of fields with one value, or one in each language: a line break in a cell separates nothing. */
const SINGLE: readonly string[] = ['label', 'date', 'boolean', 'url', 'text']

/** The characters between the values of a cell. */
function separatorsOf(column: PropertyColumn): string {
  if (column.separators !== undefined) return column.separators
  const { field } = column
  if (field?.kind === 'json') return ''
  if (field === undefined || field.kind === 'note' || field.kind === 'text') {
    return namesConcepts(column) ? '|\n' : '|'
  }
  return SINGLE.includes(field.kind) ? '|' : '|\n'
}

/** True for a text of several lines, each with its own language. */
function hasTaggedLines(text: string): boolean {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => QUOTED.test(line.trim()) || TAGGED.test(line.trim()))
}

/** The values that a cell gives a property. */
export function readValues(cell: CellValue | undefined, column: PropertyColumn, settings: ColumnSettings): Value[] {
  const text = cellText(cell)
  const separators = separatorsOf(column)
  const isSingle = column.field !== undefined && SINGLE.includes(column.field.kind) && !separators.includes('\n')
  const hasLines = isSingle && column.language === undefined && hasLanguage(column) && hasTaggedLines(text)
  const values = hasLines
    ? cellValues(text, `${separators}\n`)
    : cellValues(isSingle ? inOneLine(text) : text, separators)
  return values.map((value) => readValue(value, column, settings))
}

function readValue(text: string, column: PropertyColumn, { prefixes, language, notationType }: ColumnSettings): Value {
  const { field } = column
  if (hasLanguage(column)) return { term: textWithLanguage(text, column.language, language, !column.isUntagged) }
  if (field?.kind === 'date') return date(text, column)
  if (field?.kind === 'boolean') return truth(text)
  if (field?.kind === 'json') return { term: DataFactory.literal(text, DataFactory.namedNode(`${RDF}JSON`)) }
  if (namesConcepts(column)) {
    const concept = iriNamed(text, prefixes)
    return concept === undefined ? { name: text } : { term: DataFactory.namedNode(concept) }
  }
  const iri = field && isIri(field) ? iriNamed(text, prefixes) : expand(text, prefixes)
  if (field && holdsLinks(field)) {
    if (iri !== undefined) return { term: DataFactory.namedNode(iri) }
    return field.kind === 'schemes'
      ? { wrong: MISTAKES.noVocabulary(text) }
      : { thing: textWithLanguage(text, column.language, language, true) }
  }
  if (field && isIri(field)) {
    return iri === undefined ? { wrong: MISTAKES.noUri(text) } : { term: DataFactory.namedNode(iri) }
  }
  if (field?.name === 'notation') {
    return {
      term:
        notationType === undefined
          ? plainLiteral(text, column)
          : DataFactory.literal(text, DataFactory.namedNode(notationType)),
    }
  }
  if (field) return { term: plainLiteral(text, column) }
  if (column.language === undefined && column.datatype === undefined) {
    const quoted = QUOTED.exec(text)
    if (quoted) return { term: DataFactory.literal(quoted[1]!, quoted[2]) }
    if (iri !== undefined) return { term: DataFactory.namedNode(iri) }
  }
  return { term: plainLiteral(text, column) }
}

function plainLiteral(text: string, column: PropertyColumn): Literal {
  const datatype = datatypeOf(column)
  if (datatype !== undefined) return DataFactory.literal(text, DataFactory.namedNode(datatype))
  return DataFactory.literal(text, column.language)
}

function textWithLanguage(
  text: string,
  ofColumn: string | undefined,
  usual: string | undefined,
  mayHaveTag: boolean,
): Literal {
  const [, quoted, ofQuoted] = QUOTED.exec(text) ?? []
  if (quoted !== undefined) return DataFactory.literal(quoted, ofQuoted)
  if (ofColumn === undefined && mayHaveTag) {
    const [, before, tag] = TAGGED.exec(text) ?? []
    if (before !== undefined && isStrictLanguageTag(tag!) && languageNamed(tag!.split('-')[0]!) !== undefined) {
      return DataFactory.literal(before, tag)
    }
  }
  return DataFactory.literal(text, ofColumn ?? usual)
}

function date(text: string, column: PropertyColumn): Value {
  const day = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text)
  const iso = day ? `${day[3]}-${day[2]!.padStart(2, '0')}-${day[1]!.padStart(2, '0')}` : text
  const [, type] = DATES.find(([form]) => form.test(iso)) ?? []
  const isWrongDay = (type === DATE || type === DATE_TIME) && !isDay(iso.replace(/^-/, '').split('T', 1)[0]!)
  if (type === undefined || isWrongDay) return { wrong: MISTAKES.noDate(text) }
  if (column.datatype !== undefined) {
    const value = column.datatype === DATE ? iso.split('T', 1)[0]! : iso
    return { term: DataFactory.literal(value, DataFactory.namedNode(column.datatype)) }
  }
  return {
    term:
      column.field?.datatype === DATE
        ? DataFactory.literal(iso, DataFactory.namedNode(type))
        : DataFactory.literal(iso),
  }
}

function truth(text: string): Value {
  const word = text.toLowerCase()
  const value = TRUE.includes(word) ? 'true' : FALSE.includes(word) ? 'false' : undefined
  return value === undefined
    ? { wrong: MISTAKES.noTruth(text) }
    : { term: DataFactory.literal(value, DataFactory.namedNode(`${XSD}boolean`)) }
}
