import { COLUMNS, keyTerm, type IndexFile } from '../../graph/index/index-file.ts'
import { canonical } from './letters.ts'
import { phrasesOf, readWord } from './matching.ts'
import { GAP, keyOf, segmentsOf, spellingsOf, type Segment } from './spellings.ts'
import { termsOf, type SearchText } from './words.ts'

/**
 * A typed text as expressions of FTS5 (https://sqlite.org/fts5.html#full_text_query_syntax). The service writes them:
 * of the text itself they have only letters, digits and marks, in quotes, so that nothing in it is syntax. Undefined:
 * no label matches.
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

/** The maximum number of spellings of a word with alternatives. */
const MOST_FORMS = 64

/** Words to accept instead of a word of a text. */
export type Variants = ReadonlyMap<string, readonly string[]>

/** Writes a typed text as expressions. */
export class TextReader {
  readonly #file: IndexFile

  constructor(file: IndexFile) {
    this.#file = file
  }

  async read({ text, words }: SearchText, variants: Variants = new Map()): Promise<TypedText> {
    const isBeginning = await this.#asksForWords()
    const isKey = await this.#asksForKeys()
    const segments = text.split(/([\p{L}\p{M}\p{N}]+)/u).flatMap((part): readonly Segment[] => {
      const accepted = variants.get(part)
      if (!accepted) return segmentsOf(part)
      return [accepted.flatMap((other) => spellingsOf(segmentsOf(other), isBeginning)).slice(0, MOST_FORMS)]
    })
    const keys = spellingsOf(segments, isKey).map((key) => keyTerm(key))
    const forms = words.map((word) => (variants.get(word) ?? [word]).flatMap((form) => formsOf(form, isBeginning)))
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
