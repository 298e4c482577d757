import type { RequestHandler } from 'express'

/** Requests of old clients that no standard covers, in one place (docs/clients.md, "Old clients"). */

/**
 * `/voc&cache=1` means `/voc?cache=1`, because the fylr plugin writes its first parameter this way. In other paths `&`
 * is part of a URI.
 */
export const oldClientPaths: RequestHandler = (request, _response, next) => {
  const match = /^\/voc&([^?]*)(?:\?(.*))?$/.exec(request.url)
  if (match) {
    request.url = `/voc?${[match[1], match[2]].filter(Boolean).join('&')}`
    request.target = request.url
  }
  next()
}

/** The easydb plugin starts only if it gets a JSON array that is not empty. */
export const testApiCalls: RequestHandler = (_request, response) => {
  response.json([{ uri: 'https://github.com/gbv/jskos' }])
}
