import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Request, RequestHandler } from 'express'
import { withQuery } from '../../interface/http/addresses.ts'
import { givenParameters, type Parameters } from '../../interface/http/parameters.ts'
import type { StoreCache } from '../../graph/memory/store-state.ts'
import { waysUp, type WaysUp } from '../../interface/read/ancestors.ts'
import { listRequest } from '../../interface/read/request.ts'
import type { EndpointRequest, RouteDependencies } from '../../routes.ts'
import type { Editing } from '../../writing/ingest/editing.ts'
import type { AcceptIngest } from '../../writing/ingest/ingest.ts'
import type { SendFeedback } from '../../writing/ingest/feedback.ts'
import type { Assets } from './assets.ts'
import type { ReaderLanguages } from './language.ts'
import type { ListedVocabulary } from './records.ts'
import type { SiteFolder } from './site-folder.ts'
import type { Statistics } from './statistics.ts'
import { TEXTS, type Texts } from './texts.ts'
import { acceptedMediaType } from '../../interface/http/headers.ts'
import { REPRESENTATIONS } from '../../interface/representations/representations.ts'

/** The dependencies of all pages. */
export interface PageDependencies extends RouteDependencies {
  assets: Assets
  statistics: Statistics
  /** All vocabularies. */
  vocabularyRecords: StoreCache<readonly ListedVocabulary[]>
  /** The operator's own words. */
  siteFolder: SiteFolder
  /** The address for SPARQL queries; undefined if the service offers none. */
  sparqlUrl: string | undefined
  /** Answers a reader's own query; undefined if the service does not answer queries for its store. */
  askSparql?: AskSparql | undefined
  /** POST /ingest, which accepts proposals; undefined if the service accepts none. */
  ingest?: RequestHandler[] | undefined
  /** The same way into the store for the form of the page. */
  acceptIngest?: AcceptIngest | undefined
  /** The login and the decisions of editors; undefined if the service accepts none. */
  editing?: Editing | undefined
  /** Sends a reader's report to the operator; undefined if there is no form for it. */
  sendFeedback?: SendFeedback | undefined
  /** The description of the interface in OpenAPI 3.1. */
  openapi: object
}

/**
 * Answers a SPARQL 1.1 query.
 *
 * @param accept the wanted media types (SPARQL 1.1 Protocol, section 2.1.6).
 * @throws ApiError MalformedRequestError, TimeoutError, ServiceUnavailableError
 */
export type AskSparql = (
  query: string,
  accept: string,
  gone: AbortSignal,
) => Promise<{ contentType: string; body: Uint8Array }>

/** A request for a page, with everything that the page depends on. */
export interface PageRequest {
  dependencies: PageDependencies
  parameters: Parameters
  /** `{vocid}` of the path. */
  vocid: string | undefined
  /** `{document}` of the path. */
  document: string | undefined
  /** `{label}` of the path. */
  label: string | undefined
  reading: ReaderLanguages
  texts: Texts
  /** The root of the service relative to this address (`./`, `../` and so on), so that links work behind any proxy. */
  root: string
  /** The path and the query below the root, without `lang` and `clang`. */
  address: string
  /** The `Cookie` of the request. */
  cookies: string | undefined
  /** Longer names are cut to this number of characters; undefined: none is. */
  longest?: number | undefined
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** The request of the page that a component is in. */
export const RequestContext = createContext<PageRequest | undefined>(undefined)

/** The request of the page that a component is in. */
export function useRequest(): PageRequest {
  return useContext(RequestContext)!
}

/** @param parameters that the page supports. */
export function toPageRequest(
  dependencies: PageDependencies,
  request: Request,
  reading: ReaderLanguages,
  parameters: Parameters,
  signal: AbortSignal,
): PageRequest {
  const { vocid, document, label } = request.params
  // The query may have further question marks (RFC 3986, section 3.4).
  const [path = '', ...queries] = request.target.split('?')
  const query = queries.join('?')
  const depth = path.split('/').length - 2
  const pairs = query.split('&').filter((pair) => pair !== '' && !/^c?lang=/.test(pair))
  return {
    dependencies,
    parameters,
    vocid: typeof vocid === 'string' ? vocid : undefined,
    document: typeof document === 'string' ? document : undefined,
    label: typeof label === 'string' ? label : undefined,
    reading,
    texts: TEXTS[reading.page],
    root: depth > 0 ? '../'.repeat(depth) : './',
    address: path.replace(/^\/+/, '') + (pairs.length > 0 ? `?${pairs.join('&')}` : ''),
    cookies: request.get('Cookie'),
    signal,
  }
}

/**
 * True if the address has no parameters except languages and the subset that `withinSubset` adds: search engines may
 * list it.
 */
export function isPlain({ parameters }: PageRequest): boolean {
  return [...parameters.keys()].every((name) => ['lang', 'clang', 'voc'].includes(name))
}

/** A link within the service; it keeps the languages that the reader has chosen. */
export function link(
  request: PageRequest,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  return request.root + withQuery(path, { ...query, lang: request.reading.chosen, clang: request.reading.content })
}

/** A link to this address, in the languages that the reader has chosen or in others. */
export function currentAddress(
  { root, address, reading }: PageRequest,
  { lang = reading.chosen, clang = reading.content }: { lang?: string | undefined; clang?: string | undefined } = {},
): string {
  const languages = withQuery('', { lang, clang }).replace(/^\?/, address.includes('?') ? '&' : '?')
  return root + address + languages
}

/** The public address of something in the service. */
export function publicUrl(
  { dependencies: { config } }: Pick<EndpointRequest, 'dependencies'>,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  return config.baseUrl + withQuery(path, query)
}

/** The paths from a concept to the top, the shortest first. */
export async function askWaysUp(
  { dependencies, signal }: EndpointRequest,
  { uri, ...more }: { uri: string; voc: string | undefined; properties: string },
  most: number,
): Promise<WaysUp> {
  const request = await listRequest(dependencies, { parameters: givenParameters({ uri, ...more }), signal })
  return waysUp(dependencies, request, uri, most)
}

/** The media types of records. */
export const RECORD_MEDIA_TYPES: readonly string[] = REPRESENTATIONS.map(({ mediaType }) => mediaType)

/**
 * True if a request names HTML and prefers no other media type that this address offers (RFC 9110, section 12.5.1).
 *
 * @param mediaTypes the media types that this address offers besides.
 */
export function wantsPage(request: Request, mediaTypes = RECORD_MEDIA_TYPES): boolean {
  const { accept = '' } = request.headers
  return /\btext\/html\b/i.test(accept) && acceptedMediaType(accept, [...mediaTypes, 'text/html']) === 'text/html'
}
