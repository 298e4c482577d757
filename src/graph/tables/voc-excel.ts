/** The conventions of workbooks that are made with a template of VocExcel. */
import { cellText } from './cell-text.ts'
import { namesConcepts, type HeadingColumn } from './heading.ts'
import type { CellValue, SheetRow, Sheet } from './sheet.ts'
import { comparisonKey } from './words.ts'

/** True for a workbook of VocExcel, whose sheet of the scheme marks the required values. */
export function isOfVocExcel(sheets: readonly { sheet: Sheet; first: readonly SheetRow[] }[]): boolean {
  const named = (name: string) => sheets.find(({ sheet }) => comparisonKey(sheet.name) === name)
  const scheme = named('conceptscheme')
  const isDuty = ({ values }: SheetRow) => /^(required|optional)\b/i.test(cellText(values[3]).trim())
  return scheme !== undefined && scheme.first.some(isDuty) && named('concepts') !== undefined
}

/** What a sheet is about; its other sheets are for people. */
export function contentOfVocExcel({ name }: Sheet): 'concepts' | 'scheme' | undefined {
  const key = comparisonKey(name)
  if (key === 'conceptscheme') return 'scheme'
  return /^(concepts|additionalconcept.*|collections)$/.test(key) ? 'concepts' : undefined
}

/** True if the sheet of the scheme requires a value that a row lacks. @param at the place of its name. */
export function lacksValue(values: readonly CellValue[], at: number): boolean {
  return cellText(values[at + 1]).trim() === '' && /^required/i.test(cellText(values[at + 3]))
}

/** Kinds of fields whose cells have one value each. */
const WHOLE: readonly unknown[] = [undefined, 'json', 'label', 'note', 'text']

/** A column with the separators of VocExcel, which takes the tag of an alternative label for a part of it. */
export function columnOfVocExcel<Of extends HeadingColumn>(column: Of): Of {
  if (column.kind !== 'property') return column
  const kind = column.field?.kind
  const separators = WHOLE.includes(kind) ? '' : '|\n,'
  return {
    ...column,
    separators: namesConcepts(column) ? '|\n,' : (column.separators ?? separators),
    isUntagged: kind === 'labels',
  }
}

/** The URI of a status. */
export function statusOfVocExcel(status: string): string {
  return `https://linked.data.gov.au/def/reg-statuses/${encodeURIComponent(status.toLowerCase())}`
}

/** A URI without the signs at its end that VocExcel leaves out; undefined if the text is none. */
export function uriOfVocExcel(text: string): string | undefined {
  const [, before, end] = /^(https?:\/\/.*[/#])([^/#]+)$/i.exec(text) ?? []
  return before === undefined ? undefined : before + end!.replace(/[^\p{L}\p{N}_.~-]/gu, '')
}
