import { COLUMNS, keyTerm, type IndexFile } from './index-file.ts'
import { canonical } from './letters.ts'
import type { Variants } from './patterns.ts'
import { GAP, indexedTerms, keyOf, partsOf, spellingsOf, type Part } from './spellings.ts'
import { isCharacter, termsOf, visibleText, type SearchText } from './words.ts'

/**
 * A typed text as expressions of FTS5 (https://sqlite.org/fts5.html#full_text_query_syntax). The service writes them: of the text
 * itself they have only letters, digits and marks, in quotes, so that nothing in it is syntax. Undefined: no label matches.
 */
export interface TypedText {
  /** For labels that equal the text. */
  whole: string | undefined
  /** For labels that begin with the text. */
  beginning: string | undefined
  /** For labels with each word, one expression a word, as words; undefined if no label has one of the words. */
  words: readonly string[] | undefined
  /** True if the words are one word of letters: then `concepts` finds it as well as `labels`. */
  isOneWord: boolean
}

/** Words longer than this are in the table of words up to here. */
export const MOST_LETTERS = 40

/** Texts that a word with alternatives may be written as. */
const MOST_FORMS = 64

/** Writes a typed text as expressions. */
export class TextReader {
  readonly #file: IndexFile

  constructor(file: IndexFile) {
    this.#file = file
  }

  async read({ text, words }: SearchText, variants: Variants = new Map()): Promise<TypedText> {
    const isBeginning = await this.#asksForWords()
    const isKey = await this.#asksForKeys()
    const parts = text.split(/([\p{L}\p{M}\p{N}]+)/u).flatMap((part): readonly Part[] => {
      const others = variants.get(part)
      if (!others) return partsOf(part)
      return [others.flatMap((other) => spellingsOf(partsOf(other), isBeginning)).slice(0, MOST_FORMS)]
    })
    const keys = spellingsOf(parts, isKey).map((key) => keyTerm(key))
    const forms = words.map((word) => (variants.get(word) ?? [word]).flatMap((one) => formsOf(one, isBeginning)))
    return {
      whole: anyOf(keys.map(quoted)),
      beginning: anyOf(keys.map((key) => `${quoted(key)} *`)),
      words: forms.every((some) => some.length > 0) ? forms.map((some) => anyOf(some)!) : undefined,
      isOneWord: forms.length === 1 && forms[0]!.every((form) => !form.includes(' ') || /^"[^ ]*" \*$/.test(form)),
    }
  }

  /** The expression for words that begin like a typed one, as words of labels; undefined if there are none. */
  async beginning(word: string): Promise<string | undefined> {
    return anyOf(formsOf(word, await this.#asksForWords()))
  }

  async #asksForWords(): Promise<(beginning: string) => boolean> {
    const statement = await this.#file.prepare(
      'SELECT 1 FROM word WHERE term >= ?1 AND term < ?1 || char(1114111) LIMIT 1',
    )
    return (beginning) => beginning.length > MOST_LETTERS || statement.get(beginning) !== undefined
  }

  async #asksForKeys(): Promise<(beginning: string) => boolean> {
    const statement = await this.#file.prepare('SELECT 1 FROM concepts WHERE concepts MATCH ? LIMIT 1')
    return (beginning) => statement.get(`${quoted(keyTerm(beginning))} *`) !== undefined
  }
}

/** The forms of a word that begins so, each as a phrase of FTS5. */
function formsOf(word: string, isBeginning: (spelling: string) => boolean): string[] {
  const { terms, isWord } = readWord(word)
  return phrasesOf(terms, isBeginning).map((phrase) => (isWord ? `${quoted(phrase)} *` : quoted(phrase)))
}

/** The terms of a typed word, each in parts. @returns `isWord` false: the last one is a character, which stands for itself alone. */
function readWord(word: string): { terms: Part[][]; isWord: boolean } {
  const terms = termsOf(word, GAP)
  return {
    terms: terms.map((term) => (isCharacter(term) ? [[canonical(term)]] : partsOf(term))),
    isWord: terms.length > 0 && !isCharacter(terms.at(-1)!),
  }
}

/** The phrases that terms stand for. */
function phrasesOf(terms: readonly Part[][], isBeginning: (spelling: string) => boolean): string[] {
  if (terms.length === 0) return []
  let phrases = ['']
  for (const term of terms) {
    const forms = spellingsOf(term, isBeginning)
    phrases = phrases.flatMap((phrase) => forms.map((form) => (phrase === '' ? form : `${phrase} ${form}`)))
    phrases = phrases.slice(0, MOST_FORMS)
  }
  return phrases
}

/**
 * Tells of labels whether they have all of some typed words, as beginnings of words, the way the index finds them.
 *
 * @example wordMatcher(['munch', 'kun'])('Kunst in München') // true
 */
export function wordMatcher(words: readonly string[]): (label: string) => boolean {
  const read = words.map(readWord)
  const literals = read.flatMap(({ terms }) => terms.map(literalOf))
  return (label) => {
    // Most labels lack the letters, which is found out without making their terms.
    const text = canonical(visibleText(label))
    if (literals.some((literal) => !text.includes(literal))) return false
    const terms = ` ${indexedTerms(label).join(' ')} `
    const isBeginning = (beginning: string) => terms.includes(` ${beginning}`)
    return read.every(({ terms: own, isWord }) =>
      phrasesOf(own, isBeginning).some((phrase) => terms.includes(isWord ? ` ${phrase}` : ` ${phrase} `)),
    )
  }
}

/** The longest text that each spelling of a term has. */
function literalOf(term: readonly Part[]): string {
  let longest = ''
  let literal = ''
  for (const forms of term) {
    literal = forms.length === 1 ? literal + forms[0]! : ''
    if (literal.length > longest.length) longest = literal
  }
  return longest
}

/** The expression for exactly this word, as labels have it. */
export function exactly(spelling: string): string {
  return quoted(termsOf(canonical(spelling), GAP).join(' '))
}

/** The expression for concepts whose labels have the terms of a word in the table of words. */
export function termsOfWord(spelling: string): string {
  const terms = termsOf(canonical(spelling), GAP).map(quoted).join(' AND ')
  return spelling.length < MOST_LETTERS ? terms : `${terms} *`
}

/** The expression for labels that equal a text. */
export function keyExpression(text: string): string {
  return quoted(keyTerm(keyOf(text)))
}

/** A string of FTS5. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('\0', '')}"`
}

/** An expression that is true if one of some is; undefined for none. */
export function anyOf(expressions: readonly string[]): string | undefined {
  if (expressions.length === 0) return undefined
  return expressions.length === 1 ? expressions[0] : `(${expressions.join(' OR ')})`
}

/** Restricts an expression for `concepts` to kinds of labels. */
export function inKinds(kinds: readonly number[], expression: string): string {
  return `{${kinds.map((kind) => COLUMNS[kind]).join(' ')}} : (${expression})`
}
