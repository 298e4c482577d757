import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that all parts may hold in memory together before they go to disk. */
const MEMORY = 1 << 22
/** Bytes that a UTF-16 unit takes in UTF-8, at most. */
const MOST_BYTES = 3
/** For a text of this length, buffers of the exact size save more than counting its bytes takes. */
const LONG = 1 << 16

/** Bytes of one part that lie together, in memory or in the file. */
interface Piece {
  offset: number
  length: number
}

/**
 * Text in numbered parts that are written in any order and read one at a time: in memory while small, then in one
 * temporary file. The file is removed from its folder as soon as it is open, so a killed process leaves nothing behind.
 */
export class Spool {
  readonly #written = new Map<number, Piece[]>()
  readonly #waiting = new Map<number, Piece[]>()
  /** Text that waits for the file, in its order. Bytes, because waiting strings would grow old in the heap. */
  #memory: Buffer = Buffer.alloc(0)
  #used = 0
  #lastPart = -1
  #file: number | undefined
  #size = 0
  /** Reused, because discarded buffers stay in memory until the next collection. */
  #scratch: Buffer = Buffer.alloc(0)

  append(part: number, text: string): void {
    const most = text.length < LONG ? text.length * MOST_BYTES : Buffer.byteLength(text)
    if (this.#used + most > this.#memory.length) this.#makeRoom(most)
    const length = this.#memory.write(text, this.#used)
    const pieces = this.#waiting.get(part)
    if (pieces === undefined) this.#waiting.set(part, [{ offset: this.#used, length }])
    else if (part === this.#lastPart) pieces.at(-1)!.length += length
    else pieces.push({ offset: this.#used, length })
    this.#lastPart = part
    this.#used += length
  }

  /** Bytes in one part. */
  size(part: number): number {
    const pieces = [...(this.#written.get(part) ?? []), ...(this.#waiting.get(part) ?? [])]
    return pieces.reduce((sum, { length }) => sum + length, 0)
  }

  /** The whole text of one part. */
  read(part: number): string {
    const size = this.size(part)
    this.#reserve(size)
    let at = 0
    for (const { offset, length } of this.#written.get(part) ?? []) {
      this.#fill(this.#scratch.subarray(at, at + length), offset)
      at += length
    }
    this.#gather(part, at)
    // One string from one buffer, because slices of a concatenated string would each keep a copy of it alive.
    return this.#scratch.toString('utf8', 0, size)
  }

  /** The text of one part in the order it was appended, in pieces that end where an append ended. */
  *chunks(part: number): Generator<Buffer> {
    for (const { offset, length } of this.#written.get(part) ?? []) {
      const buffer = Buffer.allocUnsafe(length)
      this.#fill(buffer, offset)
      yield buffer
    }
    this.#reserve(this.#used)
    const length = this.#gather(part, 0)
    if (length > 0) yield Buffer.from(this.#scratch.subarray(0, length))
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#waiting.clear()
    this.#written.clear()
    this.#memory = this.#scratch = Buffer.alloc(0)
    this.#used = 0
  }

  #makeRoom(bytes: number): void {
    this.#flush()
    if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafe(Math.max(bytes, MEMORY))
  }

  /** Moves the waiting text to the file, with the bytes of each part together. */
  #flush(): void {
    if (this.#used === 0) return
    this.#reserve(this.#used)
    let at = 0
    for (const part of this.#waiting.keys()) {
      const length = this.#gather(part, at)
      const pieces = this.#written.get(part) ?? []
      pieces.push({ offset: this.#size + at, length })
      this.#written.set(part, pieces)
      at += length
    }
    this.#file ??= openUnlinked()
    for (let written = 0; written < at;) {
      written += writeSync(this.#file, this.#scratch, written, at - written, this.#size + written)
    }
    this.#size += at
    this.#waiting.clear()
    this.#used = 0
    this.#lastPart = -1
  }

  /** Copies the waiting text of a part to the scratch; gives the number of bytes. */
  #gather(part: number, start: number): number {
    let at = start
    for (const { offset, length } of this.#waiting.get(part) ?? []) {
      at += this.#memory.copy(this.#scratch, at, offset, offset + length)
    }
    return at - start
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
