/** All texts of the pages that do not come from vocabularies, in each language of the pages. */

import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

export type { Texts }

/** Languages of the pages; the first is the default. */
export const PAGE_LANGUAGES = ['en', 'de'] as const

export type PageLanguage = (typeof PAGE_LANGUAGES)[number]

export const TEXTS: Readonly<Record<PageLanguage, Texts>> = { en, de }
