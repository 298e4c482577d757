import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import { REPLACED_HEADER, replacedHeader } from '../http/headers.ts'
import { queryOf, readParameters } from '../http/parameters.ts'
import { sendList } from '../http/send.ts'
import type { AnswerDependencies, ReadDependencies } from './dependencies.ts'
import type { RecordList } from './list.ts'
import { pageOfConcepts } from './page.ts'
import { COMMON_PARAMETERS, PARAMETERS } from './parameters.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../representations/representations.ts'
import { listRequest, type ListRequest } from './request.ts'
import type { Route } from './route.ts'
import { byTemplate } from './selection.ts'

/**
 * The steps of every GET: request -> selection -> page of concepts -> records -> representation.
 *
 * 1. `listRequest`: what the parameters ask for.
 * 2. `byTemplate`: the concepts that the template of the endpoint selects; `find` of a route may select others.
 * 3. `pageOfConcepts`: the requested page of them, with as few requests to the store as it takes.
 * 4. `readConcepts`: their records; queries/describe/concept.rq gives the graph, and src/jskos/record.ts makes the records of it.
 * 5. `sendList`: the answer in its representation, unless the service remembers it from a moment ago.
 */
export function readEndpoint<Dependencies extends AnswerDependencies>(
  dependencies: Dependencies,
  route: Route<Dependencies>,
): RequestHandler {
  const { parameters: own = [] } = route
  const known = [...Object.keys(COMMON_PARAMETERS), ...own.map((key) => PARAMETERS[key].name)]
  return async (http, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(http), known)
    const accepted = chooseRepresentation(REPRESENTATIONS, http, parameters)
    await sendList(http, response, { ...dependencies, representation: accepted }, async (signal) => {
      const vocid = typeof http.params['vocid'] === 'string' ? http.params['vocid'] : undefined
      const request = await listRequest(dependencies, { parameters, vocid, signal }, route)
      const found = findRecords(dependencies, route, request)
      const { name, replaced, ...list } = await found.catch((error: unknown) => advise(error, route.advice))
      if (parameters.has('language')) response.setHeader('Content-Language', request.view.preferred[0]!)
      if (replaced) response.setHeader(REPLACED_HEADER, replacedHeader(replaced))
      const representation = route.representation?.(request) ?? accepted
      const fileName = parameters.has('download') ? `${name ?? 'concepts'}.${representation.extension}` : undefined
      return { page: request.page, ...list, representation, fileName }
    })
  }
}

/** The list of records that an endpoint finds for a request. */
export async function findRecords<Dependencies extends ReadDependencies>(
  dependencies: Dependencies,
  { find, template }: Pick<Route<Dependencies>, 'find' | 'template'>,
  request: ListRequest,
): Promise<RecordList> {
  if (find) return find(dependencies, request)
  const selection = byTemplate(template, request)
  return pageOfConcepts(dependencies, selection, request)
}

function advise(error: unknown, advice: string | undefined): never {
  if (!advice || !(error instanceof ApiError) || error.name !== 'TimeoutError') throw error
  throw new ApiError('TimeoutError', `${error.message} ${advice}`, { cause: error })
}
