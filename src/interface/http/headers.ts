import type { RequestHandler } from 'express'
import helmet from 'helmet'
import { MAXIMA } from './maxima.ts'
import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'

/** The words that a search has replaced (docs/endpoints.md, "Search"). */
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

/** The numbers of hits of a search by facet (docs/endpoints.md, "Search"). */
export const FACETS_HEADER = 'X-Facets'

/** A longer value could make the headers of an answer too long for proxies. */
const MAX_FACETS = 3000

/**
 * The value of that header: JSON in ASCII. If it would be too long, the longest lists lose their last entries.
 *
 * @param facets lists of URIs with the numbers of hits, the greatest first.
 */
export function facetsHeader(facets: Readonly<Record<string, readonly { uri: string; count: number }[]>>): string {
  const lists = Object.entries(facets).map(([name, list]): [string, { uri: string; count: number }[]] => [
    name,
    [...list],
  ])
  for (;;) {
    const text = JSON.stringify(Object.fromEntries(lists))
    const value = text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const longest = lists.reduce(
      (a, b) => (JSON.stringify(b[1]).length > JSON.stringify(a[1]).length ? b : a),
      ['', []],
    )
    if (value.length <= MAX_FACETS || longest[1].length === 0) return value
    longest[1].pop()
  }
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

/** A link of an answer to something else (RFC 8288). */
export interface WebLink {
  relation: string
  /** An absolute address or IRI. */
  href: string
  mediaType?: string | undefined
}

/** Clients refuse answers with longer header fields, and links may contain whole queries. */
const MAX_LINK = 8000

/** The value of `Link` (RFC 8288, section 3); undefined if it would be too long. */
export function linkHeader(links: readonly WebLink[]): string | undefined {
  const value = links
    .map(({ relation, href, mediaType }) => {
      const type = mediaType === undefined ? '' : `; type="${mediaType}"`
      return `<${toUri(href)}>; rel="${relation}"${type}`
    })
    .join(', ')
  return value.length <= MAX_LINK ? value : undefined
}

/** An IRI as a URI (RFC 3987, section 3.1), without what would end a link. */
function toUri(iri: string): string {
  return iri.replace(/[^!-~]|[<>]/gu, (character) => encodeURIComponent(character))
}

/** A parameter of a media type other than its weight. A quoted value may have any characters. */
const MEDIA_TYPE_PARAMETER = /;\s*(?!q=)[^\s;,="]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*))?/gi

/**
 * The media types that an `Accept` takes, in its order of preference (RFC 9110, section 12.5.1). Parameters such as
 * `charset` and `profile` do not count: no two formats differ by them, and clients repeat the parameters of earlier
 * answers.
 *
 * @param types the available media types, the default first.
 */
export function acceptedMediaTypes(accept: string | undefined, types: readonly string[]): string[] {
  const plain = accept?.replace(MEDIA_TYPE_PARAMETER, '')
  return new Negotiator({ headers: { accept: plain } }).mediaTypes([...types])
}

/** The best media type of `acceptedMediaTypes`; undefined if none fits. */
export function acceptedMediaType(accept: string | undefined, types: readonly string[]): string | undefined {
  return acceptedMediaTypes(accept, types)[0]
}

/** The published types of negotiator lack the option. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

/**
 * The encoding of an answer (RFC 9110, section 12.5.3); undefined if the client accepts no available encoding.
 *
 * @param preferred the encodings to choose first if the client likes several equally.
 */
export function acceptedEncoding<Encoding extends string>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  available: readonly Encoding[],
  preferred: readonly Encoding[],
): Encoding | undefined {
  const negotiator = new Negotiator({ headers }) as EncodingNegotiator
  return negotiator.encoding(available, { preferred }) as Encoding | undefined
}
