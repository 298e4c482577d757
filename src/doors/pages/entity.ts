import type { Request, RequestHandler, Response } from 'express'
import { ApiError } from '../../base/errors.ts'
import { queryOf, readParameters, requireIris } from '../../interface/http/parameters.ts'
import { untilAnswered } from '../../interface/http/send.ts'
import { fileAddress } from '../../interface/representations/formats.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { namespacesOf } from '../../graph/vocabularies/namespaces.ts'
import { vocabularyKey } from '../../graph/jskos/names.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint, type EndpointRequest } from '../../routes.ts'
import { publicUrl, type PageDependencies, wantsPage } from './page-request.ts'
import { refuseGone } from './gone.ts'

/**
 * GET /entity?uri=: 303 from the URI of a concept or vocabulary to its page or its record, by `Accept`
 * (Cool URIs for the Semantic Web, section 4.2). Web servers of other hosts can send their URIs here.
 */
export function entity(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['uri', 'format', 'lang'])
    const [uri] = requireIris(parameters, 'uri')
    const more = { format: parameters.get('format'), lang: parameters.get('lang') }
    const endpointRequest = askingFor(dependencies, response)
    const place = await addressOfEntity(endpointRequest, request, uri, more)
    if (place === undefined) {
      await refuseGone(endpointRequest, spellings(uri))
      throw new ApiError('EntityNotFoundError', 'uri: there is no concept or vocabulary with this URI.')
    }
    redirect(response, place)
  }
}

/**
 * The same for addresses below BASE_URL that are URIs of concepts or vocabularies themselves, or such URIs with the
 * extension of a format after them; other requests pass on.
 */
export function localUris(dependencies: PageDependencies): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next()
    const uriOf = (path: string) => dependencies.config.baseUrl + path.replace(/^\/+/, '')
    const file = fileAddress(request.target)
    const named = [
      { uri: uriOf(request.target), format: undefined },
      ...(file ? [{ uri: uriOf(file.path), format: file.format }] : []),
    ].filter(({ uri }) => isAbsoluteIri(uri))
    const endpointRequest = askingFor(dependencies, response)
    if (named.length > 0 && (await hasLocalUris(dependencies))) {
      for (const { uri, format } of named) {
        const place = await addressOfEntity(endpointRequest, request, uri, { format })
        if (place !== undefined) return redirect(response, place)
      }
    }
    for (const { uri } of named) await refuseGone(endpointRequest, spellings(uri))
    next()
  }
}

/**
 * True if a vocabulary or its concepts have their URIs below BASE_URL; if not, an unknown path gets 404 even if the
 * store does not answer.
 */
async function hasLocalUris({ registry, config }: PageDependencies): Promise<boolean> {
  const vocabularies = await registry.list().catch(() => registry.last ?? [])
  const base = vocabularyKey(config.baseUrl)
  const starts = vocabularies.flatMap((vocabulary) => [vocabulary.uri, ...namespacesOf(vocabulary)].map(vocabularyKey))
  return starts.some((start) => start.startsWith(base) || base.startsWith(start))
}

function redirect(response: Response, place: string): void {
  response.vary('Accept')
  response.redirect(303, place)
}

/** Requests to the store for a response, until it ends or its deadline passes. */
function askingFor(dependencies: PageDependencies, response: Response): EndpointRequest {
  return { dependencies, signal: untilAnswered(response, dependencies.config).signal }
}

/** The address of the page or the record of something; undefined if nothing is known of it. */
async function addressOfEntity(
  endpointRequest: EndpointRequest,
  request: Request,
  uri: string,
  more: { format?: string | undefined; lang?: string | undefined } = {},
): Promise<string | undefined> {
  const uris = spellings(uri)
  const isPage = more.format === undefined && wantsPage(request)
  const query = isPage ? { lang: more.lang } : { format: more.format }
  const { schemes, subsets } = await endpointRequest.dependencies.registry.scope(uris)
  const [vocabulary] = [...schemes, ...subsets]
  const placeOfVocabulary = ({ ids, uri: vocabularyUri }: Vocabulary) =>
    publicUrl(endpointRequest, `voc/${encodeURIComponent(ids[0] ?? vocabularyUri)}`, query)
  if (vocabulary) return placeOfVocabulary(vocabulary)
  const { records } = await askEndpoint(endpointRequest, '/data', { uri: uris.join('|'), properties: '-' })
  const knownUri = uris.find((spelling) => records.some((record) => record.uri === spelling))
  if (knownUri !== undefined)
    return publicUrl(endpointRequest, isPage ? 'concept' : 'data', { uri: knownUri, ...query })
  // Clients request a URI with a `#` without its fragment (RFC 9110, section 7.1).
  const isDocumentOf = (candidate: string) => uris.some((document) => candidate.startsWith(`${document}#`))
  const vocabularies = await endpointRequest.dependencies.registry.list()
  const containing = vocabularies.find(
    (candidate) => !candidate.isSubset && [candidate.uri, ...namespacesOf(candidate)].some(isDocumentOf),
  )
  return containing && placeOfVocabulary(containing)
}

/**
 * The URIs that an address may stand for: browsers and proxies encode characters beyond ASCII, and the scheme of the
 * URI may differ, because TLS ends before the service or is younger than the URI. A `|` would be a list.
 */
function spellings(uri: string): string[] {
  const decoded = decode(uri)
  const bothSchemes = [uri, decoded].flatMap((spelling) => [
    spelling,
    /^https:/i.test(spelling) ? spelling.replace(/^https:/i, 'http:') : spelling.replace(/^http:/i, 'https:'),
  ])
  return [...new Set(bothSchemes)].filter((spelling) => isAbsoluteIri(spelling) && !spelling.includes('|'))
}

function decode(uri: string): string {
  try {
    return decodeURI(uri)
  } catch {
    return uri
  }
}
