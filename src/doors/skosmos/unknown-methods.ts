import type { RequestHandler } from 'express'
import type { RouteDependencies } from '../../routes.ts'
import { vocabularyNamed, SkosmosError } from './request.ts'

/**
 * Answers requests for unknown methods as Skosmos does: in plain text, with the error for an unknown vocabulary first.
 */
export function unknownMethods({ registry }: Pick<RouteDependencies, 'registry'>): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next()
    const [id = '', method] = request.path.slice(1).split('/')
    let message = '404 Not Found'
    if (id !== '' && method !== undefined) {
      try {
        await vocabularyNamed({ registry }, id)
      } catch (error) {
        if (!(error instanceof SkosmosError)) throw error
        message = error.message
      }
    }
    response.status(404).setHeader('Cache-Control', 'no-store').type('text/plain').send(message)
  }
}
