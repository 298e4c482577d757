import { chooseLanguage, isInLanguage } from '../../graph/jskos/names.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'

type LanguageMap<Value> = Readonly<Record<string, Value>> | undefined

/** The entry of a language map in a language, the exact tag first: `de` finds `de-at`. */
export function labelIn<Value>(labels: LanguageMap<Value>, language: string): Value | undefined {
  const tag = tagIn(Object.keys(labels ?? {}), language)
  return tag === undefined ? undefined : labels![tag]
}

/** The tag of a language among some, the exact one first. */
export function tagIn(tags: readonly string[], language: string): string | undefined {
  const matching = tags.filter((tag) => isInLanguage(tag, language)).sort(compareCodePoints)
  return matching.find((tag) => tag === language.toLowerCase()) ?? matching[0]
}

/** A label in a language, else one without a language; null if there is neither. */
export function labelOrNull(labels: LanguageMap<string>, language: string): string | null {
  return labelIn(labels, language) ?? labels?.['und'] ?? null
}

/**
 * A label in a language, in another one, or in any.
 *
 * @param isMarked true: a label in another language has its tag behind it, in brackets.
 */
export function labelOrOther(
  labels: LanguageMap<string>,
  { language, fallback }: { language: string; fallback: string },
  isMarked: boolean,
): string | null {
  const tag = tagIn(Object.keys(labels ?? {}), language) ?? chooseLanguage(Object.keys(labels ?? {}), [fallback])
  if (tag === undefined) return null
  const label = labels![tag]!
  return isMarked && tag !== 'und' && !isInLanguage(tag, language) ? `${label} (${tag})` : label
}

/** A language tag as Skosmos writes it: empty for a text without a language. */
export function shownTag(tag: string): string {
  return tag === 'und' ? '' : tag
}
