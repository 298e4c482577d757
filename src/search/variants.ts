import { fold } from './letters.ts'
import type { Variants } from './patterns.ts'
import type { ScopedLabels } from './scoped-labels.ts'
import type { SearchText } from './words.ts'

/** Words that stand for one that nothing is found with: each makes the pattern longer. */
const MAX_VARIANTS = 8

/**
 * The words that may be meant by those of a text that no label has: one or two letters are wrong, and no word is nearer.
 * A word that a label has, or begins with, is never replaced.
 *
 * @returns undefined if a word is neither known nor like one that is, or if all are known.
 */
export function variantsOf(text: SearchText, { indexes }: Pick<ScopedLabels, 'indexes'>): Variants | undefined {
  const variants = new Map<string, string[]>()
  for (const word of text.words) {
    const folded = fold(word)
    if (indexes.some((index) => index.hasBeginning(folded))) continue
    // Somebody may still be typing the last one.
    const isLast = word === text.words.at(-1)
    const found = nearest(indexes.flatMap((index) => index.similarWords(folded)))
    const similar =
      found.length > 0 || !isLast ? found : nearest(indexes.flatMap((index) => index.similarWords(folded, true)))
    if (similar.length === 0) return undefined
    variants.set(word, similar)
  }
  return variants.size > 0 ? variants : undefined
}

function nearest(found: readonly { word: string; edits: number }[]): string[] {
  const least = Math.min(...found.map(({ edits }) => edits))
  const words = found.filter(({ edits }) => edits === least).map(({ word }) => word)
  return [...new Set(words)].slice(0, MAX_VARIANTS)
}
