import type { Request } from 'express'
import { acceptedLanguages, readLanguages, type Parameters } from '../http/parameters.ts'
import { PAGE_LANGUAGES, type PageLanguage } from './texts.ts'

/** What a reader wants to read. */
export interface Reading {
  /** Of what the page says itself. */
  page: PageLanguage
  /** Tags for what vocabularies say, best first. */
  preferred: readonly string[]
  /** The value of `lang`, which is kept in links; undefined where the browser says it. */
  chosen: string | undefined
}

/** More than these nobody reads. */
const MAX_LANGUAGES = 8

/**
 * The languages of a page: by `lang`, else by Accept-Language (RFC 9110, section 12.5.4).
 *
 * @throws ApiError MalformedRequestError where `lang` is no language tag.
 */
export function readLanguage(request: Request, parameters: Parameters): Reading {
  const chosen = readLanguages(parameters, 'lang')
  const wanted = [...new Set([...(chosen ?? []), ...acceptedLanguages(request)])].slice(0, MAX_LANGUAGES)
  const page =
    wanted.map((tag) => PAGE_LANGUAGES.find((known) => known === tag.split('-', 1)[0])).find(Boolean) ??
    PAGE_LANGUAGES[0]
  return { page, preferred: [...new Set([...wanted, page])], chosen: chosen?.join(',') }
}

/** The name of a language in the language of the page, such as "German"; the tag itself where it has none. */
export function languageName(tag: string, page: PageLanguage): string {
  return names(page).of(tag) ?? tag
}

const known = new Map<PageLanguage, Intl.DisplayNames>()

function names(page: PageLanguage): Intl.DisplayNames {
  let found = known.get(page)
  if (!found) known.set(page, (found = new Intl.DisplayNames([page], { type: 'language', fallback: 'code' })))
  return found
}
