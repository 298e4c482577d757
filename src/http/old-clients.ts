import type { RequestHandler } from 'express'

/** What old clients of this interface send and no standard covers, in one place (docs/interface.md, "Old clients"). */

/** `/voc&cache=1` means `/voc?cache=1`: the fylr plugin writes its first parameter so. */
export const oldClientPaths: RequestHandler = (request, _response, next) => {
  const match = /^([^?&]+)&([^?]*)(?:\?(.*))?$/.exec(request.url)
  if (match) {
    request.url = `${match[1]}?${[match[2], match[3]].filter(Boolean).join('&')}`
    request.originalUrl = request.url
  }
  next()
}

/** The start-up probe of the easydb plugin wants a JSON array that is not empty. */
export const testApiCalls: RequestHandler = (_request, response) => {
  response.json([{ uri: 'https://github.com/gbv/jskos' }])
}
