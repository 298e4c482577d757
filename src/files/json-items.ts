import { InputError, type Position } from './input-error.ts'

/** An object or array of a list in a JSON text. */
export interface JsonItem {
  json: string
  start: Required<Position>
}

const CODE = { newLine: 0x0a, quote: 0x22, openArray: 0x5b, escape: 0x5c, closeArray: 0x5d, open: 0x7b, close: 0x7d }

/**
 * The items of the list that a JSON text mainly is: of its outermost array, or of arrays that are members of its outermost object. They
 * come one by one, so the text may be larger than memory.
 */
export class JsonItems {
  /** The text read, with a zero in the place of each item. */
  rest = ''
  #levels = 0
  /** The level of the list that is being read, 0 if there is none. */
  #listLevel = 0
  #isInString = false
  #isEscaped = false
  /** The place of the last string directly in the outermost object, in `rest`. */
  #name = { start: 0, end: 0 }
  #line = 1
  #column = 0

  /**
   * @param isList true for the name of a member of the outermost object that is a list, given the members before it.
   * @param most the most levels of arrays and objects.
   * @param tooDeep what to say of more.
   */
  constructor(
    private readonly isList: (name: string, before: () => unknown) => boolean,
    private readonly most: number,
    private readonly tooDeep: string,
  ) {}

  /**
   * Reads a text, once for each object of this class. The items may be broken JSON; so may `rest`, which is complete afterwards.
   *
   * @throws InputError with line and column where the text is nested too deeply.
   */
  async *of(text: AsyncIterable<string>, file: string): AsyncGenerator<JsonItem> {
    let item: string | undefined
    let start = { line: 1, column: 1 }
    for await (const chunk of text) {
      let from = 0
      for (let at = 0; at < chunk.length; at++) {
        const code = chunk.charCodeAt(at)
        this.#column++
        if (this.#isInString) {
          if (this.#isEscaped) this.#isEscaped = false
          else if (code === CODE.escape) this.#isEscaped = true
          else if (code === CODE.quote) {
            this.#isInString = false
            if (this.#levels === 1) this.#name.end = this.rest.length + at + 1 - from
          }
        } else if (code === CODE.quote) {
          this.#isInString = true
          if (this.#levels === 1) this.#name.start = this.rest.length + at - from
        } else if (code === CODE.newLine) [this.#line, this.#column] = [this.#line + 1, 0]
        else if (code === CODE.open || code === CODE.openArray) {
          if (this.#levels <= 1 || this.#levels === this.#listLevel) {
            if (item === undefined) {
              this.rest += chunk.slice(from, at)
              from = at
            }
            if (this.#levels > 0 && this.#levels === this.#listLevel) {
              item = ''
              start = { line: this.#line, column: this.#column }
              this.rest += '0'
            } else if (code === CODE.openArray && (this.#levels === 0 || this.#isMemberList())) {
              this.#listLevel = this.#levels + 1
            }
          }
          if (++this.#levels > this.most) {
            throw new InputError(this.tooDeep, file, { line: this.#line, column: this.#column })
          }
        } else if (code === CODE.close || code === CODE.closeArray) {
          this.#levels--
          if (this.#levels < this.#listLevel) this.#listLevel = 0
          else if (item !== undefined && this.#levels === this.#listLevel) {
            yield { json: item + chunk.slice(from, at + 1), start }
            item = undefined
            from = at + 1
          }
        }
      }
      if (item === undefined) this.rest += chunk.slice(from)
      else item += chunk.slice(from)
    }
    // Of an item without an end, so that the rest is broken, too.
    this.rest += item ?? ''
  }

  /** True if the array that begins now is a member of the outermost object, and a list. */
  #isMemberList(): boolean {
    if (this.#levels !== 1 || this.#listLevel > 0) return false
    const { start, end } = this.#name
    try {
      const name: unknown = JSON.parse(this.rest.slice(start, end))
      const before = () => JSON.parse(`${this.rest.slice(0, start).replace(/,\s*$/, '')}}`) as unknown
      return typeof name === 'string' && this.isList(name, before)
    } catch {
      // Broken, as reading the whole will show.
      return false
    }
  }
}
