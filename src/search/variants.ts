import type { SimilarWord } from './label-index.ts'
import { fold } from './letters.ts'
import type { Variants } from './patterns.ts'
import type { ScopedLabels } from './scoped-labels.ts'
import type { SearchText } from './words.ts'

/** Words to try instead of one that finds nothing; each makes the pattern longer. */
const MAX_VARIANTS = 8

/**
 * The words that a text may mean if it finds nothing: the nearest words, with one or two different letters. A word that a
 * label has stays as it is; one that only begins words of labels stays among its own variants.
 *
 * @returns undefined if a word is neither known nor similar to a known one, or if there is nothing to try.
 */
export function variantsOf(text: SearchText, { indexes }: Pick<ScopedLabels, 'indexes'>): Variants | undefined {
  const variants = new Map<string, string[]>()
  for (const word of text.words) {
    const folded = fold(word)
    if (indexes.some((index) => index.hasWord(folded))) continue
    const isBeginning = indexes.some((index) => index.hasBeginning(folded))
    const similar = similarTo(word, !isBeginning && word === text.words.at(-1), indexes)
    if (similar.length > 0) variants.set(word, isBeginning ? [word, ...similar] : similar)
    else if (!isBeginning) return undefined
  }
  return variants.size > 0 ? variants : undefined
}

/** The nearest words; if there are none and the word may be incomplete, the nearest longer ones. */
function similarTo(word: string, mayGoOn: boolean, indexes: ScopedLabels['indexes']): string[] {
  const found = nearest(indexes.flatMap((index) => index.similarWords(word)))
  return found.length > 0 || !mayGoOn ? found : nearest(indexes.flatMap((index) => index.similarWords(word, true)))
}

/** The most similar of some similar words. */
export function nearest(found: readonly SimilarWord[]): string[] {
  const least = Math.min(...found.map(({ edits }) => edits))
  const words = found.filter(({ edits }) => edits === least).map(({ word }) => word)
  return [...new Set(words)].slice(0, MAX_VARIANTS)
}
