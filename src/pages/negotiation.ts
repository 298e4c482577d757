import type { Request } from 'express'
import Negotiator from 'negotiator'
import { REPRESENTATIONS } from '../read/representations.ts'

const MEDIA_TYPES = [...REPRESENTATIONS.map(({ mediaType }) => mediaType), 'text/html']

/**
 * Whether a request names HTML and likes nothing better of what can be had (RFC 9110, section 12.5.1).
 *
 * @param more media types that can be had at this address.
 */
export function wantsPage(request: Request, more: readonly string[] = []): boolean {
  if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return false
  return new Negotiator(request).mediaType([...MEDIA_TYPES, ...more]) === 'text/html'
}
