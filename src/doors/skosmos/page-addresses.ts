import type { RequestHandler } from 'express'
import { withQuery } from '../../interface/http/addresses.ts'
import { queryOf } from '../../interface/http/parameters.ts'
import { untilAnswered } from '../../interface/http/send.ts'
import { decoded } from '../../graph/jskos/names.ts'
import { askEndpoint, type RouteDependencies } from '../../routes.ts'

/** The pages of Skosmos: of a vocabulary, of a concept by its local name or by `uri`, and of a search. */
const PAGE = /^\/([^/]+)\/([a-z]{2,3}(?:-[A-Za-z0-9]+)*)(?:\/(?:(page)(?:\/([^/]*))?|(search))?)?\/?$/

/**
 * Sends the addresses that pages of Skosmos have to the pages of this service, so that old links keep working
 * (docs/skosmos.md, "Coming from Skosmos"). Other requests pass on.
 */
export function skosmosPages(dependencies: RouteDependencies): RequestHandler {
  return async (request, response, next) => {
    const [, requestedId = '', lang, page, name = '', search] = PAGE.exec(decoded(request.path)) ?? []
    if (lang === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return next()
    const id = requestedId.toLowerCase()
    // Without the store, an unknown path is just that.
    const vocabulary = await dependencies.registry.find(id).catch(() => undefined)
    if (!vocabulary?.ids.includes(id)) return next()
    const { baseUrl } = dependencies.config
    const query = new URLSearchParams(queryOf(request))
    const go = (path: string, more: Record<string, string | undefined>) =>
      response.redirect(301, baseUrl + withQuery(path, { ...more, lang, clang: query.get('clang') ?? undefined }))
    if (search !== undefined) return go('find', { query: query.get('q') ?? undefined, voc: id })
    if (page === undefined) return go(`voc/${encodeURIComponent(id)}`, {})
    const { signal, clear } = untilAnswered(response, dependencies.config)
    const uri = query.get('uri') ?? (name && (await namespaceOf(dependencies, id, signal)) + name)
    clear()
    return uri === '' ? go(`voc/${encodeURIComponent(id)}`, {}) : go('concept', { uri })
  }
}

async function namespaceOf(dependencies: RouteDependencies, vocid: string, signal: AbortSignal): Promise<string> {
  const { records } = await askEndpoint({ dependencies, vocid, signal }, '/voc/:vocid', { properties: 'namespace' })
  return records[0]?.namespace ?? ''
}
