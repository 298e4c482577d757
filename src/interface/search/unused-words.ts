import type { IndexFile } from '../../graph/index/index-file.ts'
import { columns, sql } from '../../graph/index/sql.ts'
import { indexedTerms } from './spellings.ts'
import { MOST_LETTERS, termsOfWord } from './typed-text.ts'

/** Maximum number of words to check in one transaction. */
const CHECKED_WORDS = 1000

export type WordKey = [term: string, spelling: string]

/**
 * Removes some words that no concept has any more.
 *
 * @param after the last word that was checked; two empty texts at the beginning.
 * @returns the last word that was checked; undefined at the end.
 */
export async function removeUnusedWords(file: IndexFile, after: WordKey): Promise<WordKey | undefined> {
  const words = await file.rows<WordKey>(
    sql`SELECT term, spelling FROM word WHERE (term, spelling) > (${after[0]}, ${after[1]})
    ORDER BY term, spelling LIMIT ${CHECKED_WORDS}`,
    'term, spelling',
  )
  await removeUnused(file, words)
  return words.length < CHECKED_WORDS ? undefined : words.at(-1)
}

/** A word of a label as the table of words has it. @param word in lower case. */
export function wordKey(word: string): WordKey {
  const spelling = word.slice(0, MOST_LETTERS)
  return [indexedTerms(spelling).join(''), spelling]
}

/** Removes those of some words that no concept has any more. */
export async function removeUnused(file: IndexFile, words: readonly WordKey[]): Promise<void> {
  const looked = words.map(([term, spelling]) => [term, spelling, termsOfWord(spelling)])
  const unused = await file.rows<WordKey>(
    sql`SELECT value->>0 AS a, value->>1 AS b FROM json_each(${looked}) v
    WHERE NOT EXISTS (SELECT 1 FROM concepts WHERE concepts MATCH v.value->>2)`,
    'a, b',
  )
  if (unused.length === 0) return
  await file.run(sql`DELETE FROM word WHERE (term, spelling) IN (SELECT ${columns(2)} FROM json_each(${unused}))`)
  await file.run(
    sql`DELETE FROM inside WHERE term IN (SELECT value->>0 FROM json_each(${unused}))
    AND NOT EXISTS (SELECT 1 FROM word w WHERE w.term = inside.term)`,
  )
  await file.run(sql`UPDATE meta SET value = value + 1 WHERE name = 'removals'`)
}
