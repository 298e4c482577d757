import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * Headers that keep browsers from taking an answer for something else than it is. Answers may be read by all sites: the
 * service is public, and CORS says so.
 *
 * @param baseUrl public address: only where it is https are browsers told to come by https alone.
 */
export function securityHeaders(baseUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    strictTransportSecurity: baseUrl.startsWith('https:') && { maxAge: 31_536_000, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  })
}
