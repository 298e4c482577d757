import type { RequestHandler } from 'express'
import type { Config } from '../../config.ts'

/**
 * GET /: links for programs to begin with.
 */
export function start({ config: { baseUrl } }: { config: Pick<Config, 'baseUrl'> }): RequestHandler {
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
