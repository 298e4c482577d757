import type { Request } from 'express'
import { withQuery } from '../http/addresses.ts'
import type { Parameters } from '../http/parameters.ts'
import type { ReplacedWords } from '../read/list.ts'
import { createRead, listConcepts, type Read } from '../read/read.ts'
import { routeOf, type RouteDependencies, type RoutePath } from '../routes.ts'
import type { Assets } from './assets.ts'
import type { Reading } from './language.ts'
import type { Statistics } from './statistics.ts'
import { TEXTS, type Texts } from './texts.ts'

/** The dependencies of all pages. */
export interface PageDependencies extends RouteDependencies {
  assets: Assets
  statistics: Statistics
  /** The address for SPARQL queries; undefined if the service offers none. */
  sparqlUrl: string | undefined
  /** Answers a reader's own query; undefined if the service does not answer queries for its store. */
  askSparql?: AskSparql | undefined
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
export interface Asked {
  dependencies: PageDependencies
  parameters: Parameters
  /** `{vocid}` of the path. */
  vocid: string | undefined
  reading: Reading
  texts: Texts
  /** The root of the service relative to this address (`./`, `../` and so on), so that links work behind any proxy. */
  root: string
  /** The path and the query below the root, without `lang`. */
  address: string
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** @param parameters those that the page knows. */
export function toAsked(
  dependencies: PageDependencies,
  request: Request,
  reading: Reading,
  parameters: Parameters,
  signal: AbortSignal,
): Asked {
  const { vocid } = request.params
  const [path = '', query = ''] = request.originalUrl.split('?', 2)
  const depth = path.split('/').length - 2
  const pairs = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('lang='))
  return {
    dependencies,
    parameters,
    vocid: typeof vocid === 'string' ? vocid : undefined,
    reading,
    texts: TEXTS[reading.page],
    root: depth > 0 ? '../'.repeat(depth) : './',
    address: path.replace(/^\/+/, '') + (pairs.length > 0 ? `?${pairs.join('&')}` : ''),
    signal,
  }
}

/** A link within the service; it keeps the language that the reader has chosen. */
export function link(asked: Asked, path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  return asked.root + withQuery(path, { ...query, lang: asked.reading.chosen })
}

/** A link to this address, in the language that the reader has chosen or in another one. */
export function here({ root, address, reading }: Asked, language = reading.chosen): string {
  if (language === undefined) return root + address
  return `${root}${address}${address.includes('?') ? '&' : '?'}lang=${language}`
}

/** The public address of something in the service. */
export function publicUrl(
  { dependencies: { config } }: Pick<Asked, 'dependencies'>,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  return config.baseUrl + withQuery(path, query)
}

/** An answer of an endpoint of the interface. */
export interface Answered<Shown> {
  /** The length of the whole list. */
  total: number
  records: Shown[]
  replaced?: ReplacedWords | undefined
}

/** The parts of a page request that an endpoint of the interface needs. */
export type Asking = Pick<Asked, 'dependencies' | 'vocid' | 'signal'>

/**
 * Asks an endpoint of the interface as a client would, but without HTTP.
 *
 * @param path of the endpoint, such as `/narrower`.
 */
export async function askEndpoint<Shown>(
  asked: Asking,
  path: RoutePath,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<Answered<Shown>> {
  const { handler = listConcepts } = routeOf(path)
  const { total, records, replaced } = await handler(await toRead(asked, path, parameters))
  const all: unknown[] = []
  for await (const piece of records) all.push(...piece)
  return { total, records: all as Shown[], replaced }
}

/** The request to an endpoint that this page needs. */
export function toRead(
  { dependencies, vocid, signal }: Asking,
  path: RoutePath,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<Read<RouteDependencies>> {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return createRead<RouteDependencies>(
    dependencies,
    dependencies.config,
    { parameters: new Map(given), vocid },
    routeOf(path),
    signal,
  )
}
