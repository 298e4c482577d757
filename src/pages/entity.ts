import type { Request, RequestHandler, Response } from 'express'
import { ApiError } from '../errors.ts'
import { queryOf, readParameters, requireIris } from '../http/parameters.ts'
import { untilAnswered } from '../http/send.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { namespacesOf } from '../vocabularies/namespaces.ts'
import { vocabularyKey, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { askEndpoint, publicUrl, type EndpointRequest, type PageDependencies } from './page-request.ts'
import { refuseGone } from './gone.ts'
import { wantsPage } from './negotiation.ts'

/**
 * GET /entity?uri=: 303 from the URI of a concept or vocabulary to its page or its record, by `Accept`
 * (Cool URIs for the Semantic Web, section 4.2). Web servers of other hosts can send their URIs here.
 */
export function entity(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['uri', 'format', 'lang'])
    const [uri] = requireIris(parameters, 'uri')
    const more = { format: parameters.get('format'), lang: parameters.get('lang') }
    const asking = askingFor(dependencies, response)
    const place = await placeOf(asking, request, uri, more)
    if (place === undefined) {
      await refuseGone(asking, spellings(uri))
      throw new ApiError('EntityNotFoundError', 'uri: there is no concept or vocabulary with this URI.')
    }
    redirect(response, place)
  }
}

/** The same for addresses below BASE_URL that are such URIs themselves; the others go on. */
export function ownUris(dependencies: PageDependencies): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next()
    const uri = dependencies.config.baseUrl + request.target.replace(/^\/+/, '')
    if (!isAbsoluteIri(uri)) return next()
    const asking = askingFor(dependencies, response)
    const place = (await hasOwnUris(dependencies)) ? await placeOf(asking, request, uri) : undefined
    if (place === undefined) await refuseGone(asking, spellings(uri))
    if (place === undefined) next()
    else redirect(response, place)
  }
}

/**
 * True if a vocabulary or its concepts have their URIs below BASE_URL; otherwise an unknown path is just that, even if the store does
 * not answer.
 */
async function hasOwnUris({ registry, config }: PageDependencies): Promise<boolean> {
  const known = await registry.list().catch(() => registry.last ?? [])
  const base = vocabularyKey(config.baseUrl)
  const starts = known.flatMap((one) => [one.uri, ...namespacesOf(one)].map(vocabularyKey))
  return starts.some((start) => start.startsWith(base) || base.startsWith(start))
}

function redirect(response: Response, place: string): void {
  response.vary('Accept')
  response.redirect(303, place)
}

/** Requests to the store for a response, until it ends or its deadline passes. */
function askingFor(dependencies: PageDependencies, response: Response): EndpointRequest {
  return { dependencies, vocid: undefined, signal: untilAnswered(response, dependencies.config).signal }
}

/** The address of the page or the record of something; undefined if nothing is known of it. */
async function placeOf(
  asking: EndpointRequest,
  request: Request,
  uri: string,
  more: { format?: string | undefined; lang?: string | undefined } = {},
): Promise<string | undefined> {
  const uris = spellings(uri)
  const isPage = more.format === undefined && wantsPage(request)
  const query = isPage ? { lang: more.lang } : { format: more.format }
  const { schemes, subsets } = await asking.dependencies.registry.scope(uris)
  const [vocabulary] = [...schemes, ...subsets]
  const placeOfVocabulary = ({ ids, uri: own }: Vocabulary) =>
    publicUrl(asking, `voc/${encodeURIComponent(ids[0] ?? own)}`, query)
  if (vocabulary) return placeOfVocabulary(vocabulary)
  const { records } = await askEndpoint(asking, '/data', { uri: uris.join('|'), properties: '-' })
  const found = uris.find((one) => records.some((record) => record.uri === one))
  if (found !== undefined) return publicUrl(asking, isPage ? 'concept' : 'data', { uri: found, ...query })
  // Clients ask for a URI with a `#` without what follows it (RFC 9110, section 7.1).
  const isDocumentOf = (one: string) => uris.some((document) => one.startsWith(`${document}#`))
  const all = await asking.dependencies.registry.list()
  const whole = all.find((one) => !one.isSubset && [one.uri, ...namespacesOf(one)].some(isDocumentOf))
  return whole && placeOfVocabulary(whole)
}

/**
 * The URIs that an address may stand for: browsers and proxies encode characters beyond ASCII, and the scheme of the URI may differ,
 * because TLS ends before the service or is younger than the URI. A `|` would be a list.
 */
function spellings(uri: string): string[] {
  const decoded = decode(uri)
  const both = [uri, decoded].flatMap((one) => [
    one,
    /^https:/i.test(one) ? one.replace(/^https:/i, 'http:') : one.replace(/^http:/i, 'https:'),
  ])
  return [...new Set(both)].filter((one) => isAbsoluteIri(one) && !one.includes('|'))
}

function decode(uri: string): string {
  try {
    return decodeURI(uri)
  } catch {
    return uri
  }
}
