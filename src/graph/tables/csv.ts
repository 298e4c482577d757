import { parse, type Options } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { InputError } from '../../base/files/input-error.ts'
import { readBytes, type ReadProgress } from '../../base/files/text.ts'
import { messageOf } from '../../base/thrown.ts'
import { withoutApostrophes } from './cell-text.ts'
import { readHeading } from './heading.ts'
import type { SheetRow, Sheet } from './sheet.ts'
import { isUriList, rowOfList } from './uri-list.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
/** The characters of a file that tell its delimiter. */
const SAMPLE = 1 << 16
/** The most characters of one cell and of one row. */
const MOST_OF_ROW = 1 << 24

/**
 * The table of a text file: RFC 4180 with commas, semicolons, tabs or vertical bars, in UTF-8, UTF-16 or Windows-1252.
 *
 * @param known the delimiter, if the format has only one; absent: the text decides.
 * @throws InputError if the file cannot be read; while reading rows with line if a quotation mark is open.
 */
export async function readCsv(file: string, onProgress?: ReadProgress, delimiterOfFormat?: string): Promise<Sheet> {
  const encoding = await encodingOf(file)
  let sample = ''
  const text = decode(file, encoding)
  for await (const chunk of text) if ((sample += chunk).length >= SAMPLE) break
  if (sample.trim() === '') throw new InputError('the file is empty.', file)
  const declared = /^sep=(.)\r?\n/i.exec(sample)
  const isList = declared === null && delimiterOfFormat === undefined && isUriList(sample)
  const delimiter = isList ? '\t' : (declared?.[1] ?? delimiterOfFormat ?? delimiterOf(sample))
  const skipped = declared?.[0].length ?? 0
  const heading = isList ? rowOfList(sample) : undefined
  return {
    name: basename(file.replace(/\.gz$/i, '')),
    isHidden: false,
    isUriList: isList,
    delimiter,
    rows: rowsOf(file, decode(file, encoding, onProgress), { delimiter, skipped, heading }),
  }
}

const OPTIONS: Options = {
  relax_column_count: true,
  skip_empty_lines: false,
  relax_quotes: true,
  max_record_size: MOST_OF_ROW,
}

async function* rowsOf(
  file: string,
  text: AsyncIterable<string>,
  { delimiter, skipped, heading }: { delimiter: string; skipped: number; heading: SheetRow | undefined },
): AsyncGenerator<SheetRow> {
  if (heading) yield heading
  const parser = parse({ ...OPTIONS, delimiter, ...(heading && { quote: false }) })
  const source = Readable.from(withoutStart(text, skipped))
  source.on('error', (error) => parser.destroy(error)).pipe(parser)
  let number = skipped > 0 ? 1 : 0
  let line = number + 1
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      // Programs write values between tabs as they are.
      yield { number: ++number, values: delimiter === '\t' ? record : record.map(withoutApostrophes) }
      line++
      for (const value of record) if (/[\r\n]/.test(value)) line += value.match(/\r\n?|\n/g)!.length
    }
  } catch (error) {
    if (error instanceof InputError) throw error
    const { code, lines } = error as { code?: string; lines?: number }
    // The parser counts CR LF within quotation marks twice.
    if (code === 'CSV_QUOTE_NOT_CLOSED')
      throw new InputError('a quotation mark in this row is open to the end of the file.', file, { line })
    throw new InputError(messageOf(error), file, lines === undefined ? undefined : { line: lines })
  } finally {
    source.destroy()
    parser.destroy()
  }
}

async function* withoutStart(text: AsyncIterable<string>, characters: number): AsyncGenerator<string> {
  let rest = characters
  for await (const chunk of text) {
    yield chunk.slice(rest)
    rest = Math.max(0, rest - chunk.length)
  }
}

/**
 * The delimiter of the heading: it gives the most headings in a row, else the most columns in the first row.
 */
function delimiterOf(sample: string): string {
  const lines = sample.slice(0, sample.lastIndexOf('\n') + 1) || sample
  let [best, most] = [',', -1]
  for (const delimiter of DELIMITERS) {
    const rows: string[][] = []
    try {
      const onRecord = (row: string[]) => rows.push(row)
      parseAtOnce(lines, { ...OPTIONS, delimiter, to: 60, on_record: onRecord as never })
    } catch {
      // The sample may end within quotation marks.
    }
    // Lines such as those before a table of SSSOM are no heading.
    const filled = rows.filter((row) => row.some((cell) => cell.trim() !== '') && !row[0]!.startsWith('#'))
    const headings = filled.map((row) => row.filter((cell) => cell.length < 100 && readHeading(cell, new Map())).length)
    const number = Math.max(0, ...headings)
    const width = filled[headings.indexOf(number)]?.length ?? 0
    const score = number * 1000 + Math.min(width, 999)
    if (score > most) [best, most] = [delimiter, score]
  }
  return best
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

async function encodingOf(file: string): Promise<Encoding> {
  let isFirst = true
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of readBytes(file)) {
      if (isFirst) {
        if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
        if (chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be'
        // The first letters of a table are in ASCII nearly always.
        if (chunk[1] === 0 && chunk[0] !== 0) return 'utf-16le'
        if (chunk[0] === 0 && chunk[1] !== 0) return 'utf-16be'
        isFirst = false
      }
      if (chunk.includes(0)) throw new InputError('expected a table as text, found binary data.', file)
      decoder.decode(chunk, { stream: true })
    }
    decoder.decode()
  } catch (error) {
    if (error instanceof InputError) throw error
    return 'windows-1252'
  }
  return 'utf-8'
}

async function* decode(file: string, encoding: Encoding, onProgress?: ReadProgress): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of readBytes(file, onProgress)) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
