import { readFile, stat } from 'node:fs/promises'
import { unzipSync, zipSync, type UnzipFileInfo } from 'fflate'
import type { Sheet as HucreSheet } from 'hucre'
import { InputError, TooLargeError } from '../../base/files/input-error.ts'
import { isCompoundFile, type ReadProgress } from '../../base/files/text.ts'
import { messageOf } from '../../base/thrown.ts'
import { asShown, hiddenContent, type HiddenContent } from './open-document.ts'
import type { CellValue, SheetRow, Sheet } from './sheet.ts'
import { replaceElements } from './xml-elements.ts'

const MIB = 2 ** 20
/** The largest file of a workbook, in MiB. */
const MOST_MIB = 100
/**
 * The most that the parts of a workbook are together when unpacked: a number of times its size, because spreadsheet
 * programs save nothing that packs better, but at least and at most this many MiB.
 */
const UNPACKED = { times: 32, leastMib: 32, mostMib: 400 }

/** The name of the stream of an encrypted workbook (MS-OFFCRYPTO, section 1.3.3). */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le')
const IS_ENCRYPTED = 'the workbook is encrypted; save it without a password.'

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
  if (size > MOST_MIB * MIB) {
    throw new TooLargeError(`the workbook is larger than ${MOST_MIB} MiB; save it as .csv.`, file)
  }
  const archive = new Archive(file, new Uint8Array(await readFile(file)))
  const sheets = archive.has('content.xml') ? await readSpreadsheet(archive) : await readXlsxSheets(archive)
  onProgress?.(size, size)
  return sheets
}

async function readSpreadsheet(archive: Archive): Promise<Sheet[]> {
  archive.unpack(['mimetype', 'content.xml'])
  const content = asShown(archive.text('content.xml'))
  const hidden = hiddenContent(content)
  archive.replace('content.xml', content)
  const { readOds } = await import('hucre/ods')
  const { sheets } = await archive.readWith(readOds)
  return sheets.map((sheet, at) => toSheet(sheet, (value) => value, hidden[at]))
}

async function readXlsxSheets(archive: Archive): Promise<Sheet[]> {
  archive.unpack(['[Content_Types].xml', '_rels/.rels'])
  const root = relationsIn(archive.text('_rels/.rels'), '')
  const workbook = root.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const [folder, name] = [workbook.slice(0, workbook.lastIndexOf('/') + 1), workbook.replace(/^.*\//, '')]
  const links = `${folder}_rels/${name}.rels`
  archive.unpack([workbook, links])
  const relations = relationsIn(archive.text(links), folder)
  const content = relations.filter(({ type }) => ['worksheet', 'sharedStrings', 'styles'].includes(type))
  archive.unpack(content.map(({ target }) => target))
  for (const { type, target } of content) {
    if (type !== 'worksheet') continue
    const sheet = archive.text(target)
    // Most sheets have no readings, and stay as they are.
    if (sheet.includes('rPh')) archive.replace(target, withoutReadings(sheet))
  }
  const { formatValue, readXlsx } = await import('hucre')
  const options = { readStyles: true, sheets: worksheetsOf(archive.text(workbook), relations) }
  const { sheets } = await archive.readWith((bytes) => readXlsx(bytes, options))
  const shown = (value: CellValue, format: string | undefined) =>
    typeof value === 'number' ? shownNumber(value, format, formatValue) : value
  return sheets.map((sheet) => {
    const rows = [...(sheet.rowDefs ?? [])].flatMap(([at, row]) => (row.hidden ? [at + 1] : []))
    const columns = (sheet.columns ?? []).flatMap((column, at) => (column.hidden ? [at] : []))
    const isHidden = Boolean(sheet.hidden ?? sheet.veryHidden)
    return toSheet(sheet, shown, { isHidden, rows: new Set(rows), columns: new Set(columns) })
  })
}

const HAS_MACROS = 'the workbook has macros; save it as .xlsx or .ods without them.'
/** The types of parts with code: of Visual Basic, and sheets of macros of Excel 4 (MS-OFFMACRO2, section 2.2). */
const TYPE_OF_MACROS = /application\/vnd\.ms-(?:office\.vbaProject|excel\.(?:intl)?macrosheet)/i

/**
 * The ZIP archive of a workbook. Each part is unpacked once, and what all of them are together has a maximum, whatever
 * the archive claims.
 */
class Archive {
  readonly #file: string
  readonly #bytes: Uint8Array
  readonly #entries: readonly UnzipFileInfo[]
  readonly #mostMib: number
  #unpackedBytes = 0
  /** The unpacked parts by name. */
  readonly #content: Record<string, Uint8Array> = {}

  /** @throws InputError for what must not be opened. */
  constructor(file: string, bytes: Uint8Array) {
    this.#file = file
    this.#bytes = bytes
    const { times, leastMib, mostMib } = UNPACKED
    this.#mostMib = Math.min(mostMib, Math.max(leastMib, Math.floor((times * bytes.length) / MIB)))
    if (isCompoundFile(bytes)) {
      const isEncrypted = Buffer.from(bytes.buffer).includes(ENCRYPTED)
      throw new InputError(
        isEncrypted ? IS_ENCRYPTED : 'the workbook has the format of Excel 97 to 2003 (.xls); save it as .xlsx.',
        file,
      )
    }
    this.#entries = this.#entriesOf(bytes)
    this.#inspect()
  }

  has(name: string): boolean {
    return this.#entries.some((entry) => entry.name === name)
  }

  /** Unpacks the parts with these names that are there. @throws InputError if one is damaged, or all are too large. */
  unpack(names: readonly string[]): void {
    const wanted = new Set(names.filter((name) => !Object.hasOwn(this.#content, name)))
    for (const { name, size, originalSize } of this.#entries) {
      if (!wanted.has(name)) continue
      // Unpacking stops at the size that the archive claims, but a part that is stored as it is has its size.
      if (size === 0 || originalSize === 0) throw this.#damaged(name)
      this.#unpackedBytes += Math.max(size, originalSize)
    }
    if (this.#unpackedBytes > this.#mostMib * MIB) {
      throw new TooLargeError(
        `the workbook would unpack to more than ${this.#mostMib} MiB; save it as .csv.`,
        this.#file,
      )
    }
    let unpacked: Record<string, Uint8Array>
    try {
      unpacked = unzipSync(this.#bytes, { filter: ({ name }) => wanted.has(name) })
    } catch {
      throw this.#damaged(names.join(' or '))
    }
    for (const [name, part] of Object.entries(unpacked)) {
      if (name !== 'mimetype' && !isWhole(part)) throw this.#damaged(name)
      this.#content[name] = part
    }
  }

  /** The text of a part that was unpacked; empty if the archive has none of this name. */
  text(name: string): string {
    return new TextDecoder().decode(this.#content[name])
  }

  replace(name: string, text: string): void {
    this.#content[name] = new TextEncoder().encode(text)
  }

  /**
   * The workbook as a package reads it from an archive of the unpacked parts alone.
   *
   * @throws InputError if the package cannot read it.
   */
  async readWith<Book>(read: (archive: Uint8Array) => Promise<Book>): Promise<Book> {
    try {
      // It is read at once, so nothing is gained by making it smaller.
      return await read(zipSync(this.#content, { level: 0 }))
    } catch (error) {
      throw new InputError(`the workbook cannot be read: ${messageOf(error)}`, this.#file)
    }
  }

  #hasAny(expression: RegExp): boolean {
    return this.#entries.some(({ name }) => expression.test(name))
  }

  #damaged(name: string): InputError {
    return new InputError(`the workbook is damaged: ${name} cannot be read.`, this.#file)
  }

  #entriesOf(bytes: Uint8Array): UnzipFileInfo[] {
    const entries: UnzipFileInfo[] = []
    try {
      unzipSync(bytes, {
        filter(part) {
          entries.push(part)
          return false
        },
      })
    } catch {
      throw new InputError('the file is no workbook: expected .xlsx or .ods.', this.#file)
    }
    return entries
  }

  /** @throws InputError for what must not be opened. */
  #inspect(): void {
    const refuse = (reason: string) => new InputError(reason, this.#file)
    if (this.#hasAny(/vbaProject\.bin$|^Basic\/|^Scripts\//i)) {
      throw refuse(HAS_MACROS)
    }
    if (this.#hasAny(/^xl\/externalLinks\//i)) {
      throw refuse('the workbook has links to other workbooks, which are not read; break the links and save it.')
    }
    if (this.has('content.xml')) {
      this.unpack(['META-INF/manifest.xml'])
      if (this.text('META-INF/manifest.xml').includes('encryption-data')) throw refuse(IS_ENCRYPTED)
      return
    }
    const types = this.#entries.find(({ name }) => /^\[Content_Types\]\.xml$/i.test(name))?.name
    if (types === undefined) throw refuse('the file is a ZIP archive, but no workbook (.xlsx or .ods).')
    // Whatever the part is called, programs know it by its type.
    this.unpack([types])
    if (TYPE_OF_MACROS.test(this.text(types))) throw refuse(HAS_MACROS)
    if (!this.#hasAny(/^xl\//i)) {
      throw refuse('the file is a document of another program, expected a workbook (.xlsx or .ods).')
    }
  }
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
function relationsIn(part: string, folder: string): Relation[] {
  return [...part.matchAll(/<(?:\w+:)?Relationship\b[^<>]*>/g)].map(([relation]) => {
    const value = (name: string) =>
      RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`)
        .exec(relation)
        ?.slice(1)
        .find((value) => value)
    const target = new URL(value('Target') ?? '', `x:/${folder}`).pathname.slice(1)
    return { id: value('Id'), type: value('Type')?.replace(/^.*\//, '') ?? '', target }
  })
}

/** A sheet without the readings above its texts (ECMA-376, part 1, section 18.4.6). */
function withoutReadings(sheet: string): string {
  return replaceElements(sheet, String.raw`(?:\w+:)?rPh`, () => '')
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

/**
 * Tells the sheets with cells from those with a chart alone, which the package takes for damage (ECMA-376, part 1,
 * section 12.3.2).
 */
function worksheetsOf(workbook: string, relations: readonly Relation[]): (sheet: unknown, index: number) => boolean {
  const charts = relations.flatMap(({ id, type }) => (type === 'chartsheet' ? [id] : []))
  const sheets = [...workbook.matchAll(/<(?:\w+:)?sheet\b[^<>]*>/g)].map(
    ([sheet]) => /\w:id="([^"]*)"/.exec(sheet)?.[1],
  )
  return (_, index) => sheets[index] === undefined || !charts.includes(sheets[index])
}

/** @param shown what people see of a value with a format. */
function toSheet(
  sheet: HucreSheet,
  shown: (value: CellValue, format: string | undefined) => CellValue,
  hidden: HiddenContent | undefined,
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
