import express, { type RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { MAXIMA } from '../http/maxima.ts'
import { getRecords, postForm } from './record-operations.ts'
import type { AnswerDependencies } from './dependencies.ts'
import { readEndpoint } from './read.ts'
import type { Route } from './route.ts'

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
