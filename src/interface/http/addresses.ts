import type { RequestHandler } from 'express'

/** The host of a URL; empty for a text that is none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** A path with a query, encoded only as far as RFC 3986 (section 3.4) requires; undefined values are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `${name}=${encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',')}`,
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

declare module 'express-serve-static-core' {
  interface Request {
    /**
     * The request target (RFC 9112, section 3.2) in origin form, where the application is mounted. `originalUrl`
     * belongs to the application around this one, whose log may have it, and `url` changes on the way through the
     * endpoints.
     */
    target: string
  }
}

/**
 * Sets the target of a request. One in absolute form (RFC 9112, section 3.2.2) becomes one in origin form: proxies send
 * such targets, which may name any host, so only their path and query count for answers and for the log.
 */
export const originForm: RequestHandler = (request, _response, next) => {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(request.url)
  if (match) request.url = match[1]!.startsWith('/') ? match[1]! : `/${match[1]}`
  request.target = request.url
  next()
}

/**
 * For old clients (docs/clients.md, "Old clients"): `/voc&cache=1` means `/voc?cache=1`, because the fylr plugin writes
 * its first parameter this way. In other paths `&` is part of a URI.
 */
export const oldClientPaths: RequestHandler = (request, _response, next) => {
  const match = /^\/voc&([^?]*)(?:\?(.*))?$/.exec(request.url)
  if (match) {
    request.url = `/voc?${[match[1], match[2]].filter(Boolean).join('&')}`
    request.target = request.url
  }
  next()
}

/** For old clients, too: the easydb plugin starts only if it gets a JSON array that is not empty. */
export const testApiCalls: RequestHandler = (_request, response) => {
  response.json([{ uri: 'https://github.com/gbv/jskos' }])
}
