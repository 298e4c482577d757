import { editDistance } from '../../base/edit-distance.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { reversed } from './letters.ts'
import { plain, sql, type Sql } from '../../graph/index/sql.ts'

/** A word of labels that resembles another. */
interface SimilarWord {
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
/** In a script with more letters, only missing, doubled and swapped letters are tried, not wrong ones. */
const MOST_LETTERS = 100
/** Maximum number of words to compare with a word. */
const MOST_WORDS = 5000
/** The halves of shorter words begin or end too many other words. */
const LEAST_HALVED = 6

/** How far a word may be from another one. */
interface Similarity {
  /** How many letters may be wrong; fewer in a short word. */
  most: 1 | 2
  /** True if the user may still be typing, so that longer words count, too. */
  isBeginning?: boolean
}

/**
 * The words of labels that resemble a word, by the letters to change, the most similar first.
 *
 * With one wrong letter, one half of a word is right, so the words with this half are compared; what a short word may
 * stand for is looked up one by one. With two, one of the halves has at most one.
 *
 * @param forms of the word: folded, and without marks, because `oe` in a typing error need not stand for `ö`.
 */
export async function similarWords(
  file: IndexFile,
  forms: readonly string[],
  { most: wanted, isBeginning = false }: Similarity,
): Promise<SimilarWord[]> {
  const least = new Map<string, number>()
  for (const form of new Set(forms)) {
    const most = Math.min(wanted, toleratedEdits(form))
    if (most === 0) continue
    for (const [folded, spelling] of await candidates(file, form, most, isBeginning)) {
      const edits = editDistance(form, folded, most, isBeginning)
      if (edits !== undefined && edits < (least.get(spelling) ?? Infinity)) least.set(spelling, edits)
    }
  }
  const similar = [...least].map(([word, edits]) => ({ word, edits }))
  return similar.sort((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1))
}

/** How many letters of a word may be wrong: none in numbers and in short words, in which every letter counts. */
function toleratedEdits(word: string): number {
  return word.length < 4 || /\p{N}/u.test(word) ? 0 : word.length < 8 ? 1 : 2
}

type Candidate = [folded: string, spelling: string]

async function candidates(file: IndexFile, form: string, most: number, isBeginning: boolean): Promise<Candidate[]> {
  const ask = (texts: readonly string[], condition: Sql, column = plain('w.folded')) =>
    file.rows<Candidate>(
      sql`SELECT DISTINCT ${column} AS a, w.spelling AS b FROM json_each(${texts}) v JOIN word w ON ${condition} LIMIT ${MOST_WORDS}`,
      'a, b',
    )
  const beginning = (column: string) => plain(`w.${column} >= v.value AND w.${column} < v.value || char(1114111)`)
  const isWord = plain('w.folded = v.value')
  const characters = [...form]
  const half = Math.floor(characters.length / 2)
  const first = characters.slice(0, half).join('')
  const last = characters.slice(half).join('')
  const isHalved = most === 1 && !isBeginning && characters.length >= LEAST_HALVED
  const letters = isHalved ? [] : await readLetters(file, form)
  if (most === 1 && !isHalved) return ask(oneEdit(form, letters), isBeginning ? beginning('folded') : isWord)
  const firsts = isHalved ? [first] : oneEdit(first, letters)
  if (isBeginning) return ask(firsts, beginning('folded'))
  const lasts = isHalved ? [reversed(last)] : oneEdit(reversed(last), letters)
  const swapped = [
    ...characters.slice(0, half - 1),
    characters[half]!,
    characters[half - 1]!,
    ...characters.slice(half + 1),
  ]
  const length = sql`BETWEEN ${characters.length - most} AND ${characters.length + most}`
  // The index of words backwards has these words alone, so `folded` would have to be looked up elsewhere, row by row.
  const backwards = await ask(
    lasts,
    sql`${beginning('backwards')} WHERE length(w.backwards) ${length}`,
    plain('w.backwards'),
  )
  return [
    ...(await ask(firsts, sql`${beginning('folded')} WHERE length(w.folded) ${length}`)),
    // Two letters that are swapped in the middle belong to both halves.
    ...(await ask([swapped.join('')], isWord)),
    ...backwards.map(([word, spelling]): Candidate => [reversed(word), spelling]),
  ]
}

/** A text, and all texts that differ from it by one missing, additional, wrong or swapped letter. */
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
  const characters = await file.values<string>(plain('SELECT character FROM character'), 'character')
  const letters = characters.filter((letter) => scripts.some((script) => script.test(letter)))
  return letters.length > MOST_LETTERS ? [] : letters
}
