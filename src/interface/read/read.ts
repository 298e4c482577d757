import express, { type RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { FACETS_HEADER, facetsHeader, REPLACED_HEADER, replacedHeader } from '../http/headers.ts'
import { queryOf, readParameters } from '../http/parameters.ts'
import { beginAnswer, sendList } from '../http/send.ts'
import { listShort } from './concept-lists.ts'
import type { AnswerDependencies, ReadDependencies } from './dependencies.ts'
import { recordLinks, type Linked } from './landing-page.ts'
import type { RecordList } from './list.ts'
import { COMMON_PARAMETERS, READ_PARAMETERS } from './parameters.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../representations/representations.ts'
import { listRequest, type ListRequest } from './request.ts'
import type { Route } from './route.ts'
import { byTemplate } from './select.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { MAXIMA } from '../http/maxima.ts'
import { getRecords, postForm } from './record-operations.ts'

/**
 * The steps of every GET:
 *
 * 1. `beginAnswer`: nothing of the rest is done if another request has just made the same answer.
 * 2. `listRequest`: what the parameters ask for.
 * 3. `findRecords`: `selectPage` gives the URIs and the length of the list, `conceptsInOrder` their records.
 * 4. `sendList`: the answer in its representation.
 */
function readEndpoint<Dependencies extends AnswerDependencies>(
  dependencies: Dependencies,
  route: Route<Dependencies>,
): RequestHandler {
  const names = [...Object.keys(COMMON_PARAMETERS), ...(route.parameters ?? []).map((key) => READ_PARAMETERS[key].name)]
  const { baseUrl } = dependencies.config
  return async (http, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(http), names)
    const accepted = chooseRepresentation(REPRESENTATIONS, http, parameters)
    const answer = await beginAnswer(http, response, dependencies)
    if (!answer) return
    try {
      const vocid = typeof http.params['vocid'] === 'string' ? http.params['vocid'] : undefined
      const request = await listRequest(dependencies, { parameters, vocid, signal: answer.signal }, route)
      const { name, replaced, facets, ...list } = await findRecords(dependencies, route, request)
      if (parameters.has('language')) response.setHeader('Content-Language', request.view.preferred[0]!)
      if (replaced) response.setHeader(REPLACED_HEADER, replacedHeader(replaced))
      if (facets) response.setHeader(FACETS_HEADER, facetsHeader(facets))
      const representation = route.representation?.(request) ?? accepted
      const fileName = parameters.has('download') ? `${name ?? 'concepts'}.${representation.extension}` : undefined
      const linksOf = route.describes ? (record: Linked) => recordLinks(record, baseUrl) : undefined
      await sendList(answer, { page: request.page, ...list, representation, baseUrl, fileName, linksOf })
    } catch (error) {
      throw withAdvice(error, route.advice)
    } finally {
      answer.end()
    }
  }
}

/**
 * The list of records of an endpoint: of the concepts that its template selects, or from its function.
 */
export async function findRecords<Dependencies extends ReadDependencies>(
  dependencies: Dependencies,
  { find, template }: Pick<Route<Dependencies>, 'find' | 'template'>,
  request: ListRequest,
): Promise<RecordList> {
  if (find) return find(dependencies, request)
  return listShort(dependencies, byTemplate(template!, request), request)
}

/** An error with advice for the client, if the store did not answer in time. */
function withAdvice(error: unknown, advice: string | undefined): unknown {
  if (!advice || !(error instanceof ApiError) || error.name !== 'TimeoutError') return error
  return new ApiError('TimeoutError', `${error.message} ${advice}`, { cause: error })
}

const FORM = 'application/x-www-form-urlencoded'
const readForm = [requireForm(), express.text({ type: FORM, limit: MAXIMA.form.most })]

/** The endpoints of a line in the table of endpoints that answer with records: one for each of its paths. */
export function recordEndpoints<Dependencies extends AnswerDependencies>({
  also,
  ...route
}: Route<Dependencies>): Endpoint<Dependencies>[] {
  const { path, post, statusName } = route
  const handler = (dependencies: Dependencies) => readEndpoint<Dependencies>(dependencies, route)
  const endpoint: Endpoint<Dependencies> = {
    path,
    statusName,
    get: { handler, operation: getRecords(route) },
    post: post && { handler: (dependencies) => [...readForm, handler(dependencies)], operation: postForm(route) },
  }
  if (also === undefined) return [endpoint]
  const second = { ...route, path: also, operationId: undefined, statusName: undefined }
  return [endpoint, ...recordEndpoints(second)]
}

function requireForm(): RequestHandler {
  return (request, _response, next) => {
    if (!request.is(FORM)) {
      throw new ApiError('MalformedRequestError', `Content-Type: expected ${FORM} for a long list`)
    }
    next()
  }
}
