import type { SimilarWord } from './label-index.ts'
import { fold } from './letters.ts'
import type { Variants } from './patterns.ts'
import type { ScopedLabels } from './scoped-labels.ts'
import type { SearchText } from './words.ts'

/** Words that stand for one that nothing is found with: each makes the pattern longer. */
const MAX_VARIANTS = 8

/**
 * The words that may be meant by those of a text with which nothing is found: one or two letters are wrong, and no word is
 * nearer. A word that a label has is never replaced; one that only begins words of labels may be meant as it is, too.
 *
 * @returns undefined if a word is neither known nor like one that is, or if there is nothing to try.
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

/** The nearest words; if there are none and somebody may still be typing this one, the nearest that go on. */
function similarTo(word: string, mayGoOn: boolean, indexes: ScopedLabels['indexes']): string[] {
  const found = nearest(indexes.flatMap((index) => index.similarWords(word)))
  return found.length > 0 || !mayGoOn ? found : nearest(indexes.flatMap((index) => index.similarWords(word, true)))
}

/** Of words that are like another those that are likest. */
export function nearest(found: readonly SimilarWord[]): string[] {
  const least = Math.min(...found.map(({ edits }) => edits))
  const words = found.filter(({ edits }) => edits === least).map(({ word }) => word)
  return [...new Set(words)].slice(0, MAX_VARIANTS)
}
