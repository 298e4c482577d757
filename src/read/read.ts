import type { Request, RequestHandler } from 'express'
import type { Config } from '../config.ts'
import {
  malformed,
  queryOf,
  readLanguages,
  readList,
  readPage,
  readParameters,
  type Page,
  type Parameters,
} from '../http/parameters.ts'
import { sendList, type Representation } from '../http/send.ts'
import { CONCEPT_DEFAULT, readProperties } from '../jskos/properties.ts'
import type { ReadDependencies, View } from './describe.ts'
import type { RecordList } from './list.ts'
import { chooseRepresentation, REPRESENTATIONS } from './representations.ts'

/** One read request, with everything that its parameters say. */
export interface Read {
  dependencies: ReadDependencies
  parameters: Parameters
  /** `{vocid}` of the path. */
  vocid: string | undefined
  page: Page
  view: View
  /** MAX_LIMIT. */
  maxLimit: number
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** What an endpoint does: a question in, a list of records out. */
export type ReadHandler = (read: Read) => Promise<RecordList>

/** One endpoint that answers with records. */
export interface ReadEndpoint {
  handler: ReadHandler
  /** Parameters beside the common ones. */
  parameters: readonly string[]
  /** Default fields of a record; those of a concept unless given. */
  defaults?: readonly string[]
  /** Records in an answer where the request does not say; MAX_LIMIT unless given. */
  limit?: number
  /** How this endpoint alone writes records, whatever the request accepts. */
  representation?: (read: Read) => Representation
}

/** Known to every endpoint that answers with records. */
const COMMON = ['properties', 'voc', 'languages', 'language', 'limit', 'offset', 'format']

/**
 * What every GET does: parameters -> terms -> template -> records -> answer.
 */
export function readEndpoint(dependencies: ReadDependencies, config: Config, endpoint: ReadEndpoint): RequestHandler {
  const known = [...COMMON, ...endpoint.parameters]
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), known)
    const format = ['download', 'format'].find((name) => parameters.has(name))
    const representation = chooseRepresentation(
      REPRESENTATIONS,
      request,
      format === undefined ? undefined : { name: format, value: parameters.get(format)! },
    )
    await sendList(request, response, { ...dependencies, config, representation }, async (signal) => {
      const read = await toRead(dependencies, config, request, parameters, endpoint, signal)
      const { name, ...list } = await endpoint.handler(read)
      if (parameters.has('language')) response.setHeader('Content-Language', read.view.preferred[0]!)
      const chosen = endpoint.representation?.(read) ?? representation
      const fileName = parameters.has('download') ? `${name ?? 'concepts'}.${chosen.extension}` : undefined
      return { ...list, page: read.page, representation: chosen, fileName }
    })
  }
}

async function toRead(
  dependencies: ReadDependencies,
  config: Config,
  request: Request,
  parameters: Parameters,
  { defaults = CONCEPT_DEFAULT, limit }: ReadEndpoint,
  signal: AbortSignal,
): Promise<Read> {
  const languages = readLanguages(parameters, 'languages')
  const preferred = readLanguages(parameters, 'language') ?? ['de', 'en']
  // What is downloaded is everything: MAX_LIMIT bounds answers that are shown.
  const maximum = parameters.has('download') ? Number.MAX_SAFE_INTEGER : config.maxLimit
  const page = readPage(parameters, maximum, limit === undefined ? maximum : Math.min(limit, maximum))
  const scope = await dependencies.registry.scope(readVoc(parameters))
  return {
    dependencies,
    parameters,
    vocid: typeof request.params['vocid'] === 'string' ? request.params['vocid'] : undefined,
    page,
    maxLimit: config.maxLimit,
    signal,
    view: {
      scope,
      properties: readProperties(parameters.get('properties'), defaults),
      languages,
      preferred,
      contextUrl: config.jskosContextUrl,
    },
  }
}

/** The `voc` parameter: ids, subset notations and URIs; something that begins like a URI must be one. */
function readVoc(parameters: Parameters): string[] {
  const names = readList(parameters, 'voc')
  for (const name of names) {
    if (/^https?:/i.test(name) && !URL.canParse(name)) throw malformed('voc: expected ids or absolute IRIs')
  }
  return names
}
