import type { RequestHandler } from 'express'
import { queryOf, readParameters, type Parameters } from '../../interface/http/parameters.ts'
import { beginAnswer, sendList, type ListAnswer, type Representation } from '../../interface/http/send.ts'
import { chooseRepresentation, JSON_FORMATS } from '../../interface/representations/representations.ts'
import type { MappingDependencies } from './find-mappings.ts'

/** The parameters of lists of mappings and concordances. */
export const LIST_PARAMETERS = ['limit', 'offset', 'format', 'download']

/**
 * Finds what a request asks for.
 *
 * @param representation the format that the request accepts.
 * @param body of a POST, as its endpoint parses it.
 */
export type Reading = (
  parameters: Parameters,
  signal: AbortSignal,
  representation: Representation,
  body: unknown,
) => Promise<Pick<ListAnswer, 'total' | 'page' | 'records'> & { representation?: Representation }>

/** Sends a list of records, or a download of it. */
export function sending(
  dependencies: MappingDependencies,
  names: readonly string[],
  read: Reading,
  formats = JSON_FORMATS,
): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), names)
    const representation = chooseRepresentation(formats, request, parameters)
    const [, name = 'mappings'] = request.path.split('/')
    const fileName = parameters.has('download') ? `${name}.${representation.extension}` : undefined
    const answer = await beginAnswer(request, response, dependencies)
    if (!answer) return
    try {
      const list = await read(parameters, answer.signal, representation, request.body)
      await sendList(answer, { representation, ...list, fileName, baseUrl: dependencies.config.baseUrl })
    } finally {
      answer.end()
    }
  }
}

/** The page of some items. */
export function slice<Item>(items: readonly Item[], { limit, offset }: { limit: number; offset: number }): Item[] {
  return items.slice(offset, offset + limit)
}
