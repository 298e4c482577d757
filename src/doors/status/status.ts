import type { RequestHandler } from 'express'
import type { Config } from '../../config.ts'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import { sendFixed } from '../../interface/http/send.ts'
import { readShape } from '../../graph/shapes/read.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { READY_MS } from './health.ts'
import { softwareVersion } from '../../base/root.ts'

/** Version of the JSKOS API that cocoda-sdk looks for. */
const API_VERSION = '2.2'

/**
 * GET /status as cocoda-sdk reads it: the endpoints as absolute URLs, and `ok: 1` if the store answers. If it does not,
 * 503 and `ok: 0`.
 */
export function status({ client, config, endpoints }: StatusDependencies): RequestHandler {
  const url = (path: string) => new URL(path.slice(1), config.baseUrl).href
  const body = {
    config: {
      title: 'Vocabulary Service',
      baseUrl: config.baseUrl,
      version: API_VERSION,
      env: 'production',
      schemes: { read: { auth: false } },
      concepts: { read: { auth: false } },
      mappings: { read: { auth: false } },
      concordances: { read: { auth: false } },
    },
    ...Object.fromEntries(endpoints.flatMap(({ path, statusName }) => (statusName ? [[statusName, url(path)]] : []))),
  }
  return async (_request, response) => {
    let ok = 1
    try {
      await client.ask({ name: 'status', text: 'ASK {}' }, { timeoutMs: READY_MS })
    } catch {
      ok = 0
    }
    response.setHeader('Cache-Control', 'no-store')
    response.status(ok ? 200 : 503).json({ ...body, ok })
  }
}

export interface StatusDependencies {
  client: SparqlClient
  config: Config
  /** The endpoints that the service has. */
  endpoints: readonly Pick<Endpoint<never>, 'path' | 'statusName'>[]
}

/** GET /status.schema.json: the JSON Schema (draft-07) of /status. */
export function statusSchema({ config }: { config: Pick<Config, 'baseUrl'> }): RequestHandler {
  const schema = { $id: new URL('status.schema.json', config.baseUrl).href, ...readShape<object>('status.schema.json') }
  return sendFixed('application/schema+json', `${JSON.stringify(schema, null, 2)}\n`)
}

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
