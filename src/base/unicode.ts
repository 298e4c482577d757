/** How many marks may follow a letter (UAX #15, section 13, Stream-Safe Text Format). No language has more. */
const MOST_MARKS = 30
/** Combining grapheme joiner: it shows nothing, and marks before and after it are not sorted together. */
const JOINER = '\u034f'
/**
 * Marks stand for non-starters, which ECMAScript has no class for: there are few other marks, and no other
 * non-starters.
 */
const MARK = `(?!${JOINER})\\p{M}`
const TOO_MANY_MARKS = new RegExp(`(?:${MARK}){${MOST_MARKS}}(?=${MARK})`, 'gu')

/**
 * True for a text that has more than 30 combining marks in a row: normalising it takes time that grows with their
 * square.
 */
export function hasTooManyMarks(text: string): boolean {
  return text.search(TOO_MANY_MARKS) !== -1
}

/**
 * A text in NFC, in time that grows with its length alone: a run of marks is interrupted as UAX #15, section 13 says.
 * All input from outside passes through this.
 */
export function normaliseText(text: string): string {
  return text.replace(TOO_MANY_MARKS, `$&${JOINER}`).normalize('NFC')
}

/**
 * True for a text that has characters which change the order of what is around them (UAX #9), so that it can look like
 * another.
 */
export function hasBidiControls(text: string): boolean {
  return /\p{Bidi_Control}/u.test(text)
}

/** A text of at most some characters (code points); if it is longer, the last of them is `…`. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  // A character takes up to two units, so a longer text has enough characters in its first part.
  const characters = [...text.slice(0, 2 * length)]
  const fits = characters.length <= length && text.length <= 2 * length
  return fits ? text : `${characters.slice(0, length - 1).join('')}…`
}

/** A text whose line breaks are spaces, with the white space around them. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space))
}

const NOT_LATIN_1 = /[^\0-\xff]/

/** True for a text without characters beyond Latin-1, which V8 can keep with one byte a character. */
export function isLatin1(text: string): boolean {
  return !NOT_LATIN_1.test(text)
}

/**
 * The same text in memory of its own. V8 keeps a part of a text together with the whole text, and a text that was put
 * together with its parts, so a few words of a file or of an answer of the store would keep all of it in memory.
 */
export function copyOfText(text: string): string {
  const encoding = isLatin1(text) ? 'latin1' : 'utf16le'
  return Buffer.from(text, encoding).toString(encoding)
}

/** A value for a message, cut to keep the answer small. */
export function quoted(value: string): string {
  return JSON.stringify(shorten(value, 80))
}

/** The whole number that decimal digits write, at most the largest safe integer; undefined for any other text. */
export function wholeNumberIn(text: string): number | undefined {
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}
