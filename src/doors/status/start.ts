import type { RequestHandler } from 'express'
import { softwareVersion } from '../../base/root.ts'
import type { Config } from '../../config.ts'

/** GET /: the version of the software, and links for programs to begin with. */
export function start({ config: { baseUrl } }: { config: Pick<Config, 'baseUrl'> }): RequestHandler {
  const url = (path: string) => new URL(path, baseUrl).href
  const body = {
    title: 'Vocabulary Service',
    version: softwareVersion(),
    vocabularies: url('voc'),
    documentation: url('docs'),
    openapi: url('openapi.json'),
    status: url('status'),
  }
  return (_request, response) => {
    response.json(body)
  }
}
