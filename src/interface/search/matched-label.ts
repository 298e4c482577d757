import { normaliseText } from '../../base/unicode.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { placesOf } from './matching.ts'
import { readSearchText } from './words.ts'

/** The words of a search, each with the words that count instead. */
export type SoughtWords = readonly (readonly string[])[]

/** A label of a concept, with its language. */
interface LanguageLabel {
  language: string
  text: string
}

/**
 * The words of a typed text.
 *
 * @param replaced the words that the search has looked for instead, as `/search` tells them.
 */
export function soughtWords(typed: string, replaced?: ReadonlyMap<string, readonly string[]>): SoughtWords {
  const { words = [] } = readSearchText(typed, { wildcards: true }) ?? {}
  return words.map((word) => [word, ...(replaced?.get(word) ?? [])])
}

/** The places in a text where a word stands, or the words that count instead. */
export function placesOfWord(word: SoughtWords[number], text: string): [start: number, end: number][] {
  return word.flatMap((alternative) => placesOf(alternative, text))
}

/** True if a text has all words of a search. */
export function hasWords(words: SoughtWords, text: string): boolean {
  return words.every((word) => placesOfWord(word, text).length > 0)
}

/** The preferred and alternative labels of a concept; hidden ones stay hidden (SKOS Reference, section 5.6.2). */
export function labelsOf({ prefLabel = {}, altLabel = {} }: Pick<JskosRecord, 'prefLabel' | 'altLabel'>) {
  return [
    ...Object.entries(prefLabel).map(([language, text]): LanguageLabel => ({ language, text })),
    ...Object.entries(altLabel).flatMap(([language, texts]) =>
      texts.map((text): LanguageLabel => ({ language, text })),
    ),
  ]
}

/**
 * The label that explains why a search found a concept; undefined if the name that readers see or a notation does so,
 * or if no label does.
 */
export function matchedLabel(
  concept: Pick<JskosRecord, 'prefLabel' | 'altLabel' | 'notation'>,
  name: string,
  words: SoughtWords,
): LanguageLabel | undefined {
  // Notations are as their source has them.
  const notations = (concept.notation ?? []).map(normaliseText)
  if ([name, ...notations].some((text) => hasWords(words, text))) return undefined
  return labelsOf(concept).find(({ text }) => hasWords(words, text))
}
