/** Latin letters that do not consist of a base letter and marks. */
const MORE_LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  đ: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ĸ: 'q',
  ſ: 's',
  ß: 'ss',
}

export const MORE_LATIN_LETTERS: readonly string[] = Object.keys(MORE_LETTERS)

/** A lower-case Latin letter in ASCII: without its marks, a ligature as two letters. */
export function asciiLetter(letter: string): string {
  const base = MORE_LETTERS[letter] ?? letter.normalize('NFD')[0]!
  return /^[a-z]+$/.test(base) ? base : letter
}

const MORE = new RegExp(`[${MORE_LATIN_LETTERS.join('')}]`, 'g')

/**
 * Folds texts so that spellings of the same word become equal: lower case, no marks, and `ae`, `oe`, `ue` as the vowel
 * alone, like `ä`, `ö`, `ü`. This also turns "poet" into "pot", so hits still have to be compared.
 */
export function fold(text: string): string {
  return unmarked(text).replace(/([ao])e|(?<![aeiouq])ue/g, (_, vowel: string | undefined) => vowel ?? 'u')
}

/** A text in lower case, with an i for İ, whose lower case elsewhere is an i with a dot above it. */
export function toLowerCase(text: string): string {
  return text.toLowerCase().replaceAll('i\u0307', 'i')
}

/** A text in lower case and without marks; keeps `oe`, which in a typing error need not stand for `ö`: "Sloenien". */
export function unmarked(text: string): string {
  const lower = text.toLowerCase()
  if (/^[\0-\x7f]*$/.test(lower)) return lower
  const bare = lower.normalize('NFD').replace(/\p{M}+/gu, '')
  return bare.replace(MORE, (letter) => MORE_LETTERS[letter]!).normalize('NFC')
}
