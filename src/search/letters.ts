/** Latin letters that are no base letter with marks. */
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

/** A lower-case letter as ASCII has it, if it is a Latin one: without its marks, a ligature as two letters. */
export function asciiLetter(letter: string): string {
  const base = MORE_LETTERS[letter] ?? letter.normalize('NFD')[0]!
  return /^[a-z]+$/.test(base) ? base : letter
}

const MORE = new RegExp(`[${MORE_LATIN_LETTERS.join('')}]`, 'g')

/**
 * A text by which texts are found that people take for the same: lower case, no marks, `ae`, `oe`, `ue` as the vowel
 * alone, as `ä`, `ö`, `ü` become. The last changes "poet" to "pot", so what is found by it has still to be compared.
 */
export function fold(text: string): string {
  return unmarked(text).replace(/([ao])e|(?<![aeiouq])ue/g, (_, vowel: string | undefined) => vowel ?? 'u')
}

/** A text in lower case and without marks. Where a letter is wrong, `oe` may be no way to write `ö`: "Sloenien". */
export function unmarked(text: string): string {
  const lower = text.toLowerCase()
  if (/^[\0-\x7f]*$/.test(lower)) return lower
  const bare = lower.normalize('NFD').replace(/\p{M}+/gu, '')
  return bare.replace(MORE, (letter) => MORE_LETTERS[letter]!).normalize('NFC')
}
