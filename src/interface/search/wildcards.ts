import { normaliseText } from '../../base/unicode.ts'
import { singleSpaced } from './words.ts'

/**
 * A text that labels match as a whole, whatever their case and their spaces; each `*` in it stands for any characters,
 * none included.
 *
 * @example readWildcards('*bind*').matches('Bookbinding') // true
 */
export interface Wildcards {
  /** The text before the first `*`. */
  beginning: string
  /** False: there is no `*`, so `beginning` is the whole text. */
  isOpen: boolean
  /**
   * A pattern of LIKE with `\` as its escape character (https://sqlite.org/lang_expr.html#like). It may match more
   * labels.
   */
  like: string
  matches: (label: string) => boolean
}

/** Longer texts are in no label that a client shows. */
const MOST_CHARACTERS = 1000

/** Reads a text with `*` as a wildcard; several of them side by side are one. */
export function readWildcards(text: string): Wildcards {
  const typed = singleSpaced(text.slice(0, MOST_CHARACTERS)).replace(/\*+/g, '*').split('*')
  const pieces = typed.map((piece) => piece.toLowerCase())
  const first = pieces[0]!
  const last = pieces.at(-1)!
  const between = pieces.slice(1, -1)
  const matches = (label: string) => {
    const lower = singleSpaced(normaliseText(label)).toLowerCase()
    if (pieces.length === 1) return lower === first
    if (!lower.startsWith(first) || !lower.endsWith(last)) return false
    let at = first.length
    for (const piece of between) {
      const place = lower.indexOf(piece, at)
      if (place < 0) return false
      at = place + piece.length
    }
    return at + last.length <= lower.length
  }
  // As typed: İ has two characters in lower case, but one in labels.
  return { beginning: first, isOpen: pieces.length > 1, like: typed.map(likePart).join('%'), matches }
}

/**
 * SQLite ignores the case of ASCII letters alone, so `_` stands for all others, with `%` for their accents if these
 * are characters by themselves. A label may have several spaces for one.
 */
function likePart(text: string): string {
  return text
    .replace(/[%_\\]/g, '\\$&')
    .replace(/[^\0-\x7f]/gu, '_%')
    .replaceAll(' ', ' %')
}
