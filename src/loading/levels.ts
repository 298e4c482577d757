import { InputError } from '../files/input-error.ts'
import { MAXIMA } from '../http/maxima.ts'

/**
 * The most elements within each other in RDF/XML, and arrays and objects in JSON-LD: the time of their parsers grows with the
 * square of the levels and faster.
 */
export const MOST_LEVELS = MAXIMA.levels.most

export const TOO_DEEP = `the text is nested too deeply: expected at most ${MOST_LEVELS} levels.`

const CODE = { newLine: 0x0a, quote: 0x22, openArray: 0x5b, escape: 0x5c, closeArray: 0x5d, open: 0x7b, close: 0x7d }

/**
 * A text of JSON, as it comes.
 *
 * @throws InputError with line and column where it is nested too deeply.
 */
export async function* boundedJson(text: AsyncIterable<string>, file: string): AsyncGenerator<string> {
  let levels = 0
  let line = 1
  let column = 0
  let isInString = false
  let isEscaped = false
  for await (const chunk of text) {
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk.charCodeAt(at)
      column++
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (code === CODE.escape) isEscaped = true
        else if (code === CODE.quote) isInString = false
      } else if (code === CODE.quote) isInString = true
      else if (code === CODE.newLine) [line, column] = [line + 1, 0]
      else if (code === CODE.close || code === CODE.closeArray) levels--
      else if (code === CODE.open || code === CODE.openArray) {
        if (++levels > MOST_LEVELS) throw new InputError(TOO_DEEP, file, { line, column })
      }
    }
    yield chunk
  }
}
