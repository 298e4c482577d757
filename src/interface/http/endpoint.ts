import type { IRouter, RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { methodNotAllowed } from './errors.ts'

/** A method at an address of the service. */
export interface Method<Dependencies> {
  /** Makes the handlers, once for each application. */
  handler: (dependencies: Dependencies) => RequestHandler | RequestHandler[]
  /**
   * Its Operation Object (OpenAPI 3.1, section 4.8.10); absent for what the OpenAPI document leaves out, such as pages.
   */
  operation?: object
}

/**
 * An address of the service. Every room has a table of its endpoints; src/endpoints.ts joins them. The application, the
 * OpenAPI document and /status follow from the joined table.
 *
 * @example { path: '/healthz', get: { handler: () => health, operation: operation('Service', { id: 'getHealth' }) } }
 */
export interface Endpoint<Dependencies> {
  /** A path of Express, such as `/voc/:vocid`. */
  path: string
  get?: Method<Dependencies> | undefined
  post?: Method<Dependencies> | undefined
  /** The name of its address in /status (JSKOS API). */
  statusName?: string | undefined
  /** The reason why this service does not have the endpoint, for clients; undefined if it does. */
  absent?: (features: OptionalFeatures) => string | undefined
}

/** The optional features of a service, which some endpoints need. */
export interface OptionalFeatures {
  /** The log of changes. */
  history?: object | undefined
  /** False: assistants cannot use the service. */
  mcp?: boolean | undefined
  /** The handlers of POST /ingest. */
  ingest?: object | undefined
  /** The login and the decisions of editors. */
  editing?: object | undefined
  /** Takes reports of readers. */
  sendFeedback?: object | undefined
  /** The handlers of queries over the embedded store. */
  sparql?: object | undefined
  /** The address for SPARQL queries, of this service or of its store. */
  sparqlUrl?: string | undefined
}

/** The endpoints that a service has. */
export function presentEndpoints<Dependencies>(
  endpoints: readonly Endpoint<Dependencies>[],
  features: OptionalFeatures,
): Endpoint<Dependencies>[] {
  return endpoints.filter(({ absent }) => absent?.(features) === undefined)
}

/**
 * Mounts all endpoints. Endpoints with the same path are mounted at the position of the last of them, and each may pass
 * a request on to the next. Other methods get 405 with `Allow`. If the endpoint for a request is absent, the answer is
 * 404 with the reason.
 */
export function mountEndpoints<Dependencies extends OptionalFeatures>(
  router: IRouter,
  endpoints: readonly Endpoint<Dependencies>[],
  dependencies: Dependencies,
): void {
  for (const [index, { path }] of endpoints.entries()) {
    if (endpoints.findLastIndex((endpoint) => endpoint.path === path) !== index) continue
    const samePath = endpoints.filter((endpoint) => endpoint.path === path)
    const present = presentEndpoints(samePath, dependencies)
    // Express compiles the pattern of a path once for each route.
    const route = router.route(path)
    for (const { get, post } of present) {
      if (get) route.get(get.handler(dependencies))
      if (post) route.post(post.handler(dependencies))
    }
    const allow = [
      ...(present.some(({ get }) => get) ? ['GET', 'HEAD'] : []),
      ...(present.some(({ post }) => post) ? ['POST'] : []),
    ]
    const [reason] = samePath.flatMap(({ absent }) => absent?.(dependencies) ?? [])
    route.all(otherRequests(allow, reason))
  }
}

/** Answers requests that no endpoint of an address has answered. */
function otherRequests(allow: string[], reason: string | undefined): RequestHandler {
  const refuseMethod = methodNotAllowed(allow)
  return (request, response, next) => {
    if (allow.length > 0 && !allow.includes(request.method)) return refuseMethod(request, response, next)
    if (reason !== undefined) throw new ApiError('EntityNotFoundError', reason, { missing: 'function' })
    next()
  }
}
