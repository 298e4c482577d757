import type { IndexFile } from '../../graph/index/index-file.ts'
import { sql, type Sql } from '../../graph/index/sql.ts'
import { fold, unmarked } from './letters.ts'
import { keyMatcher } from './matching.ts'
import type { Places } from './places.ts'
import { similarWords } from './similar-words.ts'
import { keyOf } from './spellings.ts'
import { anyOf, exactly, type TextReader, type Variants } from './typed-text.ts'
import { WILDCARD, type SearchText } from './words.ts'

/** Words to try instead of one that finds nothing. */
const MAX_VARIANTS = 8
/** Similar words that are looked for in the vocabularies of the scope. */
const MAX_SIMILAR = 100

/**
 * The words that a text may mean if it finds nothing: the nearest words, with one or two different letters. A word that
 * a label has stays as it is, as does one with wildcards; one that only begins words of labels stays among its own
 * variants.
 *
 * @param places with all concepts of the scope.
 * @returns undefined if no label has a word or a similar one, or if there is nothing to try.
 */
export async function readVariants(
  file: IndexFile,
  texts: TextReader,
  { words }: SearchText,
  places: Places,
): Promise<Variants | undefined> {
  const variants = new Map<string, string[]>()
  for (const word of words) {
    if (word.includes(WILDCARD) || (await isWordOfLabel(file, word, places))) continue
    const beginning = await texts.beginning(word)
    const isBeginning = beginning !== undefined && (await isThere(file, beginning, places))
    const similar = await nearest(file, word, !isBeginning && word === words.at(-1), places)
    if (similar.length > 0) variants.set(word, isBeginning ? [word, ...similar] : similar)
    else if (!isBeginning) return undefined
  }
  return variants.size > 0 ? variants : undefined
}

/** The nearest words; if there are none and the word may be incomplete, the nearest longer ones. */
async function nearest(file: IndexFile, word: string, mayGoOn: boolean, places: Places): Promise<string[]> {
  for (const goesOn of mayGoOn ? [false, true] : [false]) {
    for (const most of [1, 2] as const) {
      const similar = await similarWords(file, [fold(word), unmarked(word)], { most, isBeginning: goesOn })
      for (const edits of [0, 1, 2]) {
        const equal = similar.filter((candidate) => candidate.edits === edits).slice(0, MAX_SIMILAR)
        const counted: { word: string; count: number }[] = []
        for (const candidate of equal) {
          const count = await file.number(sql`SELECT count(*) FROM (${places.labelsLike(exactly(candidate.word))})`)
          if (count > 0) counted.push({ word: candidate.word, count })
        }
        if (counted.length === 0) continue
        return counted
          .sort((a, b) => b.count - a.count)
          .slice(0, MAX_VARIANTS)
          .map((candidate) => candidate.word)
      }
    }
  }
  return []
}

/** True if a label has a spelling of this word. The folded form "isral" of "Israel" is no spelling of it. */
async function isWordOfLabel(file: IndexFile, word: string, places: Places): Promise<boolean> {
  const spellings = await file.values<string>(sql`SELECT spelling FROM word WHERE folded = ${fold(word)}`, 'spelling')
  const match = keyMatcher(word)
  const expression = anyOf(spellings.filter((spelling) => match(keyOf(spelling)) === 'whole').map(exactly))
  return expression !== undefined && isThere(file, expression, places)
}

function isThere(file: IndexFile, expression: string, places: Places): Promise<boolean> {
  return isAny(file, places.labelsLike(expression))
}

/** True if a query for ids gives one. */
export async function isAny(file: IndexFile, ids: Sql): Promise<boolean> {
  return (await file.number(sql`SELECT count(*) FROM (SELECT id FROM (${ids}) LIMIT 1)`)) > 0
}
