import express from 'express'
import type { Endpoint, Method } from '../../interface/http/endpoint.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { operation } from '../../interface/openapi/operation.ts'
import {
  json,
  MALFORMED,
  NOT_FOUND,
  OTHER_ERRORS,
  RECONCILE_STORE_ERRORS,
  textResponse,
  TOO_LARGE,
  withOther,
} from '../../interface/openapi/responses.ts'
import { anyObject } from '../../interface/openapi/references.ts'
import {
  answerFirstForm,
  reconcileHandler,
  extendTable,
  flyout,
  match,
  preview,
  propose,
  suggesting,
  type ReconcileRequest,
} from './answers.ts'
import type { RouteDependencies } from '../../routes.ts'
import { suggestEntities, suggestProperties, suggestTypes } from './suggest.ts'

/** The addresses of reconciliation: one for all vocabularies together, and one for each. */
const ADDRESSES = ['/reconcile', '/voc/:vocid/reconcile']

/** The parameters of every GET. */
const COMMON = ['language', 'reconcileCallback']
const JSON_BODY = { 'application/json': { schema: anyObject() } }
const FORM_BODY = {
  'application/x-www-form-urlencoded': {
    schema: { type: 'object', properties: { queries: { type: 'string' }, extend: { type: 'string' } } },
  },
}

/** A method below an address of reconciliation. */
interface ReconcileMethod {
  answer: (reconcileRequest: ReconcileRequest) => Promise<void>
  /** Names of parameters. */
  parameterNames?: readonly string[]
  id: string
  summary: string
  /** The same parameters in the OpenAPI document. */
  parameters?: readonly string[]
  /** The body of a POST. */
  body?: object
  page?: true
  /** True if the endpoint asks the store only for a vocabulary in the path. */
  asksNothing?: true
}

const FIRST_FORM = { answer: answerFirstForm, parameterNames: ['queries', 'extend'] }
const BY_PREFIX = {
  parameterNames: ['prefix', 'cursor', 'limit'],
  parameters: ['reconcilePrefix', 'reconcileCursor', 'reconcileLimit'],
}
const BY_ID = { parameterNames: ['id'], parameters: ['reconcileId'] }

/**
 * The endpoints of the Reconciliation Service API below each of its addresses; the API has schemas of their answers.
 */
const RECONCILING: Record<string, { get?: ReconcileMethod; post?: ReconcileMethod }> = {
  '': {
    get: {
      ...FIRST_FORM,
      id: 'reconcile',
      summary: 'The manifest of the service; candidates for queries of 0.2',
      parameters: ['reconcileQueries', 'reconcileExtend'],
    },
    post: {
      ...FIRST_FORM,
      id: 'reconcileByPost',
      summary: 'Candidates for the queries of a form (0.2)',
      body: FORM_BODY,
    },
  },
  '/match': {
    post: { answer: match, id: 'reconcileMatch', summary: 'Candidates for queries (1.0)', body: JSON_BODY },
  },
  '/suggest/entity': {
    get: {
      answer: suggesting(suggestEntities),
      ...BY_PREFIX,
      id: 'suggestEntities',
      summary: 'Concepts by the beginning of a name',
    },
  },
  '/suggest/property': {
    get: {
      answer: suggesting((_dependencies, _request, typed) => suggestProperties(typed)),
      ...BY_PREFIX,
      id: 'suggestProperties',
      summary: 'Properties by the beginning of a name',
      asksNothing: true,
    },
  },
  '/suggest/type': {
    get: {
      answer: suggesting(suggestTypes),
      ...BY_PREFIX,
      id: 'suggestTypes',
      summary: 'Types by the beginning of a name',
    },
  },
  '/flyout/entity': {
    get: {
      answer: flyout,
      ...BY_ID,
      id: 'flyoutEntity',
      summary: 'A concept in a few lines',
    },
  },
  '/preview': {
    get: {
      answer: preview,
      ...BY_ID,
      id: 'previewEntity',
      summary: 'A concept as a small page',
      page: true,
    },
  },
  '/extend': {
    post: { answer: extendTable, id: 'extend', summary: 'Properties of concepts, as columns (1.0)', body: JSON_BODY },
  },
  '/extend/propose': {
    get: {
      answer: propose,
      parameterNames: ['type', 'limit'],
      id: 'proposeProperties',
      summary: 'Properties that columns can show',
      parameters: ['reconcileType', 'reconcileLimit'],
    },
  },
}

/** The endpoints of the Reconciliation Service API, 0.2 and 1.0-draft. */
export const RECONCILE_ENDPOINTS: readonly Endpoint<RouteDependencies>[] = ADDRESSES.flatMap((address) =>
  Object.entries(RECONCILING).map(([path, { get, post }]) => ({
    path: address + path,
    get: get && method(address, get),
    post: post && method(address, post),
  })),
)

function method(address: string, reconciling: ReconcileMethod): Method<RouteDependencies> {
  const { answer, parameterNames = [], body } = reconciling
  const options = { type: () => true, limit: MAXIMA.reconcileBody.most }
  // A form is a text, which has parameters; JSON has none.
  const parser = body === FORM_BODY ? express.text(options) : express.raw(options)
  return {
    handler: (dependencies) => [...(body ? [parser] : []), reconcileHandler(dependencies, parameterNames, answer)],
    operation: toOperation(address, reconciling),
  }
}

/** An answer in JSON, or for a GET with `callback` a call of that function. */
function reconciled(isGet: boolean) {
  const answer = json('The answer', anyObject(), [])
  return isGet ? withOther(answer, { 'text/javascript': { schema: { type: 'string' } } }) : answer
}

function toOperation(address: string, { id, summary, parameters = [], body, page, asksNothing }: ReconcileMethod) {
  const isOfVocabulary = address.includes(':vocid')
  return operation('Reconciliation', {
    id: isOfVocabulary ? `${id}InVocabulary` : id,
    summary: isOfVocabulary ? `${summary}, of one vocabulary` : summary,
    parameters: [...(isOfVocabulary ? ['vocid'] : []), ...parameters, ...(body ? [] : COMMON)],
    responses: {
      200: page ? textResponse('A page', 'text/html') : reconciled(body === undefined),
      ...MALFORMED,
      ...(isOfVocabulary || parameters.includes('reconcileId') ? NOT_FOUND : {}),
      ...(body ? TOO_LARGE : {}),
      ...(asksNothing && !isOfVocabulary ? OTHER_ERRORS : RECONCILE_STORE_ERRORS),
    },
    ...(body ? { requestBody: { required: true, content: body } } : {}),
  })
}
