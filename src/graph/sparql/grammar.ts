import { isIPv6 } from 'node:net'

/**
 * The grammars of IRIs and language tags. Stores accept different things, and one bad term makes them refuse a whole
 * query or update; all of them accept the terms of these grammars.
 */

/** The longest IRI, in UTF-16 code units. */
export const MAX_IRI_LENGTH = 8192

// RFC 3987, section 2.2, with one class of characters in every repetition. The productions themselves are nested: an
// expression like them takes exponential time for a short IRI that ends in a wrong character.
const PLANES = Array.from({ length: 14 }, (_, at) => {
  const plane = (at + 1).toString(16)
  return `\\u{${plane}${plane === 'e' ? '1' : '0'}000}-\\u{${plane}fffd}`
})
const UNRESERVED = `A-Za-z0-9\\-._~\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}${PLANES.join('')}`
const SUB_DELIMITERS = `!$&'()*+,;=`
const PRIVATE = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}'
const some = (characters: string) => `(?:[${UNRESERVED}${SUB_DELIMITERS}${characters}]|%[0-9A-Fa-f]{2})*`
// No % between brackets: isIPv6 would take the zone behind it, which oxigraph refuses.
const IRI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.\\-]*:` +
    `(?://(?:${some(':')}@)?(?:\\[(?<literal>[^\\[\\]%]*)\\]|${some('')})(?::[0-9]*)?(?![^/?#])|(?!//))${some(':@/')}` +
    `(?:\\?${some(`:@/?${PRIVATE}`)})?(?:#${some(':@/?')})?$`,
  'u',
)
const FUTURE_ADDRESS = new RegExp(`^v[0-9a-f]+\\.[A-Za-z0-9\\-._~${SUB_DELIMITERS}:]+$`, 'i')

/** True for an absolute IRI in the grammar of RFC 3987 that names more than a scheme. */
export function isAbsoluteIri(value: string): boolean {
  if (value.length > MAX_IRI_LENGTH || value.indexOf(':') === value.length - 1) return false
  const match = IRI.exec(value)
  if (match === null) return false
  const literal = match.groups!['literal']
  return literal === undefined || isIPv6(literal) || FUTURE_ADDRESS.test(literal)
}

/**
 * True for an absolute IRI that, with http or https, is also a URL: the rule for IRIs that are written into a store.
 */
export function isStrictIri(value: string): boolean {
  if (!isAbsoluteIri(value)) return false
  return !/^https?:/i.test(value) || (/^https?:\/\//i.test(value) && URL.canParse(value))
}

const DOT_SEGMENT = /[:/]\.\.?(?:[/?#]|$)/
/** Scheme and authority, path, query and fragment (RFC 3986, appendix B). */
const PARTS = /^([^:]*:(?:\/\/[^/?#]*)?)([^?#]*)(.*)$/s

/**
 * An absolute IRI without the segments `.` and `..` of its path (RFC 3986, section 5.2.4). Fuseki removes them from all
 * IRIs in TriG and SPARQL; other stores keep them.
 */
export function withoutDotSegments(value: string): string {
  if (!DOT_SEGMENT.test(value)) return value
  const [, start, path, rest] = PARTS.exec(value) as unknown as [string, string, string, string]
  const segments = path.split('/')
  // The first segment of a path that begins with a slash is empty, and stays.
  const least = path.startsWith('/') ? 1 : 0
  const kept: string[] = []
  for (const [at, segment] of segments.entries()) {
    if (segment !== '.' && segment !== '..') kept.push(segment)
    else {
      if (segment === '..' && kept.length > least) kept.pop()
      if (at === segments.length - 1) kept.push('')
    }
  }
  return start + kept.join('/') + rest
}

// RFC 5646, section 2.1; the irregular tags are those of section 2.2.8.
const LANGUAGE = '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})'
const REGION = '(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?'
const VARIANTS = '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*'
const EXTENSIONS = '(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*'
const PRIVATE_USE = 'x(?:-[a-z0-9]{1,8})+'
const IRREGULAR =
  'i-(?:ami|bnn|default|enochian|hak|klingon|lux|mingo|navajo|pwn|tao|tay|tsu)|en-gb-oed|sgn-(?:be-fr|be-nl|ch-de)' +
  '|art-lojban|cel-gaulish|no-(?:bok|nyn)|zh-(?:guoyu|hakka|min|min-nan|xiang)'
const LANGUAGE_TAG = new RegExp(
  `^(?:${LANGUAGE}${REGION}${VARIANTS}${EXTENSIONS}(?:-${PRIVATE_USE})?|${PRIVATE_USE}|${IRREGULAR})$`,
  'i',
)

/** True for a well-formed language tag (RFC 5646, section 2.2.9), in upper or lower case. */
export function isStrictLanguageTag(value: string): boolean {
  return LANGUAGE_TAG.test(value)
}
