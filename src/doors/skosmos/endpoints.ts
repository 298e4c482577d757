import type { RequestHandler } from 'express'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import { operation } from '../../interface/openapi/operation.ts'
import { anyObject, ref } from '../../interface/openapi/references.ts'
import {
  json,
  NOT_MODIFIED,
  STORE_ERRORS,
  textResponse,
  withHeaders,
  withOther,
} from '../../interface/openapi/responses.ts'
import type { RouteDependencies } from '../../routes.ts'
import { METHODS, type SkosmosMethod } from './methods.ts'
import { skosmosHandler, ofVocabulary, type SkosmosRequest, vocabularyNamed, SkosmosError } from './request.ts'
import { componentName } from './schemas.ts'

/** The address of the REST API of Skosmos. */
const ROOT = '/rest/v1'

/** The formats of `data` besides JSON-LD as JSON. */
const RDF = {
  'application/ld+json': { schema: anyObject() },
  'text/turtle': { schema: { type: 'string' } },
  'application/rdf+xml': { schema: { type: 'string' } },
}
const JSONP = { 'application/javascript': { schema: { type: 'string' } } }

/** The REST API of Skosmos (docs/skosmos.md), for programs that were written for it. */
export const SKOSMOS_ENDPOINTS: readonly Endpoint<RouteDependencies>[] = METHODS.map((method) => ({
  path: ROOT + method.path,
  get: { handler: (dependencies) => handler(dependencies, method), operation: toOperation(method) },
}))

function handler(dependencies: RouteDependencies, method: SkosmosMethod): RequestHandler {
  const itself = (request: SkosmosRequest) => Promise.resolve(request)
  if ('ofStore' in method)
    return skosmosHandler(dependencies, itself, async (request) => ({ json: await method.ofStore(request) }))
  if ('ofVocabulary' in method)
    return skosmosHandler(dependencies, ofVocabulary, async (request) => ({ json: await method.ofVocabulary(request) }))
  return skosmosHandler<SkosmosRequest>(
    dependencies,
    method.path.includes(':vocid') ? ofVocabulary : itself,
    method.answer,
  )
}

function toOperation({ path, id, summary, parameters, schema }: SkosmosMethod) {
  const isOfVocabulary = path.includes(':vocid')
  const isList = parameters.includes('skosmosLangRequired')
  const formats =
    schema === undefined
      ? withOther(json('The concept as JSON-LD', anyObject()), RDF)
      : withOther(json('The answer as JSON-LD', ref(componentName(schema))), {
          'application/ld+json': { schema: ref(componentName(schema)) },
          ...JSONP,
        })
  return operation('Skosmos', {
    id: `skosmos${id}`,
    summary,
    parameters: [
      ...(isOfVocabulary ? ['vocid'] : []),
      ...parameters,
      ...(schema === undefined ? [] : ['skosmosCallback']),
    ],
    responses: {
      200: formats,
      ...(schema === undefined && isOfVocabulary
        ? {
            302: withHeaders(textResponse('The address of the whole vocabulary as a file', 'text/plain'), ['Location']),
          }
        : {}),
      ...NOT_MODIFIED,
      400: textResponse('A parameter is missing or malformed', 'text/plain'),
      ...(isOfVocabulary || !isList
        ? { 404: textResponse('The vocabulary, concept, collection or label is unknown', 'text/plain') }
        : {}),
      ...(schema === undefined ? { 406: textResponse('No accepted format', 'text/plain') } : {}),
      ...STORE_ERRORS,
    },
  })
}

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
