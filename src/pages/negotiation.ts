import type { Request } from 'express'
import { acceptedMediaType } from '../http/accepted.ts'
import { REPRESENTATIONS } from '../representations/representations.ts'

const MEDIA_TYPES = [...REPRESENTATIONS.map(({ mediaType }) => mediaType), 'text/html']

/**
 * True if a request names HTML and prefers no other media type that this address offers (RFC 9110, section 12.5.1).
 *
 * @param more media types that this address offers besides those of the interface.
 */
export function wantsPage(request: Request, more: readonly string[] = []): boolean {
  const { accept = '' } = request.headers
  return /\btext\/html\b/i.test(accept) && acceptedMediaType(accept, [...MEDIA_TYPES, ...more]) === 'text/html'
}
