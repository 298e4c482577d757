import express, { type Request, type RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'

/**
 * Takes in a form of the pages (application/x-www-form-urlencoded), for `formFields`. Refuses forms that a page of
 * another site makes its visitor's browser send (Fetch Metadata Request Headers; RFC 6454, section 7). Browsers send
 * `Sec-Fetch-Site` over HTTPS and to loopback addresses, and `Origin` with every POST. Programs that are no browsers
 * send neither.
 *
 * @param baseUrl the public address of the service.
 * @param most bytes of the form.
 * @param message of the error about another site.
 * @throws ApiError ForbiddenAccessError
 */
export function siteForm(baseUrl: string, most: number, message: string): RequestHandler[] {
  const { origin } = new URL(baseUrl)
  return [
    (request, _response, next) => {
      const site = request.get('Sec-Fetch-Site')
      const isForeign = site === undefined ? isForeignOrigin(request, origin) : !['same-origin', 'none'].includes(site)
      if (isForeign) throw new ApiError('ForbiddenAccessError', message)
      next()
    },
    express.raw({ type: () => true, limit: most }),
  ]
}

/** The fields of a form that `siteForm` has taken in; none if the request had no body. */
export function formFields({ body }: Request): URLSearchParams {
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')
}

/** A reader may have come to the service by another name than its public address. */
function isForeignOrigin(request: Request, ownOrigin: string): boolean {
  const origin = request.get('Origin')
  if (origin === undefined || origin === ownOrigin) return false
  return !URL.canParse(origin) || new URL(origin).host !== request.get('Host')
}
