import { columnName } from './sheet.ts'
import type { TextRow } from './table-writer.ts'

/** A sheet of a workbook that is written. */
export interface WrittenSheet {
  name: string
  /** All cells are texts; an empty text is an empty cell. */
  rows: Iterable<TextRow> | AsyncIterable<TextRow>
  /** False: the first row is no heading. */
  hasHeading?: boolean
}

/** Excel has room for so many rows. */
const MOST_ROWS = 1_048_576
/** The bytes of a part of a ZIP archive. */
const MOST_BYTES = 0xffffffff
/** Characters of a sheet to pack at a time. */
const PIECE = 1 << 16
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
/** Style 1 is text, so that a notation such as 010 stays as somebody types it. */
const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf numFmtId="49" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
const FROZEN =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

/** The time of all members of the archive, so that the same tables have the same bytes; ZIP has none before. */
const TIME = new Date(1980, 0, 1)

/**
 * A workbook (.xlsx, ECMA-376) in pieces. Every cell is text, so that none is a formula. More rows than a sheet can
 * have go on in another sheet. Memory holds one piece.
 *
 * @throws the errors of the rows; an Error if a sheet is larger than 4 GiB.
 */
export async function* xlsxFile(
  sheets: Iterable<WrittenSheet> | AsyncIterable<WrittenSheet>,
): AsyncGenerator<Uint8Array> {
  const { strToU8, Zip, ZipDeflate } = await import('fflate')
  let packed: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    packed.push(chunk)
  })
  const begin = (name: string) => {
    const part = new ZipDeflate(name)
    part.mtime = TIME
    zip.add(part)
    let bytes = 0
    return (text: string, isEnd = false) => {
      const piece = strToU8(text)
      bytes += piece.length
      if (bytes > MOST_BYTES) throw new Error('a sheet of the workbook is larger than 4 GiB')
      part.push(piece, isEnd)
    }
  }
  function* pieces(): Generator<Uint8Array> {
    yield* packed
    packed = []
  }
  const names: string[] = []
  for await (const { name, rows, hasHeading = true } of sheets) {
    let heading: TextRow = []
    let number = 0
    let write: ReturnType<typeof begin> | undefined
    let text = ''
    const beginSheet = (first: TextRow, sheetName: string) => {
      names.push(sheetName)
      write = begin(`xl/worksheets/sheet${names.length}.xml`)
      number = 0
      text = `${DECLARATION}<worksheet xmlns="${MAIN}">${hasHeading ? FROZEN : ''}${columnsXml(first)}<sheetData>`
    }
    const endSheet = () => write!(`${text}</sheetData></worksheet>`, true)
    for await (const row of rows) {
      if (write === undefined) beginSheet((heading = row), name)
      else if (number === MOST_ROWS) {
        endSheet()
        beginSheet(heading, `${name}_${names.length + 1}`)
        if (hasHeading) text += rowXml(heading, ++number)
      }
      text += rowXml(row, ++number)
      if (text.length < PIECE) continue
      write!(text)
      text = ''
      yield* pieces()
    }
    if (write === undefined) beginSheet([], name)
    endSheet()
    yield* pieces()
  }
  for (const [name, text] of contentsOf(names)) begin(name)(DECLARATION + text, true)
  zip.end()
  yield* pieces()
}

/** The parts of a workbook beside its sheets, by name. */
function contentsOf(sheets: readonly string[]): [name: string, text: string][] {
  const each = (text: (name: string, number: number) => string) =>
    sheets.map((name, at) => text(escaped(name), at + 1)).join('')
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`
  const content = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${type}+xml"/>`
  return [
    ['xl/styles.xml', STYLES],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${each((name, number) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${each((_, number) => relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`))}${relation('styles', 'styles', 'styles.xml')}</Relationships>`,
    ],
    [
      '_rels/.rels',
      `<Relationships xmlns="${PACKAGE}/relationships">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ],
    [
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${content('workbook', 'sheet.main')}${content('styles', 'styles')}${each((_, number) => content(`worksheets/sheet${number}`, 'worksheet'))}</Types>`,
    ],
  ]
}

/** The columns of a sheet, as wide as their headings. */
function columnsXml(heading: TextRow): string {
  const columns = heading.map((text, at) => {
    const width = Math.min(40, Math.max(12, text.length + 2))
    return `<col min="${at + 1}" max="${at + 1}" width="${width}" style="1" customWidth="1"/>`
  })
  return columns.length === 0 ? '' : `<cols>${columns.join('')}</cols>`
}

function rowXml(row: TextRow, number: number): string {
  const cells = row.map((text, at) => {
    const space = /^\s|\s$|[\n\t]/.test(text) ? ' xml:space="preserve"' : ''
    return text === ''
      ? ''
      : `<c r="${columnName(at)}${number}" s="1" t="inlineStr"><is><t${space}>${escaped(text)}</t></is></c>`
  })
  return `<row r="${number}">${cells.join('')}</row>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
