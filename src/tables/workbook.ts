import { readFile, stat } from 'node:fs/promises'
import { unzipSync, type UnzipFileInfo } from 'fflate'
import type { Sheet as HucreSheet } from 'hucre'
import { InputError } from '../files/input-error.ts'
import { isCompoundFile, type ReadProgress } from '../files/text.ts'
import { messageOf } from '../thrown.ts'
import type { CellValue, Row, Sheet } from './sheet.ts'

/** The largest file of a workbook, and the most that its parts may be together when unpacked, in bytes. */
const MOST_BYTES = 100 * 2 ** 20
const MOST_UNPACKED_BYTES = 400 * 2 ** 20
/** Parts with the content of a workbook. */
const CONTENT = /\.(xml|rels)$/i

/**
 * The sheets of a workbook (.xlsx, ECMA-376) or of an OpenDocument spreadsheet (.ods): of formulas the values that the workbook
 * has. Nothing is run, and nothing is fetched.
 *
 * @throws InputError if the file is too large, damaged, encrypted or none of these, has macros or refers to other workbooks.
 */
export async function readWorkbook(file: string, onProgress?: ReadProgress): Promise<Sheet[]> {
  const { size } = await stat(file)
  if (size > MOST_BYTES) throw new InputError('the workbook is larger than 100 MiB; save it as .csv.', file)
  const bytes = new Uint8Array(await readFile(file))
  const isOds = inspect(file, bytes)
  try {
    const sheets = isOds
      ? (await (await import('hucre/ods')).readOds(bytes)).sheets
      : (await (await import('hucre/xlsx')).readXlsx(bytes, { readStyles: true, sheets: worksheetsOf(bytes) })).sheets
    onProgress?.(size, size)
    return sheets.map(toSheet)
  } catch (error) {
    throw new InputError(`the workbook cannot be read: ${messageOf(error)}`, file)
  }
}

/** The name of the stream of an encrypted workbook (MS-OFFCRYPTO, section 1.3.3). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

/** @returns true for an OpenDocument spreadsheet. @throws InputError for what must not be opened. */
function inspect(file: string, bytes: Uint8Array): boolean {
  if (isCompoundFile(bytes)) {
    throw new InputError(
      Buffer.from(bytes.buffer).includes(ENCRYPTED)
        ? 'the workbook is encrypted; save it without a password.'
        : 'the workbook has the format of Excel 97 to 2003 (.xls); save it as .xlsx.',
      file,
    )
  }
  const parts = partsOf(file, bytes)
  let unpacked = 0
  for (const { name, size, originalSize } of parts) {
    unpacked += originalSize
    // Without its size nobody knows where unpacking a part would end.
    if (CONTENT.test(name) && (size === 0 || originalSize === 0)) throw new InputError('the workbook is damaged.', file)
  }
  if (unpacked > MOST_UNPACKED_BYTES) {
    throw new InputError('the workbook would unpack to more than 400 MiB; save it as .csv.', file)
  }
  const has = (part: RegExp) => parts.some(({ name }) => part.test(name))
  if (has(/vbaProject\.bin$|^Basic\/|^Scripts\//i)) {
    throw new InputError('the workbook has macros; save it as .xlsx or .ods without them.', file)
  }
  if (has(/^xl\/externalLinks\//i)) {
    throw new InputError(
      'the workbook has links to other workbooks, which are not read; break the links and save it.',
      file,
    )
  }
  const isOds = has(/^content\.xml$/)
  if (isOds && isEncrypted(bytes)) throw new InputError('the workbook is encrypted; save it without a password.', file)
  if (!isOds && !has(/^\[Content_Types\]\.xml$/i)) {
    throw new InputError('the file is a ZIP archive, but no workbook (.xlsx or .ods).', file)
  }
  if (!isOds && !has(/^xl\/workbook\.xml$/i) && !has(/^xl\//i)) {
    throw new InputError('the file is a document of another program, expected a workbook (.xlsx or .ods).', file)
  }
  return isOds
}

function partsOf(file: string, bytes: Uint8Array): UnzipFileInfo[] {
  const parts: UnzipFileInfo[] = []
  try {
    unzipSync(bytes, {
      filter(part) {
        parts.push(part)
        return false
      },
    })
  } catch {
    throw new InputError('the file is no workbook: expected .xlsx or .ods.', file)
  }
  return parts
}

function isEncrypted(bytes: Uint8Array): boolean {
  const found = unzipSync(bytes, {
    filter: ({ name, originalSize }) => name === 'META-INF/manifest.xml' && originalSize < 2 ** 20,
  })
  const manifest = found['META-INF/manifest.xml']
  return manifest !== undefined && Buffer.from(manifest).includes('encryption-data')
}

/** Tells the sheets with cells from those with a chart alone, which the package takes for damage (ECMA-376, part 1, section 12.3.2). */
function worksheetsOf(bytes: Uint8Array): (sheet: unknown, index: number) => boolean {
  const names = ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels']
  const parts = unzipSync(bytes, { filter: ({ name }) => names.includes(name) })
  const [book, relations] = names.map((name) => new TextDecoder().decode(parts[name]))
  const charts = [...relations!.matchAll(/<Relationship\b[^>]*\/chartsheet"[^>]*>/g)].map(
    ([relation]) => /\bId="([^"]*)"/.exec(relation)?.[1],
  )
  const sheets = [...book!.matchAll(/<(?:\w+:)?sheet\b[^>]*>/g)].map(([sheet]) => /\w:id="([^"]*)"/.exec(sheet)?.[1])
  return (_, index) => sheets[index] === undefined || !charts.includes(sheets[index])
}

function toSheet(sheet: HucreSheet): Sheet {
  const { name, rows, cells, merges = [], hidden, veryHidden } = sheet
  const filled = rows as CellValue[][]
  const withoutValue: [row: number, column: number][] = []
  for (const [place, { value, style, formula, formulaResult }] of cells ?? []) {
    const [row, column] = place.split(',').map(Number) as [number, number]
    const shown = formula === undefined ? value : (formulaResult ?? value)
    if (formula !== undefined && filled[row]) filled[row][column] = shown
    if (formula !== undefined && shown === null) withoutValue.push([row + 1, column])
    const zeros = /^"?(0{2,})"?$/.exec(style?.numFmt ?? '')?.[1]
    if (typeof value !== 'number' || zeros === undefined || !filled[row]) continue
    filled[row][column] = (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(zeros.length, '0')
  }
  // A value of merged cells stands in each row that they take, in the first of their columns.
  for (const { startRow, startCol, endRow } of merges) {
    const value = filled[startRow]?.[startCol] ?? null
    for (let row = startRow + 1; row <= Math.min(endRow, filled.length - 1); row++) merged(filled, row, startCol, value)
  }
  return { name, isHidden: Boolean(hidden ?? veryHidden), rows: numbered(filled), withoutValue }
}

function merged(rows: CellValue[][], row: number, column: number, value: CellValue): void {
  rows[row] ??= []
  rows[row][column] ??= value
}

function* numbered(rows: (CellValue[] | undefined)[]): Generator<Row> {
  for (let at = 0; at < rows.length; at++) {
    const values = rows[at]
    // Rows that were read need not stay.
    rows[at] = undefined
    if (values) yield { number: at + 1, values }
  }
}
