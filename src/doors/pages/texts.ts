/** All texts of the pages that do not come from vocabularies, in each language of the pages. */

import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'
import { it } from './texts/it.ts'

export type { Texts }

/** Languages of the pages; the first is the default. */
export const PAGE_LANGUAGES = ['en', 'de', 'fr', 'es', 'it'] as const

export type PageLanguage = (typeof PAGE_LANGUAGES)[number]

export const TEXTS: Readonly<Record<PageLanguage, Texts>> = { en, de, fr, es, it }

/** The languages of the pages in their own words. */
export const LANGUAGE_NAMES: Readonly<Record<PageLanguage, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
}
