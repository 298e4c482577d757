import { labelId, MOST_LABELS } from '../../graph/index/ids.ts'
import { columnOf, COLUMNS, keyTerm, markTerm, NOTE_COLUMNS, type IndexFile } from '../../graph/index/index-file.ts'
import { DEFINITION_KIND, NOTATION_KIND } from '../../graph/index/statements.ts'
import { columns, plain, sql } from '../../graph/index/sql.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { fold, reversed, toLowerCase, wordForm } from './letters.ts'
import { GAP, indexedTerms, keyOf, MOST_LABEL_CHARACTERS } from './spellings.ts'
import { CHUNK } from './stage.ts'
import { wordKey } from './unused-words.ts'
import { indexedWords, isCharacter, visibleText } from './words.ts'

/** Maximum number of words that a connection remembers as written. */
const MOST_REMEMBERED = 200_000
/** Maximum number of words to insert together. */
const MANY_WORDS = 50_000

export type NewLabel = [kind: number, language: string, text: string]
/** A definition or another note. */
export type Note = [kind: number, text: string]

/** Writes labels: texts, words, and what searches match. It remembers which words the index has. */
export class LabelRows {
  readonly #file: IndexFile
  #rows = new PendingRows()
  /** The terms of words that are in the index. */
  readonly #words = new Map<string, string>()
  /** The characters of these words. */
  readonly #characters = new Set<string>()

  constructor(file: IndexFile) {
    this.#file = file
  }

  /** Forgets pending rows and remembered words. Call it after a failed transaction, and after words were removed. */
  reset(): void {
    this.#rows = new PendingRows()
    this.#words.clear()
    this.#characters.clear()
  }

  /** Begins a concept. @param combination of its classes and vocabularies. */
  concept(id: number, combination: number): ConceptRows {
    return new ConceptRows(id, combination)
  }

  /** Adds a label or notation of a concept. */
  add(concept: ConceptRows, label: NewLabel): void {
    const [kind, , text] = label
    concept.add(label, kind === NOTATION_KIND ? [] : this.#termsOf(text), this.#rows)
  }

  /** Ends a concept: it gets no more labels. */
  end(concept: ConceptRows): void {
    concept.end(this.#rows)
  }

  /** Adds the notes of a concept. @param combination of its classes and vocabularies. */
  addNotes(id: number, combination: number, notes: readonly Note[]): void {
    if (notes.length === 0) return
    // Words of two notes are not side by side.
    const terms = (isWanted: (kind: number) => boolean) =>
      columnOf(notes.flatMap(([kind, text]) => (isWanted(kind) ? [...indexedTerms(text), GAP] : [])))
    const definition = terms((kind) => kind === DEFINITION_KIND)
    const other = terms((kind) => kind !== DEFINITION_KIND)
    this.#rows.notes.push([id, definition, other, combination === 0 ? '' : markTerm(combination)])
  }

  /** Inserts the rows if there are many of them. */
  async insertMany(): Promise<void> {
    if (this.#rows.isLarge) await this.#rows.insert(this.#file)
  }

  /** Inserts all rows. */
  async insert(): Promise<void> {
    await this.#rows.insert(this.#file)
    await this.#rows.insertWords(this.#file)
  }

  /** The terms of a label; its words go into the table of words. */
  #termsOf(text: string): readonly string[] {
    const words = wordsOfLabel(text)
    // In most labels every word is a term.
    let areTerms = true
    const terms = words.map((word) => {
      const term = this.#words.get(word) ?? this.#addWord(word)
      areTerms &&= term !== undefined
      return term!
    })
    return areTerms ? terms : indexedTerms(text)
  }

  /** @returns the term of a word; undefined if it has several, or is a character. */
  #addWord(word: string): string | undefined {
    const [term, ...more] = indexedTerms(word)
    if (term === undefined || (more.length === 0 && isCharacter(term))) return undefined
    if (this.#words.size > MOST_REMEMBERED) this.#words.clear()
    if (more.length === 0) this.#words.set(word, term)
    const [joined, spelling] = wordKey(word)
    const folded = fold(spelling)
    this.#rows.words.push([joined, spelling, folded, reversed(folded), wordForm(folded)])
    for (const character of folded) {
      if (this.#characters.has(character)) continue
      this.#characters.add(character)
      this.#rows.characters.push([character])
    }
    return more.length === 0 ? term : undefined
  }
}

/** The words of a label that the table of words may have, in lower case. */
export function wordsOfLabel(text: string): string[] {
  return indexedWords(toLowerCase(visibleText(text.slice(0, MOST_LABEL_CHARACTERS))))
}

/** Rows that are ready to be inserted. */
class PendingRows {
  readonly concepts: unknown[] = []
  readonly labels: unknown[] = []
  readonly texts: unknown[] = []
  readonly notes: unknown[] = []
  readonly words: string[][] = []
  readonly characters: unknown[] = []

  get isLarge(): boolean {
    return this.texts.length >= CHUNK
  }

  async insert(file: IndexFile): Promise<void> {
    const insert = async (into: string, rows: unknown[], count: number) => {
      if (rows.length === 0) return
      // The ids of labels are too large for numbers in JavaScript.
      const values = count === 3 ? plain('CAST(value->>0 AS INTEGER), value->>1, value->>2') : columns(count)
      await file.run(sql`INSERT ${plain(into)} SELECT ${values} FROM json_each(${rows.splice(0)})`)
    }
    await insert('INTO label', this.texts, 3)
    await insert('INTO labels (rowid, words, marks)', this.labels, 3)
    await insert(`INTO concepts (rowid, ${COLUMNS.join(', ')}, marks)`, this.concepts, 6)
    await insert(`INTO notes (rowid, ${NOTE_COLUMNS.join(', ')}, marks)`, this.notes, 4)
    await insert('OR IGNORE INTO character', this.characters, 1)
    if (this.words.length >= MANY_WORDS) await this.insertWords(file)
  }

  /** In the order of the table, in which inserting is fastest. */
  async insertWords(file: IndexFile): Promise<void> {
    const words = this.words.splice(0).sort(([a], [b]) => compareCodePoints(a!, b!))
    for (let at = 0; at < words.length; at += CHUNK) {
      const some = words.slice(at, at + CHUNK)
      await file.run(sql`INSERT OR IGNORE INTO word SELECT ${columns(5)} FROM json_each(${some})`)
    }
  }
}

/** The rows of one concept. */
export class ConceptRows {
  readonly id: number
  readonly #mark: string
  readonly #columns = COLUMNS.map(() => new Set<string>())
  readonly #numbers = COLUMNS.map(() => 0)

  constructor(id: number, combination: number) {
    this.id = id
    this.#mark = combination === 0 ? '' : markTerm(combination)
  }

  add([kind, language, text]: NewLabel, terms: readonly string[], rows: PendingRows): void {
    const column = this.#columns[kind]!
    column.add(keyTerm(keyOf(text)))
    for (const term of terms) column.add(term)
    const number = this.#numbers[kind]!++
    if (number >= MOST_LABELS) return
    const id = labelId(this.id, kind, number)
    rows.texts.push([id, language, text])
    if (kind === 0) return
    // Characters are looked for side by side, so they stay in their order.
    const words = terms.some(isCharacter) ? terms : new Set(terms)
    rows.labels.push([id, columnOf(words), this.#mark])
  }

  end(rows: PendingRows): void {
    rows.concepts.push([this.id, ...this.#columns.map(columnOf), this.#mark])
  }
}
