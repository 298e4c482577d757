import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Characters that all parts may hold in memory together before they go to disk. */
const MEMORY = 1 << 22
/** Bytes that a UTF-16 unit takes in UTF-8, at most. */
const MOST_BYTES = 3

/**
 * Text in numbered parts that are written in any order and read one at a time: in memory while small, then in one
 * temporary file. The file is removed from its folder as soon as it is open, so a killed process leaves nothing behind.
 */
export class Spool {
  readonly #pending = new Map<number, string[]>()
  readonly #chunks = new Map<number, { offset: number; length: number }[]>()
  #file: number | undefined
  #size = 0
  #inMemory = 0
  /** Kept, because buffers that are thrown away stay in memory until the next collection. */
  #scratch: Buffer = Buffer.alloc(0)

  append(part: number, text: string): void {
    const pending = this.#pending.get(part)
    if (pending) pending.push(text)
    else this.#pending.set(part, [text])
    this.#inMemory += text.length
    if (this.#inMemory < MEMORY) return
    for (const [number, waiting] of this.#pending) this.#write(number, waiting.join(''))
    this.#pending.clear()
    this.#inMemory = 0
  }

  /** Bytes in one part. */
  size(part: number): number {
    const written = (this.#chunks.get(part) ?? []).reduce((sum, { length }) => sum + length, 0)
    return written + Buffer.byteLength((this.#pending.get(part) ?? []).join(''))
  }

  /** The whole text of one part. */
  read(part: number): string {
    const chunks = this.#chunks.get(part) ?? []
    const pending = (this.#pending.get(part) ?? []).join('')
    let length = 0
    for (const chunk of chunks) length += chunk.length
    this.#reserve(length + pending.length * MOST_BYTES)
    let at = 0
    for (const chunk of chunks) {
      this.#fill(this.#scratch.subarray(at, at + chunk.length), chunk.offset)
      at += chunk.length
    }
    // One string from one buffer: slices of a string that was put together keep copies of it alive, one each.
    length += this.#scratch.write(pending, at)
    return this.#scratch.toString('utf8', 0, length)
  }

  /** The text of one part in the order it was appended, in pieces that end where an append ended. */
  *chunks(part: number): Generator<Buffer> {
    for (const { offset, length } of this.#chunks.get(part) ?? []) {
      const buffer = Buffer.allocUnsafe(length)
      this.#fill(buffer, offset)
      yield buffer
    }
    const pending = this.#pending.get(part)
    if (pending) yield Buffer.from(pending.join(''))
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#pending.clear()
    this.#chunks.clear()
  }

  #write(part: number, text: string): void {
    this.#file ??= openUnlinked()
    this.#reserve(text.length * MOST_BYTES)
    const length = this.#scratch.write(text)
    for (let written = 0; written < length;) {
      written += writeSync(this.#file, this.#scratch, written, length - written, this.#size + written)
    }
    const chunks = this.#chunks.get(part) ?? []
    chunks.push({ offset: this.#size, length })
    this.#chunks.set(part, chunks)
    this.#size += length
  }

  #reserve(bytes: number): void {
    if (this.#scratch.length < bytes) this.#scratch = Buffer.allocUnsafe(bytes)
  }

  #fill(buffer: Buffer, offset: number): void {
    for (let read = 0; read < buffer.length;) {
      const got = readSync(this.#file!, buffer, read, buffer.length - read, offset + read)
      if (got === 0) throw new Error('the temporary file has shrunk')
      read += got
    }
  }
}

function openUnlinked(): number {
  const folder = mkdtempSync(join(tmpdir(), 'vocabulary-'))
  const file = openSync(join(folder, 'spool'), 'w+')
  rmSync(folder, { recursive: true })
  return file
}
