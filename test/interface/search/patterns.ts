import { asciiLetter, SAME_SIGNS, toLowerCase } from '../../../src/interface/search/letters.ts'
import { isUnspaced } from '../../../src/interface/search/words.ts'

/**
 * What a typed text matches, as regular expressions with the flag u: the oracle for the index, written independently of
 * it. Every letter stands for its forms in both cases. All other characters are escaped.
 */

/** The class of all forms of a letter, for each of a to z. */
const CLASSES = latinClasses()

/** The umlauts that `ae`, `oe` and `ue` stand for. */
const IN_ONE = { a: '[äÄæÆ]', o: '[öÖøØœŒ]', u: '[üÜ]' } as const

/** Matches labels that begin with this text, whatever their case, accents and spelling of umlauts. */
export function beginningPattern(text: string): string {
  return `^${sequence(text, { mayGoOn: true })}`
}

/** Matches labels that equal this text, whatever their case, accents and spelling of umlauts. */
export function wholePattern(text: string): string {
  return `^${sequence(text)}$`
}

/** Matches labels with a word that begins like this; in scripts without spaces and for symbols, anywhere. */
export function wordPattern(word: string): string {
  const pattern = sequence(word, { mayGoOn: true })
  return isAtBoundary(word) ? `(^|[^\\p{L}\\p{M}\\p{N}])${pattern}` : pattern
}

/** Matches labels with a word that has this anywhere, if it has three letters, or else begins like this. */
export function insidePattern(word: string): string {
  return (word.match(/\p{L}/gu)?.length ?? 0) >= 3
    ? sequence(word, { mayGoOn: true, isInside: true })
    : wordPattern(word)
}

/** True if a word has to match the beginning of a word. */
function isAtBoundary(word: string): boolean {
  return /^[\p{L}\p{M}\p{N}]/u.test(word) && !isUnspaced(word)
}

/** @param open whether letters may follow, or come before: then an s there may be half of an ß. */
function sequence(text: string, open: { mayGoOn?: boolean; isInside?: boolean } = {}): string {
  const characters = [...toLowerCase(text).normalize('NFC')]
  let pattern = ''
  for (let at = 0; at < characters.length;) {
    const [part, length] = unit(characters, at)
    const isOpen = (open.isInside && at === 0) || (open.mayGoOn && at + length === characters.length)
    pattern += isOpen && part === CLASSES.get('s') ? `(${part}|[ßẞ])` : part
    at += length
  }
  return pattern
}

/** The pattern for one place of the text, and how many characters it covers. */
function unit(characters: readonly string[], at: number): [pattern: string, length: number] {
  const character = characters[at]!
  const pair = character + (characters[at + 1] ?? '')
  if (pair === 'ss') return ['([sSſ][sSſ]|[ßẞ])', 2]
  if (pair === 'th') return ['([tT][hH]|[þÞ])', 2]
  const base = asciiLetter(character)
  if (base === 'ss') return ['([sSſ][sSſ]|[ßẞ])', 1]
  if (base === 'th') return ['([tT][hH]|[þÞ])', 1]
  const vowel = base.startsWith('a') || base.startsWith('o') || base.startsWith('u') ? (base[0] as 'a' | 'o' | 'u') : ''
  if (vowel !== '') {
    if ('äöüæøœ'.includes(character)) return [umlaut(vowel, true), 1]
    // An e is optional only if enough letters follow: "poet" does not match "pot", but "Muenchen" matches "Munchen".
    if (pair === `${vowel}e`) return [umlaut(vowel, lettersFrom(characters, at + 2) >= 2), 2]
    const maybe = character === vowel && lettersFrom(characters, at + 1) >= 2
    return [maybe ? `${CLASSES.get(vowel)}${CLASSES.get('e')}?` : CLASSES.get(vowel)!, 1]
  }
  return [CLASSES.get(base) ?? other(character), 1]
}

/** Matches an umlaut with its dots, as a vowel followed by e and, if `bare`, as the vowel alone. */
function umlaut(base: 'a' | 'o' | 'u', bare: boolean): string {
  const vowel = CLASSES.get(base)!
  const e = CLASSES.get('e')!
  return bare ? `(${vowel}${e}?|${IN_ONE[base]})` : `(${vowel}${e}|${IN_ONE[base]})`
}

function lettersFrom(characters: readonly string[], at: number): number {
  let count = 0
  while (/^\p{L}$/u.test(characters[at + count] ?? '')) count++
  return count
}

function other(character: string): string {
  if (character === ' ') return '[\\s\u00a0]+'
  const signs = SAME_SIGNS.find((same) => same.includes(character))
  if (signs) return `(${[...signs].map(escaped).join('|')})`
  if (character === 'σ' || character === 'ς') return '[σςΣ]'
  const capital = character.toUpperCase()
  // Some capitals are two letters, or those of another letter: the micro sign has that of my.
  return capital !== character && capital.toLowerCase() === character ? `[${character}${capital}]` : escaped(character)
}

function escaped(character: string): string {
  return character.replace(/[\\|.?*+(){}[\]^$]/g, '\\$&')
}

function latinClasses(): Map<string, string> {
  const forms = new Map<string, Set<number>>()
  const add = (form: string) => forms.get(asciiLetter(form.toLowerCase()))?.add(form.codePointAt(0)!)
  for (let code = 0x61; code <= 0x7a; code++) forms.set(String.fromCodePoint(code), new Set([code, code - 0x20]))
  for (let code = 0xc0; code <= 0x1eff; code++) add(String.fromCodePoint(code))
  return new Map([...forms].map(([letter, codes]) => [letter, `[${ranges([...codes].sort((a, b) => a - b))}]`]))
}

/** Sorted code points as the inside of a character class. */
function ranges(codes: readonly number[]): string {
  let text = ''
  for (let start = 0, end: number; start < codes.length; start = end) {
    end = start + 1
    while (codes[end] === codes[end - 1]! + 1) end++
    const [first, last] = [String.fromCodePoint(codes[start]!), String.fromCodePoint(codes[end - 1]!)]
    text +=
      end - start > 2
        ? `${first}-${last}`
        : codes
            .slice(start, end)
            .map((code) => String.fromCodePoint(code))
            .join('')
  }
  return text
}
