import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * Headers that make browsers treat an answer as data only. CORS lets all sites read answers, because the service is public.
 *
 * @param baseUrl public address; if it is https, a header tells browsers to use https only.
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
