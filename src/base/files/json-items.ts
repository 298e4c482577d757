import { InputError, type Position } from './input-error.ts'
import { JsonScanner, SIGN } from './json-scanner.ts'

/** An object or array of a list in a JSON text. */
export interface JsonItem {
  json: string
  start: Required<Position>
}

/**
 * The items of the list that a JSON text mainly is: of its outermost array, or of arrays that are members of its
 * outermost object. They come one by one, so the text may be larger than memory.
 */
export class JsonItems {
  /** The text read, with a zero in the place of each item. */
  rest = ''
  /** The level of the list that is being read, 0 if there is none. */
  #listLevel = 0
  readonly #scanner = new JsonScanner()

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
   * Reads a text, once for each object of this class. The items may be broken JSON; so may `rest`, which is complete
   * afterwards.
   *
   * @throws InputError with line and column where the text is nested too deeply.
   */
  async *of(text: AsyncIterable<string>, file: string): AsyncGenerator<JsonItem> {
    const scanner = this.#scanner
    let item: string | undefined
    let start = { line: 1, column: 1 }
    for await (const chunk of text) {
      let from = 0
      scanner.start(chunk)
      for (let sign = scanner.next(); sign !== undefined; sign = scanner.next()) {
        const { at, level, line, column } = scanner
        if (sign === SIGN.openObject || sign === SIGN.openArray) {
          if (level <= 1 || level === this.#listLevel) {
            if (item === undefined) {
              this.rest += chunk.slice(from, at)
              from = at
            }
            if (level > 0 && level === this.#listLevel) {
              item = ''
              start = { line, column }
              this.rest += '0'
            } else if (sign === SIGN.openArray && (level === 0 || this.#isMemberList())) {
              this.#listLevel = level + 1
            }
          }
          if (scanner.depth > this.most) throw new InputError(this.tooDeep, file, { line, column })
        } else if (sign === SIGN.closeObject || sign === SIGN.closeArray) {
          if (level < this.#listLevel) this.#listLevel = 0
          else if (item !== undefined && level === this.#listLevel) {
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

  /** True if the array that begins now is a member of the outermost object, and a list. `rest` ends before it. */
  #isMemberList(): boolean {
    const { level, place, string } = this.#scanner
    if (level !== 1 || this.#listLevel > 0) return false
    // Between the name and the array nothing was taken out of `rest`.
    const start = this.rest.length - (place - string.start)
    try {
      const name: unknown = JSON.parse(this.rest.slice(start, start + string.end - string.start))
      const before = () => JSON.parse(`${this.rest.slice(0, start).replace(/,\s*$/, '')}}`) as unknown
      return typeof name === 'string' && this.isList(name, before)
    } catch {
      // Broken, as reading the whole will show.
      return false
    }
  }
}
