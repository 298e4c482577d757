import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Characters that all parts may hold in memory before the first of them goes to disk. */
const MEMORY = 1 << 24
/** Characters that one part gathers before it is written, so that the disk sees large writes. */
const CHUNK = 1 << 16

/**
 * Text in numbered parts that are written in any order and read one at a time: in memory while small, then in one
 * temporary file. The file is removed from its folder as soon as it is open, so a killed process leaves nothing behind.
 */
export class Spool {
  readonly #pending = new Map<number, string>()
  readonly #chunks = new Map<number, { offset: number; length: number }[]>()
  #file: number | undefined
  #size = 0
  #inMemory = 0

  append(part: number, text: string): void {
    const pending = (this.#pending.get(part) ?? '') + text
    this.#inMemory += text.length
    this.#pending.set(part, pending)
    if (pending.length >= CHUNK && (this.#file !== undefined || this.#inMemory >= MEMORY)) this.#write(part, pending)
  }

  /** Bytes in one part. */
  size(part: number): number {
    const written = (this.#chunks.get(part) ?? []).reduce((sum, { length }) => sum + length, 0)
    return written + Buffer.byteLength(this.#pending.get(part) ?? '')
  }

  /** The whole text of one part. */
  read(part: number): string {
    return [...this.chunks(part)].map((chunk) => chunk.toString('utf8')).join('')
  }

  /** The text of one part in the order it was appended, in pieces that end where an append ended. */
  *chunks(part: number): Generator<Buffer> {
    for (const { offset, length } of this.#chunks.get(part) ?? []) {
      const buffer = Buffer.allocUnsafe(length)
      for (let read = 0; read < length;) {
        const got = readSync(this.#file!, buffer, read, length - read, offset + read)
        if (got === 0) throw new Error('the temporary file has shrunk')
        read += got
      }
      yield buffer
    }
    const pending = this.#pending.get(part)
    if (pending) yield Buffer.from(pending)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#pending.clear()
    this.#chunks.clear()
  }

  #write(part: number, text: string): void {
    this.#file ??= openUnlinked()
    const buffer = Buffer.from(text)
    for (let written = 0; written < buffer.length;) {
      written += writeSync(this.#file, buffer, written, buffer.length - written, this.#size + written)
    }
    const chunks = this.#chunks.get(part) ?? []
    chunks.push({ offset: this.#size, length: buffer.length })
    this.#chunks.set(part, chunks)
    this.#size += buffer.length
    this.#inMemory -= text.length
    this.#pending.set(part, '')
  }
}

function openUnlinked(): number {
  const folder = mkdtempSync(join(tmpdir(), 'vocabulary-'))
  const file = openSync(join(folder, 'spool'), 'w+')
  rmSync(folder, { recursive: true })
  return file
}
