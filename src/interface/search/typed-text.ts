import { COLUMNS, keyTerm, NO_TERM, type IndexFile } from '../../graph/index/index-file.ts'
import { LABEL_KINDS } from '../../graph/index/statements.ts'
import { allOf, joinedSql, plain, sql } from '../../graph/index/sql.ts'
import type { Places } from './places.ts'
import { canonical, fold, unmarked } from './letters.ts'
import {
  hasWildcard,
  insideWord,
  keyMatcher,
  literalOf,
  phrasesOf,
  piecesOf,
  readWord,
  wildcardMatcher,
} from './matching.ts'
import { GAP, keyOf, openSegments, segmentsOf, spellingsOf, type Segment } from './spellings.ts'
import { termsOf, WILDCARD, type SearchText } from './words.ts'

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
  /** As `words`, for notes; undefined if no note has one of the words, or if they were not asked for. */
  notes?: readonly string[] | undefined
  /** Concepts with a notation that the whole text with its wildcards matches; undefined if the text has none. */
  notated?: readonly number[] | undefined
}

/** A typed text whose words are looked for inside of words, too. */
interface InsideText {
  typed: TypedText
  /** The words that labels have inside of words, each as a word with wildcards. */
  replaced: ReadonlyMap<string, readonly string[]>
}

/** Words longer than this are in the table of words up to here. */
export const MOST_LETTERS = 40

/** The maximum number of spellings of a word with alternatives. */
const MOST_FORMS = 64
/** Maximum number of words that match a word with wildcards, the shortest first: each takes 10 µs of a search. */
const MOST_MATCHING = { few: 10_000, many: 1000 }
const MANY_LABELS = 100_000
/** A text or word that begins words of this many concepts is not looked for inside of words. */
export const MOST_BEGINNINGS = 1000
/** FTS5 compares each row that it finds with all expressions of an OR: in groups many take a third of the time. */
const MOST_IN_GROUP = 64
/** Letters side by side by which the table `inside` finds words. */
const TRIGRAM = 3

const IS_WORD = /^[\p{L}\p{M}\p{N}]+$/u

/** Words to accept instead of a word of a text. */
export type Variants = ReadonlyMap<string, readonly string[]>

/** Writes a typed text as expressions. */
export class TextReader {
  readonly #file: IndexFile

  constructor(file: IndexFile) {
    this.#file = file
  }

  /** @param labels the number of labels that are searched. */
  async read({ text, words }: SearchText, labels: number, variants: Variants = new Map()): Promise<TypedText> {
    const isBeginning = await this.#asksForWords()
    const forms: string[][] = []
    for (const word of words) {
      const accepted = variants.get(word) ?? [word]
      forms.push(
        hasWildcard(word) ? await this.#matching(word, labels) : accepted.flatMap((form) => formsOf(form, isBeginning)),
      )
    }
    const written = {
      words: forms.every((some) => some.length > 0) ? forms.map((some) => anyOf(some)!) : undefined,
      isOneWord: forms.length === 1 && forms[0]!.every((form) => !form.includes(' ') || /^"[^ ]*" \*$/.test(form)),
    }
    if (words.some(hasWildcard)) return { whole: undefined, beginning: undefined, ...written }
    const isKey = await this.#asksForKeys(isBeginning)
    const segments = text.split(/([\p{L}\p{M}\p{N}]+)/u).flatMap((part): readonly Segment[] => {
      const accepted = variants.get(part)
      if (!accepted) return segmentsOf(part)
      return [accepted.flatMap((other) => spellingsOf(segmentsOf(other), isBeginning)).slice(0, MOST_FORMS)]
    })
    const keysOf = (some: readonly Segment[]) => spellingsOf(some, isKey).map((key) => ftsString(keyTerm(key)))
    const keys = keysOf(segments)
    const open = openSegments(segments)
    return {
      whole: anyOf(keys),
      beginning: anyOf((open === segments ? keys : keysOf(open)).map((key) => `${key} *`)),
      ...written,
    }
  }

  /**
   * The expressions for labels that have words of a text inside of words. Words that begin words of very many concepts
   * count only there.
   *
   * @param places that are searched.
   * @returns undefined if no word of a label has one of the words inside.
   */
  async inside({ words }: SearchText, places: Places): Promise<InsideText | undefined> {
    const isBeginning = await this.#asksForWords()
    const replaced = new Map<string, readonly string[]>()
    const inside: string[] = []
    for (const word of words) {
      const wide = insideWord(word)
      // Labels with the only word as a beginning are found without this.
      const isOnly = words.length === 1 && wide !== undefined
      const beginnings = isOnly
        ? []
        : hasWildcard(word)
          ? await this.#matching(word, places.labels)
          : formsOf(word, isBeginning)
      const isSought = wide !== undefined && (isOnly || !(await this.#areOften(beginnings, places)))
      const terms = isSought ? await this.#matching(wide, places.labels, word) : []
      if (terms.length > 0) replaced.set(word, [wide!])
      const either = anyOf([...beginnings, ...terms])
      if (either === undefined) return undefined
      inside.push(either)
    }
    if (replaced.size === 0) return undefined
    return { typed: { whole: undefined, beginning: undefined, words: inside, isOneWord: words.length === 1 }, replaced }
  }

  /** True if labels of `MOST_BEGINNINGS` concepts have one of some words. */
  async #areOften(forms: readonly string[], places: Places): Promise<boolean> {
    const expression = anyOf(forms)
    if (expression === undefined) return false
    const concepts = places.concepts(inKinds(LABEL_KINDS, expression))
    const count = await this.#file.number(
      sql`SELECT count(*) FROM (SELECT id FROM (${concepts}) LIMIT ${MOST_BEGINNINGS})`,
    )
    return count === MOST_BEGINNINGS
  }

  /** The words of labels that match a word with wildcards. @param besides no words that begin with this one. */
  async #matching(word: string, labels: number, besides?: string): Promise<string[]> {
    const most = labels > MANY_LABELS ? MOST_MATCHING.many : MOST_MATCHING.few
    const pieces = word.split(WILDCARD).map((piece, at) => (at === 0 ? [fold(piece)] : insideForms(piece)))
    const trigrams = pieces.flatMap((forms) => trigramsOf(forms) ?? [])
    const patterns = pieces.reduce(
      (all, forms) => all.flatMap((before) => forms.map((form) => before + WILDCARD + form)),
      [''],
    )
    const isLike = joinedSql(
      patterns.map((pattern) => sql`folded GLOB ${pattern.slice(1)}`),
      ' OR ',
    )
    const literals = piecesOf(word).map(literalOf)
    const hasLiterals = literals.filter(Boolean).map((literal) => sql`instr(term, ${literal})`)
    const isBesides = besides === undefined ? plain('0') : sql`folded GLOB ${fold(besides) + WILDCARD}`
    // FTS5 itself takes three times as long to give a row of the table with the contents of `inside`.
    const candidates =
      trigrams.length > 0
        ? sql`(SELECT w.c0 AS folded, w.c1 AS term FROM inside i CROSS JOIN inside_content w ON w.id = i.rowid
          WHERE i.inside MATCH ${trigrams.join(' AND ')})`
        : plain('word INDEXED BY word_folded')
    const terms = await this.#file.values<string>(
      // GROUP BY takes half of the time of DISTINCT, because it sorts as ORDER BY does.
      sql`SELECT term, ${isBesides} AS besides FROM ${candidates} WHERE ${allOf([sql`(${isLike})`, ...hasLiterals])!}
      GROUP BY besides, length(term), term ORDER BY besides, length(term), term LIMIT ${2 * most}`,
      'term',
    )
    const match = wildcardMatcher(word)
    const begins = besides === undefined ? () => undefined : keyMatcher(besides)
    const isOpen = word.endsWith(WILDCARD)
    const matching = new Set<string>()
    for (const term of terms) {
      const place = match(term)
      if (!place || begins(term)) continue
      // The beginning up to the last letter stands for all words that go on after it: FTS5 compares fewer expressions.
      const beginning = isOpen ? term.slice(0, place[1]) : term
      matching.add(isOpen || term.length >= MOST_LETTERS ? `${ftsString(beginning)} *` : ftsString(beginning))
      if (matching.size === most) break
    }
    return [...matching]
  }

  /** The expressions for notes with each word; undefined if no note has one of them, or if it has wildcards. */
  async notes({ words }: SearchText): Promise<readonly string[] | undefined> {
    if (words.length === 0 || words.some(hasWildcard)) return undefined
    const statement = await this.#file.prepare('SELECT 1 FROM notes WHERE notes MATCH ? LIMIT 1')
    const isBeginning = (beginning: string) => statement.get(`${ftsString(beginning)} *`) !== undefined
    const forms = words.map((word) => anyOf(formsOf(word, isBeginning)))
    return forms.includes(undefined) ? undefined : (forms as string[])
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

  /** A label or a notation may begin with what begins words of labels. Looking for these takes a fifth of the time. */
  async #asksForKeys(isBeginning: (word: string) => boolean): Promise<(beginning: string) => boolean> {
    const statement = await this.#file.prepare('SELECT 1 FROM concepts WHERE concepts MATCH ? LIMIT 1')
    return (beginning) =>
      (IS_WORD.test(beginning) && isBeginning(beginning)) ||
      statement.get(`${ftsString(keyTerm(beginning))} *`) !== undefined
  }
}

/** The folded forms of some letters inside of words, where an e may belong to the vowel before it (`fold`). */
function insideForms(letters: string): string[] {
  const bare = unmarked(letters)
  if (bare.startsWith('ue')) return [fold(letters), `u${fold(bare.slice(1))}`]
  if (!bare.startsWith('e')) return [fold(letters)]
  const rest = fold(letters).slice(1)
  return ['e', 'a', 'o', 'u'].map((vowel) => vowel + rest)
}

/**
 * The expression for words with trigrams of one of some texts; undefined if one of these has none. Those that together
 * have all letters of a text will do: few other words have them, and further ones take time.
 */
function trigramsOf(texts: readonly string[]): string | undefined {
  const each = texts.map((text) => {
    const characters = [...text]
    const last = characters.length - TRIGRAM
    const starts = [...characters.keys()].filter((at) => at === last || (at < last && at % TRIGRAM === 0))
    const trigrams = starts.map((at) => ftsString(characters.slice(at, at + TRIGRAM).join('')))
    return trigrams.length > 0 ? `(${trigrams.join(' AND ')})` : undefined
  })
  return each.includes(undefined) ? undefined : `(${each.join(' OR ')})`
}

/** The forms of a word that begins so, each as a phrase of FTS5. */
function formsOf(word: string, isBeginning: (spelling: string) => boolean): string[] {
  const { terms, isWord } = readWord(word)
  return phrasesOf(terms, isBeginning).map((phrase) => (isWord ? `${ftsString(phrase)} *` : ftsString(phrase)))
}

/** The expression for exactly this word, as labels have it. */
export function exactly(spelling: string): string {
  return ftsString(termsOf(canonical(spelling), GAP).join(' '))
}

/** The expression for concepts whose labels have the terms of a word in the table of words. */
export function termsOfWord(spelling: string): string {
  const terms = termsOf(canonical(spelling), GAP).map(ftsString).join(' AND ')
  return spelling.length < MOST_LETTERS ? terms : `${terms} *`
}

/** The expression for labels that equal a text. */
export function keyExpression(text: string): string {
  return ftsString(keyTerm(keyOf(text)))
}

/** A string of FTS5. */
function ftsString(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('\0', '')}"`
}

/** An expression that is true if one of some is; undefined for none. */
export function anyOf(expressions: readonly string[]): string | undefined {
  if (expressions.length === 0) return undefined
  if (expressions.length === 1) return expressions[0]
  if (expressions.length <= MOST_IN_GROUP) return `(${expressions.join(' OR ')})`
  const groups = Array.from({ length: Math.ceil(expressions.length / MOST_IN_GROUP) }, (_, at) =>
    expressions.slice(at * MOST_IN_GROUP, (at + 1) * MOST_IN_GROUP),
  )
  // FTS5 joins an OR within an OR to one, but not one within a NOT.
  return `(${groups.map((group) => `((${group.join(' OR ')}) NOT ${ftsString(NO_TERM)})`).join(' OR ')})`
}

/** Restricts an expression for `concepts` to kinds of labels. */
export function inKinds(kinds: readonly number[], expression: string): string {
  return `{${kinds.map((kind) => COLUMNS[kind]).join(' ')}} : (${expression})`
}
