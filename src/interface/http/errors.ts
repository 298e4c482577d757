import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { ApiError } from '../../base/errors.ts'
import { FACETS_HEADER, REPLACED_HEADER } from './headers.ts'
import { loggedUrl, REQUEST_ID_HEADER } from './observe.ts'

/** Reports an error to the log. */
export type ReportError = (error: unknown, request: ReturnType<typeof reportedRequest>) => void

/** A request as the log names it. */
export function reportedRequest(request: Request, response: Response): { id: unknown; method: string; url: string } {
  const id = response.getHeader(REQUEST_ID_HEADER)
  return { id, method: request.method, url: loggedUrl(request.target) }
}

/** An error as a page with its own status; undefined if the request does not ask for a page. */
export type ToErrorPage = (
  request: Request,
  response: Response,
  error: ApiError,
) => { status: number; html: string } | undefined

/** Headers that may be set for an answer when it fails. */
const ANSWER_HEADERS = [
  'Content-Type',
  'Content-Encoding',
  'Content-Disposition',
  'Content-Language',
  'X-Total-Count',
  'Link',
  'ETag',
  'Last-Modified',
  REPLACED_HEADER,
  FACETS_HEADER,
]

/**
 * Sends every error as JSON: `{error, status, message}`, with 410 also the deleted concept, on /ingest also
 * `Description` and `violations` (docs/endpoints.md, "Errors"). A request for a page gets a page.
 */
export function errorHandler(report: ReportError, toPage?: ToErrorPage): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const apiError = toApiError(error)
    // When a client goes away, the service stops work on its answer; that is not a failure.
    const isGone = response.destroyed && !response.writableFinished && !response.errored
    if (apiError.status >= 500 && !isGone) {
      report(error, reportedRequest(request, response))
    }
    if (response.headersSent) {
      // Half an answer must not look complete.
      response.destroy()
      return
    }
    if (apiError.retryAfter !== undefined) response.setHeader('Retry-After', String(apiError.retryAfter))
    if (apiError.allow) response.setHeader('Allow', apiError.allow.join(', '))
    for (const name of ANSWER_HEADERS) response.removeHeader(name)
    response.setHeader('Cache-Control', 'no-store')
    const page = toPage?.(request, response, apiError)
    if (page !== undefined) {
      response.status(page.status).send(page.html)
      return
    }
    const { name, status, message, gone } = apiError
    const body: Record<string, unknown> = { error: name, status, message, ...gone }
    if (/^\/ingest\/?$/.test(request.path)) {
      body['Description'] = apiError.message
      body['violations'] = apiError.violations ?? []
    }
    response.status(status).json(body)
  }
}

/** Errors of Express and its body parsers have a status; all others are internal, and clients do not see them. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const { status, limit }: { status?: unknown; limit?: unknown } =
    typeof error === 'object' && error !== null ? error : {}
  if (status === 413) {
    return new ApiError('PayloadTooLargeError', `body: expected at most ${String(limit)} bytes`, { cause: error })
  }
  if (error instanceof URIError) {
    return new ApiError('MalformedRequestError', 'path: expected valid percent-encoding of UTF-8', { cause: error })
  }
  if (status === 415) {
    const message = 'Content-Encoding: expected gzip, deflate, br or nothing'
    return new ApiError('MalformedRequestError', message, { cause: error })
  }
  if (status === 400) {
    const message = 'body: expected what Content-Encoding and Content-Length say'
    return new ApiError('MalformedRequestError', message, { cause: error })
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ApiError('MalformedRequestError', 'The service cannot read this request.', { cause: error })
  }
  return new ApiError('InternalServerError', 'Something went wrong inside the service.', { cause: error })
}

/** Answers every unknown path with 404. */
export const notFound: RequestHandler = (request) => {
  throw new ApiError('EntityNotFoundError', `There is no ${(request.baseUrl + request.path).slice(0, 200)} here.`)
}

/** Answers the other methods of an endpoint with 405 and `Allow` (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allow: string[]): RequestHandler {
  return (request) => {
    throw new ApiError('MethodNotAllowedError', `${request.method}: expected ${allow.join(', ')}`, { allow })
  }
}
