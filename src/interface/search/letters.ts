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

/** A lower-case Latin letter in ASCII: without its marks, a ligature as two letters. */
export function asciiLetter(letter: string): string {
  const base = MORE_LETTERS[letter] ?? letter.normalize('NFD')[0]!
  return /^[a-z]+$/.test(base) ? base : letter
}

/**
 * Lower-case letters that more spellings stand for than those of their base letter: `ae` for `ä`, `ss` for `ß`. They
 * are letters of their own in canonical texts.
 */
const OWN: Readonly<Record<string, string>> = {
  ä: 'ä',
  ö: 'ö',
  ø: 'ö',
  ü: 'ü',
  æ: 'æ',
  œ: 'œ',
  ß: 'ß',
  þ: 'þ',
  ς: 'σ',
}

/** The canonical forms of characters that are not ASCII. */
const canonicalForms = new Map(Object.entries(OWN))
const ASCII = /^[\0-\x7f]*$/
const NOT_ASCII = /[^\0-\x7f]/gu

/**
 * A text in lower case without accents, except for umlauts, ligatures, ß and þ. `spellingsOf` (spellings.ts) says which
 * canonical texts a typed text stands for.
 */
export function canonical(text: string): string {
  const lower = toLowerCase(text)
  return ASCII.test(lower) ? lower : lower.replace(NOT_ASCII, canonicalForm)
}

function canonicalForm(character: string): string {
  let form = canonicalForms.get(character)
  if (form === undefined) {
    const base = isLatin(character) ? asciiLetter(character) : character
    canonicalForms.set(character, (form = base.length === 1 ? base : character))
  }
  return form
}

/** Blocks with Latin letters and their marks in one: Latin-1, Extended-A and -B, Extended Additional. */
const LATIN_BLOCKS = [
  [0xc0, 0x24f],
  [0x1e00, 0x1eff],
] as const

function isLatin(character: string): boolean {
  const code = character.codePointAt(0)!
  return LATIN_BLOCKS.some(([first, last]) => code >= first && code <= last) || character in MORE_LETTERS
}

/** Characters that people type for each other. */
export const SAME_SIGNS = ["'’‘ʼ`´", '-‐‑‒–—', '"“”„«»']

const MORE = new RegExp(`[${Object.keys(MORE_LETTERS).join('')}]`, 'g')

/**
 * Folds texts so that spellings of the same word become equal: lower case, no marks, and `ae`, `oe`, `ue` as the vowel
 * alone, like `ä`, `ö`, `ü`. This also turns "poet" into "pot", so hits still have to be compared.
 */
export function fold(text: string): string {
  return unmarked(text).replace(/([ao])e|(?<![aeiouq])ue/g, (_, vowel: string | undefined) => vowel ?? 'u')
}

/** A text in lower case, with an i for İ, whose lower case elsewhere is an i with a dot above it. */
export function toLowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.includes('\u0307') ? lower.replaceAll('i\u0307', 'i') : lower
}

/**
 * Marks of scripts that people write without them. In others a mark is a letter: the vowel signs of Indic scripts, the
 * voiced sounds of Japanese.
 */
const MARKS =
  /(?:\p{M}(?<=[\p{scx=Inherited}\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Hebrew}\p{scx=Arabic}\p{scx=Syriac}]))+/gu

/** A text in lower case and without marks; keeps `oe`, which in a typing error need not stand for `ö`: "Sloenien". */
export function unmarked(text: string): string {
  const lower = text.toLowerCase()
  if (/^[\0-\x7f]*$/.test(lower)) return lower
  const bare = lower.normalize('NFD').replace(MARKS, '')
  return bare.replace(MORE, (letter) => MORE_LETTERS[letter]!).normalize('NFC')
}

/** The characters of a text, the last one first. */
export function reversed(text: string): string {
  return [...text].reverse().join('')
}

/** The common part of all forms of a word, without German and English endings. Different words may share it. */
export function wordForm(word: string): string {
  return word.replace(/(?<=.{3})(?:innen|[enrsm]{1,3})$/, '').replace(/(?<=.{3})y$/, 'i')
}
