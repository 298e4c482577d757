import type { Request } from 'express'
import Negotiator from 'negotiator'
import { REPRESENTATIONS } from '../representations/representations.ts'

const MEDIA_TYPES = [...REPRESENTATIONS.map(({ mediaType }) => mediaType), 'text/html']

/**
 * True if a request names HTML and prefers no other media type that this address offers (RFC 9110, section 12.5.1).
 *
 * @param more media types that this address offers besides those of the interface.
 */
export function wantsPage(request: Request, more: readonly string[] = []): boolean {
  if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return false
  return new Negotiator(request).mediaType([...MEDIA_TYPES, ...more]) === 'text/html'
}
