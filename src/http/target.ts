import type { RequestHandler } from 'express'

/**
 * Turns a request target in absolute form (RFC 9112, section 3.2.2) into origin form. Proxies send such targets, which may
 * name any host, so only their path and query count for answers and for the log.
 */
export const originForm: RequestHandler = (request, _response, next) => {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(request.url)
  if (match) {
    request.url = match[1]!.startsWith('/') ? match[1]! : `/${match[1]}`
    request.originalUrl = request.url
  }
  next()
}
