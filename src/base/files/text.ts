import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf } from '../thrown.ts'
import { InputError, type Position } from './input-error.ts'

/** Called after every chunk with the bytes read of the file on disk, and its size. */
export type ReadProgress = (read: number, size: number) => void

/** The number of bytes that tell the kind of a file. */
const START = 8
const GZIP = Buffer.from([0x1f, 0x8b])
/** The beginning of a ZIP archive, which the formats of spreadsheets are (APPNOTE 6.3, section 4.3.7). */
const ZIP = Buffer.from([0x50, 0x4b, 0x03, 0x04])
const SPREADSHEET_NAME = /\.(xlsx|xlsm|xls|ods)(\.gz)?$/i

/** The first bytes of encodings other than UTF-8 (Unicode Standard, section 23.8). */
const FOREIGN_ENCODINGS: [name: string, bytes: number[]][] = [
  ['UTF-32', [0xff, 0xfe, 0, 0]],
  ['UTF-32', [0, 0, 0xfe, 0xff]],
  ['UTF-16', [0xff, 0xfe]],
  ['UTF-16', [0xfe, 0xff]],
]

/**
 * The text of a file in chunks, unpacked if it is gzip, without a byte order mark. XML may also be UTF-16 or have the
 * encoding that it declares (XML 1.0, section 4.3.3).
 *
 * @throws InputError if the file is missing, empty, cut off, damaged, a spreadsheet, or in another encoding.
 */
export async function* readText(file: string, onProgress?: ReadProgress): AsyncGenerator<string> {
  const { start } = await inspect(file)
  const other = SPREADSHEET_NAME.test(file) ? 'a spreadsheet' : isZip(start) ? ZIP_NAME : undefined
  if (other) throw new InputError(`the file is ${other}; expected text, such as RDF or JSKOS.`, file)
  let empty = true
  for await (const text of decode(file, readBytes(file, onProgress))) {
    empty &&= text.trim() === ''
    yield text
  }
  if (empty) throw new InputError('the file is empty.', file)
}

/**
 * The bytes of a file in chunks, unpacked if it is gzip.
 *
 * @throws InputError if the file is missing, empty, cut off or damaged.
 */
export async function* readBytes(file: string, onProgress?: ReadProgress): AsyncGenerator<Buffer> {
  const { size, start } = await inspect(file)
  const isGzip = start.subarray(0, GZIP.length).equals(GZIP)
  const raw = createReadStream(file, { highWaterMark: 1 << 18 })
  try {
    let read = 0
    if (onProgress) raw.on('data', (chunk) => onProgress((read += chunk.length), size)).pause()
    yield* unpack(file, raw, isGzip)
  } finally {
    raw.destroy()
  }
}

/** The first bytes of a file, at least as many as name a kind of file. @throws InputError as `readBytes`. */
export async function readStart(file: string): Promise<Buffer> {
  return (await inspect(file)).start
}

/** A ZIP archive in the words of an error message. */
const ZIP_NAME = 'a spreadsheet (.xlsx) or another ZIP archive'

/** True for the bytes of a ZIP archive, or the first of them. */
export function isZip(bytes: Uint8Array): boolean {
  return ZIP.equals(bytes.subarray(0, ZIP.length))
}

/** The beginning of a Compound File, which .xls and encrypted workbooks are (MS-CFB, section 2.2). */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])

/** True for the bytes of a Compound File, or the first of them. */
export function isCompoundFile(bytes: Uint8Array): boolean {
  return COMPOUND.equals(bytes.subarray(0, COMPOUND.length))
}

async function inspect(file: string): Promise<{ size: number; start: Buffer }> {
  let handle
  try {
    handle = await open(file)
    const stats = await handle.stat()
    if (!stats.isFile()) throw new InputError('expected a file.', file)
    if (stats.size === 0) throw new InputError('the file is empty.', file)
    const { buffer } = await handle.read(Buffer.alloc(START), 0, START)
    return { size: stats.size, start: buffer }
  } catch (error) {
    if (error instanceof InputError) throw error
    const missing = codeOf(error) === 'ENOENT'
    throw new InputError(missing ? 'no such file.' : 'the file cannot be read.', file)
  } finally {
    await handle?.close()
  }
}

async function* unpack(file: string, raw: Readable, isGzip: boolean): AsyncGenerator<Buffer> {
  if (!isGzip && file.endsWith('.gz')) {
    throw new InputError('the name ends in .gz, but the content is not gzip.', file)
  }
  const gunzip = isGzip ? createGunzip({ chunkSize: 1 << 18 }) : undefined
  try {
    if (gunzip) raw.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
    for await (const chunk of gunzip ?? raw) yield chunk as Buffer
  } catch (error) {
    const code = codeOf(error)
    if (code === 'Z_BUF_ERROR') throw new InputError('the .gz file is cut off: its end is missing.', file)
    if (code?.startsWith('Z_')) throw new InputError('the .gz file is damaged.', file)
    throw new InputError('the file cannot be read.', file)
  } finally {
    gunzip?.destroy()
  }
}

async function* decode(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  let first = true
  let decoder: TextDecoder | undefined
  for await (const chunk of bytes) {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    if (first) decoder = foreignDecoder(file, data)
    if (decoder) {
      first = false
      const text = decodeForeign(decoder, file, line, chunk)
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
      yield text
      continue
    }
    if (first) {
      if (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) data = data.subarray(3)
      first = false
    }
    const whole = data.length - incompleteTail(data)
    rest = data.subarray(whole)
    data = data.subarray(0, whole)
    if (!isUtf8(data)) throw invalidUtf8(file, data, line)
    const text = data.toString('utf8')
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
    yield text
  }
  if (decoder) yield decodeForeign(decoder, file, line)
  if (rest.length > 0) throw invalidUtf8(file, rest, line)
}

/** The beginning of an XML document: its declaration, a comment, the document type or an element. */
const XML_START = /^\ufeff?\s*<(\?xml\s|!--|!DOCTYPE|([\w.-]+:)?[\w.-]+[\s>])/
const XML_ENCODING = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']+)["']/

/**
 * The decoder of a text that is not UTF-8; undefined for UTF-8.
 *
 * @throws InputError for an encoding that is not read.
 */
function foreignDecoder(file: string, data: Buffer): TextDecoder | undefined {
  const marked = FOREIGN_ENCODINGS.find(([, bytes]) => bytes.every((byte, at) => data[at] === byte))
  // Markup and syntax start with ASCII, so a zero byte beside it shows UTF-16 without a mark.
  const encoding = marked?.[0] ?? (data[0] === 0 || data[1] === 0 ? 'UTF-16' : undefined)
  if (encoding === 'UTF-16') {
    const name = data[0] === 0xff || data[1] === 0 ? 'utf-16le' : 'utf-16be'
    if (XML_START.test(new TextDecoder(name).decode(data.subarray(0, 512))))
      return new TextDecoder(name, { fatal: true })
  }
  if (encoding) throw new InputError(`the encoding is ${encoding}, expected UTF-8.`, file)
  const declared = XML_ENCODING.exec(data.subarray(0, 512).toString('latin1'))?.[1]
  // A declaration that can be read byte by byte is no UTF-16.
  if (declared === undefined || /^(utf-?(8|16([bl]e)?)|us-ascii)$/i.test(declared)) return undefined
  try {
    return new TextDecoder(declared, { fatal: true })
  } catch {
    throw new InputError(`the encoding is declared as ${declared}, which is not known; expected UTF-8.`, file, {
      line: 1,
    })
  }
}

function decodeForeign(decoder: TextDecoder, file: string, line: number, chunk?: Buffer): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
  } catch {
    throw new InputError(`expected ${decoder.encoding}, found bytes that are not.`, file, { line })
  }
}

/** The number of bytes at the end that begin an incomplete character. */
function incompleteTail(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length); back++) {
    const byte = data[data.length - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

function invalidUtf8(file: string, data: Buffer, firstLine: number): InputError {
  let line = firstLine
  for (let start = 0; start <= data.length; line++) {
    const end = data.indexOf(0x0a, start)
    const bytes = data.subarray(start, end < 0 ? data.length : end)
    if (!isUtf8(bytes)) {
      const column = [...bytes.toString('utf8')].findIndex((character) => character === '\ufffd') + 1
      return new InputError('expected UTF-8, found bytes that are not.', file, { line, column })
    }
    if (end < 0) break
    start = end + 1
  }
  return new InputError('expected UTF-8, found bytes that are not.', file, { line })
}

/**
 * The place of the first occurrence of a text in a file, or undefined; for errors that a parser reports without one.
 */
export async function locate(file: string, needle: string): Promise<Position | undefined> {
  let line = 1
  let tail = ''
  for await (const chunk of readText(file)) {
    const lines = (tail + chunk).split('\n')
    tail = lines.pop()!
    for (const text of lines) {
      const at = text.indexOf(needle)
      if (at >= 0) return { line, column: at + 1 }
      line++
    }
  }
  const at = tail.indexOf(needle)
  return at >= 0 ? { line, column: at + 1 } : undefined
}
