/** Texts of records by their languages. */
import { isLanguageTag } from '../sparql/terms.ts'
import type { FramedNode } from './frame.ts'
import { chooseLanguage } from './names.ts'
import { compareCodePoints, smallest } from './order.ts'
import { shorten } from '../../base/unicode.ts'

/** The languages of the texts of records. */
export interface LanguageOptions {
  /** Tags to keep in language maps; undefined: all. */
  languages: readonly string[] | undefined
  /** Preferred tags, best first: the label to keep if there is none in `languages`. */
  preferred: readonly string[]
}

/** True for a text that is not empty. */
export function isFilled(text: string): boolean {
  return text !== ''
}

/** The different values of a list, in their order. */
export function unique<T>(list: readonly T[]): T[] {
  return list.length < 2 ? [...list] : [...new Set(list)]
}

/** Language tags, of values of dct:language: the texts that are tags, and the ends of IRIs of languages. */
export function languageTags(texts: readonly string[]): string[] {
  const tags = texts.flatMap((text) => {
    const end = text.split(/[/#]/).at(-1)!.toLowerCase()
    if (!isLanguageTag(end)) return []
    // IRIs end in codes of three letters, where tags have codes of two letters (RFC 5646, section 2.2.1): lexvo's `eng`
    // is `en`.
    return end === text || !/^[a-z]{3}$/.test(end) ? end : Intl.getCanonicalLocales(end)[0]!.toLowerCase()
  })
  return unique(tags).sort(compareCodePoints)
}

/** One text for each wanted language; if there is none, the text in the best of the others. */
export function prefLabel(value: FramedNode[string], options: LanguageOptions): Record<string, string> | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const map = value as Record<string, string[]>
  const filledTags = Object.keys(map)
    .filter((tag) => map[tag]!.some(isFilled))
    .sort(compareCodePoints)
  if (filledTags.length === 0) return undefined
  const inLanguages = options.languages ? filledTags.filter((tag) => options.languages!.includes(tag)) : filledTags
  const tags = inLanguages.length > 0 ? inLanguages : [chooseLanguage(filledTags, options.preferred)!]
  const labels: Record<string, string> = {}
  for (const tag of tags) labels[tag] = smallest(map[tag]!.filter(isFilled))!
  return labels
}

/** The texts in each of the wanted languages; undefined if there are none. */
export function languageMap(value: FramedNode[string], options: LanguageOptions): Record<string, string[]> | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  const map = value as Record<string, string[]>
  const entries = Object.keys(map)
    .filter((tag) => !options.languages || options.languages.includes(tag))
    .sort(compareCodePoints)
    .map((tag) => [tag, unique(map[tag]!.filter(isFilled)).sort(compareCodePoints)] as const)
    .filter(([, texts]) => texts.length > 0)
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** The most characters (code points) of a label by which one record names another resource. */
export const LONGEST_NAME = 1000

const shortened = new WeakSet<object>()

/**
 * The labels by which a record names a resource that has a record of its own: each of at most `LONGEST_NAME`
 * characters; longer ones end in `…`.
 */
export function asName(prefLabel: Record<string, string>): Record<string, string> {
  const entries = Object.entries(prefLabel)
  if (entries.every(([, label]) => label.length <= LONGEST_NAME)) return prefLabel
  const name = Object.fromEntries(entries.map(([tag, label]) => [tag, shorten(label, LONGEST_NAME)]))
  if (entries.some(([tag, label]) => name[tag] !== label)) shortened.add(name)
  return name
}

/** True for labels of which `asName` has shortened some: they are no statements about the resource. */
export function isShortened(prefLabel: unknown): boolean {
  return typeof prefLabel === 'object' && prefLabel !== null && shortened.has(prefLabel)
}
