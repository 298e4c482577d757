/**
 * OpenDocument spreadsheets (ODF 1.3, part 3) before the package reads them: what people see in a cell, and what is
 * hidden. The package takes the values of numbers, reads phonetic guides as text, and knows neither groups of rows
 * nor what is hidden.
 */

import { elements, replaceElements } from './xml-elements.ts'

/**
 * Rows that are grouped or repeated on each page stand within these (sections 9.1.9 to 9.1.12); without them, they are
 * rows like others.
 */
const GROUPS =
  /<\/?table:table-(?:row-group|header-rows|rows|column-group|header-columns|columns)\b(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/g
/** Readings above a text (section 6.4). */
const READINGS = 'text:ruby-text'
const HAS_NUMBER = /office:value-type="(?:float|percentage|currency)"/
/** What stands beside the text of a cell. */
const NOT_SHOWN = ['office:annotation', String.raw`draw:\w+`]

/** The content of a spreadsheet, with texts in the place of numbers that are shown in another way. */
export function asShown(content: string): string {
  const plain = replaceElements(content.replace(GROUPS, ''), READINGS, () => '')
  return replaceElements(plain, 'table:table-cell', ({ text: cell, attributes, inside }) => {
    if (!HAS_NUMBER.test(attributes)) return cell
    const visible = NOT_SHOWN.reduce((text, name) => replaceElements(text, name, () => ''), inside)
    const paragraphs = Array.from(elements(visible, 'text:p'), (paragraph) => paragraph.inside)
    const shown = paragraphs.map((text) => text.replace(/<[^<>]*>/g, '')).join('\n')
    const value = /office:value="([^"]*)"/.exec(attributes)?.[1]
    if (shown.trim() === '' || shown.trim() === value || shown.trim() === String(Number(value))) return cell
    const asText = attributes.replace(/((?:office|calcext):value-type)="\w+"/g, '$1="string"')
    return `<table:table-cell${asText}>${inside}</table:table-cell>`
  })
}

/** The parts of a sheet that nobody sees. */
export interface HiddenContent {
  isHidden: boolean
  /** From 1. */
  rows: Set<number>
  /** From 0. */
  columns: Set<number>
}

/** The largest number of rows or columns that one element repeats and that counts as hidden. */
const MOST_REPEATED = 100_000

/** The hidden parts of each sheet of a spreadsheet, in their order. @param content without groups of rows. */
export function hiddenContent(content: string): HiddenContent[] {
  const styles = new Set(
    [...elements(content, 'style:style')].flatMap(({ attributes, inside }) =>
      /style:family="table"/.test(attributes) && /table:display="false"/.test(inside)
        ? [/style:name="([^"]*)"/.exec(attributes)?.[1]]
        : [],
    ),
  )
  return Array.from(elements(content, 'table:table'), ({ attributes, inside }) => {
    const counts = { row: 0, column: 0 }
    const hidden = { row: new Set<number>(), column: new Set<number>() }
    for (const [, kind, rest = ''] of inside.matchAll(/<table:table-(row|column)\b([^<>]*)>/g)) {
      const what = kind as 'row' | 'column'
      const repeated = Number(/table:number-(?:rows|columns)-repeated="(\d+)"/.exec(rest)?.[1] ?? 1)
      if (/table:visibility="(?:collapse|filter)"/.test(rest)) {
        for (let nth = 0; nth < Math.min(repeated, MOST_REPEATED); nth++) hidden[what].add(counts[what] + nth)
      }
      counts[what] += repeated
    }
    const style = /table:style-name="([^"]*)"/.exec(attributes)?.[1]
    const rows = new Set([...hidden.row].map((row) => row + 1))
    return { isHidden: style !== undefined && styles.has(style), rows, columns: hidden.column }
  })
}
