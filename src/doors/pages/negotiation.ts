import type { Request } from 'express'
import { acceptedMediaType } from '../../interface/http/headers.ts'
import { REPRESENTATIONS } from '../../interface/representations/representations.ts'

/** The media types of records. */
export const RECORD_MEDIA_TYPES: readonly string[] = REPRESENTATIONS.map(({ mediaType }) => mediaType)

/**
 * True if a request names HTML and prefers no other media type that this address offers (RFC 9110, section 12.5.1).
 *
 * @param mediaTypes the media types that this address offers besides.
 */
export function wantsPage(request: Request, mediaTypes = RECORD_MEDIA_TYPES): boolean {
  const { accept = '' } = request.headers
  return /\btext\/html\b/i.test(accept) && acceptedMediaType(accept, [...mediaTypes, 'text/html']) === 'text/html'
}
