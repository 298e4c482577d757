import type { Request } from 'express'
import { acceptedLanguages, languageOfTexts, readLanguages, type Parameters } from '../../interface/http/parameters.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import { languageNamer } from '../../graph/jskos/names.ts'
import { PAGE_LANGUAGES, TEXTS, type PageLanguage } from './texts.ts'

/** The languages that a reader wants. */
export interface ReaderLanguages {
  /** The language of the page's own texts. */
  page: PageLanguage
  /** Tags for the texts of vocabularies, best first. */
  preferred: readonly string[]
  /** The first language of `lang`, which links keep; undefined if the browser's settings decide. */
  chosen: string | undefined
  /** The language of `clang`, which links keep, too; undefined if the texts of vocabularies follow the page. */
  content: string | undefined
}

/** The maximum number of languages of a reader. */
const MAX_LANGUAGES = 8

/**
 * The languages of a page, from `lang`, else from Accept-Language (RFC 9110, section 12.5.4), and for the texts of
 * vocabularies before these `clang`.
 *
 * @throws ApiError MalformedRequestError if one of the two is not a language tag.
 */
export function readLanguage(request: Request, parameters: Parameters): ReaderLanguages {
  const chosen = readLanguages(parameters, 'lang')
  const readerTags = [...new Set([...(chosen ?? []), ...acceptedLanguages(request)])].slice(0, MAX_LANGUAGES)
  const page = languageOfTexts(readerTags, PAGE_LANGUAGES)
  const content = readLanguages(parameters, 'clang')?.[0]
  const preferred = [...new Set([...(content === undefined ? [] : [content]), ...readerTags, page])]
  return { page, preferred, chosen: chosen?.[0], content }
}

/** The name of a language in the language of the page, such as "German"; the tag itself if it has none. */
export function languageName(tag: string, page: PageLanguage): string {
  return tag === 'und' ? TEXTS[page].undetermined : namesIn(page)(tag)
}

/** Compares texts in the order of a language, with runs of digits as numbers. */
export const textOrder = memoize(
  (page: PageLanguage) => new Intl.Collator(page, { numeric: true }).compare,
  new Map<PageLanguage, Intl.Collator['compare']>(),
)

const namesIn = memoize(languageNamer, new Map<PageLanguage, (tag: string) => string>())
