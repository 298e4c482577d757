import type { RequestHandler } from 'express'

/**
 * A request target in absolute form (RFC 9112, section 3.2.2) becomes one in origin form. Proxies send it, and it may name any
 * host: nothing but the path and the query of it counts, for answers and for the log.
 */
export const originForm: RequestHandler = (request, _response, next) => {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(request.url)
  if (match) {
    request.url = match[1]!.startsWith('/') ? match[1]! : `/${match[1]}`
    request.originalUrl = request.url
  }
  next()
}
