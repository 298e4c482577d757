import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { MAXIMA } from './maxima.ts'

/** The words that a search has replaced (docs/interface.md, "Search"). */
export const REPLACED_HEADER = 'Search-Replaced'

/** A longer value could make the headers of an answer too long for clients. */
const MAX_REPLACED = 2000

/**
 * The value of that header: `word=replacement` for each replacement, joined with `&` and percent-encoded, like a form.
 *
 * @param replaced words, each with its replacements.
 */
export function replacedHeader(replaced: ReadonlyMap<string, readonly string[]>): string {
  let value = ''
  for (const [word, replacements] of replaced) {
    for (const other of replacements) {
      const longer = `${value === '' ? '' : `${value}&`}${new URLSearchParams([[word, other]]).toString()}`
      if (longer.length <= MAX_REPLACED) value = longer
    }
  }
  return value
}

/**
 * Headers that make browsers treat an answer as data only. CORS lets all sites read answers, because the service is
 * public.
 *
 * @param baseUrl public address; if it is https, a header tells browsers to use https only.
 */
export function securityHeaders(baseUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: baseUrl.startsWith('https:') && { maxAge: 31_536_000, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  })
}

const LISTS = MAXIMA.headerList.name.toLowerCase().split(', ')

/**
 * Cuts the lists of headers at their maximum, because the parsers of several packages take them apart, each for itself.
 * A client that lists more gets an answer for the first ones.
 */
export const cutHeaders: RequestHandler = ({ headers }, _response, next) => {
  const { most } = MAXIMA.headerList
  for (const name of LISTS) {
    const value = headers[name]
    // A list has at least one character and a comma for each value.
    if (typeof value === 'string' && value.length > 2 * most) headers[name] = value.split(',', most).join(',')
  }
  next()
}
