import type { RequestHandler } from 'express'

/**
 * GET /: links for programs to begin with.
 *
 * @param baseUrl public address of the service.
 */
export function start(baseUrl: string): RequestHandler {
  const url = (path: string) => new URL(path, baseUrl).href
  const body = {
    title: 'Vocabulary Service',
    vocabularies: url('voc'),
    documentation: url('docs'),
    openapi: url('openapi.json'),
    status: url('status'),
  }
  return (_request, response) => {
    response.json(body)
  }
}
