import { normaliseText } from '../../base/unicode.ts'

/** Text from a search box, without invisible characters, cut to a maximum and split into words. */
export interface SearchText {
  /** In NFC, with single spaces, none at the ends. */
  text: string
  /** All of these must match; empty if the text has only punctuation. If asked for, a word may have wildcards. */
  words: string[]
  /** The whole text if it has wildcards before its end; undefined if they were not asked for. */
  pattern?: string
}

/** In a word of a typed text, stands for any letters, marks and digits, or none. */
export const WILDCARD = '*'

/** Cuts longer texts: the rest adds nothing about the concept, and every character makes the pattern longer. */
const MAX_CHARACTERS = 100
/** The text may be longer before invisible characters and marks are removed. */
const MAX_TYPED = 1000
const MAX_WORDS = 10

/**
 * A run of letters, marks and digits is a word. Han and Hiragana have no spaces between words, so a run of them is a
 * word by itself; so is an emoji.
 */
const WORD = new RegExp(
  [
    '[\\p{Script=Han}\\p{Script=Hiragana}]+',
    '(?:(?![\\p{Script=Han}\\p{Script=Hiragana}])[\\p{L}\\p{M}\\p{N}])+',
    '(?:(?![\\0-\\uffff])\\p{Extended_Pictographic})\\p{Emoji_Modifier}?',
  ].join('|'),
  'gu',
)

/** Characters of scripts without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const PICTOGRAPH = '(?![\\0-\\uffff])\\p{Extended_Pictographic}'
const IS_CHARACTER = new RegExp(`^(?:[${UNSPACED}]|${PICTOGRAPH})`, 'u')
const RUN = new RegExp(`[\\p{L}\\p{M}\\p{N}]+|${PICTOGRAPH}\\p{Emoji_Modifier}?`, 'gu')
/** The parts of a run: a character by itself, or characters of scripts with spaces. */
const PART = new RegExp(
  `[${UNSPACED}]|${PICTOGRAPH}|\\p{Emoji_Modifier}|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
)

/** A run that may have wildcards. */
const RUN_WITH_WILDCARDS = new RegExp(`[\\p{L}\\p{M}\\p{N}${WILDCARD}]+|${PICTOGRAPH}\\p{Emoji_Modifier}?`, 'gu')
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')

/** Text of letters, digits and signs in which `LATIN_WORD` finds the same words as `WORD`. */
const LATIN = /^[\0-\x7f\xc0-\u024f\u2010-\u201f]*$/
const LATIN_WORD = /[0-9A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\u024f]+/g

/**
 * Control and format characters such as bidirectional marks and zero-width spaces, but not joiners, which belong to
 * words.
 */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu
/** Joiners that join nothing. */
const STRAY_JOINERS = /(?<![\p{L}\p{M}\p{Emoji}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Emoji}])/gu
/** Most texts have nothing that `visibleText` would change, which takes a fraction of the time to find out. */
const IS_VISIBLE = /^[ -~\xa1-\xac\xae-\u024f]*$/

/** A text as people see it: in NFC, without invisible characters, and with spaces for all white space. */
export function visibleText(text: string): string {
  if (IS_VISIBLE.test(text)) return text
  return normaliseText(text)
    .replace(/[\p{Zs}\s]/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(STRAY_JOINERS, '')
}

/** A text with single spaces, and none at its ends. */
export function singleSpaced(text: string): string {
  return text.replace(/ +/g, ' ').trim()
}

/**
 * Reads the text of a search.
 *
 * @param options.wildcards true: a `*` in a word stays there, and one at the end of the text is not of the text;
 *   otherwise it is punctuation.
 * @returns undefined if the text asks for everything: it has nothing visible but `*`.
 */
export function readSearchText(
  typed: string | undefined,
  { wildcards = false }: { wildcards?: boolean } = {},
): SearchText | undefined {
  const visible = visibleText((typed ?? '').slice(0, MAX_TYPED))
  const cut = [...singleSpaced(visible)].slice(0, MAX_CHARACTERS).join('').trim()
  if (/^[* ]*$/.test(cut)) return undefined
  const words = wildcards && cut.includes(WILDCARD) ? wordsWithWildcards(cut) : (cut.match(WORD) ?? [])
  const text = wildcards ? cut.replace(/[* ]+$/, '') : cut
  const hasPattern = wildcards && cut.slice(0, -1).includes(WILDCARD)
  return { text, words: [...new Set(words)].slice(0, MAX_WORDS), ...(hasPattern && { pattern: cut }) }
}

/** In a script without spaces nothing ends a word between characters, so a wildcard there has no effect. */
function wordsWithWildcards(text: string): string[] {
  return (text.match(RUN_WITH_WILDCARDS) ?? []).flatMap((run) => {
    const isWord = run.includes(WILDCARD) && /[\p{L}\p{N}]/u.test(run) && !HAS_UNSPACED.test(run)
    return isWord ? run.replace(/\*+/g, WILDCARD) : (run.match(WORD) ?? [])
  })
}

/**
 * The words of a text as an index has them; each Han or Hiragana character counts, because nothing separates words
 * there.
 */
export function indexedWords(text: string): string[] {
  // Most texts have only Latin letters: a simpler expression takes a third of the time for them.
  if (LATIN.test(text)) return text.match(LATIN_WORD) ?? []
  const words = text.match(WORD) ?? []
  return words.flatMap((word) => (/^[\p{Script=Han}\p{Script=Hiragana}]/u.test(word) ? [...word] : [word]))
}

/** True if a text begins with a character of a script without spaces between words. */
export function isUnspaced(text: string): boolean {
  return IS_UNSPACED.test(text)
}

/** True if a term is a character by itself, and no word. */
export function isCharacter(term: string): boolean {
  return IS_CHARACTER.test(term)
}

/**
 * The terms of a text that an index can find: words, in scripts without spaces between words characters, and
 * pictographs. A search for several characters looks for them side by side.
 *
 * @param gap stands between a character and another term that are not side by side in the text.
 */
export function termsOf(text: string, gap: string): string[] {
  if (LATIN.test(text)) return text.match(LATIN_WORD) ?? []
  const terms: string[] = []
  let end = 0
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (index > end && terms.length > 0 && (isCharacter(terms.at(-1)!) || isCharacter(run))) terms.push(gap)
    for (const term of run.match(PART) ?? []) terms.push(term)
    end = index + run.length
  }
  return terms
}
