import { readFile, stat } from 'node:fs/promises'
import { unzipSync, zipSync, type UnzipFileInfo } from 'fflate'
import type { Sheet as HucreSheet } from 'hucre'
import { InputError } from '../../base/files/input-error.ts'
import { isCompoundFile, type ReadProgress } from '../../base/files/text.ts'
import { messageOf } from '../../base/thrown.ts'
import { asShown, hiddenParts, type HiddenParts } from './open-document.ts'
import type { CellValue, SheetRow, Sheet } from './sheet.ts'

/** The largest file of a workbook, and the most that its parts may be together when unpacked, in bytes. */
const MOST_BYTES = 100 * 2 ** 20
const MOST_UNPACKED_BYTES = 400 * 2 ** 20

/** Parts of an archive by their names. */
type Parts = Record<string, Uint8Array>

/**
 * The sheets of a workbook (.xlsx, ECMA-376) or of an OpenDocument spreadsheet (.ods), with what people see in the
 * cells: numbers in their formats, no phonetic readings, of formulas the values that the workbook has. Nothing is
 * run, and nothing is fetched. Parts other than the sheets, their texts and formats are not looked at.
 *
 * @throws InputError if the file is too large, damaged, encrypted or none of these, has macros or refers to other
 *   workbooks.
 */
export async function readWorkbook(file: string, onProgress?: ReadProgress): Promise<Sheet[]> {
  const { size } = await stat(file)
  if (size > MOST_BYTES) throw new InputError('the workbook is larger than 100 MiB; save it as .csv.', file)
  const bytes = new Uint8Array(await readFile(file))
  const entries = inspect(file, bytes)
  const sheets = entries.some(({ name }) => name === 'content.xml')
    ? await readSpreadsheet(file, bytes, entries)
    : await readXlsxSheets(file, bytes, entries)
  onProgress?.(size, size)
  return sheets
}

async function readSpreadsheet(file: string, bytes: Uint8Array, entries: readonly UnzipFileInfo[]): Promise<Sheet[]> {
  const read = unpack(file, bytes, entries, ['mimetype', 'content.xml'])
  const content = asShown(new TextDecoder().decode(read['content.xml']))
  const hidden = hiddenParts(content)
  const { readOds } = await import('hucre/ods')
  const archive = packed({ ...read, 'content.xml': new TextEncoder().encode(content) })
  const { sheets } = await readable(file, () => readOds(archive))
  return sheets.map((sheet, at) => toSheet(sheet, (value) => value, hidden[at]))
}

async function readXlsxSheets(file: string, bytes: Uint8Array, entries: readonly UnzipFileInfo[]): Promise<Sheet[]> {
  const has = (name: string) => entries.some((part) => part.name === name)
  const start = ['[Content_Types].xml', '_rels/.rels'].filter(has)
  const root = relationsIn(unpack(file, bytes, entries, start)['_rels/.rels'], '')
  const workbook = root.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const [folder, name] = [workbook.replace(/[^/]*$/, ''), workbook.replace(/^.*\//, '')]
  const book = [workbook, `${folder}_rels/${name}.rels`].filter(has)
  const relations = relationsIn(unpack(file, bytes, entries, book)[book[1] ?? ''], folder)
  const content = relations.filter(({ type }) => ['worksheet', 'sharedStrings', 'styles'].includes(type))
  const read = unpack(file, bytes, entries, [...start, ...book, ...content.map(({ target }) => target).filter(has)])
  for (const { type, target } of content) if (type === 'worksheet') read[target] &&= withoutReadings(read[target])
  const [{ readXlsx }, { formatValue }] = await Promise.all([import('hucre/xlsx'), import('hucre')])
  const onlySheets = worksheetsOf(read[workbook], relations)
  const options = { readStyles: true, sheets: onlySheets }
  const { sheets } = await readable(file, () => readXlsx(packed(read), options))
  const shown = (value: CellValue, format: string | undefined) =>
    typeof value === 'number' ? shownNumber(value, format, formatValue) : value
  return sheets.map((sheet) => {
    const rows = [...(sheet.rowDefs ?? [])].flatMap(([at, row]) => (row.hidden ? [at + 1] : []))
    const columns = (sheet.columns ?? []).flatMap((column, at) => (column.hidden ? [at] : []))
    const isHidden = Boolean(sheet.hidden ?? sheet.veryHidden)
    return toSheet(sheet, shown, { isHidden, rows: new Set(rows), columns: new Set(columns) })
  })
}

async function readable<Book>(file: string, read: () => Promise<Book>): Promise<Book> {
  try {
    return await read()
  } catch (error) {
    throw new InputError(`the workbook cannot be read: ${messageOf(error)}`, file)
  }
}

/** Some parts of a workbook. @throws InputError if one is damaged. */
function unpack(file: string, bytes: Uint8Array, entries: readonly UnzipFileInfo[], names: readonly string[]): Parts {
  const damaged = (name: string) => new InputError(`the workbook is damaged: ${name} cannot be read.`, file)
  let unpacked = 0
  for (const { name, size, originalSize } of entries) {
    if (!names.includes(name)) continue
    // Without its size nobody knows where unpacking a part would end.
    if (size === 0 || originalSize === 0) throw damaged(name)
    unpacked += originalSize
  }
  if (unpacked > MOST_UNPACKED_BYTES) {
    throw new InputError('the workbook would unpack to more than 400 MiB; save it as .csv.', file)
  }
  let read: Parts
  try {
    read = unzipSync(bytes, { filter: ({ name }) => names.includes(name) })
  } catch {
    throw damaged(names.join(' or '))
  }
  for (const [name, part] of Object.entries(read))
    if (/\.(xml|rels)$/i.test(name) && !isWhole(part)) throw damaged(name)
  return read
}

/**
 * True if the last tag of an XML document is that of its root. Unpacking stops at the size that the archive gives a
 * part.
 */
function isWhole(part: Uint8Array): boolean {
  const decoder = new TextDecoder(part[0] === 0xff || part[1] === 0 ? 'utf-16le' : 'utf-8')
  const root = /<((?:[\w.-]+:)?[\w.-]+)/.exec(decoder.decode(part.subarray(0, 4096)).replace(/<[?!][^>]*>/g, ''))?.[1]
  const end = decoder
    .decode(part.subarray(-4096))
    .replace(/<!--[^]*?-->/g, '')
    .trimEnd()
  const last = /<\/?((?:[\w.-]+:)?[\w.-]+)[^<>]*>$/.exec(end)
  return root !== undefined && last?.[1] === root && /^<\/|\/>$/.test(last[0])
}

/** An archive of some parts. They are read at once, so nothing is gained by making them smaller. */
function packed(files: Parts): Uint8Array {
  return zipSync(files, { level: 0 })
}

/**
 * A relationship of a part to another (ECMA-376, part 2, section 9.3): the last word of its type, and the name of the
 * other part.
 */
interface Relation {
  id: string | undefined
  type: string
  target: string
}

/** @param folder that targets are relative to. */
function relationsIn(part: Uint8Array | undefined, folder: string): Relation[] {
  return [...new TextDecoder().decode(part).matchAll(/<(?:\w+:)?Relationship\b[^>]*>/g)].map(([relation]) => {
    const value = (name: string) =>
      RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`)
        .exec(relation)
        ?.slice(1)
        .find((value) => value)
    const target = new URL(value('Target') ?? '', `x:/${folder}`).pathname.slice(1)
    return { id: value('Id'), type: value('Type')?.replace(/^.*\//, '') ?? '', target }
  })
}

/** Texts without the readings above them (ECMA-376, part 1, section 18.4.6). */
function withoutReadings(sheet: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(sheet)
  if (!text.includes('rPh')) return sheet
  return new TextEncoder().encode(text.replace(/<((?:\w+:)?rPh)\b[^>]*?(?:\/>|>[^]*?<\/\1\s*>)/g, ''))
}

/** A number as people see it: in its format, or with the 15 digits that spreadsheet programs keep. */
function shownNumber(
  value: number,
  format: string | undefined,
  formatValue: (value: unknown, format: string) => string,
): CellValue {
  if (format === undefined || format === '@' || /^general$/i.test(format)) return Number(value.toPrecision(15))
  const shown = formatValue(value, format).trim()
  // A format may also hide its cell.
  return shown === '' ? value : shown
}

/** The name of the stream of an encrypted workbook (MS-OFFCRYPTO, section 1.3.3). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')

/** The list of the parts of a workbook. @throws InputError for what must not be opened. */
function inspect(file: string, bytes: Uint8Array): UnzipFileInfo[] {
  if (isCompoundFile(bytes)) {
    throw new InputError(
      Buffer.from(bytes.buffer).includes(ENCRYPTED)
        ? 'the workbook is encrypted; save it without a password.'
        : 'the workbook has the format of Excel 97 to 2003 (.xls); save it as .xlsx.',
      file,
    )
  }
  const entries = partsOf(file, bytes)
  const has = (part: RegExp) => entries.some(({ name }) => part.test(name))
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
  return entries
}

function partsOf(file: string, bytes: Uint8Array): UnzipFileInfo[] {
  const entries: UnzipFileInfo[] = []
  try {
    unzipSync(bytes, {
      filter(part) {
        entries.push(part)
        return false
      },
    })
  } catch {
    throw new InputError('the file is no workbook: expected .xlsx or .ods.', file)
  }
  return entries
}

function isEncrypted(bytes: Uint8Array): boolean {
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => name === 'META-INF/manifest.xml' && originalSize < 2 ** 20,
  })
  const manifest = files['META-INF/manifest.xml']
  return manifest !== undefined && Buffer.from(manifest).includes('encryption-data')
}

/**
 * Tells the sheets with cells from those with a chart alone, which the package takes for damage (ECMA-376, part 1,
 * section 12.3.2).
 */
function worksheetsOf(
  workbook: Uint8Array | undefined,
  relations: readonly Relation[],
): (sheet: unknown, index: number) => boolean {
  const charts = relations.flatMap(({ id, type }) => (type === 'chartsheet' ? [id] : []))
  const book = new TextDecoder().decode(workbook)
  const sheets = [...book.matchAll(/<(?:\w+:)?sheet\b[^>]*>/g)].map(([sheet]) => /\w:id="([^"]*)"/.exec(sheet)?.[1])
  return (_, index) => sheets[index] === undefined || !charts.includes(sheets[index])
}

/** @param shown what people see of a value with a format. */
function toSheet(
  sheet: HucreSheet,
  shown: (value: CellValue, format: string | undefined) => CellValue,
  hidden: HiddenParts | undefined,
): Sheet {
  const { name, rows, cells, merges = [] } = sheet
  const filled = rows as CellValue[][]
  const withoutValue: [row: number, column: number][] = []
  for (const [place, { value, style, formula, formulaResult }] of cells ?? []) {
    const [row, column] = place.split(',').map(Number) as [number, number]
    const result = formula === undefined ? value : (formulaResult ?? value)
    if (formula !== undefined && result === null) withoutValue.push([row + 1, column])
    if (filled[row]) filled[row][column] = shown(result, style?.numFmt)
  }
  // A value of merged cells stands in each row that they take, in the first of their columns.
  for (const { startRow, startCol, endRow } of merges) {
    const value = filled[startRow]?.[startCol] ?? null
    for (let row = startRow + 1; row <= Math.min(endRow, filled.length - 1); row++) merged(filled, row, startCol, value)
  }
  const { isHidden = false, rows: hiddenRows, columns: hiddenColumns } = hidden ?? {}
  return { name, isHidden, hiddenRows, hiddenColumns, rows: numbered(filled), withoutValue }
}

function merged(rows: CellValue[][], row: number, column: number, value: CellValue): void {
  rows[row] ??= []
  rows[row][column] ??= value
}

function* numbered(rows: (CellValue[] | undefined)[]): Generator<SheetRow> {
  for (let at = 0; at < rows.length; at++) {
    const values = rows[at]
    // Rows that were read need not stay.
    rows[at] = undefined
    if (values) yield { number: at + 1, values }
  }
}
