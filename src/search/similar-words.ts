import { editDistance } from '../edit-distance.ts'
import type { IndexFile } from './index-file.ts'
import { reversed } from './letters.ts'
import { toleratedEdits } from './ranking.ts'
import { plain, sql, type Sql } from './sql.ts'

/** A word of labels that resembles another. */
export interface SimilarWord {
  /** As labels have it, in lower case. */
  word: string
  edits: number
}

/** Scripts whose letters people mistake for each other. */
const SCRIPTS = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Hebrew',
  'Arabic',
  'Armenian',
  'Georgian',
  'Devanagari',
  'Bengali',
  'Tamil',
]
const OF_SCRIPT = SCRIPTS.map((script) => new RegExp(`\\p{Script=${script}}`, 'u'))
/** A script with more letters has no wrong letters, only missing, doubled and swapped ones. */
const MOST_LETTERS = 100
/** Words to compare with one. */
const MOST_WORDS = 5000

/**
 * The words of labels that resemble a word, by the letters to change, the most similar first.
 *
 * A word of up to seven letters may have one wrong letter: the words that it may stand for are looked up one by one. A longer one
 * may have two. Then one of its halves has at most one, so the words with such a half are compared.
 *
 * @param forms of the word: folded, and without marks, because `oe` in a typing error need not stand for `ö`.
 * @param isBeginning true if the typist may go on, so that longer words count, too.
 */
export async function similarWords(
  file: IndexFile,
  forms: readonly string[],
  isBeginning = false,
): Promise<SimilarWord[]> {
  const least = new Map<string, number>()
  const letters = await readLetters(file, forms.join(''))
  for (const form of new Set(forms)) {
    const most = toleratedEdits(form)
    if (most === 0) continue
    for (const [folded, spelling] of await candidates(file, form, { most, isBeginning, letters })) {
      const edits = editDistance(form, folded, most, isBeginning)
      if (edits !== undefined && edits < (least.get(spelling) ?? Infinity)) least.set(spelling, edits)
    }
  }
  const found = [...least].map(([word, edits]) => ({ word, edits }))
  return found.sort((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1))
}

type Candidate = [folded: string, spelling: string]

async function candidates(
  file: IndexFile,
  form: string,
  { most, isBeginning, letters }: { most: number; isBeginning: boolean; letters: readonly string[] },
): Promise<Candidate[]> {
  const ask = (texts: readonly string[], condition: Sql, column = plain('w.folded')) =>
    file.rows<Candidate>(
      sql`SELECT DISTINCT ${column} AS a, w.spelling AS b FROM json_each(${texts}) v JOIN word w ON ${condition} LIMIT ${MOST_WORDS}`,
      'a, b',
    )
  const beginning = (column: string) => plain(`w.${column} >= v.value AND w.${column} < v.value || char(1114111)`)
  if (most === 1) {
    return ask(oneEdit(form, letters), isBeginning ? beginning('folded') : plain('w.folded = v.value'))
  }
  const characters = [...form]
  const half = Math.floor(characters.length / 2)
  const first = oneEdit(characters.slice(0, half).join(''), letters)
  if (isBeginning) return ask(first, beginning('folded'))
  const last = oneEdit(reversed(characters.slice(half).join('')), letters)
  const length = sql`BETWEEN ${characters.length - most} AND ${characters.length + most}`
  // The index of words backwards has these words alone, so `folded` would have to be looked up elsewhere, row by row.
  const backwards = await ask(
    last,
    sql`${beginning('backwards')} WHERE length(w.backwards) ${length}`,
    plain('w.backwards'),
  )
  return [
    ...(await ask(first, sql`${beginning('folded')} WHERE length(w.folded) ${length}`)),
    ...backwards.map(([word, spelling]): Candidate => [reversed(word), spelling]),
  ]
}

/** A text, and all that one letter more, less, another one or two swapped ones make of it. */
function oneEdit(text: string, letters: readonly string[]): string[] {
  const characters = [...text]
  const all = new Set([text])
  const add = (at: number, without: number, ...instead: string[]) =>
    all.add([...characters.slice(0, at), ...instead, ...characters.slice(at + without)].join(''))
  for (let at = 0; at <= characters.length; at++) {
    for (const letter of letters) add(at, 0, letter)
    if (at === characters.length) break
    add(at, 1)
    // A doubled letter, also in scripts with too many letters to try all.
    add(at, 1, characters[at]!, characters[at]!)
    for (const letter of letters) add(at, 1, letter)
    if (at + 1 < characters.length) add(at, 2, characters[at + 1]!, characters[at]!)
  }
  return [...all]
}

/** The letters that words of labels have, of the scripts of a word. */
async function readLetters(file: IndexFile, word: string): Promise<string[]> {
  const scripts = OF_SCRIPT.filter((script) => script.test(word))
  const known = await file.rows<[string]>(plain('SELECT character FROM character'), 'character')
  const letters = known.flatMap(([letter]) => (scripts.some((script) => script.test(letter)) ? [letter] : []))
  return letters.length > MOST_LETTERS ? [] : letters
}
