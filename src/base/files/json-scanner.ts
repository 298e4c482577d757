/** The signs of JSON (RFC 8259, section 2), by their codes. */
export const SIGN = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const

const NEW_LINE = 0x0a
const BACKSLASH = 0x5c

/**
 * Finds the signs of a JSON text: brackets, braces, commas, colons and the first quotes of strings. The text comes in
 * pieces, so it may be larger than memory. Whether the text is right is for others to say: a bracket ends whatever was
 * begun last.
 *
 * @example
 * const scanner = new JsonScanner()
 * scanner.start('{"a": [1]}')
 * for (let sign = scanner.next(); sign !== undefined; sign = scanner.next()) console.log(sign, scanner.level)
 */
export class JsonScanner {
  /** Arrays and objects that have begun and not ended. */
  depth = 0
  /** Arrays and objects around the last sign; if it begins or ends one, around this. */
  level = 0
  /** The place of the last sign in its piece; the length of the piece if this has no more signs. */
  at = 0
  /** The line of the last sign, from 1. */
  line = 1
  /** `next` also gives characters of numbers and names where `depth` is at most this. */
  everythingUpTo: number
  /** The last string, as places in the whole text: of its first quote, and after its last one. */
  readonly string = { start: 0, end: 0 }
  #piece = ''
  /** The length of the pieces before. */
  #before = 0
  /** The place in the whole text where the line begins. */
  #lineStart = 0
  #isInString = false
  #isEscaped = false

  constructor(everythingUpTo = -1) {
    this.everythingUpTo = everythingUpTo
  }

  /** The place of the last sign in the whole text. */
  get place(): number {
    return this.#before + this.at
  }

  /** The column of the last sign, from 1, in UTF-16 code units. */
  get column(): number {
    return this.place - this.#lineStart + 1
  }

  /** Goes on with the next piece of the text. */
  start(piece: string): void {
    this.#before += this.#piece.length
    this.#piece = piece
    this.at = -1
  }

  /** The code of the next sign of the piece; undefined at its end. */
  next(): number | undefined {
    const piece = this.#piece
    for (let at = this.at + 1; at < piece.length; at++) {
      if (this.#isInString) {
        at = this.#endOfString(at)
        continue
      }
      const code = piece.charCodeAt(at)
      if (code === NEW_LINE) this.#endLine(at)
      if (code === 0x20 || code === NEW_LINE || code === 0x0d || code === 0x09) continue
      if (code === SIGN.openArray || code === SIGN.openObject) this.level = this.depth++
      else {
        if (code === SIGN.closeArray || code === SIGN.closeObject) this.depth--
        else if (code === SIGN.quote) {
          this.#isInString = true
          this.string.start = this.#before + at
        } else if (code !== SIGN.comma && code !== SIGN.colon && this.depth > this.everythingUpTo) continue
        this.level = this.depth
      }
      this.at = at
      return code
    }
    this.at = piece.length
    return undefined
  }

  /** The string that begins with the last sign, with its quotes; undefined if the piece ends before. */
  readString(): string | undefined {
    const start = this.at
    this.at = this.#endOfString(start + 1)
    return this.#isInString ? undefined : this.#piece.slice(start, this.at + 1)
  }

  /** The text from the last sign that matches a pattern with the flag y; undefined if none does. */
  readText(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const text = pattern.exec(this.#piece)?.[0]
    if (text !== undefined) this.at += text.length - 1
    return text
  }

  /** The place of the quote that ends the string around a place; the length of the piece if this has none. */
  #endOfString(from: number): number {
    const piece = this.#piece
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (code === NEW_LINE) this.#endLine(at)
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === BACKSLASH) this.#isEscaped = true
      else if (code === SIGN.quote) {
        this.#isInString = false
        this.string.end = this.#before + at + 1
        return at
      }
    }
    return piece.length
  }

  #endLine(at: number): void {
    this.line++
    this.#lineStart = this.#before + at + 1
  }
}
